//! What is impacted may execute after something that changed, in the version in which it did: each
//! level of the analysis lies within the coarser one.

use super::{Claims, Findings, Law};
use knockon_change::{Side, Sides, Version};
use knockon_impact::Procedure;
use knockon_impact::all_pairs::{CondensedRelation, execute_after_all};
use knockon_impact::component_graph::component_graph;
use knockon_impact::order_graph::order_graph;
use knockon_program::FunctionId;

/// Functions with impacted nodes are in the execute-after sets of functions with sources.
pub fn check(versions: Sides<Version<'_>>, claims: &Claims, findings: &mut Findings) {
    // A changed initialiser comes before every entry, and everything executes after those.
    if !claims.change.globals.is_empty() {
        return;
    }
    let after = Sides {
        old: relation(versions.old),
        new: relation(versions.new),
    };
    let sources = Sides {
        old: functions(versions, claims, Side::Old, true),
        new: functions(versions, claims, Side::New, true),
    };
    let follows = |side: Side, function: FunctionId| {
        sources.of(side).iter().any(|source| {
            *source == function
                || (after.of(side)).contains(Procedure::from(*source), Procedure::from(function))
        })
    };
    for side in Side::BOTH {
        let program = versions.of(side).program;
        for function in functions(versions, claims, side, false) {
            findings.count(Law::ExecuteAfter, 1);
            let partner = claims.change.partner(side, function);
            let reached = follows(side, function)
                || partner.is_some_and(|partner| follows(side.other(), partner));
            if !reached {
                findings.violated(
                    Law::ExecuteAfter,
                    program.function_name(function).to_string(),
                    format!("impacted ({side:?}), and executes after no changed function"),
                );
            }
        }
    }
}

fn relation(version: Version<'_>) -> CondensedRelation {
    let flow = knockon_impact::call_flow(version.program, &version.memory.calls);
    let components = component_graph(&flow);
    execute_after_all(&components, &order_graph(&components))
}

/// The functions with a source, or with a node that may differ. Another interface is a source too,
/// and so is being called from outside at another time.
fn functions(
    versions: Sides<Version<'_>>,
    claims: &Claims,
    side: Side,
    sources: bool,
) -> Vec<FunctionId> {
    let program = versions.of(side).program;
    let defined = program.defined_functions();
    let chosen = defined.filter(|(function, _, body)| {
        let pair = claims.change.pair(side, *function);
        let as_a_whole = pair.is_some_and(|pair| !pair.same_interface)
            || claims.change.entries.of(side).contains(function);
        sources && as_a_whole
            || body.instruction_ids().any(|id| {
                if sources {
                    claims.change.is_source(side, *function, id)
                } else {
                    claims.may_differ(side, (*function, id))
                }
            })
    });
    chosen.map(|(function, ..)| function).collect()
}
