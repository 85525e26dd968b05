//! Refactorings of single C functions, each with a twin that went wrong.
//!
//! A file of `tests/refactorings` begins with lines of the form `// KEY: VALUE`, and a line
//! `//   MORE` continues the value above it:
//!
//! - `function`: the function that is compared; `old -> new` where the new version renames it;
//! - `kind`: what was done, one or more of [`KINDS`], with commas;
//! - `after`: the real commit whose shape it has, in own words and code;
//! - `rare`: why the twin differs on about one input in 2^32 only;
//! - `broken-by: undefined`: the twin differs by undefined behaviour that the old version lacks;
//! - `witness`: a C expression, or `{ statements; return expression; }`, over the old name, whose
//!   value or output tells the old version from the twin;
//! - `try`: `{ statements }` that call the function with inputs made of the random word
//!   `unsigned long long r` (more by `next()`, text by `fill_text(buffer, size, alphabet)`) and
//!   print what they see by `show(number)`, `show_bytes(pointer, size)` or themselves.
//!
//! Then follow the versions, each a unit of its own without `main`, under `//- old`, `//- new` and
//! `//- broken`; `//- world` defines what they declare and do not define, for running them. Neither
//! has a `static` variable inside a function.

// Each test that reads the files uses a part of this.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

/// What a refactoring may do. Each is done by at least two files.
pub const KINDS: [&str; 39] = [
    "De Morgan",
    "bit trick",
    "branch inversion",
    "common subexpression",
    "conditional expression",
    "dead code",
    "early exit",
    "early return",
    "external calls",
    "extract constant",
    "extract function",
    "extract variable",
    "filled block",
    "fused loops",
    "global accumulator",
    "goto elimination",
    "hoisted invariant",
    "inline constant",
    "inline function",
    "inline variable",
    "local layout",
    "lookup table",
    "loop form",
    "moved function",
    "nested conditions",
    "peeled loop",
    "pointer walk",
    "recursion to loop",
    "renamed function",
    "reordered parameters",
    "reordered statements",
    "reversed loop",
    "rotated loop",
    "split loop",
    "strength reduction",
    "string comparison",
    "switch",
    "truth value",
    "unrolled loop",
];

#[derive(Clone, Debug, Default)]
pub struct Refactoring {
    /// The file's, without its ending.
    pub name: String,
    pub old_function: String,
    pub new_function: String,
    pub kinds: Vec<String>,
    pub after: Option<String>,
    pub rare: Option<String>,
    pub broken_by_undefined: bool,
    pub witness: String,
    pub trial: String,
    pub old: String,
    pub new: String,
    pub broken: String,
    pub world: String,
}

/// All files of `tests/refactorings`, by name.
pub fn refactorings() -> Vec<Refactoring> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refactorings");
    let entries = std::fs::read_dir(&directory).expect("the directory of refactorings");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        parse(name, &text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    paths.iter().map(read).collect()
}

/// Reads the text of one file.
pub fn parse(name: &str, text: &str) -> Result<Refactoring, String> {
    let mut read = Refactoring {
        name: name.to_string(),
        ..Refactoring::default()
    };
    let mut sections = text.split_inclusive('\n').peekable();
    let mut keys: Vec<(String, String)> = Vec::new();
    while let Some(line) = sections.next_if(|line| !line.starts_with("//- ")) {
        let line = line.trim_end();
        if let Some(more) = line.strip_prefix("//   ") {
            let (_, value) = keys.last_mut().ok_or("a continuation continues nothing")?;
            *value += "\n";
            *value += more;
        } else {
            let entry = line.strip_prefix("// ").and_then(|it| it.split_once(": "));
            let (key, value) = entry.ok_or(format!("no `// KEY: VALUE`: {line}"))?;
            keys.push((key.to_string(), value.to_string()));
        }
    }
    for (key, value) in keys {
        match key.as_str() {
            "function" => {
                let names = value.split_once(" -> ").unwrap_or((&value, &value));
                (read.old_function, read.new_function) = (names.0.into(), names.1.into());
            }
            "kind" => read.kinds = value.split(", ").map(str::to_string).collect(),
            "after" => read.after = Some(value),
            "rare" => read.rare = Some(value),
            "broken-by" if value == "undefined" => read.broken_by_undefined = true,
            "witness" => read.witness = value,
            "try" => read.trial = value,
            _ => return Err(format!("no such key: {key}: {value}")),
        }
    }
    let mut section: Option<&mut String> = None;
    for line in sections {
        match (line.strip_prefix("//- ").map(str::trim_end), &mut section) {
            (Some("old"), _) => section = Some(&mut read.old),
            (Some("new"), _) => section = Some(&mut read.new),
            (Some("broken"), _) => section = Some(&mut read.broken),
            (Some("world"), _) => section = Some(&mut read.world),
            (Some(other), _) => return Err(format!("no such section: {other}")),
            (None, Some(text)) => text.push_str(line),
            (None, None) => return Err("text before the first section".to_string()),
        }
    }
    let needed = [
        ("function", &read.old_function),
        ("witness", &read.witness),
        ("try", &read.trial),
        ("//- old", &read.old),
        ("//- new", &read.new),
        ("//- broken", &read.broken),
    ];
    match needed.iter().find(|(_, text)| text.is_empty()) {
        Some((missing, _)) => Err(format!("{missing} is missing")),
        None => Ok(read),
    }
}
