//! Units linked to programs: one for each executable of the build.

use super::other_programs::build_contexts;
use super::read_input::Executable;
use super::unseen_code::{Group, link_executable};
use crate::cancellation::Cancellation;
use crate::error::{EngineError, Result};
use knockon_build::build::Compiled;
use knockon_build::build_plan::BuildPlan;
use knockon_build::clang::find_clang;
use knockon_build::unseen_link::ObjectFiles;
use knockon_build::unseen_units::unseen_unit;
use knockon_program::{BuildContext, Program, UnseenCode};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The units without IR, by their position in the plan.
#[derive(Default)]
pub(super) struct MissingUnits {
    /// What stands for each.
    code: BTreeMap<usize, UnseenCode>,
    pub(super) is_whole: BTreeSet<usize>,
    defines_main: BTreeSet<usize>,
}

pub(super) fn missing_units(
    plan: &BuildPlan,
    compiled: &Compiled,
    cancellation: &Cancellation,
) -> Result<MissingUnits> {
    let mut missing = MissingUnits::default();
    if compiled.failures.is_empty() {
        return Ok(missing);
    }
    let clang = find_clang(None)?;
    for failure in &compiled.failures {
        let unit = &plan.units[failure.index];
        let unseen = unseen_unit(&clang, unit, cancellation.flag());
        missing.code.insert(failure.index, unseen.code);
        if unseen.is_whole {
            missing.is_whole.insert(failure.index);
        }
        if unseen.defines_main {
            missing.defines_main.insert(failure.index);
        }
    }
    Ok(missing)
}

/// What is to be linked besides the units that were read.
#[derive(Clone, Copy)]
pub(super) struct Linking<'a> {
    pub(super) missing: &'a MissingUnits,
    /// The only executable that is asked for.
    pub(super) wanted: Option<&'a str>,
    pub(super) with_shared_units: bool,
}

/// The name of a program of units without a `main`.
pub const LIBRARY: &str = "library";

/// One program per executable of the plan; without a record of links, one per
/// `main`, each with all units that have none; without any `main`, one library.
pub(super) fn link_executables(
    plan: &BuildPlan,
    compiled: Compiled,
    linking: Linking<'_>,
    files: &mut ObjectFiles,
) -> Result<(Vec<Executable>, Option<Executable>)> {
    let missing = linking.missing;
    let mut shared = None;
    let mut by_position: Vec<Option<Program>> = (0..plan.units.len()).map(|_| None).collect();
    for unit in compiled.units {
        by_position[unit.index] = Some(unit.program);
    }
    let mut groups: Vec<Group> = plan
        .executables
        .iter()
        .enumerate()
        .map(|(number, executable)| Group {
            name: executable.name.clone(),
            executable: Some(number),
            units: executable.units.clone(),
            build: BuildContext::default(),
        })
        .collect();
    if groups.is_empty() {
        let defines_main = |position: &usize| {
            if missing.defines_main.contains(position) {
                return true;
            }
            by_position[*position].as_ref().is_some_and(|unit| {
                unit.functions_named("main")
                    .iter()
                    .any(|id| unit.function(*id).body.is_some())
            })
        };
        let (mains, others): (Vec<usize>, Vec<usize>) =
            (0..plan.units.len()).partition(defines_main);
        let group = |name: String, units: Vec<usize>| Group {
            name,
            executable: None,
            units,
            build: BuildContext::default(),
        };
        for main in &mains {
            let mut units = others.clone();
            units.push(*main);
            units.sort_unstable();
            // Relative to the root, so that both versions have the same name.
            let name = plan.units[*main].display_path().with_extension("");
            groups.push(group(name.to_string_lossy().into_owned(), units));
        }
        if mains.is_empty() {
            groups.push(group(LIBRARY.to_owned(), others));
        } else if linking.with_shared_units && !others.is_empty() {
            shared = Some(group(LIBRARY.to_owned(), others));
        }
    }
    let mut contexts = build_contexts(plan, &groups, &by_position, &missing.code).into_iter();
    for group in &mut groups {
        group.build = contexts.next().unwrap_or_default();
    }
    if let Some(wanted) = linking.wanted {
        let names: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
        let chosen = chosen_executable(wanted, &names)?;
        groups = groups.into_iter().skip(chosen).take(1).collect();
    }
    let count = groups.len();
    if let Some(mut group) = shared {
        let own = std::slice::from_ref(&group);
        let context = build_contexts(plan, own, &by_position, &missing.code).pop();
        group.build = context.unwrap_or_default();
        groups.push(group);
    }
    // What is loaded at run time may be needed by each.
    let loaded = plan.plug_ins.iter().flat_map(|plug_in| &plug_in.units);
    let loaded: BTreeSet<usize> = loaded.copied().collect();
    let positions =
        |group: &Group| -> BTreeSet<usize> { group.units.iter().chain(&loaded).copied().collect() };
    // The last group that uses a unit takes it, the others copy.
    let mut uses = vec![0usize; plan.units.len()];
    for position in groups.iter().flat_map(positions) {
        uses[position] += 1;
    }
    let mut executables = Vec::with_capacity(groups.len());
    for group in groups {
        let mut units: Vec<Option<Program>> = (0..plan.units.len()).map(|_| None).collect();
        for position in positions(&group) {
            uses[position] -= 1;
            units[position] = match uses[position] {
                0 => by_position[position].take(),
                _ => by_position[position].clone(),
            };
        }
        let linked = link_executable(plan, &group, units, &missing.code, files);
        executables.push(Executable {
            name: group.name,
            units: linked.units,
            program: linked.program,
            doubts: linked.doubts,
            is_link_recorded: linked.is_recorded,
        });
    }
    let shared = executables.split_off(count).pop();
    Ok((executables, shared))
}

/// The position of the executable that the user names, by its whole name or by the end of its path.
fn chosen_executable(wanted: &str, names: &[String]) -> Result<usize> {
    if let Some(exact) = names.iter().position(|name| name == wanted) {
        return Ok(exact);
    }
    let is_end = |name: &String| Path::new(name).ends_with(wanted);
    let found: Vec<usize> = (0..names.len()).filter(|at| is_end(&names[*at])).collect();
    match found[..] {
        [one] => Ok(one),
        [] => Err(EngineError::Unknown {
            message: format!(
                "there is no executable {wanted} here; there are: {}",
                names.join(", ")
            ),
            nearest: names.to_vec(),
        }),
        _ => {
            let candidates: Vec<String> = found.iter().map(|at| names[*at].clone()).collect();
            Err(EngineError::Ambiguous {
                message: format!(
                    "{wanted} is one of several executables; say which: {}",
                    candidates.join(", ")
                ),
                candidates,
            })
        }
    }
}
