//! **Question.** Which attributes and pragmas of a unit does the build's compiler know and clang not?
//!
//! `__attribute__((optimize("Ofast")))` and `#pragma GCC target("fma")` leave no trace in clang's IR.
//!
//! **Rules.** clang warns of each one. Only then is the unit preprocessed, and its text searched for
//! the attributes of the names that clang mentioned and for pragmas. An attribute concerns the
//! function whose declaration it stands in or whose body it stands in, else all functions of the unit.
//! A pragma concerns all functions that are declared behind it, up to the `pop_options` of its
//! `push_options`. What has no meaning is listed here; all other counts, known or not. Levels of
//! optimisation have no meaning, as those of the command line.
//!
//! **Soundness.** A note that names no function which the unit defines counts for all of them, and so
//! does each note in another language than C. Where the unit cannot be preprocessed, clang's warnings
//! count for all functions. The notes are compared and never read.
//!
//! **Cost.** None where clang does not warn; else the unit is preprocessed, a third of a compile.

use knockon_program::Program;
use std::collections::{BTreeMap, BTreeSet};

/// What is asked of clang, after `-Wno-everything`.
pub(crate) const WARNINGS: [&str; 5] = [
    "-Wunknown-attributes",
    "-Wignored-attributes",
    "-Wunknown-pragmas",
    "-Wignored-pragmas",
    "-Wno-error",
];

#[rustfmt::skip]
const ATTRIBUTES_WITHOUT_MEANING: &[&str] = &[
    // hints, and what inlining and cloning may do
    "artificial", "cold", "flatten", "hot", "leaf", "no_icf", "no_reorder", "noclone", "noinline", "noipa",
    "no_split_stack", "no_stack_limit", "no_stack_protector", "stack_protect", "expected_throw",
    "externally_visible", "used", "retain", "no_instrument_function", "no_profile_instrument_function",
    "no_sanitize", "no_sanitize_address", "no_sanitize_coverage", "no_sanitize_thread",
    "no_sanitize_undefined", "no_address_safety_analysis", "visibility",
    // promises, and what is only warned of
    "access", "alloc_align", "alloc_size", "assume_aligned", "counted_by", "deprecated", "error",
    "fallthrough", "fd_arg", "fd_arg_read", "fd_arg_write", "format", "format_arg", "malloc", "maybe_unused",
    "nodiscard", "nonnull", "nonnull_if_nonzero", "nonstring", "null_terminated_string_arg",
    "returns_nonnull", "sentinel", "tainted_args", "unavailable", "unused", "warn_if_not_aligned",
    "warn_unused_result", "warning", "designated_init", "noreturn", "nothrow", "may_alias",
    "flag_enum", "unsequenced", "reproducible",
];

/// By their first words. clang reads some of them, so that they have their meaning in the IR.
#[rustfmt::skip]
const PRAGMAS_WITHOUT_MEANING: &[&str] = &[
    "GCC dependency", "GCC diagnostic", "GCC error", "GCC ivdep", "GCC novector", "GCC poison",
    "GCC system_header", "GCC unroll", "GCC visibility", "GCC warning", "GCC pch_preprocess",
    "STDC FENV_ACCESS", "STDC FENV_ROUND", "STDC FP_CONTRACT", "STDC CX_LIMITED_RANGE OFF", "clang", "comment",
    "endregion", "float_control", "ident", "ivdep", "mark", "message", "ms_struct", "nounroll", "omp", "once",
    "pack", "pop_macro", "push_macro", "redefine_extname", "region", "simd", "unroll", "vector", "warning",
    "weak",
];

/// What clang said, if it counts.
pub(crate) struct Warned {
    attributes: BTreeSet<String>,
    pragmas: bool,
    text: String,
}

pub(crate) fn warned(messages: &[u8]) -> Option<Warned> {
    let mut warned = Warned {
        attributes: BTreeSet::new(),
        pragmas: false,
        text: String::new(),
    };
    for line in String::from_utf8_lossy(messages).lines() {
        let is_attribute = line.ends_with("-attributes]");
        if is_attribute {
            let names = line.split('\'').skip(1).step_by(2).map(bare);
            let names = names.filter(|name| !ATTRIBUTES_WITHOUT_MEANING.contains(name));
            warned.attributes.extend(names.map(str::to_owned));
        }
        warned.pragmas |= line.ends_with("-pragmas]");
        if is_attribute || line.ends_with("-pragmas]") {
            // Without the place.
            let said = line.split_once(" warning: ").map_or(line, |(_, said)| said);
            warned.text += &format!("\n{said}");
        }
    }
    (warned.pragmas || !warned.attributes.is_empty()).then_some(warned)
}

