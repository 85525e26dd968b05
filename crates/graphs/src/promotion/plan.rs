//! Question: what becomes of each access to a promoted variable, and where are
//! phis needed?
//!
//! Source and rules: see [`super`]. Most variables need no phi: those stored
//! once before all their loads, and those touched in one block only. The others
//! get phis by liveness and iterated dominance frontier.
//!
//! Why right: phis of one block are listed with the variable handled last in
//! front, and a finished variable's place in the order of handling is taken by
//! the last one: that is the order `mem2reg` prints, and which of two phis of a
//! block comes first decides whether one may stand for the other.
//!
//! Cost: linear in accesses for variables without phis, else the blocks where
//! the variable is live.

use super::promotable::Promotable;
use super::renaming::rename;
use super::trivial_phis::remove_trivial_phis;
use super::{Promotion, UndefinedReads};
use crate::{
    ControlFlow, DominatorTree, NodeSet, Rows, control_flow, dominance_frontiers, dominators,
    iterated_frontier,
};
use fixedbitset::FixedBitSet;
use knockon_program::{
    BlockId, Body, InstructionId, Opcode, Operand, Program, TypeId, VariableLocation,
    VariableLocationKind,
};

/// A phi to put in. Until the body is rebuilt, phi `p` is known as instruction
/// `n + p`, where `n` is the number of instructions of the old body.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewPhi {
    pub block: BlockId,
    pub slot: usize,
    pub type_id: TypeId,
    /// The first of its values; there is one for each incoming edge.
    pub first_value: usize,
}

/// What to change in a body.
pub(super) struct Plan<'a> {
    pub promotion: &'a Promotion,
    pub program: &'a Program,
    pub body: &'a Body,
    pub found: &'a Promotable,
    pub flow: ControlFlow,
    pub tree: DominatorTree<BlockId>,
    /// By instruction, new phis included: what stands for it.
    pub replaced: Vec<Option<Operand>>,
    pub deleted: FixedBitSet,
    pub phis: Vec<NewPhi>,
    pub phi_values: Vec<Operand>,
    /// For each block its new phis, by number, in order.
    pub phis_of_block: Rows<usize>,
    /// For each block the source of each incoming edge, ascending, repetitions
    /// kept; empty when there are no phis.
    pub incoming: Rows<BlockId>,
    pub locations: Vec<VariableLocation>,
    /// For each slot the declarations that turn into values.
    declared: Rows<usize>,
    block_of: Vec<BlockId>,
}

pub(super) fn plan<'a>(
    promotion: &'a Promotion,
    program: &'a Program,
    body: &'a Body,
    found: &'a Promotable,
) -> Plan<'a> {
    let flow = control_flow(body);
    let tree = dominators(&flow.successors, &flow.predecessors, BlockId(0));
    let mut plan = Plan {
        promotion,
        program,
        body,
        found,
        flow,
        tree,
        replaced: vec![None; body.instructions.len()],
        deleted: FixedBitSet::with_capacity(body.instructions.len()),
        phis: Vec::new(),
        phi_values: Vec::new(),
        phis_of_block: Rows::default(),
        incoming: Rows::default(),
        locations: Vec::new(),
        declared: declared(body, found),
        block_of: body.block_of_each_instruction(),
    };
    for id in found.allocas.iter().chain(&found.dropped) {
        plan.deleted.insert(id.index());
    }
    let mut rest: Vec<usize> = (0..found.allocas.len()).collect();
    let mut placement = None;
    let mut at = 0;
    while at < rest.len() {
        if plan.replace_without_phis(rest[at]) {
            rest.swap_remove(at);
        } else {
            let placement = placement.get_or_insert_with(|| Placement::new(&plan));
            let blocks = placement.phi_blocks(&plan, rest[at]);
            plan.add_phis(rest[at], blocks);
            at += 1;
        }
    }
    if !rest.is_empty() {
        plan.number_phis();
        rename(&mut plan, &rest);
    }
    plan.settle_replacements();
    remove_trivial_phis(&mut plan);
    plan
}

