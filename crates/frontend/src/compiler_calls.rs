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

use knockon_program::{
    Block, Body, Constant, Flags, FunctionId, InstructionId, InstructionRow, Opcode, Operand,
    PlaceId, Program, Symbols, Type, TypeId, UnseenCode, unit_symbols,
};
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
    for piece in pieces.iter() {
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

/// The functions of the compiler's runtime that the program defines, by what they do.
#[derive(Default)]
struct Routines {
    /// On integers that are wider than a register.
    wide: BTreeSet<String>,
    /// On integers that fit into one.
    narrow: BTreeSet<String>,
    /// On floats that the machine has.
    floats: BTreeSet<String>,
    /// On other floats.
    other_floats: BTreeSet<String>,
    atomics: BTreeSet<String>,
    /// What intrinsics of LLVM become: bits that are counted, powers, sums that may overflow.
    intrinsics: BTreeSet<String>,
}

impl Routines {
    fn of(defined: &BTreeSet<String>, unit: &Program) -> Routines {
        let mut found = Routines::default();
        let triple = unit
            .units
            .first()
            .map_or("", |row| unit.names.text(row.target_triple));
        let machine = triple.split('-').next().unwrap_or_default();
        let has_all = matches!(
            machine,
            "x86_64" | "aarch64" | "arm64" | "powerpc64le" | "s390x"
        );
        for name in defined {
            let Some(bare) = name.strip_prefix("__") else {
                // `frem` is a call of the library's.
                if matches!(name.as_str(), "fmod" | "fmodf" | "fmodl") {
                    found.floats.insert(name.clone());
                    found.other_floats.insert(name.clone());
                }
                continue;
            };
            if ATOMICS.iter().any(|start| bare.starts_with(start)) {
                found.atomics.insert(name.clone());
            } else if bare.starts_with("aeabi_") {
                found.wide.insert(name.clone());
                found.narrow.insert(name.clone());
                found.floats.insert(name.clone());
                found.other_floats.insert(name.clone());
            } else if is_routine(bare) {
                if INTRINSIC
                    .iter()
                    .any(|operation| bare.starts_with(operation))
                {
                    found.intrinsics.insert(name.clone());
                }
                let has = |modes: &[&str]| modes.iter().any(|mode| bare.contains(mode));
                let is_odd_float = has(&["hf", "bf", "xf", "tf", "h2f", "f2h", "kf"]);
                let is_float = has(&["sf", "df"]) || is_odd_float;
                if is_odd_float || is_float && has(&["ti"]) {
                    found.other_floats.insert(name.clone());
                }
                if is_float && !has_all {
                    found.floats.insert(name.clone());
                    found.other_floats.insert(name.clone());
                }
                if !is_float && (has(&["ti"]) || !has_all) {
                    found.wide.insert(name.clone());
                }
                if !is_float && !has_all {
                    found.narrow.insert(name.clone());
                }
            }
        }
        found
    }

    fn is_empty(&self) -> bool {
        let lists = [&self.wide, &self.narrow, &self.floats, &self.other_floats];
        let is_clear = self.atomics.is_empty() && self.intrinsics.is_empty();
        is_clear && lists.iter().all(|list| list.is_empty())
    }
}

const INTRINSIC: [&str; 14] = [
    "absv", "addv", "bitrev", "bswap", "clrsb", "clz", "ctz", "ffs", "mulo", "mulv", "negv",
    "parity", "popcount", "powi",
];

/// Intrinsics that are such operations.
const OPERATIONS_OF_LLVM: [&str; 12] = [
    "llvm.bitreverse.",
    "llvm.bswap.",
    "llvm.ctlz.",
    "llvm.ctpop.",
    "llvm.cttz.",
    "llvm.powi.",
    "llvm.sadd.with.",
    "llvm.smul.with.",
    "llvm.ssub.with.",
    "llvm.uadd.with.",
    "llvm.umul.with.",
    "llvm.usub.with.",
];

const ATOMICS: [&str; 8] = [
    "atomic_",
    "sync_",
    "aarch64_cas",
    "aarch64_ld",
    "aarch64_swp",
    "kernel_cmpxchg",
    "aarch64_clr",
    "aarch64_set",
];

/// `udivti3`, `fixdfti`, `gnu_h2f_ieee`: an operation, the sizes of what it works on, a number.
fn is_routine(bare: &str) -> bool {
    #[rustfmt::skip]
    const OPERATIONS: [&str; 40] = [
        "abs", "absv", "add", "addv", "ashl", "ashr", "bswap", "bitrev", "clrsb", "clz", "cmp", "ctz", "div",
        "divmod", "eq", "extend", "ffs", "fix", "fixuns", "float", "floatun", "floatuns", "ge", "gt", "le",
        "lshr", "lt", "mod", "mul", "mulo", "mulv", "ne", "neg", "negv", "parity", "popcount", "powi", "sub",
        "subv", "trunc",
    ];
    const MODES: [&str; 11] = [
        "qi", "hi", "si", "di", "ti", "hf", "bf", "sf", "df", "xf", "tf",
    ];
    if matches!(bare, "gnu_h2f_ieee" | "gnu_f2h_ieee" | "gnu_d2h_ieee") {
        return true;
    }
    let bare = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_operation = |rest: &str| {
        let rest = rest.strip_prefix('u').unwrap_or(rest);
        OPERATIONS.contains(&rest) || rest == "nord" || rest == "cmp"
    };
    let mut rest = bare;
    for _ in 0..2 {
        let Some(shorter) = MODES.iter().find_map(|mode| rest.strip_suffix(mode)) else {
            return false;
        };
        if is_operation(shorter) {
            return true;
        }
        rest = shorter;
    }
    false
}

/// What an operation works on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Wide,
    Narrow,
    Float,
    OtherFloat,
    Other,
}

