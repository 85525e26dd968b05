//! The laws of verdicts on fixed pairs of functions; `knockon-trials soak equivalence` takes fresh
//! ones by the thousand.

use knockon_report::EquivVerdict;
use knockon_trials::against_clang::HarnessError;
use knockon_trials::equivalence::bad_solver::BadSolver;
use knockon_trials::equivalence::judge::Judgement;
use knockon_trials::equivalence::soak::{soak, soak_with};
use knockon_trials::equivalence::subject::pair_of;
use knockon_trials::equivalence::{Law, Summary};
use knockon_trials::soak::Request;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn request(pairs: usize, seed: u64, failures: &Path) -> Request {
    Request {
        programs: pairs,
        csmith: 0,
        seed,
        threads: 2,
        failures: failures.to_path_buf(),
        reductions: 0,
        reduction_tries: 0,
    }
}

/// The whole soak of a judge that says the same of all.
fn of_judge(verdict: EquivVerdict) -> Summary {
    let clang = knockon_build::clang::find_clang(None).unwrap();
    let failures = tempfile::tempdir().unwrap();
    let judge = |_: &Path| -> Result<Judgement, HarnessError> {
        Ok(Judgement {
            verdict,
            reasons: vec!["so it is".to_owned()],
            example: None,
            time: Duration::ZERO,
        })
    };
    let request = request(12, 3, failures.path());
    let never = AtomicBool::new(false);
    let summary = soak_with(&clang.path, &judge, &request, &never, &|_| {}).unwrap();
    let written = std::fs::read_dir(failures.path()).unwrap().count();
    assert_eq!(written, 3 * summary.failing);
    summary
}

fn broken(summary: &Summary, law: Law) -> usize {
    let violations = summary.findings.violations.iter();
    violations.filter(|violation| violation.law == law).count()
}

#[test]
fn a_judge_who_calls_all_equivalent_is_caught() {
    let summary = of_judge(EquivVerdict::Equivalent);
    let seen = summary
        .findings
        .tallied("changed, seen to differ: equivalent");
    assert!(seen >= 2, "{summary}");
    assert_eq!(broken(&summary, Law::Equivalent), seen);
    assert_eq!(broken(&summary, Law::Wording), 0);
}

#[test]
fn a_judge_who_calls_all_different_is_caught() {
    let summary = of_judge(EquivVerdict::Different);
    assert!(broken(&summary, Law::Rewritten) >= 4, "{summary}");
    assert!(broken(&summary, Law::Different) >= 4, "{summary}");
}

#[test]
fn a_judge_who_calls_all_unknown_breaks_no_law() {
    assert_eq!(of_judge(EquivVerdict::Unknown).failing, 0);
}

#[test]
fn verdicts_are_right_on_fixed_pairs() {
    let failures = tempfile::tempdir().unwrap();
    let never = AtomicBool::new(false);
    let summary = soak(&request(16, 7, failures.path()), None, &never, &|_| {}).unwrap();
    assert_eq!(summary.failing, 0, "{summary}");
    let equivalent = summary.findings.tallied("rewritten: equivalent");
    assert!(equivalent >= 3, "{summary}");
}

#[test]
fn a_bad_solver_beside_honest_ones_makes_no_verdict_wrong_and_leaves_nothing() {
    let failures = tempfile::tempdir().unwrap();
    let bad = BadSolver::new(Path::new(env!("CARGO_BIN_EXE_knockon-trials"))).unwrap();
    let never = AtomicBool::new(false);
    let summary = soak(
        &request(8, 11, failures.path()),
        Some(&bad),
        &never,
        &|_| {},
    )
    .unwrap();
    assert_eq!(summary.failing, 0, "{summary}");
    assert_eq!(summary.findings.checked[&Law::NothingLeft], 1);
}

#[test]
fn a_number_gives_the_same_pair_and_half_are_changed() {
    for index in 0..20 {
        let (one, two) = (pair_of(5, index), pair_of(5, index));
        assert_eq!(one.old.text, two.old.text);
        assert_eq!(one.new.text, two.new.text);
        assert_eq!(one.change.is_some(), index % 2 == 1);
    }
}
