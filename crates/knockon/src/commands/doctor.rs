//! `knockon doctor`: what is installed and usable here, what each lack costs, and what mends it.

use crate::{Outcome, exit_code};
use anyhow::{Context as _, Result};
use knockon_build::build_plan::{COMPILE_COMMANDS, RECORD};
use knockon_build::cache::{Cache, DEFAULT_CACHE_LIMIT, default_cache_directory};
use knockon_build::clang::sanitizers::{has_address_sanitizer, runtime_package};
use knockon_build::clang::{Clang, find_clang};
use knockon_build::git::{discover, working_tree_files};
use knockon_build::recorded_build::{self, linked_programs};
use knockon_engine::read::captured_inputs::require_same_inputs;
use knockon_logic::solver::installed_solvers;
use knockon_report::escape_control_characters;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

enum State {
    Fine,
    /// Something is worse without it.
    Missing,
    /// Nothing works without it.
    Broken,
}

struct Finding {
    state: State,
    what: &'static str,
    found: String,
    /// What the lack costs, and what mends it.
    advice: Option<String>,
}

fn fine(what: &'static str, found: String) -> Finding {
    Finding {
        state: State::Fine,
        what,
        found,
        advice: None,
    }
}

fn missing(what: &'static str, found: &str, advice: &str) -> Finding {
    Finding {
        state: State::Missing,
        what,
        found: found.to_owned(),
        advice: Some(advice.to_owned()),
    }
}

pub fn run() -> Result<Outcome> {
    let here = std::env::current_dir().context("the current directory is not known")?;
    let mut findings = Vec::new();
    match find_clang(None) {
        Ok(clang) => {
            findings.push(fine(
                "clang",
                format!("{} ({})", clang.version, clang.path.display()),
            ));
            findings.push(sanitizers(&clang));
        }
        Err(error) => findings.push(Finding {
            state: State::Broken,
            what: "clang",
            found: "not usable".to_owned(),
            advice: Some(error.to_string()),
        }),
    }
    findings.push(solver());
    findings.push(git());
    findings.push(cache());
    findings.push(confinement());
    findings.extend(build(&here));

    let mut text = String::new();
    for finding in &findings {
        let word = match finding.state {
            State::Fine => "ok",
            State::Missing => "missing",
            State::Broken => "broken",
        };
        let found = escape_control_characters(&finding.found);
        let _ = writeln!(text, "{word:<8} {:<11} {found}", finding.what);
        if let Some(advice) = &finding.advice {
            let advice = escape_control_characters(advice);
            let _ = writeln!(text, "{:20} {advice}", "");
        }
    }
    let is_broken = findings
        .iter()
        .any(|finding| matches!(finding.state, State::Broken));
    Ok(Outcome {
        text,
        code: match is_broken {
            true => exit_code::ERROR,
            false => exit_code::FINISHED,
        },
    })
}

fn sanitizers(clang: &Clang) -> Finding {
    match has_address_sanitizer(clang) {
        true => fine("sanitizers", format!("of clang {}", clang.major)),
        false => missing(
            "sanitizers",
            "no runtime library",
            &format!(
                "`knockon equiv` sees less undefined behaviour when it runs both versions; mend: apt-get install {}",
                runtime_package(clang)
            ),
        ),
    }
}

fn solver() -> Finding {
    let solvers = installed_solvers();
    let names = solvers
        .iter()
        .map(|solver| match first_line(&solver.path, "--version") {
            Some(version) => format!("{version} ({})", solver.path.display()),
            None => solver.path.display().to_string(),
        });
    let names: Vec<String> = names.collect();
    match names.is_empty() {
        true => missing(
            "solver",
            "neither z3 nor cvc5",
            "`diff` and `equiv` prove only what is equal without one; mend: apt-get install z3",
        ),
        false => fine("solver", names.join(", ")),
    }
}

