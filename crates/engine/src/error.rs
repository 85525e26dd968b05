//! Why there is no answer.
//!
//! What a caller can act on has a variant of its own: a cancelled request, a name that is unknown or
//! ambiguous. The rest are errors of what the engine calls, and what was done when they occurred.

use knockon_build::build::BuildError;
use knockon_build::build_plan::BuildPlanError;
use knockon_build::clang::ClangError;
use knockon_build::configuration::ConfigurationError;
use knockon_build::git::GitError;
use knockon_build::input::InputError;
use knockon_build::revision_build::RevisionBuildError;
use knockon_logic::solver::{ProgramError, SolverError};
use knockon_program::OutOfTime;

pub type Result<T> = std::result::Result<T, EngineError>;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("interrupted before the first level was done: there are no results yet")]
    Interrupted,
    /// Of a session: the caller did not wait for the answer.
    #[error("the request was cancelled")]
    Cancelled,
    /// Of a session: the thread that was to answer has ended.
    #[error("the analysis ended unexpectedly; ask again")]
    Lost,
    /// Nothing has the name that the request gives.
    #[error("{message}")]
    Unknown {
        message: String,
        /// Names that are like it.
        nearest: Vec<String>,
    },
    /// Several things have the name that the request gives.
    #[error("{message}")]
    Ambiguous {
        message: String,
        /// Each of these names is the name of one.
        candidates: Vec<String>,
    },
    /// The request cannot be answered as it is, for the reason given.
    #[error("{0}")]
    Refused(String),
    #[error("{}", while_doing(what, source))]
    While {
        what: String,
        source: Box<EngineError>,
    },
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    #[error(transparent)]
    BuildPlan(#[from] BuildPlanError),
    #[error(transparent)]
    RevisionBuild(#[from] RevisionBuildError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Clang(#[from] ClangError),
    #[error(transparent)]
    Solver(#[from] SolverError),
    #[error(transparent)]
    SolverProgram(#[from] ProgramError),
    #[error(transparent)]
    OutOfTime(#[from] OutOfTime),
    #[error(transparent)]
    File(#[from] std::io::Error),
}

impl EngineError {
    /// The error and its causes in one line, each said once.
    pub fn text(&self) -> String {
        chain_text(self)
    }
}

fn while_doing(what: &str, source: &EngineError) -> String {
    let causes = chain_text(source);
    match what.ends_with(&causes) {
        true => what.to_owned(),
        false => format!("{what}: {causes}"),
    }
}

/// `what failed: why`. Errors of libraries often end with their cause's words already.
fn chain_text(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = String::new();
    let mut next = Some(error);
    while let Some(cause) = next {
        let words = cause.to_string();
        if !text.ends_with(&words) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&words);
        }
        next = cause.source();
    }
    text
}

/// Says what was done when something failed.
pub(crate) trait Context<T> {
    fn context(self, what: impl Into<String>) -> Result<T>;
    fn with_context<W: Into<String>>(self, what: impl FnOnce() -> W) -> Result<T>;
}

impl<T, E: Into<EngineError>> Context<T> for std::result::Result<T, E> {
    fn context(self, what: impl Into<String>) -> Result<T> {
        self.with_context(|| what)
    }

    fn with_context<W: Into<String>>(self, what: impl FnOnce() -> W) -> Result<T> {
        self.map_err(|error| EngineError::While {
            what: what().into(),
            source: Box::new(error.into()),
        })
    }
}

impl<T> Context<T> for Option<T> {
    fn context(self, what: impl Into<String>) -> Result<T> {
        self.with_context(|| what)
    }

    fn with_context<W: Into<String>>(self, what: impl FnOnce() -> W) -> Result<T> {
        self.ok_or_else(|| EngineError::Refused(what().into()))
    }
}

/// Returns an error: the request cannot be answered, for this reason.
macro_rules! refuse {
    ($($words:tt)*) => {
        return Err($crate::error::EngineError::Refused(format!($($words)*)))
    };
}
pub(crate) use refuse;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_that_an_error_already_names_is_said_once() {
        let failed: std::io::Result<()> = Err(std::io::Error::other("no space left"));
        let error = failed.context("cannot write a.c").context("cannot compare");
        let error = error.unwrap_err();
        let words = "cannot compare: cannot write a.c: no space left";
        assert_eq!(error.text(), words);
        assert_eq!(error.to_string(), words);
    }
}
