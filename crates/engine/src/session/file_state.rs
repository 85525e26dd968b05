//! Is a file still what it was?
//!
//! **Rules.** Size, times and number of a file tell at a glance that nothing happened to it. Where one
//! of them is another, and where the file had been written shortly before it was looked at (two writes
//! may fall into one tick of a clock), its content decides. Files that are too large to be read each
//! time are judged by the glance alone.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A file that was written so shortly before may be written again without a trace in its times.
const TICK: Duration = Duration::from_secs(2);
/// The content of larger files is not read.
const MAX_HASHED: u64 = 16 << 20;

/// What a glance tells; a link is looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    size: u64,
    written: (i64, i64),
    changed: (i64, i64),
    number: (u64, u64),
    is_file: bool,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        Stamp {
            size: metadata.len(),
            written: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            number: (metadata.dev(), metadata.ino()),
            is_file: metadata.is_file(),
        }
    }

    fn is_younger_than(&self, time: SystemTime) -> bool {
        let since = time.duration_since(SystemTime::UNIX_EPOCH);
        let seconds = since.map_or(0, |since| since.as_secs() as i64);
        self.written.0.max(self.changed.0) >= seconds
    }
}

/// A file as it was when it was looked at.
#[derive(Clone, Debug)]
pub struct FileState {
    /// `None` where there was no file.
    stamp: Option<Stamp>,
    /// `None` where it was not read.
    content: Option<blake3::Hash>,
    looked: SystemTime,
}

impl FileState {
    pub fn of(path: &Path) -> FileState {
        let looked = SystemTime::now();
        let stamp = glance(path);
        FileState {
            stamp,
            content: stamp.and_then(|stamp| content(path, stamp)),
            looked,
        }
    }

    /// Whether it is the same now; what was learned by reading it is kept.
    pub fn is_still(&mut self, path: &Path) -> bool {
        let looked = SystemTime::now();
        let now = glance(path);
        if now == self.stamp && !self.was_young() {
            return true;
        }
        let (Some(stamp), Some(_)) = (now, self.stamp) else {
            return now == self.stamp;
        };
        let content = content(path, stamp);
        if content.is_none() || content != self.content {
            return false;
        }
        (self.stamp, self.looked) = (now, looked);
        true
    }

    /// It may have been written after this time.
    pub fn is_younger_than(&self, time: SystemTime) -> bool {
        let before = time.checked_sub(TICK).unwrap_or(time);
        self.stamp
            .is_some_and(|stamp| stamp.is_younger_than(before))
    }

    /// For the name of a state.
    pub fn content(&self) -> Option<&blake3::Hash> {
        self.content.as_ref()
    }

    fn was_young(&self) -> bool {
        self.is_younger_than(self.looked)
    }
}

fn glance(path: &Path) -> Option<Stamp> {
    std::fs::metadata(path).ok().as_ref().map(Stamp::of)
}

fn content(path: &Path, stamp: Stamp) -> Option<blake3::Hash> {
    if !stamp.is_file || stamp.size > MAX_HASHED {
        return None;
    }
    std::fs::read(path).ok().as_deref().map(blake3::hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_same_when_its_content_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.c");
        let mut absent = FileState::of(&path);
        assert!(absent.is_still(&path));
        std::fs::write(&path, "one").unwrap();
        assert!(!absent.is_still(&path));
        let mut state = FileState::of(&path);
        assert!(state.is_still(&path));
        // Written again, with the same content and then with another one of the same size.
        std::fs::write(&path, "one").unwrap();
        assert!(state.is_still(&path));
        std::fs::write(&path, "two").unwrap();
        assert!(!state.is_still(&path));
    }

    #[test]
    fn an_old_time_on_a_new_content_hides_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.c");
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let write = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(long_ago).unwrap();
        };
        write("one");
        let mut state = FileState::of(&path);
        write("two");
        assert!(!state.is_still(&path));
    }
}
