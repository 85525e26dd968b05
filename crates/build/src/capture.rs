//! **Question.** What does a build command compile, archive and link?
//!
//! Runs the command and records the steps, so that each executable's translation units are known.
//! Two ways of seeing a step:
//!
//! - A **preloaded library** (`preload.c`) is the first. It sees every program that is started,
//!   by whatever path, and follows through shells, sub-makes, libtool and wiped environments.
//!   It does not see a statically linked program that is started by another one, and not into
//!   containers or set-user-id programs.
//! - **Stand-ins on PATH** (`stand_ins.rs`) are the second. They see tools that are called by name,
//!   whoever calls them, but no absolute paths, and a `configure` or `cmake` that runs under them
//!   may write down the stand-in's path, which is gone after the capture. That is why they are used
//!   only where the library does not work or the command itself is statically linked; the result
//!   says so.
//!
//! Both may be active at once: the nesting of calls shows that a stand-in and the tool behind it
//! are one step (`tool_call.rs`). From the records on everything is data: no recorded compiler or
//! argument is ever run.
//!
//! The way of the data: `record_log` reads the records, `tool_call` picks the steps, the
//! `*_arguments` modules read their command lines, `reconstruction` finds which step made which
//! file, `finishing` drops trials of the compiler and orders the rest. `file_flow` finds how the files
//! that the build read came into its steps.
//!
//! An interrupt from the terminal reaches the build, which is in the same process group. A caller
//! that wants the steps recorded until then must itself survive it, that is, have a handler.
//!
//! **Cost.** About a third of a millisecond for each program that the build starts (measured on
//! 1,000 runs of `true`), half of it for loading any library at all; compiling one file takes a
//! hundred times as long. The files that it opens cost less: 200 units with 40 headers each took 16.6
//! seconds of processor time without a capture, and 16.6 and 16.7 with it.

mod archive_content;
mod archiver_arguments;
mod assembler_arguments;
mod compiler_arguments;
mod edit_arguments;
mod file_flow;
mod finishing;
mod generators;
mod libraries;
mod linker_arguments;
mod linker_options;
mod place;
mod preload;
mod probe;
mod reconstruction;
mod record_log;
mod response_file;
mod search_path;
mod stand_ins;
mod static_program;
mod tool;
mod tool_call;
mod transfer_arguments;
mod written_inputs;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use record_log::{Event, Record};
use search_path::find_program;
use stand_ins::StandIns;

use crate::recorded_build::{BuildCaveat, BuildCaveatKind, Interception, RecordedBuild, SCHEMA};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureOptions {
    /// The way to see the steps; by default the one that fits.
    pub interception: Option<Interception>,
    pub output: BuildOutput,
}

/// Where the build's own output goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BuildOutput {
    /// Both streams stay what they are.
    #[default]
    Inherited,
    /// Both to standard error, for a caller whose standard output carries results.
    StandardError,
    /// Both into this file.
    File(PathBuf),
}

#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    #[error("no build command was given; write it after `--`, as in `knockon capture -- make`")]
    NoCommand,
    #[error("a word of the build command is not UTF-8: {}", word.display())]
    CommandNotUtf8 { word: OsString },
    #[error("cannot use {} as the directory of the build: {source}", path.display())]
    Directory {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{} is not UTF-8; a recorded build cannot name it", path.display())]
    DirectoryNotUtf8 { path: PathBuf },
    #[error("cannot write {}: {source}", path.display())]
    Temporary {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("cannot preload a library into the build: {reason}; use stand-ins on PATH instead")]
    NoPreload { reason: String },
    #[error("cannot run the build command `{}`: {source}", program.display())]
    Start {
        program: OsString,
        source: std::io::Error,
    },
    #[error("cannot read the build's records {}: {source}", path.display())]
    Records {
        path: PathBuf,
        source: std::io::Error,
    },
}

/// The token of the build command itself.
const FIRST_STEP: &str = "build";
const STEP_VARIABLE: &str = "KNOCKON_CAPTURE_STEP";

