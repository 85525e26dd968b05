//! Every claim about what a change reaches is a fixture: its name is the claim, its markers are the
//! expectation, and they are complete. See `marked_fixture` for the markers. Each fixture is a test by its
//! name, so that one can be run alone: `cargo test -p knockon --test impact_fixtures NAME`.

mod marked_fixture;

use knockon_engine::budget::Budget;
use knockon_engine::levels::Level;
use knockon_engine::levels::{DiffOptions, MAX_KEPT_INSTRUCTIONS};
use knockon_engine::options::{ReadOptions, VersionsOptions};
use knockon_engine::queries::diff::compare;
use knockon_engine::read::versions::read_versions;
use knockon_engine::{Caller, Cancellation, Events, SourceMap};
use knockon_graphs::UndefinedReads;
use knockon_report::{DiffReport, Extent, Format, Style, Verdict};
use libtest_mimic::{Arguments, Failed, Trial};
use marked_fixture::{Expected, Files, Fixture, Report};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What `knockon diff` reports.
fn compared(old: &Files, new: &Files, level: Level, kept_instructions: usize) -> DiffReport {
    let directory = tempfile::tempdir().unwrap();
    let write = |side: &str, files: &Files| -> Option<String> {
        let root = directory.path().join(side);
        std::fs::create_dir(&root).unwrap();
        for (name, text) in files {
            std::fs::write(root.join(name), text).unwrap();
        }
        Some(format!("path:{}", root.display()))
    };
    let options = VersionsOptions {
        old: write("old", old),
        new: write("new", new),
        staged: false,
        reading: ReadOptions {
            directory: directory.path().to_owned(),
            jobs: Some(1),
            no_cache: true,
            ..ReadOptions::default()
        },
    };
    let cancellation = Cancellation::new();
    let caller = Caller {
        cancellation: &cancellation,
        events: Events::ignored(),
    };
    let versions = read_versions(&options, UndefinedReads::Absent, caller).unwrap();
    let options = DiffOptions {
        level,
        map: SourceMap::Fine,
        budget: Budget::unlimited(),
        decided_queries: None,
        kept_instructions,
    };
    compare(&versions, options, Events::ignored()).unwrap()
}

/// What `knockon diff` reports at a level, and all lines that it knows.
fn reported(old: &Files, new: &Files, level: Level) -> (Report, BTreeSet<(String, u32)>) {
    let found = compared(old, new, level, MAX_KEPT_INSTRUCTIONS);
    assert!(found.complete, "{old:?} {new:?}");
    let (mut report, mut lines) = (Report::default(), BTreeSet::new());
    for row in found.lines {
        let place = (row.file.to_string(), row.line);
        match row.verdict {
            Verdict::Changed => report.changed.insert(place.clone()),
            Verdict::Possible => report.possible.insert(place.clone()),
            Verdict::Affected | Verdict::Unaffected => false,
        };
        lines.insert(place);
    }
    (report, lines)
}

fn fixtures(folder: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

/// A test for each fixture of the folder, by its name.
fn trials(folder: &'static str, level: Level) -> Vec<Trial> {
    let of_path = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Trial::test(format!("{folder}/{name}"), move || {
            exactly_the_marked_lines_are_reported(&path, level)
        })
    };
    fixtures(folder).into_iter().map(of_path).collect()
}

