//! Captured builds, changed build files and headers, in a git repository.

use super::{git, knockon, repository_with, stderr, stdout};
use serde_json::Value;
use std::path::Path;

const MAKEFILE: &str = "CFLAGS = -O1
prog: main.o rate.o
\tcc -o $@ main.o rate.o
%.o: %.c rate.h
\tcc $(CFLAGS) -c -o $@ $<
clean:
\trm -f *.o prog
";
const RATE_H: &str = "#ifdef DOUBLE
#define RATE 2
#else
#define RATE 1
#endif
int rate(int);
";
const RATE_C: &str = "#include \"rate.h\"
int rate(int x) {
    return x * RATE;
}
";
const MAIN_C: &str = "#include <stdio.h>
#include \"rate.h\"
int main(int argc, char **argv) {
    printf(\"%d\\n\", rate(argc));
    puts(\"done\");
    return 0;
}
";

fn project() -> tempfile::TempDir {
    repository_with(&[
        ("Makefile", MAKEFILE),
        ("rate.h", RATE_H),
        ("rate.c", RATE_C),
        ("main.c", MAIN_C),
        (".gitignore", "*.o\nprog\n"),
    ])
}

fn edit(directory: &Path, file: &str, from: &str, to: &str) {
    let path = directory.join(file);
    let text = std::fs::read_to_string(&path).expect("the file");
    assert!(text.contains(from), "{file} has no {from}");
    std::fs::write(path, text.replace(from, to)).expect("the file");
}

fn capture(directory: &Path) {
    assert!(
        super::Command::new("make")
            .args(["-s", "clean"])
            .current_dir(directory)
            .status()
            .expect("make runs")
            .success()
    );
    stdout(&knockon(directory, &["capture", "--", "make", "-s"]));
}

fn diff_json(directory: &Path, arguments: &[&str]) -> Value {
    let all = [&["diff"], arguments, &["--format", "json"]].concat();
    let output = knockon(directory, &all);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)))
}

fn possible(report: &Value) -> Vec<String> {
    let rows = report["lines"].as_array().expect("lines").iter();
    let rows = rows.filter(|row| row["verdict"] == "possible");
    rows.map(|row| format!("{}:{}", row["file"].as_str().unwrap_or(""), row["line"]))
        .collect()
}

