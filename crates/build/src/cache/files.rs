//! What is in this file, and was that so when the compiler read it?
//!
//! In one run every file is looked at once: its hash is remembered together with what
//! the file system said of it. That makes a run see one state of the tree, and makes
//! the thousandth unit that includes `stdio.h` cost a look-up in a table.
//!
//! To remember a compilation is to say that the hashes are of what clang read. The
//! kernel's own time of change is the witness: a file whose `ctime` is before the
//! moment clang started has not changed since. The moment is taken from the coarse
//! clock that file systems use, so "before" is exact on a local disk; a file that
//! changed in the same tick counts as changed. On a network disk whose clock is behind
//! by more than a compilation takes, a change during the compilation can go unseen.

use crate::searched_paths::{Inclusion, Unknowable, inclusions};
use rustc_hash::FxHashMap;
use rustix::time::{ClockId, clock_gettime};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

pub(crate) type FileHash = [u8; 32];
type Inclusions = Arc<Result<Vec<Inclusion>, Unknowable>>;

/// A moment on the clock of the file system: seconds and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(i64, i64);

impl Moment {
    fn on(clock: ClockId) -> Moment {
        let time = clock_gettime(clock);
        Moment(time.tv_sec, time.tv_nsec)
    }

    /// What a file that changes now would get, or earlier.
    fn now() -> Moment {
        Moment::on(ClockId::RealtimeCoarse)
    }
}

/// What the file system says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Facts {
    device: u64,
    inode: u64,
    size: u64,
    modified: Moment,
    changed: Moment,
}

impl Facts {
    fn of(metadata: &std::fs::Metadata) -> Facts {
        Facts {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: Moment(metadata.mtime(), metadata.mtime_nsec()),
            changed: Moment(metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

#[derive(Clone)]
struct Known {
    facts: Facts,
    /// The file had settled when it was read, so equal facts mean equal content.
    settled: bool,
    hash: FileHash,
    /// Found when first asked for.
    inclusions: Option<Inclusions>,
}

/// The files of one run.
pub(crate) struct Files {
    /// Later than every change before the run.
    run_began: Moment,
    known: RwLock<FxHashMap<PathBuf, Option<Known>>>,
    present: RwLock<FxHashMap<PathBuf, bool>>,
}

impl Files {
    pub(crate) fn new() -> Files {
        Files {
            run_began: Moment::on(ClockId::Realtime),
            known: RwLock::default(),
            present: RwLock::default(),
        }
    }

    /// The moment at which a compilation starts. A file written in this very tick of
    /// the clock could not be told from one that changes later in it, so the tick in
    /// which the run began is waited out; that takes the run some milliseconds once.
    pub(crate) fn start_of_compilation(&self) -> Moment {
        let mut now = Moment::now();
        // The bound is for a clock that was set back.
        for _ in 0..20 {
            if self.run_began < now {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
            now = Moment::now();
        }
        now
    }

    /// The content's hash; `None` for what cannot be read as a file.
    pub(crate) fn hash(&self, path: &Path) -> Option<FileHash> {
        if let Some(known) = self.looked_up(path) {
            return known.map(|known| known.hash);
        }
        let known = read(path, false);
        let hash = known.as_ref().map(|known| known.hash);
        self.remember(path, known);
        hash
    }

    pub(crate) fn exists(&self, path: &Path) -> bool {
        let present = self.present.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = present.get(path) {
            return *known;
        }
        drop(present);
        let exists = path.symlink_metadata().is_ok();
        self.present
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(path.to_owned(), exists);
        exists
    }

    /// The hash and the header names of a file that has not changed since before
    /// `start`; `None` if it may have.
    pub(crate) fn unchanged_since(
        &self,
        path: &Path,
        start: Moment,
    ) -> Option<(FileHash, Inclusions)> {
        let facts = Facts::of(&std::fs::metadata(path).ok()?);
        if facts.changed >= start {
            return None;
        }
        if let Some(Some(known)) = self.looked_up(path)
            && known.settled
            && known.facts == facts
            && let Some(inclusions) = known.inclusions
        {
            return Some((known.hash, inclusions));
        }
        let known = read(path, true)?;
        let answer = (known.facts.changed < start)
            .then(|| known.inclusions.clone().map(|found| (known.hash, found)))?;
        self.remember(path, Some(known));
        answer
    }

    fn looked_up(&self, path: &Path) -> Option<Option<Known>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(path).cloned()
    }

    fn remember(&self, path: &Path, known: Option<Known>) {
        let mut table = self.known.write().unwrap_or_else(PoisonError::into_inner);
        table.insert(path.to_owned(), known);
    }
}

fn read(path: &Path, with_inclusions: bool) -> Option<Known> {
    let before = Moment::now();
    let mut file = File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    // A pipe or a device could block or never end.
    if !metadata.is_file() {
        return None;
    }
    let mut content = Vec::with_capacity(metadata.len() as usize + 1);
    file.read_to_end(&mut content).ok()?;
    let facts = Facts::of(&metadata);
    Some(Known {
        facts,
        settled: facts.changed < before,
        hash: *blake3::hash(&content).as_bytes(),
        inclusions: with_inclusions.then(|| Arc::new(inclusions(&content))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_changed_after_the_start_is_not_vouched_for() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.c");
        std::fs::write(&path, "#include <x.h>\n").unwrap();
        let files = Files::new();
        let start = files.start_of_compilation();
        let (hash, names) = files.unchanged_since(&path, start).unwrap();
        assert_eq!(hash, *blake3::hash(b"#include <x.h>\n").as_bytes());
        assert_eq!(names.as_ref().as_ref().unwrap().len(), 1);
        std::fs::write(&path, "#include <y.h>\n").unwrap();
        assert!(files.unchanged_since(&path, start).is_none());
    }

    #[test]
    fn change_before_the_start_is_seen_although_the_run_knew_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.c");
        std::fs::write(&path, "old").unwrap();
        let files = Files::new();
        assert_eq!(files.hash(&path).unwrap(), *blake3::hash(b"old").as_bytes());
        std::fs::write(&path, "new").unwrap();
        std::thread::sleep(Duration::from_millis(20));
        let start = files.start_of_compilation();
        let (hash, _) = files.unchanged_since(&path, start).unwrap();
        assert_eq!(hash, *blake3::hash(b"new").as_bytes());
    }

    #[test]
    fn what_is_no_file_has_no_hash() {
        let files = Files::new();
        assert!(files.hash(Path::new("/dev/zero")).is_none());
        assert!(files.hash(Path::new("/")).is_none());
        assert!(files.hash(Path::new("/no/such/file")).is_none());
    }
}
