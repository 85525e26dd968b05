//! The first level: what may execute after the change?
//!
//! It is done whatever it takes, since nothing can be said without it. An executable in which nothing
//! differs is done with it.

use super::Level;
use super::subject::Subject;
use super::work::{Progress, Work};
use crate::budget::Stop;
use crate::comparison::ChangeReach;
use knockon_change::{Change, FunctionPair, NodeMap, Sides, Version};
use knockon_program::Program;

pub(super) fn run(work: &mut Work<'_, '_>, level: Level) -> Result<Progress, Stop> {
    let mut kept_instructions = 0;
    for subject in &mut work.subjects {
        work.options.budget.check_interruption()?;
        let Subject {
            versions, change, ..
        } = *subject;
        let first = ChangeReach::execute_after(versions, change);
        subject.add_verdicts(&first, &work.edited);
        subject.is_changed = is_changed(versions, change, &first);
        let is_first = subject.is_changed && kept_instructions == 0;
        if subject.is_changed {
            kept_instructions += instructions(versions);
        }
        subject.is_kept = is_first || kept_instructions <= work.options.kept_instructions;
        subject.first = first;
    }
    work.clock.step(level.name());
    Ok(Progress::Done { has_news: true })
}

/// Later levels may say more than the first. Else all functions are the same, node for node, over the
/// same variables.
fn is_changed(versions: Sides<Version<'_>>, change: &Change, first: &ChangeReach<'_>) -> bool {
    let is_identity = |pair: &FunctionPair| matches!(pair.nodes, NodeMap::Identity);
    !change.is_empty(versions)
        || first.executes_after.contains(&true)
        || !change.pairs.iter().all(is_identity)
}

fn instructions(versions: Sides<Version<'_>>) -> usize {
    [versions.old.program, versions.new.program]
        .into_iter()
        .flat_map(Program::defined_functions)
        .map(|(_, _, body)| body.instructions.len())
        .sum()
}
