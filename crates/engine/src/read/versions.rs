//! Two versions of a program, read: their executables side by side, and how their texts differ.

use super::account::Account;
use super::read_input::{Executable, ReadInput};
use super::touched_files::TouchedFiles;
use super::version_texts::{changed_texts, read_text};
use super::{AskedInput, LIBRARY, Reading, read};
use crate::error::Result;
use crate::events::{Caller, Event};
use crate::failed_unit::FailedUnit;
use crate::options::VersionsOptions;
use knockon_build::changed_inputs::{VersionInputs, doubts};
use knockon_build::input::{Input, versions};
use knockon_build::unit::UnitCommand;
use knockon_change::{Edits, OldNames, Side, Sides, put_old_names, text_hunks};
use knockon_graphs::UndefinedReads;
use knockon_program::{Caveat, CaveatKind, Name, PlaceId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub struct ReadVersions {
    pub names: Sides<String>,
    pub configuration: String,
    /// Each version was read with the commands of its own build.
    pub are_own_builds: bool,
    /// Executables of the same name.
    pub executables: Vec<Sides<Executable>>,
    /// Names of functions and files that the programs of the new version give as the old ones.
    pub old_names: OldNames,
    /// Executables that only one version has.
    pub unpaired: Vec<Unpaired>,
    pub roots: Sides<PathBuf>,
    /// The texts of all files that differ, by path; empty where a version has none.
    pub texts: Sides<BTreeMap<String, String>>,
    /// The paths of all files that differ, data without lines among them.
    pub changed_files: BTreeSet<String>,
    /// Those of them that a build left in a tree: they have no hunks.
    pub left_by_builds: BTreeSet<String>,
    pub edits: Edits,
    /// By file that differs, the units that read it.
    pub readers: Sides<BTreeMap<String, Vec<String>>>,
    pub account: Account,
    /// The units of each version that did not compile.
    pub failures: Sides<Vec<FailedUnit>>,
    /// Units of either version that read a generated file which may be another one there.
    pub doubtful_units: BTreeSet<String>,
    /// How the units of each version are compiled.
    pub commands: Sides<Vec<UnitCommand>>,
    /// The files that were looked at.
    pub touched: TouchedFiles,
    /// Each version is a source file that the user named.
    pub are_single_files: bool,
}

/// An executable without a partner, which is not compared.
pub struct Unpaired {
    pub name: String,
    /// The version that has it.
    pub side: Side,
    /// The source files of its units.
    pub units: BTreeSet<String>,
}

impl Unpaired {
    fn of(executable: &Executable, side: Side) -> Unpaired {
        let program = &executable.program;
        let sources = program.units.iter().map(|unit| program.name(unit.source));
        Unpaired {
            name: executable.name.clone(),
            side,
            units: sources.map(str::to_owned).collect(),
        }
    }
}

impl std::fmt::Display for Unpaired {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let version = match self.side {
            Side::Old => "old",
            Side::New => "new",
        };
        write!(formatter, "{} is in the {version} version only", self.name)
    }
}

