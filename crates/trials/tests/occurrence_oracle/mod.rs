//! Definition 12, naively: each dependence is looked for by going back through the run from where
//! it ends, and a slice is all that is reached by going on until nothing is new.
//!
//! It takes from the history only what no text can say: the order, the calls, the last writers. It
//! knows runs in which no library function calls back, no `longjmp` happens, and no function is
//! entered that has a call that may not return; others it declines.

use knockon_graphs::{control_dependence, control_flow, segmented_flow};
use knockon_interpreter::{Entry, History, OccurrenceId};
use knockon_library::{World, library};
use knockon_memory::memory_model::MemoryModel;
use knockon_memory::mod_ref::WorldSet;
use knockon_program::{BlockId, Body, InstructionId, Opcode, Operand, Program, Type};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// What an occurrence has: what it observes, that it happens, what it does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Observed,
    Happens,
    Does,
}

type Vertex = (OccurrenceId, Part);

/// Parts of the world.
#[derive(Default)]
struct Parts {
    reads: Vec<World>,
    writes: Vec<World>,
}

pub struct Oracle<'a> {
    program: &'a Program,
    history: &'a History,
    /// What each call of the library does to the world.
    library_calls: BTreeMap<OccurrenceId, Parts>,
    /// By function and instruction, the branches that decide about it.
    deciding: BTreeMap<(u32, u32), Vec<InstructionId>>,
    /// By function, the block of each instruction.
    blocks: BTreeMap<u32, Vec<BlockId>>,
    /// What was found already.
    known: RefCell<BTreeMap<Vertex, BTreeSet<Vertex>>>,
}

impl<'a> Oracle<'a> {
    /// `None` for a run that is beyond it.
    pub fn of(program: &'a Program, model: &MemoryModel, history: &'a History) -> Option<Self> {
        if !history.landings.is_empty() {
            return None;
        }
        if history
            .activations
            .iter()
            .any(|row| !matches!(row.entry, Entry::Outside | Entry::Call(_)))
        {
            return None;
        }
        let mut deciding = BTreeMap::new();
        let mut blocks = BTreeMap::new();
        let entered: BTreeSet<_> = history.activations.iter().map(|row| row.function).collect();
        for (function, _, body) in program.defined_functions() {
            if !entered.contains(&function) {
                continue;
            }
            let may_not_return = body.instruction_ids().any(|id| {
                let site = model.calls.site_of(function, id);
                site.is_some_and(|site| model.mod_ref.call_may_not_return(&model.calls, site))
            });
            if may_not_return {
                return None;
            }
            blocks.insert(function.0, body.block_of_each_instruction());
            let flow = segmented_flow(body, &control_flow(body), |_| false);
            let dependence = control_dependence(&flow);
            for id in body.instruction_ids() {
                let edges = dependence.controlling(flow.segment_of(id)).iter();
                let branches = edges.map(|edge| edge.branch).collect();
                deciding.insert((function.0, id.0), branches);
            }
        }
        let mut library_calls = BTreeMap::new();
        for (call, external) in &history.library_calls {
            let (function, instruction) = history.node(*call);
            let site = model.calls.site_of(function, instruction)?;
            let allowed = model.mod_ref.call(&model.calls, &model.regions, site);
            let effect = external.and_then(|id| library().of(program.function_name(id)));
            let parts = |named: &[World], allowed: WorldSet| -> Vec<World> {
                let parts = named.iter().copied();
                parts.filter(|part| allowed.contains(*part)).collect()
            };
            let world = effect.map(|effect| Parts {
                reads: parts(&effect.world_reads, allowed.world_reads),
                writes: parts(&effect.world_writes, allowed.world_writes),
            });
            library_calls.insert(*call, world.unwrap_or_default());
        }
        Some(Oracle {
            program,
            history,
            library_calls,
            deciding,
            blocks,
            known: RefCell::default(),
        })
    }

