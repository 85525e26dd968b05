//! The `printf` family: where does the output go, and where are the arguments?

use crate::formats::{EXTENDED, Floating};
use crate::library::error_numbers::{error_name, error_text, number};
use crate::library::format_output::{Argument, ArgumentKind, FormatArguments, FormatError, format};
use crate::library::format_specification::Length;
use crate::library::objects::{error, put, set_error, stream_at};
use crate::library::streams::OUTPUT_STREAM;
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::run::RunCaveat;
use crate::stop::{Outcome, Stop, undefined, unsupported};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value};
use crate::variadics::VariadicArguments;
use knockon_program::Type;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    shape(name).map(|_| print as LibraryFunction)
}

/// Where a function of the family writes; the numbers are argument positions.
#[derive(Clone, Copy)]
enum Destination {
    Output,
    Stream(usize),
    Descriptor(usize),
    Buffer {
        at: usize,
        limit: Option<usize>,
        /// The size of the buffer as the fortified variants pass it.
        size: Option<usize>,
    },
    /// Fresh memory, whose address is stored here.
    Allocated(usize),
}

#[derive(Clone, Copy)]
struct Shape {
    destination: Destination,
    format: usize,
    /// The arguments are a `va_list` right after the format.
    list: bool,
}

fn shape(name: &str) -> Option<Shape> {
    let fortified = name.starts_with("__") && name.ends_with("_chk");
    let plain = if fortified {
        name.strip_prefix("__")?.strip_suffix("_chk")?
    } else {
        name
    };
    let (base, list) = match plain.strip_prefix('v') {
        Some(base) => (base, true),
        None => (plain, false),
    };
    let flag = usize::from(fortified);
    let (destination, format) = match base {
        "printf" => (Destination::Output, flag),
        "fprintf" => (Destination::Stream(0), 1 + flag),
        "dprintf" => (Destination::Descriptor(0), 1 + flag),
        "sprintf" => {
            let size = fortified.then_some(2);
            (
                Destination::Buffer {
                    at: 0,
                    limit: None,
                    size,
                },
                1 + 2 * flag,
            )
        }
        "snprintf" => {
            let size = fortified.then_some(3);
            (
                Destination::Buffer {
                    at: 0,
                    limit: Some(1),
                    size,
                },
                2 + 2 * flag,
            )
        }
        "asprintf" => (Destination::Allocated(0), 1 + flag),
        _ => return None,
    };
    Some(Shape {
        destination,
        format,
        list,
    })
}

fn print(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let Some(shape) = shape(call.name) else {
        return unsupported(format!("{} is no function of the printf family", call.name));
    };
    let format_text = machine
        .memory
        .c_string(call.pointer(shape.format)?)?
        .to_vec();
    let list = if shape.list {
        VariadicArguments::List(call.pointer(shape.format + 1)?)
    } else {
        call.variadic()
    };
    let mut arguments = MachineArguments {
        machine,
        list,
        strings: Vec::new(),
    };
    let mut output = Vec::new();
    let result = format(&mut output, &format_text, &mut arguments);
    let strings = arguments.strings;
    let failure = match result {
        Ok(()) => None,
        Err(FormatError::Fails(number)) => Some(number),
        Err(FormatError::Argument(stop)) => return Err(stop),
        Err(FormatError::TooLarge(count)) => {
            return unsupported(format!(
                "{} with a width or precision of {count}",
                call.name
            ));
        }
        Err(FormatError::Undefined(reason)) => {
            return undefined(
                UndefinedBehaviour::LibraryMisuse,
                format!("{}: {reason}", call.name),
            );
        }
        Err(FormatError::WrongType { conversion }) => {
            let conversion = char::from(conversion);
            return undefined(
                UndefinedBehaviour::LibraryMisuse,
                format!(
                    "{}: `%{conversion}` gets an argument of another type",
                    call.name
                ),
            );
        }
    };
    let written = deliver(machine, call, shape.destination, &output, &strings)?;
    if let Some(number) = failure {
        set_error(machine, number)?;
    }
    let length = if written && failure.is_none() {
        output.len() as i32
    } else {
        -1
    };
    Ok(Value::int(length))
}

