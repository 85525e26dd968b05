//! `knockon dump cfg|ssa|dominators|loops FUNCTION`, `knockon dump callgraph [FUNCTION]`, and
//! `knockon dump points-to|regions|modref|memory-ssa FUNCTION`.

use super::{ask, deliver, exit_code_of};
use crate::arguments::{DumpArguments, DumpKind, OutputFormat};
use crate::interruption::Interruptible;
use crate::progress::Shown;
use crate::{Outcome, requests};
use anyhow::{Result, bail};
use knockon_engine::queries::programs::ReadProgram;
use knockon_engine::read::function_names::display_names;
use knockon_engine::read::named_function::find_function;
use knockon_graphs as graphs;
use knockon_library::library;
use knockon_memory::dump_call_graph::{dump_call_graph, dump_call_graph_dot};
use knockon_memory::memory_ssa::{dump_memory_ssa, memory_ssa};
use knockon_memory::mod_ref::{dump_mod_ref, mod_ref};
use knockon_memory::points_to::dump_points_to;
use knockon_memory::precise_call_graph::precise_call_graph;
use knockon_memory::regions::{dump_regions, regions_within};
use knockon_program::{FunctionId, Program, TimeLimit};

pub fn run(arguments: &DumpArguments, run: &Interruptible) -> Result<Outcome> {
    if arguments.output.format == OutputFormat::Json {
        bail!("dump writes text or DOT; use --format terminal or dot");
    }
    let reading = &arguments.program.reading;
    let options = requests::program(&arguments.program, run)?;
    let read = ask(&Shown::of(reading), run, |caller| {
        ReadProgram::of(&options, caller)
    })?;
    let program = &read.executable.program;
    let function = match &arguments.function {
        Some(name) => Some(find_function(program, name)?),
        None => None,
    };
    let dot = arguments.output.format == OutputFormat::Dot;
    let limit = TimeLimit::new(None, run.cancellation.flag());
    let text = match (arguments.what, function) {
        (DumpKind::Callgraph, only) => call_graph(program, only, dot, limit)?,
        (what, Some(function)) => one_function(program, (what, dot), function, limit)?,
        (_, None) => bail!("say which function: knockon dump KIND FUNCTION"),
    };
    let code = exit_code_of(read.account.complete(), reading, run);
    deliver(text, &arguments.output, code)
}

fn call_graph(
    program: &Program,
    only: Option<FunctionId>,
    dot: bool,
    limit: TimeLimit<'_>,
) -> Result<String> {
    let (calls, _) = precise_call_graph(program, limit)?;
    let names = display_names(program);
    Ok(match dot {
        false => dump_call_graph(program, &calls, &names, only),
        true => dump_call_graph_dot(program, &calls, &names, only),
    })
}

fn one_function(
    program: &Program,
    (what, dot): (DumpKind, bool),
    function: FunctionId,
    limit: TimeLimit<'_>,
) -> Result<String> {
    let text = match (what, dot) {
        (DumpKind::Cfg, false) => graphs::dump_control_flow(program, function),
        (DumpKind::Cfg, true) => graphs::dump_control_flow_dot(program, function),
        (DumpKind::Ssa, false) => graphs::dump_ssa(program, function),
        (DumpKind::Ssa, true) => graphs::dump_ssa_dot(program, function),
        (DumpKind::Dominators, false) => graphs::dump_dominators(program, function),
        (DumpKind::Dominators, true) => graphs::dump_dominators_dot(program, function),
        (DumpKind::Loops, false) => graphs::dump_loops(program, function),
        (DumpKind::Loops, true) => graphs::dump_loops_dot(program, function),
        (DumpKind::Callgraph, dot) => Some(call_graph(program, Some(function), dot, limit)?),
        (_, true) => bail!("this dump is text only; use --format terminal"),
        (what, false) => memory(program, what, function, limit)?,
    };
    match text {
        Some(text) => Ok(text),
        None => bail!(
            "{} is only declared in this program, not defined",
            program.function_name(function)
        ),
    }
}

/// The dumps that rest on an analysis of the whole program; `None` for a function without a body.
fn memory(
    program: &Program,
    what: DumpKind,
    function: FunctionId,
    limit: TimeLimit<'_>,
) -> Result<Option<String>> {
    if program.function(function).body.is_none() {
        return Ok(None);
    }
    let (calls, points_to) = precise_call_graph(program, limit)?;
    if what == DumpKind::PointsTo {
        return Ok(Some(dump_points_to(program, &points_to, function)));
    }
    let regions = regions_within(program, &calls, library(), Some(&points_to), limit)?;
    if what == DumpKind::Regions {
        return Ok(Some(dump_regions(program, &regions, function)));
    }
    let effects = mod_ref(program, &calls, library(), &regions, limit)?;
    if what == DumpKind::Modref {
        return Ok(Some(dump_mod_ref(program, &regions, &effects, function)));
    }
    let ssa = memory_ssa(program, &calls, &regions, &effects, function);
    Ok(ssa.map(|ssa| dump_memory_ssa(program, &regions, &ssa, function)))
}
