//! Edits that mostly mean the same: what the semantic levels are to see through, and other edits of
//! the same pair are to be told from.

use super::sites::{edit_expression, edit_statement};
use crate::generator::syntax::*;
use crate::random::Random;

fn not(condition: Expression) -> Expression {
    Expression::Unary(Unary::Not, Box::new(condition))
}

/// `if (c) …` becomes `if (!c) else …`, or `if (!!c) …`.
pub(super) fn negate_condition(program: &mut Program, random: &mut Random) -> Option<String> {
    let is_if = |one: &Statement| matches!(one, Statement::If(..));
    edit_statement(program, random, is_if, |body, place, random| {
        let Statement::If(condition, then, otherwise) = &mut body[place] else {
            return None;
        };
        let inner = std::mem::replace(condition, Expression::name("checksum"));
        *condition = not(inner);
        if random.chance(50) {
            std::mem::swap(then, otherwise);
        } else {
            let inner = std::mem::replace(condition, Expression::name("checksum"));
            *condition = not(inner);
        }
        Some("condition written otherwise".to_string())
    })?
}

/// `a < b` becomes `b > a`.
pub(super) fn turn_comparison(program: &mut Program, random: &mut Random) -> Option<String> {
    let turned = |operator: Binary| match operator {
        Binary::Less => Some(Binary::Greater),
        Binary::Greater => Some(Binary::Less),
        Binary::LessEqual => Some(Binary::GreaterEqual),
        Binary::GreaterEqual => Some(Binary::LessEqual),
        Binary::Equal | Binary::NotEqual => Some(operator),
        _ => None,
    };
    let is_comparison = |one: &Expression| matches!(one, Expression::Binary(operator, ..) if turned(*operator).is_some());
    edit_expression(program, random, is_comparison, |value, _| {
        let Expression::Binary(operator, left, right) = value else {
            return None;
        };
        *operator = turned(*operator)?;
        std::mem::swap(left, right);
        Some("comparison turned round".to_string())
    })?
}

/// Behind an assignment another one to the same place: what both versions of a pair have, in
/// different order. Returns the version with the other order.
pub(super) fn write_twice(program: &mut Program, random: &mut Random) -> Option<Program> {
    // Of a number: a literal can be assigned to it.
    let is_number = |value: &Expression| {
        matches!(value, Expression::Literal(_) | Expression::Binary(..))
            || matches!(
                value,
                Expression::Unary(Unary::Minus | Unary::Complement | Unary::Not, _)
            )
    };
    let is_write = |one: &Statement| matches!(one, Statement::Expression(Expression::Assign(None, _, value)) if is_number(value));
    let mut other = program.clone();
    let literal = Expression::Literal(random.below(100).to_string());
    let mut same = random.clone();
    let double = |program: &mut Program, random: &mut Random, after: usize| {
        edit_statement(program, random, is_write, |body, place, _| {
            let Statement::Expression(Expression::Assign(_, to, _)) = &body[place] else {
                return;
            };
            let write = Expression::Assign(None, to.clone(), Box::new(literal.clone()));
            body.insert(place + after, Statement::Expression(write));
        })
    };
    double(program, random, 1)?;
    double(&mut other, &mut same, 0)?;
    Some(other)
}
