//! **Question.** What do reading and the graphs cost, beside clang's own time on the
//! same units?
//!
//! All times are CPU times of one run on one machine, so only the ratios count. The
//! cold and warm runs are the `knockon` binary itself, on a fresh and on a filled cache.

mod package;
mod runs;

use crate::corpus::BUILDS;
use crate::results_document::replace_section;
use anyhow::{Context, Result};
use package::{PackageCost, measure_package};
use std::fmt::Write;
use std::path::Path;

/// Measures the packages and writes the tables into `docs/results.md`.
pub fn run(names: &[String]) -> Result<()> {
    let clang = knockon_frontend::clang::find_clang(None)?;
    let mut costs = Vec::new();
    for name in names {
        let root = Path::new(BUILDS).join(name);
        let root = root
            .canonicalize()
            .with_context(|| format!("{} is missing; scripts/corpus makes it", root.display()))?;
        costs.push(measure_package(name, &root, &clang)?);
    }
    let text = tables(&costs, &clang.version);
    replace_section(Path::new("docs/results.md"), "bench", &text)?;
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    Ok(())
}

fn tables(costs: &[PackageCost], clang: &str) -> String {
    let mut text = format!(
        "`make bench`, with {clang}. CPU seconds of one run; the ratio is (read + link + promote + graphs) / clang.\n\n"
    );
    text.push_str("| package | units | instructions | clang | read | link | promote | graphs | ratio | MB/s read |\n");
    text.push_str("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    let mut total = PackageCost::default();
    let row = |text: &mut String, cost: &PackageCost| {
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
            100.0 * cost.ours().as_secs_f64() / cost.reading.clang.as_secs_f64(),
            cost.reading.ir_bytes as f64 / 1e6 / cost.reading.read.as_secs_f64()
        );
    };
    for cost in costs {
        row(&mut text, cost);
        total.add(cost);
    }
    total.name = "all".to_owned();
    row(&mut text, &total);
    text.push_str("\nThe same packages with the `knockon read` command, cold and then warm: CPU seconds with its children, wall-clock seconds, and the peak memory of the warm run (a cold one's is clang's).\n\n");
    text.push_str("| package | cold CPU | warm CPU | cold wall | warm wall | wall, cold / warm | peak MB | MB per million instructions |\n");
    text.push_str("|---|--:|--:|--:|--:|--:|--:|--:|\n");
    let run_row = |text: &mut String, cost: &PackageCost| {
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
    };
    for cost in costs {
        run_row(&mut text, cost);
    }
    run_row(&mut text, &total);
    text
}
