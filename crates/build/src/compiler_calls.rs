//! **Question.** Which functions of the program does the compiler call of its own accord?
//!
//! **Rules.** Flags such as `-finstrument-functions`, `-pg` and `-fsanitize-coverage` make the compiler
//! call *hooks*: at each entry and return, each branch, each access. Operations that the machine has
//! not (a quotient of 128 bits, floats without a unit for them) are calls of the compiler's *runtime*
//! (`__udivti3`). Where the program defines such a function itself, the call becomes visible here: as
//! inline assembly that names the function, beside the code for a hook and in the place of an operation
//! of the runtime. Hooks that are called at any place of a block stand before each of its instructions.
//!
//! **Soundness.** Which functions of the runtime an operation enters, or whether the compiler does
//! without, is its own decision: assembly may enter all that it names, or none. Hooks are known by the
//! beginnings of their names; they are called as often as code that is not optimised calls them
//! (`docs/soundness.md`).
//!
//! **Cost.** None where the program defines no such function; else one walk over its units.

mod routines;

use knockon_program::{
    Block, Body, Constant, Flags, InstructionId, InstructionRow, Opcode, Operand, PlaceId, Program,
    Symbols, Type, UnseenCode, unit_symbols,
};
use routines::{Routines, replace_operations};
use std::collections::{BTreeMap, BTreeSet};

/// Where in a function a hook is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Entry,
    Return,
    Anywhere,
}

/// Hooks by what the flag and their own names begin with.
const HOOKS: [(&str, &str, At); 19] = [
    ("-finstrument", "__cyg_profile_func_enter", At::Entry),
    ("-finstrument", "__cyg_profile_func_exit", At::Return),
    ("-p", "mcount", At::Entry),
    ("-p", "_mcount", At::Entry),
    ("-p", "__mcount", At::Entry),
    ("-p", "__fentry__", At::Entry),
    ("-p", "__gnu_mcount", At::Entry),
    ("-p", "__return__", At::Return),
    ("-fsplit-stack", "__morestack", At::Entry),
    ("-fxray", "__xray_", At::Anywhere),
    ("-fsanitize", "__sanitizer_", At::Anywhere),
    ("-fsanitize", "__asan_", At::Anywhere),
    ("-fsanitize", "__hwasan_", At::Anywhere),
    ("-fsanitize", "__msan_", At::Anywhere),
    ("-fsanitize", "__tsan_", At::Anywhere),
    ("-fsanitize", "__ubsan_", At::Anywhere),
    ("-fprofile", "__gcov_", At::Anywhere),
    ("-fprofile", "__llvm_profile_", At::Anywhere),
    ("--coverage", "__gcov_", At::Anywhere),
];

/// The compiler's own libraries: what is in them calls nothing of the program.
const OF_THE_COMPILER: [&str; 12] = [
    "libasan",
    "libatomic",
    "libclang_rt",
    "libcompiler_rt",
    "libgcc",
    "libgcov",
    "libhwasan",
    "liblsan",
    "libquadmath",
    "libsupc++",
    "libtsan",
    "libubsan",
];

/// Makes the compiler's calls of what the units and the other code define visible in the units.
/// `pieces` gets what the compiler adds to run before and after `main`.
pub fn show_compiler_calls(units: &mut [Program], pieces: &mut Vec<UnseenCode>) {
    let mut defined: BTreeSet<String> = units
        .iter()
        .flat_map(|unit| {
            let symbols = unit_symbols(unit);
            symbols.definitions().cloned().collect::<Vec<_>>()
        })
        .collect();
    let is_own = |piece: &&UnseenCode| {
        !OF_THE_COMPILER
            .iter()
            .any(|start| piece.name.starts_with(start))
    };
    for piece in pieces.iter().filter(is_own) {
        if let Symbols::These(names) = &piece.defines {
            defined.extend(names.iter().cloned());
        }
    }
    let is_wide_open = pieces.iter().any(|piece| piece.defines == Symbols::All);
    let mut at_start: BTreeSet<String> = BTreeSet::new();
    for unit in units {
        let flags = unit.units.first();
        let flags = flags.map_or("", |row| unit.names.text(row.unread_flags));
        let hooks = hooks(flags, &defined, is_wide_open);
        if !hooks.is_empty() {
            at_start.extend(hooks.values().flatten().cloned());
            insert_hooks(unit, &hooks);
        }
        let routines = Routines::of(&defined, unit);
        if !routines.is_empty() {
            replace_operations(unit, &routines);
        }
    }
    if !at_start.is_empty() {
        let mut runs = knockon_program::Runs::default();
        (runs.at_start, runs.at_end) = (true, true);
        pieces.push(UnseenCode {
            name: "code that the compiler adds".to_owned(),
            content: b"hooks".to_vec(),
            mentions: Symbols::These(at_start),
            defines: Symbols::none(),
            runs,
            is_confined: false,
        });
    }
}

