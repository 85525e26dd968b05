//! **Question.** How does a change come to a node: which statements are on the way, and why does
//! each depend on the one before?
//!
//! **Rules.** The way is the one that the walk kept, which has the fewest steps. Its vertices
//! between two nodes say what kind of dependence lies between them; nodes of one line are one stop.
//! A statement is named by its own place: what has none (a phi) is passed by. A call is a stop where a
//! branch decides about it, and where it may not return. Memory that a branch decides
//! about is not said to be written by the branch.
//!
//! **Cost.** Linear in the length of the way.

use crate::dependence::{GlobalVertex, Vertex, VertexKind};
use crate::propagation::{Origin, Place, Propagation};
use knockon_change::Side;
use knockon_program::{
    Body, Constant, FunctionId, InstructionId, Opcode, Operand, PlaceId, Program,
};

/// Why a stop depends on the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is a source of the change.
    Changed,
    /// It is a source that does the same by itself: it writes at another place in the order of writes.
    Reordered,
    /// It is in a function that only one version has.
    OnlyHere,
    /// It sees another value before anything runs.
    InitialValue,
    /// It uses a value; the variable's name, if it has one.
    UsesValue(Option<String>),
    /// It uses what a call of this function returns.
    UsesResult(Option<String>),
    /// It reads what the stop before wrote.
    ReadsWritten,
    /// It reads memory; which write is the last one, a branch decides.
    ReadsAsDecided,
    /// A branch decides whether it runs.
    RunsOnlyIf,
    /// A branch decides which value it has.
    ComesFrom,
    /// The function is called with another argument; its parameter.
    CalledWith(Option<String>),
    /// The function is called there, and how often may differ.
    CalledFrom,
    /// It may not be reached, since a call of this function may not return.
    MayNotBeReached(Option<String>),
    /// It calls this function, which may not return.
    MayNotComeBack(Option<String>),
    /// The library hands it on.
    ThroughLibrary(Option<String>),
    /// A `longjmp` brings it back.
    Jump,
    /// An exception does.
    Thrown,
    /// The program may end in another way.
    Ends,
    /// Another process of the program does, or leaves, something else.
    OtherProcess,
    /// The program is started again, by itself.
    StartedAgain,
    /// Memory that is touched at any time, or between calls from outside.
    OtherTime,
}

/// One statement on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub side: Side,
    pub function: FunctionId,
    pub place: PlaceId,
    pub why: Why,
}

/// The programs of a walk; the old one only where it has two versions.
#[derive(Clone, Copy)]
pub struct Programs<'a> {
    pub old: Option<&'a Program>,
    pub new: &'a Program,
}

impl<'a> Programs<'a> {
    fn of(self, side: Side) -> &'a Program {
        match (side, self.old) {
            (Side::Old, Some(old)) => old,
            _ => self.new,
        }
    }
}

/// From a source to the node; empty if it is not reached.
pub fn reasons(walk: &Propagation, programs: Programs, node: Place) -> Vec<Stop> {
    let way = way(walk, node);
    let mut stops: Vec<Stop> = Vec::new();
    let mut between: Vec<Passed> = Vec::new();
    let mut last: Option<Place> = None;
    for step in way {
        let place = match step {
            Step::Global(global) => {
                between.push(Passed::Global(global));
                continue;
            }
            Step::At(place) | Step::Writer(place) => place,
        };
        let Some(graph) = walk.graph(place.side, place.function) else {
            continue;
        };
        let VertexKind::Node(id) = graph.layout.kind(place.vertex) else {
            let kind = graph.layout.kind(place.vertex);
            if let Some((call, stop)) = stop_at_call(programs, place, kind, &between, last) {
                push(&mut stops, stop, programs);
                between.clear();
                last = Some(Place {
                    vertex: Vertex(call.0),
                    ..place
                });
            }
            between.push(Passed::Vertex(place, kind));
            continue;
        };
        let program = programs.of(place.side);
        let Some(body) = program.function(place.function).body.as_deref() else {
            continue;
        };
        if !program.place(body.instruction(id).place).is_known() {
            between.push(Passed::Vertex(place, VertexKind::Node(id)));
            continue;
        }
        let why = match step {
            Step::Writer(_) => Why::Reordered,
            _ => why(programs, &between, last),
        };
        between.clear();
        last = Some(place);
        let stop = Stop {
            side: place.side,
            function: place.function,
            place: body.instruction(id).place,
            why,
        };
        push(&mut stops, stop, programs);
    }
    stops
}

