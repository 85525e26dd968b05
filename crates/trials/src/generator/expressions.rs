//! Which integer expressions can stand here? Random trees without side effects: places, constants,
//! guarded operations, conversions, calls of pure functions.

use super::Generator;
use super::integers::{Kind, Range, Value};
use super::places::is_integer;
use super::scope::Data;
use super::syntax::{Binary, Expression, Unary};

const ARITHMETIC: [Binary; 13] = [
    Binary::Add,
    Binary::Add,
    Binary::Subtract,
    Binary::Subtract,
    Binary::Multiply,
    Binary::Multiply,
    Binary::Divide,
    Binary::Remainder,
    Binary::ShiftLeft,
    Binary::ShiftRight,
    Binary::And,
    Binary::Or,
    Binary::Xor,
];

const COMPARISONS: [Binary; 6] = [
    Binary::Less,
    Binary::Greater,
    Binary::LessEqual,
    Binary::GreaterEqual,
    Binary::Equal,
    Binary::NotEqual,
];

impl Generator<'_> {
    /// An integer expression without side effects, at most `depth` operations deep.
    pub(super) fn integer(&mut self, depth: usize) -> Value {
        self.spend(1);
        if depth == 0 {
            return self.leaf();
        }
        match self.random.below(100) {
            0..=39 => {
                let operator = *self.random.pick(&ARITHMETIC);
                let left = self.integer(depth - 1);
                let right = self.integer(depth - 1);
                self.operation(operator, left, right)
            }
            40..=47 => self.comparison(depth - 1),
            48..=53 => self.condition(depth),
            54..=60 => {
                let unary = [Unary::Minus, Unary::Complement, Unary::Not, Unary::Plus];
                let operator = *self.random.pick(&unary);
                let operand = self.integer(depth - 1);
                self.unary_operation(operator, operand)
            }
            61..=67 => {
                let kind = *self.random.pick(&Kind::ALL);
                self.integer(depth - 1).cast(kind)
            }
            68..=74 => {
                let test = self.condition(depth - 1);
                let yes = self.integer(depth - 1);
                let no = self.integer(depth - 1);
                let kind = Kind::common(yes.kind, no.kind);
                let range = yes.range.converted(kind).join(no.range.converted(kind));
                let expression =
                    Expression::conditional(test.expression, yes.expression, no.expression);
                Value::new(expression, kind, range)
            }
            75..=82 => self.pure_call(depth).unwrap_or_else(|| self.leaf()),
            83..=85 => self.floating_as_integer(depth),
            86 => {
                let first = self.integer(depth - 1).expression;
                let last = self.integer(depth - 1);
                let expression = Expression::Comma(Box::new(first), Box::new(last.expression));
                Value::new(expression, last.kind.promoted(), last.range)
            }
            87 => self.size(),
            88..=89 => self.text_measure(),
            _ => self.leaf(),
        }
    }

    /// An expression of truth value 0 or 1.
    pub(super) fn condition(&mut self, depth: usize) -> Value {
        let truth = Range::new(0, 1);
        if depth == 0 {
            return self.comparison(0);
        }
        match self.random.below(10) {
            0..=2 => {
                let operator = if self.random.chance(50) {
                    Binary::LogicalAnd
                } else {
                    Binary::LogicalOr
                };
                let left = self.condition(depth - 1).expression;
                let right = self.condition(depth - 1).expression;
                Value::new(Expression::binary(operator, left, right), Kind::Int, truth)
            }
            3 => {
                let operand = self.condition(depth - 1);
                self.unary_operation(Unary::Not, operand)
            }
            4 => {
                let operator = *self.random.pick(&COMPARISONS);
                let left = self.floating(1).expression;
                let right = self.floating(1).expression;
                Value::new(Expression::binary(operator, left, right), Kind::Int, truth)
            }
            _ => self.comparison(depth - 1),
        }
    }

    fn comparison(&mut self, depth: usize) -> Value {
        let operator = *self.random.pick(&COMPARISONS);
        let left = self.integer(depth);
        let right = if self.random.chance(50) {
            self.literal(Kind::Int)
        } else {
            self.integer(depth)
        };
        self.operation(operator, left, right)
    }

    fn leaf(&mut self) -> Value {
        if self.random.chance(72)
            && let Some(place) = self.place(|place| is_integer(&place.data))
            && let Some(value) = self.read(&place)
        {
            return value;
        }
        let kind = *self.random.pick(&Kind::ALL);
        self.literal(kind)
    }

    /// A constant of `kind`: small ones, powers of two, the ends of the type, any bits.
    pub(super) fn literal(&mut self, kind: Kind) -> Value {
        let range = kind.range();
        let value = match self.random.below(10) {
            0..=4 => i128::from(self.random.between(-10, 20)),
            5 | 6 => {
                let power = 1i128 << self.random.below(kind.bits() as usize);
                power - i128::from(self.random.between(0, 1))
            }
            7 => *self
                .random
                .pick(&[range.low, range.high, range.high - 1, range.low + 1]),
            _ => {
                let bits = self.random.bits();
                i128::from(bits >> self.random.below(60))
            }
        };
        let value = if range.holds(value) {
            value
        } else {
            value.rem_euclid(range.high + 1)
        };
        let letter = kind == Kind::Char && (0x20..0x7f).contains(&value);
        if letter && !matches!(value as u8, b'\'' | b'\\') {
            let spelling = format!("'{}'", value as u8 as char);
            return Value::new(Expression::Literal(spelling), Kind::Int, Range::only(value));
        }
        if !self.enums.is_empty() && self.random.chance(5) {
            let index = self.random.below(self.enums.len());
            let (name, value) = self.random.pick(&self.enums[index].constants).clone();
            return Value::new(Expression::Name(name), Kind::Int, Range::only(value));
        }
        Value::literal(value, kind)
    }

    fn size(&mut self) -> Value {
        let expression = if self.random.chance(50) && !self.records.is_empty() {
            let record = self.random.below(self.records.len());
            Expression::SizeOfType(self.c_type(&Data::Record(record)))
        } else {
            match self.place(|place| place.addressable) {
                Some(place) => Expression::unary(Unary::SizeOf, place.expression),
                None => Expression::SizeOfType(Kind::Int.c_type()),
            }
        };
        // No object here is larger than this.
        Value::new(expression, Kind::UnsignedLong, Range::new(1, 4095))
    }

    /// `strlen`, `strcmp`, ctype and `abs` on operands that are surely defined.
    fn text_measure(&mut self) -> Value {
        let word = self.word();
        match self.random.below(5) {
            0 => {
                self.include("string.h");
                let length = Range::only(word.len() as i128);
                let call = Expression::call("strlen", vec![Expression::Text(word)]);
                Value::new(call, Kind::UnsignedLong, length)
            }
            1 => {
                self.include("string.h");
                let other = self.word();
                let texts = vec![Expression::Text(word), Expression::Text(other)];
                // Only the sign of strcmp is specified.
                let sign = Expression::binary(
                    *self.random.pick(&COMPARISONS),
                    Expression::call("strcmp", texts),
                    Expression::literal(0),
                );
                Value::new(sign, Kind::Int, Range::new(0, 1))
            }
            2 => {
                self.include("ctype.h");
                let classes = [
                    "isdigit", "isalpha", "isupper", "islower", "isspace", "isalnum",
                ];
                let class = *self.random.pick(&classes);
                let letter = self.integer(1).masked(127).expression;
                let call = Expression::call(class, vec![letter]);
                // Any nonzero value may mean true.
                self.unary_operation(
                    Unary::Not,
                    Value::new(call, Kind::Int, Range::new(0, 65535)),
                )
            }
            3 => {
                self.include("ctype.h");
                let change = if self.random.chance(50) {
                    "toupper"
                } else {
                    "tolower"
                };
                let letter = self.integer(1).masked(127).expression;
                Value::new(
                    Expression::call(change, vec![letter]),
                    Kind::Int,
                    Range::new(0, 127),
                )
            }
            _ => {
                self.include("stdlib.h");
                let value = self.integer(1);
                let (kind, function) = match self.random.below(3) {
                    0 => (Kind::Int, "abs"),
                    1 => (Kind::Long, "labs"),
                    _ => (Kind::LongLong, "llabs"),
                };
                // The most negative value has no absolute value.
                let argument = value.cast(Kind::Short).expression;
                Value::new(
                    Expression::call(function, vec![argument]),
                    kind,
                    Range::new(0, 32768),
                )
            }
        }
    }

    /// A short text of letters, digits and blanks.
    pub(super) fn word(&mut self) -> Vec<u8> {
        const LETTERS: &[u8] =
            b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,;";
        let length = self.random.below(12);
        (0..length).map(|_| *self.random.pick(LETTERS)).collect()
    }
}
