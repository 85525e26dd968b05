//! How is `git` run so that it runs nothing else and writes nothing?
//!
//! Each call starts from an empty environment, so that neither a hook's `GIT_DIR` nor a tracing or
//! editor variable of the caller leaks in; what git needs to find its configuration and to judge
//! ownership is passed on. Nothing is ever asked of the terminal.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::GitError;

/// Where git finds the user's configuration, and who the user is.
const PASSED_ON: [&str; 9] = [
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "USER",
    "SUDO_UID",
    "TMPDIR",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];

/// Settings that could start a program or open a connection, switched off.
const SETTINGS: [&str; 6] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "protocol.allow=never",
    "core.quotePath=false",
];

/// One call of git.
pub(super) struct GitCommand {
    command: Command,
    shown: String,
}

/// What a call of git said.
pub(super) struct GitOutput {
    pub success: bool,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl GitCommand {
    pub fn new(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        let mut command = Command::new("git");
        command.env_clear().stdin(Stdio::null());
        for name in PASSED_ON {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        // Settings for one call, such as the safe.directory of a CI job.
        for (name, value) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if ["GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"]
                .iter()
                .any(|known| text.starts_with(known))
            {
                command.env(&name, value);
            }
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .arg("--no-pager");
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        let mut shown = String::new();
        for argument in arguments {
            let argument = argument.as_ref();
            shown.push_str(if shown.is_empty() { "" } else { " " });
            shown.push_str(&argument.to_string_lossy());
            command.arg(argument);
        }
        Self { command, shown }
    }

    /// Without the user's, the system's and the caller's configuration.
    pub fn without_configuration(mut self) -> Self {
        for name in std::env::vars_os().map(|(name, _)| name) {
            if name.to_string_lossy().starts_with("GIT_CONFIG") {
                self.command.env_remove(name);
            }
        }
        self.environment("GIT_CONFIG_NOSYSTEM", "1")
            .environment("GIT_CONFIG_GLOBAL", "/dev/null")
            .environment("GIT_CONFIG_SYSTEM", "/dev/null")
            .environment("GIT_ATTR_NOSYSTEM", "1")
            .environment("HOME", "/dev/null")
            .environment("XDG_CONFIG_HOME", "/dev/null")
    }

    pub fn environment(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn in_directory(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// Runs git and returns what it said, whether or not it succeeded.
    pub fn output(mut self) -> Result<GitOutput, GitError> {
        let output = self
            .command
            .output()
            .map_err(|source| match source.kind() {
                std::io::ErrorKind::NotFound if self.directory_exists() => GitError::GitMissing,
                _ => GitError::Io {
                    path: PathBuf::from("git"),
                    source,
                },
            })?;
        const INTERRUPT: i32 = 2;
        if output.status.signal() == Some(INTERRUPT) {
            return Err(GitError::Interrupted {
                command: self.shown,
            });
        }
        Ok(GitOutput {
            success: output.status.success(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        })
    }

    /// Runs git, which must succeed, and returns its standard output.
    pub fn run(self) -> Result<Vec<u8>, GitError> {
        let shown = self.shown.clone();
        let output = self.output()?;
        if output.success {
            Ok(output.stdout)
        } else {
            Err(GitError::CommandFailed {
                command: shown,
                detail: output.stderr,
            })
        }
    }

    fn directory_exists(&self) -> bool {
        self.command.get_current_dir().is_none_or(Path::is_dir)
    }
}

/// The only line of an answer.
pub(super) fn one_line(stdout: Vec<u8>) -> OsString {
    let mut bytes = stdout;
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    OsString::from_vec(bytes)
}
