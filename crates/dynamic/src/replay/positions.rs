//! **Question.** May what a text says of its own position (`__LINE__`, `__func__`, `__FILE__`) be all
//! that tells two versions apart?
//!
//! **Rules.** It may where functions or files of the program are called otherwise, where a call is
//! given the number of a line that moved, and where other instructions use numbers of their own lines
//! that are not the same in both versions. Then both are also compiled with one number for all lines,
//! one name for all functions and one path for all files: what tells them apart still is none of
//! these.

use super::Subject;
use knockon_change::{Side, Sides};
use knockon_program::{Constant, FunctionId, Operand};
use std::collections::BTreeSet;

/// What `__LINE__`, `__func__` and `__FILE__` are in a build.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Positions {
    /// The number of its line, the name of its function, the path of its file.
    Told,
    /// The same everywhere.
    Hidden,
}

impl Positions {
    pub(super) fn flags(self) -> &'static [&'static str] {
        match self {
            Positions::Told => &[],
            Positions::Hidden => &[
                "-D__LINE__=1",
                "-D__FILE__=\"hidden\"",
                "-D__func__=\"hidden\"",
                "-D__FUNCTION__=\"hidden\"",
                "-D__PRETTY_FUNCTION__=\"hidden\"",
            ],
        }
    }

    /// For names of files.
    pub(super) fn name(self) -> &'static str {
        match self {
            Positions::Told => "",
            Positions::Hidden => "-hidden",
        }
    }
}

/// Of functions that may run.
pub(super) fn may_differ(subject: &Subject<'_>, reached: &Sides<Vec<FunctionId>>) -> bool {
    if subject.has_old_names {
        return true;
    }
    let own = Sides {
        old: used_lines(subject, Side::Old, reached.of(Side::Old)),
        new: used_lines(subject, Side::New, reached.of(Side::New)),
    };
    match own {
        Sides {
            old: Some(old),
            new: Some(new),
        } => old != new,
        _ => true,
    }
}

/// Numbers of their own lines in instructions, by file; `None` if a call is given one that moved.
fn used_lines<'a>(
    subject: &Subject<'a>,
    side: Side,
    reached: &[FunctionId],
) -> Option<BTreeSet<(&'a str, u32)>> {
    let program: &'a _ = *subject.programs.of(side);
    let moved = subject.moved_positions.of(side);
    let mut used = BTreeSet::new();
    for function in reached {
        let Some(body) = program.function(*function).body.as_deref() else {
            continue;
        };
        for id in body.instruction_ids() {
            let row = body.instruction(id);
            let place = program.place(row.place);
            for operand in body.operands(id) {
                let Operand::Constant(constant) = operand else {
                    continue;
                };
                let Constant::Integer { bits, .. } = program.constant(*constant) else {
                    continue;
                };
                if row.opcode.is_call() && moved.contains_key(&(row.place, *bits)) {
                    return None;
                }
                if *bits == u128::from(place.line) && place.line > 0 {
                    used.insert((program.file_path(place.file), place.line));
                }
            }
        }
    }
    Some(used)
}
