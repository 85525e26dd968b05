//! What does the change reach, knowing what of it means nothing?
//!
//! **Source.** [sem-dcia] Algorithm 1: level k compares the functions that changed and those at most
//! k calls away from them ([`super::proofs`]). Each goes on from what those before it proved, in the
//! part of the budget that proofs may take; each executable that is not settled gets an equal share.
//! It is an anytime loop: when time is up, what was shown so far counts.

use super::Level;
use super::proofs::{Proofs, Prover};
use super::subject::{Graphs, Subject, Walks};
use super::work::{BrokenOff, Progress, Work};
use crate::budget::{Budget, Stop};
use crate::verdict::lines::Edited;
use knockon_impact::dataflow_impact::SourceMap;
use knockon_program::OutOfTime;

/// However far; what has nothing to do with a change is farther.
pub(super) const ANY_DISTANCE: usize = usize::MAX - 1;

/// Largest distance from a change, in calls, at which functions are compared.
pub(super) fn run<const DISTANCE: usize>(
    work: &mut Work<'_, '_>,
    level: Level,
) -> Result<Progress, Stop> {
    let options = work.options;
    let Proving { prover, time } = work.proving.get_or_insert_with(|| Proving {
        prover: Prover::new(options.decided_queries),
        time: options.budget.for_proofs(),
    });
    let open = |subject: &&mut Subject<'_>| subject.is_changed && !subject.is_settled;
    let mut waiting = work.subjects.iter_mut().filter(open).count();
    let mut has_news = false;
    let mut broken_off: Option<BrokenOff> = None;
    for subject in work.subjects.iter_mut().filter(open) {
        let share = time.part(waiting);
        waiting -= 1;
        let stopped = prove(subject, DISTANCE, prover, share);
        work.clock.step(&format!("proofs of {level}"));
        let following = Following {
            level,
            map: options.map,
            edited: &work.edited,
            budget: options.budget,
        };
        let walked = following.follow(subject, work.kept[subject.number].as_mut());
        work.clock.step("semantic");
        has_news |= walked == Ok(true);
        let is_without_walk = walked.is_err();
        if let Err(stop) = stopped.and(walked) {
            subject.is_settled = true;
            broken_off.get_or_insert_with(|| why_broken_off(level, stop, is_without_walk));
        }
    }
    Ok(match broken_off {
        Some(broken_off) => Progress::BrokenOff(broken_off),
        None => Progress::Done { has_news },
    })
}

/// What all of these levels share.
pub(super) struct Proving<'a> {
    pub(super) prover: Prover<'a>,
    /// What they may take together.
    time: Budget<'a>,
}

/// Compares the functions within a distance of calls from a change.
fn prove<'a>(
    subject: &mut Subject<'a>,
    distance: usize,
    prover: &mut Prover<'a>,
    budget: Budget<'a>,
) -> Result<(), Stop> {
    let proofs = match &mut subject.proofs {
        Some(proofs) => proofs,
        none => {
            budget.check()?;
            none.insert(Proofs::new(subject.versions, subject.change))
        }
    };
    let stopped = proofs.extend(distance, prover, budget);
    subject.is_settled = proofs.is_complete(distance);
    stopped
}

/// How the walks are made that rest on proofs.
struct Following<'f, 'a> {
    level: Level,
    map: SourceMap,
    edited: &'f Edited<'a>,
    budget: Budget<'a>,
}

impl<'a> Following<'_, 'a> {
    /// What the change reaches, knowing what was proved; whether that was more than before. For what
    /// was proved when the time was up, there is a moment more.
    fn follow<'g>(
        &self,
        subject: &mut Subject<'a>,
        kept: Option<&mut Walks<'g>>,
    ) -> Result<bool, Stop>
    where
        'a: 'g,
    {
        if !subject.proofs.as_mut().is_some_and(Proofs::shows_more) {
            return Ok(false);
        }
        let limit = self.budget.a_moment_more().limit();
        let walked = match kept {
            Some(walks) => subject.follow(walks, self.level, self.edited, limit),
            None => {
                let graphs = Graphs::of(subject.versions);
                let walks = subject.walks(&graphs, self.map, limit);
                walks.and_then(|mut walks| {
                    subject.follow(&mut walks, self.level, self.edited, limit)
                })
            }
        };
        walked.map_err(|OutOfTime| self.budget.stop())
    }
}

/// What is shown is shown, but the level is not one that was done.
fn why_broken_off(level: Level, stop: Stop, is_without_walk: bool) -> BrokenOff {
    let counts = match is_without_walk {
        false => "what was proved until then counts",
        true => "what was proved last could not be followed any more, and does not count",
    };
    BrokenOff {
        caveat: format!(
            "{stop} before all functions were compared: `{level}` was broken off, and {counts}"
        ),
        counts: true,
        is_end: false,
    }
}
