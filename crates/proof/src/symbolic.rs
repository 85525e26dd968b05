//! **Question.** What does a function compute, as terms over what it is given?
//!
//! **Source.** Symbolic execution with merging: each block once, in reverse postorder, values and
//! memory joined by choices over the conditions of the ways. A loop is entered at an arbitrary
//! iteration: what its header carries round are symbols, or counts of the iteration where
//! the increment is constant; what runs after the loop sees the terms of the last iteration.
//! Procedures that are the same in both versions are function symbols (Godlin, Strichman 2009);
//! others are entered.
//!
//! **Meaning.** Terms inside a loop speak of one iteration, conditions are relative to its header.
//! What the two versions share (parameters, memory at the entry, addresses of paired objects, header
//! symbols that a plan declares equal) has the same symbol in both evaluations.
//!
//! **Departures.** Loops end: what comes after a loop is reached if the loop is.
//!
//! **Soundness.** A construct without a meaning here is an [`Undecided`], never a guess.
//!
//! **Cost.** Linear in the instructions, entered callees counted at each call.

mod access;
mod calls;
mod cells;
mod constants;
mod counters;
mod cycles;
mod float_comparisons;
mod frame;
mod function_symbols;
mod headers;
mod instructions;
mod intrinsics;
mod joining;
mod loop_bounds;
mod loop_plan;
mod loops;
mod others;
mod passing;
mod regions;
mod rotation;
mod scalars;
mod tail_calls;
mod validity;

pub use constants::SharedNames;
pub use loop_plan::{
    Fact, Item, Known, LoopKey, LoopPlan, LoopPlans, LoopRecord, Obligation, Shape, Shapes,
};
pub use others::Others;

use crate::lifetimes::Lifetimes;
use crate::product::Compared;
use frame::Frame;
use knockon_change::{Side, Sides, Version};
use knockon_library::World;
use knockon_logic::terms::{Sort, TermId, Terms};
use knockon_program::{FunctionId, InstructionId, Opcode, Place, PlaceId, TimeLimit, TypeLayouts};
use regions::flatten;
use rustc_hash::{FxHashMap, FxHashSet};

/// Why nothing could be said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undecided {
    #[error("{construct} has no meaning for proofs")]
    Construct {
        construct: String,
        place: Option<Place>,
    },
    #[error("the function is too large for the effort allowed")]
    TooLarge,
    #[error("the time was up while it was compared")]
    OutOfTime,
}

/// How a callee appears in terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CalleeView {
    /// The same in both versions: one function symbol of this name.
    Shared(String),
    /// Entered.
    Inside,
    /// A function symbol of this version only.
    Own,
}

/// A value that an instruction has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Term(TermId),
    Aggregate(Vec<Value>),
}

/// What execution has done on the way to a place.
#[derive(Clone, Debug)]
pub struct State {
    /// Whether control comes here, seen from the innermost loop's header.
    pub condition: TermId,
    /// The program's memory, then that of variables whose address is known nowhere else.
    pub memories: Vec<TermId>,
    /// One for each of [`WORLD_PARTS`].
    pub world: Vec<TermId>,
}

/// The parts of the world, what is allocated, the calls so far, and what others may have noticed.
pub const WORLD_PARTS: usize = World::PARTS.len() + 3;
const LIFETIMES: usize = World::PARTS.len();
/// Which calls were made, in order: no part of what a function does.
pub const HISTORY: usize = LIFETIMES + 1;
/// What was done so far that others may notice while they run; see [`others`].
const EVENTS: usize = LIFETIMES + 2;
/// What stands for a part of the world's state.
const TOKEN: Sort = Sort::Bits(64);

/// Behaviour that is undefined if the condition holds.
#[derive(Clone, Copy, Debug)]
pub struct Undefined {
    /// Whether control comes there.
    pub guard: TermId,
    pub condition: TermId,
    /// The number of the innermost loop in [`Outcome::loops`] around it.
    pub within: Option<usize>,
    /// What is known when it happens.
    pub known: Known,
    pub place: Option<PlaceId>,
}

