//! A session answers as the command does, sees every edit, and can be told to stop.

use knockon_engine::options::{ProgramOptions, ReadOptions, VersionsOptions};
use knockon_engine::queries::diff::{DiffRequest, diff};
use knockon_engine::queries::slice::{SliceRequest, slice};
use knockon_engine::queries::why::{WhyRequest, why};
use knockon_engine::{Caller, Cancellation, EngineError, Event, Events, Session, SessionOptions};
use knockon_report::{DiffReport, SliceDirection, Verdict, to_json};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const OLD: &str = "#include \"limit.h\"\n#include <stdio.h>\n\nstatic int fee(int hours) {\n    return hours * 3;\n}\n\nint main(int argc, char **argv) {\n    (void)argv;\n    int total = fee(argc);\n    if (total > LIMIT)\n        total = LIMIT;\n    printf(\"%d\\n\", total);\n    puts(\"done\");\n    return 0;\n}\n";

fn tree(old: &str, new: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (side, text) in [("old", old), ("new", new)] {
        let root = directory.path().join(side);
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("fee.c"), text).unwrap();
        std::fs::write(root.join("limit.h"), "#define LIMIT 10\n").unwrap();
    }
    directory
}

fn versions() -> VersionsOptions {
    VersionsOptions {
        old: Some("path:old".to_owned()),
        new: Some("path:new".to_owned()),
        reading: reading(),
        ..VersionsOptions::default()
    }
}

fn reading() -> ReadOptions {
    ReadOptions {
        jobs: Some(1),
        no_cache: true,
        ..ReadOptions::default()
    }
}

fn session_in(directory: &Path) -> Session {
    Session::new(SessionOptions::of(directory))
}

/// The answer, and whether the inputs were known.
fn asked(session: &Session, request: &DiffRequest) -> (Arc<DiffReport>, bool) {
    let mut was_warm = false;
    let mut hear = |event| {
        if let Event::Inputs { is_warm, .. } = event {
            was_warm = is_warm;
        }
    };
    let report = session.diff(request, &Cancellation::new(), &mut hear);
    (report.unwrap(), was_warm)
}

fn verdict(report: &DiffReport, line: u32) -> Option<Verdict> {
    let mut rows = report.lines.iter();
    let row = rows.find(|row| &*row.file == "fee.c" && row.line == line);
    row.map(|row| row.verdict)
}

/// The same options as a session makes of them.
fn seen_from(directory: &Path, mut request: DiffRequest) -> DiffRequest {
    request.versions.reading.directory = directory.to_owned();
    request
}

#[test]
fn answers_are_those_of_the_queries() {
    let directory = tree(OLD, &OLD.replace("* 3", "* 4"));
    let session = session_in(directory.path());
    let cancellation = Cancellation::new();
    let caller = Caller {
        cancellation: &cancellation,
        events: Events::ignored(),
    };
    let request = DiffRequest::of(versions());
    let direct = seen_from(directory.path(), request.clone());
    let (report, _) = asked(&session, &request);
    let expected = diff(&direct, caller).unwrap();
    assert_eq!(to_json(&*report).unwrap(), to_json(&expected).unwrap());

    let place = "fee.c:13";
    let request = WhyRequest {
        place: place.to_owned(),
        diff: request,
    };
    let found = session.why(&request, &cancellation, &mut |_| {}).unwrap();
    let direct = WhyRequest {
        place: place.to_owned(),
        diff: direct,
    };
    let expected = why(&direct, caller).unwrap();
    assert_eq!(to_json(&found).unwrap(), to_json(&expected).unwrap());

    let mut request = SliceRequest {
        program: ProgramOptions {
            program: "path:new".to_owned(),
            reading: reading(),
        },
        place: "fee.c:5".to_owned(),
        direction: SliceDirection::Forward,
        run: None,
    };
    for _ in 0..2 {
        let found = session.slice(&request, &cancellation, &mut |_| {}).unwrap();
        let mut direct = request.clone();
        direct.program.reading.directory = directory.path().to_owned();
        let expected = slice(&direct, caller).unwrap();
        assert_eq!(to_json(&found).unwrap(), to_json(&expected).unwrap());
        request.direction = SliceDirection::Backward;
    }
}

