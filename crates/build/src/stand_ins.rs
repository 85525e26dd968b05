//! Which files of the working tree stand in for those that a revision's own build would generate,
//! and may they differ from them?
//!
//! **Which.** A revision that is built with the working tree's commands gets what that build
//! generated: files that git tracks neither in the working tree nor in a revision that is compared.
//! A tracked file that a revision lacks is missing in it, as it is for its compiler. Objects,
//! libraries and hidden directories are left out.
//!
//! **Whether they may differ.** A file that a unit reads counts as equal if nothing that it may be
//! made from differs between the revision and the working tree. Inputs are found by
//! [`crate::generator_inputs`]; of programs of the build that make files, they are all that their
//! units read. Where no text tells how a file is made, each file that differs counts, but for
//! sources and headers that units read (unless they are those of a program none of whose units
//! reads the file: it may be the generator), documentation, and directories of tests. A new file
//! that is not ignored, and that neither a text nor its own first lines call generated, may be one
//! that somebody wrote: its readers are in doubt, too.
//!
//! Where the record of the build tells which files were read, it is asked instead of the texts: for
//! the inputs of what the build made, and for all else that differs and comes into its steps
//! ([`crate::changed_inputs`]).
//!
//! **Soundness.** Not seen: a generator that asks for something else than files (`git describe`,
//! the date), and inputs whose names a script puts together.
//!
//! **Cost.** One walk over the working tree, and two calls of git. Only where a unit reads such a
//! file are both trees compared, and the texts of the build read.

use crate::build_inputs::{is_build_input, list_files, same_content};
use crate::build_plan::BuildPlan;
use crate::changed_inputs::{VersionInputs, consequence, doubts, linked_files, may_be_code};
use crate::configured_files::{calls_itself_generated, is_named_by_configure};
use crate::generator_inputs::{Rules, names_file, tells_rules};
use crate::git::{self, ExportedTree, GitError, Repository, Revision};
use knockon_program::{Caveat, CaveatKind, Name, PlaceId};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// How many names a caveat lists.
const MAX_NAMES: usize = 5;
/// A text that tells rules is not longer.
const LONGEST_TEXT: u64 = 8 << 20;

/// Paths are relative to the working tree.
#[derive(Clone, Debug, Default)]
pub struct StandIns {
    working_tree: PathBuf,
    exported: PathBuf,
    files: BTreeSet<PathBuf>,
    /// Those of the files that git does not ignore.
    new_files: BTreeSet<PathBuf>,
    tracked: BTreeSet<PathBuf>,
    /// The tracked ones, and those of the version that is compared.
    versioned: BTreeSet<PathBuf>,
    assume_same_build: bool,
}

/// The files that a unit of the plan was made from.
#[derive(Clone, Copy, Debug)]
pub struct UnitFiles<'a> {
    /// The unit's position in the plan.
    pub index: usize,
    /// Relative to the root.
    pub files: &'a [PathBuf],
    /// Absolute.
    pub elsewhere: &'a [PathBuf],
}

/// What is to say about the generated files that units read.
#[derive(Clone, Debug, Default)]
pub struct StandInAccount {
    pub caveats: Vec<Caveat>,
    /// Positions of units that read a file which may differ.
    pub doubtful_units: BTreeSet<usize>,
}

impl StandInAccount {
    fn say_equal(&mut self, files: &[String]) {
        if files.is_empty() {
            return;
        }
        let verb = match files.len() {
            1 => "is",
            _ => "are",
        };
        let text = format!(
            "{} {verb} not in the revision; what the working tree's build left there is used",
            listed(files)
        );
        self.caveats.insert(0, caveat(text));
    }
}

