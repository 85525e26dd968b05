//! **Question.** Is every unit of real packages read whole, and do our graphs agree
//! with LLVM's own?
//!
//! For each captured package and each of its units: clang prints the IR, Knockon reads
//! it; instruction counts per function and opcode are held against what
//! `llvm-bcanalyzer` finds in the bitcode, dominators, post-dominators and loops
//! against what `opt` prints, promotion against `opt -passes=mem2reg`.

pub mod diff;
pub mod execute_after;
mod llvm_tools;
mod package;
pub mod peers;
pub mod semantic;
pub mod slices;
mod subject;
mod table;

use crate::results_document::replace_section;
use anyhow::{Context, Result, bail};
use package::{PackageResult, examine_package};
use std::path::Path;

/// Where `scripts/corpus` leaves the captured packages.
pub const BUILDS: &str = "corpus/builds";

/// Measures execute-after on the named packages, or on all of both corpora, and writes the table.
pub fn run_execute_after(names: &[String]) -> Result<()> {
    let clang = knockon_build::clang::find_clang(None)?;
    let mut rows = Vec::new();
    for root in subject::packages(names)? {
        let row = execute_after::measure(&root, &clang)?;
        let mut stderr = std::io::stderr();
        std::io::Write::write_fmt(
            &mut stderr,
            format_args!("{}: {} procedures\n", row.package, row.procedures),
        )?;
        rows.push(row);
    }
    if rows.is_empty() {
        bail!("no captured package; scripts/capture-packages makes them");
    }
    let text = execute_after::table(&rows, &clang.version);
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    if names.is_empty() {
        replace_section(Path::new("docs/results.md"), "execute-after", &text)?;
    }
    Ok(())
}

/// Reads and checks the named packages, prints a table, and fails on any unit that
/// could not be read or on any disagreement.
pub fn run(names: &[String]) -> Result<()> {
    let clang = knockon_build::clang::find_clang(None)?;
    let tools = llvm_tools::LlvmTools::find(clang.major)
        .context("the corpus is held against LLVM's own tools")?;
    let mut results = Vec::new();
    for name in names {
        let root = Path::new(BUILDS).join(name);
        let root = root
            .canonicalize()
            .with_context(|| format!("{} is missing; scripts/corpus makes it", root.display()))?;
        let result = examine_package(name, &root, &clang, &tools)?;
        table::print_row(&result)?;
        results.push(result);
    }
    let text = table::table(&results, &clang.version);
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    let wrong: usize = results.iter().map(PackageResult::problems).sum();
    if wrong > 0 {
        bail!("{wrong} problems, listed above");
    }
    replace_section(Path::new("docs/results.md"), "corpus", &text)
}
