//! Which instruction of the old body may be which of the new?
//!
//! **Question.** A matching, one to one, of the instructions of two bodies that differ. It decides
//! how much is called a source, not whether the map is right: that is [`crate::agreement`].
//!
//! **Rules**, each in the gaps that the ones before left: instructions on the same place of text
//! that was not edited; instructions with the same operation and constants whose operands have the
//! same, to depth two, then one, then zero; instructions with the same opcode and type. These keep
//! the order. Then code that moved: contents to depth two that occur once among what is left on
//! each side. Last, phis, which have no text: in matched blocks, those with the most agreeing
//! rows, and of the same variable.
//!
//! **Cost.** Near-linear in the bodies, see [`crate::common_sequence`]; phis are compared with
//! those of one block.

use crate::common_sequence::common_sequence;
use crate::content_hash::Mixer;
use crate::version_view::VersionView;
use crate::{Side, Sides};
use knockon_program::{BlockId, Body, InstructionId, Name, Opcode, Operand, VariableLocationKind};
use rustc_hash::FxHashMap;

/// One to one.
#[derive(Clone, Debug)]
pub(crate) struct Matching {
    pub(crate) new_of_old: Vec<Option<InstructionId>>,
    pub(crate) old_of_new: Vec<Option<InstructionId>>,
}

impl Matching {
    pub(crate) fn partner(&self, side: Side, node: InstructionId) -> Option<InstructionId> {
        match side {
            Side::Old => self.new_of_old[node.index()],
            Side::New => self.old_of_new[node.index()],
        }
    }

    fn join(&mut self, old: InstructionId, new: InstructionId) {
        self.new_of_old[old.index()] = Some(new);
        self.old_of_new[new.index()] = Some(old);
    }
}

/// For each instruction its token; depth 0, 1 and 2.
type Depths = [Vec<u64>; 3];

pub(crate) fn align(
    views: &Sides<VersionView<'_>>,
    bodies: &Sides<&Body>,
    parameters: &[Option<u32>],
) -> Matching {
    let depths = Sides {
        old: depths(&views.old, bodies.old, |number| {
            parameters.get(number as usize).copied().flatten()
        }),
        new: depths(&views.new, bodies.new, Some),
    };
    let mut matching = Matching {
        new_of_old: vec![None; bodies.old.instructions.len()],
        old_of_new: vec![None; bodies.new.instructions.len()],
    };
    let on_text = Sides {
        old: on_unedited_text(&views.old, bodies.old, &depths.old[0], Side::Old),
        new: on_unedited_text(&views.new, bodies.new, &depths.new[0], Side::New),
    };
    let shapes = Sides {
        old: shapes(&views.old, bodies.old, Side::Old),
        new: shapes(&views.new, bodies.new, Side::New),
    };
    let mut order: Vec<(u32, u32)> = Vec::new();
    fill_gaps(&mut order, &on_text.old, &on_text.new);
    for depth in [2, 1, 0] {
        let without_phis =
            |side: Side| apart_from_phis(bodies.of(side), &depths.of(side)[depth], side);
        fill_gaps(
            &mut order,
            &without_phis(Side::Old),
            &without_phis(Side::New),
        );
    }
    let before_shapes = order.clone();
    for (old, new) in &before_shapes {
        matching.join(InstructionId(*old), InstructionId(*new));
    }
    join_moved(&mut matching, bodies, &depths);
    // What moved leaves its gap.
    let left = |side: Side, tokens: &[u64]| -> Vec<u64> {
        let rows = tokens.iter().enumerate();
        rows.map(|(at, token)| {
            match matching
                .partner(side, InstructionId::from_index(at))
                .is_some()
            {
                true => unlike(side, at),
                false => *token,
            }
        })
        .collect()
    };
    let (old, new) = (left(Side::Old, &shapes.old), left(Side::New, &shapes.new));
    let mut by_shape = order.clone();
    fill_gaps(&mut by_shape, &old, &new);
    for (old, new) in by_shape {
        if matching.new_of_old[old as usize].is_none()
            && matching.old_of_new[new as usize].is_none()
        {
            matching.join(InstructionId(old), InstructionId(new));
        }
    }
    join_phis(&mut matching, views, bodies, parameters);
    matching
}

/// A token that no other instruction has.
fn unlike(side: Side, at: usize) -> u64 {
    let mixer = Mixer::new("alone").word(side as u64).word(at as u64);
    mixer.finish().token()
}

