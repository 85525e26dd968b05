//! What is no program is an error that names its line and says what is wrong.

use knockon_llvm::read_unit;

/// Line, column and message.
#[track_caller]
fn error(text: &str) -> (u32, u32, String) {
    match read_unit(text.as_bytes(), "test.ll") {
        Ok(_) => panic!("this must not be readable:\n{text}"),
        Err(error) => (error.line, error.column, error.message),
    }
}

#[test]
fn errors_name_file_line_and_column_and_say_what_to_do() {
    let text = "define void @f() {\n  store i32 %nowhere, ptr null\n  ret void\n}\n";
    let error = read_unit(text.as_bytes(), "dir/x.ll").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("dir/x.ll:2:13: %nowhere is never defined")
    );
    assert!(error.to_string().contains("clang -S -emit-llvm"));
}

#[test]
fn references_to_nothing_are_errors_at_their_use() {
    assert_eq!(error("@x = global ptr @y\n").0, 1);
    assert_eq!(error("define void @f() {\n  br label %x\n}\n").0, 2);
    assert_eq!(
        error("@a = global i32 0\n@x = global %missing zeroinitializer\n").0,
        2
    );
    assert_eq!(
        error("define void @f() {\n  ret void\n}\n@x = global ptr blockaddress(@f, %none)\n").0,
        4
    );
}

#[test]
fn names_that_are_defined_twice_are_errors() {
    for text in [
        "@x = global i32 0\n@x = global i32 0\n",
        "declare void @x()\ndefine void @x() {\n  ret void\n}\n",
        "%t = type {}\n%t = type {}\n",
        "define void @f(i32 %a, i32 %a) {\n  ret void\n}\n",
        "define void @f(i32 %a) {\n  %a = add i32 1, 2\n  ret void\n}\n",
        "define void @f() {\nx:\n  br label %x\nx:\n  ret void\n}\n",
        "define i32 @f(i32 %0) {\n  %0 = add i32 1, 2\n  ret i32 %0\n}\n",
    ] {
        assert!(
            error(text).2.contains("twice") || error(text).2.contains("two parameters"),
            "{text}"
        );
    }
}

#[test]
fn blocks_must_end_in_one_terminator_and_begin_with_their_phis() {
    assert_eq!(
        error("define void @f() {\na:\n  fence seq_cst\nb:\n  ret void\n}\n").0,
        4
    );
    assert_eq!(error("define void @f() {\na:\n  fence seq_cst\n}\n").0, 4);
    assert_eq!(error("define void @f() {\n}\n").0, 2);
    assert_eq!(error("define void @f() {\na:\n  br label %b\nb:\n  fence seq_cst\n  %x = phi i32 [ 0, %a ]\n  ret void\n}\n").0, 6);
}

#[test]
fn labels_and_values_are_not_interchangeable() {
    assert!(
        error("define void @f(i32 %a) {\n  br label %a\n}\n")
            .2
            .contains("no label")
    );
    assert!(
        error("define i32 @f() {\nx:\n  ret i32 %x\n}\n")
            .2
            .contains("no value")
    );
    assert!(
        error("define i32 @f() {\nx:\n  %a = add i32 %y, 1\n  br label %y\ny:\n  ret i32 0\n}\n")
            .2
            .contains("no value")
    );
}

#[test]
fn a_void_result_has_no_name() {
    assert_eq!(
        error("declare void @g()\ndefine void @f() {\n  %x = call void @g()\n  ret void\n}\n").0,
        3
    );
}

#[test]
fn what_ends_too_early_says_so() {
    assert!(
        error("define void @f() {\n  ret void\n")
            .2
            .starts_with("the text ends too early")
    );
    assert!(
        error("@x = global [2 x i32] [i32 1, ")
            .2
            .starts_with("the text ends too early")
    );
    assert!(error("source_filename = \"abc").2.contains("no end"));
}

#[test]
fn what_is_not_text_ir_is_named() {
    assert!(error("BC\u{0}").2.contains("module-level"));
    let bitcode = read_unit(b"BC\xc0\xde\x35", "a.bc").unwrap_err();
    assert!(bitcode.message.contains("llvm-dis"));
    assert!(
        error("define i32* @f() {\n  ret i32* null\n}\n")
            .2
            .contains("typed pointers")
    );
    assert!(
        error("int main() { return 0; }\n")
            .2
            .contains("module-level")
    );
}

#[test]
fn a_function_that_lost_its_header_is_not_skipped_in_silence() {
    assert!(
        error("dxfine void @f() {\nentry:\n  ret void\n}\n")
            .2
            .contains("module-level")
    );
    assert!(
        error(
            "define void @f() {\nentry:\n  ret void\n\ndefine void @g() {\nentry:\n  ret void\n}\n"
        )
        .0 >= 5
    );
}

#[test]
fn aggregates_must_match_their_type() {
    for text in [
        "@x = global [2 x i32] [i32 1]\n",
        "@x = global { i32 } { i64 1 }\n",
        "@x = global i32 { i32 1 }\n",
        "@x = global [2 x i8] c\"abc\"\n",
        "@x = global i32 null\n",
        "@x = global ptr 5\n",
        "@x = global i32 1.0\n",
        "@x = global i8 true\n",
    ] {
        error(text);
    }
    // An empty aggregate is fine.
    assert!(read_unit(b"@x = global {} {}\n@y = global [0 x i32] []\n", "x").is_ok());
}
