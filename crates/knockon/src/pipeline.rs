//! From an input to programs: locate, plan, compile, link, promote.
//!
//! Each step is one call, and what it could not do is a caveat of the result.

use crate::account::Account;
use crate::arguments::{Overflow, ProgramArguments, ReadingArguments};
use crate::captured_inputs::require_same_inputs;
use crate::clock::Clock;
use crate::export_place::export_place;
use crate::other_programs::build_contexts;
use crate::progress::Bar;
use crate::unseen_code::{Group, link_executable};
use anyhow::{Context as _, Result, anyhow, bail};
use knockon_build::build::{Compiled, compile_units};
use knockon_build::build_plan::{
    BuildPlan, BuildPlanError, plan_of_compile_commands, plan_of_directory, plan_of_file,
};
use knockon_build::cache::{Cache, DEFAULT_CACHE_LIMIT, default_cache_directory};
use knockon_build::changed_inputs::linked_files;
use knockon_build::clang::find_clang;
use knockon_build::compile::{CompileOptions, Origin};
use knockon_build::configuration::{FILE_NAME, read_configuration};
use knockon_build::git::{Repository, files_of_revision, tracked_files};
use knockon_build::input::{self, Input};
use knockon_build::recorded_build::ReadFiles;
use knockon_build::revision_build::{
    RevisionBuildError, RevisionOptions, Snapshot, plan_of_snapshot,
};
use knockon_build::stand_ins::{StandInAccount, UnitFiles};
use knockon_build::unit::{MACRO_NAMES, Route, UnitCommand};
use knockon_build::unseen_link::ObjectFiles;
use knockon_build::unseen_units::{is_assembly, unseen_unit};
use knockon_graphs::{UndefinedReads, promote_with};
use knockon_program::{BuildContext, Caveat, CaveatKind, Name, PlaceId, Program, UnseenCode};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Set by Ctrl-C: running steps end, and what is there is reported.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// All that was read of one input.
pub struct ReadInput {
    pub configuration: String,
    /// Its commands come from a build of this version, not from another one's.
    pub is_own_build: bool,
    /// The tree: places below it are relative to it.
    pub root: PathBuf,
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

/// A unit that did not compile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FailedUnit {
    pub file: String,
    /// The compiler's own words.
    pub message: String,
    /// It is a part of the program all the same, whose content tells its versions apart.
    pub is_followed: bool,
}

impl std::fmt::Display for FailedUnit {
    /// In one line.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let error = first_error(&self.message);
        // The compiler names the file itself where it has a place in it.
        if !error.starts_with(&self.file) {
            write!(formatter, "{}: ", self.file)?;
        }
        formatter.write_str(error)
    }
}

/// The line of a compiler's message that says what is wrong: the first ones may tell how a header was
/// included.
pub fn first_error(message: &str) -> &str {
    let mut lines = message.lines();
    let error = lines.find(|line| line.contains("error: "));
    error.unwrap_or_else(|| message.lines().next().unwrap_or_default())
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

/// Reads all executables of an input, linked and promoted to SSA.
pub fn read_input(arguments: &ProgramArguments) -> Result<ReadInput> {
    let here = std::env::current_dir().context("the current directory is not known")?;
    let (input, repository) = input::program(Some(&arguments.program), &here)?;
    let reads = UndefinedReads::Absent;
    let asked = AskedInput {
        input: &input,
        compared_with: None,
        repository: repository.as_ref(),
    };
    read(asked, &arguments.reading, reads, None)
}

/// One version of what the user asked about.
#[derive(Clone, Copy)]
pub struct AskedInput<'a> {
    pub input: &'a Input,
    /// The other version.
    pub compared_with: Option<&'a Input>,
    pub repository: Option<&'a Repository>,
}

