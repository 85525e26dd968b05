//! **Question.** How would another tree be compiled with this tree's commands?
//!
//! **Source.** DESIGN §2, way (2): the working tree's compile commands, rewritten to the other
//! tree's root. A path below the old root becomes the same path below the new one, in flags, in the
//! environment and as the source. The other tree holds what its version has and what builds
//! generated ([`crate::stand_ins`]), so nothing leads back to the old root: what is in neither is
//! missing, as it is for a compiler in that version.
//! What a link takes in beside units moves likewise (`link_interface/moved.rs`).
//!
//! A unit whose source is missing there is a unit of the other version only, and is empty. Where the
//! source is missing in both trees, the unit stays and fails.

use crate::build_plan::BuildPlan;
use crate::flags::Language;
use crate::link_interface::moved_link;
use crate::unit::{UnitCommand, normalised};
use knockon_program::{Caveat, CaveatKind, Name, PlaceId};
use std::path::{Path, PathBuf};

/// Flags whose value is a path, joined or as the next word: none stands behind one that it begins
/// with.
const PATH_FLAGS: [&str; 12] = [
    "-isystem-after",
    "-isystem",
    "-stdlib++-isystem",
    "-cxx-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "--sysroot=",
    "-Wa,-I",
    "-I",
];
/// Those whose value may also be the name of a header.
const SEARCHED_FLAGS: [&str; 2] = ["-include", "-imacros"];
/// The beginning of a path, with which others are made.
const PREFIX_FLAG: &str = "-iprefix";

/// The same units, of the tree at `to` instead of `from`. A version has, or another one that is
/// compared, what `is_versioned` holds of: its paths are relative.
pub fn moved_plan(
    plan: &BuildPlan,
    from: &Path,
    to: &Path,
    is_versioned: impl Fn(&Path) -> bool,
) -> BuildPlan {
    let mut moved = plan.clone();
    moved.configuration = format!("{}, moved to the revision", plan.configuration);
    for unit in &mut moved.units {
        let source = normalised(&unit.source_path());
        let there = moved_unit(unit, from, to);
        let is_of_the_other = source.exists() && !there.source_path().exists();
        *unit = match is_of_the_other {
            true => empty_unit(to),
            false => there,
        };
    }
    // A record names its files by their real paths.
    let real = from.canonicalize().unwrap_or_else(|_| from.to_owned());
    let is_versioned = |path: &Path| path.strip_prefix(&real).is_ok_and(&is_versioned);
    let mut generated: Vec<PathBuf> = Vec::new();
    for program in moved.executables.iter_mut().chain(&mut moved.plug_ins) {
        if let Some(link) = &mut program.link {
            moved_link(link, &real, to, &is_versioned, &mut generated);
        }
    }
    generated.sort();
    generated.dedup();
    moved.caveats.extend(generated.iter().map(|path| Caveat {
        kind: CaveatKind::GeneratedFile,
        function: Name(0),
        place: PlaceId(0),
        message: format!(
            "{} is not in the revision; what the working tree's build left there is used",
            path.strip_prefix(&real).unwrap_or(path).display()
        ),
    }));
    moved
}

/// Stands for a unit that the other tree lacks, so that all others keep their positions.
fn empty_unit(root: &Path) -> UnitCommand {
    UnitCommand {
        flags: vec!["-x".to_owned(), "c".to_owned()],
        language: Some(Language::C),
        ..UnitCommand::bare(root, Path::new("/dev/null"))
    }
}

/// The path from the root, also of a file that is named through a link outside of the tree. Links inside
/// of the tree belong to a version and stay.
fn path_below(root: &Path, absolute: &Path) -> Option<PathBuf> {
    if let Ok(below) = absolute.strip_prefix(root) {
        return Some(below.to_owned());
    }
    let real_root = root.canonicalize().ok()?;
    if !absolute.canonicalize().ok()?.starts_with(&real_root) {
        return None;
    }
    let mut ancestors: Vec<&Path> = absolute.ancestors().collect();
    ancestors.reverse();
    ancestors.into_iter().find_map(|ancestor| {
        let real = ancestor.canonicalize().ok()?;
        let entered = real.strip_prefix(&real_root).ok()?;
        Some(entered.join(absolute.strip_prefix(ancestor).ok()?))
    })
}

fn moved_unit(unit: &UnitCommand, from: &Path, to: &Path) -> UnitCommand {
    let moved_path = |path: &Path| -> PathBuf {
        let absolute = normalised(&unit.directory.join(path));
        match path_below(from, &absolute) {
            Some(below) if path.is_relative() && unit.directory == to => below,
            Some(below) => to.join(below),
            None => absolute,
        }
    };
    let moved_text = |path: &str| match moved_path(Path::new(path)) {
        moved if moved.as_os_str().is_empty() => ".".to_owned(),
        moved => moved.to_string_lossy().into_owned(),
    };
    let mut flags = Vec::with_capacity(unit.flags.len());
    let mut words = unit.flags.iter();
    while let Some(word) = words.next() {
        let of_this = |name: &&&str| word.starts_with(**name);
        let name = PATH_FLAGS.iter().find(of_this).copied();
        let name = name.or_else(|| word.starts_with(PREFIX_FLAG).then_some(PREFIX_FLAG));
        let Some(name) = name else {
            flags.push(word.clone());
            continue;
        };
        let separate = word.len() == name.len();
        let value = match separate {
            true => words.next().map_or("", String::as_str),
            false => &word[name.len()..],
        };
        // The directories of headers are searched for a file that is not where the compiler runs.
        let is_searched = SEARCHED_FLAGS.contains(&name) && !unit.directory.join(value).exists();
        let mut value_there = match is_searched {
            true => value.to_owned(),
            false => moved_text(value),
        };
        if name == PREFIX_FLAG && value.ends_with('/') {
            value_there.push('/');
        }
        if separate {
            flags.push(name.to_owned());
            flags.push(value_there);
        } else {
            flags.push(format!("{name}{value_there}"));
        }
    }
    let environment = unit.environment.iter().map(|(name, value)| {
        let directories: Vec<String> = value.split(':').map(moved_text).collect();
        (name.clone(), directories.join(":"))
    });
    // All paths are absolute by now, so the directory only has to exist.
    let directory = match moved_path(Path::new("")) {
        there if there.is_dir() || !there.starts_with(to) => there,
        _ => to.to_owned(),
    };
    UnitCommand {
        root: to.to_owned(),
        directory,
        file: moved_path(&unit.file),
        flags,
        language: unit.language.clone(),
        environment: environment.collect(),
        unread_flags: unit.unread_flags.clone(),
    }
}

