//! The command line.

use crate::duration::parse_duration;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Arg, Args, Parser, Subcommand, ValueEnum};
use knockon_engine::levels::Level;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The commands by what one wants; a test holds the list against the commands that there are.
const HELP: &str = "{about-with-newline}
{usage-heading} {usage}

Ask:
  diff         What a change does to the rest of the program: a verdict for every line
  why          How a change comes to one line, or what keeps it away
  equiv        Whether functions do the same in both versions, or an input on which they do not
  slice        What a line may affect, or with --backward what may affect it
  after        Which functions may execute after the given ones
  before       Which functions may execute before the given ones
  serve        Answer the same questions for editors and agents, over the Model Context Protocol

Prepare:
  capture      Run a build and record what it compiles and links
  doctor       What is installed and usable here, what each lack costs, and what mends it
  init         Write a knockon.toml for the build system found here
  trust        Allow this knockon.toml's commands to run

Inspect:
  read         Show what was read: executables, units, functions, caveats
  dump         Show one function: its control flow, SSA form, dominators or loops; or the call graph
  explain      Explain a kind of caveat
  cache        Show where the cache is and what it holds; --clear empties it
  completions  Print a completion script for a shell
  help         Print this message or the help of a command

Options:
{options}{after-help}";

const ENVIRONMENT: &str = "Environment:
  KNOCKON_CACHE_DIR  where decoded units, exported revisions and proofs are kept
  KNOCKON_PAGER      the pager for long answers; else PAGER, else less; cat for none
  NO_COLOR           no colours";

/// What does this change do to the rest of the program?
#[derive(Debug, Parser)]
#[command(
    name = "knockon",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = ENVIRONMENT,
    help_template = HELP
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// What a change does to the rest of the program: a verdict for every line
    #[command(after_help = "Examples:
  knockon diff                          what is not committed yet, against HEAD
  knockon diff HEAD~1                   the working tree against the commit before
  knockon diff main...topic             a branch against where it left main
  knockon diff old.c new.c              two files, no build needed
  knockon diff --format html -o impact.html")]
    Diff(DiffArguments),
    /// How a change comes to one line, or what keeps it away
    #[command(
        after_help = "Examples:
  knockon why src/parse.c:120
  knockon why src/parse.c:parse_line
  knockon why new.c:12 old.c new.c",
        mut_arg("format", formats_of_why)
    )]
    Why(WhyArguments),
    /// What a line may affect, or with --backward what may affect it
    #[command(after_help = "Examples:
  knockon slice src/parse.c:120
  knockon slice file.c:7 --backward -p file.c
  knockon slice src/parse.c:120 --dynamic small --occurrence 3")]
    Slice(SliceArguments),
    /// Whether functions do the same in both versions, or an input on which they do not
    #[command(
        after_help = "Examples:
  knockon equiv old.c new.c -f parse     two files, no build needed
  knockon equiv old.c new.c -f before=after
  knockon equiv HEAD~1 HEAD --allow-run  every function that changed

Exit code: 0 if all are equivalent, 1 if one is different, 3 if one is undecided.",
        mut_arg("format", formats_of_equiv)
    )]
    Equiv(EquivArguments),
    /// Which functions may execute after the given ones
    #[command(after_help = "Examples:
  knockon after main -p file.c          one file, no build needed
  knockon after parse_line --why        the project in the current directory
  knockon after --all --format json     the whole relation")]
    After(RelationArguments),
    /// Which functions may execute before the given ones
    #[command(after_help = "Examples:
  knockon before parse_line -p src/parse.c
  knockon before parse_line --why")]
    Before(RelationArguments),
    /// Answer the same questions for editors and agents, over the Model Context Protocol
    #[command(after_help = "Examples:
  knockon serve                         a client starts it and speaks with it on standard input

How a client is told about it: docs/editors-and-agents.md")]
    Serve(ServeArguments),
    /// Run a build and record what it compiles and links
    #[command(after_help = "Examples:
  knockon capture -- make -j4
  knockon capture -- sh -c './configure && make'

