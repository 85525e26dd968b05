//! Why does a run, or a piece of it, not go on?

use crate::undefined_behaviour::UndefinedBehaviour;
use thiserror::Error;

/// The reason to leave the interpreter's loop, passed outwards as an error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Stop {
    #[error("undefined behaviour ({kind}): {message}")]
    Undefined {
        kind: UndefinedBehaviour,
        message: String,
    },
    /// `exit`: handlers and destructors still run.
    #[error("the program ends with {0}")]
    Exit(i32),
    /// `_exit`, `_Exit`, `quick_exit`: nothing runs any more.
    #[error("the program ends at once with {0}")]
    ExitAtOnce(i32),
    /// `abort`, or a signal that ends the program.
    #[error("the program aborts")]
    Abort,
    /// A failed `assert`, after its message was written.
    #[error("assertion failed: {0}")]
    AssertionFailed(String),
    /// `__builtin_trap`.
    #[error("the program traps")]
    Trap,
    #[error("the step limit is reached")]
    StepLimit,
    /// Something this interpreter does not model; the text says what.
    #[error("not modelled: {0}")]
    Unsupported(String),
    /// `longjmp`: control goes on behind a `setjmp` of a frame further out.
    #[error("a longjmp is on its way")]
    Jump(Jump),
}

/// The target of a `longjmp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// The row of the jump table.
    pub(crate) point: usize,
    /// What `setjmp` returns this time.
    pub(crate) value: i32,
}

/// The result of anything that may end the run.
pub type Outcome<T> = Result<T, Box<Stop>>;

#[cold]
pub fn undefined<T>(kind: UndefinedBehaviour, message: impl Into<String>) -> Outcome<T> {
    Err(Box::new(Stop::Undefined {
        kind,
        message: message.into(),
    }))
}

#[cold]
pub fn unsupported<T>(reason: impl Into<String>) -> Outcome<T> {
    Err(Box::new(Stop::Unsupported(reason.into())))
}

#[cold]
pub fn stop<T>(reason: Stop) -> Outcome<T> {
    Err(Box::new(reason))
}
