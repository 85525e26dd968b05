//! **Question.** Which programs does a search path (`PATH`) offer?

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The programs on the path whose names are `wanted`, sorted by name: of two with one name the
/// first on the path, which is the one that the name alone would run.
pub fn programs_on_path(path: &OsStr, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = std::collections::BTreeMap::new();
    for directory in std::env::split_paths(path) {
        let Ok(entries) = directory.read_dir() else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let program = entry.path();
            if name.to_str().is_some_and(&wanted)
                && !found.contains_key(&name)
                && is_program(&program)
            {
                found.insert(name, program);
            }
        }
    }
    found.into_values().collect()
}

/// The program that `name` runs from `directory`.
pub fn find_program(name: &OsStr, path: &OsStr, directory: &Path) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 || Path::new(name).is_absolute() {
        let program = directory.join(name);
        return is_program(&program).then_some(program);
    }
    std::env::split_paths(path)
        .map(|entry| directory.join(entry).join(name))
        .find(|program| is_program(program))
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
