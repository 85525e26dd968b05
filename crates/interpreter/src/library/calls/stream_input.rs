//! `getchar`, `fgets`, `getline`, `fread` and their kin.

use crate::library::error_numbers::number;
use crate::library::objects::{get, set_error, stream_at, with_stream};
use crate::library::streams::{INPUT_STREAM, StreamId};
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::{Outcome, undefined};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value};

/// `EOF`.
const END: i32 = -1;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "getchar" | "getchar_unlocked" => get_input_byte,
        "getc" | "fgetc" | "getc_unlocked" | "fgetc_unlocked" | "_IO_getc" | "__uflow" => get_byte,
        "getw" => get_word,
        "ungetc" => unget,
        "fgets" | "fgets_unlocked" | "__fgets_chk" => get_line,
        "gets" => get_unbounded_line,
        "getline" | "getdelim" | "__getdelim" => get_any_line,
        "fread" | "fread_unlocked" | "__fread_chk" => read_blocks,
        _ => return None,
    })
}

fn byte_value(byte: Option<u8>) -> Value {
    Value::int(byte.map_or(END, i32::from))
}

fn stream_argument(
    machine: &mut Machine<'_>,
    call: &LibraryCall<'_>,
    index: usize,
) -> Outcome<StreamId> {
    stream_at(machine, call.pointer(index)?, call.name)
}

fn get_input_byte(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    get(machine, INPUT_STREAM).map(byte_value)
}

fn get_byte(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let stream = stream_argument(machine, call, 0)?;
    get(machine, stream).map(byte_value)
}

fn get_word(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let stream = stream_argument(machine, call, 0)?;
    let mut bytes = [0; 4];
    for byte in &mut bytes {
        match get(machine, stream)? {
            Some(found) => *byte = found,
            None => return Ok(Value::int(END)),
        }
    }
    Ok(Value::int(i32::from_le_bytes(bytes)))
}

fn unget(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let character = call.signed(0)? as i32;
    let stream = stream_argument(machine, call, 1)?;
    if character == END {
        return Ok(Value::int(END));
    }
    let result = with_stream(machine, stream, |stream, _| stream.unget(character as u8))?;
    Ok(Value::int(
        result.map_or(END, |()| i32::from(character as u8)),
    ))
}

/// Bytes up to and with the delimiter, at most `limit` of them.
fn line(
    machine: &mut Machine<'_>,
    stream: StreamId,
    delimiter: u8,
    limit: u64,
) -> Outcome<Vec<u8>> {
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < limit {
        match get(machine, stream)? {
            None => break,
            Some(byte) => {
                bytes.push(byte);
                if byte == delimiter {
                    break;
                }
            }
        }
    }
    Ok(bytes)
}

fn get_line(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let fortified = usize::from(call.name == "__fgets_chk");
    let buffer = call.pointer(0)?;
    let size = call.signed(1 + fortified)? as i32;
    if fortified == 1 && size > 0 && size as u64 > call.integer(1)? {
        return undefined(
            UndefinedBehaviour::OutOfBounds,
            "fgets gets a size beyond its buffer",
        );
    }
    let stream = stream_argument(machine, call, 2 + fortified)?;
    if size <= 0 {
        return Ok(Value::integer(0));
    }
    if size == 1 {
        machine.memory.write(buffer, &[0])?;
        return Ok(Value::integer(buffer));
    }
    let mut bytes = line(machine, stream, b'\n', size as u64 - 1)?;
    if bytes.is_empty() {
        return Ok(Value::integer(0));
    }
    bytes.push(0);
    machine.memory.write(buffer, &bytes)?;
    Ok(Value::integer(buffer))
}

fn get_unbounded_line(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let buffer = call.pointer(0)?;
    let mut bytes = line(machine, INPUT_STREAM, b'\n', u64::MAX)?;
    if bytes.is_empty() {
        return Ok(Value::integer(0));
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    bytes.push(0);
    machine.memory.write(buffer, &bytes)?;
    Ok(Value::integer(buffer))
}

/// `getline(&line, &size, stream)` and `getdelim(&line, &size, delimiter, stream)`.
fn get_any_line(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    /// The smallest buffer that glibc makes.
    const SMALLEST: u64 = 120;
    let named = call.name == "getline";
    let (line_at, size_at) = (call.pointer(0)?, call.pointer(1)?);
    let delimiter = if named { b'\n' } else { call.integer(2)? as u8 };
    let stream = stream_argument(machine, call, if named { 2 } else { 3 })?;
    if line_at == 0 || size_at == 0 {
        set_error(machine, number::EINVAL)?;
        return Ok(Value::integer(u64::MAX));
    }
    let mut block = defined(machine.memory.load(line_at, 8)?)?;
    let mut size = if block == 0 {
        0
    } else {
        defined(machine.memory.load(size_at, 8)?)?
    };
    if block == 0 || size == 0 {
        block = resized(machine, call, block, SMALLEST)?;
        size = SMALLEST;
        machine.memory.store(line_at, 8, Scalar::new(block))?;
        machine.memory.store(size_at, 8, Scalar::new(size))?;
    }
    let mut bytes = line(machine, stream, delimiter, u64::MAX)?;
    if bytes.is_empty() {
        return Ok(Value::integer(u64::MAX));
    }
    let length = bytes.len() as u64;
    bytes.push(0);
    if length + 1 > size {
        size = (2 * size).max(length + 1);
        block = resized(machine, call, block, size)?;
        machine.memory.store(line_at, 8, Scalar::new(block))?;
        machine.memory.store(size_at, 8, Scalar::new(size))?;
    }
    machine.memory.write(block, &bytes)?;
    Ok(Value::integer(length))
}

fn defined(value: Scalar) -> Outcome<u64> {
    if value.is_defined() {
        return Ok(value.bits);
    }
    undefined(
        UndefinedBehaviour::Uninitialised,
        "getline gets a buffer that was never set",
    )
}

fn resized(
    machine: &mut Machine<'_>,
    call: &LibraryCall<'_>,
    block: u64,
    size: u64,
) -> Outcome<u64> {
    if block != 0 {
        return machine.memory.reallocate(block, size, call.site);
    }
    Ok(machine.allocate_heap(size, false, call.site)?.unwrap_or(0))
}

fn read_blocks(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let fortified = usize::from(call.name == "__fread_chk");
    let buffer = call.pointer(0)?;
    let (size, count) = (call.integer(1 + fortified)?, call.integer(2 + fortified)?);
    let stream = stream_argument(machine, call, 3 + fortified)?;
    let wanted = size.saturating_mul(count);
    if wanted == 0 {
        return Ok(Value::integer(0));
    }
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < wanted {
        match get(machine, stream)? {
            Some(byte) => bytes.push(byte),
            None => break,
        }
    }
    machine.memory.write(buffer, &bytes)?;
    Ok(Value::integer(bytes.len() as u64 / size))
}
