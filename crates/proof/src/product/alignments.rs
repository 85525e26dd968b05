//! Other readings of the loops of two versions, under which they may be in lock step.
//!
//! Each is a guess that costs a comparison and can do no harm: every reading describes the same runs
//! ([`Shape`]). The first that shows both versions equivalent counts; they are tried only if
//! loops are left that have no partner in step.

use super::{Product, Subject};
use crate::symbolic::{LoopKey, Shape, Shapes};
use knockon_change::{Side, Sides};
use knockon_graphs::LoopId;
use knockon_program::Operand;

/// Loops that make no more iterations than this may be unrolled.
const FEW: u32 = 4;

/// The readings to try after the plain one, in this order.
pub fn alignments(subject: &Subject<'_, '_>, product: &Product) -> Vec<Sides<Shapes>> {
    let alone = Sides {
        old: alone(product, Side::Old),
        new: alone(product, Side::New),
    };
    let mut found: Vec<Sides<Shapes>> = Vec::new();
    let rotated = Shape {
        is_rotated: true,
        ..Shape::default()
    };
    let peeled = Shape {
        peeled: 1,
        ..Shape::default()
    };
    let doubled = Shape {
        is_doubled: true,
        ..Shape::default()
    };
    let few = Shape {
        at_most: FEW,
        ..Shape::default()
    };
    let both = Shape {
        is_rotated: true,
        ..peeled
    };
    let plain = Shape::default();
    let recursive = Side::BOTH
        .into_iter()
        .any(|side| calls_itself(subject, side));
    if recursive {
        for (old, new) in [(plain, plain), (rotated, plain), (plain, rotated)] {
            let mut sides = read(&alone, old, new);
            sides.old.tail_calls_are_loops = true;
            sides.new.tail_calls_are_loops = true;
            found.push(sides);
        }
    }
    let has_both = !alone.old.is_empty() && !alone.new.is_empty();
    if has_both {
        let readings = [
            (rotated, plain),
            (plain, rotated),
            (rotated, rotated),
            (peeled, plain),
            (plain, peeled),
            (both, plain),
            (plain, both),
        ];
        found.extend(readings.map(|(old, new)| read(&alone, old, new)));
    }
    let loops = Sides {
        old: loops(product, Side::Old),
        new: loops(product, Side::New),
    };
    match loops.old.len().cmp(&loops.new.len()) {
        _ if loops.old.is_empty() || loops.new.is_empty() => {}
        std::cmp::Ordering::Less => found.push(read(&loops, doubled, plain)),
        std::cmp::Ordering::Greater => found.push(read(&loops, plain, doubled)),
        std::cmp::Ordering::Equal => {}
    }
    if !alone.old.is_empty() || !alone.new.is_empty() {
        found.push(read(&alone, few, few));
    }
    found
}

fn read(alone: &Sides<Vec<(String, LoopId)>>, old: Shape, new: Shape) -> Sides<Shapes> {
    let of = |loops: &[(String, LoopId)], shape: Shape| Shapes {
        of: loops.iter().map(|key| (key.clone(), shape)).collect(),
        tail_calls_are_loops: false,
    };
    Sides {
        old: of(&alone.old, old),
        new: of(&alone.new, new),
    }
}

/// The loops that have no partner in step.
fn alone(product: &Product, side: Side) -> Vec<(String, LoopId)> {
    let loops = product.outcomes.of(side).loops.iter().enumerate();
    let alone = loops.filter(|(number, row)| {
        let mut pairs = product.loop_pairs.iter();
        row.key.id != LoopKey::TAIL_CALLS && !pairs.any(|pair| pair.of(side) == number)
    });
    alone
        .map(|(_, row)| (row.key.path.clone(), row.key.id))
        .collect()
}

fn loops(product: &Product, side: Side) -> Vec<(String, LoopId)> {
    let loops = product.outcomes.of(side).loops.iter();
    loops
        .map(|row| (row.key.path.clone(), row.key.id))
        .collect()
}

fn calls_itself(subject: &Subject<'_, '_>, side: Side) -> bool {
    let program = subject.versions.of(side).program;
    let function = *subject.functions.of(side);
    let Some(body) = program.function(function).body.as_deref() else {
        return false;
    };
    body.instruction_ids().any(|id| {
        body.instruction(id).opcode.is_call()
            && match body.callee(id) {
                Some(Operand::Constant(callee)) => {
                    program.called_function(callee) == Some(function)
                }
                _ => false,
            }
    })
}
