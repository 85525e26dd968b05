//! Reasons: how the change comes to a line, one hop a step.
//!
//! A chain begins at a source of the change and ends at the line it explains. In
//! JSON a step is the string `file:line: text`, which editors and people read
//! alike; a step through a statement that only the old version has says so in
//! its text.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(with = "String")]
pub struct ReasonStep {
    pub file: Arc<str>,
    pub line: u32,
    /// Why the change comes here: "uses the value of `x`".
    pub text: Arc<str>,
    /// File and line are those of the old version.
    pub old: bool,
}

impl ReasonStep {
    /// `file:line: text`.
    pub fn sentence(&self) -> String {
        format!("{}: {}", self.place(), self.description())
    }

    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    pub fn description(&self) -> String {
        let version = if self.old { "in the old version: " } else { "" };
        format!("{version}{}", self.text)
    }
}

impl Serialize for ReasonStep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let version = if self.old { "in the old version: " } else { "" };
        serializer.collect_str(&format_args!(
            "{}:{}: {version}{}",
            self.file, self.line, self.text
        ))
    }
}
