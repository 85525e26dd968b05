//! Functions that a program defines in the library's place, in one version only.
//!
//! **Question.** Which calls of the library do something else though neither they nor what they enter
//! changed?
//!
//! **Rule.** A library function calls some others by name, and enters the program's where the program
//! defines them (`knockon_library::replaced_functions`). A call that may enter another set of
//! them than in the other version is a source, and so is its partner.
//!
//! **Soundness.** What a function that both versions define does differently is followed from its
//! nodes, since each call enters it; one that is gone has no nodes to follow.
//!
//! **Cost.** Nothing where both versions define the same ones; else a walk over the calls.

use crate::{Change, FunctionPair, NodeMap, PairStatus, Side, Sides, Version};
use fixedbitset::FixedBitSet;
use knockon_library::library;
use knockon_program::{Body, FunctionId, InstructionId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

pub(crate) fn mark_replacements(versions: Sides<Version<'_>>, change: &mut Change) {
    let entered = Sides {
        old: entered_names(versions.old),
        new: entered_names(versions.new),
    };
    if entered.old == entered.new {
        return;
    }
    let names = entered.old.keys().chain(entered.new.keys());
    let differing: FxHashSet<&str> = names
        .copied()
        .filter(|name| entered.old.get(name) != entered.new.get(name))
        .collect();
    for side in Side::BOTH {
        let Version { program, memory } = *versions.of(side);
        let differs = |external: &FunctionId| differing.contains(program.function_name(*external));
        for site in 0..memory.calls.sites.len() {
            if !memory.calls.externals.of(site).iter().any(differs) {
                continue;
            }
            let row = &memory.calls.sites[site];
            let Some(id) = change.pair_of.of(side)[row.caller.index()] else {
                continue;
            };
            let pair = &mut change.pairs[id.0 as usize];
            let partner = pair.partner_of_node(side, row.instruction);
            add_source(&versions, pair, side, row.instruction);
            if let Some(partner) = partner {
                add_source(&versions, pair, side.other(), partner);
            }
        }
    }
}

/// By function of the library: which names of the program its calls may enter by name, if any.
fn entered_names(version: Version<'_>) -> BTreeMap<&str, FixedBitSet> {
    let Version { program, memory } = version;
    let ids = program.function_ids();
    let entering = ids.filter(|id| memory.replaced.may_be_entered_by(*id));
    entering
        .map(|id| {
            let names = memory.replaced.entered_by(library(), program, id);
            (program.function_name(id), names)
        })
        .collect()
}

pub(crate) fn add_source(
    versions: &Sides<Version<'_>>,
    pair: &mut FunctionPair,
    side: Side,
    node: InstructionId,
) {
    let count = |side: Side| {
        let program = versions.of(side).program;
        let body: Option<&Body> = program.function(*pair.functions.of(side)).body.as_deref();
        body.map_or(0, |body| body.instructions.len())
    };
    if let NodeMap::Identity = pair.nodes {
        let all = |side: Side| {
            let nodes = (0..count(side)).map(InstructionId::from_index);
            nodes.map(Some).collect()
        };
        let none = |side: Side| FixedBitSet::with_capacity(count(side));
        pair.nodes = NodeMap::Partial {
            new_of_old: all(Side::Old),
            old_of_new: all(Side::New),
            sources: Sides {
                old: none(Side::Old),
                new: none(Side::New),
            },
            reordered: Sides::default(),
            arguments: Vec::new(),
        };
    }
    if let NodeMap::Partial { sources, .. } = &mut pair.nodes {
        sources.of_mut(side).grow_and_insert(node.index());
    }
    if pair.status == PairStatus::Same {
        pair.status = PairStatus::Changed;
    }
}
