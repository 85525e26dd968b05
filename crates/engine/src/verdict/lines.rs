//! The verdict on each line: the strongest of its nodes', over all executables.
//!
//! A node is *changed* if its text was edited and it is a source or depends on one; a source on text
//! that nobody touched is *possible*. What a level reaches is possible; what none does is unaffected, and the
//! first level that does not reach it says why.

use crate::comparison::ChangeReach;
use crate::verdict::cut::cut_by_proof;
use knockon_change::{Change, Edits, Hunk, Side, Sides, Version};
use knockon_impact::dependence::Vertex;
use knockon_impact::propagation::Place as GraphPlace;
use knockon_program::{FunctionId, InstructionId, Place, Program};
use knockon_report::{CutBy, Verdict};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What is known of one line.
#[derive(Clone, Debug)]
pub struct LineVerdict {
    pub verdict: Verdict,
    pub score: f32,
    pub cut_by: Option<CutBy>,
    pub function: FunctionId,
    /// The node that decided, and the executable that it is in.
    pub node: InstructionId,
    pub executable: usize,
}

/// Verdicts by file and line.
#[derive(Default)]
pub struct Verdicts {
    pub lines: BTreeMap<(String, u32), LineVerdict>,
    /// Old lines that are gone, and their functions.
    pub removed: BTreeMap<(String, u32), String>,
    /// By function of the new version (file and name): its strongest verdict.
    pub functions: BTreeMap<(String, String), Verdict>,
    /// By number of the executable.
    pub executables: BTreeMap<usize, ExecutableLines>,
}

/// The lines of one executable.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExecutableLines {
    pub all: usize,
    /// Those that are not unaffected.
    pub reached: usize,
}

/// The score of what is possible only because something could not be read.
const UNREAD_SCORE: f32 = 0.001;

impl Verdicts {
    /// Where they are doubted, nothing is unaffected.
    pub fn possible_lines(&self, are_doubted: bool) -> usize {
        let lines = self.lines.values();
        let possible = lines.filter(|line| match line.verdict {
            Verdict::Possible => true,
            Verdict::Unaffected => are_doubted,
            _ => false,
        });
        possible.count()
    }

    /// With those of another executable.
    pub fn add(&mut self, other: &Verdicts) {
        for (key, line) in &other.lines {
            match self.lines.get_mut(key) {
                Some(known) => join(known, line),
                None => {
                    self.lines.insert(key.clone(), line.clone());
                }
            }
        }
        let removed = other.removed.iter();
        self.removed
            .extend(removed.map(|(key, name)| (key.clone(), name.clone())));
        for (key, verdict) in &other.functions {
            let known = self.functions.entry(key.clone()).or_insert(*verdict);
            *known = (*known).min(*verdict);
        }
        self.executables.extend(&other.executables);
    }

    /// Some of the change may not have been read: nothing is known to be unaffected.
    pub fn doubt(&mut self) {
        for verdict in self.lines.values_mut() {
            if verdict.verdict == Verdict::Unaffected {
                verdict.verdict = Verdict::Possible;
                verdict.score = UNREAD_SCORE;
                verdict.cut_by = None;
            }
        }
        for verdict in self.functions.values_mut() {
            *verdict = (*verdict).min(Verdict::Possible);
        }
        for lines in self.executables.values_mut() {
            lines.reached = lines.all;
        }
    }
}

/// The lines of the texts that were edited.
pub struct Edited<'a> {
    edits: &'a Edits,
}

