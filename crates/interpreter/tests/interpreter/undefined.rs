//! The interpreter agrees with clang's sanitizers about what is undefined, in the language and in
//! calls of the library outside their contracts.

use super::compiled::{CLANGS, compile, fixture, forms, input, native, promoted, read};
use knockon_interpreter::{Exit, Sanitizer, UndefinedBehaviour, run};

const LANGUAGE: &str = "undefined.c";
const LIBRARY: &str = "library_undefined.c";

/// Cases of `library_undefined.c` that no sanitizer looks for: a string printed into itself, and a
/// character beyond the tables behind `isalpha`.
const BEYOND_SANITIZERS: [(&str, &str); 2] = [(LIBRARY, "12"), (LIBRARY, "24")];

/// The cases of a fixture: number, and the class that the comment behind it names.
fn cases(name: &str) -> Vec<(String, Option<UndefinedBehaviour>)> {
    let text = std::fs::read_to_string(fixture(name)).expect("the fixture");
    let cases: Vec<_> = text
        .lines()
        .filter_map(|line| {
            let (number, rest) = line.trim().strip_prefix("case ")?.split_once(':')?;
            let (_, name) = rest.rsplit_once("// ")?;
            let kind = UndefinedBehaviour::ALL
                .iter()
                .find(|kind| kind.name() == name);
            assert!(
                kind.is_some() || name == "none",
                "case {number} names no class: {name}"
            );
            Some((number.to_owned(), kind.copied()))
        })
        .collect();
    assert!(cases.len() > 40, "only {} cases were found", cases.len());
    cases
}

fn verdict(exit: &Exit) -> Option<UndefinedBehaviour> {
    match exit {
        Exit::Returned(0) => None,
        Exit::Undefined { kind, .. } => Some(*kind),
        other => panic!("an unexpected end: {other:?}"),
    }
}

fn assert_reported(name: &str) {
    for clang in CLANGS {
        let units = [read(clang, &fixture(name))];
        for (form, program) in forms(&units) {
            for (number, expected) in cases(name) {
                let exit = run(&program, &input(&number)).exit;
                // Promotion may replace an uninitialised value by any other.
                let lost = form != "linked"
                    && verdict(&exit).is_none()
                    && expected == Some(UndefinedBehaviour::Uninitialised);
                assert!(
                    lost || verdict(&exit) == expected,
                    "case {number} of {name}, {clang}, {form}: {exit:?}"
                );
            }
        }
    }
}

#[test]
fn every_class_of_undefined_behaviour_is_reported_as_itself() {
    assert_reported(LANGUAGE);
}

#[test]
fn a_call_outside_its_contract_is_reported_as_its_class() {
    assert_reported(LIBRARY);
}

#[test]
fn undefined_behaviour_names_its_line() {
    let source = fixture(LANGUAGE);
    let text = std::fs::read_to_string(&source).expect("the fixture");
    let unit = read(CLANGS[0], &source);
    for program in [&unit, &promoted(unit.clone())] {
        for number in ["1", "14", "25", "36"] {
            let Exit::Undefined { place, .. } = run(program, &input(number)).exit else {
                panic!("case {number} is undefined");
            };
            let line = program.place(place).line as usize;
            let found = text.lines().nth(line - 1).unwrap_or("");
            assert!(found.contains(&format!("case {number}:")), "{found}");
        }
    }
}

/// Holds the classes of the cases against a sanitizer; `should_report` says nothing of a class that
/// the sanitizer may or may not report.
fn assert_sanitizer_agrees(
    sanitizer: &str,
    should_report: fn(Option<UndefinedBehaviour>) -> Option<bool>,
) {
    let flags = [
        sanitizer,
        "-fno-sanitize=shift-base,function",
        "-fno-sanitize-recover=all",
    ];
    for name in [LANGUAGE, LIBRARY] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let executable = compile(CLANGS[0], &[name], &flags, directory.path());
        for (number, expected) in cases(name) {
            let Some(should_report) = should_report(expected) else {
                continue;
            };
            if BEYOND_SANITIZERS.contains(&(name, number.as_str())) {
                continue;
            }
            let output = native(&executable, &number, directory.path());
            assert_eq!(
                !output.status.success(),
                should_report,
                "case {number} of {name}, {expected:?}:\n{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}

#[test]
fn the_undefined_and_address_sanitizers_agree() {
    assert_sanitizer_agrees("-fsanitize=undefined,address", |expected| {
        match expected.map(UndefinedBehaviour::sanitizer) {
            Some(Sanitizer::Undefined | Sanitizer::Address) => Some(true),
            Some(Sanitizer::Memory) | None => Some(false),
            Some(Sanitizer::None) => None,
        }
    });
}

#[test]
fn the_memory_sanitizer_agrees() {
    assert_sanitizer_agrees("-fsanitize=memory", |expected| match expected {
        Some(UndefinedBehaviour::Uninitialised) => Some(true),
        None => Some(false),
        Some(_) => None,
    });
}
