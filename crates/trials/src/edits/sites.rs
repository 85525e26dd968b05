//! Where can an edit be made? All statements or expressions that a condition admits are counted, and
//! one of them is taken.

use crate::generator::syntax::{Expression, Item, Program, Statement};
use crate::generator::walk;
use crate::random::Random;

/// Edits one of the expressions that `admits`.
pub(super) fn edit_expression<T>(
    program: &mut Program,
    random: &mut Random,
    admits: impl Fn(&Expression) -> bool,
    edit: impl FnOnce(&mut Expression, &mut Random) -> T,
) -> Option<T> {
    let mut count = 0;
    walk::expressions(program, &mut |value| count += usize::from(admits(value)));
    let chosen = random.below(count);
    let (mut number, mut edit, mut done) = (0, Some(edit), None);
    walk::expressions(program, &mut |value| {
        if !admits(value) {
            return;
        }
        if number == chosen
            && let Some(edit) = edit.take()
        {
            done = Some(edit(value, random));
        }
        number += 1;
    });
    done
}

/// Edits one of the lists that have a statement that `admits`; the edit gets its number.
pub(super) fn edit_statement<T>(
    program: &mut Program,
    random: &mut Random,
    admits: impl Fn(&Statement) -> bool,
    edit: impl FnOnce(&mut Vec<Statement>, usize, &mut Random) -> T,
) -> Option<T> {
    let mut count = 0;
    walk::statement_lists(program, &mut |body| {
        count += body.iter().filter(|statement| admits(statement)).count();
    });
    let chosen = random.below(count);
    let (mut number, mut edit, mut done) = (0, Some(edit), None);
    walk::statement_lists(program, &mut |body| {
        let admitted = body.iter().enumerate().filter(|(_, one)| admits(one));
        let places: Vec<usize> = admitted.map(|(place, _)| place).collect();
        if (number..number + places.len()).contains(&chosen)
            && let Some(edit) = edit.take()
        {
            done = Some(edit(body, places[chosen - number], random));
        }
        number += places.len();
    });
    done
}

/// The numbers of the functions that `admits`.
pub(super) fn functions(
    program: &Program,
    admits: impl Fn(&crate::generator::syntax::Function) -> bool,
) -> Vec<usize> {
    let items = program.items.iter().enumerate();
    let admitted = items.filter(|(_, item)| matches!(item, Item::Function(one) if admits(one)));
    admitted.map(|(place, _)| place).collect()
}

/// Moving, removing or repeating it leaves a program that compiles, as far as names go.
pub(super) fn is_free(statement: &Statement) -> bool {
    matches!(
        statement,
        Statement::Expression(_)
            | Statement::If(..)
            | Statement::While(..)
            | Statement::DoWhile(..)
            | Statement::For(_)
            | Statement::Switch(..)
            | Statement::Block(_)
    )
}

/// `if (checksum & mask) { … }` with a mask that lets a good part of all runs in.
pub(super) fn some_runs(random: &mut Random) -> Expression {
    use crate::generator::syntax::Binary;
    let mask = format!("{}u", 1 + random.below(7));
    Expression::binary(
        Binary::And,
        Expression::name("checksum"),
        Expression::Literal(mask),
    )
}
