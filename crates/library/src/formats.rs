//! Does a call's format do more than the row of its function says?
//!
//! `%n` writes behind its argument and `%m` uses `errno` or stores a fresh object; the effect
//! models leave them out. A constant text is looked at; for a text made at run time, all constant
//! texts of the program are.

use crate::effect::{Effect, Format, FormatKind, Value};
use crate::format_string::is_within_row;
use knockon_program::{Body, Constant, InstructionId, Operand, Program};

/// Whether any constant text of the program does more.
pub struct Formats {
    prints_more: bool,
    scans_more: bool,
}

impl Formats {
    pub fn new(program: &Program) -> Formats {
        let any = |kind| {
            let mut constants = program.constants.rows().iter();
            constants.any(|constant| match constant {
                Constant::Bytes { bytes, .. } => !is_within_row(kind, bytes),
                _ => false,
            })
        };
        Formats {
            prints_more: any(FormatKind::Print),
            scans_more: any(FormatKind::Scan),
        }
    }

    /// The format of a call with this effect, if it may do more than the row says.
    pub fn beyond_row(
        &self,
        program: &Program,
        body: &Body,
        call: InstructionId,
        effect: &Effect,
    ) -> Option<Format> {
        let format = effect.format?;
        let some_do = match format.kind {
            FormatKind::Print => self.prints_more,
            FormatKind::Scan => self.scans_more,
        };
        let text = match format.text {
            Value::Argument(number) => body
                .arguments(call)
                .get(number as usize)
                .and_then(|operand| text(program, *operand)),
            _ => None,
        };
        let may_do = some_do && text.is_none_or(|text| !is_within_row(format.kind, text));
        may_do.then_some(format)
    }
}

/// The bytes of the constant array that an operand points to the start of.
fn text(program: &Program, operand: Operand) -> Option<&[u8]> {
    let Operand::Constant(constant) = operand else {
        return None;
    };
    let Constant::Global(global) = program.constant(constant) else {
        return None;
    };
    let global = &program.globals[global.index()];
    match program.constant(global.initialiser.filter(|_| global.is_constant)?) {
        Constant::Bytes { bytes, .. } => Some(bytes),
        Constant::Zero(_) => Some(&[]),
        _ => None,
    }
}
