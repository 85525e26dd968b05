//! **Question.** Which other commands of the build name files of the tree, as a generator and its
//! input do?
//!
//! The log knows programs, arguments and directories, not what was read or written. So a command
//! counts if its program or one of its words is a file below the root, or if a shell's own text
//! sends output into such a file (`sed … x.in >x.h`). Left out are the tools of [`super::tool`],
//! which have steps of their own, and programs that only look or only run others.

use std::path::Path;

use super::place::Places;
use super::record_log::{Event, Record};
use super::tool::{Tool, tool_named};
use crate::recorded_build::GeneratorStep;

#[rustfmt::skip]
const NO_GENERATORS: &[&str] = &[
    "make", "gmake", "ninja", "samu", "libtool", "git", "grep", "egrep", "fgrep", "test", "[", "ls", "mkdir", "rmdir",
    "chmod", "touch", "cmp", "diff", "expr", "echo", "printf", "true", "false", "sleep", "pwd", "uname", "dirname",
    "basename", "find", "ranlib", "nm", "ldd", "readelf", "size", "file", "stat", "which", "id", "env", "date", "wc",
    "cc1", "cc1plus", "collect2", "lto1", "lto-wrapper", "f951", "rm", "install-sh", "depcomp", "ar-lib", "missing",
];
const SHELLS: &[&str] = &["sh", "bash", "dash", "ksh", "zsh"];

/// Longer texts are cut: they are shown and compared, never run.
const MAX_WORD: usize = 4096;

/// The commands in a fixed order, each once.
pub fn generators(root: &Path, records: &[Record]) -> Vec<GeneratorStep> {
    let mut places = Places::default();
    let mut found: Vec<GeneratorStep> = records
        .iter()
        .filter_map(|record| generator(root, record, &mut places))
        .collect();
    found.sort();
    found.dedup();
    found
}

fn generator(root: &Path, record: &Record, places: &mut Places) -> Option<GeneratorStep> {
    // Stand-ins are for tools, which have steps of their own.
    if record.event == Event::StandIn {
        return None;
    }
    let arguments: Option<Vec<&str>> = record.arguments.iter().map(|word| word.to_str()).collect();
    let arguments = arguments?;
    let directory = Path::new(&record.directory);
    let program = arguments.first()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let copies = matches!(tool_named(name), Some(Tool::Transfer(_)));
    let is_tool = tool_named(name).is_some() && !copies;
    if is_tool || NO_GENERATORS.contains(&name) || directory.to_str().is_none() {
        return None;
    }
    let mut files = Vec::new();
    let mut add = |word: &str, places: &mut Places| {
        if word.is_empty() || word.len() > MAX_WORD {
            return;
        }
        let path = places.resolve(directory, word);
        if path.starts_with(root) && path.is_file() && is_of_interest(&path) {
            files.push(path);
        }
    };
    let is_shell = SHELLS.contains(&name);
    match arguments.get(1) {
        Some(option) if is_shell && is_command_option(option) => {
            for word in redirections(arguments.get(2)?) {
                add(word, places);
            }
            // The commands of the text are programs of their own, except what the shell itself does.
            if files.is_empty() {
                return None;
            }
        }
        Some(_) | None => {
            add(&program_path(record, program), places);
            for word in &arguments[1..] {
                if tool_named(word.rsplit('/').next().unwrap_or(word)).is_some()
                    || word.ends_with("libtool")
                {
                    // A script in front of a compiler, which has a step of its own.
                    return None;
                }
                add(word, places);
                if let Some((_, value)) = word.split_once('=') {
                    add(value, places);
                }
            }
        }
    }
    if files.is_empty() {
        return None;
    }
    files.sort();
    files.dedup();
    Some(GeneratorStep {
        directory: directory.to_owned(),
        arguments: arguments.iter().map(|word| cut(word)).collect(),
        files,
    })
}

/// The program as a path; a name without a slash was looked up on PATH.
fn program_path(record: &Record, program: &str) -> String {
    let path = match record.program.to_str() {
        Some(path) if path.contains('/') => path,
        Some(_) | None => program,
    };
    match path.contains('/') {
        true => path.to_owned(),
        false => String::new(),
    }
}

/// `-c`, `-ec`, `-xec`.
fn is_command_option(option: &str) -> bool {
    option.starts_with('-') && !option.starts_with("--") && option.ends_with('c')
}

/// The words behind `>` in a shell's text.
fn redirections(text: &str) -> impl Iterator<Item = &str> {
    text.split('>').skip(1).filter_map(|rest| {
        let rest = rest.trim_start_matches(['|', '&', ' ', '\t']);
        let end = rest
            .find(|next: char| next.is_whitespace() || ";&|()<\"'`".contains(next))
            .unwrap_or(rest.len());
        (end > 0).then(|| &rest[..end])
    })
}

/// Objects, libraries and notes of the build are no generated sources.
fn is_of_interest(path: &Path) -> bool {
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().into_owned());
    !matches!(
        extension.as_deref(),
        Some("o" | "lo" | "a" | "la" | "so" | "d" | "Po" | "Plo" | "Tpo" | "log" | "gch")
    )
}

fn cut(word: &str) -> String {
    match word.char_indices().nth(MAX_WORD) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn record(directory: &Path, words: &[&str]) -> Record {
        Record {
            event: Event::Exec,
            token: Vec::new(),
            parent: Vec::new(),
            directory: directory.into(),
            program: words[0].into(),
            arguments: words.iter().map(OsString::from).collect(),
            variables: Vec::new(),
            response_files: Vec::new(),
            streams: Default::default(),
        }
    }

    fn files(tree: &Path, words: &[&str]) -> Vec<String> {
        let found = generators(tree, &[record(tree, words), record(tree, words)]);
        assert!(found.len() <= 1, "each once");
        found
            .iter()
            .flat_map(|step| &step.files)
            .map(|path| path.strip_prefix(tree).unwrap().display().to_string())
            .collect()
    }

    #[test]
    fn commands_count_by_the_files_that_they_name() {
        let directory = tempfile::tempdir().unwrap();
        let tree = directory.path().canonicalize().unwrap();
        for name in [
            "p.y", "p.c", "gen.py", "x.in", "x.h", "mkheader", "m.o", "main.c",
        ] {
            std::fs::write(tree.join(name), "").unwrap();
        }
        let files = |words: &[&str]| files(&tree, words);
        assert_eq!(files(&["bison", "-o", "p.c", "p.y"]), ["p.c", "p.y"]);
        assert_eq!(files(&["bison", "--output=p.c", "p.y"]), ["p.c", "p.y"]);
        assert_eq!(files(&["python3", "gen.py"]), ["gen.py"]);
        assert_eq!(files(&["./mkheader"]), ["mkheader"]);
        assert_eq!(files(&["sh", "-c", "sed s/a/b/ x.in >x.h"]), ["x.h"]);
        assert_eq!(
            files(&["/bin/sh", "-ec", "./mkheader > x.h; true"]),
            ["x.h"]
        );
        assert_eq!(files(&["cp", "x.in", "x.h"]), ["x.h", "x.in"]);
        for words in [
            &["gcc", "-c", "main.c"][..],
            &["sh", "-c", "gcc -c main.c 2>/dev/null"],
            &["/bin/sh", "./libtool", "gcc", "-c", "main.c"],
            &["grep", "x", "main.c"],
            &["sed", "-n", "p", "/etc/passwd"],
            &["make", "x.h"],
            &["strange", "m.o"],
        ] {
            assert!(files(words).is_empty(), "{words:?}");
        }
    }
}
