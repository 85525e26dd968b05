//! Does a file that steers the build differ between two versions?
//!
//! The compile commands of one version may be reused for the other only when nothing that they
//! were made from differs. Build inputs are recognised by name: the files that CMake, Meson,
//! autotools, make and their like read, the sources of generated sources (`*.y`, `*.l`, `*.in`, …),
//! and what `inputs` in `knockon.toml` adds. A file that steers the build under another name is not
//! recognised; `inputs` is there for it.
//!
//! Cost: one comparison of contents per build input.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[rustfmt::skip]
const NAMES: &[&str] = &[
    "CMakeLists.txt", "CMakePresets.json", "CMakeUserPresets.json", "GNUmakefile", "meson.build",
    "meson_options.txt", "meson.options", "build.ninja", "SConstruct", "SConscript", "wscript", "Kconfig",
    "Kbuild", "Jamfile", "Jamroot", "BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel", "premake5.lua",
    "xmake.lua", "conanfile.txt", "conanfile.py", "vcpkg.json", "knockon.toml", "compile_commands.json",
    "compile_flags.txt", "autogen.sh", "bootstrap", "bootstrap.sh", "buildconf", "build.sh", "config.sub",
    "config.guess", "ltmain.sh", "Configure",
];

/// With or without something after them: `Makefile.unix`, `configure.ac`.
const BEGINNINGS: &[&str] = &["Makefile", "makefile", "configure"];

#[rustfmt::skip]
const EXTENSIONS: &[&str] = &[
    "cmake", "mk", "mak", "make", "am", "ac", "in", "m4", "y", "yy", "ypp", "yxx", "l", "lex", "lpp", "lxx",
    "gperf", "re", "rl", "bzl", "bazel", "gn", "gni", "gyp", "gypi", "pro", "pri", "spec", "def", "idl", "proto",
];

/// How a build input differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    Added,
    Removed,
    Changed,
}

/// A build input that differs between the versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferingInput {
    /// Relative to both roots.
    pub path: PathBuf,
    pub difference: Difference,
}

/// One version as a set of files; `files` are relative to `root`.
#[derive(Debug, Clone, Copy)]
pub struct FileTree<'a> {
    pub root: &'a Path,
    pub files: &'a [PathBuf],
}

/// Whether the file steers the build, by its name or by one of the project's own patterns.
pub fn is_build_input(path: &Path, patterns: &[glob::Pattern]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let begins = |beginning: &&str| {
        name.strip_prefix(*beginning)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
    };
    NAMES.contains(&name.as_ref())
        || BEGINNINGS.iter().any(begins)
        || EXTENSIONS.contains(&extension.as_ref())
        || patterns.iter().any(|pattern| pattern.matches_path(path))
}

/// The build inputs that differ, by path.
pub fn differing_build_inputs(
    old: FileTree,
    new: FileTree,
    patterns: &[glob::Pattern],
) -> std::io::Result<Vec<DifferingInput>> {
    let inputs_of = |tree: FileTree| -> BTreeSet<PathBuf> {
        tree.files
            .iter()
            .filter(|file| is_build_input(file, patterns))
            .cloned()
            .collect()
    };
    let (old_inputs, new_inputs) = (inputs_of(old), inputs_of(new));
    let mut differing = Vec::new();
    for path in old_inputs.union(&new_inputs) {
        let difference = match (old_inputs.contains(path), new_inputs.contains(path)) {
            (true, false) => Difference::Removed,
            (false, true) => Difference::Added,
            _ if same_content(&old.root.join(path), &new.root.join(path))? => continue,
            _ => Difference::Changed,
        };
        differing.push(DifferingInput {
            path: path.clone(),
            difference,
        });
    }
    Ok(differing)
}

