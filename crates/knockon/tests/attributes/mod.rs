//! Code that is written alike and compiled otherwise: attributes and flags are part of what a
//! function is. Where this machine can show it, both versions are run first.

use super::{directory_with, knockon};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

pub fn verdict_of(directory: &Path, versions: [&str; 2], line: u32) -> String {
    let arguments = [
        "diff",
        versions[0],
        versions[1],
        "--format",
        "json",
        "--allow-incomplete",
    ];
    let output = knockon(directory, &arguments);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = report["lines"].as_array().expect("lines");
    let row = rows.iter().find(|row| row["line"] == line);
    let row = row.unwrap_or_else(|| panic!("no line {line} in {report:#}"));
    row["verdict"].as_str().expect("a verdict").to_owned()
}

/// What a program prints that is compiled from this file.
pub fn printed(directory: &Path, file: &str, flags: &[&str]) -> String {
    let program = directory.join("program");
    let status = Command::new("clang-19")
        .args(["-w", "-o"])
        .arg(&program)
        .args(flags)
        .args([file, "-lm"])
        .current_dir(directory)
        .status()
        .expect("clang-19 is installed");
    assert!(status.success(), "{file} does not compile");
    let output = Command::new(&program).output().expect("it runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn fuses_products() -> bool {
    std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains(" fma "))
}

/// `residue` is what rounding left of a square.
fn squares(attribute: &str) -> String {
    format!(
        "#include <stdio.h>
{attribute}
double residue(double a, double b) {{
    return a * a - b;
}}
int twice(int x) {{
    return x * 2;
}}
int main(void) {{
    double a = 1.0 + 1.0 / (1 << 30);
    double r = residue(a, a * a);
    int other = twice(21);
    printf(\"%d\\n\", other);
    printf(\"%g\\n\", r);
    return 0;
}}
"
    )
}

const RESIDUE: u32 = 4;
const TWICE: u32 = 7;
const PRINTS_OTHER: u32 = 13;
const PRINTS_RESIDUE: u32 = 14;

const FMA: &str = "__attribute__((target(\"fma\")))";

#[test]
fn a_fused_product_impacts_what_is_printed() {
    let (old, new) = (squares(""), squares(FMA));
    let directory = directory_with(&[("old.c", &old), ("new.c", &new)]);
    let place = directory.path();
    if fuses_products() {
        assert_ne!(printed(place, "old.c", &[]), printed(place, "new.c", &[]));
    }
    let verdict = |line| verdict_of(place, ["old.c", "new.c"], line);
    assert_eq!(verdict(RESIDUE), "possible");
    assert_eq!(verdict(PRINTS_RESIDUE), "possible");
    assert_eq!(verdict(TWICE), "unaffected");
    assert_eq!(verdict(PRINTS_OTHER), "unaffected");
}

#[test]
fn a_function_that_fuses_products_is_not_equivalent_to_one_that_does_not() {
    let (old, new) = (squares(""), squares(FMA));
    let directory = directory_with(&[("old.c", &old), ("new.c", &new)]);
    let code = |function: &str| {
        let arguments = ["equiv", "old.c", "new.c", "-f", function];
        knockon(directory.path(), &arguments).status.code()
    };
    // Seen on a machine that can, and undecided on others.
    assert!(
        matches!(code("residue"), Some(1 | 3)),
        "{:?}",
        code("residue")
    );
    assert_ne!(code("main"), Some(0));
    assert_eq!(code("twice"), Some(0));
}

#[test]
fn a_function_that_is_entered_may_fuse_products_that_its_caller_did_not() {
    let old = "double f(double a, double b, double c) { return a * b + c; }\n";
    let new = format!(
        "{FMA} static double g(double a, double b, double c) {{ return a * b + c; }}\n\
         double f(double a, double b, double c) {{ return g(a, b, c); }}\n"
    );
    let directory = directory_with(&[("old.c", old), ("new.c", &new)]);
    let arguments = ["equiv", "old.c", "new.c", "-f", "f"];
    let code = knockon(directory.path(), &arguments).status.code();
    assert!(matches!(code, Some(1 | 3)), "{code:?}");
}

/// Two trees with the same source, compiled with these flags.
fn trees(source: &str, old: &[&str], new: &[&str]) -> tempfile::TempDir {
    let command = |flags: &[&str]| {
        let arguments = [&["cc"], flags, &["-c", "a.c"]].concat();
        serde_json::json!([{ "directory": ".", "file": "a.c", "arguments": arguments }]).to_string()
    };
    let directory = directory_with(&[("old/a.c", source), ("new/a.c", source)]);
    for (tree, flags) in [("old", old), ("new", new)] {
        let place = directory.path().join(tree);
        let text =
            command(flags).replace("\".\"", &format!("{:?}", place.to_str().expect("UTF-8")));
        std::fs::write(place.join("compile_commands.json"), text).expect("a file");
    }
    directory
}

const TREES: [&str; 2] = ["old/compile_commands.json", "new/compile_commands.json"];

#[test]
fn flags_of_the_build_are_part_of_what_a_function_is() {
    let source = squares("");
    let rows: [(&[&str], u32, &str); 6] = [
        (&["-mfma"], RESIDUE, "possible"),
        (&["-mfma"], TWICE, "unaffected"),
        (&["-fno-delete-null-pointer-checks"], TWICE, "possible"),
        (&["-fno-builtin"], PRINTS_OTHER, "possible"),
        // clang has no such flag.
        (&["-fsso-struct=big-endian"], TWICE, "possible"),
        (
            &["-fno-omit-frame-pointer", "-O2", "-Wall"],
            RESIDUE,
            "unaffected",
        ),
    ];
    for (flags, line, expected) in rows {
        let directory = trees(&source, &[], flags);
        let found = verdict_of(directory.path(), TREES, line);
        assert_eq!(found, expected, "{flags:?} line {line}");
        let directory = trees(&source, flags, flags);
        let found = verdict_of(directory.path(), TREES, line);
        assert_eq!(found, "unaffected", "{flags:?} in both, line {line}");
    }
}

#[test]
fn a_test_for_null_that_stays_in_one_version_is_not_unaffected() {
    let source = "int f(int *p) {
    int x = *p;
    return p ? x : 7;
}
";
    let directory = trees(source, &["-fno-delete-null-pointer-checks"], &[]);
    assert_eq!(verdict_of(directory.path(), TREES, 3), "possible");
}

#[test]
fn the_order_of_an_atomic_access_counts() {
    let text = |order: &str| {
        format!(
            "#include <stdatomic.h>
atomic_int flag;
int f(void) {{
    int seen = atomic_load_explicit(&flag, {order});
    return seen;
}}
"
        )
    };
    let old = text("memory_order_acquire");
    let new = text("memory_order_relaxed");
    let directory = directory_with(&[("old.c", &old), ("new.c", &new)]);
    let verdict = |versions, line| verdict_of(directory.path(), versions, line);
    assert_eq!(verdict(["old.c", "new.c"], 4), "changed");
    assert_eq!(verdict(["old.c", "new.c"], 5), "possible");
    assert_eq!(verdict(["old.c", "old.c"], 5), "unaffected");
}

/// IR of one function whose attributes are these.
fn ir(group: u32, attributes: &str) -> String {
    format!(
        "target triple = \"x86_64-unknown-linux-gnu\"
define double @f(double %a) #{group} !dbg !4 {{
  %r = fmul double %a, 2.0, !dbg !7
  ret double %r, !dbg !7
}}
attributes #{group} = {{ {attributes} }}
!llvm.dbg.cu = !{{!0}}
!llvm.module.flags = !{{!2}}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: \"a.c\", directory: \"/\")
!2 = !{{i32 2, !\"Debug Info Version\", i32 3}}
!4 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 1, type: !5, unit: !0)
!5 = !DISubroutineType(types: !6)
!6 = !{{}}
!7 = !DILocation(line: 2, scope: !4)
"
    )
}

