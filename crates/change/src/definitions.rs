//! Which names does a C text define for the preprocessor and as enumerators, and on which does a line
//! depend?
//!
//! **Rules.** A text is read line by line: comments and the contents of literals are taken out,
//! lines that end in a backslash are joined. `#define` and `#undef` define a name; so does each
//! enumerator, whose content is its expression, or the last expression before it and the distance
//! from there. A line mentions the words of the statement that it is part of, and those of the
//! conditions (`#if`) that it stands under.
//!
//! **Soundness.** This explains a difference that the pairing found; nothing rests on it. Scopes,
//! and which of several definitions counts, are not looked at.
//!
//! **Cost.** Linear in the text.

use std::collections::BTreeMap;

/// A statement is looked for on this many lines before and after a line.
const MAX_STATEMENT_LINES: usize = 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    pub line: u32,
    /// What it stands for; equal texts mean the same.
    pub content: String,
    /// The words in what it stands for.
    pub words: Vec<String>,
}

/// One text.
#[derive(Debug, Default)]
pub struct Definitions {
    pub rows: Vec<Definition>,
    /// What is asked for by `#include "…"`.
    pub included: Vec<String>,
    /// By line: without comments and literals; empty for directives.
    code: Vec<String>,
    /// By line: the words of the conditions that it stands under.
    conditions: Vec<Vec<String>>,
}

impl Definitions {
    pub fn of(text: &str) -> Definitions {
        let mut found = Definitions::default();
        let mut directives: Vec<(u32, String)> = Vec::new();
        let mut is_in_comment = false;
        let mut is_continued = false;
        for (at, line) in text.lines().enumerate() {
            let stripped = without_comments(line, &mut is_in_comment);
            let (content, goes_on) = match stripped.trim_end().strip_suffix('\\') {
                Some(content) => (content.to_owned(), true),
                None => (stripped, false),
            };
            let is_directive = is_continued || content.trim_start().starts_with('#');
            match (is_continued, is_directive, directives.last_mut()) {
                (true, _, Some((_, directive))) => {
                    directive.push(' ');
                    directive.push_str(&content);
                }
                (false, true, _) => directives.push((at as u32 + 1, content)),
                _ => {
                    found.code.push(without_literals(&content));
                    continue;
                }
            }
            found.code.push(String::new());
            is_continued = is_directive && goes_on;
        }
        found.add_directives(&directives);
        found.add_enumerators();
        found
    }

    /// The words that decide what the line means: of its statement, then of the conditions around it.
    pub fn words_of_line(&self, line: u32) -> (Vec<&str>, Vec<&str>) {
        let Some(at) = (line as usize).checked_sub(1) else {
            return Default::default();
        };
        let Some(own) = self.code.get(at) else {
            return Default::default();
        };
        let conditions = self.conditions.get(at).map(Vec::as_slice);
        let conditions: Vec<&str> = conditions
            .unwrap_or_default()
            .iter()
            .map(String::as_str)
            .collect();
        let ends = |code: &str| code.trim_end().ends_with([';', '{', '}']);
        let before = self.code[..at].iter().rev().take(MAX_STATEMENT_LINES);
        let before: Vec<&String> = before.take_while(|code| !ends(code)).collect();
        let mut words: Vec<&str> = words_in(own).collect();
        if !ends(own) {
            let mut after = self.code[at + 1..].iter().take(MAX_STATEMENT_LINES);
            for code in after.by_ref() {
                words.extend(words_in(code));
                if ends(code) {
                    break;
                }
            }
        }
        for code in before {
            words.extend(words_in(code));
        }
        (words, conditions)
    }

    fn add_directives(&mut self, directives: &[(u32, String)]) {
        let mut stack: Vec<Vec<String>> = Vec::new();
        let mut at = 0;
        self.conditions = Vec::with_capacity(self.code.len());
        for (line, text) in directives {
            let flat: Vec<String> = stack.concat();
            while at < *line as usize {
                self.conditions.push(flat.clone());
                at += 1;
            }
            let text = text.trim_start().trim_start_matches('#').trim_start();
            let end = text.find(|c: char| !c.is_ascii_alphabetic());
            let (kind, rest) = text.split_at(end.unwrap_or(text.len()));
            let words = || {
                words_in(&without_literals(rest))
                    .map(str::to_owned)
                    .collect()
            };
            match kind {
                "define" => self.add_macro(*line, rest),
                "undef" => {
                    if let Some(name) = words_in(rest).next() {
                        self.rows.push(Definition {
                            name: name.to_owned(),
                            line: *line,
                            content: "undefined".to_owned(),
                            words: Vec::new(),
                        });
                    }
                }
                "include" => {
                    let name = rest.trim().strip_prefix('"');
                    let name = name.and_then(|name| name.split_once('"'));
                    self.included.extend(name.map(|(name, _)| name.to_owned()));
                }
                "if" | "ifdef" | "ifndef" => stack.push(words()),
                "elif" | "elifdef" | "elifndef" => {
                    let more: Vec<String> = words();
                    if let Some(last) = stack.last_mut() {
                        last.extend(more);
                    }
                }
                "endif" => {
                    stack.pop();
                }
                _ => {}
            }
        }
        let flat: Vec<String> = stack.concat();
        self.conditions.resize(self.code.len(), flat);
    }

