//! Until when does an analysis go on?
//!
//! A value that is handed down to whatever may take long. What is given up says so ([`OutOfTime`]),
//! and its half a result is not used: a walk that was given up has not reached everything.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// An end, and a sign from outside to stop before it; either may be missing.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeLimit<'a> {
    end: Option<Instant>,
    is_cancelled: Option<&'a AtomicBool>,
}

/// The time was up, or somebody asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the time is up")]
pub struct OutOfTime;

impl<'a> TimeLimit<'a> {
    pub const NONE: TimeLimit<'static> = TimeLimit {
        end: None,
        is_cancelled: None,
    };

    pub fn new(end: Option<Instant>, is_cancelled: &'a AtomicBool) -> TimeLimit<'a> {
        TimeLimit {
            end,
            is_cancelled: Some(is_cancelled),
        }
    }

    /// Without an end: only the sign counts.
    pub fn until_cancelled(self) -> TimeLimit<'a> {
        TimeLimit { end: None, ..self }
    }

    /// Without a sign: it ends then, whatever happens.
    pub fn until(end: Instant) -> TimeLimit<'a> {
        TimeLimit {
            end: Some(end),
            is_cancelled: None,
        }
    }

    /// What is left, and no more than this.
    pub fn left(&self, most: Duration) -> Duration {
        let left = self
            .end
            .map(|end| end.saturating_duration_since(Instant::now()));
        left.map_or(most, |left| left.min(most))
    }

    pub fn check(&self) -> Result<(), OutOfTime> {
        let is_cancelled = self
            .is_cancelled
            .is_some_and(|sign| sign.load(Ordering::Relaxed));
        match is_cancelled || self.end.is_some_and(|end| Instant::now() >= end) {
            true => Err(OutOfTime),
            false => Ok(()),
        }
    }

    pub fn is_over(&self) -> bool {
        self.check().is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_over_at_its_end_or_when_somebody_asks() {
        let asked = AtomicBool::new(false);
        assert_eq!(TimeLimit::NONE.check(), Ok(()));
        assert_eq!(TimeLimit::new(None, &asked).check(), Ok(()));
        let over = TimeLimit::new(Some(Instant::now()), &asked);
        assert!(over.is_over());
        assert!(!over.until_cancelled().is_over());
        asked.store(true, Ordering::Relaxed);
        assert!(over.until_cancelled().is_over());
    }
}
