//! Each level only takes away from what those before it leave possible, and cuts off by what its row
//! of the table says.

use knockon_engine::levels::Level;
use knockon_engine::options::{ReadOptions, VersionsOptions};
use knockon_engine::queries::diff::{DiffRequest, diff};
use knockon_engine::{Caller, Cancellation, Events};
use knockon_report::{DiffReport, Verdict};
use std::path::Path;

const OLD: &str = "#include <stdio.h>\n\nstatic void unused(void) {\n    puts(\"never\");\n}\n\nstatic int twice(int x) {\n    return x + x;\n}\n\nstatic int fee(int x) {\n    return x * 3;\n}\n\nint main(int argc, char **argv) {\n    (void)argv;\n    puts(\"before\");\n    printf(\"%d\\n\", twice(argc));\n    printf(\"%d\\n\", fee(argc));\n    return 0;\n}\n";

fn report(directory: &Path, level: Level) -> DiffReport {
    let request = DiffRequest {
        level,
        ..DiffRequest::of(VersionsOptions {
            old: Some("old.c".to_owned()),
            new: Some("new.c".to_owned()),
            reading: ReadOptions {
                directory: directory.to_owned(),
                no_cache: true,
                jobs: Some(1),
                ..ReadOptions::default()
            },
            ..VersionsOptions::default()
        })
    };
    let cancellation = Cancellation::new();
    let caller = Caller {
        cancellation: &cancellation,
        events: Events::ignored(),
    };
    diff(&request, caller).unwrap()
}

#[test]
fn levels_only_take_away_and_cut_off_by_what_the_table_says() {
    let directory = tempfile::tempdir().unwrap();
    let new = OLD.replace("x + x", "2 * x").replace("x * 3", "x * 4");
    std::fs::write(directory.path().join("old.c"), OLD).unwrap();
    std::fs::write(directory.path().join("new.c"), new).unwrap();
    let mut before: Option<DiffReport> = None;
    for level in Level::all() {
        let found = report(directory.path(), level);
        let names: Vec<&str> = found.levels.iter().map(|row| row.level.as_str()).collect();
        let run: Vec<Level> = Level::all().filter(|other| *other <= level).collect();
        let expected: Vec<&str> = run.iter().map(|level| level.name()).collect();
        assert_eq!(names, expected);
        for row in &found.lines {
            let may_cut = |cut| {
                run.iter()
                    .any(|level| level.definition().cuts.contains(&cut))
            };
            assert!(row.cut_by.is_none_or(may_cut), "{row:?} at {level}");
            let was_unaffected = before.as_ref().is_some_and(|before| {
                let mut lines = before.lines.iter();
                lines.any(|old| old.line == row.line && old.verdict == Verdict::Unaffected)
            });
            assert!(
                !was_unaffected || row.verdict == Verdict::Unaffected,
                "{row:?}"
            );
        }
        before = Some(found);
    }
}
