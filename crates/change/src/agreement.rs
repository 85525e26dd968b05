//! Which matched nodes really are the same?
//!
//! **Question.** Given a matching of two bodies, which nodes are *sources*: have no partner, or
//! differ from it in themselves?
//!
//! **Rules.** A pair is a source when one of these does not agree:
//! - the row: opcode, type, detail, flags, number of operands, copied arguments; but for the length of
//!   an array that has grown ([`crate::grown_arrays`]);
//! - an operand. Two instructions agree when they are partners, two parameters likewise, two
//!   constants when their contents are equal or both are position constants. An operand without a
//!   partner is a source itself: the dependence on it carries the difference;
//! - for a branch, which outcomes lead to one place; for a jump, where it leads;
//! - control: the outcomes of branches that decide whether the node runs. A call that may not
//!   return in one version counts as a branch in both. Where one of the branches is a source, the
//!   dependence on it carries the difference;
//! - for a phi, its rows: value and deciding outcomes;
//! - memory: [`crate::memory_agreement`].
//!
//! A store that differs in nothing but what was written before it is no source: what it observes is
//! the same, and what is there afterwards may not be. It is *reordered*, and only what it leaves in
//! memory is followed.
//!
//! A call that differs in nothing but some of its arguments is a source by those alone: it happens
//! as its partner does.
//!
//! **Soundness.** Take two runs on one input, and the first occurrence of a node that observes
//! something else than its partner's, or has no counterpart. Then an operand, a deciding outcome or
//! the last write of a byte it reads is not the same. If the pair is no source, then by the rules
//! the two that are not the same are partners, which the argument covers, or one of them is a
//! source, and there is a dependence on it. So the node is reached by dependences from a source,
//! where *reached* is meant for pairs: a node that is reached in one version is reached in the
//! other, and is followed in both. Checks are lenient only where something is a source, and sources
//! only grow: so one pass, in any order, is sound.
//!
//! **Cost.** Linear in the bodies and their control dependence.

use crate::alignment::Matching;
use crate::control_agreement::Control;
use crate::memory_agreement::mark_memory;
use crate::version_view::VersionView;
use crate::{ChangedArguments, Side, Sides};
use fixedbitset::FixedBitSet;
use knockon_memory::memory_model::MemoryModel;
use knockon_program::{BlockId, Body, FunctionId, InstructionId, Opcode, Operand};

/// Two bodies and how they are matched.
pub(crate) struct BodyPair<'a> {
    pub(crate) views: &'a Sides<VersionView<'a>>,
    pub(crate) memory: Sides<&'a MemoryModel>,
    pub(crate) functions: Sides<FunctionId>,
    pub(crate) bodies: Sides<&'a Body>,
    pub(crate) parameters: &'a [Option<u32>],
    pub(crate) matching: &'a Matching,
}

#[derive(Clone, Debug)]
pub(crate) struct Sources {
    pub(crate) nodes: Sides<FixedBitSet>,
    /// Paired stores that do what their partners do, and come at another place among other writes.
    pub(crate) reordered: Sides<FixedBitSet>,
}

impl Sources {
    pub(crate) fn contains(&self, side: Side, node: InstructionId) -> bool {
        self.nodes.of(side).contains(node.index())
    }

    pub(crate) fn mark(&mut self, old: InstructionId, new: InstructionId) {
        self.nodes.old.insert(old.index());
        self.nodes.new.insert(new.index());
    }

