//! What does one directive of a `scanf` format ask for?
//!
//! Grammar of C11 7.21.6.2 with glibc's additions (`m` allocation, positions, `C` and `S`).

use super::format_specification::{BadFormat, Length};

/// One directive of a `scanf` format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Directive {
    /// White space: skip all white space before the next directive or at the end.
    Space,
    /// This byte must come next.
    Literal(u8),
    Conversion(ScanSpecification),
}

/// One `%…` of a `scanf` format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScanSpecification {
    /// The (1-based) position of the argument, where the format gives one.
    pub(crate) position: Option<usize>,
    /// `*`: convert, but do not store.
    pub(crate) suppress: bool,
    /// `m`: store the text in fresh memory.
    pub(crate) allocate: bool,
    pub(crate) width: Option<u64>,
    pub(crate) length: Length,
    /// Written with `ll`, `L` or `q`.
    pub(crate) conversion: u8,
    /// The bytes of `%[…]`: the accepted ones are true.
    pub(crate) set: Option<Box<[bool; 256]>>,
}

/// Reads the directive at the start of the rest of a format and tells its length.
pub(crate) fn directive(rest: &[u8]) -> Result<Option<(Directive, usize)>, BadFormat> {
    let Some(first) = rest.first().copied() else {
        return Ok(None);
    };
    if super::numbers::is_space(first) {
        return Ok(Some((Directive::Space, 1)));
    }
    if first != b'%' {
        return Ok(Some((Directive::Literal(first), 1)));
    }
    let mut at = 1;
    let (specification, used) = specification(&rest[at..])?;
    at += used;
    Ok(Some((Directive::Conversion(specification), at)))
}

fn digits(text: &[u8]) -> (u64, usize) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = text[..count].iter().fold(0u64, |sum, digit| {
        sum.saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'))
    });
    (value, count)
}

fn specification(text: &[u8]) -> Result<(ScanSpecification, usize), BadFormat> {
    let peek = |at: usize| text.get(at).copied();
    let mut at = 0;
    let mut position = None;
    let (number, count) = digits(text);
    if (1..=4096).contains(&number) && peek(count) == Some(b'$') {
        position = Some(number as usize);
        at = count + 1;
    }
    let mut suppress = false;
    while matches!(peek(at), Some(b'*' | b'\'' | b'I')) {
        suppress |= peek(at) == Some(b'*');
        at += 1;
    }
    let (width, count) = digits(&text[at..]);
    at += count;
    // A width of zero is no width, as glibc has it.
    let width = (width > 0).then_some(width);
    let allocate = peek(at) == Some(b'm');
    at += usize::from(allocate);
    let (mut length, used) = match (peek(at), peek(at + 1)) {
        (Some(b'h'), Some(b'h')) => (Length::Char, 2),
        (Some(b'h'), _) => (Length::Short, 1),
        (Some(b'l'), Some(b'l')) => (Length::LongDouble, 2),
        (Some(b'L' | b'q'), _) => (Length::LongDouble, 1),
        (Some(b'l' | b'j' | b'z' | b'Z' | b't'), _) => (Length::Long, 1),
        _ => (Length::Int, 0),
    };
    at += used;
    let mut conversion = peek(at).ok_or(BadFormat::Incomplete(0))?;
    let conversion_at = at;
    at += 1;
    let mut set = None;
    match conversion {
        b'C' => (conversion, length) = (b'c', Length::Long),
        b'S' => (conversion, length) = (b's', Length::Long),
        b'X' => conversion = b'x',
        b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => conversion = b'a',
        b'[' => {
            let (bytes, used) = byte_set(&text[at..])?;
            set = Some(bytes);
            at += used;
        }
        b'd' | b'i' | b'u' | b'o' | b'x' | b'p' | b'n' | b'c' | b's' | b'a' | b'%' => {}
        _ => {
            return Err(BadFormat::UnknownConversion {
                conversion,
                at: conversion_at,
            });
        }
    }
    let specification = ScanSpecification {
        position,
        suppress,
        allocate,
        width,
        length,
        conversion,
        set,
    };
    Ok((specification, at))
}

/// The bytes between `[` and `]`; a `]` that comes first is a member.
fn byte_set(text: &[u8]) -> Result<(Box<[bool; 256]>, usize), BadFormat> {
    let mut at = 0;
    let negated = text.first() == Some(&b'^');
    at += usize::from(negated);
    let first = at;
    let mut set = Box::new([false; 256]);
    loop {
        let byte = *text.get(at).ok_or(BadFormat::Incomplete(0))?;
        if byte == b']' && at > first {
            break;
        }
        let end = text.get(at + 1).copied().unwrap_or(b']');
        if byte == b'-' && at > first && end != b']' && text[at - 1] <= end {
            for member in text[at - 1]..=end {
                set[usize::from(member)] = true;
            }
        } else {
            set[usize::from(byte)] = true;
        }
        at += 1;
    }
    if negated {
        for member in set.iter_mut() {
            *member = !*member;
        }
    }
    Ok((set, at + 1))
}
