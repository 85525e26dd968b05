//! `stat` and its kin: what is known about a file?
//!
//! A file of a run is a regular file of its size; owner, times and numbers are made up, and a program
//! that asks gets the note that it depends on them.

use crate::library::error_numbers::number;
use crate::library::objects::or_error;
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::run::RunCaveat;
use crate::stop::Outcome;
use crate::value::Value;

/// `struct stat` of x86-64 Linux: its size and the fields that are not zero.
const STATUS_SIZE: usize = 144;
const LINKS: usize = 16;
const MODE: usize = 24;
const USER: usize = 28;
const GROUP: usize = 32;
const SIZE: usize = 48;
const BLOCK_SIZE: usize = 56;
const BLOCKS: usize = 64;

const REGULAR: u32 = 0o100_644;
const PIPE: u32 = 0o010_600;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "stat" | "lstat" | "stat64" | "lstat64" | "__xstat" | "__lxstat" | "__xstat64"
        | "__lxstat64" => of_path,
        "fstat" | "fstat64" | "__fxstat" | "__fxstat64" => of_descriptor,
        _ => return None,
    })
}

/// The older names pass a version before everything else.
fn first_argument(call: &LibraryCall<'_>) -> usize {
    usize::from(call.name.starts_with("__"))
}

fn deliver(
    machine: &mut Machine<'_>,
    target: u64,
    size: Result<Option<u64>, i32>,
) -> Outcome<Value> {
    let Some(size) = or_error(machine, size)? else {
        return Ok(Value::int(-1));
    };
    machine.caveat(RunCaveat::Environment);
    let mode = if size.is_some() { REGULAR } else { PIPE };
    let size = size.unwrap_or(0);
    let mut bytes = vec![0; STATUS_SIZE];
    let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    put(LINKS, &1u64.to_le_bytes());
    put(MODE, &mode.to_le_bytes());
    put(USER, &1000u32.to_le_bytes());
    put(GROUP, &1000u32.to_le_bytes());
    put(SIZE, &size.to_le_bytes());
    put(BLOCK_SIZE, &4096u64.to_le_bytes());
    put(BLOCKS, &size.div_ceil(512).to_le_bytes());
    machine.memory.write(target, &bytes)?;
    Ok(Value::int(0))
}

fn of_path(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let first = first_argument(call);
    let path = machine.memory.c_string(call.pointer(first)?)?.to_vec();
    let size = machine.library.descriptors.size_of_path(&path).map(Some);
    deliver(machine, call.pointer(first + 1)?, size)
}

fn of_descriptor(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let first = first_argument(call);
    let size = match machine.library.descriptors.size(call.signed(first)? as i32) {
        Ok(size) => Ok(Some(size)),
        Err(number::ESPIPE) => Ok(None),
        Err(number) => Err(number),
    };
    deliver(machine, call.pointer(first + 1)?, size)
}