#[test]
fn capture_of_an_up_to_date_build_says_so_and_keeps_the_earlier_record() {
    let repository = project();
    let here = repository.path();
    stdout(&knockon(here, &["capture", "--", "make", "-s"]));
    assert_eq!(
        git(here, &["status", "--porcelain"]),
        "",
        "the record is no part of it"
    );
    let record = here.join(".knockon/build.json");
    let before = std::fs::read(&record).expect("a record");
    let again = knockon(here, &["capture", "--", "make", "-s"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(
        stderr(&again).contains("nothing was compiled"),
        "{}",
        stderr(&again)
    );
    assert!(stderr(&again).contains("make clean"), "{}", stderr(&again));
    assert_eq!(std::fs::read(&record).expect("a record"), before);
    std::fs::remove_file(&record).expect("the record");
    let without = knockon(here, &["capture", "--", "make", "-s"]);
    assert_eq!(without.status.code(), Some(2));
    assert!(!record.exists());
}

#[test]
fn a_build_that_fails_leaves_the_earlier_record() {
    let repository = project();
    let here = repository.path();
    stdout(&knockon(here, &["capture", "--", "make", "-s"]));
    let record = here.join(".knockon/build.json");
    let before = std::fs::read(&record).expect("a record");
    let failed = knockon(here, &["capture", "--", "make", "nosuch"]);
    assert_eq!(failed.status.code(), Some(2));
    let message = stderr(&failed);
    assert!(
        message.contains("the build failed and compiled nothing"),
        "{message}"
    );
    assert!(message.contains("stays as it was"), "{message}");
    assert_eq!(std::fs::read(&record).expect("a record"), before);
    let half = ["capture", "--", "sh", "-c", "rm -f *.o; make -s; false"];
    let failed = knockon(here, &half);
    assert_eq!(failed.status.code(), Some(2));
    assert!(stderr(&failed).contains("--keep-going records what was seen"));
    assert_eq!(std::fs::read(&record).expect("a record"), before);
    let kept = [&["capture", "--keep-going"], &half[1..]].concat();
    assert_eq!(knockon(here, &kept).status.code(), Some(2));
    assert_ne!(std::fs::read(&record).expect("a record"), before);
}

/// A build that stops at an error has compiled some units anew, and others not.
#[test]
fn with_keep_going_a_failed_build_is_merged_into_the_record() {
    let repository = project();
    let here = repository.path();
    let capture_words = |words: &[&str]| {
        let output = knockon(here, &[&["capture"], words].concat());
        (output.status.code(), stderr(&output), output.stdout)
    };
    stdout(&knockon(here, &["capture", "--", "make", "-s"]));
    let good = flags_of_units(here);
    assert_eq!(good, [("main.c".to_owned(), 1), ("rate.c".to_owned(), 1)]);
    edit(here, "main.c", "puts(\"done\");", "puts(");
    let words = ["--keep-going", "--", "make", "-s", "CFLAGS=-O1 -DDOUBLE"];
    let touch = ["rate.c", "main.c"].map(|file| here.join(file));
    for file in &touch {
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(2);
        let file = std::fs::File::options().append(true).open(file);
        file.and_then(|file| file.set_modified(later))
            .expect("a time");
    }
    let (code, message, text) = capture_words(&words);
    let text = String::from_utf8_lossy(&text).into_owned();
    assert_eq!(code, Some(2), "{message}");
    assert!(text.contains("the build failed"), "{text}");
    assert!(
        text.contains("in the earlier record, the rest stays"),
        "{text}"
    );
    assert!(text.contains("prog from 2 units"), "{text}");
    // `make` stops at the first unit, which has the new flags although it does not compile.
    let merged = flags_of_units(here);
    assert_eq!(merged, [("main.c".to_owned(), 2), ("rate.c".to_owned(), 1)]);
    edit(here, "main.c", "puts(", "puts(\"done\");");
    edit(here, "rate.c", "return x", "return 2 + x");
    let output = knockon(here, &["diff", "--caveats"]);
    let text = stdout(&output);
    assert!(
        text.contains("the last captured build did not finish"),
        "{text}"
    );
    assert!(text.contains("rate.c"), "{text}");
}

/// What a build wrote beside the sources is no part of the change; what git tracks is.
#[test]
fn files_that_a_build_left_in_the_tree_are_not_hunks() {
    let repository = project();
    let here = repository.path();
    let left = [
        "CMakeCache.txt",
        "CMakeFiles/CMakeOutput.log",
        "CMakeFiles/prog.dir/main.c.o.d",
        "Testing/Temporary/LastTest.log",
        "Testing/TAG",
        ".ninja_log",
        "meson-logs/meson-log.txt",
        "build.log",
    ];
    let write = |name: &str, text: &str| {
        let path = here.join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    };
    write("kept.log", "one\n");
    git(here, &["add", "-f", "kept.log"]);
    git(here, &["commit", "-q", "-m", "a log that is kept"]);
    capture(here);
    for name in left {
        write(name, "of a build\n");
    }
    write("kept.log", "two\n");
    let report = diff_json(here, &[]);
    let hunks = report["hunks"].as_array().expect("hunks").iter();
    let files: Vec<&str> = hunks.filter_map(|hunk| hunk["file"].as_str()).collect();
    assert_eq!(files, ["kept.log"]);
    let assumptions = report["assumptions"].to_string();
    assert!(!assumptions.contains("CMakeFiles"), "{assumptions}");
}

/// By unit how many flags its recorded command has.
fn flags_of_units(here: &Path) -> Vec<(String, usize)> {
    let record = std::fs::read(here.join(".knockon/build.json")).expect("a record");
    let record: Value = serde_json::from_slice(&record).expect("JSON");
    let steps = record["compiles"].as_array().expect("compile steps").iter();
    let of_step = |step: &Value| {
        let file = Path::new(step["file"].as_str().expect("a file"));
        let name = file.file_name().expect("a name").to_string_lossy();
        let words = step["arguments"].as_array().expect("arguments").iter();
        let is_flag = |word: &&Value| {
            let word = word.as_str().unwrap_or("");
            word.starts_with("-O") || word.starts_with("-D")
        };
        (name.into_owned(), words.filter(is_flag).count())
    };
    steps.map(of_step).collect()
}

/// Equal trees are equal wherever the build runs, and however it names its files.
#[test]
fn a_clean_tree_reports_nothing_in_any_layout() {
    let header = "#include <assert.h>\nint shared(int);\n\
                  static inline int twice(int x) { assert(x < 99); return 2 * x; }\n";
    let shared = "#include \"u.h\"\nint shared(int x) { assert(x > 0); return twice(x); }\n";
    let main = "#include <stdio.h>\n#include \"u.h\"\n\
                int main(void) { printf(\"%d %s\\n\", shared(3) + twice(4), __FILE__); return 0; }\n";
    for build in [
        "gcc -Iinclude -o prog src/main.c src/shared.c",
        "mkdir -p out && cd out && gcc -I../include -o prog ../src/main.c ../src/shared.c",
        "mkdir -p out && cd out && gcc -I$OLDPWD/include -o prog $OLDPWD/src/main.c $OLDPWD/src/shared.c",
        "cd src && gcc -I../include -c main.c shared.c && cd .. && gcc -o prog src/main.o src/shared.o",
        "mkdir -p a/b && cd a/b && gcc -I../../include -c ../../src/main.c && cd .. && gcc -I../include -c ../src/shared.c && gcc -o prog b/main.o shared.o",
        "d=$(mktemp -d) && r=$PWD && cd $d && gcc -I$r/include -o prog $r/src/main.c $r/src/shared.c",
        "ln -s src linked; gcc -Iinclude -o prog linked/main.c src/shared.c",
    ] {
        let repository = repository_with(&[
            ("include/u.h", header),
            ("src/shared.c", shared),
            ("src/main.c", main),
            (".gitignore", "out\na\nprog\n*.o\n"),
        ]);
        let here = repository.path();
        stdout(&knockon(here, &["capture", "--", "sh", "-c", build]));
        let report = diff_json(here, &[]);
        let lines = report["lines"].as_array().expect("lines");
        let reached = lines.iter().filter(|row| row["verdict"] != "unaffected");
        let reached: Vec<_> = reached.collect();
        assert!(lines.len() >= 3, "{build}: {lines:?}");
        assert!(reached.is_empty(), "{build}: {reached:?}");
        assert_eq!(report["output"], "equal", "{build}");
        edit(here, "src/shared.c", "x > 0", "x > 1");
        let report = diff_json(here, &[]);
        assert!(!possible(&report).is_empty(), "{build}: {report}");
    }
}

#[test]
fn the_record_of_another_copy_of_the_tree_is_not_used() {
    let repository = project();
    capture(repository.path());
    let elsewhere = tempfile::tempdir().expect("a directory");
    let copy = elsewhere.path().join("copy");
    let copied = super::Command::new("cp")
        .arg("-a")
        .args([repository.path(), &copy])
        .status();
    assert!(copied.expect("cp runs").success());
    edit(&copy, "rate.c", "x * RATE", "RATE + x");
    let output = knockon(&copy, &["diff"]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(
        text.contains(".knockon/build.json was recorded in"),
        "{text}"
    );
    assert!(
        text.contains("run `knockon capture -- make -s` here"),
        "{text}"
    );
}

#[test]
fn a_capture_that_misses_objects_advises_a_clean() {
    let repository = project();
    let here = repository.path();
    capture(here);
    edit(here, "rate.c", "x * RATE", "RATE * x");
    let text = stdout(&knockon(here, &["capture", "--", "make", "-s"]));
    assert!(text.contains("unresolved: "), "{text}");
    assert!(text.contains("`make clean`"), "{text}");
}

#[test]
fn without_a_captured_build_the_advice_is_to_capture_in_the_working_tree() {
    let repository = project();
    let here = repository.path();
    edit(here, "rate.c", "x * RATE", "RATE * x");
    let output = knockon(here, &["diff"]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    let root = here.canonicalize().expect("a path");
    let advice = format!("`knockon capture -- make` in {}", root.display());
    assert!(text.contains(&advice), "{text}");
    assert!(
        text.contains("[build]") && text.contains("knockon trust"),
        "{text}"
    );
    assert!(!text.contains(".test-cache"), "{text}");
}

#[test]
fn a_change_of_the_build_alone_stops_until_it_is_said_how_to_build() {
    let repository = project();
    let here = repository.path();
    edit(here, "Makefile", "-O1", "-O1 -DDOUBLE");
    git(here, &["commit", "-q", "-a", "-m", "twice"]);
    capture(here);
    let stopped = knockon(here, &["diff", "HEAD~1"]);
    assert_eq!(stopped.status.code(), Some(2));
    for part in ["Makefile", "[build]", "command = ", "--assume-same-build"] {
        assert!(stderr(&stopped).contains(part), "{}", stderr(&stopped));
    }

    let assumed = diff_json(here, &["HEAD~1", "--assume-same-build"]);
    assert_eq!(possible(&assumed), Vec::<String>::new());
    let text = assumed.to_string();
    assert!(text.contains("it steers the build"), "{text}");
    assert!(text.contains("a revision is built with the commands of the working tree"));

    stdout(&knockon(here, &["init"]));
    let untrusted = knockon(here, &["diff", "HEAD~1"]);
    assert_eq!(untrusted.status.code(), Some(2));
    assert!(
        stderr(&untrusted).contains("knockon trust"),
        "{}",
        stderr(&untrusted)
    );
    stdout(&knockon(here, &["trust"]));
    for range in [&["HEAD~1"][..], &["HEAD~1..HEAD"]] {
        let built = diff_json(here, range);
        assert_eq!(possible(&built), ["main.c:4", "rate.c:3"], "{range:?}");
        let hunks = built["hunks"].as_array().expect("hunks");
        let makefile = hunks.iter().find(|row| row["file"] == "Makefile");
        assert_eq!(makefile.expect("its hunk")["account"], "in the delta");
    }
}

#[test]
fn a_build_file_edited_after_the_capture_asks_for_another_one() {
    let repository = project();
    let here = repository.path();
    capture(here);
    stdout(&knockon(here, &["init"]));
    stdout(&knockon(here, &["trust"]));
    edit(here, "Makefile", "-O1", "-O1 -DDOUBLE");
    let stale = knockon(here, &["diff"]);
    assert_eq!(stale.status.code(), Some(2));
    let text = stderr(&stale);
    assert!(text.contains("since it was captured: Makefile"), "{text}");
    capture(here);
    assert_eq!(possible(&diff_json(here, &[])), ["main.c:4", "rate.c:3"]);
}

#[test]
fn a_change_of_a_header_alone_is_followed_in_a_captured_build() {
    let repository = project();
    let here = repository.path();
    edit(here, "rate.h", "RATE 1", "RATE 3");
    git(here, &["commit", "-q", "-a", "-m", "three"]);
    capture(here);
    let report = diff_json(here, &["HEAD~1"]);
    assert_eq!(possible(&report), ["main.c:4", "rate.c:3"]);
    let hunks = report["hunks"].as_array().expect("hunks");
    assert_eq!(hunks.len(), 1);
    assert_eq!(hunks[0]["account"], "in the delta");
    let text = stdout(&knockon(here, &["why", "rate.c:3", "HEAD~1"]));
    assert!(
        text.contains("rate.h:4 is changed")
            && text.contains("rate.c:3 reads `RATE` from rate.h:4, which was edited"),
        "{text}"
    );
}

#[test]
fn what_the_captured_build_writes_is_no_difference_of_the_build() {
    let repository = repository_with(&[
        ("flags.txt", "CFLAGS = -O1\n"),
        (
            "GNUmakefile",
            "include settings.mk\nprog: main.c\n\tcc $(CFLAGS) -o $@ main.c\n",
        ),
        ("main.c", "int main(void) { return 3; }\n"),
    ]);
    let here = repository.path();
    let build = "mkdir out && ln -s ../GNUmakefile out/GNUmakefile && \
                 sed p flags.txt > new && mv new settings.mk && make -s";
    stdout(&knockon(here, &["capture", "--", "sh", "-c", build]));
    let clean = knockon(here, &["diff", "--format", "json"]);
    assert_eq!(clean.status.code(), Some(0), "{}", stderr(&clean));
    assert_eq!(possible(&diff_json(here, &[])), Vec::<String>::new());

    std::fs::write(here.join("out/local.mk"), "CFLAGS += -DX\n").expect("a file");
    let added = knockon(here, &["diff"]);
    assert_eq!(added.status.code(), Some(2));
    assert!(
        stderr(&added).contains("out/local.mk"),
        "{}",
        stderr(&added)
    );
    std::fs::remove_file(here.join("out/local.mk")).expect("a file");

    edit(here, "settings.mk", "-O1", "-O2");
    let edited = knockon(here, &["diff"]);
    assert_eq!(edited.status.code(), Some(2));
    assert!(
        stderr(&edited).contains("settings.mk"),
        "{}",
        stderr(&edited)
    );
}
