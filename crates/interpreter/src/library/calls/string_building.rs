//! `strcpy`, `strcat`, `strdup`, `strerror` and their kin: functions that make strings.

use crate::library::error_numbers::{error_text, known_text, number};
use crate::library::objects::{named_object, result_text, set_error};
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::{Outcome, undefined};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value};

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "strcpy" | "stpcpy" | "__strcpy_chk" | "__stpcpy_chk" => copy,
        "strncpy" | "stpncpy" | "__strncpy_chk" | "__stpncpy_chk" => bounded_copy,
        "strcat" | "__strcat_chk" => append,
        "strncat" | "__strncat_chk" => bounded_append,
        "strlcpy" | "strlcat" => truncating_copy,
        "strdup" | "__strdup" | "strndup" | "__strndup" => duplicate,
        "strxfrm" => transform,
        "strerror" => describe_error,
        "strerror_r" | "__xpg_strerror_r" => describe_error_into,
        _ => return None,
    })
}

/// Writes a whole string, refusing to copy a string over itself.
fn write_string(
    machine: &mut Machine<'_>,
    call: &LibraryCall<'_>,
    to: u64,
    from: u64,
    bytes: &[u8],
) -> Outcome<()> {
    let length = bytes.len() as u64;
    if from < to.saturating_add(length) && to < from.saturating_add(length) {
        return undefined(
            UndefinedBehaviour::OverlappingCopy,
            format!("{} copies a string over itself", call.name),
        );
    }
    machine.memory.write(to, bytes)
}

/// The size that a fortified variant passes for its destination.
fn check_size(call: &LibraryCall<'_>, index: usize, needed: u64) -> Outcome<()> {
    if call.name.ends_with("_chk") && needed > call.integer(index)? {
        return undefined(
            UndefinedBehaviour::OutOfBounds,
            format!("{} writes {needed} bytes into a smaller object", call.name),
        );
    }
    Ok(())
}

fn with_end(text: &[u8]) -> Vec<u8> {
    let mut bytes = text.to_vec();
    bytes.push(0);
    bytes
}

fn copy(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (to, from) = (call.pointer(0)?, call.pointer(1)?);
    let bytes = with_end(machine.memory.c_string(from)?);
    check_size(call, 2, bytes.len() as u64)?;
    write_string(machine, call, to, from, &bytes)?;
    let end = to + bytes.len() as u64 - 1;
    Ok(Value::integer(if call.name.contains("stp") {
        end
    } else {
        to
    }))
}

fn bounded_copy(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (to, from, limit) = (call.pointer(0)?, call.pointer(1)?, call.integer(2)?);
    check_size(call, 3, limit)?;
    let text = machine.memory.c_string_up_to(from, limit)?.to_vec();
    let read = (text.len() as u64 + 1).min(limit);
    if from < to.saturating_add(limit) && to < from.saturating_add(read) {
        return undefined(
            UndefinedBehaviour::OverlappingCopy,
            format!("{} copies a string over itself", call.name),
        );
    }
    machine.memory.fill(to, Scalar::new(0), limit)?;
    machine.memory.write(to, &text)?;
    let result = if call.name.contains("stp") {
        to + text.len() as u64
    } else {
        to
    };
    Ok(Value::integer(result))
}

fn append(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (to, from) = (call.pointer(0)?, call.pointer(1)?);
    let start = machine.memory.c_string(to)?.len() as u64;
    let bytes = with_end(machine.memory.c_string(from)?);
    check_size(call, 2, start + bytes.len() as u64)?;
    write_string(machine, call, to + start, from, &bytes)?;
    Ok(Value::integer(to))
}

fn bounded_append(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (to, from, limit) = (call.pointer(0)?, call.pointer(1)?, call.integer(2)?);
    let start = machine.memory.c_string(to)?.len() as u64;
    let bytes = with_end(machine.memory.c_string_up_to(from, limit)?);
    check_size(call, 3, start + bytes.len() as u64)?;
    write_string(machine, call, to + start, from, &bytes)?;
    Ok(Value::integer(to))
}

/// `strlcpy` and `strlcat`: the result is the length that was wanted.
fn truncating_copy(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (to, from, size) = (call.pointer(0)?, call.pointer(1)?, call.integer(2)?);
    let text = machine.memory.c_string(from)?.to_vec();
    let start = match call.name {
        "strlcat" => machine.memory.c_string_up_to(to, size)?.len() as u64,
        _ => 0,
    };
    if start < size {
        let kept = text.len().min((size - start - 1) as usize);
        write_string(machine, call, to + start, from, &with_end(&text[..kept]))?;
    }
    Ok(Value::integer(start + text.len() as u64))
}

fn duplicate(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let limit = if call.name.contains("strn") {
        call.integer(1)?
    } else {
        u64::MAX
    };
    let bytes = with_end(machine.memory.c_string_up_to(call.pointer(0)?, limit)?);
    let Some(block) = machine.allocate_heap(bytes.len() as u64, false, call.site)? else {
        set_error(machine, number::ENOMEM)?;
        return Ok(Value::integer(0));
    };
    machine.memory.write(block, &bytes)?;
    Ok(Value::integer(block))
}

/// In the C locale a string is its own sort key.
fn transform(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (to, from, size) = (call.pointer(0)?, call.pointer(1)?, call.integer(2)?);
    let bytes = with_end(machine.memory.c_string(from)?);
    if bytes.len() as u64 <= size {
        write_string(machine, call, to, from, &bytes)?;
    }
    Ok(Value::integer(bytes.len() as u64 - 1))
}

fn describe_error(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let number = call.signed(0)? as i32;
    error_string(machine, number).map(Value::integer)
}

/// Known numbers have a constant each, the others share a buffer.
fn error_string(machine: &mut Machine<'_>, number: i32) -> Outcome<u64> {
    match known_text(number) {
        Some(text) => named_object(machine, text, || with_end(text.as_bytes())),
        None => result_text(machine, "strerror", &error_text(number)),
    }
}

/// GNU's `strerror_r` returns the text, the XSI variant a status and the text in the buffer.
fn describe_error_into(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let number = call.signed(0)? as i32;
    if call.name == "strerror_r" {
        return error_string(machine, number).map(Value::integer);
    }
    let text = error_text(number);
    let (buffer, size) = (call.pointer(1)?, call.integer(2)? as usize);
    let bytes = with_end(&text);
    if size < bytes.len() {
        if size > 0 {
            machine.memory.write(buffer, &with_end(&text[..size - 1]))?;
        }
        return Ok(Value::int(number::ERANGE));
    }
    machine.memory.write(buffer, &bytes)?;
    Ok(Value::int(0))
}
