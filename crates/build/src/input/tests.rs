//! What arguments on the command line mean.

use super::*;
use std::process::Command;

/// A repository with one commit, the branch `main`, the tag `both` and the directory `both`.
fn repository() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path();
    std::fs::create_dir(root.join("both")).expect("created");
    for name in [
        "main.c",
        "unit.ll",
        "compile_commands.json",
        "notes.txt",
        "unit.bc",
        "main.rs",
    ] {
        std::fs::write(root.join(name), "").expect("written");
    }
    for arguments in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &["add", "--all"],
        &[
            "-c",
            "user.name=Test",
            "-c",
            "user.email=t@example.org",
            "commit",
            "--quiet",
            "-m",
            "first",
        ],
        &["tag", "both"],
    ] {
        let status = Command::new("git")
            .args(arguments)
            .current_dir(root)
            .status()
            .expect("git runs");
        assert!(status.success());
    }
    directory
}

fn one(argument: &str, root: &Path) -> Result<Input, InputError> {
    program(Some(argument), root).map(|(input, _)| input)
}

#[test]
fn paths_are_told_apart_by_what_they_are() {
    let root = tempfile::tempdir().expect("a directory");
    let root = root.path();
    for name in ["a.c", "a.cpp", "a.ll", "db.json"] {
        std::fs::write(root.join(name), "").expect("written");
    }
    assert_eq!(
        one("a.c", root).expect("a file"),
        Input::SourceFile(root.join("a.c"))
    );
    assert_eq!(
        one("path:a.cpp", root).expect("a file"),
        Input::SourceFile(root.join("a.cpp"))
    );
    assert_eq!(
        one("./a.ll", root).expect("a file"),
        Input::LlvmFile(root.join("./a.ll"))
    );
    assert_eq!(
        one("db.json", root).expect("a file"),
        Input::CompileCommands(root.join("db.json"))
    );
    assert_eq!(
        one(".", root).expect("a directory"),
        Input::Directory(root.join("."))
    );
    assert_eq!(
        program(None, root).expect("a directory").0,
        Input::Directory(root.to_owned())
    );
}

#[test]
fn files_that_are_no_program_say_what_to_do() {
    let directory = repository();
    for (name, advice) in [
        ("unit.bc", "llvm-dis"),
        ("main.rs", "--emit=llvm-ir"),
        ("notes.txt", "name a C or C++ file"),
    ] {
        let message = one(name, directory.path())
            .expect_err("refused")
            .to_string();
        assert!(message.contains(advice), "{message}");
    }
}

#[test]
fn what_is_path_and_revision_is_an_error_and_prefixes_decide() {
    let directory = repository();
    let root = directory.path();
    let message = one("both", root).expect_err("ambiguous").to_string();
    assert!(message.contains("`path:both` or `rev:both`"), "{message}");
    assert!(matches!(one("path:both", root), Ok(Input::Directory(_))));
    assert!(matches!(one("rev:both", root), Ok(Input::Revision(_))));
    assert!(matches!(one("./both", root), Ok(Input::Directory(_))));
    assert!(matches!(one("main", root), Ok(Input::Revision(_))));
    assert!(matches!(one("main.c", root), Ok(Input::SourceFile(_))));
}

#[test]
fn what_is_neither_offers_near_names_of_both_kinds() {
    let directory = repository();
    let message = one("mian.c", directory.path())
        .expect_err("nothing")
        .to_string();
    assert!(
        message.contains("`main.c`") && message.contains("neither a path nor a revision"),
        "{message}"
    );
    let message = one("mian", directory.path())
        .expect_err("nothing")
        .to_string();
    assert!(message.contains("`main`"), "{message}");
    let message = one("path:mian.c", directory.path())
        .expect_err("nothing")
        .to_string();
    assert!(message.contains("did you mean `main.c`"), "{message}");
    let outside = tempfile::tempdir().expect("a directory");
    assert!(matches!(
        one("HEAD", outside.path()),
        Err(InputError::NoSuchPath { .. })
    ));
}

#[test]
fn the_defaults_are_head_and_the_working_tree() {
    let directory = repository();
    let root = directory.path();
    let both = versions(None, None, false, root).expect("defaults");
    assert!(matches!(&both.old, Input::Revision(head) if head.name == "HEAD"));
    assert_eq!(
        both.new,
        Input::WorkingTree(root.canonicalize().expect("a path"))
    );
    assert_eq!(
        versions(None, None, true, root).expect("staged").new,
        Input::Staged
    );
    assert!(matches!(
        versions(Some("main"), None, false, root).expect("one").new,
        Input::WorkingTree(_)
    ));
    let range = versions(Some("main...HEAD"), None, false, root).expect("a range");
    assert!(matches!(
        (range.old, range.new),
        (Input::Revision(_), Input::Revision(_))
    ));
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let directory = repository();
    let root = directory.path();
    assert!(matches!(
        versions(Some("main..HEAD"), Some("main"), false, root),
        Err(InputError::RangeAndMore { .. })
    ));
    assert!(matches!(
        versions(Some("main..HEAD"), None, true, root),
        Err(InputError::RangeAndMore { .. })
    ));
    assert!(matches!(
        versions(Some("main"), Some("main..HEAD"), false, root),
        Err(InputError::RangeForOne { .. })
    ));
    assert!(matches!(
        versions(Some("main"), Some("main"), true, root),
        Err(InputError::StagedAndNew { .. })
    ));
    assert!(matches!(
        versions(Some("main.c"), None, false, root),
        Err(InputError::NewVersionMissing { .. })
    ));
    assert!(matches!(
        program(Some("main..HEAD"), root),
        Err(InputError::RangeForOne { .. })
    ));
    assert!(matches!(
        versions(Some("main..nothing"), None, false, root),
        Err(InputError::Git(_))
    ));
}
