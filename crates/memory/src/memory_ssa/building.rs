//! Placing phis and naming versions.

use super::accesses::{Accesses, accesses};
use super::{Definition, DefinitionId, DefinitionKind, MemorySsa, VariableIndex};
use crate::call_graph::CallGraph;
use crate::mod_ref::ModRef;
use crate::regions::Regions;
use knockon_graphs::{
    ControlFlow, DominatorTree, NodeSet, Rows, control_flow, dominance_frontiers, dominators,
    iterated_frontier,
};
use knockon_program::{BlockId, Body, FunctionId, InstructionId, Program};

/// `None` for a function without a body.
pub fn memory_ssa(
    program: &Program,
    calls: &CallGraph,
    regions: &Regions,
    mod_ref: &ModRef,
    function: FunctionId,
) -> Option<MemorySsa> {
    let body = program.function(function).body.as_deref()?;
    let accesses = accesses(body, calls, regions, mod_ref, function);
    Some(memory_ssa_of(body, &accesses))
}

/// The versions that these accesses see and make.
pub fn memory_ssa_of(body: &Body, accesses: &Accesses) -> MemorySsa {
    let flow = control_flow(body);
    let tree = dominators(&flow.successors, &flow.predecessors, BlockId(0));
    let mut builder = Builder {
        body,
        accesses,
        flow: &flow,
        tree: &tree,
        definitions: Vec::new(),
        phis: Vec::new(),
        incoming: Vec::new(),
        uses: Vec::new(),
        defines: Vec::new(),
    };
    for variable in 0..accesses.variables.len() {
        builder.definitions.push(Definition {
            variable: VariableIndex::from(variable),
            kind: DefinitionKind::Entry,
        });
    }
    builder.place_phis();
    builder.name_versions();
    let count = body.instructions.len();
    MemorySsa {
        variables: accesses.variables.clone(),
        incoming: Rows::from_pairs(builder.definitions.len(), &builder.incoming),
        uses: Rows::from_pairs(count, &builder.uses),
        defines: Rows::from_pairs(count, &builder.defines),
        definitions: builder.definitions,
    }
}

struct Builder<'a> {
    body: &'a Body,
    accesses: &'a Accesses,
    flow: &'a ControlFlow,
    tree: &'a DominatorTree<BlockId>,
    definitions: Vec<Definition>,
    /// For each block its phis.
    phis: Vec<Vec<DefinitionId>>,
    incoming: Vec<(DefinitionId, (BlockId, DefinitionId))>,
    uses: Vec<(InstructionId, DefinitionId)>,
    defines: Vec<(InstructionId, DefinitionId)>,
}

impl Builder<'_> {
    fn define(&mut self, variable: VariableIndex, kind: DefinitionKind) -> DefinitionId {
        self.definitions.push(Definition { variable, kind });
        DefinitionId::from(self.definitions.len() - 1)
    }

    fn place_phis(&mut self) {
        let frontiers = dominance_frontiers(self.tree, &self.flow.predecessors);
        let mut found = NodeSet::new(self.body.blocks.len());
        let mut writing: Vec<(usize, BlockId)> = Vec::new();
        for block in &self.flow.reverse_postorder {
            for id in self.body.instructions_of(*block) {
                let written = self.accesses.writes.of(id).iter();
                writing.extend(written.map(|(variable, _)| (usize::from(*variable), *block)));
            }
        }
        writing.dedup();
        self.phis = vec![Vec::new(); self.body.blocks.len()];
        let writing = Rows::from_pairs(self.accesses.variables.len(), &writing);
        for variable in 0..self.accesses.variables.len() {
            let mut joins =
                iterated_frontier(&frontiers, writing.of(variable), |_| true, &mut found);
            joins.sort_unstable();
            for join in joins {
                let kind = DefinitionKind::Phi(join);
                let phi = self.define(VariableIndex::from(variable), kind);
                self.phis[join.index()].push(phi);
            }
        }
    }

    /// Walks the dominator tree with the definition of each variable that is valid there, and
    /// undoes on the way up what a block changed.
    fn name_versions(&mut self) {
        let count = self.accesses.variables.len();
        let mut current: Vec<DefinitionId> = (0..count).map(DefinitionId::from).collect();
        let mut undo: Vec<(VariableIndex, DefinitionId)> = Vec::new();
        let Some(root) = self.flow.reverse_postorder.first() else {
            return;
        };
        let mut walk = vec![Step::Enter(*root)];
        while let Some(step) = walk.pop() {
            match step {
                Step::Leave(mark) => {
                    for (variable, definition) in undo.drain(mark..).rev() {
                        current[usize::from(variable)] = definition;
                    }
                }
                Step::Enter(block) => {
                    walk.push(Step::Leave(undo.len()));
                    self.name_block(block, &mut current, &mut undo);
                    walk.extend(
                        self.tree
                            .children(block)
                            .iter()
                            .map(|child| Step::Enter(*child)),
                    );
                }
            }
        }
    }

    fn name_block(
        &mut self,
        block: BlockId,
        current: &mut [DefinitionId],
        undo: &mut Vec<(VariableIndex, DefinitionId)>,
    ) {
        let mut set = |variable: VariableIndex, new: DefinitionId, current: &mut [DefinitionId]| {
            let at = usize::from(variable);
            undo.push((variable, current[at]));
            current[at] = new;
        };
        for phi in &self.phis[block.index()] {
            set(self.definitions[usize::from(*phi)].variable, *phi, current);
        }
        for id in self.body.instructions_of(block) {
            for variable in self.accesses.reads.of(id) {
                self.uses.push((id, current[usize::from(*variable)]));
            }
            for (variable, overwrites) in self.accesses.writes.of(id) {
                let before = current[usize::from(*variable)];
                let kind = match self.accesses.second_returns.binary_search(&id) {
                    Ok(_) => DefinitionKind::SecondReturn {
                        instruction: id,
                        passes_on: before,
                    },
                    Err(_) => DefinitionKind::Write {
                        instruction: id,
                        passes_on: (!overwrites).then_some(before),
                    },
                };
                let new = self.define(*variable, kind);
                self.defines.push((id, new));
                set(*variable, new, current);
            }
        }
        for next in self.flow.successors.of(block) {
            for phi in &self.phis[next.index()] {
                let variable = self.definitions[usize::from(*phi)].variable;
                let from = current[usize::from(variable)];
                self.incoming.push((*phi, (block, from)));
            }
        }
    }
}

enum Step {
    Enter(BlockId),
    /// Undo down to this length.
    Leave(usize),
}
