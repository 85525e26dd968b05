//! What do the functions of `<math.h>` return, and which error number do they leave?
//!
//! Rounding functions, remainders and scaling are exact by their definition. The others go to the
//! host's mathematical library through Rust's standard library, which is what a compiled program on
//! this machine would call too, so results agree to the last bit; the inverse hyperbolic functions,
//! which Rust computes in its own way, follow glibc's algorithm (fdlibm) here. Functions that neither
//! offers are absent, and a call of one is reported as unsupported.

use crate::formats::{DOUBLE, Floating, Magnitude};
use crate::rounding::nearest;

/// The natural logarithm of two, as fdlibm has it.
const LOGARITHM_OF_TWO: f64 = std::f64::consts::LN_2;

/// A function of one `double`.
pub fn unary(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tan" => f64::tan,
        "asin" => f64::asin,
        "acos" => f64::acos,
        "atan" => f64::atan,
        "sinh" => f64::sinh,
        "cosh" => f64::cosh,
        "tanh" => f64::tanh,
        "asinh" => inverse_sinh,
        "acosh" => inverse_cosh,
        "atanh" => inverse_tanh,
        "exp" => f64::exp,
        "exp2" => f64::exp2,
        "expm1" => f64::exp_m1,
        "log" => f64::ln,
        "log2" => f64::log2,
        "log10" => f64::log10,
        "log1p" => f64::ln_1p,
        "sqrt" => f64::sqrt,
        "fabs" => f64::abs,
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        "trunc" => f64::trunc,
        "round" => f64::round,
        "rint" | "nearbyint" | "roundeven" => f64::round_ties_even,
        "logb" => binary_exponent,
        _ => return None,
    })
}

/// A function of two `double`s. Of two zeros, the second is both the smaller and the larger, as it is
/// for glibc.
pub fn binary(name: &str) -> Option<fn(f64, f64) -> f64> {
    Some(match name {
        "pow" => f64::powf,
        "atan2" => f64::atan2,
        "fmod" => |left, right| left % right,
        "hypot" => f64::hypot,
        "fmin" => |left, right| {
            if left.is_nan() || !(left < right || right.is_nan()) {
                right
            } else {
                left
            }
        },
        "fmax" => |left, right| {
            if left.is_nan() || !(left > right || right.is_nan()) {
                right
            } else {
                left
            }
        },
        "fdim" => |left, right| if left <= right { 0.0 } else { left - right },
        "copysign" => f64::copysign,
        "nextafter" => next_after,
        "remainder" | "drem" => remainder,
        _ => return None,
    })
}

/// A function of one `float`, by its `double` relative's name.
pub fn unary_single(name: &str) -> Option<fn(f32) -> f32> {
    Some(match name {
        "sinf" => f32::sin,
        "cosf" => f32::cos,
        "tanf" => f32::tan,
        "asinf" => f32::asin,
        "acosf" => f32::acos,
        "atanf" => f32::atan,
        "sinhf" => f32::sinh,
        "coshf" => f32::cosh,
        "tanhf" => f32::tanh,
        "expf" => f32::exp,
        "exp2f" => f32::exp2,
        "expm1f" => f32::exp_m1,
        "logf" => f32::ln,
        "log2f" => f32::log2,
        "log10f" => f32::log10,
        "log1pf" => f32::ln_1p,
        "sqrtf" => f32::sqrt,
        "fabsf" => f32::abs,
        "floorf" => f32::floor,
        "ceilf" => f32::ceil,
        "truncf" => f32::trunc,
        "roundf" => f32::round,
        "rintf" | "nearbyintf" | "roundevenf" => f32::round_ties_even,
        _ => return None,
    })
}

/// A function of two `float`s.
pub fn binary_single(name: &str) -> Option<fn(f32, f32) -> f32> {
    Some(match name {
        "powf" => f32::powf,
        "atan2f" => f32::atan2,
        "fmodf" => |left, right| left % right,
        "hypotf" => f32::hypot,
        "fminf" => |left, right| {
            if left.is_nan() || !(left < right || right.is_nan()) {
                right
            } else {
                left
            }
        },
        "fmaxf" => |left, right| {
            if left.is_nan() || !(left > right || right.is_nan()) {
                right
            } else {
                left
            }
        },
        "fdimf" => |left, right| if left <= right { 0.0 } else { left - right },
        "copysignf" => f32::copysign,
        _ => return None,
    })
}

/// What a function of the library left in `errno`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MathError {
    /// `EDOM`.
    Domain,
    /// `ERANGE`.
    Range,
}

/// Functions that never touch `errno`.
fn is_silent(name: &str) -> bool {
    matches!(
        name,
        "fabs"
            | "floor"
            | "ceil"
            | "trunc"
            | "round"
            | "rint"
            | "nearbyint"
            | "roundeven"
            | "fmin"
            | "fmax"
            | "copysign"
            | "logb"
            | "asinh"
            | "tanh"
            | "atan"
    )
}

/// The error that glibc's wrappers report for a call: a NaN from numbers is a domain error, an
/// infinity from numbers a range error, and so is a result too small for the normal range where the
/// function can get there by underflow.
pub fn error_of(name: &str, arguments: &[f64], result: f64) -> Option<MathError> {
    let name = name
        .strip_suffix('f')
        .filter(|base| unary(base).or(None).is_some() || binary(base).is_some())
        .unwrap_or(name);
    if is_silent(name) || arguments.iter().any(|argument| argument.is_nan()) {
        return None;
    }
    if result.is_nan() {
        return Some(MathError::Domain);
    }
    let finite = arguments.iter().all(|argument| argument.is_finite());
    if result.is_infinite() && finite {
        return Some(MathError::Range);
    }
    let underflow = match name {
        "exp" | "exp2" => finite && result == 0.0,
        "pow" => finite && result == 0.0 && arguments[0] != 0.0,
        "atan2" => result == 0.0 && arguments[0] != 0.0 && arguments[1].is_finite(),
        "nextafter" => {
            let [from, towards] = [arguments[0], arguments[1]];
            from != 0.0 && from != towards && result.abs() < f64::MIN_POSITIVE
        }
        "ldexp" | "scalbn" => result == 0.0 && arguments[0] != 0.0,
        _ => false,
    };
    underflow.then_some(MathError::Range)
}

