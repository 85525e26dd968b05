//! `--no-cache` leaves nothing behind: not in the cache, not among temporary files, not after Ctrl-C.

use super::{git, knockon_command, repository_with, stderr};
use rustix::process::{Pid, Signal, kill_process_group};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const OLD: &str = "int twice(int x) { return x + x; }
int main(int argc, char **argv) { return twice(argc); }
";

/// A program whose working tree differs from its one commit.
fn edited_repository() -> tempfile::TempDir {
    let repository = repository_with(&[("a.c", OLD)]);
    let new = OLD.replace("x + x", "x * 3");
    std::fs::write(repository.path().join("a.c"), new).expect("a file");
    repository
}

/// Knockon with a cache directory that does not exist, and with temporary files apart.
fn uncached(here: &Path, outside: &Path) -> Command {
    let temporary = outside.join("temporary");
    std::fs::create_dir_all(&temporary).expect("a directory");
    let mut command = knockon_command(here, env!("CARGO_BIN_EXE_knockon"));
    command
        .env("KNOCKON_CACHE_DIR", outside.join("cache"))
        .env("TMPDIR", temporary);
    command
}

fn assert_nothing_is_left(outside: &Path, after: &str) {
    assert!(!outside.join("cache").exists(), "{after}");
    let left = std::fs::read_dir(outside.join("temporary")).expect("a directory");
    let left: Vec<_> = left.map(|entry| entry.expect("an entry").path()).collect();
    assert!(left.is_empty(), "{after}: {left:?}");
}

#[test]
fn without_a_cache_no_command_leaves_anything_behind() {
    let repository = edited_repository();
    let outside = tempfile::tempdir().expect("a directory");
    for arguments in [
        "diff",
        "diff --staged",
        "why a.c:2",
        "equiv HEAD . -f twice --allow-run",
        "slice a.c:1 -p HEAD",
        "after twice -p HEAD",
        "dump ssa twice -p HEAD",
        "read -p HEAD",
    ] {
        let output = uncached(repository.path(), outside.path())
            .args(arguments.split(' '))
            .arg("--no-cache")
            .output()
            .expect("knockon runs");
        let code = output.status.code();
        let differs = arguments.starts_with("equiv");
        assert_eq!(
            code,
            Some(i32::from(differs)),
            "{arguments}: {}",
            stderr(&output)
        );
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!text.contains("temporary"), "{arguments}: {text}");
        assert_nothing_is_left(outside.path(), arguments);
    }
}

#[test]
fn a_cache_that_cannot_be_made_is_said_once_with_what_to_do() {
    let repository = edited_repository();
    let output = knockon_command(repository.path(), env!("CARGO_BIN_EXE_knockon"))
        .env("KNOCKON_CACHE_DIR", "/dev/null/cache")
        .arg("diff")
        .output()
        .expect("knockon runs");
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert_eq!(message.matches("Not a directory").count(), 1, "{message}");
    assert!(message.contains("or use --no-cache"), "{message}");
}

/// Ctrl-C while a revision is built: the build ends, and its copy is removed.
#[test]
fn after_ctrl_c_the_exported_revision_is_gone() {
    let repository = edited_repository();
    let build = "[build]\ncommand = \"touch started && sleep 60\"\n";
    std::fs::write(repository.path().join("knockon.toml"), build).expect("a file");
    git(repository.path(), &["add", "-A"]);
    let outside = tempfile::tempdir().expect("a directory");
    let child = uncached(repository.path(), outside.path())
        .args(["diff", "--no-cache", "--allow-run"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("knockon runs");
    let begun = Instant::now();
    while !has_file(&outside.path().join("temporary"), "started") {
        assert!(begun.elapsed() < Duration::from_secs(120), "no build");
        std::thread::sleep(Duration::from_millis(50));
    }
    let group = Pid::from_child(&child);
    kill_process_group(group, Signal::INT).expect("a signal");
    let output = child.wait_with_output().expect("knockon ends");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(begun.elapsed() < Duration::from_secs(50));
    assert_nothing_is_left(outside.path(), "Ctrl-C");
}

/// Whether a file of this name is somewhere below the directory.
fn has_file(directory: &Path, name: &str) -> bool {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true => has_file(&path, name),
            false => entry.file_name() == name,
        }
    })
}
