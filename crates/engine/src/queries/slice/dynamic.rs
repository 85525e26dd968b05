//! A slice of one run: run the program in the interpreter and slice that run.

use super::FoundLine;
use crate::error::{Result, refuse};
use crate::read::tests_file::FoundTest;
use knockon_impact::dynamic_slicing::{
    Direction, DynamicStop, LineOccurrences, dynamic_dependence, dynamic_slice, line_occurrences,
    reasons,
};
use knockon_impact::reasons::Why;
use knockon_interpreter::{
    Exit, History, MOST_OCCURRENCES, MOST_READS, OccurrenceId, RunInput, run,
};
use knockon_memory::memory_model::MemoryModel;
use knockon_program::{FunctionId, PlaceId, Program};
use knockon_report::{ReasonStep, SliceOccurrences, SliceRun};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What to slice from.
pub struct Criterion<'a> {
    pub file: &'a str,
    pub line: u32,
    /// Which time that the run comes to the line; all if none is named.
    pub occurrence: Option<u32>,
    pub direction: Direction,
}

/// The lines of the slice, and how the run ended.
pub fn slice<'p>(
    program: &'p Program,
    name: &str,
    model: &MemoryModel,
    test: &FoundTest,
    criterion: &Criterion<'_>,
) -> Result<(Vec<FoundLine<'p>>, SliceRun)> {
    let input = RunInput {
        history: true,
        ..test.run_input(name)?
    };
    let done = run(program, &input);
    let history = done.history.unwrap_or_default();
    let ending = ending(program, &history, &test.test.name, &done.exit)?;
    if history.lacks_reads {
        refuse!(
            "the run of `{}` reads memory more than {MOST_READS} times from what it wrote itself; a dynamic slice keeps all of them: take a smaller input",
            test.test.name
        );
    }
    let lines = line_occurrences(program, &history);
    let start = start(&lines, &test.test.name, criterion)?;
    let graph = dynamic_dependence(program, model, &history);
    let slice = dynamic_slice(&graph, &start, criterion.direction);
    let found = lines_of(&lines, &history, |id| slice.contains(id));
    let mut rows: Vec<FoundLine> = Vec::with_capacity(found.len());
    let mut in_slice = 0;
    for (at, line) in found {
        let (_, file, number) = at;
        let total = line.total;
        in_slice += line.in_slice as usize;
        let shown = match criterion.direction {
            Direction::Forward => line.first,
            Direction::Backward => line.last,
        };
        let stops = reasons(&slice, program, &history, &lines, shown);
        rows.push(FoundLine {
            file,
            line: number,
            function: line.function,
            score: line.in_slice as f32 / total.max(1) as f32,
            reasons: steps(program, &lines, &stops, criterion.direction),
            occurrences: Some(SliceOccurrences {
                in_slice: line.in_slice,
                total,
            }),
        });
    }
    rows.sort_by_key(|row| (row.file, row.line));
    let run = SliceRun {
        ending,
        occurrences: SliceOccurrences {
            in_slice: in_slice as u32,
            total: lines.total() as u32,
        },
    };
    Ok((rows, run))
}

/// How the run ended, or an error that names what the interpreter cannot run.
fn ending(program: &Program, history: &History, test: &str, exit: &Exit) -> Result<String> {
    let last = history.occurrences.len().checked_sub(1);
    let place = last
        .and_then(|last| {
            let (function, instruction) = history.node(OccurrenceId(last as u32));
            let body = program.function(function).body.as_deref()?;
            Some(body.instruction(instruction).place)
        })
        .unwrap_or(PlaceId(0));
    let at = |place: PlaceId| {
        let place = program.place(place);
        match place.is_known() {
            true => format!("{}:{}: ", program.file_path(place.file), place.line),
            false => String::new(),
        }
    };
    Ok(match exit {
        Exit::Returned(code) | Exit::Exited(code) => format!("exit code {}", code & 0xff),
        Exit::Aborted => "abort".to_owned(),
        Exit::AssertionFailed(message) => format!("assertion failed: {message}"),
        Exit::Trapped => "trap".to_owned(),
        Exit::Undefined {
            kind,
            place,
            message,
            ..
        } => {
            format!("undefined behaviour: {}{kind}: {message}", at(*place))
        }
        Exit::StepLimit => refuse!(
            "the run of `{test}` has more than {MOST_OCCURRENCES} occurrences of instructions, which is what a dynamic slice keeps at most: take a smaller input"
        ),
        Exit::Unsupported(reason) => refuse!(
            "{}the interpreter cannot run this, so `{test}` has no dynamic slice: {reason}",
            at(place)
        ),
    })
}

