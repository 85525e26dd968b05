//! One file per command. Each takes its arguments and returns its [`Outcome`];
//! only here is anything written to a file or to standard error.

mod cache;
mod capture;
mod completions;
mod diff;
mod dump;
mod explain;
mod init;
mod read;
mod relation;
mod slice;
mod trust;
mod why;

use crate::Outcome;
use crate::arguments::{Arguments, Command, OutputArguments, OutputFormat};
use crate::pipeline::{Account, INTERRUPTED};
use anyhow::{Context, Result};
use knockon_report::{Format, Style, escape_control_characters};
use std::io::{IsTerminal, Write};
use std::sync::atomic::Ordering;

/// Runs one command.
pub fn run(arguments: Arguments) -> Result<Outcome> {
    match arguments.command {
        // A build handles Ctrl-C itself: it runs in the same process group.
        Command::Capture(arguments) => capture::run(&arguments),
        Command::Diff(arguments) => interruptible(|| diff::run(&arguments)),
        Command::Why(arguments) => interruptible(|| why::run(&arguments)),
        Command::Slice(arguments) => interruptible(|| slice::run(&arguments)),
        Command::After(arguments) => interruptible(|| relation::after(&arguments)),
        Command::Before(arguments) => interruptible(|| relation::before(&arguments)),
        Command::Dump(arguments) => interruptible(|| dump::run(&arguments)),
        Command::Read(arguments) => interruptible(|| read::run(&arguments)),
        Command::Init => init::run(),
        Command::Trust(arguments) => trust::run(&arguments),
        Command::Cache(arguments) => cache::run(&arguments),
        Command::Explain { caveat } => explain::run(caveat.as_deref()),
        Command::Completions { shell } => Ok(completions::run(shell)),
    }
}

/// The first Ctrl-C ends the running step, and the results so far are printed.
fn interruptible(command: impl FnOnce() -> Result<Outcome>) -> Result<Outcome> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(crate::exit_code::INTERRUPTED));
        }
    })
    .context("cannot handle Ctrl-C")?;
    command()
}

/// The report's format, and how a terminal view is coloured.
fn format_and_style(output: &OutputArguments) -> (Format, Style) {
    let format = match output.format {
        OutputFormat::Terminal => Format::Terminal,
        OutputFormat::Json => Format::Json,
        OutputFormat::Sarif => Format::Sarif,
        OutputFormat::Html => Format::Html,
        OutputFormat::Github => Format::Github,
        OutputFormat::Markdown => Format::Markdown,
        OutputFormat::Dot => Format::Dot,
    };
    let colour = output.output.is_none()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::io::stdout().is_terminal();
    (format, Style { colour })
}

/// Writes the text where the user wants it: to a file (through a temporary one,
/// so that a full disk loses nothing) or back to `main` for standard output.
fn deliver(text: String, output: &OutputArguments, code: u8) -> Result<Outcome> {
    let Some(path) = &output.output else {
        return Ok(Outcome { text, code });
    };
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => std::path::Path::new("."),
    };
    let write = || -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(text.as_bytes())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Outcome {
        text: String::new(),
        code,
    })
}

/// The compiler's messages for units that are missing, on standard error.
fn tell_failures(account: &Account) {
    let mut stderr = std::io::stderr().lock();
    for failure in &account.failures {
        for line in failure.lines() {
            let _ = writeln!(stderr, "{}", escape_control_characters(line));
        }
    }
    if !account.failures.is_empty() {
        let count = account.failures.len();
        let (noun, verb) = match count {
            1 => ("unit", "is"),
            _ => ("units", "are"),
        };
        let _ = writeln!(
            stderr,
            "knockon: {count} {noun} did not compile and {verb} missing below; --allow-incomplete accepts that"
        );
    }
}
