//! Loops: unrolled where that is bounded, otherwise one arbitrary iteration ([`super::cycles`]).
//!
//! **Rules.** A loop may be read in other ways ([`Shape`]): with some iterations before it, with its
//! tests at the end ([`super::rotation`]), with several iterations as one, or twice: two
//! descriptions of one run, with symbols of their own, whose ends are the same. A loop whose iterations
//! are read n at a time is either that, left in the middle, or as many n iterations as all go round and
//! then the loop again, from where it was.
//!
//! **Soundness.** Each reading makes the same steps in the same order; n iterations of which some do
//! not go round are made after them again, so what is said of them is true of these. That a loop makes
//! so many iterations at most is an [`Obligation`].

use super::cycles::{Incoming, Way};
use super::frame::Frame;
use super::loop_bounds::has_constant_bound;
use super::loop_plan::{Obligation, Shape};
use super::regions::{Edges, Exit, flatten};
use super::{Evaluator, State, Undecided, Value};
use knockon_change::Side;
use knockon_graphs::LoopId;
use knockon_logic::terms::TermId;
use knockon_program::{BlockId, InstructionId, Operand};
use rustc_hash::FxHashMap;

/// An exit, with the values that instructions outside use.
pub(super) type LeftIteration = (Exit, Vec<Option<Value>>);

/// Loops with so many iterations at most are unrolled.
const MOST_ITERATIONS: u32 = 64;

