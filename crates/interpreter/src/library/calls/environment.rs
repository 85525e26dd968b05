//! `getenv`, `setenv` and `environ`: which variables does the process have?

use crate::library::error_numbers::number;
use crate::library::objects::{named_object, new_object, set_error};
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::Outcome;
use crate::value::Value;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "getenv" | "secure_getenv" | "__secure_getenv" => get,
        "setenv" => set,
        "putenv" => put,
        "unsetenv" => unset,
        "clearenv" => clear,
        _ => return None,
    })
}

/// The number of the row of that name.
fn row_of(machine: &Machine<'_>, name: &[u8]) -> Option<usize> {
    machine.library.environment.iter().position(|(row, _)| {
        row.strip_prefix(name)
            .is_some_and(|rest| rest.first() == Some(&b'='))
    })
}

/// The address of a row's text, made at its first use.
fn row_address(machine: &mut Machine<'_>, row: usize) -> Outcome<u64> {
    let (text, address) = machine.library.environment[row].clone();
    if let Some(address) = address {
        return Ok(address);
    }
    let mut bytes = text;
    bytes.push(0);
    let address = new_object(machine, "environment", &bytes)?;
    machine.library.environment[row].1 = Some(address);
    Ok(address)
}

fn get(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let name = machine.memory.c_string(call.pointer(0)?)?.to_vec();
    match row_of(machine, &name) {
        None => Ok(Value::integer(0)),
        Some(row) => {
            let address = row_address(machine, row)?;
            Ok(Value::integer(address + name.len() as u64 + 1))
        }
    }
}

fn set(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let name = machine.memory.c_string(call.pointer(0)?)?.to_vec();
    let value = machine.memory.c_string(call.pointer(1)?)?.to_vec();
    if name.is_empty() || name.contains(&b'=') {
        set_error(machine, number::EINVAL)?;
        return Ok(Value::int(-1));
    }
    let row = [name.clone(), vec![b'='], value].concat();
    match row_of(machine, &name) {
        Some(_) if call.integer(2)? == 0 => {}
        Some(index) => machine.library.environment[index] = (row, None),
        None => machine.library.environment.push((row, None)),
    }
    Ok(Value::int(0))
}

/// `putenv`: the row is the program's own memory from now on.
fn put(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let address = call.pointer(0)?;
    let row = machine.memory.c_string(address)?.to_vec();
    let Some(end) = row.iter().position(|byte| *byte == b'=') else {
        return unset(machine, call);
    };
    match row_of(machine, &row[..end]) {
        Some(index) => machine.library.environment[index] = (row, Some(address)),
        None => machine.library.environment.push((row, Some(address))),
    }
    Ok(Value::int(0))
}

fn unset(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let name = machine.memory.c_string(call.pointer(0)?)?.to_vec();
    if let Some(row) = row_of(machine, &name) {
        machine.library.environment.remove(row);
    }
    Ok(Value::int(0))
}

fn clear(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    machine.library.environment.clear();
    Ok(Value::int(0))
}

/// The variable `environ` as it is at the start of the program.
pub(in crate::library) fn environment_variable(machine: &mut Machine<'_>) -> Outcome<u64> {
    let mut pointers = Vec::new();
    for row in 0..machine.library.environment.len() {
        pointers.extend(row_address(machine, row)?.to_le_bytes());
    }
    pointers.extend([0; 8]);
    let list = named_object(machine, "environment list", || pointers)?;
    named_object(machine, "environ", || list.to_le_bytes().to_vec())
}
