//! `knockon dump cfg|ssa|dominators|loops FUNCTION`.

use super::{deliver, tell_failures};
use crate::Outcome;
use crate::arguments::{DumpArguments, DumpKind, OutputFormat};
use crate::pipeline::{find_function, read_input};
use anyhow::{Result, bail};
use knockon_graphs as graphs;

pub fn run(arguments: &DumpArguments) -> Result<Outcome> {
    let (executable, account) = read_input(&arguments.program)?.only_executable()?;
    tell_failures(&account);
    let program = &executable.program;
    let function = find_function(program, &arguments.function)?;
    let text = match (arguments.what, arguments.output.format) {
        (DumpKind::Cfg, OutputFormat::Terminal) => graphs::dump_control_flow(program, function),
        (DumpKind::Cfg, OutputFormat::Dot) => graphs::dump_control_flow_dot(program, function),
        (DumpKind::Ssa, OutputFormat::Terminal) => graphs::dump_ssa(program, function),
        (DumpKind::Ssa, OutputFormat::Dot) => graphs::dump_ssa_dot(program, function),
        (DumpKind::Dominators, OutputFormat::Terminal) => {
            graphs::dump_dominators(program, function)
        }
        (DumpKind::Dominators, OutputFormat::Dot) => graphs::dump_dominators_dot(program, function),
        (DumpKind::Loops, OutputFormat::Terminal) => graphs::dump_loops(program, function),
        (DumpKind::Loops, OutputFormat::Dot) => graphs::dump_loops_dot(program, function),
        (_, OutputFormat::Json) => bail!("dump writes text or DOT; use --format terminal or dot"),
    };
    let Some(text) = text else {
        bail!("{} has no body here", arguments.function);
    };
    deliver(
        text,
        &arguments.output,
        account.exit_code(arguments.program.allow_incomplete),
    )
}
