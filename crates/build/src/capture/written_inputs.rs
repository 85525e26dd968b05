//! **Question.** Which files that look like inputs of the build did the build itself write?
//!
//! `configure` writes `Makefile`, `po/Makefile.in` and links like `GNUmakefile` into the tree. Such a
//! file is made from other inputs, so a revision that lacks it has the same build all the same.
//!
//! **Rules.** The name is that of a build input ([`is_build_input`]), the file is there at the end, and
//! the first access to it wrote it from its beginning. A file that was read or appended to before may
//! hold what somebody else wrote.
//!
//! **Soundness.** A program that is not seen only makes the list shorter.
//!
//! **Cost.** Linear in the records.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::record_log::{Access, FileRecord};
use crate::build_inputs::is_build_input;

/// Absolute, sorted. `files` are in the order in which they were recorded.
pub fn written_build_inputs(files: &[FileRecord]) -> Vec<PathBuf> {
    let mut is_written: BTreeMap<&Path, bool> = BTreeMap::new();
    for file in files {
        match &file.access {
            Access::Read | Access::ReadAndWrite | Access::Append => {
                is_written.entry(&file.path).or_insert(false);
            }
            Access::Write => {
                is_written.entry(&file.path).or_insert(true);
            }
            // What was there under the target's name is gone, or the link had failed.
            Access::MoveTo(target) => {
                let moved = is_written.get(file.path.as_path()).copied();
                is_written.insert(target, moved.unwrap_or(false));
            }
            Access::Missing => {}
        }
    }
    let written: BTreeSet<&Path> = is_written
        .into_iter()
        .filter(|(path, is_written)| {
            *is_written && is_build_input(path, &[]) && path.symlink_metadata().is_ok()
        })
        .map(|(path, _)| path)
        .collect();
    written.into_iter().map(Path::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_input_counts_as_written_if_nothing_was_in_it_before() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name: &str| directory.path().join(name);
        for name in [
            "Makefile",
            "old.mk",
            "moved.mk",
            "log.mk",
            "main.c",
            "GNUmakefile",
        ] {
            std::fs::write(path(name), "").expect(name);
        }
        let access = |access: Access, name: &str| FileRecord {
            token: Vec::new(),
            position: 0,
            access,
            path: path(name),
        };
        let files = [
            access(Access::Missing, "Makefile"),
            access(Access::Write, "Makefile"),
            access(Access::Read, "Makefile"),
            access(Access::Read, "old.mk"),
            access(Access::Write, "old.mk"),
            access(Access::Write, "conf/out"),
            access(Access::MoveTo(path("moved.mk")), "conf/out"),
            access(Access::MoveTo(path("GNUmakefile")), "found-outside"),
            access(Access::Append, "log.mk"),
            access(Access::Write, "main.c"),
            access(Access::Write, "gone.mk"),
        ];
        assert_eq!(
            written_build_inputs(&files),
            [path("Makefile"), path("moved.mk")]
        );
    }
}
