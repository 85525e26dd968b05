//! Which bytes of an object does an access touch?
//!
//! A pattern is a set of offsets and a size: the bytes `[x, x + size)` for each offset `x`. An
//! array of records accessed at one member is one pattern; so is a whole array, or a single field.

use super::offsets::Offsets;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct Pattern {
    pub(crate) offsets: Offsets,
    pub(crate) size: u32,
}

impl Pattern {
    /// Every byte.
    pub(crate) const ALL: Pattern = Pattern {
        offsets: Offsets::ANY,
        size: 1,
    };

    /// Patterns without gaps become one interval.
    pub(crate) fn new(offsets: Offsets, size: u32) -> Pattern {
        let stride = offsets.stride();
        if stride == 0 || size < stride {
            return Pattern { offsets, size };
        }
        let last = i64::from(size) - 1;
        match (offsets.low(), offsets.high()) {
            (Some(low), Some(high)) => match u32::try_from(high - low + 1 + last) {
                Ok(size) => Pattern {
                    offsets: Offsets::exactly(low),
                    size,
                },
                Err(_) => Pattern::ALL,
            },
            (low, high) => Pattern {
                offsets: Offsets::between(offsets.base(), low, high.map(|high| high + last), 1),
                size: 1,
            },
        }
    }

    /// Touches every byte from some place on.
    pub(crate) fn is_endless(self) -> bool {
        self.offsets.stride() == 1
    }

    pub(crate) fn shifted(self, by: Offsets) -> Pattern {
        Pattern::new(self.offsets.plus(by), self.size)
    }

    pub(crate) fn overlaps(self, other: Pattern) -> bool {
        // Some x of ours and y of theirs: x < y + their size, y < x + our size.
        self.size > 0
            && other.size > 0
            && self.offsets.has_difference(
                other.offsets,
                1 - i64::from(self.size),
                i64::from(other.size) - 1,
            )
    }

    /// Every byte of `other` is touched. May say no where yes is right.
    pub(crate) fn covers(self, other: Pattern) -> bool {
        if self.is_endless() {
            let last = i64::from(other.size) - 1;
            let high = other.offsets.high().map(|high| high + last);
            return reaches_down(self.offsets.low(), other.offsets.low(), 0)
                && reaches_down(negated(self.offsets.high()), negated(high), 0);
        }
        let stride = i64::from(self.offsets.stride());
        let ahead = other.offsets.base() - self.offsets.base();
        if stride == 0 {
            let end = self.offsets.base() + i64::from(self.size);
            let size = i64::from(other.size);
            return other
                .offsets
                .low()
                .is_some_and(|low| low >= self.offsets.base())
                && other.offsets.high().is_some_and(|high| high + size <= end);
        }
        let into = ahead.rem_euclid(stride);
        i64::from(other.offsets.stride()) % stride == 0
            && into + i64::from(other.size) <= i64::from(self.size)
            && reaches_down(self.offsets.low(), other.offsets.low(), into)
            && reaches_down(
                negated(self.offsets.high()),
                negated(other.offsets.high()),
                -into,
            )
    }

    /// What of it may lie in the range, at least.
    pub(crate) fn within(self, range: Pattern) -> Pattern {
        if self.offsets.is_exact() {
            return self;
        }
        // The lowest offset whose bytes reach into the range, and the highest.
        let low = range
            .offsets
            .low()
            .map(|low| low - i64::from(self.size) + 1);
        let high = range.offsets.high();
        let high = high.map(|high| high + i64::from(range.size) - 1);
        Pattern::new(self.offsets.clipped(low, high), self.size)
    }

    /// A pattern that covers both.
    pub(crate) fn joined(self, other: Pattern) -> Pattern {
        if self.covers(other) {
            return self;
        }
        if other.covers(self) {
            return other;
        }
        if let (Some(left), Some(right)) = (self.offsets.exact(), other.offsets.exact()) {
            let low = left.min(right);
            let high = (left + i64::from(self.size)).max(right + i64::from(other.size));
            return match u32::try_from(high - low) {
                Ok(size) => Pattern::new(Offsets::exactly(low), size),
                Err(_) => Pattern::ALL,
            };
        }
        let candidates = [self.extended_to(other), other.extended_to(self)];
        let [first, second] = candidates;
        if first.density() <= second.density() {
            first
        } else {
            second
        }
    }

