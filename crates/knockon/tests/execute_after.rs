//! `after`, `before` and `dump callgraph` on C and C++ sources: what the outside calls, calls that do
//! not return, callbacks, and how results are shown.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// A directory with these files; `a.c` is the program unless a test names another one.
fn directory_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).expect("a file");
    }
    directory
}

fn knockon(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_knockon"))
        .args(arguments)
        .current_dir(directory)
        .env("KNOCKON_CACHE_DIR", directory.join(".test-cache"))
        .env("NO_COLOR", "1")
        .output()
        .expect("knockon runs");
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

type Sets = BTreeMap<String, Vec<String>>;

/// The relation of all functions of one file, members sorted by name.
fn relation(command: &str, file: &str, text: &str) -> Sets {
    let directory = directory_with(&[(file, text)]);
    let arguments = [command, "--all", "-p", file, "--format", "json"];
    sets(&knockon(directory.path(), &arguments))
}

fn sets(json: &str) -> Sets {
    let report: Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(report["schema"], "knockon.after/1");
    let mut sets: Sets = serde_json::from_value(report["relation"].clone()).expect("names by name");
    for members in sets.values_mut() {
        members.sort();
    }
    sets
}

#[test]
fn what_follows_a_call_that_always_exits_does_not_execute_after_it() {
    let after = relation(
        "after",
        "a.c",
        "void exit(int);
         void last(void) {}
         void die(void) { last(); exit(1); }
         void more(void) {}
         int main(int n, char **v) { if (n > 1) { die(); more(); } return 0; }",
    );
    assert_eq!(after["die"], ["last"]);
    assert_eq!(after["last"], ["die"]);
    assert_eq!(after["main"], ["die", "last"]);
}

#[test]
fn exit_handlers_execute_after_main_and_after_whoever_exits() {
    let after = relation(
        "after",
        "a.c",
        "void exit(int); int atexit(void (*)(void));
         void bye(void) {}
         void quit(void) { exit(0); }
         int main(int n, char **v) { atexit(bye); if (n > 1) quit(); return 0; }",
    );
    assert_eq!(after["quit"], ["bye"]);
    assert_eq!(after["main"], ["bye", "quit"]);
    // Handlers run in an order that is not known here.
    assert_eq!(after["bye"], ["bye"]);
}

#[test]
fn constructors_come_before_main_and_destructors_after_it() {
    let after = relation(
        "after",
        "a.c",
        "__attribute__((constructor)) void up(void) {}
         __attribute__((destructor)) void down(void) {}
         int main(void) { return 0; }",
    );
    assert_eq!(after["up"], ["down", "main"]);
    assert_eq!(after["main"], ["down"]);
    assert!(after["down"].is_empty());
}

#[test]
fn a_library_is_called_in_any_order() {
    let after = relation(
        "after",
        "a.c",
        "static void step(void) {}
         void one(void) { step(); }
         void two(void) {}",
    );
    for function in ["step", "one", "two"] {
        assert_eq!(after[function], ["one", "step", "two"]);
    }
}

#[test]
fn a_callback_is_called_again_and_again_and_returns_into_its_caller() {
    let after = relation(
        "after",
        "a.c",
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
         int order(const void *a, const void *b) { return 0; }
         void before(void) {}
         void later(void) {}
         int main(void) { int a[2] = {2, 1}; before(); qsort(a, 2, 4, order); later(); return 0; }",
    );
    assert_eq!(after["order"], ["later", "main", "order"]);
    assert_eq!(after["before"], ["later", "main", "order"]);
}

#[test]
fn a_signal_handler_and_all_that_it_calls_may_execute_at_any_time() {
    let after = relation(
        "after",
        "a.c",
        "void (*signal(int, void (*)(int)))(int);
         void note(void) {}
         void handler(int number) { note(); }
         void first(void) {}
         void second(void) {}
         int main(void) { signal(2, handler); first(); second(); return 0; }",
    );
    assert_eq!(after["second"], ["handler", "main", "note"]);
    assert_eq!(
        after["note"],
        ["first", "handler", "main", "note", "second"]
    );
    assert_eq!(after["first"], ["handler", "main", "note", "second"]);
}

#[test]
fn a_jump_comes_back_where_it_was_set() {
    let after = relation(
        "after",
        "a.c",
        "#include <setjmp.h>
         static jmp_buf place;
         void jump(void) { longjmp(place, 1); }
         void rest(void) {}
         void middle(void) { jump(); rest(); }
         void recover(void) {}
         int main(void) { if (setjmp(place)) { recover(); return 1; } middle(); return 0; }",
    );
    // `rest` is never reached; after the jump `setjmp` may return anything.
    assert_eq!(after["jump"], ["jump", "main", "middle", "recover"]);
    assert!(after["rest"].is_empty());
    assert_eq!(after["recover"], ["main"]);
}

#[test]
fn a_jump_out_of_a_signal_handler_may_come_at_any_time() {
    let after = relation(
        "after",
        "a.c",
        "#include <setjmp.h>
         #include <signal.h>
         static sigjmp_buf place;
         void handler(int number) { siglongjmp(place, 1); }
         void busy(void) {}
         void recover(void) {}
         int main(void) {
             if (sigsetjmp(place, 1)) { recover(); return 1; }
             signal(SIGINT, handler);
             busy();
             for (;;) ;
         }",
    );
    assert!(after["busy"].contains(&"recover".to_owned()), "{after:?}");
}

#[test]
fn an_exception_is_followed_by_clean_up_and_handler_only() {
    let after = relation(
        "after",
        "a.cpp",
        r#"extern "C" {
           void cleanup(void) {}
           void handled(void) {}
           void skipped(void) {}
           void thrower(void) { throw 1; }
           void middle(void) { thrower(); skipped(); }
           struct Guard { ~Guard() { cleanup(); } };
           void guarded(void) { Guard guard; middle(); }
           }
           int main() { try { guarded(); skipped(); } catch (int) { handled(); } return 0; }"#,
    );
    let thrower: Vec<&str> = after["thrower"].iter().map(String::as_str).collect();
    for expected in ["cleanup", "guarded", "handled", "main", "middle"] {
        assert!(thrower.contains(&expected), "{thrower:?}");
    }
    assert!(!thrower.contains(&"skipped"), "{thrower:?}");
}

