//! What the IR does not show counts: every pair here has a line whose difference is seen by running
//! both versions, and comes from something outside of the IR. See `unseen_pairs` for the format.
//!
//! `UNSEEN="WORD WORD"` runs only the pairs whose name holds one of the words.

mod unseen_pairs;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use unseen_pairs::trees::Trees;
use unseen_pairs::{Mark, Pair, verdicts};

/// Pairs of which something wrong is said today. This only shrinks.
const STILL_WRONG: &[&str] = &[
    "a_child_that_shares_memory_writes_it",
    "a_flag_comes_from_a_tracked_file",
    "a_function_is_compiled_for_another_target_by_a_pragma",
    "a_function_is_optimised_otherwise_by_a_pragma_that_clang_does_not_know",
    "a_function_is_optimised_otherwise_by_an_attribute_that_clang_does_not_know",
    "a_hook_that_the_compiler_calls_at_each_branch_changed",
    "a_hook_that_the_compiler_calls_at_each_entry_changed",
    "a_linker_script_adds_an_archive",
    "a_pending_signal_ends_the_program_when_it_is_unblocked",
    "a_prebuilt_object_is_copied_before_it_is_linked",
    "a_prebuilt_object_is_kept_as_text",
    "a_prebuilt_plug_in_changed",
    "a_prebuilt_shared_library_changed",
    "a_precompiled_header_is_not_its_text",
    "a_preloaded_library_of_the_same_build_replaces_a_library_function",
    "a_program_starts_another_one_of_the_same_build",
    "a_program_starts_itself_again_with_another_argument",
    "a_program_starts_itself_again_with_another_environment",
    "a_routine_that_the_compiler_divides_with_changed",
    "a_symbol_of_a_library_becomes_hidden",
    "a_unit_in_rust_that_changed_returns_another_value",
    "a_unit_is_edited_by_a_script_before_it_is_compiled",
    "a_unit_is_read_from_standard_input",
    "a_unit_that_only_the_old_version_has_ran_before_main",
    "an_object_is_taken_out_of_a_prebuilt_archive",
    "an_option_of_the_link_comes_from_a_tracked_file",
    "flags_come_from_a_response_file",
    "flags_come_from_a_specs_file",
    "inline_assembly_reads_a_global_by_name",
    "near_a_generated_header_whose_generator_did_not_change",
    "near_a_plug_in_that_names_nothing_of_ours",
    "near_a_prebuilt_object_that_changed_leaves_what_it_does_not_name",
    "near_a_program_with_its_own_malloc",
    "near_an_included_file_of_bytes_that_did_not_change",
    "symbols_are_renamed_from_a_file_by_objcopy",
    "the_linker_takes_options_from_a_file",
    "the_list_of_units_comes_from_a_file",
];

fn pairs() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unseen_fixtures");
    let wanted = std::env::var("UNSEEN").unwrap_or_default();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("the fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            let mut words = wanted.split(' ');
            words.any(|word| name(path).contains(word))
        })
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
    assert!(differing >= 190, "{differing} pairs that differ");
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
