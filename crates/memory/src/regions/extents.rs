//! Which bytes of an object belong to the array that a pointer points into?

use super::offsets::Offsets;
use super::patterns::Pattern;

/// A range of bytes, or all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Extent {
    low: i32,
    /// One past the last.
    high: i32,
}

const FARTHEST: i64 = 1 << 30;

impl Extent {
    pub(crate) const ALL: Extent = Extent {
        low: i32::MIN,
        high: i32::MAX,
    };

    /// So many bytes from the start, or all that follow.
    pub(crate) fn from(start: i64, size: Option<u64>) -> Extent {
        let end = size.and_then(|size| start.checked_add(i64::try_from(size).ok()?));
        Extent::new(Some(start), end)
    }

    fn new(low: Option<i64>, high: Option<i64>) -> Extent {
        let low = low.filter(|low| low.abs() < FARTHEST);
        let high = high.filter(|high| high.abs() < FARTHEST);
        Extent {
            low: low.map_or(i32::MIN, |low| low as i32),
            high: high.map_or(i32::MAX, |high| high as i32),
        }
    }

    fn low(self) -> Option<i64> {
        (self.low != i32::MIN).then_some(i64::from(self.low))
    }

    fn high(self) -> Option<i64> {
        (self.high != i32::MAX).then_some(i64::from(self.high))
    }

    /// The same bytes in an object in which its own begins at one of the offsets.
    pub(crate) fn shifted(self, by: Offsets) -> Extent {
        let sum = |end: Option<i64>, by: Option<i64>| Some(end? + by?);
        Extent::new(sum(self.low(), by.low()), sum(self.high(), by.high()))
    }

    /// The bytes of both.
    pub(crate) fn joined(self, other: Extent) -> Extent {
        Extent {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// The bytes that are in both; the other's where there is none.
    pub(crate) fn intersected(self, other: Extent) -> Extent {
        let both = Extent {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        };
        if both.low < both.high { both } else { other }
    }

    /// `None` for all.
    pub(crate) fn pattern(self) -> Option<Pattern> {
        if self == Extent::ALL {
            return None;
        }
        let last = self.high().map(|high| high - 1);
        let base = self.low().or(last).unwrap_or(0);
        Some(Pattern::new(Offsets::between(base, self.low(), last, 1), 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extent_moves_with_its_object() {
        let array = Extent::from(4, Some(16));
        assert_eq!(
            array.shifted(Offsets::exactly(8)),
            Extent::from(12, Some(16))
        );
        assert_eq!(array.shifted(Offsets::ANY), Extent::ALL);
        assert_eq!(
            Extent::from(4, None).shifted(Offsets::exactly(1)),
            Extent::from(5, None)
        );
    }

    #[test]
    fn joining_loses_no_byte() {
        let (left, right) = (Extent::from(4, Some(4)), Extent::from(20, Some(2)));
        assert_eq!(left.joined(right), Extent::from(4, Some(18)));
        assert_eq!(left.joined(Extent::ALL), Extent::ALL);
    }
}
