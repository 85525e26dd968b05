//! What does a `scanf` call read, store and return?
//!
//! The engine behind the whole `scanf` family (C11 7.21.6.2, and glibc 2.36 where they differ: the
//! prefix of a number that turns out not to be one stays consumed, `1e+` reads as 1). Input and
//! destinations are the caller's, so the engine serves streams, strings and tests alike. Cost: linear
//! in the input.

use super::format_specification::{BadFormat, Length};
use super::numbers::{is_space, read_floating, read_integer};
use super::scan_specification::{Directive, ScanSpecification, directive};
use crate::formats::{DOUBLE, EXTENDED, Floating, SINGLE};
use thiserror::Error;

/// One value that a conversion stores.
#[derive(Clone, Debug, PartialEq)]
pub enum Scanned {
    /// The low bits, as many as the length says.
    Integer {
        bits: u64,
        length: Length,
    },
    /// `%p`.
    Address(u64),
    Floating(Floating),
    /// `%s`, `%[` and `%c`: bytes, with the NUL that the first two add.
    Text(Vec<u8>),
    /// The same for `%ls`, `%l[` and `%lc`: wide characters.
    WideText(Vec<u32>),
    /// `%ms`, `%m[`, `%mc`: bytes for fresh memory whose address is stored.
    AllocatedText(Vec<u8>),
}

/// Where input comes from and values go.
pub trait ScanTarget {
    type Error;

    /// The next byte of the input; `None` at its end.
    fn read(&mut self) -> Result<Option<u8>, Self::Error>;

    /// Takes the byte read last back; never asked for twice in a row.
    fn unread(&mut self, byte: u8) -> Result<(), Self::Error>;

    /// Stores through the next pointer argument, or the one at the (1-based) position.
    fn store(&mut self, position: Option<usize>, value: Scanned) -> Result<(), Self::Error>;

    /// `errno` becomes `ERANGE`.
    fn range_error(&mut self);
}

/// Why a call of the `scanf` family has no result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScanError<E> {
    /// The input could not be read or a value not stored.
    #[error("{0}")]
    Target(E),
    #[error("undefined behaviour: {0}")]
    Undefined(#[from] BadFormat),
    /// Multibyte input for a wide conversion.
    #[error("a byte above 127 has no wide character in the C locale")]
    NoWideCharacter,
}

/// How a directive ended.
enum Outcome {
    Matched,
    /// The call ends with the values stored so far.
    Mismatch,
    /// The input ended before the directive.
    EndOfInput,
}

/// Runs the format over the input; the result is what the call returns: the number of stored values,
/// or −1 when the input ended before the first of them.
pub fn scan<T: ScanTarget>(format: &[u8], target: &mut T) -> Result<i32, ScanError<T::Error>> {
    let mut scanner = Scanner {
        target,
        consumed: 0,
        space: false,
        stored: 0,
    };
    let mut at = 0;
    while let Some((directive, length)) = directive(&format[at..])? {
        at += length;
        let outcome = match directive {
            Directive::Space => {
                scanner.space = true;
                Outcome::Matched
            }
            Directive::Literal(byte) => scanner.literal(byte)?,
            Directive::Conversion(specification) => scanner.conversion(&specification)?,
        };
        match outcome {
            Outcome::Matched => {}
            Outcome::Mismatch => return Ok(scanner.stored),
            Outcome::EndOfInput if scanner.stored == 0 => return Ok(-1),
            Outcome::EndOfInput => return Ok(scanner.stored),
        }
    }
    if scanner.space {
        scanner.skip_space()?;
    }
    Ok(scanner.stored)
}

struct Scanner<'a, T> {
    target: &'a mut T,
    consumed: u64,
    /// The format had white space that has not been matched yet.
    space: bool,
    stored: i32,
}

type Step<T, V> = Result<V, ScanError<<T as ScanTarget>::Error>>;

