//! What is claimed about a line, a function or the output, and what backs it.

use schemars::JsonSchema;
use serde::Serialize;

/// The verdict on a line of the new version. The order is that of strength: a line has the
/// least of its statements' verdicts.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is a source of the change.
    Changed,
    /// It behaves differently on a real run.
    Affected,
    /// Not decided.
    Possible,
    /// On no input, under the stated assumptions, does it behave differently.
    #[default]
    Unaffected,
}

impl Verdict {
    pub const ALL: [Verdict; 4] = [
        Verdict::Changed,
        Verdict::Affected,
        Verdict::Possible,
        Verdict::Unaffected,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Changed => "changed",
            Verdict::Affected => "affected",
            Verdict::Possible => "possible",
            Verdict::Unaffected => "unaffected",
        }
    }

    pub fn index(self) -> usize {
        self as usize
    }
}

/// What separates an unaffected line from the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CutBy {
    NotExecutedAfter,
    NoDependence,
    EqualArguments,
    EqualSummary,
    EqualValues,
    ImpactBoundary,
    Unreachable,
}

impl CutBy {
    pub const ALL: [CutBy; 7] = [
        CutBy::NotExecutedAfter,
        CutBy::NoDependence,
        CutBy::EqualArguments,
        CutBy::EqualSummary,
        CutBy::EqualValues,
        CutBy::ImpactBoundary,
        CutBy::Unreachable,
    ];

    /// It took a proof about both versions.
    pub fn is_proof(self) -> bool {
        matches!(
            self,
            CutBy::EqualArguments | CutBy::EqualSummary | CutBy::EqualValues
        )
    }

    /// For a person, as the rest of a sentence that begins with "unaffected: ".
    pub fn sentence(self) -> &'static str {
        match self {
            CutBy::NotExecutedAfter => "it is never executed after the change",
            CutBy::NoDependence => "nothing that it uses depends on the change",
            CutBy::EqualArguments => "it is only called with equal arguments",
            CutBy::EqualSummary => "what it uses comes from functions that are equivalent",
            CutBy::EqualValues => "it sees equal values in both versions",
            CutBy::ImpactBoundary => "the change is contained in code before it",
            CutBy::Unreachable => "no entry of the program reaches it",
        }
    }
}

/// Whether the program's outputs differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutputVerdict {
    Equal,
    Different,
    #[default]
    Possible,
}

impl OutputVerdict {
    pub fn sentence(self) -> &'static str {
        match self {
            OutputVerdict::Equal => "The output is the same on every input.",
            OutputVerdict::Different => "The output differs on some input.",
            OutputVerdict::Possible => "The output may differ.",
        }
    }
}

/// What a function is in the new version, compared with the old.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FunctionStatus {
    Changed,
    Added,
    Removed,
    Renamed,
    Moved,
    Same,
}

impl FunctionStatus {
    pub fn name(self) -> &'static str {
        match self {
            FunctionStatus::Changed => "changed",
            FunctionStatus::Added => "added",
            FunctionStatus::Removed => "removed",
            FunctionStatus::Renamed => "renamed",
            FunctionStatus::Moved => "moved",
            FunctionStatus::Same => "same",
        }
    }
}

/// Whether both versions of a function do the same for their callers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FunctionSummary {
    Equivalent,
    Different,
    #[default]
    Unknown,
}

impl FunctionSummary {
    pub fn name(self) -> &'static str {
        match self {
            FunctionSummary::Equivalent => "equivalent",
            FunctionSummary::Different => "different",
            FunctionSummary::Unknown => "unknown",
        }
    }
}
