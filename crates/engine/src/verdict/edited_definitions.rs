//! Macros and enumerators whose definitions were edited, and the lines that read them.
//!
//! **Question.** A line whose text nobody touched does something else than before: which edited
//! definition does it read?
//!
//! **Rules.** A name is edited if its definition differs between the texts of a file. A line reads it if
//! its statement mentions the name, or the name of a macro whose body does, and so on; it is under its
//! condition if an `#if` around it does. Of several files that define the name, that of the line
//! counts, then one that the line's file includes, also by way of others.
//!
//! **Soundness.** An explanation of what the pairing found; no verdict rests on it. Where no name
//! fits, the reason stays as it is.
//!
//! **Cost.** Linear in the edited texts, and in those of files with such lines and what they include.

use crate::read::versions::ReadVersions;
use crate::verdict::lines::Edited;
use crate::verdict::reason_text::is_source_on_unedited_text;
use knockon_change::{Definitions, EditedDefinition, Side, Sides, edited_definitions};
use knockon_report::{DefinitionRow, DiffReport, LineRow, ReasonStep, SourceText, Verdict};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Files that are read to follow `#include`.
const MAX_INCLUDED: usize = 500;

/// Puts the definitions into the reasons, and lists those that lines read.
pub fn explain_by_definitions(versions: &ReadVersions, report: &mut DiffReport) {
    let mut texts = Texts::new(versions);
    if texts.edited.is_empty() {
        return;
    }
    let mut readings: BTreeMap<(bool, Arc<str>, u32), Option<Reading>> = BTreeMap::new();
    for line in &mut report.lines {
        let Some(first) = line.reasons.first_mut() else {
            continue;
        };
        if !is_source_on_unedited_text(&first.text) {
            continue;
        }
        let key = (first.old, first.file.clone(), first.line);
        let side = match first.old {
            true => Side::Old,
            false => Side::New,
        };
        let reading = readings
            .entry(key)
            .or_insert_with(|| texts.reading(side, &first.file, first.line));
        if let Some(reading) = reading {
            first.text = reading.text.clone();
            line.reasons.insert(0, reading.definition.clone());
        }
    }
    report.definitions = definition_rows(versions, &texts, &readings);
    let known: BTreeSet<Arc<str>> = report.sources.iter().map(|row| row.path.clone()).collect();
    let files = report.definitions.iter().map(|row| row.place.file.clone());
    let missing: BTreeSet<Arc<str>> = files.filter(|file| !known.contains(file)).collect();
    for path in missing {
        if let Some(text) = versions.texts.new.get(&*path) {
            let text = text.clone();
            report.sources.push(SourceText { path, text });
        }
    }
}

/// What a line reads.
struct Reading {
    definition: ReasonStep,
    text: Arc<str>,
    /// The file and the number among its edited definitions.
    row: (String, usize),
}

/// The edited lines with a definition that some line reads.
fn definition_rows(
    versions: &ReadVersions,
    texts: &Texts<'_>,
    readings: &BTreeMap<(bool, Arc<str>, u32), Option<Reading>>,
) -> Vec<DefinitionRow> {
    let edited = Edited::new(&versions.edits);
    let mut rows: BTreeMap<(String, u32), (BTreeSet<String>, usize)> = BTreeMap::new();
    for ((is_old, ..), reading) in readings {
        let Some(Reading {
            row: (file, at), ..
        }) = reading
        else {
            continue;
        };
        let definition = &texts.edited[file][*at];
        if definition.is_gone {
            continue;
        }
        let row = rows.entry((file.clone(), definition.line)).or_default();
        row.0.insert(definition.name.clone());
        // A line that is there in both versions counts once.
        row.1 += usize::from(!is_old);
    }
    rows.into_iter()
        .map(|((file, line), (names, readers))| DefinitionRow {
            names: names.into_iter().collect(),
            readers,
            place: LineRow {
                hunks: edited.hunk(Side::New, &file, line).into_iter().collect(),
                file: Arc::from(file),
                line,
                function: Arc::from(""),
                verdict: Verdict::Changed,
                score: 1.0,
                cut_by: None,
                witness: None,
                reasons: Vec::new(),
            },
        })
        .collect()
}

/// What one text defines, by name.
struct KnownText {
    definitions: Definitions,
    /// Rows of the definitions.
    named: FxHashMap<String, Vec<usize>>,
}

impl KnownText {
    fn of(definitions: Definitions) -> KnownText {
        let mut named: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (at, row) in definitions.rows.iter().enumerate() {
            named.entry(row.name.clone()).or_default().push(at);
        }
        KnownText { definitions, named }
    }

    /// The words in what the name stands for.
    fn words_below(&self, name: &str) -> impl Iterator<Item = &str> {
        let rows = self.named.get(name).map(Vec::as_slice).unwrap_or_default();
        let rows = rows.iter().map(|at| &self.definitions.rows[*at]);
        rows.flat_map(|row| row.words.iter().map(String::as_str))
    }
}

/// An edited definition.
struct Found {
    /// The word that leads there.
    word: String,
    file: String,
    /// Its number among those of the file.
    at: usize,
}

struct Texts<'a> {
    versions: &'a ReadVersions,
    /// By file that differs.
    edited: BTreeMap<String, Vec<EditedDefinition>>,
    /// Files that were read, by path below the root.
    known: Sides<BTreeMap<String, KnownText>>,
    /// All names that these define or defined.
    names: FxHashSet<String>,
    /// What a file includes, by way of others too; itself first.
    reach: Sides<BTreeMap<String, Vec<String>>>,
}

