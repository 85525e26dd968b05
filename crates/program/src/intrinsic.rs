//! Which of LLVM's own functions is this?
//!
//! An intrinsic is declared like a function and called like one; its name, `llvm.` and on, says what
//! it does. Behind the operation the name goes on with the types that it is for
//! (`llvm.memcpy.p0.p0.i64`, `llvm.umul.with.overflow.i32`). The reader prints such names and this
//! file reads them; everybody else asks for an [`Intrinsic`].
//!
//! **Rule.** The operation is the longest row of the table that the name begins with, up to a dot.
//!
//! **Why right.** LLVM keeps the prefix for itself. An operation that the table does not have is [`Intrinsic::Unknown`], not "no intrinsic": an analysis must say
//! what it takes that for.
//!
//! **Cost.** For other names one comparison of five bytes; for these a binary search for each dot.

use crate::{Body, FunctionId, InstructionId, Operand, Program};

const PREFIX: &str = "llvm.";

/// What an intrinsic does. One row for each operation; widths and types are those of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intrinsic {
    /// Computes on numbers; on vectors element by element.
    Numeric(Numeric),
    /// One value from all elements of a vector, in order.
    Reduce(Reduction),
    /// `memcpy`: to, from, length.
    CopyMemory,
    /// `memmove`: to, from, length.
    MoveMemory,
    /// `memset`: to, byte, length.
    SetMemory,
    ObjectSize,
    /// The first argument, which probably is the second.
    Expect,
    ThreadLocalAddress,
    LaunderInvariantGroup,
    StripInvariantGroup,
    SsaCopy,
    Annotation,
    PointerAnnotation,
    VariableAnnotation,
    CodeViewAnnotation,
    ArithmeticFence,
    IsConstant,
    /// Behaviour is undefined unless the argument holds.
    Assume,
    VariadicStart,
    VariadicEnd,
    VariadicCopy,
    StackSave,
    StackRestore,
    /// Works for the stack protector.
    StackGuard,
    FrameAddress,
    ReturnAddress,
    AddressOfReturnAddress,
    Trap,
    SanitizerTrap,
    DebugTrap,
    PointerMask,
    LifetimeStart,
    LifetimeEnd,
    InvariantStart,
    InvariantEnd,
    NoAliasScope,
    DoNothing,
    SideEffect,
    Prefetch,
    PseudoProbe,
    /// Says something to a debugger.
    Debug,
    ExceptionTypeId,
    SetJump,
    LongJump,
    CycleCounter,
    RoundingMode,
    /// One that the table does not have.
    Unknown,
}

