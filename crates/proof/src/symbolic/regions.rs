//! The way through a body: blocks in order, loops as one.

use super::frame::Frame;
use super::scalars::with_fast_math;
use super::{Ending, Evaluator, HISTORY, State, TOKEN, Undecided, Value};
use knockon_graphs::LoopId;
use knockon_logic::terms::{Sort, SymbolKind, TermId};
use knockon_program::{BlockId, Flags, InstructionId, Opcode, Operand, View};
use rustc_hash::FxHashMap;

/// The states on the edges into blocks, by target: from where, and how.
pub(super) type Edges = FxHashMap<BlockId, Vec<(BlockId, State)>>;

/// An edge out of a part of a body: from where, to where, and how.
pub(super) type Exit = (BlockId, BlockId, State);

/// What comes out of a part of a body.
#[derive(Default)]
pub(super) struct Outgoing {
    /// Back to the header.
    pub again: Vec<(BlockId, State)>,
    /// To blocks outside.
    pub out: Vec<Exit>,
    /// To blocks of the loop that are not among those evaluated.
    pub ahead: Edges,
}

impl<'a> Evaluator<'a, '_> {
    /// Memory for the function's own variables, with unknown content.
    pub(super) fn open(
        &mut self,
        frame: &mut Frame<'a>,
        state: &mut State,
    ) -> Result<(), Undecided> {
        if !frame.forest.irreducible.is_empty() {
            return Err(self.construct("a cycle with several entries", None));
        }
        for variable in frame.own.clone() {
            let name = self.variable_name(frame, variable);
            let memory = self.names.symbol(
                self.terms,
                &format!("{} content of {name}", self.side_name()),
                Sort::Memory,
            );
            self.varying.push(memory);
            state.memories.push(memory);
        }
        Ok(())
    }

    /// A variable's name: that of the old version where it has a partner.
    pub(super) fn variable_name(&self, frame: &Frame<'a>, variable: InstructionId) -> String {
        format!("variable {}", self.node_name(frame, variable))
    }

    /// The address of a variable.
    pub(super) fn variable(
        &mut self,
        frame: &Frame<'a>,
        variable: InstructionId,
        size: Option<u64>,
    ) -> TermId {
        // Of another size it is another object.
        let name = format!("&{} of {size:?}", self.variable_name(frame, variable));
        let kind = SymbolKind::Object { size };
        let address = self
            .names
            .symbol_of_kind(self.terms, &name, Sort::Bits(64), kind);
        self.dead.push(address);
        self.ended.remove(&address);
        address
    }

    pub(super) fn body(&mut self, frame: &mut Frame<'a>, state: State) -> Result<(), Undecided> {
        let mut edges: Edges = FxHashMap::default();
        edges.insert(BlockId(0), vec![(BlockId(u32::MAX), state)]);
        let order = frame.flow.reverse_postorder.clone();
        let outgoing = self.region(frame, None, &order, edges, false)?;
        debug_assert!(outgoing.again.is_empty() && outgoing.out.is_empty());
        debug_assert!(outgoing.ahead.is_empty());
        Ok(())
    }

    /// Evaluates the blocks of a loop, or of the whole body, given what comes in.
    pub(super) fn region(
        &mut self,
        frame: &mut Frame<'a>,
        within: Option<LoopId>,
        order: &[BlockId],
        mut edges: Edges,
        has_header_values: bool,
    ) -> Result<Outgoing, Undecided> {
        let mut outgoing = Outgoing::default();
        let header = within.map(|id| frame.forest.get(id).header);
        for block in order {
            let innermost = frame.forest.innermost(*block);
            let incoming = edges.remove(block).unwrap_or_default();
            if incoming.is_empty() {
                continue;
            }
            let leaving = if innermost == within {
                let is_header = has_header_values && header == Some(*block);
                self.block(frame, *block, &incoming, is_header)?
            } else if let Some(inner) = self.loop_at(frame, within, *block) {
                self.looped(frame, inner, &incoming)?
            } else {
                continue;
            };
            for (from, to, state) in leaving {
                if self.terms.as_boolean(state.condition) == Some(false) {
                    continue;
                }
                if Some(to) == header {
                    outgoing.again.push((from, state));
                } else if within.is_some_and(|id| !frame.forest.contains(id, to)) {
                    outgoing.out.push((from, to, state));
                } else {
                    edges.entry(to).or_default().push((from, state));
                }
            }
        }
        outgoing.ahead = edges;
        Ok(outgoing)
    }

    /// The loop directly inside another, or inside none, whose header this block is.
    fn loop_at(&self, frame: &Frame, within: Option<LoopId>, block: BlockId) -> Option<LoopId> {
        let mut found = frame.forest.innermost(block)?;
        while frame.forest.get(found).parent != within {
            found = frame.forest.get(found).parent?;
        }
        (frame.forest.get(found).header == block).then_some(found)
    }

    /// One block: joins what comes in, and goes through its instructions.
    fn block(
        &mut self,
        frame: &mut Frame<'a>,
        block: BlockId,
        incoming: &[(BlockId, State)],
        has_header_values: bool,
    ) -> Result<Vec<Exit>, Undecided> {
        self.check_size()?;
        let states: Vec<State> = incoming.iter().map(|row| row.1.clone()).collect();
        let Some(mut state) = self.joined(&states) else {
            return Ok(Vec::new());
        };
        let condition = state.condition;
        let known = state.memories.iter_mut().chain(&mut state.world);
        known.for_each(|term| *term = self.terms.under(condition, *term));
        let conditions: Vec<TermId> = states.iter().map(|state| state.condition).collect();
        let deciding = self.deciding(&conditions);
        let mut phis: Vec<(InstructionId, Value)> = Vec::new();
        for id in frame.body.instructions_of(block) {
            if frame.body.instruction(id).opcode != Opcode::Phi {
                continue;
            }
            if has_header_values {
                if let Some(value) = frame.values[id.index()].clone() {
                    self.observe(frame, id, &state, &[value]);
                }
                continue;
            }
            let value = self.phi(frame, id, incoming, &deciding)?;
            phis.push((id, value));
        }
        for (id, value) in phis {
            self.observe(frame, id, &state, std::slice::from_ref(&value));
            frame.values[id.index()] = Some(value);
        }
        for id in frame.body.instructions_of(block) {
            let opcode = frame.body.instruction(id).opcode;
            if opcode == Opcode::Phi {
                continue;
            }
            if opcode.is_terminator() {
                return self.terminator(frame, block, id, state);
            }
            self.instruction(frame, id, &mut state)?;
            if self.terms.as_boolean(state.condition) == Some(false) {
                return Ok(Vec::new());
            }
        }
        Ok(Vec::new())
    }

    pub(super) fn phi(
        &mut self,
        frame: &Frame<'a>,
        id: InstructionId,
        incoming: &[(BlockId, State)],
        deciding: &[TermId],
    ) -> Result<Value, Undecided> {
        let mut values = Vec::new();
        for (from, state) in incoming {
            self.here = state.condition;
            let operands = frame.body.operands(id);
            let row = operands
                .chunks_exact(2)
                .find(|row| row[1] == Operand::Block(*from));
            let Some(row) = row else {
                return Err(self.construct("a phi without a row for a way", None));
            };
            values.push(self.operand(frame, row[0])?);
        }
        let value = self.joined_values(deciding, &values);
        let flags = frame.body.instruction(id).flags.fast_math();
        match (flags, value) {
            (_, None) => Err(self.construct("a phi without rows", None)),
            (Flags::NONE, Some(value)) => Ok(value),
            (_, Some(Value::Term(term))) => {
                let (name, sort) = (with_fast_math("phi", flags), self.terms.sort(term));
                Ok(Value::Term(self.terms.apply(name, &[term], sort)))
            }
            _ => Err(self.construct("a choice of vectors", None)),
        }
    }

    fn terminator(
        &mut self,
        frame: &mut Frame<'a>,
        block: BlockId,
        id: InstructionId,
        state: State,
    ) -> Result<Vec<Exit>, Undecided> {
        self.here = state.condition;
        let body = frame.body;
        match body.view(id) {
            View::Return { value } => {
                let value = match value {
                    Some(operand) => Some(self.operand(frame, operand)?),
                    None => None,
                };
                self.observe(frame, id, &state, value.as_slice());
                frame.endings.push(Ending { state, value });
                Ok(Vec::new())
            }
            View::Unreachable => {
                let always = self.terms.boolean(true);
                self.is_undefined_if(state.condition, always);
                Ok(Vec::new())
            }
            View::Jump { target } => {
                self.observe(frame, id, &state, &[]);
                Ok(vec![(block, target, state)])
            }
            View::Branch {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.single(frame, condition)?;
                self.observe(frame, id, &state, &[Value::Term(condition)]);
                if then == otherwise {
                    return Ok(vec![(block, then, state)]);
                }
                let negated = self.terms.not(condition);
                let mut first = state.clone();
                first.condition = self.terms.and([state.condition, condition]);
                let mut second = state;
                second.condition = self.terms.and([second.condition, negated]);
                Ok(vec![(block, then, first), (block, otherwise, second)])
            }
            View::Switch {
                value,
                default,
                cases,
            } => {
                let value = self.single(frame, value)?;
                self.observe(frame, id, &state, &[Value::Term(value)]);
                let mut targets: Vec<(BlockId, Vec<TermId>)> = Vec::new();
                let mut none = Vec::new();
                for row in cases.chunks_exact(2) {
                    let case = self.single(frame, row[0])?;
                    let Operand::Block(to) = row[1] else {
                        return Err(self.construct("a switch", None));
                    };
                    let is_taken = self.terms.equal(value, case);
                    none.push(self.terms.not(is_taken));
                    match targets.iter_mut().find(|target| target.0 == to) {
                        Some(target) => target.1.push(is_taken),
                        None => targets.push((to, vec![is_taken])),
                    }
                }
                let otherwise = self.terms.and(none);
                match targets.iter_mut().find(|target| target.0 == default) {
                    Some(target) => target.1.push(otherwise),
                    None => targets.push((default, vec![otherwise])),
                }
                let mut leaving = Vec::new();
                for (to, conditions) in targets {
                    let mut next = state.clone();
                    let taken = self.terms.or(conditions);
                    next.condition = self.terms.and([state.condition, taken]);
                    leaving.push((block, to, next));
                }
                Ok(leaving)
            }
            View::IndirectBranch { .. }
            | View::Resume { .. }
            | View::CatchSwitch { .. }
            | View::CatchReturn { .. }
            | View::CleanupReturn { .. }
            | View::Call(_)
            // These end no block.
            | View::Binary { .. }
            | View::Cast { .. }
            | View::FloatNegate { .. }
            | View::Freeze { .. }
            | View::IntegerCompare { .. }
            | View::FloatCompare { .. }
            | View::Select { .. }
            | View::Alloca { .. }
            | View::Load { .. }
            | View::Store { .. }
            | View::GetElementPointer { .. }
            | View::CompareExchange { .. }
            | View::AtomicReadModifyWrite { .. }
            | View::Fence
            | View::Phi { .. }
            | View::ExtractValue { .. }
            | View::InsertValue { .. }
            | View::ExtractElement { .. }
            | View::InsertElement { .. }
            | View::ShuffleVector { .. }
            | View::VariadicArgument { .. }
            | View::LandingPad { .. }
            | View::Pad { .. }
            | View::Opaque { .. } => {
                let opcode = body.instruction(id).opcode;
                let construct = format!("the instruction {}", opcode.mnemonic());
                Err(self.construct_at(frame, id, construct))
            }
        }
    }

    /// Notes what an instruction of the function itself observes.
    pub(super) fn observe(
        &mut self,
        frame: &Frame<'a>,
        id: InstructionId,
        state: &State,
        values: &[Value],
    ) {
        if !frame.path.is_empty() {
            return;
        }
        let mut flat = Vec::new();
        values.iter().for_each(|value| flatten(value, &mut flat));
        let within = self.around.last().copied();
        let observation = super::Observation {
            condition: state.condition,
            values: flat,
            history: state.world[HISTORY],
            is_ordered: false,
            given: Vec::new(),
            surroundings: None,
            callee: None,
            within,
        };
        self.observations.entry(id).or_default().push(observation);
    }

    /// One more call at this place.
    pub(super) fn remember_call(
        &mut self,
        frame: &Frame<'a>,
        id: InstructionId,
        state: &mut State,
    ) {
        let name = format!("after call {}", self.node_name(frame, id));
        state.world[HISTORY] = self.terms.apply(name, &[state.world[HISTORY]], TOKEN);
    }
}

/// The values of single sorts in a value, in order.
pub(super) fn flatten(value: &Value, to: &mut Vec<TermId>) {
    match value {
        Value::Term(term) => to.push(*term),
        Value::Aggregate(values) => values.iter().for_each(|value| flatten(value, to)),
    }
}
