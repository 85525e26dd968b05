//! Intrinsics on floating-point numbers.

use crate::extended;
use crate::floating_point::{format_of, is_class, known_format};
use crate::formats::{self, DOUBLE, EXTENDED, Format, SINGLE};
use crate::shapes::scalar_width;
use crate::stop::{Outcome, unsupported};
use crate::value::{Value, Wide, wide_mask};
use knockon_program::{Numeric, Program, Type, TypeId};

/// The result on arguments that are all defined.
pub(super) fn float(
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
            let order = formats::compare(format, a, b);
            let a_is_number = formats::compare(format, a, a).is_some();
            let first = match order {
                None => a_is_number,
                Some(order) if numeric == Numeric::MinimumNumber => order.is_le(),
                Some(order) => order.is_ge(),
            };
            return value(if first { a } else { b });
        }
        Numeric::SaturatingInteger(signedness) => {
            let Some(to) = scalar_width(program, result).filter(|width| *width <= 128) else {
                return unsupported("a conversion to integers of more than 128 bits");
            };
            let is_signed = signedness.is_signed();
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
    let not_a_number = formats::compare(format, bits, bits).is_none();
    let negative = format.unpack(bits).negative;
    let result = match formats::to_integer(format, bits) {
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
    let number = EXTENDED.unpack(bits).normalised();
    let formats::Magnitude::Finite {
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
