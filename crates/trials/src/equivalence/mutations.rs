//! How is a function made another one? One change that mostly matters: a constant, an operator, a
//! bound, a dropped statement, exchanged operands, another type, another value on one input of
//! 2^32. Whether it matters is for the runs to say.

use super::language::*;
use crate::random::Random;

/// A changed function, what was changed, and inputs that are likely to show it.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub function: Function,
    pub change: &'static str,
    pub planted: Vec<u64>,
}

type Mutation = fn(&mut Function, &mut Random) -> Option<Vec<u64>>;

const MUTATIONS: [(&str, Mutation); 14] = [
    ("a constant", constant),
    ("an entry of a table", entry),
    ("an operator", operator),
    ("a comparison", comparison),
    ("exchanged operands", exchanged_operands),
    ("a bound of a loop", bound),
    ("a dropped statement", dropped),
    ("exchanged statements", exchanged_statements),
    ("exchanged ways of a branch", exchanged_ways),
    ("another variable", variable),
    ("the type of a local variable", local_type),
    ("a dropped conversion", conversion),
    ("a rare input", rare),
    ("a rare pair of inputs", rare_pair),
];

/// Changes a function in one place.
pub fn mutated(function: &Function, random: &mut Random) -> Mutant {
    loop {
        let (change, mutation) = *random.pick(&MUTATIONS);
        let mut changed = function.clone();
        if let Some(planted) = mutation(&mut changed, random)
            && changed != *function
        {
            return Mutant {
                function: changed,
                change,
                planted,
            };
        }
    }
}

fn each_list(function: &mut Function, found: &mut dyn FnMut(&mut Vec<Statement>)) {
    fn walk(body: &mut Vec<Statement>, found: &mut dyn FnMut(&mut Vec<Statement>)) {
        found(body);
        for statement in body {
            for inner in statement.bodies_mut() {
                walk(inner, found);
            }
        }
    }
    walk(&mut function.body, found);
    for helper in &mut function.helpers {
        walk(&mut helper.body, found);
    }
}

fn each_expression(function: &mut Function, found: &mut dyn FnMut(&mut Expression)) {
    fn walk(expression: &mut Expression, found: &mut dyn FnMut(&mut Expression)) {
        found(expression);
        for child in expression.children_mut() {
            walk(child, found);
        }
    }
    each_list(function, &mut |body| {
        for statement in body {
            for expression in statement.expressions_mut() {
                walk(expression, found);
            }
        }
    });
}

/// Changes one of the expressions that can be.
fn one_expression(
    function: &mut Function,
    random: &mut Random,
    change: &mut dyn FnMut(&mut Expression) -> bool,
) -> Option<Vec<u64>> {
    let mut count = 0;
    each_expression(function, &mut |expression| {
        count += usize::from(change(&mut expression.clone()));
    });
    if count == 0 {
        return None;
    }
    let chosen = random.below(count);
    let mut at = 0;
    each_expression(function, &mut |expression| {
        let mut changed = expression.clone();
        if change(&mut changed) {
            if at == chosen {
                *expression = changed;
            }
            at += 1;
        }
    });
    Some(Vec::new())
}

/// Changes one of the lists of statements that can be, at a place.
fn one_place(
    function: &mut Function,
    random: &mut Random,
    fits: &dyn Fn(&[Statement], usize) -> bool,
    change: &dyn Fn(&mut Vec<Statement>, usize),
) -> Option<Vec<u64>> {
    let mut count = 0;
    each_list(function, &mut |body| {
        count += (0..body.len()).filter(|at| fits(body, *at)).count();
    });
    if count == 0 {
        return None;
    }
    let chosen = random.below(count);
    let mut seen = 0;
    each_list(function, &mut |body| {
        let places: Vec<usize> = (0..body.len()).filter(|at| fits(body, *at)).collect();
        if (seen..seen + places.len()).contains(&chosen) {
            change(body, places[chosen - seen]);
        }
        seen += places.len();
    });
    Some(Vec::new())
}

fn constant(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    let delta = *random.pick(&[1, -1, 1, -1, 2, 128]);
    one_expression(function, random, &mut |expression| match expression {
        Expression::Number(value, _) => {
            *value = (*value + delta).max(0);
            true
        }
        _ => false,
    })
}

