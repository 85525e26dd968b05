//! The refactorings that equivalence is measured on are what they claim to be: the old and the new
//! version behave alike on random inputs, without undefined behaviour, and the twin does not on its
//! witness. See `refactoring_files` for the format.
//!
//! Starting clang and the linker is nearly all of the cost. So each version is one object, of its
//! text, the world and a driver, with the headers precompiled; the names of all files' versions are
//! made internal by an attribute, so that one program holds them all. It is compiled with a trap on
//! undefined behaviour, and every run of a version is a process of its own.

mod refactoring_files;

use refactoring_files::{KINDS, Refactoring, parse, refactorings};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the versions and the driver include.
const HEADERS: &str = "#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
";

/// Declared before the driver's own statements.
const DRIVER: &str = r#"
static unsigned long long random_state = 20240229;
static unsigned long long next(void)
{
    unsigned long long mixed = random_state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}
static void show(long long number) { printf("%lld\n", number); }
static void show_bytes(const void *bytes, int size)
{
    for (int i = 0; i < size; i++)
        printf("%02x", ((const unsigned char *)bytes)[i]);
    putchar('\n');
}
static void fill_text(char *buffer, int size, const char *alphabet)
{
    int length = next() % size, letters = 0;
    while (alphabet[letters])
        letters++;
    for (int i = 0; i < length; i++)
        buffer[i] = alphabet[next() % letters];
    buffer[length] = 0;
}
"#;

/// How often the random inputs are made.
const ROUNDS: u32 = 500;

/// The versions of a file: how they are called here, their texts and their functions.
fn versions(refactoring: &Refactoring) -> [(&'static str, &str, &str); 3] {
    [
        ("old", &refactoring.old, &refactoring.old_function),
        ("new", &refactoring.new, &refactoring.new_function),
        ("broken", &refactoring.broken, &refactoring.new_function),
    ]
}

/// The text of the object that runs one version by a function `VERSION_NAME`.
fn object_text(refactoring: &Refactoring, (version, text, function): (&str, &str, &str)) -> String {
    let old_function = &refactoring.old_function;
    let renamed = match function == old_function {
        true => String::new(),
        false => format!("#define {old_function} {function}\n"),
    };
    let witness = match refactoring.witness.starts_with('{') {
        true => refactoring.witness.clone(),
        false => format!("{{ return (long long)({}); }}", refactoring.witness),
    };
    format!(
        "#pragma clang attribute push(__attribute__((internal_linkage)), \
            apply_to = any(function, variable(is_global)))
{text}{world}
#pragma clang attribute pop
{DRIVER}{renamed}
static long long witness(void) {witness}
static void trial(unsigned long long r) {trial}
void {version}_{name}(int on_witness)
{{
    (void)fill_text, (void)show_bytes;
    if (on_witness)
        show(witness());
    else
        for (int round = 0; round < {ROUNDS}; round++)
            trial(next());
}}
",
        world = refactoring.world,
        trial = refactoring.trial,
        name = refactoring.name,
    )
}

/// The text of the program's `main`: `VERSION_NAME` runs the random inputs, `VERSION_NAME witness`
/// the witness.
fn main_text(all: &[Refactoring]) -> String {
    let (mut declared, mut called) = (String::new(), String::new());
    for refactoring in all {
        for (version, ..) in versions(refactoring) {
            let run = format!("{version}_{}", refactoring.name);
            writeln!(declared, "void {run}(int on_witness);").unwrap();
            writeln!(
                called,
                "    if (!strcmp(arguments[1], \"{run}\")) {run}(count > 2);"
            )
            .unwrap();
        }
    }
    format!("{declared}int main(int count, char **arguments)\n{{\n{called}    return 0;\n}}\n")
}

/// Runs clang on a file; the error is what it says.
fn clang(source: &Path, output: &Path, flags: &[&str]) -> Result<(), String> {
    let run = Command::new("clang-19")
        .args(["-std=gnu17", "-O1", "-w"])
        .args(["-fsanitize=undefined", "-fsanitize-trap=undefined"])
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(output)
        .output()
        .expect("clang-19 is installed");
    match run.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&run.stderr).into_owned()),
    }
}

/// What `work` gives for every file, on two threads, sorted.
fn for_all(all: &[Refactoring], work: impl Fn(&Refactoring) -> Vec<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let rows = || {
        let mut rows = Vec::new();
        while let Some(refactoring) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = work(refactoring).into_iter();
            rows.extend(found.map(|row| format!("{}: {row}", refactoring.name)));
        }
        rows
    };
    let mut rows: Vec<String> = std::thread::scope(|scope| {
        let threads = [scope.spawn(rows), scope.spawn(rows)];
        let joined = threads.into_iter().flat_map(|it| it.join().unwrap());
        joined.collect()
    });
    rows.sort();
    rows
}

