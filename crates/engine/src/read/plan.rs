//! Which units make a version, from the kind of input.

use super::Reading;
use super::captured_inputs::require_same_inputs;
use crate::error::{Context as _, EngineError, Result, refuse};
use knockon_build::build_plan::{
    BuildPlan, BuildPlanError, plan_of_compile_commands, plan_of_directory, plan_of_file,
};
use knockon_build::configuration::{FILE_NAME, read_configuration};
use knockon_build::git::Repository;
use knockon_build::input::Input;
use knockon_build::revision_build::{
    RevisionBuildError, RevisionOptions, Snapshot, plan_of_snapshot,
};
use std::path::{Path, PathBuf};

/// One version of what the user asked about.
#[derive(Clone, Copy)]
pub struct AskedInput<'a> {
    pub input: &'a Input,
    /// The other version.
    pub compared_with: Option<&'a Input>,
    pub repository: Option<&'a Repository>,
}

/// Which units, from the kind of input.
pub(super) fn plan(asked: AskedInput<'_>, reading: Reading<'_>) -> Result<BuildPlan> {
    let arguments = reading.options;
    let repository = asked.repository;
    let build = arguments.build.as_deref();
    let snapshot = match asked.input {
        Input::SourceFile(path) | Input::LlvmFile(path) => return Ok(plan_of_file(path)),
        Input::CompileCommands(path) => {
            let database = canonical(path)?;
            let root = database.parent().unwrap_or(Path::new("/"));
            return Ok(plan_of_compile_commands(root, &database)?);
        }
        Input::Directory(path) => return Ok(plan_of_directory(&canonical(path)?, build)?),
        Input::WorkingTree(path) => {
            let root = canonical(path)?;
            if let (Some(repository), None, false) =
                (repository, build, arguments.assume_same_build)
            {
                require_same_inputs(&root, repository)?;
            }
            return Ok(plan_of_directory(&root, build)?);
        }
        Input::Revision(revision) => Snapshot::Revision(revision),
        Input::Staged => Snapshot::Staged,
    };
    let Some(repository) = repository else {
        refuse!("this is not a git repository; name paths instead of revisions");
    };
    let place = arguments.exports.place(arguments.no_cache)?;
    let options = RevisionOptions {
        cache_directory: &place,
        is_kept: !arguments.no_cache,
        build_directory: build,
        allow_run: arguments.allow_run,
        assume_same_build: arguments.assume_same_build,
        compared_with: match asked.compared_with {
            Some(Input::Revision(revision)) => Some(revision),
            // The index is looked at in any case.
            _ => None,
        },
    };
    plan_of_snapshot(repository, snapshot, &options).map_err(|error| match error {
        // The exported tree is in the cache: nothing can be done there.
        RevisionBuildError::Plan(BuildPlanError::NotCaptured {
            system, command, ..
        }) => {
            let root = repository.working_tree.as_deref();
            let root = root.map_or(String::new(), |root| format!(" in {}", root.display()));
            EngineError::Refused(format!(
                "this repository is built with {system}, and its flags are not known yet; run `knockon capture -- {command}`{root}, after a clean. To compare two revisions, `[build]` with `command = \"{command}\"` in knockon.toml does as well: `knockon init` writes it, `knockon trust` allows it"
            ))
        }
        other => {
            // The signal may come to the program before it comes to this one's handler.
            if other.is_interruption() {
                reading.caller.cancellation.cancel();
            }
            other.into()
        }
    })
}

/// A revision is built by itself where `[build]` in `knockon.toml` says how, and shares the working
/// tree's commands otherwise.
pub(super) fn is_own_build(input: &Input, repository: Option<&Repository>) -> Result<bool> {
    if !matches!(input, Input::Revision(_) | Input::Staged) {
        return Ok(true);
    }
    let root = repository.and_then(|repository| repository.working_tree.as_deref());
    let Some(file) = root
        .map(|root| root.join(FILE_NAME))
        .filter(|file| file.is_file())
    else {
        return Ok(false);
    };
    let build = read_configuration(&file)?.build;
    Ok(build.is_some_and(|build| build.command.is_some()))
}

fn canonical(path: &Path) -> Result<PathBuf> {
    path.canonicalize()
        .with_context(|| format!("{}", path.display()))
}
