//! Do the laws hold on thousands of pairs nobody has seen before? Pair `k` is a function of the
//! soak's seed and `k` alone. A pair that breaks a law is written out with its input, its edits and
//! what broke, and made smaller as long as the same law stays broken. Until a pair is done it stands
//! in the same directory as `running-…`: there it stays when an analysis does not end or breaks. A
//! pair that takes far longer than the budgets of all its analyses breaks a law too.

use super::claims::Analysis;
use super::subject::{Outcome, examine};
use super::{Findings, Law, reduction};
use crate::against_clang::HarnessError;
use crate::against_clang::interpreted::Interpreter;
use crate::edits::textual::textual_pair;
use crate::edits::{PairProgram, own_pair};
use crate::soak::failure::write;
use crate::soak::workers::each;
use crate::soak::{Request, csmith, seed_of};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Most pairs take a second. Budgets are seconds too, so this is beyond what a busy machine explains.
const MOST_TIME: Duration = Duration::from_secs(180);

/// Observed runs of both versions of most programs end far below it.
pub const STEP_LIMIT: u64 = 3_000_000;

/// What the soak found.
pub type Summary = crate::soak::laws::Summary<Law>;

/// Runs the soak. `progress` is called after each pair; raising `interrupted` ends it early.
pub fn soak(
    interpreter: &Interpreter,
    analysis: Analysis,
    request: &Request,
    interrupted: &AtomicBool,
    progress: &(dyn Fn(&Summary) + Sync),
) -> Result<Summary, HarnessError> {
    let reductions = AtomicUsize::new(request.reductions);
    let mut summary = Summary::default();
    let count = request.programs + request.csmith;
    let one = |index: usize| one_pair(interpreter, analysis, request, index, &reductions);
    each(count, request.threads, interrupted, one, |outcome| {
        summary.add(outcome);
        progress(&summary);
    })?;
    Ok(summary)
}

/// Pair number `index` of a soak, what it is called, and the flags it needs.
pub fn pair_of(
    request: &Request,
    index: usize,
    scratch: &Path,
) -> Result<(String, PairProgram, Vec<String>), HarnessError> {
    if index < request.programs {
        let (seed, pair) = own_pair(request.seed, index);
        return Ok((format!("own-{seed}"), pair, Vec::new()));
    }
    let seed = seed_of(request.seed, index);
    let path = scratch.join("csmith.c");
    csmith::write_program(seed, &path)?;
    let text = fs::read_to_string(&path).map_err(|source| HarnessError::File { path, source })?;
    let flags = vec![format!("-I{}", csmith::header_directory()?.display())];
    Ok((format!("csmith-{seed}"), textual_pair(&text, seed), flags))
}

fn one_pair(
    interpreter: &Interpreter,
    analysis: Analysis,
    request: &Request,
    index: usize,
    reductions: &AtomicUsize,
) -> Result<Outcome, HarnessError> {
    let scratch = tempfile::tempdir().map_err(|source| HarnessError::File {
        path: std::env::temp_dir(),
        source,
    })?;
    let (stem, pair, flags) = pair_of(request, index, scratch.path())?;
    let running = format!("running-{stem}");
    save(request, &running, &pair, "still running\n")?;
    let begin = Instant::now();
    let mut outcome = examine(interpreter, analysis, &pair, &flags, scratch.path())?;
    remove(request, &running)?;
    if let Outcome::Checked { findings, .. } = &mut outcome {
        hold_to_time(findings, begin.elapsed());
    }
    if let Outcome::Checked {
        findings,
        no_evidence,
    } = &outcome
        && let Some(first) = findings.violations.first()
    {
        let evidence = no_evidence.is_empty();
        let violations = findings.violations.iter();
        let account: String = violations.map(|one| format!("{one}\n")).collect();
        save(request, &stem, &pair, &account)?;
        let left = |count: usize| count.checked_sub(1);
        let reduced = reductions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        // Each try at one that takes minutes would take minutes.
        if first.law != Law::Time && reduced.is_ok() {
            let mut breaks = |old: &str, new: &str| {
                let candidate = PairProgram {
                    old: old.to_string(),
                    new: new.to_string(),
                    ..pair.clone()
                };
                let law = first.law;
                let examined = examine(interpreter, analysis, &candidate, &flags, scratch.path());
                // What no longer runs means nothing, whatever is claimed of it.
                matches!(examined, Ok(Outcome::Checked { findings, no_evidence })
                    if (no_evidence.is_empty() || !evidence) && findings.breaks(law))
            };
            let tries = request.reduction_tries;
            let (old, new) = reduction::reduce_pair(&pair.old, &pair.new, tries, &mut breaks);
            let small = PairProgram { old, new, ..pair };
            save(request, &format!("{stem}.reduced"), &small, &account)?;
        }
    }
    Ok(outcome)
}

fn hold_to_time(findings: &mut Findings, taken: Duration) {
    findings.count(Law::Time, 1);
    if taken > MOST_TIME {
        let message = format!("took {} s", taken.as_secs());
        findings.violated(Law::Time, "the pair".to_owned(), message);
    }
}

const PARTS: [&str; 4] = ["old.c", "new.c", "stdin", "txt"];

/// Writes both versions, the input and what broke.
fn save(
    request: &Request,
    stem: &str,
    pair: &PairProgram,
    account: &str,
) -> Result<(), HarnessError> {
    let (stdin, arguments) = match pair.inputs.first() {
        Some(input) => (input.stdin.clone(), input.arguments.clone()),
        None => (Vec::new(), Vec::new()),
    };
    let account = format!(
        "soak seed {}\narguments {arguments:?}\nedits {:?}\ninputs {:?}\n\n{account}",
        request.seed, pair.edits, pair.inputs
    );
    let contents = [
        pair.old.as_bytes(),
        pair.new.as_bytes(),
        &stdin,
        account.as_bytes(),
    ];
    for (part, content) in PARTS.into_iter().zip(contents) {
        write(&request.failures, &format!("{stem}.{part}"), content)?;
    }
    Ok(())
}

fn remove(request: &Request, stem: &str) -> Result<(), HarnessError> {
    for part in PARTS {
        let path = request.failures.join(format!("{stem}.{part}"));
        fs::remove_file(&path).map_err(|source| HarnessError::File { path, source })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_that_takes_minutes_breaks_a_law() {
        let mut findings = Findings::default();
        hold_to_time(&mut findings, Duration::from_secs(3));
        assert!(findings.violations.is_empty());
        hold_to_time(&mut findings, MOST_TIME + Duration::from_secs(1));
        assert!(findings.breaks(Law::Time));
        assert_eq!(findings.checked[&Law::Time], 2);
    }
}
