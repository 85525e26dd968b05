//! A solver that does as it pleases: answers honestly, lies, invents or spoils models, crashes, hangs,
//! floods, prints what is no answer, or eats memory, at random for each question.
//!
//! What it may do to verdicts: make them unknown. An answer counts only if another program gives it,
//! too, and a model only if it holds.

use crate::against_clang::HarnessError;
use crate::random::Random;
use knockon_logic::solver::{SolverKind, SolverProgram};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A script that starts it, in a directory of its own by which its processes are known.
pub struct BadSolver {
    directory: tempfile::TempDir,
}

impl BadSolver {
    /// `trials` is this program, which behaves badly when it is told `misbehave`.
    pub fn new(trials: &Path) -> Result<BadSolver, HarnessError> {
        let directory = tempfile::tempdir().map_err(|source| HarnessError::File {
            path: std::env::temp_dir(),
            source,
        })?;
        let bad = BadSolver { directory };
        // Written by another process: one that this one starts meanwhile would hold the file open.
        let start = |source| HarnessError::Start {
            program: "sh".to_owned(),
            source,
        };
        // What it starts is known by the environment.
        let script = "printf '#!/bin/sh\\nexport KNOCKON_BAD_SOLVER=\"%s\"\\nexec \"%s\" misbehave\\n' \"$2\" \"$1\" > \"$3\" && chmod 755 \"$3\"";
        let status = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(trials)
            .arg(bad.directory.path())
            .arg(bad.path())
            .status()
            .map_err(start)?;
        match status.success() {
            true => Ok(bad),
            false => Err(start(io::Error::other("the script cannot be written"))),
        }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("z3-of-a-kind")
    }

    pub fn program(&self) -> SolverProgram {
        SolverProgram {
            kind: SolverKind::Z3,
            path: self.path(),
        }
    }

    /// The command lines of processes that are still there after a while.
    pub fn left_over(&self) -> Vec<String> {
        let begin = Instant::now();
        loop {
            let left = self.processes();
            if left.is_empty() || begin.elapsed() > Duration::from_secs(5) {
                return left;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn processes(&self) -> Vec<String> {
        let mark = self.directory.path().to_string_lossy().into_owned();
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let text = |path: PathBuf| {
            let bytes = std::fs::read(path).unwrap_or_default();
            String::from_utf8_lossy(&bytes).replace('\0', " ")
        };
        let marked = entries.filter(|entry| {
            let about = ["environ", "cmdline"].map(|part| text(entry.path().join(part)));
            about.iter().any(|about| about.contains(&mark))
        });
        let lines = marked.map(|entry| text(entry.path().join("cmdline")));
        lines.collect()
    }
}

/// An honest solver behind the bad one.
struct Honest {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Honest {
    fn start() -> io::Result<Honest> {
        let mut child = Command::new("z3")
            .args(["-in", "-smt2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Honest {
                child,
                input,
                output: BufReader::new(output),
            }),
            _ => Err(io::Error::other("a pipe is missing")),
        }
    }

    /// What it says, up to a line that it is told to echo.
    fn said(&mut self, text: &str) -> io::Result<String> {
        writeln!(self.input, "{text}\n(echo \"that is all\")")?;
        let mut said = String::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 || line.contains("that is all") {
                return Ok(said);
            }
            said.push_str(&line);
        }
    }
}

impl Drop for Honest {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Behaves like a solver on standard input and output until it matters.
pub fn misbehave() -> io::Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos() as u64;
    let mut random = Random::new(now ^ u64::from(std::process::id()));
    let mut honest: Option<Honest> = None;
    let mut asked = String::new();
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.starts_with("(reset") {
            asked.clear();
            honest = None;
        } else if line.starts_with("(echo") {
            let text = line.split('"').nth(1).unwrap_or_default();
            writeln!(out, "{text}")?;
        } else if line.starts_with("(check-sat") {
            answer(&mut random, &asked, &mut honest, &mut out)?;
        } else if line.starts_with("(get-value") {
            values(&mut random, &line, &mut honest, &mut out)?;
        } else {
            asked.push_str(&line);
            asked.push('\n');
        }
        out.flush()?;
    }
    Ok(())
}

fn answer(
    random: &mut Random,
    asked: &str,
    honest: &mut Option<Honest>,
    out: &mut impl Write,
) -> io::Result<()> {
    match random.below(40) {
        0..16 => {
            let mut solver = Honest::start()?;
            let said = solver.said(&format!("{asked}(check-sat)"))?;
            *honest = Some(solver);
            out.write_all(said.as_bytes())
        }
        16..26 => writeln!(out, "unsat"),
        26..33 => writeln!(out, "sat"),
        33 => writeln!(out, "sat\nunsat"),
        34 => writeln!(out, "(error \"no\")\nunsat"),
        35 => std::process::abort(),
        36 => std::process::exit(0),
        37 => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        38 => {
            let rubbish = [b'('; 4096];
            for _ in 0..40_000 {
                out.write_all(&rubbish)?;
            }
            Ok(())
        }
        _ => {
            let mut eaten: Vec<Vec<u8>> = Vec::new();
            // Until the limit of its memory ends it.
            for _ in 0..4096 {
                eaten.push(vec![1; 1 << 20]);
            }
            writeln!(out, "unsat {}", eaten.len())
        }
    }
}

/// Of an honest answer mostly the true values; otherwise some.
fn values(
    random: &mut Random,
    line: &str,
    honest: &mut Option<Honest>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some(solver) = honest else {
        let names = line
            .trim_start_matches("(get-value (")
            .trim_end_matches(')');
        let digit = random.below(10);
        let values: Vec<String> = names
            .split(' ')
            .map(|name| format!("({name} #x0000000{digit})"))
            .collect();
        return writeln!(out, "({})", values.join(" "));
    };
    let mut said = solver.said(line)?;
    if random.chance(30) {
        let (from, to) = (random.below(10).to_string(), random.below(10).to_string());
        said = said.replace(&from, &to);
    }
    out.write_all(said.as_bytes())
}
