//! What is wrong with a text, and where.
//!
//! Inside the reader a problem is a byte offset and a message, so that the hot
//! path never counts lines. Line and column are counted once, when the problem
//! leaves the reader as a [`ReadError`].

use std::borrow::Cow;

/// Why a text is not a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{file}:{line}:{column}: {message} (expected LLVM IR text of LLVM 15 or newer: print the unit again with `clang -S -emit-llvm` or `rustc --emit=llvm-ir`)"
)]
pub struct ReadError {
    pub file: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, in bytes.
    pub column: u32,
    pub message: String,
}

/// A problem at a byte offset. Boxed: results stay small on the way up.
#[derive(Debug)]
pub(crate) struct Fault(Box<(usize, Cow<'static, str>)>);

pub(crate) type Read<T> = Result<T, Fault>;

impl Fault {
    #[cold]
    pub(crate) fn new(at: usize, message: impl Into<Cow<'static, str>>) -> Fault {
        Fault(Box::new((at, message.into())))
    }

    pub(crate) fn located(self, text: &[u8], file: &str) -> ReadError {
        let (at, message) = *self.0;
        let before = &text[..at.min(text.len())];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        ReadError {
            file: file.to_owned(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column + 1).unwrap_or(u32::MAX),
            message: message.into_owned(),
        }
    }
}
