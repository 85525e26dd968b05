//! Long answers on a terminal go through a pager, as git's do.
//!
//! The pager is the program that `KNOCKON_PAGER` names, else `PAGER`, else `less`; `cat` or an empty
//! name means none. `less` gets git's options, so it ends by itself where the text fits.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

/// Where nothing is known of the terminal.
const COLUMNS: usize = 80;
const ROWS: usize = 24;
/// Longer lines are hard to read.
const MAX_COLUMNS: usize = 120;

/// Columns and rows of standard output.
pub fn screen_size() -> (usize, usize) {
    let output = std::io::stdout();
    if !output.is_terminal() {
        return (COLUMNS, ROWS);
    }
    match rustix::termios::tcgetwinsize(&output) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (
            usize::from(size.ws_col).clamp(40, MAX_COLUMNS),
            usize::from(size.ws_row),
        ),
        _ => (COLUMNS, ROWS),
    }
}

/// Writes the text to standard output, through a pager where it is longer than the screen.
pub fn print(text: &str) -> std::io::Result<()> {
    let mut output = std::io::stdout();
    if output.is_terminal() && text.lines().count() >= screen_size().1 && page(text) {
        return Ok(());
    }
    output.write_all(text.as_bytes())
}

/// Whether a pager showed the text.
fn page(text: &str) -> bool {
    let Some(pager) = pager() else {
        return false;
    };
    let mut command = Command::new("sh");
    command.arg("-c").arg(pager).stdin(Stdio::piped());
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    let Ok(mut child) = command.spawn() else {
        return false;
    };
    if let Some(mut input) = child.stdin.take() {
        // A reader that has seen enough closes the pipe.
        let _ = input.write_all(text.as_bytes());
    }
    // The shell's word for a program that is not there.
    const NOT_FOUND: i32 = 127;
    child
        .wait()
        .is_ok_and(|status| status.code() != Some(NOT_FOUND))
}

fn pager() -> Option<OsString> {
    let named = ["KNOCKON_PAGER", "PAGER"].into_iter();
    let named = named.filter_map(std::env::var_os).next();
    let pager = named.unwrap_or_else(|| "less".into());
    (!pager.is_empty() && pager != "cat").then_some(pager)
}
