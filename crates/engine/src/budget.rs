//! How long may the analysis take, and is it to stop now?
//!
//! Time counts from the start of the command. What is needed to say anything (reading both versions,
//! the first level) is done whatever it takes; a later level begins only while there is time, and is
//! given up where it is once there is none. A cancelled request stops everything in the same way; what
//! was found by then is explained within a moment.

use crate::cancellation::Cancellation;
use knockon_program::{CaveatKind, OutOfTime, TimeLimit};
use knockon_report::ReportedCaveat;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug)]
pub struct Budget<'c> {
    /// `None` where the end is too far away to matter.
    end: Option<Instant>,
    asked: Duration,
    /// It is the part of what was asked for that proofs may take.
    is_share: bool,
    /// `None` where nothing but time ends it.
    cancellation: Option<&'c Cancellation>,
    /// Cancelling does not end it.
    is_last_moment: bool,
}

/// What is found is explained in so much time after the budget is over, or the user stopped.
const MOMENT: Duration = Duration::from_secs(1);

/// Why a level was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Interrupted,
    TimeIsUp(Duration),
    /// The part of this time that proofs may take.
    ShareIsUp(Duration),
}

impl Budget<'static> {
    /// Begins now.
    pub fn of(asked: Duration) -> Budget<'static> {
        Budget {
            end: Instant::now().checked_add(asked),
            asked,
            is_share: false,
            cancellation: None,
            is_last_moment: false,
        }
    }

    pub fn unlimited() -> Budget<'static> {
        Budget {
            end: None,
            asked: Duration::MAX,
            is_share: false,
            cancellation: None,
            is_last_moment: false,
        }
    }
}

impl<'c> Budget<'c> {
    /// It also ends when the request is cancelled.
    pub fn cancelled_by(self, cancellation: &Cancellation) -> Budget<'_> {
        Budget {
            cancellation: Some(cancellation),
            end: self.end,
            asked: self.asked,
            is_share: self.is_share,
            is_last_moment: self.is_last_moment,
        }
    }

    /// What proofs may take: half of what is left, so that there is time for what comes after them.
    pub fn for_proofs(&self) -> Budget<'c> {
        Budget {
            is_share: true,
            ..self.part(2)
        }
    }

    /// An equal part of what is left for one of several.
    pub fn part(&self, count: usize) -> Budget<'c> {
        let now = Instant::now();
        let count = u32::try_from(count).unwrap_or(u32::MAX).max(1);
        let end = self.end;
        Budget {
            end: end.map(|end| now + end.saturating_duration_since(now) / count),
            ..*self
        }
    }

    /// So much from now on, even if the budget is over before.
    pub fn at_least(&self, time: Duration) -> Budget<'c> {
        let soon = Instant::now().checked_add(time);
        Budget {
            end: self.end.and_then(|end| soon.map(|soon| end.max(soon))),
            ..*self
        }
    }

    /// At least a moment, also for a cancelled request.
    pub fn a_moment_more(&self) -> Budget<'c> {
        match self.is_interrupted() {
            true => Budget {
                end: Some(Instant::now() + MOMENT),
                is_last_moment: true,
                ..*self
            },
            false => self.at_least(MOMENT),
        }
    }

    /// For libraries.
    pub fn limit(&self) -> TimeLimit<'c> {
        match (self.end, self.cancellation) {
            (end, Some(cancellation)) if !self.is_last_moment => {
                TimeLimit::new(end, cancellation.flag())
            }
            (Some(end), _) => TimeLimit::until(end),
            (None, _) => TimeLimit::NONE,
        }
    }

    pub fn is_interrupted(&self) -> bool {
        self.cancellation.is_some_and(Cancellation::is_cancelled)
    }

    /// What is left, and no more than this.
    pub fn left(&self, most: Duration) -> Duration {
        let left = self
            .end
            .map(|end| end.saturating_duration_since(Instant::now()));
        left.map_or(most, |left| left.min(most))
    }

    /// Whether to go on.
    pub fn check(&self) -> Result<(), Stop> {
        self.limit().check().map_err(|OutOfTime| self.stop())
    }

    /// Why a limit of this budget is over.
    pub fn stop(&self) -> Stop {
        match (self.is_interrupted(), self.is_share) {
            (true, _) => Stop::Interrupted,
            (false, false) => Stop::TimeIsUp(self.asked),
            (false, true) => Stop::ShareIsUp(self.asked),
        }
    }

    /// Whether the request was cancelled; whatever the time.
    pub fn check_interruption(&self) -> Result<(), Stop> {
        match self.is_interrupted() {
            true => Err(Stop::Interrupted),
            false => Ok(()),
        }
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Interrupted => formatter.write_str("the run was interrupted"),
            Stop::TimeIsUp(asked) => {
                write!(formatter, "the budget of {} s is over", asked.as_secs_f64())
            }
            Stop::ShareIsUp(asked) => write!(
                formatter,
                "the part of the budget of {} s that proofs may take is over",
                asked.as_secs_f64()
            ),
        }
    }
}

/// What was left out for lack of time.
pub(crate) fn budget_caveat(message: &str) -> ReportedCaveat {
    ReportedCaveat {
        kind: CaveatKind::Budget.name().to_owned(),
        message: message.to_owned(),
        ..ReportedCaveat::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_of_nothing_is_over_at_once_and_a_huge_one_never() {
        assert!(matches!(
            Budget::of(Duration::ZERO).check(),
            Err(Stop::TimeIsUp(_))
        ));
        assert_eq!(Budget::of(Duration::MAX).check(), Ok(()));
        assert_eq!(Budget::unlimited().check(), Ok(()));
        let share = Budget::of(Duration::ZERO).for_proofs();
        let said = share.check().map_err(|stop| stop.to_string());
        assert!(said.is_err_and(|said| said.starts_with("the part of the budget")));
    }
}
