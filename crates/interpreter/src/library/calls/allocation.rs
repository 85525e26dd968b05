//! `malloc`, `free` and their kin.

use crate::library::error_numbers::number;
use crate::library::objects::set_error;
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::Outcome;
use crate::value::{Scalar, Value};

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "malloc" | "valloc" => allocate,
        "calloc" => allocate_zeroed,
        "realloc" => reallocate,
        "reallocarray" => reallocate_array,
        "free" | "cfree" => release,
        "aligned_alloc" | "memalign" => allocate_aligned,
        "posix_memalign" => allocate_into,
        "malloc_usable_size" => usable_size,
        _ => return None,
    })
}

/// A block, or null with `errno` set.
fn block(
    machine: &mut Machine<'_>,
    call: &LibraryCall<'_>,
    size: Option<u64>,
    zeroed: bool,
) -> Outcome<u64> {
    let block = match size {
        Some(size) => machine.allocate_heap(size, zeroed, call.site)?,
        None => None,
    };
    match block {
        Some(address) => Ok(address),
        None => {
            set_error(machine, number::ENOMEM)?;
            Ok(0)
        }
    }
}

fn allocate(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let size = call.integer(0)?;
    block(machine, call, Some(size), false).map(Value::integer)
}

fn allocate_zeroed(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let size = call.integer(0)?.checked_mul(call.integer(1)?);
    block(machine, call, size, true).map(Value::integer)
}

fn resize(machine: &mut Machine<'_>, call: &LibraryCall<'_>, size: Option<u64>) -> Outcome<Value> {
    let address = call.pointer(0)?;
    match (address, size) {
        (0, size) => block(machine, call, size, false).map(Value::integer),
        // glibc frees the block; C23 leaves it undefined, older C to the implementation.
        (_, Some(0)) => {
            machine.memory.free(address)?;
            Ok(Value::integer(0))
        }
        (_, Some(size)) if size <= i64::MAX as u64 => machine
            .memory
            .reallocate(address, size, call.site)
            .map(Value::integer),
        _ => {
            machine.memory.heap_block(address, call.name)?;
            set_error(machine, number::ENOMEM)?;
            Ok(Value::integer(0))
        }
    }
}

fn reallocate(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let size = call.integer(1)?;
    resize(machine, call, Some(size))
}

fn reallocate_array(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let size = call.integer(1)?.checked_mul(call.integer(2)?);
    resize(machine, call, size)
}

fn release(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let address = call.pointer(0)?;
    if address != 0 {
        machine.memory.free(address)?;
    }
    Ok(Value::nothing())
}

/// Every object's address is aligned for everything, up to four gigabytes.
fn allocate_aligned(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (alignment, size) = (call.integer(0)?, call.integer(1)?);
    if !alignment.is_power_of_two() {
        set_error(machine, number::EINVAL)?;
        return Ok(Value::integer(0));
    }
    block(machine, call, Some(size), false).map(Value::integer)
}

fn allocate_into(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (target, alignment, size) = (call.pointer(0)?, call.integer(1)?, call.integer(2)?);
    if !alignment.is_power_of_two() || alignment % 8 != 0 {
        return Ok(Value::int(number::EINVAL));
    }
    match machine.allocate_heap(size, false, call.site)? {
        None => Ok(Value::int(number::ENOMEM)),
        Some(address) => {
            machine.memory.store(target, 8, Scalar::new(address))?;
            Ok(Value::int(0))
        }
    }
}

fn usable_size(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    match call.pointer(0)? {
        0 => Ok(Value::integer(0)),
        address => machine
            .memory
            .heap_block(address, call.name)
            .map(Value::integer),
    }
}
