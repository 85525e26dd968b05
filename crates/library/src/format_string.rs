//! What does a format do with its arguments? Knowing the text of a format narrows what a call of
//! `printf` or `scanf` touches: `%d` reads no memory, `%s` reads what its argument points to.
//! Three rare conversions do more than a row of the library says, so that no call pays for them:
//! `%n` in output writes behind its argument, `%m` in output reads `errno`, and `%m` in input
//! stores a fresh object behind its argument. Whoever uses a row with a
//! [`format`](crate::Effect::format) asks here for a constant text; where the text is not known,
//! that none of the program's constant texts holds such a conversion speaks for all of them
//! ([`is_within_row`]), and building one at run time is assumed away.
//!
//! The language is that of C with the extensions of POSIX (`%1$s`, `%ms`) and glibc (`%m`, `%as`).

use crate::effect::FormatKind;

/// What a conversion does with its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArgumentUse {
    /// Its value alone counts; what it may point to is not touched.
    Value,
    /// The text behind it is read.
    Reads,
    /// The object behind it is written.
    Writes,
    /// A fresh object is stored behind it.
    StoresFresh,
}

/// What a whole format does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormatUse {
    /// By position among the format's arguments; further ones are not used.
    pub arguments: Vec<ArgumentUse>,
    /// `%m` prints the message of `errno`.
    pub reads_errno: bool,
}

/// Whether a call with this format does no more than its row says. A text that is no format is
/// within it too: with it the call would be undefined.
pub fn is_within_row(kind: FormatKind, text: &[u8]) -> bool {
    let beyond = match kind {
        FormatKind::Print => ArgumentUse::Writes,
        FormatKind::Scan => ArgumentUse::StoresFresh,
    };
    format_use(kind, text)
        .is_none_or(|found| !found.reads_errno && !found.arguments.contains(&beyond))
}

/// What the format does with its arguments; `None` when the text (up to its first zero byte) is no
/// format of C, POSIX or glibc.
pub fn format_use(kind: FormatKind, text: &[u8]) -> Option<FormatUse> {
    let end = text.iter().position(|byte| *byte == 0);
    let mut reader = Reader {
        rest: &text[..end.unwrap_or(text.len())],
        found: FormatUse::default(),
        next: 0,
    };
    while let Some(byte) = reader.take() {
        if byte == b'%' {
            match kind {
                FormatKind::Print => reader.print_conversion()?,
                FormatKind::Scan => reader.scan_conversion()?,
            }
        }
    }
    Some(reader.found)
}

struct Reader<'a> {
    rest: &'a [u8],
    found: FormatUse,
    /// The argument that the next unnumbered conversion takes.
    next: usize,
}

