//! What is held to the laws: two C texts, read and promoted, and runs of both on the same inputs.

use super::claims::{Analysis, Claims};
use super::{Findings, containment, duality, names, oracle, pairing, positions};
use crate::against_clang::HarnessError;
use crate::against_clang::interpreted::Interpreter;
use crate::edits::PairProgram;
use knockon_change::{Edits, Sides, Version, text_hunks};
use knockon_interpreter::{Exit, ObserveRequest, Run, RunCaveat, RunInput};
use knockon_memory::memory_model::memory_model;
use knockon_program::Program;
use std::fs;
use std::path::Path;

/// What came of one pair.
#[derive(Clone, Debug)]
pub enum Outcome {
    Checked {
        findings: Findings,
        /// Why runs of the pair were no evidence; empty if all were.
        no_evidence: Vec<String>,
    },
    /// No pair of programs; why.
    Skipped(String),
}

/// Reads both versions, analyses them, runs them, and holds the claims to all laws. Both texts are
/// written below `directory`, under one name.
pub fn examine(
    interpreter: &Interpreter,
    analysis: Analysis,
    pair: &PairProgram,
    flags: &[String],
    directory: &Path,
) -> Result<Outcome, HarnessError> {
    let read = |side: &str, text: &str| {
        let path = directory.join(side).join("program.c");
        fs::create_dir_all(directory.join(side))
            .and_then(|()| fs::write(&path, text))
            .map_err(|source| HarnessError::File {
                path: path.clone(),
                source,
            })?;
        interpreter.read(&path, flags)
    };
    let old = match read("old", &pair.old)? {
        Ok(program) => program,
        Err(_) => return Ok(Outcome::Skipped("the old version does not compile".into())),
    };
    let new = match read("new", &pair.new)? {
        Ok(program) => program,
        Err(_) => return Ok(Outcome::Skipped("the new version does not compile".into())),
    };
    let read = Sides { old, new };
    let (old, new) = (promoted(&read.old), promoted(&read.new));
    let programs = Sides {
        old: &old,
        new: &new,
    };
    let memory = Sides {
        old: memory_model(&old),
        new: memory_model(&new),
    };
    let versions = Sides {
        old: Version {
            program: &old,
            memory: &memory.old,
        },
        new: Version {
            program: &new,
            memory: &memory.new,
        },
    };
    let mut edits = Edits {
        others_are_unedited: true,
        ..Edits::default()
    };
    let hunks = text_hunks(&pair.old, &pair.new);
    edits.files.insert("program.c".to_string(), hunks);
    let claims = analysis(versions, &edits);
    let mut findings = Findings {
        claimed: claims.claimed_nodes(&new),
        ..Findings::default()
    };
    pairing::check(programs, &claims, &mut findings);
    if pair.is_unchanged() {
        pairing::check_unchanged(programs, &claims, &mut findings);
    }
    containment::check(versions, &claims, &mut findings);
    duality::check(versions.new, &mut findings);
    let mut no_evidence = Vec::new();
    for input in &pair.inputs {
        let input = interpreter.run_input(input);
        match runs(&read, programs, &claims, &input) {
            Ok(runs) => {
                if let (Some(old), Some(new)) = (&runs.old.observations, &runs.new.observations) {
                    oracle::check(programs, &claims, Sides { old, new }, &mut findings);
                }
            }
            Err(reason) => no_evidence.push(reason),
        }
    }
    Ok(Outcome::Checked {
        findings,
        no_evidence,
    })
}

fn promoted(program: &Program) -> Program {
    let mut program = program.clone();
    knockon_graphs::promote(&mut program);
    program
}

/// Runs both versions, or says why that is no evidence. Promotion may hide that a variable is used
/// before it has a value, so the programs as read are asked first.
fn runs(
    read: &Sides<Program>,
    programs: Sides<&Program>,
    claims: &Claims,
    input: &RunInput,
) -> Result<Sides<Run>, String> {
    for (program, which) in [(&read.old, "old version"), (&read.new, "new version only")] {
        let run = knockon_interpreter::run(program, input);
        is_evidence(&run).map_err(|reason| format!("{which}: {reason}"))?;
    }
    let requests = names::requests(programs, claims);
    let run = |program: &Program, request: ObserveRequest| -> Result<Run, String> {
        let input = RunInput {
            observe: Some(request),
            ..input.clone()
        };
        let run = knockon_interpreter::run(program, &input);
        is_evidence(&run).map_err(|reason| format!("promoted: {reason}"))?;
        Ok(run)
    };
    Ok(Sides {
        old: run(programs.old, requests.old)?,
        new: run(
            &positions::with_old_positions(programs, claims),
            requests.new,
        )?,
    })
}

fn is_evidence(run: &Run) -> Result<(), String> {
    match &run.exit {
        Exit::Undefined { .. } => Err("undefined behaviour".to_string()),
        Exit::StepLimit => Err("too many steps".to_string()),
        Exit::Unsupported(reason) => Err(reason.clone()),
        _ if run.caveats.contains(&RunCaveat::Environment) => {
            Err("reads the clock, a random number or an address as a number".to_string())
        }
        _ => Ok(()),
    }
}
