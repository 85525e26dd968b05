//! One program, read for questions about one version.

use crate::error::Result;
use crate::events::{Caller, Event};
use crate::options::ProgramOptions;
use crate::read::account::Account;
use crate::read::{Executable, read_program};
use std::path::PathBuf;

pub struct ReadProgram {
    /// The tree: places below it are relative to it.
    pub root: PathBuf,
    pub executable: Executable,
    pub account: Account,
}

impl ReadProgram {
    /// The one executable that the options mean.
    pub fn of(options: &ProgramOptions, caller: Caller<'_>) -> Result<ReadProgram> {
        let input = read_program(options, caller)?;
        let root = input.root.clone();
        let (executable, account) = input.only_executable()?;
        let failures = account.failures.clone();
        caller.events.send(Event::UnitsFailed(failures));
        Ok(ReadProgram {
            root,
            executable,
            account,
        })
    }
}
