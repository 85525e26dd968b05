//! Do two paired nodes see the same memory?
//!
//! **Question.** Which paired reads may find a byte that was last written by instructions that are
//! not partners, and which paired writes may have come in another order?
//!
//! **Rules.** Left out are the writes that are *told*: by a source, or run or not as a source
//! decides. A read that may see a told write of its own version, in memory SSA over that version's
//! regions, depends on a source; nothing is asked of it. For all others, each region of either
//! version, and each part of the world, makes a *class*: the pairs that access it there, told ones
//! left out. Memory SSA over the classes is built for both bodies as if both partners accessed the
//! class. Then each read must see, and each write must pass on, definitions that agree: both the
//! value at the entry, writes by partners, or phis whose rows match and agree in turn. Agreement of
//! phis is the greatest relation that satisfies this: all pairs that are asked for are assumed, and
//! refuted from those that cannot be.
//!
//! Where all of a variable is overwritten, what was there before matters to nobody who reads it
//! later. But who sees it when the function is over does not read it here: there each write must
//! agree on what came before it, whether it passes that on or not.
//!
//! The order of calls is read and written as if it were memory ([`crate::ordered_calls`]).
//!
//! **Soundness.** Let a read find a byte of one object, `r` the object's region in the new version,
//! and let neither it nor its partner see a told write. The last writes of the byte, in the old run
//! `w` and in the new run `v`, are then pairs that are not told; both access `r` in the new version
//! (`w`'s partner writes the same address, or something on which it depends differs and it is
//! reached by dependences). They are in the class of `r`, whose writes come before the read in the
//! same order in both runs, since each agrees with its partner on what it passes on. So each of
//! them is the last: they are partners.
//!
//! **Cost.** Classes with the same accesses are one. Otherwise that of memory SSA over all regions
//! that the function touches.

use crate::agreement::{BodyPair, Sources};
use crate::control_agreement::Control;
use crate::ordered_calls::with_order;
use crate::{Side, Sides};
use fixedbitset::FixedBitSet;
use knockon_graphs::Rows;
use knockon_memory::memory_ssa::{
    Accesses, DefinitionId, DefinitionKind, MemorySsa, Variable, VariableIndex, accesses,
    memory_ssa_of,
};
use knockon_memory::regions::RegionId;
use knockon_program::{Body, InstructionId};
use rustc_hash::FxHashMap;

/// The accesses of a class: the new node, and whether it writes; ascending.
type Signature = Vec<(u32, bool)>;

struct Class {
    accesses: Signature,
    /// The variables of each version that have these accesses.
    origins: Sides<Vec<VariableIndex>>,
}

