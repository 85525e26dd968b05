//! **Question.** What does one changed line of a large program cost, beside clang's own time on the
//! unit that it is in?

use super::runs::{RunCost, cold_and_warm_of};
use crate::reading::read_afresh;
use anyhow::{Context, Result, bail};
use knockon_build::build_plan::plan_of_directory;
use knockon_build::clang::Clang;
use std::fmt::Write;
use std::path::Path;

/// The package, and the files that make its program when they are compiled as they are.
pub const PACKAGE: &str = "sqlite3";
const FILES: [&str; 4] = ["sqlite3.c", "sqlite3.h", "sqlite3ext.h", "shell.c"];
const CHANGED: &str = "sqlite3.c";
const BEFORE: &str = "pPage->max1bytePayload = pBt->max1bytePayload;";
const AFTER: &str = "pPage->max1bytePayload = pBt->max1bytePayload - 1;";

pub struct ChangeCost {
    /// Of the changed unit, in both versions.
    clang: f64,
    cold: RunCost,
    warm: RunCost,
}

pub fn measure_change(root: &Path, clang: &Clang) -> Result<ChangeCost> {
    let trees = tempfile::tempdir()?;
    let [old, new] = ["old", "new"].map(|side| trees.path().join(side));
    for side in [&old, &new] {
        std::fs::create_dir(side)?;
        for file in FILES {
            let from = root.join(file);
            std::fs::copy(&from, side.join(file))
                .with_context(|| format!("copying {}", from.display()))?;
        }
    }
    let path = new.join(CHANGED);
    let text = std::fs::read_to_string(&path)?;
    if !text.contains(BEFORE) {
        bail!("{CHANGED} of {PACKAGE} has no line `{BEFORE}`");
    }
    std::fs::write(&path, text.replacen(BEFORE, AFTER, 1))?;
    let mut compiling = 0.0;
    for side in [&old, &new] {
        for unit in plan_of_directory(side, None)?.units {
            if unit.file.ends_with(CHANGED) {
                compiling += read_afresh(&unit, clang)?.cost.clang.as_secs_f64();
            }
        }
    }
    let (cold, warm) = cold_and_warm_of(|knockon| {
        knockon
            .arg("diff")
            .args([&old, &new])
            .args(["--level", "dataflow", "--format", "json"]);
    })?;
    Ok(ChangeCost {
        clang: compiling,
        cold,
        warm,
    })
}

pub fn change_table(cost: &ChangeCost) -> String {
    let mut text = format!(
        "\nOne changed line in {PACKAGE} and its shell, `{BEFORE}` to `{AFTER}`, with `knockon diff --level dataflow`, cold and then warm: CPU seconds with its children, beside clang's for the changed unit in both versions.\n\n"
    );
    text.push_str("| program | clang | cold CPU | / clang | warm CPU | / clang | warm wall | warm peak MB |\n");
    text.push_str("|---|--:|--:|--:|--:|--:|--:|--:|\n");
    let _ = writeln!(
        text,
        "| {PACKAGE} | {:.2} | {:.2} | {:.1} | {:.2} | {:.1} | {:.2} | {:.0} |",
        cost.clang,
        cost.cold.cpu,
        cost.cold.cpu / cost.clang,
        cost.warm.cpu,
        cost.warm.cpu / cost.clang,
        cost.warm.wall,
        cost.warm.peak_bytes / 1e6,
    );
    text
}
