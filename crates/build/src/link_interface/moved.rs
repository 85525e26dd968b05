//! **Question.** What would another version's link take in, by this version's record?
//!
//! A file below the root is that of the other tree where it has one. What it lacks is new if git
//! tracks it here; else a build or a person left it, and it stands in for the old one, as generated
//! sources do. Objects that the recorded build made belong to this version only.

use std::path::{Path, PathBuf};

use super::{PlannedLink, Presence};
use crate::recorded_build::LinkOption;

/// Moves the paths from one root to another; what stands in is added to `generated`.
pub(crate) fn moved_link(
    link: &mut PlannedLink,
    from: &Path,
    to: &Path,
    is_tracked: &dyn Fn(&Path) -> bool,
    generated: &mut Vec<PathBuf>,
) {
    link.objects.clear();
    for input in &mut link.prebuilt {
        let Ok(below) = input.path.strip_prefix(from) else {
            continue;
        };
        let target = to.join(below);
        if target.exists() {
            input.path = target;
            continue;
        }
        if is_tracked(&input.path) {
            input.presence = Presence::Missing;
        } else {
            input.presence = Presence::StandsIn;
            generated.push(input.path.clone());
        }
    }
    let parts = link.parts.iter_mut().flat_map(|part| &mut part.options);
    for option in link.options.iter_mut().chain(parts) {
        move_option(option, from, to, is_tracked, generated);
    }
}

fn move_option(
    option: &mut LinkOption,
    from: &Path,
    to: &Path,
    is_tracked: &dyn Fn(&Path) -> bool,
    generated: &mut Vec<PathBuf>,
) {
    let path = match option {
        LinkOption::VersionScript(path)
        | LinkOption::DynamicList(path)
        | LinkOption::LinkerScript(path) => path,
        LinkOption::Wrap(_)
        | LinkOption::Defsym { .. }
        | LinkOption::Init(_)
        | LinkOption::Fini(_)
        | LinkOption::Entry(_)
        | LinkOption::Undefined(_)
        | LinkOption::Symbolic
        | LinkOption::SymbolicFunctions
        | LinkOption::GcSections
        | LinkOption::ExportDynamic
        | LinkOption::ExportDynamicSymbol(_)
        | LinkOption::AllowMultipleDefinition
        | LinkOption::NoStandardFiles(_)
        | LinkOption::Static
        | LinkOption::Pie
        | LinkOption::Shared
        | LinkOption::IdenticalCodeFolding
        | LinkOption::Unknown(_) => return,
    };
    let Ok(below) = path.strip_prefix(from) else {
        return;
    };
    let target = to.join(below);
    if target.exists() {
        *path = target;
    } else if is_tracked(path) {
        *option = LinkOption::Unknown(format!("{}, which the revision lacks", below.display()));
    } else {
        generated.push(path.clone());
    }
}
