//! One file per command. Each takes its arguments and returns its [`Outcome`];
//! only here is anything written to a file or to standard error.

mod cache;
mod capture;
mod completions;
mod diff;
mod doctor;
mod dump;
mod equiv;
mod explain;
mod init;
mod read;
mod relation;
mod slice;
mod trust;
mod why;

use crate::Outcome;
use crate::account::Account;
use crate::arguments::{Arguments, Command, OutputArguments, OutputFormat};
use crate::diff::Interrupted;
use crate::error_text::error_text;
use crate::export_place::remove_temporary_exports;
use crate::hunk_accounts::code_not_compiled;
use crate::pager::screen_size;
use crate::pipeline::INTERRUPTED;
use anyhow::{Context, Result};
use knockon_program::TimeLimit;
use knockon_report::{DiffReport, Format, Style, escape_control_characters};
use std::io::{IsTerminal, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Runs one command, and removes what it wrote for itself only.
pub fn run(arguments: Arguments) -> Result<Outcome> {
    let outcome = run_command(arguments.command);
    remove_temporary_exports();
    outcome
}

fn run_command(command: Command) -> Result<Outcome> {
    match command {
        // A build handles Ctrl-C itself: it runs in the same process group.
        Command::Capture(arguments) => capture::run(&arguments),
        Command::Diff(arguments) => interruptible(|| diff::run(&arguments)),
        Command::Why(arguments) => interruptible(|| why::run(&arguments)),
        Command::Slice(arguments) => interruptible(|| slice::run(&arguments)),
        Command::Equiv(arguments) => interruptible(|| equiv::run(&arguments)),
        Command::After(arguments) => interruptible(|| relation::after(&arguments)),
        Command::Before(arguments) => interruptible(|| relation::before(&arguments)),
        Command::Dump(arguments) => interruptible(|| dump::run(&arguments)),
        Command::Read(arguments) => interruptible(|| read::run(&arguments)),
        Command::Init => init::run(),
        Command::Doctor => doctor::run(),
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
            remove_temporary_exports();
            std::process::exit(i32::from(crate::exit_code::INTERRUPTED));
        }
    })
    .context("cannot handle Ctrl-C")?;
    command().or_else(|error| match INTERRUPTED.load(Ordering::Relaxed) {
        // What was not read for Ctrl-C is missed later on.
        true => {
            let _ = writeln!(
                std::io::stderr(),
                "knockon: interrupted: {}",
                error_text(&error)
            );
            Ok(Outcome {
                text: String::new(),
                code: crate::exit_code::INTERRUPTED,
            })
        }
        false => Err(error),
    })
}

/// For analyses that have no result before their end.
fn until_interrupted() -> TimeLimit<'static> {
    TimeLimit::new(None, &INTERRUPTED)
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
    let style = Style {
        colour,
        width: match output.output {
            Some(_) => Style::default().width,
            None => screen_size().0,
        },
        assumptions: output.assumptions,
        caveats: output.caveats,
    };
    (format, style)
}

/// Writes the text where the user wants it: to a file or back to `main` for standard output.
fn deliver(text: String, output: &OutputArguments, code: u8) -> Result<Outcome> {
    let Some(path) = &output.output else {
        return Ok(Outcome { text, code });
    };
    write_file(path, &text)
        .with_context(|| format!("cannot write the report to {}", path.display()))?;
    Ok(Outcome {
        text: String::new(),
        code,
    })
}

/// A file is replaced whole, through a temporary one beside it, so that a full disk loses nothing;
/// it has the rights of any new file. A device or a pipe is written to, and a link followed.
fn write_file(path: &Path, text: &str) -> std::io::Result<()> {
    let path = match path.canonicalize() {
        Ok(known) if !known.is_file() => {
            let mut there = std::fs::OpenOptions::new().write(true).open(known)?;
            return there.write_all(text.as_bytes());
        }
        Ok(known) => known,
        Err(_) => path.to_owned(),
    };
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // What the umask forbids is taken away when the file is made.
    let rights = std::fs::Permissions::from_mode(0o666);
    let mut builder = tempfile::Builder::new();
    let made = builder.permissions(rights).tempfile_in(directory);
    let mut file = made.map_err(|error| std::io::Error::other(without_temporary_name(&error)))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

/// What failed, without the name of the temporary file at the end.
fn without_temporary_name(error: &std::io::Error) -> String {
    let words = error.to_string();
    match words.split_once(" at path ") {
        Some((reason, _)) => reason.to_owned(),
        None => words,
    }
}

/// Ctrl-C before anything was found.
fn tell_interrupted(interrupted: Interrupted) -> Outcome {
    let _ = writeln!(std::io::stderr(), "knockon: {interrupted}");
    Outcome {
        text: String::new(),
        code: crate::exit_code::INTERRUPTED,
    }
}

/// Changed code that no verdict covers, on standard error, where it decides the exit code.
fn tell_incomplete(report: &DiffReport, is_allowed: bool) {
    let left_out = code_not_compiled(report);
    let Some(first) = left_out.first().filter(|_| !is_allowed) else {
        return;
    };
    let (hunks, verb) = match left_out.len() {
        1 => ("1 changed hunk of code".to_owned(), "is"),
        count => (format!("{count} changed hunks of code"), "are"),
    };
    let place = format!("{}:{}", first.file, first.new_start);
    let _ = writeln!(
        std::io::stderr(),
        "knockon: {hunks} {verb} not compiled ({}: {}); --allow-incomplete accepts that",
        escape_control_characters(&place),
        first.message
    );
}

/// What the compiler says of the units that are missing, on standard error: of each the first line, of
/// many the first few.
fn tell_failures(account: &Account) {
    const MAX_UNITS: usize = 5;
    let count = account.failures.len();
    if count == 0 {
        return;
    }
    let mut stderr = std::io::stderr().lock();
    for failure in account.failures.iter().take(MAX_UNITS) {
        let line = failure.to_string();
        let _ = writeln!(stderr, "{}", escape_control_characters(&line));
    }
    if count > MAX_UNITS {
        let more = count - MAX_UNITS;
        let _ = writeln!(stderr, "… {more} more: --caveats lists them");
    }
    let units = match count {
        1 => "1 unit".to_owned(),
        count => format!("{count} units"),
    };
    let _ = writeln!(
        stderr,
        "knockon: {units} did not compile; the rest is analysed. --allow-incomplete accepts that"
    );
}
