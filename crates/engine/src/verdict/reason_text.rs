//! A chain of reasons in the words of the source.

mod beginning;

use crate::verdict::lines::Edited;
use beginning::{
    STARTS_ANOTHER, Start, begins_with_other_program, changed_piece, first_words, start,
    unseen_words,
};
use knockon_change::{Change, Side, Sides, Version};
use knockon_impact::dataflow_impact::DataflowImpact;
use knockon_impact::propagation::{Place, Propagation};
use knockon_impact::reasons::{Programs, Stop, Why, reasons};
use knockon_program::{Program, name_for_people};
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
    let mut steps = chain(&impact.propagation, programs, Some(sources), place, phrases);
    if let Some(first) = steps.first_mut()
        && is_source_on_unedited_text(&first.text)
        && begins_with_other_program(&impact.propagation, versions, place)
    {
        first.text = phrases.get(STARTS_ANOTHER.to_owned());
    }
    steps
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
    if let Start::Chosen(spot) = start
        && stops.first().map(|stop| Spot::of(programs, stop)) != Some(spot)
    {
        let words = source_words(sources, true, spot);
        steps.push(spot.step(words.to_owned(), phrases));
        before = Some(spot);
    }
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
/// How a source differs from the other version. On text that nobody touched it is not the text.
fn source_words(sources: Option<Sources<'_>>, is_paired: bool, spot: Spot<'_>) -> &'static str {
    let is_edited = sources.is_none_or(|Sources { edited, .. }| {
        let hunk = edited.hunk(spot.side, spot.file, spot.line);
        hunk.is_some()
    });
    match (is_edited, is_paired, spot.side) {
        (true, ..) => "is changed",
        (false, false, _) => "is in a function that only this version has",
        (false, true, Side::New) => OTHERWISE_THAN_BEFORE,
        (false, true, Side::Old) => OTHERWISE_THAN_NOW,
    }
}

const OTHERWISE_THAN_BEFORE: &str = "differs in what it does or when";
const OTHERWISE_THAN_NOW: &str = "differs from now in what it does or when";

/// The step says that a line differs although its text was not edited.
pub fn is_source_on_unedited_text(text: &str) -> bool {
    text == OTHERWISE_THAN_BEFORE || text == OTHERWISE_THAN_NOW
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
        Why::ReadsAsDecided => format!("reads memory that depends on {line}"),
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
        Why::MayNotComeBack(name) => match quoted(name) {
            Some(name) => format!("calls {name}, which may not return"),
            None => "calls what may not return".to_owned(),
        },
        Why::ThroughLibrary(name) => match name {
            Some(name) => format!("gets it through `{}`", name_for_people(name)),
            None => "gets it through code that is not here".to_owned(),
        },
        Why::Jump => "is reached again by a longjmp".to_owned(),
        Why::Thrown => "catches an exception".to_owned(),
        Why::Ends => "runs when the program ends, which may happen in another way".to_owned(),
        Why::OtherProcess => {
            format!("may see what {line} does in another process of the program")
        }
        Why::StartedAgain => {
            format!("runs in the program that {line} may start again, which is another program now")
        }
        Why::OtherTime => format!("shares memory with {line} that may be touched at any time"),
    }
}
