//! Loops: unrolled where that is bounded, otherwise one arbitrary iteration.
//!
//! **Rules.** What an iteration changes has a symbol at the header, or is a count of the iterations
//! where its increment is constant, or is a cell of memory ([`super::cells`]). What comes after the
//! loop sees the last iteration. A loop may be read in other ways ([`Shape`]): with some
//! iterations before it, with its tests at the end ([`super::rotation`]), or twice: two
//! descriptions of one run, with symbols of their own, whose ends are the same.
//!
//! **Soundness.** Each reading makes the same steps in the same order. That a loop makes so many
//! iterations at most is an [`Obligation`].

use super::frame::{Frame, moves_memory};
use super::loop_plan::{Item, LoopKey, LoopPlan, LoopRecord, Obligation, Shape};
use super::regions::{Edges, Exit, Outgoing, flatten};
use super::rotation::{Front, front};
use super::{Evaluator, State, Undecided, Value, WORLD_PARTS};
use crate::terms::{Sort, TermId};
use knockon_change::Side;
use knockon_graphs::LoopId;
use knockon_program::{BlockId, Flags, InstructionId, Opcode, Operand};
use rustc_hash::FxHashMap;

/// An exit, with the values that instructions outside use.
type LeftIteration = (Exit, Vec<Option<Value>>);

