//! How a change spreads from function to function: for each step of the walk that enters another
//! function, an edge.
//!
//! What a reader does not see is passed by: sets of functions that a pointer may call, code that stands
//! for unseen code, and memory between functions. A function of the old version counts as its partner.
//! So every function that is reached has an edge from the one that the reasons name before it.

use crate::comparison::Compared;
use knockon_change::Side;
use knockon_impact::dependence::{GlobalVertex, Vertex, VertexKind};
use knockon_impact::propagation::{Origin, Place, Propagation};
use knockon_program::FunctionId;
use knockon_report::SpreadKind;
use std::collections::BTreeSet;

/// A function by its file and its name.
pub type FunctionKey = (String, String);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FunctionEdge {
    pub from: FunctionKey,
    pub to: FunctionKey,
    pub kind: SpreadKind,
}

pub fn spread(compared: &Compared<'_>) -> BTreeSet<FunctionEdge> {
    let Some(impact) = compared.levels.finest() else {
        return BTreeSet::new();
    };
    let walk = &impact.propagation;
    let mut edges = BTreeSet::new();
    for side in Side::BOTH {
        for (function, ..) in compared.versions.of(side).program.defined_functions() {
            if !walk.is_function_reached(side, function) || !is_shown(compared, side, function) {
                continue;
            }
            let Some(graph) = walk.graph(side, function) else {
                continue;
            };
            let to = own(compared, side, function);
            for vertex in 0..graph.layout.vertex_count() {
                let place = Place {
                    side,
                    function,
                    vertex: Vertex::from(vertex),
                };
                let kind = kind_of(graph.layout.kind(place.vertex));
                if let Some((from, kind)) = function_before(compared, walk, place, kind)
                    && from != to
                {
                    edges.insert((from, to, kind));
                }
            }
        }
    }
    edges
        .into_iter()
        .map(|(from, to, kind)| FunctionEdge {
            from: key(compared, from),
            to: key(compared, to),
            kind,
        })
        .collect()
}

/// The function that the walk came from, and how: of the new version, unless only the old one has it.
fn function_before(
    compared: &Compared<'_>,
    walk: &Propagation<'_>,
    place: Place,
    mut kind: SpreadKind,
) -> Option<((Side, FunctionId), SpreadKind)> {
    let mut origin = walk.origin(place)?;
    // Each origin was reached before what it leads to.
    loop {
        origin = match origin {
            Origin::Start => return None,
            Origin::From(from) | Origin::Written(from) => {
                if is_shown(compared, from.side, from.function) {
                    return Some((own(compared, from.side, from.function), kind));
                }
                walk.origin(from)?
            }
            Origin::Global(side, global) => {
                kind = match global {
                    GlobalVertex::Jump | GlobalVertex::Thrown => SpreadKind::Order,
                    _ => SpreadKind::Memory,
                };
                walk.origin_of_global(side, global)?
            }
        };
    }
}

/// A function that a reader knows.
fn is_shown(compared: &Compared<'_>, side: Side, function: FunctionId) -> bool {
    let program = compared.versions.of(side).program;
    let row = program.functions.get(function.index());
    row.is_some_and(|row| row.body.is_some() && program.place(row.place).is_known())
}

fn own(compared: &Compared<'_>, side: Side, function: FunctionId) -> (Side, FunctionId) {
    match (side, compared.change.partner(side, function)) {
        (Side::Old, Some(partner)) => (Side::New, partner),
        _ => (side, function),
    }
}

fn key(compared: &Compared<'_>, (side, function): (Side, FunctionId)) -> FunctionKey {
    let program = compared.versions.of(side).program;
    let place = program.place(program.function(function).place);
    let file = program.file_path(place.file).to_owned();
    (file, program.function_name(function).to_owned())
}

fn kind_of(kind: VertexKind) -> SpreadKind {
    match kind {
        VertexKind::Entered | VertexKind::Parameter(_) => SpreadKind::Calls,
        VertexKind::Result(_) => SpreadKind::ReturnsTo,
        VertexKind::Returns(_) => SpreadKind::Order,
        _ => SpreadKind::Memory,
    }
}
