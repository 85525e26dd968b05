//! What does the project's `knockon.toml` say?
//!
//! ```toml
//! [build]                          # how to build one version; runs only once trusted
//! configure = "./configure"        # a shell command, run once per tree
//! command = "make"                 # a shell command, run under `capture`
//! inputs = ["tools/**"]            # further files that steer the build
//! target = "x86_64-linux-gnu"
//! sysroot = "/opt/sysroot"
//!
//! [[test]]                         # one run of the program
//! name = "empty input"
//! args = ["--check"]
//! stdin = "text\n"
//! files = ["data/input.txt"]       # copied into the run's directory
//! env = { LANG = "C" }
//! timeout = 10                     # seconds
//! ```
//!
//! Unknown keys are errors, because a misspelt key that is ignored would change what is built or
//! tested without a word. Each error names file, line and column.
//!
//! A configuration carries the hash of the very bytes that it was read from, so that trust in it
//! ([`crate::trust`]) cannot be about other bytes than those that are run.

use std::collections::{BTreeMap, HashSet};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use crate::nearest_name::{did_you_mean, nearest_names};

pub const FILE_NAME: &str = "knockon.toml";
const LARGEST_FILE: u64 = 4 << 20;
const KEYS: [&str; 13] = [
    "build",
    "test",
    "configure",
    "command",
    "inputs",
    "target",
    "sysroot",
    "name",
    "args",
    "stdin",
    "files",
    "env",
    "timeout",
];

/// A `knockon.toml` as read.
#[derive(Debug, Clone, PartialEq)]
pub struct Configuration {
    pub path: PathBuf,
    /// Of the bytes that the rest was read from.
    pub content_hash: blake3::Hash,
    pub build: Option<Build>,
    pub tests: Vec<Test>,
}

/// How to build one version.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Build {
    pub configure: Option<String>,
    pub command: Option<String>,
    pub inputs: Vec<glob::Pattern>,
    pub target: Option<String>,
    pub sysroot: Option<PathBuf>,
}

impl Build {
    /// The commands that would run, in order: what a user is asked to trust.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.configure
            .as_deref()
            .into_iter()
            .chain(self.command.as_deref())
    }
}

/// One run of the program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Test {
    pub name: String,
    pub args: Vec<String>,
    pub stdin: Option<String>,
    /// Relative to the project's root and below it.
    pub files: Vec<PathBuf>,
    pub env: BTreeMap<String, String>,
    pub timeout: Option<Duration>,
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigurationError {
    #[error("{}: cannot read the configuration: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{}:{line}:{column}: {message}", path.display())]
    Malformed {
        path: PathBuf,
        line: usize,
        column: usize,
        message: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    build: Option<RawBuild>,
    #[serde(default)]
    test: Vec<RawTest>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBuild {
    configure: Option<Spanned<String>>,
    command: Option<Spanned<String>>,
    #[serde(default)]
    inputs: Vec<Spanned<String>>,
    target: Option<Spanned<String>>,
    sysroot: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTest {
    name: Spanned<String>,
    #[serde(default)]
    args: Vec<Spanned<String>>,
    stdin: Option<String>,
    #[serde(default)]
    files: Vec<Spanned<PathBuf>>,
    #[serde(default)]
    env: BTreeMap<Spanned<String>, Spanned<String>>,
    timeout: Option<Spanned<f64>>,
}

/// Reads the `knockon.toml` at `path`.
pub fn read_configuration(path: &Path) -> Result<Configuration, ConfigurationError> {
    let unreadable = |source| ConfigurationError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() || metadata.len() > LARGEST_FILE {
        let problem = format!("not a regular file of at most {} MiB", LARGEST_FILE >> 20);
        return Err(unreadable(std::io::Error::other(problem)));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(LARGEST_FILE).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    parse_configuration(&bytes, path)
}

/// Reads the configuration in `bytes`, which was found at `path`.
pub fn parse_configuration(bytes: &[u8], path: &Path) -> Result<Configuration, ConfigurationError> {
    let malformed = |text: &str, offset: usize, message: String| {
        let (line, column) = line_and_column(text, offset);
        ConfigurationError::Malformed {
            path: path.to_owned(),
            line,
            column,
            message,
        }
    };
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            return Err(malformed(
                &valid,
                valid.len(),
                "not UTF-8; save the file as UTF-8".to_owned(),
            ));
        }
    };
    let raw: RawFile = toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let mut message = error.message().trim_end().replace('\n', "; ");
        if message.starts_with("unknown field") {
            let key = text.get(span.clone()).unwrap_or_default().trim();
            message.push_str(&did_you_mean(&nearest_names(key, KEYS, 1)));
        }
        malformed(text, span.start, message)
    })?;
    let checked = check(raw).map_err(|problem| malformed(text, problem.offset, problem.message))?;
    let (build, tests) = checked;
    Ok(Configuration {
        path: path.to_owned(),
        content_hash: blake3::hash(bytes),
        build,
        tests,
    })
}

