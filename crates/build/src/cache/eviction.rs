//! How large is the cache, and what goes when it is too large?
//!
//! A file's time of modification is when it was last used, to the hour; the files
//! longest unused go first, down to four fifths of the limit. The size is estimated
//! between full counts: each run adds what it stored to a number in the file `usage`.
//! Two runs that end at once may lose one addition, so the files are counted anew
//! when the number is a day old, and whenever it says that the limit is reached.

use super::{Cache, CacheError};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

/// Each has its files in shards. `proofs` is written by whoever proves.
const TABLES: [&str; 4] = ["compilers", "entries", "manifests", "proofs"];
/// What else is kept in the directory: files being written, exported revisions, compiled runtimes.
const BESIDE: [&str; 3] = ["temporary", "exports", "replay"];
/// In seconds.
const COUNTED_ANEW_AFTER: u64 = 24 * 3600;
/// No writer takes this long, so an older temporary file was left by a killed one.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheStatistics {
    /// Decoded units.
    pub entries: u64,
    pub entry_bytes: u64,
    /// Units with their flags, for which entries are known.
    pub manifests: u64,
    pub manifest_bytes: u64,
    pub total_bytes: u64,
    /// In bytes.
    pub limit: u64,
}

/// The content of the file `usage`.
struct Usage {
    bytes: u64,
    /// When the files were counted, in seconds since 1970.
    counted_at: u64,
}

impl Usage {
    fn parse(text: &str) -> Option<Usage> {
        let (bytes, counted_at) = text.trim().split_once(' ')?;
        Some(Usage {
            bytes: bytes.parse().ok()?,
            counted_at: counted_at.parse().ok()?,
        })
    }
}

struct Stored {
    used: SystemTime,
    size: u64,
    path: PathBuf,
}

impl Cache {
    pub fn statistics(&self) -> CacheStatistics {
        let mut statistics = CacheStatistics {
            limit: self.limit,
            ..CacheStatistics::default()
        };
        for table in TABLES {
            for file in self.files_of(table) {
                statistics.total_bytes += file.size;
                match table {
                    "entries" => {
                        statistics.entries += 1;
                        statistics.entry_bytes += file.size;
                    }
                    "manifests" => {
                        statistics.manifests += 1;
                        statistics.manifest_bytes += file.size;
                    }
                    _ => {}
                }
            }
        }
        statistics
    }

