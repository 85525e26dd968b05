//! `isalpha`, `toupper` and the tables behind their inlined forms.

use crate::library::characters::{FIRST_CHARACTER, case_table, class_table, is_in_class};
use crate::library::objects::named_object;
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::{Outcome, undefined};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::Value;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "__ctype_b_loc" => class_location,
        "__ctype_tolower_loc" => lower_location,
        "__ctype_toupper_loc" => upper_location,
        "tolower" | "toupper" | "_tolower" | "_toupper" => other_case,
        "isascii" => is_ascii,
        "toascii" => to_ascii,
        _ if is_in_class(name, 0).is_some() => is_member,
        _ => return None,
    })
}

/// A variable that points to the entry of character 0 in a table.
fn location(
    machine: &mut Machine<'_>,
    table: &'static str,
    variable: &'static str,
    entry: u64,
    bytes: fn() -> Vec<u8>,
) -> Outcome<Value> {
    let start = named_object(machine, table, bytes)?;
    machine.memory.make_constant(start);
    let zero = start + entry * u64::from(FIRST_CHARACTER.unsigned_abs());
    named_object(machine, variable, || zero.to_le_bytes().to_vec()).map(Value::integer)
}

fn class_location(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    location(
        machine,
        "class table",
        "class table variable",
        2,
        class_table,
    )
}

fn lower_location(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    location(
        machine,
        "tolower table",
        "tolower table variable",
        4,
        || case_table(false),
    )
}

fn upper_location(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    location(
        machine,
        "toupper table",
        "toupper table variable",
        4,
        || case_table(true),
    )
}

fn outside<T>(call: &LibraryCall<'_>, character: i32) -> Outcome<T> {
    undefined(
        UndefinedBehaviour::LibraryMisuse,
        format!("{} gets {character}, which is no character", call.name),
    )
}

fn is_member(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let character = call.signed(0)? as i32;
    match is_in_class(call.name, character).flatten() {
        Some(member) => Ok(Value::int(member)),
        None => outside(call, character),
    }
}

/// glibc returns what is outside its table unchanged.
fn other_case(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let character = call.signed(0)? as i32;
    let Ok(byte) = u8::try_from(character) else {
        return Ok(Value::int(character));
    };
    let other = if call.name.ends_with("toupper") {
        byte.to_ascii_uppercase()
    } else {
        byte.to_ascii_lowercase()
    };
    Ok(Value::int(i32::from(other)))
}

fn is_ascii(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::int(i32::from(call.signed(0)? as i32 & !0x7f == 0)))
}

fn to_ascii(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::int(call.signed(0)? as i32 & 0x7f))
}
