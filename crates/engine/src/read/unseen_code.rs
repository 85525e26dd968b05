//! **Question.** Which code does an executable consist of besides the units that were read?
//!
//! **Rules.** Units without IR, and what the link brings along, are pieces of their own
//! ([`knockon_build::unseen_units`], [`knockon_build::unseen_link`]). A symbol that nothing of
//! these defines, that no library on the link line exports and that the C library's descriptions do not
//! know is in code of which nothing is known: that may mention every symbol.
//!
//! **Soundness.** Where the link is not known, a function of the C library brings no other code with
//! it: an assumption that the report prints.

use knockon_build::build_plan::BuildPlan;
use knockon_build::compiler_calls::show_compiler_calls;
use knockon_build::unseen_link::{LinkedUnits, ObjectFiles, linked_units, looks_up};
use knockon_library::{Return, library};
use knockon_program::{
    BuildContext, Caveat, CaveatKind, LibraryNames, Name, PlaceId, Program, Runs, Symbols,
    UnitSymbols, UnseenCode, link_with, section_bounded_by, undefined_symbols, unit_symbols,
};
use std::collections::{BTreeMap, BTreeSet};

/// The units of one program, by their positions in the plan.
pub struct Group {
    pub name: String,
    /// Its place among the plan's executables, if the build says what is linked.
    pub executable: Option<usize>,
    pub units: Vec<usize>,
    /// What it may start.
    pub build: BuildContext,
}

pub struct Linked {
    pub program: Program,
    /// How many of its units have IR.
    pub units: usize,
    /// What the link does and is not followed: where anything changed, nothing is known to be
    /// unaffected.
    pub doubts: Vec<String>,
    pub is_recorded: bool,
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

/// How names of the runtime of C++ begin: exceptions, type information, memory. It comes back to the
/// program only as the language says.
const OF_THE_LANGUAGE: [&str; 10] = [
    "_Unwind_",
    "_ZSt9terminatev",
    "_ZTI",
    "_ZTVN10__cxxabiv1",
    "_ZdaPv",
    "_ZdlPv",
    "_Zna",
    "_Znw",
    "__cxa_",
    "__gxx_personality_",
];

/// Links one executable: its units, of which those without IR stand in `missing`, and what else its
/// link brings along.
pub fn link_executable(
    plan: &BuildPlan,
    group: &Group,
    units: Vec<Option<Program>>,
    missing: &BTreeMap<usize, UnseenCode>,
    files: &mut ObjectFiles,
) -> Linked {
    let planned = group.executable.map(|number| &plan.executables[number]);
    let link = planned.and_then(|planned| Some((planned, planned.link.as_ref()?)));
    let is_recorded = link.is_some();
    let mut found = match link {
        Some((planned, link)) => linked_units(planned, link, &plan.plug_ins, units, missing, files),
        None => LinkedUnits {
            pieces: group
                .units
                .iter()
                .filter_map(|position| missing.get(position).cloned())
                .collect(),
            units: units.into_iter().flatten().collect(),
            ..LinkedUnits::default()
        },
    };
    show_compiler_calls(&mut found.units, &mut found.pieces);
    let symbols: Vec<UnitSymbols> = found.units.iter().map(unit_symbols).collect();
    let is_known = |name: &String| {
        library().of(name).is_some()
            || library().variable(name).is_some()
            || OF_THE_LINKER.contains(&name.as_str())
            || OF_THE_LANGUAGE.iter().any(|start| name.starts_with(start))
            || section_bounded_by(name).is_some()
            || found.provided.contains(name)
            || found
                .pieces
                .iter()
                .any(|piece| piece.defines.contains(name))
    };
    let mut unknown = undefined_symbols(&symbols);
    unknown.retain(|name| !is_known(name));
    if is_recorded && !unknown.is_empty() {
        let exports = files.default_exports();
        unknown.retain(|name| !exports.contains(name));
        // What is only wanted weakly and not there is null.
        unknown.retain(|name| symbols.iter().any(|unit| unit.wanted.contains(name)));
    }
    let mut caveats = Vec::new();
    // Without a record, code that is loaded at run time finds whatever is not static.
    let wanted = symbols
        .iter()
        .flat_map(|unit| unit.wanted.iter().cloned())
        .collect();
    if !unknown.is_empty() || !is_recorded && looks_up(&wanted) {
        caveats.push(elsewhere_caveat(&unknown));
        found.pieces.push(elsewhere());
    }
    for doubt in &found.doubts {
        caveats.push(caveat(doubt.clone()));
    }
    confine(&mut found, &symbols);
    let count = found.units.len();
    let names = LibraryNames {
        is_replaceable: &|name| library().replaceable(name).is_some(),
        registered_runs: &|mentions| library().registered_runs(mentions),
    };
    let mut program = link_with(found.units, &found.pieces, names);
    program.build = group.build.clone();
    program.caveats.append(&mut caveats);
    Linked {
        program,
        units: count,
        doubts: found.doubts,
        is_recorded,
    }
}

/// A piece that calls more than the program's functions and plain functions of the library is not
/// confined.
fn confine(found: &mut LinkedUnits, units: &[UnitSymbols]) {
    // A guard of the stack fails on undefined runs only.
    const HARMLESS: [&str; 2] = ["_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"];
    let is_plain = |name: &str| {
        let effect = library().of(name);
        effect.is_some_and(|effect| effect.is_pure() && effect.return_ == Return::Always)
    };
    for piece in &mut found.pieces {
        let Symbols::These(mentions) = &piece.mentions else {
            piece.is_confined = false;
            continue;
        };
        piece.is_confined &= mentions.iter().all(|name| {
            piece.defines.contains(name)
                || units.iter().any(|unit| unit.defines(name))
                || HARMLESS.contains(&name.as_str())
                || is_plain(name)
        });
    }
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
        is_confined: false,
    }
}

fn elsewhere_caveat(unknown: &BTreeSet<String>) -> Caveat {
    const MOST_NAMED: usize = 5;
    let named: Vec<&str> = unknown
        .iter()
        .map(String::as_str)
        .take(MOST_NAMED)
        .collect();
    let more = match unknown.len() - named.len() {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    let code = match named.is_empty() {
        true => "what is loaded at run time is not known".to_owned(),
        false => format!(
            "the code that defines {}{more} was not found",
            named.join(", ")
        ),
    };
    caveat(format!(
        "{code}: it may read, write and call everything that is not static; `knockon capture` records what is linked"
    ))
}

fn caveat(message: String) -> Caveat {
    Caveat {
        kind: CaveatKind::UnseenCode,
        function: Name(0),
        place: PlaceId(0),
        message,
    }
}
