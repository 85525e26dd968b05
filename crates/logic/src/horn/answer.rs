//! What a solver answers to Horn clauses: the definition of the predicate, as a formula with linear
//! statements about its parameters.
//!
//! Nothing here is trusted: a part that cannot be read is left out of a conjunction, and makes
//! everything else around it unreadable, too.

use crate::smt_lib::expressions::{Expression, read};
use std::collections::BTreeMap;

/// `constant + Σ coefficient · parameter`, coefficients not 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    pub constant: i128,
    pub parts: BTreeMap<usize, i128>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Formula {
    Truth(bool),
    /// A parameter that is a Boolean.
    Parameter(usize),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    AtMostZero(Linear),
    IsZero(Linear),
    Unreadable,
}

/// Formulas that are larger when written out are not read.
const LARGEST: usize = 2000;

impl Linear {
    fn number(constant: i128) -> Linear {
        Linear {
            constant,
            parts: BTreeMap::new(),
        }
    }

    /// `self + factor · other`.
    pub(super) fn plus(&self, other: &Linear, factor: i128) -> Option<Linear> {
        let mut sum = self.clone();
        let scaled = other.constant.checked_mul(factor)?;
        sum.constant = sum.constant.checked_add(scaled)?;
        for (parameter, coefficient) in &other.parts {
            let scaled = coefficient.checked_mul(factor)?;
            let part = sum.parts.entry(*parameter).or_insert(0);
            *part = part.checked_add(scaled)?;
        }
        sum.parts.retain(|_, coefficient| *coefficient != 0);
        Some(sum)
    }

    pub(super) fn negated(&self) -> Option<Linear> {
        Linear::default().plus(self, -1)
    }
}

/// The parts of the predicate's definition that can be read. Of each parameter: it is a Boolean.
pub(super) fn conjuncts(answer: &str, predicate: &str, parameters: &[bool]) -> Vec<Formula> {
    let Some(Expression::List(rows)) = read(answer) else {
        return Vec::new();
    };
    let definitions = rows.iter().filter_map(|row| match row {
        Expression::List(parts) => match &parts[..] {
            [
                Expression::Atom("define-fun"),
                Expression::Atom(name),
                Expression::List(given),
                _,
                body,
            ] if *name == predicate && given.len() == parameters.len() => Some((given, body)),
            _ => None,
        },
        Expression::Atom(_) => None,
    });
    let mut found = Vec::new();
    for (given, body) in definitions {
        let mut reader = Reader {
            scope: Vec::new(),
            left: LARGEST,
        };
        for (number, (pair, is_boolean)) in given.iter().zip(parameters).enumerate() {
            let value = match is_boolean {
                true => Value::Statement(Formula::Parameter(number)),
                false => Value::Number(Linear {
                    constant: 0,
                    parts: [(number, 1)].into(),
                }),
            };
            if let Expression::List(pair) = pair
                && let [Expression::Atom(name), _] = &pair[..]
            {
                reader.scope.push((name, value));
            }
        }
        let mut open = vec![reader.statement(body)];
        while let Some(next) = open.pop() {
            match next {
                Formula::And(parts) => open.extend(parts.into_iter().rev()),
                part if is_readable(&part) => found.push(part),
                _ => {}
            }
        }
    }
    found
}

fn is_readable(formula: &Formula) -> bool {
    match formula {
        Formula::Unreadable => false,
        Formula::Not(inner) => is_readable(inner),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().all(is_readable),
        _ => true,
    }
}

fn size(formula: &Formula) -> usize {
    match formula {
        Formula::Not(inner) => 1 + size(inner),
        Formula::And(parts) | Formula::Or(parts) => 1 + parts.iter().map(size).sum::<usize>(),
        Formula::AtMostZero(sum) | Formula::IsZero(sum) => 1 + sum.parts.len(),
        _ => 1,
    }
}

#[derive(Clone)]
enum Value {
    Number(Linear),
    Statement(Formula),
    Unreadable,
}

struct Reader<'a> {
    scope: Vec<(&'a str, Value)>,
    /// So much may still be written out.
    left: usize,
}

impl<'a> Reader<'a> {
    fn statement(&mut self, expression: &Expression<'a>) -> Formula {
        match self.value(expression) {
            Value::Statement(formula) => formula,
            _ => Formula::Unreadable,
        }
    }

    fn number(&mut self, expression: &Expression<'a>) -> Option<Linear> {
        match self.value(expression) {
            Value::Number(sum) => Some(sum),
            _ => None,
        }
    }

