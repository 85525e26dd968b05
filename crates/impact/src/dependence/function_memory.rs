//! The memory of one function as its dependence graph needs it: classes, their memory SSA, and for
//! each definition whether the caller's value may still be there.

use super::memory_classes::memory_classes;
use super::program_graph::ProgramDependence;
use knockon_graphs::Rows;
use knockon_memory::memory_ssa::{
    DefinitionId, DefinitionKind, MemorySsa, Variable, grouped_accesses, memory_ssa_of,
};
use knockon_program::{Body, FunctionId};

/// Up to so many variables, each is a class.
const FEW_VARIABLES: usize = 64;

pub struct FunctionMemory {
    /// For each class its variables.
    pub members: Rows<Variable>,
    /// Variables and their classes, ascending.
    pub class_of: Vec<(Variable, u32)>,
    pub ssa: MemorySsa,
    /// For each definition: it may still be what the caller left.
    pub sees_entry: Vec<bool>,
}

pub(super) fn function_memory(
    whole: &ProgramDependence,
    function: FunctionId,
    body: &Body,
) -> FunctionMemory {
    let memory = whole.memory;
    let all = grouped_accesses(
        body,
        &memory.calls,
        &memory.regions,
        &memory.mod_ref,
        function,
    );
    let classes = memory_classes(&all, |variable| match variable {
        Variable::World(part) => 4 + part as u64,
        // Few variables are cheap to tell apart, and more is told apart in the end.
        Variable::Region(region) if all.variables.len() <= FEW_VARIABLES => {
            16 + u64::from(region.0)
        }
        Variable::Region(_) => {
            let at_end = whole.at_end.touches(variable);
            2 * u64::from(at_end) + u64::from(whole.anytime.touches(variable))
        }
    });
    let ssa = memory_ssa_of(body, &classes.accesses);
    let mut class_of: Vec<(Variable, u32)> = Vec::new();
    for class in 0..classes.members.row_count() {
        let members = classes.members.of(class).iter();
        class_of.extend(members.map(|variable| (*variable, class as u32)));
    }
    class_of.sort_unstable();
    FunctionMemory {
        sees_entry: sees_entry(&ssa),
        members: classes.members,
        class_of,
        ssa,
    }
}

/// Forward from the definitions at the entry, through phis and definitions that pass on.
fn sees_entry(ssa: &MemorySsa) -> Vec<bool> {
    let count = ssa.definitions.len();
    let mut pairs: Vec<(DefinitionId, DefinitionId)> = Vec::new();
    let mut work: Vec<DefinitionId> = Vec::new();
    for (index, definition) in ssa.definitions.iter().enumerate() {
        let id = DefinitionId::from(index);
        match definition.kind {
            DefinitionKind::Entry => work.push(id),
            DefinitionKind::Phi(_) => {
                pairs.extend(ssa.incoming.of(id).iter().map(|row| (row.1, id)));
            }
            DefinitionKind::Write { passes_on, .. } => {
                pairs.extend(passes_on.map(|before| (before, id)));
            }
            DefinitionKind::SecondReturn { passes_on, .. } => pairs.push((passes_on, id)),
        }
    }
    let passed_to: Rows<DefinitionId> = Rows::from_pairs(count, &pairs);
    let mut sees = vec![false; count];
    while let Some(id) = work.pop() {
        if !std::mem::replace(&mut sees[usize::from(id)], true) {
            work.extend(passed_to.of(id));
        }
    }
    sees
}

impl FunctionMemory {
    pub fn class(&self, variable: Variable) -> Option<u32> {
        let found = self.class_of.binary_search_by_key(&variable, |row| row.0);
        found.ok().map(|at| self.class_of[at].1)
    }
}
