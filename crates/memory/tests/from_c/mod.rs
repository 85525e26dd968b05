//! C and C++ text as a program, as clang gives it: not promoted.

use knockon_program::Program;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// `language` as clang's `-x` names it.
pub fn compile(source: &str, language: &str) -> Program {
    let mut child = Command::new("clang-19")
        .args(["-w", "-S", "-emit-llvm", "-g", "-O1"])
        .args(["-Xclang", "-disable-llvm-passes"])
        .args(["-Xclang", "-disable-lifetime-markers"])
        .args(["-fno-discard-value-names", "-o", "-", "-x", language, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("clang-19 is installed");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(source.as_bytes()).expect("clang reads");
    drop(input);
    let output = child.wait_with_output().expect("clang ends");
    assert!(output.status.success(), "clang refuses the program");
    knockon_llvm::read_unit(&output.stdout, "test.c").expect("the IR is read")
}
