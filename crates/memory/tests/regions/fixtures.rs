//! The interpreter's own fixtures, held to the laws.

use super::against_runs::hold_to_run;
use super::compiled::program_of_file;
use knockon_interpreter::RunInput;
use std::path::Path;

#[test]
fn runs_of_the_fixtures_touch_what_the_regions_allow() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../interpreter/tests/fixtures");
    let names = [
        "around_main.c",
        "control.c",
        "integers.c",
        "library_input.c",
        "library_options.c",
        "library_strings.c",
        "memory.c",
        "variadic.c",
        "vectors.c",
    ];
    let input = RunInput {
        arguments: vec![b"program".to_vec(), b"2".to_vec()],
        stdin: b"12 3.5 word x rest of line\nsecond line\nthird\n77 abc\nlast".to_vec(),
        ..RunInput::default()
    };
    let mut evidence = 0;
    for name in names {
        let mut program = program_of_file(&fixtures.join(name));
        for promoted in [false, true] {
            if promoted {
                knockon_graphs::promote(&mut program);
            }
            if let Some(verdict) = hold_to_run(&program, &input) {
                evidence += verdict.checked;
                assert_eq!(verdict.violations, Vec::<String>::new(), "{name}");
            }
        }
    }
    assert!(evidence > 1000, "only {evidence} meetings were seen");
}
