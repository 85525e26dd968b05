//! What a `compile_commands.json` means, and that no bytes make the reader fall over.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use knockon_build::compile_commands::{
    CompileCommand, CompileCommandsError, parse_compile_commands, read_compile_commands,
};
use proptest::prelude::*;

fn parse(text: &str) -> Result<Vec<CompileCommand>, CompileCommandsError> {
    parse_compile_commands(
        text.as_bytes(),
        Path::new("project/build/compile_commands.json"),
    )
}

fn message(text: &str) -> String {
    parse(text).expect_err("must be refused").to_string()
}

#[test]
fn command_and_arguments_spell_the_same_words() {
    let commands = parse(
        r#"[
        {"directory": "/src", "file": "a.c", "command": "cc -DNAME='\"a b\"' -I include\\ dir -c a.c"},
        {"directory": "/src", "file": "a.c", "arguments": ["cc", "-DNAME=\"a b\"", "-I", "include dir", "-c", "a.c"]}
        ]"#,
    )
    .unwrap();
    assert_eq!(commands[0].arguments, commands[1].arguments);
    assert_eq!(commands[0].arguments[1], r#"-DNAME="a b""#);
}

#[test]
fn nothing_in_a_command_is_expanded() {
    let commands =
        parse(r#"[{"directory": "/", "file": "a.c", "command": "cc $HOME `id` $(id) *.c"}]"#)
            .unwrap();
    assert_eq!(
        commands[0].arguments,
        ["cc", "$HOME", "`id`", "$(id)", "*.c"]
    );
}

#[test]
fn directory_is_relative_to_the_database_and_file_to_the_directory() {
    let commands =
        parse(r#"[{"directory": "..", "file": "src/a.c", "arguments": ["cc"], "output": "a.o"}]"#)
            .unwrap();
    assert_eq!(commands[0].directory, PathBuf::from("project/build/.."));
    assert_eq!(
        commands[0].source_path(),
        PathBuf::from("project/build/../src/a.c")
    );
    assert_eq!(commands[0].output, Some(PathBuf::from("a.o")));
}

#[test]
fn several_entries_for_one_file_are_several_compilations_in_order() {
    let commands = parse(
        r#"[{"directory": "/", "file": "a.c", "arguments": ["cc", "-DONE"]},
            {"directory": "/", "file": "a.c", "arguments": ["cc", "-DTWO"]}]"#,
    )
    .unwrap();
    assert_eq!(commands.len(), 2);
    assert_eq!(commands[1].arguments[1], "-DTWO");
}

#[test]
fn unknown_fields_are_skipped() {
    let text = r#"[{"note": {"deep": [1, {"x": null}]}, "directory": "/", "file": "a.c", "arguments": ["cc"]}]"#;
    assert_eq!(parse(text).unwrap().len(), 1);
}

#[test]
fn a_syntax_error_names_file_line_and_column() {
    assert!(
        message("[\n  {\"directory\": \"/\",\n   oops}]")
            .starts_with("project/build/compile_commands.json:3:4: entry 0: "),
    );
}

#[test]
fn a_broken_entry_names_its_index_and_file_and_what_is_missing() {
    let good = r#"{"directory": "/", "file": "a.c", "arguments": ["cc"]}"#;
    let missing = message(&format!(
        r#"[{good}, {{"file": "b.c", "arguments": ["cc"]}}]"#
    ));
    assert!(
        missing.contains(r#"entry 1 (file "b.c"): no `directory`"#),
        "{missing}"
    );
    let wrong_type = message(&format!(
        r#"[{good}, {{"file": "b.c", "arguments": "cc"}}]"#
    ));
    assert!(
        wrong_type.contains(r#"entry 1 (file "b.c")"#) && wrong_type.contains("list of strings"),
        "{wrong_type}"
    );
    let quote = message(r#"[{"directory": "/", "file": "c.c", "command": "cc 'x"}]"#);
    assert!(quote.contains("unclosed quote"), "{quote}");
    assert!(message(r#"[{"directory": "/", "arguments": ["cc"]}]"#).contains("entry 0: no `file`"));
    assert!(
        message(r#"[{"directory": "/", "file": "a.c"}]"#)
            .contains("neither `arguments` nor `command`")
    );
    assert!(
        message(r#"[{"directory": "/", "file": "a.c", "arguments": []}]"#)
            .contains("the command is empty")
    );
}

#[test]
fn an_error_after_the_last_entry_blames_no_entry() {
    let text = message(r#"[{"directory": "/", "file": "a.c", "arguments": ["cc"]}] x"#);
    assert!(
        text.contains("trailing characters") && !text.contains("entry"),
        "{text}"
    );
}

#[test]
fn an_empty_file_says_that_the_build_must_run() {
    assert!(message(" \n").contains("the compilation database is empty"));
    assert!(message("{}").contains("a list of compile commands"));
}

#[test]
fn a_device_or_directory_is_refused_without_reading() {
    let refused = read_compile_commands(Path::new("/dev/zero"));
    assert!(matches!(
        refused,
        Err(CompileCommandsError::NotAFile { .. })
    ));
    assert!(matches!(
        read_compile_commands(Path::new("/")),
        Err(CompileCommandsError::NotAFile { .. })
    ));
    let missing = read_compile_commands(Path::new("/nowhere/compile_commands.json"));
    assert!(matches!(
        missing,
        Err(CompileCommandsError::Unreadable { .. })
    ));
}

/// Deep nesting in a place that is read and in one that is skipped: refused or skipped, no overflow.
#[test]
fn deep_nesting_costs_no_stack() {
    let depth = 1_000_000;
    let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(&nested).is_err());
    assert!(parse(&"{\"a\":".repeat(depth)).is_err());
    let skipped =
        format!(r#"[{{"x": {nested}, "directory": "/", "file": "a.c", "arguments": ["cc"]}}]"#);
    let _either_way_without_overflow = parse(&skipped);
    let skipped = format!(r#"[{{"x": {}"#, "{\"a\":".repeat(depth));
    assert!(parse(&skipped).is_err());
}

#[test]
fn large_inputs_take_linear_time() {
    let entry = r#"{"directory": "/", "file": "a.c", "command": "cc -DA -DB -DC 'x' \"y\" a.c"},"#;
    let started = Instant::now();
    let text = format!("[{}", entry.repeat(50_000));
    assert!(parse(&text).is_err(), "the list is not closed");
    let quotes = format!(
        r#"[{{"directory": "/", "file": "a.c", "command": "{}"}}]"#,
        "'' ".repeat(500_000)
    );
    assert_eq!(parse(&quotes).unwrap()[0].arguments.len(), 500_000);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn cutting_a_database_anywhere_is_an_error_with_a_position() {
    let text = r#"[{"directory": "/", "file": "a.c", "command": "cc -DA='b c' -c a.c", "output": "a.o", "extra": 1}]"#;
    for cut in 0..text.len() {
        let refused = parse(&text[..cut]);
        let Err(CompileCommandsError::Malformed {
            line: 1, column, ..
        }) = refused
        else {
            panic!("cut at {cut}: {refused:?}");
        };
        assert!(column <= cut.max(1), "cut at {cut}: column {column}");
    }
}

/// Bytes near real databases: JSON punctuation, the field names, quotes, and arbitrary bytes.
fn database_like_bytes() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        Just(b"[".to_vec()),
        Just(b"]".to_vec()),
        Just(b"{".to_vec()),
        Just(b"}".to_vec()),
        Just(b",".to_vec()),
        Just(b":".to_vec()),
        Just(br#""directory":"/""#.to_vec()),
        Just(br#""file":"a.c""#.to_vec()),
        Just(br#""arguments":["cc"]"#.to_vec()),
        Just(br#""command":"cc 'a"#.to_vec()),
        Just(br#"{"directory":"/","file":"a.c","arguments":["cc"]}"#.to_vec()),
        Just(br#""\ud800""#.to_vec()),
        Just(b"\\u0000".to_vec()),
        Just(b"1e999".to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(token, 0..60).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8 * ProptestConfig::default().cases))]

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in database_like_bytes()) {
        let _ = parse_compile_commands(&bytes, Path::new("compile_commands.json"));
    }

    #[test]
    fn quoting_and_splitting_are_inverse(words in prop::collection::vec("[^\\x00]{0,12}", 1..8)) {
        let command = shlex::try_join(words.iter().map(String::as_str)).unwrap();
        let entry = serde_json::json!([{"directory": "/", "file": "a.c", "command": command}]);
        let commands = parse(&entry.to_string()).unwrap();
        prop_assert_eq!(&commands[0].arguments, &words);
    }
}