/// Undefined reads are kept where the new version is not taken for defined.
pub fn read_versions(
    options: &VersionsOptions,
    undefined_reads: UndefinedReads,
    caller: Caller<'_>,
) -> Result<ReadVersions> {
    let directory = &options.reading.directory;
    let asked = versions(
        options.old.as_deref(),
        options.new.as_deref(),
        options.staged,
        directory,
    )?;
    let repository = asked.repository.as_ref();
    let single = single_file(&asked.old).zip(single_file(&asked.new));
    let renamed = single.as_ref().filter(|(one, two)| one != two);
    let reading = Reading {
        options: &options.reading,
        caller,
    };
    let read = |input, compared_with, name| {
        let asked = AskedInput {
            input,
            compared_with: Some(compared_with),
            repository,
        };
        read(asked, reading, undefined_reads, name)
    };
    let read_old = || read(&asked.old, &asked.new, renamed.map(|(_, new)| new.as_str()));
    let read_new = || read(&asked.new, &asked.old, None);
    // Trees have units for all cores, and most of the new one's are in the cache by then. Where time
    // is told, each version's steps are told by themselves.
    let at_once =
        single.is_some() && options.reading.jobs != Some(1) && !options.reading.one_by_one;
    let (mut old, new) = match at_once {
        true => {
            let (old, new) = rayon::join(read_old, read_new);
            (old?, new?)
        }
        false => (read_old()?, read_new()?),
    };
    if let Some((one, two)) = renamed {
        for executable in &mut old.executables {
            rename_file(executable, one, two);
        }
    }
    let (texts, changed_files, left_by_builds) = match &single {
        Some((one, two)) => {
            let texts = Sides {
                old: BTreeMap::from([(two.clone(), read_text(&old.root.join(one))?)]),
                new: BTreeMap::from([(two.clone(), read_text(&new.root.join(two))?)]),
            };
            (texts, BTreeSet::new(), BTreeSet::new())
        }
        None => changed_texts(&asked, repository, &old, &new)?,
    };
    let mut edits = Edits {
        others_are_unedited: single.is_none(),
        ..Edits::default()
    };
    for (path, text) in &texts.new {
        let hunks = text_hunks(&texts.old[path], text);
        if !hunks.is_empty() {
            edits.files.insert(path.clone(), hunks);
        }
    }
    if let Some((_, path)) = &single {
        edits.files.entry(path.clone()).or_default();
    }
    let doubts = unfollowed_inputs(&old, &new, &changed_files);
    let mut read = joined(asked_names(&asked, directory), old, new, texts, edits);
    read.are_single_files = single.is_some();
    read.changed_files = changed_files;
    read.left_by_builds = left_by_builds;
    if !doubts.is_empty() {
        let units = read.commands.new.iter();
        let units = units.map(|unit| unit.display_path().display().to_string());
        read.doubtful_units.extend(units);
        read.account.caveats.extend(doubts);
    }
    let failures = read.account.failures.clone();
    caller.events.send(Event::UnitsFailed(failures));
    Ok(read)
}

/// What a version's own build read in a step, differs, and is not followed.
fn unfollowed_inputs(old: &ReadInput, new: &ReadInput, changed: &BTreeSet<String>) -> Vec<Caveat> {
    // Another version's commands are held against its tree where they are moved to it.
    if !(old.is_own_build && new.is_own_build) {
        return Vec::new();
    }
    let texts: BTreeSet<&Path> = [old, new]
        .into_iter()
        .flat_map(|version| &version.files)
        .flat_map(|(_, files)| files.iter().map(PathBuf::as_path))
        .collect();
    let inputs = [&old.own_inputs, &new.own_inputs].into_iter().flatten();
    let mut found: BTreeSet<String> = BTreeSet::new();
    for own in inputs {
        let is_followed = |path: &Path| texts.contains(path) || own.followed.contains(path);
        let inputs = VersionInputs {
            read: &own.read,
            tree: &own.tree,
            is_own_build: true,
            is_followed: &is_followed,
        };
        found.extend(doubts(&inputs, changed.iter().map(Path::new)));
    }
    found
        .into_iter()
        .map(|doubt| Caveat {
            kind: CaveatKind::UnseenCode,
            function: Name(0),
            place: PlaceId(0),
            message: format!("{doubt}; so nothing is unaffected"),
        })
        .collect()
}

fn joined(
    names: Sides<String>,
    old: ReadInput,
    new: ReadInput,
    texts: Sides<BTreeMap<String, String>>,
    edits: Edits,
) -> ReadVersions {
    let roots = Sides {
        old: old.root.clone(),
        new: new.root.clone(),
    };
    let readers = Sides {
        old: readers(&old, &texts),
        new: readers(&new, &texts),
    };
    let failed = Sides {
        old: old.failures.clone(),
        new: new.failures.clone(),
    };
    let commands = Sides {
        old: old.commands.clone(),
        new: new.commands.clone(),
    };
    let doubtful_units = old.doubtful_units.union(&new.doubtful_units);
    let doubtful_units = doubtful_units.cloned().collect();
    let mut touched = old.touched.clone();
    touched.add(&new.touched);
    let configuration = new.configuration.clone();
    let are_own_builds = old.is_own_build && new.is_own_build;
    let mut unpaired = Vec::new();
    let mut executables = Vec::new();
    let Account {
        mut failures,
        mut caveats,
        interrupted,
        ..
    } = old.account_of();
    let mut before = old.executables;
    // One program each: the same one, whatever its file is called.
    let is_single = before.len() == 1 && new.executables.len() == 1;
    let account = new.account_of();
    // What fails alike in both versions is said once.
    let new_only = |failure: &FailedUnit| !failed.old.contains(failure);
    failures.extend(account.failures.into_iter().filter(new_only));
    caveats.extend(account.caveats);
    caveats.sort_by(|one, two| (one.kind, &one.message).cmp(&(two.kind, &two.message)));
    caveats.dedup_by(|one, two| one.kind == two.kind && one.message == two.message);
    let mut after = new.executables;
    if !is_single
        && !has_pairs(&before, &after)
        && let Some(library) = libraries(
            (&mut before, old.shared_units),
            (&mut after, new.shared_units),
        )
    {
        executables.push(library);
    }
    for executable in after {
        let same = |other: &Executable| is_single || other.name == executable.name;
        match before.iter().position(same) {
            Some(at) => executables.push(Sides {
                old: before.remove(at),
                new: executable,
            }),
            None => unpaired.push(Unpaired::of(&executable, Side::New)),
        }
    }
    unpaired.extend(before.iter().map(|gone| Unpaired::of(gone, Side::Old)));
    let mut old_names = OldNames::default();
    for Sides { old, new } in &mut executables {
        old_names.extend(put_old_names(
            &old.program,
            &mut new.program,
            &edits,
            &texts,
        ));
    }
    ReadVersions {
        names,
        are_own_builds,
        executables,
        old_names,
        unpaired,
        roots,
        texts,
        changed_files: BTreeSet::new(),
        left_by_builds: BTreeSet::new(),
        edits,
        readers,
        account: Account {
            configuration: configuration.clone(),
            failures,
            caveats,
            interrupted: interrupted || account.interrupted,
        },
        configuration,
        failures: failed,
        doubtful_units,
        commands,
        touched,
        are_single_files: false,
    }
}