/// An operation on numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numeric {
    Absolute,
    SignedMaximum,
    SignedMinimum,
    UnsignedMaximum,
    UnsignedMinimum,
    ByteSwap,
    Population,
    LeadingZeros,
    TrailingZeros,
    BitReverse,
    FunnelLeft,
    FunnelRight,
    /// A sum, difference or product, and whether it is another than that of the numbers.
    Overflowing(Ring, Signedness),
    /// A sum or difference that stops at the largest or smallest number.
    Saturating(Additive, Signedness),
    SaturatingShift(Signedness),
    FloatAbsolute,
    SquareRoot,
    Floor,
    Ceiling,
    RoundTowardsZero,
    RoundInteger,
    NearbyInteger,
    Round,
    RoundEven,
    CopySign,
    MinimumNumber,
    MaximumNumber,
    Minimum,
    Maximum,
    FusedMultiplyAdd,
    MultiplyAdd,
    PowerInteger,
    Power,
    Exponential,
    ExponentialTwo,
    Logarithm,
    LogarithmTwo,
    LogarithmTen,
    Sine,
    Cosine,
    Tangent,
    IsClass,
    SaturatingInteger(Signedness),
    LongRound,
    LongLongRound,
    LongRoundInteger,
    LongLongRoundInteger,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ring {
    Add,
    Subtract,
    Multiply,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Additive {
    Add,
    Subtract,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signedness {
    Signed,
    Unsigned,
}

impl Signedness {
    pub fn is_signed(self) -> bool {
        self == Signedness::Signed
    }
}

/// How two elements of a vector become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    Add,
    Multiply,
    And,
    Or,
    Xor,
    FloatAdd,
    FloatMultiply,
    SignedMaximum,
    SignedMinimum,
    UnsignedMaximum,
    UnsignedMinimum,
    FloatMaximum,
    FloatMinimum,
}

/// Sorted by name.
#[rustfmt::skip]
const TABLE: &[(&str, Intrinsic)] = {
    use Intrinsic as I;
    use Numeric as N;
    use Reduction as R;
    use Signedness::{Signed, Unsigned};
    &[
        ("abs", I::Numeric(N::Absolute)),
        ("addressofreturnaddress", I::AddressOfReturnAddress),
        ("annotation", I::Annotation),
        ("arithmetic.fence", I::ArithmeticFence),
        ("assume", I::Assume),
        ("bitreverse", I::Numeric(N::BitReverse)),
        ("bswap", I::Numeric(N::ByteSwap)),
        ("ceil", I::Numeric(N::Ceiling)),
        ("codeview.annotation", I::CodeViewAnnotation),
        ("copysign", I::Numeric(N::CopySign)),
        ("cos", I::Numeric(N::Cosine)),
        ("ctlz", I::Numeric(N::LeadingZeros)),
        ("ctpop", I::Numeric(N::Population)),
        ("cttz", I::Numeric(N::TrailingZeros)),
        ("dbg", I::Debug),
        ("debugtrap", I::DebugTrap),
        ("donothing", I::DoNothing),
        ("eh.sjlj.longjmp", I::LongJump),
        ("eh.sjlj.setjmp", I::SetJump),
        ("eh.typeid.for", I::ExceptionTypeId),
        ("exp", I::Numeric(N::Exponential)),
        ("exp2", I::Numeric(N::ExponentialTwo)),
        ("expect", I::Expect),
        ("experimental.noalias.scope.decl", I::NoAliasScope),
        ("fabs", I::Numeric(N::FloatAbsolute)),
        ("floor", I::Numeric(N::Floor)),
        ("flt.rounds", I::RoundingMode),
        ("fma", I::Numeric(N::FusedMultiplyAdd)),
        ("fmuladd", I::Numeric(N::MultiplyAdd)),
        ("fptosi.sat", I::Numeric(N::SaturatingInteger(Signed))),
        ("fptoui.sat", I::Numeric(N::SaturatingInteger(Unsigned))),
        ("frameaddress", I::FrameAddress),
        ("fshl", I::Numeric(N::FunnelLeft)),
        ("fshr", I::Numeric(N::FunnelRight)),
        ("get.rounding", I::RoundingMode),
        ("invariant.end", I::InvariantEnd),
        ("invariant.start", I::InvariantStart),
        ("is.constant", I::IsConstant),
        ("is.fpclass", I::Numeric(N::IsClass)),
        ("launder.invariant.group", I::LaunderInvariantGroup),
        ("lifetime.end", I::LifetimeEnd),
        ("lifetime.start", I::LifetimeStart),
        ("llrint", I::Numeric(N::LongLongRoundInteger)),
        ("llround", I::Numeric(N::LongLongRound)),
        ("log", I::Numeric(N::Logarithm)),
        ("log10", I::Numeric(N::LogarithmTen)),
        ("log2", I::Numeric(N::LogarithmTwo)),
        ("lrint", I::Numeric(N::LongRoundInteger)),
        ("lround", I::Numeric(N::LongRound)),
        ("maximum", I::Numeric(N::Maximum)),
        ("maxnum", I::Numeric(N::MaximumNumber)),
        ("memcpy", I::CopyMemory),
        ("memmove", I::MoveMemory),
        ("memset", I::SetMemory),
        ("minimum", I::Numeric(N::Minimum)),
        ("minnum", I::Numeric(N::MinimumNumber)),
        ("nearbyint", I::Numeric(N::NearbyInteger)),
        ("objectsize", I::ObjectSize),
        ("pow", I::Numeric(N::Power)),
        ("powi", I::Numeric(N::PowerInteger)),
        ("prefetch", I::Prefetch),
        ("pseudoprobe", I::PseudoProbe),
        ("ptr.annotation", I::PointerAnnotation),
        ("ptrmask", I::PointerMask),
        ("readcyclecounter", I::CycleCounter),
        ("returnaddress", I::ReturnAddress),
        ("rint", I::Numeric(N::RoundInteger)),
        ("round", I::Numeric(N::Round)),
        ("roundeven", I::Numeric(N::RoundEven)),
        ("sadd.sat", I::Numeric(N::Saturating(Additive::Add, Signed))),
        ("sadd.with.overflow", I::Numeric(N::Overflowing(Ring::Add, Signed))),
        ("sideeffect", I::SideEffect),
        ("sin", I::Numeric(N::Sine)),
        ("smax", I::Numeric(N::SignedMaximum)),
        ("smin", I::Numeric(N::SignedMinimum)),
        ("smul.with.overflow", I::Numeric(N::Overflowing(Ring::Multiply, Signed))),
        ("sqrt", I::Numeric(N::SquareRoot)),
        ("ssa.copy", I::SsaCopy),
        ("sshl.sat", I::Numeric(N::SaturatingShift(Signed))),
        ("ssub.sat", I::Numeric(N::Saturating(Additive::Subtract, Signed))),
        ("ssub.with.overflow", I::Numeric(N::Overflowing(Ring::Subtract, Signed))),
        ("stackguard", I::StackGuard),
        ("stackprotector", I::StackGuard),
        ("stackrestore", I::StackRestore),
        ("stacksave", I::StackSave),
        ("strip.invariant.group", I::StripInvariantGroup),
        ("tan", I::Numeric(N::Tangent)),
        ("threadlocal.address", I::ThreadLocalAddress),
        ("trap", I::Trap),
        ("trunc", I::Numeric(N::RoundTowardsZero)),
        ("uadd.sat", I::Numeric(N::Saturating(Additive::Add, Unsigned))),
        ("uadd.with.overflow", I::Numeric(N::Overflowing(Ring::Add, Unsigned))),
        ("ubsantrap", I::SanitizerTrap),
        ("umax", I::Numeric(N::UnsignedMaximum)),
        ("umin", I::Numeric(N::UnsignedMinimum)),
        ("umul.with.overflow", I::Numeric(N::Overflowing(Ring::Multiply, Unsigned))),
        ("ushl.sat", I::Numeric(N::SaturatingShift(Unsigned))),
        ("usub.sat", I::Numeric(N::Saturating(Additive::Subtract, Unsigned))),
        ("usub.with.overflow", I::Numeric(N::Overflowing(Ring::Subtract, Unsigned))),
        ("va_copy", I::VariadicCopy),
        ("va_end", I::VariadicEnd),
        ("va_start", I::VariadicStart),
        ("var.annotation", I::VariableAnnotation),
        ("vector.reduce.add", I::Reduce(R::Add)),
        ("vector.reduce.and", I::Reduce(R::And)),
        ("vector.reduce.fadd", I::Reduce(R::FloatAdd)),
        ("vector.reduce.fmax", I::Reduce(R::FloatMaximum)),
        ("vector.reduce.fmin", I::Reduce(R::FloatMinimum)),
        ("vector.reduce.fmul", I::Reduce(R::FloatMultiply)),
        ("vector.reduce.mul", I::Reduce(R::Multiply)),
        ("vector.reduce.or", I::Reduce(R::Or)),
        ("vector.reduce.smax", I::Reduce(R::SignedMaximum)),
        ("vector.reduce.smin", I::Reduce(R::SignedMinimum)),
        ("vector.reduce.umax", I::Reduce(R::UnsignedMaximum)),
        ("vector.reduce.umin", I::Reduce(R::UnsignedMinimum)),
        ("vector.reduce.xor", I::Reduce(R::Xor)),
    ]
};

/// The name is the compiler's own: an intrinsic's, or a variable's such as `llvm.used`.
pub fn is_compiler_name(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// What a person would call an intrinsic: `memcpy` for `llvm.memcpy.p0.p0.i64`. Other names as they
/// are.
pub fn name_for_people(name: &str) -> &str {
    match name.strip_prefix(PREFIX) {
        Some(operation) => operation.split('.').next().unwrap_or(operation),
        None => name,
    }
}

impl Intrinsic {
    /// `None` if no intrinsic has this name.
    pub fn of_name(name: &str) -> Option<Intrinsic> {
        let mut stem = name.strip_prefix(PREFIX)?;
        loop {
            match TABLE.binary_search_by(|row| row.0.cmp(stem)) {
                Ok(at) => return Some(TABLE[at].1),
                Err(_) => match stem.rfind('.') {
                    Some(dot) => stem = &stem[..dot],
                    None => return Some(Intrinsic::Unknown),
                },
            }
        }
    }

    /// `None` if the function is not an intrinsic.
    pub fn of_function(program: &Program, function: FunctionId) -> Option<Intrinsic> {
        Intrinsic::of_name(program.function_name(function))
    }

    /// The intrinsic that an instruction calls by name.
    pub fn called(program: &Program, body: &Body, id: InstructionId) -> Option<Intrinsic> {
        match body.callee(id) {
            Some(Operand::Constant(callee)) => {
                Intrinsic::of_function(program, program.called_function(callee)?)
            }
            _ => None,
        }
    }

    /// Copies memory to another place.
    pub fn copies_memory(self) -> bool {
        matches!(self, Intrinsic::CopyMemory | Intrinsic::MoveMemory)
    }

    /// Writes a range of memory: a copy, or one byte everywhere.
    pub fn moves_memory(self) -> bool {
        self.copies_memory() || self == Intrinsic::SetMemory
    }

    /// Says where the stack ends, or puts it there, for arrays of variable length: the compiler's
    /// doing, and no value of the program.
    pub fn marks_stack(self) -> bool {
        matches!(
            self,
            Intrinsic::StackSave | Intrinsic::StackRestore | Intrinsic::StackGuard
        )
    }
}

#[cfg(test)]
mod tests;