/// Matches what stands between matched pairs.
fn fill_gaps(order: &mut Vec<(u32, u32)>, old: &[u64], new: &[u64]) {
    let mut found = Vec::with_capacity(order.len());
    let (mut at, mut there) = (0u32, 0u32);
    let end = (old.len() as u32, new.len() as u32);
    for (next, beyond) in order.iter().copied().chain([end]) {
        if at < next && there < beyond {
            let left = &old[at as usize..next as usize];
            let right = &new[there as usize..beyond as usize];
            let common = common_sequence(left, right).into_iter();
            found.extend(common.map(|(x, y)| (at + x, there + y)));
        }
        if (next, beyond) != end {
            found.push((next, beyond));
        }
        (at, there) = (next + 1, beyond + 1);
    }
    *order = found;
}

fn depths(
    view: &VersionView<'_>,
    body: &Body,
    new_parameter: impl Fn(u32) -> Option<u32>,
) -> Depths {
    let mut first = Vec::with_capacity(body.instructions.len());
    for id in body.instruction_ids() {
        let row = body.instruction(id);
        if row.opcode == Opcode::Phi {
            let mixer = Mixer::new("phi").content(view.contents.type_of(row.type_id));
            first.push(mixer.finish().token());
            continue;
        }
        let mut mixer = view.row(Mixer::new("node"), body, id);
        for operand in body.operands(id) {
            mixer = match operand {
                Operand::Constant(constant) => mixer.content(view.constant_at(row, *constant)),
                Operand::Index(index) => mixer.word(u64::from(*index)),
                _ => mixer.word(0),
            };
        }
        first.push(mixer.finish().token());
    }
    let deeper = |before: &[u64]| -> Vec<u64> {
        let ids = body.instruction_ids();
        ids.map(|id| {
            let mut mixer = Mixer::new("deeper").word(before[id.index()]);
            if body.instruction(id).opcode != Opcode::Phi {
                for operand in body.operands(id) {
                    mixer = match operand {
                        Operand::Instruction(id) => mixer.word(before[id.index()]),
                        Operand::Argument(number) => match new_parameter(*number) {
                            Some(number) => mixer.word(1 + u64::from(number)),
                            None => mixer.word(0),
                        },
                        _ => mixer,
                    };
                }
            }
            mixer.finish().token()
        })
        .collect()
    };
    let second = deeper(&first);
    let third = deeper(&second);
    [first, second, third]
}

fn apart_from_phis(body: &Body, tokens: &[u64], side: Side) -> Vec<u64> {
    let rows = body.instructions.iter().zip(tokens).enumerate();
    rows.map(|(at, (row, token))| match row.opcode {
        // Phis are matched by their blocks.
        Opcode::Phi => unlike(side, at),
        _ => *token,
    })
    .collect()
}

/// Tokens that are equal only on the same place of text that was not edited.
fn on_unedited_text(view: &VersionView<'_>, body: &Body, tokens: &[u64], side: Side) -> Vec<u64> {
    let rows = body.instructions.iter().zip(tokens).enumerate();
    rows.map(|(at, (row, token))| {
        let place = view.program.place(row.place);
        match view.unedited.new_line(place) {
            Some(line) if row.opcode != Opcode::Phi => {
                let mixer = Mixer::new("text").word(*token).word(u64::from(line));
                let mixer = mixer.word(u64::from(place.column));
                let mixer = mixer.text(view.program.file_path(place.file));
                mixer.finish().token()
            }
            _ => unlike(side, at),
        }
    })
    .collect()
}

/// Opcode and type only.
fn shapes(view: &VersionView<'_>, body: &Body, side: Side) -> Vec<u64> {
    let rows = body.instructions.iter().enumerate();
    rows.map(|(at, row)| match row.opcode {
        Opcode::Phi => unlike(side, at),
        _ => {
            let mixer = Mixer::new("shape").word(row.opcode as u64);
            let mixer = mixer.word(u64::from(row.operand_count));
            let mixer = mixer.content(view.contents.type_of(row.type_id));
            mixer.finish().token()
        }
    })
    .collect()
}

fn join_moved(matching: &mut Matching, bodies: &Sides<&Body>, depths: &Sides<Depths>) {
    let mut places: FxHashMap<u64, [(u32, u32); 2]> = FxHashMap::default();
    for side in Side::BOTH {
        let body = *bodies.of(side);
        for id in body.instruction_ids() {
            let is_phi = body.instruction(id).opcode == Opcode::Phi;
            if !is_phi && matching.partner(side, id).is_none() {
                let token = depths.of(side)[2][id.index()];
                let row = &mut places.entry(token).or_default()[side as usize];
                *row = (row.0 + 1, id.0);
            }
        }
    }
    for [(old_count, old), (new_count, new)] in places.into_values() {
        if (old_count, new_count) == (1, 1) {
            matching.join(InstructionId(old), InstructionId(new));
        }
    }
}

