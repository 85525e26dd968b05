//! What a request says about its programs.

use crate::export_place::TemporaryExports;
use std::path::PathBuf;

/// How to read a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// Arguments that are paths are seen from here, and the repository is the one around it.
    pub directory: PathBuf,
    /// The build directory that holds `compile_commands.json`.
    pub build: Option<PathBuf>,
    /// Which of several executables: its name, or the end of its path.
    pub executable: Option<String>,
    /// Run the build commands of `knockon.toml`, and functions of the program, even if the user does
    /// not trust them.
    pub allow_run: bool,
    /// Use the working tree's build commands for a revision even if build files differ.
    pub assume_same_build: bool,
    pub overflow: Overflow,
    /// How many units to compile at once; as many as there are processors if `None`.
    pub jobs: Option<usize>,
    /// Neither read nor write the cache.
    pub no_cache: bool,
    /// Read one version after the other, so that steps can be timed.
    pub one_by_one: bool,
    /// Where revisions go without a cache.
    pub exports: TemporaryExports,
}

/// What happens when a signed integer overflows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// It is undefined, as in the C standard, unless the build says otherwise.
    #[default]
    Undefined,
    /// It wraps around, as with `-fwrapv`.
    Wrap,
}

/// Which two versions of a program, and how to read them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VersionsOptions {
    /// A path, a git revision, or two of them as `A..B` or `A...B`; `HEAD` if `None`.
    pub old: Option<String>,
    /// A path or a git revision; the working tree if `None`.
    pub new: Option<String>,
    /// The new version is what is staged.
    pub staged: bool,
    pub reading: ReadOptions,
}

/// Which program, and how to read it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgramOptions {
    /// A C file, an `.ll` file, a directory, a `compile_commands.json`, or a git revision.
    pub program: String,
    pub reading: ReadOptions,
}
