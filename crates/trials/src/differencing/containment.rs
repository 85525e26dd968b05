//! What is reported may execute after something that changed, in the version in which it did: each
//! level lies within the coarser one.
//!
//! That is a law of the command, which takes from each level only what the one before leaves. The
//! level itself is asked here by the algorithm for all pairs of functions, which the command does
//! not use. Dependence alone is no part of execute-after: exit handlers see memory as any write may
//! have left it, what stands behind a call that never returns depends on that call, and a `setjmp`
//! sees what is written after its function is left. How much that is, is counted.

use super::{BEYOND, BEYOND_SLICES, Claims, Findings, Law};
use knockon_change::{Side, Sides, Version};
use knockon_impact::Procedure;
use knockon_impact::all_pairs::{CondensedRelation, execute_after_all};
use knockon_impact::component_graph::component_graph;
use knockon_impact::order_graph::order_graph;
use knockon_program::{FunctionId, Program};
use knockon_report::{DiffReport, Verdict};

/// What executes after what in one version.
pub struct Order<'a> {
    program: &'a Program,
    after: CondensedRelation,
}

impl<'a> Order<'a> {
    pub fn of(version: Version<'a>) -> Order<'a> {
        let flow = knockon_impact::call_flow(version.program, &version.memory.calls);
        let components = component_graph(&flow);
        Order {
            program: version.program,
            after: execute_after_all(&components, &order_graph(&components)),
        }
    }

    fn follows(&self, first: FunctionId, then: FunctionId) -> bool {
        first == then || (self.after).contains(Procedure::from(first), Procedure::from(then))
    }

    /// Counts what a slice from a node of `first` reaches and does not execute after it.
    pub fn count_slice(
        &self,
        first: FunctionId,
        is_reached: impl Fn(FunctionId) -> bool,
        findings: &mut Findings,
    ) {
        let functions = self.program.defined_functions().map(|(id, ..)| id);
        let beyond = functions.filter(|id| !self.follows(first, *id) && is_reached(*id));
        findings.tally(BEYOND_SLICES, beyond.count());
    }
}

/// Functions with something reported are in the execute-after sets of functions with sources.
pub fn check(
    orders: &Sides<Order<'_>>,
    claims: &Claims,
    report: Option<&DiffReport>,
    findings: &mut Findings,
) {
    // A changed initialiser comes before every entry, and everything executes after those.
    if !claims.change.globals.is_empty() {
        return;
    }
    let sources = Sides {
        old: changed(orders, claims, Side::Old),
        new: changed(orders, claims, Side::New),
    };
    let follows = |side: Side, function: FunctionId| {
        let mut sources = sources.of(side).iter();
        sources.any(|source| orders.of(side).follows(*source, function))
    };
    let program = orders.new.program;
    for (function, _, body) in program.defined_functions() {
        findings.count(Law::ExecuteAfter, 1);
        let partner = claims.change.partner(Side::New, function);
        if follows(Side::New, function) || partner.is_some_and(|one| follows(Side::Old, one)) {
            continue;
        }
        let is_impacted = |id| claims.may_differ(Side::New, (function, id));
        let is_beyond = body.instruction_ids().any(is_impacted);
        findings.tally(BEYOND, usize::from(is_beyond));
        let name = program.function_name(function);
        if report.is_some_and(|report| is_reported(report, name)) {
            let message = "reported, and executes after no changed function".to_string();
            findings.violated(Law::ExecuteAfter, name.to_string(), message);
        }
    }
}

/// Some line of the function is said to be one that may differ.
fn is_reported(report: &DiffReport, name: &str) -> bool {
    let mut rows = report.functions.iter().filter(|row| &*row.name == name);
    rows.any(|row| row.verdict != Verdict::Unaffected)
}

/// The functions with a source. Another interface is one too, and so is being called from outside
/// at another time.
fn changed(orders: &Sides<Order<'_>>, claims: &Claims, side: Side) -> Vec<FunctionId> {
    let defined = orders.of(side).program.defined_functions();
    let chosen = defined.filter(|(function, _, body)| {
        let pair = claims.change.pair(side, *function);
        pair.is_some_and(|pair| !pair.same_interface || !pair.is_without_source())
            || claims.change.entries.of(side).contains(function)
            || body
                .instruction_ids()
                .any(|id| claims.change.is_source(side, *function, id))
    });
    chosen.map(|(function, ..)| function).collect()
}
