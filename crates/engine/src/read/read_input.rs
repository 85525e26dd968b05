//! What was read of one version: its programs, and what is to say about its build.

use super::account::Account;
use super::touched_files::TouchedFiles;
use crate::error::{EngineError, Result, refuse};
use crate::failed_unit::FailedUnit;
use knockon_build::recorded_build::ReadFiles;
use knockon_build::unit::UnitCommand;
use knockon_program::{Caveat, Program};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// All that was read of one input.
pub struct ReadInput {
    pub configuration: String,
    /// Its commands come from a build of this version, not from another one's.
    pub is_own_build: bool,
    /// The tree: places below it are relative to it.
    pub root: PathBuf,
    /// The files that were looked at.
    pub touched: TouchedFiles,
    pub executables: Vec<Executable>,
    /// Without a record of links: the units that every program here shares, as a library. The other
    /// version may have no program.
    pub shared_units: Option<Executable>,
    pub units: usize,
    /// By unit the files of the tree that it was made from, relative to the root.
    pub files: Vec<(String, Vec<PathBuf>)>,
    pub units_from_cache: usize,
    /// How each unit is compiled.
    pub commands: Vec<UnitCommand>,
    /// What the build of this version itself read, and the paths of it that are followed.
    pub own_inputs: Option<OwnInputs>,
    /// Units that read a generated file which may be another one in this version.
    pub doubtful_units: BTreeSet<String>,
    /// The units that did not compile.
    pub failures: Vec<FailedUnit>,
    /// Of the build as a whole; each program has its own besides.
    pub caveats: Vec<Caveat>,
    pub interrupted: bool,
}

/// What the recorded build of a version read.
#[derive(Clone, Debug)]
pub struct OwnInputs {
    pub read: ReadFiles,
    pub tree: PathBuf,
    /// Sources, and files that are linked as they are, relative to the tree.
    pub followed: BTreeSet<PathBuf>,
}

/// One linked program.
pub struct Executable {
    pub name: String,
    pub program: Program,
    pub units: usize,
    /// What its link does and is not followed: where anything changed, nothing is known to be
    /// unaffected.
    pub doubts: Vec<String>,
    /// A captured build says what is linked.
    pub is_link_recorded: bool,
}

impl ReadInput {
    /// The one executable that a question is about.
    pub fn only_executable(mut self) -> Result<(Executable, Account)> {
        if self.executables.len() > 1 {
            let names = self.executables.iter();
            let candidates: Vec<String> = names.map(|one| one.name.clone()).collect();
            return Err(EngineError::Ambiguous {
                message: format!(
                    "there are several executables: {}; choose one with --executable NAME",
                    candidates.join(", ")
                ),
                candidates,
            });
        }
        let Some(executable) = self.executables.pop() else {
            refuse!("nothing was linked here");
        };
        Ok((executable, self.account()))
    }

    pub fn account(self) -> Account {
        Account {
            configuration: self.configuration,
            failures: self.failures,
            caveats: self.caveats,
            interrupted: self.interrupted,
        }
    }

    /// As [`ReadInput::account`], and the input stays.
    pub fn account_of(&self) -> Account {
        Account {
            configuration: self.configuration.clone(),
            failures: self.failures.clone(),
            caveats: self.caveats.clone(),
            interrupted: self.interrupted,
        }
    }
}
