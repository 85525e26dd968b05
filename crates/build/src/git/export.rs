//! The store of exported trees: one directory per tree id, written once.
//!
//! An export is prepared in a temporary directory beside its place and renamed into it when it is
//! complete, so a reader sees a whole tree or none. Two processes that export the same tree at once
//! both succeed: the second finds the place taken and uses it. A process holds a lock in its
//! temporary directory for as long as it lives; the next export removes directories whose lock is
//! free, so a killed process leaves nothing behind for good.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};

use crate::scratch::scratch_directory;

use super::check_out::check_out;
use super::private_repository::PrivateRepository;
use super::submodules::SubmodulePlaces;
use super::{CommitId, ExportCaveat, GitError, Repository, Revision, TreeId};

/// The files of one revision. The directory is shared: read it, never build in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedTree {
    pub root: PathBuf,
    /// None for the index.
    pub commit: Option<CommitId>,
    pub tree: TreeId,
    pub caveats: Vec<ExportCaveat>,
    /// The tree's id and what is missing of it: exports of one name have the same files.
    pub name: String,
}

/// The files of `revision`, below `cache_directory`.
pub fn export(
    repository: &Repository,
    revision: &Revision,
    cache_directory: &Path,
) -> Result<ExportedTree, GitError> {
    let store = open_store(cache_directory)?;
    let (commit, tree) = (revision.commit.clone(), revision.tree.clone());
    if let Some(caveats) = read_export(&store.join(tree.as_str())) {
        let name = tree.to_string();
        return Ok(exported(&store, name, commit, tree, caveats));
    }
    let workshop = Workshop::open(&store)?;
    let mut private = PrivateRepository::create(workshop.path("repository"), repository)?;
    finish_export(&store, &workshop, &mut private, repository, commit, tree)
}

/// The files of the index (`--staged`), below `cache_directory`.
pub fn export_staged(
    repository: &Repository,
    cache_directory: &Path,
) -> Result<ExportedTree, GitError> {
    let store = open_store(cache_directory)?;
    let workshop = Workshop::open(&store)?;
    let mut private = PrivateRepository::create(workshop.path("repository"), repository)?;
    let tree = private.write_index_as_tree(repository)?;
    if let Some(caveats) = read_export(&store.join(tree.as_str())) {
        let name = tree.to_string();
        return Ok(exported(&store, name, None, tree, caveats));
    }
    finish_export(&store, &workshop, &mut private, repository, None, tree)
}

/// Writes the files of `revision` into `destination`, which must not exist yet: a copy of one's own
/// to build in.
pub fn check_out_revision(
    repository: &Repository,
    revision: &Revision,
    destination: &Path,
) -> Result<Vec<ExportCaveat>, GitError> {
    std::fs::create_dir(destination).map_err(GitError::io(destination))?;
    let destination = std::fs::canonicalize(destination).map_err(GitError::io(destination))?;
    let workshop = scratch_directory().map_err(GitError::io(destination.as_path()))?;
    let mut private = PrivateRepository::create(workshop.path().join("repository"), repository)?;
    check_out(
        &mut private,
        revision.tree.as_str(),
        places(repository),
        &destination,
    )
}

fn places(repository: &Repository) -> SubmodulePlaces {
    SubmodulePlaces {
        git_directories: vec![
            repository.git_directory.clone(),
            repository.common_directory.clone(),
        ],
        working_tree: repository.working_tree.clone(),
    }
}

fn exported(
    store: &Path,
    name: String,
    commit: Option<CommitId>,
    tree: TreeId,
    caveats: Vec<ExportCaveat>,
) -> ExportedTree {
    ExportedTree {
        root: store.join(&name).join("root"),
        commit,
        tree,
        caveats,
        name,
    }
}

fn finish_export(
    store: &Path,
    workshop: &Workshop,
    private: &mut PrivateRepository,
    repository: &Repository,
    commit: Option<CommitId>,
    tree: TreeId,
) -> Result<ExportedTree, GitError> {
    let prepared = workshop.path("export");
    let root = prepared.join("root");
    std::fs::create_dir_all(&root).map_err(GitError::io(&root))?;
    let caveats = check_out(private, tree.as_str(), places(repository), &root)?;
    let record = prepared.join("export.json");
    let text = serde_json::to_vec(&caveats).map_err(|error| GitError::Io {
        path: record.clone(),
        source: error.into(),
    })?;
    std::fs::write(&record, &text).map_err(GitError::io(&record))?;
    // What is missing may be fetched later, so an incomplete export never takes the tree's own name.
    let missing: Vec<&ExportCaveat> = caveats
        .iter()
        .filter(|caveat| matches!(caveat, ExportCaveat::SubmoduleMissing { .. }))
        .collect();
    let name = if missing.is_empty() {
        tree.to_string()
    } else {
        format!(
            "{tree}-without-{}",
            &blake3::hash(format!("{missing:?}").as_bytes()).to_hex()[..16]
        )
    };
    let place = store.join(&name);
    if std::fs::rename(&prepared, &place).is_err() && read_export(&place).is_none() {
        // What stands there is no complete export: something else than this module damaged it.
        let _ = std::fs::rename(&place, workshop.path("damaged"));
        std::fs::rename(&prepared, &place).map_err(GitError::io(&place))?;
    }
    Ok(exported(store, name, commit, tree, caveats))
}

/// The caveats of a complete export, or None.
fn read_export(place: &Path) -> Option<Vec<ExportCaveat>> {
    let text = std::fs::read(place.join("export.json")).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The directory of all exports, which only the user may enter.
fn open_store(cache_directory: &Path) -> Result<PathBuf, GitError> {
    let store = cache_directory.join("exports");
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&store)
        .map_err(GitError::io(&store))?;
    std::fs::canonicalize(&store).map_err(GitError::io(&store))
}

/// A temporary directory that is known to be in use while its process lives.
pub(super) struct Workshop {
    directory: tempfile::TempDir,
    _lock: File,
}

const WORKSHOP_PREFIX: &str = "unfinished-";

impl Workshop {
    pub(super) fn open(store: &Path) -> Result<Self, GitError> {
        remove_abandoned_workshops(store);
        let directory = tempfile::Builder::new()
            .prefix(WORKSHOP_PREFIX)
            .tempdir_in(store)
            .map_err(|error| GitError::io(store)(error.kind().into()))?;
        // Locked before it gets its name: a lock that can be seen and taken belongs to nobody alive.
        let (early, lock_path) = (
            directory.path().join("lock-to-be"),
            directory.path().join("lock"),
        );
        let lock = File::create(&early).map_err(GitError::io(&early))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(std::io::Error::from)
            .and_then(|()| std::fs::rename(&early, &lock_path))
            .map_err(GitError::io(&lock_path))?;
        Ok(Self {
            directory,
            _lock: lock,
        })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

/// Removes what killed processes left. Failing to is no error: the next export tries again.
fn remove_abandoned_workshops(store: &Path) {
    let Ok(entries) = std::fs::read_dir(store) else {
        return;
    };
    for entry in entries.flatten() {
        if entry
            .file_name()
            .to_string_lossy()
            .starts_with(WORKSHOP_PREFIX)
            && is_abandoned(&entry.path())
        {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(workshop: &Path) -> bool {
    match File::open(workshop.join("lock")) {
        Ok(lock) => flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok(),
        // Killed, or not yet, between creating the directory and its lock.
        Err(_) => std::fs::metadata(workshop)
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|time| {
                SystemTime::now()
                    .duration_since(time)
                    .is_ok_and(|age| age > Duration::from_secs(3600))
            }),
    }
}
