//! `knockon diff`: the verdict on every line of the new version.
//!
//! Plain data; the renderers are one file each. File and function names are
//! shared (`Arc<str>`), because a row stands for each of possibly a quarter
//! million lines.

use crate::headline::headline;
use crate::{
    CutBy, FunctionStatus, FunctionSummary, OutputVerdict, ReasonStep, ReportedCaveat, Verdict,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "knockon diff --format json")]
pub struct DiffReport {
    #[schemars(extend("const" = "knockon.diff/1"))]
    pub schema: &'static str,
    /// False if a part of the input could not be read; the caveats say which.
    pub complete: bool,
    /// The build that the verdicts hold for.
    pub configuration: String,
    pub assumptions: Vec<String>,
    pub old: VersionName,
    pub new: VersionName,
    pub output: OutputVerdict,
    /// The levels of analysis in the order they were reached; the verdicts are the last one's.
    pub levels: Vec<LevelRow>,
    pub functions: Vec<FunctionRow>,
    /// Every executable line of the new version, by file and line.
    pub lines: Vec<LineRow>,
    /// Edited lines without code of their own that define what lines of code read.
    pub definitions: Vec<DefinitionRow>,
    /// Lines of the old version that the new one does not have.
    pub removed: Vec<RemovedRow>,
    /// Every hunk of the textual difference.
    pub hunks: Vec<HunkRow>,
    /// The programs that were compared.
    pub executables: Vec<ExecutableRow>,
    /// How the change spreads through functions.
    pub spread: Vec<SpreadEdge>,
    pub caveats: Vec<ReportedCaveat>,
    /// The new version's text, as far as it is to be shown.
    #[serde(skip)]
    pub sources: Vec<SourceText>,
    /// The answer about all of the program, where only some of its rows are shown.
    #[serde(skip)]
    pub whole_answer: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VersionName {
    /// As the user named it: a revision, a path, `the working tree`.
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LevelRow {
    /// `execute-after`, `dataflow`, `semantic-0`, …; `semantic-0, broken off` where the time was up
    /// before all that the level compares was compared.
    pub level: String,
    /// Lines still possible after this level.
    pub possible_lines: usize,
    /// What the level rests on.
    #[serde(skip)]
    pub evidence: Evidence,
    /// It was done whole, and none comes after it.
    #[serde(skip)]
    pub is_final: bool,
}

/// What a level rests on. Levels with more evidence take away from what those with less leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The order in which functions may execute.
    Order,
    /// Dependence graphs of both versions.
    Dependence,
    /// Proofs about functions of both versions.
    Proofs,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FunctionRow {
    pub name: Arc<str>,
    pub file: Arc<str>,
    pub status: FunctionStatus,
    /// The old name or file, if renamed or moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    pub summary: FunctionSummary,
    /// Why the function was not shown to do the same as before, where that was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided: Option<String>,
    pub verdict: Verdict,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LineRow {
    pub file: Arc<str>,
    pub line: u32,
    pub function: Arc<str>,
    pub verdict: Verdict,
    /// For ranking, from 0 (unaffected) to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub score: f64,
    /// What separates the line from the change, if it is unaffected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<CutBy>,
    /// The run that shows the difference, if the line is affected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<Arc<str>>,
    /// From a source of the change to this line: `file:line: text`. Of a line that a proof keeps the
    /// change away from: what was proved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<ReasonStep>,
    /// The numbers of the hunks that reach the line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<u32>,
}

/// An edited line that defines macros or enumerators.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DefinitionRow {
    /// What it defines and lines of code read.
    pub names: Vec<String>,
    /// How many lines of the new version whose own text was not edited read it.
    pub readers: usize,
    #[serde(flatten)]
    pub place: LineRow,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemovedRow {
    pub file: Arc<str>,
    pub line: u32,
    pub function: Arc<str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HunkRow {
    /// Counted from 1.
    pub number: u32,
    pub file: Arc<str>,
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
    pub account: HunkAccount,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// How many lines this hunk alone makes possible or affected.
    pub possible_lines: usize,
}

/// What became of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub enum HunkAccount {
    #[serde(rename = "in the delta")]
    InTheDelta,
    #[serde(rename = "layout only")]
    LayoutOnly,
    #[serde(rename = "not compiled")]
    NotCompiled,
    #[serde(rename = "without effect")]
    WithoutEffect,
}

impl HunkAccount {
    pub fn name(self) -> &'static str {
        match self {
            HunkAccount::InTheDelta => "in the delta",
            HunkAccount::LayoutOnly => "layout only",
            HunkAccount::NotCompiled => "not compiled",
            HunkAccount::WithoutEffect => "without effect",
        }
    }
}

/// A program of the build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExecutableRow {
    pub name: String,
    /// Its name or directory says that it is a test.
    pub is_test: bool,
    /// Its lines that are not unaffected.
    pub possible_lines: usize,
}

/// The change comes from one function to another. Functions are named as in `functions`, and as
/// `file:name` where several have the name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub struct SpreadEdge {
    pub from: Arc<str>,
    pub to: Arc<str>,
    pub kind: SpreadKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub enum SpreadKind {
    #[serde(rename = "calls")]
    Calls,
    #[serde(rename = "returns to")]
    ReturnsTo,
    #[serde(rename = "memory")]
    Memory,
    #[serde(rename = "order")]
    Order,
}

impl SpreadKind {
    pub const ALL: [SpreadKind; 4] = [
        SpreadKind::Calls,
        SpreadKind::ReturnsTo,
        SpreadKind::Memory,
        SpreadKind::Order,
    ];

    pub fn name(self) -> &'static str {
        match self {
            SpreadKind::Calls => "calls",
            SpreadKind::ReturnsTo => "returns to",
            SpreadKind::Memory => "memory",
            SpreadKind::Order => "order",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    pub path: Arc<str>,
    pub text: String,
}

impl Default for DiffReport {
    fn default() -> DiffReport {
        DiffReport {
            schema: "knockon.diff/1",
            complete: true,
            configuration: String::new(),
            assumptions: Vec::new(),
            old: VersionName::default(),
            new: VersionName::default(),
            output: OutputVerdict::default(),
            levels: Vec::new(),
            functions: Vec::new(),
            lines: Vec::new(),
            definitions: Vec::new(),
            removed: Vec::new(),
            hunks: Vec::new(),
            executables: Vec::new(),
            spread: Vec::new(),
            caveats: Vec::new(),
            sources: Vec::new(),
            whole_answer: None,
        }
    }
}

impl DiffReport {
    /// The edited definitions and all lines.
    pub(crate) fn places(&self) -> impl Iterator<Item = &LineRow> {
        let definitions = self.definitions.iter();
        definitions.map(|row| &row.place).chain(&self.lines)
    }

    /// The answer in a few sentences.
    pub fn answer(&self) -> Vec<String> {
        match &self.whole_answer {
            Some(answer) => answer.clone(),
            None => headline(self),
        }
    }
}
