//! From two versions to a report: the main job, level by level.
//!
//! The first level is always done, whatever it takes; each later one only takes away from what is
//! possible, as far as there is time ([`crate::levels`]).

use crate::arguments::Level;
use crate::budget::Budget;
use crate::clock::Clock;
use crate::comparison::{Levels, Models, programs};
use crate::diff_report::{Pairings, diff_report};
use crate::levels::LevelRun;
use crate::versions::ReadVersions;
use knockon_change::{Change, Sides, Version, pair_within};
use knockon_impact::dataflow_impact::SourceMap;
use knockon_program::{CaveatKind, OutOfTime};
use knockon_report::{DiffReport, LevelRow, ReportedCaveat};
use std::path::Path;
use std::time::Duration;

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions<'a> {
    pub level: Level,
    pub map: SourceMap,
    pub budget: Budget,
    /// Where what solvers said is kept from run to run.
    pub decided_queries: Option<&'a Path>,
    pub timings: bool,
    /// Graphs of executables with at most so many instructions together stay in memory.
    pub kept_instructions: usize,
}

/// There is nothing to show yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted before the first level was done: there are no results yet")]
pub struct Interrupted;

/// What the comparison of functions line by line may take in any case: nothing can be said without.
const PAIRING_TIME: Duration = Duration::from_secs(2);

/// One executable, compared.
pub struct Compared<'a> {
    pub number: usize,
    pub versions: Sides<Version<'a>>,
    pub change: &'a Change,
    pub levels: &'a Levels<'a>,
}

/// Compares all executables and joins what they say of each line. `reached` is told of each level
/// when it is done.
pub fn diff(
    versions: &ReadVersions,
    options: DiffOptions<'_>,
    reached: &mut dyn FnMut(&LevelRow),
) -> Result<DiffReport, Interrupted> {
    let mut clock = Clock::new(options.timings);
    let until_stopped = options.budget.limit().until_cancelled();
    let mut models = Vec::new();
    for number in 0..versions.executables.len() {
        let made = Models::of(programs(versions, number), until_stopped);
        models.push(made.map_err(|OutOfTime| Interrupted)?);
    }
    clock.step("points-to, regions, mod/ref");
    let mut pairings = Pairings::default();
    let pairing = options.budget.at_least(PAIRING_TIME);
    let mut is_cut = false;
    for (number, models) in models.iter().enumerate() {
        let analysed = models.versions(programs(versions, number));
        let change = pair_within(analysed, &versions.edits, pairing.limit());
        pairing.check_interruption().map_err(|_| Interrupted)?;
        is_cut |= change.is_cut;
        pairings.push(analysed, change);
    }
    clock.step("pair");
    let mut run = LevelRun {
        versions,
        pairings: &pairings,
        options,
        clock: &mut clock,
        reached,
        levels: Vec::new(),
        caveats: Vec::new(),
    };
    let findings = run.run().map_err(|_| Interrupted)?;
    let (levels, mut caveats) = (run.levels, run.caveats);
    if is_cut {
        caveats.push(budget_caveat(&format!(
            "{} before all functions that differ were compared line by line: of the others, all lines count as differing",
            pairing.stop()
        )));
    }
    if let Some(stop) = findings.hunks_cut {
        caveats.push(budget_caveat(&format!(
            "{stop} before it was known which hunk reaches which line: each has the one that its reasons begin with"
        )));
    }
    if let Some(stop) = findings.reasons_cut {
        caveats.push(budget_caveat(&format!(
            "{stop} before every line had its reasons: some have none, and the hunks that reach them are not known"
        )));
    }
    let mut report = diff_report(versions, &pairings, findings, levels);
    report.caveats.splice(0..0, caveats);
    clock.step("report");
    Ok(report)
}

pub fn budget_caveat(message: &str) -> ReportedCaveat {
    ReportedCaveat {
        kind: CaveatKind::Budget.name().to_owned(),
        message: message.to_owned(),
        ..ReportedCaveat::default()
    }
}
