//! What the IR does not show counts, on fixed random projects; `knockon-trials soak unseen` takes
//! fresh ones by the thousand.

use knockon_trials::soak::Request;
use knockon_trials::unseen::Law;
use knockon_trials::unseen::soak::{Soaked, soak};
use knockon_trials::unseen::trees::Knockon;
use std::sync::atomic::AtomicBool;

fn soak_of(knockon: &Knockon, pairs: usize) -> Soaked {
    let failures = tempfile::tempdir().unwrap();
    let request = Request {
        programs: pairs,
        csmith: 0,
        seed: 7,
        threads: 3,
        failures: failures.path().to_path_buf(),
        reductions: 0,
        reduction_tries: 0,
    };
    let never = AtomicBool::new(false);
    let soaked = soak(knockon, &[], &request, &never, &|_| {}).unwrap();
    let written = std::fs::read_dir(failures.path()).unwrap().count();
    assert_eq!(written, 2 * soaked.summary.failing);
    soaked
}

#[test]
fn what_differs_outside_of_the_ir_is_never_unaffected() {
    let knockon = Knockon {
        program: env!("CARGO_BIN_EXE_knockon-trials").into(),
        arguments: vec!["knockon".to_owned()],
    };
    let Soaked { summary, table } = soak_of(&knockon, 25);
    let violations = &summary.findings.violations;
    assert!(violations.is_empty(), "{violations:#?}\n{summary}");
    assert!(summary.checked >= 20, "{summary}");
    assert!(summary.evidence + 2 >= summary.checked, "{summary}");
    let differing = summary
        .findings
        .tallied("pairs of versions that print different things");
    assert!(differing >= 10, "{summary}");
    let text = table.text(25, 7, &[]);
    assert!(text.contains(&format!("| all | {} |", summary.checked)));
}

/// A command that builds what it is told to, and then does this.
fn fake(script: &str) -> Knockon {
    let script = format!("case $1 in capture) shift 2; exec \"$@\";; esac; {script}");
    Knockon {
        program: "sh".into(),
        arguments: vec!["-c".to_owned(), script, "sh".to_owned()],
    }
}

#[test]
fn a_command_that_says_nothing_of_any_line_is_caught() {
    let Soaked { summary, .. } = soak_of(&fake("echo '{\"lines\":[],\"output\":\"equal\"}'"), 8);
    let findings = &summary.findings;
    let differing = findings.tallied("pairs of versions that print different things");
    assert!(differing >= 3, "{summary}");
    assert_eq!(summary.failing, differing, "{summary}");
    assert!(findings.breaks(Law::Listed) && findings.breaks(Law::Output));
}

#[test]
fn a_command_that_breaks_is_caught_and_one_that_refuses_is_counted() {
    let Soaked { summary, .. } = soak_of(&fake("echo panicked >&2; exit 101"), 3);
    assert!(summary.checked > 0, "{summary}");
    assert_eq!(summary.failing, summary.checked, "{summary}");
    let Soaked { summary, .. } = soak_of(&fake("echo no >&2; exit 2"), 3);
    assert_eq!((summary.failing, summary.evidence), (0, 0), "{summary}");
    assert!(summary.checked > 0, "{summary}");
}