impl<'a> Evaluator<'a, '_> {
    /// What leaves a loop.
    pub(super) fn looped(
        &mut self,
        frame: &mut Frame<'a>,
        id: LoopId,
        incoming: &[(BlockId, State)],
    ) -> Result<Vec<Exit>, Undecided> {
        let key = (frame.path.clone(), id);
        let shape = self.shapes.of.get(&key).copied().unwrap_or_default();
        if let Some(leaving) = self.unrolled(frame, id, incoming, shape)? {
            return Ok(leaving);
        }
        let seen = match shape == Shape::default() {
            true => Vec::new(),
            false => seen_outside(frame, id),
        };
        let mut left = Vec::new();
        let mut coming = incoming.to_vec();
        for _ in 0..shape.peeled {
            coming = self.iteration(frame, id, coming, &seen, &mut left)?;
            if coming.is_empty() {
                return Ok(self.joined_exits(frame, &seen, left));
            }
        }
        if shape.is_doubled && is_innermost(frame, id) {
            return self.doubled(frame, id, &coming, &seen, left);
        }
        let times = match is_innermost(frame, id) {
            true => shape.times,
            false => 0,
        };
        let way = match (times, shape.is_rotated) {
            (2.., _) if shape.has_rest => Way::Chunks(times),
            (2.., _) => Way::Together(times),
            (_, true) => Way::Rotated,
            (_, false) => Way::Plain,
        };
        // Of several iterations at once nothing is observed.
        let observations = (times > 1).then(|| self.observations.clone());
        let mut found = self.cycle(frame, id, &Incoming::Edges(&coming), &seen, way)?;
        left.extend(found.exits);
        if let Some(rest) = found.rest {
            let incoming = Incoming::AtHeader(rest);
            found = self.cycle(frame, id, &incoming, &seen, Way::Plain)?;
            left.extend(found.exits);
        }
        if let Some(observations) = observations {
            self.observations = observations;
        }
        Ok(self.joined_exits(frame, &seen, left))
    }

    /// One iteration: what goes round, and what leaves.
    fn iteration(
        &mut self,
        frame: &mut Frame<'a>,
        id: LoopId,
        coming: Vec<(BlockId, State)>,
        seen: &[InstructionId],
        left: &mut Vec<LeftIteration>,
    ) -> Result<Vec<(BlockId, State)>, Undecided> {
        let header = frame.forest.get(id).header;
        let blocks = frame.forest.blocks.of(id).to_vec();
        let mut edges: Edges = FxHashMap::default();
        edges.insert(header, coming);
        let outgoing = self.region(frame, Some(id), &blocks, edges, false)?;
        left.extend(with_values(frame, seen, outgoing.out));
        Ok(outgoing.again)
    }

    /// A loop with few iterations, one after the other; `None` if it is none.
    fn unrolled(
        &mut self,
        frame: &mut Frame<'a>,
        id: LoopId,
        incoming: &[(BlockId, State)],
        shape: Shape,
    ) -> Result<Option<Vec<Exit>>, Undecided> {
        let has_bound = has_constant_bound(frame, id);
        let is_decided = !has_bound && shape.at_most == 0;
        if is_decided && !self.starts_in_constants(frame, id, incoming)? {
            return Ok(None);
        }
        let most = match shape.at_most {
            0 => MOST_ITERATIONS + 1,
            most => most,
        };
        let seen = seen_outside(frame, id);
        let before = self.mark();
        let mut coming = incoming.to_vec();
        let mut left = Vec::new();
        for _ in 0..most {
            let exits = left.len();
            coming = self.iteration(frame, id, coming, &seen, &mut left)?;
            if coming.is_empty() {
                return Ok(Some(self.joined_exits(frame, &seen, left)));
            }
            // Over constants, each test is decided.
            if is_decided && left.len() > exits {
                break;
            }
        }
        if shape.at_most > 0 && !has_bound {
            let again: Vec<TermId> = coming.iter().map(|row| row.1.condition).collect();
            let again = self.terms.or(again);
            let again = self.reached(again);
            let claim = self.terms.not(again);
            self.obligations.push(Obligation {
                claim,
                within: self.around.last().copied(),
                known: self.known(),
            });
            return Ok(Some(self.joined_exits(frame, &seen, left)));
        }
        self.reset(before);
        Ok(None)
    }

    /// The exits of all iterations: one for each edge, and the values of the iteration that was left.
    fn joined_exits(
        &mut self,
        frame: &mut Frame<'a>,
        seen_outside: &[InstructionId],
        leaving: Vec<LeftIteration>,
    ) -> Vec<Exit> {
        let conditions: Vec<TermId> = leaving.iter().map(|row| row.0.2.condition).collect();
        for (number, id) in seen_outside.iter().enumerate() {
            let known: Vec<(TermId, Value)> = leaving
                .iter()
                .zip(&conditions)
                .filter_map(|(row, condition)| Some((*condition, row.1[number].clone()?)))
                .collect();
            let (own, values): (Vec<TermId>, Vec<Value>) = known.into_iter().unzip();
            let deciding = self.deciding(&own);
            frame.values[id.index()] = self.joined_values(&deciding, &values);
            frame.wide.remove(id);
        }
        let mut by_edge: Vec<(BlockId, BlockId, Vec<State>)> = Vec::new();
        for ((from, to, state), _) in leaving {
            match by_edge.iter_mut().find(|row| (row.0, row.1) == (from, to)) {
                Some(row) => row.2.push(state),
                None => by_edge.push((from, to, vec![state])),
            }
        }
        let rows = by_edge.into_iter();
        rows.filter_map(|(from, to, states)| Some((from, to, self.joined(&states)?)))
            .collect()
    }

    /// Two descriptions of one loop: what leaves the first is what leaves the second.
    fn doubled(
        &mut self,
        frame: &mut Frame<'a>,
        id: LoopId,
        incoming: &[(BlockId, State)],
        seen: &[InstructionId],
        left: Vec<LeftIteration>,
    ) -> Result<Vec<Exit>, Undecided> {
        let numbers = self.loops.len();
        let ways_out = self.leaving.len();
        let incoming = Incoming::Edges(incoming);
        let first = self.cycle(frame, id, &incoming, seen, Way::Plain)?;
        let first = self.joined_exits(frame, seen, first.exits);
        let values: Vec<LeftIteration> = with_values(frame, seen, first);
        let undefined = self.undefined.len();
        let observations = self.observations.clone();
        let over = [numbers, self.loops.len()];
        let second = self.cycle(frame, id, &incoming, seen, Way::Plain)?;
        let second = self.joined_exits(frame, seen, second.exits);
        self.observations = observations;
        if self.leaving.len() > ways_out {
            return Err(Undecided::TooLarge);
        }
        if self.side == Side::New {
            // It was said of the first description.
            let is_known = self.is_known_defined();
            let said = self.undefined.split_off(undefined);
            for row in said.into_iter().filter(|_| is_known) {
                let happens = self.terms.and([row.guard, row.condition]);
                let never = self.terms.not(happens);
                self.loops[over[1]].invariants.push(never);
            }
        }
        let others = with_values(frame, seen, second);
        for (((from, to, state), known), ((start, end, other), same)) in values.iter().zip(&others)
        {
            if (from, to) != (start, end) {
                return Err(Undecided::TooLarge);
            }
            let reached = self.reached(state.condition);
            let mut equal = vec![self.terms.equal(state.condition, other.condition)];
            let states = state.memories.iter().zip(&other.memories);
            for (left, right) in states.chain(state.world.iter().zip(&other.world)) {
                equal.push(self.terms.equal(*left, *right));
            }
            let (mut left, mut right) = (Vec::new(), Vec::new());
            known
                .iter()
                .flatten()
                .for_each(|value| flatten(value, &mut left));
            same.iter()
                .flatten()
                .for_each(|value| flatten(value, &mut right));
            for (left, right) in left.iter().zip(&right) {
                equal.push(self.terms.equal(*left, *right));
            }
            for equal in equal {
                let fact = self.terms.implies(reached, equal);
                self.holds(&over, fact);
            }
        }
        let mut all = left;
        all.extend(values);
        Ok(self.joined_exits(frame, seen, all))
    }
}

pub(super) fn with_values(
    frame: &Frame,
    seen: &[InstructionId],
    exits: Vec<Exit>,
) -> Vec<LeftIteration> {
    let values: Vec<Option<Value>> = seen
        .iter()
        .map(|id| frame.values[id.index()].clone())
        .collect();
    exits
        .into_iter()
        .map(|exit| (exit, values.clone()))
        .collect()
}

fn is_innermost(frame: &Frame, id: LoopId) -> bool {
    !frame
        .forest
        .ids()
        .any(|other| frame.forest.get(other).parent == Some(id))
}

/// The loop's values that instructions outside use.
fn seen_outside(frame: &Frame, id: LoopId) -> Vec<InstructionId> {
    let body = frame.body;
    let is_inside = |block: BlockId| frame.forest.contains(id, block);
    let block_of = body.block_of_each_instruction();
    let mut found: Vec<InstructionId> = Vec::new();
    for block in body.block_ids().filter(|block| !is_inside(*block)) {
        for instruction in body.instructions_of(block) {
            for operand in body.operands(instruction) {
                if let Operand::Instruction(used) = operand
                    && is_inside(block_of[used.index()])
                {
                    found.push(*used);
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
