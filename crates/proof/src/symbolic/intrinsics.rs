//! Functions of values that the compiler provides and that have a meaning as terms.

use super::{Evaluator, State, Undecided, Value};
use knockon_logic::terms::{Sort, TermId};
use knockon_program::{Intrinsic, Numeric, Ring};

/// What an intrinsic computes, in terms.
#[derive(Clone, Copy)]
pub(super) enum TermFunction {
    Same,
    Smaller {
        is_signed: bool,
    },
    Larger {
        is_signed: bool,
    },
    Absolute,
    SwappedBytes,
    ReversedBits,
    SetBits,
    LeadingZeros,
    TrailingZeros,
    /// Bits of two words in a row, from some place on.
    Funnel {
        is_left: bool,
    },
    /// A sum, difference or product, and whether it is another than that of the numbers.
    Overflowing {
        ring: Ring,
        is_signed: bool,
    },
    /// Nothing at all.
    Nothing,
    /// Behaviour is undefined unless it holds.
    Assumed,
}

/// `None` for what has no meaning as terms: a call like others.
pub(super) fn term_function(intrinsic: Intrinsic) -> Option<TermFunction> {
    Some(match intrinsic {
        Intrinsic::Numeric(numeric) => return numeric_function(numeric),
        Intrinsic::Expect | Intrinsic::Annotation | Intrinsic::LaunderInvariantGroup => {
            TermFunction::Same
        }
        Intrinsic::Assume => TermFunction::Assumed,
        Intrinsic::LifetimeStart
        | Intrinsic::LifetimeEnd
        | Intrinsic::DoNothing
        | Intrinsic::SideEffect
        | Intrinsic::PseudoProbe
        | Intrinsic::Debug
        | Intrinsic::Prefetch => TermFunction::Nothing,
        Intrinsic::Reduce(_)
        | Intrinsic::CopyMemory
        | Intrinsic::MoveMemory
        | Intrinsic::SetMemory
        | Intrinsic::ObjectSize
        | Intrinsic::ThreadLocalAddress
        | Intrinsic::StripInvariantGroup
        | Intrinsic::SsaCopy
        | Intrinsic::PointerAnnotation
        | Intrinsic::VariableAnnotation
        | Intrinsic::CodeViewAnnotation
        | Intrinsic::ArithmeticFence
        | Intrinsic::IsConstant
        | Intrinsic::VariadicStart
        | Intrinsic::VariadicEnd
        | Intrinsic::VariadicCopy
        | Intrinsic::StackSave
        | Intrinsic::StackRestore
        | Intrinsic::StackGuard
        | Intrinsic::FrameAddress
        | Intrinsic::ReturnAddress
        | Intrinsic::AddressOfReturnAddress
        | Intrinsic::Trap
        | Intrinsic::SanitizerTrap
        | Intrinsic::DebugTrap
        | Intrinsic::PointerMask
        | Intrinsic::InvariantStart
        | Intrinsic::InvariantEnd
        | Intrinsic::NoAliasScope
        | Intrinsic::ExceptionTypeId
        | Intrinsic::SetJump
        | Intrinsic::LongJump
        | Intrinsic::CycleCounter
        | Intrinsic::RoundingMode
        | Intrinsic::Unknown => return None,
    })
}

