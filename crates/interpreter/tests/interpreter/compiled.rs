//! Sources as Knockon reads them and as clang compiles them, and runs of both.

use knockon_interpreter::RunInput;
use knockon_program::{Program, link};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub const CLANGS: [&str; 2] = ["clang-19", "clang-16"];

const INPUT: &[u8] =
    b"12 3.5 word x rest of line\nsecond line\nthird\nfourth longer line here\n77 abc 0x1f tail\nlast";

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
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

/// The unit as the flags of Knockon make it.
pub fn read(clang: &str, source: &Path) -> Program {
    let mut command = Command::new(clang);
    command
        .args(["-w", "-S", "-emit-llvm", "-g", "-O1"])
        .args(["-Xclang", "-disable-llvm-passes"])
        .args(["-Xclang", "-disable-lifetime-markers"])
        .args(["-fno-discard-value-names", "-o", "-"])
        .arg(source);
    let text = succeed(&mut command).stdout;
    let unit = knockon_llvm::read_unit(&text, &source.to_string_lossy());
    unit.unwrap_or_else(|error| panic!("{}: {error}", source.display()))
}

pub fn promoted(mut program: Program) -> Program {
    knockon_graphs::promote(&mut program);
    program
}

/// The linked program in the forms that must all mean the same.
pub fn forms(units: &[Program]) -> [(&'static str, Program); 3] {
    let each_promoted = units.iter().cloned().map(promoted).collect();
    [
        ("linked", link(units.to_vec())),
        ("linked, then promoted", promoted(link(units.to_vec()))),
        ("promoted, then linked", link(each_promoted)),
    ]
}

/// Compiles fixtures to one executable in the directory.
pub fn compile(clang: &str, names: &[&str], flags: &[&str], directory: &Path) -> PathBuf {
    let executable = directory.join("program");
    let mut command = Command::new(clang);
    command.args(["-w", "-g"]).args(flags);
    command.args(names.iter().map(|name| fixture(name)));
    succeed(command.arg("-lm").arg("-o").arg(&executable));
    executable
}

/// A native run with the same arguments and input as [`input`].
pub fn native(executable: &Path, argument: &str, directory: &Path) -> Output {
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

pub fn input(argument: &str) -> RunInput {
    RunInput {
        arguments: vec![b"program".to_vec(), argument.as_bytes().to_vec()],
        stdin: INPUT.to_vec(),
        ..RunInput::default()
    }
}
