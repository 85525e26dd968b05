//! One package of the corpus: read, counted, compared.

use super::llvm_tools::LlvmTools;
use crate::agreement::{Agreement, compare_printed_graphs, compare_promotion};
use crate::reading::{ReadUnit, ReadingCost, read_afresh};
use anyhow::Result;
use knockon_build::build_plan::plan_of_directory;
use knockon_build::clang::Clang;
use knockon_build::unit::UnitCommand;
use knockon_llvm::census::{census, census_of_bitcode_dump, differences};
use knockon_llvm::read_unit;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Default)]
pub struct PackageResult {
    pub name: String,
    pub executables: usize,
    pub reading: ReadingCost,
    pub functions: usize,
    pub instructions: usize,
    pub caveats: BTreeMap<&'static str, usize>,
    pub compared: Compared,
    /// Units that did not compile or could not be read, and every disagreement.
    pub messages: Vec<String>,
}

#[derive(Default)]
pub struct Compared {
    pub counted_functions: usize,
    pub graph_functions: usize,
    pub promoted_functions: usize,
}

impl PackageResult {
    pub fn problems(&self) -> usize {
        self.messages.len()
    }

    fn add(&mut self, unit: PackageResult) {
        self.reading += unit.reading;
        self.functions += unit.functions;
        self.instructions += unit.instructions;
        for (kind, count) in unit.caveats {
            *self.caveats.entry(kind).or_default() += count;
        }
        self.compared.counted_functions += unit.compared.counted_functions;
        self.compared.graph_functions += unit.compared.graph_functions;
        self.compared.promoted_functions += unit.compared.promoted_functions;
        self.messages.extend(unit.messages);
    }
}

pub fn examine_package(
    name: &str,
    root: &Path,
    clang: &Clang,
    tools: &LlvmTools,
) -> Result<PackageResult> {
    let plan = plan_of_directory(root, None)?;
    let mut result = PackageResult {
        name: name.to_owned(),
        executables: plan.executables.len(),
        ..PackageResult::default()
    };
    for caveat in &plan.caveats {
        *result.caveats.entry(caveat.kind.name()).or_default() += 1;
    }
    let units: Vec<PackageResult> = plan
        .units
        .par_iter()
        .map(|unit| {
            let mut result = PackageResult::default();
            if let Err(error) = examine_unit(unit, clang, tools, &mut result) {
                let file = unit.display_path();
                result
                    .messages
                    .push(format!("{}: {error:#}", file.display()));
            }
            result
        })
        .collect();
    for unit in units {
        result.add(unit);
    }
    Ok(result)
}

fn examine_unit(
    unit: &UnitCommand,
    clang: &Clang,
    tools: &LlvmTools,
    result: &mut PackageResult,
) -> Result<()> {
    let file = unit.display_path();
    let ReadUnit {
        text,
        program,
        cost,
    } = read_afresh(unit, clang)?;
    result.reading = cost;
    result.functions = program.defined_functions().count();
    result.instructions = program.instruction_count();
    for caveat in &program.caveats {
        *result.caveats.entry(caveat.kind.name()).or_default() += 1;
    }

    let ours = census(&program);
    let theirs = census_of_bitcode_dump(&tools.bitcode_dump(&text)?);
    result.compared.counted_functions = ours.len();
    let label = |message: &str| format!("{}: {message}", file.display());
    result
        .messages
        .extend(differences(&ours, &theirs).iter().map(|one| label(one)));

    let graphs = compare_printed_graphs(&program, &tools.printed_graphs(&text)?);
    result.compared.graph_functions = graphs.functions;
    let theirs = read_unit(&tools.promoted(&text)?, &file.to_string_lossy())?;
    let mut promoted = program;
    knockon_graphs::promote_as_mem2reg(&mut promoted);
    let promotion = compare_promotion(&promoted, &theirs);
    result.compared.promoted_functions = promotion.functions;
    let disagreements = |agreement: Agreement| {
        agreement
            .disagreements
            .into_iter()
            .map(|one| label(&format!("{}: {}", one.function, one.message)))
            .collect::<Vec<_>>()
    };
    result.messages.extend(disagreements(graphs));
    result.messages.extend(disagreements(promotion));
    Ok(())
}
