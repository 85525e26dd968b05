//! Results as plain structs, and their renderers.
//!
//! One struct per command, many renderers. A leaf: it depends on no other
//! crate of the workspace, so that every result can be rendered, stored and
//! read again without the analyses.

mod after;
mod annotated_source;
mod caveat;
mod diff;
mod diff_render;
mod diff_terminal;
mod dot;
mod edited_definitions;
mod equiv;
mod first_screen;
mod format;
mod github;
mod headline;
mod html;
mod json;
mod markdown;
mod read;
mod reason;
mod sarif;
mod schema;
mod slice;
mod source_lines;
mod summary;
mod terminal;
mod verdict;
mod why;
mod wrap;

pub use after::{AfterReport, PathLink, PathStep, Relation, Why};
pub use caveat::{ReportedCaveat, count_by_kind};
pub use diff::{
    DefinitionRow, DiffReport, Evidence, ExecutableRow, FunctionRow, HunkAccount, HunkRow,
    LevelRow, LineRow, RemovedRow, SourceText, SpreadEdge, SpreadKind, VersionName,
};
pub use equiv::{Counterexample, EquivFunction, EquivReport, EquivVerdict};
pub use format::{Extent, Format, RenderError};
pub use json::{to_json, to_json_rows};
pub use read::{ExecutableSummary, ReadReport};
pub use reason::ReasonStep;
pub use schema::schemas;
pub use slice::{
    SliceCriterion, SliceDirection, SliceFunction, SliceLine, SliceOccurrences, SliceReport,
    SliceRun, SliceSize,
};
pub use summary::spread_names;
pub use terminal::{Style, escape_control_characters};
pub use verdict::{CutBy, FunctionStatus, FunctionSummary, OutputVerdict, Verdict};
pub use why::WhyReport;
