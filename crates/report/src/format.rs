//! The formats that a report can be written in.

use thiserror::Error;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Terminal,
    Json,
    Sarif,
    Html,
    /// Workflow commands of GitHub Actions.
    Github,
    Markdown,
    Dot,
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Format::Terminal => "terminal",
            Format::Json => "json",
            Format::Sarif => "sarif",
            Format::Html => "html",
            Format::Github => "github",
            Format::Markdown => "markdown",
            Format::Dot => "dot",
        }
    }
}

/// How much a terminal view shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// The best, and how many more there are.
    #[default]
    Folded,
    Full,
    /// A line for each file.
    Files,
    /// The answer in a few sentences.
    Sentences,
}

#[derive(Debug, Error)]
pub enum RenderError {
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{command} has no format {format}; use one of: {offered}")]
    NotOffered {
        command: &'static str,
        format: &'static str,
        offered: &'static str,
    },
}
