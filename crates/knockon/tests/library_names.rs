//! What is known of the functions of the C library stands in `crates/library/src/library.effects`
//! alone: no other crate keeps a table of their names.
//!
//! A table is an array, or a `match`, with three or more names that have a row. What single analyses
//! ask for is a column there (`knockon_library::Facts`).

use knockon_library::library;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Crates that may list them, and why.
const CRATES: [(&str, &str); 3] = [
    ("library", "the home of the rows"),
    (
        "interpreter",
        "it runs the functions, and finds each by its name",
    ),
    ("trials", "it writes programs that call them"),
];

/// Files whose tables hold words that are names of functions by chance, by the ends of their paths.
const FILES: [(&str, &str); 7] = [
    ("capture/file_flow.rs", "programs that a build runs"),
    ("capture/generators.rs", "programs that a build runs"),
    (
        "compiler_calls/routines.rs",
        "parts of names of the compiler's own runtime",
    ),
    ("program/src/intrinsic.rs", "parts of names of intrinsics"),
    ("memory/src/processes.rs", "programs that start others"),
    ("unread_attributes.rs", "attributes of C"),
    (
        "read/unseen_code.rs",
        "beginnings of names of the runtime of C++",
    ),
];

const MIN_TABLE: usize = 3;

#[test]
fn only_the_library_has_tables_of_its_functions() {
    // Intrinsics have a home of their own.
    let of_functions = |name: &&str| !name.starts_with("llvm.");
    let names: BTreeSet<&str> = library().names().filter(of_functions).collect();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let mut found: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(&crates).expect("crates/") {
        let directory = entry.expect("an entry").path();
        let name = directory.file_name().expect("a name").to_string_lossy();
        if CRATES.iter().any(|row| row.0 == name) {
            continue;
        }
        for file in source_files(&directory.join("src")) {
            let text = std::fs::read_to_string(&file).expect("a source file");
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or("");
            let tables = tables(code, &names);
            if tables.is_empty() {
                continue;
            }
            match FILES.iter().find(|row| file.ends_with(row.0)) {
                Some(row) => {
                    used.insert(row.0);
                }
                None => found.push(format!("{}: {tables:?}", file.display())),
            }
        }
    }
    assert!(
        found.is_empty(),
        "a column of library.effects each, not a table:\n{}",
        found.join("\n")
    );
    let unused: Vec<&str> = FILES.iter().map(|row| row.0).collect();
    let unused: Vec<&&str> = unused
        .iter()
        .filter(|name| !used.contains(**name))
        .collect();
    assert!(unused.is_empty(), "no exceptions any more: {unused:?}");
}

#[test]
fn tables_are_found_in_arrays_matches_and_texts() {
    let names = BTreeSet::from(["free", "malloc", "puts", "fork"]);
    let count = |code: &str| tables(code, &names).len();
    assert_eq!(
        count(r#"const A: [&str; 3] = ["free", "malloc", "puts"];"#),
        1
    );
    assert_eq!(
        count(r#"const A: [(&str, u8); 3] = [("free", 0), ("malloc", 1), ("puts", 2)];"#),
        1
    );
    assert_eq!(
        count(r#"match name { "free" | "malloc" => 1, "puts" => { f(); 2 } _ => 3 }"#),
        1
    );
    assert_eq!(count(r#"matches!(name, "free" | "malloc" | "puts")"#), 1);
    assert_eq!(count("const A: &str = \"free malloc \\\n puts\";"), 1);
    assert_eq!(
        count(r#"let a = ["free", "malloc"]; let b = ["puts", "fork"];"#),
        0
    );
    assert_eq!(
        count(r#"match name { "free" => { f("malloc"); g("puts"); } _ => {} }"#),
        0
    );
    assert_eq!(count(r#"// ["free", "malloc", "puts"]"#), 0);
    assert_eq!(
        count(r#"const A: &str = "one may free what malloc gave, and puts it";"#),
        0
    );
}

/// What is inside one pair of brackets.
struct Level {
    is_table: bool,
    has_statements: bool,
    names: BTreeSet<String>,
}

/// The names in each array, `match`, `matches!` and list in a text that has enough of them.
fn tables(code: &str, names: &BTreeSet<&str>) -> Vec<BTreeSet<String>> {
    let mut found = Vec::new();
    let mut levels: Vec<Level> = Vec::new();
    // The code since the last bracket or statement, which says what the next bracket is.
    let mut head = String::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        }
        if let Some((text, after)) = literal(rest) {
            let words: Vec<&str> = text
                .split_whitespace()
                .filter(|word| *word != "\\")
                .collect();
            let known = words.iter().filter(|word| names.contains(**word));
            let known: BTreeSet<String> = known.map(|word| (*word).to_owned()).collect();
            // Prose has other words, too.
            let is_list = words.len() < known.len() * 2;
            if is_list && known.len() >= MIN_TABLE {
                found.push(known);
            } else if let ([_], Some(level)) = (&words[..], levels.last_mut()) {
                level.names.extend(known);
            }
            rest = after;
            continue;
        }
        match first {
            '(' | '[' | '{' => {
                let words = head.trim_end();
                levels.push(Level {
                    is_table: match first {
                        '[' => true,
                        '(' => words.ends_with("matches!"),
                        _ => words.split([' ', '\n', '(']).any(|word| word == "match"),
                    },
                    has_statements: false,
                    names: BTreeSet::new(),
                });
                head.clear();
            }
            ')' | ']' | '}' => {
                if let Some(level) = levels.pop() {
                    if level.is_table && level.names.len() >= MIN_TABLE {
                        found.push(level.names);
                    } else if let Some(around) = levels.last_mut()
                        && !level.has_statements
                    {
                        around.names.extend(level.names);
                    }
                }
                // `match f(x) {`
                if first != ')' {
                    head.clear();
                }
            }
            ';' => {
                if let Some(level) = levels.last_mut() {
                    level.has_statements = true;
                }
                head.clear();
            }
            _ => head.push(first),
        }
        rest = &rest[first.len_utf8()..];
    }
    found
}

/// A string or character that the text begins with, and what follows it.
fn literal(text: &str) -> Option<(&str, &str)> {
    if text.starts_with("'\\") {
        let end = text[3..].find('\'')? + 3;
        return Some(("", &text[end + 1..]));
    }
    if let Some(inner) = text.strip_prefix('\'') {
        let first = inner.chars().next()?;
        let after = inner[first.len_utf8()..].strip_prefix('\'')?;
        return Some(("", after));
    }
    for (start, end) in [("r##\"", "\"##"), ("r#\"", "\"#")] {
        if let Some(inner) = text.strip_prefix(start) {
            let at = inner.find(end)?;
            return Some((&inner[..at], &inner[at + end.len()..]));
        }
    }
    let inner = text.strip_prefix('"')?;
    let mut is_escaped = false;
    for (at, character) in inner.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some((&inner[..at], &inner[at + 1..])),
            _ => {}
        }
    }
    None
}

fn source_files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a source directory") {
        let path = entry.expect("an entry").path();
        let is_test = ["tests", "tests.rs", "oracle.rs"]
            .iter()
            .any(|end| path.ends_with(end));
        if path.is_dir() && !is_test {
            found.extend(source_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
            found.push(path);
        }
    }
    found
}
