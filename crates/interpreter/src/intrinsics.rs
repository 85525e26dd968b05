//! What do LLVM's intrinsic functions do?
//!
//! Those that compute work element by element on vectors.

mod floating;
mod numeric;
mod reductions;

use crate::calls::CallSite;
use crate::machine::Machine;
use crate::memory_access::checked_address;
use crate::stop::{Outcome, Stop, stop, undefined, unsupported};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value, mask, sign_extend};
use knockon_program::{Intrinsic, Type};

/// A run can go through it. Others are functions that nobody knows.
pub(crate) fn is_modelled(intrinsic: Intrinsic) -> bool {
    !matches!(
        intrinsic,
        Intrinsic::Unknown | Intrinsic::SetJump | Intrinsic::LongJump | Intrinsic::StackGuard
    )
}

fn defined(arguments: &[Value], index: usize) -> Outcome<u64> {
    match arguments.get(index) {
        Some(Value::Scalar(Scalar { bits, undefined: 0 })) => Ok(*bits),
        _ => undefined(
            UndefinedBehaviour::Uninitialised,
            "a built-in function gets an argument that is not initialised",
        ),
    }
}

fn address(arguments: &[Value], index: usize) -> Outcome<u64> {
    match arguments.get(index) {
        Some(Value::Scalar(scalar)) => checked_address(*scalar, 0),
        _ => unsupported("a built-in function on a vector of addresses"),
    }
}

impl Machine<'_> {
    pub(crate) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        site: &CallSite,
        arguments: &[Value],
    ) -> Outcome<Value> {
        let nothing = Ok(Value::nothing());
        match intrinsic {
            Intrinsic::Numeric(numeric) => numeric::compute(
                self.program,
                numeric,
                site.result_type,
                &site.types,
                arguments,
            ),
            Intrinsic::Reduce(reduction) => {
                reductions::reduce(self.program, reduction, site.result_type, arguments)
            }
            Intrinsic::CopyMemory | Intrinsic::MoveMemory => {
                let (to, from) = (address(arguments, 0)?, address(arguments, 1)?);
                let length = defined(arguments, 2)?;
                if to == 0 || from == 0 {
                    return null_argument(length);
                }
                // The same object onto itself is allowed: clang copies structs so.
                if intrinsic == Intrinsic::CopyMemory && to != from && to.abs_diff(from) < length {
                    return undefined(
                        UndefinedBehaviour::OverlappingCopy,
                        format!("a copy of {length} bytes onto itself"),
                    );
                }
                self.memory.copy(to, from, length)?;
                nothing
            }
            Intrinsic::SetMemory => {
                let to = address(arguments, 0)?;
                let length = defined(arguments, 2)?;
                if to == 0 {
                    return null_argument(length);
                }
                if let Some(Value::Scalar(byte)) = arguments.get(1) {
                    self.memory.fill(to, *byte, length)?;
                }
                nothing
            }
            Intrinsic::ObjectSize => {
                // Without optimisation the compiler knows no object's size.
                let minimum = defined(arguments, 1)? != 0;
                Ok(match self.program.type_of(site.result_type) {
                    Type::Integer(width) if !minimum => Value::integer(mask(*width)),
                    _ => Value::integer(0),
                })
            }
            Intrinsic::Expect
            | Intrinsic::ThreadLocalAddress
            | Intrinsic::LaunderInvariantGroup
            | Intrinsic::StripInvariantGroup
            | Intrinsic::SsaCopy
            | Intrinsic::PointerAnnotation
            | Intrinsic::Annotation
            | Intrinsic::ArithmeticFence => match arguments.first() {
                Some(value) => Ok(value.clone()),
                None => nothing,
            },
            Intrinsic::IsConstant
            | Intrinsic::InvariantStart
            | Intrinsic::ExceptionTypeId
            | Intrinsic::CycleCounter => Ok(Value::integer(0)),
            Intrinsic::RoundingMode => Ok(Value::int(1)),
            Intrinsic::Assume => {
                if defined(arguments, 0)? == 0 {
                    return undefined(
                        UndefinedBehaviour::Unreachable,
                        "an assumption of the program does not hold",
                    );
                }
                nothing
            }
            Intrinsic::VariadicStart => {
                self.start_variadic(address(arguments, 0)?, site.site)?;
                nothing
            }
            Intrinsic::VariadicEnd => nothing,
            Intrinsic::VariadicCopy => {
                const LIST_SIZE: u64 = 24;
                let (to, from) = (address(arguments, 0)?, address(arguments, 1)?);
                self.memory.copy(to, from, LIST_SIZE)?;
                nothing
            }
            // The mark is a count, not an address: only `stackrestore` reads it.
            Intrinsic::StackSave => Ok(Value::integer(self.stack_objects.len() as u64 + 1)),
            Intrinsic::StackRestore => {
                let mark = defined(arguments, 0)?.saturating_sub(1);
                let first = self
                    .frames
                    .last()
                    .map_or(0, |frame| frame.first_stack_object);
                self.release_stack((mark as usize).max(first));
                nothing
            }
            Intrinsic::FrameAddress
            | Intrinsic::ReturnAddress
            | Intrinsic::AddressOfReturnAddress => Ok(Value::integer(0)),
            Intrinsic::Trap | Intrinsic::SanitizerTrap | Intrinsic::DebugTrap => stop(Stop::Trap),
            Intrinsic::PointerMask => {
                let pointer = match arguments.first() {
                    Some(Value::Scalar(scalar)) => *scalar,
                    _ => return unsupported("ptrmask of a vector"),
                };
                let width = match site.types.get(1).map(|id| self.program.type_of(*id)) {
                    Some(Type::Integer(width)) => *width,
                    _ => 64,
                };
                let keep = sign_extend(defined(arguments, 1)?, width) as u64;
                Ok(Value::Scalar(Scalar {
                    bits: pointer.bits & keep,
                    undefined: pointer.undefined & keep,
                }))
            }
            Intrinsic::LifetimeStart
            | Intrinsic::LifetimeEnd
            | Intrinsic::InvariantEnd
            | Intrinsic::NoAliasScope
            | Intrinsic::VariableAnnotation
            | Intrinsic::CodeViewAnnotation
            | Intrinsic::DoNothing
            | Intrinsic::SideEffect
            | Intrinsic::Prefetch
            | Intrinsic::PseudoProbe
            | Intrinsic::Debug => nothing,
            Intrinsic::Unknown
            | Intrinsic::SetJump
            | Intrinsic::LongJump
            | Intrinsic::StackGuard => unsupported(format!("the built-in function {intrinsic:?}")),
        }
    }
}

fn null_argument(length: u64) -> Outcome<Value> {
    if length == 0 {
        undefined(
            UndefinedBehaviour::NullArgument,
            "a copy of nothing from or to a null pointer",
        )
    } else {
        undefined(
            UndefinedBehaviour::NullAccess,
            format!("a copy of {length} bytes from or to a null pointer"),
        )
    }
}
