//! **Question.** How large are the execute-after sets of real programs, how large is the graph
//! they come from, how much of them does the call graph alone find, and what does it all cost?
//!
//! **Source.** [sea] §4: Table 2 (procedures), Table 4 (average SEB sizes), Table 5 (graph sizes),
//! Fig. 7 (recall of the call graph) and Fig. 8 (average CALL sizes). The averages of SEA and SEB
//! are equal, since one is the inverse of the other. All sets count with the identity, as in the
//! paper, where a set contains the procedure it belongs to. Recall is relative to SEA itself, not
//! to slices as in Fig. 7.
//!
//! Of each package the program with the most units is measured, on one thread. What no entry
//! reaches (linked library code that is not used) is counted apart and left out of the sets.

use crate::reading::{read_afresh, timed};
use anyhow::{Context, Result};
use fixedbitset::FixedBitSet;
use knockon_frontend::build_plan::{BuildPlan, plan_of_directory};
use knockon_frontend::clang::Clang;
use knockon_impact::Procedure;
use knockon_impact::all_pairs::execute_after_all;
use knockon_impact::component_graph::{ComponentGraph, ComponentGraphSize, component_graph};
use knockon_impact::execute_after::{Direction, Reason, execute_after};
use knockon_impact::order_graph::{OrderGraph, order_graph};
use knockon_memory::precise_call_graph::precise_call_graph;
use knockon_program::{Program, link};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where `scripts/capture-packages` leaves the captured subjects of the paper.
pub const SUBJECTS: &str = "corpus/subjects";

/// Procedures and SEB size in percent as the paper gives them, for its own versions.
const PAPER: [(&str, usize, f64); 13] = [
    ("acct", 50, 71.72),
    ("barcode", 62, 17.07),
    ("bc", 204, 54.22),
    ("byacc", 178, 54.74),
    ("diffutils", 192, 35.09),
    ("ed", 120, 83.70),
    ("exuberant-ctags", 518, 80.55),
    ("findutils", 608, 22.77),
    ("flex", 152, 77.41),
    ("gnubg", 192, 23.20),
    ("gnuchess", 261, 24.84),
    ("indent", 111, 71.13),
    ("libjpeg-turbo", 467, 40.05),
];

/// The measures of one program.
pub struct Measures {
    pub package: String,
    pub program: String,
    pub procedures: usize,
    /// Those that are reached from the entries; the averages are over them.
    pub reached: usize,
    pub size: ComponentGraphSize,
    /// Average sizes as shares of the procedures.
    pub after: f64,
    pub calls: f64,
    /// Average shares of SEA that CALL, and CALL with its inverse, find.
    pub recall_of_calls: f64,
    pub recall_of_both: f64,
    pub call_graph_time: Duration,
    pub graph_time: Duration,
    /// Fig. 4: all procedures, one after the other.
    pub each_time: Duration,
    pub slowest_time: Duration,
    /// Fig. 5: all procedures at once.
    pub all_time: Duration,
    pub clang_time: Duration,
}

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

