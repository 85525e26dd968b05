//! Operations as SMT-LIB defines them, over values that nothing simplifies: the second opinion of
//! the law of terms. Written without looking at how terms are evaluated: numbers as lists of bits
//! where that is the shorter definition, memories as histories of writes.

use knockon_logic::terms::evaluation::{Bytes, Valuation, Value};
use knockon_logic::terms::{FunctionSymbol, FunctionSymbolId, Sort, SymbolId, Terms};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    Symbol { at: u32 },
    Truth(bool),
    Number(u128),
    Not,
    And,
    Or,
    Implies,
    Equal,
    IfThenElse,
    Add,
    Subtract,
    Scale(u128),
    Multiply,
    UnsignedDivide,
    SignedDivide,
    UnsignedRemainder,
    SignedRemainder,
    ShiftLeft,
    LogicalShiftRight,
    ArithmeticShiftRight,
    BitNot,
    BitAnd,
    BitOr,
    BitXor,
    Concatenate,
    Extract { low: u32 },
    ZeroExtend,
    SignExtend,
    NumberOf,
    UnsignedLess,
    SignedLess,
    UnsignedLessOrEqual,
    SignedLessOrEqual,
    Load,
    Store,
    Apply { name: u32 },
}

#[derive(Debug)]
pub struct Step {
    pub operation: Operation,
    pub arguments: Vec<usize>,
    pub sort: Sort,
}

#[derive(Clone, Debug)]
pub enum Plain {
    Truth(bool),
    Number {
        width: u32,
        value: u128,
    },
    /// What was there, and the bytes written since, the last wins.
    Memory {
        start: Bytes,
        writes: Vec<(u64, u8)>,
    },
}

impl Plain {
    fn of(value: Value, sort: Sort) -> Plain {
        match (value, sort) {
            (Value::Boolean(value), _) => Plain::Truth(value),
            (Value::Bits(value), Sort::Bits(width)) => Plain::Number { width, value },
            (Value::Memory(start), _) => Plain::Memory {
                start,
                writes: Vec::new(),
            },
            (value, sort) => panic!("{value:?} is not of {sort:?}"),
        }
    }

    fn truth(&self) -> bool {
        match self {
            Plain::Truth(value) => *value,
            _ => panic!("no truth value"),
        }
    }

    fn number(&self) -> u128 {
        match self {
            Plain::Number { value, .. } => *value,
            _ => panic!("no number"),
        }
    }

    fn width(&self) -> u32 {
        match self {
            Plain::Number { width, .. } => *width,
            _ => panic!("no number"),
        }
    }

    fn is_negative(&self) -> bool {
        (self.number() >> (self.width() - 1)) & 1 == 1
    }

    fn byte(&self, address: u64) -> u8 {
        let Plain::Memory { start, writes } = self else {
            panic!("no memory");
        };
        let last = writes.iter().rev().find(|write| write.0 == address);
        match last {
            Some((_, byte)) => *byte,
            None => start.others.get(&address).copied().unwrap_or(start.rest),
        }
    }

    fn rest(&self) -> u8 {
        match self {
            Plain::Memory { start, .. } => start.rest,
            _ => panic!("no memory"),
        }
    }

    /// Every address at which it may differ from its rest.
    fn addresses(&self) -> BTreeSet<u64> {
        match self {
            Plain::Memory { start, writes } => start
                .others
                .keys()
                .copied()
                .chain(writes.iter().map(|write| write.0))
                .collect(),
            _ => BTreeSet::new(),
        }
    }

    fn equals(&self, other: &Plain) -> bool {
        match (self, other) {
            (Plain::Truth(left), Plain::Truth(right)) => left == right,
            (Plain::Number { .. }, Plain::Number { .. }) => self.number() == other.number(),
            _ => {
                let both = &self.addresses() | &other.addresses();
                self.rest() == other.rest()
                    && both.iter().all(|at| self.byte(*at) == other.byte(*at))
            }
        }
    }