fn has_pairs(old: &[Executable], new: &[Executable]) -> bool {
    old.iter()
        .any(|one| new.iter().any(|other| one.name == other.name))
}

/// The units that all programs share, where one version is a library only, or has other programs. In
/// a version without a program they are all that there is.
fn libraries(
    old: (&mut Vec<Executable>, Option<Executable>),
    new: (&mut Vec<Executable>, Option<Executable>),
) -> Option<Sides<Executable>> {
    let whole = |executables: &[Executable]| {
        let is_library = |one: &Executable| one.name == LIBRARY && !one.is_link_recorded;
        executables.iter().position(is_library)
    };
    let (old_at, new_at) = (whole(old.0), whole(new.0));
    if old_at.is_none() && old.1.is_none() || new_at.is_none() && new.1.is_none() {
        return None;
    }
    let old = old.1.or_else(|| Some(old.0.remove(old_at?)))?;
    let new = new.1.or_else(|| Some(new.0.remove(new_at?)))?;
    Some(Sides { old, new })
}

/// A file that no unit reads has no row: code on its lines may still say otherwise.
fn readers(
    read: &ReadInput,
    texts: &Sides<BTreeMap<String, String>>,
) -> BTreeMap<String, Vec<String>> {
    let mut readers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (unit, files) in &read.files {
        for file in files {
            let file = file.to_string_lossy();
            if texts.new.contains_key(&*file) {
                let known = readers.entry(file.into_owned()).or_default();
                known.push(unit.clone());
            }
        }
    }
    readers
}

fn asked_names(asked: &knockon_build::input::Versions, directory: &Path) -> Sides<String> {
    let name = |input: &Input| match input {
        Input::SourceFile(path)
        | Input::LlvmFile(path)
        | Input::Directory(path)
        | Input::CompileCommands(path) => {
            let below = path.strip_prefix(directory);
            let below = below.ok().filter(|path| !path.as_os_str().is_empty());
            below.unwrap_or(path).display().to_string()
        }
        Input::Revision(revision) => revision.name.clone(),
        Input::Staged => "what is staged".to_owned(),
        Input::WorkingTree(_) => "the working tree".to_owned(),
    };
    Sides {
        old: name(&asked.old),
        new: name(&asked.new),
    }
}

fn single_file(input: &Input) -> Option<String> {
    match input {
        Input::SourceFile(path) => {
            let name = path.file_name()?;
            Some(name.to_string_lossy().into_owned())
        }
        _ => None,
    }
}

/// The old file is the new one under another name.
fn rename_file(executable: &mut Executable, from: &str, to: &str) {
    let program = &mut executable.program;
    let to = program.names.intern(to);
    for file in 0..program.files.len() {
        if program.name(program.files[file].path) == from {
            program.files[file].path = to;
        }
    }
    for unit in 0..program.units.len() {
        if Path::new(program.name(program.units[unit].source)).ends_with(from) {
            program.units[unit].source = to;
        }
    }
}
