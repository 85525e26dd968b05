//! `exit`, `abort`, `assert`, `atexit`, `errno` and what else concerns the process as a whole.

use crate::library::objects::{error_location, put};
use crate::library::streams::ERROR_STREAM;
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::run::RunCaveat;
use crate::stop::{Outcome, Stop, stop, undefined, unsupported};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::Value;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "exit" => exit,
        "_exit" | "_Exit" | "quick_exit" => exit_at_once,
        "abort" => abort,
        "__assert_fail" | "__assert" => fail_assertion,
        "atexit" => at_exit,
        "__cxa_atexit" => at_exit_with_argument,
        "__errno_location" => error_number,
        "__stack_chk_fail" | "__chk_fail" => smash,
        "getpid" | "getppid" | "getuid" | "geteuid" | "getgid" | "getegid" => identity,
        "getpagesize" => page_size,
        "sleep" | "usleep" => wait,
        _ => return None,
    })
}

fn exit(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    stop(Stop::Exit(call.signed(0)? as i32))
}

fn exit_at_once(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    stop(Stop::ExitAtOnce(call.signed(0)? as i32))
}

fn abort(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    super::signals::raise_signal(machine, super::signals::ABORT)?;
    stop(Stop::Abort)
}

/// `__assert_fail(expression, file, line, function)`.
fn fail_assertion(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let expression = machine.memory.c_string(call.pointer(0)?)?.to_vec();
    let file = machine.memory.c_string(call.pointer(1)?)?.to_vec();
    let line = call.integer(2)?;
    let function = match (call.name, call.arguments.get(3)) {
        ("__assert_fail", Some(_)) if call.pointer(3)? != 0 => {
            let mut name = machine.memory.c_string(call.pointer(3)?)?.to_vec();
            name.extend_from_slice(b": ");
            name
        }
        _ => Vec::new(),
    };
    let program = machine.library.program_name.clone();
    let short = program
        .rsplit(|byte| *byte == b'/')
        .next()
        .unwrap_or_default();
    let mut message = Vec::new();
    if !short.is_empty() {
        message.extend_from_slice(short);
        message.extend_from_slice(b": ");
    }
    message.extend_from_slice(&file);
    message.extend_from_slice(format!(":{line}: ").as_bytes());
    message.extend_from_slice(&function);
    message.extend_from_slice(b"Assertion `");
    message.extend_from_slice(&expression);
    message.extend_from_slice(b"' failed.\n");
    put(machine, ERROR_STREAM, &message)?;
    stop(Stop::AssertionFailed(
        String::from_utf8_lossy(&message).trim_end().to_owned(),
    ))
}

fn at_exit(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    machine.exit_handlers.push((call.pointer(0)?, None));
    Ok(Value::int(0))
}

fn at_exit_with_argument(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    machine
        .exit_handlers
        .push((call.pointer(0)?, Some(call.pointer(1)?)));
    Ok(Value::int(0))
}

fn error_number(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    error_location(machine).map(Value::integer)
}

fn smash(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    undefined(
        UndefinedBehaviour::OutOfBounds,
        format!("{} is called: an object was overrun", call.name),
    )
}

/// Numbers that no program may rely on; the run says that it depends on them.
fn identity(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    machine.caveat(RunCaveat::Environment);
    Ok(Value::int(match call.name {
        "getpid" => 4242,
        "getppid" => 4241,
        _ => 1000,
    }))
}

fn page_size(_: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::int(4096))
}

fn wait(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    if call.arguments.len() != 1 {
        return unsupported(format!(
            "{} with {} arguments",
            call.name,
            call.arguments.len()
        ));
    }
    Ok(Value::int(0))
}
