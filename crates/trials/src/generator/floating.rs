//! Which floating-point expressions can stand here? Only operations whose result IEEE 754 fixes to
//! the last bit: `+ - * /`, comparison, conversion in range. Not-a-number may arise; its sign is
//! not fixed, so it is never printed or taken apart without a test (see `prelude`).

use super::Generator;
use super::integers::{Kind, Range, Value};
use super::places::is_floating;
use super::scope::Data;
use super::syntax::{Binary, Expression, Type, Unary};

/// A floating-point expression; `single` for `float`.
#[derive(Clone, Debug)]
pub(super) struct Real {
    pub expression: Expression,
    pub single: bool,
}

impl Generator<'_> {
    pub(super) fn floating(&mut self, depth: usize) -> Real {
        self.spend(1);
        if depth == 0 {
            return self.floating_leaf();
        }
        match self.random.below(10) {
            0..=4 => {
                let operators = [
                    Binary::Add,
                    Binary::Subtract,
                    Binary::Multiply,
                    Binary::Divide,
                ];
                let operator = *self.random.pick(&operators);
                let left = self.floating(depth - 1);
                let right = self.floating(depth - 1);
                let single = left.single && right.single;
                let expression = Expression::binary(operator, left.expression, right.expression);
                Real { expression, single }
            }
            5 => {
                let value = self.integer(depth - 1).expression;
                self.converted(value)
            }
            6 => {
                let value = self.floating(depth - 1).expression;
                self.converted(value)
            }
            7 => {
                let operand = self.floating(depth - 1);
                let expression = Expression::unary(Unary::Minus, operand.expression);
                Real {
                    expression,
                    single: operand.single,
                }
            }
            8 => {
                let test = self.condition(depth - 1).expression;
                let yes = self.floating(depth - 1);
                let no = self.floating(depth - 1);
                let single = yes.single && no.single;
                let expression = Expression::conditional(test, yes.expression, no.expression);
                Real { expression, single }
            }
            _ => self.floating_leaf(),
        }
    }

    fn converted(&mut self, value: Expression) -> Real {
        let single = self.random.chance(40);
        let name = if single { "float" } else { "double" };
        Real {
            expression: Expression::cast(Type::Name(name.to_string()), value),
            single,
        }
    }

    fn floating_leaf(&mut self) -> Real {
        if self.random.chance(65)
            && let Some(place) = self.place(|place| is_floating(&place.data))
        {
            return Real {
                single: place.data == Data::Float,
                expression: place.expression,
            };
        }
        self.floating_literal()
    }

    pub(super) fn floating_literal(&mut self) -> Real {
        let spelling = match self.random.below(6) {
            0 => "0.0".to_string(),
            1 => format!("{}.0", self.random.between(-20, 20)),
            2 => format!(
                "{}.{}",
                self.random.between(-99, 99),
                self.random.below(1000)
            ),
            3 => format!(
                "{}e{}",
                self.random.between(1, 9),
                self.random.between(-30, 30)
            ),
            4 => format!(
                "0x1.{:x}p{}",
                self.random.below(1 << 20),
                self.random.between(-20, 20)
            ),
            _ => format!("{}.5", self.random.between(-1000, 1000)),
        };
        let single = self.random.chance(30);
        let spelling = if single {
            format!("{spelling}f")
        } else {
            spelling
        };
        Real {
            expression: Expression::Literal(spelling),
            single,
        }
    }

    /// A conversion to an integer type, done only where the value is in range.
    pub(super) fn floating_as_integer(&mut self, depth: usize) -> Value {
        let real = self.floating(depth.saturating_sub(1).min(1)).expression;
        let (kind, low, high) = *self.random.pick(&[
            (Kind::Int, "-2000000000.0", "2000000000.0"),
            (Kind::Short, "-30000.0", "30000.0"),
            (Kind::UnsignedInt, "0.0", "4000000000.0"),
            (Kind::LongLong, "-9e18", "9e18"),
            (Kind::UnsignedLongLong, "0.0", "1.8e19"),
            (Kind::UnsignedChar, "0.0", "255.0"),
        ]);
        let otherwise = self.random.between(0, 9);
        let test = Expression::binary(
            Binary::LogicalAnd,
            Expression::binary(Binary::Greater, real.clone(), Expression::literal(low)),
            Expression::binary(Binary::Less, real.clone(), Expression::literal(high)),
        );
        let converted = Expression::cast(kind.c_type(), real);
        let fallback = Expression::literal(otherwise);
        let common = Kind::common(kind, Kind::Int);
        let range = kind.range().join(Range::new(0, 9));
        Value::new(
            Expression::conditional(test, converted, fallback),
            common,
            range,
        )
    }
}
