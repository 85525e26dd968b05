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
    // Where sanitizers trap, the runtime says that they did.
    if is_over && ending == "u" {
        return Told::Report("a sanitizer's trap was reached".to_owned());
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
    let is_not_its_own = |report: &str| NOT_ITS_OWN.iter().any(|kind| report.contains(kind));
    match report.filter(|report| !done.is_late && !is_not_its_own(report)) {
        Some(report) => Told::Report(without_addresses(report)),
        None => Told::Nothing,
    }
}

/// The new version is seen to do what the old one does. Objects from this number on were allocated
/// by the function; there may be more room in them than before: who calls the old version does not
/// look behind their end. Where a pointer leads of which one version does not tell what is there
/// (`elsewhere`: a local variable, an object of the library), nothing is known from there on.
pub(super) fn is_same(old: &Told, new: &Told, first_allocated: usize) -> bool {
    let (Told::Rows(old), Told::Rows(new)) = (old, new) else {
        return old == new;
    };
    let is_allocated = |row: &str| {
        let number = row.strip_prefix("object ");
        let number = number.and_then(|rest| rest.split(':').next()?.parse::<usize>().ok());
        number.is_some_and(|number| number >= first_allocated)
    };
    let is_alike = |old: &String, new: &String| {
        old == new || (is_allocated(old) && new.starts_with(old.as_str()))
    };
    let mut rows = old.iter().zip(new);
    match rows.find(|(old, new)| !is_alike(old, new)) {
        Some((old, new)) => differ_by_an_untold_place(old, new),
        None => old.len() == new.len(),
    }
}

/// The first words that differ are two pointers, and what one of them leads to is not told.
fn differ_by_an_untold_place(old: &str, new: &str) -> bool {
    let mut words = old.split_whitespace().zip(new.split_whitespace());
    let is_told = |word: &str| word.starts_with('&') || matches!(word, "constant" | "a");
    match words.find(|(old, new)| old != new) {
        Some(("elsewhere", other) | (other, "elsewhere")) => is_told(other),
        _ => false,
    }
}

/// Reports about what is used up, which is no matter of what a run means; and about bytes that are no
/// value of their type, which inputs have.
const NOT_ITS_OWN: [&str; 6] = [
    "stack-overflow",
    "out-of-memory",
    "allocation-size-too-big",
    "out of memory",
    "not a valid value for type 'bool'",
    "not a valid value for type '_Bool'",
];

/// Two runs have other addresses.
fn without_addresses(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.strip_prefix("0x") {
        Some(digits) if digits.len() >= 10 => "…",
        _ => word,
    });
    words.collect::<Vec<&str>>().join(" ")
}
