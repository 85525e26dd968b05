//! Does the interpreter agree with clang on thousands of programs nobody has seen before? Program
//! `k` of a soak is a function of the soak's seed and `k` alone, whatever thread makes it; half of
//! our own carry planted undefined behaviour. Failures are written out, our own ones also reduced.

pub mod csmith;
mod examination;
pub(crate) mod failure;
pub mod generator_check;
pub mod laws;
mod summary;
pub(crate) mod workers;

pub use examination::{Bench, Examination};
pub use summary::Summary;

use crate::against_clang::agreement::Agreement;
use crate::against_clang::{HarnessError, Input};
use crate::generator::{Shape, Trial, Undefined, generate};
use crate::random::Random;
use failure::Failure;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What to soak.
#[derive(Clone, Debug)]
pub struct Request {
    /// Programs, or pairs, of our own generator.
    pub programs: usize,
    /// Programs of csmith.
    pub csmith: usize,
    pub seed: u64,
    pub threads: usize,
    /// Where failing programs are written.
    pub failures: PathBuf,
    /// How many failures are reduced; what breaks often breaks alike.
    pub reductions: usize,
    /// How many candidates reducing one failure may try.
    pub reduction_tries: usize,
}

/// Where a program comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    Own {
        trial: Box<Trial>,
        undefined: Option<Undefined>,
    },
    Csmith,
}

impl Origin {
    pub fn input(&self) -> Input {
        match self {
            Origin::Own { trial, .. } => trial.input(),
            Origin::Csmith => Input::default(),
        }
    }

    /// The text of one of our own.
    pub fn source(&self) -> Option<String> {
        match self {
            Origin::Own { trial, .. } => Some(trial.source()),
            Origin::Csmith => None,
        }
    }
}

/// The seed of program `index`.
pub fn seed_of(soak: u64, index: usize) -> u64 {
    Random::new(soak ^ (index as u64).wrapping_mul(0xd134_2543_de82_ef95)).bits()
}

/// Our own program number `index`: every second one has planted undefined behaviour, each kind in
/// turn.
pub fn own_program(soak: u64, index: usize) -> (u64, Origin) {
    let seed = seed_of(soak, index);
    let kinds = Undefined::ALL;
    let undefined = (index % 2 == 1).then(|| kinds[index / 2 % kinds.len()]);
    let shape = Shape::any(&mut Random::new(seed)).with_undefined(undefined);
    (
        seed,
        Origin::Own {
            trial: Box::new(generate(seed, &shape)),
            undefined,
        },
    )
}

/// Runs the soak. `progress` is called after each program; raising `interrupted` ends it early.
pub fn soak(
    bench: &Bench,
    request: &Request,
    interrupted: &AtomicBool,
    progress: &(dyn Fn(&Summary) + Sync),
) -> Result<Summary, HarnessError> {
    let csmith_decided = AtomicUsize::new(0);
    let reductions = AtomicUsize::new(request.reductions);
    let mut summary = Summary::default();
    // Programs that end too late are replaced, but not for ever.
    let most = request.programs + 3 * request.csmith;
    let one = |index: usize| {
        let own = index < request.programs;
        if !own && csmith_decided.load(Ordering::Relaxed) >= request.csmith {
            return Ok(None);
        }
        let examined = one_program(bench, request, index, &reductions)?;
        let undecided = matches!(
            examined.agreement,
            Agreement::NoOracle(_) | Agreement::StepLimit
        );
        if !own && !undecided {
            csmith_decided.fetch_add(1, Ordering::Relaxed);
        }
        Ok(Some((own, examined)))
    };
    workers::each(most, request.threads, interrupted, one, |done| {
        if let Some((own, examined)) = done {
            summary.add(own, &examined);
            progress(&summary);
        }
    })?;
    Ok(summary)
}

/// A lock whose data stays usable after a panic elsewhere.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn one_program(
    bench: &Bench,
    request: &Request,
    index: usize,
    reductions: &AtomicUsize,
) -> Result<Examination, HarnessError> {
    let scratch = tempfile::tempdir().map_err(|source| HarnessError::File {
        path: std::env::temp_dir(),
        source,
    })?;
    let path = scratch.path().join("program.c");
    let (seed, origin) = if index < request.programs {
        let (seed, origin) = own_program(request.seed, index);
        if let Some(source) = origin.source() {
            std::fs::write(&path, source).map_err(|source| HarnessError::File {
                path: path.clone(),
                source,
            })?;
        }
        (seed, origin)
    } else {
        let seed = seed_of(request.seed, index);
        csmith::write_program(seed, &path)?;
        (seed, Origin::Csmith)
    };
    let examined = bench.examine(&path, &origin)?;
    if let Agreement::Different(reason) = &examined.agreement {
        let failure = Failure {
            seed,
            source: &path,
            origin: &origin,
            examined: &examined,
            reason,
        };
        failure::save(request, &failure)?;
        let left = |count: usize| count.checked_sub(1);
        let reduce = reductions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        if reduce.is_ok() {
            failure::save_reduced(bench, request, &failure)?;
        }
    }
    Ok(examined)
}
