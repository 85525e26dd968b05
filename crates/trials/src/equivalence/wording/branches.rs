//! The wordings of branches: inverted, as a choice of values, nested, with jumps, as chains.

use super::Writer;
use crate::equivalence::language::*;

impl Writer<'_> {
    pub(super) fn branch(
        &mut self,
        test: &Expression,
        yes: &[Statement],
        no: &[Statement],
        result: Integer,
    ) {
        if let ([Statement::Assign(one, left)], [Statement::Assign(two, right)]) = (yes, no)
            && one == two
            && self.varies()
        {
            let (test, target) = (self.condition(test), self.target(one));
            let integer = self.function.type_of_target(one).name();
            let (left, right) = (self.expression(left), self.expression(right));
            self.line(format!(
                "{target} = {test} ? ({integer})({left}) : ({integer})({right});"
            ));
            return;
        }
        if let (Expression::Binary(Binary::LogicalAnd, left, right), []) = (test, no)
            && self.varies()
        {
            let left = self.condition(left);
            self.open(format!("if {left}"));
            let right = self.condition(right);
            self.block(format!("if {right}"), yes, result);
            self.close("");
            return;
        }
        let plain = self.condition(test);
        match self.varies().then(|| self.random.below(3)) {
            Some(0) => {
                self.block(format!("if (!{plain})"), no, result);
                self.lines.pop();
                self.line("} else {");
                self.depth += 1;
                self.statements(yes, result);
                self.close("");
            }
            Some(1) if no.is_empty() => {
                let label = self.fresh("skip");
                self.line(format!("if (!{plain})"));
                self.line(format!("    goto {label};"));
                self.block("", yes, result);
                self.line(format!("{label}:;"));
            }
            Some(2) => {
                let name = self.fresh("test");
                self.line(format!("int {name} = {plain};"));
                self.block(format!("if ({name})"), yes, result);
                if !no.is_empty() {
                    self.block(format!("if (!{name})"), no, result);
                }
            }
            _ => {
                self.block(format!("if {plain}"), yes, result);
                if !no.is_empty() {
                    self.lines.pop();
                    self.line("} else {");
                    self.depth += 1;
                    self.statements(no, result);
                    self.close("");
                }
            }
        }
    }

    pub(super) fn switch(
        &mut self,
        value: &Expression,
        cases: &[(i64, Vec<Statement>)],
        rest: &[Statement],
        result: Integer,
    ) {
        let integer = self.function.type_of(value);
        let value = self.value(value);
        let name = self.fresh("which");
        self.line(format!("{} {name} = {value};", integer.name()));
        if self.varies() {
            for (at, (number, body)) in cases.iter().enumerate() {
                let head = format!("if ({name} == {number})");
                match at {
                    0 => self.open(head),
                    _ => {
                        self.lines.pop();
                        self.line(format!("}} else {head} {{"));
                        self.depth += 1;
                    }
                }
                self.statements(body, result);
                self.close("");
            }
            self.lines.pop();
            self.line("} else {");
            self.depth += 1;
            self.statements(rest, result);
            self.close("");
            return;
        }
        self.open(format!("switch ({name})"));
        let labels = cases
            .iter()
            .map(|(number, body)| (format!("case {number}:"), body));
        let mut sections: Vec<(String, &[Statement])> = labels
            .map(|(label, body)| (label, body.as_slice()))
            .collect();
        sections.push(("default:".to_owned(), rest));
        if self.varies() {
            sections.reverse();
        }
        for (label, body) in sections {
            self.block(label, body, result);
            self.line("break;");
        }
        self.close("");
    }
}
