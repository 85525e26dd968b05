//! What a run of a compiled function says of itself.

use crate::child::Finished;

/// One line of a run over many inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen<'t> {
    pub(super) ending: char,
    pub(super) digest: &'t str,
}

pub(super) fn seen(text: &str) -> impl Iterator<Item = Seen<'_>> {
    text.lines().skip(1).filter_map(|row| {
        let (ending, digest) = row.split_once(' ')?;
        Some(Seen {
            ending: ending.chars().next()?,
            digest,
        })
    })
}

/// What a run under the sanitizers says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Rows(Vec<String>),
    /// Undefined behaviour.
    Report(String),
    Nothing,
}

pub(super) fn told_by(done: &Finished) -> Told {
    let output = String::from_utf8_lossy(&done.output);
    let mut rows = output.lines().skip(1);
    let ending = rows.next().unwrap_or_default();
    let is_over = done.status.is_some_and(|status| status.success());
    if is_over && matches!(ending, "r" | "x" | "a") {
        return Told::Rows(rows.map(str::to_owned).collect());
    }
    let messages = String::from_utf8_lossy(&done.messages);
    let report = messages.lines().find_map(|row| {
        let at = row
            .find("runtime error: ")
            .map(|at| &row[at + "runtime error: ".len()..]);
        let at = at.or_else(|| {
            let at = row.find("AddressSanitizer: ")?;
            // Without the address.
            let rest = &row[at + "AddressSanitizer: ".len()..];
            Some(rest.split(" on ").next().unwrap_or(rest))
        });
        at.or_else(|| row.strip_prefix("knockon: "))
    });
    // What a run may use up is no matter of its meaning.
    let is_exhausted = |report: &str| EXHAUSTED.iter().any(|kind| report.contains(kind));
    match report.filter(|report| !done.is_late && !is_exhausted(report)) {
        Some(report) => Told::Report(without_addresses(report)),
        None => Told::Nothing,
    }
}

/// The new version is seen to do what the old one does. Objects from this number on were allocated
/// by the function; there may be more room in them than before: who calls the old version does not
/// look behind their end.
pub(super) fn is_same(old: &Told, new: &Told, first_allocated: usize) -> bool {
    let (Told::Rows(old), Told::Rows(new)) = (old, new) else {
        return old == new;
    };
    let is_allocated = |row: &str| {
        let number = row.strip_prefix("object ");
        let number = number.and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
        number.is_some_and(|number| number >= first_allocated)
    };
    old.len() == new.len()
        && old
            .iter()
            .zip(new)
            .all(|(old, new)| old == new || (is_allocated(old) && new.starts_with(old.as_str())))
}

/// Reports of the address sanitizer about what is used up.
const EXHAUSTED: [&str; 4] = [
    "stack-overflow",
    "out-of-memory",
    "allocation-size-too-big",
    "out of memory",
];

/// Two runs have other addresses.
fn without_addresses(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.strip_prefix("0x") {
        Some(digits) if digits.len() >= 10 => "…",
        _ => word,
    });
    words.collect::<Vec<&str>>().join(" ")
}