fn kind(program: &Program, type_id: TypeId) -> Kind {
    match program.type_of(type_id) {
        Type::Integer(width) if *width > 8 * program.layout.pointer_size => Kind::Wide,
        Type::Integer(_) => Kind::Narrow,
        Type::Float | Type::Double => Kind::Float,
        Type::Half | Type::BFloat | Type::X86Fp80 | Type::Fp128 | Type::PpcFp128 => {
            Kind::OtherFloat
        }
        Type::Vector { element, .. } => kind(program, *element),
        _ => Kind::Other,
    }
}

/// Puts assembly in the place of operations that may enter one of these.
fn replace_operations(unit: &mut Program, routines: &Routines) {
    for at in 0..unit.functions.len() {
        let function = FunctionId::from_index(at);
        // A function of the runtime is not made of itself.
        let name = unit.names.text(unit.functions[at].name);
        let lists = [
            &routines.wide,
            &routines.narrow,
            &routines.floats,
            &routines.other_floats,
            &routines.atomics,
            &routines.intrinsics,
        ];
        if lists.iter().any(|list| list.contains(name)) {
            continue;
        }
        let Some(mut body) = unit.functions[at].body.take() else {
            continue;
        };
        for id in 0..body.instructions.len() {
            let id = InstructionId::from_index(id);
            let entered = entered_by(unit, function, &body, id, routines);
            if !entered.is_empty() {
                replace(unit, function, &mut body, id, &entered);
            }
        }
        unit.functions[at].body = Some(body);
    }
}