/// Loops with so many iterations at most are unrolled.
const MOST_ITERATIONS: u32 = 64;

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
        left.extend(self.cycle(frame, id, &coming, &seen, shape.is_rotated, 0)?);
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

    /// Some phi of the header starts inside an object whose content is known.
    fn starts_in_constants(
        &mut self,
        frame: &Frame<'a>,
        id: LoopId,
        incoming: &[(BlockId, State)],
    ) -> Result<bool, Undecided> {
        let [(from, _)] = incoming else {
            return Ok(false);
        };
        for phi in phis(frame, id) {
            let rows = frame.body.operands(phi).chunks_exact(2);
            let mut rows = rows.filter(|row| row[1] == Operand::Block(*from));
            let Some(row) = rows.next() else {
                continue;
            };
            if let Value::Term(term) = self.operand(frame, row[0])?
                && self.terms.sort(term) == Sort::Bits(64)
                && let Some(object) = self.object_term(term)
                && self.names.constant_memory(object).is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
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
        let first = self.cycle(frame, id, incoming, seen, false, 0)?;
        let first = self.joined_exits(frame, seen, first);
        let values: Vec<LeftIteration> = with_values(frame, seen, first);
        let undefined = self.undefined.len();
        let observations = self.observations.clone();
        let over = [numbers, self.loops.len()];
        let second = self.cycle(frame, id, incoming, seen, false, 1)?;
        let second = self.joined_exits(frame, seen, second);
        self.observations = observations;
        if self.leaving.len() > ways_out {
            return Err(Undecided::TooLarge);
        }
        if self.side == Side::New {
            // It was said of the first description.
            for row in self.undefined.split_off(undefined) {
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

    /// A loop, from an arbitrary iteration: what leaves it.
    fn cycle(
        &mut self,
        frame: &mut Frame<'a>,
        id: LoopId,
        incoming: &[(BlockId, State)],
        seen: &[InstructionId],
        is_rotated: bool,
        copy: u32,
    ) -> Result<Vec<LeftIteration>, Undecided> {
        let header = frame.forest.get(id).header;
        let blocks = frame.forest.blocks.of(id).to_vec();
        let front = match is_rotated {
            true => front(self, frame, id),
            false => None,
        };
        let mut left: Vec<LeftIteration> = Vec::new();
        let mut entering = incoming.to_vec();
        if let Some(Front { blocks, cut }) = &front {
            let mut outgoing = self.part(frame, id, blocks, header, entering, false)?;
            left.extend(with_values(frame, seen, outgoing.out));
            entering = outgoing.ahead.remove(cut).unwrap_or_default();
        }
        let states: Vec<State> = entering.iter().map(|row| row.1.clone()).collect();
        let Some(entry) = self.joined(&states) else {
            return Ok(left);
        };
        let before = self.mark();
        let varying = self.varying.len();
        let key = LoopKey {
            path: frame.path.clone(),
            id,
            copy,
        };
        let phis = phis(frame, id);
        let values: Result<Vec<Value>, Undecided> = match &front {
            Some(_) => phis
                .iter()
                .map(|phi| self.operand(frame, Operand::Instruction(*phi)))
                .collect(),
            None => {
                let conditions: Vec<TermId> = states.iter().map(|state| state.condition).collect();
                let deciding = self.deciding(&conditions);
                phis.iter()
                    .map(|phi| self.phi(frame, *phi, incoming, &deciding))
                    .collect()
            }
        };
        let values = values?;
        let (number, naming) = self.open_loop(key.clone(), &entry);
        let ways_out = self.leaving.len();
        let mut carried = Carried::default();
        for (phi, before) in phis.iter().zip(&values) {
            let of = |element| Item::Phi(*phi, element);
            let here = self.header_value(&naming, &of, &mut 0, before, &mut carried);
            frame.values[phi.index()] = Some(here);
        }
        let mut state = entry.clone();
        state.condition = self.terms.boolean(true);
        let (classes, touches_world) = self.written_in(frame, &blocks);
        self.around.push(number);
        self.contexts.push(entry.condition);
        let mut cells = Vec::new();
        for class in classes {
            let item = Item::Memory(class as u32);
            let before = state.memories[class];
            let may_be_cells = class == 0 && !touches_world && !self.without_cells.contains(&key);
            if may_be_cells
                && let Some(found) = self.written_cells(frame, id, &naming, &state, varying)?
            {
                state.memories[class] = self.cell_memory(&naming, before, &found, &mut carried);
                cells = found;
                continue;
            }
            state.memories[class] = self.header_symbol(&naming, item, before, &mut carried);
        }
        if touches_world {
            self.header_world(&naming, &mut state, &mut carried);
        }
        let mut exits = Vec::new();
        let turning;
        let again;
        match &front {
            None => {
                let start = vec![(BlockId(u32::MAX), state)];
                let outgoing = self.part(frame, id, &blocks, header, start, true)?;
                exits.extend(with_values(frame, seen, outgoing.out));
                turning = outgoing.again;
                again = turning.clone();
            }
            Some(Front {
                blocks: tests, cut, ..
            }) => {
                let noted = self.mark();
                let start = vec![(BlockId(u32::MAX), state)];
                let mut outgoing = self.part(frame, id, tests, header, start, true)?;
                let Some(mut passing) = outgoing.ahead.remove(cut) else {
                    return Err(Undecided::TooLarge);
                };
                // The tests were made with these values before: what they say is known.
                for row in self.undefined.split_off(noted.undefined) {
                    let happens = self.terms.and([row.guard, row.condition]);
                    carried.invariants.push(self.terms.not(happens));
                }
                self.observations = noted.observations;
                let passes: Vec<TermId> = passing.iter().map(|row| row.1.condition).collect();
                let passes = self.terms.or(passes);
                let reached = self.reached(entry.condition);
                carried.invariants.push(self.terms.implies(reached, passes));
                if let [(_, state)] = &mut passing[..] {
                    state.condition = self.terms.boolean(true);
                }
                let rest: Vec<BlockId> = blocks
                    .iter()
                    .copied()
                    .filter(|block| !tests.contains(block))
                    .collect();
                let outgoing = self.part(frame, id, &rest, *cut, passing, false)?;
                exits.extend(with_values(frame, seen, outgoing.out));
                turning = outgoing.again;
                let mut ended = self.part(frame, id, tests, header, turning.clone(), false)?;
                exits.extend(with_values(frame, seen, ended.out));
                again = ended.ahead.remove(cut).unwrap_or_default();
            }
        }
        self.contexts.pop();
        self.around.pop();
        let states: Vec<State> = again.iter().map(|row| row.1.clone()).collect();
        let joined = self.joined(&states);
        if let Some(joined) = &joined
            && !cells.is_empty()
            && !self.only_cells_differ(entry.memories[0], joined.memories[0], &cells)
        {
            self.reset(before);
            self.without_cells.insert(key);
            let rest = self.cycle(frame, id, incoming, seen, is_rotated, copy)?;
            return Ok(rest);
        }
        let mut afters = Vec::new();
        let mut exact = Vec::new();
        if let Some(joined) = &joined {
            let conditions: Vec<TermId> = states.iter().map(|state| state.condition).collect();
            let deciding = self.deciding(&conditions);
            for (item, _, here) in &carried.rows {
                afters.push(match item {
                    Item::Memory(class) => joined.memories[*class as usize],
                    Item::World(part) => joined.world[*part as usize],
                    Item::Cell(cell) => {
                        let (at, bytes) = cells[*cell as usize];
                        self.terms.load(joined.memories[0], at, bytes)
                    }
                    Item::Argument(..) => *here,
                    Item::Phi(phi, element) => {
                        let value = match &front {
                            Some(_) => self.operand(frame, Operand::Instruction(*phi))?,
                            None => self.phi(frame, *phi, &again, &deciding)?,
                        };
                        if increment_is_exact(frame, *phi, &turning) {
                            exact.push(*item);
                        }
                        nth(&value, *element).unwrap_or(*here)
                    }
                });
            }
        }
        let again = joined.map(|state| state.condition);
        self.close_loop(number, carried, again, afters, exact, varying);
        left.extend(self.leaving(number, &entry, exits, ways_out)?);
        Ok(left)
    }

    /// Some blocks of a loop, from one of them on.
    fn part(
        &mut self,
        frame: &mut Frame<'a>,
        id: LoopId,
        blocks: &[BlockId],
        from: BlockId,
        coming: Vec<(BlockId, State)>,
        has_header_values: bool,
    ) -> Result<Outgoing, Undecided> {
        let mut edges: Edges = FxHashMap::default();
        edges.insert(from, coming);
        self.region(frame, Some(id), blocks, edges, has_header_values)
    }

    /// A record, a count and names for a loop that is entered.
    pub(super) fn open_loop(&mut self, key: LoopKey, entry: &State) -> (usize, Naming) {
        let plan = self.plans.get(&key).cloned().unwrap_or_default();
        let number = self.loops.len();
        let within = self.around.last().copied();
        let LoopKey { path, id, copy } = &key;
        let own = format!("{} {path}loop {} copy {copy}", self.side_name(), id.0);
        let counter_name = match plan.counter.is_empty() {
            true => format!("{own} count"),
            false => plan.counter.clone(),
        };
        let counter = self.names.symbol(self.terms, &counter_name, Sort::Bits(64));
        self.varying.push(counter);
        let at_entry = self.known();
        self.loops.push(LoopRecord {
            key,
            within,
            counter,
            entry: entry.clone(),
            items: Vec::new(),
            again: self.terms.boolean(false),
            over: None,
            exact: Vec::new(),
            invariants: Vec::new(),
            at_entry,
            at_end: at_entry,
        });
        let naming = Naming { plan, own, counter };
        (number, naming)
    }

    /// What comes round: the items after an iteration, and whether another follows.
    pub(super) fn close_loop(
        &mut self,
        number: usize,
        carried: Carried,
        again: Option<TermId>,
        afters: Vec<TermId>,
        exact: Vec<Item>,
        varying: usize,
    ) {
        let counter = self.loops[number].counter;
        let again = match again {
            Some(again) => again,
            None => self.terms.boolean(false),
        };
        let afters = afters.into_iter().map(Some).chain(std::iter::repeat(None));
        let rows = carried.rows.iter().zip(afters);
        let items = rows
            .map(|((item, before, here), after)| (*item, *before, *here, after.unwrap_or(*here)))
            .collect();
        let counted = self.count_facts(counter, again, varying);
        let known = self.known();
        let record = &mut self.loops[number];
        record.again = again;
        record.items = items;
        record.exact = exact;
        record.invariants.extend(carried.invariants);
        record.invariants.extend(counted);
        record.at_end = known;
    }

    /// After the loop, as one of its exits left it.
    fn leaving(
        &mut self,
        number: usize,
        entry: &State,
        exits: Vec<LeftIteration>,
        ways_out: usize,
    ) -> Result<Vec<LeftIteration>, Undecided> {
        let conditions: Vec<TermId> = exits.iter().map(|row| row.0.2.condition).collect();
        let after = self.loop_is_over(number, entry, conditions, ways_out)?;
        let is_only = exits.len() == 1;
        let mut leaving = Vec::new();
        for ((from, to, mut state), values) in exits {
            state.condition = match is_only {
                true => after,
                false => self.terms.and([after, state.condition]),
            };
            leaving.push(((from, to, state), values));
        }
        Ok(leaving)
    }

    /// Loops end: one of the exits was taken, unless the program ended before; `ways_out` were known
    /// before the loop. Whether control comes to what follows it. Of a loop that has no end that
    /// would say that it is never entered.
    pub(super) fn loop_is_over(
        &mut self,
        number: usize,
        entry: &State,
        exits: Vec<TermId>,
        ways_out: usize,
    ) -> Result<TermId, Undecided> {
        let over = self.terms.or(exits);
        let ends_program = self.leaving.len() > ways_out;
        if !ends_program && self.terms.as_boolean(over) == Some(false) {
            return Err(self.construct("a loop without an end", None));
        }
        let mut after = entry.condition;
        if ends_program {
            let counter = self.loops[number].counter;
            let name = match self.terms.as_symbol(counter) {
                Some(symbol) => self.terms.symbol_of(symbol).name.clone(),
                None => String::new(),
            };
            let name = format!("{name} completes");
            let completes = self.names.symbol(self.terms, &name, Sort::Boolean);
            after = self.terms.and([after, completes]);
            self.loops[number].over = Some(over);
        }
        let reached = self.reached(after);
        let fact = self.terms.implies(reached, over);
        self.holds(&[number], fact);
        Ok(after)
    }

    pub(super) fn header_world(
        &mut self,
        naming: &Naming,
        state: &mut State,
        carried: &mut Carried,
    ) {
        for part in 0..WORLD_PARTS {
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
                if *is_exact && width < 64 {
                    let first = self.terms.sign_extend(before, 64);
                    let stride = crate::terms::signed(width, *stride) as u128;
                    let grown = self.terms.scale(naming.counter, stride);
                    let wide = self.terms.add(first, grown);
                    let fact = self.terms.declare_exact(here, wide);
                    carried.invariants.push(fact);
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

    /// The memories that blocks may write, and whether they touch the world.
    pub(super) fn written_in(&self, frame: &Frame<'a>, blocks: &[BlockId]) -> (Vec<usize>, bool) {
        let mut classes = Vec::new();
        let mut touches_world = false;
        for block in blocks {
            for id in frame.body.instructions_of(*block) {
                let opcode = frame.body.instruction(id).opcode;
                let operands = frame.body.operands(id);
                touches_world |= self.is_seen_event(frame, id) || self.is_shown_event(frame, id);
                match opcode {
                    Opcode::Store => classes.push(frame.class_of(operands[1])),
                    _ if opcode.is_call() && frame.tail_calls.contains(&id) => {}
                    _ if opcode.is_call() => {
                        let program = self.version().program;
                        match moves_memory(program, frame.body, id) {
                            true => classes.push(frame.class_of(frame.body.arguments(id)[0])),
                            false if self.is_plain_function(frame, id) => {}
                            false => {
                                classes.push(0);
                                touches_world = true;
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        classes.sort_unstable();
        classes.dedup();
        (classes, touches_world)
    }
}

fn with_values(frame: &Frame, seen: &[InstructionId], exits: Vec<Exit>) -> Vec<LeftIteration> {
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

fn phis(frame: &Frame, id: LoopId) -> Vec<InstructionId> {
    let header = frame.forest.get(id).header;
    let rows = frame.body.instructions_of(header);
    rows.filter(|id| frame.body.instruction(*id).opcode == Opcode::Phi)
        .collect()
}

/// All ways round give the phi what an addition without signed overflow gives.
fn increment_is_exact(frame: &Frame, phi: InstructionId, turning: &[(BlockId, State)]) -> bool {
    turning.iter().all(|(from, _)| {
        let rows = frame.body.operands(phi).chunks_exact(2);
        let mut rows = rows.filter(|row| row[1] == Operand::Block(*from));
        rows.all(|row| match row[0] {
            Operand::Instruction(step) => {
                let step = frame.body.instruction(step);
                matches!(step.opcode, Opcode::Add | Opcode::Subtract)
                    && step.flags.has(Flags::NO_SIGNED_WRAP)
            }
            _ => false,
        })
    })
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

/// Some exit compares a phi that starts at a constant, or what follows from it, with a constant.
fn has_constant_bound(frame: &Frame, id: LoopId) -> bool {
    let body = frame.body;
    let header = frame.forest.get(id).header;
    let starts_constant = |phi: InstructionId| {
        body.operands(phi).chunks_exact(2).any(|row| {
            let from_outside =
                matches!(row[1], Operand::Block(from) if !frame.forest.contains(id, from));
            from_outside && matches!(row[0], Operand::Constant(_))
        })
    };
    let is_counter = |operand: Operand| {
        let Operand::Instruction(mut at) = operand else {
            return false;
        };
        // Through an increment and conversions.
        for _ in 0..4 {
            let is_phi = body.instruction(at).opcode == Opcode::Phi;
            if is_phi {
                let mut own = body.instructions_of(header);
                return own.any(|other| other == at) && starts_constant(at);
            }
            match body.operands(at).first() {
                Some(Operand::Instruction(next)) => at = *next,
                _ => return false,
            }
        }
        false
    };
    let mut exiting = frame.forest.exiting(id, &frame.flow);
    exiting.any(|block| {
        let branch = body.terminator(block);
        let Some(Operand::Instruction(test)) = body.operands(branch).first() else {
            return false;
        };
        let operands = body.operands(*test);
        body.instruction(*test).opcode == Opcode::IntegerCompare
            && operands
                .iter()
                .any(|row| matches!(row, Operand::Constant(_)))
            && operands.iter().any(|row| is_counter(*row))
    })
}

/// The element of a value with this number, counting single values only.
fn nth(value: &Value, number: u32) -> Option<TermId> {
    let mut flat = Vec::new();
    flatten(value, &mut flat);
    flat.get(number as usize).copied()
}
