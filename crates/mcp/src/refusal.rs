//! What a client gets instead of an answer, with the names that it may have meant.

use crate::texts::text_within;
use knockon_engine::EngineError;
use serde::Serialize;

/// What the words of a refusal may take: a compiler may say very much.
const MAX_CHARACTERS: usize = 3000;
/// Names that are offered.
const MAX_NAMES: usize = 50;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// `invalid-arguments`, `ambiguous`, `unknown`, `cursor-outdated`, `cancelled` or `failed`.
    pub error: &'static str,
    pub message: String,
    /// Each of these names is the name of one thing that has the ambiguous name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// Names that are like the unknown one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
}

impl Refusal {
    pub fn new(error: &'static str, message: impl AsRef<str>) -> Refusal {
        Refusal {
            error,
            message: text_within(message.as_ref(), MAX_CHARACTERS),
            candidates: Vec::new(),
            nearest: Vec::new(),
        }
    }

    pub fn invalid(message: impl AsRef<str>) -> Refusal {
        Refusal::new("invalid-arguments", message)
    }

    fn with_candidates(mut self, mut candidates: Vec<String>) -> Refusal {
        if candidates.len() > MAX_NAMES {
            let rest = candidates.len() - MAX_NAMES;
            self.message
                .push_str(&format!(" ({rest} more are not listed)"));
            candidates.truncate(MAX_NAMES);
        }
        self.candidates = candidates;
        self
    }
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Refusal {
        let message = error.text();
        let mut cause = error;
        while let EngineError::While { source, .. } = cause {
            cause = *source;
        }
        match cause {
            EngineError::Ambiguous { candidates, .. } => {
                Refusal::new("ambiguous", message).with_candidates(candidates)
            }
            EngineError::Unknown { nearest, .. } => Refusal {
                nearest,
                ..Refusal::new("unknown", message)
            },
            cause if cause.is_cancelled() => Refusal::new("cancelled", message),
            _ => Refusal::new("failed", message),
        }
    }
}
