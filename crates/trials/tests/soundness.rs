//! The analyses against runs of fixed programs; `knockon-trials soak soundness` takes fresh ones by
//! the thousand.

use knockon_interpreter::{Exit, RunInput};
use knockon_trials::against_clang::Input;
use knockon_trials::against_clang::interpreted::Interpreter;
use knockon_trials::soak::{Bench, Origin, csmith};
use knockon_trials::soundness::soak::{STEP_LIMIT, Summary, defined_program};
use knockon_trials::soundness::subject::{Outcome, examine};
use knockon_trials::soundness::{Analyses, Law, check};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

fn interpreter() -> Interpreter {
    Interpreter {
        step_limit: STEP_LIMIT,
        ..Bench::find().unwrap().interpreter
    }
}

/// All outcomes of `count` trials, on two threads.
fn summary(
    count: usize,
    trial: impl Fn(&Interpreter, usize) -> (String, Outcome) + Sync,
) -> Summary {
    let (interpreter, next) = (interpreter(), AtomicUsize::new(0));
    let outcomes: Vec<(String, Outcome)> = std::thread::scope(|scope| {
        let work = || {
            let mut outcomes = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return outcomes;
                }
                outcomes.push(trial(&interpreter, index));
            }
        };
        let threads = [scope.spawn(work), scope.spawn(work)];
        let joined = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap());
        joined.collect()
    });
    let mut summary = Summary::default();
    for (name, outcome) in outcomes {
        if let Outcome::Checked { findings, .. } = &outcome {
            let broken: Vec<String> = findings
                .violations
                .iter()
                .map(ToString::to_string)
                .collect();
            assert!(broken.is_empty(), "{name}:\n{}", broken.join("\n"));
        }
        summary.add(outcome);
    }
    summary
}

fn examined(interpreter: &Interpreter, path: &Path, input: &Input, flags: &[String]) -> Outcome {
    examine(interpreter, path, input, flags).unwrap()
}

#[test]
fn analyses_allow_what_random_programs_do() {
    let summary = summary(50, |interpreter, index| {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("program.c");
        let (seed, origin) = defined_program(3, index);
        std::fs::write(&path, origin.source().unwrap()).unwrap();
        let outcome = examined(interpreter, &path, &origin.input(), &[]);
        (format!("program {index} (seed {seed})"), outcome)
    });
    assert_eq!(summary.checked, 50, "{summary}");
    for law in [
        Law::Callees,
        Law::ExecuteAfter,
        Law::PointsTo,
        Law::LibraryEffects,
    ] {
        assert!(summary.findings.checked[&law] > 500, "{summary}");
    }
}

#[test]
fn analyses_allow_what_csmith_s_programs_do() {
    let flags = vec![format!(
        "-I{}",
        csmith::header_directory().unwrap().display()
    )];
    let summary = summary(8, |interpreter, index| {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("program.c");
        csmith::write_program(index as u64, &path).unwrap();
        let outcome = examined(interpreter, &path, &Origin::Csmith.input(), &flags);
        (format!("csmith {index}"), outcome)
    });
    assert!(summary.checked >= 6, "{summary}");
}

/// The interpreter's own fixtures: the corners of the language and of the library.
#[test]
fn analyses_allow_what_the_fixtures_do() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../interpreter/tests/fixtures");
    let mut fixtures: Vec<PathBuf> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    fixtures.sort();
    let input = Input {
        arguments: vec!["1".to_string()],
        stdin: b"12 3.5 word x rest of line\nsecond line\n77 abc 0x1f tail\nlast".to_vec(),
    };
    let summary = summary(fixtures.len(), |interpreter, index| {
        let path = &fixtures[index];
        let outcome = examined(interpreter, path, &input, &[]);
        (path.display().to_string(), outcome)
    });
    assert!(summary.checked >= 10, "{summary}");
}

/// The laws are able to fail: what one program does is not what the analyses of another allow.
#[test]
fn each_law_is_broken_by_the_analyses_of_another_program() {
    let source = |target: &str, function: &str| {
        format!(
            "#include <string.h>
static int x, y;
static int *p = &{target};
int one(void) {{ return 1; }}
int two(void) {{ return 2; }}
static int (*chosen)(void) = {function};
static void set(void) {{ *p = 3; }}
int main(void) {{
    int before = x + y;
    *p = 5;
    memset(p, 0, sizeof x);
    int between = x + y;
    set();
    return chosen() + before + between + x + y - 4;
}}
"
        )
    };
    let interpreter = interpreter();
    let read = |text: String| {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("program.c");
        std::fs::write(&path, text).unwrap();
        let mut program = interpreter.read(&path, &[]).unwrap().unwrap();
        knockon_graphs::promote(&mut program);
        program
    };
    let (program, other) = (read(source("x", "one")), read(source("y", "two")));
    let input = RunInput {
        trace: true,
        ..RunInput::default()
    };
    let run = knockon_interpreter::run(&program, &input);
    assert_eq!(run.exit, Exit::Returned(0));
    let trace = run.trace.unwrap();
    let own = check(&program, &Analyses::of(&program), &trace);
    assert_eq!(own.violations, []);
    let strange = check(&program, &Analyses::of(&other), &trace);
    let broken: BTreeSet<Law> = strange.violations.iter().map(|row| row.law).collect();
    assert_eq!(
        broken.into_iter().collect::<Vec<_>>(),
        [
            Law::Callees,
            Law::ExecuteAfter,
            Law::PointsTo,
            Law::LibraryEffects,
            Law::Regions,
            Law::ModRef,
            Law::MemorySsa,
        ]
    );
}
