//! Ctrl-C: the first one ends the running step, and the results so far are printed; the second one
//! ends the process.

use crate::error_text::error_text;
use crate::{Outcome, exit_code};
use anyhow::{Context as _, Result};
use knockon_engine::{Cancellation, EngineError, TemporaryExports};
use std::io::Write as _;

/// What a command that may be interrupted is given.
pub struct Interruptible {
    pub cancellation: Cancellation,
    /// Removed when the command ends, by whatever way.
    pub exports: TemporaryExports,
}

/// Runs a command, and removes what it wrote for itself only.
pub fn interruptible(command: impl FnOnce(&Interruptible) -> Result<Outcome>) -> Result<Outcome> {
    let run = Interruptible {
        cancellation: Cancellation::new(),
        exports: TemporaryExports::default(),
    };
    let (cancellation, exports) = (run.cancellation.clone(), run.exports.clone());
    ctrlc::set_handler(move || {
        if cancellation.cancel() {
            exports.remove();
            std::process::exit(i32::from(exit_code::INTERRUPTED));
        }
    })
    .context("cannot handle Ctrl-C")?;
    let outcome = command(&run).or_else(|error| interrupted(&run.cancellation, error));
    run.exports.remove();
    outcome
}

/// What was not read for Ctrl-C is missed later on.
fn interrupted(cancellation: &Cancellation, error: anyhow::Error) -> Result<Outcome> {
    let words = match error.downcast_ref::<EngineError>() {
        Some(EngineError::Interrupted) => error.to_string(),
        _ if cancellation.is_cancelled() => format!("interrupted: {}", error_text(&error)),
        _ => return Err(error),
    };
    let _ = writeln!(std::io::stderr(), "knockon: {words}");
    Ok(Outcome {
        text: String::new(),
        code: exit_code::INTERRUPTED,
    })
}
