//! Are the inputs of an answer still what they were?
//!
//! **Rules.** What an answer was made from is written down before anything is read: which revisions
//! and directories the request means, every file of the trees, and what git lists of them. After
//! reading, the files that lie elsewhere are added (headers of the system, objects), and the places
//! where headers were looked for in vain. All of that has to be the same for an answer to be given
//! again; names first, then contents ([`super::file_state`]).
//!
//! **Why it is right.** A file that is edited while it is read is not what was written down before. A
//! file elsewhere that is young when it is written down may be another one than the one that was read:
//! then nothing is kept. A new header is found by the list of its directory, or as one of the paths
//! that were not there.
//!
//! **Cost.** One look at every file of the trees and of git's own directory; runs of git where that
//! is not what it was ([`super::git_state`]).

use super::file_state::FileState;
use super::git_state::GitState;
use crate::error::Result;
use crate::options::{ProgramOptions, VersionsOptions};
use crate::read::touched_files::TouchedFiles;
use knockon_build::clang::find_clang;
use knockon_build::git::{Repository, tracked_files, working_tree_files};
use knockon_build::input::{self, Input};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What a request is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    Versions(VersionsOptions),
    Program(ProgramOptions),
}

impl Subject {
    /// Where the names are seen from.
    fn directory(&self) -> &Path {
        match self {
            Subject::Versions(options) => &options.reading.directory,
            Subject::Program(options) => &options.reading.directory,
        }
    }
}

/// What the names of a request mean now.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Meaning {
    inputs: Vec<Input>,
    repository: Option<Repository>,
}

impl Meaning {
    fn of(subject: &Subject) -> Result<Meaning> {
        Ok(match subject {
            Subject::Versions(options) => {
                let found = input::versions(
                    options.old.as_deref(),
                    options.new.as_deref(),
                    options.staged,
                    &options.reading.directory,
                )?;
                Meaning {
                    inputs: vec![found.old, found.new],
                    repository: found.repository,
                }
            }
            Subject::Program(options) => {
                let directory = &options.reading.directory;
                let (input, repository) = input::program(Some(&options.program), directory)?;
                Meaning {
                    inputs: vec![input],
                    repository,
                }
            }
        })
    }

    /// The trees whose files belong to a version, or to the build of one.
    fn trees(&self) -> BTreeSet<PathBuf> {
        let working_tree = self.repository.iter();
        let working_tree = working_tree.filter_map(|repository| repository.working_tree.clone());
        let inputs = self.inputs.iter().filter_map(|input| match input {
            Input::Directory(path) | Input::WorkingTree(path) => Some(path.clone()),
            Input::CompileCommands(path) => path.parent().map(Path::to_owned),
            // The working tree stands for the repository's, and a file is its own input.
            Input::Revision(_) | Input::Staged | Input::SourceFile(_) | Input::LlvmFile(_) => None,
        });
        working_tree.chain(inputs).collect()
    }
}

/// What git says of a working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Listing {
    all: Vec<PathBuf>,
    tracked: BTreeSet<PathBuf>,
}

impl Listing {
    fn of(repository: &Repository) -> Result<Listing> {
        Ok(Listing {
            all: working_tree_files(repository)?,
            tracked: tracked_files(repository)?,
        })
    }
}

/// What an answer was made from.
pub struct Inputs {
    subject: Subject,
    meaning: Meaning,
    since: SystemTime,
    /// By path; the index of the repository is one of them where it is a version.
    files: BTreeMap<PathBuf, FileState>,
    trees: BTreeSet<PathBuf>,
    listing: Option<Listing>,
    /// The state in which git said so.
    git: Option<GitState>,
    /// The names in directories elsewhere.
    directories: BTreeMap<PathBuf, Option<BTreeSet<OsString>>>,
    /// Something was read that is not known to be what is there.
    is_doubtful: bool,
}

impl Inputs {
    /// What there is before anything is read.
    pub fn before_reading(subject: &Subject) -> Result<Inputs> {
        let since = SystemTime::now();
        let meaning = Meaning::of(subject)?;
        let trees = meaning.trees();
        let mut paths = files_of(&trees);
        if meaning.inputs.contains(&Input::Staged)
            && let Some(repository) = &meaning.repository
        {
            paths.insert(repository.git_directory.join("index"));
        }
        paths.extend(meaning.inputs.iter().filter_map(|input| match input {
            Input::SourceFile(path) | Input::LlvmFile(path) | Input::CompileCommands(path) => {
                Some(path.clone())
            }
            // Their files are those of the trees, or of a commit that never changes.
            Input::Directory(_) | Input::WorkingTree(_) | Input::Staged | Input::Revision(_) => {
                None
            }
        }));
        if let Ok(clang) = find_clang(None) {
            paths.insert(clang.path);
        }
        let files = paths.into_iter().map(|path| {
            let state = FileState::of(&path);
            (path, state)
        });
        let has_tree = |repository: &&Repository| repository.working_tree.is_some();
        let repository = meaning.repository.as_ref().filter(has_tree);
        // Its state is known when it was asked for the second time.
        Ok(Inputs {
            git: None,
            subject: subject.clone(),
            since,
            files: files.collect(),
            listing: repository.map(Listing::of).transpose()?,
            trees,
            meaning,
            directories: BTreeMap::new(),
            is_doubtful: false,
        })
    }