fn entered_by(
    unit: &Program,
    function: FunctionId,
    body: &Body,
    id: InstructionId,
    routines: &Routines,
) -> BTreeSet<String> {
    let row = body.instruction(id);
    let none = BTreeSet::new;
    if row.flags.has(Flags::ATOMIC)
        || matches!(
            row.opcode,
            Opcode::CompareExchange | Opcode::AtomicReadModifyWrite
        )
    {
        return routines.atomics.clone();
    }
    if row.opcode == Opcode::Call
        && let Some(Operand::Constant(callee)) = body.callee(id)
        && let Some(callee) = unit.called_function(callee)
    {
        let name = unit.function_name(callee);
        return match OPERATIONS_OF_LLVM
            .iter()
            .any(|start| name.starts_with(start))
        {
            true => routines.intrinsics.clone(),
            false => none(),
        };
    }
    let is_float_conversion = matches!(
        row.opcode,
        Opcode::FloatTruncate
            | Opcode::FloatExtend
            | Opcode::FloatToUnsigned
            | Opcode::FloatToSigned
            | Opcode::UnsignedToFloat
            | Opcode::SignedToFloat
    );
    let is_arithmetic = row.opcode.is_binary()
        || matches!(
            row.opcode,
            Opcode::FloatNegate | Opcode::FloatCompare | Opcode::IntegerCompare
        );
    if !is_arithmetic && !is_float_conversion {
        return none();
    }
    let operands = body.operands(id).iter();
    let mut kinds: Vec<Kind> = operands
        .filter_map(|operand| operand_type(unit, function, body, *operand))
        .map(|type_id| kind(unit, type_id))
        .collect();
    kinds.push(kind(unit, row.type_id));
    let has = |kind: Kind| kinds.contains(&kind);
    if is_float_conversion {
        let mut found = none();
        if has(Kind::OtherFloat) || has(Kind::Wide) {
            found.extend(routines.other_floats.iter().cloned());
        }
        found.extend(routines.floats.iter().cloned());
        return found;
    }
    match row.opcode {
        // The machine has these for all widths.
        Opcode::And | Opcode::Or | Opcode::Xor => none(),
        _ if has(Kind::OtherFloat) => routines.other_floats.clone(),
        _ if has(Kind::Float) => routines.floats.clone(),
        _ if has(Kind::Wide) => routines.wide.clone(),
        _ if has(Kind::Narrow) => routines.narrow.clone(),
        _ => none(),
    }
}

fn replace(
    unit: &mut Program,
    function: FunctionId,
    body: &mut Body,
    id: InstructionId,
    entered: &BTreeSet<String>,
) {
    let row = *body.instruction(id);
    let mut given: Vec<Operand> = body.operands(id).to_vec();
    let mut what = format!("{} {} {}", row.opcode.mnemonic(), row.detail, row.flags.0);
    if row.opcode == Opcode::Call && !given.is_empty() {
        if let Operand::Constant(callee) = given.remove(0)
            && let Some(callee) = unit.called_function(callee)
        {
            what = unit.function_name(callee).to_owned();
        }
    }
    let parameters: Option<Vec<TypeId>> = given
        .iter()
        .map(|operand| operand_type(unit, function, body, *operand))
        .collect();
    let Some(parameters) = parameters else {
        return;
    };
    let type_id = unit.types.intern(Type::Function {
        result: row.type_id,
        parameters: parameters.into(),
        variadic: false,
    });
    // Operations that differ stay different.
    let template = entered.iter().cloned().collect::<Vec<_>>().join("\ncall ");
    let template = unit.names.intern(&format!("call {template}"));
    let constraints = unit.names.intern(&format!("{what} ~{{memory}}"));
    let callee = unit.constants.intern(Constant::Assembly {
        template,
        constraints,
    });
    let first = body.operands.len() as u32;
    body.operands.push(Operand::Constant(callee));
    body.operands.extend(given);
    let kept = &mut body.instructions[id.index()];
    kept.opcode = Opcode::Call;
    kept.detail = 0;
    kept.flags = Flags::NONE;
    kept.extra = type_id.0;
    kept.first_operand = first;
    kept.operand_count = body.operands.len() as u32 - first;
}

/// Of a value; of constants, only numbers have one.
fn operand_type(
    program: &Program,
    function: FunctionId,
    body: &Body,
    operand: Operand,
) -> Option<TypeId> {
    match operand {
        Operand::Instruction(id) => Some(body.instruction(id).type_id),
        Operand::Argument(number) => {
            let parameters = &program.function(function).parameters;
            parameters.get(number as usize).map(|row| row.type_id)
        }
        Operand::Constant(id) => program.constant(id).type_id(),
        Operand::Block(_) | Operand::Index(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::is_routine;

    #[test]
    fn routines_of_the_compiler_are_told_by_their_names() {
        for name in [
            "udivti3",
            "fixdfti",
            "floatuntidf",
            "extendhfsf2",
            "unordtf2",
            "popcountdi2",
        ] {
            assert!(is_routine(name), "{name}");
        }
        for name in [
            "libc_start_main",
            "cxa_atexit",
            "my_si",
            "divide",
            "stack_chk_fail",
        ] {
            assert!(!is_routine(name), "{name}");
        }
    }
}
