//! `getopt` and `getopt_long`: which option comes next?
//!
//! As glibc has it: operands are moved behind the options unless the option string starts with `+` or
//! `POSIXLY_CORRECT` is set, and `-` at its start delivers them as option 1. Long options may be
//! abbreviated where that is unique.

use crate::library::objects::{external_variable, put};
use crate::library::streams::ERROR_STREAM;
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::{Outcome, unsupported};
use crate::value::{Scalar, Value};

const END: i32 = -1;
const UNKNOWN: i32 = b'?' as i32;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "getopt" | "__posix_getopt" | "getopt_long" => next_option,
        _ => return None,
    })
}

/// What `getopt` remembers between calls.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::library) struct OptionState {
    started: bool,
    /// The next letter inside an argument of several short options; 0 between arguments.
    offset: u64,
    skipped: Skipped,
}

/// The operands that were passed over and still stand before options.
#[derive(Clone, Copy, Debug, Default)]
struct Skipped {
    first: u64,
    last: u64,
}

/// The arguments of one call, and the variables that live across calls.
struct Parser {
    count: u64,
    vector: u64,
    short: Vec<u8>,
    /// The address of the long options, or null.
    long: u64,
    /// Where the number of the long option found is stored, or null.
    long_index: u64,
    /// No message is printed (the option string starts with `:`, or `opterr` is 0).
    quiet: bool,
    /// A missing argument is reported as `:`.
    colon: bool,
    order: Order,
    index: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Operands are moved behind the options.
    Permute,
    /// The first operand ends the options.
    Stop,
    /// An operand is delivered as option 1.
    Deliver,
}

fn variable(machine: &mut Machine<'_>, name: &str) -> Outcome<u64> {
    match external_variable(machine, name)? {
        Some(address) => Ok(address),
        None => unsupported(format!("the variable {name}")),
    }
}

fn read_variable(machine: &mut Machine<'_>, name: &str) -> Outcome<i32> {
    let address = variable(machine, name)?;
    Ok(machine.memory.load(address, 4)?.bits as i32)
}

fn write_variable(machine: &mut Machine<'_>, name: &str, value: i32) -> Outcome<()> {
    let address = variable(machine, name)?;
    machine
        .memory
        .store(address, 4, Scalar::new(u64::from(value as u32)))
}

fn set_argument(machine: &mut Machine<'_>, value: u64) -> Outcome<()> {
    let address = variable(machine, "optarg")?;
    machine.memory.store(address, 8, Scalar::new(value))
}

impl Parser {
    fn argument(&self, machine: &Machine<'_>, index: u64) -> Outcome<u64> {
        Ok(machine.memory.load(self.vector + 8 * index, 8)?.bits)
    }

    fn text(&self, machine: &Machine<'_>, index: u64) -> Outcome<Vec<u8>> {
        let address = self.argument(machine, index)?;
        Ok(machine.memory.c_string(address)?.to_vec())
    }

    fn is_option(&self, machine: &Machine<'_>, index: u64) -> Outcome<bool> {
        let text = self.text(machine, index)?;
        Ok(text.len() > 1 && text[0] == b'-')
    }

    /// Swaps the operands that were skipped with the options found behind them.
    fn exchange(&self, machine: &mut Machine<'_>, end: u64) -> Outcome<()> {
        let Skipped { first, last } = machine.library.options.skipped;
        let mut pointers = Vec::new();
        for index in first..end {
            pointers.push(self.argument(machine, index)?);
        }
        pointers.rotate_left((last - first) as usize);
        for (index, pointer) in (first..end).zip(pointers) {
            machine
                .memory
                .store(self.vector + 8 * index, 8, Scalar::new(pointer))?;
        }
        machine.library.options.skipped = Skipped {
            first: first + end - last,
            last: end,
        };
        Ok(())
    }

    fn complain(&self, machine: &mut Machine<'_>, message: &str) -> Outcome<()> {
        if self.quiet {
            return Ok(());
        }
        let mut text = self.text(machine, 0)?;
        text.extend_from_slice(format!(": {message}\n").as_bytes());
        put(machine, ERROR_STREAM, &text)?;
        Ok(())
    }
}

