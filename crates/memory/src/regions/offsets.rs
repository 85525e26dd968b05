//! Which byte offsets may a pointer have inside its object?
//!
//! A set of offsets is kept as an arithmetic progression with optional ends: `{low, low + stride,
//! …, high}`. One offset has stride 0. Every operation gives a superset of the exact answer, so a
//! pointer never leaves its set. Chains of joins are finite once [`Offsets::widened`] is used: the
//! stride only ever becomes one of its divisors, and an end that moves goes to infinity.

/// No lower end.
const DOWN: i32 = i32::MIN;
/// No upper end.
const UP: i32 = i32::MAX;
/// Offsets beyond this are unknown.
const FARTHEST: i64 = 1 << 30;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct Offsets {
    /// Some member: the lowest if there is one, else the highest, else the least that is not
    /// negative. So equal sets have equal rows.
    base: i32,
    low: i32,
    high: i32,
    stride: u32,
}

fn greatest_common_divisor(mut left: u32, mut right: u32) -> u32 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

/// Adds ends; an infinite one stays infinite.
fn end_sum(left: i32, right: i32, infinite: i32) -> i64 {
    if left == infinite || right == infinite {
        i64::from(infinite)
    } else {
        i64::from(left) + i64::from(right)
    }
}

impl Offsets {
    pub(crate) const ZERO: Offsets = Offsets {
        base: 0,
        low: 0,
        high: 0,
        stride: 0,
    };

    /// Every offset.
    pub(crate) const ANY: Offsets = Offsets {
        base: 0,
        low: DOWN,
        high: UP,
        stride: 1,
    };

    pub(crate) fn exactly(offset: i64) -> Offsets {
        if offset.abs() > FARTHEST {
            return Offsets::ANY;
        }
        let offset = offset as i32;
        Offsets {
            base: offset,
            low: offset,
            high: offset,
            stride: 0,
        }
    }

    /// `{0, stride, 2·stride, …}`, `count` of them, or without end.
    pub(crate) fn steps(stride: u64, count: Option<u64>) -> Offsets {
        let Ok(stride) = u32::try_from(stride) else {
            return Offsets::ANY;
        };
        let high = match count {
            None => i64::from(UP),
            Some(count) => i64::from(stride).saturating_mul(count.saturating_sub(1) as i64),
        };
        Offsets::normal(0, 0, high, stride)
    }

    /// `{…, -stride, 0, stride, …}`.
    pub(crate) fn multiples(stride: u64) -> Offsets {
        match u32::try_from(stride) {
            Ok(stride) => Offsets::normal(0, i64::from(DOWN), i64::from(UP), stride),
            Err(_) => Offsets::ANY,
        }
    }

    fn normal(base: i64, low: i64, high: i64, stride: u32) -> Offsets {
        let clip = |end: i64| -> i32 {
            if end < -FARTHEST {
                DOWN
            } else if end > FARTHEST {
                UP
            } else {
                end as i32
            }
        };
        let (low, high) = (clip(low), clip(high));
        if low == UP || high == DOWN {
            return Offsets::ANY;
        }
        if low == high || stride == 0 {
            return Offsets::exactly(if low == DOWN { base } else { i64::from(low) });
        }
        let step = i64::from(stride);
        if low != DOWN {
            let high = match high {
                UP => UP,
                _ => (i64::from(low) + (i64::from(high) - i64::from(low)) / step * step) as i32,
            };
            let stride = if high == low { 0 } else { stride };
            let base = low;
            return Offsets {
                base,
                low,
                high,
                stride,
            };
        }
        let base = match high {
            UP => base.rem_euclid(step) as i32,
            _ => high,
        };
        Offsets {
            base,
            low,
            high,
            stride,
        }
    }

    pub(crate) fn exact(self) -> Option<i64> {
        (self.stride == 0).then_some(i64::from(self.base))
    }

    pub(crate) fn is_exact(self) -> bool {
        self.stride == 0
    }

    pub(crate) fn stride(self) -> u32 {
        self.stride
    }

    pub(crate) fn base(self) -> i64 {
        i64::from(self.base)
    }

    pub(crate) fn low(self) -> Option<i64> {
        (self.low != DOWN).then_some(i64::from(self.low))
    }

    pub(crate) fn high(self) -> Option<i64> {
        (self.high != UP).then_some(i64::from(self.high))
    }

    /// The same steps between other ends.
    pub(crate) fn between(base: i64, low: Option<i64>, high: Option<i64>, stride: u32) -> Offsets {
        let low = low.unwrap_or(i64::from(DOWN));
        let high = high.unwrap_or(i64::from(UP));
        Offsets::normal(base, low, high, stride)
    }

    /// The members that are not below `low` and not above `high`; some set where there is none.
    pub(crate) fn clipped(self, low: Option<i64>, high: Option<i64>) -> Offsets {
        let step = i64::from(self.stride.max(1));
        let up = |end: i64| end + (self.base() - end).rem_euclid(step);
        let down = |end: i64| end - (end - self.base()).rem_euclid(step);
        let own_low = self.low();
        let low = match (own_low, low.map(up)) {
            (Some(own), Some(low)) => Some(own.max(low)),
            (own, low) => own.or(low),
        };
        let high = match (self.high(), high.map(down)) {
            (Some(own), Some(high)) => Some(own.min(high)),
            (own, high) => own.or(high),
        };
        match (low, high) {
            (Some(low), Some(high)) if high < low => self,
            _ => Offsets::between(self.base(), low, high, self.stride),
        }
    }