    /// What reading looked at besides.
    pub fn add(&mut self, touched: &TouchedFiles) {
        // New files of a tree are found by themselves, and those of a revision stay as they are.
        let trees = self.trees.iter().chain(&touched.exported);
        let trees: Vec<PathBuf> = trees.cloned().collect();
        let is_in_tree = |path: &Path| trees.iter().any(|tree| path.starts_with(tree));
        let read = touched.files.iter();
        let read = read.filter(|path| {
            let mut exported = touched.exported.iter();
            !exported.any(|tree| path.starts_with(tree))
        });
        let mut elsewhere: BTreeSet<PathBuf> = read.cloned().collect();
        let in_vain = looked_for_in_vain(touched).into_iter();
        elsewhere.extend(in_vain.filter(|path| !is_in_tree(path)));
        for path in elsewhere {
            if self.files.contains_key(&path) {
                continue;
            }
            let state = FileState::of(&path);
            self.is_doubtful |= state.is_younger_than(self.since);
            self.files.insert(path, state);
        }
        let searched = touched.searched.iter().filter(|path| !is_in_tree(path));
        let searched: Vec<PathBuf> = searched.cloned().collect();
        for path in searched {
            let names = names_in(&path);
            self.is_doubtful |= FileState::of(&path).is_younger_than(self.since);
            self.directories.insert(path, names);
        }
    }

    /// Whether all of it is the same now.
    pub fn are_still(&mut self) -> Result<bool> {
        if self.is_doubtful {
            return Ok(false);
        }
        if !self.are_names_still()? {
            return Ok(false);
        }
        let now = files_of(&self.trees);
        let is_known = |path: &PathBuf| self.files.contains_key(path);
        if !now.iter().all(is_known) {
            return Ok(false);
        }
        // What is gone has no state any more.
        if !self
            .files
            .iter_mut()
            .all(|(path, state)| state.is_still(path))
        {
            return Ok(false);
        }
        let mut directories = self.directories.iter();
        Ok(directories.all(|(path, names)| names_in(path) == *names))
    }

    /// Names mean the same revisions and directories, and git lists the same.
    fn are_names_still(&mut self) -> Result<bool> {
        let directory = self.subject.directory().to_owned();
        if let (Some(state), Some(repository)) = (&mut self.git, &self.meaning.repository)
            && state.is_still(repository, &directory)
        {
            return Ok(true);
        }
        let repository = self.meaning.repository.as_ref();
        let state = repository.map(|repository| GitState::of(repository, &directory));
        if Meaning::of(&self.subject)? != self.meaning {
            return Ok(false);
        }
        let lists_the_same = match (&self.listing, &self.meaning.repository) {
            (Some(listing), Some(repository)) => Listing::of(repository)? == *listing,
            // Without a repository there is nothing to list; which one it is, `meaning` compared.
            (None, _) | (Some(_), None) => true,
        };
        // What it said is what it says in this state.
        if lists_the_same {
            self.git = state;
        }
        Ok(lists_the_same)
    }

    /// A name for the state of all of it.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{:?}", self.meaning.inputs).as_bytes());
        for (path, state) in &self.files {
            hasher.update(path.as_os_str().as_encoded_bytes());
            if let Some(content) = state.content() {
                hasher.update(content.as_bytes());
            }
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

/// All files of the trees, but those that git keeps for itself.
fn files_of(trees: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for tree in trees {
        add_files(tree, &mut found);
    }
    found
}

fn add_files(directory: &Path, found: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_directory {
            found.insert(entry.path());
        } else if entry.file_name() != ".git" {
            add_files(&entry.path(), found);
        }
    }
}

/// Where a header that was read would have been found before, or would be found now: below another
/// directory that is searched, under the last parts of its path.
fn looked_for_in_vain(touched: &TouchedFiles) -> BTreeSet<PathBuf> {
    /// Parts of a path in an `#include`.
    const MAX_PARTS: usize = 3;
    let mut found = BTreeSet::new();
    for file in &touched.files {
        let parts: Vec<_> = file.components().collect();
        for count in 2..=MAX_PARTS.min(parts.len()) {
            let tail: PathBuf = parts[parts.len() - count..].iter().collect();
            let candidates = touched.searched.iter().map(|place| place.join(&tail));
            found.extend(candidates.filter(|path| !touched.files.contains(path)));
        }
    }
    found
}

fn names_in(directory: &Path) -> Option<BTreeSet<OsString>> {
    let entries = std::fs::read_dir(directory).ok()?;
    Some(entries.flatten().map(|entry| entry.file_name()).collect())
}
