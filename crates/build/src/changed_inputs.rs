//! **Question.** Which files that differ between a version and the recorded build did that build read,
//! other than as text of its units?
//!
//! **Rules.** A file that clang reads for a unit, or that is linked as it is, is followed there. Any
//! other one that a step read (flags, specs, linker scripts, precompiled headers), that may decide
//! which steps run and how, or that something was made from which a step reads, may make the program
//! another one in any way: all units are in doubt, and a caveat names the file. A file that the build
//! did not read is data, documentation or test. What only the other version has, the record cannot
//! tell of: where it may be code, it may have been linked.
//!
//! **Soundness.** As far as the record tells what was read (`capture/file_flow.rs`).

use crate::build_plan::BuildPlan;
use crate::recorded_build::{LinkOption, ReadFiles};
use std::path::{Path, PathBuf};

/// What is known of one version's inputs.
pub struct VersionInputs<'a> {
    /// Of the recorded build.
    pub read: &'a ReadFiles,
    /// The tree of that build: paths in `read` are below it.
    pub tree: &'a Path,
    /// Its steps ran in this version's tree: only what is not followed in a step counts.
    pub is_own_build: bool,
    /// Followed as text of a unit, or as what is linked.
    pub is_followed: &'a dyn Fn(&Path) -> bool,
}

/// One sentence for each of the files, relative to the tree, that counts.
pub fn doubts<'a>(
    inputs: &VersionInputs<'_>,
    changed: impl IntoIterator<Item = &'a Path>,
) -> Vec<String> {
    let is_in =
        |files: &[PathBuf], path: &Path| files.binary_search(&inputs.tree.join(path)).is_ok();
    let mut doubts = Vec::new();
    for path in changed {
        let shown = path.display();
        let by_steps = is_in(&inputs.read.by_steps, path);
        if by_steps && !(inputs.is_followed)(path) {
            doubts.push(format!(
                "{shown} differs, and the build's compiler or linker reads it, which is not followed"
            ));
        } else if inputs.is_own_build {
            // What was made from it, and how steps were called, is that of the version.
        } else if is_in(&inputs.read.steering, path) {
            doubts.push(format!(
                "{shown} differs, and may decide what the build compiles and links, and how"
            ));
        } else if let Some(made) = made_from(inputs, path) {
            doubts.push(format!(
                "{shown} differs, and the build makes {} from it",
                made.strip_prefix(inputs.tree).unwrap_or(made).display()
            ));
        }
    }
    doubts
}

/// A file that steps read and that was made from this one, maybe among others.
fn made_from<'a>(inputs: &VersionInputs<'a>, path: &Path) -> Option<&'a Path> {
    let path = inputs.tree.join(path);
    let mut made = inputs.read.made.iter();
    let found = made.find(|made| made.from.binary_search(&path).is_ok())?;
    Some(&found.path)
}

/// What is linked as it is, and lists of symbols whose effect is followed.
pub fn linked_files(plan: &BuildPlan) -> impl Iterator<Item = &Path> {
    let programs = plan.executables.iter().chain(&plan.plug_ins);
    let links = programs.filter_map(|program| program.link.as_ref());
    links.flat_map(|link| {
        let parts = link.parts.iter().flat_map(|part| &part.options);
        let lists = link.options.iter().chain(parts);
        let lists = lists.filter_map(|option| match option {
            LinkOption::VersionScript(path) | LinkOption::DynamicList(path) => Some(path.as_path()),
            _ => None,
        });
        let prebuilt = link.prebuilt.iter().map(|input| input.path.as_path());
        prebuilt.chain(lists)
    })
}

/// What the sentences mean for the verdicts, and what helps.
pub fn consequence(doubt: &str) -> String {
    format!(
        "{doubt}; so nothing is unaffected; `[build]` in knockon.toml builds each version on its own"
    )
}

/// Of files that this version has and the recorded build's lacks, those that may be code that was
/// linked: the record cannot tell.
pub fn may_be_code(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    #[rustfmt::skip]
    let known = [
        "c", "cc", "cpp", "cxx", "C", "s", "S", "asm", "m", "rs", "f", "f90", "f95", "F", "F90", "d", "go", "o", "lo",
        "obj", "a", "so", "bc", "ll",
    ];
    extension.is_some_and(|extension| known.contains(&extension))
}