    fn add_macro(&mut self, line: u32, text: &str) {
        let text = text.trim_start();
        let end = text
            .find(|c: char| !is_part_of_word(c))
            .unwrap_or(text.len());
        let (name, body) = text.split_at(end);
        if name.is_empty() {
            return;
        }
        self.rows.push(Definition {
            name: name.to_owned(),
            line,
            content: body.split_whitespace().collect::<Vec<_>>().join(" "),
            words: words_in(&without_literals(body))
                .map(str::to_owned)
                .collect(),
        });
    }

    fn add_enumerators(&mut self) {
        let mut tokens: Vec<(u32, &str)> = Vec::new();
        for (at, code) in self.code.iter().enumerate() {
            tokens.extend(tokens_in(code).map(|token| (at as u32 + 1, token)));
        }
        let mut rows = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let is_enum = tokens[at].1 == "enum";
            at += 1;
            if !is_enum {
                continue;
            }
            // A name may stand before the list.
            let mut from = at;
            while from < tokens.len() && from < at + 3 && is_word(tokens[from].1) {
                from += 1;
            }
            if tokens.get(from).is_some_and(|token| token.1 == "{") {
                at = add_list(&tokens, from + 1, &mut rows);
            }
        }
        self.rows.extend(rows);
    }
}

/// The enumerators of one list; where it ends.
fn add_list(tokens: &[(u32, &str)], mut at: usize, rows: &mut Vec<Definition>) -> usize {
    let (mut base, mut distance) = (String::new(), 0);
    let mut words: Vec<String> = Vec::new();
    while at < tokens.len() && tokens[at].1 != "}" {
        let (line, name) = tokens[at];
        at += 1;
        let mut depth = 0;
        let mut expression: Vec<&str> = Vec::new();
        while let Some((_, token)) = tokens.get(at) {
            match *token {
                "," | "}" if depth == 0 => break,
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            expression.push(token);
            at += 1;
        }
        if let Some(start) = expression.iter().position(|token| *token == "=") {
            let expression = &expression[start + 1..];
            (base, distance) = (expression.join(" "), 0);
            words = expression
                .iter()
                .filter(|token| is_word(token))
                .map(|token| (*token).to_owned())
                .collect();
        }
        if is_word(name) {
            rows.push(Definition {
                name: name.to_owned(),
                line,
                content: format!("{base} + {distance}"),
                words: words.clone(),
            });
        }
        distance += 1;
        if tokens.get(at).is_some_and(|token| token.1 == ",") {
            at += 1;
        }
    }
    at
}

/// A name that does not stand for the same in both texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedDefinition {
    pub name: String,
    /// In the new text; in the old one if it is gone.
    pub line: u32,
    pub is_gone: bool,
}

/// By line.
pub fn edited_definitions(old: &Definitions, new: &Definitions) -> Vec<EditedDefinition> {
    let by_name = |all: &'_ Definitions| -> BTreeMap<String, Vec<(String, u32)>> {
        let mut names: BTreeMap<String, Vec<(String, u32)>> = BTreeMap::new();
        for row in &all.rows {
            let known = names.entry(row.name.clone()).or_default();
            known.push((row.content.clone(), row.line));
        }
        names
    };
    let (before, after) = (by_name(old), by_name(new));
    let lacks = |there: &BTreeMap<String, Vec<(String, u32)>>, name: &str, content: &str| {
        let rows = there.get(name);
        !rows.is_some_and(|rows| rows.iter().any(|row| row.0 == content))
    };
    let mut found = Vec::new();
    for (name, rows) in &after {
        let lines = rows.iter().filter(|row| lacks(&before, name, &row.0));
        found.extend(lines.map(|row| EditedDefinition {
            name: name.clone(),
            line: row.1,
            is_gone: false,
        }));
    }
    for (name, rows) in &before {
        let is_known = found.iter().any(|row| row.name == *name);
        let gone = rows.iter().find(|row| lacks(&after, name, &row.0));
        if let Some((_, line)) = gone.filter(|_| !is_known) {
            found.push(EditedDefinition {
                name: name.clone(),
                line: *line,
                is_gone: true,
            });
        }
    }
    found.sort_by_key(|row| (row.is_gone, row.line));
    found
}

