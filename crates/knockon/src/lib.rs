//! The `knockon` command: arguments in, text out.
//!
//! What is between them is `knockon-engine`. [`commands`] holds one file per command; `main.rs` only
//! parses arguments and prints.

pub mod arguments;
pub mod commands;
mod duration;
pub mod error_text;
mod interruption;
pub mod pager;
mod progress;
mod requests;

/// What a command produced: text for standard output, and the exit code.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub text: String,
    pub code: u8,
}

/// Exit codes, the same for every command.
pub mod exit_code {
    pub const FINISHED: u8 = 0;
    /// There is what `--fail-on` asks for; of `equiv`: a difference.
    pub const FOUND: u8 = 1;
    /// Usage, input or internal error, or input that is incomplete.
    pub const ERROR: u8 = 2;
    /// Of `equiv`: neither shown to be equivalent nor seen to be different.
    pub const UNDECIDED: u8 = 3;
    pub const INTERRUPTED: u8 = 130;
}
