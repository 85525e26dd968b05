//! **Question.** Which file does a path in a recorded command mean?
//!
//! Two spellings of one file must become one path, or an object is not found again where it is
//! linked. The directory part is resolved by the file system, symbolic links included, as it is
//! after the build; the last part stays as it is, because a link that stands for a source has its
//! own place for `#include "…"`. Where the directory is gone the path is resolved by its text.

use std::path::{Component, Path, PathBuf};

use rustc_hash::FxHashMap;

/// Resolves paths, remembering the directories it has asked for.
#[derive(Default)]
pub struct Places {
    directories: FxHashMap<PathBuf, PathBuf>,
}

impl Places {
    pub fn resolve(&mut self, directory: &Path, path: &str) -> PathBuf {
        let joined = directory.join(path);
        // A path that ends in `..` or `/` names a directory.
        let (Some(parent), Some(name)) = (joined.parent(), joined.file_name()) else {
            return normalised(&joined);
        };
        if let Some(known) = self.directories.get(parent) {
            return known.join(name);
        }
        let resolved = parent.canonicalize().unwrap_or_else(|_| normalised(parent));
        let place = resolved.join(name);
        self.directories.insert(parent.to_owned(), resolved);
        place
    }
}

/// The path without `.` and `..`, by its text alone.
pub fn normalised(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_file_become_one_path() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/inner")).unwrap();
        std::os::unix::fs::symlink(root.join("real/inner"), root.join("link")).unwrap();
        let mut places = Places::default();
        for spelling in ["real/a.o", "./real/../real/a.o", "link/../a.o", "real//a.o"] {
            assert_eq!(
                places.resolve(&root, spelling),
                root.join("real/a.o"),
                "{spelling}"
            );
        }
        assert_eq!(
            places.resolve(&root, "gone/../gone/x/../a.o"),
            root.join("gone/a.o")
        );
    }
}
