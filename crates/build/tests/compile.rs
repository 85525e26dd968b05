//! Units become programs as the design says, or say why not.

mod trees;

use knockon_build::build::compile_units;
use knockon_build::clang::{Clang, find_clang, object::compile_ir};
use knockon_build::compile::{CompileOptions, DEFAULT_UNIT_TIME_LIMIT, Origin};
use knockon_build::unit::{UnitCommand, units_of_directory};
use knockon_program::CaveatKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use trees::{CountedClang, Tree, cache_in, compile, compile_with_jobs, origins, programs};

/// The versions that the tests cover, as far as they are here; at least one is.
fn installed_clangs() -> Vec<Clang> {
    let mut clangs = vec![find_clang(None).unwrap()];
    for name in ["clang-16", "clang-19"] {
        let path = PathBuf::from("/usr/bin").join(name);
        if path.exists() && !clangs.iter().any(|clang| clang.path == path) {
            clangs.push(Clang::at(&path, None).unwrap());
        }
    }
    clangs
}

/// What gcc 12 compiles by default and clang 16 and later refuse by default.
const OLD_PROGRAMS: &[(&str, &str)] = &[
    (
        "implicit_declaration.c",
        "int main(void) { f(3); return g(1, 2); }\n",
    ),
    (
        "implicit_int.c",
        "static x = 3; f(a) { return a; } main() { return f(x); }\n",
    ),
    (
        "integer_to_pointer.c",
        "int f(char *p); int g(int i) { char *p = i; int j = p; return f(i) + j; }\n",
    ),
    (
        "function_pointers.c",
        "void q(int (*)(const void *)); int c(int *a) { return *a; } void f(void) { q(c); }\n",
    ),
    (
        "pointers.c",
        "struct a; struct b; void g(struct a *); void f(struct b *p) { g(p); }\n",
    ),
    (
        "unprototyped.c",
        "int add(a, b) int a, b; { return a + b; } int h(); int m() { return h(1, 2) + add(1); }\n",
    ),
    (
        "return_mismatch.c",
        "int f(void) { return; } void g(void) { return 1; }\n",
    ),
    (
        "builtin_redeclared.c",
        "char *malloc(); double printf(); void main() { malloc(3); }\n",
    ),
    (
        "removed_function.c",
        "#include <stdio.h>\nint f(char *s) { return gets(s) != 0; }\n",
    ),
    (
        "old_cxx.cpp",
        "int f() { register int x = 1; return x; } int a[] = { 3.7 }; void g(bool b) { b++; }\n",
    ),
];

#[test]
fn old_programs_compile_with_every_clang() {
    let tree = Tree::of(OLD_PROGRAMS);
    for clang in installed_clangs() {
        let units: Vec<UnitCommand> = OLD_PROGRAMS
            .iter()
            .map(|(name, _)| {
                // Whatever a build asks for, warnings are no errors.
                tree.unit(
                    name,
                    if name.ends_with("cpp") {
                        &["-std=c++17"]
                    } else {
                        &[]
                    },
                )
            })
            .collect();
        let compiled = compile(&clang, None, &units);
        assert_eq!(compiled.failures, [], "{}", clang.version);
    }
}

#[test]
fn failing_unit_is_reported_in_clangs_words_and_the_others_are_compiled() {
    let tree = Tree::of(&[
        ("a.c", "int a(void) { return 1; }\n"),
        ("b.c", "int b(void) {\n  return undeclared;\n}\n"),
        ("c.s", "nop\n"),
        ("d.c", "int d(void) { return 1; }\n"),
    ]);
    let units = ["a.c", "b.c", "c.s", "missing.c", "d.c"].map(|file| tree.unit(file, &[]));
    let compiled = compile(&find_clang(None).unwrap(), None, &units);
    let indices: Vec<usize> = compiled.units.iter().map(|unit| unit.index).collect();
    assert_eq!(indices, [0, 4]);
    let failures: Vec<(usize, &Path, bool)> = compiled
        .failures
        .iter()
        .map(|failure| (failure.index, failure.file.as_path(), failure.not_analysed))
        .collect();
    assert_eq!(
        failures,
        [
            (1, Path::new("b.c"), false),
            (2, Path::new("c.s"), true),
            (3, Path::new("missing.c"), false)
        ]
    );
    let message = &compiled.failures[0].message;
    assert!(
        message.starts_with("b.c:2:10: error: use of undeclared identifier 'undeclared'"),
        "{message}"
    );
    assert!(
        compiled.failures[2]
            .message
            .contains("no such file or directory")
    );
    let kinds: Vec<CaveatKind> = compiled.caveats.iter().map(|caveat| caveat.kind).collect();
    assert_eq!(
        kinds,
        [
            CaveatKind::UnitFailed,
            CaveatKind::UnseenCode,
            CaveatKind::UnitFailed
        ]
    );
}

