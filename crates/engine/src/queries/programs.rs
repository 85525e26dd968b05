//! One program, read for questions about one version.

use crate::error::Result;
use crate::events::{Caller, Event};
use crate::options::ProgramOptions;
use crate::read::account::Account;
use crate::read::touched_files::TouchedFiles;
use crate::read::{Executable, read_program};
use std::path::PathBuf;

pub struct ReadProgram {
    /// The tree: places below it are relative to it.
    pub root: PathBuf,
    pub executable: Executable,
    /// The files that were looked at.
    pub touched: TouchedFiles,
    pub account: Account,
}

impl ReadProgram {
    /// The one executable that the options mean.
    pub fn of(options: &ProgramOptions, caller: Caller<'_>) -> Result<ReadProgram> {
        let input = read_program(options, caller)?;
        let (root, touched) = (input.root.clone(), input.touched.clone());
        let (executable, account) = input.only_executable()?;
        let failures = account.failures.clone();
        caller.events.send(Event::UnitsFailed(failures));
        Ok(ReadProgram {
            root,
            executable,
            touched,
            account,
        })
    }
}
