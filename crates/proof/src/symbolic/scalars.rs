//! Arithmetic, comparisons and conversions of single values.
//!
//! **Rules.** Integers are bit vectors, and what the flags of an instruction exclude is undefined
//! where it is reached. Of a signed sum or product that does not overflow the exact number is kept
//! beside it, so that what is computed in more bits from it is the same term. Floating-point
//! operations are function symbols: equal operands give equal results, and nothing else is known.

use super::float_comparisons::compare_floats;
use super::frame::Frame;
use super::{Evaluator, State, Undecided};
use knockon_logic::terms::{Sort, TermId};
use knockon_program::{
    Binary, Cast, Flags, FloatPredicate, InstructionId, IntegerPredicate, Opcode, Operand, TypeId,
};

/// An instruction that makes one single value of others.
#[derive(Clone, Copy)]
pub(super) enum Scalar {
    Binary(Binary),
    Cast(Cast),
    FloatNegate,
    IntegerCompare,
    FloatCompare,
}

impl<'a> Evaluator<'a, '_> {
    /// Arithmetic, comparisons and conversions of single values.
    pub(super) fn scalar(
        &mut self,
        frame: &mut Frame<'a>,
        id: InstructionId,
        scalar: Scalar,
        values: &[TermId],
        state: &State,
    ) -> Result<TermId, Undecided> {
        let row = *frame.body.instruction(id);
        let sort = self.sort_of(row.type_id)?;
        match scalar {
            Scalar::IntegerCompare => {
                let predicate = IntegerPredicate::from_detail(row.detail);
                let Some(predicate) = predicate else {
                    return Err(self.construct_at(frame, id, "a comparison"));
                };
                Ok(self.compare(predicate, values[0], values[1]))
            }
            Scalar::FloatCompare => {
                let Some(predicate) = FloatPredicate::from_detail(row.detail) else {
                    return Err(self.construct_at(frame, id, "a comparison"));
                };
                let flags = row.flags.fast_math();
                if flags != Flags::NONE {
                    let name = with_fast_math(predicate.mnemonic(), flags);
                    return Ok(self.terms.apply(name, values, sort));
                }
                Ok(compare_floats(self.terms, predicate, values[0], values[1]))
            }
            Scalar::Cast(operation) => {
                self.cast(frame, id, (operation, values[0]), sort, state.condition)
            }
            Scalar::FloatNegate | Scalar::Binary(_) if self.is_floating_point(row.type_id) => {
                let name = with_fast_math(row.opcode.mnemonic(), row.flags);
                Ok(self.terms.apply(name, values, sort))
            }
            Scalar::FloatNegate => {
                let construct = format!("the instruction {}", row.opcode.mnemonic());
                Err(self.construct_at(frame, id, construct))
            }
            Scalar::Binary(operation) => match sort {
                Sort::Boolean => {
                    self.boolean_operation(frame, id, operation, (values[0], values[1]))
                }
                _ => self.arithmetic(frame, id, operation, (values[0], values[1]), state),
            },
        }
    }

    fn is_floating_point(&self, type_id: TypeId) -> bool {
        let program = self.version().program;
        program.type_of(type_id).is_floating_point()
    }

    fn boolean_operation(
        &mut self,
        frame: &Frame<'a>,
        id: InstructionId,
        operation: Binary,
        (left, right): (TermId, TermId),
    ) -> Result<TermId, Undecided> {
        Ok(match operation {
            Binary::And | Binary::Multiply => self.terms.and([left, right]),
            Binary::Or => self.terms.or([left, right]),
            Binary::Xor | Binary::Add | Binary::Subtract => {
                let equal = self.terms.equal(left, right);
                self.terms.not(equal)
            }
            Binary::UnsignedDivide
            | Binary::SignedDivide
            | Binary::UnsignedRemainder
            | Binary::SignedRemainder
            | Binary::ShiftLeft
            | Binary::LogicalShiftRight
            | Binary::ArithmeticShiftRight
            | Binary::FloatAdd
            | Binary::FloatSubtract
            | Binary::FloatMultiply
            | Binary::FloatDivide
            | Binary::FloatRemainder => {
                let construct = format!("{} of single bits", Opcode::from(operation).mnemonic());
                return Err(self.construct_at(frame, id, construct));
            }
        })
    }

    fn arithmetic(
        &mut self,
        frame: &mut Frame<'a>,
        id: InstructionId,
        operation: Binary,
        (left, right): (TermId, TermId),
        state: &State,
    ) -> Result<TermId, Undecided> {
        let row = *frame.body.instruction(id);
        let width = self.terms.width(left);
        let guard = state.condition;
        match operation {
            Binary::Add | Binary::Subtract | Binary::Multiply => {
                let value = self.ring(operation, left, right);
                if width > 64 {
                    // As functions that nothing is known of.
                    let kinds = [Flags::NO_SIGNED_WRAP, Flags::NO_UNSIGNED_WRAP];
                    for kind in kinds.into_iter().filter(|kind| row.flags.has(*kind)) {
                        let name = row.opcode.mnemonic();
                        let name = format!("{name} overflows {width} {:x}", kind.0);
                        let operands = [left, right];
                        let overflows = self.terms.apply(name, &operands, Sort::Boolean);
                        self.is_undefined_if(guard, overflows);
                    }
                    return Ok(value);
                }
                if row.flags.has(Flags::NO_SIGNED_WRAP) {
                    self.no_signed_overflow(frame, id, operation, (left, right, value), guard);
                }
                if row.flags.has(Flags::NO_UNSIGNED_WRAP) {
                    let wide = (
                        self.terms.zero_extend(left, 2 * width),
                        self.terms.zero_extend(right, 2 * width),
                    );
                    let exact = self.ring(operation, wide.0, wide.1);
                    let got = self.terms.zero_extend(value, 2 * width);
                    let equal = self.terms.equal(exact, got);
                    let overflows = self.terms.not(equal);
                    self.is_undefined_if(guard, overflows);
                }
                Ok(value)
            }
            Binary::And => Ok(self.terms.bit_and(left, right)),
            Binary::Or => Ok(self.terms.bit_or(left, right)),
            Binary::Xor => Ok(self.terms.bit_xor(left, right)),
            Binary::ShiftLeft | Binary::LogicalShiftRight | Binary::ArithmeticShiftRight => {
                let limit = self.terms.bits(width, u128::from(width));
                let fits = self.terms.unsigned_less(right, limit);
                let too_far = self.terms.not(fits);
                self.is_undefined_if(guard, too_far);
                let value = match operation {
                    Binary::ShiftLeft => self.terms.shift_left(left, right),
                    Binary::LogicalShiftRight => self.terms.logical_shift_right(left, right),
                    _ => self.terms.arithmetic_shift_right(left, right),
                };
                let keeps = [
                    (Flags::NO_SIGNED_WRAP, Binary::ArithmeticShiftRight),
                    (Flags::NO_UNSIGNED_WRAP, Binary::LogicalShiftRight),
                ];
                for (flag, back) in keeps {
                    if operation == Binary::ShiftLeft && row.flags.has(flag) {
                        let back = match back {
                            Binary::LogicalShiftRight => {
                                self.terms.logical_shift_right(value, right)
                            }
                            _ => self.terms.arithmetic_shift_right(value, right),
                        };
                        let equal = self.terms.equal(back, left);
                        let overflows = self.terms.not(equal);
                        self.is_undefined_if(guard, overflows);
                    }
                }
                Ok(value)
            }
            Binary::UnsignedDivide
            | Binary::UnsignedRemainder
            | Binary::SignedDivide
            | Binary::SignedRemainder => {
                let zero = self.terms.bits(width, 0);
                let by_zero = self.terms.equal(right, zero);
                self.is_undefined_if(guard, by_zero);
                let is_signed = matches!(operation, Binary::SignedDivide | Binary::SignedRemainder);
                if is_signed {
                    let least = self.terms.bits(width, 1 << (width - 1));
                    let minus = self.terms.bits(width, u128::MAX);
                    let is_least = self.terms.equal(left, least);
                    let is_minus = self.terms.equal(right, minus);
                    let overflows = self.terms.and([is_least, is_minus]);
                    self.is_undefined_if(guard, overflows);
                }
                Ok(match operation {
                    Binary::UnsignedDivide => self.terms.unsigned_divide(left, right),
                    Binary::UnsignedRemainder => self.terms.unsigned_remainder(left, right),
                    Binary::SignedDivide => self.terms.signed_divide(left, right),
                    _ => self.terms.signed_remainder(left, right),
                })
            }
            Binary::FloatAdd
            | Binary::FloatSubtract
            | Binary::FloatMultiply
            | Binary::FloatDivide
            | Binary::FloatRemainder => {
                let construct = format!("the instruction {}", row.opcode.mnemonic());
                Err(self.construct_at(frame, id, construct))
            }
        }
    }

    /// A sum or difference, else a product.
    fn ring(&mut self, operation: Binary, left: TermId, right: TermId) -> TermId {
        match operation {
            Binary::Add => self.terms.add(left, right),
            Binary::Subtract => self.terms.subtract(left, right),
            _ => self.terms.multiply(left, right),
        }
    }

    /// The sum or product is that of the numbers, not of their remainders; as such it is kept for
    /// whoever extends it.
    fn no_signed_overflow(
        &mut self,
        frame: &mut Frame<'a>,
        id: InstructionId,
        operation: Binary,
        (left, right, value): (TermId, TermId, TermId),
        guard: TermId,
    ) {
        let width = self.terms.width(left);
        let operands = frame.body.operands(id).to_vec();
        if width <= 32 {
            let wide: Vec<TermId> = [(left, operands[0]), (right, operands[1])]
                .into_iter()
                .map(|(term, operand)| self.exactly(frame, operand, term))
                .collect();
            let exact = self.ring(operation, wide[0], wide[1]);
            frame.wide.insert(id, exact);
        }
        let wide = (
            self.terms.sign_extend(left, 2 * width),
            self.terms.sign_extend(right, 2 * width),
        );
        let exact = self.ring(operation, wide.0, wide.1);
        let got = self.terms.sign_extend(value, 2 * width);
        let equal = self.terms.equal(exact, got);
        let overflows = self.terms.not(equal);
        self.is_undefined_if(guard, overflows);
    }

    /// A signed number in 64 bits.
    fn exactly(&mut self, frame: &Frame<'a>, operand: Operand, term: TermId) -> TermId {
        if let Operand::Instruction(id) = operand
            && let Some(wide) = frame.wide.get(&id)
        {
            return *wide;
        }
        self.terms.sign_extend(term, 64)
    }

    fn compare(&mut self, predicate: IntegerPredicate, left: TermId, right: TermId) -> TermId {
        let (left, right) = match self.terms.sort(left) {
            Sort::Boolean => (
                self.terms.number_of(left, 1),
                self.terms.number_of(right, 1),
            ),
            _ => (left, right),
        };
        let terms = &mut *self.terms;
        match predicate {
            IntegerPredicate::Equal => terms.equal(left, right),
            IntegerPredicate::NotEqual => {
                let equal = terms.equal(left, right);
                terms.not(equal)
            }
            IntegerPredicate::UnsignedLess => terms.unsigned_less(left, right),
            IntegerPredicate::UnsignedGreater => terms.unsigned_less(right, left),
            IntegerPredicate::UnsignedLessOrEqual => terms.unsigned_less_or_equal(left, right),
            IntegerPredicate::UnsignedGreaterOrEqual => terms.unsigned_less_or_equal(right, left),
            IntegerPredicate::SignedLess => terms.signed_less(left, right),
            IntegerPredicate::SignedGreater => terms.signed_less(right, left),
            IntegerPredicate::SignedLessOrEqual => terms.signed_less_or_equal(left, right),
            IntegerPredicate::SignedGreaterOrEqual => terms.signed_less_or_equal(right, left),
        }
    }

    fn cast(
        &mut self,
        frame: &mut Frame<'a>,
        id: InstructionId,
        (operation, value): (Cast, TermId),
        to: Sort,
        guard: TermId,
    ) -> Result<TermId, Undecided> {
        let operand = frame.body.operands(id)[0];
        let width = match to {
            Sort::Bits(width) => width,
            _ => 1,
        };
        let from = self.terms.sort(value);
        Ok(match (operation, from, to) {
            (Cast::Truncate, Sort::Bits(_), Sort::Boolean) => {
                let low = self.terms.truncate(value, 1);
                let one = self.terms.bits(1, 1);
                self.terms.equal(low, one)
            }
            (Cast::Truncate, ..) => self.terms.truncate(value, width),
            (Cast::ZeroExtend, Sort::Boolean, _) => self.terms.number_of(value, width),
            (Cast::ZeroExtend, ..) => self.terms.zero_extend(value, width),
            (Cast::SignExtend, Sort::Boolean, _) => {
                let ones = self.terms.bits(width, u128::MAX);
                let zero = self.terms.bits(width, 0);
                self.terms.if_then_else(value, ones, zero)
            }
            (Cast::SignExtend, ..) => match operand {
                Operand::Instruction(from) if width <= 64 && frame.wide.contains_key(&from) => {
                    let wide = frame.wide[&from];
                    self.terms.truncate(wide, width)
                }
                _ => self.terms.sign_extend(value, width),
            },
            (Cast::BitCast | Cast::AddressSpaceCast, from, to) if from == to => value,
            (Cast::PointerToInteger | Cast::IntegerToPointer, Sort::Bits(from), _) => {
                match from >= width {
                    true => self.terms.truncate(value, width),
                    false => self.terms.zero_extend(value, width),
                }
            }
            // Functions that nothing is known of.
            (
                Cast::FloatTruncate
                | Cast::FloatExtend
                | Cast::FloatToUnsigned
                | Cast::FloatToSigned
                | Cast::UnsignedToFloat
                | Cast::SignedToFloat
                | Cast::BitCast
                | Cast::AddressSpaceCast
                | Cast::PointerToInteger
                | Cast::IntegerToPointer,
                ..,
            ) => {
                let flags = frame.body.instruction(id).flags;
                let name = with_fast_math(Opcode::from(operation).mnemonic(), flags);
                let name = format!("{name} {from:?} {to:?}");
                if matches!(operation, Cast::FloatToSigned | Cast::FloatToUnsigned) {
                    let name = format!("{name} does not fit");
                    let does_not_fit = self.terms.apply(name, &[value], Sort::Boolean);
                    self.is_undefined_if(guard, does_not_fit);
                }
                self.terms.apply(name, &[value], to)
            }
        })
    }
}

/// The name of what need not be exact: it is the same only where it may be inexact in the same ways.
pub(super) fn with_fast_math(name: &str, flags: Flags) -> String {
    match flags.fast_math() {
        Flags::NONE => name.to_owned(),
        Flags(set) => format!("{name} inexact {set:x}"),
    }
}
