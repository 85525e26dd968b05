//! Question: where did the source set a variable, now that no store says so?
//!
//! `y = x;` and `return n;` are a load and a store that promotion takes away, and with them all that
//! the line does: nothing on it would be left that sees another value, or that runs more or less often.
//! So a store to a promoted variable leaves a *copy*: a cast of the value to its own type, at the
//! store's place, which nobody uses.
//!
//! Rules: which stores have a copy, [`is_copy`] says, since a copy is a node. One that stores what a
//! load gives has none while that load is there. Lines do not matter: where code is only laid out anew,
//! the copies are the same.
//!
//! Why right: a copy uses a value where a store did, which its definition dominates, and is used by
//! nothing. So the rest of the body is what it was.
//!
//! Cost: linear in the body.

use super::rebuilding::{Numbers, row};
use knockon_program::{
    Body, ByValueArgument, Flags, InstructionId, InstructionRow, Opcode, Operand, PlaceId, Program,
    TypeId, View, is_copy,
};

/// A store to a promoted variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    value: Operand,
    type_id: TypeId,
    place: PlaceId,
    /// The instruction in front of which it stands.
    before: InstructionId,
    /// The load from which the statement has the value is still there.
    is_loaded: bool,
}

/// Renumbers what is there, and adds what a plan deletes.
pub(super) fn follow(old: &Body, numbers: &Numbers<'_>, copies: &mut Vec<Copy>, stores: Vec<Copy>) {
    copies.extend(stores);
    // By old number, since stores that are neighbours now were not then.
    copies.sort_by_key(|copy| copy.before);
    copies.retain(|copy| !numbers.is_gone(old, copy.value));
    for copy in copies {
        copy.is_loaded &= !numbers.is_replaced(copy.value);
        copy.value = numbers.operand(copy.value);
        copy.before = numbers.position(copy.before);
    }
}

/// The copy that a store is, with the number that it has; `type_id` is the variable's.
pub(super) fn of_store(
    program: &Program,
    body: &Body,
    store: InstructionId,
    type_id: TypeId,
) -> Option<Copy> {
    let View::Store { value, .. } = body.view(store) else {
        return None;
    };
    is_copy(program, body, store, type_id).then_some(Copy {
        value,
        type_id,
        place: body.instruction(store).place,
        before: store,
        is_loaded: matches!(value, Operand::Instruction(_)),
    })
}

/// The body with its copies.
pub(super) fn with_copies(old: &Body, copies: &[Copy]) -> Body {
    let wanted: Vec<&Copy> = copies.iter().filter(|copy| !copy.is_loaded).collect();
    let mut new_numbers = Vec::with_capacity(old.instructions.len());
    let mut next = 0;
    let mut passed = 0;
    for id in old.instruction_ids() {
        while wanted.get(passed).is_some_and(|copy| copy.before <= id) {
            passed += 1;
            next += 1;
        }
        new_numbers.push(InstructionId(next));
        next += 1;
    }
    let operand = |operand: Operand| match operand {
        Operand::Instruction(id) => Operand::Instruction(new_numbers[id.index()]),
        other => other,
    };
    let mut body = Body {
        blocks: Vec::with_capacity(old.blocks.len()),
        instructions: Vec::with_capacity(next as usize),
        operands: Vec::with_capacity(old.operands.len() + wanted.len()),
        variables: old.variables.clone(),
        variable_locations: old.variable_locations.clone(),
        by_value_arguments: Vec::new(),
        debug_calls: old.debug_calls,
    };
    let mut left = wanted.iter().peekable();
    for block in old.block_ids() {
        body.begin_block(old.block(block).name);
        for id in old.instructions_of(block) {
            while let Some(copy) = left.next_if(|copy| copy.before <= id) {
                body.push(
                    InstructionRow {
                        opcode: Opcode::BitCast,
                        detail: 0,
                        flags: Flags::NONE,
                        type_id: copy.type_id,
                        extra: 0,
                        place: copy.place,
                    },
                    [operand(copy.value)],
                );
            }
            let operands = old.operands(id).iter();
            body.push(row(old.instruction(id)), operands.map(|one| operand(*one)));
        }
    }
    for location in &mut body.variable_locations {
        location.value = operand(location.value);
        location.before = new_numbers[location.before.index()];
    }
    let arguments = old.by_value_arguments.iter();
    body.by_value_arguments = arguments
        .map(|row| ByValueArgument {
            call: new_numbers[row.call.index()],
            ..*row
        })
        .collect();
    body
}
