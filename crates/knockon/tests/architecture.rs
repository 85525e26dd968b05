//! The crate graph is what ARCHITECTURE.md says it is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let text = read(&root().join("ARCHITECTURE.md"));
    let names = |cell: &str| -> BTreeSet<String> {
        cell.split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect()
    };
    text.lines()
        .skip_while(|line| !line.starts_with("| crate | depends on"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.split('|').collect();
            let name = names(cells[1]).into_iter().next().expect("a crate's name");
            (name, names(cells[2]))
        })
        .collect()
}

fn actual() -> BTreeMap<String, BTreeSet<String>> {
    let mut graph = BTreeMap::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("crates/") {
        let directory = entry.expect("an entry").path();
        let manifest = read(&directory.join("Cargo.toml"));
        let name = directory
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let dependencies = manifest
            .lines()
            .skip_while(|line| line.trim() != "[dependencies]")
            .skip(1)
            .take_while(|line| !line.starts_with('['))
            .filter_map(|line| line.split(['.', ' ', '=']).next())
            .filter(|name| *name == "knockon" || name.starts_with("knockon-"))
            .map(|name| name.strip_prefix("knockon-").unwrap_or(name).to_owned())
            .collect();
        graph.insert(name, dependencies);
    }
    graph
}

#[test]
fn the_crate_graph_is_the_documented_one() {
    let documented = documented();
    assert!(!documented.is_empty(), "ARCHITECTURE.md has no crate table");
    assert_eq!(actual(), documented);
}

#[test]
fn every_crate_takes_the_workspace_lints_which_forbid_unsafe_code() {
    assert!(read(&root().join("Cargo.toml")).contains("unsafe_code = \"forbid\""));
    for entry in std::fs::read_dir(root().join("crates")).expect("crates/") {
        let manifest = entry.expect("an entry").path().join("Cargo.toml");
        assert!(
            read(&manifest).contains("[lints]\nworkspace = true"),
            "{} does not take the workspace's lints",
            manifest.display()
        );
    }
}

/// Crates that do no I/O do not name the modules that would.
#[test]
fn pure_crates_do_no_input_or_output() {
    for name in [
        "program",
        "library",
        "graphs",
        "memory",
        "impact",
        "report",
        "interpreter",
    ] {
        for (file, code) in shipped_code(&root().join("crates").join(name).join("src")) {
            for forbidden in ["std::fs", "std::process::Command", "std::net", "std::env"] {
                assert!(
                    !code.contains(forbidden),
                    "{} uses {forbidden}",
                    file.display()
                );
            }
        }
    }
}

/// Names of LLVM's intrinsics are known to the reader of its text and to one file of the program.
#[test]
fn one_file_knows_the_names_of_intrinsics() {
    const PLACES: [&str; 4] = [
        "crates/frontend/src/llvm/",
        "crates/frontend/src/llvm.rs",
        "crates/llvm/",
        "crates/program/src/intrinsic.rs",
    ];
    for entry in std::fs::read_dir(root().join("crates")).expect("crates/") {
        let source = entry.expect("an entry").path().join("src");
        for (file, code) in shipped_code(&source) {
            let path = file.to_string_lossy();
            let is_at_home = PLACES.iter().any(|place| path.contains(place));
            assert!(
                is_at_home || !code.contains("\"llvm."),
                "{path} names an intrinsic: ask `knockon_program::Intrinsic`"
            );
        }
    }
}

/// Files without their tests. Test-only files may compare with the host.
fn shipped_code(directory: &Path) -> Vec<(PathBuf, String)> {
    let mut files = rust_files(directory);
    files.retain(|file| {
        let path = file.to_string_lossy();
        !["tests.rs", "oracle.rs"]
            .iter()
            .any(|end| path.ends_with(end))
    });
    let code = |file: PathBuf| {
        let text = read(&file);
        let code = text.split("#[cfg(test)]\nmod tests {").next();
        (file, code.unwrap_or("").to_owned())
    };
    files.into_iter().map(code).collect()
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a source directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The modules of the engine in the order of the table in its `lib.rs`.
const ENGINE: [&str; 14] = [
    "cancellation",
    "error",
    "whole_file",
    "failed_unit",
    "export_place",
    "events",
    "options",
    "budget",
    "read",
    "comparison",
    "verdict",
    "levels",
    "queries",
    "session",
];

#[test]
fn modules_of_the_engine_use_only_those_before_them() {
    let source = root().join("crates/engine/src");
    let mut seen = BTreeSet::new();
    for file in rust_files(&source) {
        let path = file.strip_prefix(&source).unwrap();
        let module = path.components().next().unwrap().as_os_str();
        let module = module.to_string_lossy().replace(".rs", "");
        if module == "lib" {
            continue;
        }
        let order = |name: &str| ENGINE.iter().position(|known| *known == name);
        let own = order(&module).unwrap_or_else(|| panic!("{module} is not in the order"));
        seen.insert(module);
        let text = read(&file);
        for used in text.split("crate::").skip(1) {
            let name = used.split(|c: char| c != '_' && !c.is_alphanumeric());
            let Some(other) = name.into_iter().next().and_then(order) else {
                continue;
            };
            let shown = file.display();
            assert!(other <= own, "{shown} uses {}", ENGINE[other]);
        }
    }
    assert_eq!(seen.len(), ENGINE.len(), "a module is gone");
}

/// What belongs to a command line, and state that all requests would share.
#[test]
fn the_engine_has_no_command_line_no_output_and_no_globals() {
    let forbidden = [
        "clap",
        "stdout()",
        "stderr()",
        "println!",
        "current_dir",
        "static ",
        "thread_local!",
    ];
    for file in rust_files(&root().join("crates/engine/src")) {
        for line in read(&file)
            .lines()
            .filter(|line| !line.trim().starts_with("//"))
        {
            let line = line.replace("'static ", "");
            for word in forbidden {
                assert!(!line.contains(word), "{}: {line}", file.display());
            }
        }
    }
}