const THREE: &str = "
void first(void) {}
void second(void) {}
void again(void) {}
int main(int n, char **v) {
    first();
    second();
    while (n--) again();
    return 0;
}
";

#[test]
fn before_is_the_inverse_of_after_and_all_is_what_each_is() {
    let after = relation("after", "a.c", THREE);
    let before = relation("before", "a.c", THREE);
    for (earlier, members) in &after {
        for later in after.keys() {
            assert_eq!(
                members.contains(later),
                before[later].contains(earlier),
                "{earlier}, {later}"
            );
        }
    }
    let directory = directory_with(&[("a.c", THREE)]);
    for (command, all) in [("after", after), ("before", before)] {
        let mut arguments = vec![command, "-p", "a.c", "--format", "json"];
        arguments.extend(all.keys().map(String::as_str));
        assert_eq!(sets(&knockon(directory.path(), &arguments)), all);
    }
}

#[test]
fn the_identity_is_added_on_request() {
    let directory = directory_with(&[("a.c", THREE)]);
    let mut arguments = vec!["after", "first", "again", "-p", "a.c", "--format", "json"];
    let plain = sets(&knockon(directory.path(), &arguments));
    assert_eq!(plain["first"], ["again", "main", "second"]);
    assert_eq!(plain["again"], ["again", "main"]);
    arguments.push("--identity");
    let with = sets(&knockon(directory.path(), &arguments));
    assert_eq!(with["first"], ["again", "first", "main", "second"]);
    assert_eq!(with["again"], plain["again"]);
    let all = [
        "after",
        "--all",
        "--identity",
        "-p",
        "a.c",
        "--format",
        "json",
    ];
    let all = sets(&knockon(directory.path(), &all));
    assert_eq!(all["first"], with["first"]);
}

