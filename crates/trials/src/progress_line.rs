//! How far is a long run? On a terminal one line that is written over, elsewhere (a log) a line
//! every few seconds.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub struct ProgressLine {
    start: Instant,
    shown: Mutex<Option<Instant>>,
    is_terminal: bool,
}

impl ProgressLine {
    pub fn begin() -> ProgressLine {
        ProgressLine {
            start: Instant::now(),
            shown: Mutex::new(None),
            is_terminal: std::io::stderr().is_terminal(),
        }
    }

    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Shows the state if the last one was shown long enough ago.
    pub fn show(&self, state: impl FnOnce() -> String) {
        let pause = Duration::from_millis(if self.is_terminal { 100 } else { 5000 });
        let mut shown = crate::soak::lock(&self.shown);
        if shown.unwrap_or(self.start).elapsed() < pause {
            return;
        }
        *shown = Some(Instant::now());
        let (state, seconds) = (state(), self.seconds());
        // Progress that cannot be shown is no reason to stop.
        let _shown = if self.is_terminal {
            write!(std::io::stderr(), "\r{state}, {seconds:.0} s ")
        } else {
            writeln!(std::io::stderr(), "{state}, {seconds:.0} s")
        };
    }

    /// Leaves the line.
    pub fn end(&self) {
        if self.is_terminal {
            let _shown = writeln!(std::io::stderr());
        }
    }
}
