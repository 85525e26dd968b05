//! Edits of statements: order, presence, nesting, ways out.

use super::expressions::other_constant;
use super::sites::{edit_statement, is_free, some_runs};
use crate::generator::syntax::*;
use crate::generator::walk;
use crate::random::Random;

pub(super) fn swap(program: &mut Program, random: &mut Random) -> Option<String> {
    edit_statement(program, random, is_free, |body, place, random| {
        let others: Vec<usize> = (0..body.len())
            .filter(|other| *other != place && is_free(&body[*other]))
            .collect();
        if others.is_empty() {
            return None;
        }
        // Nothing declared between the two may be used before its declaration.
        let near = others.iter().filter(|other| other.abs_diff(place) == 1);
        let near: Vec<usize> = near.copied().collect();
        let other = *random.pick(if near.is_empty() { &others } else { &near });
        body.swap(place, other);
        Some("two statements swapped".to_string())
    })?
}

pub(super) fn delete(program: &mut Program, random: &mut Random) -> Option<String> {
    edit_statement(program, random, is_free, |body, place, _| {
        body.remove(place);
        "statement deleted".to_string()
    })
}

/// A copy of a statement, somewhere after the original.
pub(super) fn repeat(program: &mut Program, random: &mut Random) -> Option<String> {
    let is_simple = |one: &Statement| matches!(one, Statement::Expression(_));
    edit_statement(program, random, is_simple, |body, place, random| {
        let copy = body[place].clone();
        let after = place + 1 + random.below(body.len() - place);
        body.insert(after, copy);
        "statement repeated".to_string()
    })
}

fn loop_body(statement: &mut Statement) -> Option<&mut Vec<Statement>> {
    match statement {
        Statement::While(_, body) | Statement::DoWhile(body, _) => Some(body),
        Statement::For(parts) => Some(&mut parts.body),
        _ => None,
    }
}

fn is_loop(statement: &Statement) -> bool {
    matches!(
        statement,
        Statement::While(..) | Statement::DoWhile(..) | Statement::For(_)
    )
}

pub(super) fn add_break(program: &mut Program, random: &mut Random) -> Option<String> {
    edit_statement(program, random, is_loop, |body, place, random| {
        let inner = loop_body(&mut body[place])?;
        let at = random.below(inner.len() + 1);
        let way_out = if random.chance(80) {
            Statement::Break
        } else {
            Statement::Continue
        };
        inner.insert(
            at,
            Statement::If(some_runs(random), vec![way_out], Vec::new()),
        );
        Some("way out of a loop added".to_string())
    })?
}

pub(super) fn remove_break(program: &mut Program, random: &mut Random) -> Option<String> {
    let is_jump = |one: &Statement| matches!(one, Statement::Break | Statement::Continue);
    edit_statement(program, random, is_jump, |body, place, _| {
        body.remove(place);
        "jump removed".to_string()
    })
}

/// The `break` at the end of a section of a `switch`, which then falls through, or a new one.
pub(super) fn remove_section_end(program: &mut Program, random: &mut Random) -> Option<String> {
    let is_switch = |one: &Statement| matches!(one, Statement::Switch(..));
    edit_statement(program, random, is_switch, |body, place, random| {
        let Statement::Switch(_, sections) = &mut body[place] else {
            return None;
        };
        if sections.is_empty() {
            return None;
        }
        let chosen = random.below(sections.len());
        let section = &mut sections[chosen].body;
        Some(if section.last() == Some(&Statement::Break) {
            section.pop();
            "section of a switch falls through".to_string()
        } else {
            section.push(Statement::Break);
            "section of a switch ends".to_string()
        })
    })?
}

