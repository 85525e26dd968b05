//! Where are the arguments behind `...`?
//!
//! `va_arg` is expanded by clang into reads of a `va_list` as the System V ABI of x86-64 lays it
//! out (section 3.5.7): `{ i32 gp_offset, i32 fp_offset, ptr overflow_arg_area, ptr reg_save_area }`.
//! So `va_start` builds these areas in memory: the first integers and doubles that fit the argument
//! registers left over by the named parameters go to the register save area (six 8-byte and eight
//! 16-byte slots), everything else, and every `long double` and struct passed in memory, to the
//! overflow area in order.

use crate::machine::Machine;
use crate::memory::{Allocation, ObjectKind, SiteId};
use crate::stop::{Outcome, undefined};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value, Wide, mask};
use knockon_program::{ParameterAttributes, Program, Type, TypeId};

const INTEGER_REGISTERS: u64 = 6;
const FLOAT_REGISTERS: u64 = 8;
/// The register save area: the integer registers, then the vector registers.
const INTEGER_AREA: u64 = INTEGER_REGISTERS * 8;
const SAVE_AREA: u64 = INTEGER_AREA + FLOAT_REGISTERS * 16;

const OVERFLOW_FIELD: u64 = 8;
const SAVE_FIELD: u64 = 16;

/// One argument behind `...`, as the call passed it.
#[derive(Clone, Debug)]
pub(crate) struct VariadicArgument {
    /// The address of a copy, if the argument is passed in memory.
    pub(crate) value: Value,
    pub(crate) type_id: TypeId,
    /// The alignment in memory of an argument that is passed there.
    pub(crate) in_memory: Option<u64>,
}

/// Which registers an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// This many 8-byte integer registers.
    Integer(u64),
    /// One vector register.
    Float,
    /// The stack, at a multiple of this.
    Memory(u64),
}

fn class_of(program: &Program, type_id: TypeId) -> Class {
    match program.type_of(type_id) {
        Type::Float | Type::Double | Type::Half | Type::BFloat | Type::Fp128 => Class::Float,
        Type::X86Fp80 => Class::Memory(16),
        Type::Integer(bits) if *bits > 64 => Class::Integer(2),
        Type::Vector { .. } if program.store_size(type_id) <= 16 => Class::Float,
        Type::Vector { .. } => Class::Memory(program.alignment_of(type_id)),
        _ => Class::Integer(1),
    }
}

/// Registers taken so far.
#[derive(Clone, Copy, Default)]
struct Registers {
    integer: u64,
    float: u64,
}

impl Registers {
    /// Takes the registers for an argument; `false` if it goes to the stack.
    fn take(&mut self, class: Class) -> bool {
        match class {
            Class::Integer(count) if self.integer + count <= INTEGER_REGISTERS => {
                self.integer += count;
                true
            }
            Class::Float if self.float < FLOAT_REGISTERS => {
                self.float += 1;
                true
            }
            _ => false,
        }
    }
}

impl Machine<'_> {
    /// `llvm.va_start`: lays out the arguments of the current frame for the list at `list`.
    pub(crate) fn start_variadic(&mut self, list: u64, site: SiteId) -> Outcome<()> {
        let (function, arguments) = match self.frames.last() {
            Some(frame) => (frame.code.function, frame.variadic.clone()),
            None => {
                return undefined(
                    UndefinedBehaviour::VariadicPastEnd,
                    "va_start outside a call",
                );
            }
        };
        let program = self.program;
        let mut registers = Registers::default();
        for parameter in &program.function(function).parameters {
            if !parameter.attributes.has(ParameterAttributes::BY_VALUE) {
                registers.take(class_of(program, parameter.type_id));
            }
        }
        let first = registers;
        // What the areas hold from their beginning on is no access.
        let progress = self.memory.traced_progress();
        self.memory.trace_on(None);
        let recorded = self.memory.recorded_progress();
        self.memory.record_as_caller();
        let save_area = self.variadic_area(SAVE_AREA, site)?;
        let mut overflow: Vec<(u64, &VariadicArgument)> = Vec::new();
        let mut overflow_size = 0u64;
        for argument in arguments.iter().flat_map(|rows| rows.iter()) {
            let class = match argument.in_memory {
                Some(alignment) => Class::Memory(alignment),
                None => class_of(program, argument.type_id),
            };
            let before = registers;
            if registers.take(class) {
                let offset = match class {
                    Class::Float => INTEGER_AREA + before.float * 16,
                    _ => before.integer * 8,
                };
                self.store_value(save_area + offset, argument.type_id, &argument.value)?;
            } else {
                let alignment = match class {
                    Class::Memory(alignment) => alignment.max(8),
                    Class::Integer(2) => 16,
                    _ => 8,
                };
                overflow_size = overflow_size.next_multiple_of(alignment);
                overflow.push((overflow_size, argument));
                overflow_size += program.size_of(argument.type_id).next_multiple_of(8);
            }
        }
        let overflow_area = self.variadic_area(overflow_size, site)?;
        for (offset, argument) in overflow {
            match (argument.in_memory, &argument.value) {
                (Some(_), Value::Scalar(address)) => {
                    let size = program.size_of(argument.type_id);
                    self.memory
                        .copy(overflow_area + offset, address.bits, size)?;
                }
                _ => self.store_value(overflow_area + offset, argument.type_id, &argument.value)?,
            }
        }
        let memory = &mut self.memory;
        memory.trace_on(progress);
        memory.record_on(recorded);
        memory.store(list, 4, Scalar::new(first.integer * 8))?;
        memory.store(
            list.wrapping_add(4),
            4,
            Scalar::new(INTEGER_AREA + first.float * 16),
        )?;
        memory.store(
            list.wrapping_add(OVERFLOW_FIELD),
            8,
            Scalar::new(overflow_area),
        )?;
        memory.store(list.wrapping_add(SAVE_FIELD), 8, Scalar::new(save_area))
    }

    fn variadic_area(&mut self, size: u64, site: SiteId) -> Outcome<u64> {
        let address = self.memory.allocate(Allocation {
            size,
            kind: ObjectKind::Variadic,
            site,
            zeroed: false,
        })?;
        self.stack_objects.push(address);
        Ok(address)
    }
}

