//! `knockon-scale`: how execute-after grows, on graphs like sqlite3's with up to 100,000
//! procedures.

use anyhow::{Context, Result, bail};
use clap::Parser;
use knockon_build::build_plan::plan_of_directory;
use knockon_build::clang::find_clang;
use knockon_impact::Procedure;
use knockon_impact::all_pairs::execute_after_all;
use knockon_impact::call_flow;
use knockon_impact::component_graph::{ComponentGraph, ComponentGraphSize, component_graph};
use knockon_impact::execute_after::{Direction, execute_after};
use knockon_impact::order_graph::order_graph;
use knockon_memory::precise_call_graph::precise_call_graph;
use knockon_program::{TimeLimit, link};
use knockon_trials::corpus::BUILDS;
use knockon_trials::random::Random;
use knockon_trials::reading::{read_afresh, timed};
use knockon_trials::results_document::replace_section;
use knockon_trials::synthetic_graph::{Scale, enlarged, recursive_groups};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

#[derive(Parser)]
#[command(
    about = "Measures execute-after on graphs like sqlite3's of growing size; writes docs/results.md",
    version
)]
struct Arguments {
    /// The numbers of procedures
    #[arg(default_values_t = [1_000, 3_000, 10_000, 30_000, 100_000])]
    procedures: Vec<usize>,
    /// Components a procedure
    #[arg(long, default_value_t = 16)]
    components: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The package of the corpus whose graph is enlarged; one of its programs has its name
    #[arg(long, default_value = "sqlite3")]
    package: String,
    /// Only print
    #[arg(long)]
    dry_run: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let original = original_graph(&arguments.package)?;
    let mut text = format!(
        "`make bench`, by `knockon-scale` (seed {}): execute-after on lifts of {}'s component graph, with the degrees of its components. The original has fewer components a procedure ({:.1}) than is asked for here ({}), so procedures have several bodies one after the other, and call and are called that many times more often; what may run at any time in the original does not in the lifts, since it would relate everything with everything. Sizes that are no multiple of the original leave procedures out, which shrinks the largest group's share. CPU seconds of one run on one thread; the peak is the process's. *Build* is the component graph and the order graph from a ready flow. *Fig. 4* is the slowest of 20 random procedures on the built graph, backward with the reversal of the graph; *Fig. 5* is the whole relation in condensed form (rows × columns of classes). *Pairs* is the size of the expanded relation, which is only counted.\n\n",
        arguments.seed,
        arguments.package,
        original.size().components as f64 / original.size().procedures as f64,
        arguments.components
    );
    text.push_str("| procedures | components | flow edges | call edges | largest group | build, s | Fig. 4 after, s | before, s | Fig. 5, s | rows × columns | condensed, MB | peak, MB | pairs, million | share |\n");
    text.push_str("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    row(&mut text, &measure(&original, None, arguments.seed)?);
    for procedures in &arguments.procedures {
        let scale = Scale {
            procedures: *procedures,
            components: procedures * arguments.components,
        };
        row(&mut text, &measure(&original, Some(scale), arguments.seed)?);
    }
    text.push_str("\nThe first row is the original.\n");
    if !arguments.dry_run {
        replace_section(Path::new("docs/results.md"), "scale", &text)?;
    }
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    Ok(())
}

/// The component graph of the corpus package.
fn original_graph(package: &str) -> Result<ComponentGraph> {
    let root = Path::new(BUILDS).join(package);
    let root = root
        .canonicalize()
        .with_context(|| format!("{} is missing; scripts/corpus makes it", root.display()))?;
    let clang = find_clang(None)?;
    let plan = plan_of_directory(&root, None)?;
    let Some(executable) = plan.executables.iter().find(|one| one.name == package) else {
        bail!("{} has no executable {package}", root.display());
    };
    let mut units = Vec::new();
    for unit in &executable.units {
        units.push(read_afresh(&plan.units[*unit], &clang)?.program);
    }
    let mut program = link(units);
    knockon_graphs::promote(&mut program);
    let (calls, _) = precise_call_graph(&program, TimeLimit::NONE).expect("there is no limit");
    Ok(component_graph(&call_flow(&program, &calls)))
}

struct Measured {
    size: ComponentGraphSize,
    largest_group: usize,
    build: Duration,
    after: Duration,
    before: Duration,
    all: Duration,
    rows: usize,
    columns: usize,
    condensed_bytes: usize,
    peak_bytes: usize,
    pairs: u64,
}

/// `None` is the original.
fn measure(original: &ComponentGraph, scale: Option<Scale>, seed: u64) -> Result<Measured> {
    reset_peak()?;
    let (build, graph) = match scale {
        Some(scale) => {
            let flow = enlarged(original, scale, seed);
            timed(|| component_graph(&flow))
        }
        None => (Duration::ZERO, original.clone()),
    };
    let (ordering, order) = timed(|| order_graph(&graph));
    let functions: Vec<Procedure> = graph.functions().collect();
    let mut random = Random::new(seed);
    let asked: Vec<Procedure> = (0..20).map(|_| *random.pick(&functions)).collect();
    let (reversing, reversed) = timed(|| order.reversed());
    let slowest = |direction, order| {
        let times = asked.iter().map(|function| {
            timed(|| {
                execute_after(&graph, order, *function, direction)
                    .related
                    .len()
            })
            .0
        });
        times.max().unwrap_or_default()
    };
    let after = slowest(Direction::After, &order);
    let before = reversing + slowest(Direction::Before, &reversed);
    drop(reversed);
    let (all, relation) = timed(|| execute_after_all(&graph, &order));
    let groups = recursive_groups(&graph);
    Ok(Measured {
        size: graph.size(),
        largest_group: (0..groups.count())
            .map(|group| groups.members.of(group).len())
            .max()
            .unwrap_or(0),
        build: build + ordering,
        after,
        before,
        all,
        rows: relation.rows.count(),
        columns: relation.columns.count(),
        condensed_bytes: relation.byte_count(),
        peak_bytes: peak()?,
        pairs: relation.pair_count(),
    })
}

fn row(text: &mut String, measured: &Measured) {
    let megabytes = |bytes: usize| bytes as f64 / 1e6;
    let functions = measured.size.procedures as f64;
    let _ = writeln!(
        text,
        "| {} | {} | {} | {} | {} | {:.2} | {:.3} | {:.3} | {:.2} | {} × {} | {:.1} | {:.0} | {:.1} | {:.0} % |",
        measured.size.procedures,
        measured.size.components,
        measured.size.flow_edges,
        measured.size.call_edges,
        measured.largest_group,
        measured.build.as_secs_f64(),
        measured.after.as_secs_f64(),
        measured.before.as_secs_f64(),
        measured.all.as_secs_f64(),
        measured.rows,
        measured.columns,
        megabytes(measured.condensed_bytes),
        megabytes(measured.peak_bytes),
        measured.pairs as f64 / 1e6,
        100.0 * measured.pairs as f64 / (functions * functions)
    );
}

/// Lets the kernel count this process's peak anew.
fn reset_peak() -> Result<()> {
    std::fs::write("/proc/self/clear_refs", "5").context("/proc/self/clear_refs")
}

/// The most memory since then.
fn peak() -> Result<usize> {
    let status = std::fs::read_to_string("/proc/self/status").context("/proc/self/status")?;
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<usize>().ok())
        .context("/proc/self/status has no VmHWM")?;
    Ok(kilobytes * 1024)
}