pub(crate) fn mark_memory(pair: &BodyPair<'_>, control: &mut Control<'_>, sources: &mut Sources) {
    let of_side = |side: Side| {
        let memory = *pair.memory.of(side);
        let function = *pair.functions.of(side);
        let (calls, regions) = (&memory.calls, &memory.regions);
        let body = *pair.bodies.of(side);
        accesses(body, calls, regions, &memory.mod_ref, function)
    };
    let accesses = Sides {
        old: of_side(Side::Old),
        new: of_side(Side::New),
    };
    let outlives = Sides {
        old: outliving(pair, Side::Old, &accesses.old),
        new: outliving(pair, Side::New, &accesses.new),
    };
    let told = told(pair, control, sources);
    let sees_told = |side: Side| {
        let ssa = memory_ssa_of(pair.bodies.of(side), accesses.of(side));
        readers_of(&ssa, told.of(side))
    };
    let is_carried = Sides {
        old: sees_told(Side::Old),
        new: sees_told(Side::New),
    };
    let accesses = Sides {
        old: with_order(pair, Side::Old, accesses.old),
        new: with_order(pair, Side::New, accesses.new),
    };
    let classes = classes(pair, &accesses, &told);
    let joint = Sides {
        old: joint_memory(pair, Side::Old, &classes, &accesses, &outlives),
        new: joint_memory(pair, Side::New, &classes, &accesses, &outlives),
    };
    let mut comparison = Comparison {
        pair,
        control,
        joint: &joint,
        numbers: FxHashMap::default(),
        rows: Vec::new(),
    };
    let mut asked: Vec<(InstructionId, InstructionId, Option<usize>)> = Vec::new();
    let mut asked_of_stores = Vec::new();
    for (old, new) in pair.pairs() {
        let carried = is_carried.old.contains(old.index()) || is_carried.new.contains(new.index());
        let seen = joint.old.uses.of(old).iter().zip(joint.new.uses.of(new));
        if !carried {
            asked.extend(seen.map(|(one, two)| (old, new, Some(comparison.ask(*one, *two)))));
        }
        let made = joint.old.defines.of(old).iter();
        let is_store = pair.bodies.old.instruction(old).opcode.only_writes();
        for (one, two) in made.zip(joint.new.defines.of(new)) {
            let question = match (passed_on(&joint.old, *one), passed_on(&joint.new, *two)) {
                (None, None) => continue,
                (Some(one), Some(two)) => Some(comparison.ask(one, two)),
                _ => None,
            };
            match is_store {
                true => asked_of_stores.push((old, new, question)),
                false => asked.push((old, new, question)),
            }
        }
    }
    comparison.refute();
    let is_refuted = |question: Option<usize>| {
        question.is_none_or(|question| comparison.rows[question].is_refuted)
    };
    for (old, new, question) in asked {
        if is_refuted(question) {
            sources.mark(old, new);
        }
    }
    for (old, new, question) in asked_of_stores {
        if is_refuted(question) && !sources.contains(Side::Old, old) {
            sources.mark_reordered(old, new);
        }
    }
}

/// The nodes of either version that are sources or decided by one, or whose partner is.
fn told(pair: &BodyPair<'_>, control: &Control<'_>, sources: &Sources) -> Sides<FixedBitSet> {
    let own = |side: Side| {
        let mut told = control.decided_by_sources(sources, side);
        told.union_with(sources.nodes.of(side));
        told
    };
    let mut told = Sides {
        old: own(Side::Old),
        new: own(Side::New),
    };
    for (old, new) in pair.pairs() {
        if told.old.contains(old.index()) || told.new.contains(new.index()) {
            told.old.insert(old.index());
            told.new.insert(new.index());
        }
    }
    told
}

/// The nodes that may see a write by one of these nodes.
fn readers_of(ssa: &MemorySsa, writers: &FixedBitSet) -> FixedBitSet {
    let count = ssa.definitions.len();
    let mut passes_to: Vec<(DefinitionId, DefinitionId)> = Vec::new();
    let mut work: Vec<DefinitionId> = Vec::new();
    let mut second_returns: Vec<DefinitionId> = Vec::new();
    let mut told_variables = FixedBitSet::with_capacity(ssa.variables.len());
    for (at, definition) in ssa.definitions.iter().enumerate() {
        let id = DefinitionId::from(at);
        match definition.kind {
            DefinitionKind::Entry => {}
            DefinitionKind::Phi(_) => {
                passes_to.extend(ssa.incoming.of(id).iter().map(|row| (row.1, id)));
            }
            DefinitionKind::Write {
                instruction,
                passes_on,
            } => {
                passes_to.extend(passes_on.map(|before| (before, id)));
                if writers.contains(instruction.index()) {
                    work.push(id);
                    told_variables.insert(usize::from(definition.variable));
                }
            }
            DefinitionKind::SecondReturn {
                instruction,
                passes_on,
            } => {
                passes_to.push((passes_on, id));
                second_returns.push(id);
                if writers.contains(instruction.index()) {
                    work.push(id);
                }
            }
        }
    }
    let is_told = |id: &&DefinitionId| {
        let variable = ssa.definitions[usize::from(**id)].variable;
        told_variables.contains(usize::from(variable))
    };
    work.extend(second_returns.iter().filter(is_told));
    let passes_to: Rows<DefinitionId> = Rows::from_pairs(count, &passes_to);
    let mut told = FixedBitSet::with_capacity(count);
    while let Some(id) = work.pop() {
        if !told.put(usize::from(id)) {
            work.extend(passes_to.of(id));
        }
    }
    let nodes = 0..ssa.uses.row_count();
    nodes
        .filter(|node| {
            let seen = ssa.uses.of(*node).iter();
            seen.into_iter().any(|id| told.contains(usize::from(*id)))
        })
        .collect()
}

