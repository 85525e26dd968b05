//! Texts that only say how a function or a file is called are no difference, and others are.

mod pairs;

use knockon_change::{Edits, OldNames, Sides, pair, put_old_names, text_hunks};
use knockon_memory::memory_model::memory_model;
use knockon_program::TimeLimit;
use pairs::{TwoVersions, both, paired_files};
use std::collections::BTreeMap;

/// The versions with the old names in the new one, as commands compare them.
fn compared(old: &[(&str, &str)], new: &[(&str, &str)]) -> (TwoVersions, OldNames) {
    let mut two = paired_files(old, new);
    let mut texts: Sides<BTreeMap<String, String>> = Sides::default();
    let text = |files: &[(&str, &str)], name: &str| {
        let found = files.iter().find(|(other, _)| *other == name);
        found.map_or(String::new(), |(_, text)| (*text).to_owned())
    };
    let mut edits = Edits {
        others_are_unedited: true,
        ..Edits::default()
    };
    for (name, _) in old.iter().chain(new) {
        let path = format!("/{name}");
        let (before, after) = (text(old, name), text(new, name));
        let hunks = text_hunks(&before, &after);
        if hunks.is_empty() {
            continue;
        }
        texts.old.insert(path.clone(), before);
        texts.new.insert(path.clone(), after);
        edits.files.insert(path, hunks);
    }
    let names = put_old_names(
        &two.versions.old.program,
        &mut two.versions.new.program,
        &edits,
        &texts,
    );
    let memory = memory_model(&two.versions.new.program, TimeLimit::NONE);
    two.versions.new.memory = memory.expect("there is no limit");
    two.change = pair(both(&two.versions), &edits);
    (two, names)
}

fn compared_texts(old: &str, new: &str) -> (TwoVersions, OldNames) {
    compared(&[("a.c", old)], &[("a.c", new)])
}

/// By function, as `new (old)`.
fn functions(names: &OldNames) -> Vec<String> {
    let rows = names.functions.iter();
    rows.map(|row| format!("{} ({})", row.new, row.old))
        .collect()
}

const HEAD: &str = "int puts(const char *); void fail(const char *, int, const char *);\n\
                    unsigned long strlen(const char *);\n";

fn with_function(declared: &str, body: &str, call: &str) -> String {
    let rest = "for (int i = 0; i < a; i++) a += strlen(\"text\") - i * 3;";
    format!(
        "{HEAD}static int {declared}\n{{ {rest}\n{body}\n}}\nint main(void) {{\nreturn {call};\n}}\n"
    )
}

#[test]
fn the_name_in_a_renamed_function_is_no_difference() {
    for own in ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"] {
        let body = format!("if (a) fail(\"a\", 1, {own});\nreturn a + 1;");
        let (two, names) = compared_texts(
            &with_function("brief(int a)", &body, "brief(1)"),
            &with_function("much_longer(int a)", &body, "much_longer(1)"),
        );
        assert!(two.is_empty(), "{own}: {:?}", two.source_lines());
        assert_eq!(functions(&names), ["much_longer (brief)"]);
    }
}

#[test]
fn the_name_in_a_renamed_function_that_changed_is_no_difference_by_itself() {
    let body = |sum: &str| format!("fail(\"a\", 1, __func__);\nputs(__func__);\nreturn {sum};");
    let (two, names) = compared_texts(
        &with_function("f(int a)", &body("a + 1"), "f(1)"),
        &with_function("longer(int a)", &body("a + 2"), "longer(1)"),
    );
    assert_eq!(functions(&names), ["longer (f)"]);
    let lines = two.source_lines();
    assert!(lines.contains(&7), "{lines:?}");
    assert!(!lines.contains(&5) && !lines.contains(&6), "{lines:?}");
}

#[test]
fn the_declaration_in_an_assertion_is_no_difference() {
    let body = "fail(\"a\", 1, __PRETTY_FUNCTION__);\nreturn 1;";
    let (two, names) = compared_texts(
        &with_function("f(int a)", body, "f(1)"),
        &with_function("f(int a, int b)", body, "f(1, 2)"),
    );
    assert_eq!(functions(&names), ["f (f)"]);
    assert!(!two.source_lines().contains(&5), "{:?}", two.source_lines());
}

