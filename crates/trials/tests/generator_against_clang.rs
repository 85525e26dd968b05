//! The generator's promises, on a few seeds; `knockon-trials soak generator` tries more.

use knockon_trials::against_clang::native::Build;
use knockon_trials::generator::{Shape, Undefined, generate};
use knockon_trials::soak::Bench;
use knockon_trials::soak::generator_check::check_generator;

#[test]
fn a_seed_names_one_program() {
    for seed in 0..20 {
        assert_eq!(
            generate(seed, &Shape::large()),
            generate(seed, &Shape::large())
        );
    }
    assert_ne!(generate(1, &Shape::small()), generate(2, &Shape::small()));
}

#[test]
fn programs_are_defined_and_mean_the_same_to_every_compiler() {
    let bench = Bench::find().unwrap();
    let breaches = check_generator(&bench.toolchain, 4000, 12, 2).unwrap();
    assert!(breaches.is_empty(), "{breaches:?}");
}

#[test]
fn planted_undefined_behaviour_is_seen_by_a_sanitizer() {
    let bench = Bench::find().unwrap();
    std::thread::scope(|scope| {
        for half in 0..2 {
            let bench = &bench;
            scope.spawn(move || {
                for kind in Undefined::ALL.into_iter().skip(half).step_by(2) {
                    assert!(seen(bench, kind), "{kind:?} was never reported");
                }
            });
        }
    });
}

/// Some variants are reached on some values only, so a few programs may be needed.
fn seen(bench: &Bench, kind: Undefined) -> bool {
    let shape = Shape {
        functions: 0,
        statements: 0,
        globals: 1,
        ..Shape::small()
    };
    let shape = shape.with_undefined(Some(kind));
    let build = if kind.is_uninitialised() {
        Build::Memory
    } else {
        Build::Sanitized
    };
    (0..12).any(|seed| {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("program.c");
        let trial = generate(seed, &shape);
        std::fs::write(&path, trial.source()).unwrap();
        let outcome = bench
            .toolchain
            .outcome(&path, build, &trial.input())
            .unwrap();
        outcome.undefined.is_some()
    })
}