/// The occurrences to slice from.
fn start(
    lines: &LineOccurrences<'_>,
    test: &str,
    criterion: &Criterion<'_>,
) -> Result<Vec<OccurrenceId>> {
    let Criterion { file, line, .. } = criterion;
    let Some(found) = lines.find(file, *line) else {
        refuse!("the run of `{test}` does not come to {file}:{line}");
    };
    let count = lines.count(found);
    if let Some(asked) = criterion.occurrence
        && asked > count
    {
        let times = match count {
            1 => "once".to_owned(),
            count => format!("{count} times"),
        };
        refuse!(
            "the run of `{test}` comes to {file}:{line} {times}, so there is no occurrence {asked}"
        );
    }
    Ok(lines.members(found, criterion.occurrence))
}

/// What of a line is in a slice.
struct LineInSlice {
    in_slice: u32,
    total: u32,
    function: FunctionId,
    first: OccurrenceId,
    last: OccurrenceId,
    /// The numbers of the line's occurrences, as they were met.
    counted: Vec<u32>,
}

type LineKey<'p> = (u32, &'p str, u32);

fn lines_of<'p>(
    lines: &LineOccurrences<'p>,
    history: &History,
    contains: impl Fn(OccurrenceId) -> bool,
) -> BTreeMap<LineKey<'p>, LineInSlice> {
    let known: Vec<(&str, u32)> = lines.lines().map(|(_, file, line)| (file, line)).collect();
    let mut found: BTreeMap<LineKey, LineInSlice> = BTreeMap::new();
    for id in (0..history.occurrences.len() as u32).map(OccurrenceId) {
        let Some(at) = lines.of(id).filter(|_| contains(id)) else {
            continue;
        };
        let (file, number) = known[at.line.0 as usize];
        let key = (at.line.0, file, number);
        let row = found.entry(key).or_insert_with(|| LineInSlice {
            in_slice: 0,
            total: lines.count(at.line),
            function: history.node(id).0,
            first: id,
            last: id,
            counted: Vec::new(),
        });
        row.last = id;
        row.counted.push(at.number);
    }
    for row in found.values_mut() {
        // Activations of a recursive function take turns.
        row.counted.sort_unstable();
        row.counted.dedup();
        row.in_slice = row.counted.len() as u32;
        row.counted = Vec::new();
    }
    found
}

/// A chain of reasons in the words of the source: what happened, where, and which time.
fn steps(
    program: &Program,
    lines: &LineOccurrences<'_>,
    stops: &[DynamicStop],
    direction: Direction,
) -> Vec<ReasonStep> {
    let mut steps: Vec<ReasonStep> = Vec::with_capacity(stops.len());
    for stop in stops {
        let place = program.place(stop.stop.place);
        let file = program.file_path(place.file);
        let mut text = match (steps.last(), direction) {
            (Some(before), _) => phrase(&stop.stop.why, before, file),
            (None, Direction::Forward) => "is where the slice begins".to_owned(),
            (None, Direction::Backward) => "influenced what follows".to_owned(),
        };
        if stop.omitted > 0 {
            text = format!("{} steps later: {text}", stop.omitted);
        }
        let times = lines.count(stop.occurrence.line);
        if times > 1 {
            text.push_str(&format!(" ({} of {times})", stop.occurrence.number));
        }
        steps.push(ReasonStep {
            file: Arc::from(file),
            line: place.line,
            text: Arc::from(text),
            old: false,
        });
    }
    steps
}

fn phrase(why: &Why, before: &ReasonStep, file: &str) -> String {
    let line = match &*before.file == file {
        true => format!("line {}", before.line),
        false => before.place(),
    };
    let named = |name: &Option<String>, with: &str, without: String| match name {
        Some(name) => format!("{with} `{name}`"),
        None => without,
    };
    match why {
        Why::UsesValue(name) => named(
            name,
            "uses the value of",
            format!("uses a value from {line}"),
        ),
        Why::UsesResult(Some(name)) => format!("uses what `{name}` returned"),
        Why::UsesResult(None) => format!("uses what the call in {line} returned"),
        Why::RunsOnlyIf => format!("ran since {line} decided so"),
        Why::ComesFrom => format!("has its value since {line} decided so"),
        Why::CalledWith(name) => named(
            name,
            &format!("got from {line} the argument"),
            format!("got an argument from {line}"),
        ),
        Why::CalledFrom => format!("is in a function that {line} called"),
        Why::MayNotBeReached(Some(name)) => format!("was reached since `{name}` returned"),
        Why::MayNotBeReached(None) => {
            format!("was reached since a call that {line} decided about returned")
        }
        Why::ThroughLibrary(name) => named(
            name,
            "got it through",
            "got it through code that is not here".to_owned(),
        ),
        Why::Jump => "was reached again by a longjmp".to_owned(),
        _ => format!("read what {line} wrote"),
    }
}
