//! Which function does the user mean?

use crate::function_names::display_names;
use anyhow::{Result, bail};
use knockon_build::nearest_name::{did_you_mean, nearest_names};
use knockon_program::{FunctionId, Program};
use std::path::Path;

/// Finds a function by its name, or by `FILE:NAME` where several have it.
pub fn find_function(program: &Program, text: &str) -> Result<FunctionId> {
    let defined: Vec<FunctionId> = program.defined_functions().map(|(id, ..)| id).collect();
    let unit_of =
        |id: &FunctionId| program.name(program.units[program.function(*id).unit.index()].source);
    let file_of = |id: &FunctionId| {
        let place = program.place(program.function(*id).place);
        match place.is_known() {
            true => program.file_path(place.file),
            false => unit_of(id),
        }
    };
    let has_name = |id: &FunctionId, name: &str| {
        let function = program.function(*id);
        program.name(function.name) == name || program.name(function.source_name) == name
    };
    let mut found: Vec<FunctionId> = defined
        .iter()
        .copied()
        .filter(|id| has_name(id, text))
        .collect();
    if found.is_empty()
        && let Some((file, name)) = text.rsplit_once(':')
    {
        found = defined
            .iter()
            .copied()
            .filter(|id| has_name(id, name) && Path::new(file_of(id)).ends_with(file))
            .collect();
        // A static function of a header exists in each unit that includes it.
        if found.len() != 1 {
            let in_unit = |id: &FunctionId| Path::new(unit_of(id)).ends_with(file);
            let all = defined.iter().copied();
            let in_units: Vec<FunctionId> =
                all.filter(|id| has_name(id, name) && in_unit(id)).collect();
            if !in_units.is_empty() {
                found = in_units;
            }
        }
    }
    // Another name of a function that is here.
    if found.is_empty() {
        let mut aliases = program.aliases.iter();
        if let Some(alias) = aliases.find(|alias| program.name(alias.name) == text) {
            if alias.is_ifunc {
                bail!(
                    "`{text}` is no function but what its resolver chooses when the program is \
                     loaded: name one of the functions that it chooses from"
                );
            }
            let function = program.called_function(alias.aliasee);
            found.extend(function.filter(|id| program.function(*id).body.is_some()));
        }
    }
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            // `FILE:NAME` is meant by its name; names of C++ are known as in the source too.
            let wanted = text.rsplit_once(':').map_or(text, |(_, name)| name);
            let names = defined.iter().flat_map(|id| {
                let function = program.function(*id);
                [
                    program.name(function.name),
                    program.name(function.source_name),
                ]
            });
            let near = nearest_names(wanted, names.filter(|name| !name.is_empty()), 3);
            bail!("there is no function {text} here{}", did_you_mean(&near))
        }
        several => {
            let names = display_names(program);
            let choices: Vec<&str> = several
                .iter()
                .map(|id| names[id.index()].as_str())
                .collect();
            bail!(
                "{text} exists several times; say which: {}",
                choices.join(", ")
            )
        }
    }
}
