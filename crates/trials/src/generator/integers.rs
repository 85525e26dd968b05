//! Which values can a C integer expression have? Kinds are the integer types of C on LP64; ranges
//! are intervals that hold every value the expression can take in any run. All guards against
//! undefined behaviour rest on them: an operation is written plainly only when its exact interval
//! fits its type.

use super::syntax::{Binary, Expression, Type};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
}

impl Kind {
    pub const ALL: [Kind; 12] = [
        Kind::Bool,
        Kind::Char,
        Kind::SignedChar,
        Kind::UnsignedChar,
        Kind::Short,
        Kind::UnsignedShort,
        Kind::Int,
        Kind::UnsignedInt,
        Kind::Long,
        Kind::UnsignedLong,
        Kind::LongLong,
        Kind::UnsignedLongLong,
    ];

    pub fn spelling(self) -> &'static str {
        match self {
            Kind::Bool => "_Bool",
            Kind::Char => "char",
            Kind::SignedChar => "signed char",
            Kind::UnsignedChar => "unsigned char",
            Kind::Short => "short",
            Kind::UnsignedShort => "unsigned short",
            Kind::Int => "int",
            Kind::UnsignedInt => "unsigned int",
            Kind::Long => "long",
            Kind::UnsignedLong => "unsigned long",
            Kind::LongLong => "long long",
            Kind::UnsignedLongLong => "unsigned long long",
        }
    }

    pub fn c_type(self) -> Type {
        Type::Name(self.spelling().to_string())
    }

    /// Width in bits; 1 for `_Bool`, whose values these are.
    pub fn bits(self) -> u32 {
        match self {
            Kind::Bool => 1,
            Kind::Char | Kind::SignedChar | Kind::UnsignedChar => 8,
            Kind::Short | Kind::UnsignedShort => 16,
            Kind::Int | Kind::UnsignedInt => 32,
            _ => 64,
        }
    }

    pub fn signed(self) -> bool {
        matches!(
            self,
            Kind::Char | Kind::SignedChar | Kind::Short | Kind::Int | Kind::Long | Kind::LongLong
        )
    }

    pub fn range(self) -> Range {
        if self.signed() {
            let half = 1i128 << (self.bits() - 1);
            Range::new(-half, half - 1)
        } else {
            Range::new(0, (1i128 << self.bits()) - 1)
        }
    }

    /// Conversion rank (C11 6.3.1.1).
    fn rank(self) -> u8 {
        match self {
            Kind::Bool => 0,
            Kind::Char | Kind::SignedChar | Kind::UnsignedChar => 1,
            Kind::Short | Kind::UnsignedShort => 2,
            Kind::Int | Kind::UnsignedInt => 3,
            Kind::Long | Kind::UnsignedLong => 4,
            Kind::LongLong | Kind::UnsignedLongLong => 5,
        }
    }

    /// The integer promotion.
    pub fn promoted(self) -> Kind {
        if self.rank() < 3 { Kind::Int } else { self }
    }

    pub fn unsigned(self) -> Kind {
        match self {
            Kind::Char | Kind::SignedChar => Kind::UnsignedChar,
            Kind::Short => Kind::UnsignedShort,
            Kind::Int => Kind::UnsignedInt,
            Kind::Long => Kind::UnsignedLong,
            Kind::LongLong => Kind::UnsignedLongLong,
            other => other,
        }
    }

    /// The usual arithmetic conversions (C11 6.3.1.8).
    pub fn common(left: Kind, right: Kind) -> Kind {
        let (left, right) = (left.promoted(), right.promoted());
        if left.signed() == right.signed() {
            return if left.rank() >= right.rank() {
                left
            } else {
                right
            };
        }
        let (signed, unsigned) = if left.signed() {
            (left, right)
        } else {
            (right, left)
        };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.bits() > unsigned.bits() {
            signed
        } else {
            signed.unsigned()
        }
    }
}

/// A closed interval, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub low: i128,
    pub high: i128,
}

impl Range {
    pub fn new(low: i128, high: i128) -> Range {
        Range { low, high }
    }

    pub fn only(value: i128) -> Range {
        Range::new(value, value)
    }

    pub fn holds(self, value: i128) -> bool {
        self.low <= value && value <= self.high
    }

    pub fn inside(self, outer: Range) -> bool {
        outer.low <= self.low && self.high <= outer.high
    }

