//! Where are revisions exported and built?
//!
//! Below the cache directory, where the next run finds them; with `--no-cache` in a temporary
//! directory that both versions share and that is removed when the command ends, by whatever way.
//! What is read of an export (texts for hunks, sources for reports) is read until the end of the
//! command, and a second Ctrl-C ends the process in the handler's thread: so the directory belongs
//! to the process and not to what was read. A process that is killed leaves it to the system's
//! cleaning of temporary files.

use anyhow::{Context as _, Result, bail};
use knockon_build::cache::default_cache_directory;
use knockon_build::scratch::scratch_directory;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

static TEMPORARY: Mutex<Option<TempDir>> = Mutex::new(None);

fn temporary() -> MutexGuard<'static, Option<TempDir>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The directory below which revisions are exported and built.
pub fn export_place(no_cache: bool) -> Result<PathBuf> {
    if no_cache {
        return temporary_place();
    }
    let Some(directory) = default_cache_directory() else {
        bail!(
            "revisions are exported below the cache directory, and there is none; set KNOCKON_CACHE_DIR or HOME, or use --no-cache"
        );
    };
    // Only the user may enter: others could plant a version there.
    let mut builder = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.recursive(true).create(&directory) {
        Ok(()) => Ok(directory),
        Err(error) => bail!(
            "cannot make the cache directory {} for exported revisions: {error}; name another in KNOCKON_CACHE_DIR, or use --no-cache",
            directory.display()
        ),
    }
}

fn temporary_place() -> Result<PathBuf> {
    let mut place = temporary();
    let directory = match place.take() {
        Some(directory) => directory,
        None => scratch_directory()
            .context("cannot export a revision; TMPDIR names another place for temporary files")?,
    };
    Ok(place.insert(directory).path().to_owned())
}

/// Removes what `--no-cache` exported. Nothing of it is read any more.
pub fn remove_temporary_exports() {
    // What cannot be removed is a temporary file that stays, and no reason to fail.
    if let Some(directory) = temporary().take() {
        let _ = directory.close();
    }
}
