//! Hostile and damaged input: an error or a sound program, never a panic, a
//! hang or memory out of proportion.

use super::invariants::{size, violations};
use super::mutation::{self, Random};
use knockon_llvm::read_unit;
use std::time::{Duration, Instant};

/// Small inputs that once broke the reader.
const FINDS: &[&str] = &[
    // A string where a mnemonic must be, over a line end.
    "define void @f() {\n  \"a\n b\" x\n  ret void\n}\n",
];

fn is_error(text: &str) -> bool {
    match read_unit(text.as_bytes(), "test.ll") {
        Ok(program) => {
            assert!(violations(&program).is_empty());
            false
        }
        Err(_) => true,
    }
}

#[test]
fn a_text_that_was_cut_off_in_its_metadata_is_an_error_with_its_line() {
    let whole = "define i32 @f() !dbg !3 {
  ret i32 0
}

!llvm.dbg.cu = !{!0}
!llvm.ident = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: \"a!7.c\", directory: \"/\")
!2 = !{!\"clang; !9\"}
!3 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 1, unit: !0)
";
    assert!(!is_error(whole));
    let begin = whole.find("!llvm.dbg.cu").expect("metadata");
    for end in begin + 1..whole.len() - 1 {
        assert!(is_error(&whole[..end]), "{:?}", &whole[..end]);
    }
    let cut = &whole[..whole.find("mpileUnit").expect("a unit")];
    let error = read_unit(cut.as_bytes(), "cut.ll").expect_err("an error");
    assert!(error.to_string().starts_with("cut.ll:"), "{error}");
}

#[test]
fn deep_nesting_is_an_error_not_a_stack_overflow() {
    let deep = 100_000;
    let nested = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(deep), close.repeat(deep))
    };
    assert!(is_error(&format!(
        "@x = external global {}\n",
        nested("[1 x ", "i8", "]")
    )));
    assert!(is_error(&format!(
        "@x = external global {}\n",
        nested("{", "i8", "}")
    )));
    assert!(is_error(&format!(
        "@x = external global {}\n",
        nested("<{", "i8", "}>")
    )));
    assert!(is_error(&format!(
        "@x = external global {}\n",
        nested("void (", "i8", ")")
    )));
    assert!(is_error(&format!(
        "@x = global {{i8}} {}\n",
        nested("{{i8}", "i8 0", "}")
    )));
    assert!(is_error(&format!(
        "@x = global i8 {}\n",
        nested("add (i8 ", "1", ", i8 1)")
    )));
    assert!(is_error(&format!(
        "@x = global ptr {}\n",
        nested("getelementptr (i8, ptr ", "null", ", i8 1)")
    )));
    assert!(is_error(&format!(
        "@x = global ptr {}@x\n",
        "no_cfi ".repeat(deep)
    )));
    assert!(is_error(&format!(
        "@x = global ptr {}\n",
        nested("ptrauth (ptr ", "@x", ", i32 0)")
    )));
    // Brackets of attributes, metadata and bundles are skipped without recursion.
    let text = format!("declare void @f(ptr odd{} %x)\n", nested("(", "", ")"));
    assert!(!is_error(&text));
    let text = format!(
        "define void @f() {{\n  ret void, !x !{}\n}}\n",
        nested("{", "", "}")
    );
    assert!(!is_error(&text));
}

#[test]
fn types_that_nest_through_names_are_bounded_in_depth_and_leaves() {
    let mut chain = String::from("%t0 = type { i32 }\n@x = external global %t5000\n");
    let mut doubled = String::from("%t0 = type { i32 }\n@x = external global %t100\n");
    for level in 1..=5000 {
        chain.push_str(&format!(
            "%t{level} = type {{ %t{} }}\n@y{level} = external global %t{level}\n",
            level - 1
        ));
        doubled.push_str(&format!("%t{level} = type {{ %t{0}, %t{0} }}\n", level - 1));
    }
    assert!(is_error(&chain));
    assert!(is_error(&doubled));
    assert!(is_error(
        "%a = type { %b }\n%b = type { [2 x %a] }\n@x = external global %a\n"
    ));
}

#[test]
fn huge_counts_take_no_memory() {
    for text in [
        "@x = global [99999999999 x i8] zeroinitializer\n".to_owned(),
        "@x = global <4294967295 x i8> splat (i8 1)\n".to_owned(),
        "@x = global [18446744073709551615 x [18446744073709551615 x i64]] undef\n".to_owned(),
        "!99999999999999 = !{}\n!18446744073709551615 = !{}\n".to_owned(),
        "define void @f() {\n  %1000000000000 = add i32 1, 2\n  ret void\n}\n".to_owned(),
        "attributes #4000000000 = { nounwind }\n".to_owned(),
    ] {
        let program =
            read_unit(text.as_bytes(), "test.ll").unwrap_or_else(|error| panic!("{error}"));
        assert!(size(&program) < 10_000, "{text}");
    }
    assert!(is_error("@x = global i99999999 0\n"));
    assert!(is_error(
        "@x = global [99999999999999999999999 x i8] zeroinitializer\n"
    ));
    // Each of these would be a megabyte.
    let many: String = (0..200)
        .map(|value| format!("@x{value} = global i8388608 -{value}\n"))
        .collect();
    assert!(is_error(&many));
    assert!(is_error(&format!(
        "@x = global i8388608 {}\n",
        "9".repeat(100_000)
    )));
}

#[test]
fn a_large_function_does_not_make_the_small_ones_after_it_slow() {
    let mut text = String::from("define void @large() {\n");
    for value in 0..200_000 {
        text.push_str(&format!("  %v{value} = add i32 1, 2\n"));
    }
    text.push_str("  ret void\n}\n");
    for small in 0..20_000 {
        text.push_str(&format!("define void @s{small}() {{\n  ret void\n}}\n"));
    }
    let start = Instant::now();
    assert!(!is_error(&text));
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn text_that_is_cut_anywhere_is_an_error_or_a_sound_program() {
    for seed in mutation::seeds() {
        let step = (seed.len() / 1500).max(1);
        for end in (0..seed.len()).step_by(step) {
            mutation::check(&seed[..end]).unwrap_or_else(|broken| panic!("cut at {end}: {broken}"));
        }
    }
}

#[test]
fn mutated_text_is_an_error_or_a_sound_program() {
    let mut random = Random::new(1);
    let seeds = mutation::seeds();
    let deadline = Instant::now() + Duration::from_secs(5);
    let mut cases = 0;
    while Instant::now() < deadline && cases < 20_000 {
        let text = mutation::mutated(&mut random, &seeds);
        if let Err(broken) = mutation::check(&text) {
            panic!("case {cases}: {broken}\n{}", String::from_utf8_lossy(&text));
        }
        cases += 1;
    }
}

#[test]
fn finds_of_the_fuzzer_stay_fixed() {
    for text in FINDS {
        mutation::check(text.as_bytes()).unwrap_or_else(|broken| panic!("{broken}\n{text}"));
    }
}