impl<'a> Texts<'a> {
    fn new(versions: &'a ReadVersions) -> Texts<'a> {
        let mut texts = Texts {
            versions,
            edited: BTreeMap::new(),
            known: Sides::default(),
            names: FxHashSet::default(),
            reach: Sides::default(),
        };
        for (path, text) in &versions.texts.new {
            if !versions.is_read(path) && !versions.are_single_files {
                continue;
            }
            let old = Definitions::of(versions.texts.old.get(path).map_or("", String::as_str));
            let new = Definitions::of(text);
            let rows = edited_definitions(&old, &new);
            if !rows.is_empty() {
                texts.edited.insert(path.clone(), rows);
            }
            texts.note(Side::Old, path, old);
            texts.note(Side::New, path, new);
        }
        texts
    }

    fn note(&mut self, side: Side, path: &str, definitions: Definitions) {
        let names = definitions.rows.iter().map(|row| row.name.clone());
        self.names.extend(names);
        let known = self.known.of_mut(side);
        known.insert(path.to_owned(), KnownText::of(definitions));
    }

    /// The definition that a line reads, if it is edited.
    fn reading(&mut self, side: Side, file: &str, line: u32) -> Option<Reading> {
        let files = self.files_seen_from(side, file);
        let (words, conditions) = self
            .known
            .of(side)
            .get(file)?
            .definitions
            .words_of_line(line);
        let ways = [(words, false), (conditions, true)];
        ways.into_iter().find_map(|(words, is_condition)| {
            let found = self.edited_below(side, &files, words)?;
            let row = &self.edited[&found.file][found.at];
            let place = format!("{}:{}", found.file, row.line);
            let through = match found.word == row.name {
                true => String::new(),
                false => format!(" through `{}`", found.word),
            };
            let what = match row.is_gone {
                true => "which is gone",
                false => "which was edited",
            };
            let text = match is_condition {
                false => format!("reads `{}` from {place}{through}, {what}", row.name),
                true => format!(
                    "stands under a condition on `{}` from {place}{through}, {what}",
                    row.name
                ),
            };
            Some(Reading {
                definition: ReasonStep {
                    file: Arc::from(found.file.as_str()),
                    line: row.line,
                    text: Arc::from("is changed"),
                    old: row.is_gone,
                },
                text: Arc::from(text),
                row: (found.file, found.at),
            })
        })
    }

    /// The edited definition that the words lead to by the fewest macros.
    fn edited_below(&self, side: Side, files: &[String], words: Vec<&str>) -> Option<Found> {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut left: Vec<(&str, &str)> = words.into_iter().map(|word| (word, word)).collect();
        while !left.is_empty() {
            let mut next = Vec::new();
            for (word, first) in left {
                if !self.names.contains(word) || !seen.insert(word) {
                    continue;
                }
                for file in files {
                    let rows = self.edited.get(file).map(Vec::as_slice);
                    let mut rows = rows.unwrap_or_default().iter();
                    if let Some(at) = rows.position(|row| row.name == word) {
                        return Some(Found {
                            word: first.to_owned(),
                            file: file.clone(),
                            at,
                        });
                    }
                    if let Some(known) = self.known.of(side).get(file) {
                        next.extend(known.words_below(word).map(|word| (word, first)));
                    }
                }
            }
            left = next;
        }
        None
    }

    /// The file and what it includes, the nearest first.
    fn files_seen_from(&mut self, side: Side, file: &str) -> Vec<String> {
        if let Some(known) = self.reach.of(side).get(file) {
            return known.clone();
        }
        let mut files = vec![file.to_owned()];
        let mut at = 0;
        while at < files.len() && files.len() < MAX_INCLUDED {
            let file = files[at].clone();
            at += 1;
            self.read(side, &file);
            let Some(known) = self.known.of(side).get(&file) else {
                continue;
            };
            for name in known.definitions.included.clone() {
                let found = self.resolved(side, &file, &name);
                if let Some(found) = found.filter(|found| !files.contains(found)) {
                    files.push(found);
                }
            }
        }
        // A header that is included where it is not looked for may be any edited one.
        for path in self.edited.keys() {
            if !files.contains(path) {
                files.push(path.clone());
            }
        }
        let reach = self.reach.of_mut(side);
        reach.insert(file.to_owned(), files.clone());
        files
    }

    fn read(&mut self, side: Side, file: &str) {
        if self.known.of(side).contains_key(file) {
            return;
        }
        let path = self.versions.roots.of(side).join(file);
        if let Ok(bytes) = std::fs::read(path) {
            let definitions = Definitions::of(&String::from_utf8_lossy(&bytes));
            self.note(side, file, definitions);
        }
    }

    /// Where a header is: beside the file that includes it, or below the root or a directory there.
    fn resolved(&self, side: Side, from: &str, name: &str) -> Option<String> {
        let beside = Path::new(from).parent().unwrap_or(Path::new(""));
        let directories = [
            beside,
            Path::new(""),
            Path::new("include"),
            Path::new("src"),
        ];
        let paths = directories.into_iter().filter_map(|directory| {
            let path = without_parents(&directory.join(name))?;
            path.to_str().map(str::to_owned)
        });
        let mut paths = paths.collect::<Vec<_>>().into_iter();
        paths.find(|path| {
            self.known.of(side).contains_key(path)
                || self.versions.roots.of(side).join(path).is_file()
        })
    }
}

/// The path without `..`; `None` if it leads out of the tree.
fn without_parents(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.pop() => {}
            Component::Normal(name) => plain.push(name),
            _ => return None,
        }
    }
    Some(plain)
}
