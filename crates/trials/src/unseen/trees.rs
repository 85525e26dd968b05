//! Both versions of a pair as trees on disk: the old one built plainly, the new one captured, both
//! run. The working tree is the new version, and `HEAD` the old one.

use super::pair::{Pair, Version};
use crate::against_clang::HarnessError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What a build leaves behind; what a tree keeps of such files is committed all the same.
const IGNORED: &str = "*.o\n*.a\n*.so\nprog\nprog.new\nout\n.knockon\n";

/// A command that takes longer is stopped.
const MAX_TIME: Duration = Duration::from_secs(60);

/// Runs `knockon`: its path, and arguments that come first.
#[derive(Clone, Debug)]
pub struct Knockon {
    pub program: PathBuf,
    pub arguments: Vec<String>,
}

/// What both runs print, and what is said of the pair.
pub struct Examined {
    pub old: String,
    pub new: String,
    pub report: Said,
    /// The files of the new tree that its build began with.
    pub sources: Vec<String>,
}

/// What the command gave.
pub enum Said {
    Report(serde_json::Value),
    /// No report, and why.
    Refused(String),
    /// It panicked, or did not end in time.
    Broke(String),
}

/// What came of building and running a pair; `Err` is why it is no evidence.
pub type Attempt = Result<Examined, String>;

/// Builds both versions, runs them, and asks for the report.
pub fn examine(knockon: &Knockon, pair: &Pair) -> Result<Attempt, HarnessError> {
    let scratch = tempfile::tempdir().map_err(|source| HarnessError::File {
        path: std::env::temp_dir(),
        source,
    })?;
    let (tree, old) = (scratch.path().join("tree"), scratch.path().join("old"));
    for directory in [&tree, &old] {
        make(directory)?;
    }
    write(&tree, &pair.texts(Version::Old))?;
    if let Err(why) = shell(&tree, &pair.prepare.join("\n")) {
        return Ok(Err(format!("preparing fails: {why}")));
    }
    git(&tree, &["init", "-q"])?;
    let exclude = BTreeMap::from([(".git/info/exclude".to_owned(), IGNORED.to_owned())]);
    write(&tree, &exclude)?;
    git(&tree, &["add", "-f", "-A"])?;
    git(&tree, &["commit", "-q", "-m", "old"])?;
    let mut copy = Command::new("cp");
    copy.arg("-a").arg(tree.join(".")).arg(&old);
    finished(&mut copy)?;
    if let Err(why) = shell(&old, "make -s") {
        return Ok(Err(format!("the build fails: {why}")));
    }
    git(&tree, &["rm", "-q", "-r", "-f", "."])?;
    make(&tree)?;
    write(&tree, &pair.texts(Version::New))?;
    if let Err(why) = shell(&tree, &pair.prepare.join("\n")) {
        return Ok(Err(format!("preparing fails: {why}")));
    }
    let sources = (pair.files.keys().filter(|name| tree.join(name).exists()))
        .cloned()
        .collect();
    let mut capture = ask(knockon, scratch.path());
    capture.args(["capture", "--", "make", "-s"]);
    let output = in_time(&mut capture)?;
    if !output.as_ref().is_some_and(|one| one.status.success()) {
        let report = match output {
            Some(one) => Said::Broke(text_of(&one.stderr)),
            None => Said::Broke("capture did not end in time".to_owned()),
        };
        // A build that fails by itself is no evidence.
        if let Err(why) = shell(&tree, "make -s -B") {
            return Ok(Err(format!("the build fails: {why}")));
        }
        return Ok(run_both(&old, &tree).map(|(old, new)| Examined {
            old,
            new,
            report,
            sources,
        }));
    }
    let (old, new) = match run_both(&old, &tree) {
        Ok(texts) => texts,
        Err(why) => return Ok(Err(why)),
    };
    let mut diff = ask(knockon, scratch.path());
    diff.args(["diff", "--format", "json"]);
    let report = said(in_time(&mut diff)?);
    Ok(Ok(Examined {
        old,
        new,
        report,
        sources,
    }))
}

