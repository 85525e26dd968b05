//! What a tool is given. The comments of the fields are what a client reads.

use knockon_engine::SourceMap;
use knockon_engine::levels;
use knockon_engine::options::{self, ProgramOptions, ReadOptions, VersionsOptions};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::PathBuf;

/// Which two versions of a program.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct VersionsArguments {
    /// The old version: a git revision, a path, or both versions as `A..B` or `A...B`. Default: HEAD.
    pub old: Option<String>,
    /// The new version: a git revision or a path. Default: the working tree, with what is not committed.
    pub new: Option<String>,
    /// The new version is what is staged.
    pub staged: bool,
}

/// How to read a program.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReadingArguments {
    /// The project's directory. Default: the one that the server was started for.
    pub directory: Option<PathBuf>,
    /// The build directory that holds compile_commands.json, if it is not found by itself.
    pub build: Option<PathBuf>,
    /// Which of several executables: its name, or the end of its path.
    pub executable: Option<String>,
    /// Use the working tree's build commands for a revision even if build files differ.
    pub assume_same_build: bool,
    /// What happens when a signed integer overflows. `wrap` is for code built with -fwrapv.
    pub overflow: Overflow,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Overflow {
    #[default]
    Undefined,
    Wrap,
}

/// How much of the answer to return.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OutputArguments {
    /// What the answer may take, text and JSON together. Default: 25000.
    #[schemars(range(min = 4000, max = 200000))]
    pub max_characters: Option<usize>,
    /// Go on where an answer was truncated: its `cursor`, with all other arguments as before.
    pub cursor: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    ExecuteAfter,
    Dataflow,
    #[default]
    Semantic,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DiffArguments {
    #[serde(flatten)]
    pub versions: VersionsArguments,
    #[serde(flatten)]
    pub reading: ReadingArguments,
    /// Stop after this level: execute-after takes seconds; semantic, the default, also removes lines
    /// that proofs show to be the same.
    pub level: Level,
    /// Stop after this time and answer with the levels that are done. Default: 60.
    pub budget_seconds: Option<u32>,
    /// Treat every statement of a changed function as changed.
    pub coarse: bool,
    /// Show only files that match one of these patterns, such as `src/*.c`; the analysis stays the same.
    pub only: Vec<String>,
    /// List unaffected lines and functions too; they are only counted otherwise.
    pub include_unaffected: bool,
    #[serde(flatten)]
    pub output: OutputArguments,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct WhyArguments {
    /// A line or a function of the new version: `FILE:LINE` or `FILE:FUNCTION`.
    pub place: String,
    #[serde(flatten)]
    pub versions: VersionsArguments,
    #[serde(flatten)]
    pub reading: ReadingArguments,
    /// As in `diff`; the same value is answered from the same analysis.
    #[serde(default)]
    pub level: Level,
    /// As in `diff`; the same value is answered from the same analysis. Default: 60.
    #[serde(default)]
    pub budget_seconds: Option<u32>,
    /// As in `diff`.
    #[serde(default)]
    pub coarse: bool,
    #[serde(flatten)]
    pub output: OutputArguments,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SliceDirection {
    #[default]
    Forward,
    Backward,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SliceArguments {
    /// The line to start from: `FILE:LINE`.
    pub place: String,
    /// `forward`: what the line may affect. `backward`: what may affect the line.
    #[serde(default)]
    pub direction: SliceDirection,
    /// Which program: a C file, a directory, a compile_commands.json or a git revision. Default: the
    /// working tree.
    #[serde(default)]
    pub program: String,
    /// Slice one run by occurrence: the name of a [[test]] in knockon.toml.
    #[serde(default)]
    pub test: Option<String>,
    /// A file with [[test]] entries, instead of knockon.toml.
    #[serde(default)]
    pub tests: Option<PathBuf>,
    /// With `test`: only the Nth time that the run comes to the line, from 1. Default: every time.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub occurrence: Option<u32>,
    #[serde(flatten)]
    pub reading: ReadingArguments,
    #[serde(flatten)]
    pub output: OutputArguments,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EquivArguments {
    /// Names of functions; `FILE:NAME` where a name exists twice, `OLD=NEW` where it was renamed.
    /// Default: every function that changed or that one version only has.
    pub functions: Vec<String>,
    #[serde(flatten)]
    pub versions: VersionsArguments,
    #[serde(flatten)]
    pub reading: ReadingArguments,
    /// Stop after this time. Default: 60.
    pub budget_seconds: Option<u32>,
    /// What one question to a solver may cost, in units of its own. Default: 1000000.
    pub effort: Option<u64>,
    #[serde(flatten)]
    pub output: OutputArguments,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    #[default]
    After,
    Before,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AfterArguments {
    /// Names of functions; `FILE:NAME` where a name exists twice.
    pub functions: Vec<String>,
    /// Ask about every function instead.
    pub all: bool,
    /// Which functions may execute after the given ones, or before them.
    pub direction: Order,
    /// One reason and one example path for each.
    pub why: bool,
    /// Count each function as related with itself, as a slice does.
    pub identity: bool,
    /// Which program: a C file, a directory, a compile_commands.json or a git revision. Default: the
    /// working tree.
    pub program: String,
    #[serde(flatten)]
    pub reading: ReadingArguments,
    #[serde(flatten)]
    pub output: OutputArguments,
}

impl ReadingArguments {
    fn options(&self, allow_run: bool) -> ReadOptions {
        ReadOptions {
            directory: self.directory.clone().unwrap_or_default(),
            build: self.build.clone(),
            executable: self.executable.clone(),
            allow_run,
            assume_same_build: self.assume_same_build,
            overflow: match self.overflow {
                Overflow::Undefined => options::Overflow::Undefined,
                Overflow::Wrap => options::Overflow::Wrap,
            },
            ..ReadOptions::default()
        }
    }

    pub fn program(&self, program: &str, allow_run: bool) -> ProgramOptions {
        ProgramOptions {
            program: program.to_owned(),
            reading: self.options(allow_run),
        }
    }
}

impl VersionsArguments {
    pub fn options(&self, reading: &ReadingArguments, allow_run: bool) -> VersionsOptions {
        VersionsOptions {
            old: self.old.clone(),
            new: self.new.clone(),
            staged: self.staged,
            reading: reading.options(allow_run),
        }
    }
}

impl From<Level> for levels::Level {
    fn from(level: Level) -> levels::Level {
        match level {
            Level::ExecuteAfter => levels::Level::EXECUTE_AFTER,
            Level::Dataflow => levels::Level::DATAFLOW,
            Level::Semantic => levels::Level::SEMANTIC,
        }
    }
}

pub fn source_map(coarse: bool) -> SourceMap {
    if coarse {
        SourceMap::Coarse
    } else {
        SourceMap::Fine
    }
}
