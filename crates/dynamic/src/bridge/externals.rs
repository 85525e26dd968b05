//! The functions that are called and defined nowhere, for which others stand in.

use super::is_identifier;
use super::signature::{Value, c_type, value};
use crate::shapes::Shapes;
use knockon_library::library;
use knockon_program::{
    FunctionAttributes, FunctionId, Intrinsic, Program, Type, TypeId, is_compiler_name,
};

/// Functions that are called, are no part of the program, and that no library is known to have.
pub fn undefined_functions(program: &Program, shapes: &Shapes) -> Vec<(String, FunctionId)> {
    let mut found = Vec::new();
    for name in shapes.externals.keys() {
        if is_compiler_name(name) || !is_identifier(name) || is_of_the_library(name) {
            continue;
        }
        let declared = program.functions_named(name);
        let is_defined = |id: &FunctionId| program.function(*id).body.is_some();
        if let (Some(first), false) = (declared.first(), declared.iter().any(is_defined)) {
            found.push((name.clone(), *first));
        }
    }
    found
}

/// A function that is called and that no one defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    pub name: String,
    /// What is no number and no pointer is `None`.
    pub parameters: Vec<Option<Value>>,
    /// Nothing is returned: `None`.
    pub result: Option<Option<Value>>,
}

impl External {
    pub fn of(program: &Program, name: String, function: FunctionId) -> External {
        let (parameters, result) = match program.type_of(program.function(function).type_id) {
            Type::Function {
                result, parameters, ..
            } => (&parameters[..], Some(*result)),
            _ => (&[][..], None),
        };
        let is_void = |id: &TypeId| matches!(program.type_of(*id), Type::Void);
        External {
            name,
            parameters: parameters.iter().map(|id| value(program, *id)).collect(),
            result: result
                .filter(|id| !is_void(id))
                .map(|id| value(program, id)),
        }
    }

    /// Its parameters in C, by these names with a number behind.
    pub fn declared(&self, name: &str) -> String {
        let all = self.parameters.iter().enumerate();
        let all = all.map(|(at, value)| format!("{} {name}{at}", c_type(*value)));
        let all: Vec<String> = all.collect();
        match all.is_empty() {
            true => "void".to_owned(),
            false => all.join(", "),
        }
    }
}

/// A function that may be called, for which no other can stand in, and that does not run here: one
/// that is known to do something else, or one that returns twice; or an assumption, which nobody checks.
pub fn not_to_be_replaced(program: &Program, shapes: &Shapes) -> Option<String> {
    let returns_twice = |function: &FunctionId| {
        let attributes = program.function(*function).attributes;
        attributes.has(FunctionAttributes::RETURNS_TWICE)
    };
    let mut names = shapes.externals.keys();
    if names.any(|name| Intrinsic::of_name(name) == Some(Intrinsic::Assume)) {
        return Some("__builtin_assume".to_owned());
    }
    let mut undefined = undefined_functions(program, shapes).into_iter();
    undefined
        .find(|(name, function)| library().of(name).is_some() || returns_twice(function))
        .map(|row| row.0)
}

/// A function of the C library that may run here. Others than these are taken for unknown code.
fn is_of_the_library(name: &str) -> bool {
    let runs = |name: &str| library().facts(name).replayed.runs;
    runs(name) || name.strip_prefix("__builtin_").is_some_and(runs)
}
