//! The functions of `<math.h>`: arguments, results and `errno`.

use crate::formats::{EXTENDED, Magnitude};
use crate::library::error_numbers::number;
use crate::library::mathematics::{
    MathError, binary, binary_single, error_of, fraction_and_exponent, fraction_and_whole, scale,
    unary, unary_single,
};
use crate::library::objects::set_error;
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::{Outcome, unsupported};
use crate::value::{Scalar, Value, Wide};

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    if unary(name).is_some() {
        return Some(call_unary);
    }
    if binary(name).is_some() {
        return Some(call_binary);
    }
    if unary_single(name).is_some() {
        return Some(call_unary_single);
    }
    if binary_single(name).is_some() {
        return Some(call_binary_single);
    }
    Some(match name {
        "ldexp" | "scalbn" | "scalbln" => call_scale,
        "ldexpf" | "scalbnf" => call_scale_single,
        "frexp" => call_split,
        "modf" => call_split_whole,
        "fma" => call_fused,
        "lround" | "llround" | "lrint" | "llrint" => call_to_integer,
        "lroundf" | "llroundf" | "lrintf" | "llrintf" => call_single_to_integer,
        "ilogb" => call_exponent,
        "isnan" | "__isnan" | "isinf" | "__isinf" | "finite" | "__finite" | "__signbit"
        | "__fpclassify" => classify,
        "isnanf" | "__isnanf" | "isinff" | "__isinff" | "finitef" | "__finitef" | "__signbitf"
        | "__fpclassifyf" => classify_single,
        "fabsl" | "copysignl" => change_extended_sign,
        "__isnanl" | "isnanl" | "__isinfl" | "isinfl" | "__finitel" | "finitel" | "__signbitl"
        | "__fpclassifyl" => classify_extended,
        "nan" => quiet_nan,
        _ => return None,
    })
}

fn report(machine: &mut Machine<'_>, name: &str, arguments: &[f64], result: f64) -> Outcome<()> {
    match error_of(name, arguments, result) {
        None => Ok(()),
        Some(MathError::Domain) => set_error(machine, number::EDOM),
        Some(MathError::Range) => set_error(machine, number::ERANGE),
    }
}

fn missing<T>(call: &LibraryCall<'_>) -> Outcome<T> {
    unsupported(format!("{} is not implemented", call.name))
}

fn call_unary(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let Some(function) = unary(call.name) else {
        return missing(call);
    };
    let value = call.double(0)?;
    let result = function(value);
    report(machine, call.name, &[value], result)?;
    Ok(Value::double(result))
}

fn call_binary(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let Some(function) = binary(call.name) else {
        return missing(call);
    };
    let (left, right) = (call.double(0)?, call.double(1)?);
    let result = function(left, right);
    report(machine, call.name, &[left, right], result)?;
    Ok(Value::double(result))
}

fn call_unary_single(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let Some(function) = unary_single(call.name) else {
        return missing(call);
    };
    let value = call.single(0)?;
    let result = function(value);
    report(machine, call.name, &[f64::from(value)], f64::from(result))?;
    Ok(Value::single(result))
}

fn call_binary_single(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let Some(function) = binary_single(call.name) else {
        return missing(call);
    };
    let (left, right) = (call.single(0)?, call.single(1)?);
    let result = function(left, right);
    report(
        machine,
        call.name,
        &[f64::from(left), f64::from(right)],
        f64::from(result),
    )?;
    Ok(Value::single(result))
}

fn call_scale(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let value = call.double(0)?;
    let result = scale(value, call.signed(1)?);
    report(machine, "ldexp", &[value], result)?;
    Ok(Value::double(result))
}

/// A `float` scaled in `double` is exact or far outside `float`, so one rounding remains.
fn call_scale_single(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let power = call.signed(1)?.clamp(-400, 400);
    Ok(Value::single(
        scale(f64::from(call.single(0)?), power) as f32
    ))
}

