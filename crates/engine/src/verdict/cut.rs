//! **Question.** What stands between the change and a line that depends on it?
//!
//! **Rules.** The way by which dependence alone comes to a node is walked back; the first place on it
//! that proofs do not let the change come to is where it is cut off: what was shown to be the same
//! there is the reason. Where the way leaves the function of that place, the reason is that nothing
//! which differs leaves it. A hub is no place of the program, and is passed by.
//!
//! **Cost.** The length of the way, for each line.

use crate::comparison::ChangeReach;
use crate::verdict::reason_text::{Phrases, Spot};
use knockon_change::{Sides, Version};
use knockon_impact::dependence::VertexKind;
use knockon_impact::propagation::{Origin, Place, Propagation};
use knockon_program::{InstructionId, Program};
use knockon_report::{CutBy, ReasonStep};

/// Where the change is cut off from a node by what was proved; `None` if it is not.
fn cut_place(levels: &ChangeReach<'_>, versions: Sides<Version<'_>>, node: Place) -> Option<Place> {
    let (dataflow, semantic) = (levels.dataflow.as_ref()?, levels.semantic.as_ref()?);
    let is_hub = |place: Place| {
        let functions = &versions.of(place.side).program.functions;
        place.function.index() >= functions.len()
    };
    let mut at = node;
    let mut first = node;
    // Where the way leaves a function, the last one that was met, with nothing that differs.
    let mut left: Option<Place> = None;
    loop {
        let before = match dataflow.propagation.origin(at)? {
            Origin::Start | Origin::Written(_) => None,
            Origin::From(before) => Some(before),
            Origin::Global(side, global) => {
                match dataflow.propagation.origin_of_global(side, global)? {
                    Origin::From(before) => Some(before),
                    _ => None,
                }
            }
        };
        if !semantic.propagation.is_reached(at) && !is_hub(at) {
            first = at;
            if leaves(kind(&dataflow.propagation, at)?) {
                left = Some(at);
            }
        }
        match before {
            Some(before) => at = before,
            None => {
                let of_same = left.filter(|left| left.function == first.function);
                let of_same = of_same.filter(|left| left.side == first.side);
                return Some(of_same.unwrap_or(first));
            }
        }
    }
}

/// What a function hands to its callers.
fn leaves(kind: VertexKind) -> bool {
    matches!(
        kind,
        VertexKind::ReturnValue | VertexKind::Leaves | VertexKind::Jumps | VertexKind::Output(_)
    )
}

/// By which kind of proof the change is cut off from a node, if it is.
pub fn cut_by_proof(
    levels: &ChangeReach<'_>,
    versions: Sides<Version<'_>>,
    node: Place,
) -> Option<CutBy> {
    let at = cut_place(levels, versions, node)?;
    let walk = &levels.dataflow.as_ref()?.propagation;
    Some(match kind(walk, at)? {
        VertexKind::ReturnValue
        | VertexKind::Leaves
        | VertexKind::Jumps
        | VertexKind::Output(_)
        | VertexKind::Result(_)
        | VertexKind::Returns(_) => CutBy::EqualSummary,
        VertexKind::Parameter(_) | VertexKind::Entered => CutBy::EqualArguments,
        _ => CutBy::EqualValues,
    })
}

/// What was proved, and where, that cuts the change off from a node.
pub fn proved_step(
    levels: &ChangeReach<'_>,
    versions: Sides<Version<'_>>,
    node: Place,
    phrases: &mut Phrases,
) -> Option<ReasonStep> {
    let at = cut_place(levels, versions, node)?;
    let walk = &levels.dataflow.as_ref()?.propagation;
    let program = versions.of(at.side).program;
    let function = program.function(at.function);
    let name = program.function_name(at.function);
    let graph = walk.graph(at.side, at.function)?;
    let mut own = None;
    let text = match kind(walk, at)? {
        VertexKind::ReturnValue => format!("`{name}` returns the same, given the same"),
        VertexKind::Leaves | VertexKind::Jumps => {
            format!("`{name}` comes back as before, given the same")
        }
        VertexKind::Output(_) => {
            format!("`{name}` leaves memory and the world the same, given the same")
        }
        VertexKind::Parameter(_) => format!("`{name}` is called with the same"),
        VertexKind::Entered => format!("`{name}` is called as often as before"),
        VertexKind::Node(id) => {
            own = Some(id);
            "sees the same values in both versions".to_owned()
        }
        VertexKind::Occurrence(call) => {
            own = graph.call_instructions.get(call as usize).copied();
            "is called as before, and after the same calls".to_owned()
        }
        VertexKind::Result(call) | VertexKind::Returns(call) | VertexKind::Library(call) => {
            own = graph.call_instructions.get(call as usize).copied();
            "is given the same, and gives the same back".to_owned()
        }
        VertexKind::Definition(_) | VertexKind::Control(_) | VertexKind::Join(_) => {
            format!("`{name}` passes nothing on that differs")
        }
    };
    let place_of = |id: InstructionId| {
        let body = function.body.as_deref()?;
        let place = program.place(body.instruction(id).place);
        place.is_known().then_some(place)
    };
    let place = own
        .and_then(place_of)
        .unwrap_or_else(|| program.place(function.place));
    let spot = Spot {
        side: at.side,
        file: file_of(program, place)?,
        line: place.line,
    };
    Some(spot.step(format!("proved: {text}"), phrases))
}

fn file_of(program: &Program, place: knockon_program::Place) -> Option<&str> {
    place.is_known().then(|| program.file_path(place.file))
}

fn kind(walk: &Propagation<'_>, at: Place) -> Option<VertexKind> {
    let graph = walk.graph(at.side, at.function)?;
    Some(graph.layout.kind(at.vertex))
}
