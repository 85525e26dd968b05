//! A progress bar on standard error while units compile, then a line for each level that is done;
//! nothing when standard error is no terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use knockon_build::build::Progress;
use knockon_report::LevelRow;
use std::io::{IsTerminal, Write};

pub struct Bar(ProgressBar);

impl Bar {
    pub fn new(units: usize) -> Bar {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(units as u64), target);
        if let Ok(style) = ProgressStyle::with_template("reading {pos}/{len} {wide_bar} {msg}") {
            bar.set_style(style);
        }
        Bar(bar)
    }

    pub fn advance(&self, progress: Progress) {
        self.0.set_position(progress.done as u64);
        let file = progress.file.to_string_lossy();
        self.0
            .set_message(knockon_report::escape_control_characters(&file).into_owned());
    }

    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// A level is done: `dataflow: 37 possible lines`.
pub fn tell_level(row: &LevelRow) {
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