    pub(crate) fn mark_reordered(&mut self, old: InstructionId, new: InstructionId) {
        self.reordered.old.insert(old.index());
        self.reordered.new.insert(new.index());
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    Same,
    /// One of the two is a source, and a dependence says so.
    Carried,
    Different,
}

pub(crate) fn sources(pair: &BodyPair<'_>) -> (Sources, Vec<ChangedArguments>) {
    let without_partner = |side: Side| -> FixedBitSet {
        let mut set = FixedBitSet::with_capacity(pair.bodies.of(side).instructions.len());
        for id in pair.bodies.of(side).instruction_ids() {
            set.set(id.index(), pair.matching.partner(side, id).is_none());
        }
        set
    };
    let empty = |side: Side| FixedBitSet::with_capacity(pair.bodies.of(side).instructions.len());
    let mut sources = Sources {
        nodes: Sides {
            old: without_partner(Side::Old),
            new: without_partner(Side::New),
        },
        reordered: Sides {
            old: empty(Side::Old),
            new: empty(Side::New),
        },
    };
    let mut arguments: Vec<ChangedArguments> = Vec::new();
    for (old, new) in pair.pairs() {
        match pair.operation_difference(old, new) {
            _ if !pair.outcomes_agree(old, new) => sources.mark(old, new),
            Difference::None => {}
            Difference::Arguments(positions) => arguments.push(ChangedArguments {
                old,
                new,
                positions,
            }),
            Difference::More => sources.mark(old, new),
        }
    }
    let mut control = Control::new(pair, &sources);
    for (old, new) in pair.pairs() {
        if !control.agrees(old, new) {
            sources.mark(old, new);
        } else if !pair.phi_agrees(&mut control, old, new) {
            sources.mark(old, new);
            for (one, two) in pair.jumps_with_other_values(old, new) {
                sources.mark(one, two);
            }
        }
    }
    mark_memory(pair, &mut control, &mut sources);
    // Calls with other arguments were held to the rules of control and memory as all pairs are.
    arguments.retain(|row| !sources.contains(Side::Old, row.old));
    for row in &arguments {
        sources.mark(row.old, row.new);
    }
    (sources, arguments)
}

/// What differs in a pair by itself.
enum Difference {
    None,
    /// A call of the same function, with other arguments at these positions.
    Arguments(Vec<u32>),
    More,
}

impl BodyPair<'_> {
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (InstructionId, InstructionId)> + '_ {
        let rows = self.matching.new_of_old.iter().enumerate();
        rows.filter_map(|(old, new)| Some((InstructionId::from_index(old), (*new)?)))
    }

    fn operation_difference(&self, old: InstructionId, new: InstructionId) -> Difference {
        use crate::content_hash::Mixer;
        let (before, after) = (self.bodies.old, self.bodies.new);
        let (one, two) = (before.instruction(old), after.instruction(new));
        let row = |side: Side, id: InstructionId| {
            let view = self.views.of(side);
            let body = *self.bodies.of(side);
            let mixer = Mixer::new("row").content(view.by_value_arguments(body, id));
            view.row(mixer, body, id).finish()
        };
        if one.opcode != two.opcode {
            return Difference::More;
        }
        if one.opcode == Opcode::Phi {
            let type_of = |side: Side, id| self.views.of(side).contents.type_of(id);
            let same = type_of(Side::Old, one.type_id) == type_of(Side::New, two.type_id);
            return match same {
                true => Difference::None,
                false => Difference::More,
            };
        }
        if row(Side::Old, old) != row(Side::New, new) && !self.differ_by_growth(old, new) {
            return Difference::More;
        }
        let agree = |left: &Operand, right: &Operand| match (left, right) {
            (Operand::Constant(left), Operand::Constant(right)) => {
                let (here, there) = (&self.views.old, &self.views.new);
                let position = here.position(one, *left);
                here.contents.constant(*left) == there.contents.constant(*right)
                    || position.is_some() && position == there.position(two, *right)
            }
            _ => self.value(*left, *right) != Agreement::Different,
        };
        let (left, right) = (before.operands(old), after.operands(new));
        let operands = left.iter().zip(right).enumerate();
        let differing: Vec<usize> = operands
            .filter(|(_, (left, right))| !agree(left, right))
            .map(|(at, _)| at)
            .collect();
        let first_argument = left.len() - before.arguments(old).len();
        match differing.first() {
            None => Difference::None,
            Some(first) if one.opcode.is_call() && *first >= first_argument => {
                let positions = differing.iter().map(|at| (at - first_argument) as u32);
                Difference::Arguments(positions.collect())
            }
            Some(_) => Difference::More,
        }
    }

    /// Two operands, constants by content only.
    pub(crate) fn value(&self, old: Operand, new: Operand) -> Agreement {
        let partner = |side: Side, operand: Operand| match (operand, side) {
            (Operand::Instruction(id), _) => {
                self.matching.partner(side, id).map(Operand::Instruction)
            }
            (Operand::Argument(number), Side::Old) => {
                let new = self.parameters.get(number as usize).copied().flatten();
                new.map(Operand::Argument)
            }
            (Operand::Argument(number), Side::New) => {
                let mut old = self.parameters.iter();
                let place = old.position(|new| *new == Some(number));
                place.map(|old| Operand::Argument(old as u32))
            }
            _ => Some(operand),
        };
        match (old, new) {
            (Operand::Block(_), Operand::Block(_)) => return Agreement::Same,
            (Operand::Index(one), Operand::Index(two)) if one == two => return Agreement::Same,
            (Operand::Constant(one), Operand::Constant(two)) => {
                let (here, there) = (&self.views.old, &self.views.new);
                return match here.contents.constant(one) == there.contents.constant(two) {
                    true => Agreement::Same,
                    false => Agreement::Different,
                };
            }
            _ => {}
        }
        let (of_old, of_new) = (partner(Side::Old, old), partner(Side::New, new));
        if of_old.is_none() || of_new.is_none() {
            return Agreement::Carried;
        }
        let is_constant = |operand| matches!(operand, Operand::Constant(_));
        match of_old == Some(new) && !is_constant(old) && !is_constant(new) {
            true => Agreement::Same,
            false => Agreement::Different,
        }
    }

    /// A branch: which of its outcomes lead to one place. A jump: where it leads.
    fn outcomes_agree(&self, old: InstructionId, new: InstructionId) -> bool {
        let targets = |side: Side, id: InstructionId| -> Vec<BlockId> {
            let operands = self.bodies.of(side).operands(id).iter();
            operands
                .filter_map(|operand| match operand {
                    Operand::Block(block) => Some(*block),
                    _ => None,
                })
                .collect()
        };
        let row = self.bodies.old.instruction(old);
        if !row.opcode.is_terminator() {
            return true;
        }
        let (here, there) = (targets(Side::Old, old), targets(Side::New, new));
        if numbered(&here) != numbered(&there) {
            return false;
        }
        let ([here], [there]) = (&here[..], &there[..]) else {
            return true;
        };
        let end = |side: Side, block: BlockId| {
            let body = *self.bodies.of(side);
            let mut block = block;
            // Blocks that only jump on; a cycle of these ends with the bound.
            for _ in 0..8 {
                let range = body.block(block);
                let is_empty = range.end.0 - range.first.0 == 1;
                match body.successors(block).collect::<Vec<_>>()[..] {
                    [next] if is_empty => block = next,
                    _ => break,
                }
            }
            body.terminator(block)
        };
        let (here, there) = (end(Side::Old, *here), end(Side::New, *there));
        let agreement = self.value(Operand::Instruction(here), Operand::Instruction(there));
        agreement != Agreement::Different
    }

    fn phi_agrees(
        &self,
        control: &mut Control<'_>,
        old: InstructionId,
        new: InstructionId,
    ) -> bool {
        if self.bodies.old.instruction(old).opcode != Opcode::Phi {
            return true;
        }
        let (Some(here), Some(there)) = (
            control.rows(Side::Old, old, phi_rows(self.bodies.old, old)),
            control.rows(Side::New, new, phi_rows(self.bodies.new, new)),
        ) else {
            return true;
        };
        let is_carried = here.iter().any(|row| {
            there
                .iter()
                .any(|other| self.value(row.value, other.value) == Agreement::Carried)
        });
        if is_carried {
            return true;
        }
        match control.matched_rows(&here, &there) {
            None => false,
            Some(rows) => rows
                .into_iter()
                .all(|(one, two)| self.value(one, two) == Agreement::Same),
        }
    }
}