/// The stop that a call makes though its own node is not on the way: a branch decides whether it
/// happens, or it may not return.
fn stop_at_call(
    programs: Programs,
    place: Place,
    kind: VertexKind,
    between: &[Passed],
    last: Option<Place>,
) -> Option<(InstructionId, Stop)> {
    let (number, why) = match kind {
        VertexKind::Occurrence(number) if last.is_some() && is_decided(between) => {
            (number, Why::RunsOnlyIf)
        }
        VertexKind::Returns(number) if last.is_none() && between.is_empty() => {
            (number, Why::Changed)
        }
        VertexKind::Returns(number) if comes_from_callee(between) => (
            number,
            Why::MayNotComeBack(callee_name(programs, place, number)),
        ),
        _ => return None,
    };
    let (call, call_place) = call_node(programs, place, number)?;
    let stop = Stop {
        side: place.side,
        function: place.function,
        place: call_place,
        why,
    };
    Some((call, stop))
}

/// Whether the callee returns is what led here, and nothing else did since.
fn comes_from_callee(between: &[Passed]) -> bool {
    matches!(between.last(), Some(Passed::Vertex(_, VertexKind::Leaves)))
}

/// A branch decides whether control comes here, and nothing else does since.
fn is_decided(between: &[Passed]) -> bool {
    matches!(
        between.last(),
        Some(Passed::Vertex(_, VertexKind::Control(_)))
    )
}

/// The call of this number, where it has a place.
fn call_node(programs: Programs, place: Place, number: u32) -> Option<(InstructionId, PlaceId)> {
    let program = programs.of(place.side);
    let function = program.functions.get(place.function.index())?;
    let body = function.body.as_deref()?;
    let mut calls = body
        .instruction_ids()
        .filter(|id| body.instruction(*id).opcode.is_call());
    let call = calls.nth(number as usize)?;
    let own = body.instruction(call).place;
    program.place(own).is_known().then_some((call, own))
}

/// Those of one line are the first of them.
fn push(stops: &mut Vec<Stop>, stop: Stop, programs: Programs) {
    let position = |stop: &Stop| {
        let program = programs.of(stop.side);
        let place = program.place(stop.place);
        (stop.side, place.file, place.line, stop.function)
    };
    if let Some(before) = stops.last()
        && position(before) == position(&stop)
    {
        return;
    }
    stops.push(stop);
}

enum Step {
    /// A node that the way begins with, though it is not on it.
    Writer(Place),
    At(Place),
    Global(GlobalVertex),
}

enum Passed {
    Vertex(Place, VertexKind),
    Global(GlobalVertex),
}

fn way(walk: &Propagation, node: Place) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = Some(node);
    while let Some(place) = at {
        let Some(origin) = walk.origin(place) else {
            break;
        };
        steps.push(Step::At(place));
        at = match origin {
            Origin::Start => None,
            Origin::Written(writer) => {
                steps.push(Step::Writer(writer));
                None
            }
            Origin::From(from) => Some(from),
            Origin::Global(side, global) => {
                steps.push(Step::Global(global));
                match walk.origin_of_global(side, global) {
                    Some(Origin::From(from)) => Some(from),
                    Some(Origin::Written(writer)) => {
                        steps.push(Step::Writer(writer));
                        None
                    }
                    _ => None,
                }
            }
        };
    }
    steps.reverse();
    steps
}

