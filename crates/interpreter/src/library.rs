//! What do the functions of the C library do?
//!
//! A model of glibc 2.36 on x86-64 Linux in the C locale, complete enough that an interpreted program
//! and the compiled one cannot be told apart by their output. Two layers: pure engines over bytes and
//! numbers (`format_output`, `scan_input`, `numbers`, `mathematics`, `random`, `calendar`, `streams`,
//! `descriptors`, …), each tested against the host's library in bulk, and [`calls`], which binds them
//! to the machine's memory under the names that programs use.
//!
//! A run has no effects: files are given or live in memory, the clock is fixed, and what the library
//! cannot do (a name that [`find`] does not know) is reported instead of guessed. A call outside a
//! function's contract is undefined behaviour and ends the run.

mod calendar;
mod calls;
mod characters;
mod descriptors;
mod error_numbers;
mod floating_output;
mod format_output;
mod format_specification;
#[cfg(test)]
mod host_oracle;
mod mathematics;
mod natural;
mod numbers;
mod objects;
mod random;
mod scan_input;
mod scan_specification;
mod state;
mod streams;
mod text_access;
mod wide_characters;

pub(crate) use state::State;

use crate::library_call::LibraryFunction;
use crate::machine::Machine;
use crate::stop::Outcome;

/// The implementation of an external function; `None` when the library does not have it.
pub(crate) fn find(name: &str) -> Option<LibraryFunction> {
    calls::find(name)
}

/// The address of an external variable that the C library defines (`stdout`, `optind`, …).
pub(crate) fn external_global(machine: &mut Machine<'_>, name: &str) -> Outcome<Option<u64>> {
    objects::external_variable(machine, name)
}

/// What the library does at a normal exit, after the program's own handlers: buffers are written out.
pub(crate) fn finish(machine: &mut Machine<'_>) -> Outcome<()> {
    let State {
        streams,
        descriptors,
        ..
    } = &mut machine.library;
    // A buffer that cannot be written is lost silently, as it is natively.
    let _written = streams.flush_all(descriptors);
    Ok(())
}
