//! `knockon after` and `knockon before`.

use super::{deliver, format_and_style, tell_failures};
use crate::Outcome;
use crate::arguments::RelationArguments;
use crate::pipeline::{find_function, read_input, reported};
use anyhow::Result;
use knockon_impact::{Direction, Reason, call_structure, execute_after};
use knockon_program::{FunctionId, Program};
use knockon_report::{After, AfterReport, Relation, Why};
use std::collections::BTreeMap;

pub fn after(arguments: &RelationArguments) -> Result<Outcome> {
    run(arguments, Direction::After)
}

pub fn before(arguments: &RelationArguments) -> Result<Outcome> {
    run(arguments, Direction::Before)
}

fn run(arguments: &RelationArguments, direction: Direction) -> Result<Outcome> {
    let (executable, account) = read_input(&arguments.program)?.only_executable()?;
    tell_failures(&account);
    let program = &executable.program;
    let functions: Vec<FunctionId> = match arguments.all {
        true => program.defined_functions().map(|(id, ..)| id).collect(),
        false => arguments
            .functions
            .iter()
            .map(|name| find_function(program, name))
            .collect::<Result<_>>()?,
    };
    let calls = call_structure(program);
    let names = display_names(program);
    let mut relation = BTreeMap::new();
    for function in functions {
        let members = execute_after(&calls, function, direction)
            .into_iter()
            .map(|related| After {
                function: names[related.function.index()].clone(),
                why: arguments.why.then(|| Why {
                    kind: kind(related.reason, direction),
                    path: related
                        .path
                        .iter()
                        .map(|step| names[step.index()].clone())
                        .collect(),
                }),
            })
            .collect();
        relation.insert(names[function.index()].clone(), members);
    }
    let report = AfterReport {
        schema: "knockon.after/1",
        complete: account.complete(),
        program: executable.name.clone(),
        configuration: account.configuration.clone(),
        direction: match direction {
            Direction::After => Relation::After,
            Direction::Before => Relation::Before,
        },
        relation,
        caveats: account
            .caveats
            .iter()
            .chain(&program.caveats)
            .chain(&calls.caveats)
            .map(|caveat| reported(caveat, program))
            .collect(),
    };
    let (format, style) = format_and_style(&arguments.output);
    let text = report.render(format, style)?;
    deliver(
        text,
        &arguments.output,
        account.exit_code(arguments.program.allow_incomplete),
    )
}

fn kind(reason: Reason, direction: Direction) -> &'static str {
    match (reason, direction) {
        (Reason::Calls, _) => "calls",
        (Reason::ReturnsInto, Direction::After) => "returns into",
        (Reason::ReturnsInto, Direction::Before) => "is called from",
        (Reason::Follows, Direction::After) => "follows",
        (Reason::Follows, Direction::Before) => "precedes",
    }
}

/// The name of each function, qualified by its file where it exists twice.
fn display_names(program: &Program) -> Vec<String> {
    let mut counts = std::collections::HashMap::new();
    for (_, function, _) in program.defined_functions() {
        *counts.entry(function.name).or_insert(0) += 1;
    }
    program
        .functions
        .iter()
        .map(|function| {
            let name = program.name(function.name);
            let place = program.place(function.place);
            match counts.get(&function.name) {
                Some(2..) if place.is_known() => {
                    format!("{}:{name}", program.file_path(place.file))
                }
                _ => name.to_owned(),
            }
        })
        .collect()
}
