//! **Question.** How is one git revision (or the index) built, so that its units
//! are known?
//!
//! **Source.** The first that applies: the `[build]` of the working tree's
//! `knockon.toml`, once trusted, run under capture in a tree of its own; the
//! working tree's own record or compilation database, moved over to the exported
//! tree and what the working tree's build generated ([`moved_plan`], [`stand_ins`]); without any build system every C file. Otherwise an
//! error says what to write.
//!
//! **Why right.** A build writes, exports are shared, so a build gets its own
//! checkout below the cache directory, named by the export and the commands: an
//! export that lacks submodules has another name than the whole one. A build is
//! done under a lock and counts only once its record is written: a killed build
//! is begun anew, two processes wait for each other.

use crate::build_inputs::{Difference, FileTree, differing_build_inputs, list_files};
use crate::build_plan::{
    BuildPlan, BuildPlanError, COMPILE_COMMANDS, RECORD, plan_of_directory, plan_of_record,
};
use crate::capture::{BuildOutput, CaptureError, CaptureOptions, capture};
use crate::configuration::{
    Build, Configuration, ConfigurationError, FILE_NAME, read_configuration,
};
use crate::configured_files::is_configured;
use crate::git::{self, ExportCaveat, ExportedTree, GitError, Repository, Revision};
use crate::moved_plan::moved_plan;
use crate::recorded_build::{self, RecordedBuildError};
use crate::stand_ins::{is_own, stand_ins};
use crate::trust::{TrustError, TrustStore};
use knockon_program::{Caveat, CaveatKind, Name, PlaceId};
use rustix::fs::{FlockOperation, flock};
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// Which state of the repository.
#[derive(Clone, Copy, Debug)]
pub enum Snapshot<'a> {
    Revision(&'a Revision),
    Staged,
}

#[derive(Clone, Copy, Debug)]
pub struct RevisionOptions<'a> {
    /// Exports and builds go below it.
    pub cache_directory: &'a Path,
    /// What is written there stays after this run.
    pub is_kept: bool,
    /// Where the working tree's `compile_commands.json` lies, if the user said so.
    pub build_directory: Option<&'a Path>,
    pub allow_run: bool,
    pub assume_same_build: bool,
    /// The other version, where it is a revision: what it tracks is no generated file.
    pub compared_with: Option<&'a Revision>,
}

#[derive(Debug, thiserror::Error)]
pub enum RevisionBuildError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Plan(#[from] BuildPlanError),
    #[error(transparent)]
    Record(#[from] RecordedBuildError),
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error(transparent)]
    Capture(#[from] CaptureError),
    #[error(
        "{} would run `{commands}`; read it, then allow it with `knockon trust`, or once with --allow-run",
        path.display()
    )]
    NotTrusted { path: PathBuf, commands: String },
    #[error("`{command}` was interrupted in a copy of {version}")]
    Interrupted { command: String, version: String },
    #[error("`{command}` failed in a copy of {version}:\n{last_lines}{}", kept_log(log.as_deref()))]
    BuildFailed {
        command: String,
        version: String,
        last_lines: String,
        /// The whole output, if it is kept.
        log: Option<PathBuf>,
    },
    #[error(
        "files that steer the build differ from the working tree's: {files}; write `[build]` with `command = \"…\"` into knockon.toml (`knockon init` writes one) so that each version is built on its own, or say --assume-same-build"
    )]
    BuildInputsDiffer { files: String },
    #[error("{}: {source}", path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
}

impl RevisionBuildError {
    /// Ctrl-C ended a program that was at work for us.
    pub fn is_interruption(&self) -> bool {
        matches!(
            self,
            RevisionBuildError::Interrupted { .. }
                | RevisionBuildError::Git(GitError::Interrupted { .. })
        )
    }
}

fn kept_log(log: Option<&Path>) -> String {
    log.map_or(String::new(), |log| {
        format!("\nits whole output is in {}", log.display())
    })
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> RevisionBuildError + '_ {
    |source| RevisionBuildError::Io {
        path: path.to_owned(),
        source,
    }
}

/// The units of a revision. The user's repository and working tree stay untouched.
pub fn plan_of_snapshot(
    repository: &Repository,
    snapshot: Snapshot,
    options: &RevisionOptions,
) -> Result<BuildPlan, RevisionBuildError> {
    let exported = match snapshot {
        Snapshot::Revision(revision) => git::export(repository, revision, options.cache_directory)?,
        Snapshot::Staged => git::export_staged(repository, options.cache_directory)?,
    };
    let version = match snapshot {
        Snapshot::Revision(revision) => revision.name.as_str(),
        Snapshot::Staged => "the index",
    };
    let mut plan = plan_of_export(repository, &exported, version, options)?;
    let place = exported.root.display().to_string();
    plan.configuration = plan.configuration.replace(&place, version);
    plan.caveats
        .extend(exported.caveats.iter().map(export_caveat));
    Ok(plan)
}