impl<'a> Edited<'a> {
    pub fn new(edits: &'a Edits) -> Edited<'a> {
        Edited { edits }
    }

    /// The number of the hunk that the line is in, counted over all files from 1.
    pub fn hunk(&self, side: Side, path: &str, line: u32) -> Option<u32> {
        let mut before = 0;
        for (file, hunks) in &self.edits.files {
            if file == path {
                let at = hunks.partition_point(|hunk| hunk.lines(side).end <= line);
                let holds = |hunk: &Hunk| hunk.lines(side).contains(&line);
                let found = hunks.get(at).is_some_and(holds);
                return found.then_some(before + at as u32 + 1);
            }
            before += hunks.len() as u32;
        }
        None
    }
}

/// The lines of one file, while they are collected.
type FileLines = FxHashMap<u32, LineVerdict>;

/// Adds the verdicts of one executable.
pub fn add_verdicts(
    verdicts: &mut Verdicts,
    executable: usize,
    versions: Sides<Version<'_>>,
    change: &Change,
    levels: &ChangeReach<'_>,
    edited: &Edited<'_>,
) {
    let program = versions.new.program;
    let mut files: Vec<FileLines> = vec![FileLines::default(); program.files.len()];
    let is_edited = edited_lines(program, edited, Side::New);
    for (function, row, body) in program.defined_functions() {
        if program.stands_for_unseen_code(function) {
            continue;
        }
        let mut strongest = Verdict::Unaffected;
        for id in body.instruction_ids() {
            let place = program.place(body.instruction(id).place);
            if !place.is_known() {
                continue;
            }
            let node = Node {
                executable,
                function,
                id,
                place,
            };
            let new = node_verdict(node, versions, change, levels, &is_edited);
            strongest = strongest.min(new.verdict);
            match files[place.file.index()].get_mut(&place.line) {
                Some(known) => join(known, &new),
                None => {
                    files[place.file.index()].insert(place.line, new);
                }
            }
        }
        let file = program.place(row.place);
        let path = match file.is_known() {
            true => program.file_path(file.file),
            false => "",
        };
        let name = program.function_name(function);
        let known = verdicts
            .functions
            .entry((path.to_owned(), name.to_owned()))
            .or_insert(Verdict::Unaffected);
        *known = (*known).min(strongest);
    }
    let counts = verdicts.executables.entry(executable).or_default();
    for (number, lines) in files.into_iter().enumerate() {
        let path = program.name(program.files[number].path);
        for (line, new) in lines {
            counts.all += 1;
            counts.reached += usize::from(new.verdict < Verdict::Unaffected);
            let key = (path.to_owned(), line);
            match verdicts.lines.get_mut(&key) {
                Some(known) => join(known, &new),
                None => {
                    verdicts.lines.insert(key, new);
                }
            }
        }
    }
    add_removed(verdicts, versions.old.program, change, edited);
}

/// The stronger of two verdicts on a line; of two that are as strong, the one with more to say.
fn join(known: &mut LineVerdict, new: &LineVerdict) {
    let words = |line: &LineVerdict| line.cut_by.map_or(0, telling);
    let order = new.verdict.cmp(&known.verdict);
    let order = order.then(known.score.total_cmp(&new.score));
    if order.then(words(known).cmp(&words(new))).is_lt() {
        *known = new.clone();
    }
}

/// A fact that was proved tells more than that nothing was found, and that more than that a part of
/// the line never runs.
fn telling(cut: CutBy) -> u8 {
    match cut {
        CutBy::Unreachable => 0,
        CutBy::NotExecutedAfter => 1,
        CutBy::ImpactBoundary | CutBy::NoDependence => 2,
        CutBy::EqualArguments | CutBy::EqualSummary | CutBy::EqualValues => 3,
    }
}

/// One node of the new version.
#[derive(Clone, Copy)]
struct Node {
    executable: usize,
    function: FunctionId,
    id: InstructionId,
    place: Place,
}

/// For each file of a program the lines of its hunks, if it has any.
struct EditedLines<'a> {
    side: Side,
    hunks: Vec<&'a [Hunk]>,
}

fn edited_lines<'a>(program: &Program, edited: &Edited<'a>, side: Side) -> EditedLines<'a> {
    let files = program.files.iter();
    EditedLines {
        side,
        hunks: files
            .map(|file| {
                let hunks = edited.edits.files.get(program.name(file.path));
                hunks.map_or(&[][..], Vec::as_slice)
            })
            .collect(),
    }
}

impl EditedLines<'_> {
    fn contains(&self, place: Place) -> bool {
        let hunks = self.hunks[place.file.index()];
        let at = hunks.partition_point(|hunk| hunk.lines(self.side).end <= place.line);
        hunks
            .get(at)
            .is_some_and(|hunk| hunk.lines(self.side).contains(&place.line))
    }
}

fn node_verdict(
    node: Node,
    versions: Sides<Version<'_>>,
    change: &Change,
    levels: &ChangeReach<'_>,
    edited: &EditedLines<'_>,
) -> LineVerdict {
    let Node {
        executable,
        function,
        id,
        place,
    } = node;
    let is_source = change.is_source(Side::New, function, id);
    let impact = levels.finest();
    let graph_place = GraphPlace {
        side: Side::New,
        function,
        vertex: Vertex(id.0),
    };
    let is_reachable = levels.is_reachable[function.index()];
    let executes = levels.executes_after[function.index()];
    // Each level only ever takes away from the one before. Sources are where dependence begins, but
    // for those that were shown to observe the same.
    let is_impacted = impact.is_none_or(|impact| impact.is_impacted(Side::New, function, id));
    let is_possible = is_impacted && (is_source || is_reachable && executes);
    // Text that was edited is changed even where only what it lost is a source.
    let is_changed = (is_source || is_possible) && edited.contains(place);
    let score = impact.map_or(1.0, |impact| impact.propagation.score(graph_place));
    let (verdict, cut_by) = match (is_changed, is_possible) {
        (true, _) => (Verdict::Changed, None),
        (false, true) => (Verdict::Possible, None),
        (false, false) => {
            let cut = match (is_reachable, executes) {
                (false, _) => CutBy::Unreachable,
                (true, false) => CutBy::NotExecutedAfter,
                (true, true) => {
                    let proof = cut_by_proof(levels, versions, graph_place);
                    proof.unwrap_or(CutBy::NoDependence)
                }
            };
            (Verdict::Unaffected, Some(cut))
        }
    };
    LineVerdict {
        verdict,
        score: match verdict {
            Verdict::Unaffected => 0.0,
            Verdict::Changed => 1.0,
            _ => score,
        },
        cut_by,
        function,
        node: id,
        executable,
    }
}

/// Old lines with a node that has no partner and whose text is gone.
fn add_removed(verdicts: &mut Verdicts, old: &Program, change: &Change, edited: &Edited<'_>) {
    let lines = edited_lines(old, edited, Side::Old);
    for (function, _, body) in old.defined_functions() {
        if change
            .pair(Side::Old, function)
            .is_some_and(|pair| pair.is_without_source())
        {
            continue;
        }
        for id in body.instruction_ids() {
            let place = old.place(body.instruction(id).place);
            let is_gone = change.partner_of_node(Side::Old, function, id).is_none();
            if is_gone && place.is_known() && lines.contains(place) {
                let key = (old.file_path(place.file).to_owned(), place.line);
                let name = old.function_name(function).to_owned();
                verdicts.removed.insert(key, name);
            }
        }
    }
}
