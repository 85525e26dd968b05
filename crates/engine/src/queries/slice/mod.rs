//! What may a line affect, or what may affect it?

mod dynamic;

use super::programs::ReadProgram;
use crate::error::{Result, refuse};
use crate::events::Caller;
use crate::options::ProgramOptions;
use crate::read::account::reported;
use crate::read::function_names::display_names;
use crate::read::place::{FileLine, find_line};
use crate::read::tests_file::find_test;
use crate::verdict::reason_text::{Phrases, steps};
use knockon_change::Side;
use knockon_impact::component_graph::component_graph;
use knockon_impact::dependence::Vertex;
use knockon_impact::dependence::program_graph::ProgramDependence;
use knockon_impact::dynamic_slicing::Direction;
use knockon_impact::execute_after::{Direction as Order, execute_after};
use knockon_impact::order_graph::order_graph;
use knockon_impact::propagation::Place;
use knockon_impact::reasons::Programs;
use knockon_impact::slicing::{backward_slice, forward_slice};
use knockon_impact::{Procedure, call_flow};
use knockon_memory::memory_model::{MemoryModel, memory_model};
use knockon_program::{FunctionId, InstructionId, Program, TimeLimit};
use knockon_report::{
    SliceCriterion, SliceDirection, SliceFunction, SliceLine, SliceOccurrences, SliceReport,
    SliceSize, SourceText,
};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct SliceRequest {
    pub program: ProgramOptions,
    /// The line to start from: `FILE:LINE`.
    pub place: String,
    pub direction: SliceDirection,
    /// Slice one run by occurrence.
    pub run: Option<RunRequest>,
}

/// The run of a test.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The name of a `[[test]]` in `knockon.toml`, or in `tests`.
    pub test: String,
    pub tests: Option<PathBuf>,
    /// Which time that the run comes to the line, from 1; every time if `None`.
    pub occurrence: Option<u32>,
}

/// What slices of one program share, each made when it is first needed.
pub struct SliceGraphs<'a> {
    pub model: &'a OnceCell<MemoryModel>,
    pub whole: OnceCell<ProgramDependence<'a>>,
}

impl<'a> SliceGraphs<'a> {
    pub fn over(model: &'a OnceCell<MemoryModel>) -> SliceGraphs<'a> {
        SliceGraphs {
            model,
            whole: OnceCell::new(),
        }
    }

    fn model(&self, program: &Program, limit: TimeLimit<'_>) -> Result<&'a MemoryModel> {
        if let Some(known) = self.model.get() {
            return Ok(known);
        }
        let made = memory_model(program, limit)?;
        Ok(self.model.get_or_init(|| made))
    }
}

/// Reads the program and slices it.
pub fn slice(request: &SliceRequest, caller: Caller<'_>) -> Result<SliceReport> {
    FileLine::parse(&request.place)?;
    let read = ReadProgram::of(&request.program, caller)?;
    let model = OnceCell::new();
    slice_in(&read, &SliceGraphs::over(&model), request, caller)
}

/// The same, of a program that is read.
pub fn slice_in<'a>(
    read: &'a ReadProgram,
    graphs: &SliceGraphs<'a>,
    request: &SliceRequest,
    caller: Caller<'_>,
) -> Result<SliceReport> {
    let asked = FileLine::parse(&request.place)?;
    let program = &read.executable.program;
    let places = lines(program);
    let known = places.keys().map(|(path, line)| (*path, *line));
    let at = find_line(&asked, known)?;
    let Some((&(file, line), nodes)) = places.iter().nth(at) else {
        refuse!("line {} is gone", asked.line);
    };
    let run = request.run.as_ref();
    let test = match run {
        Some(run) => Some(find_test(&run.test, run.tests.as_deref(), &read.root)?),
        None => None,
    };
    let occurrence = run.and_then(|run| run.occurrence);
    let limit = TimeLimit::new(None, caller.cancellation.flag());
    let model = graphs.model(program, limit)?;
    let (found, run) = match &test {
        Some(test) => {
            let criterion = dynamic::Criterion {
                file,
                line,
                occurrence,
                direction: match request.direction {
                    SliceDirection::Forward => Direction::Forward,
                    SliceDirection::Backward => Direction::Backward,
                },
            };
            let name = &read.executable.name;
            let (found, run) = dynamic::slice(program, name, model, test, &criterion)?;
            (found, Some(run))
        }
        None => {
            let whole = graphs
                .whole
                .get_or_init(|| ProgramDependence::new(program, model));
            let (mut found, order) = match request.direction {
                SliceDirection::Forward => {
                    let found = forward(whole, program, nodes, &places, limit)?;
                    (found, Order::After)
                }
                SliceDirection::Backward => {
                    (backward(whole, nodes, &places, limit)?, Order::Before)
                }
            };
            // Dependence alone does not know that a handler ran before, or that a call never
            // came back.
            let in_order = in_order(program, model, nodes, order);
            found.retain(|row| in_order[row.function.index()]);
            (found, None)
        }
    };
    let criterion = SliceCriterion {
        file: Arc::from(file),
        line,
        test: request.run.as_ref().map(|run| run.test.clone()),
        occurrence,
    };
    let of_slice = SliceReport {
        direction: request.direction,
        criterion,
        run,
        ..SliceReport::default()
    };
    Ok(report(read, model, places.len(), found, of_slice))
}

/// The lines that were found, in the words of the report.
fn report(
    read: &ReadProgram,
    model: &MemoryModel,
    program_lines: usize,
    found: Vec<FoundLine<'_>>,
    of_slice: SliceReport,
) -> SliceReport {
    let (program, account) = (&read.executable.program, &read.account);
    let names = display_names(program);
    let mut functions: BTreeMap<FunctionId, usize> = BTreeMap::new();
    let mut rows: Vec<SliceLine> = Vec::new();
    for row in found {
        *functions.entry(row.function).or_default() += 1;
        rows.push(SliceLine {
            file: Arc::from(row.file),
            line: row.line,
            function: Arc::from(names[row.function.index()].as_str()),
            score: f64::from((row.score * 1000.0).round()) / 1000.0,
            occurrences: row.occurrences,
            reasons: row.reasons,
        });
    }
    let mut files: Vec<Arc<str>> = rows.iter().map(|row| row.file.clone()).collect();
    files.dedup();
    let sources = files.into_iter().filter_map(|path| {
        let bytes = std::fs::read(read.root.join(Path::new(&*path))).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Some(SourceText { path, text })
    });
    let caveats = account.caveats.iter().chain(&program.caveats);
    let caveats = caveats.chain(&model.calls.caveats);
    SliceReport {
        complete: account.complete(),
        program: read.executable.name.clone(),
        configuration: account.configuration.clone(),
        size: SliceSize {
            lines: rows.len(),
            functions: functions.len(),
            program_lines,
            program_functions: program.defined_functions().count(),
        },
        functions: functions
            .into_iter()
            .map(|(function, lines)| SliceFunction {
                name: Arc::from(names[function.index()].as_str()),
                file: Arc::from(file_of(program, function)),
                lines,
            })
            .collect(),
        lines: rows,
        caveats: caveats
            .chain(&model.regions.caveats)
            .map(|caveat| reported(caveat, program))
            .collect(),
        sources: sources.collect(),
        ..of_slice
    }
}

type Nodes = Vec<(FunctionId, InstructionId)>;

/// By function: it may execute after, or before, that of one of the nodes, or is it.
fn in_order(
    program: &Program,
    model: &MemoryModel,
    nodes: &[(FunctionId, InstructionId)],
    order: Order,
) -> Vec<bool> {
    let components = component_graph(&call_flow(program, &model.calls));
    let graph = order_graph(&components);
    let mut found = vec![false; program.functions.len()];
    let functions: BTreeSet<FunctionId> = nodes.iter().map(|node| node.0).collect();
    for function in functions {
        found[function.index()] = true;
        let related = execute_after(&components, &graph, Procedure::from(function), order).related;
        for member in related {
            if let Some(is_found) = found.get_mut(usize::from(member.function)) {
                *is_found = true;
            }
        }
    }
    found
}

/// The nodes of each line with code.
fn lines(program: &Program) -> BTreeMap<(&str, u32), Nodes> {
    let mut found: BTreeMap<(&str, u32), Nodes> = BTreeMap::new();
    for (function, _, body) in program.defined_functions() {
        for id in body.instruction_ids() {
            let place = program.place(body.instruction(id).place);
            if place.is_known() {
                let key = (program.file_path(place.file), place.line);
                found.entry(key).or_default().push((function, id));
            }
        }
    }
    found
}

struct FoundLine<'a> {
    file: &'a str,
    line: u32,
    function: FunctionId,
    score: f32,
    reasons: Vec<knockon_report::ReasonStep>,
    /// Of a dynamic slice.
    occurrences: Option<SliceOccurrences>,
}