fn classes(
    pair: &BodyPair<'_>,
    accesses: &Sides<Accesses>,
    told: &Sides<FixedBitSet>,
) -> Vec<Class> {
    let mut numbers: FxHashMap<Signature, usize> = FxHashMap::default();
    let mut classes: Vec<Class> = Vec::new();
    for side in Side::BOTH {
        let all = accesses.of(side);
        let mut signatures: Vec<Signature> = vec![Vec::new(); all.variables.len()];
        for (old, new) in pair.pairs() {
            let node = if side == Side::Old { old } else { new };
            if told.of(side).contains(node.index()) {
                continue;
            }
            for variable in all.reads.of(node) {
                signatures[usize::from(*variable)].push((new.0, false));
            }
            for (variable, _) in all.writes.of(node) {
                signatures[usize::from(*variable)].push((new.0, true));
            }
        }
        for (at, mut signature) in signatures.into_iter().enumerate() {
            // Without a write all reads see the entry.
            if !signature.iter().any(|access| access.1) {
                continue;
            }
            signature.sort_unstable();
            let class = *numbers.entry(signature.clone()).or_insert_with(|| {
                classes.push(Class {
                    accesses: signature,
                    origins: Sides::default(),
                });
                classes.len() - 1
            });
            let origins = classes[class].origins.of_mut(side);
            origins.push(VariableIndex::from(at));
        }
    }
    classes
}

/// The variables whose values others may see when control leaves the function.
fn outliving(pair: &BodyPair<'_>, side: Side, accesses: &Accesses) -> FixedBitSet {
    let function = *pair.functions.of(side);
    let regions = &pair.memory.of(side).regions;
    let is_visible = |variable: &Variable| match variable {
        Variable::World(_) => true,
        Variable::Region(region) => regions.is_visible(function, *region),
    };
    let variables = accesses.variables.iter().enumerate();
    variables
        .filter(|(_, variable)| is_visible(variable))
        .map(|(at, _)| at)
        .collect()
}

/// Memory SSA with a variable for each class.
fn joint_memory(
    pair: &BodyPair<'_>,
    side: Side,
    classes: &[Class],
    accesses: &Sides<Accesses>,
    outlives: &Sides<FixedBitSet>,
) -> MemorySsa {
    let body: &Body = pair.bodies.of(side);
    let mut reads: Vec<(InstructionId, VariableIndex)> = Vec::new();
    let mut writes: Vec<(InstructionId, (VariableIndex, bool))> = Vec::new();
    for (at, class) in classes.iter().enumerate() {
        let variable = VariableIndex::from(at);
        let is_seen_later = Side::BOTH.into_iter().any(|side| {
            let mut origins = class.origins.of(side).iter();
            origins.any(|origin| outlives.of(side).contains(usize::from(*origin)))
        });
        for (new, is_write) in &class.accesses {
            let new = InstructionId(*new);
            // The nodes of a class are paired.
            let Some(old) = pair.matching.partner(Side::New, new) else {
                continue;
            };
            let node = if side == Side::Old { old } else { new };
            match is_write {
                false => reads.push((node, variable)),
                true => {
                    let overwrites = !is_seen_later
                        && overwrites(&accesses.old, &class.origins.old, old)
                        && overwrites(&accesses.new, &class.origins.new, new);
                    writes.push((node, (variable, overwrites)));
                }
            }
        }
    }
    let count = body.instructions.len();
    let joint = Accesses {
        variables: (0..classes.len())
            .map(|class| Variable::Region(RegionId::from(class)))
            .collect(),
        reads: Rows::from_pairs(count, &reads),
        writes: Rows::from_pairs(count, &writes),
        second_returns: Vec::new(),
    };
    memory_ssa_of(body, &joint)
}

