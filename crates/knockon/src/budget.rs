//! How long may the analysis take, and is it to stop now?
//!
//! Time counts from the start of the command. What is needed to say anything (reading both versions,
//! the first level) is done whatever it takes; a later level begins only while there is time, and is
//! given up where it is once there is none. Ctrl-C stops everything in the same way; what was found
//! by then is explained within a moment.

use crate::pipeline::INTERRUPTED;
use knockon_program::{OutOfTime, TimeLimit};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// `None` where the end is too far away to matter.
    end: Option<Instant>,
    asked: Duration,
    /// It is the part of what was asked for that proofs may take.
    is_share: bool,
    /// Ctrl-C does not end it.
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

impl Budget {
    /// Begins now.
    pub fn of(asked: Duration) -> Budget {
        Budget {
            end: Instant::now().checked_add(asked),
            asked,
            is_share: false,
            is_last_moment: false,
        }
    }

    pub fn unlimited() -> Budget {
        Budget {
            end: None,
            asked: Duration::MAX,
            is_share: false,
            is_last_moment: false,
        }
    }

    /// What proofs may take: half of what is left, so that there is time for what comes after them.
    pub fn for_proofs(&self) -> Budget {
        Budget {
            is_share: true,
            ..self.part(2)
        }
    }

    /// An equal part of what is left for one of several.
    pub fn part(&self, count: usize) -> Budget {
        let now = Instant::now();
        let count = u32::try_from(count).unwrap_or(u32::MAX).max(1);
        let end = self.end;
        Budget {
            end: end.map(|end| now + end.saturating_duration_since(now) / count),
            ..*self
        }
    }

    /// So much from now on, even if the budget is over before.
    pub fn at_least(&self, time: Duration) -> Budget {
        let soon = Instant::now().checked_add(time);
        Budget {
            end: self.end.and_then(|end| soon.map(|soon| end.max(soon))),
            ..*self
        }
    }

    /// At least a moment, also after Ctrl-C.
    pub fn a_moment_more(&self) -> Budget {
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
    pub fn limit(&self) -> TimeLimit<'static> {
        match (self.end, self.is_last_moment) {
            (Some(end), true) => TimeLimit::until(end),
            (end, _) => TimeLimit::new(end, &INTERRUPTED),
        }
    }

    pub fn is_interrupted(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
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

    /// Whether the user stopped; whatever the time.
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

/// `90`, `90s`, `1.5m`, `200ms`, `1h`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let split = text
        .find(|character: char| !character.is_ascii_digit() && character != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number
        .parse()
        .map_err(|_| "write a time as a number with a unit, such as 90s or 5m".to_owned())?;
    let seconds_per_unit = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("the unit `{unit}` is not known; use ms, s, m or h")),
    };
    Duration::try_from_secs_f64(number * seconds_per_unit).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_and_seconds_are_the_default() {
        let millis = |text: &str| parse_duration(text).map(|duration| duration.as_millis());
        assert_eq!(millis("90"), Ok(90_000));
        assert_eq!(millis("90s"), Ok(90_000));
        assert_eq!(millis("1.5m"), Ok(90_000));
        assert_eq!(millis("200ms"), Ok(200));
        for bad in ["", "s", "5 s", "5d", "-1s", "1e99h"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

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
