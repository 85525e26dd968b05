//! Which parameter of the old function is which of the new?
//!
//! By position when number and types agree; else by name and type, where a name comes from debug
//! info if the parameter has none itself. A parameter without a partner is a source.

use crate::Sides;
use crate::content_hash::ContentHash;
use crate::version_view::VersionView;
use knockon_program::{Function, Name};

pub(crate) fn pair_parameters(
    views: &Sides<VersionView<'_>>,
    functions: &Sides<&Function>,
) -> Vec<Option<u32>> {
    let (old, new) = (functions.old, functions.new);
    let types = |view: &VersionView<'_>, function: &Function| -> Vec<ContentHash> {
        let rows = function.parameters.iter();
        rows.map(|row| view.contents.type_of(row.type_id)).collect()
    };
    let old_types = types(&views.old, old);
    let new_types = types(&views.new, new);
    if old_types == new_types {
        return (0..old_types.len() as u32).map(Some).collect();
    }
    let old_names = names(&views.old, old);
    let new_names = names(&views.new, new);
    let mut taken = vec![false; new_types.len()];
    let rows = old_types.iter().zip(&old_names);
    rows.map(|(type_of, name)| {
        let fits = |there: &usize| {
            let same_name = !name.is_empty() && new_names[*there] == *name;
            same_name && !taken[*there] && new_types[*there] == *type_of
        };
        let there = (0..new_types.len()).find(fits)?;
        taken[there] = true;
        Some(there as u32)
    })
    .collect()
}

fn names<'a>(view: &'a VersionView<'_>, function: &Function) -> Vec<&'a str> {
    let own = function.parameters.iter();
    let mut names: Vec<&str> = own.map(|row| view.program.name(row.name)).collect();
    if let Some(body) = &function.body {
        for variable in &body.variables {
            let place = (variable.parameter as usize).checked_sub(1);
            if let Some(name) = place.and_then(|at| names.get_mut(at))
                && name.is_empty()
                && variable.name != Name(0)
            {
                *name = view.program.name(variable.name);
            }
        }
    }
    names
}