/// What an instruction of the function itself observes: at least what a node does
/// ([`knockon_program::observed_memory`] and its module).
#[derive(Clone, Debug)]
pub struct Observation {
    pub condition: TermId,
    /// Operands and the value that is made.
    pub values: Vec<TermId>,
    /// The calls that came before it, by place.
    pub history: TermId,
    /// It is a call that does something, so that its place among such calls matters.
    pub is_ordered: bool,
    /// All that the callee may look at; only of calls that are function symbols of both versions.
    pub given: Vec<TermId>,
    /// The same without arguments; of calls only.
    pub surroundings: Option<Vec<TermId>>,
    /// What is called; of calls only.
    pub callee: Option<TermId>,
    /// The number of the innermost loop around it.
    pub within: Option<usize>,
}

/// How a function ends.
#[derive(Clone, Debug)]
pub struct Ending {
    pub state: State,
    pub value: Option<Value>,
}

/// What a function does.
pub struct Outcome {
    /// It returns.
    pub returns: Option<Ending>,
    /// It does not come back: the program ends there, or jumps.
    pub leaves: Option<Ending>,
    pub loops: Vec<LoopRecord>,
    pub undefined: Vec<Undefined>,
    /// By instruction: one for each iteration that was unrolled around it.
    pub observations: FxHashMap<InstructionId, Vec<Observation>>,
    pub facts: Vec<Fact>,
    /// What the evaluation took for granted.
    pub obligations: Vec<Obligation>,
    /// Objects that are gone when the function has returned.
    pub dead: Vec<TermId>,
}

/// So many terms at most.
const MOST_TERMS: usize = 400_000;

/// The evaluation of one version's function.
pub struct Evaluator<'a, 'w> {
    pub terms: &'w mut Terms,
    pub names: &'w mut SharedNames,
    pub plans: &'w LoopPlans,
    pub shapes: &'w Shapes,
    pub versions: Sides<Version<'a>>,
    pub side: Side,
    pub layouts: &'a TypeLayouts,
    pub others: &'w Others,
    pub moved_positions: &'w FxHashMap<(PlaceId, u128), u32>,
    limit: TimeLimit<'w>,
    /// How a callee appears: of this version's function at this depth of entered calls.
    pub view: &'w dyn Fn(Side, FunctionId, usize) -> CalleeView,
    /// The name of a function with a body that both versions have.
    pub function_name: &'w dyn Fn(Side, FunctionId) -> Option<String>,
    /// The old version's number of a node that both versions have.
    pub shared_nodes: &'w dyn Fn(Side, FunctionId, InstructionId) -> Option<InstructionId>,
    pub compared: Compared,
    pub lifetimes: &'a Lifetimes,
    /// By parameter of this version: its name in both.
    pub parameter_names: Vec<String>,
    /// Internal variables that no pointer points to in either version.
    pub unseen_variables: &'w FxHashSet<String>,
    loops: Vec<LoopRecord>,
    undefined: Vec<Undefined>,
    observations: FxHashMap<InstructionId, Vec<Observation>>,
    facts: Vec<Fact>,
    obligations: Vec<Obligation>,
    /// What has another value in another iteration of some loop, or is known of no run.
    varying: Vec<TermId>,
    /// Loops whose memory cannot be told as cells.
    without_cells: FxHashSet<LoopKey>,
    /// Where the instruction is that is evaluated.
    place: Option<PlaceId>,
    /// Whether control comes to it, seen from the innermost loop's header: operands are needed only
    /// where it does.
    here: TermId,
    dead: Vec<TermId>,
    /// Variables of functions that have returned.
    ended: FxHashSet<TermId>,
    leaving: Vec<State>,
    /// The loops around the place that is evaluated, by number, outermost first.
    around: Vec<usize>,
    /// Whether control comes to them, seen from the entry.
    contexts: Vec<TermId>,
    /// The functions entered, outermost first.
    entered: Vec<FunctionId>,
}

