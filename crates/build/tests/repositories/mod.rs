//! Git repositories in temporary directories, each with a cache directory beside it.

use knockon_build::git::{Repository, discover};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A repository to export from, and a cache directory.
pub struct Fixture {
    pub directory: TempDir,
}

impl Fixture {
    pub fn new() -> Self {
        let fixture = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(fixture.root()).unwrap();
        fixture.git(&["init", "--quiet", "--initial-branch=main"]);
        fixture
    }

    pub fn root(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    pub fn cache(&self) -> PathBuf {
        self.directory.path().join("cache")
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        git_in(&self.root(), arguments)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub fn repository(&self) -> Repository {
        discover(&self.root()).unwrap()
    }
}

pub fn git_in(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=Test",
            "-c",
            "user.email=test@example.org",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(arguments)
        .current_dir(directory)
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}