fn entry(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    let mut tables = function
        .arrays
        .iter_mut()
        .filter(|row| !row.values.is_empty());
    let table = tables.next()?;
    let at = random.below(table.values.len());
    table.values[at] += 1;
    Some(Vec::new())
}

fn operator(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    use Binary::*;
    let second = random.chance(50);
    one_expression(function, random, &mut |expression| match expression {
        Expression::Binary(operator, ..) => {
            let other = match operator {
                Add => [Subtract, Or],
                Subtract => [Add, Xor],
                Multiply => [Add, And],
                And => [Or, Xor],
                Or => [Xor, Add],
                Xor => [Or, Add],
                LogicalAnd => [LogicalOr, LogicalOr],
                LogicalOr => [LogicalAnd, LogicalAnd],
                _ => return false,
            };
            *operator = other[usize::from(second)];
            true
        }
        _ => false,
    })
}

fn comparison(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    use Binary::*;
    let second = random.chance(20);
    one_expression(function, random, &mut |expression| match expression {
        Expression::Binary(operator, ..) => {
            let other = match operator {
                Less => [LessEqual, GreaterEqual],
                LessEqual => [Less, Greater],
                Greater => [GreaterEqual, LessEqual],
                GreaterEqual => [Greater, Less],
                Equal => [NotEqual, LessEqual],
                NotEqual => [Equal, Less],
                _ => return false,
            };
            *operator = other[usize::from(second)];
            true
        }
        _ => false,
    })
}

fn exchanged_operands(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    let of_calls = random.chance(30);
    if of_calls {
        let fits = |body: &[Statement], at: usize| matches!(&body[at], Statement::Invoke(_, _, values) if values.len() > 1);
        let change = |body: &mut Vec<Statement>, at: usize| {
            if let Statement::Invoke(_, _, values) = &mut body[at] {
                values.swap(0, 1);
            }
        };
        return one_place(function, random, &fits, &change);
    }
    one_expression(function, random, &mut |expression| match expression {
        Expression::Binary(Binary::Subtract | Binary::Less | Binary::GreaterEqual, one, two) => {
            std::mem::swap(one, two);
            true
        }
        Expression::Conditional(_, one, two) => {
            std::mem::swap(one, two);
            true
        }
        _ => false,
    })
}

fn bound(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    let by = random.below(3);
    let fits = |body: &[Statement], at: usize| matches!(&body[at], Statement::Counted(_));
    let change = |body: &mut Vec<Statement>, at: usize| {
        if let Statement::Counted(counted) = &mut body[at] {
            match by {
                0 => counted.start += 1,
                1 if counted.start > 0 => counted.start -= 1,
                _ => {
                    let bound = counted.bound.clone();
                    let one = Expression::Number(1, UNSIGNED);
                    let operator = match by {
                        1 => Binary::Add,
                        _ => Binary::Subtract,
                    };
                    counted.bound = match bound {
                        Expression::Number(value, integer) => {
                            Expression::Number(value + 1, integer)
                        }
                        bound => Expression::binary(operator, bound, one),
                    };
                }
            }
        }
    };
    one_place(function, random, &fits, &change)
}

fn dropped(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    let fits = |body: &[Statement], at: usize| {
        // What makes a loop end stays: the last of a `while`.
        let is_step = at + 1 == body.len()
            && matches!(&body[at], Statement::Assign(Target::Variable(id), value) if value.mentions(*id));
        !is_step
            && matches!(
                &body[at],
                Statement::Assign(..)
                    | Statement::Update(..)
                    | Statement::Tell(_)
                    | Statement::Break
                    | Statement::If(..)
            )
    };
    let change = |body: &mut Vec<Statement>, at: usize| {
        body.remove(at);
    };
    one_place(function, random, &fits, &change)
}

fn exchanged_statements(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    let is_change = |row: &Statement| {
        matches!(
            row,
            Statement::Assign(..) | Statement::Update(..) | Statement::Tell(_)
        )
    };
    let fits = |body: &[Statement], at: usize| {
        at + 1 < body.len() && is_change(&body[at]) && is_change(&body[at + 1])
    };
    let change = |body: &mut Vec<Statement>, at: usize| body.swap(at, at + 1);
    one_place(function, random, &fits, &change)
}

