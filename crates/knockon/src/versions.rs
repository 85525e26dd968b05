//! Two versions of a program, read: their executables side by side, and how their texts differ.

use crate::account::Account;
use crate::arguments::VersionsArguments;
use crate::pipeline::{AskedInput, Executable, FailedUnit, LIBRARY, ReadInput, read};
use anyhow::{Context as _, Result, bail};
use knockon_build::changed_inputs::{VersionInputs, doubts};
use knockon_build::configured_files::is_left_by_a_build;
use knockon_build::git::{Repository, files_of_revision, tracked_files, working_tree_files};
use knockon_build::input::{Input, versions};
use knockon_build::stand_ins::{is_documentation, is_own};
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
    arguments: &VersionsArguments,
    undefined_reads: UndefinedReads,
) -> Result<ReadVersions> {
    let here = std::env::current_dir().context("the current directory is not known")?;
    let asked = versions(
        arguments.old.as_deref(),
        arguments.new.as_deref(),
        arguments.staged,
        &here,
    )?;
    let repository = asked.repository.as_ref();
    let single = single_file(&asked.old).zip(single_file(&asked.new));
    let renamed = single.as_ref().filter(|(one, two)| one != two);
    let reading = &arguments.reading;
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
    let at_once = single.is_some() && reading.jobs != Some(1) && !reading.timings;
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
    let mut read = joined(asked_names(&asked), old, new, texts, edits);
    read.are_single_files = single.is_some();
    read.changed_files = changed_files;
    read.left_by_builds = left_by_builds;
    if !doubts.is_empty() {
        let units = read.commands.new.iter();
        let units = units.map(|unit| unit.display_path().display().to_string());
        read.doubtful_units.extend(units);
        read.account.caveats.extend(doubts);
    }
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

impl ReadVersions {
    /// A unit of either version is made from the file.
    pub fn is_read(&self, path: &str) -> bool {
        self.readers.old.contains_key(path) || self.readers.new.contains_key(path)
    }

    /// The executables that alone are made from the file, where no other version has them.
    pub fn only_in_unpaired(&self, path: &str) -> Vec<&Unpaired> {
        let readers = [&self.readers.old, &self.readers.new].map(|readers| readers.get(path));
        let readers: BTreeSet<&String> = readers.into_iter().flatten().flatten().collect();
        let is_compared = |unit: &str| {
            let programs = self.executables.iter();
            let mut programs = programs.flat_map(|row| [&row.old.program, &row.new.program]);
            programs.any(|program| {
                let mut units = program.units.iter();
                units.any(|row| program.name(row.source) == unit)
            })
        };
        if readers.iter().any(|unit| is_compared(unit)) {
            return Vec::new();
        }
        let rows = self.unpaired.iter();
        rows.filter(|row| readers.iter().any(|unit| row.units.contains(*unit)))
            .collect()
    }

    /// A text for people: no line is possible for an edit of it.
    fn is_silent(&self, path: &str) -> bool {
        let name = Path::new(path).file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        let mut doubts =
            (self.executables.iter()).flat_map(|row| row.old.doubts.iter().chain(&row.new.doubts));
        is_documentation(Path::new(path))
            && !self.is_read(path)
            && !doubts.any(|doubt| doubt.contains(&*name))
    }

    /// The numbers of hunks in texts for people, counted from 1.
    pub fn documentation_hunks(&self) -> BTreeSet<u32> {
        let files = self.edits.files.iter();
        let is_silent = files.flat_map(|(path, hunks)| {
            let is_silent = self.is_silent(path);
            hunks.iter().map(move |_| is_silent)
        });
        let numbered = (1..).zip(is_silent);
        numbered
            .filter(|(_, is_silent)| *is_silent)
            .map(|(number, _)| number)
            .collect()
    }

    /// Something differs that the link of this executable may depend on in a way that is not
    /// followed.
    pub fn is_link_in_doubt(&self, number: usize) -> bool {
        let row = &self.executables[number];
        if row.old.doubts.is_empty() && row.new.doubts.is_empty() {
            return false;
        }
        let differ = |row: &Sides<Executable>| row.old.doubts != row.new.doubts;
        let edited = self.edits.files.keys().chain(&self.changed_files);
        edited.into_iter().any(|path| !self.is_silent(path)) || self.executables.iter().any(differ)
    }

    /// A unit is missing that may hold some of the change and is not followed: then nothing is known to
    /// be unaffected. A unit that fails is a piece of unseen code, and where that holds all that the
    /// unit is made from, another version of it is another piece. Of a unit whose text cannot be
    /// preprocessed it is known only that it is the same unknown code in both versions: if it fails in
    /// both, its text is the same and no edited header can reach it.
    pub fn may_hide_changes(&self) -> bool {
        let is_header = |path: &&String| !is_unit(Path::new(path)) && is_code(Path::new(path));
        let edits_headers = self.edits.files.keys().any(|path| is_header(&path));
        let is_edited = |file: &str| {
            let mut edited = self.edits.files.keys();
            edited.any(|path| Path::new(file).ends_with(path))
        };
        let is_unknown = |failure: &FailedUnit, others: &[FailedUnit]| {
            let other = others.iter().find(|other| other.file == failure.file);
            let is_followed = failure.is_followed && other.is_none_or(|other| other.is_followed);
            !is_followed && (other.is_none() || edits_headers || is_edited(&failure.file))
        };
        let (old, new) = (&self.failures.old, &self.failures.new);
        self.account.interrupted
            || (0..self.executables.len()).any(|number| self.is_link_in_doubt(number))
            || !self.doubtful_units.is_empty()
            || old.iter().any(|failure| is_unknown(failure, new))
            || new.iter().any(|failure| is_unknown(failure, old))
    }
}

/// A file of this name is compiled by itself.
fn is_unit(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("c" | "cc" | "cpp" | "cxx" | "s" | "S"))
}

