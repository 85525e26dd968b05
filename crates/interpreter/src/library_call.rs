//! How does a library function read its arguments, touch memory and give its result?
//!
//! A function without a body is looked up once by name with `library::find`, which gives a
//! [`LibraryFunction`]: a plain function over the machine and the call. It
//!
//! - reads arguments with [`LibraryCall::integer`], [`LibraryCall::signed`],
//!   [`LibraryCall::pointer`], [`LibraryCall::double`], … (an undefined argument is reported there),
//!   and those behind `...` with [`LibraryCall::variadic`]; a `va_list` parameter becomes
//!   [`crate::variadics::VariadicArguments::List`] with its address;
//! - reads and writes memory through `machine.memory` ([`crate::memory::Memory`]: `c_string`,
//!   `defined_bytes`, `write`, `copy`, `fill`, `load`, `store`), allocates with
//!   [`Machine::allocate_heap`], frees with `machine.memory.free`;
//! - keeps what must survive the call in `machine.library`, its own state;
//! - calls back into the program with [`Machine::call_function`];
//! - registers `atexit` handlers in `machine.exit_handlers`;
//! - says with `machine.caveat` what the language leaves open (the clock, randomness);
//! - returns a [`Value`] (the machine cuts it to the declared result type), or ends the run with
//!   `undefined(kind, message)`, `unsupported(reason)` or `stop(Stop::Exit(code))` of [`crate::stop`].
//!
//! The machine asks the library for four things more: `library::State::new(input)` at the start;
//! `library::external_global(machine, name)` for the address of a variable that the program only
//! declares (`stdin`, `environ`, …), or `None`; `library::finish(machine)` after the exit handlers
//! of a normal end, to flush the streams; and `library::State::into_output` for what was written to
//! stdout and stderr, which must hold unflushed output back only if the program ended abnormally.
//! `setjmp`, `longjmp` and everything called `llvm.*` are the machine's own.

use crate::machine::Machine;
use crate::memory::SiteId;
use crate::stop::{Outcome, undefined};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value, Wide, sign_extend};
use crate::variadics::VariadicArguments;
use knockon_program::{Program, Type, TypeId};

pub(crate) type LibraryFunction = fn(&mut Machine<'_>, &LibraryCall<'_>) -> Outcome<Value>;

/// One call of a library function.
pub(crate) struct LibraryCall<'a> {
    pub(crate) program: &'a Program,
    pub(crate) name: &'a str,
    /// All arguments, those behind `...` included.
    pub(crate) arguments: &'a [Value],
    pub(crate) types: &'a [TypeId],
    /// How many arguments the declaration names.
    pub(crate) named: usize,
    /// The call as a place that allocates.
    pub(crate) site: SiteId,
}

impl LibraryCall<'_> {
    /// An argument's bits, whatever they are worth; missing arguments are undefined behaviour.
    pub(crate) fn value(&self, index: usize) -> Outcome<&Value> {
        match self.arguments.get(index) {
            Some(value) => Ok(value),
            None => undefined(
                UndefinedBehaviour::LibraryMisuse,
                format!("{} is called with too few arguments", self.name),
            ),
        }
    }

    fn defined(&self, index: usize) -> Outcome<u64> {
        match self.value(index)? {
            Value::Scalar(Scalar { bits, undefined: 0 }) => Ok(*bits),
            Value::Scalar(_) => undefined(
                UndefinedBehaviour::Uninitialised,
                format!("argument {} of {} is not initialised", index + 1, self.name),
            ),
            _ => undefined(
                UndefinedBehaviour::LibraryMisuse,
                format!("argument {} of {} has another type", index + 1, self.name),
            ),
        }
    }

    /// An integer argument, zero-extended from the type it was passed with.
    pub(crate) fn integer(&self, index: usize) -> Outcome<u64> {
        self.defined(index)
    }

    /// An integer argument, sign-extended from the type it was passed with.
    pub(crate) fn signed(&self, index: usize) -> Outcome<i64> {
        let bits = self.defined(index)?;
        Ok(match self.program.type_of(self.types[index]) {
            Type::Integer(width) => sign_extend(bits, *width),
            _ => bits as i64,
        })
    }

    /// An address; null is 0.
    pub(crate) fn pointer(&self, index: usize) -> Outcome<u64> {
        self.defined(index)
    }

    pub(crate) fn double(&self, index: usize) -> Outcome<f64> {
        Ok(f64::from_bits(self.defined(index)?))
    }

    pub(crate) fn single(&self, index: usize) -> Outcome<f32> {
        Ok(f32::from_bits(self.defined(index)? as u32))
    }

    /// The 80 bits of a `long double`.
    pub(crate) fn long_double(&self, index: usize) -> Outcome<u128> {
        match self.value(index)? {
            Value::Wide(Wide { bits, undefined: 0 }) => Ok(*bits),
            _ => undefined(
                UndefinedBehaviour::Uninitialised,
                format!(
                    "argument {} of {} is not a long double",
                    index + 1,
                    self.name
                ),
            ),
        }
    }

    /// The arguments behind `...`.
    pub(crate) fn variadic(&self) -> VariadicArguments<'_> {
        let named = self.named.min(self.arguments.len());
        VariadicArguments::Direct {
            values: &self.arguments[named..],
            types: &self.types[named..],
            program: self.program,
        }
    }
}
