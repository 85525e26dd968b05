//! Results as plain structs, and their renderers.
//!
//! One struct per command, many renderers. A leaf: it depends on no other
//! crate of the workspace, so that every result can be rendered, stored and
//! read again without the analyses.

mod after;
mod caveat;
mod json;
mod read;
mod terminal;

pub use after::{AfterReport, PathLink, PathStep, Relation, Why};
pub use caveat::{ReportedCaveat, count_by_kind};
pub use json::to_json;
pub use read::{ExecutableSummary, ReadReport};
pub use terminal::{Style, escape_control_characters};

/// The formats that a report can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Terminal,
    Json,
    Dot,
}
