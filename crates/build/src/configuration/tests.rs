//! What a `knockon.toml` may say, and how its errors read.

use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> Result<Configuration, ConfigurationError> {
    parse_configuration(text.as_bytes(), Path::new("knockon.toml"))
}

fn message(text: &str) -> String {
    parse(text).expect_err("must be refused").to_string()
}

#[test]
fn all_keys_are_read() {
    let configuration = parse(
        r#"
        [build]
        configure = "./configure"
        command = "make -j2"
        inputs = ["tools/**"]
        target = "x86_64-linux-gnu"
        sysroot = "/opt/sysroot"

        [[test]]
        name = "one"
        args = ["-x", "y"]
        stdin = "in\n"
        files = ["data/a.txt"]
        env = { LANG = "C" }
        timeout = 1.5

        [[test]]
        name = "two"
        timeout = 3
        "#,
    )
    .expect("valid");
    let build = configuration.build.expect("a build");
    assert_eq!(
        build.commands().collect::<Vec<_>>(),
        ["./configure", "make -j2"]
    );
    assert!(build.inputs[0].matches("tools/a.py"));
    assert_eq!(
        configuration.tests[0].timeout,
        Some(Duration::from_millis(1500))
    );
    assert_eq!(configuration.tests[0].env["LANG"], "C");
    assert_eq!(
        configuration.tests[1],
        Test {
            name: "two".to_owned(),
            timeout: Some(Duration::from_secs(3)),
            ..Test::default()
        }
    );
}

#[test]
fn an_unknown_key_names_its_place_and_the_nearest_key() {
    let text = message("[build]\nconfigure = \"x\"\n  comand = \"make\"\n");
    assert!(
        text.starts_with("knockon.toml:3:3: unknown field `comand`"),
        "{text}"
    );
    assert!(text.ends_with("did you mean `command`?"), "{text}");
    let text = message("[[test]]\nname = \"a\"\ntimout = 3\n");
    assert!(
        text.starts_with("knockon.toml:3:1:") && text.ends_with("did you mean `timeout`?"),
        "{text}"
    );
    assert!(message("[biuld]\n").ends_with("did you mean `build`?"));
}

#[test]
fn wrong_types_and_syntax_errors_name_their_place() {
    assert!(message("[build]\ncommand = 3\n").starts_with("knockon.toml:2:11: "));
    assert!(message("[build\n").starts_with("knockon.toml:1:7: "));
    assert!(message("[[test]]\nargs = []\n").contains("missing field `name`"));
    let not_text = parse_configuration(b"[build]\ncommand = \"\xff\"", Path::new("knockon.toml"));
    assert!(
        not_text
            .expect_err("not UTF-8")
            .to_string()
            .starts_with("knockon.toml:2:12: not UTF-8")
    );
}

#[test]
fn values_without_a_meaning_are_refused() {
    assert!(
        message("[build]\ncommand = \" \"\n").starts_with("knockon.toml:2:11: an empty command")
    );
    assert!(
        message("[build]\ninputs = [\"a\", \"***\"]\n")
            .starts_with("knockon.toml:2:16: not a pattern")
    );
    assert!(message("[build]\ntarget = \"-fplugin=x\"\n").contains("not a target"));
    assert!(
        message("[[test]]\nname=\"a\"\n[[test]]\nname=\"a\"\n")
            .starts_with("knockon.toml:4:6: two tests")
    );
    assert!(message("[[test]]\nname=\"a\"\nfiles=[\"../x\"]\n").contains("below it"));
    assert!(message("[[test]]\nname=\"a\"\nfiles=[\"/etc/passwd\"]\n").contains("below it"));
    assert!(message("[[test]]\nname=\"a\"\nenv={\"A=B\"=\"\"}\n").contains("environment"));
    for timeout in ["0", "-1", "nan", "inf"] {
        assert!(
            message(&format!("[[test]]\nname=\"a\"\ntimeout={timeout}\n"))
                .contains("positive number")
        );
    }
}

#[test]
fn an_empty_file_is_an_empty_configuration() {
    let configuration = parse("").expect("valid");
    assert!(configuration.build.is_none() && configuration.tests.is_empty());
}

#[test]
fn deep_nesting_is_refused_without_overflow() {
    let depth = 100_000;
    assert!(parse(&format!("a = {}{}", "[".repeat(depth), "]".repeat(depth))).is_err());
    assert!(parse(&format!("[{}a]", "a.".repeat(depth))).is_err());
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"[]{}=\"'.\n#buildtest".to_vec())], 0..200)
    ) {
        let _ = parse_configuration(&bytes, Path::new("knockon.toml"));
    }
}