/// The files that stand in for those of the exported tree.
pub fn stand_ins(
    repository: &Repository,
    working_tree: &Path,
    exported: &ExportedTree,
    compared_with: Option<&Revision>,
    cache_directory: &Path,
    assume_same_build: bool,
) -> Result<StandIns, GitError> {
    let tracked = git::tracked_files(repository)?;
    let mut versioned = match compared_with {
        Some(revision) => git::files_of_revision(repository, revision)?,
        None => BTreeSet::new(),
    };
    versioned.extend(tracked.iter().cloned());
    let mut files = BTreeSet::new();
    let mut pending = vec![PathBuf::new()];
    while let Some(directory) = pending.pop() {
        let place = working_tree.join(&directory);
        for entry in std::fs::read_dir(&place).into_iter().flatten().flatten() {
            let path = directory.join(entry.file_name());
            let kind = entry.file_type();
            if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
                let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
                if !is_hidden && entry.path() != cache_directory {
                    pending.push(path);
                }
            } else if !is_object(&path)
                && !versioned.contains(&path)
                && exported.root.join(&path).symlink_metadata().is_err()
                && !is_own(&path)
            {
                files.insert(path);
            }
        }
    }
    let mut new_files = git::new_files(repository)?;
    // A repository inside of the working tree is listed as its directory.
    let is_new = |path: &&PathBuf| path.ancestors().any(|path| new_files.contains(path));
    let listed: BTreeSet<PathBuf> = files.iter().filter(is_new).cloned().collect();
    new_files = listed;
    Ok(StandIns {
        working_tree: working_tree.to_owned(),
        exported: exported.root.clone(),
        files,
        new_files,
        tracked,
        versioned,
        assume_same_build,
    })
}

/// What says how to build, for Knockon alone.
pub fn is_own(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name == crate::configuration::FILE_NAME
        || name == crate::build_plan::COMPILE_COMMANDS
        || path.components().any(|part| part.as_os_str() == ".knockon")
}

/// What builds and tools leave that no text includes.
fn is_object(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    #[rustfmt::skip]
    let known = [
        "o", "lo", "a", "la", "so", "d", "Po", "Plo", "gch", "pch", "bc", "ll", "log", "obj", "exe", "gcda",
        "gcno", "pyc", "dwo", "su",
    ];
    known.contains(&extension.as_ref()) || name.contains(".so.")
}

impl StandIns {
    pub fn files(&self) -> Vec<PathBuf> {
        self.files.iter().cloned().collect()
    }

    /// A version has the file: where the revision lacks it, nothing stands in for it.
    pub fn is_versioned(&self, path: &Path) -> bool {
        self.versioned.contains(path)
    }