/// clang's words without these warnings, for who reads of an error.
pub(crate) fn without_warnings(messages: &str) -> String {
    let lines = messages.lines();
    let lines: Vec<&str> = lines
        .filter(|line| !line.ends_with("-attributes]") && !line.ends_with("-pragmas]"))
        .filter(|line| !line.contains(" generated.") || !line.contains("warning"))
        .collect();
    lines.join("\n")
}

/// `__x__` is `x`.
fn bare(name: &str) -> &str {
    let inner = name
        .strip_prefix("__")
        .and_then(|name| name.strip_suffix("__"));
    inner.unwrap_or(name)
}

/// What to add to the meaning of functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnreadAttributes {
    /// The names that a note may concern, and the note. No name: every function.
    notes: BTreeSet<(Vec<String>, String)>,
}

impl UnreadAttributes {
    pub(crate) fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    pub(crate) fn of_warnings(warned: &Warned) -> UnreadAttributes {
        UnreadAttributes {
            notes: BTreeSet::from([(Vec::new(), warned.text.clone())]),
        }
    }

    pub(crate) fn in_text(warned: &Warned, text: &str) -> UnreadAttributes {
        let mut scan = Scan {
            warned,
            names: Vec::new(),
            own: Vec::new(),
            braces: 0,
            parentheses: 0,
            options: Vec::new(),
            saved: Vec::new(),
            found: UnreadAttributes::default(),
        };
        scan.read(&tokens(text));
        scan.found
    }

    /// In a fixed order, to tell contents apart.
    pub(crate) fn text(&self) -> String {
        let lines = self.notes.iter();
        let lines: Vec<String> = lines
            .map(|(names, note)| format!("{}\t{note}\n", names.join(" ")))
            .collect();
        lines.concat()
    }

    pub(crate) fn apply(&self, program: &mut Program) {
        let mut added: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        let source = program.units.first();
        let source = source.map_or("", |unit| program.names.text(unit.source));
        let is_c = source.ends_with(".c") || source.ends_with(".h") || source.ends_with(".i");
        for (names, note) in &self.notes {
            let bodies = program.functions.iter().enumerate();
            let bodies = bodies.filter(|(_, function)| function.body.is_some());
            let (named, others): (Vec<_>, Vec<_>) = bodies.partition(|(_, function)| {
                let is = |name| names.iter().any(|own| own == program.names.text(name));
                is(function.name) || is(function.source_name)
            });
            let concerned = match named.is_empty() || !is_c {
                true => named.iter().chain(&others),
                false => named.iter().chain(&[]),
            };
            for (at, _) in concerned {
                added.entry(*at).or_default().push(note);
            }
        }
        for (at, notes) in added {
            let own = program.name(program.functions[at].meaning.code);
            let text = format!("{own}\nunread {}", notes.join("\nunread "));
            program.functions[at].meaning.code = program.names.intern(&text);
        }
    }
}

/// A walk over the declarations of a preprocessed text.
struct Scan<'a> {
    warned: &'a Warned,
    /// Of the declaration that is being read: the names before a parenthesis.
    names: Vec<String>,
    /// Its attributes.
    own: Vec<String>,
    braces: u32,
    parentheses: u32,
    /// The pragmas that hold here.
    options: Vec<String>,
    saved: Vec<Vec<String>>,
    found: UnreadAttributes,
}

