//! Frama-C's impact plug-in, run on a copy of a program in which a pragma stands before the
//! criterion, in its line.

use super::Line;
use super::knockon_runs::{Answer, measured};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

const PRAGMA: &str = "/*@ impact pragma stmt; */ ";

pub fn version() -> Result<String> {
    let output = Command::new("frama-c")
        .arg("-version")
        .output()
        .context("frama-c cannot be started; install frama-c-base (`scripts/setup peers`)")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The lines with statements that the criterion may affect.
pub fn impact(
    root: &Path,
    criterion: &Line,
    lines: &BTreeMap<Line, BTreeSet<String>>,
) -> Result<Answer> {
    let functions = lines
        .get(criterion)
        .context("clang makes no instruction for the criterion")?;
    let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
    let marked = tempfile::tempdir()?;
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(root.join("new"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let mut text = std::fs::read_to_string(entry.path())?;
        if name == criterion.0 {
            text = with_pragma(&text, criterion.1);
        }
        std::fs::write(marked.path().join(&name), text)?;
        if name.ends_with(".c") {
            sources.push(name);
        }
    }
    sources.sort();
    let mut arguments = vec!["-machdep", "gcc_x86_64", "-c11"];
    arguments.extend(sources.iter().map(String::as_str));
    arguments.extend(["-eva", "-eva-precision", "1", "-eva-verbose", "0"]);
    let functions = functions.join(",");
    arguments.extend(["-impact-pragma", &functions, "-impact-print"]);
    let (seconds, output) = measured("frama-c", &arguments, marked.path(), None)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let Some((_, printed)) = text.split_once("[impact] impacted statements") else {
        let said: Vec<&str> = text.lines().rev().take(5).collect();
        bail!("Frama-C found no impact: {said:?}");
    };
    Ok(Answer {
        seconds,
        lines: statements(printed),
    })
}

fn with_pragma(text: &str, number: u32) -> String {
    let marked = text.lines().enumerate().map(|(at, line)| {
        let code = line.trim_start();
        match at as u32 + 1 == number {
            true => format!("{}{PRAGMA}{code}\n", &line[..line.len() - code.len()]),
            false => format!("{line}\n"),
        }
    });
    marked.collect()
}

/// `FILE:LINE (sid N): STATEMENT`, sometimes several in a line.
fn statements(printed: &str) -> BTreeSet<Line> {
    let mut found = BTreeSet::new();
    let mut parts: Vec<&str> = printed.split(" (sid ").collect();
    parts.pop();
    for part in parts {
        let is_outside = |letter: char| {
            !letter.is_alphanumeric() && !matches!(letter, '_' | '.' | '/' | '-' | '+' | ':')
        };
        let place = part.rsplit(is_outside).next().unwrap_or_default();
        if let Some((file, line)) = place.rsplit_once(':')
            && let Ok(line) = line.parse()
        {
            found.insert((file.to_owned(), line));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_statements_in_a_line_are_read() {
        let printed = ":\n  a.c:4 (sid 1): while (...)b.c:5 (sid 2): x = (y);a.c:9 (sid 3): <..>";
        let found: Vec<Line> = statements(printed).into_iter().collect();
        let expected = [("a.c", 4), ("a.c", 9), ("b.c", 5)];
        assert_eq!(found, expected.map(|(file, line)| (file.to_owned(), line)));
    }

    #[test]
    fn a_pragma_moves_no_line() {
        let marked = with_pragma("a;\n    b;\n", 2);
        assert_eq!(marked, "a;\n    /*@ impact pragma stmt; */ b;\n");
    }
}
