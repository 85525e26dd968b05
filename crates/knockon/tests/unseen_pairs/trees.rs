//! Both versions of a pair as trees on disk: built, run, captured.

use super::{Files, Mark, Pair};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a build leaves behind; what a tree keeps of such files is committed all the same.
const IGNORED: &str = "*.o\n*.a\n*.so\n*.bc\nprog\n.knockon\nout\n";

/// A repository whose working tree is the new version, with its build captured.
pub struct Trees {
    directory: tempfile::TempDir,
    /// The arguments that name the two versions: none, and `HEAD~1 HEAD` where the new one is
    /// committed too.
    pub ranges: Vec<Vec<&'static str>>,
}

/// What is wrong with the pair itself, so that it shows nothing.
pub type Broken = String;

fn run(command: &mut Command, what: &str) -> Result<Output, Broken> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{what}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    Err(format!("{what}: {}\n{out}{err}", output.status))
}

fn shell(directory: &Path, text: &str) -> Command {
    let mut command = Command::new("timeout");
    command
        .args(["60", "sh", "-ec", text])
        .current_dir(directory)
        .env("LC_ALL", "C");
    command
}

fn write(directory: &Path, files: &Files) -> Result<(), Broken> {
    for (name, text) in files {
        let path = directory.join(name);
        let parent = path.parent().unwrap_or(directory);
        let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, text));
        written.map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

fn write_and_prepare(directory: &Path, files: &Files, pair: &Pair) -> Result<(), Broken> {
    write(directory, files)?;
    let script = pair.prepare.join("\n");
    run(&mut shell(directory, &script), "prepare").map(|_| ())
}

/// Runs git without the user's settings.
fn git(directory: &Path, arguments: &[&str]) -> Result<(), Broken> {
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null");
    run(&mut command, &format!("git {arguments:?}")).map(|_| ())
}

fn commit(directory: &Path, message: &str) -> Result<(), Broken> {
    git(directory, &["add", "-f", "-A"])?;
    git(directory, &["commit", "-q", "--allow-empty", "-m", message])
}

/// What a version's run prints, and how it ends.
fn printed(directory: &Path, pair: &Pair) -> Result<String, Broken> {
    let command = pair.run.as_deref().unwrap_or("./prog");
    let output = shell(directory, command)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{command}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(format!("{text}\nexit {:?}\n", output.status.code()))
}

fn lines_of(text: &str, word: &str) -> Vec<String> {
    let begins = |line: &&str| {
        let rest = line.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    text.lines().filter(begins).map(str::to_owned).collect()
}

/// The difference is real, and where the marks say.
fn check_runs(pair: &Pair, old: &str, new: &str) -> Result<(), Broken> {
    let both = format!("\nold run:\n{old}\nnew run:\n{new}");
    if pair.differing().next().is_some() && old == new {
        return Err(format!("both versions print the same{both}"));
    }
    for line in &pair.marks {
        let Some(word) = &line.word else { continue };
        let (old, new) = (lines_of(old, word), lines_of(new, word));
        if old.is_empty() && new.is_empty() {
            return Err(format!("neither version prints `{word}`{both}"));
        }
        let wanted = line.mark == Mark::Differs;
        if (old != new) != wanted {
            let what = if wanted { "is the same" } else { "differs" };
            return Err(format!("what `{word}` prints {what}{both}"));
        }
    }
    Ok(())
}

impl Trees {
    pub fn of(pair: &Pair) -> Result<Trees, Broken> {
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (tree, old) = (directory.path().join("tree"), directory.path().join("old"));
        for path in [&tree, &old] {
            std::fs::create_dir(path).map_err(|error| error.to_string())?;
        }
        write_and_prepare(&tree, &pair.old, pair)?;
        git(&tree, &["init", "-q"])?;
        write(
            &tree,
            &[(".git/info/exclude".to_string(), IGNORED.to_string())].into(),
        )?;
        commit(&tree, "old")?;
        run(
            Command::new("cp").arg("-a").arg(tree.join(".")).arg(&old),
            "cp",
        )?;
        let build = pair.build.as_deref().unwrap_or("make -s");
        run(&mut shell(&old, build), "the old version's build")?;

        git(&tree, &["rm", "-q", "-r", "-f", "."])?;
        write_and_prepare(&tree, &pair.new, pair)?;
        let mut ranges = vec![Vec::new()];
        if pair.committed {
            commit(&tree, "new")?;
            ranges = vec![vec!["HEAD~1"], vec!["HEAD~1", "HEAD"]];
        }
        let trees = Trees { directory, ranges };
        let mut capture = trees.knockon(&["capture", "--"]);
        capture.args(build.split(' '));
        run(&mut capture, "knockon capture")?;
        check_runs(pair, &printed(&old, pair)?, &printed(&tree, pair)?)?;
        Ok(trees)
    }

    pub fn tree(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    pub fn knockon(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_knockon"));
        command
            .args(arguments)
            .current_dir(self.tree())
            .stdin(Stdio::null())
            .env("KNOCKON_CACHE_DIR", self.directory.path().join("cache"))
            .env("XDG_STATE_HOME", self.directory.path().join("state"))
            .env("NO_COLOR", "1");
        command
    }
}