    fn body(&self, id: OccurrenceId) -> &'a Body {
        let function = self.history.node(id).0;
        self.program.function(function).body.as_deref().unwrap()
    }

    fn opcode(&self, id: OccurrenceId) -> Opcode {
        let instruction = self.history.occurrence(id).instruction;
        self.body(id).instruction(instruction).opcode
    }

    /// The occurrences of the same activation before this one, latest first.
    fn back(&self, id: OccurrenceId) -> impl Iterator<Item = OccurrenceId> + '_ {
        let activation = self.history.occurrence(id).activation;
        let earlier = (0..id.0).rev().map(OccurrenceId);
        earlier.filter(move |other| self.history.occurrence(*other).activation == activation)
    }

    fn latest(&self, id: OccurrenceId, wanted: &[InstructionId]) -> Option<OccurrenceId> {
        self.back(id)
            .find(|other| wanted.contains(&self.history.occurrence(*other).instruction))
    }

    /// The vertex of an operand's value at an occurrence.
    fn value(&self, at: OccurrenceId, operand: Operand) -> Option<Vertex> {
        match operand {
            Operand::Instruction(id) => {
                // The phis of a block read what was there before any of them.
                let is_phi = self.opcode(at) == Opcode::Phi;
                let mut before = self
                    .back(at)
                    .skip_while(|other| is_phi && self.opcode(*other) == Opcode::Phi);
                let made = before.find(|one| self.history.occurrence(*one).instruction == id)?;
                self.given(made)
            }
            Operand::Argument(number) => {
                let activation = self.history.occurrence(at).activation;
                let Entry::Call(call) = self.history.activation(activation).entry else {
                    return None;
                };
                let instruction = self.history.occurrence(call).instruction;
                let arguments = self.body(call).arguments(instruction);
                self.value(call, *arguments.get(number as usize)?)
            }
            _ => None,
        }
    }

    /// What the value of an occurrence is of: that of a call is what the callee returns.
    fn given(&self, made: OccurrenceId) -> Option<Vertex> {
        if !self.opcode(made).is_call() {
            return Some((made, Part::Observed));
        }
        if self.library_calls.contains_key(&made) {
            return Some((made, Part::Does));
        }
        self.returned(made).map(|end| (end, Part::Observed))
    }

    fn returned(&self, call: OccurrenceId) -> Option<OccurrenceId> {
        let rows = self.history.activations.iter();
        let activation = rows
            .clone()
            .position(|row| row.entry == Entry::Call(call))?;
        let all = (call.0..self.history.occurrences.len() as u32).map(OccurrenceId);
        all.into_iter().find(|id| {
            let is_inside = self.history.occurrence(*id).activation.index() == activation;
            is_inside && self.opcode(*id) == Opcode::Return
        })
    }

    fn control(&self, id: OccurrenceId) -> Option<Vertex> {
        let (function, instruction) = self.history.node(id);
        let deciding = &self.deciding[&(function.0, instruction.0)];
        // What decides about a block has run before its first instruction.
        let block = &self.blocks[&function.0];
        let first = self
            .back(id)
            .take_while(|other| {
                let same = block[self.history.occurrence(*other).instruction.index()]
                    == block[instruction.index()];
                same && !self.opcode(*other).is_terminator()
            })
            .last()
            .unwrap_or(id);
        match self.latest(first, deciding) {
            Some(branch) => Some((branch, Part::Observed)),
            None => {
                let activation = self.history.occurrence(id).activation;
                match self.history.activation(activation).entry {
                    Entry::Call(call) => Some((call, Part::Happens)),
                    _ => None,
                }
            }
        }
    }

    fn touching(&self, id: OccurrenceId) -> Vertex {
        match self.opcode(id).is_call() {
            true => (id, Part::Does),
            false => (id, Part::Observed),
        }
    }

    /// What a vertex depends on directly.
    pub fn sources(&self, (id, part): Vertex) -> BTreeSet<Vertex> {
        let mut found = BTreeSet::new();
        let body = self.body(id);
        let instruction = self.history.occurrence(id).instruction;
        let opcode = self.opcode(id);
        let written = || {
            let reads = self.history.reads.iter().filter(|row| row.0 == id);
            reads.map(|row| self.touching(row.1)).collect::<Vec<_>>()
        };
        match part {
            Part::Observed if opcode == Opcode::Phi => {
                let mut earlier = self.back(id);
                if let Some(end) = earlier.find(|other| self.opcode(*other).is_terminator()) {
                    let block_of = &self.blocks[&self.history.node(id).0.0];
                    let from = block_of[self.history.occurrence(end).instruction.index()];
                    for pair in body.operands(instruction).chunks_exact(2) {
                        if pair[1] == Operand::Block(from) {
                            found.extend(self.value(id, pair[0]));
                        }
                    }
                    found.extend(self.control(end));
                }
                found.extend(self.control(id));
            }
            Part::Observed => {
                let operands = body.operands(instruction).iter();
                found.extend(operands.filter_map(|operand| self.value(id, *operand)));
                found.extend(self.control(id));
                let type_id = body.instruction(instruction).type_id;
                let is_void = matches!(self.program.type_of(type_id), Type::Void);
                match opcode.is_call() {
                    true if !is_void => found.extend(self.given(id)),
                    true => {}
                    false => found.extend(written()),
                }
            }
            Part::Happens => {
                found.extend(self.control(id));
                let callee = body.callee(instruction);
                found.extend(callee.and_then(|callee| self.value(id, callee)));
            }
            Part::Does => {
                found.insert((id, Part::Happens));
                found.extend(written());
                let arguments = body.arguments(instruction);
                let passed_in_memory = match self.library_calls.contains_key(&id) {
                    true => 0,
                    false => self.named_parameters(id),
                };
                if let Some(Parts { reads, .. }) = self.library_calls.get(&id) {
                    // All that was done to a part of the world before.
                    let earlier = self.library_calls.range(..id);
                    let changing = earlier
                        .filter(|(_, parts)| parts.writes.iter().any(|part| reads.contains(part)));
                    found.extend(changing.map(|row| (*row.0, Part::Does)));
                }
                let arguments = arguments.iter().skip(passed_in_memory);
                found.extend(arguments.filter_map(|argument| self.value(id, *argument)));
                found.remove(&(id, Part::Does));
            }
        }
        found
    }

    fn named_parameters(&self, call: OccurrenceId) -> usize {
        let rows = self.history.activations.iter();
        let mut entered = rows.filter(|row| row.entry == Entry::Call(call));
        let function = entered.next().map(|row| row.function);
        function.map_or(usize::MAX, |function| {
            self.program.function(function).parameters.len()
        })
    }

    /// The occurrences that the criterion depends on.
    pub fn backward(&self, criterion: OccurrenceId) -> BTreeSet<OccurrenceId> {
        let mut found = BTreeSet::from([(criterion, Part::Observed)]);
        let mut work = vec![(criterion, Part::Observed)];
        while let Some(vertex) = work.pop() {
            let mut known = self.known.borrow_mut();
            let sources = known.entry(vertex).or_insert_with(|| self.sources(vertex));
            for source in sources.iter().copied() {
                if found.insert(source) {
                    work.push(source);
                }
            }
        }
        let counting = found.into_iter().filter(|row| row.1 != Part::Does);
        counting.map(|row| row.0).collect()
    }
}