/// Something that TOML allows and this file does not.
struct Problem {
    offset: usize,
    message: String,
}

fn problem<T, R>(at: &Spanned<T>, message: impl Into<String>) -> Result<R, Problem> {
    Err(Problem {
        offset: at.span().start,
        message: message.into(),
    })
}

fn check(raw: RawFile) -> Result<(Option<Build>, Vec<Test>), Problem> {
    let build = raw.build.map(check_build).transpose()?;
    let mut names = HashSet::new();
    let mut tests = Vec::new();
    for test in raw.test {
        if !names.insert(test.name.get_ref().clone()) {
            return problem(
                &test.name,
                format!("two tests are named {:?}; rename one", test.name.get_ref()),
            );
        }
        tests.push(check_test(test)?);
    }
    Ok((build, tests))
}

fn check_build(raw: RawBuild) -> Result<Build, Problem> {
    let command = |text: Option<Spanned<String>>| match text {
        Some(text) if text.get_ref().trim().is_empty() || text.get_ref().contains('\0') => problem(
            &text,
            "an empty command; write the command or leave the key out",
        ),
        text => Ok(text.map(Spanned::into_inner)),
    };
    let pattern = |text: Spanned<String>| match glob::Pattern::new(text.get_ref()) {
        Ok(pattern) => Ok(pattern),
        Err(error) => problem(
            &text,
            format!("not a pattern for file names: {}", error.msg),
        ),
    };
    let target = match raw.target {
        Some(target)
            if !target
                .get_ref()
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
                || target.get_ref().is_empty()
                || target.get_ref().starts_with('-') =>
        {
            return problem(&target, "not a target such as `x86_64-linux-gnu`");
        }
        target => target.map(Spanned::into_inner),
    };
    Ok(Build {
        configure: command(raw.configure)?,
        command: command(raw.command)?,
        inputs: raw
            .inputs
            .into_iter()
            .map(pattern)
            .collect::<Result<_, _>>()?,
        target,
        sysroot: raw.sysroot,
    })
}

fn check_test(raw: RawTest) -> Result<Test, Problem> {
    if raw.name.get_ref().trim().is_empty() {
        return problem(&raw.name, "a test needs a name");
    }
    for argument in &raw.args {
        if argument.get_ref().contains('\0') {
            return problem(argument, "a NUL character cannot be passed to a program");
        }
    }
    for file in &raw.files {
        let inside = |part: Component| matches!(part, Component::Normal(_) | Component::CurDir);
        if file.get_ref().as_os_str().is_empty() || !file.get_ref().components().all(inside) {
            return problem(
                file,
                "files are named relative to the project's root and lie below it",
            );
        }
    }
    for (name, value) in &raw.env {
        if name.get_ref().is_empty()
            || name.get_ref().contains(['=', '\0'])
            || value.get_ref().contains('\0')
        {
            return problem(name, "not a name and value for the environment");
        }
    }
    let timeout = match &raw.timeout {
        Some(seconds) => match Duration::try_from_secs_f64(*seconds.get_ref()) {
            Ok(duration) if !duration.is_zero() => Some(duration),
            _ => return problem(seconds, "a timeout is a positive number of seconds"),
        },
        None => None,
    };
    Ok(Test {
        name: raw.name.into_inner(),
        args: raw.args.into_iter().map(Spanned::into_inner).collect(),
        stdin: raw.stdin,
        files: raw.files.into_iter().map(Spanned::into_inner).collect(),
        env: raw
            .env
            .into_iter()
            .map(|(name, value)| (name.into_inner(), value.into_inner()))
            .collect(),
        timeout,
    })
}

/// Both from 1, the column in characters.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |position| position + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

#[cfg(test)]
mod tests;
