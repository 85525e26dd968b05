//! `strtol`, `strtod`, `atoi` and their kin, and arithmetic on integers.

use crate::formats::{DOUBLE, EXTENDED, Floating, Format, SINGLE};
use crate::library::error_numbers::number;
use crate::library::numbers::{FloatingText, IntegerText, read_floating, read_integer};
use crate::library::objects::set_error;
use crate::library::text_access::parse;
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::{Outcome, undefined};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value, Wide};

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    let base = name.strip_prefix("__isoc23_").unwrap_or(name);
    Some(match base {
        "strtol" | "strtoll" | "strtoimax" | "strtoq" => signed_integer,
        "strtoul" | "strtoull" | "strtoumax" | "strtouq" => unsigned_integer,
        "__strtol_internal" | "__strtoll_internal" => signed_integer,
        "__strtoul_internal" | "__strtoull_internal" => unsigned_integer,
        "atoi" | "atol" | "atoll" => short_integer,
        "strtod" | "strtof" | "strtold" | "__strtod_internal" => floating,
        "atof" => short_floating,
        "abs" | "labs" | "llabs" | "imaxabs" => absolute,
        "div" => divide,
        "ldiv" | "lldiv" | "imaxdiv" => divide_long,
        _ => return None,
    })
}

/// Reads the integer at the first argument and sets the end pointer and `errno`.
fn integer(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Option<IntegerText>> {
    let (start, end_at) = (call.pointer(0)?, call.pointer(1)?);
    let base = call.signed(2)? as i32;
    let binary = call.name.starts_with("__isoc23_");
    let read = parse(
        &machine.memory,
        start,
        |text| read_integer(text, base, binary),
        |read| read.map_or(0, |read| read.examined),
    )?;
    match read {
        None => set_error(machine, number::EINVAL)?,
        Some(read) if end_at != 0 => {
            machine
                .memory
                .store(end_at, 8, Scalar::new(start + read.end as u64))?;
        }
        Some(_) => {}
    }
    Ok(read)
}

fn signed_integer(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let Some(read) = integer(machine, call)? else {
        return Ok(Value::integer(0));
    };
    let (value, range_error) = read.signed();
    if range_error {
        set_error(machine, number::ERANGE)?;
    }
    Ok(Value::integer(value as u64))
}

fn unsigned_integer(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let Some(read) = integer(machine, call)? else {
        return Ok(Value::integer(0));
    };
    let (value, range_error) = read.unsigned();
    if range_error {
        set_error(machine, number::ERANGE)?;
    }
    Ok(Value::integer(value))
}

/// `atoi` is `strtol` cut to its result type.
fn short_integer(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let read = parse(
        &machine.memory,
        call.pointer(0)?,
        |text| read_integer(text, 10, false),
        |read| read.map_or(0, |read| read.examined),
    )?;
    let (value, range_error) = read.map_or((0, false), IntegerText::signed);
    if range_error {
        set_error(machine, number::ERANGE)?;
    }
    Ok(if call.name == "atoi" {
        Value::int(value as i32)
    } else {
        Value::integer(value as u64)
    })
}

fn read_real(machine: &mut Machine<'_>, start: u64, format: Format) -> Outcome<FloatingText> {
    let read = parse(
        &machine.memory,
        start,
        |text| read_floating(text, format),
        |read| read.examined,
    )?;
    if read.range_error {
        set_error(machine, number::ERANGE)?;
    }
    Ok(read)
}

/// A floating-point number as a value of its type.
fn as_value(number: Floating) -> Value {
    Value::from_wide(Wide::new(number.to_bits()), number.format.width())
}

fn floating(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let format = match call.name.strip_prefix("__isoc23_").unwrap_or(call.name) {
        "strtof" => SINGLE,
        "strtold" => EXTENDED,
        _ => DOUBLE,
    };
    let (start, end_at) = (call.pointer(0)?, call.pointer(1)?);
    let read = read_real(machine, start, format)?;
    if end_at != 0 {
        machine
            .memory
            .store(end_at, 8, Scalar::new(start + read.end as u64))?;
    }
    Ok(as_value(read.value))
}

fn short_floating(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let start = call.pointer(0)?;
    Ok(as_value(read_real(machine, start, DOUBLE)?.value))
}

fn absolute(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let value = call.signed(0)?;
    let narrow = call.name == "abs";
    let smallest = if narrow {
        i64::from(i32::MIN)
    } else {
        i64::MIN
    };
    if value == smallest {
        return undefined(
            UndefinedBehaviour::SignedOverflow,
            format!("{} of the smallest integer", call.name),
        );
    }
    Ok(if narrow {
        Value::int(value.abs() as i32)
    } else {
        Value::integer(value.unsigned_abs())
    })
}

fn quotient(call: &LibraryCall<'_>, smallest: i64) -> Outcome<(i64, i64)> {
    let (left, right) = (call.signed(0)?, call.signed(1)?);
    if right == 0 {
        return undefined(
            UndefinedBehaviour::DivisionByZero,
            format!("{} by zero", call.name),
        );
    }
    if left == smallest && right == -1 {
        return undefined(
            UndefinedBehaviour::DivisionOverflow,
            format!("{} of the smallest integer by -1", call.name),
        );
    }
    Ok((left / right, left % right))
}

/// The two `int`s of a `div_t` travel in one 64-bit register.
fn divide(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (quotient, remainder) = quotient(call, i64::from(i32::MIN))?;
    Ok(Value::integer(
        u64::from(quotient as u32) | u64::from(remainder as u32) << 32,
    ))
}

fn divide_long(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (quotient, remainder) = quotient(call, i64::MIN)?;
    Ok(Value::pair(
        Value::integer(quotient as u64),
        Value::integer(remainder as u64),
    ))
}
