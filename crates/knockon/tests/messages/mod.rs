//! What a new user meets first: mistakes are answered with what to do, and every example of the help
//! runs.

use super::{directory_with, git, knockon, knockon_command, repository_with, stderr};
use clap::CommandFactory as _;
use std::path::Path;

const FILE: &str = "#include <stdio.h>
int twice(int x) {
    return x + x;
}
int main(int argc, char **argv) {
    printf(\"%d\\n\", twice(argc));
    return 0;
}
";

/// Each mistake, and the words that tell what to do.
const MISTAKES: [(&str, &str); 18] = [
    ("diff --jobs 0", "use 1 or more"),
    ("diff --budget 5d", "use ms, s, m or h"),
    (
        "diff --only nothing*",
        "--only nothing* matches no file of the program",
    ),
    (
        "diff -o /nowhere/report",
        "cannot write the report to /nowhere/report",
    ),
    ("diff nosuch", "`nosuch` is neither a path nor a revision"),
    ("diff HEAD~7", "did you mean `HEAD`?"),
    (
        "diff --executable other",
        "there is no executable other here; there are: a",
    ),
    ("why a.c:nosuch", "a.c has no function nosuch"),
    (
        "why b.c:3",
        "no code of b.c is in the program; did you mean `a.c`?",
    ),
    ("slice a.c:1", "the nearest line with code is 3"),
    (
        "slice a.c:3 --executable other",
        "there is no executable other here",
    ),
    (
        "after twice --executable other",
        "there is no executable other here",
    ),
    (
        "dump ssa twice --executable other",
        "there is no executable other here",
    ),
    ("after twyce", "did you mean `twice`?"),
    ("dump ssa", "say which function"),
    (
        "read -p nowhere",
        "`nowhere` is neither a path nor a revision",
    ),
    ("trust", "`knockon init` writes one"),
    ("capture -- true", "nothing was compiled"),
];

#[test]
fn each_mistake_is_answered_with_what_to_do() {
    let repository = repository_with(&[("a.c", FILE)]);
    let edited = FILE.replace("x + x", "x * 3");
    std::fs::write(repository.path().join("a.c"), edited).expect("a file");
    for (arguments, advice) in MISTAKES {
        let words: Vec<&str> = arguments.split(' ').collect();
        let output = knockon(repository.path(), &words);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
        assert!(message.contains(advice), "{arguments}: {message}");
        assert!(!message.contains(".tmp"), "{arguments}: {message}");
        let plain = message.replace("there is no ", "");
        assert!(!plain.contains(" is no "), "{arguments}: {message}");
    }
}

#[test]
fn what_fails_for_lack_of_a_temporary_directory_names_the_directory_only() {
    let directory = directory_with(&[("a.c", FILE)]);
    let output = knockon_command(directory.path(), env!("CARGO_BIN_EXE_knockon"))
        .args(["after", "main", "-p", "a.c"])
        .env("TMPDIR", "/nowhere/at/all")
        .output()
        .expect("knockon runs");
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("cannot make a temporary directory in /nowhere/at/all: "));
    assert!(!message.contains("all/"), "{message}");
}

/// The place of a header's error is the error's own.
#[test]
fn a_failed_unit_quotes_the_error_and_not_how_its_header_was_included() {
    let directory = directory_with(&[
        ("a.c", FILE),
        ("b.c", "#include \"b.h\"\n"),
        ("b.h", "unknown_type x;\n"),
    ]);
    let output = knockon(directory.path(), &["read"]);
    let message = stderr(&output);
    assert!(
        message.contains("b.h:1:1: error: unknown type name"),
        "{message}"
    );
    assert!(!message.contains("In file included"), "{message}");
}

