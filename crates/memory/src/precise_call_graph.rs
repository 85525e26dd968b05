//! Which functions may each call enter, given what each pointer may point to?
//!
//! **Rules.** A call through a pointer enters the functions in the pointer's set, an external
//! function calls back those in the set of the pointer it gets. Unknown code calls every function
//! that escaped, then and at any later time. What the program defines in the library's place, and
//! whose address nothing takes, the library alone calls: in calls of the library, and where the program
//! says that it does besides ([`knockon_program::link_with`]). Everything else is as in the coarse graph.
//!
//! **Soundness.** That of the points-to sets; the result is a subset of the coarse graph. The library
//! has no thread of its own unless it was given a function to run at any time.
//!
//! **Cost.** That of the coarse graph, plus the edges.

use crate::call_graph::{CallGraph, CallSite};
use crate::coarse_call_graph::{MAY_CALL_EVERY, coarse_call_graph};
use crate::points_to::{PointsTo, points_to};
use knockon_graphs::{Rows, call_edges};
use knockon_library::{CallbackTime, library, replaced_functions};
use knockon_program::{Caveat, CaveatKind, FunctionId, OutOfTime, PlaceId, Program, TimeLimit};

/// The call graph, with the points-to sets it rests on.
pub fn precise_call_graph(
    program: &Program,
    limit: TimeLimit<'_>,
) -> Result<(CallGraph, PointsTo), OutOfTime> {
    let points_to = points_to(program, library(), limit)?;
    let graph = refine(program, &points_to);
    Ok((graph, points_to))
}

/// The coarse graph narrowed by points-to sets.
pub fn refine(program: &Program, points_to: &PointsTo) -> CallGraph {
    let coarse = coarse_call_graph(program);
    let replaced = replaced_functions(program, library());
    let defined = |id: &FunctionId| program.function(*id).body.is_some();
    let escaped: Vec<FunctionId> = points_to
        .escaped_functions
        .iter()
        .copied()
        .filter(defined)
        .collect();
    let mut targets = Rows::with_capacity(coarse.sites.len(), coarse.sites.len());
    let mut externals = Rows::with_capacity(coarse.sites.len(), coarse.sites.len());
    let mut callbacks = Rows::with_capacity(coarse.sites.len(), 0);
    let mut sites = coarse.sites;
    let mut caveats: Vec<Caveat> = coarse
        .caveats
        .into_iter()
        .filter(|caveat| caveat.kind != CaveatKind::IndirectCall)
        .map(|caveat| narrowed(caveat, escaped.len()))
        .collect();
    for (index, site) in sites.iter_mut().enumerate() {
        let place = (site.caller, site.instruction);
        match points_to.pointer_calls.get(&place) {
            None => {
                targets.push_row(coarse.targets.of(index).iter().copied());
                externals.push_row(coarse.externals.of(index).iter().copied());
            }
            Some(found) => {
                let functions = found.functions.iter().copied();
                targets.push_row(functions.clone().filter(defined));
                let others: Vec<FunctionId> = functions.filter(|id| !defined(id)).collect();
                let effect = |id: &FunctionId| library().of(program.function_name(*id));
                let enters_unknown_code = |id: &FunctionId| {
                    effect(id).is_none() || replaced.is_unseen_code_entered_by(*id)
                };
                let is_unknown = found.outside || others.iter().any(enters_unknown_code);
                let enters_replacements = others.iter().any(|id| replaced.may_be_entered_by(*id));
                site.calls_unmodelled = is_unknown || enters_replacements;
                site.only_replacements = enters_replacements && !is_unknown;
                site.exits = others
                    .iter()
                    .any(|id| effect(id).is_some_and(|effect| effect.runs_exit_handlers));
                externals.push_row(others);
                if found.outside {
                    caveats.push(unknown_target(program, site.caller, place.1, &escaped));
                }
            }
        }
        let mut called_back: Vec<FunctionId> = points_to
            .callbacks_at(place)
            .filter(|callback| callback.time == CallbackTime::Now)
            .map(|callback| callback.function)
            .collect();
        if site.enters_unknown_code() {
            called_back.extend(&escaped);
        } else if site.only_replacements {
            called_back.extend(&replaced.functions);
        }
        called_back.sort_unstable();
        called_back.dedup();
        callbacks.push_row(called_back);
    }
    let at = |time: CallbackTime| {
        let mut functions: Vec<FunctionId> = points_to
            .callbacks
            .iter()
            .filter(|callback| callback.time == time)
            .map(|callback| callback.function)
            .collect();
        functions.sort_unstable();
        functions.dedup();
        functions
    };
    let mut entries = coarse.entries;
    entries.exit_handlers = at(CallbackTime::AtExit);
    entries.interrupting = at(CallbackTime::Anytime);
    let unseen = program.unseen_entries.iter();
    let at_end = unseen.clone().filter(|row| row.runs.at_end);
    let interrupting = unseen.filter(|row| row.runs.any_time);
    entries.exit_handlers.extend(at_end.map(|row| row.function));
    entries
        .interrupting
        .extend(interrupting.map(|row| row.function));
    let knows_more = !entries.interrupting.is_empty()
        || entries.mains.is_empty()
        || sites.iter().any(CallSite::enters_unknown_code);
    let taken = call_edges(program).address_taken;
    let is_called_by_name =
        |id: &FunctionId| replaced.functions.contains(id) && taken.binary_search(id).is_err();
    entries.anytime.clone_from(&entries.interrupting);
    let known = escaped.iter().copied();
    entries
        .anytime
        .extend(known.filter(|id| knows_more || !is_called_by_name(id)));
    for list in [
        &mut entries.exit_handlers,
        &mut entries.interrupting,
        &mut entries.anytime,
    ] {
        list.sort_unstable();
        list.dedup();
    }
    if points_to.mixed_objects > 0 {
        caveats.push(Caveat {
            kind: CaveatKind::CoarseMemory,
            function: knockon_program::Name(0),
            place: PlaceId(0),
            message: format!(
                "pointers may point to so many objects that {} of them are not told apart",
                points_to.mixed_objects
            ),
        });
    }
    CallGraph {
        sites,
        first_site: coarse.first_site,
        targets,
        externals,
        callbacks,
        entries,
        caveats,
    }
}

/// An unmodelled function calls back only what outside code knows.
fn narrowed(mut caveat: Caveat, escaped: usize) -> Caveat {
    if let Some(start) = caveat.message.strip_suffix(MAY_CALL_EVERY) {
        caveat.message = match escaped {
            0 => format!("{start}may read and write what it knows of the program"),
            1 => format!("{start}may call back the one function that outside code knows"),
            _ => format!(
                "{start}may call back each of the {escaped} functions that outside code knows"
            ),
        };
    }
    caveat
}

fn unknown_target(
    program: &Program,
    caller: FunctionId,
    instruction: knockon_program::InstructionId,
    escaped: &[FunctionId],
) -> Caveat {
    let function = program.function(caller);
    Caveat {
        kind: CaveatKind::IndirectCall,
        function: function.name,
        place: function
            .body
            .as_ref()
            .map_or(PlaceId(0), |body| body.instruction(instruction).place),
        message: format!(
            "{} calls through a pointer that comes from outside; each of the {} functions that \
             outside code knows is assumed",
            program.name(function.name),
            escaped.len()
        ),
    }
}
