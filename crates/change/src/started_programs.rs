//! Other programs of the build, which the program may start.
//!
//! **Question.** Which calls do something else because what they start did change?
//!
//! **Rule.** Where another program of the build differs between the versions, each call that may start
//! one (`knockon_memory::processes`) is a source, and so is its partner. What the program itself does
//! in another process is followed from its own nodes.
//!
//! **Cost.** A look at each such call.

use crate::replacements::add_source;
use crate::{Change, Side, Sides, Version};

pub(crate) fn mark_started_programs(versions: Sides<Version<'_>>, change: &mut Change) {
    if versions.old.program.build.others == versions.new.program.build.others {
        return;
    }
    for side in Side::BOTH {
        let Version { memory, .. } = *versions.of(side);
        for site in &memory.processes.starting {
            let row = memory.calls.site(*site);
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
