//! Which functions does a call take note of, to run them later?

use super::constants::constant_of;
use crate::call_graph::CallGraph;
use knockon_graphs::Rows;
use knockon_library::{Callback, CallbackTime, Library, Origin, Value};
use knockon_program::{Body, FunctionId, InstructionId, Program};

/// For each site the functions that run later because of it: the named one, or all that may run
/// at the end or at any time.
pub(crate) fn registered_functions(
    program: &Program,
    calls: &CallGraph,
    library: &Library,
) -> Rows<FunctionId> {
    let mut later: Vec<FunctionId> = calls.entries.anytime.clone();
    later.extend(&calls.entries.exit_handlers);
    later.sort_unstable();
    later.dedup();
    let mut rows = Rows::with_capacity(calls.sites.len(), 0);
    for (index, site) in calls.sites.iter().enumerate() {
        let body = program.function(site.caller).body.as_deref();
        let mut found: Vec<FunctionId> = Vec::new();
        for external in calls.externals.of(index) {
            let effect = library.of(program.function_name(*external));
            for callback in effect.into_iter().flat_map(|effect| &effect.callbacks) {
                if callback.time == CallbackTime::Now {
                    continue;
                }
                match body.and_then(|body| named(program, body, site.instruction, callback)) {
                    Some(function) => found.extend(later.contains(&function).then_some(function)),
                    None => found.extend(&later),
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        rows.push_row(found);
    }
    rows
}

/// The function that a callback is, where the call names it.
pub(crate) fn named(
    program: &Program,
    body: &Body,
    call: InstructionId,
    callback: &Callback,
) -> Option<FunctionId> {
    match callback.function {
        Origin::Same(Value::Argument(number)) => body
            .arguments(call)
            .get(number as usize)
            .and_then(|operand| constant_of(*operand))
            .and_then(|constant| program.called_function(constant)),
        _ => None,
    }
}
