//! What do clang's builds of a program do? A plain build for the output; one with
//! `-fsanitize=undefined,address` for undefined behaviour; one with `-fsanitize=memory`, where
//! asked, for uninitialised reads, which the others do not see; and gcc's `-fsanitize=alignment`
//! where a misaligned access is in question, since clang's does not look at `++` and `--`.
//!
//! Left out of the sanitizers, because the IR we read says nothing of them: `shift-base` (clang
//! gives every left shift a meaning), `function` (calls through another type), use after scope
//! (no lifetime markers in our IR).

use super::child;
use super::outcome::{Ending, Outcome};
use super::{HarnessError, Input};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    Plain,
    Optimised,
    Sanitized,
    Memory,
    Alignment,
}

impl Build {
    fn name(self) -> &'static str {
        match self {
            Build::Plain => "plain",
            Build::Optimised => "optimised",
            Build::Sanitized => "sanitized",
            Build::Memory => "memory",
            Build::Alignment => "alignment",
        }
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Build::Plain => &["-O0"],
            Build::Optimised => &["-O2"],
            Build::Sanitized => &[
                "-O0",
                "-fsanitize=undefined,address,float-cast-overflow",
                "-fno-sanitize=shift-base,function",
                "-fno-sanitize-address-use-after-scope",
                "-fno-sanitize-recover=all",
            ],
            Build::Memory => &["-O0", "-fsanitize=memory", "-fno-sanitize-recover=all"],
            Build::Alignment => &["-O0", "-fsanitize=alignment", "-fno-sanitize-recover=all"],
        }
    }
}

/// How programs are built and run.
#[derive(Clone, Debug)]
pub struct Toolchain {
    pub clang: PathBuf,
    /// Flags every build gets, such as `-I` for csmith's headers.
    pub flags: Vec<String>,
    /// For one run of a plain build; sanitized ones get five times as much.
    pub time_limit: Duration,
}

impl Toolchain {
    pub fn new(clang: impl Into<PathBuf>) -> Toolchain {
        Toolchain {
            clang: clang.into(),
            flags: Vec::new(),
            time_limit: Duration::from_secs(2),
        }
    }

    /// Compiles `source` to an executable beside it.
    pub fn compile(&self, source: &Path, build: Build) -> Result<PathBuf, HarnessError> {
        let executable = source.with_extension(build.name());
        let compiler = match build {
            Build::Alignment => Path::new("gcc"),
            _ => self.clang.as_path(),
        };
        let output = Command::new(compiler)
            .args(["-w", "-Werror=implicit-function-declaration"])
            .args(build.flags())
            .args(&self.flags)
            .arg(source)
            .arg("-o")
            .arg(&executable)
            .arg("-lm")
            .output()
            .map_err(|error| HarnessError::Start {
                program: compiler.display().to_string(),
                source: error,
            })?;
        if output.status.success() {
            return Ok(executable);
        }
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(HarnessError::Rejected {
            path: source.to_path_buf(),
            message,
        })
    }

    /// Compiles, runs, and removes the executable.
    pub fn outcome(
        &self,
        source: &Path,
        build: Build,
        input: &Input,
    ) -> Result<Outcome, HarnessError> {
        let executable = self.compile(source, build)?;
        let stdin = source.with_extension("stdin");
        fs::write(&stdin, &input.stdin).map_err(|error| HarnessError::File {
            path: stdin.clone(),
            source: error,
        })?;
        let patience = match build {
            Build::Plain | Build::Optimised => 1,
            Build::Sanitized | Build::Memory | Build::Alignment => 5,
        };
        let limit = self.time_limit * patience;
        let outcome = child::run(&executable, build.name(), &input.arguments, &stdin, limit);
        // Sanitized executables are megabytes each; a soak makes thousands.
        let _ = fs::remove_file(&executable);
        outcome
    }
}

/// The outcomes of the builds that judge.
#[derive(Clone, Debug)]
pub struct Native {
    pub plain: Outcome,
    pub sanitized: Outcome,
    /// Only where uninitialised reads are in question.
    pub memory: Option<Outcome>,
    /// Only where the interpreter alone claims a misaligned access.
    pub alignment: Option<Outcome>,
}

/// Runs the plain and the sanitized build, and with `memory` the third. A program whose plain run
/// takes too long is not built again: its sanitized outcome is the same timeout.
pub fn observe(
    toolchain: &Toolchain,
    source: &Path,
    input: &Input,
    memory: bool,
) -> Result<Native, HarnessError> {
    let plain = toolchain.outcome(source, Build::Plain, input)?;
    if plain.ending == Ending::TimedOut {
        return Ok(Native {
            sanitized: plain.clone(),
            plain,
            memory: None,
            alignment: None,
        });
    }
    let sanitized = toolchain.outcome(source, Build::Sanitized, input)?;
    let memory = if memory {
        Some(toolchain.outcome(source, Build::Memory, input)?)
    } else {
        None
    };
    Ok(Native {
        plain,
        sanitized,
        memory,
        alignment: None,
    })
}
