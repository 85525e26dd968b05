//! A chain of reasons in the words of the source.

use crate::verdict::Edited;
use knockon_change::{Change, Side, Sides, Version};
use knockon_impact::dataflow_impact::DataflowImpact;
use knockon_impact::dependence::VertexKind;
use knockon_impact::propagation::{Origin, Place, Propagation};
use knockon_impact::reasons::{Programs, Stop, Why, reasons};
use knockon_program::{FunctionId, Program, UNSEEN_CODE};
use knockon_report::ReasonStep;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Texts that many lines have in common are kept once.
#[derive(Default)]
pub struct Phrases {
    known: FxHashMap<String, Arc<str>>,
}

impl Phrases {
    fn get(&mut self, text: String) -> Arc<str> {
        match self.known.get(&text) {
            Some(known) => known.clone(),
            None => {
                let made: Arc<str> = Arc::from(text.as_str());
                self.known.insert(text, made.clone());
                made
            }
        }
    }
}

/// From a source of the change to the node.
pub fn reason_steps(
    impact: &DataflowImpact<'_>,
    versions: Sides<Version<'_>>,
    sources: Sources<'_>,
    place: Place,
    phrases: &mut Phrases,
) -> Vec<ReasonStep> {
    let programs = Programs {
        old: Some(versions.old.program),
        new: versions.new.program,
    };
    chain(&impact.propagation, programs, Some(sources), place, phrases)
}

/// What tells how a source differs from the other version.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub change: &'a Change,
    pub edited: &'a Edited<'a>,
}

/// From the criterion of a slice to the node.
pub fn steps(
    walk: &Propagation<'_>,
    programs: Programs<'_>,
    place: Place,
    phrases: &mut Phrases,
) -> Vec<ReasonStep> {
    chain(walk, programs, None, place, phrases)
}

fn chain(
    walk: &Propagation<'_>,
    programs: Programs<'_>,
    sources: Option<Sources<'_>>,
    place: Place,
    phrases: &mut Phrases,
) -> Vec<ReasonStep> {
    let stops = reasons(walk, programs, place);
    let start = start(walk, programs, sources, place);
    let mut steps = Vec::with_capacity(stops.len() + 1);
    let mut before: Option<Spot<'_>> = None;
    if let Start::Call(call, is_paired) = start
        && stops.first().map(|stop| Spot::of(programs, stop)) != Some(call)
    {
        let words = source_words(sources, is_paired, call);
        steps.push(call.step(words.to_owned(), phrases));
        before = Some(call);
    }
    for (number, stop) in stops.iter().enumerate() {
        let spot = Spot::of(programs, stop);
        let first_words = match number {
            0 => first_words(stop, start, sources, before, spot)
                .or_else(|| unseen_words(stop, start, changed_piece(programs, sources))),
            _ => None,
        };
        let text = first_words.unwrap_or_else(|| phrase(stop, before, spot));
        steps.push(spot.step(text, phrases));
        before = Some(spot);
    }
    if sources.is_none()
        && let Some(first) = steps.first_mut()
    {
        first.text = phrases.get("is where the slice begins".to_owned());
    }
    steps
}

/// A line of one version.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot<'a> {
    pub(crate) side: Side,
    pub(crate) file: &'a str,
    pub(crate) line: u32,
}

impl<'a> Spot<'a> {
    fn of(programs: Programs<'a>, stop: &Stop) -> Spot<'a> {
        let program = program_of(programs, stop.side);
        let place = program.place(stop.place);
        Spot {
            side: stop.side,
            file: program.file_path(place.file),
            line: place.line,
        }
    }

    pub(crate) fn step(self, text: String, phrases: &mut Phrases) -> ReasonStep {
        ReasonStep {
            file: phrases.get(self.file.to_owned()),
            line: self.line,
            text: phrases.get(text),
            old: self.side == Side::Old,
        }
    }

    /// As one names it on a line of another spot: with what is not the same there.
    fn seen_from(self, other: Spot<'_>) -> String {
        let place = match self.file == other.file {
            true => format!("line {}", self.line),
            false => format!("{}:{}", self.file, self.line),
        };
        match self.side == other.side {
            true => place,
            false => {
                let version = match self.side {
                    Side::Old => "old",
                    Side::New => "new",
                };
                format!("{place} of the {version} version")
            }
        }
    }
}

fn program_of<'a>(programs: Programs<'a>, side: Side) -> &'a Program {
    match (side, programs.old) {
        (Side::Old, Some(old)) => old,
        _ => programs.new,
    }
}

/// What the walk to a node began with.
#[derive(Clone, Copy)]
enum Start<'a> {
    /// A node, or memory before the program starts: the first stop says it.
    Plain,
    /// Whether and how often a call happens, and what it enters; where the call is, and whether in a
    /// function of both versions.
    Call(Spot<'a>, bool),
    /// A parameter that one version only has.
    Parameter,
    /// A function that runs before or after `main`, in one version only or in another order.
    Entry,
    /// Code that is not in the IR, by its name.
    Unseen(&'a str),
}

fn start<'a>(
    walk: &Propagation<'_>,
    programs: Programs<'a>,
    sources: Option<Sources<'_>>,
    mut place: Place,
) -> Start<'a> {
    loop {
        place = match walk.origin(place) {
            Some(Origin::From(from)) => from,
            Some(Origin::Global(side, global)) => match walk.origin_of_global(side, global) {
                Some(Origin::From(from)) => from,
                _ => return Start::Plain,
            },
            Some(Origin::Start | Origin::Written(_)) => break,
            None => return Start::Plain,
        };
    }
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
        _ => Start::Plain,
    }
}

