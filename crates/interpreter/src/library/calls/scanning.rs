//! The `scanf` family: where does the input come from, and where do values go?

use crate::library::error_numbers::number;
use crate::library::objects::{get, set_error, stream_at, with_stream};
use crate::library::scan_input::{ScanError, ScanTarget, Scanned, scan};
use crate::library::streams::{INPUT_STREAM, StreamId};
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::{Outcome, Stop, undefined, unsupported};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::Scalar;
use crate::value::Value;
use crate::variadics::VariadicArguments;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    shape(name).map(|_| read_values as LibraryFunction)
}

/// The function without its version and `v`, and whether its arguments are a `va_list`.
fn shape(name: &str) -> Option<(&str, bool)> {
    let plain = ["__isoc99_", "__isoc23_"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name);
    let (base, list) = match plain.strip_prefix('v') {
        Some(base) => (base, true),
        None => (plain, false),
    };
    matches!(base, "scanf" | "fscanf" | "sscanf").then_some((base, list))
}

/// Where bytes come from.
enum Input {
    Stream(StreamId),
    Text { bytes: Vec<u8>, at: usize },
}

struct MachineTarget<'m, 'p, 'a> {
    machine: &'m mut Machine<'p>,
    call: &'m LibraryCall<'a>,
    list: VariadicArguments<'a>,
    input: Input,
    /// Pointers taken from the arguments so far, for formats with positions.
    pointers: Vec<u64>,
    used: usize,
    range_error: bool,
}

fn read_values(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let Some((base, list)) = shape(call.name) else {
        return unsupported(format!("{} is no function of the scanf family", call.name));
    };
    let format_at = usize::from(base != "scanf");
    let input = match base {
        "scanf" => Input::Stream(INPUT_STREAM),
        "fscanf" => Input::Stream(stream_at(machine, call.pointer(0)?, call.name)?),
        _ => Input::Text {
            bytes: machine.memory.c_string(call.pointer(0)?)?.to_vec(),
            at: 0,
        },
    };
    let format = machine.memory.c_string(call.pointer(format_at)?)?.to_vec();
    let list = if list {
        VariadicArguments::List(call.pointer(format_at + 1)?)
    } else {
        call.variadic()
    };
    let mut target = MachineTarget {
        machine,
        call,
        list,
        input,
        pointers: Vec::new(),
        used: 0,
        range_error: false,
    };
    let result = scan(&format, &mut target);
    let range_error = target.range_error;
    if range_error {
        set_error(machine, number::ERANGE)?;
    }
    match result {
        Ok(count) => Ok(Value::int(count)),
        Err(ScanError::Target(stop)) => Err(stop),
        Err(ScanError::Undefined(reason)) => undefined(
            UndefinedBehaviour::LibraryMisuse,
            format!("{}: {reason}", call.name),
        ),
        Err(ScanError::NoWideCharacter) => unsupported(format!(
            "{} reads a byte above 127 as a wide character",
            call.name
        )),
    }
}

impl MachineTarget<'_, '_, '_> {
    /// The pointer argument of that number, counted from 0.
    fn pointer(&mut self, index: usize) -> Outcome<u64> {
        while self.pointers.len() <= index {
            let pointer = self.list.integer(self.machine, 64)?;
            self.pointers.push(pointer);
        }
        Ok(self.pointers[index])
    }
}

impl ScanTarget for MachineTarget<'_, '_, '_> {
    type Error = Box<Stop>;

    fn read(&mut self) -> Outcome<Option<u8>> {
        match &mut self.input {
            Input::Stream(stream) => get(self.machine, *stream),
            Input::Text { bytes, at } => {
                let byte = bytes.get(*at).copied();
                *at += usize::from(byte.is_some());
                Ok(byte)
            }
        }
    }

    fn unread(&mut self, byte: u8) -> Outcome<()> {
        match &mut self.input {
            Input::Stream(stream) => {
                let _put_back = with_stream(self.machine, *stream, |stream, _| stream.unget(byte))?;
            }
            Input::Text { at, .. } => *at -= 1,
        }
        Ok(())
    }

    fn store(&mut self, position: Option<usize>, value: Scanned) -> Outcome<()> {
        let index = match position {
            Some(position) => position - 1,
            None => {
                self.used += 1;
                self.used - 1
            }
        };
        let pointer = self.pointer(index)?;
        let memory = &mut self.machine.memory;
        match value {
            Scanned::Integer { bits, length } => {
                let bytes = length.bytes();
                memory.write(pointer, &bits.to_le_bytes()[..bytes])
            }
            Scanned::Address(address) => memory.store(pointer, 8, Scalar::new(address)),
            Scanned::Floating(number) => {
                let size = number.format.width() as usize / 8;
                memory.write(pointer, &number.to_bits().to_le_bytes()[..size])
            }
            Scanned::Text(text) => memory.write(pointer, &text),
            Scanned::WideText(text) => {
                let bytes: Vec<u8> = text
                    .iter()
                    .flat_map(|character| character.to_le_bytes())
                    .collect();
                memory.write(pointer, &bytes)
            }
            Scanned::AllocatedText(text) => {
                let block = self
                    .machine
                    .allocate_heap(text.len() as u64, false, self.call.site)?;
                let block = block.unwrap_or(0);
                self.machine.memory.write(block, &text)?;
                self.machine.memory.store(pointer, 8, Scalar::new(block))
            }
        }
    }

    fn range_error(&mut self) {
        self.range_error = true;
    }
}
