//! **Question.** What does Knockon report beside its nearest living peer, on the same programs and
//! for the same changed statement, why do they differ, and what does each cost?
//!
//! **Source.** Frama-C's impact plug-in: a statement marked by a pragma, dependences over the
//! values that its abstract interpreter Eva found. `scripts/corpus-peers` makes the programs: two
//! versions that differ in one line, which is the criterion.
//!
//! **Rules.** Both are asked what that line of the new version may affect. Lines are those for
//! which clang makes instructions, but for lines of braces alone, where a function returns or a
//! loop goes round; what the peer reports elsewhere (a copy that no instruction makes, `default:`)
//! is counted apart. Every difference has an explanation in `scripts/peer-differences`, or is shown as
//! unexplained.

mod explanations;
mod frama_c;
mod knockon_runs;
mod tables;

use super::subject::read_subject;
use crate::results_document::replace_section;
use anyhow::{Context, Result, bail};
use explanations::{Explanations, Reporter};
use knockon_build::clang::Clang;
use knockon_program::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where `scripts/corpus-peers` leaves the programs.
const PROGRAMS: &str = "corpus/peers";

/// A line of a file, below the program's directory.
type Line = (String, u32);

/// One program, both answers.
struct Compared {
    name: String,
    criterion: Line,
    /// The executable lines and their functions.
    lines: BTreeMap<Line, BTreeSet<String>>,
    knockon: BTreeSet<Line>,
    frama_c: BTreeSet<Line>,
    /// What Frama-C reports and clang makes no instruction for.
    elsewhere: usize,
    /// Lines that `knockon diff` calls changed or possible.
    diff_lines: usize,
    clang: Duration,
    slice_seconds: f64,
    diff_seconds: f64,
    frama_c_seconds: f64,
    /// Reporter, lines, why: of each difference.
    differences: Vec<(Reporter, Vec<Line>, String)>,
}

impl Compared {
    fn functions(&self, lines: &BTreeSet<Line>) -> usize {
        let all = lines.iter().filter_map(|line| self.lines.get(line));
        all.flatten().collect::<BTreeSet<_>>().len()
    }
}

/// Compares the programs of the list and writes the table.
pub fn run(names: &[String]) -> Result<()> {
    let clang = knockon_build::clang::find_clang(None)?;
    let peer = frama_c::version()?;
    let explanations = Explanations::read(Path::new("scripts/peer-differences"))?;
    let mut rows = Vec::new();
    for root in programs(names)? {
        let row =
            compare(&root, &clang, &explanations).with_context(|| root.display().to_string())?;
        writeln!(
            std::io::stderr(),
            "{}: {} lines by Knockon, {} by Frama-C",
            row.name,
            row.knockon.len(),
            row.frama_c.len()
        )?;
        rows.push(row);
    }
    if rows.is_empty() {
        bail!("{PROGRAMS} holds no program; scripts/corpus-peers makes them");
    }
    let text = tables::tables(&rows, &clang.version, &peer);
    std::io::stdout().write_all(text.as_bytes())?;
    if names.is_empty() {
        replace_section(Path::new("docs/results.md"), "peers", &text)?;
    }
    Ok(())
}

fn programs(names: &[String]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(PROGRAMS).context(PROGRAMS)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if names.is_empty() || names.contains(&name) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

fn compare(root: &Path, clang: &Clang, explanations: &Explanations) -> Result<Compared> {
    let criterion = std::fs::read_to_string(root.join("criterion"))?;
    let (file, line) = criterion
        .trim()
        .rsplit_once(':')
        .context("`criterion` holds no FILE:LINE")?;
    let criterion = (file.to_owned(), line.parse()?);
    let new = root.join("new");
    let subject = read_subject(&new, clang)?;
    let mut lines = executable_lines(&subject.program);
    keep_statements(&new, &mut lines)?;
    let slice = knockon_runs::slice(&new, &criterion)?;
    let diff = knockon_runs::diff(root)?;
    let theirs = frama_c::impact(root, &criterion, &lines)?;
    let is_executable = |line: &Line| lines.contains_key(line);
    let (mut frama_c, elsewhere): (BTreeSet<Line>, BTreeSet<Line>) =
        theirs.lines.into_iter().partition(is_executable);
    let mut knockon: BTreeSet<Line> = slice.lines.into_iter().filter(is_executable).collect();
    // Both start from it; whether they list it is a matter of taste.
    knockon.insert(criterion.clone());
    frama_c.insert(criterion.clone());
    let name = root.file_name().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    let mut differences = Vec::new();
    for (reporter, only) in [
        (Reporter::Knockon, knockon.difference(&frama_c)),
        (Reporter::FramaC, frama_c.difference(&knockon)),
    ] {
        let only: Vec<Line> = only.cloned().collect();
        differences.extend(explanations.of(&name, reporter, &only));
    }
    Ok(Compared {
        name,
        criterion,
        lines,
        knockon,
        frama_c,
        elsewhere: elsewhere.len(),
        diff_lines: diff.lines.len(),
        clang: subject.clang_time,
        slice_seconds: slice.seconds,
        diff_seconds: diff.seconds,
        frama_c_seconds: theirs.seconds,
        differences,
    })
}

fn executable_lines(program: &Program) -> BTreeMap<Line, BTreeSet<String>> {
    let mut found: BTreeMap<Line, BTreeSet<String>> = BTreeMap::new();
    for (function, _, body) in program.defined_functions() {
        for id in body.instruction_ids() {
            let place = program.place(body.instruction(id).place);
            if place.is_known() {
                let line = (program.file_path(place.file).to_owned(), place.line);
                let name = program.function_name(function).to_owned();
                found.entry(line).or_default().insert(name);
            }
        }
    }
    found
}

/// Without the lines that hold nothing but braces, `else` and comments.
fn keep_statements(root: &Path, lines: &mut BTreeMap<Line, BTreeSet<String>>) -> Result<()> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, _) in lines.keys() {
        if !texts.contains_key(file) {
            let text = std::fs::read_to_string(root.join(file)).with_context(|| file.clone())?;
            texts.insert(file.clone(), text.lines().map(str::to_owned).collect());
        }
    }
    lines.retain(|(file, line), _| {
        let text = texts[file].get(*line as usize - 1);
        text.is_some_and(|text| is_statement(text))
    });
    Ok(())
}

fn is_statement(text: &str) -> bool {
    let code = text.split("//").next().unwrap_or_default();
    let code = code.split("/*").next().unwrap_or_default();
    let code = code.replace("else", "");
    code.contains(|letter: char| letter.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::is_statement;

    #[test]
    fn braces_and_comments_are_no_statement() {
        let others = [
            "    }  // returns",
            "} else {",
            "  };",
            "{ /* block id: 4 */",
        ];
        assert!(others.iter().all(|text| !is_statement(text)));
        assert!(is_statement("    } else if (x) {"));
    }
}
