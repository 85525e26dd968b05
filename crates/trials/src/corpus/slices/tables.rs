//! The measures of all programs as tables.

use super::{BUDGET, CRITERIA, Compared, Measures, SEED};
use knockon_program::{FunctionId, Program};
use std::fmt::Write as _;

/// Average sizes of backward slices and SEB sets in percent as [sea] Table 4 has them.
const PAPER: [(&str, f64, f64); 11] = [
    ("acct", 56.40, 71.72),
    ("bc", 48.88, 54.22),
    ("byacc", 45.55, 54.74),
    ("diffutils", 27.80, 35.09),
    ("ed", 77.42, 83.70),
    ("exuberant-ctags", 74.29, 80.55),
    ("findutils", 20.63, 22.77),
    ("flex", 63.92, 77.41),
    ("gnuchess", 20.96, 24.84),
    ("indent", 67.32, 71.13),
    ("libjpeg-turbo", 34.71, 40.05),
];

/// What of [sea] Table 7 is of these programs: by how much forward slices are larger than backward
/// ones, and the part of them that SEA shows to be wrong, in percent.
const PAPER_DUALITY: [(&str, f64, f64); 2] = [("diffutils", 0.50, 1.76), ("ed", 0.39, 0.482)];

/// So many violations of one kind are listed.
const LISTED: usize = 10;

/// The pairs that violate containment or duality.
pub fn violations(program: &Program, row: &Measures) -> String {
    let mut text = String::new();
    let kinds = [
        ("in the forward slice and not in SEA", &row.forward.missing),
        (
            "in the backward slice and not in SEB",
            &row.backward.missing,
        ),
        ("joined in one direction only", &row.not_dual),
    ];
    for (kind, pairs) in kinds {
        let shown: &[(FunctionId, FunctionId)] = &pairs[..pairs.len().min(LISTED)];
        for (from, to) in shown {
            let (from, to) = (program.function_name(*from), program.function_name(*to));
            let _ = writeln!(text, "  {from} → {to}: {kind}");
        }
        if pairs.len() > shown.len() {
            let _ = writeln!(text, "  {} more {kind}", pairs.len() - shown.len());
        }
    }
    text
}

pub fn tables(rows: &[Measures], clang: &str) -> String {
    let mut text = format!(
        "`make corpus-slices`, with {clang}. [sea] §4 and §5 on today's versions, the program with the most units of each package. The slice of a procedure is that from all of its instructions, reduced to procedures; all sets are of procedures that are reached from the entries, the identity included. Of programs with more than {CRITERIA} procedures that many were drawn with seed {SEED}, as far as {} s of CPU time for the slices of one program went: *sliced*. Precision is the share of an execute-after set that is in the slice, recall the share of the slice that is in the set, both averaged over the sliced procedures; *difference* is the largest of one procedure, in percent of the procedures.\n\n",
        BUDGET.as_secs()
    );
    text.push_str(&precision_table(rows));
    if rows.iter().any(|row| row.violations() > 0) {
        text.push_str("\nWhere recall is below 100 %, slices follow ways that no run takes: over whether a call returns that never does, and over memory that a signal handler touches at any time, where the order of the two ends is lost.\n");
    }
    text.push_str(&duality_table(rows));
    text.push_str(&graph_table(rows));
    text
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn precision_table(rows: &[Measures]) -> String {
    let mut text = "| package | program | procedures | sliced | forward slice | SEA | precision | recall | difference | backward slice | SEB | precision | recall | difference | in the paper: backward slice | SEB |\n\
        |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    let cells = |compared: &Compared| {
        format!(
            "{} | {} | {} | {} | {}",
            percent(compared.slice),
            percent(compared.related),
            percent(compared.precision),
            recall(compared),
            percent(compared.largest_difference)
        )
    };
    for row in rows {
        let paper = PAPER.iter().find(|paper| paper.0 == row.package);
        let paper = paper.map_or_else(
            || " | ".to_owned(),
            |(_, slice, related)| format!("{slice:.1} % | {related:.1} %"),
        );
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {paper} |",
            row.package,
            row.program,
            row.reached,
            row.sliced,
            cells(&row.forward),
            cells(&row.backward)
        );
    }
    text
}

/// 100 % only if nothing is missing: rounding must not hide a pair.
fn recall(compared: &Compared) -> String {
    match compared.missing.len() {
        0 => "100 %".to_owned(),
        missing => format!(
            "{:.3} %, {missing} missing",
            (100.0 * compared.recall).min(99.999)
        ),
    }
}

fn duality_table(rows: &[Measures]) -> String {
    let mut text = "\nDuality ([sea] Table 7): pairs of sliced procedures (f, g) of which the forward slice of f contains g and the backward slice of g does not contain f, or the other way round; pairs of the forward slices that SEA shows to be wrong. Beside them what the paper found for its slicer: by how much forward slices are larger than backward ones, and the wrong part of them.\n\n\
        | package | pairs compared | not dual | pairs in forward slices | wrong by SEA | in the paper: larger | wrong |\n\
        |---|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for row in rows {
        let paper = PAPER_DUALITY.iter().find(|paper| paper.0 == row.package);
        let listed = PAPER.iter().any(|paper| paper.0 == row.package);
        let paper = match paper {
            Some((_, larger, wrong)) => format!("{larger:.2} % | {wrong:.2} %"),
            None if listed => "0 % | 0 %".to_owned(),
            None => " | ".to_owned(),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {paper} |",
            row.package,
            row.dual_pairs,
            row.not_dual.len(),
            row.forward.pairs,
            row.forward.missing.len()
        );
    }
    text
}

fn graph_table(rows: &[Measures]) -> String {
    let mut text = "\nThe graphs of both ([sea] Tables 5 and 6): dependence graphs of all procedures with their summary edges, and the ICCFG. CPU seconds of one thread: *memory* is points-to, call graph, regions and mod/ref, which slices need whole and execute-after up to the call graph; *ICCFG* is with the sets of all procedures; a slice is the mean of those above, with all graphs and summaries ready.\n\n\
        | package | dependence: vertices | edges | summary edges | ICCFG: vertices | edges | clang, s | memory, s | dependence, s | summaries, s | ICCFG, s | forward slice, ms | backward slice, ms |\n\
        |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for row in rows {
        let mean = |compared: &Compared| {
            1e3 * compared.slice_time.as_secs_f64() / row.sliced.max(1) as f64
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.3} | {:.1} | {:.1} |",
            row.package,
            row.dependence.vertices,
            row.dependence.edges,
            row.dependence.summary_edges,
            row.components.components + row.components.joints,
            row.components.flow_edges + row.components.call_edges,
            row.clang_time.as_secs_f64(),
            row.memory_time.as_secs_f64(),
            row.dependence_time.as_secs_f64(),
            row.summary_time.as_secs_f64(),
            row.components_time.as_secs_f64(),
            mean(&row.forward),
            mean(&row.backward)
        );
    }
    text
}
