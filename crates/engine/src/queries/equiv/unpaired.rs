//! Functions that one version only has: whoever calls one from outside does not find it in the other.

use super::Judged;
use super::running::source_name;
use knockon_change::{Side, Sides};
use knockon_program::Linkage;
use knockon_proof::function_pairs::FunctionPairs;
use knockon_report::{EquivFunction, EquivVerdict};
use std::fmt::Write as _;

/// What is to say of functions without a partner.
#[derive(Default)]
pub(super) struct Unpaired {
    /// Of those that other units may call.
    pub(super) rows: Vec<Judged>,
    /// The names of those of one file.
    pub(super) internal: Sides<Vec<String>>,
}

pub(super) fn unpaired(pairs: &FunctionPairs<'_>, is_complete: bool) -> Unpaired {
    let mut found = Unpaired::default();
    for side in Side::BOTH {
        let program = pairs.versions.of(side).program;
        for (function, row, _) in program.defined_functions() {
            let name = source_name(program, function);
            let is_internal = matches!(row.linkage, Linkage::Internal | Linkage::Private);
            let partner = pairs.change.pair(side, function).map(|pair| {
                let partner = *pair.functions.of(side.other());
                source_name(pairs.versions.of(side.other()).program, partner)
            });
            // Of one that was renamed, the new name has a row where the code changed.
            if let Some(partner) = &partner
                && (is_internal || side == Side::New || *partner == name)
            {
                continue;
            }
            if is_internal {
                found.internal.of_mut(side).push(name);
                continue;
            }
            let mut reason = format!("only the {} version has it", version_name(side));
            if let Some(partner) = partner {
                let _ = write!(reason, "; `{partner}` may be what became of it");
            }
            if !is_complete {
                reason.push_str(", of what could be read");
            }
            let mut judged = Judged {
                row: EquivFunction {
                    name,
                    verdict: EquivVerdict::Unknown,
                    reasons: vec![reason],
                    ..EquivFunction::default()
                },
                example: None,
            };
            let place = program.place(row.place);
            if place.is_known() {
                judged.row.file = program.file_path(place.file).to_owned();
                judged.row.line = place.line;
            }
            found.rows.push(judged);
        }
    }
    found
}

pub(super) fn version_name(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
    }
}