/// `logb`.
fn binary_exponent(value: f64) -> f64 {
    match Floating::from_double(value).magnitude {
        Magnitude::Zero => f64::NEG_INFINITY,
        Magnitude::Infinite => f64::INFINITY,
        Magnitude::NotANumber { .. } => value,
        Magnitude::Finite {
            significand,
            exponent,
        } => f64::from(exponent + 63 - significand.leading_zeros() as i32),
    }
}

/// `ldexp`, `scalbn` and `scalbln`: one rounding of the exact product.
pub fn scale(value: f64, power: i64) -> f64 {
    let number = Floating::from_double(value);
    match number.magnitude {
        Magnitude::Finite {
            significand,
            exponent,
        } => {
            let exponent = i64::from(exponent) + power.clamp(-100_000, 100_000);
            nearest(
                DOUBLE,
                number.negative,
                u128::from(significand),
                exponent,
                false,
            )
            .0
            .to_double()
        }
        _ => value,
    }
}

/// `frexp`: a fraction in [½, 1) and the power of two that scales it back.
pub fn fraction_and_exponent(value: f64) -> (f64, i32) {
    if value == 0.0 || !value.is_finite() {
        return (value, 0);
    }
    let power = binary_exponent(value) as i32 + 1;
    (scale(value, -i64::from(power)), power)
}

/// `modf`: the fraction and the integral part, both with the value's sign.
pub fn fraction_and_whole(value: f64) -> (f64, f64) {
    let whole = value.trunc();
    let fraction = if value.is_infinite() {
        0.0
    } else {
        value - whole
    };
    (fraction.copysign(value), whole)
}

/// `nextafter`.
fn next_after(from: f64, towards: f64) -> f64 {
    if from.is_nan() || towards.is_nan() {
        from + towards
    } else if from == towards {
        towards
    } else if from < towards {
        from.next_up()
    } else {
        from.next_down()
    }
}

/// `remainder`: `left − n × right` with `n` the integer nearest to the quotient, ties to even.
fn remainder(left: f64, right: f64) -> f64 {
    if left.is_nan() || right.is_nan() || left.is_infinite() || right == 0.0 {
        return f64::NAN;
    }
    if right.is_infinite() {
        return left;
    }
    let size = right.abs();
    // The remainder by twice the divisor keeps the quotient's parity; both steps below are exact.
    let mut rest = if size <= f64::MAX / 2.0 {
        left.abs() % (size + size)
    } else {
        left.abs()
    };
    let beyond_half = |rest: f64| {
        if size < f64::MIN_POSITIVE * 2.0 {
            rest + rest > size
        } else {
            rest > size * 0.5
        }
    };
    let at_least_half = |rest: f64| {
        if size < f64::MIN_POSITIVE * 2.0 {
            rest + rest >= size
        } else {
            rest >= size * 0.5
        }
    };
    if beyond_half(rest) {
        rest -= size;
        if at_least_half(rest) {
            rest -= size;
        }
    }
    if left.is_sign_negative() { -rest } else { rest }
}

/// The high half of a number's bits without the sign, by which fdlibm chooses its cases.
fn high_word(value: f64) -> u32 {
    (value.to_bits() >> 32) as u32 & 0x7fff_ffff
}

/// `asinh`, after fdlibm's `s_asinh.c`.
fn inverse_sinh(value: f64) -> f64 {
    let (size, high) = (value.abs(), high_word(value));
    if !(0x3e30_0000..0x7ff0_0000).contains(&high) {
        return value;
    }
    let result = if high > 0x41b0_0000 {
        size.ln() + LOGARITHM_OF_TWO
    } else if high > 0x4000_0000 {
        (2.0 * size + 1.0 / ((size * size + 1.0).sqrt() + size)).ln()
    } else {
        let square = size * size;
        (size + square / (1.0 + (1.0 + square).sqrt())).ln_1p()
    };
    result.copysign(value)
}

/// `acosh`, after fdlibm's `e_acosh.c`.
fn inverse_cosh(value: f64) -> f64 {
    if value > 2.0 {
        if value >= 268_435_456.0 {
            return if value.is_infinite() {
                value
            } else {
                value.ln() + LOGARITHM_OF_TWO
            };
        }
        return (2.0 * value - 1.0 / (value + (value * value - 1.0).sqrt())).ln();
    }
    if value > 1.0 {
        let over = value - 1.0;
        return (over + (2.0 * over + over * over).sqrt()).ln_1p();
    }
    if value == 1.0 { 0.0 } else { f64::NAN }
}

/// `atanh`, after fdlibm's `e_atanh.c`.
fn inverse_tanh(value: f64) -> f64 {
    let size = value.abs();
    let result = if size < 0.5 {
        if size < 3.725_290_298_461_914e-9 {
            return value;
        }
        let double = size + size;
        0.5 * (double + double * size / (1.0 - size)).ln_1p()
    } else if size < 1.0 {
        0.5 * ((size + size) / (1.0 - size)).ln_1p()
    } else if size == 1.0 {
        f64::INFINITY
    } else {
        return f64::NAN;
    };
    result.copysign(value)
}

#[cfg(test)]
mod tests;
