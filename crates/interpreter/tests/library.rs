//! The C library agrees with the host's: what a program prints to both outputs and how it ends, and
//! which calls are outside a function's contract, as the sanitizers see them.

use knockon_interpreter::{Exit, RunInput, Sanitizer, UndefinedBehaviour, run};
use knockon_program::Program;
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const CLANG: &str = "clang-19";
const INPUT: &[u8] =
    b"12 3.5 word x rest of line\nsecond line\nthird\nfourth longer line here\n77 abc 0x1f tail\nlast";
/// Cases of `library_undefined.c` that no sanitizer looks for: a string printed into itself, and a
/// character beyond the tables behind `isalpha`.
const BEYOND_SANITIZERS: [&str; 2] = ["12", "24"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn read(name: &str) -> Program {
    let mut command = Command::new(CLANG);
    command.args([
        "-w",
        "-S",
        "-emit-llvm",
        "-g",
        "-O1",
        "-Xclang",
        "-disable-llvm-passes",
    ]);
    command.args([
        "-Xclang",
        "-disable-lifetime-markers",
        "-fno-discard-value-names",
    ]);
    let output = command
        .arg(fixture(name))
        .args(["-o", "-"])
        .output()
        .expect("clang runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let unit = knockon_frontend::llvm::read_unit(&output.stdout, name);
    unit.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Compiles the fixture into the directory.
fn compile(name: &str, flags: &[&str], directory: &Path) -> PathBuf {
    let executable = directory.join("program");
    let mut command = Command::new(CLANG);
    command.args(["-w", "-g"]).args(flags).arg(fixture(name));
    let status = command.arg("-lm").arg("-o").arg(&executable).status();
    assert!(status.expect("clang runs").success());
    executable
}

fn native(executable: &Path, argument: &str, directory: &Path) -> Output {
    let mut child = Command::new(executable)
        .arg0("program")
        .arg(argument)
        .current_dir(directory)
        .env_clear()
        .env("TZ", "UTC")
        .env(
            "ASAN_OPTIONS",
            "detect_stack_use_after_return=1:detect_leaks=0",
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    // A program that does not read its input may be gone before it is written.
    let _written = input.write_all(INPUT);
    drop(input);
    child.wait_with_output().expect("the program ends")
}

fn input(argument: &str) -> RunInput {
    RunInput {
        arguments: vec![b"program".to_vec(), argument.as_bytes().to_vec()],
        stdin: INPUT.to_vec(),
        ..RunInput::default()
    }
}

fn assert_agrees(name: &str) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let executable = compile(name, &["-O1"], directory.path());
    let native = native(&executable, "one", directory.path());
    let run = run(&read(name), &input("one"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        text(&run.stdout),
        text(&native.stdout),
        "{name}: {:?}",
        run.exit
    );
    assert_eq!(
        text(&run.stderr),
        text(&native.stderr),
        "{name}: {:?}",
        run.exit
    );
    match run.exit {
        Exit::AssertionFailed(_) | Exit::Aborted => assert_eq!(native.status.signal(), Some(6)),
        exit => assert_eq!(exit.code(), native.status.code(), "{name}: {exit:?}"),
    }
}

#[test]
fn strings_and_conversions_agree_with_the_compiled_program() {
    assert_agrees("library_strings.c");
}

#[test]
fn files_and_buffers_agree_with_the_compiled_program() {
    assert_agrees("library_files.c");
}

#[test]
fn input_agrees_with_the_compiled_program() {
    assert_agrees("library_input.c");
}

#[test]
fn mathematics_and_dates_agree_with_the_compiled_program() {
    assert_agrees("library_mathematics.c");
}

#[test]
fn options_agree_with_the_compiled_program() {
    assert_agrees("library_options.c");
}

#[test]
fn what_an_aborted_program_loses_agrees_with_the_compiled_program() {
    assert_agrees("library_aborted.c");
}

/// The cases of `library_undefined.c`: number, and the class that the comment behind it names.
fn cases() -> Vec<(String, Option<UndefinedBehaviour>)> {
    let text = std::fs::read_to_string(fixture("library_undefined.c")).expect("the fixture");
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

#[test]
fn a_call_outside_its_contract_is_reported_as_its_class() {
    let program = read("library_undefined.c");
    for (number, expected) in cases() {
        let found = match run(&program, &input(&number)).exit {
            Exit::Returned(0) => None,
            Exit::Undefined { kind, .. } => Some(kind),
            other => panic!("case {number}: an unexpected end: {other:?}"),
        };
        assert_eq!(found, expected, "case {number}");
    }
}

fn assert_sanitizers_agree(
    flags: &[&str],
    should_report: fn(Option<UndefinedBehaviour>) -> Option<bool>,
) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let executable = compile("library_undefined.c", flags, directory.path());
    for (number, expected) in cases() {
        let Some(should_report) = should_report(expected) else {
            continue;
        };
        if BEYOND_SANITIZERS.contains(&number.as_str()) {
            continue;
        }
        let output = native(&executable, &number, directory.path());
        assert_eq!(
            !output.status.success(),
            should_report,
            "case {number}, {expected:?}:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn the_undefined_and_address_sanitizers_agree() {
    let flags = ["-fsanitize=undefined,address", "-fno-sanitize-recover=all"];
    assert_sanitizers_agree(&flags, |expected| {
        match expected.map(UndefinedBehaviour::sanitizer) {
            Some(Sanitizer::Undefined | Sanitizer::Address) => Some(true),
            Some(Sanitizer::Memory) | None => Some(false),
            Some(Sanitizer::None) => None,
        }
    });
}

#[test]
fn the_memory_sanitizer_agrees() {
    let flags = ["-fsanitize=memory", "-fno-sanitize-recover=all"];
    assert_sanitizers_agree(&flags, |expected| match expected {
        Some(UndefinedBehaviour::Uninitialised) => Some(true),
        None => Some(false),
        Some(_) => None,
    });
}
