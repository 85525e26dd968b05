//! What people see on standard error while they wait: a progress bar while units compile, the units
//! that do not, a line for each level that is done, and with `--timings` the time of each step. Bars
//! and levels only where standard error is a terminal.

use crate::arguments::ReadingArguments;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use knockon_engine::{Event, FailedUnit};
use knockon_report::{LevelRow, escape_control_characters};
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

/// Shows events.
pub struct Shown {
    timings: bool,
    levels: bool,
    bar: Mutex<ProgressBar>,
}

impl Shown {
    pub fn of(reading: &ReadingArguments) -> Shown {
        Shown {
            timings: reading.timings,
            levels: true,
            bar: Mutex::new(ProgressBar::hidden()),
        }
    }

    pub fn without_levels(self) -> Shown {
        Shown {
            levels: false,
            ..self
        }
    }

    pub fn show(&self, event: Event) {
        let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::ReadingBegins { units } => *bar = new_bar(units),
            Event::UnitRead { done, file, .. } => {
                bar.set_position(done as u64);
                bar.set_message(escape_control_characters(&file).into_owned());
            }
            Event::ReadingEnds => bar.finish_and_clear(),
            Event::UnitsFailed(failures) => show_failures(&failures),
            Event::Level(row) if self.levels => show_level(&row),
            Event::Level(_) => {}
            Event::Step { name, time } => {
                if self.timings {
                    let seconds = time.as_secs_f64();
                    let _ = writeln!(std::io::stderr(), "{seconds:>9.3} s  {name}");
                }
            }
            Event::Inputs { .. } => {}
            Event::Notice(words) => {
                let words = escape_control_characters(&words);
                let _ = writeln!(std::io::stderr(), "knockon: {words}");
            }
        }
    }
}

fn new_bar(units: usize) -> ProgressBar {
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(Some(units as u64), target);
    if let Ok(style) = ProgressStyle::with_template("reading {pos}/{len} {wide_bar} {msg}") {
        bar.set_style(style);
    }
    bar
}

/// A level is done: `dataflow: 37 possible lines`.
fn show_level(row: &LevelRow) {
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        let noun = match row.possible_lines {
            1 => "line",
            _ => "lines",
        };
        let _ = writeln!(
            stderr,
            "{}: {} possible {noun}",
            row.level, row.possible_lines
        );
    }
}

/// What the compiler says of the units that are missing: of each the first line, of many the first
/// few.
fn show_failures(failures: &[FailedUnit]) {
    const MAX_UNITS: usize = 5;
    let count = failures.len();
    if count == 0 {
        return;
    }
    let mut stderr = std::io::stderr().lock();
    for failure in failures.iter().take(MAX_UNITS) {
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
