//! Other readings of the loops of two versions, under which they may be in lock step.
//!
//! Each is a guess that costs a comparison and can do no harm: every reading describes the same runs
//! ([`Shape`]). The first that shows both versions equivalent counts. Loops that have no partner in
//! step are read in other ways, or all of them if each has one.

use super::{Product, Subject};
use crate::symbolic::{LoopKey, Shape, Shapes};
use knockon_change::{Side, Sides};
use knockon_graphs::LoopId;
use knockon_logic::terms::{Sort, signed};
use knockon_program::Operand;
use std::collections::BTreeSet;

/// Loops that make no more iterations than this may be unrolled.
const FEW: u32 = 4;
/// So many iterations of one version may be one of the other.
const MOST_TIMES: u128 = 8;

/// The readings to try after the plain one, in this order.
pub fn alignments(subject: &Subject<'_, '_>, product: &Product) -> Vec<Sides<Shapes>> {
    let mut alone = Sides {
        old: alone(product, Side::Old),
        new: alone(product, Side::New),
    };
    if alone.old.is_empty() && alone.new.is_empty() {
        alone = Sides {
            old: loops(product, Side::Old),
            new: loops(product, Side::New),
        };
    }
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
    for (side, times) in ratios(product, &alone) {
        for has_rest in [false, true] {
            let together = Shape {
                times,
                has_rest,
                ..Shape::default()
            };
            found.push(match side {
                Side::Old => read(&alone, together, plain),
                Side::New => read(&alone, plain, together),
            });
        }
    }
    found
}

/// One iteration of the other version may be so many of a side's: something grows so many times as
/// fast there.
fn ratios(product: &Product, alone: &Sides<Vec<(String, LoopId)>>) -> Vec<(Side, u32)> {
    let strides = |side: Side| -> BTreeSet<u128> {
        let loops = product.outcomes.of(side).loops.iter();
        let own = loops.filter(|row| {
            let key = (row.key.path.clone(), row.key.id);
            alone.of(side).contains(&key)
        });
        let items = own.flat_map(|row| &row.items);
        let strides = items.filter_map(|(_, _, here, after)| match product.terms.sort(*here) {
            Sort::Bits(width) => {
                let stride = product.terms.constant_difference(*after, *here)?;
                Some(signed(width, stride).unsigned_abs()).filter(|stride| *stride > 0)
            }
            _ => None,
        });
        strides.collect()
    };
    let (old, new) = (strides(Side::Old), strides(Side::New));
    let mut found: BTreeSet<(u32, bool)> = BTreeSet::new();
    for (slow, fast, is_old) in [(&old, &new, true), (&new, &old, false)] {
        for (left, right) in slow
            .iter()
            .flat_map(|left| fast.iter().map(move |row| (left, row)))
        {
            let times = right / left;
            if right % left == 0 && (2..=MOST_TIMES).contains(&times) {
                found.insert((times as u32, is_old));
            }
        }
    }
    let sides = found.into_iter().map(|(times, is_old)| match is_old {
        true => (Side::Old, times),
        false => (Side::New, times),
    });
    sides.collect()
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
        .filter(|row| row.key.id != LoopKey::TAIL_CALLS)
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
