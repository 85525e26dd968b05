//! With what a chain of reasons begins, and what is to say of its first step.

use super::{Sources, Spot, phrase, program_of, source_words, with};
use knockon_change::{Side, Sides, Version};
use knockon_impact::dependence::VertexKind;
use knockon_impact::propagation::{Origin, Place, Propagation};
use knockon_impact::reasons::{Programs, Stop, Why};
use knockon_program::{FunctionId, InstructionId, Opcode, Operand, UNSEEN_CODE};

/// What is to say of a call in unedited text that may start another program of the build.
pub(super) const STARTS_ANOTHER: &str =
    "may start another program of the build, which is not the same as before";

/// The walk to the node begins with a call that may start another program of the build, and these are
/// not the same.
pub(super) fn begins_with_other_program(
    walk: &Propagation<'_>,
    versions: Sides<Version<'_>>,
    place: Place,
) -> bool {
    if versions.old.program.build.others == versions.new.program.build.others {
        return false;
    }
    let Some(place) = first_place(walk, place) else {
        return false;
    };
    let Version { program, memory } = *versions.of(place.side);
    let Some(graph) = walk.graph(place.side, place.function) else {
        return false;
    };
    let function = program.functions.get(place.function.index());
    let Some(body) = function.and_then(|function| function.body.as_deref()) else {
        return false;
    };
    let call = match graph.layout.kind(place.vertex) {
        VertexKind::Node(id) => Some(id),
        VertexKind::Occurrence(number) | VertexKind::Returns(number) => {
            let ids = body.instruction_ids();
            let mut calls = ids.filter(|id| body.instruction(*id).opcode.is_call());
            calls.nth(number as usize)
        }
        _ => None,
    };
    let mut starting = memory.processes.starting.iter();
    starting.any(|site| {
        let row = memory.calls.site(*site);
        row.caller == place.function && Some(row.instruction) == call
    })
}
/// What the walk to a node began with.
#[derive(Clone, Copy)]
pub(super) enum Start<'a> {
    /// A node, or memory before the program starts: the first stop says it.
    Plain,
    /// Whether and how often a call happens, and what it enters; where the call is, and whether in a
    /// function of both versions.
    Call(Spot<'a>, bool),
    /// A value that stands nowhere in the source: where it is chosen, another one is.
    Chosen(Spot<'a>),
    /// A parameter that one version only has.
    Parameter,
    /// A function that runs before or after `main`, in one version only or in another order.
    Entry,
    /// Code that is not in the IR, by its name.
    Unseen(&'a str),
}

/// Where the walk to a place begins; `None` if that is memory before the program starts.
fn first_place(walk: &Propagation<'_>, mut place: Place) -> Option<Place> {
    loop {
        place = match walk.origin(place)? {
            Origin::From(from) => from,
            Origin::Global(side, global) => match walk.origin_of_global(side, global)? {
                Origin::From(from) => from,
                _ => return None,
            },
            Origin::Start | Origin::Written(_) => return Some(place),
        };
    }
}

pub(super) fn start<'a>(
    walk: &Propagation<'_>,
    programs: Programs<'a>,
    sources: Option<Sources<'_>>,
    place: Place,
) -> Start<'a> {
    let Some(place) = first_place(walk, place) else {
        return Start::Plain;
    };
    let program = program_of(programs, place.side);
    if program.functions.get(place.function.index()).is_some()
        && program.stands_for_unseen_code(place.function)
    {
        return Start::Unseen(piece_name(program.function_name(place.function)));
    }
    let Some(graph) = walk.graph(place.side, place.function) else {
        return Start::Plain;
    };
    let is_paired = is_paired(sources, place.side, place.function);
    match graph.layout.kind(place.vertex) {
        VertexKind::Parameter(_) => Start::Parameter,
        VertexKind::Entered if is_paired => Start::Entry,
        VertexKind::Occurrence(number) => match call_spot(programs, place, number) {
            Some(call) => Start::Call(call, is_paired),
            None => Start::Plain,
        },
        VertexKind::Node(id) => match chosen_spot(programs, sources, place, id) {
            Some(spot) => Start::Chosen(spot),
            None => Start::Plain,
        },
        _ => Start::Plain,
    }
}

/// Of a phi, which has no place in the source, a jump that brings another value than before.
fn chosen_spot<'a>(
    programs: Programs<'a>,
    sources: Option<Sources<'_>>,
    place: Place,
    id: InstructionId,
) -> Option<Spot<'a>> {
    let program = program_of(programs, place.side);
    let body = program.function(place.function).body.as_deref()?;
    if body.instruction(id).opcode != Opcode::Phi
        || program.place(body.instruction(id).place).is_known()
    {
        return None;
    }
    let change = sources?.change;
    let jumps = body
        .operands(id)
        .iter()
        .filter_map(|operand| match operand {
            Operand::Block(block) => Some(body.terminator(*block)),
            _ => None,
        });
    let mut places = jumps
        .filter(|jump| change.is_source(place.side, place.function, *jump))
        .map(|jump| program.place(body.instruction(jump).place));
    let found = places.find(|place| place.is_known())?;
    Some(Spot {
        side: place.side,
        file: program.file_path(found.file),
        line: found.line,
    })
}

fn piece_name(symbol: &str) -> &str {
    symbol.strip_prefix(UNSEEN_CODE).unwrap_or(symbol)
}

