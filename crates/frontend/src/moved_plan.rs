//! **Question.** How would another tree be compiled with this tree's commands?
//!
//! **Source.** DESIGN §2, way (2): the working tree's compile commands, rewritten to
//! the exported root. A path below the old root becomes the same path below the new
//! one. What the exported tree does not have, a build has generated: such a source
//! is taken from where the build left it, and each directory that is searched for
//! headers is followed by the original one, before those that come next: a generated
//! header may stand in for the system's (gnulib's `lib/fcntl.h` does). Both are a
//! caveat, since a fresh build of the exported tree might generate something else.
//! What a link takes in beside units moves likewise (`link_interface/moved.rs`).

use crate::build_plan::BuildPlan;
use crate::git;
use crate::link_interface::moved_link;
use crate::unit::{UnitCommand, normalised};
use knockon_program::{Caveat, CaveatKind, Name, PlaceId};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Flags whose value is a path, joined or as the next word.
const PATH_FLAGS: [&str; 9] = [
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "--sysroot=",
    "-Wa,-I",
    "-I",
];
const FILE_FLAGS: [&str; 2] = ["-include", "-imacros"];
/// Flags that add a directory to the search for headers.
const SEARCH_FLAGS: [&str; 4] = ["-isystem", "-iquote", "-idirafter", "-I"];

/// The same units, of the tree at `to` instead of `from`.
pub fn moved_plan(plan: &BuildPlan, from: &Path, to: &Path) -> BuildPlan {
    let mut moved = plan.clone();
    moved.configuration = format!("{}, moved to the revision", plan.configuration);
    let mut generated: Vec<PathBuf> = Vec::new();
    let mut headers = Generated::default();
    for unit in &mut moved.units {
        move_unit(unit, from, to, &mut headers, &mut generated);
    }
    let repository: OnceCell<Option<git::Repository>> = OnceCell::new();
    let is_tracked = |path: &Path| {
        repository
            .get_or_init(|| git::discover(from).ok())
            .as_ref()
            .is_some_and(|repository| git::is_tracked(repository, path).unwrap_or(false))
    };
    // A record names its files by their real paths.
    let real = from.canonicalize().unwrap_or_else(|_| from.to_owned());
    for program in moved.executables.iter_mut().chain(&mut moved.plug_ins) {
        if let Some(link) = &mut program.link {
            moved_link(link, &real, to, &is_tracked, &mut generated);
        }
    }
    generated.sort();
    generated.dedup();
    moved.caveats.extend(generated.iter().map(|path| {
        let path = path.strip_prefix(from).unwrap_or(path);
        Caveat {
            kind: CaveatKind::GeneratedFile,
            function: Name(0),
            place: PlaceId(0),
            message: format!(
                "{} is not in the revision; what the working tree's build left there is used",
                if path.as_os_str().is_empty() {
                    Path::new(".")
                } else {
                    path
                }
                .display()
            ),
        }
    }));
    moved
}

fn move_unit(
    unit: &mut UnitCommand,
    from: &Path,
    to: &Path,
    headers: &mut Generated,
    generated: &mut Vec<PathBuf>,
) {
    let directory = unit.directory.clone();
    let counterpart = |path: &Path| -> Option<PathBuf> {
        let absolute = normalised(&directory.join(path));
        Some(to.join(absolute.strip_prefix(from).ok()?))
    };

    let mut flags = Vec::with_capacity(unit.flags.len());
    let mut words = unit.flags.iter();
    while let Some(word) = words.next() {
        let Some(name) = PATH_FLAGS.iter().find(|name| word.starts_with(**name)) else {
            flags.push(word.clone());
            continue;
        };
        let separate = word.len() == name.len();
        let value = match separate {
            true => words.next().map_or("", String::as_str),
            false => &word[name.len()..],
        };
        let original = normalised(&directory.join(value));
        let is_file = FILE_FLAGS.contains(name);
        let mut is_followed = false;
        let target = match counterpart(Path::new(value)) {
            None => original.clone(),
            Some(target) if is_file && !target.exists() => {
                generated.push(original.clone());
                original.clone()
            }
            Some(target) => {
                is_followed =
                    SEARCH_FLAGS.contains(name) && headers.has_more_than(&original, &target);
                if is_followed {
                    generated.push(original.clone());
                }
                target
            }
        };
        for directory in [Some(target), is_followed.then_some(original)]
            .into_iter()
            .flatten()
        {
            let directory = directory.to_string_lossy();
            if separate {
                flags.push((*name).to_owned());
                flags.push(directory.into_owned());
            } else {
                flags.push(format!("{name}{directory}"));
            }
        }
    }
    // `#include "x.h"` looks beside the including file first.
    let source = normalised(&directory.join(&unit.file));
    if let Some(target) = counterpart(&unit.file) {
        if target.exists() {
            unit.file = target;
            if let (Some(beside), Some(target)) = (source.parent(), unit.file.parent())
                && headers.has_more_than(beside, target)
            {
                let beside_flag = ["-iquote".to_owned(), beside.to_string_lossy().into_owned()];
                flags.splice(0..0, beside_flag);
                generated.push(beside.to_owned());
            }
        } else {
            generated.push(source.clone());
            unit.file = source;
        }
    } else {
        unit.file = source;
    }
    unit.flags = flags;
    unit.root = to.to_owned();
    // All paths are absolute by now, so the directory only has to exist.
    unit.directory = match counterpart(Path::new("")) {
        Some(target) if target.is_dir() => target,
        Some(_) => to.to_owned(),
        None => directory.clone(),
    };
}