fn call_split(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (fraction, power) = fraction_and_exponent(call.double(0)?);
    machine
        .memory
        .store(call.pointer(1)?, 4, Scalar::new(u64::from(power as u32)))?;
    Ok(Value::double(fraction))
}

fn call_split_whole(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (fraction, whole) = fraction_and_whole(call.double(0)?);
    machine
        .memory
        .store(call.pointer(1)?, 8, Scalar::new(whole.to_bits()))?;
    Ok(Value::double(fraction))
}

fn call_fused(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::double(
        call.double(0)?.mul_add(call.double(1)?, call.double(2)?),
    ))
}

/// What the machine's conversion gives for a number outside the range, too.
fn rounded_integer(call: &LibraryCall<'_>, value: f64) -> Value {
    let rounded = if call.name.contains("rint") {
        value.round_ties_even()
    } else {
        value.round()
    };
    let inside = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&rounded);
    Value::integer(if inside {
        rounded as i64 as u64
    } else {
        1 << 63
    })
}

fn call_to_integer(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let value = call.double(0)?;
    Ok(rounded_integer(call, value))
}

fn call_single_to_integer(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let value = f64::from(call.single(0)?);
    Ok(rounded_integer(call, value))
}

fn call_exponent(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let value = call.double(0)?;
    if value == 0.0 || !value.is_finite() {
        set_error(machine, number::EDOM)?;
        return Ok(Value::int(if value.is_infinite() {
            i32::MAX
        } else {
            i32::MIN
        }));
    }
    Ok(Value::int(fraction_and_exponent(value).1 - 1))
}

/// glibc's numbers for NaN, infinite, zero, subnormal and normal.
fn class_of(value: f64, subnormal: bool) -> i32 {
    if value.is_nan() {
        0
    } else if value.is_infinite() {
        1
    } else if value == 0.0 {
        2
    } else if subnormal {
        3
    } else {
        4
    }
}

fn classified(name: &str, value: f64, subnormal: bool) -> i32 {
    if name.contains("isnan") {
        i32::from(value.is_nan())
    } else if name.contains("isinf") {
        if value.is_infinite() {
            value.signum() as i32
        } else {
            0
        }
    } else if name.contains("finite") {
        i32::from(value.is_finite())
    } else if name.contains("signbit") {
        i32::from(value.is_sign_negative())
    } else {
        class_of(value, subnormal)
    }
}

fn classify(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let value = call.double(0)?;
    Ok(Value::int(classified(
        call.name,
        value,
        value.is_subnormal(),
    )))
}

fn classify_single(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let value = call.single(0)?;
    Ok(Value::int(classified(
        call.name,
        f64::from(value),
        value.is_subnormal(),
    )))
}

/// The sign bit of the 80-bit format.
const EXTENDED_SIGN: u128 = 1 << 79;

fn change_extended_sign(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let size = call.long_double(0)? & !EXTENDED_SIGN;
    let sign = match call.name {
        "copysignl" => call.long_double(1)? & EXTENDED_SIGN,
        _ => 0,
    };
    Ok(Value::Wide(Wide::new(size | sign)))
}

fn classify_extended(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let number = EXTENDED.unpack(call.long_double(0)?);
    let sign = if number.negative { -1.0 } else { 1.0 };
    // A number of the same class; the 80-bit one itself may lie outside the range of `double`.
    let value = match number.magnitude {
        Magnitude::Zero => 0.0,
        Magnitude::Infinite => f64::INFINITY,
        Magnitude::NotANumber { .. } => f64::NAN,
        Magnitude::Finite { .. } => 1.0,
    };
    let subnormal =
        matches!(number.magnitude, Magnitude::Finite { significand, .. } if significand >> 63 == 0);
    Ok(Value::int(classified(
        call.name,
        value.copysign(sign),
        subnormal,
    )))
}

fn quiet_nan(_: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::double(f64::NAN))
}
