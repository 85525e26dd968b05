//! Placing phis and naming versions.

use super::{Definition, DefinitionId, DefinitionKind, MemorySsa, Variable, VariableIndex};
use crate::call_graph::CallGraph;
use crate::mod_ref::ModRef;
use crate::regions::Regions;
use knockon_graphs::{
    ControlFlow, DominatorTree, NodeSet, Rows, control_flow, dominance_frontiers, dominators,
    iterated_frontier,
};
use knockon_program::{BlockId, Body, Flags, FunctionId, InstructionId, Opcode, Program};

/// What the instructions of one function read and write.
#[derive(Clone, Debug)]
pub struct Accesses {
    /// Ascending.
    pub variables: Vec<Variable>,
    /// For each instruction, ascending.
    pub reads: Rows<VariableIndex>,
    /// For each instruction, ascending; whether nothing of the old value stays.
    pub writes: Rows<(VariableIndex, bool)>,
    /// Calls that may return again, ascending; they write all that the function writes.
    pub second_returns: Vec<InstructionId>,
}

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

/// What the instructions of a function read and write; `ret` reads all that the caller may see.
pub fn accesses(
    body: &Body,
    calls: &CallGraph,
    regions: &Regions,
    mod_ref: &ModRef,
    function: FunctionId,
) -> Accesses {
    let own = regions.function(function);
    let mut reads: Vec<(InstructionId, Variable)> = Vec::new();
    let mut writes: Vec<(InstructionId, Variable, bool)> = Vec::new();
    for id in body.instruction_ids() {
        if body.instruction(id).opcode.is_call()
            && let Some(site) = calls.site_of(function, id)
        {
            let effect = mod_ref.call(calls, regions, site);
            let read = effect.may_read.iter().copied().map(Variable::Region);
            let read = read.chain(effect.world_reads.iter().map(Variable::World));
            let written = effect.may_write.iter().copied().map(Variable::Region);
            let written = written.chain(effect.world_writes.iter().map(Variable::World));
            reads.extend(read.map(|variable| (id, variable)));
            writes.extend(written.map(|variable| (id, variable, false)));
            continue;
        }
        let overwritten = regions.overwritten(function, id);
        reads.extend(
            own.may_read(id)
                .iter()
                .map(|region| (id, Variable::Region(*region))),
        );
        writes.extend(
            own.may_write(id)
                .iter()
                .map(|region| (id, Variable::Region(*region), overwritten == Some(*region))),
        );
    }
    let second_returns: Vec<InstructionId> = body
        .instruction_ids()
        .filter(|id| body.instruction(*id).flags.has(Flags::RETURNS_TWICE))
        .collect();
    if !second_returns.is_empty() {
        let mut written: Vec<Variable> = writes.iter().map(|row| row.1).collect();
        written.sort_unstable();
        written.dedup();
        writes.retain(|row| second_returns.binary_search(&row.0).is_err());
        for id in &second_returns {
            writes.extend(written.iter().map(|variable| (*id, *variable, false)));
        }
    }
    let mut variables: Vec<Variable> = reads
        .iter()
        .map(|row| row.1)
        .chain(writes.iter().map(|row| row.1))
        .collect();
    variables.sort_unstable();
    variables.dedup();
    let visible: Vec<Variable> = variables
        .iter()
        .copied()
        .filter(|variable| match variable {
            Variable::World(_) => true,
            Variable::Region(region) => regions.is_visible(function, *region),
        })
        .collect();
    for block in body.block_ids() {
        let end = body.terminator(block);
        if matches!(
            body.instruction(end).opcode,
            Opcode::Return | Opcode::Resume
        ) {
            reads.extend(visible.iter().map(|variable| (end, *variable)));
        }
    }
    // A variable is among `variables`, so the search finds it.
    let index = |variable: &Variable| {
        VariableIndex::from(variables.partition_point(|other| other < variable))
    };
    reads.sort_unstable();
    reads.dedup();
    writes.sort_unstable();
    let read_pairs: Vec<(InstructionId, VariableIndex)> =
        reads.iter().map(|row| (row.0, index(&row.1))).collect();
    let write_pairs: Vec<(InstructionId, (VariableIndex, bool))> = writes
        .iter()
        .map(|row| (row.0, (index(&row.1), row.2)))
        .collect();
    let count = body.instructions.len();
    Accesses {
        reads: Rows::from_pairs(count, &read_pairs),
        writes: Rows::from_pairs(count, &write_pairs),
        variables,
        second_returns,
    }
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
