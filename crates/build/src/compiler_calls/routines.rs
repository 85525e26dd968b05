//! **Question.** Which operations may a compiler turn into a call of a function of its runtime that the
//! program defines?
//!
//! **Rules.** The name of such a function says what it does and on which sizes (`__udivti3`: a quotient
//! of 128 bits). On machines whose compilers all have the operations up to 64 bits and on `float` and
//! `double`, only wider ones and other floats count. The operation becomes a call of assembly that
//! names the function, of the same operands and result.
//!
//! **Soundness.** Within a kind of operations each counts for all, since one may be made of others.

use knockon_program::{
    Body, Constant, Flags, FunctionId, InstructionId, Intrinsic, Numeric, Opcode, Operand, Program,
    Type, TypeId,
};
use std::collections::BTreeSet;

/// The functions of the compiler's runtime that the program defines, by what they do.
#[derive(Default)]
pub(super) struct Routines {
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
    pub(super) fn of(defined: &BTreeSet<String>, unit: &Program) -> Routines {
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

    pub(super) fn is_empty(&self) -> bool {
        let lists = [&self.wide, &self.narrow, &self.floats, &self.other_floats];
        let is_clear = self.atomics.is_empty() && self.intrinsics.is_empty();
        is_clear && lists.iter().all(|list| list.is_empty())
    }
}

const INTRINSIC: [&str; 14] = [
    "absv", "addv", "bitrev", "bswap", "clrsb", "clz", "ctz", "ffs", "mulo", "mulv", "negv",
    "parity", "popcount", "powi",
];

/// An intrinsic that is such an operation.
fn is_operation(intrinsic: Intrinsic) -> bool {
    matches!(
        intrinsic,
        Intrinsic::Numeric(
            Numeric::BitReverse
                | Numeric::ByteSwap
                | Numeric::LeadingZeros
                | Numeric::Population
                | Numeric::TrailingZeros
                | Numeric::PowerInteger
                | Numeric::Overflowing(..)
        )
    )
}

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
pub(super) fn replace_operations(unit: &mut Program, routines: &Routines) {
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
        let intrinsic = Intrinsic::of_function(unit, callee);
        return match intrinsic.is_some_and(is_operation) {
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
    if row.opcode == Opcode::Call
        && let Some(Operand::Constant(callee)) = body.callee(id)
        && let Some(callee) = unit.called_function(callee)
    {
        what = unit.function_name(callee).to_owned();
        given.remove(0);
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