fn numeric_function(numeric: Numeric) -> Option<TermFunction> {
    Some(match numeric {
        Numeric::UnsignedMinimum => TermFunction::Smaller { is_signed: false },
        Numeric::SignedMinimum => TermFunction::Smaller { is_signed: true },
        Numeric::UnsignedMaximum => TermFunction::Larger { is_signed: false },
        Numeric::SignedMaximum => TermFunction::Larger { is_signed: true },
        Numeric::Absolute => TermFunction::Absolute,
        Numeric::ByteSwap => TermFunction::SwappedBytes,
        Numeric::BitReverse => TermFunction::ReversedBits,
        Numeric::Population => TermFunction::SetBits,
        Numeric::LeadingZeros => TermFunction::LeadingZeros,
        Numeric::TrailingZeros => TermFunction::TrailingZeros,
        Numeric::FunnelLeft => TermFunction::Funnel { is_left: true },
        Numeric::FunnelRight => TermFunction::Funnel { is_left: false },
        Numeric::Overflowing(ring, signedness) => TermFunction::Overflowing {
            ring,
            is_signed: signedness.is_signed(),
        },
        Numeric::Saturating(..)
        | Numeric::SaturatingShift(_)
        | Numeric::FloatAbsolute
        | Numeric::SquareRoot
        | Numeric::Floor
        | Numeric::Ceiling
        | Numeric::RoundTowardsZero
        | Numeric::RoundInteger
        | Numeric::NearbyInteger
        | Numeric::Round
        | Numeric::RoundEven
        | Numeric::CopySign
        | Numeric::MinimumNumber
        | Numeric::MaximumNumber
        | Numeric::Minimum
        | Numeric::Maximum
        | Numeric::FusedMultiplyAdd
        | Numeric::MultiplyAdd
        | Numeric::PowerInteger
        | Numeric::Power
        | Numeric::Exponential
        | Numeric::ExponentialTwo
        | Numeric::Logarithm
        | Numeric::LogarithmTwo
        | Numeric::LogarithmTen
        | Numeric::Sine
        | Numeric::Cosine
        | Numeric::Tangent
        | Numeric::IsClass
        | Numeric::SaturatingInteger(_)
        | Numeric::LongRound
        | Numeric::LongLongRound
        | Numeric::LongRoundInteger
        | Numeric::LongLongRoundInteger => return None,
    })
}