The record goes to .knockon/build.json, where the other commands find it.")]
    Capture(CaptureArguments),
    /// Write a knockon.toml for the build system found here
    #[command(after_help = "Examples:
  knockon init                          in the root of a project")]
    Init,
    /// What is installed and usable here, what each lack costs, and what mends it
    #[command(after_help = "Examples:
  knockon doctor                        in the root of a project")]
    Doctor,
    /// Allow this knockon.toml's commands to run
    #[command(after_help = "Examples:
  knockon trust                         after you have read ./knockon.toml")]
    Trust(TrustArguments),
    /// Show one function: its control flow, SSA form, dominators or loops; or the call graph
    #[command(after_help = "Examples:
  knockon dump ssa parse_line
  knockon dump cfg main -p file.c --format dot
  knockon dump callgraph -p file.c")]
    Dump(DumpArguments),
    /// Show what was read: executables, units, functions, caveats
    #[command(after_help = "Examples:
  knockon read                          the project in the current directory
  knockon read -p HEAD~1 --format json")]
    Read(ReadArguments),
    /// Show where the cache is and what it holds; --clear empties it
    #[command(after_help = "Examples:
  knockon cache
  knockon cache --clear")]
    Cache(CacheArguments),
    /// Explain a kind of caveat
    #[command(after_help = "Examples:
  knockon explain                       all kinds
  knockon explain unit-failed")]
    Explain {
        /// A caveat's name, such as unmodelled-external; without it, all are listed
        caveat: Option<String>,
    },
    /// Print a completion script for a shell
    #[command(after_help = "Examples:
  knockon completions bash > knockon.bash")]
    Completions { shell: clap_complete::Shell },
}

/// Which program, and how to read it.
#[derive(Debug, Args)]
pub struct ProgramArguments {
    /// A C file, an .ll file, a directory, a compile_commands.json, or a git revision
    #[arg(short, long, value_name = "PROGRAM", default_value = ".")]
    pub program: String,
    #[command(flatten)]
    pub reading: ReadingArguments,
}

/// Which two versions of a program, and how to read them.
#[derive(Debug, Args)]
pub struct VersionsArguments {
    /// The old version: a path, a git revision, or two of them as A..B or A...B [default: HEAD]
    #[arg(value_name = "OLD")]
    pub old: Option<String>,
    /// The new version: a path or a git revision [default: the working tree]
    #[arg(value_name = "NEW")]
    pub new: Option<String>,
    /// The new version is what is staged
    #[arg(long)]
    pub staged: bool,
    #[command(flatten)]
    pub reading: ReadingArguments,
}

/// How to read a program.
#[derive(Debug, Args)]
pub struct ReadingArguments {
    /// The build directory that holds compile_commands.json
    #[arg(long, value_name = "DIR")]
    pub build: Option<PathBuf>,
    /// Which of several executables: its name, or the end of its path
    #[arg(long, value_name = "NAME")]
    pub executable: Option<String>,
    /// Run the build commands of knockon.toml even if they are not trusted
    #[arg(long)]
    pub allow_run: bool,
    /// Use the working tree's build commands for a revision even if build files differ
    #[arg(long)]
    pub assume_same_build: bool,
    /// Exit with 0 even if a unit did not compile or changed code is not compiled
    #[arg(long)]
    pub allow_incomplete: bool,
    /// What happens when a signed integer overflows
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Overflow::Undefined)]
    pub overflow: Overflow,
    /// How many units to compile at once
    #[arg(long, short = 'j', value_name = "N", value_parser = at_least_one)]
    pub jobs: Option<usize>,
    /// Do not read or write the cache; exports go to a temporary directory
    #[arg(long)]
    pub no_cache: bool,
    /// Print where the time went on standard error
    #[arg(long)]
    pub timings: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("use 1 or more".to_owned()),
        Ok(count) => Ok(count),
        Err(error) => Err(format!("{error}")),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Overflow {
    /// It is undefined, as in the C standard, unless the build says otherwise
    Undefined,
    /// It wraps around, as with -fwrapv
    Wrap,
}