/// The class is one variable of this version, and the node leaves nothing of it.
fn overwrites(accesses: &Accesses, origins: &[VariableIndex], node: InstructionId) -> bool {
    match origins {
        [only] => accesses.writes.of(node).contains(&(*only, true)),
        _ => false,
    }
}

fn passed_on(ssa: &MemorySsa, definition: DefinitionId) -> Option<DefinitionId> {
    match ssa.definitions[usize::from(definition)].kind {
        DefinitionKind::Write { passes_on, .. } => passes_on,
        DefinitionKind::SecondReturn { passes_on, .. } => Some(passes_on),
        DefinitionKind::Entry | DefinitionKind::Phi(_) => None,
    }
}

/// The pairs of definitions that are asked for.
struct Comparison<'a, 'b> {
    pair: &'a BodyPair<'a>,
    control: &'a mut Control<'b>,
    joint: &'a Sides<MemorySsa>,
    numbers: FxHashMap<(DefinitionId, DefinitionId), usize>,
    rows: Vec<Question>,
}

struct Question {
    is_refuted: bool,
    /// The questions whose answer rests on this one's.
    users: Vec<usize>,
}

impl Comparison<'_, '_> {
    /// Whether the definitions agree, as a number; answered by [`Comparison::refute`].
    fn ask(&mut self, old: DefinitionId, new: DefinitionId) -> usize {
        let mut work = Vec::new();
        let first = self.number(old, new, &mut work);
        while let Some((old, new, question)) = work.pop() {
            match self.parts(old, new) {
                None => self.rows[question].is_refuted = true,
                Some(parts) => {
                    for (old, new) in parts {
                        let part = self.number(old, new, &mut work);
                        self.rows[part].users.push(question);
                    }
                }
            }
        }
        first
    }

    fn number(
        &mut self,
        old: DefinitionId,
        new: DefinitionId,
        work: &mut Vec<(DefinitionId, DefinitionId, usize)>,
    ) -> usize {
        let next = self.rows.len();
        let number = *self.numbers.entry((old, new)).or_insert(next);
        if number == next {
            self.rows.push(Question {
                is_refuted: false,
                users: Vec::new(),
            });
            work.push((old, new, number));
        }
        number
    }

    /// What must agree for these to agree; `None` when they cannot.
    fn parts(
        &mut self,
        old: DefinitionId,
        new: DefinitionId,
    ) -> Option<Vec<(DefinitionId, DefinitionId)>> {
        let here = self.joint.old.definitions[usize::from(old)];
        let there = self.joint.new.definitions[usize::from(new)];
        if here.variable != there.variable {
            return None;
        }
        match (here.kind, there.kind) {
            (DefinitionKind::Entry, DefinitionKind::Entry) => Some(Vec::new()),
            (
                DefinitionKind::Write { instruction, .. },
                DefinitionKind::Write {
                    instruction: other, ..
                },
            ) => {
                let partner = self.pair.matching.partner(Side::Old, instruction);
                (partner == Some(other)).then(Vec::new)
            }
            (DefinitionKind::Phi(block), DefinitionKind::Phi(other)) => {
                let incoming = self.joint.old.incoming.of(old).to_vec();
                let rows = self.control.rows_into(Side::Old, block, incoming)?;
                let incoming = self.joint.new.incoming.of(new).to_vec();
                let others = self.control.rows_into(Side::New, other, incoming)?;
                self.control.matched_rows(&rows, &others)
            }
            _ => None,
        }
    }

    fn refute(&mut self) {
        let questions = self.rows.iter().enumerate();
        let mut work: Vec<usize> = questions
            .filter(|(_, question)| question.is_refuted)
            .map(|(at, _)| at)
            .collect();
        while let Some(question) = work.pop() {
            for user in std::mem::take(&mut self.rows[question].users) {
                if !std::mem::replace(&mut self.rows[user].is_refuted, true) {
                    work.push(user);
                }
            }
        }
    }
}