/// How much was noted at some time.
struct Noted {
    loops: usize,
    undefined: usize,
    facts: usize,
    obligations: usize,
    dead: usize,
    leaving: usize,
    observations: FxHashMap<InstructionId, Vec<Observation>>,
}

/// What to evaluate, and in which light.
pub struct Setting<'a, 'w> {
    pub versions: Sides<Version<'a>>,
    pub side: Side,
    pub layouts: &'a TypeLayouts,
    pub others: &'w Others,
    /// [`Change::moved_positions`](knockon_change::Change::moved_positions) of this version.
    pub moved_positions: &'w FxHashMap<(PlaceId, u128), u32>,
    /// When to give up.
    pub limit: TimeLimit<'w>,
    pub plans: &'w LoopPlans,
    pub shapes: &'w Shapes,
    pub view: &'w dyn Fn(Side, FunctionId, usize) -> CalleeView,
    pub function_name: &'w dyn Fn(Side, FunctionId) -> Option<String>,
    pub shared_nodes: &'w dyn Fn(Side, FunctionId, InstructionId) -> Option<InstructionId>,
    pub compared: Compared,
    pub lifetimes: &'a Lifetimes,
    pub parameter_names: Vec<String>,
    pub unseen_variables: &'w FxHashSet<String>,
}

/// The terms of what a function does.
pub fn evaluate(
    terms: &mut Terms,
    names: &mut SharedNames,
    setting: Setting<'_, '_>,
    function: FunctionId,
) -> Result<Outcome, Undecided> {
    let always = terms.boolean(true);
    let mut evaluator = Evaluator {
        terms,
        names,
        plans: setting.plans,
        shapes: setting.shapes,
        versions: setting.versions,
        side: setting.side,
        layouts: setting.layouts,
        others: setting.others,
        moved_positions: setting.moved_positions,
        limit: setting.limit,
        view: setting.view,
        function_name: setting.function_name,
        shared_nodes: setting.shared_nodes,
        compared: setting.compared,
        lifetimes: setting.lifetimes,
        parameter_names: setting.parameter_names,
        unseen_variables: setting.unseen_variables,
        loops: Vec::new(),
        undefined: Vec::new(),
        observations: FxHashMap::default(),
        facts: Vec::new(),
        obligations: Vec::new(),
        varying: Vec::new(),
        without_cells: FxHashSet::default(),
        place: None,
        here: always,
        dead: Vec::new(),
        ended: FxHashSet::default(),
        leaving: Vec::new(),
        around: Vec::new(),
        contexts: Vec::new(),
        entered: Vec::new(),
    };
    let returns = evaluator.whole(function)?;
    let leaving = std::mem::take(&mut evaluator.leaving);
    let leaves = evaluator.joined_endings(leaving);
    Ok(Outcome {
        returns,
        leaves,
        loops: evaluator.loops,
        undefined: evaluator.undefined,
        observations: evaluator.observations,
        facts: evaluator.facts,
        obligations: evaluator.obligations,
        dead: evaluator.dead,
    })
}

