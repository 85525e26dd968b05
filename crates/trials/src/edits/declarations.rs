//! Edits of what is declared: initialisers, types, member order, names.

use super::expressions::other_constant;
use super::sites::edit_statement;
use crate::generator::syntax::*;
use crate::generator::walk;
use crate::random::Random;

/// Changes a number in an initialiser.
fn change(initial: &mut Initialiser, random: &mut Random) -> Option<()> {
    match initial {
        Initialiser::Expression(Expression::Literal(text)) => {
            *text = other_constant(text, random)?;
            Some(())
        }
        Initialiser::Expression(Expression::Unary(_, operand)) => match &mut **operand {
            Expression::Literal(text) => {
                *text = other_constant(text, random)?;
                Some(())
            }
            _ => None,
        },
        Initialiser::Expression(_) => None,
        Initialiser::List(elements) => {
            let count = elements.len();
            let first = random.below(count);
            (0..count).find_map(|step| change(&mut elements[(first + step) % count].1, random))
        }
    }
}

pub(super) fn change_global_initialiser(
    program: &mut Program,
    random: &mut Random,
) -> Option<String> {
    let count = program.items.len();
    let first = random.below(count);
    for step in 0..count {
        if let Item::Declaration(declared) = &mut program.items[(first + step) % count]
            && let Some(initial) = &mut declared.initialiser
            && change(initial, random).is_some()
        {
            return Some(format!("initialiser of {}", declared.name));
        }
    }
    None
}

pub(super) fn change_local_initialiser(
    program: &mut Program,
    random: &mut Random,
) -> Option<String> {
    let is_initialised =
        |one: &Statement| matches!(one, Statement::Declare(row) if row.initialiser.is_some());
    edit_statement(program, random, is_initialised, |body, place, random| {
        let Statement::Declare(declared) = &mut body[place] else {
            return None;
        };
        change(declared.initialiser.as_mut()?, random)?;
        Some(format!("initialiser of {}", declared.name))
    })?
}

pub(super) fn change_member_order(program: &mut Program, random: &mut Random) -> Option<String> {
    let mut records: Vec<&mut Record> = Vec::new();
    for item in &mut program.items {
        if let Item::Record(record) = item
            && !record.union
            && record.fields.len() > 1
        {
            records.push(record);
        }
    }
    if records.is_empty() {
        return None;
    }
    let chosen = random.below(records.len());
    let record = &mut records[chosen];
    let place = random.below(record.fields.len() - 1);
    record.fields.swap(place, place + 1);
    Some(format!("member order of {}", record.name))
}

pub(super) fn change_width(program: &mut Program, random: &mut Random) -> Option<String> {
    let wider = |name: &str| match name {
        "int" => Some("long"),
        "unsigned int" | "unsigned" => Some("unsigned long"),
        "short" => Some("int"),
        "long" => Some("int"),
        "float" => Some("double"),
        _ => None,
    };
    let has_width = |one: &Statement| match one {
        Statement::Declare(row) => {
            matches!(&row.declared_type, Type::Name(name) if wider(name).is_some())
        }
        _ => false,
    };
    edit_statement(program, random, has_width, |body, place, _| {
        let Statement::Declare(declared) = &mut body[place] else {
            return None;
        };
        let Type::Name(name) = &mut declared.declared_type else {
            return None;
        };
        let other = wider(name)?.to_string();
        let description = format!("{} of type {other} instead of {name}", declared.name);
        *name = other;
        Some(description)
    })?
}

/// One of the arrays that are declared gets more elements.
pub(super) fn grow_array(program: &mut Program, random: &mut Random) -> Option<String> {
    fn grow(declared: &mut Declaration, random: &mut Random) -> Option<String> {
        let Type::Array(_, Some(length)) = &mut declared.declared_type else {
            return None;
        };
        let Expression::Literal(text) = &mut **length else {
            return None;
        };
        let before: u64 = text.parse().ok()?;
        *text = (before + 1 + random.below(20) as u64).to_string();
        Some(format!(
            "{} elements of {} instead of {before}",
            text, declared.name
        ))
    }
    let count = program.items.len();
    let first = random.below(count);
    if random.chance(50) {
        for step in 0..count {
            if let Item::Declaration(declared) = &mut program.items[(first + step) % count]
                && let Some(description) = grow(declared, random)
            {
                return Some(description);
            }
        }
    }
    let is_array = |one: &Statement| matches!(one, Statement::Declare(row) if matches!(row.declared_type, Type::Array(..)));
    edit_statement(program, random, is_array, |body, place, random| {
        let Statement::Declare(declared) = &mut body[place] else {
            return None;
        };
        grow(declared, random)
    })?
}

/// Writes another name wherever this one stands; names are unique in a program.
pub(super) fn rename(program: &mut Program, from: &str, to: &str) {
    for item in &mut program.items {
        match item {
            Item::Declaration(declared) => rename_declared(declared, from, to),
            Item::Function(function) => {
                if function.name == from {
                    function.name = to.to_string();
                }
                for parameter in &mut function.signature.parameters {
                    if parameter.name == from {
                        parameter.name = to.to_string();
                    }
                }
            }
            Item::Record(_) | Item::Enumeration(_) => {}
        }
    }
    walk::statement_lists(program, &mut |body| {
        for statement in body {
            match statement {
                Statement::Declare(declared) => rename_declared(declared, from, to),
                Statement::For(parts) => {
                    if let Some(Statement::Declare(declared)) = &mut parts.start {
                        rename_declared(declared, from, to);
                    }
                }
                _ => {}
            }
        }
    });
    walk::expressions(program, &mut |value| {
        if let Expression::Name(name) = value
            && name == from
        {
            *name = to.to_string();
        }
    });
}

fn rename_declared(declared: &mut Declaration, from: &str, to: &str) {
    if declared.name == from {
        declared.name = to.to_string();
    }
}

pub(super) fn rename_local(program: &mut Program, random: &mut Random) -> Option<String> {
    let is_declared =
        |one: &Statement| matches!(one, Statement::Declare(row) if row.storage != Storage::Extern);
    let name = edit_statement(program, random, is_declared, |body, place, _| {
        match &body[place] {
            Statement::Declare(declared) => Some(declared.name.clone()),
            _ => None,
        }
    })??;
    rename(program, &name, &format!("renamed_{name}"));
    Some(format!("local {name} renamed"))
}

/// A global that a new statement writes and another reads.
pub(super) fn add_global(program: &mut Program, random: &mut Random) -> Option<String> {
    let functions = super::sites::functions(program, |function| function.name != "main");
    if functions.is_empty() {
        return None;
    }
    let chosen = *random.pick(&functions);
    let statement = |text: &str| crate::generator::parse::statements(text, &[]).ok();
    let (write, read) = (
        statement("added_global = added_global * 3 + 1;")?,
        statement("checksum ^= added_global;")?,
    );
    if let Item::Function(function) = &mut program.items[chosen] {
        let place = random.below(function.body.len() + 1);
        function.body.splice(place..place, write);
    }
    if let Some(Item::Function(main)) = program.items.last_mut() {
        let place = random.below(main.body.len() + 1);
        main.body.splice(place..place, read);
    }
    let global = Declaration {
        storage: Storage::Static,
        name: "added_global".to_string(),
        declared_type: Type::Name("unsigned int".to_string()),
        initialiser: None,
    };
    program.items.insert(0, Item::Declaration(global));
    Some("global added".to_string())
}