/// Two programs of one name, each in its directory.
#[test]
fn programs_of_one_name_are_told_apart_by_their_directories() {
    let program =
        |number: u32| format!("int only_{number};\nint main(void) {{ return {number}; }}\n");
    let makefile = "all: one/tool two/tool\n%/tool: %/main.c\n\tcc -g -o $@ $<\n";
    let repository = repository_with(&[
        ("Makefile", makefile),
        ("one/main.c", &program(1)),
        ("two/main.c", &program(2)),
        (".gitignore", "tool\n"),
    ]);
    let here = repository.path();
    let captured = knockon(here, &["capture", "--", "make", "-s"]);
    assert!(captured.status.success(), "{}", stderr(&captured));
    for command in [
        &["after", "main"][..],
        &["slice", "main.c:2"],
        &["dump", "ssa", "main"],
    ] {
        for choice in [&[][..], &["--executable", "tool"]] {
            let output = knockon(here, &[command, choice].concat());
            let message = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{message}");
            assert!(message.contains("one/tool, two/tool"), "{message}");
        }
        let output = knockon(here, &[command, &["--executable", "two/tool"]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    }
}

/// A project in which all examples make sense.
fn example_project() -> tempfile::TempDir {
    let mut parse = String::from("#include \"parse.h\"\n");
    while parse.lines().count() < 116 {
        parse.push('\n');
    }
    parse
        .push_str("int parse_line(int x) {\n    int sum = 0;\n    for (int i = 0; i < 9; i++) {\n");
    parse.push_str("        sum += x;\n    }\n    return sum;\n}\n");
    let pair = |digit: u32, other: &str| {
        format!(
            "int parse(int x) {{\n    return x + {digit};\n}}\nint {other}(int x) {{ return x; }}\n\n\n\n\n\n\n\
             int main(int n, char **v) {{\n    return parse(n) + {other}(n);\n}}\n"
        )
    };
    let repository = repository_with(&[
        ("src/parse.h", "int parse_line(int);\n"),
        ("src/parse.c", &parse),
        (
            "src/main.c",
            "#include \"parse.h\"\nint main(int n, char **v) { (void)v; return parse_line(n); }\n",
        ),
        (
            "Makefile",
            "prog: src/main.c src/parse.c\n\tcc -c -o src/main.o src/main.c\n\tcc -c -o src/parse.o src/parse.c\n\tcc -o prog src/main.o src/parse.o\nclean:\n\trm -f prog src/*.o\n",
        ),
        ("configure", "#!/bin/sh\ntrue\n"),
        ("old.c", &pair(1, "before")),
        ("new.c", &pair(2, "after")),
        ("file.c", FILE),
        (
            "knockon.toml",
            "[build]\ncommand = \"make -s\"\n\n[[test]]\nname = \"small\"\nargs = []\n",
        ),
        (".gitignore", "*.o\nprog\n*.bash\nimpact.html\n"),
    ]);
    let here = repository.path();
    let chmod = super::Command::new("chmod")
        .args(["+x", "configure"])
        .current_dir(here)
        .status();
    assert!(chmod.expect("chmod runs").success());
    git(here, &["branch", "-M", "main"]);
    git(here, &["commit", "-q", "-a", "-m", "configure"]);
    git(here, &["checkout", "-q", "-b", "topic"]);
    let edit = |from: &str, to: &str| {
        let path = here.join("src/parse.c");
        let text = std::fs::read_to_string(&path).expect("the file");
        std::fs::write(path, text.replace(from, to)).expect("the file");
    };
    edit("sum = 0", "sum = 1");
    git(here, &["commit", "-q", "-a", "-m", "topic"]);
    edit("i < 9", "i < 8");
    repository
}

/// Every command has an example, and each is understood and ends without an error.
#[test]
fn every_example_in_the_help_runs() {
    let repository = example_project();
    let here = repository.path();
    let binary = Path::new(env!("CARGO_BIN_EXE_knockon"));
    let directory = binary.parent().expect("a directory").display();
    let path = format!("{directory}:{}", std::env::var("PATH").unwrap_or_default());
    let run = |line: &str| {
        let script = match line.starts_with("knockon capture") {
            true => format!("make -s clean; {line}"),
            false => line.to_owned(),
        };
        knockon_command(here, "sh")
            .args(["-c", &script])
            .env("PATH", &path)
            .output()
            .expect("sh runs")
    };
    for first in ["knockon capture -- make -s", "knockon trust"] {
        assert!(
            run(first).status.success(),
            "{first}: {}",
            stderr(&run(first))
        );
    }
    for command in knockon::arguments::Arguments::command().get_subcommands() {
        let help = command
            .get_after_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        let examples = help
            .lines()
            .filter_map(|line| line.strip_prefix("  knockon "));
        let mut count = 0;
        for example in examples {
            let example = example.split("  ").next().unwrap_or(example);
            let line = format!("knockon {example}");
            if example == "init" {
                std::fs::remove_file(here.join("knockon.toml")).expect("the file");
            }
            let output = run(&line);
            assert!(
                matches!(output.status.code(), Some(0 | 1 | 3)),
                "{line}: {:?}\n{}",
                output.status.code(),
                stderr(&output)
            );
            if example == "init" {
                git(here, &["checkout", "knockon.toml"]);
            }
            count += 1;
        }
        assert!(count > 0, "{} has no example", command.get_name());
    }
}
