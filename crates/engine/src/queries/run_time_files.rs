//! Which files that differ may a program read when it runs?
//!
//! Such files are assumed to be the same in both versions, like all other input; where one is part
//! of both trees and differs, the assumption names it. A file may be read at run time if a text in
//! the program holds its name, or if it is data by its kind: no unit reads it, and it is neither
//! code, nor a text that steers the build, nor documentation, nor of tests.

use crate::comparison::programs;
use crate::read::version_texts::is_code;
use crate::read::versions::ReadVersions;
use knockon_build::build_inputs::is_build_input;
use knockon_build::stand_ins::{is_documentation, is_of_tests};
use knockon_change::Side;
use knockon_program::{Constant, Program};
use std::path::Path;

/// How many names are shown.
const MAX_NAMES: usize = 5;
/// A shorter name stands in texts by chance.
const SHORTEST_NAME: usize = 4;

/// Their names, for people; none where there is no such file.
pub fn changed_run_time_files(versions: &ReadVersions) -> Option<String> {
    let changed = versions.changed_files.iter();
    let mut found: Vec<&str> = changed
        .map(String::as_str)
        .filter(|path| may_be_read(versions, path))
        .collect();
    let more = found.len().saturating_sub(MAX_NAMES);
    found.truncate(MAX_NAMES);
    let shown = found.join(", ");
    match (found.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(shown),
        (false, more) => Some(format!("{shown}, {more} more")),
    }
}

fn may_be_read(versions: &ReadVersions, path: &str) -> bool {
    let is_left = versions.left_by_builds.contains(path);
    if versions.is_read(path) || is_left || is_code(Path::new(path)) {
        return false;
    }
    let path = Path::new(path);
    let is_data = !is_documentation(path) && !is_of_tests(path) && !is_build_input(path, &[]);
    is_data || is_named(versions, path)
}

fn is_named(versions: &ReadVersions, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let numbers = 0..versions.executables.len();
    name.len() >= SHORTEST_NAME
        && numbers.into_iter().any(|number| {
            let programs = programs(versions, number);
            let sides = Side::BOTH.into_iter();
            sides
                .map(|side| *programs.of(side))
                .any(|program| holds(program, &name))
        })
}

/// A constant text of the program holds the name.
fn holds(program: &Program, name: &str) -> bool {
    let mut constants = program.constants.rows().iter();
    constants.any(|constant| match constant {
        Constant::Bytes { bytes, .. } => {
            let mut places = bytes.windows(name.len());
            places.any(|place| place == name.as_bytes())
        }
        _ => false,
    })
}
