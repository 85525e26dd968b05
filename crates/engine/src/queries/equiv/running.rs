//! Both versions of a function, run on inputs made for it or on what models describe.

use super::{EquivOptions, ExampleFiles, Permission};
use crate::budget::Budget;
use crate::read::versions::ReadVersions;
use knockon_build::clang::executable::CompileTextError;
use knockon_build::clang::sanitizers::runtime_package;
use knockon_build::clang::whole_text::whole_text;
use knockon_build::unit::{Route, UnitCommand};
use knockon_change::{Side, Sides};
use knockon_dynamic::counterexample::{Example, differing};
use knockon_dynamic::modelled::Start;
use knockon_dynamic::replay::{Means, Replay, ReplayError, Sanitizers, Subject};
use knockon_dynamic::shapes::shapes;
use knockon_library::{library, replaced_functions};
use knockon_program::{FunctionId, Operand, Program, UnitId};
use knockon_proof::fixed_values::unwritten_variables;
use knockon_proof::function_pairs::FunctionPairs;
use knockon_report::{Counterexample, EquivFunction, EquivVerdict};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Inputs that are made with the numbers of models.
const INPUTS_NEAR_MODELS: usize = 1000;

/// Runs both versions, on what models describe if there are some; what came of it goes to the row.
pub(super) fn run(
    versions: &ReadVersions,
    pairs: &FunctionPairs<'_>,
    number: usize,
    starts: &[Start],
    options: &EquivOptions<'_>,
    row: &mut EquivFunction,
) -> Option<ExampleFiles> {
    let pair = &pairs.change.pairs[number];
    if options.permission == Permission::Missing {
        row.reasons.push(
            "no input was tried, since that runs code of the program: --allow-run allows it"
                .to_owned(),
        );
        return None;
    }
    if let Err(stop) = options.budget.check() {
        if starts.is_empty() {
            row.reasons.push(format!("no input was tried: {stop}"));
        }
        return None;
    }
    let programs = Sides {
        old: pairs.versions.old.program,
        new: pairs.versions.new.program,
    };
    let reached = shapes(programs, pair.functions, &pair.parameters).reached;
    for side in Side::BOTH {
        let program = *programs.of(side);
        let entered = std::iter::once(*pair.functions.of(side)).chain(reached.of(side).clone());
        if let Some(name) = replaced_name(program, &entered.collect::<Vec<_>>()) {
            row.reasons.push(format!(
                "no input was tried: the program has a `{name}` of its own, which what runs it calls, too"
            ));
            return None;
        }
    }
    let units = |side: Side| {
        let function = *pair.functions.of(side);
        let reached = reached.of(side);
        units_of(
            programs.of(side),
            function,
            reached,
            versions.commands.of(side),
        )
    };
    let (old_units, new_units) = match (units(Side::Old), units(Side::New)) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(reason), _) | (_, Err(reason)) => {
            row.reasons.push(format!("no input was tried: {reason}"));
            return None;
        }
    };
    let unwritten = unwritten_variables(pairs.versions.old);
    let subject = Subject {
        programs,
        pair,
        names: Sides {
            old: source_name(programs.old, pair.functions.old),
            new: source_name(programs.new, pair.functions.new),
        },
        units: Sides {
            old: old_units,
            new: new_units,
        },
        moved_positions: &pairs.change.moved_positions,
        has_old_names: !versions.old_names.is_empty(),
        unwritten: &unwritten,
    };
    let found = until_over(options.budget, |is_over| {
        let means = Means {
            clang: options.clang,
            cache: options.cache,
            compile_limit: options.budget.left(Duration::from_secs(60)),
            // Both versions are run.
            run_limit: options.budget.left(Duration::from_secs(40)) / 2,
            interrupted: is_over,
        };
        witness(&subject, means, starts, options, row)
    });
    match found {
        Ok(example) => example,
        Err(error) => {
            let error = error.to_string();
            let first = error.lines().next().unwrap_or_default();
            // What models describe cannot be run either, and that was said.
            if starts.is_empty() {
                let reason = match options.budget.check() {
                    Err(stop) => stop.to_string(),
                    Ok(()) => first.to_owned(),
                };
                row.reasons.push(format!("no input was tried: {reason}"));
            }
            None
        }
    }
}

/// How often is looked whether time is up.
const PATIENCE: Duration = Duration::from_millis(20);

/// Does something that is told when the budget is over or the user stops it: one search runs a
/// program many times, each of which may take long.
fn until_over<T>(budget: Budget<'_>, work: impl FnOnce(&AtomicBool) -> T) -> T {
    let (is_over, is_done) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) && budget.check().is_ok() {
                std::thread::sleep(PATIENCE);
            }
            is_over.store(true, Ordering::Relaxed);
        });
        let result = work(&is_over);
        is_done.store(true, Ordering::Relaxed);
        result
    })
}

