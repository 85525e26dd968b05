//! The text of a unit with all that it includes, to be kept or compiled elsewhere.
//!
//! Includes are put in their places and macros stay (`-frewrite-includes`), so the text compiles with
//! the unit's own flags, in any directory, and means the same.

use super::Clang;
use super::executable::{CompileTextError, compile_object};
use crate::scratch::scratch_directory;
use crate::unit::UnitCommand;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub fn whole_text(
    clang: &Clang,
    unit: &UnitCommand,
    time_limit: Duration,
    interrupted: &AtomicBool,
) -> Result<String, CompileTextError> {
    let failed = |error: std::io::Error| CompileTextError {
        message: error.to_string(),
    };
    let scratch = scratch_directory().map_err(failed)?;
    let output = scratch.path().join("unit.i");
    compile_object(
        clang,
        Some(unit),
        &unit.file_argument(),
        &["-E", "-frewrite-includes"],
        &output,
        time_limit,
        interrupted,
    )?;
    let bytes = std::fs::read(&output).map_err(failed)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
