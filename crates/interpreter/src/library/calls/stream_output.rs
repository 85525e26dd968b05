//! `puts`, `putchar`, `fwrite` and their kin.

use crate::library::error_numbers::error_text;
use crate::library::objects::{error, put, stream_at};
use crate::library::streams::{ERROR_STREAM, OUTPUT_STREAM, StreamId};
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::Outcome;
use crate::value::Value;

/// What output functions return when they fail.
const END: i32 = -1;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "puts" => put_line,
        "fputs" | "fputs_unlocked" => put_string,
        "putchar" | "putchar_unlocked" => put_output_byte,
        "putc" | "fputc" | "putc_unlocked" | "fputc_unlocked" | "_IO_putc" => put_byte,
        "__overflow" => put_byte_of_inlined,
        "putw" => put_word,
        "fwrite" | "fwrite_unlocked" => write_blocks,
        "perror" => put_error,
        _ => return None,
    })
}

fn stream_argument(
    machine: &mut Machine<'_>,
    call: &LibraryCall<'_>,
    index: usize,
) -> Outcome<StreamId> {
    stream_at(machine, call.pointer(index)?, call.name)
}

fn put_line(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let mut text = machine.memory.c_string(call.pointer(0)?)?.to_vec();
    text.push(b'\n');
    let done = put(machine, OUTPUT_STREAM, &text)?;
    Ok(Value::int(if done { text.len() as i32 } else { END }))
}

fn put_string(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let text = machine.memory.c_string(call.pointer(0)?)?.to_vec();
    let stream = stream_argument(machine, call, 1)?;
    let done = put(machine, stream, &text)?;
    Ok(Value::int(if done { 1 } else { END }))
}

fn put_one(machine: &mut Machine<'_>, stream: StreamId, character: u64) -> Outcome<Value> {
    let byte = character as u8;
    let done = put(machine, stream, &[byte])?;
    Ok(Value::int(if done { i32::from(byte) } else { END }))
}

fn put_output_byte(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    put_one(machine, OUTPUT_STREAM, call.integer(0)?)
}

fn put_byte(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let stream = stream_argument(machine, call, 1)?;
    put_one(machine, stream, call.integer(0)?)
}

/// What `putc_unlocked` calls when it is inlined and the buffer, which is never in the `FILE`, is full.
fn put_byte_of_inlined(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let stream = stream_argument(machine, call, 0)?;
    put_one(machine, stream, call.integer(1)?)
}

fn put_word(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let stream = stream_argument(machine, call, 1)?;
    let word = call.integer(0)? as u32;
    let done = put(machine, stream, &word.to_le_bytes())?;
    Ok(Value::int(if done { 0 } else { END }))
}

fn write_blocks(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (address, size, count) = (call.pointer(0)?, call.integer(1)?, call.integer(2)?);
    let stream = stream_argument(machine, call, 3)?;
    let length = size.saturating_mul(count);
    if length == 0 {
        return Ok(Value::integer(0));
    }
    let bytes = machine.memory.defined_bytes(address, length)?.to_vec();
    let done = put(machine, stream, &bytes)?;
    Ok(Value::integer(if done { count } else { 0 }))
}

fn put_error(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let prefix = call.pointer(0)?;
    let mut text = Vec::new();
    if prefix != 0 {
        text.extend_from_slice(machine.memory.c_string(prefix)?);
        if !text.is_empty() {
            text.extend_from_slice(b": ");
        }
    }
    text.extend(error_text(error(machine)?));
    text.push(b'\n');
    put(machine, ERROR_STREAM, &text)?;
    Ok(Value::nothing())
}
