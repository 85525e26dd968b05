//! Which change shall we try next? Pairs of versions: a random program and the same after one to
//! three random edits of the kinds that people make, from a changed constant to a moved function.
//!
//! An edit is a function that changes the syntax tree and says what it did, or finds nothing of its
//! kind to change. Edits know no types, so a few new versions do not compile and some have
//! undefined behaviour: whoever runs a pair must look. Programs of csmith are edited as text, line
//! by line, in the same spirit.

mod declarations;
mod expressions;
mod functions;
mod layout;
mod rewritings;
mod sites;
mod statements;
pub mod textual;

use crate::against_clang::Input;
use crate::generator::syntax::Program;
use crate::generator::{Shape, Trial, generate, print};
use crate::random::Random;

/// Two versions, inputs for both, and how they differ.
#[derive(Clone, Debug, PartialEq)]
pub struct PairProgram {
    pub old: String,
    pub new: String,
    pub inputs: Vec<Input>,
    /// What was done, in order; empty if nothing.
    pub edits: Vec<String>,
}

impl PairProgram {
    /// Both versions mean the same by construction: nothing but layout and comments differs.
    pub fn is_unchanged(&self) -> bool {
        self.edits.iter().all(|edit| edit == layout::DESCRIPTION)
    }
}

/// An edit of the tree: what it did, or `None` if there is nothing for it to do.
type Edit = fn(&mut Program, &mut Random) -> Option<String>;

/// Each kind as often as it is listed.
const EDITS: [Edit; 35] = [
    expressions::change_constant,
    expressions::change_constant,
    expressions::change_operator,
    expressions::change_operator,
    expressions::change_condition,
    expressions::change_text,
    expressions::call_another_function,
    expressions::replace_by_operand,
    statements::swap,
    statements::delete,
    statements::delete,
    statements::repeat,
    statements::add_break,
    statements::remove_break,
    statements::change_loop_bound,
    statements::wrap_in_condition,
    statements::unwrap_condition,
    statements::swap_branches,
    statements::write_checksum,
    statements::leave_early,
    statements::exit_early,
    statements::remove_section_end,
    declarations::change_global_initialiser,
    declarations::change_local_initialiser,
    declarations::change_member_order,
    declarations::change_width,
    declarations::grow_array,
    declarations::rename_local,
    declarations::add_global,
    functions::rename_function,
    functions::add_parameter,
    functions::move_function,
    functions::extract_statement,
    rewritings::negate_condition,
    rewritings::turn_comparison,
];

/// Pair number `index` of a soak: always the same one.
pub fn own_pair(seed: u64, index: usize) -> (u64, PairProgram) {
    let seed = crate::soak::seed_of(seed, index);
    let mut random = Random::new(seed ^ 0x0ed1_7000);
    let trial = generate(seed, &Shape::any(&mut random));
    let mut old = trial.source();
    let mut program = trial.program.clone();
    let mut edits = Vec::new();
    if random.chance(10) {
        let mut before = program.clone();
        if let Some(after) = rewritings::write_twice(&mut before, &mut random) {
            old = print::program(&before);
            program = after;
            edits.push("two writes of one place swapped".to_string());
        }
    }
    let wanted = match random.below(20) {
        0 => 0,
        1..=12 => 1,
        13..=17 => 2,
        _ => 3,
    };
    // An edit that does not apply is replaced by another, but not for ever.
    for _ in 0..20 {
        if edits.len() >= wanted {
            break;
        }
        let edit = *random.pick(&EDITS);
        let before = program.clone();
        match edit(&mut program, &mut random) {
            Some(description) if program != before => edits.push(description),
            _ => program = before,
        }
    }
    let mut new = print::program(&program);
    if random.chance(15) {
        new = layout::disturb(&new, &mut random);
        edits.push(layout::DESCRIPTION.to_string());
    }
    let pair = PairProgram {
        old,
        new,
        inputs: inputs(&trial, &mut random),
        edits,
    };
    (seed, pair)
}

/// The input that the program was made for, none, and another: programs are free of undefined
/// behaviour on every input.
fn inputs(trial: &Trial, random: &mut Random) -> Vec<Input> {
    let arguments = 0..random.below(4);
    let arguments = arguments.map(|_| random.between(-9, 99).to_string());
    let arguments: Vec<String> = arguments.collect();
    let mut stdin = Vec::new();
    for _ in 0..random.below(6) {
        stdin.extend(random.between(-50, 5000).to_string().into_bytes());
        stdin.push(b'\n');
    }
    vec![trial.input(), Input::default(), Input { arguments, stdin }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_pair() {
        assert_eq!(own_pair(4, 7), own_pair(4, 7));
    }

    #[test]
    fn every_kind_of_edit_finds_something_to_change() {
        for (number, edit) in EDITS.iter().enumerate() {
            let applied = (0..60).filter(|seed| {
                let trial = generate(*seed, &Shape::medium());
                let mut program = trial.program.clone();
                edit(&mut program, &mut Random::new(*seed)).is_some() && program != trial.program
            });
            assert!(applied.count() >= 5, "edit {number} hardly ever applies");
        }
    }

    #[test]
    fn a_pair_without_an_edit_has_one_text() {
        let pairs = (0..200).map(|index| own_pair(1, index).1);
        let same: Vec<PairProgram> = pairs.filter(|pair| pair.edits.is_empty()).collect();
        assert!(!same.is_empty());
        assert!(same.iter().all(|pair| pair.old == pair.new));
    }
}