/// The program that holds all versions, or what does not compile.
fn program(all: &[Refactoring], directory: &Path) -> Result<PathBuf, Vec<String>> {
    let write = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let headers = directory.join("headers.pch");
    clang(&write("headers.h", HEADERS), &headers, &["-x", "c-header"])
        .expect("the headers compile");
    let compile = ["-include-pch", headers.to_str().unwrap(), "-c"];
    let wrong = for_all(all, |refactoring| {
        let failed = versions(refactoring).into_iter().filter_map(|version| {
            let name = format!("{}_{}", version.0, refactoring.name);
            let source = write(&format!("{name}.c"), &object_text(refactoring, version));
            clang(&source, &directory.join(format!("{name}.o")), &compile).err()
        });
        failed.collect()
    });
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let main = directory.join("main.o");
    let linked = clang(&write("main.c", &main_text(all)), &main, &compile).and_then(|()| {
        let objects = std::fs::read_dir(directory).unwrap();
        let paths = objects.map(|entry| entry.unwrap().path());
        let objects = paths.filter(|path| path.extension().is_some_and(|it| it == "o"));
        let list: Vec<String> = objects.map(|path| path.display().to_string()).collect();
        let list = write("objects", &list.join("\n"));
        let path = directory.join("program");
        let list = format!("@{}", list.display());
        clang(Path::new(&list), &path, &[]).map(|()| path)
    });
    linked.map_err(|message| vec![message])
}

/// What a run printed, and whether it ended by itself.
#[derive(PartialEq, Eq)]
struct Seen {
    printed: Vec<u8>,
    ended: bool,
}

/// What is wrong with a refactoring: nothing, mostly.
fn faults(refactoring: &Refactoring, program: &Path) -> Vec<String> {
    let run = |version: &str, more: &[&str]| {
        let name = format!("{version}_{}", refactoring.name);
        let output = Command::new(program).arg(name).args(more).output().unwrap();
        Seen {
            printed: output.stdout,
            ended: output.status.success(),
        }
    };
    let on_witness = |version: &str| run(version, &["witness"]);
    let on_trials = |version: &str| run(version, &[]);
    let (old_witness, broken_witness) = (on_witness("old"), on_witness("broken"));
    let old_trials = on_trials("old");
    let claims = [
        (old_witness.ended, "the witness runs on the old version"),
        (
            on_witness("new") == old_witness,
            "the new version agrees on the witness",
        ),
        (broken_witness != old_witness, "the witness tells the twin"),
        (
            broken_witness.ended != refactoring.broken_by_undefined,
            "the twin has undefined behaviour exactly if it is said",
        ),
        (old_trials.ended, "the old version runs on random inputs"),
        (!old_trials.printed.is_empty(), "the trials show something"),
        (
            on_trials("new") == old_trials,
            "the new version agrees on random inputs",
        ),
        (
            refactoring.rare.is_none() || on_trials("broken") == old_trials,
            "random inputs do not tell a rare twin",
        ),
    ];
    let wrong = claims.iter().filter(|(holds, _)| !holds);
    wrong.map(|(_, claim)| format!("not so: {claim}")).collect()
}

#[test]
fn new_versions_behave_like_the_old_and_twins_do_not() {
    let directory = tempfile::tempdir().unwrap();
    let all = refactorings();
    let wrong = match program(&all, directory.path()) {
        Ok(program) => for_all(&all, |refactoring| faults(refactoring, &program)),
        Err(wrong) => wrong,
    };
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_kind_is_there_twice_and_half_have_the_shape_of_real_commits() {
    let all = refactorings();
    let mut counts: BTreeMap<&str, usize> = KINDS.iter().map(|kind| (*kind, 0)).collect();
    for refactoring in &all {
        for kind in &refactoring.kinds {
            let count = counts.get_mut(kind.as_str());
            *count.unwrap_or_else(|| panic!("{}: no such kind: {kind}", refactoring.name)) += 1;
        }
    }
    let scarce: Vec<_> = counts.iter().filter(|(_, count)| **count < 2).collect();
    assert!(scarce.is_empty(), "{scarce:?}");
    let number = |has: fn(&Refactoring) -> bool| all.iter().filter(|it| has(it)).count();
    assert!(all.len() >= 60, "{}", all.len());
    assert!(number(|it| it.after.is_some()) * 2 >= all.len());
    assert!(number(|it| it.rare.is_some()) >= 8);
    assert!(number(|it| it.broken_by_undefined) >= 3);
}

#[test]
fn a_file_tells_its_versions_and_what_to_run() {
    let text = "// function: f -> g
// kind: bit trick, switch
// witness: f(1)
// try: { show(f(r));
//   show(f(0)); }
//- old
int f(int x) { return x; }
//- new
int g(int x) { return x; }
//- broken
int g(int x) { return 0; }
";
    let read = parse("sample", text).unwrap();
    assert_eq!(
        (read.old_function.as_str(), read.new_function.as_str()),
        ("f", "g")
    );
    assert_eq!(read.kinds, ["bit trick", "switch"]);
    assert_eq!(read.trial, "{ show(f(r));\nshow(f(0)); }");
    assert_eq!(read.new, "int g(int x) { return x; }\n");
    assert!(!read.broken_by_undefined && read.world.is_empty());
    let without_try = text.replace("// try: { show(f(r));\n//   show(f(0)); }\n", "");
    assert_eq!(parse("sample", &without_try).unwrap_err(), "try is missing");
    let unknown = text.replace("// kind", "// sort");
    assert!(
        parse("sample", &unknown)
            .unwrap_err()
            .contains("no such key")
    );
}
