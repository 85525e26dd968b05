//! A loop as one arbitrary iteration.
//!
//! **Rules.** What an iteration changes has a symbol at the header, or is a count of the iterations
//! where its increment is constant, or is a cell of memory ([`super::cells`]). What comes after the
//! loop sees the last iteration.

use super::frame::Frame;
use super::headers::{Carried, Naming};
use super::loop_plan::{Item, LoopKey, LoopRecord};
use super::loops::{LeftIteration, with_values};
use super::regions::{Edges, Outgoing, flatten};
use super::rotation::{Front, front};
use super::{Evaluator, State, Undecided, Value};
use knockon_graphs::LoopId;
use knockon_logic::terms::{Sort, TermId};
use knockon_program::{BlockId, Flags, InstructionId, Opcode, Operand};
use rustc_hash::FxHashMap;

/// How the iterations of a loop are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Plain,
    /// The tests at the start of an iteration belong to the end of the one before it.
    Rotated,
    /// So many iterations are one.
    Together(u32),
    /// So many iterations are one, as long as all of them go round; the rest is told elsewhere.
    Chunks(u32),
}

impl Way {
    fn times(self) -> u32 {
        match self {
            Way::Plain | Way::Rotated => 1,
            Way::Together(times) | Way::Chunks(times) => times,
        }
    }
}

/// How control comes to a loop.
pub(super) enum Incoming<'e> {
    Edges(&'e [(BlockId, State)]),
    /// Between two iterations; the phis have their values.
    AtHeader(State),
}

/// What comes after a loop.
pub(super) struct Left {
    pub exits: Vec<LeftIteration>,
    /// At its header, where the loop goes on.
    pub rest: Option<State>,
}

impl Left {
    fn exits(exits: Vec<LeftIteration>) -> Left {
        Left { exits, rest: None }
    }
}