#[test]
fn a_name_that_was_written_by_hand_is_compared() {
    let (two, names) = compared_texts(
        &with_function("f(int a)", "puts(\"f\");\nreturn a;", "f(1)"),
        &with_function("longer(int a)", "puts(\"longer\");\nreturn a;", "longer(1)"),
    );
    assert!(names.is_empty());
    assert!(two.source_lines().contains(&5));
    // The old text spells the name out where the new one asks for it.
    let rest = "fail(\"a\", 1, __func__);\nreturn a;";
    let (two, names) = compared_texts(
        &with_function("f(int a)", &format!("puts(\"f\");\n{rest}"), "f(1)"),
        &with_function(
            "longer(int a)",
            &format!("puts(__func__);\n{rest}"),
            "longer(1)",
        ),
    );
    assert!(names.is_empty());
    assert!(two.source_lines().contains(&5));
}

#[test]
fn the_name_of_another_function_is_compared() {
    let text = |shown: &str| {
        format!(
            "{HEAD}static const char *f(void) {{ return __func__; }}\n\
             static const char *g(void) {{ return __func__; }}\n\
             int main(void) {{\nputs({shown}());\nreturn f() && g();\n}}\n"
        )
    };
    let (two, names) = compared_texts(&text("f"), &text("g"));
    assert!(names.is_empty());
    assert!(two.source_lines().contains(&6));
}

#[test]
fn the_size_of_a_name_is_a_difference() {
    let body = "fail(\"a\", 1, __func__);\nreturn a + sizeof __func__;";
    let (two, _) = compared_texts(
        &with_function("f(int a)", body, "f(1)"),
        &with_function("longer(int a)", body, "longer(1)"),
    );
    assert!(two.source_lines().contains(&6), "{:?}", two.source_lines());
    assert!(!two.source_lines().contains(&5), "{:?}", two.source_lines());
}

#[test]
fn a_static_variable_goes_with_its_renamed_function() {
    let body = "static int calls = 3;\ncalls += a;\nreturn calls;";
    let (two, names) = compared_texts(
        &with_function("f(int a)", body, "f(1)"),
        &with_function("longer(int a)", body, "longer(1)"),
    );
    assert!(two.is_empty(), "{:?}", two.source_lines());
    assert!(names.is_empty(), "nothing was assumed");
    let other = body.replace('3', "4");
    let (two, _) = compared_texts(
        &with_function("f(int a)", body, "f(1)"),
        &with_function("longer(int a)", &other, "longer(1)"),
    );
    assert!(!two.is_empty());
}

#[test]
fn the_path_in_a_moved_file_is_no_difference_on_unedited_lines() {
    let other = "int f(int); int main(void) { return f(1); }\n";
    let text = |last: &str| {
        format!("{HEAD}int f(int a) {{\nif (a) fail(__FILE__, 1, \"\");\n{last}\nreturn a;\n}}\n")
    };
    let moved = |old: &str, new: &str| {
        compared(
            &[("a.c", &text(old)), ("main.c", other)],
            &[("elsewhere.c", &text(new)), ("main.c", other)],
        )
    };
    let (two, names) = moved("", "");
    assert!(two.is_empty(), "{:?}", two.source_lines());
    let files: Vec<_> = names.files.iter().collect();
    assert_eq!((&*files[0].old, &*files[0].new), ("/a.c", "/elsewhere.c"));
    let (two, _) = moved("", "puts(__FILE__);");
    assert!(two.source_lines().contains(&5) && !two.source_lines().contains(&4));
    // Written by hand, the same text is compared.
    let (two, names) = moved("puts(\"/a.c\");", "puts(\"/elsewhere.c\");");
    assert!(names.is_empty());
    assert!(two.source_lines().contains(&5));
}

#[test]
fn the_path_that_a_file_of_both_versions_says_is_compared() {
    let function = "int f(int a) {\nif (a) fail(__FILE__, 1, \"\");\nreturn a;\n}\n";
    let main = "int f(int); int main(void) { return f(1); }\n";
    let (one, both_there) = (format!("{HEAD}{function}"), format!("{HEAD}int g;\n"));
    let old = [("a.c", &*one), ("b.c", &*both_there), ("main.c", main)];
    let new = [("a.c", &*both_there), ("b.c", &*one), ("main.c", main)];
    let (two, names) = compared(&old, &new);
    assert!(names.is_empty());
    assert!(!two.is_empty());
}
