//! Edits of a single expression: constants, operators, conditions, callees, texts.

use super::sites::{edit_expression, edit_statement};
use crate::generator::syntax::*;
use crate::generator::walk;
use crate::random::Random;

/// Another number in the spelling of an integer constant, or `None` for other literals.
pub(super) fn other_constant(literal: &str, random: &mut Random) -> Option<String> {
    let (digits, radix) = match literal.strip_prefix("0x") {
        Some(rest) => (rest, 16),
        None => (literal, 10),
    };
    let end = digits.find(|letter: char| !letter.is_digit(radix));
    let (digits, suffix) = digits.split_at(end.unwrap_or(digits.len()));
    let is_integer = suffix.chars().all(|letter| "uUlL".contains(letter));
    let value = u64::from_str_radix(digits, radix).ok()?;
    if !is_integer {
        return None;
    }
    let value = match random.below(6) {
        0 | 1 => value.wrapping_add(1),
        2 => value.checked_sub(1).unwrap_or(1),
        3 => value / 2,
        4 if value > 0 => 0,
        _ => value.checked_add(2)?,
    };
    Some(if radix == 16 {
        format!("0x{value:x}{suffix}")
    } else {
        format!("{value}{suffix}")
    })
}

fn is_integer_literal(value: &Expression) -> bool {
    match value {
        Expression::Literal(text) => other_constant(text, &mut Random::new(0)).is_some(),
        _ => false,
    }
}

pub(super) fn change_constant(program: &mut Program, random: &mut Random) -> Option<String> {
    edit_expression(program, random, is_integer_literal, |value, random| {
        let Expression::Literal(text) = value else {
            return None;
        };
        let other = other_constant(text, random)?;
        let description = format!("constant {text} becomes {other}");
        *text = other;
        Some(description)
    })?
}

/// Operators that can stand for each other.
fn family(operator: Binary) -> &'static [Binary] {
    use Binary::*;
    match operator {
        Add | Subtract => &[Add, Subtract],
        And | Or | Xor => &[And, Or, Xor],
        ShiftLeft | ShiftRight => &[ShiftLeft, ShiftRight],
        Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual => {
            &[Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual]
        }
        LogicalAnd | LogicalOr => &[LogicalAnd, LogicalOr],
        Multiply | Divide | Remainder => &[Multiply, Divide, Remainder],
    }
}

pub(super) fn change_operator(program: &mut Program, random: &mut Random) -> Option<String> {
    let is_binary = |value: &Expression| {
        matches!(
            value,
            Expression::Binary(..) | Expression::Assign(Some(_), ..)
        )
    };
    edit_expression(program, random, is_binary, |value, random| {
        let (Expression::Binary(operator, ..) | Expression::Assign(Some(operator), ..)) = value
        else {
            return None;
        };
        let other = *random.pick(family(*operator));
        let description = format!("operator {} becomes {}", operator.symbol(), other.symbol());
        *operator = other;
        Some(description)
    })?
}

pub(super) fn change_condition(program: &mut Program, random: &mut Random) -> Option<String> {
    let has_condition = |one: &Statement| matches!(one, Statement::If(..) | Statement::While(..));
    edit_statement(program, random, has_condition, |body, place, random| {
        let (Statement::If(condition, ..) | Statement::While(condition, _)) = &mut body[place]
        else {
            return None;
        };
        let before = std::mem::replace(condition, Expression::literal(0));
        let (after, how) = match random.below(4) {
            0 => (Expression::unary(Unary::Not, before), "negated"),
            1 => (Expression::literal(1), "always true"),
            2 => (Expression::literal(0), "always false"),
            _ => {
                let further = super::sites::some_runs(random);
                let both = Expression::binary(Binary::LogicalAnd, before, further);
                (both, "narrower")
            }
        };
        *condition = after;
        Some(format!("condition {how}"))
    })?
}

pub(super) fn change_text(program: &mut Program, random: &mut Random) -> Option<String> {
    // The letters before the first conversion are free.
    let free = |text: &[u8]| text.iter().take_while(|byte| **byte != b'%').count();
    let is_text = |value: &Expression| matches!(value, Expression::Text(text) if free(text) > 0);
    edit_expression(program, random, is_text, |value, random| {
        let Expression::Text(text) = value else {
            return None;
        };
        let place = random.below(free(text));
        text[place] = if text[place] == b'q' { b'r' } else { b'q' };
        Some("text".to_string())
    })?
}

/// A call of a function becomes one of another with the same signature.
pub(super) fn call_another_function(program: &mut Program, random: &mut Random) -> Option<String> {
    let mut functions: Vec<(String, Signature)> = Vec::new();
    for item in &program.items {
        if let Item::Function(function) = item
            && function.name != "main"
        {
            let mut signature = function.signature.clone();
            for parameter in &mut signature.parameters {
                parameter.name.clear();
            }
            functions.push((function.name.clone(), signature));
        }
    }
    let others = |name: &str| -> Vec<String> {
        let Some((_, signature)) = functions.iter().find(|(one, _)| one == name) else {
            return Vec::new();
        };
        let same = functions
            .iter()
            .filter(|(one, other)| one != name && other == signature);
        same.map(|(one, _)| one.clone()).collect()
    };
    let has_others =
        |value: &Expression| matches!(value, Expression::Name(name) if !others(name).is_empty());
    edit_expression(program, random, has_others, |value, random| {
        let Expression::Name(name) = value else {
            return None;
        };
        let other = random.pick(&others(name)).clone();
        let description = format!("function {name} gives way to {other}");
        *name = other;
        Some(description)
    })?
}

/// `a + b` becomes `a`.
pub(super) fn replace_by_operand(program: &mut Program, random: &mut Random) -> Option<String> {
    let is_arithmetic = |value: &Expression| matches!(value, Expression::Binary(..));
    edit_expression(program, random, is_arithmetic, |value, random| {
        let mut copy = value.clone();
        let operands = walk::children(&mut copy);
        let operand = operands.into_iter().nth(random.below(2))?.clone();
        *value = operand;
        Some("operation replaced by its operand".to_string())
    })?
}
