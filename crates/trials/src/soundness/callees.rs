//! The law of the call graph: a function that was entered from a call is one of its targets, or of
//! its callbacks, or may run at any time; one that was entered from outside is an entry.

use super::{Findings, Law, place_of, place_of_function};
use knockon_interpreter::Trace;
use knockon_memory::call_graph::{CallGraph, Entries};
use knockon_program::{FunctionId, Node, Program};

pub fn check(program: &Program, calls: &CallGraph, trace: &Trace, findings: &mut Findings) {
    for (call, entered) in &trace.entered {
        findings.count(Law::Callees, 1);
        let name = program.function_name(*entered);
        match call {
            Some(call) if !may_enter(calls, *call, *entered) => findings.violated(
                Law::Callees,
                place_of(program, *call),
                format!("the call entered {name}"),
            ),
            None if !is_entry(&calls.entries, *entered) => findings.violated(
                Law::Callees,
                place_of_function(program, *entered),
                format!("{name} was entered from outside"),
            ),
            _ => {}
        }
    }
}

fn may_enter(calls: &CallGraph, (caller, instruction): Node, entered: FunctionId) -> bool {
    let Some(site) = calls.site_of(caller, instruction) else {
        return false;
    };
    calls.targets.of(site).contains(&entered)
        || calls.callbacks.of(site).contains(&entered)
        || calls.entries.anytime.contains(&entered)
}

fn is_entry(entries: &Entries, entered: FunctionId) -> bool {
    [
        &entries.constructors,
        &entries.mains,
        &entries.exit_handlers,
        &entries.destructors,
        &entries.anytime,
    ]
    .iter()
    .any(|functions| functions.contains(&entered))
}