/// The kinds of variable arguments that library functions ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariadicKind {
    /// An integer of up to 64 bits, or a pointer.
    Integer,
    Double,
    LongDouble,
}

/// Variable arguments as a library function sees them: those of its own call, or a `va_list`.
pub(crate) enum VariadicArguments<'a> {
    Direct {
        values: &'a [Value],
        types: &'a [TypeId],
        program: &'a Program,
    },
    /// The address of a `va_list`.
    List(u64),
}

impl VariadicArguments<'_> {
    /// The next argument, undefined bits and all: [`Value::Wide`] for a `long double`, else
    /// [`Value::Scalar`]. An integer narrower than asked for is zero-extended.
    pub(crate) fn next(&mut self, machine: &mut Machine<'_>, kind: VariadicKind) -> Outcome<Value> {
        match self {
            VariadicArguments::Direct {
                values,
                types,
                program,
            } => {
                let (Some((value, rest)), Some((type_id, rest_types))) =
                    (values.split_first(), types.split_first())
                else {
                    return undefined(
                        UndefinedBehaviour::VariadicPastEnd,
                        "the call passes fewer arguments than are asked for",
                    );
                };
                let (found, name) = match program.type_of(*type_id) {
                    Type::Double => (Some(VariadicKind::Double), "a double"),
                    Type::X86Fp80 => (Some(VariadicKind::LongDouble), "a long double"),
                    Type::Struct { .. } | Type::Array { .. } => (None, "a struct"),
                    _ => (Some(VariadicKind::Integer), "an integer or pointer"),
                };
                if found != Some(kind) {
                    return undefined(
                        UndefinedBehaviour::LibraryMisuse,
                        format!("a variable argument is {name} and asked for as {kind:?}"),
                    );
                }
                (*values, *types) = (rest, rest_types);
                Ok(value.clone())
            }
            VariadicArguments::List(list) => next_of_list(machine, *list, kind),
        }
    }

    /// The next argument as an integer of `width` bits (or a pointer), all of which must be defined.
    pub(crate) fn integer(&mut self, machine: &mut Machine<'_>, width: u32) -> Outcome<u64> {
        match self.next(machine, VariadicKind::Integer)? {
            Value::Scalar(scalar) if scalar.undefined & mask(width) == 0 => {
                Ok(scalar.bits & mask(width))
            }
            _ => uninitialised(),
        }
    }

    pub(crate) fn double(&mut self, machine: &mut Machine<'_>) -> Outcome<f64> {
        match self.next(machine, VariadicKind::Double)? {
            Value::Scalar(Scalar { bits, undefined: 0 }) => Ok(f64::from_bits(bits)),
            _ => uninitialised(),
        }
    }

    /// The 80 bits of a `long double`.
    pub(crate) fn long_double(&mut self, machine: &mut Machine<'_>) -> Outcome<u128> {
        match self.next(machine, VariadicKind::LongDouble)? {
            Value::Wide(Wide { bits, undefined: 0 }) => Ok(bits),
            _ => uninitialised(),
        }
    }
}

/// `va_arg` on a list in memory.
fn next_of_list(machine: &mut Machine<'_>, list: u64, kind: VariadicKind) -> Outcome<Value> {
    let memory = &mut machine.memory;
    let (field, step, end) = match kind {
        VariadicKind::Integer => (list, 8, INTEGER_AREA),
        VariadicKind::Double => (list.wrapping_add(4), 16, SAVE_AREA),
        VariadicKind::LongDouble => (list, 0, 0),
    };
    let used = defined(memory.load(field, 4)?)?;
    let address = if kind != VariadicKind::LongDouble && used + step <= end {
        memory.store(field, 4, Scalar::new(used + step))?;
        defined(memory.load(list.wrapping_add(SAVE_FIELD), 8)?)?.wrapping_add(used)
    } else {
        let mut address = defined(memory.load(list.wrapping_add(OVERFLOW_FIELD), 8)?)?;
        let size = if kind == VariadicKind::LongDouble {
            address = address.wrapping_add(15) & !15;
            16
        } else {
            8
        };
        memory.store(
            list.wrapping_add(OVERFLOW_FIELD),
            8,
            Scalar::new(address.wrapping_add(size)),
        )?;
        address
    };
    if kind == VariadicKind::LongDouble {
        let (low, high) = (
            memory.load(address, 8)?,
            memory.load(address.wrapping_add(8), 2)?,
        );
        return Ok(Value::Wide(Wide {
            bits: u128::from(high.bits) << 64 | u128::from(low.bits),
            undefined: u128::from(high.undefined) << 64 | u128::from(low.undefined),
        }));
    }
    Ok(Value::Scalar(memory.load(address, 8)?))
}

fn uninitialised<T>() -> Outcome<T> {
    undefined(
        UndefinedBehaviour::Uninitialised,
        "a variable argument is not initialised",
    )
}

fn defined(value: Scalar) -> Outcome<u64> {
    if value.is_defined() {
        Ok(value.bits)
    } else {
        undefined(
            UndefinedBehaviour::Uninitialised,
            "a va_list is used before va_start",
        )
    }
}
