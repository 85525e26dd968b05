//! `setlocale`, `localeconv`, `gettext`: which language does the library speak?
//!
//! Only the C locale is there: asking for it, or which one it is, works; others are refused as they are
//! on a machine without locales, and messages are never translated.

use crate::library::objects::named_object;
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::run::RunCaveat;
use crate::stop::{Outcome, unsupported};
use crate::value::Value;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "setlocale" => set,
        "localeconv" => conventions,
        "nl_langinfo" => information,
        "__ctype_get_mb_cur_max" => largest_character,
        "gettext" | "dgettext" | "dcgettext" => translate,
        "ngettext" => translate_number,
        "textdomain" | "bindtextdomain" | "bind_textdomain_codeset" => choose_domain,
        _ => return None,
    })
}

fn set(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let name_at = call.pointer(1)?;
    let known = name_at == 0 || matches!(machine.memory.c_string(name_at)?, b"" | b"C" | b"POSIX");
    if !known {
        machine.caveat(RunCaveat::Environment);
        return Ok(Value::integer(0));
    }
    named_object(machine, "locale name", || b"C\0".to_vec()).map(Value::integer)
}

/// `struct lconv`: ten strings, the first a point and the others empty, then fourteen `CHAR_MAX`.
fn conventions(machine: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    let point = named_object(machine, "decimal point", || b".\0".to_vec())?;
    let empty = point + 1;
    named_object(machine, "locale conventions", || {
        let mut bytes = point.to_le_bytes().to_vec();
        for _ in 1..10 {
            bytes.extend(empty.to_le_bytes());
        }
        bytes.extend([127; 14]);
        bytes.extend([0; 2]);
        bytes
    })
    .map(Value::integer)
}

fn information(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    /// `CODESET` and `RADIXCHAR` of glibc.
    const CHARACTER_SET: u64 = 14;
    const POINT: u64 = 0x1_0000;
    match call.integer(0)? {
        CHARACTER_SET => named_object(machine, "character set", || b"ANSI_X3.4-1968\0".to_vec())
            .map(Value::integer),
        POINT => named_object(machine, "decimal point", || b".\0".to_vec()).map(Value::integer),
        item => unsupported(format!("nl_langinfo of item {item}")),
    }
}

fn largest_character(_: &mut Machine<'_>, _: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::integer(1))
}

/// The message is the first argument, or the second after a domain.
fn translate(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let message = usize::from(call.name != "gettext");
    call.pointer(message).map(Value::integer)
}

fn translate_number(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let singular = call.integer(2)? == 1;
    call.pointer(usize::from(!singular)).map(Value::integer)
}

fn choose_domain(_: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let index = usize::from(call.name != "textdomain");
    call.pointer(index).map(Value::integer)
}