impl<'a> Evaluator<'a, '_> {
    fn version(&self) -> Version<'a> {
        *self.versions.of(self.side)
    }

    fn whole(&mut self, function: FunctionId) -> Result<Option<Ending>, Undecided> {
        let row = self.version().program.function(function);
        let condition = self.terms.boolean(true);
        let memory = self.names.symbol(self.terms, "memory", Sort::Memory);
        let world = (0..WORLD_PARTS)
            .map(|part| {
                let name = format!("world.{part}");
                self.names.symbol(self.terms, &name, TOKEN)
            })
            .collect();
        let mut arguments = Vec::new();
        for (number, parameter) in row.parameters.iter().enumerate() {
            let name = self.parameter_names[number].clone();
            arguments.push(self.unknown(&name, parameter.type_id)?);
        }
        self.names.given.push(memory);
        for argument in &arguments {
            flatten(argument, &mut self.names.given);
        }
        let state = State {
            condition,
            memories: vec![memory],
            world,
        };
        self.enter(function, arguments, state, String::new())
    }

    /// Evaluates a function from its entry to its returns.
    fn enter(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value>,
        state: State,
        path: String,
    ) -> Result<Option<Ending>, Undecided> {
        let mut frame = Frame::new(
            self.version(),
            function,
            arguments,
            path,
            state.memories.len(),
        )
        .ok_or_else(|| self.construct("a function without a body", None))?;
        self.entered.push(function);
        let mut state = state;
        self.open(&mut frame, &mut state)?;
        let memories = frame.first_class;
        match self.is_loop_of_tail_calls(&mut frame) {
            true => self.repeated_body(&mut frame, state)?,
            false => self.body(&mut frame, state)?,
        }
        self.entered.pop();
        if !self.entered.is_empty() {
            self.end_variables(&frame);
        }
        let endings = std::mem::take(&mut frame.endings);
        Ok(self.joined_returns(endings, memories))
    }

    /// Whoever still has the address of a variable may not use it.
    fn end_variables(&mut self, frame: &Frame<'a>) {
        let variables = frame.body.instruction_ids();
        let variables = variables.filter(|id| frame.body.instruction(*id).opcode == Opcode::Alloca);
        for id in variables {
            if let Some(Value::Term(address)) = frame.values[id.index()] {
                self.ended.insert(address);
            }
        }
    }

    fn construct(&self, construct: impl Into<String>, place: Option<Place>) -> Undecided {
        Undecided::Construct {
            construct: construct.into(),
            place,
        }
    }

    /// Whether control comes to a state, seen from the entry.
    fn reached(&mut self, condition: TermId) -> TermId {
        let all: Vec<TermId> = self.contexts.iter().copied().chain([condition]).collect();
        self.terms.and(all)
    }

    fn is_undefined_if(&mut self, guard: TermId, condition: TermId) {
        if self.terms.as_boolean(condition) == Some(false) {
            return;
        }
        let guard = self.reached(guard);
        let within = self.around.last().copied();
        let known = self.known();
        self.undefined.push(Undefined {
            guard,
            condition,
            within,
            known,
            place: self.place,
        });
    }

    fn known(&self) -> Known {
        Known {
            undefined: self.undefined.len(),
            facts: self.facts.len(),
            loops: self.loops.len(),
        }
    }

    /// From here on it holds wherever control is in none of the loops.
    fn holds(&mut self, over: &[usize], holds: TermId) {
        if self.terms.as_boolean(holds) != Some(true) {
            self.facts.push(Fact {
                over: over.into(),
                holds,
            });
        }
    }

    /// What was noted so far.
    fn mark(&self) -> Noted {
        Noted {
            loops: self.loops.len(),
            undefined: self.undefined.len(),
            facts: self.facts.len(),
            obligations: self.obligations.len(),
            dead: self.dead.len(),
            leaving: self.leaving.len(),
            observations: self.observations.clone(),
        }
    }

    /// Forgets what was noted since.
    fn reset(&mut self, noted: Noted) {
        self.loops.truncate(noted.loops);
        self.undefined.truncate(noted.undefined);
        self.facts.truncate(noted.facts);
        self.obligations.truncate(noted.obligations);
        self.dead.truncate(noted.dead);
        self.leaving.truncate(noted.leaving);
        self.observations = noted.observations;
    }

    fn check_size(&self) -> Result<(), Undecided> {
        if self.terms.len() > MOST_TERMS {
            return Err(Undecided::TooLarge);
        }
        self.limit.check().map_err(|_| Undecided::OutOfTime)
    }
}
