//! From an input to programs: locate, plan, compile, link, promote.
//!
//! Each step is one call, and what it could not do is a caveat of the result.

pub mod account;
pub mod captured_inputs;
mod doubts;
pub mod function_names;
mod link;
pub mod named_function;
mod other_programs;
pub mod place;
mod plan;
mod read_input;
pub mod tests_file;
pub mod touched_files;
mod unseen_code;
pub mod version_texts;
pub mod versions;

pub use link::LIBRARY;
pub use plan::AskedInput;
pub use read_input::{Executable, OwnInputs, ReadInput};

use crate::error::{Context as _, Result, refuse};
use crate::events::{Caller, Clock, Event};
use crate::failed_unit::FailedUnit;
use crate::options::{Overflow, ProgramOptions, ReadOptions};
use knockon_build::build::{Compiled, compile_units};
use knockon_build::build_plan::BuildPlan;
use knockon_build::cache::{Cache, DEFAULT_CACHE_LIMIT, default_cache_directory};
use knockon_build::changed_inputs::linked_files;
use knockon_build::clang::find_clang;
use knockon_build::compile::{CompileOptions, Origin};
use knockon_build::git::{files_of_revision, tracked_files};
use knockon_build::input::{self, Input};
use knockon_build::stand_ins::{StandInAccount, UnitFiles};
use knockon_build::unit::{MACRO_NAMES, Route};
use knockon_build::unseen_link::ObjectFiles;
use knockon_build::unseen_units::is_assembly;
use knockon_graphs::{UndefinedReads, promote_with};
use knockon_program::{Caveat, CaveatKind, Name, PlaceId};
use link::{Linking, link_executables, missing_units};
use plan::{is_own_build, plan};
use std::path::{Path, PathBuf};
use std::time::Duration;
use touched_files::TouchedFiles;

/// How to read, and for whom.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    pub options: &'a ReadOptions,
    pub caller: Caller<'a>,
}

/// Reads all executables of an input, linked and promoted to SSA.
pub fn read_program(options: &ProgramOptions, caller: Caller<'_>) -> Result<ReadInput> {
    let directory = &options.reading.directory;
    let (input, repository) = input::program(Some(&options.program), directory)?;
    let reads = UndefinedReads::Absent;
    let asked = AskedInput {
        input: &input,
        compared_with: None,
        repository: repository.as_ref(),
    };
    let reading = Reading {
        options: &options.reading,
        caller,
    };
    read(asked, reading, reads, None)
}

/// Reads all executables of one version. A single file may have another name in `__FILE__`.
pub fn read(
    asked: AskedInput<'_>,
    reading: Reading<'_>,
    undefined_reads: UndefinedReads,
    macro_name: Option<&str>,
) -> Result<ReadInput> {
    let arguments = reading.options;
    let mut clock = Clock::new(reading.caller.events);
    let mut plan = plan(asked, reading)?;
    if let Some(name) = macro_name {
        name_in_macros(&mut plan, name);
    }
    if arguments.overflow == Overflow::Wrap {
        wrap_around(&mut plan)?;
    }
    clock.step("plan");
    let (mut compiled, mut caveats) = compile(&plan, reading)?;
    clock.step("compile and read");
    let mut touched = TouchedFiles::of(&plan, &compiled, arguments);
    if matches!(asked.input, Input::Revision(_) | Input::Staged) {
        let roots = plan.units.iter().map(|unit| unit.root.clone());
        touched.exported.extend(roots);
    }
    let units = compiled.units.len();
    let units_from_cache = compiled
        .units
        .iter()
        .filter(|unit| unit.origin != Origin::Text)
        .count();
    let stood_in = account_of_stand_ins(&plan, &compiled)?;
    let files = compiled
        .units
        .iter_mut()
        .map(|unit| {
            let sources = unit.program.units.first();
            let source = sources.map_or("", |row| unit.program.name(row.source));
            (source.to_owned(), std::mem::take(&mut unit.files))
        })
        .collect();
    let missing = missing_units(&plan, &compiled, reading.caller.cancellation)?;
    let failures = compiled
        .failures
        .iter()
        .filter(|failure| !is_assembly(&plan.units[failure.index]))
        .map(|failure| FailedUnit {
            file: failure.file.display().to_string(),
            message: failure.message.clone(),
            is_followed: missing.is_whole.contains(&failure.index),
        })
        .collect();
    let doubtful_units = stood_in.doubtful_units.iter();
    let doubtful_units = doubtful_units
        .map(|unit| plan.units[*unit].display_path().display().to_string())
        .collect();
    let of_plan = plan.caveats.iter().cloned().chain(stood_in.caveats);
    caveats.splice(0..0, of_plan);
    let interrupted = compiled.interrupted;
    let root = plan.units.first().map(|unit| unit.root.clone());
    let wanted = arguments.executable.as_deref();
    let mut objects = ObjectFiles::default();
    if let Some(root) = &root {
        objects.note_loadable(&loadable_files(asked, root)?);
    }
    let linking = Linking {
        missing: &missing,
        wanted,
        with_shared_units: asked.compared_with.is_some(),
    };
    let (mut executables, mut shared_units) =
        link_executables(&plan, compiled, linking, &mut objects)?;
    clock.step("link");
    for executable in executables.iter_mut().chain(&mut shared_units) {
        promote_with(&mut executable.program, undefined_reads);
    }
    clock.step("promote");
    let own_inputs = own_inputs(&plan);
    Ok(ReadInput {
        configuration: plan.configuration,
        is_own_build: is_own_build(asked.input, asked.repository)?,
        root: root.unwrap_or_default(),
        touched,
        executables,
        shared_units,
        units,
        files,
        units_from_cache,
        own_inputs,
        commands: plan.units,
        doubtful_units,
        failures,
        caveats,
        interrupted,
    })
}