/// All files below `root`, relative and sorted. Links are listed and not followed, so the walk
/// stays below `root` and ends; `.git` is left out.
pub fn list_files(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut directories = vec![PathBuf::new()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(root.join(&directory))? {
            let entry = entry?;
            if entry.file_name() == ".git" {
                continue;
            }
            let path = directory.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                directories.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Whether two files, or two links, are the same. Line endings do not count: git may have been told
/// to check out other ones than it exports.
pub(crate) fn same_content(left: &Path, right: &Path) -> std::io::Result<bool> {
    let kinds = (
        std::fs::symlink_metadata(left)?.file_type(),
        std::fs::symlink_metadata(right)?.file_type(),
    );
    match kinds {
        (left_kind, right_kind) if left_kind.is_symlink() && right_kind.is_symlink() => {
            Ok(std::fs::read_link(left)? == std::fs::read_link(right)?)
        }
        (left_kind, right_kind) if left_kind.is_file() && right_kind.is_file() => {
            let (left, right) = (std::fs::read(left)?, std::fs::read(right)?);
            Ok(left == right || plain_lines(left) == plain_lines(right))
        }
        _ => Ok(false),
    }
}

/// The content with the line endings of Unix.
fn plain_lines(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut previous = 0;
    bytes.reverse();
    bytes.retain(|&byte| {
        let before_line_end = byte == b'\r' && previous == b'\n';
        previous = byte;
        !before_line_end
    });
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_steer_builds_are_build_inputs() {
        for name in [
            "CMakeLists.txt",
            "cmake/FindX.cmake",
            "Makefile",
            "src/Makefile.am",
            "makefile.unix",
            "configure",
            "configure.ac",
            "config.h.in",
            "m4/x.m4",
            "parse.y",
            "scan.l",
            "meson.build",
            "knockon.toml",
        ] {
            assert!(is_build_input(Path::new(name), &[]), "{name}");
        }
        for name in [
            "main.c",
            "configurator.c",
            "Makefiles.c",
            "README.md",
            "include/a.h",
        ] {
            assert!(!is_build_input(Path::new(name), &[]), "{name}");
        }
        let patterns = [glob::Pattern::new("tools/**").expect("a pattern")];
        assert!(is_build_input(Path::new("tools/generate.py"), &patterns));
    }

    #[test]
    fn added_removed_and_changed_inputs_are_told_apart_and_others_ignored() {
        let (old, new) = (
            tempfile::tempdir().expect("old"),
            tempfile::tempdir().expect("new"),
        );
        let write = |root: &Path, name: &str, text: &str| {
            std::fs::write(root.join(name), text).expect(name)
        };
        write(old.path(), "Makefile", "all:\n");
        write(new.path(), "Makefile", "all: x\n");
        write(old.path(), "gone.mk", "");
        write(new.path(), "come.mk", "");
        write(old.path(), "same.in", "x\n");
        write(new.path(), "same.in", "x\r\n");
        write(old.path(), "main.c", "int a;");
        write(new.path(), "main.c", "int b;");
        let (old_files, new_files) = (
            list_files(old.path()).expect("list"),
            list_files(new.path()).expect("list"),
        );
        let found = differing_build_inputs(
            FileTree {
                root: old.path(),
                files: &old_files,
            },
            FileTree {
                root: new.path(),
                files: &new_files,
            },
            &[],
        )
        .expect("readable");
        let shown: Vec<(&str, Difference)> = found
            .iter()
            .map(|input| (input.path.to_str().expect("text"), input.difference))
            .collect();
        assert_eq!(
            shown,
            [
                ("Makefile", Difference::Changed),
                ("come.mk", Difference::Added),
                ("gone.mk", Difference::Removed)
            ]
        );
    }

    #[test]
    fn listing_does_not_follow_links() {
        let root = tempfile::tempdir().expect("root");
        std::os::unix::fs::symlink(".", root.path().join("again")).expect("link");
        std::fs::write(root.path().join("a.c"), "").expect("a.c");
        assert_eq!(
            list_files(root.path()).expect("list"),
            [PathBuf::from("a.c"), PathBuf::from("again")]
        );
    }
}