fn next_option(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let long = call.name == "getopt_long";
    let mut short = machine.memory.c_string(call.pointer(2)?)?.to_vec();
    let mut order = match short.first() {
        Some(b'+') => Order::Stop,
        Some(b'-') => Order::Deliver,
        _ if call.name == "__posix_getopt" => Order::Stop,
        _ => Order::Permute,
    };
    if machine
        .library
        .environment
        .iter()
        .any(|(row, _)| row.starts_with(b"POSIXLY_CORRECT="))
        && order == Order::Permute
    {
        order = Order::Stop;
    }
    if matches!(short.first(), Some(b'+' | b'-')) {
        short.remove(0);
    }
    let colon = short.first() == Some(&b':');
    let quiet = colon || read_variable(machine, "opterr")? == 0;
    let index = read_variable(machine, "optind")?;
    let index = if index == 0 || !machine.library.options.started {
        let start = index.max(1);
        let skipped = Skipped {
            first: start as u64,
            last: start as u64,
        };
        machine.library.options = OptionState {
            started: true,
            offset: 0,
            skipped,
        };
        start
    } else {
        index
    };
    let parser = Parser {
        count: call.signed(0)?.max(0) as u64,
        vector: call.pointer(1)?,
        short,
        long: if long { call.pointer(3)? } else { 0 },
        long_index: if long { call.pointer(4)? } else { 0 },
        quiet,
        colon,
        order,
        index: index.max(1) as u64,
    };
    set_argument(machine, 0)?;
    let (result, index) = parse(machine, &parser)?;
    write_variable(machine, "optind", index as i32)?;
    Ok(Value::int(result))
}

/// The result of the call and the new `optind`.
fn parse(machine: &mut Machine<'_>, parser: &Parser) -> Outcome<(i32, u64)> {
    let mut index = parser.index;
    if machine.library.options.offset > 0 {
        return short_option(machine, parser, index);
    }
    let skipped = &mut machine.library.options.skipped;
    // The program may have moved `optind` back.
    skipped.last = skipped.last.min(index);
    skipped.first = skipped.first.min(index);
    if parser.order == Order::Permute {
        let Skipped { first, last } = *skipped;
        if first != last && last != index {
            parser.exchange(machine, index)?;
        } else if last != index {
            skipped.first = index;
        }
        while index < parser.count && !parser.is_option(machine, index)? {
            index += 1;
        }
        machine.library.options.skipped.last = index;
    }
    if index < parser.count && parser.text(machine, index)? == b"--" {
        index += 1;
        let Skipped { first, last } = machine.library.options.skipped;
        if first != last && last != index {
            parser.exchange(machine, index)?;
        } else if first == last {
            machine.library.options.skipped.first = index;
        }
        machine.library.options.skipped.last = parser.count;
        index = parser.count;
    }
    if index >= parser.count {
        let Skipped { first, last } = machine.library.options.skipped;
        return Ok((END, if first != last { first } else { index }));
    }
    if !parser.is_option(machine, index)? {
        if parser.order == Order::Stop {
            return Ok((END, index));
        }
        let operand = parser.argument(machine, index)?;
        set_argument(machine, operand)?;
        return Ok((1, index + 1));
    }
    let text = parser.text(machine, index)?;
    if parser.long != 0 && text.starts_with(b"--") {
        return long_option(machine, parser, index, &text[2..]);
    }
    machine.library.options.offset = 1;
    short_option(machine, parser, index)
}

/// 0 without an argument, 1 with one, 2 with an optional one; `None` for an unknown letter.
fn short_kind(parser: &Parser, letter: u8) -> Option<u8> {
    if matches!(letter, b':' | b';') {
        return None;
    }
    let at = parser.short.iter().position(|byte| *byte == letter)?;
    let colons = parser.short[at + 1..]
        .iter()
        .take(2)
        .take_while(|byte| **byte == b':')
        .count();
    Some(colons as u8)
}

fn short_option(machine: &mut Machine<'_>, parser: &Parser, index: u64) -> Outcome<(i32, u64)> {
    let text = parser.text(machine, index)?;
    let offset = machine.library.options.offset as usize;
    let letter = text.get(offset).copied().unwrap_or(0);
    let last = offset + 1 >= text.len();
    machine.library.options.offset = if last { 0 } else { offset as u64 + 1 };
    let next = index + u64::from(last);
    let shown = char::from(letter);
    match short_kind(parser, letter) {
        None => {
            write_variable(machine, "optopt", i32::from(letter))?;
            parser.complain(machine, &format!("invalid option -- '{shown}'"))?;
            Ok((UNKNOWN, next))
        }
        Some(0) => Ok((i32::from(letter), next)),
        Some(kind) => {
            machine.library.options.offset = 0;
            let start = parser.argument(machine, index)?;
            if !last {
                set_argument(machine, start + offset as u64 + 1)?;
                return Ok((i32::from(letter), index + 1));
            }
            if kind == 2 {
                return Ok((i32::from(letter), index + 1));
            }
            if index + 1 >= parser.count {
                write_variable(machine, "optopt", i32::from(letter))?;
                parser.complain(
                    machine,
                    &format!("option requires an argument -- '{shown}'"),
                )?;
                return Ok((
                    if parser.colon {
                        i32::from(b':')
                    } else {
                        UNKNOWN
                    },
                    index + 1,
                ));
            }
            let argument = parser.argument(machine, index + 1)?;
            set_argument(machine, argument)?;
            Ok((i32::from(letter), index + 2))
        }
    }
}

