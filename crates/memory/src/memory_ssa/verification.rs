//! Is a memory SSA well formed?
//!
//! Each definition is of a variable that exists; what an instruction sees and passes on is defined
//! on every way to it; a phi has one definition of its variable from each reachable predecessor,
//! valid at that predecessor's end.

use super::{DefinitionId, DefinitionKind, MemorySsa};
use knockon_graphs::{DominatorTree, control_flow, dominators};
use knockon_program::{BlockId, Body, InstructionId};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemorySsaViolation {
    #[error("{user:?} uses {definition:?}, which is not defined on every way to it")]
    NotDominated {
        user: InstructionId,
        definition: DefinitionId,
    },
    #[error("the phi {phi:?} does not have one definition of its variable from each predecessor")]
    Incoming { phi: DefinitionId },
    #[error("{definition:?} is listed at an instruction that does not make it")]
    Misplaced { definition: DefinitionId },
}

pub fn verify_memory_ssa(body: &Body, ssa: &MemorySsa) -> Result<(), MemorySsaViolation> {
    let flow = control_flow(body);
    let checker = Checker {
        ssa,
        tree: dominators(&flow.successors, &flow.predecessors, BlockId(0)),
        block_of: body.block_of_each_instruction(),
    };
    for block in &flow.reverse_postorder {
        for id in body.instructions_of(*block) {
            for definition in ssa.uses.of(id) {
                checker.check_seen(id, *definition)?;
            }
            for definition in ssa.defines.of(id) {
                match ssa.definitions[usize::from(*definition)].kind {
                    DefinitionKind::Write {
                        instruction,
                        passes_on,
                    } if instruction == id => {
                        if let Some(before) = passes_on {
                            checker.check_same_variable(*definition, before)?;
                            checker.check_seen(id, before)?;
                        }
                    }
                    DefinitionKind::SecondReturn {
                        instruction,
                        passes_on,
                    } if instruction == id => {
                        checker.check_same_variable(*definition, passes_on)?;
                        checker.check_seen(id, passes_on)?;
                    }
                    _ => {
                        let definition = *definition;
                        return Err(MemorySsaViolation::Misplaced { definition });
                    }
                }
            }
        }
    }
    for index in 0..ssa.definitions.len() {
        let phi = DefinitionId::from(index);
        let DefinitionKind::Phi(block) = ssa.definitions[index].kind else {
            continue;
        };
        let mut from: Vec<BlockId> = ssa.incoming.of(phi).iter().map(|row| row.0).collect();
        from.sort_unstable();
        let predecessors = flow.predecessors.of(block).iter().copied();
        let expected = predecessors.filter(|block| flow.is_reachable(*block));
        if !from.iter().copied().eq(expected) {
            return Err(MemorySsaViolation::Incoming { phi });
        }
        for (block, definition) in ssa.incoming.of(phi) {
            checker.check_same_variable(phi, *definition)?;
            let end = body.terminator(*block);
            let defined_there = ssa.defines.of(end).contains(definition);
            if !defined_there {
                checker.check_seen(end, *definition)?;
            }
        }
    }
    Ok(())
}

struct Checker<'a> {
    ssa: &'a MemorySsa,
    tree: DominatorTree<BlockId>,
    block_of: Vec<BlockId>,
}

impl Checker<'_> {
    /// The definition is made before the instruction on every way.
    fn check_seen(
        &self,
        user: InstructionId,
        definition: DefinitionId,
    ) -> Result<(), MemorySsaViolation> {
        let here = self.block_of[user.index()];
        let is_before = match self.ssa.definitions[usize::from(definition)].kind {
            DefinitionKind::Entry => true,
            DefinitionKind::Phi(block) => self.tree.dominates(block, here),
            DefinitionKind::Write { instruction, .. }
            | DefinitionKind::SecondReturn { instruction, .. } => {
                let there = self.block_of[instruction.index()];
                match there == here {
                    true => instruction < user,
                    false => self.tree.dominates(there, here),
                }
            }
        };
        match is_before {
            true => Ok(()),
            false => Err(MemorySsaViolation::NotDominated { user, definition }),
        }
    }

    fn check_same_variable(
        &self,
        phi: DefinitionId,
        other: DefinitionId,
    ) -> Result<(), MemorySsaViolation> {
        let variable =
            |definition: DefinitionId| self.ssa.definitions[usize::from(definition)].variable;
        match variable(phi) == variable(other) {
            true => Ok(()),
            false => Err(MemorySsaViolation::Incoming { phi }),
        }
    }
}
