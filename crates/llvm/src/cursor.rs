//! A position in the text and the lexical steps from it.
//!
//! There is no token list: each step looks at bytes and moves on. LLVM's
//! printer separates tokens by single blanks, so the common step is one
//! comparison; comments and line ends are the cold path. At the end of the
//! text [`Cursor::peek`] is 0, a byte that no construct accepts.

use super::fault::{Fault, Read};
use std::borrow::Cow;

#[derive(Clone, Copy)]
pub(crate) struct Cursor<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) at: usize,
}

/// `[-a-zA-Z$._0-9]`: what a name or label may consist of without quotes.
static NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric() || matches!(b, b'-' | b'$' | b'.' | b'_');
        byte += 1;
    }
    table
};

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t [u8], at: usize) -> Cursor<'t> {
        Cursor { text, at }
    }

    #[cold]
    pub(crate) fn fault(&self, message: impl Into<Cow<'static, str>>) -> Fault {
        if self.at >= self.text.len() {
            return Fault::new(
                self.text.len(),
                format!("the text ends too early: {}", message.into()),
            );
        }
        Fault::new(self.at, message)
    }

    #[inline]
    pub(crate) fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    #[inline]
    pub(crate) fn peek_at(&self, distance: usize) -> u8 {
        self.text.get(self.at + distance).copied().unwrap_or(0)
    }

    #[inline]
    pub(crate) fn rest(&self) -> &'t [u8] {
        self.text.get(self.at..).unwrap_or(&[])
    }

    /// Over blanks, line ends and comments.
    #[inline]
    pub(crate) fn skip_space(&mut self) {
        while self.at < self.text.len() {
            match self.text[self.at] {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                b';' => self.skip_line(),
                _ => return,
            }
        }
    }

    /// Over blanks only: what follows is on the same line.
    #[inline]
    pub(crate) fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.at += 1;
        }
    }

    /// To the next line end (not over it).
    #[inline]
    pub(crate) fn skip_line(&mut self) {
        self.at = memchr::memchr(b'\n', self.rest()).map_or(self.text.len(), |end| self.at + end);
    }

    /// Whether this byte comes next; if so, over it.
    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == byte && self.at < self.text.len();
        self.at += usize::from(found);
        found
    }

    /// As [`Cursor::eat`], where the end of the line ends the construct.
    #[inline]
    pub(crate) fn eat_on_line(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let found = self.peek() == byte && self.at < self.text.len();
        self.at += usize::from(found);
        found
    }

    #[inline]
    pub(crate) fn expect(&mut self, byte: u8) -> Read<()> {
        if self.eat(byte) {
            Ok(())
        } else {
            Err(self.fault(format!("expected `{}`", char::from(byte))))
        }
    }

    /// The run of name characters at the cursor; may be empty.
    #[inline]
    pub(crate) fn word(&mut self) -> &'t [u8] {
        let start = self.at;
        let mut at = start;
        while at < self.text.len() && NAME[self.text[at] as usize] {
            at += 1;
        }
        self.at = at;
        &self.text[start..at]
    }

    /// The next word without taking it.
    #[inline]
    pub(crate) fn peek_word(&mut self) -> &'t [u8] {
        self.skip_space();
        let mut ahead = *self;
        ahead.word()
    }

    /// Whether this word comes next; if so, over it.
    #[inline]
    pub(crate) fn eat_word(&mut self, word: &[u8]) -> bool {
        self.skip_space();
        let rest = self.rest();
        let found =
            rest.starts_with(word) && !rest.get(word.len()).is_some_and(|&b| NAME[b as usize]);
        if found {
            self.at += word.len();
        }
        found
    }

    pub(crate) fn expect_word(&mut self, word: &'static str) -> Read<()> {
        if self.eat_word(word.as_bytes()) {
            Ok(())
        } else {
            Err(self.fault(format!("expected `{word}`")))
        }
    }

    /// The name behind a sigil, quotes stripped, escapes kept. A quoted name of
    /// digits keeps its quotes: `%"7"` is not the seventh value.
    #[inline]
    pub(crate) fn name(&mut self) -> Read<&'t [u8]> {
        if self.peek() == b'"' {
            let start = self.at;
            let content = self.quoted()?;
            if !content.is_empty() && content.iter().all(u8::is_ascii_digit) {
                return Ok(&self.text[start..self.at]);
            }
            return Ok(content);
        }
        let word = self.word();
        if word.is_empty() {
            return Err(self.fault("expected a name"));
        }
        Ok(word)
    }

    /// A string at the cursor: its content between the quotes, escapes kept.
    pub(crate) fn quoted(&mut self) -> Read<&'t [u8]> {
        if self.peek() != b'"' {
            return Err(self.fault("expected a string"));
        }
        let start = self.at + 1;
        match memchr::memchr(b'"', &self.text[start..]) {
            Some(length) => {
                self.at = start + length + 1;
                Ok(&self.text[start..start + length])
            }
            None => Err(self.fault("this string has no end")),
        }
    }

    /// Unsigned decimal digits, if any stand here.
    #[inline]
    pub(crate) fn digits(&mut self) -> Option<u64> {
        let start = self.at;
        let mut value = 0u64;
        while let digit @ b'0'..=b'9' = self.peek() {
            value = value
                .checked_mul(10)?
                .checked_add(u64::from(digit - b'0'))?;
            self.at += 1;
        }
        (self.at > start).then_some(value)
    }

    pub(crate) fn number(&mut self) -> Read<u64> {
        self.skip_space();
        match self.digits() {
            Some(value) => Ok(value),
            None => Err(self.fault("expected a number of at most 64 bits")),
        }
    }

    pub(crate) fn small_number(&mut self) -> Read<u32> {
        let value = self.number()?;
        u32::try_from(value).map_err(|_| self.fault("this number is too large"))
    }

    /// Over a bracket and all it encloses, strings and comments respected. Any
    /// closing bracket closes the innermost opening one, so the scan is linear.
    pub(crate) fn skip_balanced(&mut self) -> Read<()> {
        let start = self.at;
        let mut depth = 0usize;
        while self.at < self.text.len() {
            match self.text[self.at] {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.at += 1;
                        return Ok(());
                    }
                }
                b'"' => {
                    self.quoted()?;
                    continue;
                }
                b';' => {
                    self.skip_line();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        Err(Fault::new(start, "this bracket is never closed"))
    }
}

