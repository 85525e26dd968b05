//! From what levels reach to verdicts of lines, their reasons, and what became of each hunk.

mod cut;
pub mod edited_definitions;
pub mod findings;
pub mod hunk_accounts;
pub mod hunk_reach;
pub mod lines;
pub mod reason_text;
pub mod spread;
