//! `signal`, `sigaction`, `raise`: which handler runs?
//!
//! Nothing sends signals to a run from outside, so a handler runs only when the program raises its
//! signal itself. A raised signal whose default action is to end the process ends the run.

use crate::library::error_numbers::number;
use crate::library::objects::set_error;
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::{Outcome, Stop, stop};
use crate::value::{Scalar, Value};

/// `SIGABRT`.
pub(super) const ABORT: i32 = 6;
const DEFAULT: u64 = 0;
const IGNORE: u64 = 1;
/// `SIG_ERR`.
const FAILED: u64 = u64::MAX;
/// `sizeof (struct sigaction)` of glibc on x86-64; the handler is its first field.
const ACTION_SIZE: u64 = 152;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "signal" | "bsd_signal" | "__sysv_signal" => set_handler,
        "sigaction" => set_action,
        "raise" => raise,
        "sigemptyset" | "sigfillset" => fill_set,
        "sigaddset" | "sigdelset" => change_set,
        "sigprocmask" | "alarm" => change_nothing,
        _ => return None,
    })
}

/// Signals whose default action is to do nothing: `SIGCHLD`, `SIGCONT`, `SIGURG`, `SIGWINCH`.
fn is_harmless(signal: i32) -> bool {
    matches!(signal, 17 | 18 | 23 | 28)
}

/// Signals 1 to 64, without `SIGKILL` and `SIGSTOP`.
fn is_catchable(signal: i32) -> bool {
    (1..=64).contains(&signal) && signal != 9 && signal != 19
}

fn set_handler(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (signal, handler) = (call.signed(0)? as i32, call.pointer(1)?);
    if !is_catchable(signal) {
        set_error(machine, number::EINVAL)?;
        return Ok(Value::integer(FAILED));
    }
    let before = machine.library.handlers.insert(signal, handler);
    Ok(Value::integer(before.unwrap_or(DEFAULT)))
}

fn set_action(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (signal, new, old) = (call.signed(0)? as i32, call.pointer(1)?, call.pointer(2)?);
    if !is_catchable(signal) {
        set_error(machine, number::EINVAL)?;
        return Ok(Value::int(-1));
    }
    let before = machine
        .library
        .handlers
        .get(&signal)
        .copied()
        .unwrap_or(DEFAULT);
    if new != 0 {
        let handler = machine.memory.load(new, 8)?.bits;
        machine.library.handlers.insert(signal, handler);
    }
    if old != 0 {
        machine.memory.fill(old, Scalar::new(0), ACTION_SIZE)?;
        machine.memory.store(old, 8, Scalar::new(before))?;
    }
    Ok(Value::int(0))
}

/// Runs the handler of a signal, or ends the run.
pub(super) fn raise_signal(machine: &mut Machine<'_>, signal: i32) -> Outcome<()> {
    match machine
        .library
        .handlers
        .get(&signal)
        .copied()
        .unwrap_or(DEFAULT)
    {
        IGNORE => Ok(()),
        DEFAULT if is_harmless(signal) => Ok(()),
        DEFAULT => stop(Stop::Abort),
        handler => machine
            .call_function(handler, &[Value::int(signal)])
            .map(|_| ()),
    }
}

fn raise(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let signal = call.signed(0)? as i32;
    if !(0..=64).contains(&signal) {
        set_error(machine, number::EINVAL)?;
        return Ok(Value::int(-1));
    }
    if signal != 0 {
        raise_signal(machine, signal)?;
    }
    Ok(Value::int(0))
}

/// `sizeof (sigset_t)`.
const SET_SIZE: u64 = 128;

fn fill_set(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let value = if call.name == "sigfillset" { 0xff } else { 0 };
    machine
        .memory
        .fill(call.pointer(0)?, Scalar::new(value), SET_SIZE)?;
    Ok(Value::int(0))
}

fn change_set(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (set, signal) = (call.pointer(0)?, call.signed(1)? as i32);
    if !(1..=64).contains(&signal) {
        set_error(machine, number::EINVAL)?;
        return Ok(Value::int(-1));
    }
    let bit = 1u64 << (signal - 1);
    let before = machine.memory.load(set, 8)?.bits;
    let after = if call.name == "sigaddset" {
        before | bit
    } else {
        before & !bit
    };
    machine.memory.store(set, 8, Scalar::new(after))?;
    Ok(Value::int(0))
}

/// Blocking signals and setting alarms has no effect where none arrive.
fn change_nothing(_: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::int(0))
}