    /// The generated files that these units read, and what of them may differ in the revision.
    pub fn account(
        &self,
        plan: &BuildPlan,
        units: &[UnitFiles<'_>],
    ) -> std::io::Result<StandInAccount> {
        let outside = outside_directories(plan, &self.working_tree);
        let mut readers: BTreeMap<&Path, BTreeSet<usize>> = BTreeMap::new();
        let mut read_of_new = readers.clone();
        for unit in units {
            let below = unit.files.iter().filter(|file| self.files.contains(*file));
            let is_built = |file: &&PathBuf| outside.iter().any(|place| file.starts_with(place));
            for file in below.chain(unit.elsewhere.iter().filter(is_built)) {
                readers.entry(file).or_default().insert(unit.index);
            }
            // A text that is read in both versions may name a file by its whole path.
            for file in unit.elsewhere {
                if let Ok(file) = file.strip_prefix(&self.working_tree) {
                    let of_new = match self.files.contains(file) {
                        true => &mut readers,
                        false => &mut read_of_new,
                    };
                    of_new.entry(file).or_default().insert(unit.index);
                }
            }
        }
        let mut account = StandInAccount::default();
        for (file, reading) in &read_of_new {
            let (old, new) = (self.exported.join(file), self.working_tree.join(file));
            if !same_content(&old, &new).unwrap_or(false) {
                account.doubtful_units.extend(reading);
                account.caveats.push(caveat(format!(
                    "{} is read in the working tree, by its whole path, and is another one in the revision; so nothing is unaffected that is linked with its readers",
                    file.display()
                )));
            }
        }
        if readers.is_empty() && plan.read_files.is_none() {
            return Ok(account);
        }
        let changed = self.changed_files()?;
        let doubts = self.changed_inputs(plan, units, &changed);
        if !doubts.is_empty() {
            account.doubtful_units.extend(0..plan.units.len());
            let texts = doubts.iter().map(|doubt| caveat(consequence(doubt)));
            account.caveats.extend(texts);
        }
        let is_made = |file: &Path| {
            let made = plan.read_files.iter().flat_map(|read| &read.made);
            made.into_iter()
                .any(|made| made.path == self.real_tree().join(file))
        };
        let mut equal: Vec<String> = Vec::new();
        // Of these the record tells the inputs, and they are among the changed ones or not.
        let (known, readers): (BTreeMap<_, _>, BTreeMap<_, _>) =
            readers.into_iter().partition(|(file, _)| is_made(file));
        if doubts.is_empty() {
            equal.extend(known.keys().map(|file| file.display().to_string()));
        }
        if readers.is_empty() {
            account.say_equal(&equal);
            return Ok(account);
        }
        let rules = self.rules(plan)?;
        let sources = sources(plan, units);
        for (file, reading) in &readers {
            let inputs = rules.inputs_of(file, &sources);
            let doubt = match &inputs {
                None if self.new_files.contains(*file) && !self.is_called_generated(file) => Some(
                    "may be a new file of the new version: git neither tracks nor ignores it"
                        .to_owned(),
                ),
                Some(inputs) => {
                    let mut named = changed.iter().filter(|path| names_file(inputs, path));
                    let input = named.find(|path| !self.is_assumed_same(path));
                    input.map(|path| {
                        format!(
                            "may be another one there: {} differs, which it may be made from",
                            path.display()
                        )
                    })
                }
                None => {
                    let programs = Programs {
                        plan,
                        units,
                        reading,
                    };
                    let mut counted = changed
                        .iter()
                        .filter(|path| !self.is_accounted_for(path, &programs));
                    counted.next().map(|path| {
                        format!("may be another one there: {} differs, and nothing tells what the file is made from", path.display())
                    })
                }
            };
            let Some(doubt) = doubt else {
                equal.push(file.display().to_string());
                continue;
            };
            account.doubtful_units.extend(reading);
            account.caveats.push(caveat(format!(
                "{} is not in the revision; the working tree's stands in for it and {doubt}; so nothing is unaffected that is linked with its readers; `[build]` in knockon.toml builds each version on its own",
                file.display()
            )));
        }
        account.say_equal(&equal);
        Ok(account)
    }

    /// What the recorded build read, differs, and is not followed; and what it may have read.
    fn changed_inputs(
        &self,
        plan: &BuildPlan,
        units: &[UnitFiles<'_>],
        changed: &[PathBuf],
    ) -> Vec<String> {
        let Some(read) = &plan.read_files else {
            return Vec::new();
        };
        let tree = self.real_tree();
        let is_text = |path: &Path| {
            let mut files = units.iter().flat_map(|unit| unit.files);
            files.any(|file| file == path)
        };
        let is_followed = |path: &Path| {
            let moved = plan.units.first().map_or(&self.exported, |unit| &unit.root);
            let places = [self.exported.join(path), tree.join(path), moved.join(path)];
            is_text(path)
                || plan.compiled.contains(&places[1])
                // What is new, the units of the new version read.
                || is_c(path) && !places[0].exists()
                || linked_files(plan).any(|linked| places.iter().any(|place| place == linked))
        };
        let inputs = VersionInputs {
            read,
            tree: &tree,
            is_own_build: false,
            is_followed: &is_followed,
        };
        let counted = changed.iter().map(PathBuf::as_path);
        let counted = counted.filter(|path| !self.is_assumed_same(path));
        let mut found = doubts(&inputs, counted.clone());
        let is_gone = |path: &&Path| {
            may_be_code(path)
                && self.exported.join(path).exists()
                && self.working_tree.join(path).symlink_metadata().is_err()
                && !is_text(path)
                && !is_of_tests(path)
        };
        found.extend(counted.filter(is_gone).map(|path| {
            format!(
                "{} is in the revision only, and may be code that its build links",
                path.display()
            )
        }));
        found
    }

    /// As the record of the build names it.
    fn real_tree(&self) -> PathBuf {
        let real = self.working_tree.canonicalize();
        real.unwrap_or_else(|_| self.working_tree.clone())
    }

    /// The files that differ between the revision and the working tree.
    fn changed_files(&self) -> std::io::Result<Vec<PathBuf>> {
        let exported = list_files(&self.exported)?;
        let all: BTreeSet<&PathBuf> = exported.iter().chain(&self.tracked).collect();
        let mut changed = Vec::new();
        for path in all {
            let (old, new) = (self.exported.join(path), self.working_tree.join(path));
            let are_there = old.symlink_metadata().is_ok() && new.symlink_metadata().is_ok();
            // What cannot be read may differ.
            let is_same = are_there && same_content(&old, &new).unwrap_or(false);
            // A submodule that is not there is listed as one path, and is a directory.
            if !is_same && !new.is_dir() && !is_own(path) {
                changed.push(path.clone());
            }
        }
        Ok(changed)
    }

    fn rules(&self, plan: &BuildPlan) -> std::io::Result<Rules> {
        let mut rules = Rules::default();
        for files in &plan.generators {
            let is_made = |path: &&Path| {
                let below = path.strip_prefix(&self.working_tree);
                below.is_ok_and(|path| self.files.contains(path))
            };
            let named = files.iter().map(PathBuf::as_path);
            rules.add_command(named.filter(is_made), files);
        }
        for path in &self.tracked {
            rules.add_file(path);
            if !tells_rules(path) || is_of_tests(path) && path.extension().is_some_and(is_script) {
                continue;
            }
            let place = self.working_tree.join(path);
            let Ok(file) = std::fs::File::open(&place) else {
                continue;
            };
            let mut bytes = Vec::new();
            file.take(LONGEST_TEXT).read_to_end(&mut bytes)?;
            rules.add_text(path, &String::from_utf8_lossy(&bytes));
        }
        Ok(rules)
    }

    /// The file lies where builds put things, or its first lines say that it is generated.
    fn is_called_generated(&self, file: &Path) -> bool {
        let is_build_directory = |directory: &Path| {
            let marks = [
                "CMakeCache.txt",
                "build.ninja",
                "config.status",
                "compile_commands.json",
            ];
            let place = self.working_tree.join(directory);
            let mut tracked = self.tracked.range(directory.to_owned()..);
            !directory.as_os_str().is_empty()
                && marks.iter().any(|mark| place.join(mark).exists())
                && !tracked
                    .next()
                    .is_some_and(|next| next.starts_with(directory))
        };
        if file.ancestors().skip(1).any(is_build_directory) {
            return true;
        }
        is_named_by_configure(file) || calls_itself_generated(&self.working_tree.join(file))
    }

    /// The user said that the build is the same.
    fn is_assumed_same(&self, path: &Path) -> bool {
        self.assume_same_build && only_steers(path)
    }

    /// A file that differs is no input of a generated file of which nothing else is known.
    fn is_accounted_for(&self, path: &Path, programs: &Programs<'_>) -> bool {
        if self.is_assumed_same(path) || is_documentation(path) || is_of_tests(path) {
            return true;
        }
        if !is_c(path) {
            return false;
        }
        // What is new, the units of the new version read.
        !self.exported.join(path).exists()
            || programs.is_read(path) && !programs.is_of_a_generator(path)
    }
}

/// The programs of the build, for one generated file.
struct Programs<'a> {
    plan: &'a BuildPlan,
    units: &'a [UnitFiles<'a>],
    /// The units that read the generated file.
    reading: &'a BTreeSet<usize>,
}

