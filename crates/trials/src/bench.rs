//! **Question.** What do reading, the graphs and the memory model cost, beside clang's own time on the
//! same units?
//!
//! All times are CPU times of one run on one machine, so only the ratios count. The
//! cold and warm runs are the `knockon` binary itself, on a fresh and on a filled cache.

mod one_line_change;
mod package;
mod runs;

use crate::corpus::BUILDS;
use crate::results_document::replace_section;
use anyhow::{Context, Result};
use one_line_change::{PACKAGE, change_table, measure_change};
use package::{MemoryCost, PackageCost, measure_package};
use std::fmt::Write;
use std::path::Path;

/// Measures the packages and prints the tables; those of the whole corpus go into
/// `docs/results.md`.
pub fn run(names: &[String], is_whole: bool) -> Result<()> {
    let clang = knockon_build::clang::find_clang(None)?;
    let mut costs = Vec::new();
    let mut changed = None;
    for name in names {
        let root = Path::new(BUILDS).join(name);
        let root = root
            .canonicalize()
            .with_context(|| format!("{} is missing; scripts/corpus makes it", root.display()))?;
        costs.push(measure_package(name, &root, &clang)?);
        if name == PACKAGE {
            changed = Some(measure_change(&root, &clang)?);
        }
    }
    let mut text = tables(&costs, &clang.version);
    text.extend(changed.as_ref().map(change_table));
    if is_whole {
        replace_section(Path::new("docs/results.md"), "bench", &text)?;
    }
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    Ok(())
}

fn tables(costs: &[PackageCost], clang: &str) -> String {
    let mut total = PackageCost::default();
    costs.iter().for_each(|cost| total.add(cost));
    total.name = "all".to_owned();
    let rows: Vec<&PackageCost> = costs.iter().chain([&total]).collect();
    let mut text = reading_table(&rows, clang);
    text.push_str(&memory_table(&rows));
    text.push_str(&run_table(&rows));
    text
}

fn reading_table(costs: &[&PackageCost], clang: &str) -> String {
    let mut text = format!(
        "`make bench`, with {clang}. CPU seconds of one run; the ratio is (read + link + promote + graphs) / clang.\n\n"
    );
    text.push_str("| package | units | instructions | clang | read | link | promote | graphs | ratio | MB/s read |\n");
    text.push_str("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for cost in costs {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.2} | {:.3} | {:.3} | {:.3} | {:.3} | {:.0} % | {:.0} |",
            cost.name,
            cost.reading.units,
            cost.instructions,
            cost.reading.clang.as_secs_f64(),
            cost.reading.read.as_secs_f64(),
            cost.link.as_secs_f64(),
            cost.promote.as_secs_f64(),
            cost.graphs.as_secs_f64(),
            cost.percent_of_clang(cost.ours()),
            cost.reading.ir_bytes as f64 / 1e6 / cost.reading.read.as_secs_f64()
        );
    }
    text
}

fn memory_table(costs: &[&PackageCost]) -> String {
    let mut text = "\nThe memory model of the same programs, in the same run: points-to sets with the call graph, and regions with what each function may read and write. CPU seconds on one thread, and their share of clang's own time.\n\n".to_owned();
    text.push_str("| package | regions | clang | points-to, call graph | / clang | regions, mod/ref | / clang | both / clang |\n");
    text.push_str("|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for cost in costs {
        let MemoryCost {
            points_to,
            regions,
            region_count,
        } = cost.memory;
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.3} | {:.0} % | {:.3} | {:.0} % | {:.0} % |",
            cost.name,
            region_count,
            cost.reading.clang.as_secs_f64(),
            points_to.as_secs_f64(),
            cost.percent_of_clang(points_to),
            regions.as_secs_f64(),
            cost.percent_of_clang(regions),
            cost.percent_of_clang(points_to + regions)
        );
    }
    text
}

fn run_table(costs: &[&PackageCost]) -> String {
    let mut text = "\nThe same packages with the `knockon read` command, cold and then warm: CPU seconds with its children, wall-clock seconds, and the peak memory of the warm run (a cold one's is clang's).\n\n".to_owned();
    text.push_str("| package | cold CPU | warm CPU | cold wall | warm wall | wall, cold / warm | peak MB | MB per million instructions |\n");
    text.push_str("|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for cost in costs {
        let _ = writeln!(
            text,
            "| {} | {:.2} | {:.3} | {:.2} | {:.3} | {:.1} | {:.0} | {:.0} |",
            cost.name,
            cost.cold.cpu,
            cost.warm.cpu,
            cost.cold.wall,
            cost.warm.wall,
            cost.cold.wall / cost.warm.wall,
            cost.warm.peak_bytes / 1e6,
            cost.warm.peak_bytes / cost.instructions as f64
        );
    }
    text
}