fn is_part_of_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c == '_' || c.is_alphabetic())
}

fn words_in(code: &str) -> impl Iterator<Item = &str> {
    tokens_in(code).filter(|token| is_word(token))
}

/// Words and numbers, and each other character by itself.
fn tokens_in(code: &str) -> impl Iterator<Item = &str> {
    let mut rest = code;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match is_part_of_word(first) {
            true => rest.find(|c: char| !is_part_of_word(c)),
            false => Some(first.len_utf8()),
        };
        let (token, left) = rest.split_at(end.unwrap_or(rest.len()));
        rest = left;
        Some(token)
    })
}

/// The line without comments; literals stay.
fn without_comments(line: &str, is_in_comment: &mut bool) -> String {
    let mut code = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        if *is_in_comment {
            match rest.find("*/") {
                Some(end) => {
                    rest = &rest[end + 2..];
                    *is_in_comment = false;
                    code.push(' ');
                }
                None => break,
            }
            continue;
        }
        let mark = rest.find(['/', '"', '\'']).unwrap_or(rest.len());
        code.push_str(&rest[..mark]);
        rest = &rest[mark..];
        if rest.starts_with("//") {
            break;
        } else if rest.starts_with("/*") {
            *is_in_comment = true;
            rest = &rest[2..];
        } else if rest.starts_with(['"', '\'']) {
            let end = literal_end(rest);
            code.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if !rest.is_empty() {
            code.push('/');
            rest = &rest[1..];
        }
    }
    code
}

/// The length of the literal that the text begins with.
fn literal_end(text: &str) -> usize {
    let quote = text.as_bytes()[0];
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            byte if byte == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn without_literals(code: &str) -> String {
    let mut plain = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(mark) = rest.find(['"', '\'']) {
        plain.push_str(&rest[..mark]);
        plain.push_str("\"\"");
        rest = &rest[mark + literal_end(&rest[mark..])..];
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(old: &str, new: &str) -> Vec<(String, u32, bool)> {
        let rows = edited_definitions(&Definitions::of(old), &Definitions::of(new));
        rows.into_iter()
            .map(|row| (row.name, row.line, row.is_gone))
            .collect()
    }

    fn row(name: &str, line: u32) -> (String, u32, bool) {
        (name.to_owned(), line, false)
    }

    #[test]
    fn an_edited_macro_is_named_with_its_line_and_layout_is_no_edit() {
        let old = "#define A 1 /* one */\n#define B(x) \\\n  (x + \\\n  1)\n#define C \"a\"\n";
        let new = "\n#define A   1 // uno\n#define B(x) \\\n  (x + \\\n  2)\n#define C \"b\"\n";
        assert_eq!(edited(old, new), [row("B", 3), row("C", 6)]);
    }

    #[test]
    fn an_enumerator_that_is_put_in_moves_those_after_it() {
        let old = "enum kind { RED, GREEN, BLUE = 7, BLACK };\n";
        let new = "enum kind { RED,\nLIME, GREEN, BLUE = 7, BLACK };\n";
        assert_eq!(edited(old, new), [row("GREEN", 2), row("LIME", 2)]);
    }

    #[test]
    fn a_definition_that_is_gone_has_its_old_line() {
        let old = "#ifdef A\n#define B\n#endif\n#define B 2\n";
        assert_eq!(edited(old, "#define B 2\n"), [("B".to_owned(), 2, true)]);
    }

    #[test]
    fn words_are_those_of_the_statement_and_of_the_conditions_around_it() {
        let text =
            "int x = 1;\n#if OLD\n#elif NEW > 2\nint y = \"TEXT\"[A\n+ B // C\n];\n#endif\nz;\n";
        let found = Definitions::of(text);
        let (words, conditions) = found.words_of_line(5);
        assert_eq!(words, ["B", "int", "y", "A"]);
        assert_eq!(conditions, ["OLD", "NEW"]);
        assert_eq!(found.words_of_line(8), (vec!["z"], vec![]));
        assert_eq!(found.words_of_line(99), (vec![], vec![]));
    }

    #[test]
    fn what_is_included_is_known() {
        let found = Definitions::of("#include \"a.h\"\n#include <b.h>\n# include \"d/c.h\" // c\n");
        assert_eq!(found.included, ["a.h", "d/c.h"]);
    }
}