impl Programs<'_> {
    fn is_read(&self, path: &Path) -> bool {
        let mut files = self.units.iter().flat_map(|unit| unit.files);
        files.any(|file| file == path)
    }

    /// A program that is made without the file and from the path may make the file.
    fn is_of_a_generator(&self, path: &Path) -> bool {
        let reads = |position: &usize| {
            let mut unit = self.units.iter().filter(|unit| unit.index == *position);
            unit.any(|unit| unit.files.iter().any(|file| file == path))
        };
        self.plan.executables.iter().any(|executable| {
            let units = &executable.units;
            !units.iter().any(|unit| self.reading.contains(unit)) && units.iter().any(reads)
        })
    }
}

/// By the name of a program or source, the names of the files that it is made from.
fn sources(plan: &BuildPlan, units: &[UnitFiles<'_>]) -> BTreeMap<String, BTreeSet<String>> {
    let name = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    let mut sources: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for unit in units {
        let read: BTreeSet<String> = unit.files.iter().map(|file| name(file)).collect();
        if let Some(command) = plan.units.get(unit.index) {
            let source = name(&command.display_path());
            for executable in &plan.executables {
                if executable.units.contains(&unit.index) {
                    let of_program = sources.entry(executable.name.clone()).or_default();
                    of_program.insert(source.clone());
                }
            }
            sources.entry(source).or_default().extend(read);
        }
    }
    sources
}

/// Directories outside of the working tree in which units are compiled: builds write there.
fn outside_directories(plan: &BuildPlan, working_tree: &Path) -> BTreeSet<PathBuf> {
    let units = plan.units.iter();
    let directories = units.map(|unit| unit.directory.clone());
    directories
        .filter(|directory| directory.parent().is_some())
        .filter(|directory| !working_tree.starts_with(directory))
        .filter(|directory| {
            !plan
                .units
                .iter()
                .any(|unit| directory.starts_with(&unit.root))
        })
        .collect()
}

fn is_script(extension: &std::ffi::OsStr) -> bool {
    ["sh", "bash", "py", "pl", "awk", "rb", "tcl", "lua"]
        .iter()
        .any(|known| extension == *known)
}

fn is_c(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(
        extension,
        Some("c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "inc" | "s" | "S")
    )
}

/// A build input that is only read by the build system itself.
fn only_steers(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    #[rustfmt::skip]
    let generates = [
        "y", "yy", "ypp", "yxx", "l", "lex", "lpp", "lxx", "gperf", "re", "rl", "def", "idl", "proto", "in",
    ];
    is_build_input(path, &[])
        && (!generates.contains(&extension.as_ref())
            || name.starts_with("Makefile")
            || name == "configure.in")
}

/// Text for people: also where no text tells what is made from it.
pub fn is_documentation(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    #[rustfmt::skip]
    let names = [
        "README", "NEWS", "ChangeLog", "CHANGES", "CHANGELOG", "AUTHORS", "COPYING", "LICENSE", "INSTALL", "TODO",
        "HACKING", "THANKS", "MAINTAINERS", "CONTRIBUTING", "BUGS", "Doxyfile",
    ];
    #[rustfmt::skip]
    let extensions = [
        "md", "txt", "rst", "adoc", "asciidoc", "texi", "texinfo", "tex", "html", "htm", "pod", "man", "mdoc", "1",
        "2", "3", "4", "5", "6", "7", "8", "9",
    ];
    let stem = name.split(['.', '-']).next().unwrap_or_default();
    name.as_ref() != "CMakeLists.txt"
        && (names.contains(&stem) && !is_c(path)
            || extensions.contains(&extension.as_ref())
            || begins_with_dot(path))
}

/// `.gitignore`, `.github/…`: for tools beside the build.
fn begins_with_dot(path: &Path) -> bool {
    let mut parts = path.components();
    parts.any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}

/// By the names of the directories that it is in.
pub fn is_of_tests(path: &Path) -> bool {
    let known = [
        "test",
        "tests",
        "testsuite",
        "t",
        "bench",
        "benchmarks",
        "examples",
        "po",
        "ci",
    ];
    let directories = path.parent().into_iter().flat_map(Path::components);
    let mut names = directories.map(|part| part.as_os_str());
    names.any(|name| known.iter().any(|known| name == *known))
}

fn listed(names: &[String]) -> String {
    let shown = names.iter().take(MAX_NAMES).cloned();
    let mut shown: Vec<String> = shown.collect();
    if names.len() > MAX_NAMES {
        shown.push(format!("{} more", names.len() - MAX_NAMES));
    }
    shown.join(", ")
}

fn caveat(message: String) -> Caveat {
    Caveat {
        kind: CaveatKind::GeneratedFile,
        function: Name(0),
        place: PlaceId(0),
        message,
    }
}