impl Reader<'_> {
    fn take(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn take_if(&mut self, wanted: impl Fn(u8) -> bool) -> Option<u8> {
        let first = *self.rest.first()?;
        wanted(first).then(|| {
            self.rest = &self.rest[1..];
            first
        })
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = None;
        while let Some(digit) = self.take_if(|byte| byte.is_ascii_digit()) {
            let before = number.unwrap_or(0_usize);
            number = Some(
                before
                    .checked_mul(10)?
                    .checked_add(usize::from(digit - b'0'))?,
            );
        }
        number
    }

    /// `3$`, counted from 1 in the text and from 0 here.
    fn position(&mut self) -> Option<usize> {
        let before = self.rest;
        match self.number() {
            // No caller passes more arguments than that; a larger number is no format.
            Some(number @ 1..=4096) if self.take_if(|byte| byte == b'$').is_some() => {
                Some(number - 1)
            }
            _ => {
                self.rest = before;
                None
            }
        }
    }

    fn argument(&mut self, position: Option<usize>, used: ArgumentUse) {
        let index = position.unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        if self.found.arguments.len() <= index {
            self.found.arguments.resize(index + 1, ArgumentUse::Value);
        }
        // An argument that several conversions name keeps the use that says most.
        let kept = &mut self.found.arguments[index];
        *kept = (*kept).max(used);
    }

    /// A width or precision: a number, or `*` and the argument that holds it.
    fn size(&mut self) {
        if self.take_if(|byte| byte == b'*').is_some() {
            let position = self.position();
            self.argument(position, ArgumentUse::Value);
        } else {
            self.number();
        }
    }

    fn length(&mut self) {
        while self
            .take_if(|byte| matches!(byte, b'h' | b'l' | b'q' | b'L' | b'j' | b'z' | b'Z' | b't'))
            .is_some()
        {}
    }

    /// What follows the `%` of a format for output.
    fn print_conversion(&mut self) -> Option<()> {
        let position = self.position();
        while self.take_if(|byte| b"-+ #0'I".contains(&byte)).is_some() {}
        self.size();
        if self.take_if(|byte| byte == b'.').is_some() {
            self.size();
        }
        self.length();
        let used = match self.take()? {
            b'%' => return Some(()),
            b'm' => {
                self.found.reads_errno = true;
                return Some(());
            }
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'b' | b'B' | b'c' | b'C' | b'p' | b'e'
            | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => ArgumentUse::Value,
            b's' | b'S' => ArgumentUse::Reads,
            b'n' => ArgumentUse::Writes,
            _ => return None,
        };
        self.argument(position, used);
        Some(())
    }

    /// What follows the `%` of a format for input.
    fn scan_conversion(&mut self) -> Option<()> {
        let position = self.position();
        let is_dropped = self.take_if(|byte| byte == b'*').is_some();
        self.take_if(|byte| byte == b'\'' || byte == b'I');
        self.number();
        let mut used = ArgumentUse::Writes;
        // Before C99, `%as` was what `%ms` is now; which one the text means depends on the
        // function, and the older meaning covers the newer one.
        if self.take_if(|byte| byte == b'm').is_some()
            || matches!(self.rest, [b'a', b's' | b'S' | b'[', ..]) && self.take().is_some()
        {
            used = ArgumentUse::StoresFresh;
        }
        self.length();
        match self.take()? {
            b'%' => return Some(()),
            b'[' => self.character_set()?,
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'b' | b'c' | b'C' | b's' | b'S' | b'p'
            | b'n' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {}
            _ => return None,
        }
        if !is_dropped {
            self.argument(position, used);
        }
        Some(())
    }

    /// The rest of `%[^]a-z]`: a bracket that comes first belongs to the set.
    fn character_set(&mut self) -> Option<()> {
        self.take_if(|byte| byte == b'^');
        self.take()?;
        while self.take()? != b']' {}
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::ArgumentUse::{Reads, StoresFresh, Value, Writes};
    use super::*;
    use crate::effect::FormatKind::{Print, Scan};

    fn uses(kind: FormatKind, text: &str) -> Option<Vec<ArgumentUse>> {
        format_use(kind, text.as_bytes()).map(|found| found.arguments)
    }

    #[test]
    fn only_text_conversions_read_behind_their_argument() {
        assert_eq!(
            uses(Print, "%d %s %p %-5.3lf%%\n"),
            Some(vec![Value, Reads, Value, Value])
        );
        assert_eq!(uses(Print, "100 %"), None);
    }

    #[test]
    fn a_star_takes_an_argument_before_its_conversion() {
        assert_eq!(uses(Print, "%*.*s"), Some(vec![Value, Value, Reads]));
    }

    #[test]
    fn numbered_arguments_are_used_where_they_stand() {
        assert_eq!(uses(Print, "%3$s %1$d"), Some(vec![Value, Value, Reads]));
        assert_eq!(uses(Print, "%99999999999999999999$s"), None);
    }

    #[test]
    fn counting_written_characters_goes_beyond_the_row() {
        assert_eq!(uses(Print, "%s%n"), Some(vec![Reads, Writes]));
        assert!(!is_within_row(Print, b"%hhn"));
        assert!(!is_within_row(Print, b"%m"));
        assert!(is_within_row(Print, b"%%n %d none"));
    }

    #[test]
    fn input_writes_behind_every_argument_that_is_not_dropped() {
        assert_eq!(
            uses(Scan, "%d %*s %10[^]]%c"),
            Some(vec![Writes, Writes, Writes])
        );
        assert_eq!(uses(Scan, "%[^"), None);
    }

    #[test]
    fn allocating_input_goes_beyond_the_row() {
        assert_eq!(uses(Scan, "%ms%a"), Some(vec![StoresFresh, Writes]));
        assert!(!is_within_row(Scan, b"%m[a-z]"));
        assert!(is_within_row(Scan, b"%d %s"));
    }

    #[test]
    fn a_format_ends_at_its_zero_byte() {
        assert_eq!(uses(Print, "%d\0%n"), Some(vec![Value]));
    }
}
