//! Intrinsics that compute.

use crate::arithmetic::wide;
use crate::extended::{self, DOUBLE, EXTENDED, Format, SINGLE};
use crate::floating_point::{format_of, is_class, known_format};
use crate::shapes::{element_count, element_type, scalar_width, undefined_value};
use crate::stop::{Outcome, undefined, unsupported};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Value, Wide, wide_mask};
use knockon_program::{Flags, IntegerPredicate, Opcode, Program, Type, TypeId};

macro_rules! numeric {
    ($($variant:ident $name:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Numeric { $($variant),* }

        impl Numeric {
            /// The longest name that the given one starts with, up to its type suffix.
            pub(crate) fn named(name: &str) -> Option<Numeric> {
                const NAMES: &[(&str, Numeric)] = &[$(($name, Numeric::$variant)),*];
                NAMES
                    .iter()
                    .filter(|(stem, _)| name.strip_prefix(stem).is_some_and(|rest| rest.starts_with('.')))
                    .max_by_key(|(stem, _)| stem.len())
                    .map(|(_, numeric)| *numeric)
            }
        }
    };
}

numeric! {
    Absolute "abs", SignedMaximum "smax", SignedMinimum "smin", UnsignedMaximum "umax",
    UnsignedMinimum "umin", ByteSwap "bswap", Population "ctpop", LeadingZeros "ctlz",
    TrailingZeros "cttz", BitReverse "bitreverse", FunnelLeft "fshl", FunnelRight "fshr",
    SignedAddOverflow "sadd.with.overflow", UnsignedAddOverflow "uadd.with.overflow",
    SignedSubtractOverflow "ssub.with.overflow", UnsignedSubtractOverflow "usub.with.overflow",
    SignedMultiplyOverflow "smul.with.overflow", UnsignedMultiplyOverflow "umul.with.overflow",
    SignedAddSaturating "sadd.sat", UnsignedAddSaturating "uadd.sat",
    SignedSubtractSaturating "ssub.sat", UnsignedSubtractSaturating "usub.sat",
    SignedShiftSaturating "sshl.sat", UnsignedShiftSaturating "ushl.sat",
    FloatAbsolute "fabs", SquareRoot "sqrt", Floor "floor", Ceiling "ceil", RoundTowardsZero "trunc",
    RoundInteger "rint", NearbyInteger "nearbyint", Round "round", RoundEven "roundeven",
    CopySign "copysign", MinimumNumber "minnum", MaximumNumber "maxnum", Minimum "minimum",
    Maximum "maximum", FusedMultiplyAdd "fma", MultiplyAdd "fmuladd", PowerInteger "powi",
    Power "pow", Exponential "exp", ExponentialTwo "exp2", Logarithm "log", LogarithmTwo "log2",
    LogarithmTen "log10", Sine "sin", Cosine "cos", Tangent "tan", IsClass "is.fpclass",
    SignedSaturatingInteger "fptosi.sat", UnsignedSaturatingInteger "fptoui.sat",
    LongRound "lround", LongLongRound "llround", LongRoundInteger "lrint",
    LongLongRoundInteger "llrint",
    ReduceAdd "vector.reduce.add", ReduceAnd "vector.reduce.and", ReduceOr "vector.reduce.or",
}

/// The result of an intrinsic that computes.
pub(super) fn compute(
    program: &Program,
    numeric: Numeric,
    result: TypeId,
    types: &[TypeId],
    arguments: &[Value],
) -> Outcome<Value> {
    let Some(first_type) = types.first().copied() else {
        return unsupported("a built-in function without arguments");
    };
    if let Type::Vector { element, count, .. } = program.type_of(first_type) {
        if let Some(opcode) = reduction(numeric) {
            return reduce(program, opcode, *element, &arguments[0]);
        }
        return element_wise(program, numeric, result, types, arguments, *count as usize);
    }
    let Some(width) = scalar_width(program, first_type).filter(|width| *width <= 128) else {
        return unsupported("a built-in function on integers of more than 128 bits");
    };
    let mut wides = Vec::with_capacity(arguments.len());
    for argument in arguments {
        match argument.to_wide() {
            Some(wide) if wide.undefined == 0 => wides.push(wide.bits),
            // Bit by bit the result could be partly defined; this much is safe to say.
            _ => return Ok(undefined_value(program, result)),
        }
    }
    let type_row = program.type_of(first_type);
    if type_row.is_floating_point() {
        return float(program, numeric, result, type_row, width, &wides);
    }
    integer(numeric, width, &wides)
}

fn element_wise(
    program: &Program,
    numeric: Numeric,
    result: TypeId,
    types: &[TypeId],
    arguments: &[Value],
    count: usize,
) -> Outcome<Value> {
    if element_count(program, result) != count {
        return unsupported("a built-in function on vectors with a result of another shape");
    }
    let inner_types: Vec<TypeId> = types
        .iter()
        .map(|id| match program.type_of(*id) {
            Type::Vector { element, .. } => *element,
            _ => *id,
        })
        .collect();
    let inner_result = element_type(program, result, 0).unwrap_or(result);
    let mut elements = Vec::with_capacity(count);
    for index in 0..count {
        let row: Vec<Value> = arguments
            .iter()
            .map(|argument| match argument {
                Value::Aggregate(elements) => elements[index.min(elements.len() - 1)].clone(),
                scalar => scalar.clone(),
            })
            .collect();
        elements.push(compute(program, numeric, inner_result, &inner_types, &row)?);
    }
    Ok(Value::Aggregate(elements.into()))
}

fn reduction(numeric: Numeric) -> Option<Opcode> {
    match numeric {
        Numeric::ReduceAdd => Some(Opcode::Add),
        Numeric::ReduceAnd => Some(Opcode::And),
        Numeric::ReduceOr => Some(Opcode::Or),
        _ => None,
    }
}

fn reduce(program: &Program, opcode: Opcode, element: TypeId, vector: &Value) -> Outcome<Value> {
    let width = scalar_width(program, element).unwrap_or(64);
    let mut total: Option<Wide> = None;
    for value in vector.elements() {
        let value = value.to_wide().unwrap_or_default();
        total = Some(match total {
            Some(total) => wide::binary(opcode, Flags::NONE, width, total, value)?,
            None => value,
        });
    }
    Ok(Value::from_wide(total.unwrap_or_default(), width))
}

fn signed(bits: u128, width: u32) -> i128 {
    let unused = 128 - width.clamp(1, 128);
    ((bits << unused) as i128) >> unused
}

fn integer(numeric: Numeric, width: u32, arguments: &[u128]) -> Outcome<Value> {
    use IntegerPredicate as P;
    let value = |bits: u128| Ok(Value::from_wide(Wide::new(bits), width));
    let a = arguments[0];
    let b = arguments.get(1).copied().unwrap_or(0);
    let choose = |predicate: P| {
        let first = wide::compare(predicate, width, Wide::new(a), Wide::new(b));
        value(if first.bits != 0 { a } else { b })
    };
    match numeric {
        Numeric::Absolute => {
            if b != 0 && a == 1 << (width - 1) {
                return undefined(
                    UndefinedBehaviour::SignedOverflow,
                    format!(
                        "the absolute value of {} does not fit {width} bits",
                        signed(a, width)
                    ),
                );
            }
            value(signed(a, width).unsigned_abs())
        }
        Numeric::SignedMaximum => choose(P::SignedGreater),
        Numeric::SignedMinimum => choose(P::SignedLess),
        Numeric::UnsignedMaximum => choose(P::UnsignedGreater),
        Numeric::UnsignedMinimum => choose(P::UnsignedLess),
        Numeric::ByteSwap => value(a.swap_bytes() >> (128 - width)),
        Numeric::BitReverse => value(a.reverse_bits() >> (128 - width)),
        Numeric::Population => value(u128::from(a.count_ones())),
        Numeric::LeadingZeros | Numeric::TrailingZeros => {
            if a == 0 && b != 0 {
                return undefined(
                    UndefinedBehaviour::InvalidBuiltin,
                    "the number of leading or trailing zeros of zero",
                );
            }
            value(u128::from(if numeric == Numeric::LeadingZeros {
                a.leading_zeros() - (128 - width)
            } else {
                a.trailing_zeros().min(width)
            }))
        }
        Numeric::FunnelLeft | Numeric::FunnelRight => {
            let c = arguments.get(2).copied().unwrap_or(0);
            let amount = (c % u128::from(width)) as u32;
            let rest = width - amount;
            let shifted = |bits: u128, by: u32| bits.checked_shl(by).unwrap_or(0);
            let lowered = |bits: u128, by: u32| bits.checked_shr(by).unwrap_or(0);
            value(if numeric == Numeric::FunnelLeft {
                shifted(a, amount) | lowered(b, rest)
            } else {
                shifted(a, rest) | lowered(b, amount)
            })
        }
        _ => overflowing(numeric, width, a, b),
    }
}

/// `with.overflow` and saturating arithmetic.
fn overflowing(numeric: Numeric, width: u32, a: u128, b: u128) -> Outcome<Value> {
    use Numeric as N;
    let (opcode, is_signed) = match numeric {
        N::SignedAddOverflow | N::SignedAddSaturating => (Opcode::Add, true),
        N::UnsignedAddOverflow | N::UnsignedAddSaturating => (Opcode::Add, false),
        N::SignedSubtractOverflow | N::SignedSubtractSaturating => (Opcode::Subtract, true),
        N::UnsignedSubtractOverflow | N::UnsignedSubtractSaturating => (Opcode::Subtract, false),
        N::SignedMultiplyOverflow => (Opcode::Multiply, true),
        N::UnsignedMultiplyOverflow => (Opcode::Multiply, false),
        _ => return unsupported(format!("the built-in function {numeric:?} on integers")),
    };
    let (left, right) = (Wide::new(a), Wide::new(b));
    let wrapped = wide::binary(opcode, Flags::NONE, width, left, right)?;
    let overflow = if is_signed {
        wide::binary(opcode, Flags::NO_SIGNED_WRAP, width, left, right).is_err()
    } else {
        wide::binary(opcode, Flags::NO_UNSIGNED_WRAP, width, left, right)?.undefined != 0
    };
    let saturates = matches!(
        numeric,
        N::SignedAddSaturating
            | N::UnsignedAddSaturating
            | N::SignedSubtractSaturating
            | N::UnsignedSubtractSaturating
    );
    if !saturates {
        return Ok(Value::pair(
            Value::from_wide(wrapped, width),
            Value::integer(u64::from(overflow)),
        ));
    }
    let bound = match (is_signed, opcode) {
        (true, _) if signed(a, width) < 0 => 1 << (width - 1),
        (true, _) => wide_mask(width - 1),
        (false, Opcode::Subtract) => 0,
        (false, _) => wide_mask(width),
    };
    let bits = if overflow { bound } else { wrapped.bits };
    Ok(Value::from_wide(Wide::new(bits), width))
}

fn float(
    program: &Program,
    numeric: Numeric,
    result: TypeId,
    type_row: &Type,
    width: u32,
    arguments: &[u128],
) -> Outcome<Value> {
    let format = known_format(type_row)?;
    let a = arguments[0];
    let sign = 1u128 << (width - 1);
    let value = |bits: u128| Ok(Value::from_wide(Wide::new(bits), width));
    match numeric {
        Numeric::FloatAbsolute => return value(a & !sign),
        Numeric::CopySign => return value(a & !sign | arguments[1] & sign),
        Numeric::IsClass => {
            let holds = is_class(format, a, arguments[1] as u64);
            return Ok(Value::integer(u64::from(holds)));
        }
        Numeric::MinimumNumber | Numeric::MaximumNumber => {
            let b = arguments[1];
            let order = extended::compare(format, a, b);
            let a_is_number = extended::compare(format, a, a).is_some();
            let first = match order {
                None => a_is_number,
                Some(order) if numeric == Numeric::MinimumNumber => order.is_le(),
                Some(order) => order.is_ge(),
            };
            return value(if first { a } else { b });
        }
        Numeric::SignedSaturatingInteger | Numeric::UnsignedSaturatingInteger => {
            let Some(to) = scalar_width(program, result).filter(|width| *width <= 128) else {
                return unsupported("a conversion to integers of more than 128 bits");
            };
            let is_signed = numeric == Numeric::SignedSaturatingInteger;
            return Ok(saturated(format, a, to, is_signed));
        }
        Numeric::LongRound
        | Numeric::LongLongRound
        | Numeric::LongRoundInteger
        | Numeric::LongLongRoundInteger => {
            let rounding = if matches!(numeric, Numeric::LongRound | Numeric::LongLongRound) {
                Numeric::Round
            } else {
                Numeric::RoundInteger
            };
            let rounded = host(format, rounding, arguments)?;
            let to = scalar_width(program, result).unwrap_or(64);
            return crate::floating_point::to_integer(type_row, Wide::new(rounded), to, true);
        }
        _ => {}
    }
    if format == EXTENDED {
        return extended_float(numeric, arguments)
            .map(|bits| Value::from_wide(Wide::new(bits), 80));
    }
    if format_of(type_row) != Some(DOUBLE) && format != SINGLE {
        // `half` is computed in `float`, as the compiler does.
        let wide: Vec<u128> = arguments
            .iter()
            .enumerate()
            .map(|(index, bits)| {
                if index == 1 && numeric == Numeric::PowerInteger {
                    *bits
                } else {
                    format.convert(*bits, SINGLE)
                }
            })
            .collect();
        return value(SINGLE.convert(host(SINGLE, numeric, &wide)?, format));
    }
    value(host(format, numeric, arguments)?)
}

fn saturated(format: Format, bits: u128, width: u32, is_signed: bool) -> Value {
    let (least, most) = if is_signed {
        (1u128 << (width - 1), wide_mask(width - 1))
    } else {
        (0, wide_mask(width))
    };
    let not_a_number = extended::compare(format, bits, bits).is_none();
    let negative = format.unpack(bits).negative;
    let result = match extended::to_integer(format, bits) {
        _ if not_a_number => 0,
        Some((true, magnitude)) if is_signed && magnitude <= least => magnitude.wrapping_neg(),
        Some((false, magnitude)) if magnitude <= most => magnitude,
        Some((true, 0)) => 0,
        _ if negative => least,
        _ => most,
    };
    Value::from_wide(Wide::new(result), width)
}

/// Floating-point functions on `float` and `double`, by the host's library.
fn host(format: Format, numeric: Numeric, arguments: &[u128]) -> Outcome<u128> {
    macro_rules! by_host {
        ($float:ident, $bits:ident) => {{
            let argument = |index: usize| {
                $float::from_bits(arguments.get(index).copied().unwrap_or(0) as $bits)
            };
            let a = argument(0);
            let result = match numeric {
                Numeric::SquareRoot => a.sqrt(),
                Numeric::Floor => a.floor(),
                Numeric::Ceiling => a.ceil(),
                Numeric::RoundTowardsZero => a.trunc(),
                Numeric::RoundInteger | Numeric::NearbyInteger | Numeric::RoundEven => {
                    a.round_ties_even()
                }
                Numeric::Round => a.round(),
                Numeric::Minimum if a.is_nan() || argument(1).is_nan() => a + argument(1),
                Numeric::Maximum if a.is_nan() || argument(1).is_nan() => a + argument(1),
                Numeric::Minimum => {
                    if a < argument(1) || a == argument(1) && a.is_sign_negative() {
                        a
                    } else {
                        argument(1)
                    }
                }
                Numeric::Maximum => {
                    if a > argument(1) || a == argument(1) && a.is_sign_positive() {
                        a
                    } else {
                        argument(1)
                    }
                }
                Numeric::FusedMultiplyAdd => a.mul_add(argument(1), argument(2)),
                // Without hardware for it the compiler multiplies and adds.
                Numeric::MultiplyAdd => a * argument(1) + argument(2),
                Numeric::PowerInteger => a.powi(arguments[1] as u32 as i32),
                Numeric::Power => a.powf(argument(1)),
                Numeric::Exponential => a.exp(),
                Numeric::ExponentialTwo => a.exp2(),
                Numeric::Logarithm => a.ln(),
                Numeric::LogarithmTwo => a.log2(),
                Numeric::LogarithmTen => a.log10(),
                Numeric::Sine => a.sin(),
                Numeric::Cosine => a.cos(),
                Numeric::Tangent => a.tan(),
                _ => return unsupported(format!("the built-in function {numeric:?}")),
            };
            u128::from(result.to_bits())
        }};
    }
    Ok(if format == SINGLE {
        by_host!(f32, u32)
    } else {
        by_host!(f64, u64)
    })
}

/// The functions on `long double` that are exact or correctly rounded.
fn extended_float(numeric: Numeric, arguments: &[u128]) -> Outcome<u128> {
    use extended::{Operation, binary};
    let a = arguments[0];
    match numeric {
        Numeric::SquareRoot => Ok(extended::square_root(a)),
        Numeric::MultiplyAdd => {
            let product = binary(Operation::Multiply, a, arguments[1]);
            Ok(binary(Operation::Add, product, arguments[2]))
        }
        Numeric::Floor
        | Numeric::Ceiling
        | Numeric::RoundTowardsZero
        | Numeric::Round
        | Numeric::RoundEven
        | Numeric::RoundInteger
        | Numeric::NearbyInteger => Ok(extended_integer(numeric, a)),
        _ => unsupported(format!("the built-in function {numeric:?} on long double")),
    }
}

/// Rounding a `long double` to an integer.
fn extended_integer(numeric: Numeric, bits: u128) -> u128 {
    let number = EXTENDED.unpack(bits);
    let extended::Magnitude::Finite {
        significand,
        exponent,
    } = number.magnitude
    else {
        return bits;
    };
    if exponent >= 0 {
        return bits;
    }
    let shift = exponent.unsigned_abs();
    let (whole, rest, half) = if shift > 64 {
        (0, significand, u128::from(u64::MAX))
    } else {
        let whole = u128::from(significand) >> shift;
        let rest = u128::from(significand) & wide_mask(shift);
        (whole, rest as u64, 1u128 << (shift - 1))
    };
    let rest = u128::from(rest);
    let up = match numeric {
        Numeric::Floor => number.negative && rest != 0,
        Numeric::Ceiling => !number.negative && rest != 0,
        Numeric::RoundTowardsZero => false,
        Numeric::Round => shift <= 64 && rest >= half,
        _ => shift <= 64 && (rest > half || rest == half && whole & 1 == 1),
    };
    EXTENDED.round(number.negative, whole + u128::from(up), 0, false)
}