/// Reads all executables of one version. A single file may have another name in `__FILE__`.
pub fn read(
    asked: AskedInput<'_>,
    arguments: &ReadingArguments,
    undefined_reads: UndefinedReads,
    macro_name: Option<&str>,
) -> Result<ReadInput> {
    let mut clock = Clock::new(arguments.timings);
    let mut plan = plan(asked, arguments)?;
    if let Some(name) = macro_name {
        name_in_macros(&mut plan, name);
    }
    if arguments.overflow == Overflow::Wrap {
        wrap_around(&mut plan)?;
    }
    clock.step("plan");
    let (mut compiled, mut caveats) = compile(&plan, arguments)?;
    clock.step("compile and read");
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
    let missing = missing_units(&plan, &compiled)?;
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
            bail!(
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

/// Which units, from the kind of input.
fn plan(asked: AskedInput<'_>, arguments: &ReadingArguments) -> Result<BuildPlan> {
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
        bail!("this is not a git repository; name paths instead of revisions");
    };
    let place = export_place(arguments.no_cache)?;
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
            anyhow!(
                "this repository is built with {system}, and its flags are not known yet; run `knockon capture -- {command}`{root}, after a clean. To compare two revisions, `[build]` with `command = \"{command}\"` in knockon.toml does as well: `knockon init` writes it, `knockon trust` allows it"
            )
        }
        other => {
            // The signal may come to the program before it comes to this one's handler.
            if other.is_interruption() {
                INTERRUPTED.store(true, Ordering::Relaxed);
            }
            other.into()
        }
    })
}