pub(super) fn change_loop_bound(program: &mut Program, random: &mut Random) -> Option<String> {
    edit_statement(program, random, is_loop, |body, place, random| {
        let condition = match &mut body[place] {
            Statement::While(condition, _) | Statement::DoWhile(_, condition) => condition,
            Statement::For(parts) => parts.condition.as_mut()?,
            _ => return None,
        };
        let Expression::Binary(operator, _, right) = condition else {
            return None;
        };
        match (&mut **right, *operator) {
            (Expression::Literal(text), _) => *text = other_constant(text, random)?,
            (_, Binary::Less) => *operator = Binary::NotEqual,
            (_, Binary::Greater) => *operator = Binary::GreaterEqual,
            _ => return None,
        }
        Some("bound of a loop".to_string())
    })?
}

pub(super) fn wrap_in_condition(program: &mut Program, random: &mut Random) -> Option<String> {
    edit_statement(program, random, is_free, |body, place, random| {
        let inner = std::mem::replace(&mut body[place], Statement::Break);
        body[place] = Statement::If(some_runs(random), vec![inner], Vec::new());
        "statement made conditional".to_string()
    })
}

pub(super) fn unwrap_condition(program: &mut Program, random: &mut Random) -> Option<String> {
    let is_if = |one: &Statement| matches!(one, Statement::If(..));
    edit_statement(program, random, is_if, |body, place, _| {
        let Statement::If(_, then, _) = &mut body[place] else {
            return None;
        };
        body[place] = Statement::Block(std::mem::take(then));
        Some("condition dropped".to_string())
    })?
}

pub(super) fn swap_branches(program: &mut Program, random: &mut Random) -> Option<String> {
    let is_if =
        |one: &Statement| matches!(one, Statement::If(_, then, otherwise) if then != otherwise);
    edit_statement(program, random, is_if, |body, place, _| {
        let Statement::If(_, then, otherwise) = &mut body[place] else {
            return None;
        };
        std::mem::swap(then, otherwise);
        Some("branches swapped".to_string())
    })?
}

/// Inserts statements somewhere in a function whose body has any.
fn insert(program: &mut Program, random: &mut Random, statement: Statement) {
    let mut count = 0;
    walk::statement_lists(program, &mut |_| count += 1);
    let (chosen, mut number) = (random.below(count), 0);
    walk::statement_lists(program, &mut |body| {
        if number == chosen {
            let place = random.below(body.len() + 1);
            body.insert(place, statement.clone());
        }
        number += 1;
    });
}

pub(super) fn write_checksum(program: &mut Program, random: &mut Random) -> Option<String> {
    let value = Expression::Literal(format!("{}u", 1 + random.below(1000)));
    let write = Expression::Assign(
        Some(Binary::Xor),
        Box::new(Expression::name("checksum")),
        Box::new(value),
    );
    insert(program, random, Statement::Expression(write));
    Some("write to a global added".to_string())
}

pub(super) fn leave_early(program: &mut Program, random: &mut Random) -> Option<String> {
    let functions = super::sites::functions(program, |_| true);
    if functions.is_empty() {
        return None;
    }
    let chosen = *random.pick(&functions);
    let Item::Function(function) = &mut program.items[chosen] else {
        return None;
    };
    let result = match &function.signature.result {
        Type::Name(name) if name == "void" => None,
        Type::Name(_) | Type::Pointer(_) => Some(Expression::literal(0)),
        _ => return None,
    };
    let place = random.below(function.body.len() + 1);
    let leave = Statement::Return(result);
    let condition = some_runs(random);
    let statement = Statement::If(condition, vec![leave], Vec::new());
    function.body.insert(place, statement);
    Some(format!("early return from {}", function.name))
}

pub(super) fn exit_early(program: &mut Program, random: &mut Random) -> Option<String> {
    if !program.includes.iter().any(|name| name == "stdlib.h") {
        program.includes.push("stdlib.h".to_string());
        program.includes.sort();
    }
    let exit = Expression::call("exit", vec![Expression::literal(random.below(5))]);
    let condition = some_runs(random);
    let statement = Statement::If(condition, vec![Statement::Expression(exit)], Vec::new());
    insert(program, random, statement);
    Some("call of exit added".to_string())
}