impl Evaluator<'_, '_> {
    pub(super) fn intrinsic(
        &mut self,
        intrinsic: TermFunction,
        arguments: &[Value],
        state: &State,
    ) -> Result<Option<Value>, Undecided> {
        let of_vectors = self.construct("a function of vectors", None);
        let single = |at: usize| match arguments.get(at) {
            Some(Value::Term(term)) => Ok(*term),
            _ => Err(of_vectors.clone()),
        };
        let value = match intrinsic {
            TermFunction::Nothing => return Ok(None),
            TermFunction::Same => single(0)?,
            TermFunction::Assumed => {
                let holds = single(0)?;
                let fails = self.terms.not(holds);
                self.is_undefined_if(state.condition, fails);
                return Ok(None);
            }
            TermFunction::Smaller { is_signed } | TermFunction::Larger { is_signed } => {
                let (left, right) = (single(0)?, single(1)?);
                let less = match is_signed {
                    true => self.terms.signed_less(left, right),
                    false => self.terms.unsigned_less(left, right),
                };
                match intrinsic {
                    TermFunction::Smaller { .. } => self.terms.if_then_else(less, left, right),
                    _ => self.terms.if_then_else(less, right, left),
                }
            }
            TermFunction::Absolute => {
                let value = single(0)?;
                let width = self.terms.width(value);
                let zero = self.terms.bits(width, 0);
                let is_negative = self.terms.signed_less(value, zero);
                let negated = self.terms.subtract(zero, value);
                if self.is_set(single(1)?) {
                    let least = self.terms.bits(width, 1 << (width - 1));
                    let is_least = self.terms.equal(value, least);
                    self.is_undefined_if(state.condition, is_least);
                }
                self.terms.if_then_else(is_negative, negated, value)
            }
            TermFunction::SwappedBytes => self.reversed(single(0)?, 8),
            TermFunction::ReversedBits => self.reversed(single(0)?, 1),
            TermFunction::SetBits => {
                let value = single(0)?;
                let width = self.terms.width(value);
                let mut sum = self.terms.bits(width, 0);
                for at in 0..width {
                    let bit = self.terms.extract(value, at, 1);
                    let bit = self.terms.zero_extend(bit, width);
                    sum = self.terms.add(sum, bit);
                }
                sum
            }
            TermFunction::LeadingZeros | TermFunction::TrailingZeros => {
                let value = single(0)?;
                let width = self.terms.width(value);
                let is_leading = matches!(intrinsic, TermFunction::LeadingZeros);
                let mut count = match self.is_set(single(1)?) {
                    false => self.terms.bits(width, u128::from(width)),
                    // Some number, the same in both versions. Behaviour is not undefined by it: what
                    // is computed for all arguments may be used for others only (`ffs`).
                    true => {
                        let end = if is_leading { "leading" } else { "trailing" };
                        let name = format!("{end} zeros of 0 in {width} bits");
                        self.names.symbol(self.terms, &name, Sort::Bits(width))
                    }
                };
                // The bit that decides last is asked first.
                for zeros in (0..width).rev() {
                    let at = match is_leading {
                        true => width - 1 - zeros,
                        false => zeros,
                    };
                    let bit = self.terms.extract(value, at, 1);
                    let one = self.terms.bits(1, 1);
                    let is_one = self.terms.equal(bit, one);
                    let zeros = self.terms.bits(width, u128::from(zeros));
                    count = self.terms.if_then_else(is_one, zeros, count);
                }
                count
            }
            TermFunction::Funnel { is_left } => {
                let (high, low, by) = (single(0)?, single(1)?, single(2)?);
                let width = self.terms.width(high);
                let size = self.terms.bits(width, u128::from(width));
                let by = self.terms.unsigned_remainder(by, size);
                let zero = self.terms.bits(width, 0);
                let is_none = self.terms.equal(by, zero);
                let other = self.terms.subtract(size, by);
                let (upper, lower, whole) = match is_left {
                    true => (by, other, high),
                    false => (other, by, low),
                };
                let upper = self.terms.shift_left(high, upper);
                let lower = self.terms.logical_shift_right(low, lower);
                let both = self.terms.bit_or(upper, lower);
                self.terms.if_then_else(is_none, whole, both)
            }
            TermFunction::Overflowing { ring, is_signed } => {
                return self
                    .overflowing(ring, is_signed, single(0)?, single(1)?)
                    .map(Some);
            }
        };
        Ok(Some(Value::Term(value)))
    }

    fn is_set(&self, flag: TermId) -> bool {
        self.terms.as_boolean(flag) != Some(false)
    }

    /// The parts of a word in reversed order.
    fn reversed(&mut self, word: TermId, size: u32) -> TermId {
        let width = self.terms.width(word);
        let mut found = self.terms.extract(word, 0, size);
        for low in (size..width).step_by(size as usize) {
            let part = self.terms.extract(word, low, size);
            found = self.terms.concatenate(found, part);
        }
        found
    }

    fn overflowing(
        &mut self,
        ring: Ring,
        is_signed: bool,
        left: TermId,
        right: TermId,
    ) -> Result<Value, Undecided> {
        let width = self.terms.width(left);
        if width > 64 {
            return Err(self.construct("an overflow of wide numbers", None));
        }
        let computed = |evaluator: &mut Self, left: TermId, right: TermId| match ring {
            Ring::Add => evaluator.terms.add(left, right),
            Ring::Subtract => evaluator.terms.subtract(left, right),
            Ring::Multiply => evaluator.terms.multiply(left, right),
        };
        let extended = |evaluator: &mut Self, term: TermId| match is_signed {
            true => evaluator.terms.sign_extend(term, 2 * width),
            false => evaluator.terms.zero_extend(term, 2 * width),
        };
        let value = computed(self, left, right);
        let wide = (extended(self, left), extended(self, right));
        let exact = computed(self, wide.0, wide.1);
        let got = extended(self, value);
        let equal = self.terms.equal(exact, got);
        let overflows = self.terms.not(equal);
        Ok(Value::Aggregate(vec![
            Value::Term(value),
            Value::Term(overflows),
        ]))
    }
}