/// A revision is built by itself where `[build]` in `knockon.toml` says how, and shares the working
/// tree's commands otherwise.
fn is_own_build(input: &Input, repository: Option<&Repository>) -> Result<bool> {
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

fn compile(plan: &BuildPlan, arguments: &ReadingArguments) -> Result<(Compiled, Vec<Caveat>)> {
    let cache = match (arguments.no_cache, default_cache_directory()) {
        (false, Some(directory)) => Some(Cache::open(&directory, DEFAULT_CACHE_LIMIT)),
        _ => None,
    };
    let clang = find_clang(cache.as_ref())?;
    let bar = Bar::new(plan.units.len());
    let options = CompileOptions {
        clang: &clang,
        cache: cache.as_ref(),
        jobs: arguments.jobs.unwrap_or(0),
        time_limit: Duration::from_secs(600),
        interrupted: &INTERRUPTED,
    };
    let mut compiled = compile_units(&plan.units, &options, &|progress| bar.advance(progress))?;
    bar.finish();
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

/// The units without IR, by their position in the plan.
#[derive(Default)]
struct MissingUnits {
    /// What stands for each.
    code: BTreeMap<usize, UnseenCode>,
    is_whole: BTreeSet<usize>,
    defines_main: BTreeSet<usize>,
}

fn missing_units(plan: &BuildPlan, compiled: &Compiled) -> Result<MissingUnits> {
    let mut missing = MissingUnits::default();
    if compiled.failures.is_empty() {
        return Ok(missing);
    }
    let clang = find_clang(None)?;
    for failure in &compiled.failures {
        let unit = &plan.units[failure.index];
        let unseen = unseen_unit(&clang, unit, &INTERRUPTED);
        missing.code.insert(failure.index, unseen.code);
        if unseen.is_whole {
            missing.is_whole.insert(failure.index);
        }
        if unseen.defines_main {
            missing.defines_main.insert(failure.index);
        }
    }
    Ok(missing)
}

/// What is to be linked besides the units that were read.
#[derive(Clone, Copy)]
struct Linking<'a> {
    missing: &'a MissingUnits,
    /// The only executable that is asked for.
    wanted: Option<&'a str>,
    with_shared_units: bool,
}

/// The name of a program of units without a `main`.
pub const LIBRARY: &str = "library";

/// One program per executable of the plan; without a record of links, one per
/// `main`, each with all units that have none; without any `main`, one library.
fn link_executables(
    plan: &BuildPlan,
    compiled: Compiled,
    linking: Linking<'_>,
    files: &mut ObjectFiles,
) -> Result<(Vec<Executable>, Option<Executable>)> {
    let missing = linking.missing;
    let mut shared = None;
    let mut by_position: Vec<Option<Program>> = (0..plan.units.len()).map(|_| None).collect();
    for unit in compiled.units {
        by_position[unit.index] = Some(unit.program);
    }
    let mut groups: Vec<Group> = plan
        .executables
        .iter()
        .enumerate()
        .map(|(number, executable)| Group {
            name: executable.name.clone(),
            executable: Some(number),
            units: executable.units.clone(),
            build: BuildContext::default(),
        })
        .collect();
    if groups.is_empty() {
        let defines_main = |position: &usize| {
            if missing.defines_main.contains(position) {
                return true;
            }
            by_position[*position].as_ref().is_some_and(|unit| {
                unit.functions_named("main")
                    .iter()
                    .any(|id| unit.function(*id).body.is_some())
            })
        };
        let (mains, others): (Vec<usize>, Vec<usize>) =
            (0..plan.units.len()).partition(defines_main);
        let group = |name: String, units: Vec<usize>| Group {
            name,
            executable: None,
            units,
            build: BuildContext::default(),
        };
        for main in &mains {
            let mut units = others.clone();
            units.push(*main);
            units.sort_unstable();
            // Relative to the root, so that both versions have the same name.
            let name = plan.units[*main].display_path().with_extension("");
            groups.push(group(name.to_string_lossy().into_owned(), units));
        }
        if mains.is_empty() {
            groups.push(group(LIBRARY.to_owned(), others));
        } else if linking.with_shared_units && !others.is_empty() {
            shared = Some(group(LIBRARY.to_owned(), others));
        }
    }
    let mut contexts = build_contexts(plan, &groups, &by_position, &missing.code).into_iter();
    for group in &mut groups {
        group.build = contexts.next().unwrap_or_default();
    }
    if let Some(wanted) = linking.wanted {
        let names: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
        let chosen = chosen_executable(wanted, &names)?;
        groups = groups.into_iter().skip(chosen).take(1).collect();
    }
    let count = groups.len();
    if let Some(mut group) = shared {
        let own = std::slice::from_ref(&group);
        let context = build_contexts(plan, own, &by_position, &missing.code).pop();
        group.build = context.unwrap_or_default();
        groups.push(group);
    }
    // What is loaded at run time may be needed by each.
    let loaded = plan.plug_ins.iter().flat_map(|plug_in| &plug_in.units);
    let loaded: BTreeSet<usize> = loaded.copied().collect();
    let positions =
        |group: &Group| -> BTreeSet<usize> { group.units.iter().chain(&loaded).copied().collect() };
    // The last group that uses a unit takes it, the others copy.
    let mut uses = vec![0usize; plan.units.len()];
    for position in groups.iter().flat_map(positions) {
        uses[position] += 1;
    }
    let mut executables = Vec::with_capacity(groups.len());
    for group in groups {
        let mut units: Vec<Option<Program>> = (0..plan.units.len()).map(|_| None).collect();
        for position in positions(&group) {
            uses[position] -= 1;
            units[position] = match uses[position] {
                0 => by_position[position].take(),
                _ => by_position[position].clone(),
            };
        }
        let linked = link_executable(plan, &group, units, &missing.code, files);
        executables.push(Executable {
            name: group.name,
            units: linked.units,
            program: linked.program,
            doubts: linked.doubts,
            is_link_recorded: linked.is_recorded,
        });
    }
    let shared = executables.split_off(count).pop();
    Ok((executables, shared))
}

/// The position of the executable that the user names, by its whole name or by the end of its path.
fn chosen_executable(wanted: &str, names: &[String]) -> Result<usize> {
    if let Some(exact) = names.iter().position(|name| name == wanted) {
        return Ok(exact);
    }
    let is_end = |name: &String| Path::new(name).ends_with(wanted);
    let found: Vec<usize> = (0..names.len()).filter(|at| is_end(&names[*at])).collect();
    match found[..] {
        [one] => Ok(one),
        [] => bail!(
            "there is no executable {wanted} here; there are: {}",
            names.join(", ")
        ),
        _ => {
            let candidates: Vec<&str> = found.iter().map(|at| names[*at].as_str()).collect();
            bail!(
                "{wanted} is one of several executables; say which: {}",
                candidates.join(", ")
            )
        }
    }
}

impl ReadInput {
    /// The one executable that a question is about.
    pub fn only_executable(mut self) -> Result<(Executable, Account)> {
        if self.executables.len() > 1 {
            let names: Vec<&str> = self
                .executables
                .iter()
                .map(|executable| executable.name.as_str())
                .collect();
            bail!(
                "there are several executables: {}; choose one with --executable NAME",
                names.join(", ")
            );
        }
        let Some(executable) = self.executables.pop() else {
            bail!("nothing was linked here");
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