pub fn measure(root: &Path, clang: &Clang) -> Result<Measures> {
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
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let measures = threads.install(|| measure_program(&program));
    Ok(Measures {
        package: name_of(&root),
        program: name,
        clang_time,
        ..measures
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

fn measure_program(program: &Program) -> Measures {
    let (call_graph_time, (calls, _)) = timed(|| precise_call_graph(program));
    let (graph_time, (components, order)) = timed(|| {
        let components = component_graph(&knockon_impact::call_flow(program, &calls));
        let order = order_graph(&components);
        (components, order)
    });
    let (all_time, after) = timed(|| execute_after_all(&components, &order));
    let reached = reached(&components);
    let procedures: Vec<Procedure> = (components.functions())
        .filter(|procedure| reached.contains(procedure.index()))
        .collect();
    let sets = Sets::of(&components, &order, &procedures);
    let count = procedures.len().max(1) as f64;
    let mut measures = Measures {
        package: String::new(),
        program: String::new(),
        procedures: components.functions().count(),
        reached: procedures.len(),
        size: components.size(),
        after: 0.0,
        calls: 0.0,
        recall_of_calls: 0.0,
        recall_of_both: 0.0,
        call_graph_time,
        graph_time,
        each_time: sets.each_time,
        slowest_time: sets.slowest_time,
        all_time,
        clang_time: Duration::ZERO,
    };
    for procedure in &procedures {
        let mut all = FixedBitSet::with_capacity(components.procedure_count());
        all.extend(after.related(*procedure).iter().map(|row| row.index()));
        all.insert(procedure.index());
        all.intersect_with(&reached);
        let calls = &sets.calls[procedure.index()];
        let mut both = calls.clone();
        both.union_with(&sets.callers[procedure.index()]);
        // What never returns is called and yet not in the set of its callees.
        let found = both.intersection_count(&all);
        let size = all.count_ones(..) as f64;
        measures.after += size / count / count;
        measures.calls += calls.count_ones(..) as f64 / count / count;
        measures.recall_of_calls += calls.intersection_count(&all) as f64 / size / count;
        measures.recall_of_both += found as f64 / size / count;
    }
    measures
}

/// The procedures that the root calls, and what may run at any time. The root is the first pseudo
/// procedure.
fn reached(components: &ComponentGraph) -> FixedBitSet {
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

/// CALL and its inverse, with the identity, and what finding them by Fig. 4 costs.
struct Sets {
    calls: Vec<FixedBitSet>,
    callers: Vec<FixedBitSet>,
    each_time: Duration,
    slowest_time: Duration,
}

impl Sets {
    fn of(components: &ComponentGraph, order: &OrderGraph, procedures: &[Procedure]) -> Sets {
        let count = components.procedure_count();
        let mut sets = Sets {
            calls: vec![FixedBitSet::with_capacity(count); count],
            callers: vec![FixedBitSet::with_capacity(count); count],
            each_time: Duration::ZERO,
            slowest_time: Duration::ZERO,
        };
        for procedure in procedures {
            let caller = procedure.index();
            let (time, found) =
                timed(|| execute_after(components, order, *procedure, Direction::After));
            sets.each_time += time;
            sets.slowest_time = sets.slowest_time.max(time);
            let called = found
                .related
                .iter()
                .filter(|row| row.reason == Reason::Calls);
            for callee in called.map(|row| row.function.index()).chain([caller]) {
                sets.calls[caller].insert(callee);
                sets.callers[callee].insert(caller);
            }
        }
        sets
    }
}

/// The table of all measured programs.
pub fn table(rows: &[Measures], clang: &str) -> String {
    let mut text = format!(
        "`make corpus-after`, with {clang}. [sea] §4 on today's versions, the program with the most units of each package. Sets and averages are of the procedures that are reached from the entries, the identity included; SEA and SEB have the same average. Recall is the average share of a procedure's SEA set that the call graph alone finds: CALL, and CALL with its inverse. Components and edges are those of the ICCFG, edges inside procedures plus call edges. CPU seconds of one thread; *one* is Fig. 4 for one procedure, mean and slowest, *all* is Fig. 5.\n\n\
         | package | program | procedures | reached | components | joints | edges | SEA, SEB | CALL | recall of CALL | with inverse | in the paper: procedures | SEB |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    for row in rows {
        let paper = PAPER.iter().find(|paper| paper.0 == row.package);
        let (procedures, size) = paper.map_or_else(Default::default, |(_, procedures, size)| {
            (procedures.to_string(), format!("{size:.1} %"))
        });
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {procedures} | {size} |",
            row.package,
            row.program,
            row.procedures,
            row.reached,
            row.size.components,
            row.size.joints,
            row.size.flow_edges + row.size.call_edges,
            100.0 * row.after,
            100.0 * row.calls,
            100.0 * row.recall_of_calls,
            100.0 * row.recall_of_both,
        );
    }
    let _ = writeln!(
        text,
        "\n| package | clang, s | points-to and call graph, s | ICCFG, s | one, ms | slowest, ms | all, ms |\n|---|--:|--:|--:|--:|--:|--:|"
    );
    for row in rows {
        let mean = row.each_time.as_secs_f64() / row.reached.max(1) as f64;
        let _ = writeln!(
            text,
            "| {} | {:.2} | {:.3} | {:.3} | {:.3} | {:.3} | {:.1} |",
            row.package,
            row.clang_time.as_secs_f64(),
            row.call_graph_time.as_secs_f64(),
            row.graph_time.as_secs_f64(),
            1e3 * mean,
            1e3 * row.slowest_time.as_secs_f64(),
            1e3 * row.all_time.as_secs_f64()
        );
    }
    text
}
