//! Does a format do more than the row of its function says?
//!
//! `%n` writes behind its argument and `%m` uses `errno` or stores a fresh object; the effect
//! models leave them out. A constant text is looked at; for a text made at run time, all constant
//! texts of the program are.

use super::constants::constant_of;
use crate::effects::format_string::is_within_row;
use crate::effects::{Format, FormatKind, Value};
use knockon_program::{Body, Constant, ConstantId, InstructionId, Program};

pub(crate) struct Formats {
    prints_more: bool,
    scans_more: bool,
}

impl Formats {
    pub(crate) fn new(program: &Program) -> Formats {
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

    /// The call may do more than its row says.
    pub(crate) fn does_more(
        &self,
        program: &Program,
        body: &Body,
        call: InstructionId,
        format: Format,
    ) -> bool {
        let some_do = match format.kind {
            FormatKind::Print => self.prints_more,
            FormatKind::Scan => self.scans_more,
        };
        let text = match format.text {
            Value::Argument(number) => body
                .arguments(call)
                .get(number as usize)
                .and_then(|operand| constant_of(*operand))
                .and_then(|constant| text(program, constant)),
            _ => None,
        };
        some_do && text.is_none_or(|text| !is_within_row(format.kind, text))
    }
}

/// The bytes of a constant array that a constant points to.
fn text(program: &Program, constant: ConstantId) -> Option<&[u8]> {
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
