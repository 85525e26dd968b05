//! **Question.** Which other programs of the build may a program start, and are they the same in both
//! versions?
//!
//! **Rules.** What a program is made of: the code of its units, without places in the source, the
//! content of its units without IR, and the files that are linked besides. The sum of that over all
//! other programs is one number, and another number is another build.
//!
//! **Cost.** Nothing where no unit names a function that starts programs; else one look at each
//! instruction.

use crate::unseen_code::Group;
use knockon_build::build_plan::BuildPlan;
use knockon_memory::processes::starts_programs;
use knockon_program::{BuildContext, Program, UnseenCode, code_digest};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// By group: what it is linked beside.
pub fn build_contexts(
    plan: &BuildPlan,
    groups: &[Group],
    units: &[Option<Program>],
    missing: &BTreeMap<usize, UnseenCode>,
) -> Vec<BuildContext> {
    let executables: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
    let starts = units.iter().flatten().any(|unit| {
        let mut names = unit.functions.iter().map(|row| unit.name(row.name));
        names.any(starts_programs)
    });
    let digests: Vec<u64> = match starts && groups.len() > 1 {
        true => {
            let of_units: Vec<u64> = (0..units.len())
                .map(|at| match &units[at] {
                    Some(unit) => code_digest(unit),
                    None => missing.get(&at).map_or(0, |code| hashed(&code.content)),
                })
                .collect();
            let groups = groups.iter();
            groups
                .map(|group| of_group(plan, group, &of_units))
                .collect()
        }
        false => vec![0; groups.len()],
    };
    (0..groups.len())
        .map(|own| {
            let others = (0..groups.len()).filter(|other| *other != own);
            let others: Vec<(&str, u64)> = others
                .map(|other| (executables[other].as_str(), digests[other]))
                .collect();
            BuildContext {
                executables: executables.clone(),
                is_recorded: !plan.executables.is_empty(),
                others: if starts { hashed(&others) } else { 0 },
            }
        })
        .collect()
}

fn of_group(plan: &BuildPlan, group: &Group, of_units: &[u64]) -> u64 {
    let units: Vec<u64> = group.units.iter().map(|unit| of_units[*unit]).collect();
    let planned = group.executable.map(|number| &plan.executables[number]);
    let link = planned.and_then(|planned| planned.link.as_ref());
    let prebuilt = link.iter().flat_map(|link| &link.prebuilt);
    let prebuilt: Vec<Option<Vec<u8>>> = prebuilt
        .map(|input| std::fs::read(&input.path).ok())
        .collect();
    hashed(&(units, prebuilt))
}

fn hashed(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
