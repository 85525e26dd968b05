//! Equal trees are equal in any layout of sources and build, on fixed random programs;
//! `knockon-trials soak layouts` takes fresh ones by the hundred.

use knockon_trials::layouts::Law;
use knockon_trials::layouts::soak::soak;
use knockon_trials::soak::Request;
use knockon_trials::soak::laws::Summary;
use knockon_trials::unseen::trees::Knockon;
use std::sync::atomic::AtomicBool;

fn soak_of(knockon: &Knockon, programs: usize) -> Summary<Law> {
    let failures = tempfile::tempdir().unwrap();
    let request = Request {
        programs,
        csmith: 0,
        seed: 11,
        threads: 3,
        failures: failures.path().to_path_buf(),
        reductions: 0,
        reduction_tries: 0,
    };
    let never = AtomicBool::new(false);
    let summary = soak(knockon, &request, &never, &|_| {}).unwrap();
    let written = std::fs::read_dir(failures.path()).unwrap().count();
    assert_eq!(written, summary.failing);
    summary
}

#[test]
fn where_a_build_runs_and_how_it_names_its_files_does_not_matter() {
    let knockon = Knockon {
        program: env!("CARGO_BIN_EXE_knockon-trials").into(),
        arguments: vec!["knockon".to_owned()],
    };
    let summary = soak_of(&knockon, 12);
    let violations = &summary.findings.violations;
    assert!(violations.is_empty(), "{violations:#?}\n{summary}");
    for law in [Law::Clean, Law::Seen, Law::Revisions] {
        assert_eq!(summary.findings.checked.get(&law), Some(&12), "{summary}");
    }
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
fn a_command_that_sees_an_edit_everywhere_or_nowhere_is_caught() {
    let line = |verdict: &str, number: u32| {
        format!("{{\"file\":\"main.c\",\"line\":{number},\"verdict\":\"{verdict}\"}}")
    };
    for (verdict, law) in [("possible", Law::Clean), ("unaffected", Law::Seen)] {
        let lines: Vec<String> = (1..5).map(|number| line(verdict, number)).collect();
        let report = format!("{{\"lines\":[{}],\"output\":\"equal\"}}", lines.join(","));
        let summary = soak_of(&fake(&format!("echo '{report}'")), 3);
        assert!(summary.findings.breaks(law), "{verdict}: {summary}");
    }
    let summary = soak_of(&fake("echo no >&2; exit 2"), 2);
    assert!(summary.findings.breaks(Law::Ends), "{summary}");
}