fn witness(
    subject: &Subject<'_>,
    means: Means<'_>,
    starts: &[Start],
    options: &EquivOptions<'_>,
    row: &mut EquivFunction,
) -> Result<Option<ExampleFiles>, ReplayError> {
    let mut replay = Replay::new(subject, means)?;
    let found = match starts.is_empty() {
        true => replay.search(options.inputs)?,
        false => replay.search_modelled(starts, INPUTS_NEAR_MODELS)?,
    };
    if starts.is_empty() && !replay.missing_limits.is_empty() {
        row.reasons.push(format!(
            "it was run without these limits, which the kernel does not grant: {}",
            replay.missing_limits
        ));
    }
    let watched = (replay.sanitizers == Sanitizers::Trapping).then(|| {
        format!(
            "runs were watched by traps only, so undefined accesses to memory may pass for a difference: install {} for the sanitizers' runtime",
            runtime_package(options.clang)
        )
    });
    let Some(witness) = found else {
        if starts.is_empty() {
            row.reasons.extend(watched);
        }
        row.reasons.push(match starts.is_empty() {
            true => {
                let without = replay.inputs_without_meaning;
                let run = replay.inputs_run - without;
                let said = format!("{run} inputs were run on both versions without a difference");
                match without {
                    0 => said,
                    _ => format!("{said}; on {without} more the old version is undefined, too slow or in need of more units"),
                }
            }
            false => "what a solver suggests was run without a difference".to_owned(),
        });
        return Ok(None);
    };
    let count = subject.pair.parameters.len() as u32;
    let partner = |own: u32| subject.pair.partner_of_parameter(Side::New, own);
    let new_arguments: Vec<u32> = (0..count).map(|own| partner(own).unwrap_or(own)).collect();
    let externals = replay.external_functions();
    let (signature, globals) = (replay.signature.clone(), replay.globals.clone());
    let (missing, clang) = (replay.missing.clone(), means.clang.path.clone());
    let (names, units) = (subject.names.clone(), subject.units.clone());
    let mut reasons = vec!["seen on a run of both versions".to_owned()];
    reasons.extend(watched);
    let texts = match (
        whole_texts(&units.old, means),
        whole_texts(&units.new, means),
    ) {
        (Ok(old), Ok(new)) => Sides { old, new },
        (Err(error), _) | (_, Err(error)) => {
            reasons.push(format!("no file repeats it: {error}"));
            Sides::default()
        }
    };
    let has_files = !texts.old.is_empty();
    let example = move |file: Option<&str>| {
        let example = Example {
            names: &names,
            units: &units,
            texts: &texts,
            signature: &signature,
            globals: &globals,
            new_arguments: &new_arguments,
            externals: &externals,
            missing: &missing,
            clang: &clang,
            witness: &witness,
        };
        match file {
            Some(file) => (example.files(file), Counterexample::default()),
            None => {
                let words = Counterexample {
                    file: None,
                    call: example.call_in_words(),
                    given: example.given_in_words(),
                    old: differing(&witness.seen, Side::Old),
                    new: differing(&witness.seen, Side::New),
                };
                (Vec::new(), words)
            }
        }
    };
    row.verdict = EquivVerdict::Different;
    row.reasons = reasons;
    row.counterexample = Some(example(None).1);
    match has_files {
        true => Ok(Some(Box::new(move |file| example(Some(file)).0))),
        false => Ok(None),
    }
}

/// The texts of units with all that they include.
fn whole_texts(units: &[UnitCommand], means: Means<'_>) -> Result<Vec<String>, CompileTextError> {
    let texts = units
        .iter()
        .map(|unit| whole_text(means.clang, unit, means.compile_limit, means.interrupted));
    texts.collect()
}

/// A function of the library that the program replaces, if one of these functions may enter it
/// through the library, or its unit is one of theirs: the code that calls both versions would be
/// linked with it.
fn replaced_name<'a>(program: &'a Program, entered: &[FunctionId]) -> Option<&'a str> {
    let replaced = replaced_functions(program, library());
    let unit_of = |id: &FunctionId| program.function(*id).unit;
    let mut functions = replaced.functions.iter();
    let linked = functions.find(|id| entered.iter().any(|other| unit_of(other) == unit_of(id)));
    let calls_library = |id: &FunctionId| {
        let Some(body) = program.function(*id).body.as_deref() else {
            return false;
        };
        let mut calls = body.instruction_ids().filter_map(|id| body.callee(id));
        calls.any(|callee| match callee {
            Operand::Constant(callee) => program
                .called_function(callee)
                .is_some_and(|callee| replaced.may_be_entered_by(callee)),
            _ => replaced.may_be_entered(),
        })
    };
    let found = linked.or_else(|| match entered.iter().any(calls_library) {
        true => replaced.functions.first(),
        false => None,
    });
    found.map(|id| program.function_name(*id))
}

/// How the units are compiled that a function needs, its own first.
fn units_of(
    program: &Program,
    function: FunctionId,
    reached: &[FunctionId],
    commands: &[UnitCommand],
) -> Result<Vec<UnitCommand>, String> {
    let command = |unit: UnitId| -> Result<UnitCommand, String> {
        let source = program.name(program.units[unit.index()].source);
        let found = match commands {
            [only] => Some(only),
            _ => commands.iter().find(|command| {
                let path = command.display_path();
                path.ends_with(source) || Path::new(source).ends_with(&path)
            }),
        };
        let found = found.ok_or_else(|| format!("how {source} is compiled is not known"))?;
        match found.route() {
            Route::Clang => Ok(found.clone()),
            _ => Err(format!(
                "{source} is not a source file that can be compiled"
            )),
        }
    };
    let own = program.function(function).unit;
    let mut others: Vec<UnitId> = reached
        .iter()
        .map(|id| program.function(*id).unit)
        .filter(|unit| *unit != own)
        .collect();
    others.sort_unstable();
    others.dedup();
    let mut units = vec![command(own)?];
    for unit in others {
        units.push(command(unit)?);
    }
    Ok(units)
}

/// The name in the source.
pub(super) fn source_name(program: &Program, function: FunctionId) -> String {
    let row = program.function(function);
    match program.name(row.source_name) {
        "" => program.name(row.name).to_owned(),
        name => name.to_owned(),
    }
}
