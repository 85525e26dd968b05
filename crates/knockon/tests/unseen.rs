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
    "a_common_symbol_gets_its_value_from_a_prebuilt_object",
    "a_comparison_that_the_compiler_makes_calls_our_bcmp",
    "a_constructor_in_a_prebuilt_object_reads_an_initialiser",
    "a_constructor_in_a_prebuilt_object_writes_a_global",
    "a_constructor_of_a_plug_in_writes_a_global_of_its_host",
    "a_destructor_in_a_prebuilt_object_calls_us",
    "a_file_of_bytes_becomes_an_object_by_objcopy",
    "a_file_of_bytes_becomes_an_object_by_the_linker",
    "a_flag_comes_from_a_tracked_file",
    "a_fortran_like_common_block_is_written_by_a_prebuilt_object",
    "a_function_is_compiled_for_another_target_by_a_pragma",
    "a_function_is_found_by_a_name_that_is_put_together",
    "a_function_is_found_by_its_name_at_run_time",
    "a_function_is_optimised_otherwise_by_a_pragma_that_clang_does_not_know",
    "a_function_is_optimised_otherwise_by_an_attribute_that_clang_does_not_know",
    "a_function_may_use_fused_operations",
    "a_generated_file_is_included_by_name_from_the_build_directory",
    "a_generated_unit_comes_from_a_table_that_changed",
    "a_generated_unit_names_the_lines_of_its_source",
    "a_global_found_by_its_name_is_written",
    "a_global_is_found_by_its_name_at_run_time",
    "a_header_is_generated_by_a_program_that_changed",
    "a_header_is_generated_by_a_script_that_changed",
    "a_header_is_generated_from_a_table_that_changed",
    "a_header_that_the_old_revision_lacks_is_asked_for",
    "a_hook_that_the_compiler_calls_at_each_branch_changed",
    "a_hook_that_the_compiler_calls_at_each_entry_changed",
    "a_library_function_calls_our_free",
    "a_library_function_calls_our_malloc",
    "a_library_function_calls_our_realloc",
    "a_library_function_sorts_with_our_malloc",
    "a_linker_script_adds_an_archive",
    "a_linker_script_defines_a_function",
    "a_linker_script_defines_a_number",
    "a_linker_wraps_a_function_and_the_real_one_changed",
    "a_linker_wraps_a_function_of_ours",
    "a_linker_wraps_a_library_function",
    "a_loop_that_the_compiler_replaces_calls_our_strlen",
    "a_naked_function_reads_a_global",
    "a_new_header_beside_the_source_shadows_one_of_the_system",
    "a_new_header_shadows_another_one_on_the_search_path",
    "a_pending_signal_ends_the_program_when_it_is_unblocked",
    "a_plug_in_calls_its_host_by_name",
    "a_plug_in_of_the_same_build_changed",
    "a_plug_in_that_changed_writes_a_global_of_its_host",
    "a_prebuilt_archive_reads_a_global",
    "a_prebuilt_object_calls_a_hook_whose_address_nobody_took",
    "a_prebuilt_object_calls_a_hook_with_an_argument_of_its_own",
    "a_prebuilt_object_changed_in_one_byte_of_its_data",
    "a_prebuilt_object_defines_a_weak_hook_of_ours",
    "a_prebuilt_object_for_link_time_optimisation_reads_a_global",
    "a_prebuilt_object_holds_a_table_that_changed",
    "a_prebuilt_object_holds_main",
    "a_prebuilt_object_is_copied_before_it_is_linked",
    "a_prebuilt_object_is_kept_as_text",
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
    "a_prebuilt_plug_in_changed",
    "a_prebuilt_plug_in_reads_a_global_of_its_host",
    "a_prebuilt_shared_library_calls_us_by_name",
    "a_prebuilt_shared_library_changed",
    "a_precompiled_header_is_not_its_text",
    "a_preloaded_library_of_the_same_build_replaces_a_library_function",
    "a_program_starts_another_one_of_the_same_build",
    "a_program_starts_itself_again_with_another_argument",
    "a_program_starts_itself_again_with_another_environment",
    "a_routine_that_the_compiler_divides_with_changed",
    "a_section_of_an_object_is_replaced_by_objcopy",
    "a_shared_library_calls_what_the_program_puts_in_its_place",
    "a_symbol_is_made_local_by_objcopy",
    "a_symbol_is_made_weak_by_objcopy",
    "a_symbol_is_renamed_by_objcopy",
    "a_symbol_of_a_library_becomes_hidden",
    "a_thin_archive_names_a_prebuilt_object",
    "a_unit_in_rust_reads_a_global",
    "a_unit_in_rust_that_changed_returns_another_value",
    "a_unit_is_put_together_from_parts",
    "a_unit_is_read_from_standard_input",
    "a_unit_that_clang_refuses_reads_a_global",
    "a_unit_that_only_the_new_version_has_runs_before_main",
    "a_unit_that_only_the_old_version_has_ran_before_main",
    "a_version_script_hides_a_symbol_of_a_library",
    "an_archive_that_the_build_makes_holds_a_prebuilt_object",
    "an_assembly_unit_calls_a_function_of_ours",
    "an_assembly_unit_includes_a_file_of_bytes",
    "an_assembly_unit_reads_a_global",
    "an_object_is_taken_out_of_a_prebuilt_archive",
    "an_option_of_the_link_comes_from_a_tracked_file",
    "an_undefined_symbol_is_renamed_by_objcopy",
    "clearing_a_structure_calls_our_memset",
    "clearing_a_structure_calls_our_memset_which_does_it_wrongly",
    "copying_a_structure_calls_our_memcpy",
    "flags_come_from_a_response_file",
    "flags_come_from_a_specs_file",
    "inline_assembly_calls_a_function",
    "inline_assembly_calls_a_function_that_prints",
    "inline_assembly_includes_a_file_of_assembly",
    "inline_assembly_includes_a_file_of_bytes",
    "inline_assembly_reads_a_global_by_name",
    "inline_assembly_reads_an_initialiser_by_name",
    "memory_is_written_through_a_file_of_the_system",
    "module_assembly_includes_a_file_of_assembly",
    "module_assembly_includes_a_file_of_bytes",
    "near_a_prebuilt_object_that_changed_leaves_what_it_does_not_name",
    "one_copy_of_an_inline_function_is_taken",
    "printing_a_plain_text_calls_our_puts",
    "symbols_are_renamed_from_a_file_by_objcopy",
    "the_first_of_two_functions_is_taken_where_the_linker_allows_it",
    "the_first_of_two_weak_functions_is_taken",
    "the_linker_defines_a_global_as_another_one",
    "the_linker_defines_a_symbol_as_another_one",
    "the_linker_is_told_another_entry",
    "the_linker_is_told_what_runs_first",
    "the_linker_is_told_what_runs_last",
    "the_linker_takes_options_from_a_file",
    "the_list_of_units_comes_from_a_file",
    "the_size_of_the_output_is_seen",
    "the_size_of_the_output_is_seen_by_its_name",
    "two_archives_define_the_same_function",
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