fn exchanged_ways(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    let fits = |body: &[Statement], at: usize| matches!(&body[at], Statement::If(..));
    let change = |body: &mut Vec<Statement>, at: usize| {
        if let Statement::If(_, yes, no) = &mut body[at] {
            std::mem::swap(yes, no);
        }
    };
    one_place(function, random, &fits, &change)
}

/// A variable that is there as long: a parameter or a global one.
fn variable(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    let parameters = function.parameters.iter().filter_map(|row| match row {
        Parameter::Scalar(id) => Some(*id),
        _ => None,
    });
    let parameters: Vec<VariableId> = parameters.collect();
    let other = *random.pick(&parameters);
    let helpers = std::mem::take(&mut function.helpers);
    let counts: Vec<VariableId> = function
        .variables
        .iter()
        .enumerate()
        .filter(|(_, row)| row.name.starts_with('i'))
        .map(|(number, _)| VariableId(number))
        .collect();
    let changed = one_expression(function, random, &mut |expression| match expression {
        Expression::Variable(id) if *id != other && !counts.contains(id) => {
            *id = other;
            true
        }
        _ => false,
    });
    function.helpers = helpers;
    changed
}

fn local_type(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    let is_local = |row: &Variable| row.name.starts_with('v') || row.name.starts_with('x');
    let locals: Vec<usize> = (0..function.variables.len())
        .filter(|at| is_local(&function.variables[*at]))
        .collect();
    if locals.is_empty() {
        return None;
    }
    let row = &mut function.variables[*random.pick(&locals)];
    row.integer = match random.chance(60) {
        true => Integer {
            signed: !row.integer.signed,
            ..row.integer
        },
        false => *random.pick(&Integer::ALL),
    };
    Some(Vec::new())
}

fn conversion(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    one_expression(function, random, &mut |expression| match expression {
        Expression::Cast(_, inner) => {
            *expression = (**inner).clone();
            true
        }
        _ => false,
    })
}

/// A parameter of many bits, and a test that one value of it passes.
fn rare_test(function: &Function, random: &mut Random) -> Option<(VariableId, Expression, u64)> {
    let wide = function.parameters.iter().filter_map(|row| match row {
        Parameter::Scalar(id) => Some(*id).filter(|id| {
            let row = &function.variables[id.0];
            row.integer.bits >= 32 && !row.name.starts_with('n')
        }),
        _ => None,
    });
    let wide: Vec<VariableId> = wide.collect();
    if wide.is_empty() {
        return None;
    }
    let id = *random.pick(&wide);
    let planted = random.bits() as u32;
    let factor = random.bits() as u32 | 1;
    let value = Expression::Cast(UNSIGNED, Box::new(Expression::Variable(id)));
    let literal = |value: u32| Expression::Number(i64::from(value), UNSIGNED);
    let (left, image) = match random.below(4) {
        0 => (value, planted),
        1 => (
            Expression::binary(Binary::Multiply, value, literal(factor)),
            planted.wrapping_mul(factor),
        ),
        2 => (
            Expression::binary(Binary::Xor, value, literal(factor)),
            planted ^ factor,
        ),
        _ => (
            Expression::binary(Binary::Add, value, literal(factor)),
            planted.wrapping_add(factor),
        ),
    };
    let test = Expression::binary(Binary::Equal, left, literal(image));
    Some((id, test, u64::from(planted)))
}

fn rare(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    let (id, test, planted) = rare_test(function, random)?;
    let one = Expression::Number(1, UNSIGNED);
    let change = Statement::Update(Target::Variable(id), Binary::Xor, one);
    let change = match random.chance(50) {
        true => change,
        false => Statement::Return(Expression::Number(77, UNSIGNED)),
    };
    let statement = Statement::If(test, vec![change], Vec::new());
    function.body.insert(0, statement);
    Some(vec![planted])
}

fn rare_pair(function: &mut Function, random: &mut Random) -> Option<Vec<u64>> {
    let (one, left, first) = rare_test(function, random)?;
    let (two, right, second) = rare_test(function, random)?;
    if one == two {
        return None;
    }
    let test = Expression::binary(Binary::LogicalAnd, left, right);
    let value = Expression::Number(77, UNSIGNED);
    let end = vec![Statement::Return(value)];
    function
        .body
        .insert(0, Statement::If(test, end, Vec::new()));
    Some(vec![first, second])
}