    fn value(&self) -> Value {
        match self {
            Plain::Truth(value) => Value::Boolean(*value),
            Plain::Number { value, .. } => Value::Bits(*value),
            Plain::Memory { .. } => Value::Memory(Bytes {
                rest: self.rest(),
                others: self
                    .addresses()
                    .into_iter()
                    .map(|at| (at, self.byte(at)))
                    .filter(|entry| entry.1 != self.rest())
                    .collect(),
            }),
        }
    }

    pub fn is(&self, value: &Value) -> bool {
        self.value() == *value
    }
}

fn number(width: u32, value: u128) -> Plain {
    let kept = (0..width).fold(0, |sum, bit| sum | (value & (1 << bit)));
    Plain::Number { width, value: kept }
}

fn negated(of: &Plain) -> Plain {
    number(of.width(), (!of.number()).wrapping_add(1))
}

fn magnitude(of: &Plain) -> Plain {
    match of.is_negative() {
        true => negated(of),
        false => of.clone(),
    }
}

fn divided(left: &Plain, right: &Plain) -> Plain {
    match right.number() {
        0 => number(left.width(), u128::MAX),
        by => number(left.width(), left.number() / by),
    }
}

fn remaining(left: &Plain, right: &Plain) -> Plain {
    match right.number() {
        0 => left.clone(),
        by => number(left.width(), left.number() % by),
    }
}

fn signed_less(left: &Plain, right: &Plain) -> bool {
    match (left.is_negative(), right.is_negative()) {
        (true, false) => true,
        (false, true) => false,
        _ => left.number() < right.number(),
    }
}

fn extended(of: &Plain, width: u32, fill: bool) -> Plain {
    let above = (of.width()..width).fold(0, |sum, bit| sum | (u128::from(fill) << bit));
    number(width, of.number() | above)
}

/// Bit by bit; `None` is a place outside.
fn moved(of: &Plain, source: impl Fn(u32) -> Option<u32>, fill: bool) -> Plain {
    let width = of.width();
    let bit = |at: u32| match source(at) {
        Some(from) if from < width => (of.number() >> from) & 1,
        _ => u128::from(fill),
    };
    let value = (0..width).fold(0, |sum, at| sum | (bit(at) << at));
    Plain::Number { width, value }
}