#[test]
fn reasons_name_the_calls_in_every_format() {
    let directory = directory_with(&[("a.c", THREE)]);
    let arguments = ["after", "first", "-p", "a.c", "--why"];
    assert_eq!(
        knockon(directory.path(), &arguments),
        "3 functions may execute after first
  second                   follows: first ← main (a.c:6) → second (a.c:7)
  again                    follows: first ← main (a.c:6) → again (a.c:8)
  main                     returns into: first ← main (a.c:6)
"
    );
    let json = knockon(
        directory.path(),
        &[&arguments[..], &["--format", "json"]].concat(),
    );
    let report: Value = serde_json::from_str(&json).expect("JSON");
    let why = &report["why"]["first"]["second"];
    assert_eq!(why["kind"], "follows");
    assert_eq!(
        why["path"],
        serde_json::json!([
            {"link": "called-by", "function": "main", "file": "a.c", "line": 6},
            {"link": "calls", "function": "second", "file": "a.c", "line": 7},
        ])
    );
    let dot = knockon(
        directory.path(),
        &[&arguments[..], &["--format", "dot"]].concat(),
    );
    assert!(
        dot.contains("\"first\" -> \"second\" [label=\"follows\"];"),
        "{dot}"
    );
}

#[test]
fn a_static_function_of_a_header_is_named_by_its_unit() {
    let directory = directory_with(&[
        ("helper.h", "static void helper(void) {}\n"),
        (
            "one.c",
            "#include \"helper.h\"\nvoid one(void) { helper(); }\n",
        ),
        (
            "two.c",
            "#include \"helper.h\"\nvoid two(void) { helper(); }\n",
        ),
        (
            "main.c",
            "void one(void); void two(void); int main(void) { one(); two(); return 0; }\n",
        ),
    ]);
    let all = sets(&knockon(
        directory.path(),
        &["after", "--all", "--format", "json"],
    ));
    assert_eq!(all["one.c:helper"], ["main", "one", "two", "two.c:helper"]);
    let one = knockon(directory.path(), &["after", "two.c:helper"]);
    assert_eq!(
        one,
        "2 functions may execute after two.c:helper\n  main\n  two\n"
    );
}

#[test]
fn the_call_graph_shows_targets_externals_and_callbacks() {
    let directory = directory_with(&[(
        "a.c",
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
int puts(const char *);
int order(const void *a, const void *b) { return 0; }
void yes(void) { puts(\"yes\"); }
void no(void) {}
void (*table[])(void) = {yes, no};
int main(int n, char **v) {
    qsort(v, n, 8, order);
    table[n & 1]();
    return 0;
}
",
    )]);
    let text = knockon(directory.path(), &["dump", "callgraph", "-p", "a.c"]);
    assert!(text.starts_with("main: main\n"), "{text}");
    assert!(
        text.contains("  a.c:8: external qsort; calls back order\n"),
        "{text}"
    );
    assert!(
        text.contains("yes (a.c:4)\n  a.c:4: external puts\n"),
        "{text}"
    );
    let targets = text
        .lines()
        .find(|line| line.starts_with("  a.c:9: "))
        .expect("the call");
    assert!(
        targets.contains("yes") && targets.contains("no"),
        "{targets}"
    );
    let one = knockon(directory.path(), &["dump", "callgraph", "yes", "-p", "a.c"]);
    assert_eq!(
        one,
        "yes (a.c:4)\n  a.c:4: external puts\ncalled from: main\n"
    );
    let dot = knockon(
        directory.path(),
        &["dump", "callgraph", "-p", "a.c", "--format", "dot"],
    );
    assert!(
        dot.starts_with("digraph") && dot.contains("style=dashed"),
        "{dot}"
    );
}
