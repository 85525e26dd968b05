//! `rand`, `srand` and their kin.

use crate::library::random::{Random48, RandomState, next_from_seed};
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::Outcome;
use crate::value::{Scalar, Value};

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "rand" => next,
        "random" => next_long,
        "srand" | "srandom" => seed,
        "rand_r" => next_of_seed,
        "drand48" => next_fraction,
        "lrand48" => next_positive,
        "mrand48" => next_any,
        "srand48" => seed48,
        _ => return None,
    })
}

fn next(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::int(machine.library.random.next_number()))
}

fn next_long(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::integer(machine.library.random.next_number() as u64))
}

fn seed(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    machine.library.random = RandomState::seeded(call.integer(0)? as u32);
    Ok(Value::nothing())
}

fn next_of_seed(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let at = call.pointer(0)?;
    let before = u32::from_le_bytes(array(machine.memory.defined_bytes(at, 4)?));
    let (number, after) = next_from_seed(before);
    machine.memory.store(at, 4, Scalar::new(u64::from(after)))?;
    Ok(Value::int(number))
}

fn array(bytes: &[u8]) -> [u8; 4] {
    let mut array = [0; 4];
    array.copy_from_slice(&bytes[..4]);
    array
}

fn next_fraction(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::double(machine.library.random48.next_double()))
}

fn next_positive(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::integer(machine.library.random48.next_long() as u64))
}

fn next_any(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::integer(machine.library.random48.next_signed() as u64))
}

fn seed48(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    machine.library.random48 = Random48::seeded(call.signed(0)?);
    Ok(Value::nothing())
}
