//! What is known already about this unit, without running clang?
//!
//! Two levels, as in ccache's direct mode:
//!
//! 1. The *manifest*. Its key covers the compiler, all flags, the unit's place in its
//!    tree and the text of the source file. It lists, for each state of the headers
//!    seen so far, every file that was read with the hash of its content, every path
//!    that was searched in vain, and the entry that came out. When all of these still
//!    hold, clang is not run.
//! 2. The *entry*: the decoded unit, named by the hash of the IR text it was read from.
//!    When clang had to run and prints a text that was seen before, nothing is decoded
//!    or stored again. Equal units of two trees, and units whose headers changed in a
//!    comment or in an unused declaration below, share one entry.
//!
//! The second key is the IR text and not the preprocessed text because that could not
//! be right: a comment inside a line moves the columns behind it, which debug info
//! shows and preprocessed text does not. It would not pay either: preprocessing is a
//! third to a half of a compilation, to be paid again by every unit that did change.
//!
//! What makes it safe: keys are BLAKE3 hashes; a file is written under a temporary
//! name and renamed, and carries a checksum and a format version, so a reader sees the
//! whole or nothing, and whatever is damaged is a miss. Two writers of one manifest
//! may lose one alternative, which is a miss later. A unit is remembered only if none
//! of its files changed after clang started ([`files`]). The directory must belong to
//! the user alone. A cache that cannot be read or written costs time, never a result.
//!
//! Cost of a hit: one `stat` for each file (once in a run), one read and one check of
//! the entry.

mod checked_file;
mod eviction;
pub(crate) mod files;
mod key;
pub(crate) mod manifest;

pub use eviction::CacheStatistics;
pub(crate) use key::KeyBuilder;

use checked_file::{read_checked, write_checked};
use knockon_program::Program;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counted up when the files in the cache change their form.
const FORMAT_VERSION: u32 = 7;

/// 5 GiB: some hundred versions of a program of a million lines.
pub const DEFAULT_CACHE_LIMIT: u64 = 5 << 30;

/// The name of a decoded unit: equal for units of equal name and IR, in any tree.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, serde::Deserialize,
)]
pub struct ContentId([u8; 32]);

impl ContentId {
    /// `file` is what the reader calls the unit where the text does not.
    pub(crate) fn of_ir(text: &[u8], file: &str) -> ContentId {
        let mut key = KeyBuilder::new("entry");
        key.field(file.as_bytes());
        key.field(text);
        ContentId(key.finish())
    }
}

/// A cache directory, open for this process.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    limit: u64,
    usable: bool,
    /// The first thing that went wrong.
    problem: OnceLock<String>,
    stored_bytes: AtomicU64,
}

#[derive(Debug, thiserror::Error)]
#[error("{}: the cache cannot be changed: {source}", path.display())]
pub struct CacheError {
    path: PathBuf,
    source: std::io::Error,
}

/// `KNOCKON_CACHE_DIR`, else `$XDG_CACHE_HOME/knockon`, else `~/.cache/knockon`.
pub fn default_cache_directory() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    // The XDG specification says to ignore relative paths.
    let absolute = |name: &str| {
        variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    match variable("KNOCKON_CACHE_DIR") {
        Some(directory) => std::path::absolute(directory).ok(),
        None => absolute("XDG_CACHE_HOME")
            .map(|path| path.join("knockon"))
            .or_else(|| absolute("HOME").map(|path| path.join(".cache/knockon"))),
    }
}

impl Cache {
    /// The cache in [`default_cache_directory`], with the default limit.
    pub fn open_default() -> Cache {
        match default_cache_directory() {
            Some(directory) => Cache::open(&directory, DEFAULT_CACHE_LIMIT),
            None => Cache {
                directory: PathBuf::new(),
                limit: 0,
                usable: false,
                problem: OnceLock::from(
                    "HOME is not set, so there is no place for a cache; name a directory in KNOCKON_CACHE_DIR"
                        .to_owned(),
                ),
                stored_bytes: AtomicU64::new(0),
            },
        }
    }

    /// Opens or makes the directory. Never fails: a cache that cannot be used has a
    /// [`Cache::problem`] and remembers nothing.
    pub fn open(directory: &Path, limit: u64) -> Cache {
        let mut cache = Cache {
            directory: directory.to_owned(),
            limit,
            usable: true,
            problem: OnceLock::new(),
            stored_bytes: AtomicU64::new(0),
        };
        if let Err(problem) = prepare(directory) {
            cache.note(problem);
            cache.usable = false;
        }
        cache
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Why the cache could not be used, wholly or in part.
    pub fn problem(&self) -> Option<&str> {
        self.problem.get().map(String::as_str)
    }

    pub(crate) fn load(&self, id: ContentId) -> Option<Program> {
        let payload = self.read("entries", &id.0)?;
        postcard::from_bytes(payload.bytes()).ok()
    }

    pub(crate) fn store(&self, id: ContentId, program: &Program) {
        match postcard::to_stdvec(program) {
            Ok(payload) => self.write("entries", &id.0, &payload),
            Err(error) => self.note(error.to_string()),
        }
    }

    /// What was remembered of the compiler with this key.
    pub(crate) fn compiler_account<T: DeserializeOwned>(&self, key: &[u8; 32]) -> Option<T> {
        postcard::from_bytes(self.read("compilers", key)?.bytes()).ok()
    }

    pub(crate) fn remember_compiler<T: Serialize>(&self, key: &[u8; 32], account: &T) {
        if let Ok(payload) = postcard::to_stdvec(account) {
            self.write("compilers", key, &payload);
        }
    }

    fn read(&self, table: &str, key: &[u8; 32]) -> Option<checked_file::Payload> {
        self.usable.then(|| read_checked(&self.path(table, key)))?
    }

    fn write(&self, table: &str, key: &[u8; 32], payload: &[u8]) {
        if !self.usable {
            return;
        }
        let temporary = self.directory.join("temporary");
        match write_checked(&temporary, &self.path(table, key), payload) {
            Ok(bytes) => {
                self.stored_bytes.fetch_add(bytes, Ordering::Relaxed);
            }
            Err(error) => self.note(format!("{}: {error}", self.directory.display())),
        }
    }

    /// 256 directories a table, so that none grows large.
    fn path(&self, table: &str, key: &[u8; 32]) -> PathBuf {
        let name = blake3::Hash::from_bytes(*key).to_hex();
        self.directory.join(table).join(&name[..2]).join(&name[2..])
    }

    fn note(&self, problem: String) {
        self.problem.get_or_init(|| problem);
    }
}

/// Makes the directory, and refuses one in which others could plant a result.
fn prepare(directory: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", directory.display());
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
        .map_err(failed)?;
    let metadata = std::fs::metadata(directory).map_err(failed)?;
    if metadata.uid() != rustix::process::geteuid().as_raw() || metadata.mode() & 0o022 != 0 {
        return Err(format!(
            "{}: others can write to this directory; `chmod 700` it or name another in KNOCKON_CACHE_DIR",
            directory.display()
        ));
    }
    Ok(())
}
