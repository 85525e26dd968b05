//! Which writes may a read see, inside one function?
//!
//! **Question.** For each read of a region or of a part of the world: which definition of it
//! reaches there, and which does that one pass on?
//!
//! **Source.** Memory SSA as in Chow et al., *Effective Representation of Aliases and Indirect
//! Memory Operations in SSA Form* (1996), with one variable for each region and each part of the
//! world, and phis at iterated dominance frontiers (Cytron et al. 1991).
//!
//! **Rules.** A variable has a value at the entry. A store, and a call that may write, gives it a
//! new one; it passes on the old one unless the store overwrites the region whole. A read, and a
//! call that may read, sees the value that reaches it. `ret` sees every variable that the caller
//! may see. A call that may return a second time defines every variable that the function
//! writes: whatever was written when control came back may be there.
//!
//! **Soundness.** The writes that a read may see are those found by going back from its definition
//! through phis and through definitions that pass on: exactly the reaching definitions of the
//! classical data flow, which the tests compute.
//!
//! **Cost.** Built for one function when it is asked for: linear in its accesses, phis and blocks
//! times variables that join there.

mod accesses;
mod building;
mod dump;
mod verification;

pub use accesses::{Accesses, Grouped, GroupedAccesses, accesses, grouped_accesses};
pub use building::{memory_ssa, memory_ssa_of};
pub use dump::dump_memory_ssa;
pub use verification::{MemorySsaViolation, verify_memory_ssa};

use crate::regions::RegionId;
use knockon_graphs::Rows;
use knockon_library::World;
use knockon_program::{BlockId, InstructionId};

/// What has versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variable {
    Region(RegionId),
    World(World),
}

/// A variable's place in [`MemorySsa::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableIndex(pub u32);

impl From<usize> for VariableIndex {
    fn from(index: usize) -> VariableIndex {
        VariableIndex(index as u32)
    }
}

impl From<VariableIndex> for usize {
    fn from(variable: VariableIndex) -> usize {
        variable.0 as usize
    }
}

/// A definition's place in [`MemorySsa::definitions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefinitionId(pub u32);

impl From<usize> for DefinitionId {
    fn from(index: usize) -> DefinitionId {
        DefinitionId(index as u32)
    }
}

impl From<DefinitionId> for usize {
    fn from(definition: DefinitionId) -> usize {
        definition.0 as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    pub variable: VariableIndex,
    pub kind: DefinitionKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionKind {
    /// The value that the caller left.
    Entry,
    /// Where ways join; see [`MemorySsa::incoming`].
    Phi(BlockId),
    /// Written by an instruction. What was there before may stay, unless the previous definition
    /// is absent.
    Write {
        instruction: InstructionId,
        passes_on: Option<DefinitionId>,
    },
    /// A call that may return again (`setjmp`): then memory is as any write of the function left
    /// it.
    SecondReturn {
        instruction: InstructionId,
        passes_on: DefinitionId,
    },
}

/// One function's memory SSA.
#[derive(Clone, Debug)]
pub struct MemorySsa {
    /// Ascending.
    pub variables: Vec<Variable>,
    /// The entry definitions come first, in the order of the variables.
    pub definitions: Vec<Definition>,
    /// For each definition that is a phi: each predecessor and the definition that comes from it.
    pub incoming: Rows<(BlockId, DefinitionId)>,
    /// For each instruction the definitions it sees, by variable.
    pub uses: Rows<DefinitionId>,
    /// For each instruction the definitions it makes, by variable.
    pub defines: Rows<DefinitionId>,
}

impl MemorySsa {
    pub fn variable(&self, definition: DefinitionId) -> Variable {
        self.variables[usize::from(self.definitions[usize::from(definition)].variable)]
    }

    /// The writes that a definition may hold: those met going back through phis and definitions
    /// that pass on; `None` is the value at the entry. Ascending.
    pub fn may_hold(&self, definition: DefinitionId) -> Vec<Option<InstructionId>> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![definition];
        let mut found = Vec::new();
        while let Some(definition) = work.pop() {
            if !seen.insert(definition) {
                continue;
            }
            match self.definitions[usize::from(definition)].kind {
                DefinitionKind::Entry => found.push(None),
                DefinitionKind::Phi(_) => {
                    work.extend(self.incoming.of(definition).iter().map(|row| row.1));
                }
                DefinitionKind::Write {
                    instruction,
                    passes_on,
                } => {
                    found.push(Some(instruction));
                    work.extend(passes_on);
                }
                DefinitionKind::SecondReturn {
                    instruction,
                    passes_on,
                } => {
                    found.push(Some(instruction));
                    work.push(passes_on);
                    let variable = self.definitions[usize::from(definition)].variable;
                    let all = (0..self.definitions.len()).map(DefinitionId::from);
                    work.extend(all.filter(|other| {
                        let other = self.definitions[usize::from(*other)];
                        let written = matches!(other.kind, DefinitionKind::Write { .. });
                        other.variable == variable && written
                    }));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
