//! The LLVM text reader: one unit's IR text to a [`Program`].
//!
//! **Question.** Which program does this text say? **Source.** The LLVM
//! Language Reference, as clang from 15 on and rustc print it; what LLVM's
//! assembler accepts beyond that is read where it costs nothing.
//!
//! **Why it is right.** Every construct is either read into the model, or is on
//! a short list of things that are skipped (attributes and metadata that the
//! model does not keep, operand bundles, use-list orders, comdats), or is kept
//! as opaque with a caveat, or is an error with its line. [`census`] compares
//! what was read with LLVM's own account, instruction by instruction.
//!
//! **Cost.** One scan by lines finds the module-level entities, one pass reads
//! the functions; metadata, half of the text, is decoded only where an
//! instruction refers to it. Memory is in proportion to the text: constants
//! that could grow beyond it are bounded.

mod attributes;
mod body;
mod calls;
pub mod census;
mod constants;
mod cursor;
mod debug_info;
mod debug_records;
mod expressions;
mod fault;
mod instructions;
mod locals;
mod meaning;
mod memory;
mod metadata;
mod numbers;
mod opaque;
mod operands;
mod outline;
mod reader;
mod symbols;
mod terminators;
mod type_table;
mod types;

pub use fault::ReadError;

use knockon_program::Program;

/// Reads the text of one LLVM module. `file` names it in errors, and is the
/// unit's source if the text names none.
pub fn read_unit(text: &[u8], file: &str) -> Result<Program, ReadError> {
    reader::read(text, file).map_err(|fault| fault.located(text, file))
}
