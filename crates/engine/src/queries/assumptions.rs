//! What every verdict of a comparison rests on, in the words of each report. `docs/soundness.md`
//! explains them.

use crate::comparison::programs;
use crate::queries::run_time_files::changed_run_time_files;
use crate::read::versions::ReadVersions;
use knockon_change::{OldNames, Renaming};
use std::collections::BTreeSet;

/// Whether a constant is a position is decided deep in the pairing, and nothing tells which address
/// a program compares or prints: what cannot be known cheaply is always said.
const ALWAYS: [&str; 6] = [
    "a loop or recursion ends in one version if it ends in the other",
    "standard output and standard error are only written",
    "a number that equals its line's number is __LINE__ where the text was not edited, and moving the line does not matter",
    "addresses do not matter: none is printed, hashed, or compared with one of another object",
    "the order of statements does not matter where no value depends on it, volatile accesses included",
    "both versions get the same arguments, files, environment and random numbers, at the same time",
];

/// ChangeReach of impact leave out what the new version adds of it.
const OF_IMPACT: &str = "neither version has undefined behaviour on the runs compared";

/// Proofs show that the new version adds none.
const OF_EQUIVALENCE: &str = "the old version has no undefined behaviour on the runs compared";

const SAME_BUILD: &str = "a revision is built with the commands of the working tree's build";

const RUN_TIME_FILES: &str = "the files that a program reads when it runs are the same in both versions, although these differ";

const UNRECORDED_LINK: &str = "functions of the C library come without other code that knows the program, since the link was not recorded";

const OF_A_LIBRARY: &str = "clients of a program without main call it in the same order and with the same arguments in both versions";

/// Of `diff` and `why`.
pub fn assumptions(versions: &ReadVersions) -> Vec<String> {
    with_first(OF_IMPACT, versions)
}

/// Of `equiv`.
pub fn assumptions_of_equivalence(versions: &ReadVersions) -> Vec<String> {
    with_first(OF_EQUIVALENCE, versions)
}

fn with_first(first: &str, versions: &ReadVersions) -> Vec<String> {
    let always = [first].into_iter().chain(ALWAYS);
    let mut all: Vec<String> = always.map(str::to_owned).collect();
    let is_library = |number: usize| {
        let program = programs(versions, number).new;
        let mains = program.functions_named("main");
        !mains.iter().any(|id| program.function(*id).body.is_some())
    };
    if !versions.are_own_builds {
        all.push(SAME_BUILD.to_owned());
    }
    let mut executables = versions.executables.iter();
    if executables.any(|row| !row.old.is_link_recorded || !row.new.is_link_recorded) {
        all.push(UNRECORDED_LINK.to_owned());
    }
    if let Some(names) = changed_run_time_files(versions) {
        all.push(format!("{RUN_TIME_FILES}: {names}"));
    }
    all.extend(old_names(&versions.old_names));
    if (0..versions.executables.len()).any(is_library) {
        all.push(OF_A_LIBRARY.to_owned());
    }
    all
}

/// Names that are listed; of the others only the number.
const MAX_NAMES: usize = 5;

/// What the new version was given of the old one's names.
fn old_names(names: &OldNames) -> Vec<String> {
    let listed = |rows: &BTreeSet<Renaming>| {
        let shown = rows.iter().take(MAX_NAMES);
        let mut shown: Vec<String> = shown
            .map(|row| match row.old == row.new {
                true => row.new.clone(),
                false => format!("{} (was {})", row.new, row.old),
            })
            .collect();
        if rows.len() > MAX_NAMES {
            shown.push(format!("{} more", rows.len() - MAX_NAMES));
        }
        shown.join(", ")
    };
    let mut found = Vec::new();
    if !names.functions.is_empty() {
        found.push(format!(
            "what __func__ and __PRETTY_FUNCTION__ say in a function that was renamed or declared anew is no difference: {}",
            listed(&names.functions)
        ));
    }
    if !names.files.is_empty() {
        found.push(format!(
            "what __FILE__ says in a file that moved is no difference: {}",
            listed(&names.files)
        ));
    }
    found
}
