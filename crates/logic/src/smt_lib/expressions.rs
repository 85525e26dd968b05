//! The expressions that solvers answer with, unread.

/// Nesting deeper than this is not read.
const DEEPEST: usize = 2000;

pub(crate) enum Expression<'a> {
    Atom(&'a str),
    List(Vec<Expression<'a>>),
}

/// One expression, and nothing behind it.
pub(crate) fn read(text: &str) -> Option<Expression<'_>> {
    let mut open: Vec<Vec<Expression<'_>>> = vec![Vec::new()];
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' => {
                open.push(Vec::new());
                1
            }
            ')' => {
                let list = open.pop()?;
                open.last_mut()?.push(Expression::List(list));
                1
            }
            _ => {
                let is_end = |next: char| next.is_whitespace() || next == '(' || next == ')';
                let length = rest.find(is_end).unwrap_or(rest.len());
                open.last_mut()?.push(Expression::Atom(&rest[..length]));
                length
            }
        };
        if open.len() > DEEPEST {
            return None;
        }
        rest = rest[length..].trim_start();
    }
    let mut all = open.pop().filter(|_| open.is_empty())?;
    match all.len() {
        1 => all.pop(),
        _ => None,
    }
}
