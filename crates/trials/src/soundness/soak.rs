//! Do the laws hold on thousands of programs nobody has seen before? Program `k` is a function of
//! the soak's seed and `k` alone; ours are those without planted undefined behaviour, the others
//! are csmith's. A program that breaks a law is written out with its input and what broke; ours
//! are also made smaller, as long as the same law stays broken. Until a program is done it stands
//! in the same directory as `running-…`: there it stays when an analysis does not end or breaks.

use super::subject::{Outcome, examine};
use super::{Findings, Law};
use crate::against_clang::interpreted::Interpreter;
use crate::against_clang::{HarnessError, Input};
use crate::generator::print;
use crate::reducer::reduce;
use crate::soak::failure::write;
use crate::soak::workers::each;
use crate::soak::{Origin, Request, csmith, own_program, seed_of};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A traced run takes some ten times as long per instruction.
pub const STEP_LIMIT: u64 = 20_000_000;

/// What the soak found.
pub type Summary = crate::soak::laws::Summary<Law>;

/// Runs the soak. `progress` is called after each program; raising `interrupted` ends it early.
pub fn soak(
    interpreter: &Interpreter,
    request: &Request,
    interrupted: &AtomicBool,
    progress: &(dyn Fn(&Summary) + Sync),
) -> Result<Summary, HarnessError> {
    let reductions = AtomicUsize::new(request.reductions);
    let mut summary = Summary::default();
    let count = request.programs + request.csmith;
    let one = |index: usize| one_program(interpreter, request, index, &reductions);
    each(count, request.threads, interrupted, one, |outcome| {
        summary.add(outcome);
        progress(&summary);
    })?;
    Ok(summary)
}

/// Our own program number `index` of a soak: one without planted undefined behaviour.
pub fn defined_program(soak: u64, index: usize) -> (u64, Origin) {
    own_program(soak, 2 * index)
}

fn one_program(
    interpreter: &Interpreter,
    request: &Request,
    index: usize,
    reductions: &AtomicUsize,
) -> Result<Outcome, HarnessError> {
    let scratch = tempfile::tempdir().map_err(|source| HarnessError::File {
        path: std::env::temp_dir(),
        source,
    })?;
    let path = scratch.path().join("program.c");
    let (seed, origin) = if index < request.programs {
        let (seed, origin) = defined_program(request.seed, index);
        let source = origin.source().unwrap_or_default();
        fs::write(&path, source).map_err(|source| HarnessError::File {
            path: path.clone(),
            source,
        })?;
        (seed, origin)
    } else {
        let seed = seed_of(request.seed, index);
        csmith::write_program(seed, &path)?;
        (seed, Origin::Csmith)
    };
    let (stem, flags) = match origin {
        Origin::Own { .. } => (format!("own-{seed}"), Vec::new()),
        Origin::Csmith => {
            let headers = csmith::header_directory()?;
            let flags = vec![format!("-I{}", headers.display())];
            (format!("csmith-{seed}"), flags)
        }
    };
    let input = origin.input();
    let running = Running::begin(request, &stem, &path)?;
    let outcome = examine(interpreter, &path, &input, &flags)?;
    running.end()?;
    if let Outcome::Checked { findings, .. } = &outcome
        && let Some(first) = findings.violations.first()
    {
        save(request, &stem, &path, &input, findings)?;
        let left = |count: usize| count.checked_sub(1);
        let reduced = reductions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        if let (Ok(_), Origin::Own { trial, .. }) = (reduced, &origin) {
            let candidate = scratch.path().join("candidate.c");
            let small = reduce(&trial.program, request.reduction_tries, &mut |program| {
                fs::write(&candidate, print::program(program)).is_ok()
                    && breaks(interpreter, &candidate, &input, first.law)
            });
            write(
                &request.failures,
                &format!("{stem}.reduced.c"),
                print::program(&small).as_bytes(),
            )?;
        }
    }
    Ok(outcome)
}

fn breaks(interpreter: &Interpreter, source: &Path, input: &Input, law: Law) -> bool {
    match examine(interpreter, source, input, &[]) {
        Ok(Outcome::Checked { findings, .. }) => findings.breaks(law),
        _ => false,
    }
}

/// The copy of a program that is being examined.
struct Running(PathBuf);

impl Running {
    fn begin(request: &Request, stem: &str, source: &Path) -> Result<Running, HarnessError> {
        let path = request.failures.join(format!("running-{stem}.c"));
        fs::create_dir_all(&request.failures)
            .and_then(|()| fs::copy(source, &path))
            .map_err(|source| HarnessError::File {
                path: path.clone(),
                source,
            })?;
        Ok(Running(path))
    }

    fn end(self) -> Result<(), HarnessError> {
        fs::remove_file(&self.0).map_err(|source| HarnessError::File {
            path: self.0,
            source,
        })
    }
}

/// Writes the program, its input and what broke.
fn save(
    request: &Request,
    stem: &str,
    source: &Path,
    input: &Input,
    findings: &Findings,
) -> Result<(), HarnessError> {
    let text = fs::read(source).map_err(|error| HarnessError::File {
        path: source.to_path_buf(),
        source: error,
    })?;
    write(&request.failures, &format!("{stem}.c"), &text)?;
    write(&request.failures, &format!("{stem}.stdin"), &input.stdin)?;
    let mut account = format!(
        "soak seed {}\narguments {:?}\n\n",
        request.seed, input.arguments
    );
    for violation in &findings.violations {
        account.push_str(&format!("{violation}\n"));
    }
    write(
        &request.failures,
        &format!("{stem}.txt"),
        account.as_bytes(),
    )
}
