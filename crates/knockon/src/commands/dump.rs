//! `knockon dump cfg|ssa|dominators|loops FUNCTION`, `knockon dump callgraph [FUNCTION]`, and
//! `knockon dump points-to|regions|modref|memory-ssa FUNCTION`.

use super::{deliver, tell_failures, until_interrupted};
use crate::Outcome;
use crate::arguments::{DumpArguments, DumpKind, OutputFormat};
use crate::function_names::display_names;
use crate::named_function::find_function;
use crate::pipeline::read_input;
use anyhow::{Result, bail};
use knockon_graphs as graphs;
use knockon_library::library;
use knockon_memory::dump_call_graph::{dump_call_graph, dump_call_graph_dot};
use knockon_memory::memory_ssa::{dump_memory_ssa, memory_ssa};
use knockon_memory::mod_ref::{dump_mod_ref, mod_ref};
use knockon_memory::points_to::dump_points_to;
use knockon_memory::precise_call_graph::precise_call_graph;
use knockon_memory::regions::{dump_regions, regions_within};
use knockon_program::{FunctionId, Program};

pub fn run(arguments: &DumpArguments) -> Result<Outcome> {
    if arguments.output.format == OutputFormat::Json {
        bail!("dump writes text or DOT; use --format terminal or dot");
    }
    let (executable, account) = read_input(&arguments.program)?.only_executable()?;
    tell_failures(&account);
    let program = &executable.program;
    let function = match &arguments.function {
        Some(name) => Some(find_function(program, name)?),
        None => None,
    };
    let dot = arguments.output.format == OutputFormat::Dot;
    let text = match (arguments.what, function) {
        (DumpKind::Callgraph, only) => call_graph(program, only, dot)?,
        (what, Some(function)) => one_function(program, what, function, dot)?,
        (_, None) => bail!("say which function: knockon dump KIND FUNCTION"),
    };
    deliver(
        text,
        &arguments.output,
        account.exit_code(arguments.program.reading.allow_incomplete),
    )
}

fn call_graph(program: &Program, only: Option<FunctionId>, dot: bool) -> Result<String> {
    let (calls, _) = precise_call_graph(program, until_interrupted())?;
    let names = display_names(program);
    Ok(match dot {
        false => dump_call_graph(program, &calls, &names, only),
        true => dump_call_graph_dot(program, &calls, &names, only),
    })
}

fn one_function(
    program: &Program,
    what: DumpKind,
    function: FunctionId,
    dot: bool,
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
        (DumpKind::Callgraph, dot) => Some(call_graph(program, Some(function), dot)?),
        (_, true) => bail!("this dump is text only; use --format terminal"),
        (what, false) => memory(program, what, function)?,
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
fn memory(program: &Program, what: DumpKind, function: FunctionId) -> Result<Option<String>> {
    if program.function(function).body.is_none() {
        return Ok(None);
    }
    let limit = until_interrupted();
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