fn declared(body: &Body, found: &Promotable) -> Rows<usize> {
    let pairs: Vec<(usize, usize)> = body
        .variable_locations
        .iter()
        .enumerate()
        .filter(|(_, location)| location.kind == VariableLocationKind::Declared)
        .filter_map(|(at, location)| Some((found.slot(location.value)?, at)))
        .collect();
    Rows::from_pairs(found.allocas.len(), &pairs)
}

impl Plan<'_> {
    pub fn allocated(&self, slot: usize) -> TypeId {
        TypeId(self.body.instruction(self.found.allocas[slot]).extra)
    }

    pub fn block_of(&self, id: InstructionId) -> BlockId {
        self.block_of[id.index()]
    }

    /// The new phis of a block that were not found trivial, in order.
    pub fn surviving_phis(&self, block: BlockId) -> impl Iterator<Item = usize> + '_ {
        let first = self.body.instructions.len();
        let phis: &[usize] = match self.phis.is_empty() {
            true => &[],
            false => self.phis_of_block.of(block),
        };
        phis.iter()
            .copied()
            .filter(move |phi| self.replaced[first + phi].is_none())
    }

    pub fn is_store(&self, access: InstructionId) -> bool {
        self.body.instruction(access).opcode == Opcode::Store
    }

    pub fn stored_value(&self, store: InstructionId) -> Operand {
        self.body.operands(store)[0]
    }

    /// The load goes, and its value is this one.
    pub fn replace(&mut self, load: InstructionId, value: Operand) {
        self.replaced[load.index()] = Some(value);
        self.deleted.insert(load.index());
    }

    /// The store goes; the variable has its value from here on.
    pub fn delete_store(&mut self, store: InstructionId, slot: usize) {
        self.deleted.insert(store.index());
        self.note_value(slot, self.stored_value(store), store);
    }

    pub fn note_value(&mut self, slot: usize, value: Operand, before: InstructionId) {
        for at in self.declared.of(slot) {
            self.locations.push(VariableLocation {
                kind: VariableLocationKind::Value,
                value,
                before,
                ..self.body.variable_locations[*at]
            });
        }
    }

    /// Whether the variable could be finished at once.
    fn replace_without_phis(&mut self, slot: usize) -> bool {
        let accesses = self.found.accesses.of(slot);
        let Some(first) = accesses.first() else {
            return true;
        };
        let mut stores = accesses.iter().filter(|access| self.is_store(**access));
        if let (Some(only), None) = (stores.next(), stores.next())
            && self.replace_by_only_store(slot, *only)
        {
            return true;
        }
        let block = self.block_of[first.index()];
        if accesses.iter().all(|id| self.block_of[id.index()] == block) {
            return self.replace_in_one_block(slot);
        }
        false
    }

    fn replace_by_only_store(&mut self, slot: usize, store: InstructionId) -> bool {
        let value = self.stored_value(store);
        let must_dominate = matches!(value, Operand::Instruction(_))
            || self.promotion.undefined_reads == UndefinedReads::Kept;
        let store_block = self.block_of[store.index()];
        let mut complete = true;
        for load in self.found.accesses.of(slot) {
            if *load == store {
                continue;
            }
            let load_block = self.block_of[load.index()];
            let sees_store = if load_block == store_block {
                store < *load
            } else {
                self.tree.dominates(store_block, load_block)
            };
            if sees_store || !must_dominate {
                self.replace(*load, value);
            } else {
                complete = false;
            }
        }
        if complete {
            self.delete_store(store, slot);
        }
        complete
    }

    fn replace_in_one_block(&mut self, slot: usize) -> bool {
        let accesses = self.found.accesses.of(slot);
        let has_store = accesses.iter().any(|access| self.is_store(*access));
        if has_store && !self.is_store(accesses[0]) {
            return false;
        }
        let mut current = self.promotion.undefined(self.allocated(slot));
        for access in accesses {
            if self.is_store(*access) {
                current = Some(self.stored_value(*access));
                self.delete_store(*access, slot);
            } else if let Some(value) = current {
                self.replace(*access, value);
            }
        }
        true
    }

    fn add_phis(&mut self, slot: usize, mut blocks: Vec<BlockId>) {
        blocks.sort_unstable();
        let type_id = self.allocated(slot);
        self.phis.extend(blocks.into_iter().map(|block| NewPhi {
            block,
            slot,
            type_id,
            first_value: 0,
        }));
    }

    /// Lays out the phis' values, poison at first, as on edges from code that
    /// never runs.
    fn number_phis(&mut self) {
        let count = self.body.blocks.len();
        let pairs: Vec<(BlockId, usize)> = self
            .phis
            .iter()
            .enumerate()
            .rev()
            .map(|(number, phi)| (phi.block, number))
            .collect();
        self.phis_of_block = Rows::from_pairs(count, &pairs);
        if self.phis.is_empty() {
            return;
        }
        let edges: Vec<(BlockId, BlockId)> = self
            .body
            .block_ids()
            .flat_map(|from| self.body.successors(from).map(move |to| (to, from)))
            .collect();
        self.incoming = Rows::from_pairs(count, &edges);
        for phi in &mut self.phis {
            phi.first_value = self.phi_values.len();
            let edges = self.incoming.of(phi.block).len();
            if let Some(poison) = self.promotion.poison(phi.type_id) {
                self.phi_values.resize(phi.first_value + edges, poison);
            }
        }
        self.replaced
            .resize(self.body.instructions.len() + self.phis.len(), None);
    }

    /// Follows each replacement to its end. A load that would stand for itself
    /// is in code that never runs, and poison.
    fn settle_replacements(&mut self) {
        let count = self.replaced.len();
        let mut settled = FixedBitSet::with_capacity(count);
        let mut on_path = NodeSet::new(count);
        let mut path = Vec::new();
        for start in 0..self.body.instructions.len() {
            if self.replaced[start].is_none() || settled.contains(start) {
                continue;
            }
            on_path.clear();
            let mut at = start;
            let end = loop {
                let next = self.replaced[at];
                if settled.contains(at) {
                    break next;
                }
                if !on_path.insert(at) {
                    break self.promotion.poison(self.body.instructions[at].type_id);
                }
                path.push(at);
                match next {
                    Some(Operand::Instruction(id)) if self.replaced[id.index()].is_some() => {
                        at = id.index();
                    }
                    _ => break next,
                }
            };
            for at in path.drain(..) {
                self.replaced[at] = end;
                settled.insert(at);
            }
        }
    }
}

