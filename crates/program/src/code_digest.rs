//! A number that tells the code of one unit from another's.

use crate::Program;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Equal for units that differ in layout alone: places in the source do not count.
pub fn code_digest(unit: &Program) -> u64 {
    let mut hasher = DefaultHasher::new();
    let into = &mut hasher;
    unit.types.rows().hash(into);
    unit.constants.rows().hash(into);
    for row in &unit.globals {
        (unit.name(row.name), row.initialiser, row.value_type).hash(into);
        (row.is_constant, row.alignment, unit.name(row.section)).hash(into);
    }
    for row in &unit.aliases {
        (unit.name(row.name), row.aliasee).hash(into);
    }
    for row in &unit.units {
        (unit.name(row.assembly), unit.name(row.unread_flags)).hash(into);
    }
    for function in &unit.functions {
        (
            unit.name(function.name),
            function.type_id,
            function.attributes.0,
        )
            .hash(into);
        let meaning = function.meaning;
        (unit.name(meaning.arithmetic), unit.name(meaning.code)).hash(into);
        let Some(body) = &function.body else { continue };
        for block in &body.blocks {
            block.end.hash(into);
        }
        for id in body.instruction_ids() {
            let row = body.instruction(id);
            (row.opcode, row.detail, row.flags, row.type_id).hash(into);
            // A name where the instruction is not known, else a type or nothing.
            (row.extra, body.operands(id)).hash(into);
        }
    }
    hasher.finish()
}
