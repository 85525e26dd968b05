//! C text to machine code: compiling a unit, or text that includes one, for running it.
//!
//! The unit's own flags, which have passed the allow-list, come first; the caller's win.

use super::Clang;
use super::child;
use crate::flags::clang_arguments;
use crate::unit::UnitCommand;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[derive(Debug, thiserror::Error)]
#[error("clang does not compile it: {message}")]
pub struct CompileTextError {
    /// clang's own words.
    pub message: String,
}

/// Compiles `source` to an object as `unit` is compiled.
pub fn compile_object(
    clang: &Clang,
    unit: Option<&UnitCommand>,
    source: &Path,
    flags: &[&str],
    output: &Path,
    time_limit: Duration,
    interrupted: &AtomicBool,
) -> Result<(), CompileTextError> {
    let mut command = Command::new(&clang.path);
    if let Some(unit) = unit {
        command
            .args(clang_arguments(&unit.flags))
            .current_dir(&unit.directory);
    }
    command.args(QUIET).args(flags).arg("-c").arg("-o");
    command.arg(output).arg("--").arg(source);
    let variables = unit.map(|unit| unit.environment.iter());
    let variables = variables.into_iter().flatten();
    run(&mut command, output, variables, time_limit, interrupted)
}

/// Links objects to a program.
pub fn link_program<Object: AsRef<OsStr>>(
    clang: &Clang,
    objects: &[Object],
    flags: &[&str],
    output: &Path,
    time_limit: Duration,
    interrupted: &AtomicBool,
) -> Result<(), CompileTextError> {
    let mut command = Command::new(&clang.path);
    command.args(QUIET).args(objects).args(flags);
    command.arg("-o").arg(output);
    run(&mut command, output, [].iter(), time_limit, interrupted)
}

const QUIET: [&str; 4] = [
    "-w",
    "-Wno-everything",
    "-fno-color-diagnostics",
    "-fno-crash-diagnostics",
];

fn run<'a>(
    command: &mut Command,
    output: &Path,
    variables: impl Iterator<Item = &'a (String, String)>,
    time_limit: Duration,
    interrupted: &AtomicBool,
) -> Result<(), CompileTextError> {
    let failed = |message: String| CompileTextError { message };
    command
        .env_clear()
        .envs(std::env::var_os("PATH").map(|value| ("PATH", value)))
        .env("LC_ALL", "C")
        .envs(variables.map(|(name, value)| (name, value)));
    if let Some(directory) = output.parent() {
        command.env("TMPDIR", directory);
    }
    let done =
        child::run(command, time_limit, interrupted).map_err(|error| failed(error.to_string()))?;
    match done.status.success() {
        true => Ok(()),
        false => {
            let message = String::from_utf8_lossy(&done.messages);
            Err(failed(message.trim_end().to_owned()))
        }
    }
}