    /// Ours, begun where ours begins, made long enough to cover both.
    fn extended_to(self, other: Pattern) -> Pattern {
        let both = Offsets::between(0, None, None, self.offsets.stride()).plus(Offsets::between(
            0,
            None,
            None,
            other.offsets.stride(),
        ));
        let stride = both.stride();
        if stride == 0 {
            return Pattern::ALL;
        }
        let into = (other.offsets.base() - self.offsets.base()).rem_euclid(i64::from(stride));
        let Ok(size) = u32::try_from(i64::from(self.size).max(into + i64::from(other.size))) else {
            return Pattern::ALL;
        };
        let low = match (self.offsets.low(), other.offsets.low()) {
            (Some(left), Some(right)) => Some(left.min(right - into)),
            _ => None,
        };
        let high = match (self.offsets.high(), other.offsets.high()) {
            (Some(left), Some(right)) => Some(left.max(right - into)),
            _ => None,
        };
        let offsets = Offsets::between(self.offsets.base(), low, high, stride);
        Pattern::new(offsets, size)
    }

    /// Of two patterns that cover the same, the one with fewer bytes per step is better.
    fn density(self) -> u64 {
        match self.offsets.stride() {
            0 => u64::from(self.size),
            stride => u64::from(self.size) * (1 << 20) / u64::from(stride),
        }
    }
}

fn negated(end: Option<i64>) -> Option<i64> {
    end.map(|end| -end)
}

fn reaches_down(ours: Option<i64>, theirs: Option<i64>, into: i64) -> bool {
    match (ours, theirs) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(ours), Some(theirs)) => ours <= theirs - into,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touches(pattern: Pattern, byte: i64) -> bool {
        pattern.overlaps(Pattern::new(Offsets::exactly(byte), 1))
    }

    fn samples() -> Vec<Pattern> {
        let mut found = vec![Pattern::ALL];
        for base in [-3, 0, 9] {
            for size in [1, 8] {
                found.push(Pattern::new(Offsets::exactly(base), size));
                for stride in [1, 4, 12] {
                    found.push(Pattern::new(Offsets::multiples(stride).shifted(base), size));
                    found.push(Pattern::new(
                        Offsets::steps(stride, None).shifted(base),
                        size,
                    ));
                    found.push(Pattern::new(
                        Offsets::steps(stride, Some(3)).shifted(base),
                        size,
                    ));
                }
            }
        }
        found
    }

    const NEAR: std::ops::Range<i64> = -70..70;

    #[test]
    fn patterns_that_share_a_byte_overlap() {
        for left in samples() {
            for right in samples() {
                let share = NEAR
                    .clone()
                    .any(|byte| touches(left, byte) && touches(right, byte));
                assert!(!share || left.overlaps(right), "{left:?} {right:?}");
                // Few samples are far from each other, so the answer is exact but for
                // progressions with two ends.
                let ended = |pattern: Pattern| pattern.offsets.high().is_some();
                if !ended(left) && !ended(right) {
                    assert_eq!(share, left.overlaps(right), "{left:?} {right:?}");
                }
            }
        }
    }

    #[test]
    fn what_lies_in_a_range_is_kept() {
        for left in samples() {
            for range in samples() {
                let kept = left.within(range);
                for byte in NEAR {
                    let both = touches(left, byte) && touches(range, byte);
                    assert!(!both || touches(kept, byte), "{left:?} {range:?} {kept:?}");
                }
            }
        }
    }

    #[test]
    fn what_covers_touches_all_and_a_join_covers_both() {
        for left in samples() {
            for right in samples() {
                let joined = left.joined(right);
                for byte in NEAR {
                    if touches(right, byte) {
                        assert!(!left.covers(right) || touches(left, byte));
                        assert!(touches(joined, byte), "{left:?} {right:?} {joined:?}");
                    }
                    if touches(left, byte) {
                        assert!(touches(joined, byte), "{left:?} {right:?} {joined:?}");
                    }
                }
                assert!(
                    joined.covers(left) && joined.covers(right),
                    "{left:?} {right:?}"
                );
            }
        }
    }
}
