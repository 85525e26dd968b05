//! What a loop's header carries round, and what it is called.

use super::frame::{Frame, moves_memory};
use super::loop_plan::{Item, LoopPlan};
use super::{Evaluator, HISTORY, State, Value, WORLD_PARTS};
use knockon_logic::terms::{Sort, TermId};
use knockon_program::{BlockId, InstructionId, View};

/// What a loop carries round, as it is built.
#[derive(Default)]
pub(super) struct Carried {
    /// Before the loop, and at the header.
    pub rows: Vec<(Item, TermId, TermId)>,
    /// What is known of the values at the header.
    pub invariants: Vec<TermId>,
}

/// How header symbols of a loop are called.
pub(super) struct Naming {
    pub plan: LoopPlan,
    pub own: String,
    pub counter: TermId,
}

/// What a part of a body may write.
#[derive(Default)]
pub(super) struct Written {
    /// Memories of the state, ascending.
    pub classes: Vec<usize>,
    pub world: [bool; WORLD_PARTS],
    /// Some call writes memory.
    pub by_calls: bool,
}

impl<'a> Evaluator<'a, '_> {
    pub(super) fn header_world(
        &mut self,
        naming: &Naming,
        written: &[bool; WORLD_PARTS],
        state: &mut State,
        carried: &mut Carried,
    ) {
        for part in (0..WORLD_PARTS).filter(|part| written[*part]) {
            let item = Item::World(part as u32);
            let before = state.world[part];
            state.world[part] = self.header_symbol(naming, item, before, carried);
        }
    }

    pub(super) fn header_value(
        &mut self,
        naming: &Naming,
        item: &impl Fn(u32) -> Item,
        number: &mut u32,
        before: &Value,
        carried: &mut Carried,
    ) -> Value {
        match before {
            Value::Aggregate(values) => Value::Aggregate(
                values
                    .iter()
                    .map(|value| self.header_value(naming, item, number, value, carried))
                    .collect(),
            ),
            Value::Term(before) => {
                let own = item(*number);
                *number += 1;
                Value::Term(self.header_symbol(naming, own, *before, carried))
            }
        }
    }

    pub(super) fn header_symbol(
        &mut self,
        naming: &Naming,
        item: Item,
        before: TermId,
        carried: &mut Carried,
    ) -> TermId {
        let sort = self.terms.sort(before);
        let here = match (naming.plan.strides.get(&item), sort) {
            (Some((stride, is_exact)), Sort::Bits(width)) => {
                let count = match width <= 64 {
                    true => self.terms.truncate(naming.counter, width),
                    false => self.terms.zero_extend(naming.counter, width),
                };
                let grown = self.terms.scale(count, *stride);
                let here = self.terms.add(before, grown);
                // What is taken away may be the one number whose negative is itself.
                let is_least = *stride == 1 << (width - 1);
                if *is_exact && width < 64 && !is_least {
                    let first = self.terms.sign_extend(before, 64);
                    let stride = knockon_logic::terms::signed(width, *stride) as u128;
                    let grown = self.terms.scale(naming.counter, stride);
                    let wide = self.terms.add(first, grown);
                    let fact = self.terms.declare_exact(here, wide);
                    if self.is_known_defined() {
                        carried.invariants.push(fact);
                    }
                }
                here
            }
            _ => {
                let name = match naming.plan.names.get(&item) {
                    Some(name) => name.clone(),
                    None => format!("{} {item:?}", naming.own),
                };
                let symbol = self.names.symbol(self.terms, &name, sort);
                self.varying.push(symbol);
                symbol
            }
        };
        carried.rows.push((item, before, here));
        here
    }

    /// What blocks may write, at least what their evaluation does.
    pub(super) fn written_in(&self, frame: &Frame<'a>, blocks: &[BlockId]) -> Written {
        let mut written = Written::default();
        for block in blocks {
            for id in frame.body.instructions_of(*block) {
                if self.is_seen_event(frame, id) || self.is_shown_event(frame, id) {
                    written.world = [true; WORLD_PARTS];
                }
                match frame.body.view(id) {
                    View::Store { value: _, address } => {
                        written.classes.push(frame.class_of(address));
                    }
                    View::Call(_) => self.written_by(frame, id, &mut written),
                    // Evaluation ends at the last ones, from `CompareExchange` on.
                    View::Load { .. }
                    | View::Alloca { .. }
                    | View::Binary { .. }
                    | View::Cast { .. }
                    | View::FloatNegate { .. }
                    | View::Freeze { .. }
                    | View::IntegerCompare { .. }
                    | View::FloatCompare { .. }
                    | View::Select { .. }
                    | View::GetElementPointer { .. }
                    | View::Phi { .. }
                    | View::ExtractValue { .. }
                    | View::InsertValue { .. }
                    | View::ExtractElement { .. }
                    | View::InsertElement { .. }
                    | View::ShuffleVector { .. }
                    | View::Return { .. }
                    | View::Jump { .. }
                    | View::Branch { .. }
                    | View::Switch { .. }
                    | View::IndirectBranch { .. }
                    | View::Resume { .. }
                    | View::Unreachable
                    | View::CatchSwitch { .. }
                    | View::CatchReturn { .. }
                    | View::CleanupReturn { .. }
                    | View::CompareExchange { .. }
                    | View::AtomicReadModifyWrite { .. }
                    | View::Fence
                    | View::VariadicArgument { .. }
                    | View::LandingPad { .. }
                    | View::Pad { .. }
                    | View::Opaque { .. } => {}
                }
            }
        }
        written.classes.sort_unstable();
        written.classes.dedup();
        written
    }

    fn written_by(&self, frame: &Frame<'a>, id: InstructionId, written: &mut Written) {
        if moves_memory(self.version(), frame.body, id) {
            let to = frame.body.arguments(id)[0];
            written.classes.push(frame.class_of(to));
            return;
        }
        if frame.tail_calls.contains(&id) || self.is_plain_function(frame, id) {
            return;
        }
        written.world[HISTORY] = true;
        match self.written_by_symbol(frame, id) {
            Some((writes_memory, world)) => {
                if writes_memory {
                    written.classes.push(0);
                    written.by_calls = true;
                }
                for (part, is_written) in world.into_iter().enumerate() {
                    written.world[part] |= is_written;
                }
            }
            None => {
                written.classes.push(0);
                written.by_calls = true;
                written.world = [true; WORLD_PARTS];
            }
        }
    }
}
