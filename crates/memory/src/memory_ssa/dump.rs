//! One function's memory SSA as text.

use super::{DefinitionId, DefinitionKind, MemorySsa, Variable};
use crate::mod_ref::world_name;
use crate::regions::Regions;
use knockon_program::{FunctionId, Program};
use std::fmt::Write as _;

/// Phis and accesses, block by block: `sees` names the definitions that reach an instruction,
/// `makes` those it gives; a version is the variable and the definition's number.
pub fn dump_memory_ssa(
    program: &Program,
    regions: &Regions,
    ssa: &MemorySsa,
    function: FunctionId,
) -> String {
    let mut text = String::new();
    let Some(body) = &program.function(function).body else {
        return text;
    };
    let version = |definition: DefinitionId| match ssa.variable(definition) {
        Variable::Region(region) => format!("{}.{}", regions.label(program, region), definition.0),
        Variable::World(part) => format!("world:{}.{}", world_name(part), definition.0),
    };
    let versions = |list: &[DefinitionId]| -> String {
        let names: Vec<String> = list.iter().map(|definition| version(*definition)).collect();
        names.join(", ")
    };
    for block in body.block_ids() {
        let _ = writeln!(text, "{}:", program.name(body.block(block).name));
        for (index, definition) in ssa.definitions.iter().enumerate() {
            let id = DefinitionId::from(index);
            if definition.kind == DefinitionKind::Phi(block) {
                let incoming = ssa.incoming.of(id).iter();
                let incoming: Vec<DefinitionId> = incoming.map(|row| row.1).collect();
                let _ = writeln!(text, "  {} = phi {}", version(id), versions(&incoming));
            }
        }
        for id in body.instructions_of(block) {
            let (uses, defines) = (ssa.uses.of(id), ssa.defines.of(id));
            if uses.is_empty() && defines.is_empty() {
                continue;
            }
            let row = body.instruction(id);
            let line = program.place(row.place).line;
            let _ = write!(text, "  {line:>5} {:<8}", row.opcode.mnemonic());
            if !uses.is_empty() {
                let _ = write!(text, " sees {}", versions(uses));
            }
            if !defines.is_empty() {
                let _ = write!(text, " makes {}", versions(defines));
            }
            text.push('\n');
        }
    }
    text
}
