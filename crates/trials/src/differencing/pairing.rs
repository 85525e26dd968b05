//! The laws of the pairing itself: one-to-one, nothing left out silently, and empty where only
//! layout differs.

use super::{Claims, Findings, Law, place_of};
use knockon_change::{NodeMap, Side, Sides};
use knockon_program::Program;

/// Every node has its partner's partner, or is a source.
pub fn check(programs: Sides<&Program>, claims: &Claims, findings: &mut Findings) {
    for side in Side::BOTH {
        let program = *programs.of(side);
        for (function, _, body) in program.defined_functions() {
            let Some(pair) = claims.change.pair(side, function) else {
                continue;
            };
            findings.count(Law::Pairing, body.instructions.len());
            if matches!(pair.nodes, NodeMap::Identity) {
                let partner = *pair.functions.of(side.other());
                let other = programs.of(side.other()).function(partner).body.as_ref();
                if other.map(|other| other.instructions.len()) != Some(body.instructions.len()) {
                    let name = program.function_name(function).to_string();
                    let message = "is the same node for node, and has another number of nodes";
                    findings.violated(Law::Pairing, name, message.to_string());
                }
                continue;
            }
            for id in body.instruction_ids() {
                let wrong = match pair.partner_of_node(side, id) {
                    None if pair.is_source(side, id) => continue,
                    None => "has no partner and is no source",
                    Some(partner) if pair.partner_of_node(side.other(), partner) == Some(id) => {
                        continue;
                    }
                    Some(_) => "is not its partner's partner",
                };
                let place = place_of(program, (function, id));
                let message = format!("node {} ({side:?}) {wrong}", id.0);
                findings.violated(Law::Pairing, place, message);
            }
        }
    }
}

/// Versions that differ in layout only: nothing is reported.
pub fn check_unchanged(programs: Sides<&Program>, claims: &Claims, findings: &mut Findings) {
    for side in Side::BOTH {
        let program = *programs.of(side);
        for (function, _, body) in program.defined_functions() {
            findings.count(Law::NoChange, body.instructions.len());
            for id in body.instruction_ids() {
                let node = (function, id);
                if claims.may_differ(side, node) {
                    let source = claims.change.is_source(side, function, id);
                    let what = if source { "a source" } else { "impacted" };
                    let message = format!("node {} ({side:?}) is {what}", id.0);
                    findings.violated(Law::NoChange, place_of(program, node), message);
                }
            }
        }
    }
    if let Some(global) = claims.change.globals.first() {
        let message = format!("a global is a source: {global:?}");
        findings.violated(Law::NoChange, "globals".to_string(), message);
    }
}
