//! Nothing is lost: sources that use much of C, C++ and Rust are compiled with
//! every compiler present, and what was read is counted against the records
//! that `llvm-bcanalyzer` finds in the bitcode of the same module.

use super::invariants::violations;
use knockon_llvm::census::{Class, census, census_of_bitcode_dump, differences};
use knockon_llvm::read_unit;
use knockon_program::{CaveatKind, Opcode};
use std::path::Path;
use std::process::Command;

/// The flags that Knockon compiles with.
const FLAGS: &[&str] = &[
    "-S",
    "-emit-llvm",
    "-g",
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-Xclang",
    "-disable-lifetime-markers",
    "-fno-discard-value-names",
    "-w",
];

fn is_present(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

#[track_caller]
fn run(command: &mut Command) -> Vec<u8> {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// Reads the text and compares it with the dump of the bitcode.
#[track_caller]
fn nothing_is_lost(text: &Path, bitcode: &Path, analyzer: &str) {
    let read = std::fs::read(text).expect("the compiler wrote it");
    let program = read_unit(&read, "compiled.ll").unwrap_or_else(|error| panic!("{error}"));
    assert!(
        violations(&program).is_empty(),
        "{:#?}",
        violations(&program)
    );
    let unknown: Vec<_> = program
        .caveats
        .iter()
        .filter(|caveat| caveat.kind == CaveatKind::UnknownInstruction)
        .collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
    let dump = run(Command::new(analyzer).arg("--dump").arg(bitcode));
    let expected = census_of_bitcode_dump(&dump);
    assert!(!expected.is_empty());
    let found = differences(&census(&program), &expected);
    assert!(found.is_empty(), "{found:#?}");
}

fn clang_loses_nothing(name: &str, source: &str) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join(name);
    std::fs::write(&file, source).expect("the source is written");
    for version in ["16", "19"] {
        let clang = format!("clang-{version}");
        if !is_present(&clang) {
            continue;
        }
        for optimised in [false, true] {
            let (text, bitcode) = (
                directory.path().join("unit.ll"),
                directory.path().join("unit.bc"),
            );
            let mut command = Command::new(&clang);
            if optimised {
                command.args([
                    "-S",
                    "-emit-llvm",
                    "-g",
                    "-O2",
                    "-w",
                    "-fvectorize",
                    "-mavx2",
                ]);
            } else {
                command.args(FLAGS);
            }
            run(command.arg(&file).arg("-o").arg(&text));
            run(Command::new(format!("llvm-as-{version}"))
                .arg(&text)
                .arg("-o")
                .arg(&bitcode));
            nothing_is_lost(&text, &bitcode, &format!("llvm-bcanalyzer-{version}"));
        }
    }
}

#[test]
fn nothing_of_c_is_lost() {
    clang_loses_nothing("data.c", include_str!("sources/data.c"));
    clang_loses_nothing("control.c", include_str!("sources/control.c"));
}

#[test]
fn nothing_of_cpp_is_lost() {
    clang_loses_nothing("objects.cpp", include_str!("sources/objects.cpp"));
}

#[test]
fn nothing_of_rust_is_lost() {
    if !is_present("rustc") || !is_present("llvm-bcanalyzer-19") {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("program.rs");
    std::fs::write(&file, include_str!("sources/program.rs")).expect("the source is written");
    for level in ["0", "2"] {
        run(Command::new("rustc")
            .args([
                "--emit=llvm-ir,llvm-bc",
                "-g",
                "--edition=2021",
                "-Ccodegen-units=1",
            ])
            .arg(format!("-Copt-level={level}"))
            .arg("--out-dir")
            .arg(directory.path())
            .arg(&file));
        let text = directory.path().join("program.ll");
        nothing_is_lost(
            &text,
            &directory.path().join("program.bc"),
            "llvm-bcanalyzer-19",
        );
    }
}

/// The comparison can fail: a module with one instruction less is noticed.
#[test]
fn a_lost_instruction_is_a_difference() {
    let read = |text: &str| census(&read_unit(text.as_bytes(), "x.ll").unwrap());
    let whole = read(
        "define i32 @f(i32 %a) {\n  %b = add i32 %a, 1\n  %c = icmp eq i32 %b, 2\n  ret i32 %b\n}\n",
    );
    let less = read("define i32 @f(i32 %a) {\n  %b = add i32 %a, 1\n  ret i32 %b\n}\n");
    let other = read(
        "define i32 @f(i32 %a) {\n  %b = sub i32 %a, 1\n  %c = icmp ne i32 %b, 2\n  ret i32 %b\n}\n",
    );
    assert!(differences(&whole, &whole).is_empty());
    assert_eq!(differences(&less, &whole).len(), 1);
    assert_eq!(differences(&other, &whole).len(), 4);
    assert_eq!(differences(&[], &whole).len(), 1);
}

#[test]
fn a_dump_counts_instructions_of_function_blocks_only() {
    let dump = b"<MODULE_BLOCK NumWords=1 BlockCodeSize=3>\n  <FUNCTION_BLOCK NumWords=2 BlockCodeSize=4>\n    <DECLAREBLOCKS op0=2/>\n    <CONSTANTS_BLOCK NumWords=4 BlockCodeSize=4>\n      <UnknownCode58 op0=4/>\n    </CONSTANTS_BLOCK>\n    <INST_BINOP op0=4294967295 op1=3 op2=1 op3=12/>\n    <INST_CAST abbrevid=5 op0=1 op1=3 op2=2/>\n    <INST_CMP2 op0=1 op1=12 op2=38/>\n    <INST_BR op0=1/>\n    <UnknownCode58 op0=1/>\n    <INST_RET abbrevid=9/>\n    <UnknownCode99 op0=1/>\n  </FUNCTION_BLOCK>\n</MODULE_BLOCK>\n";
    let functions = census_of_bitcode_dump(dump);
    let counts: Vec<(Class, u64)> = functions[0]
        .counts
        .iter()
        .map(|(class, count)| (*class, *count))
        .collect();
    assert_eq!(
        counts,
        [
            (Class::Blocks, 2),
            (Class::Binary(12), 1),
            (Class::Cast(2), 1),
            (Class::Compare(38), 1),
            (Class::Branch, 1),
            (Class::ReturnVoid, 1),
            (Class::Instruction(Opcode::Freeze), 1),
            (Class::UnknownRecord(99), 1),
        ]
    );
}