/// Compiles all units so that signed integers wrap around.
fn wrap_around(plan: &mut BuildPlan) -> Result<()> {
    for unit in &mut plan.units {
        if unit.route() == Route::LlvmText {
            refuse!(
                "{}: LLVM IR says by itself what overflows: compile it with -fwrapv instead of reading it with --overflow wrap",
                unit.file.display()
            );
        }
        unit.flags.push("-fwrapv".to_owned());
    }
    Ok(())
}

/// Compiles the source so that `__FILE__` has another name, also where text elsewhere includes it.
fn name_in_macros(plan: &mut BuildPlan, name: &str) {
    for unit in &mut plan.units {
        if unit.route() != Route::Clang {
            continue;
        }
        for path in [unit.file_argument(), unit.source_path()] {
            let path = path.to_string_lossy();
            // The first such sign would end the path.
            if !path.contains('=') {
                unit.flags.push(format!("{MACRO_NAMES}{path}={name}"));
            }
        }
    }
}

/// What is to say about generated files that units read and that the version lacks.
fn account_of_stand_ins(plan: &BuildPlan, compiled: &Compiled) -> Result<StandInAccount> {
    let Some(stand_ins) = &plan.stand_ins else {
        return Ok(StandInAccount::default());
    };
    let units = compiled.units.iter().map(|unit| UnitFiles {
        index: unit.index,
        files: &unit.files,
        elsewhere: &unit.files_elsewhere,
    });
    // A unit without IR is read as a text, or as what is made of it.
    let without_ir = compiled.failures.iter().map(|unit| UnitFiles {
        index: unit.index,
        files: std::slice::from_ref(&unit.file),
        elsewhere: &[],
    });
    let units: Vec<UnitFiles<'_>> = units.chain(without_ir).collect();
    let account = stand_ins.account(plan, &units);
    account.context("cannot compare the revision with the working tree")
}

/// Of a plan that is not another version's.
fn own_inputs(plan: &BuildPlan) -> Option<OwnInputs> {
    let tree = plan.units.first()?.root.canonicalize().ok()?;
    if plan.stand_ins.is_some() {
        return None;
    }
    let below = |path: &Path| path.strip_prefix(&tree).ok().map(Path::to_path_buf);
    let compiled = plan.compiled.iter().filter_map(|path| below(path));
    Some(OwnInputs {
        read: plan.read_files.clone()?,
        followed: compiled
            .chain(linked_files(plan).filter_map(below))
            .collect(),
        tree,
    })
}

/// The shared objects that git keeps beside the sources of either version, by their names below the
/// root: a program may load them when it runs.
fn loadable_files(asked: AskedInput<'_>, root: &Path) -> Result<Vec<(String, PathBuf)>> {
    let Some(repository) = asked.repository else {
        return Ok(Vec::new());
    };
    let mut names = tracked_files(repository)?;
    for input in [Some(asked.input), asked.compared_with] {
        if let Some(Input::Revision(revision)) = input {
            names.extend(files_of_revision(repository, revision)?);
        }
    }
    let is_shared = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".so") || name.contains(".so.")
    };
    let shared = names.iter().filter(is_shared);
    Ok(shared
        .map(|name| (name.display().to_string(), root.join(name)))
        .filter(|(_, path)| path.is_file())
        .collect())
}

fn compile(plan: &BuildPlan, reading: Reading<'_>) -> Result<(Compiled, Vec<Caveat>)> {
    let arguments = reading.options;
    let Caller {
        cancellation,
        events,
    } = reading.caller;
    let cache = match (arguments.no_cache, default_cache_directory()) {
        (false, Some(directory)) => Some(Cache::open(&directory, DEFAULT_CACHE_LIMIT)),
        _ => None,
    };
    let clang = find_clang(cache.as_ref())?;
    events.send(Event::ReadingBegins {
        units: plan.units.len(),
    });
    let options = CompileOptions {
        clang: &clang,
        cache: cache.as_ref(),
        jobs: arguments.jobs.unwrap_or(0),
        time_limit: Duration::from_secs(600),
        interrupted: cancellation.flag(),
    };
    let compiled = compile_units(&plan.units, &options, &|progress| {
        events.send(Event::UnitRead {
            done: progress.done,
            total: progress.total,
            file: progress.file.to_string_lossy().into_owned(),
        });
    });
    events.send(Event::ReadingEnds);
    let mut compiled = compiled?;
    let mut caveats = std::mem::take(&mut compiled.caveats);
    if cache.is_none() && !arguments.no_cache {
        caveats.push(Caveat {
            kind: CaveatKind::CacheUnavailable,
            function: Name(0),
            place: PlaceId(0),
            message: "no place for a cache: set KNOCKON_CACHE_DIR, XDG_CACHE_HOME or HOME"
                .to_owned(),
        });
    }
    Ok((compiled, caveats))
}
