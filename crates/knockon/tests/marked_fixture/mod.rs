//! C fixtures that carry their expectation in markers.
//!
//! A fixture is the new version; the old one is told by comments at the ends of lines:
//!
//! - `// was: TEXT`: the line reads TEXT in the old version (indented alike) and is `changed`;
//! - `// added`: the line is in the new version only, and `changed`;
//! - `// removed: TEXT`, alone on a line: a line of the old version only;
//! - `// impacted`: must be reported as possible, and truly is;
//! - `// impacted?`: reported as possible today, and known to be imprecise.
//!
//! A verdict may precede `was` and `added` where the line is not `changed`: `// same, was: TEXT` and
//! `// same, added` on lines that must not be reported (layout, names, declarations and macros, which
//! are no statements), `// impacted, was: TEXT` where only the text differs and the line is impacted
//! by something else.
//!
//! `//- /b.c` begins another file; the first is `/main.c`. `//- /b.c added` and `//- /b.c removed`
//! are files of one version: all their lines are, and the markers say only what is reported.
//!
//! Markers are complete: lines without one must not be reported. They are no part of the two
//! versions: a line is the same text in both unless a marker says otherwise, and what is removed
//! moves all lines behind it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Texts by path.
pub type Files = BTreeMap<String, String>;

/// What is reported of the new version: lines by path, 1-based.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub changed: BTreeSet<(String, u32)>,
    pub possible: BTreeSet<(String, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Nothing,
    Changed,
    Impacted,
    /// Reported, and known to be imprecise.
    Imprecise,
}

/// A line of a fixture.
#[derive(Clone, Debug)]
pub struct Line {
    pub file: String,
    /// In the fixture.
    pub number: usize,
    pub text: String,
    pub old: Option<String>,
    pub new: Option<String>,
    pub expected: Expected,
    /// In the new version of its file.
    pub new_number: Option<u32>,
}

pub struct Fixture {
    pub lines: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FileStatus {
    Both,
    Added,
    Removed,
}

/// What a marker says.
struct Marker {
    expected: Expected,
    change: TextChange,
}

enum TextChange {
    None,
    Was(String),
    Added,
    Removed(String),
}

/// The marker that a comment is, if it is one.
fn marker(comment: &str) -> Option<Marker> {
    let (verdict, rest) = [
        ("same, ", Expected::Nothing),
        ("impacted?, ", Expected::Imprecise),
        ("impacted, ", Expected::Impacted),
    ]
    .into_iter()
    .find_map(|(word, expected)| Some((Some(expected), comment.strip_prefix(word)?)))
    .unwrap_or((None, comment));
    let (expected, change) = if let Some(text) = rest.strip_prefix("was: ") {
        (Expected::Changed, TextChange::Was(text.to_string()))
    } else if rest == "added" {
        (Expected::Changed, TextChange::Added)
    } else if verdict.is_some() {
        return None;
    } else if let Some(text) = rest.strip_prefix("removed: ") {
        (Expected::Nothing, TextChange::Removed(text.to_string()))
    } else if rest == "impacted" {
        (Expected::Impacted, TextChange::None)
    } else if rest == "impacted?" {
        (Expected::Imprecise, TextChange::None)
    } else {
        return None;
    };
    Some(Marker {
        expected: verdict.unwrap_or(expected),
        change,
    })
}

/// The code in front of a line's marker, and the marker.
fn split(text: &str) -> (&str, Option<Marker>) {
    let places = text.match_indices("// ").map(|(place, _)| place);
    for place in places {
        if let Some(marker) = marker(&text[place + 3..]) {
            return (text[..place].trim_end(), Some(marker));
        }
    }
    (text, None)
}

impl Fixture {
    pub fn parse(text: &str) -> Fixture {
        let (mut file, mut status) = ("main.c".to_string(), FileStatus::Both);
        let mut lines = Vec::new();
        let mut number_in_new = 0;
        for (index, text) in text.lines().enumerate() {
            if let Some(header) = text.strip_prefix("//- /") {
                let (name, word) = header.split_once(' ').unwrap_or((header, ""));
                status = match word {
                    "added" => FileStatus::Added,
                    "removed" => FileStatus::Removed,
                    _ => FileStatus::Both,
                };
                (file, number_in_new) = (name.to_string(), 0);
                continue;
            }
            let (code, marker) = split(text);
            let indented = |other: &str| {
                let indent = code.len() - code.trim_start().len();
                format!("{}{other}", &code[..indent])
            };
            let here = || Some(code.to_string());
            let (expected, old, new) = match marker {
                None => (Expected::Nothing, here(), here()),
                Some(Marker { expected, change }) => match change {
                    TextChange::None => (expected, here(), here()),
                    TextChange::Was(other) => (expected, Some(indented(&other)), here()),
                    TextChange::Added => (expected, None, here()),
                    TextChange::Removed(other) => (expected, Some(other), None),
                },
            };
            let old = old.filter(|_| status != FileStatus::Added);
            let new = new.filter(|_| status != FileStatus::Removed);
            number_in_new += u32::from(new.is_some());
            lines.push(Line {
                file: file.clone(),
                number: index + 1,
                text: text.to_string(),
                new_number: new.is_some().then_some(number_in_new),
                old,
                new,
                expected,
            });
        }
        Fixture { lines }
    }

    fn version(&self, text: impl Fn(&Line) -> Option<&String>) -> Files {
        let mut files = Files::new();
        for line in &self.lines {
            if let Some(text) = text(line) {
                let file = files.entry(line.file.clone()).or_default();
                file.push_str(text);
                file.push('\n');
            }
        }
        files
    }

    pub fn old_files(&self) -> Files {
        self.version(|line| line.old.as_ref())
    }

    pub fn new_files(&self) -> Files {
        self.version(|line| line.new.as_ref())
    }

    /// Every line on which expectation and report disagree, with both; empty if all agree.
    pub fn differences(&self, report: &Report) -> String {
        let mut out = String::new();
        let mut known = BTreeSet::new();
        for line in &self.lines {
            let place = line.new_number.map(|number| (line.file.clone(), number));
            let reported = match &place {
                Some(place) if report.changed.contains(place) => "changed",
                Some(place) if report.possible.contains(place) => "impacted",
                _ => "nothing",
            };
            known.extend(place);
            let expected = match line.expected {
                Expected::Nothing => "nothing",
                Expected::Changed => "changed",
                Expected::Impacted | Expected::Imprecise => "impacted",
            };
            if reported != expected {
                let _ = writeln!(
                    out,
                    "{:>4}  expected {expected:<8}  reported {reported:<8}  {}",
                    line.number, line.text
                );
            }
        }
        for (file, number) in report.changed.iter().chain(&report.possible) {
            if !known.contains(&(file.clone(), *number)) {
                let _ = writeln!(
                    out,
                    "{file}:{number} is reported and no line of the fixture"
                );
            }
        }
        out
    }
}