    /// Every sum of a member of each.
    pub(crate) fn plus(self, other: Offsets) -> Offsets {
        if other == Offsets::ZERO {
            return self;
        }
        Offsets::normal(
            self.base() + other.base(),
            end_sum(self.low, other.low, DOWN),
            end_sum(self.high, other.high, UP),
            greatest_common_divisor(self.stride, other.stride),
        )
    }

    pub(crate) fn shifted(self, by: i64) -> Offsets {
        self.plus(Offsets::exactly(by))
    }

    fn negated(self) -> Offsets {
        let low = if self.high == UP { DOWN } else { -self.high };
        let high = if self.low == DOWN { UP } else { -self.low };
        Offsets::normal(-self.base(), i64::from(low), i64::from(high), self.stride)
    }

    /// Every difference of a member of each.
    pub(crate) fn minus(self, other: Offsets) -> Offsets {
        self.plus(other.negated())
    }

    /// The members of both.
    pub(crate) fn joined(self, other: Offsets) -> Offsets {
        if self == other {
            return self;
        }
        let apart = self.base().abs_diff(other.base());
        let Ok(apart) = u32::try_from(apart) else {
            return Offsets::ANY;
        };
        let stride = greatest_common_divisor(self.stride, other.stride);
        Offsets::normal(
            self.base(),
            i64::from(self.low.min(other.low)),
            i64::from(self.high.max(other.high)),
            greatest_common_divisor(stride, apart),
        )
    }

    /// The members of both, and more, so that repeating it comes to an end.
    pub(crate) fn widened(self, other: Offsets) -> Offsets {
        let joined = self.joined(other);
        let low = if joined.low < self.low {
            DOWN
        } else {
            joined.low
        };
        let high = if joined.high > self.high {
            UP
        } else {
            joined.high
        };
        Offsets::normal(
            joined.base(),
            i64::from(low),
            i64::from(high),
            joined.stride,
        )
    }

    /// Whether a difference between `low` and `high`, both included, exists from a member of
    /// `other` to a member of `self`.
    pub(crate) fn has_difference(self, other: Offsets, low: i64, high: i64) -> bool {
        let differences = self.minus(other);
        let low = differences.low().map_or(low, |end| end.max(low));
        let high = differences.high().map_or(high, |end| end.min(high));
        if differences.stride == 0 {
            return low <= differences.base() && differences.base() <= high;
        }
        // The least difference that is not below `low`.
        let step = i64::from(differences.stride);
        low + (differences.base() - low).rem_euclid(step) <= high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(set: Offsets) -> Vec<i64> {
        (-60..=60)
            .filter(|offset| set.has_difference(Offsets::exactly(*offset), 0, 0))
            .collect()
    }

    fn samples() -> Vec<Offsets> {
        let mut found = vec![Offsets::ANY, Offsets::ZERO];
        for base in [-5, 0, 8] {
            found.push(Offsets::exactly(base));
            for stride in [1, 3, 12] {
                found.push(Offsets::multiples(stride).shifted(base));
                found.push(Offsets::steps(stride, None).shifted(base));
                found.push(Offsets::steps(stride, None).negated().shifted(base));
                for count in [2, 5] {
                    found.push(Offsets::steps(stride, Some(count)).shifted(base));
                }
            }
        }
        found
    }

    #[test]
    fn sums_differences_and_joins_lose_no_member() {
        for left in samples() {
            for right in samples() {
                let joined = left.joined(right);
                let widened = left.widened(right);
                let near = |set: Offsets| -> Vec<i64> {
                    members(set).into_iter().filter(|x| x.abs() < 15).collect()
                };
                for a in near(left) {
                    assert!(members(joined).contains(&a) && members(widened).contains(&a));
                    for b in near(right) {
                        let sum = members(left.plus(right));
                        let difference = members(left.minus(right));
                        assert!(sum.contains(&(a + b)), "{left:?} + {right:?}");
                        assert!(difference.contains(&(a - b)), "{left:?} - {right:?}");
                        assert!(members(joined).contains(&b), "{left:?} | {right:?}");
                        assert!(members(widened).contains(&b));
                    }
                }
            }
        }
    }

    #[test]
    fn equal_sets_are_equal_rows() {
        for left in samples() {
            for right in samples() {
                let unbounded = |set: Offsets| (set.low().is_none(), set.high().is_none());
                if members(left) == members(right) && unbounded(left) == unbounded(right) {
                    assert_eq!(left, right);
                }
            }
        }
    }

    #[test]
    fn widening_comes_to_an_end() {
        for step in [1, 4, 24] {
            let mut set = Offsets::ZERO;
            let mut changes = 0;
            loop {
                let next = set.widened(set.shifted(step));
                if next == set {
                    break;
                }
                set = next;
                changes += 1;
            }
            assert!(changes <= 2);
            assert_eq!(set, Offsets::steps(step as u64, None));
        }
    }

    #[test]
    fn far_offsets_are_unknown_ones() {
        assert_eq!(Offsets::exactly(1 << 40), Offsets::ANY);
        let far = Offsets::exactly(FARTHEST).shifted(FARTHEST);
        assert_eq!(far, Offsets::ANY);
    }
}
