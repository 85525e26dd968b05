//! **Question.** Does a pair of functions without a source access memory in the order in which it did?
//!
//! **Rules.** What frees an object writes nothing, so no value tells on which side of it an access is,
//! and an access that moved behind it is no source; but there it is undefined. A pair is the same
//! code only if all its accesses and calls come in the same order in the texts of both versions, or,
//! where lines are compared, if none of its calls makes or frees anything. Where functions are
//! compared, memory is free: two accesses that never meet in this program meet in another memory. Of
//! others, which are few, the proof decides: it knows what may be accessed at each place.
//!
//! **Cost.** Linear in the bodies of pairs that were edited.

use crate::lifetimes::Lifetimes;
use crate::product::Compared;
use knockon_change::{FunctionPair, NodeMap, Side, Sides, Version};
use knockon_program::InstructionId;

pub(crate) fn are_in_place(
    versions: &Sides<Version<'_>>,
    lifetimes: &Sides<Lifetimes>,
    pair: &FunctionPair,
    compared: Compared,
) -> bool {
    if matches!(pair.nodes, NodeMap::Identity) {
        return true;
    }
    let keeps = |side: Side| {
        let version = *versions.of(side);
        let mut sites = version.memory.calls.sites_of(*pair.functions.of(side));
        sites.all(|site| lifetimes.of(side).are_kept_by(version, site))
    };
    if compared == Compared::Lines && Side::BOTH.into_iter().all(keeps) {
        return true;
    }
    let old = accesses(versions.old, pair, Side::Old);
    let partners = old.map(|id| pair.partner_of_node(Side::Old, id));
    partners.eq(accesses(versions.new, pair, Side::New).map(Some))
}

/// Accesses and calls, in the order of the text.
fn accesses<'a>(
    version: Version<'a>,
    pair: &FunctionPair,
    side: Side,
) -> impl Iterator<Item = InstructionId> + 'a {
    let function = version.program.function(*pair.functions.of(side));
    let bodies = function.body.as_deref().into_iter();
    bodies.flat_map(|body| {
        body.instruction_ids().filter(|id| {
            let opcode = body.instruction(*id).opcode;
            opcode.is_call() || opcode.accesses_memory()
        })
    })
}