/// The same unit, compiled in the root of its tree: `__FILE__`, names of headers and places do not tell
/// from where a build called its compiler, so that equal trees give equal units wherever each is built.
pub(crate) fn seen_from_root(unit: &UnitCommand) -> UnitCommand {
    let is_usable = unit.root.is_absolute() && unit.root.is_dir() && unit.directory.is_absolute();
    if !is_usable {
        return unit.clone();
    }
    UnitCommand {
        directory: unit.root.clone(),
        ..moved_unit(unit, &unit.root, &unit.root)
    }
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
        let moved = moved_plan(&plan, old.path(), new.path(), |_| true);
        let unit = &moved.units[0];
        assert_eq!(unit.source_path(), new.path().join("src/a.c"));
        assert_eq!(unit.root, new.path());
        let include = format!("-I{}/include", new.path().display());
        assert_eq!(
            unit.flags,
            [include.as_str(), "-I", "/usr/include", "-DX=1"]
        );
    }

    #[test]
    fn a_file_that_is_named_through_a_link_outside_moves_and_tracked_links_keep_their_names() {
        let old = tree(&["src/a.c", "include/a.h"]);
        let new = tree(&["src/a.c", "include/a.h"]);
        let outside = tempfile::tempdir().unwrap();
        let link = outside.path().join("link");
        std::os::unix::fs::symlink(old.path(), &link).unwrap();
        std::os::unix::fs::symlink("include", old.path().join("tracked")).unwrap();
        let include = format!("-I{}", link.join("tracked").display());
        let file = link.join("src/a.c");
        let plan = plan(old.path(), &[&include], &file.to_string_lossy());
        let unit = &moved_plan(&plan, old.path(), new.path(), |_| true).units[0];
        assert_eq!(unit.source_path(), new.path().join("src/a.c"));
        let there = format!("-I{}", new.path().join("tracked").display());
        assert_eq!(unit.flags, [there]);
        let here = seen_from_root(&plan.units[0]);
        assert_eq!(here.source_path(), old.path().join("src/a.c"));
    }

    #[test]
    fn a_header_that_is_found_by_its_name_keeps_its_name() {
        let old = tree(&["a.c", "include/config.h"]);
        let new = tree(&["a.c", "include/config.h"]);
        let plan = plan(
            old.path(),
            &["-include", "config.h", "-I./include/."],
            "a.c",
        );
        let unit = &moved_plan(&plan, old.path(), new.path(), |_| true).units[0];
        let include = format!("-I{}/include", new.path().display());
        assert_eq!(unit.flags, ["-include", "config.h", &include]);
        let here = seen_from_root(&plan.units[0]);
        assert_eq!(here.flags, ["-include", "config.h", "-Iinclude"]);
    }

    #[test]
    fn nothing_leads_back_to_the_tree_that_was_built() {
        let old = tree(&["src/a.c", "src/new.h", "include/new.h", "force.h"]);
        let new = tree(&["src/a.c"]);
        let root = old.path().display().to_string();
        let include = format!("{root}/include");
        let force = format!("{root}/force.h");
        let mut plan = plan(
            old.path(),
            &[
                "-I",
                &include,
                "-isystem-after",
                &include,
                "-iquotesrc",
                "-include",
                &force,
            ],
            "src/a.c",
        );
        plan.units[0].environment = vec![("CPATH".to_owned(), format!("{include}:/usr/x"))];
        let unit = moved_plan(&plan, old.path(), new.path(), |_| true)
            .units
            .remove(0);
        let words = unit
            .flags
            .iter()
            .chain(unit.environment.iter().map(|row| &row.1));
        for word in words {
            assert!(!word.contains(&root), "{word}");
        }
        assert_eq!(unit.flags[2], "-isystem-after");
        assert!(unit.environment[0].1.ends_with("/include:/usr/x"));
    }

    #[test]
    fn a_unit_whose_source_is_missing_there_is_empty_and_others_keep_their_positions() {
        let old = tree(&["a.c", "b.c"]);
        let new = tree(&["a.c"]);
        let mut plan = plan(old.path(), &["-DX"], "b.c");
        for file in ["a.c", "nowhere.c"] {
            let unit = UnitCommand::bare(old.path(), Path::new(file));
            plan.units.push(unit);
        }
        let moved = moved_plan(&plan, old.path(), new.path(), |_| true);
        let files: Vec<PathBuf> = moved.units.iter().map(UnitCommand::display_path).collect();
        let expected = ["/dev/null", "a.c", "nowhere.c"];
        assert_eq!(files, expected.map(PathBuf::from));
    }
}
