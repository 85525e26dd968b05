//! Where are revisions exported and built?
//!
//! Below the cache directory, where the next run finds them; without a cache in a temporary directory
//! that both versions share. What is read of an export (texts for hunks, sources for reports) is read
//! until the end of a request, so the directory belongs to the maker of the options: it is removed
//! when the last clone of them is gone, or when [`TemporaryExports::remove`] is called, as a signal
//! handler does. A process that is killed leaves it to the system's cleaning of temporary files.

use crate::error::{Context as _, Result, refuse};
use knockon_build::cache::default_cache_directory;
use knockon_build::scratch::scratch_directory;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// Where revisions go without a cache: nowhere until one is exported.
#[derive(Clone, Debug, Default)]
pub struct TemporaryExports {
    directory: Arc<Mutex<Option<TempDir>>>,
}

/// The same place.
impl PartialEq for TemporaryExports {
    fn eq(&self, other: &TemporaryExports) -> bool {
        Arc::ptr_eq(&self.directory, &other.directory)
    }
}

impl TemporaryExports {
    /// The directory below which revisions are exported and built.
    pub(crate) fn place(&self, no_cache: bool) -> Result<PathBuf> {
        match no_cache {
            true => self.temporary_place(),
            false => place_in_cache(),
        }
    }

    /// Removes what was exported. Nothing of it is read any more.
    pub fn remove(&self) {
        // What cannot be removed is a temporary file that stays, and no reason to fail.
        if let Some(directory) = self.locked().take() {
            let _ = directory.close();
        }
    }

    fn temporary_place(&self) -> Result<PathBuf> {
        let mut place = self.locked();
        let directory = match place.take() {
            Some(directory) => directory,
            None => scratch_directory().context(
                "cannot export a revision; TMPDIR names another place for temporary files",
            )?,
        };
        Ok(place.insert(directory).path().to_owned())
    }

    fn locked(&self) -> MutexGuard<'_, Option<TempDir>> {
        self.directory
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn place_in_cache() -> Result<PathBuf> {
    let Some(directory) = default_cache_directory() else {
        refuse!(
            "revisions are exported below the cache directory, and there is none; set KNOCKON_CACHE_DIR or HOME, or use --no-cache"
        );
    };
    // Only the user may enter: others could plant a version there.
    let mut builder = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.recursive(true).create(&directory) {
        Ok(()) => Ok(directory),
        Err(error) => refuse!(
            "cannot make the cache directory {} for exported revisions: {error}; name another in KNOCKON_CACHE_DIR, or use --no-cache",
            directory.display()
        ),
    }
}
