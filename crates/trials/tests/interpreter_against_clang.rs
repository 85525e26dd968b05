//! The interpreter against clang on fixed programs; `knockon-trials soak interpreter` takes fresh
//! ones by the thousand.

use knockon_trials::against_clang::Input;
use knockon_trials::against_clang::agreement::Agreement;
use knockon_trials::against_clang::outcome::Class;
use knockon_trials::soak::{Bench, own_program};

#[test]
fn interpreter_and_clang_agree_on_fixed_programs() {
    let bench = Bench::find().unwrap();
    let disagreements: Vec<String> = std::thread::scope(|scope| {
        let halves: Vec<_> = (0..2)
            .map(|half| {
                let bench = &bench;
                scope.spawn(move || {
                    let indices = (0..46).skip(half).step_by(2);
                    indices
                        .filter_map(|index| disagreement(bench, index))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        halves
            .into_iter()
            .flat_map(|half| half.join().unwrap())
            .collect()
    });
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n"));
}

/// What is wrong with program `index` of soak 2, if anything is.
fn disagreement(bench: &Bench, index: usize) -> Option<String> {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("program.c");
    let (seed, origin) = own_program(2, index);
    std::fs::write(&path, origin.source().unwrap()).unwrap();
    let examined = bench.examine(&path, &origin).unwrap();
    match examined.agreement {
        Agreement::Same | Agreement::SameUndefined(_) => None,
        other => Some(format!("program {index} (seed {seed}): {other:?}")),
    }
}

/// clang's sanitizer does not look at `++`; gcc's does, and is asked before a misaligned access is
/// called a disagreement.
#[test]
fn misaligned_increment_is_judged_by_gcc() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("program.c");
    std::fs::write(
        &path,
        "#pragma pack(1)\nstruct packed { char tag; int count; };\n#pragma pack()\n\
         struct packed object;\nint main(void) { int *p = &object.count; ++*p; return 0; }\n",
    )
    .unwrap();
    let bench = Bench::find().unwrap();
    let examined = bench
        .examine_file(&path, &Input::default(), &[], false)
        .unwrap();
    assert_eq!(
        examined.agreement,
        Agreement::SameUndefined(Class::Misaligned)
    );
    assert_eq!(examined.native.sanitized.undefined, None);
}