/// Directories that were looked through for headers that the exported tree lacks.
#[derive(Default)]
struct Generated {
    known: BTreeMap<PathBuf, bool>,
}

impl Generated {
    /// The original directory, or one below it, holds a header that the exported one lacks.
    fn has_more_than(&mut self, original: &Path, exported: &Path) -> bool {
        if let Some(has_more) = self.known.get(original) {
            return *has_more;
        }
        let has_more = has_more_than(original, exported);
        self.known.insert(original.to_owned(), has_more);
        has_more
    }
}

fn has_more_than(original: &Path, exported: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(original) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            // What tools keep for themselves is not included.
            return !name.to_string_lossy().starts_with('.')
                && has_more_than(&entry.path(), &exported.join(&name));
        }
        let is_header = Path::new(&name).extension().is_some_and(|extension| {
            ["h", "hh", "hpp", "hxx", "inc", "def"]
                .iter()
                .any(|known| extension == *known)
        });
        is_header && !exported.join(&name).exists()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        for file in files {
            let path = tree.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        tree
    }

    fn plan(root: &Path, flags: &[&str], file: &str) -> BuildPlan {
        let mut unit = UnitCommand::bare(root, Path::new(file));
        unit.flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        BuildPlan {
            units: vec![unit],
            ..BuildPlan::default()
        }
    }

    #[test]
    fn paths_below_the_root_move_and_others_stay() {
        let old = tree(&["src/a.c", "include/a.h"]);
        let new = tree(&["src/a.c", "include/a.h"]);
        let plan = plan(
            old.path(),
            &["-Iinclude", "-I", "/usr/include", "-DX=1"],
            "src/a.c",
        );
        let moved = moved_plan(&plan, old.path(), new.path());
        let unit = &moved.units[0];
        assert_eq!(unit.source_path(), new.path().join("src/a.c"));
        assert_eq!(unit.root, new.path());
        let include = format!("-I{}/include", new.path().display());
        assert_eq!(
            unit.flags,
            [include.as_str(), "-I", "/usr/include", "-DX=1"]
        );
        assert!(moved.caveats.is_empty());
    }

    #[test]
    fn a_header_generated_below_a_searched_directory_is_found() {
        let old = tree(&["src/a.c", "src/version.h"]);
        let new = tree(&["src/a.c"]);
        let plan = plan(old.path(), &["-I."], "src/a.c");
        let moved = moved_plan(&plan, old.path(), new.path());
        let original = format!("-I{}", old.path().display());
        assert!(moved.units[0].flags.contains(&original));
    }

    #[test]
    fn a_header_generated_beside_a_source_is_found_before_all_others() {
        let old = tree(&["src/a.c", "src/term.h"]);
        let new = tree(&["src/a.c"]);
        let plan = plan(old.path(), &["-Iinclude"], "src/a.c");
        let moved = moved_plan(&plan, old.path(), new.path());
        let flags = &moved.units[0].flags;
        assert_eq!(flags[0], "-iquote");
        assert_eq!(Path::new(&flags[1]), old.path().join("src"));
    }

    #[test]
    fn generated_headers_and_sources_come_from_the_build_with_a_caveat() {
        let old = tree(&["src/a.c", "include/config.h", "parser.c"]);
        let new = tree(&["src/a.c"]);
        let moved = moved_plan(
            &plan(old.path(), &["-Iinclude", "-DX=1"], "src/a.c"),
            old.path(),
            new.path(),
        );
        let flags = &moved.units[0].flags;
        assert_eq!(
            flags,
            &[
                format!("-I{}/include", new.path().display()),
                format!("-I{}/include", old.path().display()),
                "-DX=1".to_owned()
            ],
            "before what follows, so that it may stand in for a header of the system"
        );
        assert_eq!(moved.caveats[0].kind, CaveatKind::GeneratedFile);

        let moved = moved_plan(&plan(old.path(), &[], "parser.c"), old.path(), new.path());
        assert_eq!(moved.units[0].source_path(), old.path().join("parser.c"));
        assert!(
            moved
                .caveats
                .iter()
                .any(|caveat| caveat.message.contains("parser.c"))
        );
    }
}
