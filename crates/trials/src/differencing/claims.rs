//! What the analyses say of a pair: which nodes are paired, which are sources, which are impacted;
//! and what the command makes of it.

use super::reported::command_report;
use crate::against_clang::HarnessError;
use fixedbitset::FixedBitSet;
use knockon_change::{Change, Edits, Side, Sides, Version, pair};
use knockon_engine::levels::Level;
use knockon_engine::read::versions::ReadVersions;
use knockon_impact::dataflow_impact::{SourceMap, dataflow_impact};
use knockon_impact::dependence::program_graph::ProgramDependence;
use knockon_program::{Node, Program, TimeLimit};
use knockon_report::DiffReport;

#[derive(Clone, Debug, Default)]
pub struct Claims {
    pub change: Change,
    /// By function, by instruction; a function without a row has no impacted node.
    pub impacted: Sides<Vec<FixedBitSet>>,
}

/// Whatever makes claims of two versions, and reports.
#[derive(Clone, Copy)]
pub struct Analysis {
    pub claims: fn(Sides<Version<'_>>, &Edits) -> Claims,
    pub report: Option<Report>,
}

pub type Report = fn(&ReadVersions, Level) -> Result<DiffReport, HarnessError>;

/// Knockon's own.
pub const KNOCKON: Analysis = Analysis {
    claims: dataflow_claims,
    report: Some(command_report),
};

/// What Knockon claims: its pairing, and its dataflow impact.
pub fn dataflow_claims(versions: Sides<Version<'_>>, edits: &Edits) -> Claims {
    let change = pair(versions, edits);
    let old = ProgramDependence::new(versions.old.program, versions.old.memory);
    let new = ProgramDependence::new(versions.new.program, versions.new.memory);
    let impact = dataflow_impact(&old, &new, &change, SourceMap::Fine, TimeLimit::NONE)
        .expect("there is no limit");
    let rows = |side: Side| -> Vec<FixedBitSet> {
        let functions = versions.of(side).program.function_ids();
        let row = |function| {
            let body = versions.of(side).program.function(function).body.as_ref();
            let length = body.map_or(0, |body| body.instructions.len());
            let mut row = FixedBitSet::with_capacity(length);
            for id in body.into_iter().flat_map(|body| body.instruction_ids()) {
                row.set(id.index(), impact.is_impacted(side, function, id));
            }
            row
        };
        functions.map(row).collect()
    };
    let impacted = Sides {
        old: rows(Side::Old),
        new: rows(Side::New),
    };
    drop(impact);
    Claims { change, impacted }
}

impl Claims {
    /// A source, or impacted.
    pub fn may_differ(&self, side: Side, (function, node): Node) -> bool {
        let row = self.impacted.of(side).get(function.index());
        self.change.is_source(side, function, node)
            || row.is_some_and(|row| row.contains(node.index()))
    }

    /// How many nodes of the new version may differ.
    pub fn claimed_nodes(&self, program: &Program) -> usize {
        let functions = program.defined_functions();
        let claimed = functions.map(|(function, _, body)| {
            body.instruction_ids()
                .filter(|id| self.may_differ(Side::New, (function, *id)))
                .count()
        });
        claimed.sum()
    }
}