/// The hooks that the flags ask for, by their places: entry, return, anywhere.
fn hooks(
    flags: &str,
    defined: &BTreeSet<String>,
    is_wide_open: bool,
) -> BTreeMap<u8, BTreeSet<String>> {
    let mut found: BTreeMap<u8, BTreeSet<String>> = BTreeMap::new();
    for (flag, start, at) in HOOKS {
        let is_meant = |word: &str| match flag {
            "-p" => matches!(word, "-p" | "-pg" | "-mfentry" | "-minstrument-return=call"),
            _ => word.starts_with(flag),
        };
        if !flags.lines().any(is_meant) {
            continue;
        }
        let mut names: BTreeSet<String> = defined
            .iter()
            .filter(|name| name.starts_with(start))
            .cloned()
            .collect();
        if is_wide_open {
            names.insert(start.to_owned());
        }
        if !names.is_empty() {
            found.entry(at as u8).or_default().extend(names);
        }
    }
    found
}

fn assembly(program: &mut Program, names: &BTreeSet<String>) -> Operand {
    let calls: Vec<String> = names.iter().map(|name| format!("call {name}")).collect();
    let template = program.names.intern(&calls.join("\n"));
    let constraints = program.names.intern("~{memory}");
    let assembly = Constant::Assembly {
        template,
        constraints,
    };
    Operand::Constant(program.constants.intern(assembly))
}

fn insert_hooks(unit: &mut Program, hooks: &BTreeMap<u8, BTreeSet<String>>) {
    let all: BTreeSet<&String> = hooks.values().flatten().collect();
    let callees: BTreeMap<u8, Operand> = hooks
        .iter()
        .map(|(at, names)| (*at, assembly(unit, names)))
        .collect();
    let void = unit.types.intern(Type::Void);
    let type_id = unit.types.intern(Type::Function {
        result: void,
        parameters: Box::new([]),
        variadic: false,
    });
    let row = InstructionRow {
        opcode: Opcode::Call,
        detail: 0,
        flags: Flags::NONE,
        type_id: void,
        extra: type_id.0,
        place: PlaceId(0),
    };
    for at in 0..unit.functions.len() {
        let name = unit.names.text(unit.functions[at].name);
        if all.iter().any(|hook| *hook == name) {
            continue;
        }
        if let Some(body) = unit.functions[at].body.as_deref_mut() {
            *body = with_calls(body, &callees, row);
        }
    }
}

/// The body with a call before each instruction where a hook is called.
fn with_calls(old: &Body, callees: &BTreeMap<u8, Operand>, row: InstructionRow) -> Body {
    let mut new = Body {
        variables: old.variables.clone(),
        debug_calls: old.debug_calls,
        ..Body::default()
    };
    let mut places = vec![InstructionId(0); old.instructions.len() + 1];
    let mut is_entered = false;
    for block in &old.blocks {
        new.begin_block(block.name);
        let Block { first, end, .. } = *block;
        for id in (first.0..end.0).map(InstructionId) {
            let opcode = old.instruction(id).opcode;
            // These stand first in their block.
            let is_first = matches!(
                opcode,
                Opcode::Phi | Opcode::Alloca | Opcode::LandingPad | Opcode::CatchPad
            ) || matches!(opcode, Opcode::CleanupPad | Opcode::CatchSwitch);
            let follows_tail_call = id.0 > first.0
                && old
                    .instruction(InstructionId(id.0 - 1))
                    .flags
                    .has(Flags::MUST_TAIL);
            if !is_first && !follows_tail_call {
                let is_return = opcode == Opcode::Return;
                let wanted = [
                    (At::Entry, !is_entered),
                    (At::Return, is_return),
                    (At::Anywhere, true),
                ];
                is_entered = true;
                for (at, is_here) in wanted {
                    if let Some(callee) = callees.get(&(at as u8))
                        && is_here
                    {
                        new.push(row, [*callee]);
                    }
                }
            }
            let kept = old.instruction(id);
            let kept = InstructionRow {
                opcode: kept.opcode,
                detail: kept.detail,
                flags: kept.flags,
                type_id: kept.type_id,
                extra: kept.extra,
                place: kept.place,
            };
            places[id.index()] = new.push(kept, old.operands(id).iter().copied());
        }
    }
    places[old.instructions.len()] = InstructionId::from_index(new.instructions.len());
    let moved = |operand: Operand| match operand {
        Operand::Instruction(id) => Operand::Instruction(places[id.index()]),
        Operand::Argument(_) | Operand::Constant(_) | Operand::Block(_) | Operand::Index(_) => {
            operand
        }
    };
    for operand in &mut new.operands {
        *operand = moved(*operand);
    }
    new.variable_locations = old
        .variable_locations
        .iter()
        .map(|row| {
            let mut row = *row;
            (row.value, row.before) = (moved(row.value), places[row.before.index()]);
            row
        })
        .collect();
    new.by_value_arguments = old
        .by_value_arguments
        .iter()
        .map(|row| {
            let mut row = *row;
            row.call = places[row.call.index()];
            row
        })
        .collect();
    new
}
