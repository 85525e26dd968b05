//! Do the interpreter and clang agree? If the sanitizers are silent, the interpreter must give
//! exactly the plain build's output and ending, and no undefined behaviour; if they report, it
//! must report the same class. What the interpreter does not model, and what it gave up on, is
//! counted apart and never as agreement.

use super::interpreted::{Interpreted, Meaning};
use super::native::Native;
use super::outcome::{Class, Ending};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    Same,
    SameUndefined(Class),
    Different(String),
    Unsupported(String),
    StepLimit,
    /// clang's own builds give no clear answer.
    NoOracle(String),
}

/// The verdict on one program.
pub fn compare(native: &Native, interpreted: &Interpreted) -> Agreement {
    if native.plain.ending == Ending::TimedOut || native.sanitized.ending == Ending::TimedOut {
        return Agreement::NoOracle("a native run timed out".to_string());
    }
    let memory = native
        .memory
        .as_ref()
        .and_then(|outcome| outcome.undefined.as_ref());
    let alignment = native
        .alignment
        .as_ref()
        .and_then(|outcome| outcome.undefined.as_ref());
    let report = native.sanitized.undefined.as_ref().or(memory).or(alignment);
    let (plain, sanitized) = (&native.plain, &native.sanitized);
    match (&interpreted.meaning, report) {
        (Meaning::Unsupported(reason), _) => Agreement::Unsupported(reason.clone()),
        (Meaning::StepLimit, _) => Agreement::StepLimit,
        (Meaning::PromotionDiffers(how), _) => Agreement::Different(format!("promotion: {how}")),
        (Meaning::Undefined { class, message }, Some(report)) => {
            // Both judges may be right where a program has two: uninitialised is named by its own
            // sanitizer only.
            let named = |wanted: Option<&super::outcome::Report>| {
                wanted.is_some_and(|report| same_class(report.class, *class))
            };
            if named(Some(report)) || named(memory) {
                return Agreement::SameUndefined(*class);
            }
            Agreement::Different(format!(
                "interpreter: {class} ({message}); sanitizer: {} ({})",
                report.class, report.message
            ))
        }
        (Meaning::Undefined { class, message }, None) => Agreement::Different(format!(
            "interpreter: {class} ({message}); sanitizers are silent"
        )),
        (meaning, Some(report)) => Agreement::Different(format!(
            "interpreter: {meaning:?}; sanitizer: {} ({})",
            report.class, report.message
        )),
        (Meaning::Ended(ending), None) => {
            if plain.ending != sanitized.ending || plain.stdout != sanitized.stdout {
                return Agreement::NoOracle("the plain and the sanitized run differ".to_string());
            }
            if *ending != plain.ending {
                let native = plain.ending;
                return Agreement::Different(format!("interpreter: {ending:?}; clang: {native:?}"));
            }
            // A process killed by a signal loses what it had not flushed.
            let same = match ending {
                Ending::Signal(_) => interpreted.stdout.starts_with(&plain.stdout),
                _ => interpreted.stdout == plain.stdout,
            };
            if same {
                return Agreement::Same;
            }
            Agreement::Different(first_difference(&interpreted.stdout, &plain.stdout))
        }
    }
}

/// Whether two observers mean the same: a fault is named by what the observer knows of the address.
fn same_class(sanitizer: Class, interpreter: Class) -> bool {
    // What neither names precisely is nothing they agree on.
    let named = sanitizer != Class::Other;
    named && sanitizer == interpreter
        || matches!(
            (sanitizer, interpreter),
            (
                Class::Wild,
                Class::Null | Class::OutOfBounds | Class::WriteToConstant
            ) | (Class::OutOfBounds | Class::Null, Class::Wild)
                | (
                    Class::Shift
                        | Class::DivisionByZero
                        | Class::DivisionOverflow
                        | Class::SignedOverflow
                        | Class::FloatToInteger
                        | Class::Uninitialised,
                    Class::Folded
                )
        )
}

fn first_difference(interpreter: &[u8], clang: &[u8]) -> String {
    let (mut left, mut right) = (
        interpreter.split(|&byte| byte == b'\n'),
        clang.split(|&byte| byte == b'\n'),
    );
    let mut line = 1;
    loop {
        match (left.next(), right.next()) {
            (one, other) if one == other && one.is_some() => line += 1,
            (one, other) => {
                let text = |line: Option<&[u8]>| {
                    line.map_or("(end)".to_string(), |line| {
                        String::from_utf8_lossy(line).into_owned()
                    })
                };
                return format!(
                    "stdout line {line}: interpreter `{}`, clang `{}`",
                    text(one),
                    text(other)
                );
            }
        }
    }
}