#[test]
fn attributes_without_meaning_make_no_source() {
    let old = ir(0, "nounwind \"target-cpu\"=\"x86-64\"");
    let new = ir(
        9,
        "nounwind uwtable(sync) noinline cold sspstrong \"frame-pointer\"=\"all\" \
         \"min-legal-vector-width\"=\"256\" \"tune-cpu\"=\"skylake\" \"target-cpu\"=\"x86-64\" \
         \"no-nans-fp-math\"=\"false\"",
    );
    let directory = directory_with(&[("old.ll", &old), ("new.ll", &new)]);
    assert_eq!(
        verdict_of(directory.path(), ["old.ll", "new.ll"], 2),
        "unaffected"
    );
}

#[test]
fn attributes_with_a_meaning_or_without_a_name_make_sources() {
    let old = ir(0, "nounwind");
    for attributes in [
        "nounwind strictfp",
        "nounwind optnone noinline",
        "nounwind null_pointer_is_valid",
        "nounwind \"denormal-fp-math\"=\"preserve-sign,preserve-sign\"",
        "nounwind \"no-nans-fp-math\"=\"true\"",
        "nounwind \"strict-float-cast-overflow\"=\"false\"",
        "nounwind \"no-builtins\"",
        "nounwind \"nobody-knows-this\"",
    ] {
        let directory = directory_with(&[("old.ll", &old), ("new.ll", &ir(0, attributes))]);
        let found = verdict_of(directory.path(), ["old.ll", "new.ll"], 2);
        assert_eq!(found, "possible", "{attributes}");
    }
}
