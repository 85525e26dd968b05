//! What the IR does not show counts: every pair here has a line whose difference is seen by running
//! both versions, and comes from something outside of the IR. See `unseen_pairs` for the format.
//!
//! `UNSEEN=WORD` runs only the pairs whose name holds the word.

mod unseen_pairs;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use unseen_pairs::trees::Trees;
use unseen_pairs::{Mark, Pair, verdicts};

/// Pairs of which something wrong is said today. This only shrinks.
const STILL_WRONG: &[&str] = &[
    "a_constructor_in_a_prebuilt_object_reads_an_initialiser",
    "a_constructor_in_a_prebuilt_object_writes_a_global",
    "a_destructor_in_a_prebuilt_object_calls_us",
    "a_fortran_like_common_block_is_written_by_a_prebuilt_object",
    "a_prebuilt_archive_reads_a_global",
    "a_prebuilt_object_calls_a_hook_whose_address_nobody_took",
    "a_prebuilt_object_calls_a_hook_with_an_argument_of_its_own",
    "a_prebuilt_object_changed_in_one_byte_of_its_data",
    "a_prebuilt_object_defines_a_weak_hook_of_ours",
    "a_prebuilt_object_for_link_time_optimisation_reads_a_global",
    "a_prebuilt_object_holds_a_table_that_changed",
    "a_prebuilt_object_holds_main",
    "a_prebuilt_object_made_from_c_plus_plus_writes_a_global_before_main",
    "a_prebuilt_object_reads_a_global",
    "a_prebuilt_object_reads_through_a_pointer_of_ours",
    "a_prebuilt_object_registers_a_signal_handler",
    "a_prebuilt_object_registers_an_exit_handler_that_calls_us",
    "a_prebuilt_object_replaces_a_library_function",
    "a_prebuilt_object_starts_a_thread_that_reads_a_global",
    "a_prebuilt_object_that_changed_returns_another_value",
    "a_prebuilt_object_writes_a_global",
    "a_prebuilt_object_writes_a_thread_local_variable",
    "a_unit_in_rust_reads_a_global",
    "a_unit_in_rust_that_changed_returns_another_value",
    "a_unit_that_clang_refuses_reads_a_global",
    "an_assembly_unit_calls_a_function_of_ours",
    "an_assembly_unit_reads_a_global",
];

fn pairs() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unseen_fixtures");
    let wanted = std::env::var("UNSEEN").unwrap_or_default();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("the fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| name(path).contains(&wanted))
        .collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned()
}

/// What is wrong with a pair, and whether it is the pair itself.
struct Finding {
    name: String,
    broken: bool,
    texts: Vec<String>,
}

/// `None` if this machine cannot run the pair.
fn judge(path: &Path) -> Option<Finding> {
    let pair = Pair::parse(&std::fs::read_to_string(path).expect("a fixture"));
    if !pair.can_run() {
        return None;
    }
    let (broken, texts) = match Trees::of(&pair) {
        Ok(trees) => (false, verdicts::wrong(&trees, &pair)),
        Err(broken) => (true, vec![broken]),
    };
    Some(Finding {
        name: name(path),
        broken,
        texts,
    })
}

fn judge_all(paths: &[PathBuf]) -> Vec<Finding> {
    let (next, findings) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            let finding = judge(path);
            findings.lock().expect("no panic").extend(finding);
        }
    };
    // Half of the time is waiting for short processes.
    let threads = 1 + std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let mut findings = findings.into_inner().expect("no panic");
    findings.sort_by(|one: &Finding, other| one.name.cmp(&other.name));
    findings
}

#[test]
fn what_differs_outside_of_the_ir_is_never_unaffected() {
    let mut account = String::new();
    for finding in judge_all(&pairs()) {
        let Finding {
            name,
            broken,
            texts,
        } = finding;
        let excused = STILL_WRONG.contains(&name.as_str());
        match (texts.is_empty(), excused && !broken) {
            (true, true) => account += &format!("{name}\n  take it off the list STILL_WRONG\n"),
            (true, false) | (false, true) => {}
            (false, false) => account += &format!("{name}\n  {}\n", texts.join("\n  ")),
        }
    }
    assert!(account.is_empty(), "\n{account}");
}

#[test]
fn there_are_enough_pairs_and_the_list_names_only_them() {
    if std::env::var_os("UNSEEN").is_some() {
        return;
    }
    let names: Vec<String> = pairs().iter().map(|path| name(path)).collect();
    let differing = pairs()
        .iter()
        .map(|path| Pair::parse(&std::fs::read_to_string(path).expect("a fixture")))
        .filter(|pair| pair.differing().next().is_some())
        .count();
    assert!(differing >= 30, "{differing} pairs that differ");
    for wrong in STILL_WRONG {
        assert!(names.iter().any(|name| name == wrong), "{wrong}");
    }
}

#[test]
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
