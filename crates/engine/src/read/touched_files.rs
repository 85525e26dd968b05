//! Which files did reading a version look at?
//!
//! Sources, headers, what is linked as it is, and the record or the database of the build; and where
//! compilers look for headers, since a new file there may take the place of another one. A caller that keeps
//! a result compares these with what is there later.

use crate::options::ReadOptions;
use knockon_build::build::Compiled;
use knockon_build::build_plan::{BuildPlan, COMPILE_COMMANDS, RECORD};
use knockon_build::changed_inputs::linked_files;
use knockon_build::unit::UnitCommand;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default)]
pub struct TouchedFiles {
    pub files: BTreeSet<PathBuf>,
    /// Directories in which headers are looked for.
    pub searched: BTreeSet<PathBuf>,
    /// Trees of revisions: nobody edits these.
    pub exported: BTreeSet<PathBuf>,
}

impl TouchedFiles {
    pub(super) fn of(plan: &BuildPlan, compiled: &Compiled, options: &ReadOptions) -> TouchedFiles {
        let mut touched = TouchedFiles::default();
        for unit in &plan.units {
            touched.files.insert(unit.source_path());
            touched.searched.extend(searched_directories(unit));
        }
        for unit in &compiled.units {
            let root = &plan.units[unit.index].root;
            let below = unit.files.iter().map(|path| root.join(path));
            touched.files.extend(below);
            let elsewhere = unit.files_elsewhere.iter().cloned();
            touched.files.extend(elsewhere);
        }
        touched.files.extend(linked_files(plan).map(Path::to_owned));
        if let Some(build) = &options.build {
            let build = options.directory.join(build);
            touched.files.insert(build.join(RECORD));
            touched.files.insert(build.join(COMPILE_COMMANDS));
        }
        let directories = touched.files.iter().filter_map(|path| path.parent());
        let directories: Vec<PathBuf> = directories.map(Path::to_owned).collect();
        touched.searched.extend(directories);
        touched
    }

    pub fn add(&mut self, other: &TouchedFiles) {
        self.files.extend(other.files.iter().cloned());
        self.searched.extend(other.searched.iter().cloned());
        self.exported.extend(other.exported.iter().cloned());
    }
}

/// The directories that a unit's flags and variables name.
fn searched_directories(unit: &UnitCommand) -> Vec<PathBuf> {
    const FLAGS: [&str; 5] = ["-I", "-isystem", "-iquote", "-idirafter", "-cxx-isystem"];
    let mut found = vec![unit.directory.clone()];
    let mut flags = unit.flags.iter();
    while let Some(flag) = flags.next() {
        let named = FLAGS.iter().find_map(|name| flag.strip_prefix(name));
        match named {
            Some("") => found.extend(flags.next().map(|path| unit.directory.join(path))),
            Some(path) => found.push(unit.directory.join(path)),
            None => {}
        }
    }
    for (_, paths) in &unit.environment {
        let paths = std::env::split_paths(paths);
        found.extend(paths.map(|path| unit.directory.join(path)));
    }
    found
}
