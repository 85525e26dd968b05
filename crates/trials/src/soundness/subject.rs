//! What is run and held to the laws: a C source in two forms, as read and promoted to SSA, on one
//! input. Only runs that end by their own will, or are cut by the step limit, are evidence.

use super::{Analyses, Findings, Law, check};
use crate::against_clang::interpreted::Interpreter;
use crate::against_clang::{HarnessError, Input};
use knockon_interpreter::{Exit, RunInput};
use knockon_program::Program;
use std::path::Path;

/// What came of one source.
pub type Outcome = crate::soak::laws::Outcome<Law>;

/// Reads a source, runs it in both forms and holds both runs to the laws.
pub fn examine(
    interpreter: &Interpreter,
    source: &Path,
    input: &Input,
    flags: &[String],
) -> Result<Outcome, HarnessError> {
    let read = match interpreter.read(source, flags)? {
        Ok(program) => program,
        Err(message) => return Ok(Outcome::Skipped(format!("reading: {message}"))),
    };
    let run_input = interpreter.run_input(input);
    let mut promoted = read.clone();
    knockon_graphs::promote(&mut promoted);
    let mut all = Findings::default();
    for program in [&read, &promoted] {
        match examine_program(program, &run_input) {
            Outcome::Checked { findings, .. } => all.add(findings),
            skipped => return Ok(skipped),
        }
    }
    Ok(checked(all))
}

/// Runs a program and holds the run to the laws.
pub fn examine_program(program: &Program, input: &RunInput) -> Outcome {
    let input = RunInput {
        trace: true,
        ..input.clone()
    };
    let run = knockon_interpreter::run(program, &input);
    match (run.exit, run.trace) {
        (Exit::Undefined { kind, .. }, _) => {
            Outcome::Skipped(format!("undefined behaviour: {kind:?}"))
        }
        (Exit::Unsupported(reason), _) => Outcome::Skipped(reason),
        (_, Some(trace)) => checked(check(program, &Analyses::of(program), &trace)),
        (_, None) => Outcome::Skipped("the run left no trace".to_string()),
    }
}

fn checked(findings: Findings) -> Outcome {
    Outcome::Checked {
        findings,
        no_evidence: Vec::new(),
    }
}
