//! Do the laws hold on thousands of pairs nobody has seen before? Pair `k` is a function of the soak's
//! seed and `k` alone. A pair that breaks a law is written out, and made smaller as long as the same
//! law stays broken. Until a pair is done it stands in the same directory as `running-…`.

use super::bad_solver::BadSolver;
use super::judge::{Command, Judge};
use super::subject::{Pair, examine, pair_of};
use super::wording::Worded;
use super::{Findings, Law, Outcome, Summary};
use crate::against_clang::HarnessError;
use crate::differencing::reduction::reduce_pair;
use crate::soak::Request;
use crate::soak::failure::write;
use crate::soak::workers::each;
use knockon_build::clang::find_clang;
use knockon_logic::solver::installed_solvers;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Runs the soak with the command's verdicts, beside the bad solver if there is one.
pub fn soak(
    request: &Request,
    bad: Option<&BadSolver>,
    interrupted: &AtomicBool,
    progress: &(dyn Fn(&Summary) + Sync),
) -> Result<Summary, HarnessError> {
    let clang = find_clang(None).map_err(|error| HarnessError::Frontend(error.to_string()))?;
    let cache = tempfile::tempdir().map_err(|source| HarnessError::File {
        path: std::env::temp_dir(),
        source,
    })?;
    let next = AtomicUsize::new(0);
    let judge = |directory: &Path| {
        let mut programs = installed_solvers();
        if let Some(bad) = bad {
            // In each place among the others in turn.
            let at = next.fetch_add(1, Ordering::Relaxed) % (programs.len() + 1);
            programs.insert(at, bad.program());
        }
        Command {
            clang: &clang,
            programs,
            cache: cache.path(),
        }
        .judge(directory)
    };
    let mut summary = soak_with(&clang.path, &judge, request, interrupted, progress)?;
    if let Some(bad) = bad {
        let mut findings = Findings::default();
        findings.count(Law::NothingLeft, 1);
        for process in bad.left_over() {
            findings.violated(Law::NothingLeft, "the whole soak".to_owned(), process);
        }
        summary.failing += usize::from(!findings.violations.is_empty());
        summary.findings.add(findings);
    }
    Ok(summary)
}

/// Runs the soak with any judge. `progress` is called after each pair; raising `interrupted` ends it
/// early.
pub fn soak_with(
    clang: &Path,
    judge: &Judge<'_>,
    request: &Request,
    interrupted: &AtomicBool,
    progress: &(dyn Fn(&Summary) + Sync),
) -> Result<Summary, HarnessError> {
    let reductions = AtomicUsize::new(request.reductions);
    let mut summary = Summary::default();
    let one = |index: usize| one_pair(clang, judge, request, index, &reductions);
    each(
        request.programs,
        request.threads,
        interrupted,
        one,
        |outcome| {
            summary.add(outcome);
            progress(&summary);
        },
    )?;
    Ok(summary)
}

fn one_pair(
    clang: &Path,
    judge: &Judge<'_>,
    request: &Request,
    index: usize,
    reductions: &AtomicUsize,
) -> Result<Outcome, HarnessError> {
    let scratch = tempfile::tempdir().map_err(|source| HarnessError::File {
        path: std::env::temp_dir(),
        source,
    })?;
    let pair = pair_of(request.seed, index);
    let stem = format!("equivalence-{}", pair.seed);
    let running = format!("running-{stem}");
    save(request, &running, &pair, "still running\n")?;
    let outcome = examine(clang, judge, &pair, scratch.path())?;
    remove(request, &running)?;
    let Outcome::Checked { findings, .. } = &outcome else {
        return Ok(outcome);
    };
    let Some(first) = findings.violations.first() else {
        return Ok(outcome);
    };
    let account = findings.violations.iter();
    let account: String = account.map(|one| format!("{one}\n")).collect();
    save(request, &stem, &pair, &account)?;
    let left = |count: usize| count.checked_sub(1);
    let is_reduced = reductions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
    if is_reduced.is_ok() {
        let mut breaks = |old: &str, new: &str| {
            let candidate = with_texts(&pair, old, new);
            let examined = examine(clang, judge, &candidate, scratch.path());
            matches!(examined, Ok(Outcome::Checked { findings, .. }) if findings.breaks(first.law))
        };
        let tries = request.reduction_tries;
        let (old, new) = reduce_pair(&pair.old.text, &pair.new.text, tries, &mut breaks);
        let small = with_texts(&pair, &old, &new);
        save(request, &format!("{stem}.reduced"), &small, &account)?;
    }
    Ok(outcome)
}

fn with_texts(pair: &Pair, old: &str, new: &str) -> Pair {
    let worded = |text: &str, worded: &Worded| Worded {
        text: text.to_owned(),
        names: worded.names.clone(),
    };
    Pair {
        old: worded(old, &pair.old),
        new: worded(new, &pair.new),
        ..pair.clone()
    }
}

const PARTS: [&str; 3] = ["old.c", "new.c", "txt"];

fn save(request: &Request, stem: &str, pair: &Pair, account: &str) -> Result<(), HarnessError> {
    let account = format!(
        "soak seed {}\nchange {:?}\n\n{account}",
        request.seed, pair.change
    );
    let contents = [&pair.old.text, &pair.new.text, &account];
    for (part, content) in PARTS.into_iter().zip(contents) {
        write(
            &request.failures,
            &format!("{stem}.{part}"),
            content.as_bytes(),
        )?;
    }
    Ok(())
}

fn remove(request: &Request, stem: &str) -> Result<(), HarnessError> {
    for part in PARTS {
        let path = request.failures.join(format!("{stem}.{part}"));
        std::fs::remove_file(&path).map_err(|source| HarnessError::File { path, source })?;
    }
    Ok(())
}
