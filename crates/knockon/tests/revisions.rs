//! Git revisions: exported, built and read, with the user's repository untouched.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Project {
    directory: tempfile::TempDir,
    home: tempfile::TempDir,
}

impl Project {
    /// A plain-make project whose program prints a table that another program of the
    /// project generates; two commits, the second changes the main program.
    fn new() -> Project {
        let project = Project {
            directory: tempfile::tempdir().expect("a directory"),
            home: tempfile::tempdir().expect("a directory"),
        };
        project.write(
            "Makefile",
            "table: main.o squares.o\n\tcc -o $@ main.o squares.o\n\
             squares.c: generate\n\t./generate > $@\n\
             generate: generate.c\n\tcc -o $@ generate.c\n",
        );
        project.write(
            "generate.c",
            "#include <stdio.h>\nint main(void) { puts(\"int squares[] = {0, 1, 4};\"); return 0; }\n",
        );
        project.write("main.c", "extern int squares[];\nint old_helper(void) { return 1; }\nint main(void) { return squares[1] - old_helper(); }\n");
        project.write(".gitignore", "*.o\ntable\ngenerate\nsquares.c\n.knockon\n");
        project.git(&["init", "-q"]);
        project.commit("first");
        project.write("main.c", "extern int squares[];\nint new_helper(void) { return 1; }\nint main(void) { return squares[1] - new_helper(); }\n");
        project.commit("second");
        project
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).expect("a file");
    }

    fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(arguments)
            .current_dir(self.path())
            .env("HOME", self.home.path())
            .status()
            .expect("git runs");
        assert!(status.success(), "git {arguments:?}");
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    fn knockon(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_knockon"))
            .args(arguments)
            .current_dir(self.path())
            .env("HOME", self.home.path())
            .env("KNOCKON_CACHE_DIR", self.home.path().join("cache"))
            .env("XDG_STATE_HOME", self.home.path().join("state"))
            .output()
            .expect("knockon runs")
    }

    /// Content, mode and modification time of every file, `.git` included.
    fn fingerprint(&self) -> BTreeMap<PathBuf, (Vec<u8>, u32, i64)> {
        let mut files = BTreeMap::new();
        let mut pending = vec![self.path().to_owned()];
        while let Some(directory) = pending.pop() {
            for entry in std::fs::read_dir(directory).expect("a directory") {
                let path = entry.expect("an entry").path();
                let metadata = std::fs::symlink_metadata(&path).expect("metadata");
                let content = match metadata.is_dir() {
                    true => {
                        pending.push(path.clone());
                        Vec::new()
                    }
                    false => std::fs::read(&path).expect("content"),
                };
                let times = metadata.mtime() * 1_000_000_000 + metadata.mtime_nsec();
                files.insert(path, (content, metadata.mode(), times));
            }
        }
        files
    }
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn a_trusted_build_is_run_in_each_revision_and_equal_units_are_shared() {
    let project = Project::new();
    project.write("knockon.toml", "[build]\ncommand = \"make\"\n");
    let untrusted = project.knockon(&["read", "-p", "HEAD~1"]);
    assert_eq!(untrusted.status.code(), Some(2));
    assert!(
        text(&untrusted).contains("knockon trust"),
        "{}",
        text(&untrusted)
    );

    assert!(project.knockon(&["trust"]).status.success());
    let before = project.fingerprint();
    let old = project.knockon(&[
        "after",
        "old_helper",
        "-p",
        "HEAD~1",
        "--executable",
        "table",
    ]);
    assert!(old.status.success(), "{}", text(&old));
    let new = project.knockon(&["after", "new_helper", "-p", "HEAD", "--executable", "table"]);
    assert!(new.status.success(), "{}", text(&new));
    let read = project.knockon(&["read", "-p", "HEAD", "--executable", "table"]);
    assert!(
        text(&read).contains("3 units read, 3 of them from the cache"),
        "{}",
        text(&read)
    );
    assert!(project.fingerprint() == before, "the repository changed");
}

#[test]
fn the_captured_commands_are_moved_to_the_revision_with_a_caveat_for_generated_files() {
    let project = Project::new();
    assert!(
        project
            .knockon(&["capture", "--", "make", "-s"])
            .status
            .success()
    );
    let before = project.fingerprint();
    let old = project.knockon(&[
        "after",
        "old_helper",
        "-p",
        "HEAD~1",
        "--executable",
        "table",
    ]);
    assert!(old.status.success(), "{}", text(&old));
    assert!(text(&old).contains("generated-file"), "{}", text(&old));
    assert!(project.fingerprint() == before, "the repository changed");
}

#[test]
fn a_changed_makefile_stops_the_reuse_of_the_commands_and_is_named() {
    let project = Project::new();
    project.write(
        "Makefile",
        "table: main.c generate.c\n\tcc -o table main.c\n",
    );
    assert!(!text(&project.knockon(&["capture", "--keep-going", "--", "make", "-s"])).is_empty());
    let refused = project.knockon(&["read", "-p", "HEAD"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused).contains("Makefile"), "{}", text(&refused));
    assert!(
        text(&refused).contains("--assume-same-build"),
        "{}",
        text(&refused)
    );
    let assumed = project.knockon(&["read", "-p", "HEAD", "--assume-same-build"]);
    assert!(assumed.status.success(), "{}", text(&assumed));
}

#[test]
fn an_unknown_revision_gets_the_nearest_names() {
    let project = Project::new();
    project.git(&["branch", "release"]);
    let output = project.knockon(&["read", "-p", "rev:relaese"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("`release`"), "{}", text(&output));
}