#[test]
fn number_of_jobs_changes_nothing() {
    let tree = Tree::of(&[]);
    for number in 0..6 {
        tree.write(
            &format!("u{number}.c"),
            &format!("int f{number}(void) {{ return {number}; }}\n"),
        );
    }
    let clang = find_clang(None).unwrap();
    let units = units_of_directory(tree.root()).unwrap();
    assert_eq!(units.len(), 6);
    let one = compile_with_jobs(&clang, None, &units, 1);
    let many = compile_with_jobs(&clang, None, &units, 4);
    assert_eq!(programs(&one), programs(&many));
}

#[test]
fn precompiled_header_planted_beside_an_included_one_is_ignored() {
    let tree = Tree::of(&[
        ("pre.h", "#define VALUE 11\n"),
        ("planted.h", "#define VALUE 666\n"),
        ("a.c", "int value = VALUE;\n"),
    ]);
    let unit = tree.unit("a.c", &["-include", "pre.h"]);
    for clang in installed_clangs() {
        let run = |arguments: &[&str]| {
            let mut command = Command::new(&clang.path);
            let output = command.args(arguments).current_dir(tree.root()).output();
            String::from_utf8_lossy(&output.unwrap().stdout).into_owned()
        };
        let compiled = || {
            let compiled = compile(&clang, None, std::slice::from_ref(&unit));
            assert_eq!(compiled.failures, [], "{}", clang.version);
            compiled.units[0].content
        };
        let honest = compiled();
        for planted in ["pre.h.pch", "pre.h.gch"] {
            run(&["-x", "c-header", "planted.h", "-o", planted]);
            let deceived = run(&["-S", "-emit-llvm", "-o", "-", "-include", "pre.h", "a.c"]);
            assert!(deceived.contains("i32 666"), "the trap is no trap");
            assert_eq!(compiled(), honest, "{planted}, {}", clang.version);
            tree.write(planted, "not a precompiled header");
            assert_eq!(compiled(), honest, "{planted}, {}", clang.version);
            std::fs::remove_file(tree.root().join(planted)).unwrap();
        }
    }
}

#[test]
fn date_and_time_are_the_same_in_every_run() {
    let text = "const char *when = __DATE__ __TIME__ __TIMESTAMP__;\n";
    let tree = Tree::of(&[("a.c", text)]);
    for clang in installed_clangs() {
        let units = [tree.unit("a.c", &[])];
        let first = compile(&clang, None, &units);
        let file = std::fs::File::options()
            .write(true)
            .open(tree.root().join("a.c"))
            .unwrap();
        file.set_modified(std::time::SystemTime::now() - Duration::from_secs(100_000))
            .unwrap();
        std::thread::sleep(Duration::from_millis(1100));
        let second = compile(&clang, None, &units);
        assert_eq!(first.units[0].content, second.units[0].content);
    }
}

#[test]
fn comment_inside_a_line_moves_columns_though_the_preprocessed_text_is_equal() {
    let text =
        |comment: &str| format!("int g(int);\nint f(int x) {{ /* {comment} */ return g(x); }}\n");
    let (short, long) = (text("a"), text("a longer one"));
    let tree = Tree::of(&[("short.c", &short), ("long.c", &long)]);
    let clang = find_clang(None).unwrap();
    let preprocessed = |file: &str| {
        let output = Command::new(&clang.path)
            .args(["-E", "-P"])
            .arg(tree.root().join(file))
            .output()
            .unwrap();
        output.stdout
    };
    assert_eq!(preprocessed("short.c"), preprocessed("long.c"));
    let place = tempfile::tempdir().unwrap();
    let cache = cache_in(place.path());
    tree.write("a.c", &short);
    let first = compile(&clang, Some(&cache), &[tree.unit("a.c", &[])]);
    tree.write("a.c", &long);
    let second = compile(&clang, Some(&cache), &[tree.unit("a.c", &[])]);
    assert_ne!(first.units[0].content, second.units[0].content);
}

#[test]
fn unusual_names_are_compiled_and_remembered() {
    let names = [
        "-dash.c",
        "a b.c",
        "dollar$.c",
        "hash#.c",
        "ümlaut.c",
        "@at.c",
        "a=b.c",
    ];
    let place = tempfile::tempdir().unwrap();
    let (cache, clang) = (cache_in(place.path()), find_clang(None).unwrap());
    let tree = Tree::of(&[("head er$#.h", "#define VALUE 1\n")]);
    for name in names {
        tree.write(name, "#include \"head er$#.h\"\nint v = VALUE;\n");
    }
    let units = names.map(|name| tree.unit(name, &[]));
    assert_eq!(
        origins(&compile(&clang, Some(&cache), &units)).len(),
        names.len()
    );
    let warm = compile(&clang, Some(&cache), &units);
    assert_eq!(origins(&warm), [Origin::Manifest; 7]);
}

