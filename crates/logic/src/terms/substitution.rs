//! One term for another, everywhere in a third.

use super::{Operator, Sort, SymbolId, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

impl Terms {
    /// The term with each occurrence of `from` replaced, simplified anew.
    pub fn substitute(&mut self, term: TermId, from: TermId, to: TermId) -> TermId {
        self.substitute_all(term, &[(from, to)])
    }

    /// The term with each occurrence of some others replaced, all at once.
    pub fn substitute_all(&mut self, term: TermId, pairs: &[(TermId, TermId)]) -> TermId {
        let mut known: FxHashMap<TermId, TermId> = pairs.iter().copied().collect();
        let mut work = vec![term];
        while let Some(next) = work.last().copied() {
            if known.contains_key(&next) {
                work.pop();
                continue;
            }
            let arguments = self.get(next).arguments.clone();
            let before = work.len();
            work.extend(arguments.iter().filter(|id| !known.contains_key(id)));
            if work.len() > before {
                continue;
            }
            let new: Vec<TermId> = arguments.iter().map(|id| known[id]).collect();
            let made = match new[..] == arguments[..] {
                true => next,
                false => self.rebuilt(next, &new),
            };
            known.insert(next, made);
            work.pop();
        }
        known[&term]
    }

    /// A term's operator over other arguments.
    fn rebuilt(&mut self, term: TermId, of: &[TermId]) -> TermId {
        let row = self.get(term).clone();
        let width = self.width(term);
        match row.operator {
            Operator::Boolean(_) | Operator::Bits(_) | Operator::Symbol(_) => term,
            Operator::Not => self.not(of[0]),
            Operator::And => self.and(of.to_vec()),
            Operator::Or => self.or(of.to_vec()),
            Operator::Equal => self.equal(of[0], of[1]),
            Operator::IfThenElse => self.if_then_else(of[0], of[1], of[2]),
            Operator::Sum {
                constant,
                coefficients,
            } => {
                let mut sum = self.bits(width, constant);
                for (part, coefficient) in of.iter().zip(coefficients) {
                    let scaled = self.scale(*part, coefficient);
                    sum = self.add(sum, scaled);
                }
                sum
            }
            Operator::Multiply => self.multiply(of[0], of[1]),
            Operator::UnsignedDivide => self.unsigned_divide(of[0], of[1]),
            Operator::SignedDivide => self.signed_divide(of[0], of[1]),
            Operator::UnsignedRemainder => self.unsigned_remainder(of[0], of[1]),
            Operator::SignedRemainder => self.signed_remainder(of[0], of[1]),
            Operator::ShiftLeft => self.shift_left(of[0], of[1]),
            Operator::LogicalShiftRight => self.logical_shift_right(of[0], of[1]),
            Operator::ArithmeticShiftRight => self.arithmetic_shift_right(of[0], of[1]),
            Operator::BitAnd => self.bit_and(of[0], of[1]),
            Operator::BitOr => self.bit_or(of[0], of[1]),
            Operator::BitXor => self.bit_xor(of[0], of[1]),
            Operator::Concatenate => self.concatenate(of[0], of[1]),
            Operator::Extract { low } => self.extract(of[0], low, width),
            Operator::ZeroExtend => self.zero_extend(of[0], width),
            Operator::SignExtend => self.sign_extend(of[0], width),
            Operator::UnsignedLess => self.unsigned_less(of[0], of[1]),
            Operator::SignedLess => self.signed_less(of[0], of[1]),
            Operator::Load => self.load(of[0], of[1], width / 8),
            Operator::Store => self.store(of[0], of[1], of[2]),
            Operator::Apply(function) => {
                self.intern(Operator::Apply(function), row.sort, of.iter().copied())
            }
        }
    }

    /// The memory without what was written to some objects: all that can be seen of it once they are
    /// gone. Each state of memory is looked at once, however many ways lead to it.
    pub fn without_objects(&mut self, memory: TermId, gone: &[TermId]) -> TermId {
        debug_assert_eq!(self.sort(memory), Sort::Memory);
        let gone: FxHashSet<SymbolId> = (gone.iter())
            .filter_map(|object| self.as_symbol(*object))
            .collect();
        let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut work = vec![memory];
        while let Some(next) = work.last().copied() {
            if known.contains_key(&next) {
                work.pop();
                continue;
            }
            let row = self.get(next);
            let arguments = match (&row.operator, &row.arguments[..]) {
                (Operator::Store | Operator::IfThenElse, [first, second, third]) => {
                    [*first, *second, *third]
                }
                _ => {
                    known.insert(next, next);
                    continue;
                }
            };
            let [first, second, third] = arguments;
            let below = match row.operator {
                Operator::Store => [first, first],
                _ => [second, third],
            };
            let before = work.len();
            work.extend(below.iter().filter(|id| !known.contains_key(id)));
            if work.len() > before {
                continue;
            }
            let [left, right] = below.map(|id| known[&id]);
            let made = match self.get(next).operator {
                Operator::Store => {
                    let object = self.object_of(second);
                    match object.is_some_and(|object| gone.contains(&object)) {
                        true => left,
                        false => self.store(left, second, third),
                    }
                }
                _ => self.if_then_else(first, left, right),
            };
            known.insert(next, made);
        }
        known[&memory]
    }
}
