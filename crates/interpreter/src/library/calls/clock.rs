//! `time`, `clock` and the calendar functions.
//!
//! A run must be repeatable, so its clock is not the host's: it starts at a fixed second and advances
//! with the instructions executed. A program that reads it depends on something the language leaves
//! open, and the run says so. The time zone is UTC.

use crate::library::calendar::BrokenTime;
use crate::library::objects::{named_object, result_text};
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::run::RunCaveat;
use crate::stop::{Outcome, undefined, unsupported};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value};

/// When every run starts: 1 January 2024, 00:00 UTC.
const START: i64 = 1_704_067_200;
/// Instructions per microsecond of the run's clock.
const SPEED: u64 = 1_000;
/// `sizeof (struct tm)`, and where its last two fields are.
const FIELDS_SIZE: usize = 56;
const ZONE_FIELD: usize = 48;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "time" => seconds,
        "clock" => processor_time,
        "gettimeofday" | "clock_gettime" => precise_time,
        "difftime" => difference,
        "gmtime" | "localtime" | "gmtime_r" | "localtime_r" => break_down,
        "mktime" | "timegm" | "timelocal" => put_together,
        "strftime" => write_formatted,
        "asctime" | "ctime" => write_ordinary,
        "tzset" => set_zone,
        _ => return None,
    })
}

/// Microseconds since the start of the run.
fn elapsed(machine: &mut Machine<'_>) -> u64 {
    machine.caveat(RunCaveat::Environment);
    machine.steps / SPEED
}

fn seconds(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let now = START as u64 + elapsed(machine) / 1_000_000;
    let target = call.pointer(0)?;
    if target != 0 {
        machine.memory.store(target, 8, Scalar::new(now))?;
    }
    Ok(Value::integer(now))
}

fn processor_time(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::integer(elapsed(machine)))
}

/// Seconds, and microseconds or nanoseconds.
fn precise_time(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let elapsed = elapsed(machine);
    let (target, scale) = match call.name {
        "gettimeofday" => (call.pointer(0)?, 1),
        _ => (call.pointer(1)?, 1_000),
    };
    machine
        .memory
        .store(target, 8, Scalar::new(START as u64 + elapsed / 1_000_000))?;
    machine
        .memory
        .store(target + 8, 8, Scalar::new(elapsed % 1_000_000 * scale))?;
    Ok(Value::int(0))
}

fn difference(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (end, start) = (call.signed(0)?, call.signed(1)?);
    Ok(Value::double((i128::from(end) - i128::from(start)) as f64))
}

/// A `time_t` that a pointer points to.
fn time_at(machine: &Machine<'_>, address: u64) -> Outcome<i64> {
    let value = machine.memory.load(address, 8)?;
    if !value.is_defined() {
        return undefined(
            UndefinedBehaviour::Uninitialised,
            "a time is read that was never set",
        );
    }
    Ok(value.bits as i64)
}

fn fields_at(machine: &Machine<'_>, address: u64) -> Outcome<BrokenTime> {
    let mut fields = [0i32; 8];
    for (index, field) in fields.iter_mut().enumerate() {
        *field = machine.memory.load(address + 4 * index as u64, 4)?.bits as i32;
    }
    let [second, minute, hour, day, month, year, weekday, day_of_year] = fields;
    Ok(BrokenTime {
        second,
        minute,
        hour,
        day,
        month,
        year,
        weekday,
        day_of_year,
    })
}

fn write_fields(machine: &mut Machine<'_>, address: u64, time: BrokenTime) -> Outcome<()> {
    let zone = named_object(machine, "time zone", || b"UTC\0".to_vec())?;
    let mut bytes = vec![0; FIELDS_SIZE];
    let fields = [
        time.second,
        time.minute,
        time.hour,
        time.day,
        time.month,
        time.year,
        time.weekday,
        time.day_of_year,
    ];
    for (index, field) in fields.iter().enumerate() {
        bytes[4 * index..4 * index + 4].copy_from_slice(&field.to_le_bytes());
    }
    bytes[ZONE_FIELD..].copy_from_slice(&zone.to_le_bytes());
    machine.memory.write(address, &bytes)
}

fn broken(call: &LibraryCall<'_>, seconds: i64) -> Outcome<BrokenTime> {
    match BrokenTime::from_seconds(seconds) {
        Some(time) => Ok(time),
        None => unsupported(format!("{} of a year beyond int", call.name)),
    }
}

fn break_down(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let time = broken(call, time_at(machine, call.pointer(0)?)?)?;
    let target = if call.name.ends_with("_r") {
        call.pointer(1)?
    } else {
        named_object(machine, "broken-down time", || vec![0; FIELDS_SIZE])?
    };
    write_fields(machine, target, time)?;
    Ok(Value::integer(target))
}

fn put_together(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let target = call.pointer(0)?;
    let seconds = fields_at(machine, target)?.to_seconds();
    let time = broken(call, seconds)?;
    write_fields(machine, target, time)?;
    Ok(Value::integer(seconds as u64))
}

fn write_formatted(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (buffer, size) = (call.pointer(0)?, call.integer(1)?);
    let format = machine.memory.c_string(call.pointer(2)?)?.to_vec();
    let time = fields_at(machine, call.pointer(3)?)?;
    let Some(mut text) = time.text(&format) else {
        return unsupported("strftime with a conversion or flag that is not implemented");
    };
    text.push(0);
    if text.len() as u64 > size {
        return Ok(Value::integer(0));
    }
    machine.memory.write(buffer, &text)?;
    Ok(Value::integer(text.len() as u64 - 1))
}

fn write_ordinary(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let at = call.pointer(0)?;
    let time = match call.name {
        "ctime" => broken(call, time_at(machine, at)?)?,
        _ => fields_at(machine, at)?,
    };
    let text = time.ordinary_text().unwrap_or_default();
    result_text(machine, "asctime", &text).map(Value::integer)
}

fn set_zone(_: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::nothing())
}
