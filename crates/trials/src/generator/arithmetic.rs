//! How is an integer operation written so that it is defined for all operands? Plainly where the
//! ranges prove it; else by one of the guards a careful programmer would use: unsigned or wider
//! arithmetic, masks, a conditional.

use super::Generator;
use super::integers::{Kind, Range, Value};
use super::syntax::{Binary, Expression, Unary};

impl Generator<'_> {
    /// `left operator right`, guarded. Both must be free of side effects.
    pub(super) fn operation(&mut self, operator: Binary, left: Value, right: Value) -> Value {
        use Binary::*;
        match operator {
            Add | Subtract | Multiply => self.ring_operation(operator, left, right),
            Divide | Remainder => self.division(operator, left, right),
            ShiftLeft | ShiftRight => self.shift(operator, left, right),
            And | Or | Xor => {
                let kind = Kind::common(left.kind, right.kind);
                let (one, other) = (left.range.converted(kind), right.range.converted(kind));
                let range = one.bitwise(operator, other, kind);
                plain(operator, left, right, kind, range)
            }
            _ => plain(operator, left, right, Kind::Int, Range::new(0, 1)),
        }
    }

    fn ring_operation(&mut self, operator: Binary, left: Value, right: Value) -> Value {
        let kind = Kind::common(left.kind, right.kind);
        let exact = left
            .range
            .converted(kind)
            .exact(operator, right.range.converted(kind));
        if exact.inside(kind.range()) {
            return plain(operator, left, right, kind, exact);
        }
        if !kind.signed() {
            return plain(operator, left, right, kind, kind.range());
        }
        match self.random.below(4) {
            0 if kind == Kind::Int => {
                let wide = if self.random.chance(50) {
                    Kind::Long
                } else {
                    Kind::LongLong
                };
                let range = left.range.exact(operator, right.range);
                plain(operator, left.cast(wide), right, wide, range)
            }
            0 | 1 => {
                let wrapped = kind.unsigned();
                let (left, right) = (left.cast(wrapped), right.cast(wrapped));
                let result = plain(operator, left, right, wrapped, wrapped.range());
                if self.random.chance(60) {
                    result.cast(kind)
                } else {
                    result
                }
            }
            2 => {
                let mask = *self.random.pick(&[7, 63, 255, 1023, 32767]);
                let (left, right) = (left.masked(mask), right.masked(mask));
                self.ring_operation(operator, left, right)
            }
            _ => {
                let narrow =
                    *self
                        .random
                        .pick(&[Kind::Short, Kind::SignedChar, Kind::UnsignedChar]);
                self.ring_operation(operator, left.cast(narrow), right.cast(narrow))
            }
        }
    }

    fn division(&mut self, operator: Binary, left: Value, right: Value) -> Value {
        let kind = Kind::common(left.kind, right.kind);
        let (one, other) = (left.range.converted(kind), right.range.converted(kind));
        let overflows = kind.signed() && one.holds(kind.range().low) && other.holds(-1);
        if !other.holds(0) && !overflows {
            let range = one.exact(operator, other);
            return plain(operator, left, right, kind, range);
        }
        let simple = matches!(
            right.expression,
            Expression::Name(_) | Expression::Field(..)
        );
        if simple && self.random.chance(60) {
            let test = Expression::binary(
                Binary::Greater,
                right.expression.clone(),
                Expression::literal(0),
            );
            let otherwise = left.expression.clone();
            let quotient = Expression::binary(operator, left.expression, right.expression);
            // Quotients by and remainders of positive numbers lie between the dividend and zero.
            let range = one.join(Range::only(0));
            return Value::new(
                Expression::conditional(test, quotient, otherwise),
                kind,
                range,
            );
        }
        let mask = *self.random.pick(&[7, 31, 255]);
        let positive = self.operation(
            Binary::Add,
            right.masked(mask),
            Value::literal(1, Kind::Int),
        );
        self.division(operator, left, positive)
    }

    fn shift(&mut self, operator: Binary, left: Value, right: Value) -> Value {
        let mut kind = left.kind.promoted();
        let mut left = left;
        let most = i128::from(kind.bits()) - 1;
        let right = if right.range.inside(Range::new(0, most)) {
            right
        } else {
            right.masked(most)
        };
        if operator == Binary::ShiftRight {
            let low = if left.range.low < 0 {
                left.range.low
            } else {
                0
            };
            let range = Range::new(low, left.range.high.max(0));
            return plain(operator, left, right, kind, range);
        }
        let fits =
            left.range.low >= 0 && (left.range.high << right.range.high) <= kind.range().high;
        if fits {
            let range = Range::new(0, left.range.high << right.range.high);
            return plain(operator, left, right, kind, range);
        }
        if kind.signed() {
            kind = kind.unsigned();
            left = left.cast(kind);
        }
        plain(operator, left, right, kind, kind.range())
    }

    /// `-value`, `~value`, `!value`, `+value`, guarded.
    pub(super) fn unary_operation(&mut self, operator: Unary, value: Value) -> Value {
        let mut value = value;
        let mut kind = value.kind.promoted();
        let range = match operator {
            Unary::Not => {
                kind = Kind::Int;
                Range::new(0, 1)
            }
            Unary::Plus => value.range,
            Unary::Complement if kind.signed() => Range::new(!value.range.high, !value.range.low),
            Unary::Minus => {
                if kind.signed() && value.range.holds(kind.range().low) {
                    kind = kind.unsigned();
                    value = value.cast(kind);
                }
                let exact = Range::new(-value.range.high, -value.range.low);
                exact.converted(kind)
            }
            _ => kind.range(),
        };
        Value::new(Expression::unary(operator, value.expression), kind, range)
    }

    /// An expression of integer type whose value, converted to `kind`, is in `range`.
    pub(super) fn fitted(&mut self, value: Value, kind: Kind, range: Range) -> Expression {
        if value.range.converted(kind).inside(range) {
            return value.expression;
        }
        let span = range.high - range.low + 1;
        if range.low == 0 && (span & (span - 1)) == 0 {
            return value.masked(range.high).expression;
        }
        let reduced = Expression::binary(
            Binary::Remainder,
            value.cast(Kind::UnsignedInt).expression,
            Expression::Literal(format!("{span}u")),
        );
        let reduced = Expression::cast(Kind::Int.c_type(), reduced);
        if range.low == 0 {
            return reduced;
        }
        Expression::binary(Binary::Add, reduced, Expression::literal(range.low))
    }
}

fn plain(operator: Binary, left: Value, right: Value, kind: Kind, range: Range) -> Value {
    Value::new(
        Expression::binary(operator, left.expression, right.expression),
        kind,
        range,
    )
}
