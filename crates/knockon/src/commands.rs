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
mod serve;
mod slice;
mod trust;
mod why;

use crate::arguments::{Arguments, Command, OutputArguments, OutputFormat, ReadingArguments};
use crate::interruption::{Interruptible, interruptible};
use crate::pager::screen_size;
use crate::progress::Shown;
use crate::{Outcome, exit_code};
use anyhow::{Context, Result};
use knockon_engine::verdict::hunk_accounts::code_not_compiled;
use knockon_engine::whole_file::write_whole_file;
use knockon_engine::{Caller, EngineError, Events};
use knockon_report::{DiffReport, Format, Relation, Style, escape_control_characters};
use std::io::{IsTerminal, Write};

/// Runs one command.
pub fn run(arguments: Arguments) -> Result<Outcome> {
    match arguments.command {
        // A build handles Ctrl-C itself: it runs in the same process group.
        Command::Capture(arguments) => capture::run(&arguments),
        Command::Diff(arguments) => interruptible(|run| diff::run(&arguments, run)),
        Command::Why(arguments) => interruptible(|run| why::run(&arguments, run)),
        Command::Slice(arguments) => interruptible(|run| slice::run(&arguments, run)),
        Command::Equiv(arguments) => interruptible(|run| equiv::run(&arguments, run)),
        Command::After(arguments) => {
            interruptible(|run| relation::run(&arguments, Relation::After, run))
        }
        Command::Before(arguments) => {
            interruptible(|run| relation::run(&arguments, Relation::Before, run))
        }
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Dump(arguments) => interruptible(|run| dump::run(&arguments, run)),
        Command::Read(arguments) => interruptible(|run| read::run(&arguments, run)),
        Command::Init => init::run(),
        Command::Doctor => doctor::run(),
        Command::Trust(arguments) => trust::run(&arguments),
        Command::Cache(arguments) => cache::run(&arguments),
        Command::Explain { caveat } => explain::run(caveat.as_deref()),
        Command::Completions { shell } => Ok(completions::run(shell)),
    }
}

/// Asks the engine something and shows the user its progress.
fn ask<T>(
    shown: &Shown,
    run: &Interruptible,
    question: impl FnOnce(Caller<'_>) -> Result<T, EngineError>,
) -> Result<T> {
    let show = |event| shown.show(event);
    let caller = Caller {
        cancellation: &run.cancellation,
        events: Events::to(&show),
    };
    Ok(question(caller)?)
}

/// The exit code of a command that only informs.
fn exit_code_of(is_complete: bool, reading: &ReadingArguments, run: &Interruptible) -> u8 {
    match (run.cancellation.is_cancelled(), is_complete) {
        (true, _) => exit_code::INTERRUPTED,
        (false, false) if !reading.allow_incomplete => exit_code::ERROR,
        (false, _) => exit_code::FINISHED,
    }
}

/// The same of a comparison, which is incomplete too where changed code was not compiled.
fn code_of_diff(report: &DiffReport, reading: &ReadingArguments, run: &Interruptible) -> u8 {
    match exit_code_of(report.complete, reading, run) {
        exit_code::FINISHED
            if !reading.allow_incomplete && !code_not_compiled(report).is_empty() =>
        {
            exit_code::ERROR
        }
        code => code,
    }
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
    write_whole_file(path, &text)
        .with_context(|| format!("cannot write the report to {}", path.display()))?;
    Ok(Outcome {
        text: String::new(),
        code,
    })
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
