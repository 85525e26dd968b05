//! Which turns of phrase does real C have that random trees never hit upon? Each idiom is a C
//! template whose holes are filled with random expressions: it is closed (it frees what it takes,
//! ends soon, is defined for all fillings) and reports its result to the checksum.

mod algorithms;
mod environment;
mod heap;
mod indirect_calls;
mod language;
mod linked;
mod objects;
mod pointers;
mod text;

use super::Generator;
use super::integers::Kind;
use super::syntax::{Expression, Statement};
use super::undefined::Undefined;

/// A template: definitions it needs at file scope, its statements, the work of one run.
pub(super) struct Idiom {
    pub name: &'static str,
    pub includes: &'static [&'static str],
    pub definitions: &'static str,
    /// `$0` and `$1`: any int. `$2` and `$3`: 0 to 15. `$4`: a double. `$5`: a text of at most 11
    /// bytes. `#` ends the names that must differ between two uses.
    pub body: &'static str,
    pub work: u64,
}

const GROUPS: [&[Idiom]; 8] = [
    heap::IDIOMS,
    text::IDIOMS,
    algorithms::IDIOMS,
    language::IDIOMS,
    objects::IDIOMS,
    pointers::IDIOMS,
    linked::IDIOMS,
    indirect_calls::IDIOMS,
];

impl Generator<'_> {
    pub(super) fn idiom(&mut self, body: &mut Vec<Statement>) {
        let group = *self.random.pick(&GROUPS);
        let idiom = self.random.pick(group);
        if idiom.work > 2000 && self.context.repeats > 20 || !self.affordable(idiom.work) {
            return;
        }
        let planted = self.shape.undefined;
        let jumps = idiom.includes.contains(&"setjmp.h");
        if jumps && planted.is_some_and(Undefined::may_leave_a_stack_object) {
            return;
        }
        self.spend(idiom.work);
        let statements = self.instance(idiom);
        body.push(Statement::Block(statements));
    }

    /// The idiom with fresh fillings.
    pub(super) fn instance(&mut self, idiom: &Idiom) -> Vec<Statement> {
        for header in idiom.includes {
            self.include(header);
        }
        self.require(idiom.name, idiom.definitions);
        let holes = [
            self.any_int(),
            self.any_int(),
            self.small_int(),
            self.small_int(),
            self.floating(1).expression,
            Expression::Text(self.word()),
        ];
        // A filling that is used twice becomes a variable, which keeps programs readable.
        let mut bindings = String::new();
        let mut body = idiom.body.to_string();
        let names = ["left", "right", "few", "some", "real"];
        for (number, name) in names.into_iter().enumerate() {
            let hole = format!("${number}");
            if body.matches(&hole).count() > 1 {
                let kind = if name == "real" { "double" } else { "int" };
                bindings.push_str(&format!("{kind} {name}_hole# = {hole};\n"));
                body = body.replace(&hole, &format!("{name}_hole#"));
            }
        }
        self.template(&format!("{bindings}{body}"), &holes)
    }

    fn any_int(&mut self) -> Expression {
        self.integer(2).cast(Kind::Int).expression
    }

    fn small_int(&mut self) -> Expression {
        // Planted statements go wrong on some of these values only: they get them all.
        let planting = self.plant_kind.is_some();
        let mask = if planting {
            15
        } else {
            *self.random.pick(&[1, 3, 7, 15])
        };
        self.integer(1).masked(mask).cast(Kind::Int).expression
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    #[test]
    fn any_idioms_go_together_in_one_program() {
        let mut text = String::from(
            "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n",
        );
        let all = || GROUPS.iter().copied().flatten();
        for header in all().flat_map(|idiom| idiom.includes) {
            text.push_str(&format!("#include <{header}>\n"));
        }
        text.push_str("void mix(unsigned long long);\nvoid mix_double(double);\n");
        text.push_str("void show_double(const char *, double);\n");
        let mut seen = Vec::new();
        for idiom in all() {
            if !seen.contains(&idiom.name) {
                seen.push(idiom.name);
                text.push_str(idiom.definitions);
            }
        }
        let mut clang = Command::new("clang-19")
            .args(["-w", "-fsyntax-only", "-x", "c", "-"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = clang.stdin.take().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        drop(input);
        assert!(clang.wait().unwrap().success());
    }
}