/// A row of the long options.
struct LongOption {
    number: u64,
    name: Vec<u8>,
    argument: i32,
    flag: u64,
    value: i32,
}

enum LongMatch {
    Found(LongOption),
    None,
    Ambiguous,
}

fn long_row(machine: &Machine<'_>, parser: &Parser, number: u64) -> Outcome<Option<LongOption>> {
    /// `sizeof (struct option)`.
    const SIZE: u64 = 32;
    let at = parser.long + SIZE * number;
    let name = machine.memory.load(at, 8)?.bits;
    if name == 0 {
        return Ok(None);
    }
    Ok(Some(LongOption {
        number,
        name: machine.memory.c_string(name)?.to_vec(),
        argument: machine.memory.load(at + 8, 4)?.bits as i32,
        flag: machine.memory.load(at + 16, 8)?.bits,
        value: machine.memory.load(at + 24, 4)?.bits as i32,
    }))
}

/// The option that a name, whole or cut short, stands for.
fn find_long(machine: &Machine<'_>, parser: &Parser, text: &[u8]) -> Outcome<LongMatch> {
    let name = text.split(|byte| *byte == b'=').next().unwrap_or_default();
    let mut abbreviated: Option<LongOption> = None;
    let mut ambiguous = false;
    let mut number = 0;
    while let Some(row) = long_row(machine, parser, number)? {
        if row.name == name {
            return Ok(LongMatch::Found(row));
        }
        if row.name.starts_with(name) {
            match &abbreviated {
                None => abbreviated = Some(row),
                Some(other) => {
                    let same = (other.argument, other.flag, other.value)
                        == (row.argument, row.flag, row.value);
                    ambiguous |= !same;
                }
            }
        }
        number += 1;
    }
    Ok(match abbreviated {
        _ if ambiguous => LongMatch::Ambiguous,
        Some(row) => LongMatch::Found(row),
        None => LongMatch::None,
    })
}

fn long_option(
    machine: &mut Machine<'_>,
    parser: &Parser,
    index: u64,
    text: &[u8],
) -> Outcome<(i32, u64)> {
    let shown = String::from_utf8_lossy(text).into_owned();
    let row = match find_long(machine, parser, text)? {
        LongMatch::Found(row) => row,
        LongMatch::Ambiguous if !parser.quiet => {
            return unsupported(format!(
                "the message about the ambiguous option '--{shown}'"
            ));
        }
        LongMatch::Ambiguous | LongMatch::None => {
            let name = shown.split('=').next().unwrap_or_default();
            write_variable(machine, "optopt", 0)?;
            parser.complain(machine, &format!("unrecognized option '--{name}'"))?;
            return Ok((UNKNOWN, index + 1));
        }
    };
    let name = String::from_utf8_lossy(&row.name).into_owned();
    let given = text.iter().position(|byte| *byte == b'=');
    let mut next = index + 1;
    match (row.argument, given) {
        (0, Some(_)) => {
            write_variable(machine, "optopt", row.value)?;
            parser.complain(
                machine,
                &format!("option '--{name}' doesn't allow an argument"),
            )?;
            return Ok((UNKNOWN, next));
        }
        (_, Some(at)) => {
            let start = parser.argument(machine, index)?;
            set_argument(machine, start + 2 + at as u64 + 1)?;
        }
        (1, None) if next < parser.count => {
            let argument = parser.argument(machine, next)?;
            set_argument(machine, argument)?;
            next += 1;
        }
        (1, None) => {
            write_variable(machine, "optopt", row.value)?;
            parser.complain(machine, &format!("option '--{name}' requires an argument"))?;
            return Ok((
                if parser.colon {
                    i32::from(b':')
                } else {
                    UNKNOWN
                },
                next,
            ));
        }
        (_, None) => {}
    }
    if parser.long_index != 0 {
        machine
            .memory
            .store(parser.long_index, 4, Scalar::new(row.number))?;
    }
    if row.flag != 0 {
        machine
            .memory
            .store(row.flag, 4, Scalar::new(u64::from(row.value as u32)))?;
        return Ok((0, next));
    }
    Ok((row.value, next))
}