fn join_phis(
    matching: &mut Matching,
    views: &Sides<VersionView<'_>>,
    bodies: &Sides<&Body>,
    parameters: &[Option<u32>],
) {
    let block_of = bodies.new.block_of_each_instruction();
    let variables = Sides {
        old: variables_of_phis(bodies.old),
        new: variables_of_phis(bodies.new),
    };
    let phis = |side: Side, block: BlockId| -> Vec<InstructionId> {
        let body = *bodies.of(side);
        let ids = body.instructions_of(block);
        ids.take_while(|id| body.instruction(*id).opcode == Opcode::Phi)
            .collect()
    };
    // The second round knows the phis that the first one matched.
    for _ in 0..2 {
        for block in bodies.old.block_ids() {
            let old = phis(Side::Old, block);
            if old.is_empty() {
                continue;
            }
            let Some(there) = matched_block(matching, bodies.old, block, &block_of) else {
                continue;
            };
            let new = phis(Side::New, there);
            let mut scores: Vec<(u32, InstructionId, InstructionId)> = Vec::new();
            for one in &old {
                for two in &new {
                    if matching.new_of_old[one.index()].is_some()
                        || matching.old_of_new[two.index()].is_some()
                    {
                        continue;
                    }
                    let type_of = |side: Side, id: InstructionId| {
                        let row = bodies.of(side).instruction(id);
                        views.of(side).contents.type_of(row.type_id)
                    };
                    if type_of(Side::Old, *one) != type_of(Side::New, *two) {
                        continue;
                    }
                    let mut score =
                        agreeing_values(matching, views, bodies, parameters, *one, *two);
                    let name = |side: Side, id: &InstructionId| {
                        let name = variables.of(side).get(id)?;
                        Some(views.of(side).program.name(*name))
                    };
                    let names = (name(Side::Old, one), name(Side::New, two));
                    if names.0.is_some() && names.0 == names.1 {
                        score += 2;
                    }
                    if old.len() == 1 && new.len() == 1 {
                        score += 1;
                    }
                    if score > 0 {
                        scores.push((score, *one, *two));
                    }
                }
            }
            scores.sort_by_key(|(score, one, two)| (std::cmp::Reverse(*score), *one, *two));
            for (_, one, two) in scores {
                let free = matching.new_of_old[one.index()].is_none()
                    && matching.old_of_new[two.index()].is_none();
                if free {
                    matching.join(one, two);
                }
            }
        }
    }
}

/// The block of the terminator's partner, or of the first instruction's that has one.
fn matched_block(
    matching: &Matching,
    body: &Body,
    block: BlockId,
    block_of: &[BlockId],
) -> Option<BlockId> {
    let first = body
        .instructions_of(block)
        .find(|id| body.instruction(*id).opcode != Opcode::Phi)?;
    let mut tried = [first, body.terminator(block)].into_iter();
    let partner = tried.find_map(|id| matching.new_of_old[id.index()])?;
    Some(block_of[partner.index()])
}

/// How many values of the one phi are among those of the other.
fn agreeing_values(
    matching: &Matching,
    views: &Sides<VersionView<'_>>,
    bodies: &Sides<&Body>,
    parameters: &[Option<u32>],
    old: InstructionId,
    new: InstructionId,
) -> u32 {
    let same = |one: &Operand, two: &Operand| match (one, two) {
        (Operand::Instruction(one), Operand::Instruction(two)) => {
            matching.new_of_old[one.index()] == Some(*two)
        }
        (Operand::Argument(one), Operand::Argument(two)) => {
            parameters.get(*one as usize).copied().flatten() == Some(*two)
        }
        (Operand::Constant(one), Operand::Constant(two)) => {
            views.old.contents.constant(*one) == views.new.contents.constant(*two)
        }
        _ => false,
    };
    let there = bodies.new.operands(new);
    let values = bodies.old.operands(old).iter().take(64);
    let found = values.filter(|one| there.iter().take(64).any(|two| same(one, two)));
    found.count() as u32
}

fn variables_of_phis(body: &Body) -> FxHashMap<InstructionId, Name> {
    let locations = body.variable_locations.iter();
    locations
        .filter(|location| location.kind == VariableLocationKind::Value && location.whole)
        .filter_map(|location| match location.value {
            Operand::Instruction(id) if body.instruction(id).opcode == Opcode::Phi => {
                Some((id, body.variables[location.variable.index()].name))
            }
            _ => None,
        })
        .collect()
}