fn asked_names(asked: &knockon_build::input::Versions) -> Sides<String> {
    let here = std::env::current_dir().unwrap_or_default();
    let name = |input: &Input| match input {
        Input::SourceFile(path)
        | Input::LlvmFile(path)
        | Input::Directory(path)
        | Input::CompileCommands(path) => {
            let below = path.strip_prefix(&here);
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

/// A file's text, empty where there is no file. What holds zero bytes is data, unless it is named
/// as a source: a textual diff has no hunks for data.
fn read_text(path: &Path) -> Result<String> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        // A link to a directory: the files in it are listed themselves.
        Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => Vec::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    match bytes.contains(&0) && !is_code(path) {
        true => Ok(String::new()),
        false => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// A file of this name may be code of the program.
pub fn is_code(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(
        extension,
        Some("c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "inc" | "s" | "S")
    )
}

/// By path.
type Texts = BTreeMap<String, String>;

/// The texts of all files that differ between the trees, the paths of these and of data, and the paths
/// of those that a build left there.
fn changed_texts(
    asked: &knockon_build::input::Versions,
    repository: Option<&Repository>,
    old: &ReadInput,
    new: &ReadInput,
) -> Result<(Sides<Texts>, BTreeSet<String>, BTreeSet<String>)> {
    let mut paths: BTreeSet<PathBuf> = BTreeSet::new();
    for (input, root) in [(&asked.old, &old.root), (&asked.new, &new.root)] {
        match (input, repository) {
            (Input::WorkingTree(_), Some(repository)) => {
                paths.extend(working_tree_files(repository)?);
            }
            _ => files_below(root, root, &mut paths)?,
        }
    }
    let mut texts: Sides<BTreeMap<String, String>> = Sides::default();
    let (mut changed, mut left) = (BTreeSet::new(), BTreeSet::new());
    let sources = source_files(asked, repository, old, new)?;
    // What says how to build is no part of the program.
    for path in paths.into_iter().filter(|path| !is_own(path)) {
        let (one, two) = (old.root.join(&path), new.root.join(&path));
        if is_same_file(&one, &two) {
            continue;
        }
        let (before, after) = (read_text(&one)?, read_text(&two)?);
        let is_left = is_left_by_a_build(&path) && !sources.contains(&path);
        let path = path.to_string_lossy().into_owned();
        if is_left && std::fs::read(&one).ok() != std::fs::read(&two).ok() {
            changed.insert(path.clone());
            left.insert(path);
        } else if before != after {
            changed.insert(path.clone());
            texts.old.insert(path.clone(), before);
            texts.new.insert(path, after);
        } else if std::fs::read(one).ok() != std::fs::read(two).ok() {
            changed.insert(path);
        }
    }
    Ok((texts, changed, left))
}

/// The files that are no left-overs of a build, whatever they are called: git tracks them, or a unit
/// reads them.
fn source_files(
    asked: &knockon_build::input::Versions,
    repository: Option<&Repository>,
    old: &ReadInput,
    new: &ReadInput,
) -> Result<BTreeSet<PathBuf>> {
    let read = old.files.iter().chain(&new.files);
    let mut files: BTreeSet<PathBuf> = read.flat_map(|(_, files)| files.iter().cloned()).collect();
    if let Some(repository) = repository {
        files.extend(tracked_files(repository)?);
        for input in [&asked.old, &asked.new] {
            if let Input::Revision(revision) = input {
                files.extend(files_of_revision(repository, revision)?);
            }
        }
    }
    Ok(files)
}

fn is_same_file(one: &Path, two: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (one.metadata(), two.metadata()) {
        (Ok(one), Ok(two)) => one.ino() == two.ino() && one.dev() == two.dev(),
        _ => false,
    }
}

/// Files below a directory, but for what tools keep there for themselves.
fn files_below(root: &Path, directory: &Path, into: &mut BTreeSet<PathBuf>) -> Result<()> {
    if !directory.is_dir() {
        bail!("{} is not a directory", directory.display());
    }
    let entries = std::fs::read_dir(directory)
        .with_context(|| format!("cannot list {}", directory.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {}", directory.display()))?;
        let name = entry.file_name();
        if name.to_string_lossy().starts_with('.') {
            continue;
        }
        let path = entry.path();
        let kind = entry.file_type();
        if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
            files_below(root, &path, into)?;
        } else if kind.is_ok_and(|kind| kind.is_file())
            && let Ok(relative) = path.strip_prefix(root)
            && may_be_source(relative)
        {
            into.insert(relative.to_owned());
        }
    }
    Ok(())
}

/// What a build leaves behind is not part of a version.
fn may_be_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    !matches!(
        extension,
        Some(
            "o" | "lo"
                | "a"
                | "la"
                | "so"
                | "d"
                | "Po"
                | "Plo"
                | "gch"
                | "pch"
                | "bc"
                | "ll"
                | "log"
        )
    )
}
