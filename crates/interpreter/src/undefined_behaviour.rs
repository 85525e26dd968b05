//! Which undefined behaviour was met, and which of clang's sanitizers would say so?
//!
//! The classes follow `-fsanitize=undefined` (without `shift-base` and `function`) and
//! `-fsanitize=address`; reading uninitialised memory is what `-fsanitize=memory` reports. The
//! interpreter is exact where the sanitizers sample (they miss an access that lands in another live
//! object), so it may report what they do not, and by design never the reverse, with two exceptions:
//! the end of a block-local variable's life is not marked in the IR, so use after scope is not seen,
//! and a pointer that only passes through an integer keeps its meaning.

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $name:literal $sanitizer:ident),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum UndefinedBehaviour { $($(#[$doc])* $variant),* }

        impl UndefinedBehaviour {
            pub const ALL: &[UndefinedBehaviour] = &[$(UndefinedBehaviour::$variant),*];

            /// The stable name used in every format.
            pub fn name(self) -> &'static str {
                match self { $(UndefinedBehaviour::$variant => $name),* }
            }

            /// The sanitizer of clang that reports this class.
            pub fn sanitizer(self) -> Sanitizer {
                match self { $(UndefinedBehaviour::$variant => Sanitizer::$sanitizer),* }
            }
        }
    };
}

/// Who else reports a class of undefined behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sanitizer {
    Undefined,
    Address,
    Memory,
    /// None of them does reliably.
    None,
}

kinds! {
    SignedOverflow "signed-overflow" Undefined,
    DivisionByZero "division-by-zero" Undefined,
    /// The smallest integer divided by -1.
    DivisionOverflow "division-overflow" Undefined,
    /// A shift by a negative amount or by the width or more.
    ShiftAmount "shift-amount" Undefined,
    NullAccess "null-access" Undefined,
    /// A null pointer passed where the callee's declaration excludes it.
    NullArgument "null-argument" Undefined,
    MisalignedAccess "misaligned-access" Undefined,
    /// An index beyond the bounds of its array type.
    ArrayIndex "array-index" Undefined,
    PointerOverflow "pointer-overflow" Undefined,
    /// The end of a path that the program promises never to take.
    Unreachable "unreachable" Undefined,
    /// A `_Bool` that is neither 0 nor 1.
    InvalidValue "invalid-value" Undefined,
    /// A floating-point number whose integer part does not fit the integer type.
    FloatConversion "float-conversion" Undefined,
    /// `__builtin_clz(0)` and the like.
    InvalidBuiltin "invalid-builtin" Undefined,
    /// A variable length array of no or negative length.
    ArrayLength "array-length" Undefined,
    OutOfBounds "out-of-bounds" Address,
    UseAfterFree "use-after-free" Address,
    UseAfterReturn "use-after-return" Address,
    DoubleFree "double-free" Address,
    InvalidFree "invalid-free" Address,
    /// An access through an address where nothing lives.
    WildPointer "wild-pointer" Address,
    WriteToConstant "write-to-constant" Address,
    OverlappingCopy "overlapping-copy" Address,
    StackOverflow "stack-overflow" Address,
    /// A call of something that is not a function.
    InvalidCall "invalid-call" Address,
    /// A branch, an address, an argument or an output that depends on an undefined value.
    Uninitialised "uninitialised" Memory,
    /// `va_arg` beyond the last argument.
    VariadicPastEnd "variadic-past-end" None,
    /// `longjmp` to a frame that returned, or with a buffer that was not set.
    InvalidJump "invalid-jump" None,
    /// A library function called outside its contract (a bad format, a closed file).
    LibraryMisuse "library-misuse" None,
}

impl std::fmt::Display for UndefinedBehaviour {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}
