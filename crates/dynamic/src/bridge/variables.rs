//! The global variables that both versions have and that can be named from outside.

use super::is_identifier;
use crate::shapes::{ShapeId, Shapes};
use knockon_library::library;
use knockon_program::{GlobalId, Program};
use rustc_hash::FxHashSet;

/// A global variable that both versions have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    pub name: String,
    pub size: u64,
    pub shape: ShapeId,
    pub is_constant: bool,
    /// An input says what is in it; else it is what the program starts with.
    pub is_given: bool,
}

/// The global variables that both versions have and the function touches.
pub fn shared_globals(
    old: &Program,
    new: &Program,
    shapes: &Shapes,
    unwritten: &FxHashSet<GlobalId>,
) -> Vec<Global> {
    let find = |program: &Program, name: &str| -> Option<(GlobalId, u64, bool)> {
        let mut found = (0..program.globals.len())
            .map(|at| (GlobalId::from_index(at), &program.globals[at]))
            .filter(|(_, row)| program.name(row.name) == name);
        let (id, row) = found.next()?;
        let is_only = found.next().is_none();
        let is_reachable = is_identifier(name) && !row.is_thread_local && !is_kept(name);
        // A variable inside a function cannot be named from outside.
        let is_local = row.linkage.is_local() && program.name(row.source_name) != name;
        (is_only && is_reachable && !is_local)
            .then(|| (id, program.size_of(row.value_type), row.is_constant))
    };
    let mut globals = Vec::new();
    for (name, shape) in &shapes.globals {
        if let (Some(one), Some(two)) = (find(old, name), find(new, name))
            && one.1 == two.1
        {
            let is_constant = one.2 || two.2;
            globals.push(Global {
                name: name.clone(),
                size: one.1,
                shape: *shape,
                is_constant,
                is_given: !is_constant && !unwritten.contains(&one.0),
            });
        }
    }
    globals.truncate(64);
    globals
}

/// A unit of the program gives the variable its value.
pub fn is_defined(program: &Program, name: &str) -> bool {
    let mut rows = program.globals.iter();
    rows.any(|row| program.name(row.name) == name && row.initialiser.is_some())
}

/// The name is that of a variable of the C library that no input sets.
fn is_kept(name: &str) -> bool {
    let variable = library().variable(name);
    variable.is_some_and(|variable| variable.is_kept && variable.name == name)
}
