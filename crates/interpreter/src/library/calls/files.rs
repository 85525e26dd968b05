//! `open`, `read`, `write`, `unlink` and what else works on descriptors and paths.

use super::stream_control::whence;
use crate::library::descriptors::OpenMode;
use crate::library::error_numbers::number;
use crate::library::objects::{or_error, set_error};
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::Outcome;
use crate::value::Value;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "open" | "open64" | "creat" | "creat64" => open,
        "close" => close,
        "read" | "__read_chk" => read,
        "write" => write,
        "lseek" | "lseek64" => seek,
        "dup" => duplicate,
        "dup2" => duplicate_to,
        "ftruncate" | "ftruncate64" => resize,
        "fsync" | "fdatasync" => synchronise,
        "isatty" => is_terminal,
        "unlink" | "remove" => remove,
        "rename" => rename,
        "access" => access,
        "tmpnam" | "mkstemp" | "mkstemp64" => temporary_name,
        _ => return None,
    })
}

/// The flags of Linux on x86-64.
fn parse_flags(flags: i64) -> OpenMode {
    let access = flags & 3;
    OpenMode {
        read: access != 1,
        write: access != 0,
        create: flags & 0o100 != 0,
        exclusive: flags & 0o200 != 0,
        truncate: flags & 0o1000 != 0 && access != 0,
        append: flags & 0o2000 != 0,
    }
}

fn number_or_error(machine: &mut Machine<'_>, result: Result<i32, i32>) -> Outcome<Value> {
    Ok(Value::int(or_error(machine, result)?.unwrap_or(-1)))
}

fn status(machine: &mut Machine<'_>, result: Result<(), i32>) -> Outcome<Value> {
    number_or_error(machine, result.map(|()| 0))
}

fn open(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let path = machine.memory.c_string(call.pointer(0)?)?.to_vec();
    let mode = if call.name.starts_with("creat") {
        OpenMode {
            write: true,
            create: true,
            truncate: true,
            ..OpenMode::default()
        }
    } else {
        parse_flags(call.signed(1)?)
    };
    let result = machine.library.descriptors.open(&path, mode);
    number_or_error(machine, result)
}

fn close(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let result = machine.library.descriptors.close(call.signed(0)? as i32);
    status(machine, result)
}

fn read(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (buffer, count) = (call.pointer(1)?, call.integer(2)?);
    let result = machine
        .library
        .descriptors
        .read(call.signed(0)? as i32, count);
    let Some(bytes) = or_error(machine, result)? else {
        return Ok(Value::integer(u64::MAX));
    };
    machine.memory.write(buffer, &bytes)?;
    Ok(Value::integer(bytes.len() as u64))
}

fn write(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let bytes = machine
        .memory
        .defined_bytes(call.pointer(1)?, call.integer(2)?)?
        .to_vec();
    let result = machine
        .library
        .descriptors
        .write(call.signed(0)? as i32, &bytes);
    let done = or_error(machine, result)?.is_some();
    Ok(Value::integer(if done {
        bytes.len() as u64
    } else {
        u64::MAX
    }))
}

fn seek(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let result = match whence(call.signed(2)?) {
        None => Err(number::EINVAL),
        Some(whence) => {
            machine
                .library
                .descriptors
                .seek(call.signed(0)? as i32, call.signed(1)?, whence)
        }
    };
    Ok(Value::integer(
        or_error(machine, result)?.unwrap_or(u64::MAX),
    ))
}

fn duplicate(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let result = machine
        .library
        .descriptors
        .duplicate(call.signed(0)? as i32);
    number_or_error(machine, result)
}

fn duplicate_to(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let result = machine
        .library
        .descriptors
        .duplicate_to(call.signed(0)? as i32, call.signed(1)? as i32);
    number_or_error(machine, result)
}

fn resize(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let result = match u64::try_from(call.signed(1)?) {
        Err(_) => Err(number::EINVAL),
        Ok(size) => machine
            .library
            .descriptors
            .resize(call.signed(0)? as i32, size),
    };
    status(machine, result)
}

fn synchronise(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let result = machine
        .library
        .descriptors
        .size(call.signed(0)? as i32)
        .map(|_| ());
    status(
        machine,
        result.map_err(|number| {
            if number == number::ESPIPE {
                number::EINVAL
            } else {
                number
            }
        }),
    )
}

/// No descriptor of a run is a terminal.
fn is_terminal(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let known = machine.library.descriptors.access(call.signed(0)? as i32);
    set_error(machine, known.err().unwrap_or(number::ENOTTY))?;
    Ok(Value::int(0))
}

fn remove(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let path = machine.memory.c_string(call.pointer(0)?)?.to_vec();
    let result = machine.library.descriptors.remove(&path);
    status(machine, result)
}

fn rename(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let from = machine.memory.c_string(call.pointer(0)?)?.to_vec();
    let to = machine.memory.c_string(call.pointer(1)?)?.to_vec();
    let result = machine.library.descriptors.rename(&from, &to);
    status(machine, result)
}

/// The files of a run can be read and written, and none can be executed.
fn access(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    const EXECUTE: i64 = 1;
    let path = machine.memory.c_string(call.pointer(0)?)?.to_vec();
    let executes = call.signed(1)? & EXECUTE != 0;
    let result = match (machine.library.descriptors.exists(&path), executes) {
        (false, _) => Err(number::ENOENT),
        (true, true) => Err(number::EACCES),
        (true, false) => Ok(()),
    };
    status(machine, result)
}

/// `tmpnam` makes a name, `mkstemp` also the file.
fn temporary_name(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    machine.caveat(crate::run::RunCaveat::Environment);
    let serial = format!("{:06}", machine.library.descriptors.next_temporary());
    let template = call.pointer(0)?;
    if call.name == "tmpnam" {
        let mut name = format!("/tmp/file{serial}").into_bytes();
        name.push(0);
        if template == 0 {
            return crate::library::objects::result_text(machine, "tmpnam", &name)
                .map(Value::integer);
        }
        machine.memory.write(template, &name)?;
        return Ok(Value::integer(template));
    }
    let mut name = machine.memory.c_string(template)?.to_vec();
    if !name.ends_with(b"XXXXXX") {
        set_error(machine, number::EINVAL)?;
        return Ok(Value::int(-1));
    }
    let start = name.len() - serial.len();
    name[start..].copy_from_slice(serial.as_bytes());
    machine
        .memory
        .write(template + start as u64, serial.as_bytes())?;
    let mode = OpenMode {
        read: true,
        write: true,
        create: true,
        exclusive: true,
        ..OpenMode::default()
    };
    let result = machine.library.descriptors.open(&name, mode);
    number_or_error(machine, result)
}
