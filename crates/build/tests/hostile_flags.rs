//! A hostile `compile_commands.json` executes nothing and writes nothing.
//!
//! The real clang compiles with what passes the list of flags, in a directory full of traps: plug-ins,
//! response files and programs that leave a marker if they are run. Before and after, everything in
//! the directory must be the same.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use knockon_build::compile_commands::{CompileCommand, read_compile_commands};
use knockon_build::flags::{AcceptedFlags, DropReason, accept_command, clang_arguments};
use proptest::prelude::*;
use rayon::prelude::*;
use serde_json::json;

/// Path, mode, times and content of everything below a directory.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
    let mut entries = BTreeMap::new();
    let mut pending = vec![root.to_owned()];
    while let Some(path) = pending.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let mut content = Vec::new();
        if metadata.is_dir() {
            pending.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else {
            content = fs::read(&path).unwrap();
        }
        entries.insert(
            path,
            (
                metadata.mode(),
                metadata.mtime(),
                metadata.mtime_nsec(),
                content,
            ),
        );
    }
    entries
}

/// A project whose every program and plug-in betrays that it was run.
fn trapped_project() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    fs::write(
        root.join("a.c"),
        "#ifdef FROM_RESPONSE\n#error response file was read\n#endif\nint a = VALUE;\n",
    )
    .unwrap();
    fs::write(
        root.join("flags.rsp"),
        "swallowed-by-the-flag-before -DFROM_RESPONSE -o written-by-response-file\n",
    )
    .unwrap();
    fs::create_dir_all(root.join("bin")).unwrap();
    for program in [
        "evil.sh",
        "bin/as",
        "bin/ld",
        "bin/clang",
        "bin/cc1",
        "bin/gcc",
    ] {
        fs::write(
            root.join(program),
            format!("#!/bin/sh\ntouch '{}/executed'\n", root.display()),
        )
        .unwrap();
        fs::set_permissions(root.join(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(
        root.join("plugin.c"),
        format!("#include <stdio.h>\n__attribute__((constructor)) static void f(void) {{ fopen(\"{}/executed\", \"w\"); }}\n", root.display()),
    )
    .unwrap();
    let built = Command::new("clang-19")
        .args(["-shared", "-fPIC", "-o", "plugin.so", "plugin.c"])
        .current_dir(root)
        .status()
        .unwrap();
    assert!(built.success());
    fs::write(root.join("evil.cfg"), "-DFROM_RESPONSE\n").unwrap();
    directory
}

/// What every unit of a compilation database goes through.
fn compile(command: &CompileCommand, accepted: &AcceptedFlags) -> Output {
    Command::new("clang-19")
        .args([
            "--no-default-config",
            "-w",
            "-S",
            "-emit-llvm",
            "-O1",
            "-Xclang",
            "-disable-llvm-passes",
            "-o",
            "-",
        ])
        .args(clang_arguments(&accepted.kept))
        .arg(command.source_path())
        .current_dir(&command.directory)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

const HOSTILE: &[&[&str]] = &[
    &["-fplugin=./plugin.so"],
    &["-fplugin-arg-evil-x"],
    &["-fpass-plugin=./plugin.so"],
    &["-Xclang", "-load", "-Xclang", "./plugin.so"],
    &["-Xclang", "-add-plugin", "-Xclang", "evil"],
    &["-mllvm", "-load=./plugin.so"],
    &["@flags.rsp"],
    &["-I", "@flags.rsp"],
    &["-I", "-fplugin=./plugin.so"],
    &["-I-fplugin=./plugin.so"],
    &["-include", "@flags.rsp"],
    &["-imacros", "-load"],
    &["--sysroot", "@flags.rsp"],
    &["-D", "@flags.rsp"],
    &["-U", "@flags.rsp"],
    &["-isystem", "@flags.rsp"],
    &["-MD", "-MF", "written.d"],
    &["-MMD", "-MFwritten.d", "-MT", "x"],
    &["-M", "-MG"],
    &["-MJ", "written.json"],
    &["-Wp,-MD,written.d"],
    &[
        "-Xpreprocessor",
        "-MD",
        "-Xpreprocessor",
        "-MF",
        "-Xpreprocessor",
        "written.d",
    ],
    &["-o", "../written.o"],
    &["-owritten.o"],
    &["--output=written.o"],
    &["-save-temps"],
    &["-save-temps=obj"],
    &["-save-stats=cwd"],
    &["-gsplit-dwarf"],
    &["-ftime-trace=written.json"],
    &["-ftime-trace"],
    &["-fsave-optimization-record"],
    &["-fstack-usage"],
    &["-fprofile-instr-generate=written.profraw"],
    &["--coverage"],
    &["-ftest-coverage"],
    &["-fmodules", "-fmodules-cache-path=written"],
    &["-fcrash-diagnostics-dir=written"],
    &["-gen-reproducer=always"],
    &["--serialize-diagnostics", "written.dia"],
    &["-serialize-diagnostics", "written.dia"],
    &["-index-store-path", "written"],
    &["-fdiagnostics-format=sarif-file"],
    &["-fdump-record-layouts"],
    &["-dumpdir", "written"],
    &["-B", "./bin"],
    &["-B./bin"],
    &["--prefix=./bin"],
    &["-fno-integrated-as"],
    &["-fno-integrated-cc1"],
    &["-fuse-ld=./evil.sh"],
    &["-specs=./evil.cfg"],
    &["-wrapper", "./evil.sh"],
    &["-ccc-gcc-name", "./evil.sh"],
    &["-ccc-install-dir", "./bin"],
    &["--config", "evil.cfg"],
    &["--config=evil.cfg"],
    &["-resource-dir", "./bin"],
    &["-working-directory", "./bin"],
    &["-Xassembler", "-o", "-Xassembler", "written"],
    &["-Wa,-o,written"],
    &["-Wl,-plugin,./plugin.so"],
    &["-Xlinker", "-plugin"],
    &["-x", "f95"],
    &["-x", "ir"],
    &["-x", "cuda"],
    &["-fopenmp-targets=nvptx64"],
    &["--offload-arch=sm_70"],
    &["-target", "@flags.rsp"],
    &["--target=../../x"],
    &["-std=@flags.rsp"],
    &["-march=@flags.rsp"],
    &["-cc1", "-load", "./plugin.so"],
    &["--driver-mode=cl"],
    &["-include-pch", "plugin.so"],
    &["-ivfsoverlay", "evil.cfg"],
    &["-fbuild-session-file=written"],
    &["-Iok\0-o\0written"],
    &["-Iok\n-o\nwritten"],
    &["-DX=\n#include \"/etc/passwd\"\n"],
    &["-DX\n#define Y=1"],
    &["-emit-ast"],
    &["-emit-pch"],
    &["-E", "-dM"],
    &["-c"],
    &["-v", "-###"],
    &["--analyze", "-Xanalyzer", "-analyzer-output=html"],
    &["-Xarch_host", "-fplugin=./plugin.so"],
    &["--rsp-quoting=posix", "@flags.rsp"],
    &["--", "-fplugin=./plugin.so"],
];

#[test]
fn a_hostile_database_executes_and_writes_nothing() {
    let project = trapped_project();
    let root = project.path();
    let mut entries = Vec::new();
    for flags in HOSTILE {
        let mut arguments = vec!["./evil.sh", "-DVALUE=7"];
        arguments.extend(*flags);
        arguments.extend(["-c", "a.c"]);
        entries.push(json!({"directory": ".", "file": "a.c", "arguments": arguments}));
    }
    let database = root.join("compile_commands.json");
    fs::write(&database, serde_json::to_vec(&entries).unwrap()).unwrap();
    let commands = read_compile_commands(&database).unwrap();
    assert_eq!(commands.len(), HOSTILE.len());

    let before = snapshot(root);
    let compiled: usize = commands
        .par_iter()
        .map(|command| {
            let output = compile(command, &accept_command(command));
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(
                !stderr.contains("response file was read"),
                "{command:?}: {stderr}"
            );
            // Without its hostile flags the unit is an ordinary one, unless a hostile path is where
            // clang must read something.
            let readable = output.status.success()
                && String::from_utf8_lossy(&output.stdout).contains("@a = ");
            let must_read = ["-imacros", "-include", "--sysroot", "-x"];
            let reads_path = must_read
                .iter()
                .any(|flag| command.arguments.iter().any(|word| word == flag));
            assert!(readable || reads_path, "{command:?}: {stderr}");
            usize::from(readable)
        })
        .sum();
    let after = snapshot(root);
    let written: Vec<&PathBuf> = after
        .keys()
        .filter(|path| before.get(*path) != after.get(*path))
        .collect();
    assert!(after == before, "written: {written:?}");
    assert!(
        compiled + 8 > HOSTILE.len(),
        "{compiled} of {} compiled",
        HOSTILE.len()
    );
    assert!(!root.parent().unwrap().join("written.o").exists());
}

/// The traps work: handed to clang unfiltered, they are run and they write.
#[test]
fn without_the_list_the_traps_spring() {
    let project = trapped_project();
    let root = project.path();
    let run = |flags: &[&str]| {
        Command::new("clang-19")
            .args(["-w", "-DVALUE=7", "-c"])
            .args(flags)
            .arg("a.c")
            .current_dir(root)
            .output()
            .unwrap()
    };
    run(&["-fplugin=./plugin.so"]);
    assert!(root.join("executed").exists());
    run(&["-MD", "-MF", "written.d"]);
    assert!(root.join("written.d").exists());
    let output = run(&["-I", "@flags.rsp"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("response file was read"));
}

#[test]
fn a_source_file_whose_name_looks_like_a_flag_stays_a_file() {
    let project = trapped_project();
    let root = project.path();
    fs::write(root.join("-fplugin=plugin.so"), "int named = 1;\n").unwrap();
    fs::write(root.join("@flags.rsp"), "int named = 2;\n").unwrap();
    let entries = json!([
        {"directory": "", "file": "-fplugin=plugin.so", "arguments": ["cc", "-xc", "--", "-fplugin=plugin.so"]},
        {"directory": ".", "file": "@flags.rsp", "arguments": ["cc", "-xc", "-c", "./@flags.rsp"]}
    ]);
    let database = root.join("compile_commands.json");
    fs::write(&database, entries.to_string()).unwrap();
    let before = snapshot(root);
    for command in read_compile_commands(&database).unwrap() {
        let output = compile(&command, &accept_command(&command));
        assert!(
            String::from_utf8_lossy(&output.stdout).contains("@named = "),
            "{command:?}"
        );
    }
    assert_eq!(snapshot(root), before);
}

#[test]
fn an_included_file_is_read_itself_and_not_a_precompiled_one_beside_it() {
    let project = trapped_project();
    let root = project.path();
    fs::write(root.join("pre.h"), "#define VALUE 11\n").unwrap();
    fs::write(root.join("pre.h.gch"), "not a precompiled header").unwrap();
    fs::write(root.join("pre.h.pch"), "not a precompiled header").unwrap();
    let command = CompileCommand {
        directory: root.to_owned(),
        file: "a.c".into(),
        arguments: ["cc", "-include", "pre.h", "a.c"]
            .map(str::to_owned)
            .to_vec(),
        output: None,
    };
    let output = compile(&command, &accept_command(&command));
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("global i32 11,"),
        "{output:?}"
    );
}

#[test]
fn what_was_dropped_is_on_record() {
    let command = CompileCommand {
        directory: "/".into(),
        file: "a.c".into(),
        arguments: ["./evil.sh", "-fplugin=x", "@y", "-o", "z", "a.c"]
            .map(str::to_owned)
            .to_vec(),
        output: None,
    };
    let dropped: Vec<(String, DropReason)> = accept_command(&command)
        .dropped
        .into_iter()
        .map(|dropped| (dropped.flag, dropped.reason))
        .collect();
    assert_eq!(
        dropped,
        [
            ("-fplugin=x".to_owned(), DropReason::RunsCode),
            ("@y".to_owned(), DropReason::ResponseFile),
            ("-o z".to_owned(), DropReason::Output)
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 8))]

    /// Any mixture of hostile words, in any order: a value may swallow a flag and set free the next.
    #[test]
    fn no_mixture_of_hostile_words_does_harm(
        words in prop::collection::vec(prop::sample::select(HOSTILE.concat()), 1..10)
    ) {
        static PROJECT: LazyLock<tempfile::TempDir> = LazyLock::new(trapped_project);
        let root = PROJECT.path();
        let mut arguments = vec!["./evil.sh".to_owned(), "-DVALUE=7".to_owned()];
        arguments.extend(words.iter().map(|word| (*word).to_owned()));
        arguments.push("a.c".to_owned());
        let command = CompileCommand { directory: root.to_owned(), file: "a.c".into(), arguments, output: None };
        let before = snapshot(root);
        let accepted = accept_command(&command);
        let output = compile(&command, &accepted);
        prop_assert!(!String::from_utf8_lossy(&output.stderr).contains("response file was read"));
        prop_assert!(snapshot(root) == before, "{:?}", accepted.kept);
    }
}
