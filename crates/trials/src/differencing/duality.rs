//! Forward and backward slices are the two readings of one relation.

use super::containment::Order;
use super::{Findings, Law, place_of};
use knockon_change::{Side, Version};
use knockon_impact::dependence::program_graph::ProgramDependence;
use knockon_impact::slicing::{backward_slice, forward_slice};
use knockon_program::{Node, TimeLimit};

/// How many nodes of a program are criteria: their slices are held to each other pairwise.
const CRITERIA: usize = 5;

pub fn check(version: Version<'_>, order: &Order<'_>, findings: &mut Findings) {
    let program = version.program;
    let nodes: Vec<Node> = program
        .defined_functions()
        .flat_map(|(function, _, body)| body.instruction_ids().map(move |id| (function, id)))
        .collect();
    let step = (nodes.len() / CRITERIA).max(1);
    let criteria: Vec<Node> = nodes.iter().skip(step / 2).step_by(step).copied().collect();
    let whole = ProgramDependence::new(program, version.memory);
    let backward: Vec<_> = (criteria.iter())
        .map(|node| backward_slice(&whole, &[*node], TimeLimit::NONE).expect("there is no limit"))
        .collect();
    for start in &criteria {
        let forward = forward_slice(&whole, &[*start], TimeLimit::NONE).expect("there is no limit");
        let is_reached = |function| {
            let body = program.function(function).body.as_deref();
            let mut nodes = body.into_iter().flat_map(|body| body.instruction_ids());
            forward.is_function_reached(Side::New, function)
                && nodes.any(|id| forward.is_node_reached(Side::New, function, id))
        };
        order.count_slice(start.0, is_reached, findings);
        for (end, backward) in criteria.iter().zip(&backward) {
            findings.count(Law::Duality, 1);
            let there = forward.is_node_reached(Side::New, end.0, end.1);
            let back = backward.contains(start.0, start.1);
            if there != back {
                let which = if there { "forward" } else { "backward" };
                findings.violated(
                    Law::Duality,
                    place_of(program, *end),
                    format!(
                        "node {} and node {} of {} are joined by the {which} slice only",
                        end.1.0,
                        start.1.0,
                        place_of(program, *start)
                    ),
                );
            }
        }
    }
}
