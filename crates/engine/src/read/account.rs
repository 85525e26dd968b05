//! What became of the input: units that failed, caveats, whether it was read whole.

use crate::failed_unit::{FailedUnit, first_error};
use knockon_program::{Caveat, CaveatKind, Program};
use knockon_report::ReportedCaveat;

/// What every command has to say about its input.
pub struct Account {
    pub configuration: String,
    pub failures: Vec<FailedUnit>,
    pub caveats: Vec<Caveat>,
    pub interrupted: bool,
}

impl Account {
    /// The input was read whole.
    pub fn complete(&self) -> bool {
        self.failures.is_empty() && !self.interrupted
    }
}

/// A caveat with its names and places spelled out.
pub fn reported(caveat: &Caveat, program: &Program) -> ReportedCaveat {
    let place = program.place(caveat.place);
    if caveat.kind == CaveatKind::UnitFailed {
        return reported_failure(&caveat.message);
    }
    ReportedCaveat {
        kind: caveat.kind.name().to_owned(),
        file: match place.is_known() {
            true => program.file_path(place.file).to_owned(),
            false => String::new(),
        },
        line: place.line,
        message: caveat.message.clone(),
    }
}

/// The error of `FILE: FILE:LINE:COLUMN: WORDS` or of `FILE: WORDS`, taken apart.
fn reported_failure(message: &str) -> ReportedCaveat {
    let (file, words) = message.split_once(": ").unwrap_or(("", message));
    let words = first_error(words);
    let place_and_words = words
        .strip_prefix(file)
        .and_then(|rest| rest.strip_prefix(':'))
        .and_then(|rest| rest.split_once(": "));
    let (number, words) = match place_and_words {
        Some((place, words)) => (place.split(':').next().unwrap_or_default(), words),
        None => ("", words),
    };
    ReportedCaveat {
        kind: CaveatKind::UnitFailed.name().to_owned(),
        file: file.to_owned(),
        line: number.parse().unwrap_or(0),
        message: words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_has_its_place_and_one_line() {
        let caveat = reported_failure("a/b.c: a/b.c:3:10: fatal error: no x.h\n  3 | #include");
        assert_eq!((caveat.file.as_str(), caveat.line), ("a/b.c", 3));
        assert_eq!(caveat.message, "fatal error: no x.h");
        let caveat = reported_failure("b.c: clang ran too long");
        assert_eq!((caveat.file.as_str(), caveat.line), ("b.c", 0));
        assert_eq!(caveat.message, "clang ran too long");
        let included =
            "b.c: In file included from b.c:1:\ninclude/b.h:3:1: error: unknown type\nint x";
        let caveat = reported_failure(included);
        assert_eq!(caveat.message, "include/b.h:3:1: error: unknown type");
        let elsewhere = reported_failure("b.c: include/b.h:3:1: error: unknown type");
        assert_eq!(elsewhere.message, "include/b.h:3:1: error: unknown type");
    }
}
