//! How a change spreads from function to function: the first step into each function that it
//! reaches.

use crate::diff::Compared;
use crate::function_names::display_names;
use knockon_change::Side;
use knockon_impact::dependence::{GlobalVertex, Vertex, VertexKind};
use knockon_impact::propagation::{Origin, Place};
use knockon_program::FunctionId;
use knockon_report::{SpreadEdge, SpreadKind};
use std::collections::BTreeSet;
use std::sync::Arc;

pub fn spread(compared: &Compared<'_>) -> BTreeSet<SpreadEdge> {
    let mut edges = BTreeSet::new();
    let Some(impact) = compared.levels.finest() else {
        return edges;
    };
    let program = compared.versions.new.program;
    let names = display_names(program);
    for (function, ..) in program.defined_functions() {
        let walk = &impact.propagation;
        if !walk.is_function_reached(Side::New, function) {
            continue;
        }
        let Some(graph) = walk.graph(Side::New, function) else {
            continue;
        };
        for vertex in 0..graph.layout.vertex_count() {
            let place = Place {
                side: Side::New,
                function,
                vertex: Vertex::from(vertex),
            };
            let (from, kind) = match walk.origin(place) {
                Some(Origin::From(from)) if from.side == Side::New => {
                    (from, kind_of(graph.layout.kind(place.vertex)))
                }
                Some(Origin::Global(Side::New, global)) => {
                    let kind = match global {
                        GlobalVertex::Jump | GlobalVertex::Thrown => SpreadKind::Order,
                        _ => SpreadKind::Memory,
                    };
                    match walk.origin_of_global(Side::New, global) {
                        Some(Origin::From(from)) => (from, kind),
                        _ => continue,
                    }
                }
                _ => continue,
            };
            if from.function == function {
                continue;
            }
            let name = |id: FunctionId| names.get(id.index()).map(|name| Arc::from(name.as_str()));
            if let (Some(from), Some(to)) = (name(from.function), name(function)) {
                edges.insert(SpreadEdge { from, to, kind });
            }
        }
    }
    edges
}

fn kind_of(kind: VertexKind) -> SpreadKind {
    match kind {
        VertexKind::Entered | VertexKind::Parameter(_) => SpreadKind::Calls,
        VertexKind::Result(_) => SpreadKind::ReturnsTo,
        VertexKind::Returns(_) => SpreadKind::Order,
        _ => SpreadKind::Memory,
    }
}