pub fn meaning(
    step: &Step,
    known: &[Plain],
    terms: &Terms,
    valuation: &mut impl Valuation,
) -> Plain {
    let of: Vec<&Plain> = step.arguments.iter().map(|at| &known[*at]).collect();
    let width = match step.sort {
        Sort::Bits(width) => width,
        _ => 0,
    };
    let wrapped = |value: u128| number(width, value);
    let both = |combine: fn(bool, bool) -> bool| {
        let value = (0..width).fold(0, |sum, at| {
            let bit = combine(
                (of[0].number() >> at) & 1 == 1,
                (of[1].number() >> at) & 1 == 1,
            );
            sum | (u128::from(bit) << at)
        });
        Plain::Number { width, value }
    };
    // A distance that no shift of 128 bits survives stands for all larger ones.
    let distance = || of[1].number().min(1000) as u32;
    match step.operation {
        Operation::Symbol { at } => Plain::of(valuation.symbol(terms, SymbolId(at)), step.sort),
        Operation::Truth(value) => Plain::Truth(value),
        Operation::Number(value) => wrapped(value),
        Operation::Not => Plain::Truth(!of[0].truth()),
        Operation::And => Plain::Truth(of.iter().all(|part| part.truth())),
        Operation::Or => Plain::Truth(of.iter().any(|part| part.truth())),
        Operation::Implies => Plain::Truth(!of[0].truth() || of[1].truth()),
        Operation::Equal => Plain::Truth(of[0].equals(of[1])),
        Operation::IfThenElse => match of[0].truth() {
            true => of[1].clone(),
            false => of[2].clone(),
        },
        Operation::Add => wrapped(of[0].number().wrapping_add(of[1].number())),
        Operation::Subtract => wrapped(of[0].number().wrapping_add(negated(of[1]).number())),
        Operation::Scale(factor) => wrapped(of[0].number().wrapping_mul(factor)),
        Operation::Multiply => wrapped(of[0].number().wrapping_mul(of[1].number())),
        Operation::UnsignedDivide => divided(of[0], of[1]),
        Operation::UnsignedRemainder => remaining(of[0], of[1]),
        Operation::SignedDivide => {
            let quotient = divided(&magnitude(of[0]), &magnitude(of[1]));
            match of[0].is_negative() == of[1].is_negative() {
                true => quotient,
                false => negated(&quotient),
            }
        }
        Operation::SignedRemainder => {
            let rest = remaining(&magnitude(of[0]), &magnitude(of[1]));
            match of[0].is_negative() {
                true => negated(&rest),
                false => rest,
            }
        }
        Operation::ShiftLeft => moved(of[0], |at| at.checked_sub(distance()), false),
        Operation::LogicalShiftRight => moved(of[0], |at| Some(at + distance()), false),
        Operation::ArithmeticShiftRight => {
            moved(of[0], |at| Some(at + distance()), of[0].is_negative())
        }
        Operation::BitNot => wrapped(!of[0].number()),
        Operation::BitAnd => both(|left, right| left && right),
        Operation::BitOr => both(|left, right| left || right),
        Operation::BitXor => both(|left, right| left != right),
        Operation::Concatenate => wrapped(
            of[0]
                .number()
                .wrapping_mul(1 << of[1].width())
                .wrapping_add(of[1].number()),
        ),
        Operation::Extract { low } => wrapped(of[0].number() >> low),
        Operation::ZeroExtend => extended(of[0], width, false),
        Operation::SignExtend => extended(of[0], width, of[0].is_negative()),
        Operation::NumberOf => wrapped(u128::from(of[0].truth())),
        Operation::UnsignedLess => Plain::Truth(of[0].number() < of[1].number()),
        Operation::SignedLess => Plain::Truth(signed_less(of[0], of[1])),
        Operation::UnsignedLessOrEqual => Plain::Truth(of[0].number() <= of[1].number()),
        Operation::SignedLessOrEqual => Plain::Truth(!signed_less(of[1], of[0])),
        Operation::Load => {
            let first = of[1].number() as u64;
            let bytes = (0..width / 8).map(|at| of[0].byte(first.wrapping_add(u64::from(at))));
            wrapped(
                bytes
                    .enumerate()
                    .fold(0, |sum, (at, byte)| sum + (u128::from(byte) << (8 * at))),
            )
        }
        Operation::Store => {
            let Plain::Memory { start, writes } = of[0] else {
                panic!("no memory");
            };
            let mut writes = writes.clone();
            for (at, byte) in of[2].number().to_le_bytes().into_iter().enumerate() {
                if at < of[2].width() as usize / 8 {
                    writes.push(((of[1].number() as u64).wrapping_add(at as u64), byte));
                }
            }
            Plain::Memory {
                start: start.clone(),
                writes,
            }
        }
        Operation::Apply { name } => {
            let wanted = FunctionSymbol {
                name: format!("f{name}"),
                parameters: of
                    .iter()
                    .map(|value| match value {
                        Plain::Truth(_) => Sort::Boolean,
                        Plain::Number { width, .. } => Sort::Bits(*width),
                        Plain::Memory { .. } => Sort::Memory,
                    })
                    .collect(),
                result: step.sort,
            };
            let function = (0..)
                .map(FunctionSymbolId)
                .find(|id| *terms.function(*id) == wanted)
                .expect("the function is there");
            let arguments: Vec<Value> = of.iter().map(|value| value.value()).collect();
            Plain::of(valuation.apply(terms, function, &arguments), step.sort)
        }
    }
}
