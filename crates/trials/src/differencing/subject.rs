//! What is held to the laws: two C texts, read and promoted, and runs of both on the same inputs.

use super::claims::{Analysis, Claims};
use super::containment::Order;
use super::reported::LineVerdicts;
use super::{CLAIMED, DIFFERING, Findings, Law, SEEN};
use super::{containment, duality, oracle, pairing, reported};
use crate::against_clang::HarnessError;
use crate::against_clang::interpreted::Interpreter;
use crate::edits::PairProgram;
use knockon_change::{Sides, object_names, with_old_positions};
use knockon_engine::comparison::{Models, programs};
use knockon_engine::levels::Level;
use knockon_interpreter::{Exit, ObserveRequest, Run, RunCaveat, RunInput};
use knockon_program::{ObjectNames, Program, TimeLimit};
use std::fs;
use std::path::Path;

/// What came of one pair.
pub type Outcome = crate::soak::laws::Outcome<Law>;

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
        let path = directory.join(side).join(reported::FILE);
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
    let promoted = Sides {
        old: promoted(&read.old),
        new: promoted(&read.new),
    };
    let versions = reported::read_versions(pair, promoted, directory);
    let programs = programs(&versions, 0);
    let models = Models::of(programs, TimeLimit::NONE).expect("there is no limit");
    let analysed = models.versions(programs);
    let claims = (analysis.claims)(analysed, &versions.edits);
    let report = analysis
        .report
        .map(|report| report(&versions, Level::SEMANTIC));
    let report = report.transpose()?;
    let lines = report.as_ref().map(LineVerdicts::of);
    let mut findings = Findings::default();
    findings.tally(CLAIMED, claims.claimed_nodes(programs.new));
    pairing::check(programs, &claims, &mut findings);
    if pair.is_unchanged() {
        pairing::check_unchanged(programs, &claims, &mut findings);
    }
    if let Some(report) = &report {
        reported::check(pair, report, &mut findings);
        reported::check_again(pair, &versions, report, &mut findings)?;
    }
    let orders = Sides {
        old: Order::of(analysed.old),
        new: Order::of(analysed.new),
    };
    containment::check(&orders, &claims, report.as_ref(), &mut findings);
    duality::check(analysed.new, &orders.new, &mut findings);
    let mut no_evidence = Vec::new();
    for input in &pair.inputs {
        let input = interpreter.run_input(input);
        match runs(&read, programs, &claims, &input) {
            Ok(runs) => {
                if let Some(report) = &report {
                    reported::check_output(report, &runs, &mut findings);
                }
                if let (Some(old), Some(new)) = (&runs.old.observations, &runs.new.observations) {
                    let seen = Sides { old, new };
                    oracle::check(programs, &claims, lines.as_ref(), seen, &mut findings);
                }
            }
            Err(reason) => no_evidence.push(reason),
        }
    }
    let differs = findings.tallied(SEEN) > 0;
    findings.tally(DIFFERING, usize::from(differs));
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
    let names = object_names(programs, &claims.change);
    let run = |program: &Program, names: ObjectNames| -> Result<Run, String> {
        let input = RunInput {
            observe: Some(ObserveRequest {
                names,
                ..ObserveRequest::default()
            }),
            ..input.clone()
        };
        let run = knockon_interpreter::run(program, &input);
        is_evidence(&run).map_err(|reason| format!("promoted: {reason}"))?;
        Ok(run)
    };
    Ok(Sides {
        old: run(programs.old, names.old)?,
        new: run(&with_old_positions(programs, &claims.change), names.new)?,
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