#[test]
fn an_edit_between_two_questions_is_seen() {
    let directory = tree(OLD, OLD);
    let session = session_in(directory.path());
    let request = DiffRequest::of(versions());
    let new = directory.path().join("new");
    let changed = |line| verdict(&asked(&session, &request).0, line) == Some(Verdict::Changed);
    assert!(!changed(5));
    // Of the same size, and at once.
    std::fs::write(new.join("fee.c"), OLD.replace("* 3", "* 4")).unwrap();
    assert!(changed(5));
    std::fs::write(new.join("fee.c"), OLD).unwrap();
    assert!(!changed(5));
    // A header, and one that hides another.
    std::fs::write(new.join("limit.h"), "#define LIMIT 12\n").unwrap();
    assert_eq!(
        verdict(&asked(&session, &request).0, 11),
        Some(Verdict::Possible)
    );
    std::fs::write(new.join("limit.h"), "#define LIMIT 10\n").unwrap();
    assert_eq!(
        verdict(&asked(&session, &request).0, 11),
        Some(Verdict::Unaffected)
    );
    // A file that is new, and one that is gone.
    std::fs::write(new.join("more.c"), "int more(void) { return 1; }\n").unwrap();
    let (report, _) = asked(&session, &request);
    assert!(report.lines.iter().any(|row| &*row.file == "more.c"));
    std::fs::remove_file(new.join("more.c")).unwrap();
    let (report, _) = asked(&session, &request);
    assert!(report.lines.iter().all(|row| &*row.file != "more.c"));
}

#[test]
fn what_is_only_touched_stays_known() {
    let directory = tree(OLD, &OLD.replace("* 3", "* 4"));
    let session = session_in(directory.path());
    let request = DiffRequest::of(versions());
    let (first, was_warm) = asked(&session, &request);
    assert!(!was_warm);
    let (second, was_warm) = asked(&session, &request);
    assert!(was_warm && Arc::ptr_eq(&first, &second));
    let path = directory.path().join("new/fee.c");
    std::fs::write(&path, OLD.replace("* 3", "* 4")).unwrap();
    let (third, was_warm) = asked(&session, &request);
    assert!(was_warm && Arc::ptr_eq(&first, &third));
}

#[test]
fn a_commit_between_two_questions_is_seen() {
    let directory = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let status = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b.c"])
            .args(arguments)
            .current_dir(directory.path())
            .output()
            .unwrap();
        assert!(status.status.success(), "{arguments:?}");
    };
    let write = |text: &str| std::fs::write(directory.path().join("fee.c"), text).unwrap();
    let text = OLD.replace("#include \"limit.h\"", "#define LIMIT 10");
    git(&["init", "-q"]);
    write(&text);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    write(&text.replace("* 3", "* 4"));
    let session = session_in(directory.path());
    let request = DiffRequest::of(VersionsOptions {
        reading: reading(),
        ..VersionsOptions::default()
    });
    let (report, _) = asked(&session, &request);
    assert_eq!(verdict(&report, 5), Some(Verdict::Changed));
    assert!(asked(&session, &request).1, "nothing happened");
    git(&["add", "."]);
    git(&["commit", "-qm", "two"]);
    let (report, was_warm) = asked(&session, &request);
    assert!(!was_warm);
    assert_eq!(verdict(&report, 5), Some(Verdict::Unaffected));
}

#[test]
fn a_cancelled_question_returns_at_once_and_the_session_answers_afterwards() {
    // Many functions that differ take the solvers a while.
    let function = |number: usize, factor: usize| {
        format!(
            "unsigned f{number}(unsigned x, unsigned y) {{\n    unsigned s = 0;\n    for (unsigned i = 0; i < y; i++) s += (x * {factor} + i) * (x ^ i) % (y + {number});\n    return s;\n}}\n"
        )
    };
    let text = |factor| -> String { (1..60).map(|number| function(number, factor)).collect() };
    let directory = tree(&text(3), &text(5));
    let session = Arc::new(session_in(directory.path()));
    let request = DiffRequest::of(versions());
    let cancellation = Cancellation::new();
    let asking = {
        let (session, request, sign) = (session.clone(), request.clone(), cancellation.clone());
        std::thread::spawn(move || {
            let answer = session.diff(&request, &sign, &mut |_| {});
            (answer, Instant::now())
        })
    };
    std::thread::sleep(Duration::from_millis(400));
    let cancelled = Instant::now();
    cancellation.cancel();
    let (answer, returned) = asking.join().unwrap();
    assert!(matches!(answer, Err(EngineError::Cancelled)), "{answer:?}");
    let took = returned.duration_since(cancelled);
    assert!(took < Duration::from_millis(100), "{took:?}");
    let quick = DiffRequest {
        budget: Duration::ZERO,
        ..request
    };
    let (report, _) = asked(&session, &quick);
    assert!(report.complete);
    assert!(
        report
            .lines
            .iter()
            .any(|row| row.verdict == Verdict::Changed)
    );
}
