//! Constants that say where in the text they stand (`__LINE__` in an `assert` or a log macro) are
//! equal by assumption when only their lines moved. Runs are made equal in that too: in a copy of
//! the new version such constants are those of the old one.

use crate::object_names::paired_nodes;
use crate::{Change, Side, Sides};
use knockon_program::{Constant, Node, Operand, PlaceId, Program};
use rustc_hash::FxHashMap;

/// The new version with the old one's positions.
pub fn with_old_positions(programs: Sides<&Program>, change: &Change) -> Program {
    let mut changes: Vec<(Node, usize, Constant)> = Vec::new();
    for (new, old) in paired_nodes(change, programs.new) {
        if change.is_source(Side::New, new.0, new.1) {
            continue;
        }
        let (here, there) = (operands(programs.old, old), operands(programs.new, new));
        for (index, (before, after)) in here.iter().zip(there).enumerate() {
            if let (Some((_, before)), Some((type_id, after))) = (
                position(programs.old, old, *before),
                position(programs.new, new, *after),
            ) && before != after
            {
                let constant = Constant::Integer {
                    type_id,
                    bits: before,
                };
                changes.push((new, index, constant));
            }
        }
    }
    changes.extend(moved_with_their_text(programs, change));
    let mut program = programs.new.clone();
    for ((function, instruction), index, constant) in changes {
        let constant = program.constants.intern(constant);
        if let Some(body) = &mut program.functions[function.index()].body {
            let first = body.instruction(instruction).first_operand as usize;
            body.operands[first + index] = Operand::Constant(constant);
        }
    }
    program
}

/// Numbers of lines that calls pass and that moved with their text, whatever the calls are paired
/// with. A number that the partner of a node passes as well did not move: it is no line's.
fn moved_with_their_text(
    programs: Sides<&Program>,
    change: &Change,
) -> Vec<(Node, usize, Constant)> {
    let moved = &change.moved_positions;
    let file = |program: &'_ Program, place: PlaceId| {
        let file = program.place(place).file;
        program.file_path(file).to_owned()
    };
    let before: FxHashMap<(String, u32), u128> = moved
        .old
        .iter()
        .map(|((place, number), line)| ((file(programs.old, *place), *line), *number))
        .collect();
    let partners: FxHashMap<Node, Node> = paired_nodes(change, programs.new)
        .filter(|(new, _)| !change.is_source(Side::New, new.0, new.1))
        .collect();
    let stayed = |new: Node, index: usize, bits: u128| {
        let there = partners.get(&new).map(|old| operands(programs.old, *old));
        match there.and_then(|operands| operands.get(index)) {
            Some(Operand::Constant(constant)) => matches!(
                programs.old.constant(*constant),
                Constant::Integer { bits: before, .. } if *before == bits
            ),
            _ => false,
        }
    };
    let mut changes = Vec::new();
    for (function, _, body) in programs.new.defined_functions() {
        for id in body.instruction_ids() {
            let place = body.instruction(id).place;
            for (index, operand) in body.operands(id).iter().enumerate() {
                if let Operand::Constant(constant) = operand
                    && let Constant::Integer { type_id, bits } = programs.new.constant(*constant)
                    && let Some(line) = moved.new.get(&(place, *bits))
                    && let Some(number) = before.get(&(file(programs.new, place), *line))
                    && !stayed((function, id), index, *bits)
                {
                    let constant = Constant::Integer {
                        type_id: *type_id,
                        bits: *number,
                    };
                    changes.push(((function, id), index, constant));
                }
            }
        }
    }
    changes
}

fn operands(program: &Program, (function, instruction): Node) -> &[Operand] {
    match &program.function(function).body {
        Some(body) => body.operands(instruction),
        None => &[],
    }
}

/// The operand's type and value if it is the line on which it stands.
fn position(
    program: &Program,
    (function, instruction): Node,
    operand: Operand,
) -> Option<(knockon_program::TypeId, u128)> {
    let body = program.function(function).body.as_ref()?;
    let place = program.place(body.instruction(instruction).place);
    let Operand::Constant(id) = operand else {
        return None;
    };
    match program.constant(id) {
        Constant::Integer { type_id, bits }
            if place.is_known() && *bits == u128::from(place.line) =>
        {
            Some((*type_id, *bits))
        }
        _ => None,
    }
}
