//! What became of each hunk of the textual difference, over all executables.
//!
//! A hunk that no verdict covers is a caveat with its file, its lines and the reason. One in a text
//! for people is without effect, unless something may be made from the text.

use crate::comparison::Pairings;
use crate::read::version_texts::is_code;
use crate::read::versions::ReadVersions;
use knockon_change::{Change, Hunk, HunkFate, NotCompiled, Sides, SourceFiles, Version, account};
use knockon_program::{CaveatKind, GlobalId, UNSEEN_CODE};
use knockon_report::{DiffReport, HunkAccount, HunkRow, LineRow, ReportedCaveat, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Why a hunk is not compiled in a file that no unit reads.
const NOT_READ: &str = "no unit reads this file";
const FOR_PEOPLE: &str = "a text for people, which no unit reads";

type Fates = BTreeMap<(String, u32, u32), (HunkAccount, String)>;

pub fn hunk_rows(
    versions: &ReadVersions,
    pairings: &Pairings<'_>,
    lines: &[LineRow],
) -> Vec<HunkRow> {
    let fates = fates(versions, pairings);
    let for_people = match versions.doubtful_units.is_empty() {
        true => versions.documentation_hunks(),
        false => BTreeSet::new(),
    };
    let mut reached: BTreeMap<u32, usize> = BTreeMap::new();
    for row in lines {
        if matches!(row.verdict, Verdict::Possible | Verdict::Affected) {
            for number in &row.hunks {
                *reached.entry(*number).or_default() += 1;
            }
        }
    }
    let mut rows = Vec::new();
    let mut number = 0;
    for (file, hunks) in &versions.edits.files {
        let file_name: Arc<str> = Arc::from(file.as_str());
        for hunk in hunks {
            number += 1;
            let known = fates.get(&key(file, hunk)).cloned();
            let (mut account, mut message) = known.unwrap_or((
                HunkAccount::NotCompiled,
                "there is no executable that both versions have".to_owned(),
            ));
            if let (NOT_READ, [row, ..]) = (&*message, &versions.only_in_unpaired(file)[..]) {
                (account, message) = (HunkAccount::InTheDelta, row.to_string());
            }
            if has_failed(versions, file) {
                (account, message) = (
                    HunkAccount::NotCompiled,
                    "its unit did not compile".to_owned(),
                );
            }
            let is_incomplete = !versions.account.failures.is_empty();
            if message == NOT_READ && is_incomplete && is_code(Path::new(file)) {
                message = "no unit that compiled reads this file".to_owned();
            }
            if message == NOT_READ && for_people.contains(&number) {
                (account, message) = (HunkAccount::WithoutEffect, FOR_PEOPLE.to_owned());
            }
            rows.push(HunkRow {
                number,
                file: file_name.clone(),
                old_start: hunk.old.start,
                old_lines: hunk.old.end - hunk.old.start,
                new_start: hunk.new.start,
                new_lines: hunk.new.end - hunk.new.start,
                account,
                message,
                possible_lines: reached.get(&number).copied().unwrap_or(0),
            });
        }
    }
    rows
}

fn key(file: &str, hunk: &Hunk) -> (String, u32, u32) {
    (file.to_owned(), hunk.old.start, hunk.new.start)
}

fn fates(versions: &ReadVersions, pairings: &Pairings<'_>) -> Fates {
    let sources = SourceFiles {
        texts: versions.texts.clone(),
        readers: versions.readers.clone(),
    };
    // What one executable compiles is compiled, and what it reads is read.
    let rank = |account: HunkAccount, message: &str| match account {
        HunkAccount::InTheDelta => 0,
        HunkAccount::WithoutEffect => 1,
        HunkAccount::LayoutOnly => 2,
        HunkAccount::NotCompiled if message != NOT_READ => 3,
        HunkAccount::NotCompiled => 4,
    };
    let mut fates = Fates::new();
    for (_, analysed, change) in pairings.iter() {
        for row in account(change, analysed, &versions.edits, &sources) {
            let (fate, message) = match row.fate {
                HunkFate::InDelta => (HunkAccount::InTheDelta, ""),
                HunkFate::LayoutOnly => (HunkAccount::LayoutOnly, ""),
                HunkFate::WithoutEffect => (HunkAccount::WithoutEffect, ""),
                HunkFate::LeftOut => (
                    HunkAccount::WithoutEffect,
                    "the preprocessor left text of it out",
                ),
                // What it changed is in what each version's own build compiled.
                HunkFate::NotCompiled(NotCompiled::BuildFile) if versions.are_own_builds => {
                    match change.is_empty(analysed) {
                        true => (HunkAccount::WithoutEffect, ""),
                        false => (HunkAccount::InTheDelta, ""),
                    }
                }
                HunkFate::NotCompiled(NotCompiled::Assembly)
                    if stands_in(change, analysed, &row.file).is_some() =>
                {
                    match stands_in(change, analysed, &row.file) {
                        Some(true) => (HunkAccount::InTheDelta, ""),
                        _ => (HunkAccount::WithoutEffect, ""),
                    }
                }
                HunkFate::NotCompiled(reason) => {
                    let message = match reason {
                        NotCompiled::NotRead => NOT_READ,
                        NotCompiled::Assembly => "assembly is not analysed",
                        NotCompiled::BuildFile => "it steers the build",
                        NotCompiled::InactiveBranch => "the preprocessor left it out",
                    };
                    (HunkAccount::NotCompiled, message)
                }
            };
            let key = key(&row.file, &row.hunk);
            match fates.get(&key) {
                Some((known, reason)) if rank(*known, reason) <= rank(fate, message) => {}
                _ => {
                    fates.insert(key, (fate, message.to_owned()));
                }
            }
        }
    }
    fates
}

/// Whether the code that stands for an assembly file differs; `None` where nothing stands for it.
fn stands_in(change: &Change, versions: Sides<Version<'_>>, file: &str) -> Option<bool> {
    let name = format!("{UNSEEN_CODE}{file}");
    let program = versions.new.program;
    let is_it = |global: GlobalId| program.name(program.globals[global.index()].name) == name;
    let mut ids = (0..program.globals.len()).map(GlobalId::from_index);
    let found = ids.find(|id| is_it(*id))?;
    Some(change.globals.iter().any(|row| row.new == Some(found)))
}

/// A unit of this name did not compile.
fn has_failed(versions: &ReadVersions, file: &str) -> bool {
    let mut failures = versions.account.failures.iter();
    failures.any(|failure| failure.file == file)
}

/// Each hunk that no verdict covers, as a caveat.
pub fn add_not_compiled(report: &mut DiffReport) {
    let left_out = report.hunks.iter().filter(|hunk| is_not_compiled(hunk));
    let caveats = left_out.map(|hunk| {
        // Lines that are gone have no place in the new version.
        let (version, first, count) = match hunk.new_lines {
            0 => (" of the old version", hunk.old_start, hunk.old_lines),
            count => ("", hunk.new_start, count),
        };
        let lines = match count {
            0 | 1 => format!("line {first}{version} is"),
            _ => format!("lines {first} to {}{version} are", first + count - 1),
        };
        ReportedCaveat {
            kind: CaveatKind::NotCompiled.name().to_owned(),
            file: hunk.file.to_string(),
            line: hunk.new_start.max(1),
            message: format!("{lines} not compiled: {}", hunk.message),
        }
    });
    let caveats: Vec<ReportedCaveat> = caveats.collect();
    report.caveats.extend(caveats);
}

fn is_not_compiled(hunk: &HunkRow) -> bool {
    hunk.account == HunkAccount::NotCompiled
}

/// The hunks that make the answer incomplete: they are not compiled and may be code.
pub fn code_not_compiled(report: &DiffReport) -> Vec<&HunkRow> {
    let left_out = report.hunks.iter().filter(|hunk| is_not_compiled(hunk));
    left_out
        .filter(|hunk| is_code(Path::new(&*hunk.file)))
        .collect()
}
