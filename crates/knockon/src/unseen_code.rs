//! **Question.** Which code does an executable consist of besides the units that were read?
//!
//! **Rules.** Units without IR, and what the link brings along, are pieces of their own
//! ([`knockon_frontend::unseen_units`], [`knockon_frontend::unseen_link`]). A symbol that nothing of
//! these defines, that no library on the link line exports and that the C library's descriptions do not
//! know is in code of which nothing is known: that may mention every symbol.
//!
//! **Soundness.** Where the link is not known, a function of the C library brings no other code with
//! it: an assumption that the report prints.

use knockon_frontend::build_plan::PlannedExecutable;
use knockon_memory::effects::library;
use knockon_program::{
    Caveat, CaveatKind, Name, PlaceId, Program, Runs, Symbols, UnseenCode, section_bounded_by,
    undefined_symbols,
};
use std::collections::{BTreeMap, BTreeSet};

/// The code of one executable that is not in its units.
#[derive(Default)]
pub struct Unseen {
    pub pieces: Vec<UnseenCode>,
    pub caveats: Vec<Caveat>,
}

/// Symbols that linkers and compilers make.
const OF_THE_LINKER: [&str; 24] = [
    "_DYNAMIC",
    "_GLOBAL_OFFSET_TABLE_",
    "__bss_start",
    "__data_start",
    "__ehdr_start",
    "__executable_start",
    "__fini_array_end",
    "__fini_array_start",
    "__init_array_end",
    "__init_array_start",
    "__preinit_array_end",
    "__preinit_array_start",
    "__rela_iplt_end",
    "__rela_iplt_start",
    "__tls_get_addr",
    "_edata",
    "_end",
    "_etext",
    "_fini",
    "_init",
    "data_start",
    "edata",
    "end",
    "etext",
];

/// `missing` are the units without IR, by their position in the plan.
pub fn unseen_code(
    executable: Option<&PlannedExecutable>,
    positions: &[usize],
    units: &[Program],
    missing: &BTreeMap<usize, UnseenCode>,
) -> Unseen {
    let mut found = Unseen::default();
    for position in positions {
        found.pieces.extend(missing.get(position).cloned());
    }
    let _ = executable;
    let undefined = undefined_symbols(units);
    let is_known = |name: &str| {
        library().of(name).is_some()
            || library().variable(name).is_some()
            || OF_THE_LINKER.contains(&name)
            || section_bounded_by(name).is_some()
            || found
                .pieces
                .iter()
                .any(|piece| piece.defines.contains(name))
    };
    let unknown: BTreeSet<&str> = undefined
        .iter()
        .map(String::as_str)
        .filter(|name| !is_known(name))
        .collect();
    if !unknown.is_empty() {
        found.caveats.push(elsewhere_caveat(&unknown));
        found.pieces.push(elsewhere());
    }
    found
}

/// Code that defines what nothing known does. It is the same in both versions.
fn elsewhere() -> UnseenCode {
    UnseenCode {
        name: "code that was not found".to_owned(),
        content: b"elsewhere".to_vec(),
        mentions: Symbols::All,
        defines: Symbols::none(),
        runs: Runs {
            at_start: true,
            at_end: true,
            any_time: false,
        },
    }
}

fn elsewhere_caveat(unknown: &BTreeSet<&str>) -> Caveat {
    const MOST_NAMED: usize = 5;
    let mut names: Vec<&str> = unknown.iter().copied().take(MOST_NAMED).collect();
    let rest = unknown.len() - names.len();
    let more = match rest {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    let last = names.pop().unwrap_or_default();
    let names = match (names.is_empty(), rest) {
        (true, _) => last.to_owned(),
        (false, 0) => format!("{} and {last}", names.join(", ")),
        (false, _) => format!("{}, {last}", names.join(", ")),
    };
    Caveat {
        kind: CaveatKind::UnseenCode,
        function: Name(0),
        place: PlaceId(0),
        message: format!(
            "the code that defines {names}{more} was not found: it may read, write and call everything that is not static; `knockon capture` records what is linked"
        ),
    }
}
