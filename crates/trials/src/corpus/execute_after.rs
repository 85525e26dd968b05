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

use super::subject::{reached, read_subject};
use crate::reading::timed;
use anyhow::Result;
use fixedbitset::FixedBitSet;
use knockon_build::clang::Clang;
use knockon_impact::Procedure;
use knockon_impact::all_pairs::execute_after_all;
use knockon_impact::component_graph::{ComponentGraph, ComponentGraphSize, component_graph};
use knockon_impact::execute_after::{Direction, Reason, execute_after};
use knockon_impact::order_graph::{OrderGraph, order_graph};
use knockon_memory::precise_call_graph::precise_call_graph;
use knockon_program::{Program, TimeLimit};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

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

pub fn measure(root: &Path, clang: &Clang) -> Result<Measures> {
    let subject = read_subject(root, clang)?;
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let measures = threads.install(|| measure_program(&subject.program));
    Ok(Measures {
        package: subject.package,
        program: subject.name,
        clang_time: subject.clang_time,
        ..measures
    })
}

fn measure_program(program: &Program) -> Measures {
    let (call_graph_time, (calls, _)) =
        timed(|| precise_call_graph(program, TimeLimit::NONE).expect("there is no limit"));
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
