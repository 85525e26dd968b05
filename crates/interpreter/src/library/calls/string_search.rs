//! `strlen`, `strcmp`, `strchr`, `strstr`, `strtok` and their kin: functions that look at strings.

use crate::library::text_access::byte;
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::Outcome;
use crate::value::{Scalar, Value};

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "strlen" => length,
        "strnlen" => bounded_length,
        "strcmp" | "strcoll" | "strncmp" | "strcasecmp" | "strncasecmp" => compare,
        "strchr" | "index" | "strchrnul" => first_occurrence,
        "strrchr" | "rindex" => last_occurrence,
        "strspn" | "strcspn" => span,
        "strpbrk" => first_of,
        "strstr" | "strcasestr" => first_text,
        "strtok" => next_token,
        "strtok_r" | "__strtok_r" => next_token_of,
        "strsep" | "__strsep_g" => separate,
        _ => return None,
    })
}

fn length(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let text = machine.memory.c_string(call.pointer(0)?)?;
    Ok(Value::integer(text.len() as u64))
}

fn bounded_length(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let text = machine
        .memory
        .c_string_up_to(call.pointer(0)?, call.integer(1)?)?;
    Ok(Value::integer(text.len() as u64))
}

/// All comparisons: with or without a limit and a difference between cases. The result is the
/// difference of the first bytes that differ, as glibc's is.
fn compare(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (left, right) = (call.pointer(0)?, call.pointer(1)?);
    let limit = if call.name.starts_with("strn") {
        call.integer(2)?
    } else {
        u64::MAX
    };
    let folded = |byte: u8| {
        if call.name.ends_with("casecmp") {
            byte.to_ascii_lowercase()
        } else {
            byte
        }
    };
    for offset in 0..limit {
        let first = byte(&machine.memory, left + offset)?;
        let second = byte(&machine.memory, right + offset)?;
        let difference = i32::from(folded(first)) - i32::from(folded(second));
        if difference != 0 || first == 0 {
            return Ok(Value::int(difference));
        }
    }
    Ok(Value::int(0))
}

fn first_occurrence(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let wanted = call.integer(1)? as u8;
    let mut at = call.pointer(0)?;
    loop {
        let found = byte(&machine.memory, at)?;
        if found == wanted {
            return Ok(Value::integer(at));
        }
        if found == 0 {
            return Ok(Value::integer(if call.name == "strchrnul" {
                at
            } else {
                0
            }));
        }
        at += 1;
    }
}

fn last_occurrence(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (start, wanted) = (call.pointer(0)?, call.integer(1)? as u8);
    let text = machine.memory.c_string(start)?;
    let found = if wanted == 0 {
        Some(text.len())
    } else {
        text.iter().rposition(|byte| *byte == wanted)
    };
    Ok(Value::integer(
        found.map_or(0, |offset| start + offset as u64),
    ))
}

fn span(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let set = machine.memory.c_string(call.pointer(1)?)?.to_vec();
    let inside = call.name == "strspn";
    span_length(machine, call.pointer(0)?, &set, inside).map(Value::integer)
}

/// Bytes from the start that are (or are not) in the set; the NUL ends both.
fn span_length(machine: &Machine<'_>, start: u64, set: &[u8], inside: bool) -> Outcome<u64> {
    let mut offset = 0;
    loop {
        let found = byte(&machine.memory, start + offset)?;
        if found == 0 || set.contains(&found) != inside {
            return Ok(offset);
        }
        offset += 1;
    }
}

fn first_of(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let start = call.pointer(0)?;
    let set = machine.memory.c_string(call.pointer(1)?)?.to_vec();
    let at = start + span_length(machine, start, &set, false)?;
    let found = byte(&machine.memory, at)? != 0;
    Ok(Value::integer(if found { at } else { 0 }))
}

fn first_text(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let start = call.pointer(0)?;
    let mut text = machine.memory.c_string(start)?.to_vec();
    let mut wanted = machine.memory.c_string(call.pointer(1)?)?.to_vec();
    if call.name == "strcasestr" {
        text.make_ascii_lowercase();
        wanted.make_ascii_lowercase();
    }
    let found = position_of(&text, &wanted);
    Ok(Value::integer(
        found.map_or(0, |offset| start + offset as u64),
    ))
}

/// The first place of `wanted` in `text`.
pub(super) fn position_of(text: &[u8], wanted: &[u8]) -> Option<usize> {
    if wanted.is_empty() {
        return Some(0);
    }
    text.windows(wanted.len())
        .position(|window| window == wanted)
}

/// The token at `start`: its address (null when there is none) and where the next search begins.
fn token(machine: &mut Machine<'_>, start: u64, set: &[u8]) -> Outcome<(u64, u64)> {
    let first = start + span_length(machine, start, set, true)?;
    if byte(&machine.memory, first)? == 0 {
        return Ok((0, first));
    }
    let end = first + span_length(machine, first, set, false)?;
    if byte(&machine.memory, end)? == 0 {
        return Ok((first, end));
    }
    machine.memory.write(end, &[0])?;
    Ok((first, end + 1))
}

fn next_token(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let start = match call.pointer(0)? {
        0 => machine.library.token,
        start => start,
    };
    let set = machine.memory.c_string(call.pointer(1)?)?.to_vec();
    let (found, next) = token(machine, start, &set)?;
    machine.library.token = next;
    Ok(Value::integer(found))
}

fn next_token_of(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let state = call.pointer(2)?;
    let start = match call.pointer(0)? {
        0 => machine.memory.load(state, 8)?.bits,
        start => start,
    };
    let set = machine.memory.c_string(call.pointer(1)?)?.to_vec();
    let (found, next) = token(machine, start, &set)?;
    machine.memory.store(state, 8, Scalar::new(next))?;
    Ok(Value::integer(found))
}

fn separate(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let state = call.pointer(0)?;
    let start = machine.memory.load(state, 8)?.bits;
    if start == 0 {
        return Ok(Value::integer(0));
    }
    let set = machine.memory.c_string(call.pointer(1)?)?.to_vec();
    let end = start + span_length(machine, start, &set, false)?;
    let last = byte(&machine.memory, end)? == 0;
    if !last {
        machine.memory.write(end, &[0])?;
    }
    machine
        .memory
        .store(state, 8, Scalar::new(if last { 0 } else { end + 1 }))?;
    Ok(Value::integer(start))
}
