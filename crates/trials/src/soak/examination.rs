//! What do clang and the interpreter say about one program? The builds it takes, as few as decide:
//! the memory sanitizer only where uninitialised reads are planted or the interpreter claims one,
//! gcc's alignment sanitizer only where the interpreter alone claims a misaligned access.

use super::{Origin, csmith};
use crate::against_clang::agreement::{Agreement, compare};
use crate::against_clang::interpreted::{Interpreted, Interpreter, Meaning};
use crate::against_clang::native::{Build, Native, Toolchain, observe};
use crate::against_clang::outcome::Class;
use crate::against_clang::{HarnessError, Input};
use crate::generator::Undefined;
use knockon_build::clang::find_clang;
use std::path::Path;
use std::time::{Duration, Instant};

/// What a program of two native seconds may need at most, give or take; more is a step limit.
const STEP_LIMIT: u64 = 200_000_000;

/// The tools that examine programs.
pub struct Bench {
    pub toolchain: Toolchain,
    pub interpreter: Interpreter,
}

/// Both sides, the verdict, the time.
#[derive(Clone, Debug)]
pub struct Examination {
    pub native: Native,
    pub interpreted: Interpreted,
    pub agreement: Agreement,
    pub planted: Option<Undefined>,
    pub native_time: Duration,
    pub interpreter_time: Duration,
}

impl Bench {
    /// With the clang that Knockon itself would use.
    pub fn find() -> Result<Bench, HarnessError> {
        let clang = find_clang(None).map_err(|error| HarnessError::Frontend(error.to_string()))?;
        Ok(Bench {
            toolchain: Toolchain::new(clang.path.clone()),
            interpreter: Interpreter {
                clang,
                step_limit: STEP_LIMIT,
            },
        })
    }

    pub fn examine(&self, source: &Path, origin: &Origin) -> Result<Examination, HarnessError> {
        let planted = match origin {
            Origin::Own { undefined, .. } => *undefined,
            Origin::Csmith => None,
        };
        let flags = match origin {
            Origin::Own { .. } => Vec::new(),
            Origin::Csmith => vec![format!("-I{}", csmith::header_directory()?.display())],
        };
        let memory = planted.is_some_and(Undefined::is_uninitialised);
        let mut examined = self.examine_file(source, &origin.input(), &flags, memory)?;
        examined.planted = planted;
        Ok(examined)
    }

    /// Both sides of one file. With `memory` the memory sanitizer runs in any case.
    pub fn examine_file(
        &self,
        source: &Path,
        input: &Input,
        flags: &[String],
        memory: bool,
    ) -> Result<Examination, HarnessError> {
        let toolchain = Toolchain {
            flags: flags.to_vec(),
            ..self.toolchain.clone()
        };
        let start = Instant::now();
        let mut native = observe(&toolchain, source, input, memory)?;
        let native_time = start.elapsed();
        let start = Instant::now();
        let interpreted = self.interpreter.run(source, input, flags)?;
        let interpreter_time = start.elapsed();
        if let Meaning::Undefined { class, .. } = interpreted.meaning
            && native.sanitized.undefined.is_none()
        {
            match class {
                Class::Uninitialised | Class::Folded if native.memory.is_none() => {
                    native.memory = Some(toolchain.outcome(source, Build::Memory, input)?);
                }
                Class::Misaligned => {
                    native.alignment = Some(toolchain.outcome(source, Build::Alignment, input)?);
                }
                _ => {}
            }
        }
        let agreement = compare(&native, &interpreted);
        Ok(Examination {
            native,
            interpreted,
            agreement,
            planted: None,
            native_time,
            interpreter_time,
        })
    }
}
