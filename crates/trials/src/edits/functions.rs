//! Edits of whole functions: name, place, signature, extraction.

use super::declarations::rename;
use super::sites::functions;
use crate::generator::syntax::*;
use crate::generator::walk;
use crate::random::Random;

fn name_of(program: &Program, place: usize) -> Option<String> {
    match &program.items[place] {
        Item::Function(function) => Some(function.name.clone()),
        _ => None,
    }
}

fn pick_function(program: &Program, random: &mut Random) -> Option<(usize, String)> {
    let places = functions(program, |function| function.name != "main");
    if places.is_empty() {
        return None;
    }
    let place = *random.pick(&places);
    Some((place, name_of(program, place)?))
}

pub(super) fn rename_function(program: &mut Program, random: &mut Random) -> Option<String> {
    let (_, name) = pick_function(program, random)?;
    rename(program, &name, &format!("renamed_{name}"));
    Some(format!("function {name} renamed"))
}

/// Another parameter at the end, with a value at every call; only functions whose address is not
/// taken.
pub(super) fn add_parameter(program: &mut Program, random: &mut Random) -> Option<String> {
    let places = functions(program, |function| {
        function.name != "main" && !function.signature.variadic
    });
    let place = *places.get(random.below(places.len()))?;
    let name = name_of(program, place)?;
    let (mut mentions, mut calls) = (0, 0);
    walk::expressions(program, &mut |value| match value {
        Expression::Name(other) if *other == name => mentions += 1,
        Expression::Call(callee, _) if **callee == Expression::name(&name) => calls += 1,
        _ => {}
    });
    if mentions != calls || calls == 0 {
        return None;
    }
    let added = Parameter {
        name: "added_parameter".to_string(),
        parameter_type: Type::Name("int".to_string()),
    };
    for item in &mut program.items {
        match item {
            Item::Function(function) if function.name == name => {
                function.signature.parameters.push(added.clone());
                if random.chance(60) {
                    let use_it = "if (added_parameter > 2) { checksum ^= 7u; }";
                    let statements = crate::generator::parse::statements(use_it, &[]).ok()?;
                    let place = random.below(function.body.len() + 1);
                    function.body.splice(place..place, statements);
                }
            }
            Item::Declaration(declared) if declared.name == name => {
                if let Type::Function(signature) = &mut declared.declared_type {
                    signature.parameters.push(Parameter {
                        name: String::new(),
                        ..added.clone()
                    });
                }
            }
            _ => {}
        }
    }
    walk::expressions(program, &mut |value| {
        if let Expression::Call(callee, arguments) = value
            && **callee == Expression::name(&name)
        {
            arguments.push(Expression::literal(random.below(5)));
        }
    });
    Some(format!("parameter added to {name}"))
}

/// To another place in the file; prototypes stand before all functions that generated ones call.
pub(super) fn move_function(program: &mut Program, random: &mut Random) -> Option<String> {
    let has_prototype = |name: &str| {
        (program.items.iter())
            .any(|item| matches!(item, Item::Declaration(row) if row.name == name))
    };
    let places = functions(program, |function| has_prototype(&function.name));
    let place = *places.get(random.below(places.len()))?;
    let name = name_of(program, place)?;
    let first = *functions(program, |_| true).first()?;
    let item = program.items.remove(place);
    let target = place.max(first) + random.below(program.items.len() + 1 - place.max(first));
    program.items.insert(target, item);
    Some(format!("function {name} moved"))
}

/// A statement that mentions nothing but what is visible everywhere becomes a function of its own.
pub(super) fn extract_statement(program: &mut Program, random: &mut Random) -> Option<String> {
    let mut visible: Vec<String> = Vec::new();
    for item in &program.items {
        match item {
            Item::Function(function) => visible.push(function.name.clone()),
            Item::Declaration(declared) => visible.push(declared.name.clone()),
            Item::Enumeration(row) => visible.extend(row.constants.iter().map(|one| one.0.clone())),
            Item::Record(_) => {}
        }
    }
    visible.extend(["printf", "puts", "putchar"].map(String::from));
    let places = functions(program, |_| true);
    let first = random.below(places.len());
    for step in 0..places.len() {
        let place = places[(first + step) % places.len()];
        let Item::Function(function) = &mut program.items[place] else {
            continue;
        };
        let from = random.below(function.body.len());
        for offset in 0..function.body.len() {
            let number = (from + offset) % function.body.len();
            if !is_closed(&function.body[number], &visible) {
                continue;
            }
            let call = Statement::Expression(Expression::call("extracted", Vec::new()));
            let statement = std::mem::replace(&mut function.body[number], call);
            let name = function.name.clone();
            let extracted = Function {
                storage: Storage::Static,
                name: "extracted".to_string(),
                signature: Signature {
                    result: Type::Name("void".to_string()),
                    parameters: Vec::new(),
                    variadic: false,
                },
                body: vec![statement],
            };
            program.items.insert(place, Item::Function(extracted));
            return Some(format!("statement of {name} extracted"));
        }
    }
    None
}

/// An expression statement that names only what is visible everywhere.
fn is_closed(statement: &Statement, visible: &[String]) -> bool {
    let Statement::Expression(value) = statement else {
        return false;
    };
    names_in(&mut value.clone())
        .iter()
        .all(|name| visible.contains(name))
}

fn names_in(value: &mut Expression) -> Vec<String> {
    let mut names = Vec::new();
    match value {
        Expression::Name(name) => names.push(name.clone()),
        // Its parts are not among the children.
        Expression::Compound(..) => names.push(String::new()),
        _ => {}
    }
    for child in walk::children(value) {
        names.extend(names_in(child));
    }
    names
}
