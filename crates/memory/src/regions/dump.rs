//! The regions of one function as text.

use super::{RegionId, Regions};
use knockon_program::{FunctionId, Program};
use std::fmt::Write as _;

/// One line for each instruction that touches memory by itself.
pub fn dump_regions(program: &Program, regions: &Regions, function: FunctionId) -> String {
    let mut text = String::new();
    let Some(body) = &program.function(function).body else {
        return text;
    };
    let own = regions.function(function);
    let names = |list: &[RegionId]| -> String {
        let names: Vec<String> = list
            .iter()
            .map(|region| regions.label(program, *region))
            .collect();
        names.join(", ")
    };
    for id in body.instruction_ids() {
        let (reads, writes) = (own.may_read(id), own.may_write(id));
        if reads.is_empty() && writes.is_empty() {
            continue;
        }
        let row = body.instruction(id);
        let line = program.place(row.place).line;
        let _ = write!(text, "{:>5} {:<8}", line, row.opcode.mnemonic());
        if !reads.is_empty() {
            let _ = write!(text, " reads {}", names(reads));
        }
        if !writes.is_empty() {
            let _ = write!(text, " writes {}", names(writes));
        }
        text.push('\n');
    }
    text
}

impl Regions {
    /// The name and the number, which tells regions of equal names apart.
    pub(crate) fn label(&self, program: &Program, region: RegionId) -> String {
        format!("{}#{}", self.name(program, region), region.0)
    }
}
