//! How does the library read a string that it need not read to the end?
//!
//! `strcmp` stops at the first difference and `strtol` at the first byte that is no digit, so they must
//! not complain about what lies behind: a buffer without a NUL is fine for them as long as they stop
//! inside. These functions read byte by byte and fail exactly when the real function would have read
//! a byte that is not there or was never written.

use crate::memory::Memory;
use crate::stop::{Outcome, undefined};
use crate::undefined_behaviour::UndefinedBehaviour;

/// One byte that decides what happens next.
pub(super) fn byte(memory: &Memory, address: u64) -> Outcome<u8> {
    let value = memory.load(address, 1)?;
    if !value.is_defined() {
        return undefined(
            UndefinedBehaviour::Uninitialised,
            "a byte is read that was never written",
        );
    }
    Ok(value.bits as u8)
}

/// Reads a value at the start of a string with a parser that tells how many bytes it looked at.
///
/// The parser sees a growing part of the string (without NUL) until that part is enough. When the
/// string has no NUL in its object, the parser may still succeed on what is there.
pub(super) fn parse<T>(
    memory: &Memory,
    address: u64,
    parser: impl Fn(&[u8]) -> T,
    examined: impl Fn(&T) -> usize,
) -> Outcome<T> {
    let mut limit = 64;
    loop {
        match memory.c_string_up_to(address, limit) {
            Ok(text) => {
                let parsed = parser(text);
                if (text.len() as u64) < limit || examined(&parsed) <= text.len() {
                    return Ok(parsed);
                }
                limit *= 4;
            }
            Err(stop) => {
                let text = readable(memory, address);
                let parsed = parser(&text);
                return if examined(&parsed) <= text.len() {
                    Ok(parsed)
                } else {
                    Err(stop)
                };
            }
        }
    }
}

/// The bytes before the first that is NUL, undefined or beyond the object.
fn readable(memory: &Memory, address: u64) -> Vec<u8> {
    let mut text = Vec::new();
    while let Ok(found) = byte(memory, address + text.len() as u64)
        && found != 0
    {
        text.push(found);
    }
    text
}
