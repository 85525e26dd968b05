//! The interpreter agrees with the program that clang compiles: what it prints to both outputs and
//! how it ends, for two versions of clang, and whether the program was promoted to SSA or not.

use super::compiled::{CLANGS, compile, fixture, forms, input, native, read};
use knockon_interpreter::{Exit, run};
use knockon_program::Program;
use std::os::unix::process::ExitStatusExt;

fn assert_agrees(names: &[&str]) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    for clang in CLANGS {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let executable = compile(clang, names, &[], directory.path());
        let native = native(&executable, "one", directory.path());
        let units: Vec<Program> = names
            .iter()
            .map(|name| read(clang, &fixture(name)))
            .collect();
        for (form, program) in forms(&units) {
            let run = run(&program, &input("one"));
            let what = format!("{names:?}, {clang}, {form}: {:?}", run.exit);
            assert_eq!(text(&run.stdout), text(&native.stdout), "{what}");
            assert_eq!(text(&run.stderr), text(&native.stderr), "{what}");
            match run.exit {
                Exit::AssertionFailed(_) | Exit::Aborted => {
                    assert_eq!(native.status.signal(), Some(6), "{what}");
                }
                exit => assert_eq!(exit.code(), native.status.code(), "{what}"),
            }
        }
    }
}

macro_rules! agreement {
    ($($test:ident $($file:literal)+,)*) => {
        $(#[test] fn $test() { assert_agrees(&[$($file),+]); })*
    };
}

agreement! {
    integers_agree_with_the_compiled_program "integers.c",
    floats_agree_with_the_compiled_program "floats.c",
    control_flow_agrees_with_the_compiled_program "control.c",
    memory_agrees_with_the_compiled_program "memory.c",
    variadic_functions_agree_with_the_compiled_program "variadic.c",
    structs_behind_an_ellipsis_agree_with_the_compiled_program
        "variadic_structs_elsewhere.c" "variadic_structs.c",
    vectors_and_atomics_agree_with_the_compiled_program "vectors.c",
    constructors_and_exit_handlers_agree_with_the_compiled_program "around_main.c",
    strings_and_conversions_agree_with_the_compiled_program "library_strings.c",
    files_and_buffers_agree_with_the_compiled_program "library_files.c",
    input_agrees_with_the_compiled_program "library_input.c",
    mathematics_and_dates_agree_with_the_compiled_program "library_mathematics.c",
    options_agree_with_the_compiled_program "library_options.c",
    what_an_aborted_program_loses_agrees_with_the_compiled_program "library_aborted.c",
}