impl<T: ScanTarget> Scanner<'_, T> {
    fn read(&mut self) -> Step<T, Option<u8>> {
        let byte = self.target.read().map_err(ScanError::Target)?;
        self.consumed += u64::from(byte.is_some());
        Ok(byte)
    }

    fn unread(&mut self, byte: Option<u8>) -> Step<T, ()> {
        if let Some(byte) = byte {
            self.target.unread(byte).map_err(ScanError::Target)?;
            self.consumed -= 1;
        }
        Ok(())
    }

    /// Skips white space; `false` when the input ended.
    fn skip_space(&mut self) -> Step<T, bool> {
        self.space = false;
        loop {
            match self.read()? {
                Some(byte) if is_space(byte) => {}
                other => {
                    self.unread(other)?;
                    return Ok(other.is_some());
                }
            }
        }
    }

    fn literal(&mut self, expected: u8) -> Step<T, Outcome> {
        if self.space && !self.skip_space()? {
            return Ok(Outcome::EndOfInput);
        }
        match self.read()? {
            None => Ok(Outcome::EndOfInput),
            Some(byte) if byte == expected => Ok(Outcome::Matched),
            other => {
                self.unread(other)?;
                Ok(Outcome::Mismatch)
            }
        }
    }

    fn store(&mut self, specification: &ScanSpecification, value: Scanned) -> Step<T, Outcome> {
        if !specification.suppress {
            self.target
                .store(specification.position, value)
                .map_err(ScanError::Target)?;
            self.stored += 1;
        }
        Ok(Outcome::Matched)
    }

    fn conversion(&mut self, specification: &ScanSpecification) -> Step<T, Outcome> {
        let keeps_space = matches!(specification.conversion, b'[' | b'c' | b'n');
        if (self.space || !keeps_space) && !self.skip_space()? && specification.conversion != b'n' {
            return Ok(Outcome::EndOfInput);
        }
        let base = match specification.conversion {
            b'%' => return self.literal(b'%'),
            b'n' => {
                let count = Scanned::Integer {
                    bits: self.consumed,
                    length: specification.length,
                };
                if !specification.suppress {
                    self.target
                        .store(specification.position, count)
                        .map_err(ScanError::Target)?;
                }
                return Ok(Outcome::Matched);
            }
            b'c' | b's' | b'[' => return self.text(specification),
            b'a' => return self.floating(specification),
            b'i' => 0,
            b'o' => 8,
            b'x' | b'p' => 16,
            _ => 10,
        };
        self.integer(specification, base)
    }

    fn text(&mut self, specification: &ScanSpecification) -> Step<T, Outcome> {
        let single = specification.conversion == b'c';
        let accepts = |byte: u8| match &specification.set {
            Some(set) => set[usize::from(byte)],
            None => single || !is_space(byte),
        };
        let limit = specification
            .width
            .unwrap_or(if single { 1 } else { u64::MAX });
        let mut found = Vec::new();
        while (found.len() as u64) < limit {
            match self.read()? {
                Some(byte) if accepts(byte) => found.push(byte),
                None if found.is_empty() => return Ok(Outcome::EndOfInput),
                other => {
                    self.unread(other)?;
                    break;
                }
            }
        }
        if found.is_empty() {
            return Ok(Outcome::Mismatch);
        }
        if !single {
            found.push(0);
        }
        let value = if specification.length == Length::Long {
            if !found.is_ascii() {
                return Err(ScanError::NoWideCharacter);
            }
            Scanned::WideText(found.into_iter().map(u32::from).collect())
        } else if specification.allocate {
            Scanned::AllocatedText(found)
        } else {
            Scanned::Text(found)
        };
        self.store(specification, value)
    }

    fn integer(&mut self, specification: &ScanSpecification, base: u32) -> Step<T, Outcome> {
        let mut field = Field {
            text: Vec::new(),
            room: specification.width.unwrap_or(u64::MAX),
        };
        let mut base = base;
        let mut byte = self.read()?;
        if matches!(byte, Some(b'+' | b'-')) {
            byte = self.take(&mut field, byte)?;
        }
        if field.room > 0 && byte == Some(b'0') {
            byte = self.take(&mut field, byte)?;
            if field.room > 0 && matches!(byte, Some(b'x' | b'X')) {
                if base == 0 {
                    base = 16;
                }
                if base == 16 {
                    field.room -= 1;
                    byte = self.read()?;
                }
            } else if base == 0 {
                base = 8;
            }
        }
        if base == 0 {
            base = 10;
        }
        while field.room > 0 && byte.is_some_and(|byte| char::from(byte).is_digit(base)) {
            byte = self.take(&mut field, byte)?;
        }
        if matches!(field.text.as_slice(), [] | [b'+' | b'-']) {
            let pointer =
                specification.conversion == b'p' && field.text.is_empty() && field.room >= 5;
            if !(pointer && byte == Some(b'(') && self.rest_of_nil()?) {
                self.unread(byte)?;
                return Ok(Outcome::Mismatch);
            }
            field.text.push(b'0');
        } else {
            self.unread(byte)?;
        }
        let Some(number) = read_integer(&field.text, base as i32, false) else {
            return Ok(Outcome::Mismatch);
        };
        let signed = matches!(specification.conversion, b'd' | b'i');
        let (bits, range_error) = if signed {
            let (value, error) = number.signed();
            (value as u64, error)
        } else {
            number.unsigned()
        };
        if range_error {
            self.target.range_error();
        }
        let value = if specification.conversion == b'p' {
            Scanned::Address(bits)
        } else {
            Scanned::Integer {
                bits,
                length: specification.length,
            }
        };
        self.store(specification, value)
    }

    /// Adds the byte to the field and reads the next one.
    fn take(&mut self, field: &mut Field, byte: Option<u8>) -> Step<T, Option<u8>> {
        field.text.extend(byte);
        field.room = field.room.saturating_sub(1);
        self.read()
    }

    /// `nil)` after the `(` of glibc's null pointer; what does not match stays consumed.
    fn rest_of_nil(&mut self) -> Step<T, bool> {
        for expected in *b"nil)" {
            if self.read()?.map(|byte| byte.to_ascii_lowercase()) != Some(expected) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn floating(&mut self, specification: &ScanSpecification) -> Step<T, Outcome> {
        let mut field = Field {
            text: Vec::new(),
            room: specification.width.unwrap_or(u64::MAX),
        };
        if !self.floating_field(&mut field)? {
            return Ok(Outcome::Mismatch);
        }
        let format = match specification.length {
            Length::Long => DOUBLE,
            Length::LongDouble => EXTENDED,
            Length::Char | Length::Short | Length::Int => SINGLE,
        };
        let number = read_floating(&field.text, format);
        if number.range_error {
            self.target.range_error();
        }
        if number.end == 0 {
            return Ok(Outcome::Mismatch);
        }
        self.store(specification, Scanned::Floating(number.value))
    }

    /// Collects what glibc takes for a floating-point number; `false` when it gives up.
    fn floating_field(&mut self, field: &mut Field) -> Step<T, bool> {
        let mut byte = self.read()?;
        let mut sign = 0;
        if matches!(byte, Some(b'+' | b'-')) {
            sign = 1;
            if field.room == 1 {
                // The width is used up by the sign.
                return Ok(false);
            }
            byte = self.take(field, byte)?;
            if byte.is_none() {
                return Ok(false);
            }
        }
        match byte.map(|byte| byte.to_ascii_lowercase()) {
            Some(b'n') => return self.word(field, byte, b"nan"),
            Some(b'i') => {
                if !self.word(field, byte, b"inf")? {
                    return Ok(false);
                }
                let next = if field.room > 0 { self.read()? } else { None };
                if next.map(|byte| byte.to_ascii_lowercase()) == Some(b'i') {
                    return self.word(field, next, b"inity");
                }
                self.unread(next)?;
                return Ok(true);
            }
            _ => {}
        }
        let (mut hexadecimal, mut exponent_letter) = (false, b'e');
        let (mut digits, mut point, mut exponent) = (false, false, false);
        if field.room > 0 && byte == Some(b'0') {
            digits = true;
            byte = self.take(field, byte)?;
            // A prefix that would use up the width is none.
            if field.room > 1 && matches!(byte, Some(b'x' | b'X')) {
                digits = false;
                (hexadecimal, exponent_letter) = (true, b'p');
                byte = self.take(field, byte)?;
            }
        }
        while field.room > 0
            && let Some(current) = byte
        {
            let previous = field.text.last().map(|byte| byte.to_ascii_lowercase());
            if current.is_ascii_digit() || (hexadecimal && !exponent && current.is_ascii_hexdigit())
            {
                digits = true;
            } else if exponent
                && previous == Some(exponent_letter)
                && matches!(current, b'+' | b'-')
            {
            } else if digits && !exponent && current.to_ascii_lowercase() == exponent_letter {
                exponent = true;
                point = true;
            } else if current == b'.' && !point {
                point = true;
            } else {
                break;
            }
            byte = self.take(field, byte)?;
        }
        self.unread(byte)?;
        Ok(field.text.len() > sign && !(hexadecimal && field.text.len() == 2 + sign))
    }

    /// The rest of a word whose first byte was read already; a byte that does not match stays consumed.
    fn word(&mut self, field: &mut Field, first: Option<u8>, word: &[u8]) -> Step<T, bool> {
        let mut byte = first;
        for (index, expected) in word.iter().enumerate() {
            if index > 0 {
                if field.room == 0 {
                    return Ok(false);
                }
                byte = self.read()?;
            }
            if byte.map(|byte| byte.to_ascii_lowercase()) != Some(*expected) {
                return Ok(false);
            }
            field.text.extend(byte);
            field.room = field.room.saturating_sub(1);
        }
        Ok(true)
    }
}

/// The bytes of a number and how many more the width allows.
struct Field {
    text: Vec<u8>,
    room: u64,
}

#[cfg(test)]
mod tests;
