//! Functions that run without being called by the program's text.
//!
//! **Question.** Which functions run more or less often, or at another time, though neither their
//! text nor a call of them changed?
//!
//! **Rules.** Constructors and destructors run in the order of their lists; where the lists differ,
//! all of them are sources. Assembly outside of functions may call what it names; where its text
//! differs, all that it names is a source.
//!
//! **Cost.** Linear in the lists and in the nodes of the functions found.

use crate::{Change, FunctionPair, NodeMap, PairStatus, Side, Sides};
use knockon_program::{Constant, FunctionId, GlobalId, InstructionId, Program};

/// The functions that run before `main` or after it in one version only, or in another order, and
/// those that assembly names whose text is another one, which may call them more or less often. All
/// their nodes become sources.
pub(crate) fn mark_entries(programs: Sides<&Program>, change: &mut Change) {
    let mut found: Sides<Vec<FunctionId>> = Sides::default();
    let lists = |program: &Program| [program.constructors.clone(), program.destructors.clone()];
    for (old, new) in lists(programs.old).iter().zip(&lists(programs.new)) {
        let here = old.iter().map(|entry| {
            let partner = change.partner(Side::Old, entry.function);
            (entry.priority, partner)
        });
        let there = new
            .iter()
            .map(|entry| (entry.priority, Some(entry.function)));
        if !here.eq(there) {
            found.old.extend(old.iter().map(|entry| entry.function));
            found.new.extend(new.iter().map(|entry| entry.function));
        }
    }
    for side in Side::BOTH {
        let program = *programs.of(side);
        for row in &change.globals {
            if let Some(id) = row.of(side)
                && program.is_unseen_code(id)
            {
                found.of_mut(side).extend(named_functions(program, id));
            }
        }
        for function in found.of(side) {
            make_all_sources(programs, change, side, *function);
        }
        let list = found.of_mut(side);
        list.sort_unstable();
        list.dedup();
    }
    change.entries = found;
}

/// The functions with a body whose addresses a variable holds.
fn named_functions(program: &Program, global: GlobalId) -> Vec<FunctionId> {
    let initialiser = program.globals[global.index()].initialiser;
    let Some(Constant::Aggregate { elements, .. }) = initialiser.map(|id| program.constant(id))
    else {
        return Vec::new();
    };
    let named = elements
        .iter()
        .filter_map(|id| program.called_function(*id));
    named
        .filter(|id| program.function(*id).body.is_some())
        .collect()
}

/// All nodes of the function become sources, and those of its partner.
pub(crate) fn make_all_sources(
    programs: Sides<&Program>,
    change: &mut Change,
    side: Side,
    function: FunctionId,
) {
    if let Some(id) = change.pair_of.of(side)[function.index()] {
        let pair = &mut change.pairs[id.0 as usize];
        pair.nodes = all_sources(programs, pair);
        if pair.status == PairStatus::Same {
            pair.status = PairStatus::Changed;
        }
    }
}

/// The same map, all of whose nodes are sources.
fn all_sources(programs: Sides<&Program>, pair: &FunctionPair) -> NodeMap {
    let nodes = |side: Side| {
        let function = programs.of(side).function(*pair.functions.of(side));
        let count = function
            .body
            .as_ref()
            .map_or(0, |body| body.instructions.len());
        (0..count).map(InstructionId::from_index)
    };
    let partners = |side: Side| {
        nodes(side)
            .map(|id| pair.partner_of_node(side, id))
            .collect()
    };
    let all = |side: Side| nodes(side).map(InstructionId::index).collect();
    NodeMap::Partial {
        new_of_old: partners(Side::Old),
        old_of_new: partners(Side::New),
        sources: Sides {
            old: all(Side::Old),
            new: all(Side::New),
        },
        reordered: Sides::default(),
        arguments: Vec::new(),
    }
}
