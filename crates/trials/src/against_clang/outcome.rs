//! What did a run do? Its output, how it ended, and the class of undefined behaviour a sanitizer
//! reported. Classes are as coarse as two independent observers can agree on: one index beyond an
//! array is one class, whether the type, the stack or the heap noticed.

use std::fmt;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Code(i32),
    Signal(i32),
    TimedOut,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub stdout: Vec<u8>,
    pub ending: Ending,
    pub undefined: Option<Report>,
}

/// A sanitizer's finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub class: Class,
    /// The line of the report that names it.
    pub message: String,
}

macro_rules! classes {
    ($($(#[$doc:meta])* $variant:ident $name:literal),* $(,)?) => {
        /// A class of undefined behaviour.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Class { $($(#[$doc])* $variant),* }

        impl fmt::Display for Class {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(match self { $(Class::$variant => $name),* })
            }
        }
    };
}

classes! {
    /// An operation on constants whose undefined result the compiler put in its place.
    Folded "folded by the compiler",
    SignedOverflow "signed overflow",
    DivisionByZero "division by zero",
    DivisionOverflow "division overflow",
    Shift "shift amount",
    FloatToInteger "float to integer",
    Null "null pointer",
    OutOfBounds "out of bounds",
    PointerOverflow "pointer overflow",
    UseAfterFree "use after free",
    UseAfterReturn "use after return",
    DoubleFree "double free",
    InvalidFree "invalid free",
    Misaligned "misaligned access",
    Unreachable "unreachable",
    InvalidValue "invalid value",
    InvalidBuiltin "invalid builtin",
    OverlappingCopy "overlapping copy",
    ArrayLength "array length",
    StackOverflow "stack overflow",
    WriteToConstant "write to constant",
    Uninitialised "uninitialised",
    /// A fault at an address where nothing is mapped.
    Wild "wild pointer",
    Other "other",
}

/// Phrases of the undefined-behaviour sanitizer's messages; the first that occurs decides.
const UNDEFINED_PHRASES: [(&str, Class); 18] = [
    ("by -1 cannot be represented", Class::DivisionOverflow),
    ("signed integer overflow", Class::SignedOverflow),
    ("negation of", Class::SignedOverflow),
    ("division by zero", Class::DivisionByZero),
    ("shift exponent", Class::Shift),
    (
        "is outside the range of representable values",
        Class::FloatToInteger,
    ),
    ("offset", Class::PointerOverflow),
    ("pointer index expression", Class::PointerOverflow),
    ("addition of unsigned offset", Class::PointerOverflow),
    ("null pointer", Class::Null),
    ("out of bounds", Class::OutOfBounds),
    ("insufficient space", Class::OutOfBounds),
    ("misaligned address", Class::Misaligned),
    ("unreachable program point", Class::Unreachable),
    ("is not a valid value", Class::InvalidValue),
    ("variable length array bound", Class::ArrayLength),
    ("passing zero to", Class::InvalidBuiltin),
    (
        "reached the end of a value-returning function",
        Class::Unreachable,
    ),
];

/// Names the address sanitizer gives its reports.
const ADDRESS_PHRASES: [(&str, Class); 14] = [
    ("buffer-overflow", Class::OutOfBounds),
    ("buffer-underflow", Class::OutOfBounds),
    ("negative-size-param", Class::OutOfBounds),
    ("heap-use-after-free", Class::UseAfterFree),
    ("stack-use-after-return", Class::UseAfterReturn),
    ("double-free", Class::DoubleFree),
    ("attempting free on address", Class::InvalidFree),
    ("bad-free", Class::InvalidFree),
    ("param-overlap", Class::OverlappingCopy),
    ("stack-overflow", Class::StackOverflow),
    ("unknown-crash", Class::OutOfBounds),
    ("requested allocation size", Class::Other),
    ("SEGV", Class::Wild),
    ("BUS", Class::Wild),
];

/// The first finding in a run's standard error.
pub fn sanitizer_report(stderr: &str) -> Option<Report> {
    let report = |class, line: &str| {
        Some(Report {
            class,
            message: line.trim().to_string(),
        })
    };
    for line in stderr.lines() {
        if line.contains("runtime error:") {
            let found = UNDEFINED_PHRASES
                .iter()
                .find(|(phrase, _)| line.contains(phrase));
            return report(found.map_or(Class::Other, |(_, class)| *class), line);
        }
        if line.contains("ERROR: AddressSanitizer") {
            let found = ADDRESS_PHRASES
                .iter()
                .find(|(phrase, _)| line.contains(phrase));
            return report(found.map_or(Class::Other, |(_, class)| *class), line);
        }
        if line.contains("WARNING: MemorySanitizer: use-of-uninitialized-value") {
            return report(Class::Uninitialised, line);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(line: &str) -> Option<Class> {
        sanitizer_report(line).map(|report| report.class)
    }

    #[test]
    fn reports_of_clang_are_classified() {
        let expected = [
            (
                "a.c:3:5: runtime error: signed integer overflow: 1 + 2147483647 cannot be represented in type 'int'",
                Class::SignedOverflow,
            ),
            (
                "a.c:3:5: runtime error: division of -2147483648 by -1 cannot be represented in type 'int'",
                Class::DivisionOverflow,
            ),
            (
                "a.c:3:5: runtime error: applying non-zero offset 4 to null pointer",
                Class::PointerOverflow,
            ),
            (
                "a.c:3:5: runtime error: load of null pointer of type 'int'",
                Class::Null,
            ),
            (
                "a.c:3:5: runtime error: index 7 out of bounds for type 'int[4]'",
                Class::OutOfBounds,
            ),
            (
                "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1",
                Class::UseAfterFree,
            ),
            (
                "==1==ERROR: AddressSanitizer: attempting double-free on 0x1 in thread T0:",
                Class::DoubleFree,
            ),
            (
                "==1==ERROR: AddressSanitizer: memcpy-param-overlap: memory ranges overlap",
                Class::OverlappingCopy,
            ),
        ];
        for (line, wanted) in expected {
            assert_eq!(class(line), Some(wanted), "{line}");
        }
        assert_eq!(class("program: a.c:3: main: Assertion `x' failed."), None);
    }
}
