//! From IR back to machine code: what probes and replays are run with.

use super::Clang;
use super::child;
use crate::scratch::scratch_directory;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[derive(Debug, thiserror::Error)]
#[error("clang cannot compile the IR: {message}")]
pub struct CompileIrError {
    pub message: String,
}

/// Compiles the text of each module and links them to `output`; `flags` are clang's
/// (`-c` for an object, `-O2`, `-lm`, …). Temporary files are private and removed.
pub fn compile_ir<Flag: AsRef<OsStr>>(
    clang: &Clang,
    modules: &[&[u8]],
    flags: &[Flag],
    output: &Path,
    time_limit: Duration,
    interrupted: &AtomicBool,
) -> Result<(), CompileIrError> {
    let failed = |message: String| CompileIrError { message };
    let scratch = scratch_directory().map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(&clang.path);
    command.args([
        "-w",
        "-fno-color-diagnostics",
        "-fno-crash-diagnostics",
        "-x",
        "ir",
    ]);
    for (index, module) in modules.iter().enumerate() {
        let path = scratch.path().join(format!("{index}.ll"));
        std::fs::write(&path, module).map_err(|error| failed(error.to_string()))?;
        command.arg(path);
    }
    // Libraries among the flags are not IR.
    command
        .args(["-x", "none"])
        .args(flags)
        .arg("-o")
        .arg(output);
    command
        .env_clear()
        .envs(std::env::var_os("PATH").map(|value| ("PATH", value)))
        .env("LC_ALL", "C")
        .env("TMPDIR", scratch.path());
    let done = child::run(&mut command, time_limit, interrupted)
        .map_err(|error| failed(error.to_string()))?;
    if done.status.success() {
        Ok(())
    } else {
        Err(failed(
            String::from_utf8_lossy(&done.messages)
                .trim_end()
                .to_owned(),
        ))
    }
}
