//! `knockon equiv`.

use super::{deliver, format_and_style, tell_failures, without_temporary_name, write_file};
use crate::account::reported;
use crate::arguments::EquivArguments;
use crate::assumptions::assumptions_of_equivalence;
use crate::budget::Budget;
use crate::equivalence::{Asked, EquivOptions, Judged, Judgement, Permission, equivalence};
use crate::pipeline::INTERRUPTED;
use crate::solvers::{decided_queries, remembering};
use crate::versions::{ReadVersions, read_versions};
use crate::{Outcome, exit_code};
use anyhow::{Context as _, Result, bail};
use knockon_build::cache::{Cache, DEFAULT_CACHE_LIMIT, default_cache_directory};
use knockon_build::clang::find_clang;
use knockon_build::configuration::{FILE_NAME, read_configuration};
use knockon_build::trust::TrustStore;
use knockon_graphs::UndefinedReads;
use knockon_logic::solver::{Limits, SolverOptions, SolverProgram, Solvers, installed_solvers};
use knockon_program::Program;
use knockon_report::{EquivReport, EquivVerdict, VersionName};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::time::Duration;

/// The net below the effort of one question, for each of [`USUAL_EFFORT`].
const QUESTION_TIME: Duration = Duration::from_secs(3);
const USUAL_EFFORT: u64 = 1_000_000;

/// How many inputs are made and run.
const INPUTS: usize = 4000;

pub fn run(arguments: &EquivArguments) -> Result<Outcome> {
    let budget = Budget::of(arguments.budget);
    let mut versions = read_versions(&arguments.versions, UndefinedReads::Kept)?;
    tell_failures(&versions.account);
    let asked: Vec<Asked> = arguments
        .functions
        .iter()
        .map(|text| Asked::parse(text))
        .collect();
    let is_nameless = |one: &Asked| one.old.is_empty() || one.new.is_empty();
    if asked.iter().any(is_nameless) {
        bail!("-f wants the name of a function, or OLD=NEW");
    }
    let directory = match arguments.versions.reading.no_cache {
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
            effort: arguments.effort,
            time: question_time(arguments.effort).min(arguments.budget),
        },
        permission: permission(arguments, &versions)?,
        clang: &clang,
        cache: runtimes.as_deref(),
        inputs: INPUTS,
    };
    let mut solvers = solvers(arguments)?;
    let mut judgement = equivalence(&mut versions, &asked, &mut solvers, &options)?;
    write_example(arguments, directory.as_deref(), &mut judgement.functions);
    let report = report(&versions, judgement);
    let (format, style) = format_and_style(&arguments.output);
    let text = report.render(format, style)?;
    let allowed = arguments.versions.reading.allow_incomplete;
    let code = match versions.account.exit_code(allowed) {
        exit_code::FINISHED => match report.verdict {
            EquivVerdict::Equivalent => exit_code::FINISHED,
            EquivVerdict::Different => exit_code::FOUND,
            EquivVerdict::Unknown => exit_code::UNDECIDED,
        },
        other => other,
    };
    deliver(text, &arguments.output, code)
}

fn question_time(effort: u64) -> Duration {
    let times = (effort / USUAL_EFFORT).max(1);
    QUESTION_TIME.saturating_mul(u32::try_from(times).unwrap_or(u32::MAX))
}

/// Two files that the user names are run as asked. What comes from a repository runs only if the
/// user allowed it for this run, or trusts the commands of its `knockon.toml`.
fn permission(arguments: &EquivArguments, versions: &ReadVersions) -> Result<Permission> {
    if versions.are_single_files || arguments.versions.reading.allow_run {
        return Ok(Permission::Granted);
    }
    let here = std::env::current_dir().context("the current directory is not known")?;
    let files = [versions.roots.new.join(FILE_NAME), here.join(FILE_NAME)];
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

fn solvers(arguments: &EquivArguments) -> Result<Solvers<'static>> {
    let programs = match arguments.solver.is_empty() {
        true => installed_solvers(),
        false => arguments
            .solver
            .iter()
            .map(|name| match is_program(name) {
                true => Ok(SolverProgram::named(name)?),
                false => bail!("--solver {name}: there is no such program"),
            })
            .collect::<Result<_>>()?,
    };
    Ok(remembering(SolverOptions {
        programs,
        dump_queries: arguments.dump_queries.clone(),
        cache: decided_queries(arguments.versions.reading.no_cache),
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

/// Writes the C files of the first difference where the user wants them, or those of each below the
/// cache directory: nothing appears in a project unasked.
fn write_example(arguments: &EquivArguments, cache: Option<&Path>, judged: &mut [Judged]) {
    for one in judged {
        let Some(example) = &one.example else {
            continue;
        };
        let own = format!("knockon-{}.c", plain(&one.row.name));
        let path = match (&arguments.counterexample, cache) {
            (Some(path), _) => path.clone(),
            (None, Some(cache)) => {
                let mut hash = DefaultHasher::new();
                example(&own).hash(&mut hash);
                let directory = format!("{:016x}", hash.finish());
                cache.join("counterexamples").join(directory).join(own)
            }
            (None, None) => {
                let reason = "--counterexample FILE writes a C file that repeats it";
                one.row.reasons.push(reason.to_owned());
                continue;
            }
        };
        let name = path.display().to_string();
        // The difference was seen whether or not there is a file of it.
        match write_files(example(&name), arguments.counterexample.is_none()) {
            Err(error) => {
                let why = without_temporary_name(&error);
                let reason = format!("{name} cannot be written: {why}");
                one.row.reasons.push(reason);
            }
            Ok(()) => {
                if let Some(counterexample) = &mut one.row.counterexample {
                    counterexample.file = Some(name);
                }
            }
        }
        if arguments.counterexample.is_some() {
            return;
        }
    }
}

fn write_files(files: Vec<(String, String)>, makes_directory: bool) -> std::io::Result<()> {
    for (name, text) in files {
        let path = Path::new(&name);
        if let (true, Some(directory)) = (makes_directory, path.parent()) {
            std::fs::create_dir_all(directory)?;
        }
        write_file(path, &text)?;
    }
    Ok(())
}

/// A name that is one in any file system.
fn plain(name: &str) -> String {
    let name = Path::new(name).file_name().unwrap_or_default();
    let letters = name.to_string_lossy();
    let letters = letters.chars().take(80).map(|letter| match letter {
        letter if letter.is_ascii_alphanumeric() || letter == '_' => letter,
        _ => '_',
    });
    letters.collect()
}

fn report(versions: &ReadVersions, judgement: Judgement) -> EquivReport {
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
    let is_interrupted = INTERRUPTED.load(std::sync::atomic::Ordering::Relaxed);
    EquivReport {
        complete: versions.account.complete() && !is_interrupted,
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
