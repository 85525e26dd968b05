//! Does the interpreter say what clang's program does? One C program, several builds of it, one run
//! of each, and the rule that makes the sanitized build the judge of undefined behaviour.
//!
//! - `outcome`: what a run did, and which class of undefined behaviour a sanitizer named.
//! - `child`: running one build inside limits.
//! - `native`: the builds of one program and their outcomes.
//! - `interpreted`: the same program through the reader and the interpreter.
//! - `agreement`: the two side by side.

pub mod agreement;
pub mod child;
pub mod interpreted;
pub mod native;
pub mod outcome;

use std::path::PathBuf;
use thiserror::Error;

/// What a program is run on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// Without the program's own name.
    pub arguments: Vec<String>,
    pub stdin: Vec<u8>,
}

/// The trial itself could not be made; says nothing about the program.
#[derive(Debug, Error)]
pub enum HarnessError {
    #[error("{path}: {source}")]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("cannot start `{program}`: {source}; is it installed (`make setup`)?")]
    Start {
        program: String,
        source: std::io::Error,
    },
    #[error("clang rejects {path}:\n{message}")]
    Rejected { path: PathBuf, message: String },
    #[error("csmith failed: {0}")]
    Csmith(String),
    #[error("{0}")]
    Frontend(String),
}