    pub fn join(self, other: Range) -> Range {
        Range::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// After conversion to `kind`: unchanged when it fits, else anything (conversions wrap).
    pub fn converted(self, kind: Kind) -> Range {
        if self.inside(kind.range()) {
            self
        } else {
            kind.range()
        }
    }

    fn corners(self, other: Range, operation: impl Fn(i128, i128) -> i128) -> Range {
        let values = [
            operation(self.low, other.low),
            operation(self.low, other.high),
            operation(self.high, other.low),
            operation(self.high, other.high),
        ];
        let low = values.iter().copied().fold(values[0], i128::min);
        let high = values.iter().copied().fold(values[0], i128::max);
        Range::new(low, high)
    }

    /// The exact interval of `+`, `-`, `*`, and of `/`, `%` when `other` excludes 0.
    pub fn exact(self, operator: Binary, other: Range) -> Range {
        match operator {
            Binary::Add => Range::new(self.low + other.low, self.high + other.high),
            Binary::Subtract => Range::new(self.low - other.high, self.high - other.low),
            Binary::Divide => self.corners(other, |left, right| left / right).join(
                // Quotients towards zero lie between the corners and zero.
                if self.holds(0) {
                    Range::only(0)
                } else {
                    Range::only(self.low / other.low)
                },
            ),
            Binary::Remainder => {
                let largest = other.low.abs().max(other.high.abs()) - 1;
                let low = if self.low < 0 {
                    (-largest).max(self.low)
                } else {
                    0
                };
                let high = if self.high > 0 {
                    largest.min(self.high)
                } else {
                    0
                };
                Range::new(low, high)
            }
            // 64-bit operands: the product of two 65-bit magnitudes fits 128 bits but at one
            // corner, 2^64 squared, which saturating keeps outside every type.
            _ => self.corners(other, |left, right| left.saturating_mul(right)),
        }
    }

    /// The interval of `&`, `|`, `^` computed in `kind`.
    pub fn bitwise(self, operator: Binary, other: Range, kind: Kind) -> Range {
        if operator == Binary::And && (self.low >= 0 || other.low >= 0) {
            let bound = match (self.low >= 0, other.low >= 0) {
                (true, true) => self.high.min(other.high),
                (true, false) => self.high,
                _ => other.high,
            };
            return Range::new(0, bound);
        }
        if self.low >= 0 && other.low >= 0 {
            let largest = self.high.max(other.high) as u128;
            let bound = (largest + 1).next_power_of_two() - 1;
            return Range::new(0, bound as i128);
        }
        kind.range()
    }
}

/// An integer expression with its C type and all values it can have.
#[derive(Clone, Debug)]
pub struct Value {
    pub expression: Expression,
    pub kind: Kind,
    pub range: Range,
}

impl Value {
    pub fn new(expression: Expression, kind: Kind, range: Range) -> Value {
        Value {
            expression,
            kind,
            range,
        }
    }

    /// A constant of at least `int`; `value` must fit `kind`.
    pub fn literal(value: i128, kind: Kind) -> Value {
        let kind = kind.promoted();
        let suffix = match kind {
            Kind::UnsignedInt => "u",
            Kind::Long => "L",
            Kind::UnsignedLong => "uL",
            Kind::LongLong => "LL",
            Kind::UnsignedLongLong => "uLL",
            _ => "",
        };
        let expression = if kind.signed() && kind.bits() >= 32 && value == kind.range().low {
            // The most negative constant has no spelling of its own.
            let almost = Expression::Literal(format!("{}{suffix}", value + 1));
            Expression::binary(Binary::Subtract, almost, Expression::literal(1))
        } else {
            Expression::Literal(format!("{value}{suffix}"))
        };
        Value::new(expression, kind, Range::only(value))
    }

    pub fn cast(self, kind: Kind) -> Value {
        let range = self.range.converted(kind);
        Value::new(
            Expression::cast(kind.c_type(), self.expression),
            kind,
            range,
        )
    }

    /// `self & mask`, with `mask` = 2^n - 1: in `0..=mask` whatever `self` is.
    pub fn masked(self, mask: i128) -> Value {
        let kind = Kind::common(self.kind, Kind::Int);
        let literal = Expression::literal(mask);
        let expression = Expression::binary(Binary::And, self.expression, literal);
        Value::new(expression, kind, Range::new(0, mask))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_conversions_follow_the_standard() {
        assert_eq!(Kind::common(Kind::Char, Kind::UnsignedShort), Kind::Int);
        assert_eq!(
            Kind::common(Kind::Int, Kind::UnsignedInt),
            Kind::UnsignedInt
        );
        assert_eq!(Kind::common(Kind::Long, Kind::UnsignedInt), Kind::Long);
        assert_eq!(
            Kind::common(Kind::LongLong, Kind::UnsignedLong),
            Kind::UnsignedLongLong
        );
    }

    #[test]
    fn exact_ranges_hold_every_result() {
        let ranges = [(-7, -2), (-3, 5), (0, 0), (1, 9), (4, 6)];
        for (low, high) in ranges {
            for (other_low, other_high) in ranges {
                let (left, right) = (Range::new(low, high), Range::new(other_low, other_high));
                for a in low..=high {
                    for b in other_low..=other_high {
                        assert!(left.exact(Binary::Add, right).holds(a + b));
                        assert!(left.exact(Binary::Subtract, right).holds(a - b));
                        assert!(left.exact(Binary::Multiply, right).holds(a * b));
                        for (operator, result) in [
                            (Binary::And, a & b),
                            (Binary::Or, a | b),
                            (Binary::Xor, a ^ b),
                        ] {
                            assert!(left.bitwise(operator, right, Kind::Int).holds(result));
                        }
                        if !right.holds(0) {
                            assert!(left.exact(Binary::Divide, right).holds(a / b));
                            assert!(left.exact(Binary::Remainder, right).holds(a % b));
                        }
                    }
                }
            }
        }
    }
}
