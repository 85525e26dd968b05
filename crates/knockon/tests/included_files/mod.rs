//! Files that only the assembler reads: the IR of both versions is equal, and what is printed is not.

use super::attributes::{printed, verdict_of};
use super::{directory_with, knockon};
use serde_json::Value;
use std::path::Path;

/// Two trees, each a C file and these others.
fn trees(source: &str, old: &[(&str, &[u8])], new: &[(&str, &[u8])]) -> tempfile::TempDir {
    let directory = directory_with(&[("old/a.c", source), ("new/a.c", source)]);
    for (tree, files) in [("old", old), ("new", new)] {
        for (name, bytes) in files {
            let path = directory.path().join(tree).join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            std::fs::write(path, bytes).expect("a file");
        }
    }
    directory
}

/// The versions print something else, and the line that prints is `expected`.
fn assert_seen(directory: &Path, line: u32, expected: &str) {
    let print = |tree: &str| printed(&directory.join(tree), "a.c", &[]);
    assert_ne!(print("old"), print("new"));
    assert_eq!(verdict_of(directory, ["old", "new"], line), expected);
}

const MODULE_DATA: &str = "#include <stdio.h>
__asm__(\".data\\n.globl data\\ndata: .incbin \\\"data.bin\\\"\\n.byte 0\\n.text\");
extern char data[];
int twice(int x) { return x * 2; }
int main(void) {
    int other = twice(4);
    printf(\"%d\\n\", other);
    printf(\"%d\\n\", data[2]);
    return 0;
}
";

#[test]
fn data_that_module_assembly_includes_impacts_its_readers() {
    let directory = trees(
        MODULE_DATA,
        &[("data.bin", &[0, 1, 2])],
        &[("data.bin", &[0, 1, 3])],
    );
    assert_seen(directory.path(), 8, "possible");
    assert_eq!(
        verdict_of(directory.path(), ["old", "new"], 7),
        "unaffected"
    );
}

#[test]
fn the_cache_does_not_serve_an_old_file() {
    let directory = trees(
        MODULE_DATA,
        &[("data.bin", b"abc")],
        &[("data.bin", b"abc")],
    );
    let verdict = || verdict_of(directory.path(), ["old", "new"], 8);
    assert_eq!(verdict(), "unaffected");
    std::fs::write(directory.path().join("new/data.bin"), "abd").expect("a file");
    assert_eq!(verdict(), "possible");
}

#[test]
fn data_that_inline_assembly_includes_impacts_its_readers() {
    let source = "#include <stdio.h>
int main(void) {
    int x;
    __asm__ volatile(\"jmp 2f\\n1: .incbin \\\"data.bin\\\"\\n.byte 0,0,0\\n2: movl 1b(%%rip), %0\" : \"=r\"(x));
    printf(\"%d\\n\", x);
    return 0;
}
";
    let directory = trees(source, &[("data.bin", b"a")], &[("data.bin", b"b")]);
    assert_seen(directory.path(), 5, "possible");
}

const INCLUDED_TEXT: &str = "#include <stdio.h>
__asm__(\".include \\\"parts/code.inc\\\"\");
int q(void);
int main(void) {
    printf(\"%d\\n\", q());
    return 0;
}
";

#[test]
fn text_that_assembly_includes_impacts_who_calls_it() {
    let code: &[u8] = b".text\n.globl q\nq: movl $VALUE, %eax\n ret\n.include \"value.inc\"\n";
    let directory = trees(
        INCLUDED_TEXT,
        &[("parts/code.inc", code), ("value.inc", b".set VALUE, 1\n")],
        &[("parts/code.inc", code), ("value.inc", b".set VALUE, 2\n")],
    );
    assert_seen(directory.path(), 5, "possible");
    let arguments = [
        "diff",
        "old",
        "new",
        "--format",
        "json",
        "--allow-incomplete",
    ];
    let output = knockon(directory.path(), &arguments);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let hunks = report["hunks"].as_array().expect("hunks");
    let hunk = hunks.iter().find(|hunk| hunk["file"] == "value.inc");
    let hunk = hunk.unwrap_or_else(|| panic!("no hunk of value.inc in {hunks:?}"));
    assert_eq!(hunk["account"], "in the delta", "{hunk:#}");
}

#[test]
fn a_file_whose_name_a_macro_makes_may_be_any() {
    let source = MODULE_DATA.replace(
        ".incbin \\\"data.bin\\\"",
        ".macro bring name\\n.incbin \\\"\\\\name\\\"\\n.endm\\nbring data.bin\\n",
    );
    let directory = trees(&source, &[("data.bin", b"abc")], &[("data.bin", b"abd")]);
    assert_seen(directory.path(), 8, "possible");
    let directory = trees(&source, &[("data.bin", b"abc")], &[("data.bin", b"abc")]);
    assert_eq!(
        verdict_of(directory.path(), ["old", "new"], 8),
        "unaffected"
    );
}

#[test]
fn data_that_is_embedded_impacts_its_readers() {
    let source = "#include <stdio.h>
static const unsigned char data[] = {
#embed \"data.bin\"
};
int main(void) {
    printf(\"%d\\n\", data[2]);
    return 0;
}
";
    let directory = trees(
        source,
        &[("data.bin", &[0, 1, 2])],
        &[("data.bin", &[0, 1, 3])],
    );
    assert_seen(directory.path(), 6, "possible");
}
