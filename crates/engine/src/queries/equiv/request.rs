//! Do functions do the same in both versions? The request, and its report.

use super::example_files::write_examples;
use super::{Asked, EquivOptions, Judgement, Permission, equivalence};
use crate::budget::Budget;
use crate::cancellation::Cancellation;
use crate::error::{Result, refuse};
use crate::events::Caller;
use crate::levels::solvers::{decided_queries, remembering};
use crate::options::VersionsOptions;
use crate::queries::assumptions::assumptions_of_equivalence;
use crate::read::account::reported;
use crate::read::versions::{ReadVersions, read_versions};
use knockon_build::cache::{Cache, DEFAULT_CACHE_LIMIT, default_cache_directory};
use knockon_build::clang::find_clang;
use knockon_build::configuration::{FILE_NAME, read_configuration};
use knockon_build::trust::TrustStore;
use knockon_graphs::UndefinedReads;
use knockon_logic::solver::{Limits, SolverOptions, SolverProgram, Solvers, installed_solvers};
use knockon_program::Program;
use knockon_report::{EquivReport, EquivVerdict, VersionName};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The effort of one question if nobody says otherwise.
pub const USUAL_EFFORT: u64 = 1_000_000;
/// The net below the effort of one question, for each of [`USUAL_EFFORT`].
const QUESTION_TIME: Duration = Duration::from_secs(3);

/// How many inputs are made and run.
const INPUTS: usize = 4000;

#[derive(Clone, Debug)]
pub struct EquivRequest {
    pub versions: VersionsOptions,
    /// Each by its name, by `FILE:NAME` where a name exists twice, or by `OLD=NEW`; all that changed or
    /// that one version only has if there are none.
    pub functions: Vec<String>,
    pub budget: Duration,
    /// What one question to a solver may cost, in units of its own.
    pub effort: u64,
    /// Names or paths of solvers; those that are installed if there are none.
    pub solvers: Vec<String>,
    /// Every question to a solver is written to a file in this directory.
    pub dump_queries: Option<PathBuf>,
    /// Where to write the C file that repeats the first difference; below the cache directory if
    /// `None`.
    pub counterexample: Option<PathBuf>,
}

impl EquivRequest {
    /// With the usual effort, in a minute.
    pub fn of(versions: VersionsOptions, functions: Vec<String>) -> EquivRequest {
        EquivRequest {
            versions,
            functions,
            budget: crate::queries::diff::USUAL_BUDGET,
            effort: USUAL_EFFORT,
            solvers: Vec::new(),
            dump_queries: None,
            counterexample: None,
        }
    }
}

/// Reads both versions and compares the functions.
pub fn equiv(request: &EquivRequest, caller: Caller<'_>) -> Result<EquivReport> {
    let budget = Budget::of(request.budget).cancelled_by(caller.cancellation);
    let mut versions = read_versions(&request.versions, UndefinedReads::Kept, caller)?;
    let asked = request.functions.iter();
    let asked: Vec<Asked> = asked.map(|text| Asked::parse(text)).collect();
    let is_nameless = |one: &Asked| one.old.is_empty() || one.new.is_empty();
    if asked.iter().any(is_nameless) {
        refuse!("-f wants the name of a function, or OLD=NEW");
    }
    let directory = match request.versions.reading.no_cache {
        true => None,
        false => default_cache_directory(),
    };
    let cache = directory.as_ref();
    let cache = cache.map(|directory| Cache::open(directory, DEFAULT_CACHE_LIMIT));
    let clang = find_clang(cache.as_ref())?;
    let runtimes = directory.as_ref().map(|directory| directory.join("replay"));
    let options = EquivOptions {
        budget,
        limits: Limits {
            effort: request.effort,
            time: question_time(request.effort).min(request.budget),
        },
        permission: permission(request, &versions)?,
        clang: &clang,
        cache: runtimes.as_deref(),
        inputs: INPUTS,
    };
    let mut solvers = solvers(request)?;
    let mut judgement = equivalence(&mut versions, &asked, &mut solvers, &options)?;
    let wanted = request.counterexample.as_deref();
    write_examples(wanted, directory.as_deref(), &mut judgement.functions);
    Ok(report(&versions, judgement, caller.cancellation))
}

fn question_time(effort: u64) -> Duration {
    let times = (effort / USUAL_EFFORT).max(1);
    QUESTION_TIME.saturating_mul(u32::try_from(times).unwrap_or(u32::MAX))
}

/// Two files that the user names are run as asked. What comes from a repository runs only if the
/// user allowed it for this run, or trusts the commands of its `knockon.toml`.
fn permission(request: &EquivRequest, versions: &ReadVersions) -> Result<Permission> {
    let reading = &request.versions.reading;
    if versions.are_single_files || reading.allow_run {
        return Ok(Permission::Granted);
    }
    let files = [&versions.roots.new, &reading.directory].map(|root| root.join(FILE_NAME));
    let Some(file) = files.iter().find(|file| file.is_file()) else {
        return Ok(Permission::Missing);
    };
    let configuration = read_configuration(file)?;
    let is_trusted = TrustStore::of_user().and_then(|store| store.is_trusted(&configuration));
    Ok(match is_trusted {
        Ok(true) => Permission::Granted,
        _ => Permission::Missing,
    })
}

fn solvers<'c>(request: &EquivRequest) -> Result<Solvers<'c>> {
    let programs = match request.solvers.is_empty() {
        true => installed_solvers(),
        false => {
            let mut programs = Vec::new();
            for name in &request.solvers {
                if !is_program(name) {
                    refuse!("--solver {name}: there is no such program");
                }
                programs.push(SolverProgram::named(name)?);
            }
            programs
        }
    };
    Ok(remembering(SolverOptions {
        programs,
        dump_queries: request.dump_queries.clone(),
        cache: decided_queries(request.versions.reading.no_cache),
        ..SolverOptions::default()
    })?)
}

/// There is a file of this path, or of this name on the search path.
fn is_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    match name.contains('/') {
        true => Path::new(name).is_file(),
        false => std::env::split_paths(&path).any(|directory| directory.join(name).is_file()),
    }
}

fn report(
    versions: &ReadVersions,
    judgement: Judgement,
    cancellation: &Cancellation,
) -> EquivReport {
    let name = |name: &String| VersionName { name: name.clone() };
    let none = Program::new();
    let functions = judgement.functions.into_iter();
    let functions: Vec<_> = functions.map(|one| one.row).collect();
    // Where a generated file may be another one, also what is the same is not known.
    let least = match versions.doubtful_units.is_empty() {
        true => EquivVerdict::Equivalent,
        false => EquivVerdict::Unknown,
    };
    let verdicts = functions.iter().map(|row| row.verdict);
    let verdict = verdicts.chain([least]).max();
    let mut counterexamples = functions
        .iter()
        .filter_map(|row| row.counterexample.clone());
    EquivReport {
        complete: versions.account.complete() && !cancellation.is_cancelled(),
        configuration: versions.configuration.clone(),
        old: name(&versions.names.old),
        new: name(&versions.names.new),
        verdict: verdict.unwrap_or_default(),
        counterexample: counterexamples.next(),
        assumptions: assumptions_of_equivalence(versions),
        caveats: versions
            .account
            .caveats
            .iter()
            .map(|caveat| reported(caveat, &none))
            .collect(),
        functions,
        notes: judgement.notes,
        ..EquivReport::default()
    }
}
