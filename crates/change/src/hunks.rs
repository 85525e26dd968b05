//! Where did each hunk of the textual diff go?
//!
//! **Rules.** A hunk is *layout* if its tokens are the same. It is *in the delta* if a source stands
//! on its lines: a node, or a function or global that changed, was added or removed. Otherwise it
//! is text that makes no node where it stands (a macro, a type, a declaration, a header): it is in
//! the delta if some source is in a unit that reads the file, and *without effect* if there is none
//! in any of them: the code is the same without it; where some of the text stands in a branch that
//! made no code, it is said that the preprocessor left that out. If no unit reads the file, the hunk is *not
//! compiled*; so it is if it is more than directives and all of it stands in branches of an `#if`,
//! include guards apart, that made no code at all: the preprocessor left them out, or they declare
//! something and it cannot be told whether that was read.
//!
//! **Soundness.** That a hunk is without effect is said of the compiled configuration, and only if
//! all functions of all units that read the file are paired without a source and all their globals
//! are the same.
//!
//! **Cost.** One pass over the sources of the change, then a look at each hunk; texts are read only
//! for hunks in files that changed.

use crate::edits::{Edits, Hunk};
use crate::hunk_layout::FileLayout;
use crate::{Change, Side, Sides, Version};
use knockon_program::{GlobalId, Place, PlaceId, Program, UnitId};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What is known of the sources beyond the programs. Paths are as in [`Program::file_path`].
#[derive(Clone, Debug, Default)]
pub struct SourceFiles {
    pub texts: Sides<BTreeMap<String, String>>,
    /// By file the units that read it, as [`knockon_program::Unit::source`] names them; a file that
    /// is not listed is read by the unit of that name. Units with code on its lines read it too.
    pub readers: Sides<BTreeMap<String, Vec<String>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkAccount {
    pub file: String,
    pub hunk: Hunk,
    pub fate: HunkFate,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HunkFate {
    InDelta,
    /// Only comments and layout differ.
    LayoutOnly,
    /// The code of all units that read the file is the same.
    WithoutEffect,
    /// So it is, and some of the text stands in a branch of an `#if` that made no code.
    LeftOut,
    NotCompiled(NotCompiled),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotCompiled {
    /// No unit reads the file.
    NotRead,
    Assembly,
    BuildFile,
    /// Under an `#if`, and without code.
    InactiveBranch,
}

/// One row for each hunk, by file.
pub fn account(
    change: &Change,
    versions: Sides<Version<'_>>,
    edits: &Edits,
    sources: &SourceFiles,
) -> Vec<HunkAccount> {
    let located = Sides {
        old: Located::new(change, versions.old.program, edits, Side::Old),
        new: Located::new(change, versions.new.program, edits, Side::New),
    };
    let mut accounts = Vec::new();
    for (file, hunks) in &edits.files {
        let text = |side: Side| sources.texts.of(side).get(file).map(String::as_str);
        let layout = match (text(Side::Old), text(Side::New)) {
            (Some(old), Some(new)) if is_c(file) => Some(FileLayout::new(old, new)),
            _ => None,
        };
        for hunk in hunks {
            let is_layout = layout
                .as_ref()
                .is_some_and(|layout| layout.is_layout_only(hunk));
            accounts.push(HunkAccount {
                file: file.clone(),
                hunk: hunk.clone(),
                fate: match is_layout {
                    true => HunkFate::LayoutOnly,
                    false => fate(&located, versions, sources, file, hunk),
                },
            });
        }
    }
    accounts
}

/// Where the sources of one version stand.
struct Located<'a> {
    /// By file and line.
    source_lines: FxHashSet<(&'a str, u32)>,
    /// The files with hunks, and the lines of these that made code.
    is_edited: Vec<bool>,
    code_lines: BTreeSet<(&'a str, u32)>,
    /// By file the units with code on its lines.
    code_files: BTreeMap<&'a str, FxHashSet<UnitId>>,
    /// The units with a source.
    units: FxHashSet<UnitId>,
}

impl<'a> Located<'a> {
    fn new(change: &Change, program: &'a Program, edits: &Edits, side: Side) -> Located<'a> {
        let files = program.files.iter();
        let mut located = Located {
            source_lines: FxHashSet::default(),
            is_edited: files
                .map(|file| edits.files.contains_key(program.name(file.path)))
                .collect(),
            code_lines: BTreeSet::new(),
            code_files: BTreeMap::new(),
            units: FxHashSet::default(),
        };
        for (id, function, body) in program.defined_functions() {
            located.code(program, function.place, function.unit);
            let mut seen = PlaceId(0);
            for row in &body.instructions {
                if row.place != seen {
                    seen = row.place;
                    located.code(program, row.place, function.unit);
                }
            }
            let pair = change.pair(side, id);
            let stands_out = pair.is_none_or(|pair| !pair.same_interface)
                || pair.is_some_and(|pair| pair.status != crate::PairStatus::Same);
            if stands_out {
                located.source(program, function.place, function.unit);
            }
            for node in body.instruction_ids() {
                let is_source = |pair: &crate::FunctionPair| {
                    pair.is_source(side, node) || pair.is_reordered(side, node)
                };
                if pair.is_none_or(is_source) {
                    located.source(program, body.instruction(node).place, function.unit);
                }
            }
        }
        for global in &program.globals {
            located.code(program, global.place, global.unit);
        }
        for row in &change.globals {
            let id: Option<GlobalId> = match side {
                Side::Old => row.old,
                Side::New => row.new,
            };
            if let Some(id) = id {
                let global = &program.globals[id.index()];
                located.source(program, global.place, global.unit);
            }
        }
        located
    }

    fn code(&mut self, program: &'a Program, place: PlaceId, unit: UnitId) {
        let place = program.place(place);
        if place.is_known() && self.is_edited[place.file.index()] {
            let path = program.file_path(place.file);
            self.code_lines.insert((path, place.line));
            self.code_files.entry(path).or_default().insert(unit);
        }
    }

    fn source(&mut self, program: &'a Program, place: PlaceId, unit: UnitId) {
        self.units.insert(unit);
        let mut place: Place = program.place(place);
        // Where it was inlined from, and where to; the chain is as long as the inlining was deep.
        for _ in 0..64 {
            if !place.is_known() {
                break;
            }
            let path = program.file_path(place.file);
            self.source_lines.insert((path, place.line));
            place = program.place(place.inlined_at);
        }
    }
}

/// Where a hunk went that is more than layout.
fn fate(
    located: &Sides<Located<'_>>,
    versions: Sides<Version<'_>>,
    sources: &SourceFiles,
    file: &str,
    hunk: &Hunk,
) -> HunkFate {
    let stands_in_delta = Side::BOTH.into_iter().any(|side| {
        let mut lines = hunk.lines(side).clone();
        lines.any(|line| located.of(side).source_lines.contains(&(file, line)))
    });
    if stands_in_delta {
        return HunkFate::InDelta;
    }
    let readers = Sides {
        old: readers(versions.old.program, &located.old, sources, Side::Old, file),
        new: readers(versions.new.program, &located.new, sources, Side::New, file),
    };
    if readers.old.is_empty() && readers.new.is_empty() {
        return HunkFate::NotCompiled(match kind_of(file) {
            FileKind::Assembly => NotCompiled::Assembly,
            FileKind::Build => NotCompiled::BuildFile,
            FileKind::Other => NotCompiled::NotRead,
        });
    }
    let has_source = Side::BOTH.into_iter().any(|side| {
        let units = &located.of(side).units;
        readers.of(side).iter().any(|unit| units.contains(unit))
    });
    let mut says_something = false;
    let mut has_silent_branch = false;
    let mut is_inactive = true;
    for side in Side::BOTH {
        let lines = hunk.lines(side);
        let code = &located.of(side).code_lines;
        let made_code = |branch: &Range<u32>| {
            let mut lines = code.range((file, branch.start)..(file, branch.end));
            lines.next().is_some()
        };
        let Some(text) = sources.texts.of(side).get(file) else {
            is_inactive &= lines.is_empty();
            continue;
        };
        let found = branches_around(text, lines);
        let is_silent =
            |branch: &Option<Range<u32>>| branch.as_ref().is_some_and(|lines| !made_code(lines));
        has_silent_branch |= found.lines.iter().chain(&found.directives).any(is_silent);
        says_something |= !found.lines.is_empty();
        is_inactive &= lines.is_empty() || found.lines.iter().all(is_silent);
    }
    let is_inactive = is_inactive && says_something;
    match (has_source, is_inactive) {
        (_, true) => HunkFate::NotCompiled(NotCompiled::InactiveBranch),
        (true, false) => HunkFate::InDelta,
        (false, false) if has_silent_branch => HunkFate::LeftOut,
        (false, false) => HunkFate::WithoutEffect,
    }
}

fn readers(
    program: &Program,
    located: &Located<'_>,
    sources: &SourceFiles,
    side: Side,
    file: &str,
) -> Vec<UnitId> {
    let units = program.units.iter().enumerate();
    let named = |names: &[String]| -> Vec<UnitId> {
        let fits = |name: &str| names.iter().any(|other| other == name);
        let found = units
            .clone()
            .filter(|(_, unit)| fits(program.name(unit.source)));
        found.map(|(at, _)| UnitId::from_index(at)).collect()
    };
    let mut found = match sources.readers.of(side).get(file) {
        Some(names) => named(names),
        None => named(&[file.to_owned()]),
    };
    found.extend(located.code_files.get(file).into_iter().flatten());
    found.sort_unstable();
    found.dedup();
    found
}

fn extension(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn is_c(file: &str) -> bool {
    let extension = extension(file).to_ascii_lowercase();
    let known = [
        "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "inc", "def",
    ];
    known.contains(&extension.as_str())
}

enum FileKind {
    Assembly,
    Build,
    Other,
}

fn kind_of(file: &str) -> FileKind {
    let name = file.rsplit('/').next().unwrap_or(file).to_ascii_lowercase();
    let builds = [
        "makefile",
        "gnumakefile",
        "cmakelists.txt",
        "configure",
        "meson.build",
    ];
    match extension(&name) {
        "s" | "asm" => FileKind::Assembly,
        "am" | "ac" | "in" | "mk" | "cmake" | "m4" => FileKind::Build,
        _ if builds.contains(&name.as_str()) => FileKind::Build,
        _ => FileKind::Other,
    }
}

/// The innermost branch of an `#if` that each line stands in; include guards do not count.
struct Branches {
    /// Of lines that are more than a directive.
    lines: Vec<Option<Range<u32>>>,
    /// Of directives that are no part of an `#if` themselves.
    directives: Vec<Option<Range<u32>>>,
}

fn branches_around(text: &str, lines: &Range<u32>) -> Branches {
    let rows: Vec<&str> = text.lines().collect();
    let mut open: Vec<Conditional> = Vec::new();
    // The line, and the number of the branch.
    let mut wanted: Vec<Option<usize>> = Vec::new();
    let mut wanted_directives: Vec<Option<usize>> = Vec::new();
    let mut branches: Vec<Range<u32>> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let number = at as u32 + 1;
        let found = directive(row);
        if lines.contains(&number) && !row.trim().is_empty() {
            let innermost = open.iter().rev().find(|conditional| !conditional.is_guard);
            let branch = innermost.map(|conditional| conditional.branch);
            match found {
                None => wanted.push(branch),
                Some((word, _)) if !is_conditional(word) => wanted_directives.push(branch),
                Some(_) => {}
            }
        }
        let Some((word, rest)) = found else {
            continue;
        };
        if matches!(word, "else" | "elif" | "elifdef" | "elifndef" | "endif")
            && let Some(conditional) = open.last_mut()
        {
            branches[conditional.branch].end = number;
            conditional.branch = branches.len();
            branches.push(number..u32::MAX);
        }
        match word {
            "if" | "ifdef" | "ifndef" => {
                open.push(Conditional {
                    branch: branches.len(),
                    is_guard: word == "ifndef" && defines_next(&rows[at + 1..], rest),
                });
                branches.push(number..u32::MAX);
            }
            "endif" => {
                open.pop();
            }
            _ => {}
        }
    }
    let ranges = |wanted: Vec<Option<usize>>| -> Vec<Option<Range<u32>>> {
        let wanted = wanted.into_iter();
        let range = |branch: Option<usize>| branch.map(|number| branches[number].clone());
        wanted.map(range).collect()
    };
    Branches {
        lines: ranges(wanted),
        directives: ranges(wanted_directives),
    }
}

fn is_conditional(word: &str) -> bool {
    let words = [
        "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif",
    ];
    words.contains(&word)
}

/// An open `#if`.
struct Conditional {
    /// The number of the branch that is open.
    branch: usize,
    is_guard: bool,
}

/// The name of a directive and what follows it.
fn directive(row: &str) -> Option<(&str, &str)> {
    let rest = row.trim_start().strip_prefix('#')?.trim_start();
    let end = rest.find(|letter: char| !letter.is_ascii_alphabetic());
    let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
    Some((word, rest.trim()))
}

/// The first of the rows that says something defines the name.
fn defines_next(rows: &[&str], name: &str) -> bool {
    let mut says = rows.iter().filter(|row| !row.trim().is_empty());
    let next = says.next().and_then(|row| directive(row));
    next.is_some_and(|(word, rest)| {
        word == "define" && rest.split_whitespace().next() == Some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#ifndef A_H\n#define A_H\nint a;\n#ifdef X\nint b;\n#if Y\nint c;\n#endif\n#else\nint d;\n#endif\n#endif\n";

    #[test]
    fn a_line_stands_in_its_innermost_branch() {
        assert_eq!(branches_around(TEXT, &(5..6)).lines, [Some(4..9)]);
        assert_eq!(branches_around(TEXT, &(7..8)).lines, [Some(6..8)]);
        assert_eq!(branches_around(TEXT, &(10..11)).lines, [Some(9..11)]);
    }

    #[test]
    fn an_include_guard_is_no_branch_and_a_directive_no_line_of_one() {
        assert_eq!(branches_around(TEXT, &(3..4)).lines, [None]);
        assert_eq!(branches_around(TEXT, &(4..5)).lines, []);
    }
}