impl Scan<'_> {
    fn read(&mut self, tokens: &[&str]) {
        let mut at = 0;
        while let Some(&token) = tokens.get(at) {
            at += 1;
            let next = tokens.get(at).copied().unwrap_or_default();
            match token {
                "__attribute__" | "__attribute" if next == "(" => {
                    let end = end_of_brackets(tokens, at);
                    let inner = tokens.get(at + 2..end.saturating_sub(2));
                    self.attributes(inner.unwrap_or_default());
                    at = end;
                }
                "[" if next == "[" => {
                    let end = end_of_brackets(tokens, at - 1);
                    let inner = tokens.get(at + 1..end.saturating_sub(2));
                    self.attributes(inner.unwrap_or_default());
                    at = end;
                }
                "(" => self.parentheses += 1,
                ")" => self.parentheses = self.parentheses.saturating_sub(1),
                "{" => self.braces += 1,
                "}" => {
                    self.braces = self.braces.saturating_sub(1);
                    // Behind a type's braces its declaration goes on.
                    if self.braces == 0 && !self.names.is_empty() {
                        self.end_of_declaration();
                    }
                }
                ";" if self.braces == 0 && self.parentheses == 0 => self.end_of_declaration(),
                _ if token.starts_with('#') => self.directive(&token[1..]),
                _ if next == "("
                    && self.braces == 0
                    && self.parentheses == 0
                    && token.starts_with(is_word) =>
                {
                    self.names.push(token.to_owned());
                }
                _ => {}
            }
        }
        self.end_of_declaration();
    }

    fn end_of_declaration(&mut self) {
        let names = std::mem::take(&mut self.names);
        let mut notes = std::mem::take(&mut self.own);
        if !names.is_empty() && !self.options.is_empty() {
            notes.push(format!("pragmas {}", self.options.join("; ")));
        }
        for note in notes {
            self.found.notes.insert((names.clone(), note));
        }
    }

    /// What stands inside of an attribute's brackets: names with their arguments.
    fn attributes(&mut self, tokens: &[&str]) {
        let mut at = 0;
        while let Some(&name) = tokens.get(at) {
            let end = match tokens.get(at + 1) {
                Some(&"(") => end_of_brackets(tokens, at + 1),
                _ => at + 1,
            };
            let arguments = tokens[at + 1..end.min(tokens.len())].concat();
            let name = bare(name);
            if self.warned.attributes.contains(name)
                && !(name == "optimize" && only_levels(&arguments))
            {
                self.own.push(format!("{name}{arguments}"));
            }
            at = end;
        }
    }

    fn directive(&mut self, text: &str) {
        let Some(pragma) = text.trim_start().strip_prefix("pragma") else {
            return;
        };
        let words: Vec<&str> = pragma.split_whitespace().collect();
        let pragma = words.join(" ");
        let is_known = |known: &&str| {
            let rest = pragma.strip_prefix(*known);
            rest.is_some_and(|rest| !rest.starts_with(is_word))
        };
        match pragma.as_str() {
            "GCC push_options" => self.saved.push(self.options.clone()),
            "GCC pop_options" => self.options = self.saved.pop().unwrap_or_default(),
            "GCC reset_options" => self.options.clear(),
            _ if PRAGMAS_WITHOUT_MEANING.iter().any(is_known) => {}
            _ => match pragma.strip_prefix("GCC optimize") {
                Some(levels) if only_levels(levels) => {}
                _ => self.options.push(pragma),
            },
        }
    }
}

/// The arguments of `optimize` ask for nothing but a level: `("O3")`, `(2)`, `"Os"`.
fn only_levels(arguments: &str) -> bool {
    let words = arguments.split(|c: char| !is_word(c) && c != '-' && c != '=');
    words.filter(|word| !word.is_empty()).all(|word| {
        let level = word.strip_prefix('-').unwrap_or(word);
        let level = level.strip_prefix('O').unwrap_or(level);
        matches!(level, "" | "0" | "1" | "2" | "3" | "s" | "z" | "g")
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Words, texts and single signs; a directive is one token.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for line in text.lines() {
        let mut rest = line.trim();
        if rest.starts_with('#') {
            tokens.push(rest);
            continue;
        }
        while let Some(first) = rest.chars().next() {
            let end = match first {
                '"' | '\'' => end_of_quoted(rest, first),
                _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                _ => first.len_utf8(),
            };
            let (token, after) = rest.split_at(end);
            tokens.push(token);
            rest = after.trim_start();
        }
    }
    tokens
}

fn end_of_quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return at + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Behind the bracket that closes the one at `start`.
fn end_of_brackets(tokens: &[&str], start: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match *token {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(names: &[&str], text: &str) -> String {
        let warned = Warned {
            attributes: names.iter().map(|name| (*name).to_owned()).collect(),
            pragmas: true,
            text: String::new(),
        };
        UnreadAttributes::in_text(&warned, text).text()
    }

    #[test]
    fn an_attribute_concerns_the_function_that_it_is_declared_with_or_stands_in() {
        let text =
            "__attribute__((noinline, __optimize__ (\"Ofast\")))\ndouble f(int a) { return a; }
int g(void) { int x __attribute__((odd)); return 0; }
struct __attribute__((odd(1))) s { int a; };
int h(void) { return 0; }";
        let found = notes(&["optimize", "odd"], text);
        assert_eq!(found, "\todd(1)\nf\toptimize(\"Ofast\")\ng\todd\n");
    }

    #[test]
    fn a_pragma_concerns_what_is_declared_up_to_its_end() {
        let text = "int e(void) { return 0; }
#pragma GCC push_options
#pragma GCC target(\"fma\")
int f(void) { return 0; }
#pragma GCC pop_options
#pragma GCC diagnostic push
#pragma GCC optimize (\"O3\")
int g(void) { return 0; }";
        assert_eq!(notes(&[], text), "f\tpragmas GCC target(\"fma\")\n");
    }

    #[test]
    fn only_what_has_a_meaning_is_looked_for() {
        let harmless =
            b"a.c:1:2: warning: unknown attribute '__noclone__' ignored [-Wunknown-attributes]\n";
        assert!(warned(harmless).is_none());
        let pragma =
            b"a.c:1:2: warning: unknown pragma ignored [-Wunknown-pragmas]\n1 warning generated.\n";
        assert!(warned(pragma).is_some());
        let text = String::from_utf8_lossy(pragma);
        assert_eq!(without_warnings(&text), "");
    }
}