fn git() -> Finding {
    match first_line(Path::new("git"), "--version") {
        Some(version) => fine("git", version),
        None => missing(
            "git",
            "not found",
            "only files and directories can be compared, not revisions; mend: apt-get install git",
        ),
    }
}

fn cache() -> Finding {
    let Some(directory) = default_cache_directory() else {
        return missing(
            "cache",
            "no place for one",
            "every run compiles everything, and revisions cannot be exported; mend: set KNOCKON_CACHE_DIR to an absolute path",
        );
    };
    let cache = Cache::open(&directory, DEFAULT_CACHE_LIMIT);
    match cache.problem() {
        Some(problem) => missing(
            "cache",
            problem,
            "every run compiles everything; mend: set KNOCKON_CACHE_DIR to a directory that can be written",
        ),
        None => {
            let statistics = cache.statistics();
            let size = statistics.total_bytes as f64 / 1e6;
            fine("cache", format!("{}, {size:.0} MB", directory.display()))
        }
    }
}

/// What keeps a run of the program's own code in its place.
fn confinement() -> Finding {
    let modules = std::fs::read_to_string("/sys/kernel/security/lsm").unwrap_or_default();
    let has_landlock = modules.split(',').any(|name| name.trim() == "landlock");
    match has_landlock {
        true => fine(
            "confinement",
            "Landlock: runs of your code cannot write elsewhere".to_owned(),
        ),
        false => missing(
            "confinement",
            "Landlock is not known to be there",
            "runs of your code by `equiv` may not be kept from writing files; each report says what could not be applied",
        ),
    }
}

/// What is recorded of the build here, and whether it is still true.
fn build(here: &Path) -> Vec<Finding> {
    let repository = discover(here).ok();
    let root = repository
        .as_ref()
        .and_then(|repository| repository.working_tree.clone());
    let root = root.unwrap_or_else(|| here.to_owned());
    let record = root.join(RECORD);
    if !record.is_file() {
        let found = match root.join(COMPILE_COMMANDS).is_file() {
            true => {
                return vec![fine(
                    "build",
                    format!("{COMPILE_COMMANDS}, without what is linked"),
                )];
            }
            false => "not recorded",
        };
        return vec![missing(
            "build",
            found,
            "every C file is read with clang's defaults; mend: knockon capture -- make, after a clean",
        )];
    }
    let build = match recorded_build::read(&record) {
        Ok(build) => build,
        Err(error) => {
            return vec![Finding {
                state: State::Broken,
                what: "build",
                found: format!("{RECORD} cannot be read"),
                advice: Some(format!("{error}; mend: clean, and capture again")),
            }];
        }
    };
    let programs = linked_programs(&build);
    let mut findings = vec![fine(
        "build",
        format!(
            "`{}`: {} compiled, {} linked",
            build.command.join(" "),
            build.compiles.len(),
            programs.len()
        ),
    )];
    if let Some(repository) = &repository {
        if let Err(error) = require_same_inputs(&root, repository) {
            findings.push(missing("record", "is out of date", &error.to_string()));
        }
        let compiled: BTreeSet<PathBuf> = build
            .compiles
            .iter()
            .map(|step| step.file.clone())
            .collect();
        let files = working_tree_files(repository).unwrap_or_default();
        let sources = files.iter().filter(|file| {
            let extension = file.extension().and_then(|extension| extension.to_str());
            extension == Some("c")
        });
        let (mut all, mut unread) = (0, 0);
        for source in sources {
            all += 1;
            unread += usize::from(!compiled.contains(&root.join(source)));
        }
        findings.push(match unread {
            0 => fine("coverage", format!("all {all} C files are compiled")),
            _ => fine(
                "coverage",
                format!(
                    "{} of {all} C files are compiled; nothing is said about the others",
                    all - unread
                ),
            ),
        });
    }
    findings
}

fn first_line(program: &Path, argument: &str) -> Option<String> {
    let output = Command::new(program)
        .arg(argument)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().map(str::to_owned)
}
