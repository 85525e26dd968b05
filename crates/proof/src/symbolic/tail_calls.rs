//! Functions that call themselves at their end, as loops.
//!
//! **Rules.** A call of the function itself whose value is what the function returns then, with nothing
//! in between, goes back to the entry with other arguments. So read, a function is a loop whose header
//! is its entry and carries the arguments. Functions with variables in memory are not read so: each
//! activation has its own.
//!
//! **Soundness.** The activation that makes such a call does nothing more. What a loop is taken to be,
//! that it ends, is what recursion is taken to be.

use super::frame::{Frame, callee_name};
use super::headers::Carried;
use super::loop_plan::{Item, LoopKey};
use super::regions::flatten;
use super::{Evaluator, State, Undecided, Value};
use knockon_logic::terms::TermId;
use knockon_program::{InstructionId, Opcode, Operand};

impl<'a> Evaluator<'a, '_> {
    /// Whether the function is read as a loop; notes the calls that go round.
    pub(super) fn is_loop_of_tail_calls(&self, frame: &mut Frame<'a>) -> bool {
        // A function that is entered is none that both versions share.
        let is_wanted = self.shapes.tail_calls_are_loops || !frame.path.is_empty();
        let has_variables = || {
            let mut ids = frame.body.instruction_ids();
            ids.any(|id| frame.body.instruction(id).opcode == Opcode::Alloca)
        };
        if !is_wanted || has_variables() {
            return false;
        }
        let calls = frame.body.instruction_ids().filter(|id| {
            frame.body.instruction(*id).opcode == Opcode::Call && self.is_tail_call(frame, *id)
        });
        frame.tail_calls = calls.collect();
        !frame.tail_calls.is_empty()
    }

    fn is_tail_call(&self, frame: &Frame<'a>, call: InstructionId) -> bool {
        let program = self.version().program;
        let row = program.function(frame.function);
        let own = program.function_name(frame.function);
        let Some(Operand::Constant(callee)) = frame.body.callee(call) else {
            return false;
        };
        if program.called_function(callee) != Some(frame.function)
            || callee_name(program, frame.body, call) != Some(own)
            || frame.body.arguments(call).len() != row.parameters.len()
            || !frame.body.by_value_arguments_of(call).is_empty()
        {
            return false;
        }
        // To a return of its value, by ways without instructions.
        let blocks = frame.body.block_of_each_instruction();
        let mut block = blocks[call.index()];
        let mut next = InstructionId(call.0 + 1);
        let mut value = Operand::Instruction(call);
        for _ in 0..frame.body.blocks.len() {
            let operands = frame.body.operands(next);
            match (frame.body.instruction(next).opcode, operands) {
                (Opcode::Return, []) => return true,
                (Opcode::Return, [returned]) => return *returned == value,
                (Opcode::Branch, [Operand::Block(to)]) => {
                    let mut ids = frame.body.instructions_of(*to);
                    let mut first = ids.next();
                    let mut renamed = value;
                    while let Some(id) = first
                        && frame.body.instruction(id).opcode == Opcode::Phi
                    {
                        let mut rows = frame.body.operands(id).chunks_exact(2);
                        if rows.any(|row| row[0] == value && row[1] == Operand::Block(block)) {
                            renamed = Operand::Instruction(id);
                        }
                        first = ids.next();
                    }
                    let Some(first) = first else {
                        return false;
                    };
                    value = renamed;
                    block = *to;
                    next = first;
                }
                _ => return false,
            }
        }
        false
    }

    /// Evaluates a function that is a loop.
    pub(super) fn repeated_body(
        &mut self,
        frame: &mut Frame<'a>,
        entry: State,
    ) -> Result<(), Undecided> {
        let varying = self.varying.len();
        let key = self.next_key(frame, LoopKey::TAIL_CALLS);
        let (number, naming) = self.open_loop(key, &entry);
        let ways_out = self.leaving.len();
        let mut carried = Carried::default();
        let mut arguments = Vec::new();
        for (at, before) in frame.arguments.clone().iter().enumerate() {
            let of = |element| Item::Argument(at as u32, element);
            arguments.push(self.header_value(&naming, &of, &mut 0, before, &mut carried));
        }
        frame.arguments = arguments;
        let mut state = entry.clone();
        state.condition = self.terms.boolean(true);
        let blocks: Vec<_> = frame.body.block_ids().collect();
        let written = self.written_in(frame, &blocks);
        for class in written.classes {
            let item = Item::Memory(class as u32);
            let before = state.memories[class];
            state.memories[class] = self.header_symbol(&naming, item, before, &mut carried);
        }
        self.header_world(&naming, &written.world, &mut state, &mut carried);
        self.around.push(number);
        self.contexts.push(entry.condition);
        let headed = state.clone();
        self.body(frame, state)?;
        self.contexts.pop();
        self.around.pop();
        let rounds = std::mem::take(&mut frame.rounds);
        let states: Vec<State> = rounds.iter().map(|row| row.0.clone()).collect();
        let mut afters = None;
        let mut again = None;
        if let Some(joined) = self.joined(&states) {
            self.check_carried(&carried, &headed, &joined, false)?;
            let conditions: Vec<TermId> = states.iter().map(|state| state.condition).collect();
            let deciding = self.deciding(&conditions);
            let mut given: Vec<Vec<TermId>> = Vec::new();
            for at in 0..frame.arguments.len() {
                let values: Vec<Value> = rounds.iter().map(|row| row.1[at].clone()).collect();
                let mut flat = Vec::new();
                if let Some(value) = self.joined_values(&deciding, &values) {
                    flatten(&value, &mut flat);
                }
                given.push(flat);
            }
            let mut rows = Vec::new();
            for (item, ..) in &carried.rows {
                rows.push(match item {
                    Item::Memory(class) => joined.memories[*class as usize],
                    Item::World(part) => joined.world[*part as usize],
                    Item::Argument(at, element) => given
                        .get(*at as usize)
                        .and_then(|flat| flat.get(*element as usize))
                        .copied()
                        .ok_or_else(|| self.not_carried())?,
                    Item::Phi(..) | Item::Cell(_) => return Err(self.not_carried()),
                });
            }
            afters = Some(rows);
            again = Some(joined.condition);
        }
        self.close_loop(number, carried, again, afters, Vec::new(), varying)?;
        let conditions = frame.endings.iter().map(|ending| ending.state.condition);
        let conditions: Vec<TermId> = conditions.collect();
        let after = self.loop_is_over(number, &entry, conditions, ways_out)?;
        for ending in &mut frame.endings {
            let all = [after, ending.state.condition];
            ending.state.condition = self.terms.and(all);
        }
        Ok(())
    }
}
