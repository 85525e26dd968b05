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
use fixedbitset::FixedBitSet;
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
        let all = |side: Side| {
            let mut set = FixedBitSet::with_capacity(node_count(programs, pair, side));
            set.insert_range(..);
            set
        };
        let all = Sides {
            old: all(Side::Old),
            new: all(Side::New),
        };
        make_sources(programs, pair, all);
    }
}

/// These nodes become sources beside those that are, and so do their partners. The map stays.
pub(crate) fn make_sources(
    programs: Sides<&Program>,
    pair: &mut FunctionPair,
    nodes: Sides<FixedBitSet>,
) {
    let mut all = Sides::<FixedBitSet>::default();
    for side in Side::BOTH {
        let count = node_count(programs, pair, side);
        let set = all.of_mut(side);
        set.grow(count);
        for id in (0..count).map(InstructionId::from_index) {
            let partner = pair.partner_of_node(side, id);
            let other = nodes.of(side.other());
            let is_new = nodes.of(side).contains(id.index())
                || partner.is_some_and(|partner| other.contains(partner.index()));
            set.set(id.index(), is_new || pair.is_source(side, id));
        }
    }
    if all.old.is_clear() && all.new.is_clear() {
        return;
    }
    let partners = |side: Side| {
        (0..node_count(programs, pair, side))
            .map(|at| pair.partner_of_node(side, InstructionId::from_index(at)))
            .collect()
    };
    let (mut reordered, mut arguments) = (Sides::default(), Vec::new());
    let (new_of_old, old_of_new) = (partners(Side::Old), partners(Side::New));
    if let NodeMap::Partial {
        reordered: stores,
        arguments: calls,
        ..
    } = &mut pair.nodes
    {
        reordered = std::mem::take(stores);
        arguments = std::mem::take(calls);
    }
    // A call among these differs in more than its arguments.
    arguments.retain(|row| !nodes.old.contains(row.old.index()));
    arguments.retain(|row| !nodes.new.contains(row.new.index()));
    pair.nodes = NodeMap::Partial {
        new_of_old,
        old_of_new,
        sources: all,
        reordered,
        arguments,
    };
    if pair.status == PairStatus::Same {
        pair.status = PairStatus::Changed;
    }
}

fn node_count(programs: Sides<&Program>, pair: &FunctionPair, side: Side) -> usize {
    let function = programs.of(side).function(*pair.functions.of(side));
    let body = function.body.as_ref();
    body.map_or(0, |body| body.instructions.len())
}
