//! The meaning of terms: what a term is under a valuation of its symbols. The constructors are held
//! to it, and models of a solver are checked with it.

use super::{FunctionSymbolId, Operator, Sort, SymbolId, TermId, Terms, mask, signed};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A memory: bytes that differ from the rest, and what the rest is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Bytes {
    pub rest: u8,
    pub others: BTreeMap<u64, u8>,
}

impl Bytes {
    pub fn at(&self, address: u64) -> u8 {
        self.others.get(&address).copied().unwrap_or(self.rest)
    }

    pub fn put(&mut self, address: u64, byte: u8) {
        match byte == self.rest {
            true => self.others.remove(&address),
            false => self.others.insert(address, byte),
        };
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Boolean(bool),
    Bits(u128),
    Memory(Bytes),
}

impl Value {
    pub fn bits(&self) -> u128 {
        match self {
            Value::Boolean(value) => u128::from(*value),
            Value::Bits(value) => *value,
            Value::Memory(_) => 0,
        }
    }

    fn truth(&self) -> bool {
        matches!(self, Value::Boolean(true))
    }

    /// The value of a sort where a valuation says nothing.
    pub fn of_nothing(sort: Sort) -> Value {
        match sort {
            Sort::Boolean => Value::Boolean(false),
            Sort::Bits(_) => Value::Bits(0),
            Sort::Memory => Value::Memory(Bytes::default()),
        }
    }
}

/// What symbols and functions are.
pub trait Valuation {
    fn symbol(&mut self, terms: &Terms, symbol: SymbolId) -> Value;
    fn apply(&mut self, terms: &Terms, function: FunctionSymbolId, arguments: &[Value]) -> Value;
}

/// Each term once, arguments first.
pub fn evaluate(terms: &Terms, term: TermId, valuation: &mut impl Valuation) -> Value {
    let mut known: FxHashMap<TermId, Value> = FxHashMap::default();
    evaluate_further(terms, term, valuation, &mut known)
}

/// As [`evaluate`], given the values that are known already; those found on the way are added.
pub fn evaluate_further(
    terms: &Terms,
    term: TermId,
    valuation: &mut impl Valuation,
    known: &mut FxHashMap<TermId, Value>,
) -> Value {
    let mut work = vec![term];
    while let Some(next) = work.last().copied() {
        if known.contains_key(&next) {
            work.pop();
            continue;
        }
        let arguments = &terms.get(next).arguments;
        let missing: Vec<TermId> = arguments
            .iter()
            .copied()
            .filter(|id| !known.contains_key(id))
            .collect();
        if missing.is_empty() {
            let values: Vec<Value> = arguments.iter().map(|id| known[id].clone()).collect();
            let value = operate(terms, next, &values, valuation);
            known.insert(next, value);
            work.pop();
        } else {
            work.extend(missing);
        }
    }
    known[&term].clone()
}

fn operate(terms: &Terms, id: TermId, of: &[Value], valuation: &mut impl Valuation) -> Value {
    let term = terms.get(id);
    let width = terms.width(id);
    let bits = |at: usize| of[at].bits();
    let inner = |at: usize| terms.width(term.arguments[at]);
    let sign = |at: usize| signed(inner(at), bits(at));
    let shift = |at: usize| u32::try_from(bits(at)).unwrap_or(u32::MAX).min(256);
    let number = |value: u128| Value::Bits(value & mask(width));
    match &term.operator {
        Operator::Boolean(value) => Value::Boolean(*value),
        Operator::Bits(value) => Value::Bits(*value),
        Operator::Symbol(symbol) => valuation.symbol(terms, *symbol),
        Operator::Not => Value::Boolean(!of[0].truth()),
        Operator::And => Value::Boolean(of.iter().all(Value::truth)),
        Operator::Or => Value::Boolean(of.iter().any(Value::truth)),
        Operator::Equal => Value::Boolean(of[0] == of[1]),
        Operator::IfThenElse => match of[0].truth() {
            true => of[1].clone(),
            false => of[2].clone(),
        },
        Operator::Sum {
            constant,
            coefficients,
        } => {
            let parts = coefficients.iter().zip(of);
            number(parts.fold(*constant, |sum, (coefficient, value)| {
                sum.wrapping_add(coefficient.wrapping_mul(value.bits()))
            }))
        }
        Operator::Multiply => number(bits(0).wrapping_mul(bits(1))),
        Operator::UnsignedDivide => number(bits(0).checked_div(bits(1)).unwrap_or(mask(width))),
        Operator::UnsignedRemainder => number(bits(0).checked_rem(bits(1)).unwrap_or(bits(0))),
        Operator::SignedDivide => match (sign(0), sign(1)) {
            (left, 0) => number(if left < 0 { 1 } else { u128::MAX }),
            (left, right) => number(left.wrapping_div(right) as u128),
        },
        Operator::SignedRemainder => match (sign(0), sign(1)) {
            (left, 0) => number(left as u128),
            (left, right) => number(left.wrapping_rem(right) as u128),
        },
        Operator::ShiftLeft => number(bits(0).checked_shl(shift(1)).unwrap_or(0)),
        Operator::LogicalShiftRight => number(bits(0).checked_shr(shift(1)).unwrap_or(0)),
        Operator::ArithmeticShiftRight => number((sign(0) >> shift(1).min(127)) as u128),
        Operator::BitAnd => number(bits(0) & bits(1)),
        Operator::BitOr => number(bits(0) | bits(1)),
        Operator::BitXor => number(bits(0) ^ bits(1)),
        Operator::Concatenate => number((bits(0) << inner(1)) | bits(1)),
        Operator::Extract { low } => number(bits(0) >> low),
        Operator::ZeroExtend => number(bits(0)),
        Operator::SignExtend => number(sign(0) as u128),
        Operator::UnsignedLess => Value::Boolean(bits(0) < bits(1)),
        Operator::SignedLess => Value::Boolean(sign(0) < sign(1)),
        Operator::Load => {
            let Value::Memory(memory) = &of[0] else {
                return Value::of_nothing(term.sort);
            };
            let first = bits(1) as u64;
            let bytes = (0..width / 8).rev();
            number(bytes.fold(0, |value, at| {
                (value << 8) | u128::from(memory.at(first.wrapping_add(u64::from(at))))
            }))
        }
        Operator::Store => {
            let mut memory = match &of[0] {
                Value::Memory(memory) => memory.clone(),
                _ => Bytes::default(),
            };
            let first = bits(1) as u64;
            for at in 0..inner(2) / 8 {
                memory.put(
                    first.wrapping_add(u64::from(at)),
                    (bits(2) >> (8 * at)) as u8,
                );
            }
            Value::Memory(memory)
        }
        Operator::Apply(function) => valuation.apply(terms, *function, of),
    }
}
