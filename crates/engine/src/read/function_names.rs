//! How functions are called in results, so that each name means one function and can be given back
//! as an argument.

use knockon_program::{Function, Program};
use std::collections::HashMap;

/// The name of each function: alone where it is the only one, else with its file in front, else
/// (a static function of a header) with the file of its unit.
pub fn display_names(program: &Program) -> Vec<String> {
    let name = |function: &Function| program.name(function.name).to_owned();
    let with_file = |function: &Function| match program.place(function.place) {
        place if place.is_known() => {
            format!("{}:{}", program.file_path(place.file), name(function))
        }
        _ => with_unit(program, function),
    };
    let mut names: Vec<String> = program.functions.iter().map(name).collect();
    qualify(program, &mut names, with_file);
    qualify(program, &mut names, |function| with_unit(program, function));
    names
}

fn with_unit(program: &Program, function: &Function) -> String {
    let source = program.units[function.unit.index()].source;
    format!("{}:{}", program.name(source), program.name(function.name))
}

/// Gives the functions with a body whose name another one has too a longer name.
fn qualify(program: &Program, names: &mut [String], longer: impl Fn(&Function) -> String) {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for (id, ..) in program.defined_functions() {
        *counts.entry(&names[id.index()]).or_default() += 1;
    }
    let ambiguous: Vec<usize> = program
        .defined_functions()
        .map(|(id, ..)| id.index())
        .filter(|id| counts[names[*id].as_str()] > 1)
        .collect();
    for id in ambiguous {
        names[id] = longer(&program.functions[id]);
    }
}