/// A piece of unseen code with what it is: a name of a file says that by its ending.
fn described(piece: &str) -> String {
    // More may be said behind the name: `x.so, which may be preloaded`.
    let name = piece.split([',', '(', ' ']).next().unwrap_or(piece);
    let file = name.rsplit('/').next().unwrap_or(name);
    let kind = match file.rsplit_once('.') {
        _ if file.contains(".so.") => "the shared library ",
        Some((_, "s" | "S" | "sx" | "asm")) => "the assembly in ",
        Some((_, "o" | "lo" | "obj")) => "the prebuilt object ",
        Some((_, "a")) => "the prebuilt archive ",
        Some((_, "so")) => "the shared library or plug-in ",
        Some((_, "c" | "cc" | "cpp" | "cxx")) => "the unit without analysis ",
        _ => "",
    };
    format!("{kind}{piece}")
}

/// The first piece of unseen code that is another one in the other version.
pub(super) fn changed_piece<'a>(
    programs: Programs<'a>,
    sources: Option<Sources<'_>>,
) -> Option<&'a str> {
    sources?.change.globals.iter().find_map(|row| {
        let (side, id) = match (row.old, row.new) {
            (_, Some(new)) => (Side::New, new),
            (Some(old), None) => (Side::Old, old),
            (None, None) => return None,
        };
        let program = program_of(programs, side);
        let name = program.name(program.globals[id.index()].name);
        program.is_unseen_code(id).then(|| piece_name(name))
    })
}

/// Both versions have the function.
pub(super) fn is_paired(sources: Option<Sources<'_>>, side: Side, function: FunctionId) -> bool {
    sources.is_none_or(|sources| sources.change.pair(side, function).is_some())
}

/// Where the call of this number is, if that is known.
fn call_spot<'a>(programs: Programs<'a>, place: Place, number: u32) -> Option<Spot<'a>> {
    let program = program_of(programs, place.side);
    let function = program.functions.get(place.function.index())?;
    let body = function.body.as_deref()?;
    let mut calls = body
        .instruction_ids()
        .filter(|id| body.instruction(*id).opcode.is_call());
    let call = program.place(body.instruction(calls.nth(number as usize)?).place);
    call.is_known().then(|| Spot {
        side: place.side,
        file: program.file_path(call.file),
        line: call.line,
    })
}

/// What is to say of the first stop where the walk did not begin at its node: what lies between
/// the start and the stop is no reason by itself.
pub(super) fn first_words(
    stop: &Stop,
    start: Start<'_>,
    sources: Option<Sources<'_>>,
    before: Option<Spot<'_>>,
    spot: Spot<'_>,
) -> Option<String> {
    let own = || {
        let is_paired = is_paired(sources, stop.side, stop.function);
        Some(source_words(sources, is_paired, spot).to_owned())
    };
    match (start, before, &stop.why) {
        (Start::Call(..), Some(call), why) => {
            let line = call.seen_from(spot);
            match why {
                Why::OnlyHere => Some(phrase(&with(stop, Why::CalledFrom), before, spot)),
                Why::InitialValue => Some(phrase(&with(stop, Why::OtherTime), before, spot)),
                Why::Changed => Some(format!("depends on the call in {line}")),
                _ => None,
            }
        }
        // The call itself, or something else on its line.
        (Start::Call(..), None, Why::OnlyHere | Why::InitialValue | Why::Changed) => own(),
        (Start::Plain, _, Why::Changed) => own(),
        (Start::Parameter, _, Why::Changed) => {
            Some("uses a parameter that only this version has".to_owned())
        }
        _ => None,
    }
}

/// What is to say of the first stop where code that is not in the IR may be behind it.
pub(super) fn unseen_words(stop: &Stop, start: Start<'_>, changed: Option<&str>) -> Option<String> {
    match (start, &stop.why, changed) {
        (Start::Unseen(name), ..) => {
            let piece = described(name);
            Some(format!("may be called, or its memory written, by {piece}, which is changed"))
        }
        (Start::Entry, Why::OnlyHere, Some(name)) => Some(format!(
            "is in a function that {}, which is changed, may call more or less often",
            described(name)
        )),
        (Start::Entry, Why::OnlyHere, None) => Some(
            "is in a function that runs before or after main in one version only, or in another order"
                .to_owned(),
        ),
        (Start::Plain, Why::InitialValue, Some(name)) => {
            let piece = described(name);
            Some(format!("sees memory that {piece}, which is changed, may write"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::described;

    #[test]
    fn a_piece_is_called_what_it_is() {
        for (piece, words) in [
            ("src/copy.S", "the assembly in src/copy.S"),
            ("the assembly of a.c", "the assembly of a.c"),
            ("inline assembly", "inline assembly"),
            ("helper.o", "the prebuilt object helper.o"),
            ("libx.a(m.o)", "the prebuilt archive libx.a(m.o)"),
            (
                "plug.so, which may be preloaded",
                "the shared library or plug-in plug.so, which may be preloaded",
            ),
            ("/lib/libz.so.1", "the shared library /lib/libz.so.1"),
            (
                "code that is loaded at run time",
                "code that is loaded at run time",
            ),
        ] {
            assert_eq!(described(piece), words);
        }
    }
}
