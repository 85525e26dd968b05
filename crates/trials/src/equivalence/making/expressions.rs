//! Random expressions and conditions over what can be read.

use super::Maker;
use crate::equivalence::language::*;

impl Maker<'_> {
    pub(super) fn index(&mut self, array: ArrayId) -> Option<Expression> {
        match self.function.arrays[array.0].extent {
            Extent::Fixed(length) => {
                let value = Expression::Cast(UNSIGNED, Box::new(self.expression(1)));
                let mask = Expression::Number(i64::from(length) - 1, UNSIGNED);
                Some(Expression::binary(Binary::And, value, mask))
            }
            Extent::Counted(count) => {
                let fits = |row: &&(VariableId, Expression)| row.1 == Expression::Variable(count);
                let counter = self.counters.iter().rev().find(fits)?.0;
                Some(Expression::Variable(counter))
            }
        }
    }

    fn leaf(&mut self) -> Expression {
        let arrays = self.function.arrays.len();
        if arrays > 0 && self.random.chance(30) {
            let array = ArrayId(self.random.below(arrays));
            let index = match self.function.arrays[array.0].extent {
                Extent::Counted(_) => self.index(array),
                Extent::Fixed(_) if self.readable.is_empty() => None,
                Extent::Fixed(length) => {
                    let value = Expression::Variable(*self.random.pick(&self.readable));
                    let value = Expression::Cast(UNSIGNED, Box::new(value));
                    let mask = Expression::Number(i64::from(length) - 1, UNSIGNED);
                    Some(Expression::binary(Binary::And, value, mask))
                }
            };
            if let Some(index) = index {
                return Expression::Element(array, Box::new(index));
            }
        }
        if !self.function.fields.is_empty() && self.random.chance(25) {
            return Expression::Field(self.random.below(self.function.fields.len()));
        }
        match self.readable.is_empty() || self.random.chance(25) {
            true => self.number(),
            false => Expression::Variable(*self.random.pick(&self.readable)),
        }
    }

    fn number(&mut self) -> Expression {
        let integer = *self
            .random
            .pick(&[INT, INT, UNSIGNED, Integer::ALL[6], Integer::ALL[7]]);
        let value = match self.random.below(10) {
            0..5 => self.random.below(10) as i64,
            5..7 => 1 << self.random.below(30),
            7..9 => self.random.below(1 << 16) as i64,
            _ => self.random.below(1 << 31) as i64,
        };
        Expression::Number(value, integer)
    }

    pub(super) fn expression(&mut self, depth: usize) -> Expression {
        if depth == 0 || self.random.chance(15) {
            return self.leaf();
        }
        let depth = depth - 1;
        match self.random.below(100) {
            0..58 => self.arithmetic(depth),
            58..66 => {
                let operator = *self.random.pick(&[Unary::Minus, Unary::Complement]);
                let mut inner = self.expression(depth);
                if operator == Unary::Minus {
                    let wide = self.function.type_of(&inner).promoted().unsigned();
                    inner = Expression::Cast(wide, Box::new(inner));
                }
                Expression::Unary(operator, Box::new(inner))
            }
            66..78 => {
                let test = self.condition(1);
                let (yes, no) = (self.expression(depth), self.expression(depth));
                Expression::Conditional(Box::new(test), Box::new(yes), Box::new(no))
            }
            78..88 => {
                let integer = self.integer();
                Expression::Cast(integer, Box::new(self.expression(depth)))
            }
            88..92 => self.condition(1),
            _ => self.leaf(),
        }
    }

    fn arithmetic(&mut self, depth: usize) -> Expression {
        let mut left = self.expression(depth);
        match self.random.below(20) {
            0..2 => {
                let wide = self.function.type_of(&left).promoted().unsigned();
                let amount = self.random.below(wide.bits as usize) as i64;
                left = Expression::Cast(wide, Box::new(left));
                Expression::binary(Binary::ShiftLeft, left, Expression::Number(amount, INT))
            }
            2..4 => {
                let bits = self.function.type_of(&left).promoted().bits;
                let amount = Expression::Number(self.random.below(bits as usize) as i64, INT);
                Expression::binary(Binary::ShiftRight, left, amount)
            }
            4..6 => {
                let operator = *self.random.pick(&[Binary::Divide, Binary::Remainder]);
                let divisor = match self.random.below(20) {
                    0 => self.leaf(),
                    1..5 => Expression::binary(
                        Binary::Or,
                        Expression::Cast(UNSIGNED, Box::new(self.leaf())),
                        Expression::Number(1, UNSIGNED),
                    ),
                    5..12 => Expression::Number(1 << self.random.below(7), UNSIGNED),
                    _ => Expression::Number(1 + self.random.below(40) as i64, INT),
                };
                Expression::binary(operator, left, divisor)
            }
            _ => {
                let operators = [
                    Binary::Add,
                    Binary::Add,
                    Binary::Subtract,
                    Binary::Multiply,
                    Binary::And,
                    Binary::Or,
                    Binary::Xor,
                ];
                let operator = *self.random.pick(&operators);
                let right = self.expression(depth);
                let both = self
                    .function
                    .type_of(&left)
                    .joined(self.function.type_of(&right));
                let may_overflow =
                    matches!(operator, Binary::Add | Binary::Subtract | Binary::Multiply);
                if may_overflow && both.signed && self.random.chance(70) {
                    left = Expression::Cast(both.unsigned(), Box::new(left));
                }
                Expression::binary(operator, left, right)
            }
        }
    }

    pub(super) fn condition(&mut self, depth: usize) -> Expression {
        if depth > 0 && self.random.chance(25) {
            let operator = *self.random.pick(&[Binary::LogicalAnd, Binary::LogicalOr]);
            let (left, right) = (self.condition(depth - 1), self.condition(depth - 1));
            return Expression::binary(operator, left, right);
        }
        if self.random.chance(10) {
            return Expression::Unary(Unary::Not, Box::new(self.leaf()));
        }
        let operators = [
            Binary::Less,
            Binary::LessEqual,
            Binary::Greater,
            Binary::GreaterEqual,
            Binary::Equal,
            Binary::NotEqual,
        ];
        let operator = *self.random.pick(&operators);
        let left = self.expression(depth.min(1));
        let right = match self.random.chance(60) {
            true => self.number(),
            false => self.leaf(),
        };
        Expression::binary(operator, left, right)
    }
}