/// Runs `command` in `directory` and records its steps. A build that fails is recorded as far as
/// it came, and its exit code is part of the result.
pub fn capture(
    command: &[OsString],
    directory: &Path,
    options: &CaptureOptions,
) -> Result<RecordedBuild, CaptureError> {
    let words = command_words(command)?;
    let root = directory
        .canonicalize()
        .and_then(|root| root.read_dir().map(|_| root))
        .map_err(|source| CaptureError::Directory {
            path: directory.to_owned(),
            source,
        })?;
    if root.to_str().is_none() {
        return Err(CaptureError::DirectoryNotUtf8 { path: root });
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    let program = find_program(&command[0], &path, &root);

    let tree = tree_of(&root);
    let setting = set_up(options.interception, program.as_deref(), &tree, &path)?;
    let status = run(command, program.as_deref(), &root, &path, &setting, options)?;
    let log = fs::read(&setting.log).map_err(|source| CaptureError::Records {
        path: setting.log.clone(),
        source,
    })?;

    let no_records = PathBuf::new();
    let stand_in_records = setting
        .stand_ins
        .as_ref()
        .map_or(&no_records, |stand_ins| &stand_ins.records);
    let mut decoded = record_log::decode(&log, stand_in_records);
    decoded
        .records
        .insert(0, first_record(command, program.as_deref(), &root));
    for file in &mut decoded.files {
        file.position += 1;
    }
    let damaged = decoded.damaged;
    let generators = generators::generators(&root, &decoded.records);
    let calls = tool_call::tool_calls(decoded.records);
    let draft = reconstruction::reconstruct(&root, &calls.calls);
    let mut finished = finishing::finish(draft);
    let mut read_files = None;
    if setting.library.is_some() {
        let flow = file_flow::file_flow(&tree, &calls, &decoded.files);
        finished.caveats.extend(flow.caveats);
        read_files = Some(flow.files);
    }
    let written_inputs = written_inputs::written_build_inputs(&decoded.files);

    finished.dropped.damaged_records = damaged;
    finished.dropped.not_utf8 = calls.not_utf8;
    finished.caveats.extend(calls.caveats);
    finished.caveats.extend(setting.caveat);
    if damaged > 0 {
        finished.caveats.push(BuildCaveat {
            kind: BuildCaveatKind::DamagedRecord,
            message: format!("{damaged} records of started programs could not be read back"),
        });
    }
    finished.caveats.sort();
    finished.caveats.dedup();
    Ok(RecordedBuild {
        schema: SCHEMA.to_owned(),
        root,
        command: words,
        exit_code: status.code(),
        signal: status.signal(),
        failed: !status.success(),
        interception: setting.interception,
        compiles: finished.compiles,
        archives: finished.archives,
        links: finished.links,
        edits: finished.edits,
        generators,
        read_files,
        written_inputs,
        dropped: finished.dropped,
        caveats: finished.caveats,
    })
}

/// The tree whose files count: the working tree of git that the directory is in, else the directory.
fn tree_of(root: &Path) -> PathBuf {
    let mut above = root.ancestors();
    let tree = above.find(|directory| directory.join(".git").exists());
    tree.unwrap_or(root).to_owned()
}

fn command_words(command: &[OsString]) -> Result<Vec<String>, CaptureError> {
    if command.is_empty() {
        return Err(CaptureError::NoCommand);
    }
    command
        .iter()
        .map(|word| {
            word.to_str()
                .map(str::to_owned)
                .ok_or_else(|| CaptureError::CommandNotUtf8 { word: word.clone() })
        })
        .collect()
}

/// The build command counts as started by nobody: its steps are then recorded even where it is
/// itself a statically linked compiler.
fn first_record(command: &[OsString], program: Option<&Path>, root: &Path) -> Record {
    Record {
        event: Event::Exec,
        token: FIRST_STEP.into(),
        parent: Vec::new(),
        directory: root.into(),
        program: program.map_or_else(OsString::new, |program| program.into()),
        arguments: command.to_vec(),
        variables: Vec::new(),
        response_files: Vec::new(),
        streams: Default::default(),
    }
}

/// What is prepared for one build. The temporary directory goes when this does.
struct Setting {
    interception: Interception,
    library: Option<PathBuf>,
    stand_ins: Option<StandIns>,
    log: PathBuf,
    caveat: Option<BuildCaveat>,
    _temporary: tempfile::TempDir,
}

fn set_up(
    wanted: Option<Interception>,
    program: Option<&Path>,
    tree: &Path,
    path: &OsStr,
) -> Result<Setting, CaptureError> {
    let mut reason = String::new();
    for base in temporary_bases() {
        let Ok(temporary) = tempfile::Builder::new()
            .prefix("knockon-capture-")
            .tempdir_in(&base)
        else {
            continue;
        };
        let log = temporary.path().join("log");
        fs::write(&log, "").map_err(|source| CaptureError::Temporary {
            path: log.clone(),
            source,
        })?;
        if wanted == Some(Interception::StandIns) {
            let caveat = stand_ins_only("stand-ins alone were asked for");
            return with_stand_ins(
                temporary,
                log,
                path,
                None,
                Interception::StandIns,
                Some(caveat),
            );
        }
        match preload::build_library(temporary.path(), &log, tree, path) {
            Ok(library) => {
                let is_static = program.is_some_and(static_program::is_static);
                let interception = wanted.unwrap_or(if is_static {
                    Interception::Both
                } else {
                    Interception::Preload
                });
                if interception == Interception::Both {
                    return with_stand_ins(temporary, log, path, Some(library), interception, None);
                }
                return Ok(Setting {
                    interception,
                    library: Some(library),
                    stand_ins: None,
                    log,
                    caveat: None,
                    _temporary: temporary,
                });
            }
            Err(error) => reason = error,
        }
    }
    if wanted.is_some() {
        return Err(CaptureError::NoPreload { reason });
    }
    let temporary = tempfile::Builder::new()
        .prefix("knockon-capture-")
        .tempdir()
        .map_err(|source| CaptureError::Temporary {
            path: std::env::temp_dir(),
            source,
        })?;
    let log = temporary.path().join("log");
    fs::write(&log, "").map_err(|source| CaptureError::Temporary {
        path: log.clone(),
        source,
    })?;
    let caveat = stand_ins_only(&format!("no library could be preloaded: {reason}"));
    with_stand_ins(
        temporary,
        log,
        path,
        None,
        Interception::StandIns,
        Some(caveat),
    )
}

fn stand_ins_only(reason: &str) -> BuildCaveat {
    BuildCaveat {
        kind: BuildCaveatKind::StandInsOnly,
        message: format!("{reason}; tools called by an absolute path were not seen"),
    }
}

/// Places for temporary files: the first may have a name that LD_PRELOAD cannot hold, or be
/// mounted without the right to execute.
fn temporary_bases() -> Vec<PathBuf> {
    let mut bases = vec![std::env::temp_dir()];
    for other in ["/tmp", "/var/tmp", "/dev/shm"] {
        if bases[0] != Path::new(other) {
            bases.push(other.into());
        }
    }
    bases
}

fn with_stand_ins(
    temporary: tempfile::TempDir,
    log: PathBuf,
    path: &OsStr,
    library: Option<PathBuf>,
    interception: Interception,
    caveat: Option<BuildCaveat>,
) -> Result<Setting, CaptureError> {
    let stand_ins = stand_ins::write_stand_ins(temporary.path(), &log, path).map_err(|source| {
        CaptureError::Temporary {
            path: temporary.path().to_owned(),
            source,
        }
    })?;
    Ok(Setting {
        interception,
        library,
        stand_ins: Some(stand_ins),
        log,
        caveat,
        _temporary: temporary,
    })
}

fn run(
    command: &[OsString],
    program: Option<&Path>,
    root: &Path,
    path: &OsStr,
    setting: &Setting,
    options: &CaptureOptions,
) -> Result<ExitStatus, CaptureError> {
    let failed = |source: std::io::Error| CaptureError::Start {
        program: command[0].clone(),
        source,
    };
    // A command with a slash is meant relative to the build's directory, one without is looked
    // up on PATH, where the stand-ins are first.
    let names_a_path = Path::new(&command[0]).components().count() > 1;
    let mut child = match program {
        Some(program) if names_a_path => Command::new(program),
        _ => Command::new(&command[0]),
    };
    child.args(&command[1..]).current_dir(root);
    child.env(STEP_VARIABLE, FIRST_STEP);
    if let Some(library) = &setting.library {
        let preload = match std::env::var_os("LD_PRELOAD") {
            Some(mut others) if !others.is_empty() => {
                others.push(":");
                others.push(library);
                others
            }
            _ => library.into(),
        };
        child.env("LD_PRELOAD", preload);
    }
    if let Some(stand_ins) = &setting.stand_ins {
        let mut front = OsString::from(&stand_ins.directory);
        front.push(":");
        front.push(path);
        child.env("PATH", front);
    }
    match &options.output {
        BuildOutput::Inherited => {}
        BuildOutput::StandardError => {
            child.stdout(Stdio::from(std::io::stderr()));
        }
        BuildOutput::File(file) => {
            let temporary = |source| CaptureError::Temporary {
                path: file.clone(),
                source,
            };
            let log = fs::File::create(file).map_err(temporary)?;
            child.stderr(log.try_clone().map_err(temporary)?);
            child.stdout(log);
        }
    }
    child.status().map_err(failed)
}
