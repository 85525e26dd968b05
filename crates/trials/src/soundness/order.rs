//! The laws of execute-after: what executed after a function is in its set, whichever algorithm
//! finds it, and execute-before is the inverse.

use super::{Analyses, Findings, Law, place_of_function};
use knockon_impact::Procedure;
use knockon_impact::execute_after::{Direction, execute_after};
use knockon_interpreter::Trace;
use knockon_program::{FunctionId, Program};

pub fn check(program: &Program, analyses: &Analyses, trace: &Trace, findings: &mut Findings) {
    let active: Vec<FunctionId> = trace.active().collect();
    for earlier in &active {
        for later in &active {
            if !trace.executed_after(*earlier, *later) {
                continue;
            }
            findings.count(Law::ExecuteAfter, 1);
            let (from, to) = (Procedure::from(*earlier), Procedure::from(*later));
            if !analyses.after.contains(from, to) {
                findings.violated(
                    Law::ExecuteAfter,
                    place_of_function(program, *earlier),
                    format!(
                        "{} executed after {}",
                        program.function_name(*later),
                        program.function_name(*earlier)
                    ),
                );
            }
        }
    }
    check_algorithms(program, analyses, findings);
}

/// Fig. 4 for each function against Fig. 5 for all.
fn check_algorithms(program: &Program, analyses: &Analyses, findings: &mut Findings) {
    let before = analyses.after.inverse();
    let reversed = analyses.order.reversed();
    for function in analyses.components.functions() {
        for (direction, order, all) in [
            (Direction::After, &analyses.order, &analyses.after),
            (Direction::Before, &reversed, &before),
        ] {
            findings.count(Law::Algorithms, 1);
            let one = execute_after(&analyses.components, order, function, direction);
            let one: Vec<Procedure> = one.related.iter().map(|row| row.function).collect();
            if one != all.related(function) {
                let id = FunctionId(function.0);
                findings.violated(
                    Law::Algorithms,
                    place_of_function(program, id),
                    format!(
                        "the sets of {} differ ({direction:?}): {} functions for one, {} for all",
                        program.function_name(id),
                        one.len(),
                        all.related(function).len()
                    ),
                );
            }
        }
    }
}
