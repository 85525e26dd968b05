//! What is the smallest program that still fails? Greedy removal on the syntax tree: definitions,
//! runs of statements, nesting, operands; every candidate is kept only if the given test still
//! holds, so whatever the test demands (that it compiles, that the oracle is clear) is preserved.
//!
//! Delta debugging in the manner of Zeller and Hildebrandt (2002), with halving runs. The result is
//! minimal for single removals unless the number of tries ran out.

use crate::generator::syntax::{Expression, Program, Statement};
use crate::generator::walk;

/// Shrinks `program` while `fails` holds, asking it at most `tries` times.
pub fn reduce(program: &Program, tries: usize, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut search = Search {
        best: program.clone(),
        tries,
        fails,
    };
    loop {
        let before = search.best.clone();
        search.drop_items();
        search.drop_statements();
        search.unnest();
        search.simplify_expressions();
        if search.best == before || search.tries == 0 {
            return search.best;
        }
    }
}

struct Search<'a> {
    best: Program,
    tries: usize,
    fails: &'a mut dyn FnMut(&Program) -> bool,
}

impl Search<'_> {
    /// Takes the candidate if it still fails.
    fn try_candidate(&mut self, candidate: Program) -> bool {
        if self.tries == 0 || candidate == self.best {
            return false;
        }
        self.tries -= 1;
        let fails = (self.fails)(&candidate);
        if fails {
            self.best = candidate;
        }
        fails
    }

    fn drop_items(&mut self) {
        let mut run = self.best.items.len() / 2;
        while run > 0 {
            let mut end = self.best.items.len();
            while end > 0 {
                let start = end.saturating_sub(run);
                let mut candidate = self.best.clone();
                candidate.items.drain(start..end);
                self.try_candidate(candidate);
                end = start;
            }
            run /= 2;
        }
    }

    fn drop_statements(&mut self) {
        let mut list = 0;
        while let Some(length) = length_of(&mut self.best, list) {
            let mut run = length;
            while run > 0 {
                let mut end = length_of(&mut self.best, list).unwrap_or(0);
                while end > 0 {
                    let start = end.saturating_sub(run);
                    let mut candidate = self.best.clone();
                    edit_list(&mut candidate, list, |body| {
                        body.drain(start..end);
                    });
                    self.try_candidate(candidate);
                    end = start;
                }
                run /= 2;
            }
            list += 1;
        }
    }

    /// Replaces a branch, a loop or a block by what it contains.
    fn unnest(&mut self) {
        let mut list = 0;
        while let Some(mut length) = length_of(&mut self.best, list) {
            while length > 0 {
                length -= 1;
                let mut candidate = self.best.clone();
                edit_list(&mut candidate, list, |body| {
                    let inner = match body.get_mut(length) {
                        Some(Statement::If(_, then, otherwise)) => {
                            let mut all = std::mem::take(then);
                            all.append(otherwise);
                            all
                        }
                        Some(
                            Statement::While(_, inner)
                            | Statement::DoWhile(inner, _)
                            | Statement::Block(inner),
                        ) => std::mem::take(inner),
                        Some(Statement::For(parts)) => {
                            let mut all: Vec<Statement> = parts.start.take().into_iter().collect();
                            all.append(&mut parts.body);
                            all
                        }
                        _ => return,
                    };
                    body.splice(length..=length, inner);
                });
                self.try_candidate(candidate);
            }
            list += 1;
        }
    }

    /// Replaces an expression by a constant or by one of its operands.
    fn simplify_expressions(&mut self) {
        let mut number = 0;
        while self.tries > 0 {
            let Some(original) = nth_expression(&mut self.best, number) else {
                return;
            };
            let mut replacements = vec![Expression::literal(0), Expression::literal(1)];
            let mut copy = original.clone();
            replacements.extend(
                walk::children(&mut copy)
                    .into_iter()
                    .map(|child| child.clone()),
            );
            if !matches!(original, Expression::Literal(_) | Expression::Text(_)) {
                for replacement in replacements {
                    let mut candidate = self.best.clone();
                    replace_expression(&mut candidate, number, replacement);
                    if self.try_candidate(candidate) {
                        break;
                    }
                }
            }
            number += 1;
        }
    }
}

fn edit_list(program: &mut Program, number: usize, edit: impl FnOnce(&mut Vec<Statement>)) {
    let mut count = 0;
    let mut edit = Some(edit);
    walk::statement_lists(program, &mut |body| {
        if count == number
            && let Some(edit) = edit.take()
        {
            edit(body);
        }
        count += 1;
    });
}

fn length_of(program: &mut Program, number: usize) -> Option<usize> {
    let mut length = None;
    edit_list(program, number, |body| length = Some(body.len()));
    length
}

fn nth_expression(program: &mut Program, number: usize) -> Option<Expression> {
    let (mut count, mut found) = (0, None);
    walk::expressions(program, &mut |value| {
        if count == number {
            found = Some(value.clone());
        }
        count += 1;
    });
    found
}

fn replace_expression(program: &mut Program, number: usize, replacement: Expression) {
    let mut count = 0;
    walk::expressions(program, &mut |value| {
        if count == number {
            *value = replacement.clone();
        }
        count += 1;
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Shape, generate, print};

    #[test]
    fn reduction_keeps_what_the_test_demands_and_little_else() {
        let trial = generate(5, &Shape::medium());
        let wanted = "printf(\"checksum %llu\\n\", checksum)";
        let small = reduce(&trial.program, 20_000, &mut |candidate| {
            print::program(candidate).contains(wanted)
        });
        let text = print::program(&small);
        assert!(text.contains(wanted));
        let code = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert!(code.count() <= 3, "{text}");
    }
}
