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
use crate::soak::{Origin, csmith, lock, own_program, seed_of};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A traced run takes some ten times as long per instruction.
pub const STEP_LIMIT: u64 = 20_000_000;

/// What to soak.
#[derive(Clone, Debug)]
pub struct Request {
    pub programs: usize,
    pub csmith: usize,
    pub seed: u64,
    pub threads: usize,
    /// Where failing programs are written.
    pub failures: PathBuf,
    /// How many failing programs are made smaller.
    pub reductions: usize,
    pub reduction_tries: usize,
}

/// What the soak found.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub programs: usize,
    /// Programs whose runs were evidence.
    pub checked: usize,
    pub findings: Findings,
    pub failing: usize,
    /// Why runs were no evidence.
    pub skipped: BTreeMap<String, usize>,
}

impl Summary {
    pub fn add(&mut self, outcome: Outcome) {
        self.programs += 1;
        match outcome {
            Outcome::Checked(findings) => {
                self.checked += 1;
                self.failing += usize::from(!findings.violations.is_empty());
                self.findings.add(findings);
            }
            Outcome::Skipped(reason) => *self.skipped.entry(reason).or_default() += 1,
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{} programs, {} with runs that are evidence, {} break a law",
            self.programs, self.checked, self.failing
        )?;
        let mut broken: BTreeMap<Law, usize> = BTreeMap::new();
        for violation in &self.findings.violations {
            *broken.entry(violation.law).or_default() += 1;
        }
        writeln!(
            formatter,
            "\n{:<18} {:>12} {:>10}",
            "law", "checked", "violated"
        )?;
        for (law, checked) in &self.findings.checked {
            let violated = broken.get(law).unwrap_or(&0);
            writeln!(
                formatter,
                "{:<18} {checked:>12} {violated:>10}",
                law.to_string()
            )?;
        }
        if !self.skipped.is_empty() {
            writeln!(formatter, "\nno evidence")?;
        }
        for (reason, count) in &self.skipped {
            writeln!(formatter, "{count:>6}  {reason}")?;
        }
        Ok(())
    }
}

/// Runs the soak. `progress` is called after each program; raising `interrupted` ends it early.
pub fn soak(
    interpreter: &Interpreter,
    request: &Request,
    interrupted: &AtomicBool,
    progress: &(dyn Fn(&Summary) + Sync),
) -> Result<Summary, HarnessError> {
    let next = AtomicUsize::new(0);
    let reductions = AtomicUsize::new(request.reductions);
    let summary = Mutex::new(Summary::default());
    let error = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..request.threads.max(1) {
            scope.spawn(|| {
                while !interrupted.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= request.programs + request.csmith {
                        return;
                    }
                    match one_program(interpreter, request, index, &reductions) {
                        Ok(outcome) => {
                            let mut summary = lock(&summary);
                            summary.add(outcome);
                            progress(&summary);
                        }
                        Err(problem) => {
                            *lock(&error) = Some(problem);
                            interrupted.store(true, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    match lock(&error).take() {
        Some(problem) => Err(problem),
        None => Ok(std::mem::take(&mut *lock(&summary))),
    }
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
    if let Outcome::Checked(findings) = &outcome
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
        Ok(Outcome::Checked(findings)) => (findings.violations.iter()).any(|one| one.law == law),
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
