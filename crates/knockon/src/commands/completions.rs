//! `knockon completions SHELL`.

use crate::arguments::Arguments;
use crate::{Outcome, exit_code};
use clap::CommandFactory;

pub fn run(shell: clap_complete::Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "knockon", &mut script);
    Outcome {
        text: String::from_utf8_lossy(&script).into_owned(),
        code: exit_code::FINISHED,
    }
}
