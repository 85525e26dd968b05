//! `memcpy`, `memset`, `memcmp`, `memchr` and their kin.

use super::string_search::position_of;
use crate::library::text_access::byte;
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::{Outcome, undefined};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value};

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "memcpy" | "mempcpy" | "__mempcpy" | "__memcpy_chk" | "__mempcpy_chk" => copy,
        "memmove" | "__memmove_chk" => move_block,
        "bcopy" => old_copy,
        "memset" | "__memset_chk" => fill,
        "bzero" | "explicit_bzero" => clear,
        "memcmp" | "bcmp" => compare,
        "memchr" | "rawmemchr" => first_occurrence,
        "memrchr" => last_occurrence,
        "memccpy" => copy_until,
        "memmem" => first_block,
        _ => return None,
    })
}

/// The size of the destination as a fortified variant passes it.
fn check_size(call: &LibraryCall<'_>, length: u64) -> Outcome<()> {
    if call.name.ends_with("_chk") && length > call.integer(3)? {
        return undefined(
            UndefinedBehaviour::OutOfBounds,
            format!("{} writes {length} bytes into a smaller object", call.name),
        );
    }
    Ok(())
}

fn copy(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (to, from, length) = (call.pointer(0)?, call.pointer(1)?, call.integer(2)?);
    check_size(call, length)?;
    // Copying a block onto itself is what compilers make of `*p = *p`; everyone allows it.
    if to != from && to < from.saturating_add(length) && from < to.saturating_add(length) {
        return undefined(
            UndefinedBehaviour::OverlappingCopy,
            format!(
                "{} copies {length} bytes between blocks that overlap",
                call.name
            ),
        );
    }
    machine.memory.copy(to, from, length)?;
    let result = if call.name.contains("mempcpy") {
        to + length
    } else {
        to
    };
    Ok(Value::integer(result))
}

fn move_block(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (to, from, length) = (call.pointer(0)?, call.pointer(1)?, call.integer(2)?);
    check_size(call, length)?;
    machine.memory.copy(to, from, length)?;
    Ok(Value::integer(to))
}

fn old_copy(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    machine
        .memory
        .copy(call.pointer(1)?, call.pointer(0)?, call.integer(2)?)?;
    Ok(Value::nothing())
}

fn fill(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (to, value, length) = (call.pointer(0)?, call.integer(1)?, call.integer(2)?);
    check_size(call, length)?;
    machine.memory.fill(to, Scalar::new(value & 0xff), length)?;
    Ok(Value::integer(to))
}

fn clear(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    machine
        .memory
        .fill(call.pointer(0)?, Scalar::new(0), call.integer(1)?)?;
    Ok(Value::nothing())
}

/// Both blocks must be there in full, but only what decides must have been written.
fn compare(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (left, right, length) = (call.pointer(0)?, call.pointer(1)?, call.integer(2)?);
    machine.memory.bytes(left, length)?;
    machine.memory.bytes(right, length)?;
    for offset in 0..length {
        let first = byte(&machine.memory, left + offset)?;
        let second = byte(&machine.memory, right + offset)?;
        if first != second {
            return Ok(Value::int(i32::from(first) - i32::from(second)));
        }
    }
    Ok(Value::int(0))
}

fn first_occurrence(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (start, wanted) = (call.pointer(0)?, call.integer(1)? as u8);
    let length = if call.name == "rawmemchr" {
        u64::MAX
    } else {
        call.integer(2)?
    };
    for offset in 0..length {
        if byte(&machine.memory, start + offset)? == wanted {
            return Ok(Value::integer(start + offset));
        }
    }
    Ok(Value::integer(0))
}

fn last_occurrence(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (start, wanted, length) = (call.pointer(0)?, call.integer(1)? as u8, call.integer(2)?);
    let bytes = machine.memory.defined_bytes(start, length)?;
    let found = bytes.iter().rposition(|byte| *byte == wanted);
    Ok(Value::integer(
        found.map_or(0, |offset| start + offset as u64),
    ))
}

fn copy_until(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (to, from, wanted) = (call.pointer(0)?, call.pointer(1)?, call.integer(2)? as u8);
    for offset in 0..call.integer(3)? {
        let found = byte(&machine.memory, from + offset)?;
        machine.memory.write(to + offset, &[found])?;
        if found == wanted {
            return Ok(Value::integer(to + offset + 1));
        }
    }
    Ok(Value::integer(0))
}

fn first_block(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let start = call.pointer(0)?;
    let text = machine.memory.defined_bytes(start, call.integer(1)?)?;
    let wanted = machine
        .memory
        .defined_bytes(call.pointer(2)?, call.integer(3)?)?;
    let found = position_of(text, wanted);
    Ok(Value::integer(
        found.map_or(0, |offset| start + offset as u64),
    ))
}