impl BodyPair<'_> {
    /// The jumps into two phis that bring another value: in the source, the value stands where the
    /// jump does. Nothing depends on a jump that has one target.
    fn jumps_with_other_values(
        &self,
        old: InstructionId,
        new: InstructionId,
    ) -> Vec<(InstructionId, InstructionId)> {
        let mut found = Vec::new();
        let rows = phi_rows(self.bodies.new, new);
        for (block, value) in phi_rows(self.bodies.old, old) {
            let jump = self.bodies.old.terminator(block);
            let has_one_target = self.bodies.old.successors(block).count() == 1;
            let Some(partner) = self.matching.partner(Side::Old, jump) else {
                continue;
            };
            let there = rows.iter().find(|row| {
                self.bodies.new.terminator(row.0) == partner
                    && self.bodies.new.successors(row.0).count() == 1
            });
            if let Some((_, other)) = there
                && has_one_target
                && self.value(value, *other) == Agreement::Different
            {
                found.push((jump, partner));
            }
        }
        found
    }
}

fn phi_rows(body: &Body, phi: InstructionId) -> Vec<(BlockId, Operand)> {
    let operands = body.operands(phi).chunks_exact(2);
    operands
        .filter_map(|row| match row[1] {
            Operand::Block(block) => Some((block, row[0])),
            _ => None,
        })
        .collect()
}

/// Each target as the number of its first mention.
fn numbered(targets: &[BlockId]) -> Vec<usize> {
    let mut first = rustc_hash::FxHashMap::default();
    let numbers = targets.iter().enumerate();
    numbers
        .map(|(at, target)| *first.entry(*target).or_insert(at))
        .collect()
}