fn plan_of_export(
    repository: &Repository,
    exported: &ExportedTree,
    version: &str,
    options: &RevisionOptions,
) -> Result<BuildPlan, RevisionBuildError> {
    let working_tree = repository.working_tree.as_deref();
    if let Some(root) = working_tree {
        let file = root.join(FILE_NAME);
        let mut further_inputs = Vec::new();
        if file.is_file() {
            let configuration = read_configuration(&file)?;
            if let Some(build) = &configuration.build {
                if let Some(command) = &build.command {
                    require_trust(&configuration, build, options)?;
                    let version = ExportedVersion { exported, version };
                    return build_export(&version, &configuration, build, command, options);
                }
                further_inputs.clone_from(&build.inputs);
            }
        }
        let has_record = root.join(RECORD).is_file();
        let has_database = options.build_directory.is_some()
            || crate::build_system::find_compile_commands(root).is_some();
        if has_record || has_database {
            let plan = plan_of_directory(root, options.build_directory)?;
            if !options.assume_same_build {
                require_same_build_inputs(root, repository, exported, &plan, &further_inputs)?;
            }
            let stand_ins = stand_ins(
                repository,
                root,
                exported,
                options.compared_with,
                options.cache_directory,
                options.assume_same_build,
            )?;
            let tree = git::export_with_files(exported, root, &stand_ins.files())?;
            let mut moved = moved_plan(&plan, root, &tree, |path| stand_ins.is_versioned(path));
            moved.stand_ins = Some(stand_ins);
            return Ok(moved);
        }
    }
    Ok(plan_of_directory(&exported.root, None)?)
}

fn require_trust(
    configuration: &Configuration,
    build: &Build,
    options: &RevisionOptions,
) -> Result<(), RevisionBuildError> {
    if options.allow_run || TrustStore::of_user()?.is_trusted(configuration)? {
        return Ok(());
    }
    Err(RevisionBuildError::NotTrusted {
        path: configuration.path.clone(),
        commands: build.commands().collect::<Vec<_>>().join("` and `"),
    })
}

fn require_same_build_inputs(
    root: &Path,
    repository: &Repository,
    exported: &ExportedTree,
    plan: &BuildPlan,
    further_inputs: &[glob::Pattern],
) -> Result<(), RevisionBuildError> {
    let exported_files = list_files(&exported.root).map_err(io(&exported.root))?;
    let working_files = git::working_tree_files(repository)?;
    let old = FileTree {
        root: &exported.root,
        files: &exported_files,
    };
    let new = FileTree {
        root,
        files: &working_files,
    };
    let mut differing = differing_build_inputs(old, new, further_inputs).map_err(io(root))?;
    // The working tree's `knockon.toml` and database hold for all versions; a database that both
    // versions track tells of two builds.
    differing.retain(|input| {
        let is_database = input
            .path
            .file_name()
            .is_some_and(|name| name == COMPILE_COMMANDS);
        !is_own(&input.path) || is_database && input.difference == Difference::Changed
    });
    // A build in the source tree leaves files there that steer it.
    let tracked = git::tracked_files(repository)?;
    differing.retain(|input| {
        input.difference != Difference::Added
            || tracked.contains(&input.path)
            || !plan.written_inputs.contains(&root.join(&input.path))
                && !is_configured(root, &input.path, &tracked)
    });
    if differing.is_empty() {
        return Ok(());
    }
    let mut names: Vec<String> = differing
        .iter()
        .take(5)
        .map(|input| input.path.display().to_string())
        .collect();
    if differing.len() > 5 {
        names.push(format!("{} more", differing.len() - 5));
    }
    Err(RevisionBuildError::BuildInputsDiffer {
        files: names.join(", "),
    })
}

/// An exported tree and what the user calls it.
struct ExportedVersion<'a> {
    exported: &'a ExportedTree,
    version: &'a str,
}

impl ExportedVersion<'_> {
    fn interrupted(&self, command: &str) -> RevisionBuildError {
        RevisionBuildError::Interrupted {
            command: command.to_owned(),
            version: self.version.to_owned(),
        }
    }

    fn build_failed(&self, command: &str, log: &Path, is_kept: bool) -> RevisionBuildError {
        const MAX_LINES: usize = 10;
        let output = std::fs::read(log).unwrap_or_default();
        let output = String::from_utf8_lossy(&output);
        let lines: Vec<&str> = output.lines().collect();
        let last_lines = lines[lines.len().saturating_sub(MAX_LINES)..].join("\n");
        RevisionBuildError::BuildFailed {
            command: command.to_owned(),
            version: self.version.to_owned(),
            last_lines,
            log: is_kept.then(|| log.to_owned()),
        }
    }
}