/// The bytes of a quoted text: `\\` is a backslash, `\hh` a byte.
pub(crate) fn unescaped(raw: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut at = 0;
    while at < raw.len() {
        if raw[at] == b'\\' {
            if raw.get(at + 1) == Some(&b'\\') {
                bytes.push(b'\\');
                at += 2;
                continue;
            }
            let digit = |at: usize| raw.get(at).and_then(|&b| char::from(b).to_digit(16));
            if let (Some(high), Some(low)) = (digit(at + 1), digit(at + 2)) {
                bytes.push((high * 16 + low) as u8);
                at += 3;
                continue;
            }
        }
        bytes.push(raw[at]);
        at += 1;
    }
    Cow::Owned(bytes)
}

/// Bytes as text without loss: what is not UTF-8 becomes `\HH`, and so does a
/// backslash that would otherwise read as such an escape.
pub(crate) fn lossless(bytes: &[u8]) -> Cow<'_, str> {
    let ambiguous = |rest: &[u8]| {
        let hex = |at: usize| matches!(rest.get(at), Some(b'0'..=b'9' | b'A'..=b'F'));
        hex(1) && hex(2)
    };
    if let Ok(text) = std::str::from_utf8(bytes)
        && !memchr::memchr_iter(b'\\', bytes).any(|at| ambiguous(&bytes[at..]))
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 8);
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character == '\\' && ambiguous(&bytes[at..]) {
                text.push_str("\\5C");
            } else {
                text.push(character);
            }
            at += character.len_utf8();
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\{byte:02X}"));
            at += 1;
        }
    }
    Cow::Owned(text)
}

/// The text of a name as [`Cursor::name`] or [`Cursor::quoted`] gave it.
pub(crate) fn text_of(raw: &[u8]) -> Cow<'_, str> {
    let raw = raw
        .strip_prefix(b"\"")
        .and_then(|raw| raw.strip_suffix(b"\""))
        .unwrap_or(raw);
    match unescaped(raw) {
        Cow::Borrowed(bytes) => lossless(bytes),
        Cow::Owned(bytes) => Cow::Owned(lossless(&bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_not_utf8_keeps_every_byte() {
        assert_eq!(text_of(b"a\\FFb"), "a\\FFb");
        assert_eq!(text_of(b"a\\\\FFb"), "a\\5CFFb");
        assert_eq!(text_of(b"C:\\\\dir"), "C:\\dir");
        assert_eq!(text_of("gr\u{fc}n".as_bytes()), "gr\u{fc}n");
    }

    #[test]
    fn brackets_inside_strings_and_comments_do_not_count() {
        let mut cursor = Cursor::new(b"( \")\" ; )\n [x] ) rest", 0);
        assert!(cursor.skip_balanced().is_ok());
        assert_eq!(cursor.rest(), b" rest");
    }

    #[test]
    fn a_quoted_number_is_a_name() {
        assert_eq!(Cursor::new(b"\"7\"", 0).name().ok(), Some(&b"\"7\""[..]));
        assert_eq!(Cursor::new(b"\"a b\"", 0).name().ok(), Some(&b"a b"[..]));
        assert_eq!(Cursor::new(b"x.y-1 ", 0).name().ok(), Some(&b"x.y-1"[..]));
    }
}