    fn value(&mut self, expression: &Expression<'a>) -> Value {
        let parts = match expression {
            Expression::Atom("true") => return Value::Statement(Formula::Truth(true)),
            Expression::Atom("false") => return Value::Statement(Formula::Truth(false)),
            Expression::Atom(atom) => return self.atom(atom),
            Expression::List(parts) => parts,
        };
        if let [Expression::Atom("let"), Expression::List(bindings), body] = &parts[..] {
            let before = self.scope.len();
            let mut bound = Vec::new();
            for binding in bindings {
                if let Expression::List(pair) = binding
                    && let [Expression::Atom(name), given] = &pair[..]
                {
                    bound.push((*name, self.value(given)));
                }
            }
            self.scope.extend(bound);
            let value = self.value(body);
            self.scope.truncate(before);
            return value;
        }
        let Some((Expression::Atom(head), arguments)) = parts.split_first() else {
            return Value::Unreadable;
        };
        match *head {
            "+" | "-" | "*" => match self.sum(head, arguments) {
                Some(sum) => Value::Number(sum),
                None => Value::Unreadable,
            },
            _ => Value::Statement(self.formula(head, arguments)),
        }
    }

    fn atom(&mut self, atom: &str) -> Value {
        if let Ok(number) = atom.parse::<i128>() {
            return Value::Number(Linear::number(number));
        }
        let Some((_, value)) = self.scope.iter().rev().find(|row| row.0 == atom) else {
            return Value::Unreadable;
        };
        let cost = match value {
            Value::Statement(formula) => size(formula),
            _ => 1,
        };
        match self.left.checked_sub(cost) {
            Some(left) => {
                self.left = left;
                value.clone()
            }
            None => Value::Unreadable,
        }
    }

    fn sum(&mut self, head: &str, arguments: &[Expression<'a>]) -> Option<Linear> {
        let rows: Option<Vec<Linear>> = arguments.iter().map(|row| self.number(row)).collect();
        match (head, &rows?[..]) {
            ("-", [only]) => only.negated(),
            ("+" | "-", [first, rest @ ..]) => {
                let factor = if head == "+" { 1 } else { -1 };
                let mut rest = rest.iter();
                rest.try_fold(first.clone(), |sum, row| sum.plus(row, factor))
            }
            ("*", [left, right]) if left.parts.is_empty() => {
                Linear::default().plus(right, left.constant)
            }
            ("*", [left, right]) if right.parts.is_empty() => {
                Linear::default().plus(left, right.constant)
            }
            _ => None,
        }
    }

    fn formula(&mut self, head: &str, arguments: &[Expression<'a>]) -> Formula {
        let not = |formula: Formula| Formula::Not(Box::new(formula));
        match (head, arguments) {
            ("not", [inner]) => match self.statement(inner) {
                // What is left out of a conjunction may not be left out of its negation.
                inner if is_readable(&inner) => not(inner),
                _ => Formula::Unreadable,
            },
            ("and", rows) => Formula::And(rows.iter().map(|row| self.statement(row)).collect()),
            ("or", rows) => Formula::Or(rows.iter().map(|row| self.statement(row)).collect()),
            ("=>", [left, right]) => {
                Formula::Or(vec![not(self.statement(left)), self.statement(right)])
            }
            ("<=" | ">=" | "<" | ">" | "=", [left, right]) => {
                match (self.value(left), self.value(right)) {
                    (Value::Number(left), Value::Number(right)) => {
                        compared(head, &left, &right).unwrap_or(Formula::Unreadable)
                    }
                    (Value::Statement(left), Value::Statement(right)) if head == "=" => {
                        let both = Formula::And(vec![left.clone(), right.clone()]);
                        let none = Formula::And(vec![not(left), not(right)]);
                        Formula::Or(vec![both, none])
                    }
                    _ => Formula::Unreadable,
                }
            }
            _ => Formula::Unreadable,
        }
    }
}

fn compared(head: &str, left: &Linear, right: &Linear) -> Option<Formula> {
    let difference = left.plus(right, -1)?;
    let one = Linear::number(1);
    Some(match head {
        "=" => Formula::IsZero(difference),
        "<=" => Formula::AtMostZero(difference),
        "<" => Formula::AtMostZero(difference.plus(&one, 1)?),
        ">=" => Formula::AtMostZero(difference.negated()?),
        _ => Formula::AtMostZero(difference.negated()?.plus(&one, 1)?),
    })
}