/// Scratch space for placing phis, one variable after the other.
struct Placement {
    frontiers: Rows<BlockId>,
    defining: NodeSet,
    live: NodeSet,
    found: NodeSet,
}

impl Placement {
    fn new(plan: &Plan) -> Placement {
        let count = plan.body.blocks.len();
        Placement {
            frontiers: dominance_frontiers(&plan.tree, &plan.flow.predecessors),
            defining: NodeSet::new(count),
            live: NodeSet::new(count),
            found: NodeSet::new(count),
        }
    }

    fn phi_blocks(&mut self, plan: &Plan, slot: usize) -> Vec<BlockId> {
        let mut definitions = Vec::new();
        self.defining.clear();
        self.live.clear();
        let mut work = Vec::new();
        let mut last_block = None;
        for access in plan.found.accesses.of(slot) {
            if plan.deleted.contains(access.index()) {
                continue;
            }
            let block = plan.block_of[access.index()];
            let is_store = plan.is_store(*access);
            if is_store && self.defining.insert(block) {
                definitions.push(block);
            }
            // Live on entry where the first access is a load.
            if !is_store && last_block != Some(block) {
                work.push(block);
            }
            last_block = Some(block);
        }
        while let Some(block) = work.pop() {
            if self.live.insert(block) {
                let before = plan.flow.predecessors.of(block).iter();
                work.extend(before.filter(|from| !self.defining.contains(**from)));
            }
        }
        iterated_frontier(
            &self.frontiers,
            &definitions,
            |block| self.live.contains(block),
            &mut self.found,
        )
    }
}
