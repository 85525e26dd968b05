//! What does this change do to the rest of the program?
//!
//! The library behind the `knockon` command: [`pipeline`] turns an input into
//! linked programs, [`commands`] holds one file per command. An editor or an
//! agent calls these functions; `main.rs` only parses arguments and prints.

pub mod account;
pub mod arguments;
pub mod assumptions;
pub mod budget;
pub mod captured_inputs;
pub mod clock;
pub mod commands;
pub mod comparison;
pub mod cut;
pub mod diff;
pub mod diff_report;
mod edited_definitions;
pub mod equivalence;
pub mod error_text;
pub mod export_place;
pub mod findings;
pub mod function_names;
pub mod hunk_accounts;
pub mod hunk_reach;
pub mod levels;
pub mod named_function;
pub mod other_programs;
pub mod pager;
pub mod pipeline;
pub mod place;
pub mod progress;
pub mod reason_text;
pub mod run_time_files;
pub mod semantic;
pub mod solvers;
pub mod spread;
pub mod tests_file;
pub mod unseen_code;
pub mod verdict;
pub mod versions;

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
