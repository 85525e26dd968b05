//! What the IR does not show counts: every pair here has a line whose difference is seen by running
//! both versions, and comes from something outside of the IR. See `unseen_pairs` for the format.
//!
//! Each pair is a test by its name: `cargo test -p knockon --test unseen WORD` runs those whose name holds
//! the word.

mod unseen_pairs;

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use unseen_pairs::trees::Trees;
use unseen_pairs::{Mark, Pair, verdicts};

fn pairs() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unseen_fixtures");
    let entries = std::fs::read_dir(&directory).expect("the fixtures");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

fn trial(path: PathBuf) -> Trial {
    let pair = Pair::parse(&std::fs::read_to_string(&path).expect("a fixture"));
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let can_run = pair.can_run();
    Trial::test(name, move || {
        what_differs_outside_of_the_ir_is_never_unaffected(&pair)
    })
    .with_ignored_flag(!can_run)
}

fn what_differs_outside_of_the_ir_is_never_unaffected(pair: &Pair) -> Result<(), Failed> {
    let wrong = verdicts::wrong(&Trees::of(pair)?, pair);
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Half of the time is waiting for short processes.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads = arguments.test_threads.or(Some(processors + 1));
    let mut all: Vec<Trial> = pairs().into_iter().map(trial).collect();
    let plain: [(&str, fn()); 2] = [
        ("there_are_enough_pairs", there_are_enough_pairs),
        (
            "marks_tell_both_versions_and_what_is_expected",
            marks_tell_both_versions_and_what_is_expected,
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

fn there_are_enough_pairs() {
    let differing = pairs()
        .iter()
        .map(|path| Pair::parse(&std::fs::read_to_string(path).expect("a fixture")))
        .filter(|pair| pair.differing().next().is_some())
        .count();
    assert!(differing >= 215, "{differing} pairs that differ");
}

fn marks_tell_both_versions_and_what_is_expected() {
    let pair = Pair::parse(
        "//- prepare gcc -c b.c
//- equiv f
//- /main.c
int a;  // was: int b;
  printf(\"x %d\\n\", a);  // differs
// removed: gone();
  puts(\"// not a mark\");  // same
  printf(\"y %d\\n\", 1);  // differs, was: f();
  new();  // added
//- /data old
1
//- /data new
2
",
    );
    assert_eq!(
        pair.old["main.c"],
        "int b;\n  printf(\"x %d\\n\", a);\ngone();\n  puts(\"// not a mark\");\n  f();\n"
    );
    assert_eq!(
        pair.new["main.c"],
        "int a;\n  printf(\"x %d\\n\", a);\n  puts(\"// not a mark\");\n  printf(\"y %d\\n\", 1);\n  new();\n"
    );
    assert_eq!((&*pair.old["data"], &*pair.new["data"]), ("1\n", "2\n"));
    let marks: Vec<_> = pair
        .marks
        .iter()
        .map(|line| (line.line, line.mark, line.word.as_deref()))
        .collect();
    assert_eq!(
        marks,
        [
            (2, Mark::Differs, Some("x")),
            (3, Mark::Same, None),
            (4, Mark::Differs, Some("y"))
        ]
    );
    assert_eq!(pair.different_functions, ["f"]);
    assert_eq!(pair.prepare, ["gcc -c b.c"]);
}