#[derive(Debug, Args)]
pub struct OutputArguments {
    #[arg(long, value_enum, default_value_t = OutputFormat::Terminal)]
    pub format: OutputFormat,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// List the assumptions that the answer rests on
    #[arg(long)]
    pub assumptions: bool,
    /// List what could not be read or modelled
    #[arg(long)]
    pub caveats: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    Terminal,
    Json,
    /// For code scanning
    Sarif,
    /// One self-contained page
    Html,
    /// Annotations of GitHub Actions
    Github,
    /// For a pull request
    Markdown,
    Dot,
}

/// The formats that `why` has.
fn formats_of_why(format: Arg) -> Arg {
    only(format, &["terminal", "json", "markdown", "dot"])
}

/// The formats that `equiv` has.
fn formats_of_equiv(format: Arg) -> Arg {
    only(format, &["terminal", "json", "markdown"])
}

fn only(format: Arg, names: &'static [&'static str]) -> Arg {
    let names = PossibleValuesParser::new(names);
    format.value_parser(names.try_map(|name| OutputFormat::from_str(&name, true)))
}

#[derive(Debug, Args)]
pub struct DiffArguments {
    #[command(flatten)]
    pub versions: VersionsArguments,
    /// Show only files that match, such as 'src/*.c'; the analysis stays the same
    #[arg(long, value_name = "GLOB")]
    pub only: Vec<String>,
    /// Show every line in the terminal instead of one screen
    #[arg(long)]
    pub full: bool,
    /// Show one line for each file
    #[arg(long, conflicts_with = "full")]
    pub stat: bool,
    /// Show the answer in a few sentences and nothing else
    #[arg(long, short, conflicts_with_all = ["full", "stat"])]
    pub quiet: bool,
    /// Stop after this level; `semantic` removes lines that proofs show to be the same
    #[arg(long, default_value = "semantic", value_parser = levels())]
    pub level: Level,
    /// Stop after this time, such as 90s or 5m, and show the levels that are done
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub budget: Duration,
    /// Treat every statement of a changed function as changed, as the published analysis does
    #[arg(long)]
    pub coarse: bool,
    /// Exit with 1 if any line has this verdict, or if there is a caveat. It sees all lines, also those that --only hides
    #[arg(long, value_enum, value_name = "WHAT")]
    pub fail_on: Vec<FailOn>,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// The names that users have for levels.
fn levels() -> impl clap::builder::TypedValueParser<Value = Level> {
    let names = Level::all().filter_map(|level| level.definition().asked_as);
    let names = PossibleValuesParser::new(names.collect::<Vec<_>>());
    names.try_map(|name| Level::parse(&name).ok_or("there is no such level"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Changed,
    Affected,
    Possible,
    Caveat,
}

#[derive(Debug, Args)]
pub struct WhyArguments {
    /// A line or a function of the new version
    #[arg(value_name = "FILE:LINE|FILE:FUNCTION")]
    pub place: String,
    #[command(flatten)]
    pub versions: VersionsArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
pub struct EquivArguments {
    #[command(flatten)]
    pub versions: VersionsArguments,
    /// A function, FILE:NAME where a name exists twice, OLD=NEW where it was renamed; several times
    /// for several [default: every function that changed or that one version only has]
    #[arg(short, long = "function", value_name = "FUNCTION")]
    pub functions: Vec<String>,
    /// Stop after this time, such as 90s or 5m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub budget: Duration,
    /// What one question to the solver may cost, in units of its own
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub effort: u64,
    /// The SMT solver: a program's name or path; several times for several [default: those installed]
    #[arg(long, value_name = "PROGRAM")]
    pub solver: Vec<String>,
    /// Write every question to the solver to a file in this directory
    #[arg(long, value_name = "DIR")]
    pub dump_queries: Option<PathBuf>,
    /// Where to write the C file that repeats a difference, with the code of both versions beside it; of
    /// several functions, the first [default: below the cache directory]
    #[arg(long, value_name = "FILE")]
    pub counterexample: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
pub struct SliceArguments {
    /// The line to start from
    #[arg(value_name = "FILE:LINE")]
    pub place: String,
    /// What may affect the line, instead of what it may affect
    #[arg(long)]
    pub backward: bool,
    /// Slice one run by occurrence: the name of a [[test]] in knockon.toml
    #[arg(long, value_name = "TEST")]
    pub dynamic: Option<String>,
    /// Only the Nth time that the run comes to the line [default: every time]
    #[arg(long, value_name = "N", requires = "dynamic", value_parser = clap::value_parser!(u32).range(1..))]
    pub occurrence: Option<u32>,
    /// A file with [[test]] entries, instead of knockon.toml
    #[arg(long, value_name = "FILE", requires = "dynamic")]
    pub tests: Option<PathBuf>,
    #[command(flatten)]
    pub program: ProgramArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
pub struct RelationArguments {
    /// Names of functions; FILE:NAME where a name exists twice
    #[arg(value_name = "FUNCTION", required_unless_present = "all")]
    pub functions: Vec<String>,
    /// Every function
    #[arg(long, conflicts_with = "functions")]
    pub all: bool,
    /// One reason and one example path for each
    #[arg(long)]
    pub why: bool,
    /// Count each function as related with itself, as a slice does
    #[arg(long)]
    pub identity: bool,
    #[command(flatten)]
    pub program: ProgramArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
pub struct ServeArguments {
    /// The project that questions are about unless they name another one
    #[arg(default_value = ".")]
    pub directory: PathBuf,
    /// Run the build commands of knockon.toml, and functions of the program, even if they are not trusted
    #[arg(long)]
    pub allow_run: bool,
}

#[derive(Debug, Args)]
pub struct CaptureArguments {
    /// Where to write the record
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = ".knockon/build.json"
    )]
    pub output: PathBuf,
    /// If the build fails or is interrupted, merge what it did into the earlier record
    #[arg(long)]
    pub keep_going: bool,
    /// How to see the build's steps; by default what fits
    #[arg(long, value_enum)]
    pub by: Option<CaptureWay>,
    /// The build command
    #[arg(last = true, required = true, value_name = "BUILD COMMAND")]
    pub command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CaptureWay {
    /// A preloaded library that sees every exec
    Preload,
    /// Stand-ins for the compilers in front of PATH
    StandIns,
}

#[derive(Debug, Args)]
pub struct TrustArguments {
    /// The directory of the knockon.toml
    #[arg(default_value = ".")]
    pub directory: PathBuf,
}

#[derive(Debug, Args)]
pub struct DumpArguments {
    #[arg(value_enum)]
    pub what: DumpKind,
    /// A function's name; FILE:NAME where it exists twice. The call graph is shown whole without it
    pub function: Option<String>,
    #[command(flatten)]
    pub program: ProgramArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DumpKind {
    Cfg,
    Ssa,
    Dominators,
    Loops,
    /// Who calls whom, through pointers and callbacks too
    Callgraph,
    /// What each value of the function may point to
    PointsTo,
    /// Which memory each instruction of the function touches
    Regions,
    /// What the function and its callees may read and write
    Modref,
    /// Which write each access to memory may see
    MemorySsa,
}

#[derive(Debug, Args)]
pub struct ReadArguments {
    #[command(flatten)]
    pub program: ProgramArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
pub struct CacheArguments {
    /// Remove every entry
    #[arg(long)]
    pub clear: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_help_lists_every_command_with_its_own_words() {
        for command in Arguments::command().get_subcommands() {
            let about = command.get_about().map(ToString::to_string);
            let row = format!(
                "  {:<12} {}\n",
                command.get_name(),
                about.unwrap_or_default()
            );
            assert!(HELP.contains(&row), "{row}");
        }
    }
}
