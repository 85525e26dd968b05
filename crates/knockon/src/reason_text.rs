//! A chain of reasons in the words of the source.

use knockon_change::{Side, Sides, Version};
use knockon_impact::dataflow_impact::DataflowImpact;
use knockon_impact::propagation::{Place, Propagation};
use knockon_impact::reasons::{Programs, Stop, Why, reasons};
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
    place: Place,
    phrases: &mut Phrases,
) -> Vec<ReasonStep> {
    let programs = Programs {
        old: Some(versions.old.program),
        new: versions.new.program,
    };
    steps(&impact.propagation, programs, place, phrases)
}

pub fn steps(
    walk: &Propagation<'_>,
    programs: Programs<'_>,
    place: Place,
    phrases: &mut Phrases,
) -> Vec<ReasonStep> {
    let stops = reasons(walk, programs, place);
    let mut before: Option<u32> = None;
    let mut steps = Vec::with_capacity(stops.len());
    for stop in &stops {
        let program = match (stop.side, programs.old) {
            (Side::Old, Some(old)) => old,
            _ => programs.new,
        };
        let place = program.place(stop.place);
        let text = phrase(stop, before);
        before = Some(place.line);
        steps.push(ReasonStep {
            file: phrases.get(program.file_path(place.file).to_owned()),
            line: place.line,
            text: phrases.get(text),
            old: stop.side == Side::Old,
        });
    }
    steps
}

fn phrase(stop: &Stop, before: Option<u32>) -> String {
    let line = match before {
        Some(line) => format!("line {line}"),
        None => "the change".to_owned(),
    };
    let quoted = |name: &Option<String>| name.as_ref().map(|name| format!("`{name}`"));
    match &stop.why {
        Why::Changed => "is changed".to_owned(),
        Why::OnlyHere => "is in a function that only this version has".to_owned(),
        Why::InitialValue => "sees a variable whose initial value is changed".to_owned(),
        Why::UsesValue(name) => match quoted(name) {
            Some(name) => format!("uses the value of {name}"),
            None => format!("uses a value from {line}"),
        },
        Why::UsesResult(name) => match quoted(name) {
            Some(name) => format!("uses what {name} returns"),
            None => format!("uses what the call in {line} returns"),
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
            None => format!("may not be reached, since the call in {line} may not return"),
        },
        Why::ThroughLibrary(name) => match quoted(name) {
            Some(name) => format!("gets it through {name}"),
            None => "gets it through code that is not here".to_owned(),
        },
        Why::Jump => "is reached again by a longjmp".to_owned(),
        Why::Thrown => "catches an exception".to_owned(),
        Why::Ends => "runs when the program ends, which may happen in another way".to_owned(),
        Why::OtherTime => format!("shares memory with {line} that may be touched at any time"),
    }
}