impl<'a> Evaluator<'a, '_> {
    /// A loop, from an arbitrary iteration: what leaves it.
    pub(super) fn cycle(
        &mut self,
        frame: &mut Frame<'a>,
        id: LoopId,
        incoming: &Incoming<'_>,
        seen: &[InstructionId],
        way: Way,
    ) -> Result<Left, Undecided> {
        let header = frame.forest.get(id).header;
        let blocks = frame.forest.blocks.of(id).to_vec();
        let front = match (way, incoming) {
            (Way::Rotated, Incoming::Edges(_)) => front(self, frame, id),
            _ => None,
        };
        let mut left: Vec<LeftIteration> = Vec::new();
        let mut entering = match incoming {
            Incoming::Edges(edges) => edges.to_vec(),
            Incoming::AtHeader(state) => vec![(header, state.clone())],
        };
        if let Some(Front { blocks, cut }) = &front {
            let mut outgoing = self.part(frame, id, blocks, header, entering, false)?;
            left.extend(with_values(frame, seen, outgoing.out));
            entering = outgoing.ahead.remove(cut).unwrap_or_default();
        }
        let states: Vec<State> = entering.iter().map(|row| row.1.clone()).collect();
        let Some(entry) = self.joined(&states) else {
            return Ok(Left::exits(left));
        };
        let before = self.mark();
        let varying = self.varying.len();
        let key = self.next_key(frame, id);
        let phis = phis(frame, id);
        self.here = entry.condition;
        let values: Result<Vec<Value>, Undecided> = match (&front, incoming) {
            (Some(_), _) | (_, Incoming::AtHeader(_)) => phis
                .iter()
                .map(|phi| self.operand(frame, Operand::Instruction(*phi)))
                .collect(),
            (None, Incoming::Edges(incoming)) => {
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
        let headed = phis.iter().map(|phi| frame.values[phi.index()].clone());
        let headed: Vec<Option<Value>> = headed.collect();
        let mut state = entry.clone();
        state.condition = self.terms.boolean(true);
        let written = self.written_in(frame, &blocks);
        self.around.push(number);
        self.contexts.push(entry.condition);
        let mut cells = Vec::new();
        for class in written.classes {
            let item = Item::Memory(class as u32);
            let before = state.memories[class];
            let may_be_cells =
                class == 0 && !written.by_calls && !self.without_cells.contains(&key);
            if may_be_cells
                && let Some(found) = self.written_cells(frame, id, &naming, &state, varying)?
            {
                state.memories[class] = self.cell_memory(&naming, before, &found, &mut carried);
                cells = found;
                continue;
            }
            state.memories[class] = self.header_symbol(&naming, item, before, &mut carried);
        }
        self.header_world(&naming, &written.world, &mut state, &mut carried);
        let headed_state = state.clone();
        let mut exits = Vec::new();
        let turning;
        let again;
        match &front {
            None => {
                let start = vec![(BlockId(u32::MAX), state)];
                let mut outgoing = self.part(frame, id, &blocks, header, start, true)?;
                exits.extend(with_values(frame, seen, outgoing.out));
                for _ in 1..way.times() {
                    outgoing = self.part(frame, id, &blocks, header, outgoing.again, false)?;
                    exits.extend(with_values(frame, seen, outgoing.out));
                }
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
                let is_known = self.is_known_defined();
                let asked = self.undefined.split_off(noted.undefined);
                for row in asked.into_iter().filter(|_| is_known) {
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
        if let Some(joined) = &joined {
            self.check_carried(&carried, &headed_state, joined, !cells.is_empty())?;
        }
        if let Some(joined) = &joined
            && !cells.is_empty()
            && !self.only_cells_differ(entry.memories[0], joined.memories[0], &cells)
        {
            self.reset(before);
            self.without_cells.insert(key);
            return self.cycle(frame, id, incoming, seen, way);
        }
        let mut afters = None;
        let mut exact = Vec::new();
        if let Some(joined) = &joined {
            let mut rows = Vec::new();
            self.here = joined.condition;
            let conditions: Vec<TermId> = states.iter().map(|state| state.condition).collect();
            let deciding = self.deciding(&conditions);
            for (item, ..) in &carried.rows {
                rows.push(match item {
                    Item::Memory(class) => joined.memories[*class as usize],
                    Item::World(part) => joined.world[*part as usize],
                    Item::Cell(cell) => {
                        let (at, bytes) = cells[*cell as usize];
                        self.terms.load(joined.memories[0], at, bytes)
                    }
                    Item::Argument(..) => return Err(self.not_carried()),
                    Item::Phi(phi, element) => {
                        let value = match &front {
                            Some(_) => self.operand(frame, Operand::Instruction(*phi))?,
                            None => self.phi(frame, *phi, &again, &deciding)?,
                        };
                        if increment_is_exact(frame, *phi, &turning) {
                            exact.push(*item);
                        }
                        nth(&value, *element).ok_or_else(|| self.not_carried())?
                    }
                });
            }
            afters = Some(rows);
        }
        let again = joined.map(|state| state.condition);
        self.close_loop(number, carried, again, afters, exact, varying)?;
        let Way::Chunks(_) = way else {
            left.extend(self.leaving(number, &entry, exits, ways_out)?);
            return Ok(Left::exits(left));
        };
        // The loop goes on from the header of the iteration that did not go round so often.
        if self.leaving.len() > ways_out {
            return Err(Undecided::TooLarge);
        }
        for (phi, value) in phis.iter().zip(headed) {
            frame.values[phi.index()] = value;
        }
        let ends = self.terms.not(self.loops[number].again);
        let mut rest = headed_state;
        rest.condition = self.loop_is_over(number, &entry, vec![ends], ways_out)?;
        Ok(Left {
            exits: left,
            rest: Some(rest),
        })
    }

    /// One more description of a loop: each evaluation has symbols of its own.
    pub(super) fn next_key(&self, frame: &Frame<'a>, id: LoopId) -> LoopKey {
        let path = &frame.path;
        let same = self.loops.iter();
        let same = same.filter(|row| row.key.path == *path && row.key.id == id);
        LoopKey {
            path: path.clone(),
            id,
            copy: same.count() as u32,
        }
    }

    /// An iteration changes no memory and no part of the world but what is carried round.
    pub(super) fn check_carried(
        &self,
        carried: &Carried,
        before: &State,
        after: &State,
        has_cells: bool,
    ) -> Result<(), Undecided> {
        let is_carried = |item: Item| carried.rows.iter().any(|row| row.0 == item);
        let mut memories = before.memories.iter().zip(&after.memories).enumerate();
        let mut world = before.world.iter().zip(&after.world).enumerate();
        let stays = memories.all(|(class, (before, after))| {
            before == after || is_carried(Item::Memory(class as u32)) || class == 0 && has_cells
        }) && world
            .all(|(part, (before, after))| before == after || is_carried(Item::World(part as u32)));
        match stays {
            true => Ok(()),
            false => Err(self.not_carried()),
        }
    }

    pub(super) fn not_carried(&self) -> Undecided {
        self.construct("a value that does not come round", None)
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
        afters: Option<Vec<TermId>>,
        exact: Vec<Item>,
        varying: usize,
    ) -> Result<(), Undecided> {
        let counter = self.loops[number].counter;
        let again = match again {
            Some(again) => again,
            None => self.terms.boolean(false),
        };
        // If no iteration follows, nothing is said of what comes round.
        let afters = match afters {
            Some(afters) if afters.len() == carried.rows.len() => afters,
            Some(_) => return Err(self.not_carried()),
            None => carried.rows.iter().map(|row| row.2).collect(),
        };
        let rows = carried.rows.iter().zip(afters);
        let items: Vec<_> = rows
            .map(|((item, before, here), after)| (*item, *before, *here, after))
            .collect();
        let mut counted = self.count_facts(counter, again, varying);
        counted.extend(self.defined_before(number, varying));
        counted.extend(self.tested_before(counter, again, &items, varying));
        let known = self.known();
        let record = &mut self.loops[number];
        record.again = again;
        record.items = items;
        record.exact = exact;
        record.invariants.extend(carried.invariants);
        record.invariants.extend(counted);
        record.at_end = known;
        Ok(())
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
}

pub(super) fn phis(frame: &Frame, id: LoopId) -> Vec<InstructionId> {
    let header = frame.forest.get(id).header;
    let rows = frame.body.instructions_of(header);
    rows.filter(|id| frame.body.instruction(*id).opcode == Opcode::Phi)
        .collect()
}

/// All ways round give the phi what one addition to it gives, without signed overflow. Of several
/// additions, or of conversions between them, some may wrap around.
fn increment_is_exact(frame: &Frame, phi: InstructionId, turning: &[(BlockId, State)]) -> bool {
    turning.iter().all(|(from, _)| {
        let rows = frame.body.operands(phi).chunks_exact(2);
        let mut rows = rows.filter(|row| row[1] == Operand::Block(*from));
        rows.all(|row| match row[0] {
            Operand::Instruction(step) => {
                let own = Operand::Instruction(phi);
                let is_of_phi = match (
                    frame.body.instruction(step).opcode,
                    frame.body.operands(step),
                ) {
                    (Opcode::Add, [left, right]) => *left == own || *right == own,
                    (Opcode::Subtract, [left, _]) => *left == own,
                    _ => false,
                };
                is_of_phi
                    && frame
                        .body
                        .instruction(step)
                        .flags
                        .has(Flags::NO_SIGNED_WRAP)
            }
            _ => false,
        })
    })
}

/// The element of a value with this number, counting single values only.
fn nth(value: &Value, number: u32) -> Option<TermId> {
    let mut flat = Vec::new();
    flatten(value, &mut flat);
    flat.get(number as usize).copied()
}