fn piece_name(symbol: &str) -> &str {
    symbol.strip_prefix(UNSEEN_CODE).unwrap_or(symbol)
}

/// The first piece of unseen code that is another one in the other version.
fn changed_piece<'a>(programs: Programs<'a>, sources: Option<Sources<'_>>) -> Option<&'a str> {
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
fn is_paired(sources: Option<Sources<'_>>, side: Side, function: FunctionId) -> bool {
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
fn first_words(
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
fn unseen_words(stop: &Stop, start: Start<'_>, changed: Option<&str>) -> Option<String> {
    match (start, &stop.why, changed) {
        (Start::Unseen(name), ..) => Some(format!(
            "may be reached by {name}, which is not in the IR and is changed"
        )),
        (Start::Entry, Why::OnlyHere, Some(name)) => Some(format!(
            "is in a function that {name}, which is changed, may call more or less often"
        )),
        (Start::Entry, Why::OnlyHere, None) => Some(
            "is in a function that runs before or after main in one version only, or in another order"
                .to_owned(),
        ),
        (Start::Plain, Why::InitialValue, Some(name)) => {
            Some(format!("sees memory that {name}, which is changed, may write"))
        }
        _ => None,
    }
}

/// How a source differs from the other version. On text that nobody touched it is not the text.
fn source_words(sources: Option<Sources<'_>>, is_paired: bool, spot: Spot<'_>) -> &'static str {
    let is_edited = sources.is_none_or(|Sources { edited, .. }| {
        let hunk = edited.hunk(spot.side, spot.file, spot.line);
        hunk.is_some()
    });
    match (is_edited, is_paired, spot.side) {
        (true, ..) => "is changed",
        (false, false, _) => "is in a function that only this version has",
        (false, true, Side::New) => "differs in what it does or when",
        (false, true, Side::Old) => "differs from now in what it does or when",
    }
}

fn with(stop: &Stop, why: Why) -> Stop {
    Stop {
        why,
        ..stop.clone()
    }
}

fn phrase(stop: &Stop, before: Option<Spot<'_>>, spot: Spot<'_>) -> String {
    let line = match before {
        Some(before) => before.seen_from(spot),
        None => "the change".to_owned(),
    };
    let quoted = |name: &Option<String>| name.as_ref().map(|name| format!("`{name}`"));
    match &stop.why {
        // From one version to the other it only goes by pairs.
        Why::UsesValue(_) if before.is_some_and(|before| before.side != spot.side) => {
            format!("is the counterpart of {line}")
        }
        Why::Changed => "is changed".to_owned(),
        Why::Reordered => "writes earlier or later than before, among other writes".to_owned(),
        Why::OnlyHere => "is in a function that only this version has".to_owned(),
        Why::InitialValue => "sees a variable whose initial value is changed".to_owned(),
        Why::UsesValue(name) => match quoted(name) {
            Some(name) => format!("uses the value of {name}"),
            None => format!("uses a value from {line}"),
        },
        Why::UsesResult(name) => match quoted(name) {
            Some(name) => format!("uses what {name} returns"),
            None => format!("uses what {line} returns"),
        },
        Why::ReadsWritten => format!("reads what {line} wrote"),
        Why::RunsOnlyIf => format!("runs only if {line} decides so"),
        Why::ComesFrom => format!("has another value as {line} decides"),
        Why::CalledWith(name) => match quoted(name) {
            Some(name) => format!("is called with another {name} from {line}"),
            None => format!("is called with another argument from {line}"),
        },
        Why::CalledFrom => format!("is in a function that {line} may call more or less often"),
        Why::MayNotBeReached(name) => match quoted(name) {
            Some(name) => format!("may not be reached, since {name} may not return"),
            None => "may not be reached, since what is called before may not return".to_owned(),
        },
        Why::ThroughLibrary(name) => match name {
            Some(name) => format!("gets it through `{}`", in_source(name)),
            None => "gets it through code that is not here".to_owned(),
        },
        Why::Jump => "is reached again by a longjmp".to_owned(),
        Why::Thrown => "catches an exception".to_owned(),
        Why::Ends => "runs when the program ends, which may happen in another way".to_owned(),
        Why::OtherTime => format!("shares memory with {line} that may be touched at any time"),
    }
}

/// A structure that is assigned is copied by an intrinsic, whose name goes on with its types:
/// `llvm.memcpy.p0.p0.i64` does what the `memcpy` of a source does.
fn in_source(function: &str) -> &str {
    match function.strip_prefix("llvm.") {
        Some(intrinsic) => intrinsic.split('.').next().unwrap_or(intrinsic),
        None => function,
    }
}
