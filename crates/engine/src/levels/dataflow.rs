//! What depends on the change, by the values, the memory and the decisions of both versions?
//!
//! Where time is up, the executables that are left keep the verdicts of the level before, and no later
//! level begins: proofs only take away what a walk in the graphs has found.

use super::Level;
use super::subject::Graphs;
use super::work::{BrokenOff, Progress, Work};
use crate::budget::Stop;
use knockon_program::OutOfTime;

pub(super) fn run(work: &mut Work<'_, '_>, level: Level) -> Result<Progress, Stop> {
    let budget = work.options.budget;
    let map = work.options.map;
    let changed = work.subjects.iter().filter(|subject| subject.is_changed);
    let all = changed.count();
    let changed = work.subjects.iter_mut();
    let changed = changed.filter(|subject| subject.is_changed);
    for (count, subject) in changed.enumerate() {
        let number = subject.number;
        let found = budget.check().and_then(|()| {
            let walked = match subject.is_kept {
                true => {
                    let graphs = work.rooms[number].get_or_init(|| Graphs::of(subject.versions));
                    let walks = subject.walks(graphs, map, budget.limit());
                    walks.map(|walks| {
                        subject.add_verdicts(&walks.levels, &work.edited);
                        work.kept[number] = Some(walks);
                    })
                }
                false => {
                    let graphs = Graphs::of(subject.versions);
                    let walks = subject.walks(&graphs, map, budget.limit());
                    walks.map(|walks| subject.add_verdicts(&walks.levels, &work.edited))
                }
            };
            walked.map_err(|OutOfTime| budget.stop())
        });
        work.clock.step(level.name());
        if let Err(stop) = found {
            return Ok(Progress::BrokenOff(broken_off(level, stop, (count, all))));
        }
        subject.has_dataflow = true;
    }
    Ok(Progress::Done { has_news: true })
}

/// How many executables were done before time was up, of all.
fn broken_off(level: Level, stop: Stop, (count, all): (usize, usize)) -> BrokenOff {
    let before = Level::EXECUTE_AFTER;
    let whose = match count {
        0 => "verdicts".to_owned(),
        _ => format!("verdicts of {} of {all} executables", all - count),
    };
    BrokenOff {
        caveat: format!(
            "{stop} before the level `{level}` was done: {whose} are those of `{before}`"
        ),
        counts: count > 0,
        is_end: true,
    }
}