fn why(programs: Programs, between: &[Passed], last: Option<Place>) -> Why {
    // The most telling of what lies between.
    for passed in between {
        match passed {
            Passed::Global(GlobalVertex::Jump) => return Why::Jump,
            Passed::Global(GlobalVertex::Thrown) => return Why::Thrown,
            Passed::Global(GlobalVertex::Ends | GlobalVertex::ExitStatus) => return Why::Ends,
            Passed::Global(GlobalVertex::OtherProcess(_)) => return Why::OtherProcess,
            Passed::Global(GlobalVertex::Started) => return Why::StartedAgain,
            Passed::Global(_) if last.is_none() => return Why::InitialValue,
            Passed::Global(_) => return Why::OtherTime,
            Passed::Vertex(..) => {}
        }
    }
    let find = |wanted: fn(VertexKind) -> bool| {
        between.iter().find_map(|passed| match passed {
            Passed::Vertex(place, kind) if wanted(*kind) => Some((*place, *kind)),
            _ => None,
        })
    };
    if last.is_some() && find(|kind| matches!(kind, VertexKind::Jumps)).is_some() {
        return Why::Jump;
    }
    let is_passed = |kind| matches!(kind, VertexKind::Node(_));
    if last.is_none() && find(is_passed).is_none() {
        return match find(|kind| matches!(kind, VertexKind::Entered)) {
            Some(_) => Why::OnlyHere,
            None => Why::Changed,
        };
    }
    if let Some((place, VertexKind::Returns(call))) =
        find(|kind| matches!(kind, VertexKind::Returns(_)))
    {
        return Why::MayNotBeReached(callee_name(programs, place, call));
    }
    let is_memory = |kind| matches!(kind, VertexKind::Definition(_) | VertexKind::Output(_));
    let is_entered = find(|kind| matches!(kind, VertexKind::Entered)).is_some();
    let reads_memory = matches!(between.last(), Some(Passed::Vertex(_, kind)) if is_memory(*kind));
    let decides = |kind| matches!(kind, VertexKind::Control(_) | VertexKind::Join(_));
    if reads_memory && !is_entered && find(decides).is_some() {
        return Why::ReadsAsDecided;
    }
    if find(|kind| matches!(kind, VertexKind::Control(_))).is_some() && !is_entered {
        return Why::RunsOnlyIf;
    }
    if is_entered {
        return Why::CalledFrom;
    }
    if let Some((place, VertexKind::Parameter(number))) =
        find(|kind| matches!(kind, VertexKind::Parameter(_)))
    {
        // A hub has parameters, and no names for them.
        let function = programs
            .of(place.side)
            .functions
            .get(place.function.index());
        let parameter = function.and_then(|function| function.parameters.get(number as usize));
        let name = parameter.map(|parameter| programs.of(place.side).name(parameter.name));
        return Why::CalledWith(name.filter(|name| !name.is_empty()).map(str::to_owned));
    }
    if let Some((place, VertexKind::Library(call))) =
        find(|kind| matches!(kind, VertexKind::Library(_)))
    {
        return Why::ThroughLibrary(callee_name(programs, place, call));
    }
    if find(is_memory).is_some() {
        return Why::ReadsWritten;
    }
    if let Some((place, VertexKind::Result(call))) =
        find(|kind| matches!(kind, VertexKind::Result(_)))
    {
        return Why::UsesResult(callee_name(programs, place, call));
    }
    if find(|kind| matches!(kind, VertexKind::Join(_))).is_some() {
        return Why::ComesFrom;
    }
    // What has no place is another value, made of the named one.
    let named = last.filter(|_| find(is_passed).is_none());
    Why::UsesValue(named.and_then(|last| value_name(programs, last)))
}

/// The function that a call names.
fn callee_name(programs: Programs, place: Place, call: u32) -> Option<String> {
    let program = programs.of(place.side);
    let function = program.functions.get(place.function.index())?;
    let body = function.body.as_deref()?;
    let mut calls = body
        .instruction_ids()
        .filter(|id| body.instruction(*id).opcode.is_call());
    let id = calls.nth(call as usize)?;
    match body.callee(id)? {
        Operand::Constant(constant) => {
            let function = program.called_function(constant)?;
            Some(program.function_name(function).to_owned())
        }
        _ => None,
    }
}

/// The variable that has the value of an instruction, or that it reads or writes.
fn value_name(programs: Programs, place: Place) -> Option<String> {
    let Vertex(number) = place.vertex;
    let program = programs.of(place.side);
    let function = program.functions.get(place.function.index())?;
    let body = function.body.as_deref()?;
    let id = InstructionId(number);
    if id.index() >= body.instructions.len() {
        return None;
    }
    variable_name(program, body, id)
}

/// A name in the source for the value of an instruction.
pub fn variable_name(program: &Program, body: &Body, id: InstructionId) -> Option<String> {
    let named = body
        .variable_locations
        .iter()
        .find(|location| location.whole && location.value == Operand::Instruction(id));
    if let Some(location) = named {
        let variable = body.variables[location.variable.index()];
        let name = program.name(variable.name);
        return (!name.is_empty()).then(|| name.to_owned());
    }
    let row = body.instruction(id);
    let address = match row.opcode {
        Opcode::Load => body.operands(id).first(),
        Opcode::Store => body.operands(id).get(1),
        _ => None,
    };
    match address? {
        Operand::Constant(constant) => match program.constant(*constant) {
            Constant::Global(global) => {
                let name = program.name(program.globals[global.index()].name);
                Some(name.to_owned())
            }
            _ => None,
        },
        Operand::Instruction(address) if *address != id => variable_name(program, body, *address),
        _ => None,
    }
}