    /// Removes everything that the cache wrote, and nothing else.
    pub fn clear(&self) -> Result<(), CacheError> {
        let usage = self.directory.join("usage");
        let removals = TABLES
            .iter()
            .copied()
            .chain(BESIDE)
            .map(|table| self.directory.join(table))
            .map(|path| (std::fs::remove_dir_all(&path), path))
            .chain([(std::fs::remove_file(&usage), usage)]);
        for (result, path) in removals {
            match result {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(CacheError { path, source });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Accounts for what this run stored, and evicts if that was too much.
    pub(crate) fn finish_run(&self) {
        let stored = self.stored_bytes.swap(0, Ordering::Relaxed);
        if stored == 0 {
            return;
        }
        let path = self.directory.join("usage");
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs();
        let estimate = std::fs::read_to_string(&path)
            .ok()
            .and_then(|text| Usage::parse(&text))
            .filter(|usage| now.abs_diff(usage.counted_at) < COUNTED_ANEW_AFTER)
            .map(|usage| Usage {
                bytes: usage.bytes.saturating_add(stored),
                ..usage
            })
            .filter(|usage| usage.bytes <= self.limit);
        let usage = estimate.unwrap_or_else(|| Usage {
            bytes: self.evict(),
            counted_at: now,
        });
        if let Err(error) = std::fs::write(&path, format!("{} {}\n", usage.bytes, usage.counted_at))
        {
            self.note(format!("{}: {error}", path.display()));
        }
    }

    /// Removes abandoned files and, if the limit is passed, those longest unused.
    /// Returns the size of what is left.
    fn evict(&self) -> u64 {
        for file in files_in(&self.directory.join("temporary")) {
            if file.used.elapsed().is_ok_and(|age| age > ABANDONED_AFTER) {
                std::fs::remove_file(&file.path).ok();
            }
        }
        let mut files: Vec<Stored> = TABLES
            .iter()
            .flat_map(|table| self.files_of(table))
            .collect();
        let mut total: u64 = files.iter().map(|file| file.size).sum();
        if total > self.limit {
            files.sort_by(|left, right| (left.used, &left.path).cmp(&(right.used, &right.path)));
            for file in files {
                if total <= self.limit / 5 * 4 {
                    break;
                }
                // Gone already when another process evicts too.
                std::fs::remove_file(&file.path).ok();
                total -= file.size;
            }
        }
        total
    }

    fn files_of(&self, table: &str) -> Vec<Stored> {
        std::fs::read_dir(self.directory.join(table))
            .into_iter()
            .flatten()
            .flatten()
            .flat_map(|shard| files_in(&shard.path()))
            .collect()
    }
}

fn files_in(directory: &Path) -> Vec<Stored> {
    std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let metadata = entry.metadata().ok()?;
            Some(Stored {
                used: metadata.modified().ok()?,
                size: metadata.len(),
                path: entry.path(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cache: &Cache, number: u8, age: Duration) {
        let key = [number; 32];
        cache.write("entries", &key, &[0; 1000]);
        let file = std::fs::File::options()
            .write(true)
            .open(cache.path("entries", &key))
            .unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }

    #[test]
    fn longest_unused_go_first_down_to_four_fifths() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::open(directory.path(), 10_000);
        for number in 0..10 {
            written(
                &cache,
                number,
                Duration::from_secs(3000 + u64::from(number)),
            );
        }
        cache.finish_run();
        let kept: Vec<bool> = (0..10)
            .map(|number| cache.read("entries", &[number; 32]).is_some())
            .collect();
        assert_eq!(
            kept,
            [
                true, true, true, true, true, true, true, false, false, false
            ]
        );
        assert!(cache.statistics().total_bytes <= 8_000);
    }

    #[test]
    fn hit_makes_an_old_file_young() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::open(directory.path(), 2_500);
        written(&cache, 1, Duration::from_secs(90_000));
        written(&cache, 2, Duration::from_secs(80_000));
        written(&cache, 3, Duration::from_secs(70_000));
        assert!(cache.read("entries", &[1; 32]).is_some());
        cache.finish_run();
        assert!(cache.read("entries", &[1; 32]).is_some());
        assert!(cache.read("entries", &[2; 32]).is_none());
    }

    #[test]
    fn clearing_leaves_what_others_put_there() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::open(directory.path(), 1 << 20);
        written(&cache, 1, Duration::ZERO);
        cache.finish_run();
        let before = cache.statistics().total_bytes;
        let proofs = directory.path().join("proofs/ab");
        std::fs::create_dir_all(&proofs).unwrap();
        std::fs::write(proofs.join("abcd.query"), "proved").unwrap();
        assert_eq!(cache.statistics().total_bytes, before + 6);
        std::fs::create_dir_all(directory.path().join("exports/tree")).unwrap();
        std::fs::write(directory.path().join("note"), "mine").unwrap();
        cache.clear().unwrap();
        assert_eq!(cache.statistics().total_bytes, 0);
        let left: Vec<_> = std::fs::read_dir(directory.path()).unwrap().collect();
        assert_eq!(left.len(), 1);
    }

    #[test]
    fn killed_writers_leftovers_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::open(directory.path(), 1 << 20);
        written(&cache, 1, Duration::ZERO);
        let left = directory.path().join("temporary/left");
        let file = std::fs::File::create(&left).unwrap();
        file.set_modified(SystemTime::now() - ABANDONED_AFTER * 2)
            .unwrap();
        cache.finish_run();
        assert!(!left.exists());
    }
}
