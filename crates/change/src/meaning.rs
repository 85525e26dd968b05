//! Which nodes mean something else though they are written alike?
//!
//! **Question.** Two versions of a function may be equal instruction for instruction and yet be
//! compiled with other attributes ([`knockon_program::Meaning`]): for a machine that fuses
//! products, with another treatment of denormal numbers, as code whose calls are no library calls.
//!
//! **Rules.** Where the attributes that concern all code differ, all nodes of the pair are sources.
//! Where only those differ that concern arithmetic, these nodes are: whatever has an operand or a
//! result that is a float or a vector, and operations of the machine (intrinsic functions, but for
//! those that only move memory or mark something).
//!
//! **Soundness.** A node that is no source has only integers and pointers; what they are computed
//! from by other nodes comes over a dependence. Structures with floats are moved bit by bit.
//!
//! **Cost.** Two comparisons for each pair, and one pass over the bodies of those that differ.

use crate::entries::make_sources;
use crate::{Change, Sides};
use fixedbitset::FixedBitSet;
use knockon_program::{Body, Function, InstructionId, Intrinsic, Operand, Program, Type, TypeId};

pub(crate) fn mark_meanings(programs: Sides<&Program>, change: &mut Change) {
    for number in 0..change.pairs.len() {
        let functions = change.pairs[number].functions;
        let old = programs.old.function(functions.old);
        let new = programs.new.function(functions.new);
        let (Some(old_body), Some(new_body)) = (&old.body, &new.body) else {
            continue;
        };
        let text = |program: &Program, function: &Function| {
            let meaning = function.meaning;
            [meaning.code, meaning.arithmetic].map(|name| program.name(name).to_owned())
        };
        let [old_code, old_arithmetic] = text(programs.old, old);
        let [new_code, new_arithmetic] = text(programs.new, new);
        let found = if old_code != new_code {
            Sides {
                old: all(old_body),
                new: all(new_body),
            }
        } else if old_arithmetic != new_arithmetic {
            Sides {
                old: arithmetic(programs.old, old, old_body),
                new: arithmetic(programs.new, new, new_body),
            }
        } else {
            continue;
        };
        make_sources(programs, &mut change.pairs[number], found);
    }
}

/// Whether equal code of these functions does the same, each having the meaning that it is compiled
/// with.
pub fn mean_the_same<'a>(mut functions: impl Iterator<Item = (&'a Program, &'a Function)>) -> bool {
    let text = |(program, function): (&'a Program, &'a Function)| {
        let meaning = function.meaning;
        // Of a function without arithmetic it does not matter how that would be.
        let arithmetic = match &function.body {
            Some(body) if !arithmetic(program, function, body).is_clear() => {
                Some(program.name(meaning.arithmetic))
            }
            _ => None,
        };
        (program.name(meaning.code), arithmetic)
    };
    let Some((code, mut known)) = functions.next().map(text) else {
        return true;
    };
    for (other, arithmetic) in functions.map(text) {
        if other != code || known.is_some() && arithmetic.is_some() && known != arithmetic {
            return false;
        }
        known = known.or(arithmetic);
    }
    true
}

fn all(body: &Body) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(body.instructions.len());
    set.insert_range(..);
    set
}

fn arithmetic(program: &Program, function: &Function, body: &Body) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(body.instructions.len());
    for id in body.instruction_ids() {
        set.set(id.index(), is_arithmetic(program, function, body, id));
    }
    set
}

/// The intrinsic needs nothing of the machine.
fn is_plain(intrinsic: Intrinsic) -> bool {
    match intrinsic {
        Intrinsic::Assume
        | Intrinsic::CopyMemory
        | Intrinsic::Debug
        | Intrinsic::Expect
        | Intrinsic::FrameAddress
        | Intrinsic::LifetimeEnd
        | Intrinsic::LifetimeStart
        | Intrinsic::MoveMemory
        | Intrinsic::ObjectSize
        | Intrinsic::ReturnAddress
        | Intrinsic::SetMemory
        | Intrinsic::StackGuard
        | Intrinsic::StackRestore
        | Intrinsic::StackSave
        | Intrinsic::Trap
        | Intrinsic::VariadicCopy
        | Intrinsic::VariadicEnd
        | Intrinsic::VariadicStart => true,
        Intrinsic::AddressOfReturnAddress
        | Intrinsic::Annotation
        | Intrinsic::ArithmeticFence
        | Intrinsic::CodeViewAnnotation
        | Intrinsic::CycleCounter
        | Intrinsic::DebugTrap
        | Intrinsic::DoNothing
        | Intrinsic::ExceptionTypeId
        | Intrinsic::InvariantEnd
        | Intrinsic::InvariantStart
        | Intrinsic::IsConstant
        | Intrinsic::LaunderInvariantGroup
        | Intrinsic::LongJump
        | Intrinsic::NoAliasScope
        | Intrinsic::Numeric(_)
        | Intrinsic::PointerAnnotation
        | Intrinsic::PointerMask
        | Intrinsic::Prefetch
        | Intrinsic::PseudoProbe
        | Intrinsic::Reduce(_)
        | Intrinsic::RoundingMode
        | Intrinsic::SanitizerTrap
        | Intrinsic::SetJump
        | Intrinsic::SideEffect
        | Intrinsic::SsaCopy
        | Intrinsic::StripInvariantGroup
        | Intrinsic::ThreadLocalAddress
        | Intrinsic::Unknown
        | Intrinsic::VariableAnnotation => false,
    }
}

fn is_arithmetic(program: &Program, function: &Function, body: &Body, id: InstructionId) -> bool {
    let is_wide = |id: TypeId| {
        let row = program.type_of(id);
        row.is_floating_point() || matches!(row, Type::Vector { .. } | Type::X86Mmx | Type::X86Amx)
    };
    let is_wide_operand = |operand: &Operand| match operand {
        Operand::Instruction(id) => is_wide(body.instruction(*id).type_id),
        Operand::Argument(number) => function
            .parameters
            .get(*number as usize)
            .is_some_and(|parameter| is_wide(parameter.type_id)),
        Operand::Constant(constant) => {
            let stated = program.constant(*constant).type_id();
            stated.is_some_and(is_wide)
        }
        Operand::Block(_) | Operand::Index(_) => false,
    };
    let is_machine = Intrinsic::called(program, body, id).is_some_and(|called| !is_plain(called));
    is_machine
        || is_wide(body.instruction(id).type_id)
        || body.operands(id).iter().any(is_wide_operand)
}