fn forward<'a>(
    whole: &ProgramDependence<'_>,
    program: &Program,
    criterion: &[(FunctionId, InstructionId)],
    places: &BTreeMap<(&'a str, u32), Nodes>,
    limit: TimeLimit<'_>,
) -> Result<Vec<FoundLine<'a>>> {
    let walk = forward_slice(whole, criterion, limit)?;
    let programs = Programs {
        old: None,
        new: program,
    };
    let mut phrases = Phrases::default();
    let mut found = Vec::new();
    for ((file, line), nodes) in places {
        let place = |node: &(FunctionId, InstructionId)| Place {
            side: Side::New,
            function: node.0,
            vertex: Vertex(node.1.0),
        };
        let reached = nodes.iter().filter(|node| walk.is_reached(place(node)));
        let best = reached.max_by(|one, two| {
            let scores = (walk.score(place(one)), walk.score(place(two)));
            scores.0.total_cmp(&scores.1)
        });
        if let Some(node) = best {
            found.push(FoundLine {
                file,
                line: *line,
                function: node.0,
                score: walk.score(place(node)),
                reasons: steps(&walk, programs, place(node), &mut phrases),
                occurrences: None,
            });
        }
    }
    Ok(found)
}

fn backward<'a>(
    whole: &ProgramDependence<'_>,
    criterion: &[(FunctionId, InstructionId)],
    places: &BTreeMap<(&'a str, u32), Nodes>,
    limit: TimeLimit<'_>,
) -> Result<Vec<FoundLine<'a>>> {
    let slice = backward_slice(whole, criterion, limit)?;
    let mut found = Vec::new();
    for ((file, line), nodes) in places {
        let reached = nodes.iter().find(|node| slice.contains(node.0, node.1));
        if let Some(node) = reached {
            found.push(FoundLine {
                file,
                line: *line,
                function: node.0,
                score: 1.0,
                reasons: Vec::new(),
                occurrences: None,
            });
        }
    }
    Ok(found)
}

fn file_of(program: &Program, function: FunctionId) -> &str {
    let place = program.place(program.function(function).place);
    match place.is_known() {
        true => program.file_path(place.file),
        false => "",
    }
}
