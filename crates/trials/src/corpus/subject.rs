//! One program of a captured package, read and linked.

use crate::reading::read_afresh;
use anyhow::{Context, Result};
use fixedbitset::FixedBitSet;
use knockon_build::build_plan::{BuildPlan, plan_of_directory};
use knockon_build::clang::Clang;
use knockon_impact::Procedure;
use knockon_impact::component_graph::ComponentGraph;
use knockon_program::{Program, link};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where `scripts/capture-packages` leaves the captured subjects of the paper.
pub const SUBJECTS: &str = "corpus/subjects";

/// The captured packages of both corpora that have one of the names, or all.
pub fn packages(names: &[String]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for directory in [SUBJECTS, super::BUILDS] {
        let entries = match std::fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error).context(directory),
        };
        let mut here = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let name = name_of(&path);
            if path.join(".captured").is_file() && (names.is_empty() || names.contains(&name)) {
                here.push(path);
            }
        }
        here.sort();
        found.extend(here);
    }
    Ok(found)
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The program with the most units of a package, promoted.
pub struct Subject {
    pub package: String,
    pub name: String,
    pub program: Program,
    pub clang_time: Duration,
}

pub fn read_subject(root: &Path, clang: &Clang) -> Result<Subject> {
    let root = root.canonicalize()?;
    let plan = plan_of_directory(&root, None)?;
    let (name, units) = largest_program(&plan);
    let read = units
        .par_iter()
        .map(|unit| {
            let unit = &plan.units[*unit];
            read_afresh(unit, clang).with_context(|| unit.display_path().display().to_string())
        })
        .collect::<Result<Vec<_>>>()?;
    let clang_time = read.iter().map(|unit| unit.cost.clang).sum();
    let mut program = link(read.into_iter().map(|unit| unit.program).collect());
    knockon_graphs::promote(&mut program);
    Ok(Subject {
        package: name_of(&root),
        name,
        program,
        clang_time,
    })
}

/// The executable from the most units, of several that with the shortest name (the others are
/// stages of a bootstrap); where the build names none, all units.
fn largest_program(plan: &BuildPlan) -> (String, Vec<usize>) {
    let largest = (plan.executables.iter())
        .max_by_key(|row| (row.units.len(), std::cmp::Reverse(row.name.len())));
    match largest {
        Some(row) => (row.name.clone(), row.units.clone()),
        None => ("all units".to_string(), (0..plan.units.len()).collect()),
    }
}

/// The procedures that the root calls, and what may run at any time. The root is the first pseudo
/// procedure.
pub fn reached(components: &ComponentGraph) -> FixedBitSet {
    let mut reached = components.anytime.clone();
    reached.grow(components.procedure_count());
    let mut work = vec![Procedure::from(components.function_count)];
    work.extend(components.anytime.ones().map(Procedure::from));
    while let Some(procedure) = work.pop() {
        for component in components.components_of(procedure) {
            for target in components.targets.of(component) {
                if !reached.put(target.index()) {
                    work.push(*target);
                }
            }
        }
    }
    reached
}
