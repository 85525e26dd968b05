//! **Question.** Which variables of a program does no pointer point to?
//!
//! **Rules.** A variable of internal linkage whose address is used for nothing but to load from and to
//! store to, at its start or a constant distance from it: neither passed, stored, compared, nor part of
//! an initialiser. Nor is it in a section whose bounds have names. What is computed from other addresses
//! never leads to it.
//!
//! **Soundness.** Code outside of the unit cannot name it. Inside, every occurrence of the address was
//! looked at.
//!
//! **Cost.** Linear in the program.

use fixedbitset::FixedBitSet;
use knockon_program::{Constant, ConstantId, GlobalId, Linkage, Opcode, Operand, Program};
use rustc_hash::FxHashSet;

/// A name that tells variables of internal linkage apart, the same in both versions.
pub(crate) fn internal_name(program: &Program, global: GlobalId) -> Option<String> {
    let row = &program.globals[global.index()];
    let unit = &program.units[row.unit.index()];
    (row.linkage == Linkage::Internal).then(|| {
        format!(
            "static {} {}",
            program.name(unit.source),
            program.name(row.name)
        )
    })
}

/// The names of internal variables that a pointer may point to, and of the others.
#[derive(Default)]
pub(crate) struct Seen {
    pub seen: FxHashSet<String>,
    pub unseen: FxHashSet<String>,
}

pub(crate) fn seen_variables(program: &Program) -> Seen {
    let mut seen = FixedBitSet::with_capacity(program.globals.len());
    for global in &program.globals {
        global
            .initialiser
            .into_iter()
            .for_each(|id| note(program, id, &mut seen));
    }
    for alias in &program.aliases {
        note(program, alias.aliasee, &mut seen);
    }
    for (number, is_known) in program.known_outside().into_iter().enumerate() {
        if is_known {
            seen.insert(number);
        }
    }
    let bodies = program
        .functions
        .iter()
        .filter_map(|row| row.body.as_deref());
    for body in bodies {
        for id in body.instruction_ids() {
            let opcode = body.instruction(id).opcode;
            for (at, operand) in body.operands(id).iter().enumerate() {
                let is_accessed = matches!((opcode, at), (Opcode::Load, 0) | (Opcode::Store, 1));
                match operand {
                    Operand::Constant(constant) if is_accessed => {
                        note_accessed(program, *constant, &mut seen);
                    }
                    Operand::Constant(constant) => note(program, *constant, &mut seen),
                    _ => {}
                }
            }
        }
    }
    let mut found = Seen::default();
    for number in 0..program.globals.len() {
        let Some(name) = internal_name(program, GlobalId::from(number)) else {
            continue;
        };
        match seen.contains(number) {
            true => found.seen.insert(name),
            false => found.unseen.insert(name),
        };
    }
    found
}

/// All variables in a constant are seen.
fn note(program: &Program, constant: ConstantId, seen: &mut FixedBitSet) {
    let mut work = vec![constant];
    while let Some(next) = work.pop() {
        match program.constant(next) {
            Constant::Global(global) => seen.insert(global.index()),
            Constant::Aggregate { elements, .. } => work.extend(elements.iter()),
            Constant::Expression(expression) => work.extend(expression.operands.iter()),
            _ => {}
        }
    }
}

/// The address of an access: a variable's, or one at a constant distance from it.
fn note_accessed(program: &Program, constant: ConstantId, seen: &mut FixedBitSet) {
    match program.constant(constant) {
        Constant::Global(_) => {}
        Constant::Expression(expression) if expression.opcode == Opcode::GetElementPointer => {
            let Some((base, others)) = expression.operands.split_first() else {
                return;
            };
            note_accessed(program, *base, seen);
            others.iter().for_each(|other| note(program, *other, seen));
        }
        _ => note(program, constant, seen),
    }
}
