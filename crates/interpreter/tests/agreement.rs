//! The interpreter agrees with the program that clang compiles: in output and exit code on every
//! fixture, and about undefined behaviour with clang's sanitizers, for two versions of clang, and
//! whether the program was promoted to SSA or not.

use knockon_interpreter::{Exit, RunInput, Sanitizer, UndefinedBehaviour, run};
use knockon_program::Program;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CLANGS: [&str; 2] = ["clang-19", "clang-16"];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn succeed(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} cannot be run ({error}); is it installed?"));
    assert!(
        output.status.success(),
        "{command:?} failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// The program as the frontend's flags make it.
fn read(clang: &str, source: &Path) -> Program {
    let mut command = Command::new(clang);
    command
        .args([
            "-w",
            "-S",
            "-emit-llvm",
            "-g",
            "-O1",
            "-Xclang",
            "-disable-llvm-passes",
        ])
        .args([
            "-Xclang",
            "-disable-lifetime-markers",
            "-fno-discard-value-names",
        ])
        .args(["-o", "-"])
        .arg(source);
    let text = succeed(&mut command).stdout;
    let unit = knockon_frontend::llvm::read_unit(&text, &source.to_string_lossy());
    unit.unwrap_or_else(|error| panic!("{}: {error}", source.display()))
}

fn promoted(program: &Program) -> Program {
    let mut program = program.clone();
    knockon_graphs::promote(&mut program);
    program
}

fn compile(clang: &str, source: &Path, flags: &[&str], directory: &Path) -> PathBuf {
    let executable = directory.join("program");
    let mut command = Command::new(clang);
    command.args(["-w", "-g", "-O0"]).args(flags).arg(source);
    succeed(command.arg("-lm").arg("-o").arg(&executable));
    executable
}

fn arguments(rest: &[&str]) -> RunInput {
    let mut arguments = vec![b"program".to_vec()];
    arguments.extend(rest.iter().map(|text| text.as_bytes().to_vec()));
    RunInput {
        arguments,
        ..RunInput::default()
    }
}

fn assert_agrees(name: &str) {
    let source = fixtures().join(name);
    for clang in CLANGS {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let executable = compile(clang, &source, &[], directory.path());
        let native = Command::new(executable)
            .arg("one")
            .output()
            .expect("the program runs");
        let program = read(clang, &source);
        for (form, program) in [("as read", &program), ("promoted", &promoted(&program))] {
            let run = run(program, &arguments(&["one"]));
            assert_eq!(
                String::from_utf8_lossy(&run.stdout),
                String::from_utf8_lossy(&native.stdout),
                "{name}, {clang}, {form}: {:?}",
                run.exit
            );
            assert_eq!(
                run.exit.code(),
                native.status.code(),
                "{name}, {clang}, {form}: {:?}",
                run.exit
            );
        }
    }
}

macro_rules! agreement {
    ($($test:ident $file:literal),* $(,)?) => {
        $(#[test] fn $test() { assert_agrees($file); })*
    };
}

agreement! {
    integers_agree_with_the_compiled_program "integers.c",
    floats_agree_with_the_compiled_program "floats.c",
    control_flow_agrees_with_the_compiled_program "control.c",
    memory_agrees_with_the_compiled_program "memory.c",
    variadic_functions_agree_with_the_compiled_program "variadic.c",
    vectors_and_atomics_agree_with_the_compiled_program "vectors.c",
    constructors_and_exit_handlers_agree_with_the_compiled_program "around_main.c",
}

/// The cases of `undefined.c`: number, and the class that the comment behind it names.
fn cases() -> Vec<(String, Option<UndefinedBehaviour>)> {
    let text = std::fs::read_to_string(fixtures().join("undefined.c")).expect("the fixture");
    let cases: Vec<_> = text
        .lines()
        .filter_map(|line| {
            let (number, rest) = line.trim().strip_prefix("case ")?.split_once(':')?;
            let (_, name) = rest.rsplit_once("// ")?;
            let kind = UndefinedBehaviour::ALL
                .iter()
                .find(|kind| kind.name() == name)
                .copied();
            assert!(
                kind.is_some() || name == "none",
                "case {number} names no class: {name}"
            );
            Some((number.to_owned(), kind))
        })
        .collect();
    assert!(cases.len() > 60, "only {} cases were found", cases.len());
    cases
}

fn verdict(exit: &Exit) -> Option<UndefinedBehaviour> {
    match exit {
        Exit::Returned(0) => None,
        Exit::Undefined { kind, .. } => Some(*kind),
        other => panic!("an unexpected end: {other:?}"),
    }
}

#[test]
fn every_class_of_undefined_behaviour_is_reported_as_itself() {
    for clang in CLANGS {
        let program = read(clang, &fixtures().join("undefined.c"));
        let promoted = promoted(&program);
        for (number, expected) in cases() {
            let plain = run(&program, &arguments(&[&number])).exit;
            assert_eq!(
                verdict(&plain),
                expected,
                "case {number}, {clang}: {plain:?}"
            );
            let other = run(&promoted, &arguments(&[&number])).exit;
            // Promotion may replace an uninitialised value by any other.
            let lost =
                verdict(&other).is_none() && expected == Some(UndefinedBehaviour::Uninitialised);
            assert!(
                lost || verdict(&other) == expected,
                "case {number}, {clang}, promoted: {other:?}"
            );
        }
    }
}

#[test]
fn undefined_behaviour_names_its_line() {
    let source = fixtures().join("undefined.c");
    let text = std::fs::read_to_string(&source).expect("the fixture");
    let program = read("clang-19", &source);
    for number in ["1", "14", "25", "36"] {
        let Exit::Undefined { place, .. } = run(&program, &arguments(&[number])).exit else {
            panic!("case {number} is undefined");
        };
        let line = program.place(place).line as usize;
        let found = text.lines().nth(line - 1).unwrap_or("");
        assert!(found.contains(&format!("case {number}:")), "{found}");
    }
}

#[test]
fn the_undefined_and_address_sanitizers_agree() {
    let flags = [
        "-fsanitize=undefined,address",
        "-fno-sanitize=shift-base,function",
        "-fno-sanitize-recover=all",
    ];
    let directory = tempfile::tempdir().expect("a temporary directory");
    let executable = compile(
        "clang-19",
        &fixtures().join("undefined.c"),
        &flags,
        directory.path(),
    );
    for (number, expected) in cases() {
        let output = Command::new(&executable)
            .arg(&number)
            .env(
                "ASAN_OPTIONS",
                "detect_stack_use_after_return=1:detect_leaks=0",
            )
            .output()
            .expect("the program runs");
        let should_report = match expected.map(UndefinedBehaviour::sanitizer) {
            Some(Sanitizer::Undefined | Sanitizer::Address) => true,
            Some(Sanitizer::Memory) | None => false,
            Some(Sanitizer::None) => continue,
        };
        assert_eq!(
            !output.status.success(),
            should_report,
            "case {number}, {expected:?}:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn the_memory_sanitizer_agrees() {
    let flags = ["-fsanitize=memory", "-fno-sanitize-recover=all"];
    let directory = tempfile::tempdir().expect("a temporary directory");
    let executable = compile(
        "clang-19",
        &fixtures().join("undefined.c"),
        &flags,
        directory.path(),
    );
    for (number, expected) in cases() {
        let should_report = match expected {
            Some(UndefinedBehaviour::Uninitialised) => true,
            None => false,
            Some(_) => continue,
        };
        let output = Command::new(&executable)
            .arg(&number)
            .output()
            .expect("the program runs");
        assert_eq!(
            !output.status.success(),
            should_report,
            "case {number}:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