fn deliver(
    machine: &mut Machine<'_>,
    call: &LibraryCall<'_>,
    destination: Destination,
    output: &[u8],
    strings: &[(u64, u64)],
) -> Outcome<bool> {
    match destination {
        Destination::Output => put(machine, OUTPUT_STREAM, output),
        Destination::Stream(at) => {
            let stream = stream_at(machine, call.pointer(at)?, call.name)?;
            put(machine, stream, output)
        }
        Destination::Descriptor(at) => {
            let result = machine
                .library
                .descriptors
                .write(call.signed(at)? as i32, output);
            Ok(crate::library::objects::or_error(machine, result)?.is_some())
        }
        Destination::Buffer { at, limit, size } => {
            let limit = limit.map(|at| call.integer(at)).transpose()?;
            if let Some(size) = size.map(|at| call.integer(at)).transpose()? {
                let needed = limit.unwrap_or(output.len() as u64 + 1);
                if needed > size {
                    return undefined(
                        UndefinedBehaviour::OutOfBounds,
                        format!(
                            "{} writes {needed} bytes into a buffer of {size}",
                            call.name
                        ),
                    );
                }
            }
            let kept = match limit {
                Some(0) => return Ok(true),
                Some(limit) => output
                    .len()
                    .min(usize::try_from(limit - 1).unwrap_or(usize::MAX)),
                None => output.len(),
            };
            let buffer = call.pointer(at)?;
            let end = buffer.saturating_add(kept as u64 + 1);
            if strings
                .iter()
                .any(|(start, length)| *start < end && buffer < start + length)
            {
                return undefined(
                    UndefinedBehaviour::OverlappingCopy,
                    format!(
                        "{} prints a string into the memory that holds it",
                        call.name
                    ),
                );
            }
            let mut bytes = output[..kept].to_vec();
            bytes.push(0);
            machine.memory.write(buffer, &bytes)?;
            Ok(true)
        }
        Destination::Allocated(at) => {
            let Some(block) = machine.allocate_heap(output.len() as u64 + 1, false, call.site)?
            else {
                set_error(machine, number::ENOMEM)?;
                return Ok(false);
            };
            machine.memory.write(block, output)?;
            machine.memory.write(block + output.len() as u64, &[0])?;
            machine
                .memory
                .store(call.pointer(at)?, 8, Scalar::new(block))?;
            Ok(true)
        }
    }
}

/// Arguments of a call of the running program.
struct MachineArguments<'m, 'p, 'a> {
    machine: &'m mut Machine<'p>,
    list: VariadicArguments<'a>,
    /// The memory that strings were read from: start and length with the NUL.
    strings: Vec<(u64, u64)>,
}

impl MachineArguments<'_, '_, '_> {
    /// `%ld` on an `int` reads bits that nobody passed; the other direction is harmless on x86-64.
    fn check_width(&self, kind: ArgumentKind) -> Outcome<()> {
        if kind == ArgumentKind::Long
            && let VariadicArguments::Direct { types, program, .. } = &self.list
            && let Some(first) = types.first()
            && let Type::Integer(width) = program.type_of(*first)
            && *width < 64
        {
            return undefined(
                UndefinedBehaviour::LibraryMisuse,
                format!("a conversion for 64 bits gets an argument of {width} bits"),
            );
        }
        Ok(())
    }
}

impl FormatArguments for MachineArguments<'_, '_, '_> {
    type Pointer = u64;
    type Error = Box<Stop>;

    fn next(&mut self, kind: ArgumentKind) -> Outcome<Argument<u64>> {
        self.check_width(kind)?;
        let (list, machine) = (&mut self.list, &mut *self.machine);
        Ok(match kind {
            ArgumentKind::Int => Argument::Integer(list.integer(machine, 32)?),
            ArgumentKind::Long => Argument::Integer(list.integer(machine, 64)?),
            ArgumentKind::Pointer => Argument::Pointer(list.integer(machine, 64)?),
            ArgumentKind::Double => {
                Argument::Floating(Floating::from_double(list.double(machine)?))
            }
            ArgumentKind::LongDouble => {
                Argument::Floating(EXTENDED.unpack(list.long_double(machine)?))
            }
        })
    }

    fn string(&mut self, pointer: &u64, limit: Option<usize>) -> Outcome<Option<Vec<u8>>> {
        if *pointer == 0 {
            return Ok(None);
        }
        let limit = limit.map_or(u64::MAX, |limit| limit as u64);
        let text = self
            .machine
            .memory
            .c_string_up_to(*pointer, limit)?
            .to_vec();
        self.strings
            .push((*pointer, (text.len() as u64 + 1).min(limit)));
        Ok(Some(text))
    }

    fn wide_string(&mut self, pointer: &u64, limit: Option<usize>) -> Outcome<Option<Vec<u32>>> {
        if *pointer == 0 {
            return Ok(None);
        }
        let mut text = Vec::new();
        while text.len() < limit.unwrap_or(usize::MAX) {
            let character = self
                .machine
                .memory
                .load(pointer + 4 * text.len() as u64, 4)?;
            if !character.is_defined() {
                return undefined(
                    UndefinedBehaviour::Uninitialised,
                    "a wide string was never set",
                );
            }
            if character.bits == 0 {
                break;
            }
            text.push(character.bits as u32);
        }
        Ok(Some(text))
    }

    fn address(&mut self, pointer: &u64) -> Outcome<u64> {
        if *pointer != 0 {
            self.machine.caveat(RunCaveat::Environment);
        }
        Ok(*pointer)
    }

    fn store_count(&mut self, pointer: &u64, length: Length, count: u64) -> Outcome<()> {
        let size = length.bytes() as u32;
        let bits = count & (u64::MAX >> (64 - 8 * size));
        self.machine.memory.store(*pointer, size, Scalar::new(bits))
    }

    fn error_text(&mut self, name: bool) -> Vec<u8> {
        let number = error(self.machine).unwrap_or_default();
        if name {
            error_name(number)
        } else {
            error_text(number)
        }
    }
}
