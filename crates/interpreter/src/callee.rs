//! What does a call call?

use crate::code::Slot;
use crate::intrinsics::is_modelled;
use crate::library;
use crate::library_call::LibraryFunction;
use knockon_program::{FunctionId, Intrinsic, Program};

/// What is called.
#[derive(Clone, Copy)]
pub(crate) enum Callee {
    Defined(FunctionId),
    Library(LibraryFunction, FunctionId),
    Intrinsic(Intrinsic),
    SetJump,
    LongJump,
    /// Declared, and neither defined nor modelled.
    Unknown(FunctionId),
    /// Through a pointer.
    Indirect(Slot),
    /// Assembly that does nothing but hinder the compiler.
    EmptyAssembly,
    Assembly,
}

/// The callee behind a function's name.
pub(crate) fn resolve(program: &Program, function: FunctionId) -> Callee {
    if program.function(function).body.is_some() {
        return Callee::Defined(function);
    }
    let name = program.function_name(function);
    // Clang's spelling of a symbol that must not be prefixed by the target.
    let name = name.strip_prefix('\u{1}').unwrap_or(name);
    if let Some(intrinsic) = Intrinsic::of_name(name) {
        return match is_modelled(intrinsic) {
            true => Callee::Intrinsic(intrinsic),
            false => Callee::Unknown(function),
        };
    }
    match name {
        "setjmp" | "_setjmp" | "__setjmp" | "sigsetjmp" | "__sigsetjmp" => Callee::SetJump,
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => Callee::LongJump,
        _ => match library::find(name) {
            Some(found) => Callee::Library(found, function),
            None => Callee::Unknown(function),
        },
    }
}