fn exactly_the_marked_lines_are_reported(path: &Path, level: Level) -> Result<(), Failed> {
    let fixture = Fixture::parse(&std::fs::read_to_string(path)?);
    let (report, lines) = reported(&fixture.old_files(), &fixture.new_files(), level);
    let mut wrong = fixture.differences(&report);
    for line in &fixture.lines {
        let place = line.new_number.map(|number| (line.file.clone(), number));
        let holds_code = place.is_some_and(|place| lines.contains(&place));
        if line.expected != Expected::Nothing && !holds_code {
            wrong += &format!("{:>4}  holds no code   {}\n", line.number, line.text);
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.into()),
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut all = trials("fixtures", Level::DATAFLOW);
    let proofs = trials("semantic_fixtures", Level::SEMANTIC);
    assert!(all.len() >= 80, "{} fixtures", all.len());
    assert!(proofs.len() >= 6, "{} fixtures of proofs", proofs.len());
    all.extend(proofs);
    let plain: [(&str, fn()); 2] = [
        (
            "graphs_that_are_made_again_for_each_level_show_the_same",
            graphs_that_are_made_again_for_each_level_show_the_same,
        ),
        (
            "markers_tell_both_versions_and_the_expectation",
            markers_tell_both_versions_and_the_expectation,
        ),
    ];
    all.extend(plain.map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    }));
    libtest_mimic::run(&arguments, all).exit_code()
}

/// Three programs over one library; each is called otherwise.
fn three_programs(scale: &str, extra: &str) -> Files {
    let library = format!(
        "int level;\nint scale(int x) {{\n    return {scale};\n}}\nint noted(int x) {{\n    level = x{extra};\n    return x;\n}}\n"
    );
    let program = |body: &str| {
        format!(
            "extern int level;\nint scale(int);\nint noted(int);\nint putchar(int);\nint main(int argc, char **argv) {{\n{body}    return 0;\n}}\n"
        )
    };
    let files = [
        ("library.c", library),
        ("one.c", program("    putchar(scale(argc));\n")),
        (
            "three.c",
            program("    noted(3);\n    putchar(scale(level));\n"),
        ),
        (
            "two.c",
            program("    putchar(noted(argc));\n    putchar(level);\n"),
        ),
    ];
    files
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text))
        .collect()
}

fn graphs_that_are_made_again_for_each_level_show_the_same() {
    let (old, new) = (three_programs("x * 2", ""), three_programs("x + x", " + 1"));
    let text = |kept_instructions: usize| {
        let report = compared(&old, &new, Level::SEMANTIC, kept_instructions);
        let names: Vec<&str> = report.levels.iter().map(|row| row.level.as_str()).collect();
        assert!(names.contains(&"semantic-inf"), "{names:?}");
        let reached = report
            .executables
            .iter()
            .filter(|row| row.possible_lines > 0);
        assert!(reached.count() >= 2);
        let text = report.render(Format::Json, Style::default(), Extent::Full);
        // What comes before names directories.
        let text = text.unwrap();
        let (_, found) = text.split_once("\"levels\"").expect("levels");
        found.to_owned()
    };
    assert_eq!(text(MAX_KEPT_INSTRUCTIONS), text(0));
}

fn markers_tell_both_versions_and_the_expectation() {
    let fixture = Fixture::parse(
        "int a;  // same, was: int b;
    f();    // was: g();
// removed: gone();
    h(\"// not a marker\");  // impacted
    new();  // added
//- /b.c added
int b;
",
    );
    let old = fixture.old_files();
    assert_eq!(
        old["main.c"],
        "int b;\n    g();\ngone();\n    h(\"// not a marker\");\n"
    );
    assert_eq!(old.get("b.c"), None);
    let new = fixture.new_files();
    assert_eq!(
        new["main.c"],
        "int a;\n    f();\n    h(\"// not a marker\");\n    new();\n"
    );
    assert_eq!(new["b.c"], "int b;\n");
    let at = |line: u32| ("main.c".to_string(), line);
    let exact = Report {
        changed: [at(2), at(4)].into(),
        possible: [at(3)].into(),
    };
    assert_eq!(fixture.differences(&exact), "");
    let too_few = Report {
        possible: BTreeSet::new(),
        ..exact.clone()
    };
    assert!(fixture.differences(&too_few).contains("reported nothing"));
    let too_many = Report {
        possible: [at(1), at(3)].into(),
        ..exact
    };
    assert!(fixture.differences(&too_many).contains("expected nothing"));
}