/// Builds the tree in a checkout of its own, once per export and commands.
fn build_export(
    version: &ExportedVersion<'_>,
    configuration: &Configuration,
    build: &Build,
    command: &str,
    options: &RevisionOptions,
) -> Result<BuildPlan, RevisionBuildError> {
    let exported = version.exported;
    // A record of an earlier format says less: the build is done again.
    let mut key = blake3::Hasher::new();
    for text in build.commands().chain([recorded_build::SCHEMA]) {
        key.update(text.as_bytes());
        key.update(&[0]);
    }
    let place = options.cache_directory.join("builds").join(format!(
        "{}-{}",
        exported.name,
        &key.finalize().to_hex()[..16]
    ));
    std::fs::create_dir_all(&place).map_err(io(&place))?;
    let place = place.canonicalize().map_err(io(&place))?;
    let lock_path = place.join("lock");
    let lock = std::fs::File::create(&lock_path).map_err(io(&lock_path))?;
    flock(&lock, FlockOperation::LockExclusive).map_err(|error| RevisionBuildError::Io {
        path: lock_path.clone(),
        source: error.into(),
    })?;

    let root = place.join("root");
    let record = place.join("build.json");
    if !record.is_file() {
        if root.exists() {
            std::fs::remove_dir_all(&root).map_err(io(&root))?;
        }
        copy_tree(&exported.root, &root).map_err(io(&root))?;
        let log = place.join("build.log");
        if let Some(configure) = &build.configure {
            let log = place.join("configure.log");
            let status = run_logged(configure, &root, &log)?;
            if is_interrupted(status.code(), status.signal()) {
                return Err(version.interrupted(configure));
            }
            if !status.success() {
                return Err(version.build_failed(configure, &log, options.is_kept));
            }
        }
        let words: Vec<OsString> = ["sh", "-c", command].map(OsString::from).to_vec();
        let build = capture(
            &words,
            &root,
            &CaptureOptions {
                interception: None,
                output: BuildOutput::File(log.clone()),
            },
        )?;
        if is_interrupted(build.exit_code, build.signal) {
            return Err(version.interrupted(command));
        }
        if build.failed {
            return Err(version.build_failed(command, &log, options.is_kept));
        }
        recorded_build::write(&record, &build)?;
    }
    let mut plan = plan_of_record(&root, &recorded_build::read(&record)?)?;
    plan.configuration = format!(
        "{} built with `{command}` of {}",
        exported.tree,
        configuration.path.display()
    );
    apply_target(&mut plan, build);
    Ok(plan)
}

/// `target` and `sysroot` of `[build]`, for units that do not say.
fn apply_target(plan: &mut BuildPlan, build: &Build) {
    for unit in &mut plan.units {
        if let Some(target) = &build.target
            && !unit.flags.iter().any(|flag| flag.starts_with("--target="))
        {
            unit.flags.push(format!("--target={target}"));
        }
        if let Some(sysroot) = &build.sysroot
            && !unit.flags.iter().any(|flag| flag.starts_with("--sysroot="))
        {
            unit.flags.push(format!("--sysroot={}", sysroot.display()));
        }
    }
}

/// By the signal of Ctrl-C, or by a shell that says so of its child.
fn is_interrupted(exit_code: Option<i32>, signal: Option<i32>) -> bool {
    signal == Some(2) || exit_code == Some(130)
}

fn run_logged(
    command: &str,
    directory: &Path,
    log: &Path,
) -> Result<ExitStatus, RevisionBuildError> {
    let output = std::fs::File::create(log).map_err(io(log))?;
    let errors = output.try_clone().map_err(io(log))?;
    let status = std::process::Command::new("sh")
        .args(["-c", command])
        .current_dir(directory)
        .stdin(std::process::Stdio::null())
        .stdout(output)
        .stderr(errors)
        .status()
        .map_err(io(Path::new("sh")))?;
    Ok(status)
}

/// Copies a tree with its links, permissions and modification times: `make` looks
/// at the latter.
fn copy_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_tree(&source, &target)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(&source)?, &target)?;
        } else {
            std::fs::copy(&source, &target)?;
            let modified = std::fs::metadata(&source)?.modified()?;
            let file = std::fs::OpenOptions::new().append(true).open(&target);
            // A read-only file keeps the time of the copy.
            if let Ok(file) = file {
                file.set_modified(modified)?;
            }
        }
    }
    Ok(())
}

fn export_caveat(caveat: &ExportCaveat) -> Caveat {
    Caveat {
        kind: match caveat {
            ExportCaveat::SubmoduleMissing { .. } => CaveatKind::Submodule,
            ExportCaveat::LinkLeavesTree { .. } => CaveatKind::LinkOutOfTree,
            ExportCaveat::LargeFilePointer { .. } => CaveatKind::LargeFile,
        },
        function: Name(0),
        place: PlaceId(0),
        message: caveat.to_string(),
    }
}