#[test]
fn root_with_an_equals_sign_still_compiles() {
    let outer = Tree::of(&[("a=b/src/a.c", "int f(void) { return 1; }\n")]);
    let unit = UnitCommand::bare(&outer.root().join("a=b"), Path::new("src/a.c"));
    assert_eq!(
        origins(&compile(&find_clang(None).unwrap(), None, &[unit])).len(),
        1
    );
}

#[test]
fn ir_file_needs_no_clang() {
    let tree = Tree::of(&[("a.ll", "define i32 @f() {\n  ret i32 1\n}\n")]);
    let clang = CountedClang::new("");
    let place = tempfile::tempdir().unwrap();
    let cache = cache_in(place.path());
    let units = [tree.unit("a.ll", &[])];
    let cold = compile(&clang.clang, Some(&cache), &units);
    assert_eq!(origins(&cold), [Origin::Text]);
    assert_eq!(
        origins(&compile(&clang.clang, Some(&cache), &units)),
        [Origin::Entry]
    );
    assert_eq!(clang.runs(), 0);
}

#[test]
fn interrupted_run_ends_at_once_and_says_so() {
    let tree = Tree::of(&[("a.c", "int a;\n"), ("b.c", "int b;\n")]);
    let clang = CountedClang::new("sleep 60");
    let interrupted = AtomicBool::new(false);
    let options = CompileOptions {
        clang: &clang.clang,
        cache: None,
        jobs: 1,
        time_limit: DEFAULT_UNIT_TIME_LIMIT,
        interrupted: &interrupted,
    };
    let units = units_of_directory(tree.root()).unwrap();
    let start = std::time::Instant::now();
    let compiled = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            interrupted.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        compile_units(&units, &options, &|_| {}).unwrap()
    });
    assert!(compiled.interrupted);
    assert!(compiled.units.is_empty() && compiled.failures.is_empty());
    assert!(start.elapsed() < Duration::from_secs(30));
    assert_eq!(clang.runs(), 1);
}

#[test]
fn unit_that_takes_too_long_is_a_failure() {
    let tree = Tree::of(&[("a.c", "int a;\n")]);
    let clang = CountedClang::new("sleep 60");
    let options = CompileOptions {
        clang: &clang.clang,
        cache: None,
        jobs: 1,
        time_limit: Duration::from_secs(1),
        interrupted: &AtomicBool::new(false),
    };
    let compiled = compile_units(&[tree.unit("a.c", &[])], &options, &|_| {}).unwrap();
    assert_eq!(
        compiled.failures[0].message,
        "clang stopped after 1 seconds"
    );
}

#[test]
fn progress_counts_every_unit() {
    let tree = Tree::of(&[("a.c", "int a;\n"), ("b.c", "error\n"), ("c.c", "int c;\n")]);
    let seen = Mutex::new(Vec::new());
    let options = CompileOptions {
        clang: &find_clang(None).unwrap(),
        cache: None,
        jobs: 1,
        time_limit: DEFAULT_UNIT_TIME_LIMIT,
        interrupted: &AtomicBool::new(false),
    };
    let units = units_of_directory(tree.root()).unwrap();
    let compiled = compile_units(&units, &options, &|progress| {
        seen.lock().unwrap().push((
            progress.done,
            progress.total,
            progress.file.to_owned(),
            progress.origin,
        ));
    })
    .unwrap();
    let text = Some(Origin::Text);
    assert_eq!(
        *seen.lock().unwrap(),
        [
            (1, 3, "a.c".into(), text),
            (2, 3, "b.c".into(), None),
            (3, 3, "c.c".into(), text)
        ]
    );
    assert!(compiled.times.clang > Duration::ZERO);
}

#[test]
fn ir_becomes_an_executable_again() {
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("program");
    let main = b"declare i32 @f()\ndefine i32 @main() {\n  %r = call i32 @f()\n  ret i32 %r\n}\n";
    let f = b"define i32 @f() {\n  ret i32 42\n}\n";
    let clang = find_clang(None).unwrap();
    let never = AtomicBool::new(false);
    let limit = DEFAULT_UNIT_TIME_LIMIT;
    compile_ir(&clang, &[main, f], &["-lm"], &program, limit, &never).unwrap();
    assert_eq!(Command::new(&program).status().unwrap().code(), Some(42));
    let error = compile_ir(&clang, &[b"garbage"], &["-c"], &program, limit, &never).unwrap_err();
    assert!(error.to_string().contains("error:"), "{error}");
}