pub(crate) fn said(output: Option<Output>) -> Said {
    let Some(output) = output else {
        return Said::Broke("did not end in time".to_owned());
    };
    let errors = text_of(&output.stderr);
    if errors.contains("panicked") || output.status.code().is_none() {
        return Said::Broke(errors);
    }
    match serde_json::from_slice(&output.stdout) {
        Ok(report) => Said::Report(report),
        Err(_) if output.stdout.is_empty() => Said::Refused(errors),
        Err(error) => Said::Broke(format!("the report is no JSON: {error}")),
    }
}

fn run_both(old: &Path, new: &Path) -> Result<(String, String), String> {
    let run = |tree| shell(tree, "./prog").map_err(|why| format!("the run fails: {why}"));
    Ok((run(old)?, run(new)?))
}

pub(crate) fn ask(knockon: &Knockon, scratch: &Path) -> Command {
    let mut command = Command::new(&knockon.program);
    command
        .args(&knockon.arguments)
        .current_dir(scratch.join("tree"))
        .env("KNOCKON_CACHE_DIR", scratch.join("cache"))
        .env("XDG_STATE_HOME", scratch.join("state"))
        .env("NO_COLOR", "1");
    command
}

/// Standard output, or in a few words why there is none.
fn shell(directory: &Path, script: &str) -> Result<String, String> {
    let output = Command::new("timeout")
        .args(["20", "sh", "-ec", script])
        .current_dir(directory)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(text_of(&output.stdout));
    }
    let errors = text_of(&output.stderr);
    let telling = ["error:", "undefined reference", "multiple definition"];
    let line = errors
        .lines()
        .find(|line| telling.iter().any(|word| line.contains(word)))
        .or(errors.lines().next());
    Err(line.map_or_else(|| output.status.to_string(), reason))
}

/// A message without what differs from pair to pair.
fn reason(line: &str) -> String {
    line.rsplit(": ")
        .next()
        .unwrap_or(line)
        .chars()
        .map(|letter| if letter.is_ascii_digit() { '0' } else { letter })
        .collect()
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The output of a command that ended in time.
pub(crate) fn in_time(command: &mut Command) -> Result<Option<Output>, HarnessError> {
    let mut limited = Command::new("timeout");
    limited
        .arg(MAX_TIME.as_secs().to_string())
        .arg(command.get_program())
        .args(command.get_args());
    if let Some(directory) = command.get_current_dir() {
        limited.current_dir(directory);
    }
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            limited.env(name, value);
        }
    }
    let begin = Instant::now();
    let output = limited.stdin(Stdio::null()).output().map_err(start)?;
    Ok((begin.elapsed() < MAX_TIME).then_some(output))
}

fn start(source: std::io::Error) -> HarnessError {
    HarnessError::File {
        path: PathBuf::from("timeout"),
        source,
    }
}

pub(crate) fn git(directory: &Path, arguments: &[&str]) -> Result<(), HarnessError> {
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null");
    finished(&mut command)
}

fn finished(command: &mut Command) -> Result<(), HarnessError> {
    let output = command.output().map_err(start)?;
    match output.status.success() {
        true => Ok(()),
        false => Err(HarnessError::Frontend(format!(
            "{command:?}: {}",
            text_of(&output.stderr)
        ))),
    }
}

fn make(directory: &Path) -> Result<(), HarnessError> {
    std::fs::create_dir_all(directory).map_err(|source| HarnessError::File {
        path: directory.to_path_buf(),
        source,
    })
}

pub(crate) fn write(
    directory: &Path,
    files: &BTreeMap<String, String>,
) -> Result<(), HarnessError> {
    for (name, text) in files {
        let path = directory.join(name);
        make(path.parent().unwrap_or(directory))?;
        std::fs::write(&path, text).map_err(|source| HarnessError::File { path, source })?;
    }
    Ok(())
}
