//! Which bytes does a `printf` call write?
//!
//! The engine behind the whole `printf` family (C11 7.21.6.1, and glibc 2.36 where the standard leaves
//! a choice): it walks a format, takes arguments one by one from the caller, and appends to a buffer.
//! What the caller must know about memory (strings, `%n`, `errno`, addresses) it asks through
//! [`FormatArguments`], so the engine is the same for `...` calls, `va_list` calls and tests. Numbers
//! are exact (see `floating_output`). Cost: linear in the output, plus the decimal expansions.

use super::floating_output::{FloatStyle, floating_text};
use super::format_specification::{BadFormat, Count, Flags, Length, Piece, Specification, pieces};
use super::wide_characters::encode_wide;
use crate::formats::Floating;
use thiserror::Error;

/// The C type, after default promotions, that the format wants for its next argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// `int` or `unsigned int`.
    Int,
    /// Any of the 64-bit integer types.
    Long,
    Double,
    LongDouble,
    Pointer,
}

/// One argument of the call.
#[derive(Clone, Debug)]
pub enum Argument<P> {
    /// The bits of an integer; bits beyond the asked kind are ignored.
    Integer(u64),
    Floating(Floating),
    Pointer(P),
}

/// Where arguments come from, and the memory behind them.
pub trait FormatArguments {
    type Pointer: Clone;
    type Error;

    /// The next argument, which the format says is of this kind.
    fn next(&mut self, kind: ArgumentKind) -> Result<Argument<Self::Pointer>, Self::Error>;

    /// The bytes before the first NUL, reading no more than `limit`; `None` for the null pointer.
    fn string(
        &mut self,
        pointer: &Self::Pointer,
        limit: Option<usize>,
    ) -> Result<Option<Vec<u8>>, Self::Error>;

    /// The wide characters before the first zero, reading no more than `limit`; `None` for null.
    fn wide_string(
        &mut self,
        pointer: &Self::Pointer,
        limit: Option<usize>,
    ) -> Result<Option<Vec<u32>>, Self::Error>;

    /// The number that `%p` shows.
    fn address(&mut self, pointer: &Self::Pointer) -> Result<u64, Self::Error>;

    /// `%n`: stores the count of bytes written so far.
    fn store_count(
        &mut self,
        pointer: &Self::Pointer,
        length: Length,
        count: u64,
    ) -> Result<(), Self::Error>;

    /// `%m`: the text of the current `errno`; `%#m`: its name.
    fn error_text(&mut self, name: bool) -> Vec<u8>;
}

/// Why a call of the `printf` family has no (whole) output.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormatError<E> {
    /// The arguments or the memory behind them could not be read.
    #[error("{0}")]
    Argument(E),
    #[error("undefined behaviour: {0}")]
    Undefined(#[from] BadFormat),
    /// An argument is not of the type that the conversion wants.
    #[error("undefined behaviour: `%{}` got an argument of another type", char::from(*conversion))]
    WrongType { conversion: u8 },
    /// The call itself fails: it returns a negative number and sets `errno`.
    #[error("the call fails with error number {0}")]
    Fails(i32),
    #[error("a width or precision of {0} is beyond what this library writes")]
    TooLarge(u64),
}

/// `EILSEQ`: a wide character has no multibyte form.
const NO_MULTIBYTE_FORM: i32 = 84;
/// `EOVERFLOW`: the result does not fit `int`.
const OVERFLOW: i32 = 75;
/// Beyond this a width or precision is refused instead of filling the memory.
const LARGEST_COUNT: u64 = 1 << 26;

/// Appends what the call writes to `output`; on an error the bytes before it are there already.
pub fn format<A: FormatArguments>(
    output: &mut Vec<u8>,
    format: &[u8],
    arguments: &mut A,
) -> Result<(), FormatError<A::Error>> {
    let pieces = pieces(format)?;
    let mut supply = Supply::new(&pieces, arguments)?;
    let start = output.len();
    for piece in &pieces {
        match piece {
            Piece::Text(text) => output.extend_from_slice(text),
            Piece::Conversion(specification) => {
                let written = (output.len() - start) as u64;
                convert(output, written, specification, arguments, &mut supply)?;
            }
        }
    }
    if output.len() - start > i32::MAX as usize {
        return Err(FormatError::Fails(OVERFLOW));
    }
    Ok(())
}

/// Arguments in the order of use, or all at once where the format has positions.
struct Supply<P> {
    positioned: Option<Vec<Argument<P>>>,
}

impl<P: Clone> Supply<P> {
    fn new<A: FormatArguments<Pointer = P>>(
        pieces: &[Piece<'_>],
        arguments: &mut A,
    ) -> Result<Supply<P>, FormatError<A::Error>> {
        let mut kinds: Vec<Option<ArgumentKind>> = Vec::new();
        let (mut with, mut without) = (false, false);
        for piece in pieces {
            let Piece::Conversion(specification) = piece else {
                continue;
            };
            let counts = [specification.width, specification.precision];
            let own = argument_kind(specification).map(|kind| (specification.position, kind));
            let stars = counts.into_iter().filter_map(|count| match count {
                Some(Count::Argument(position)) => Some((position, ArgumentKind::Int)),
                _ => None,
            });
            for (position, kind) in stars.chain(own) {
                let Some(position) = position else {
                    without = true;
                    continue;
                };
                with = true;
                if kinds.len() < position {
                    kinds.resize(position, None);
                }
                let slot = &mut kinds[position - 1];
                if slot.is_some_and(|earlier| earlier != kind) {
                    return Err(BadFormat::BadPosition(position).into());
                }
                *slot = Some(kind);
            }
        }
        if !with {
            return Ok(Supply { positioned: None });
        }
        if without {
            return Err(BadFormat::MixedPositions.into());
        }
        let mut values = Vec::new();
        for (index, kind) in kinds.into_iter().enumerate() {
            let kind = kind.ok_or(BadFormat::BadPosition(index + 1))?;
            values.push(arguments.next(kind).map_err(FormatError::Argument)?);
        }
        Ok(Supply {
            positioned: Some(values),
        })
    }

    fn take<A: FormatArguments<Pointer = P>>(
        &mut self,
        arguments: &mut A,
        position: Option<usize>,
        kind: ArgumentKind,
    ) -> Result<Argument<P>, FormatError<A::Error>> {
        match (&self.positioned, position) {
            (Some(values), Some(position)) => Ok(values[position - 1].clone()),
            _ => arguments.next(kind).map_err(FormatError::Argument),
        }
    }
}

/// The kind of the argument that a conversion takes; `None` for `%%` and `%m`.
fn argument_kind(specification: &Specification) -> Option<ArgumentKind> {
    match specification.conversion {
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => Some(match specification.length {
            Length::Long | Length::LongDouble => ArgumentKind::Long,
            Length::Char | Length::Short | Length::Int => ArgumentKind::Int,
        }),
        b'c' => Some(ArgumentKind::Int),
        b's' | b'p' | b'n' => Some(ArgumentKind::Pointer),
        b'%' | b'm' => None,
        _ => Some(match specification.length {
            Length::LongDouble => ArgumentKind::LongDouble,
            _ => ArgumentKind::Double,
        }),
    }
}

/// A width or precision after `*` is resolved; negative ones keep their sign.
fn resolve<A: FormatArguments>(
    count: Option<Count>,
    arguments: &mut A,
    supply: &mut Supply<A::Pointer>,
) -> Result<Option<i64>, FormatError<A::Error>> {
    let value = match count {
        None => return Ok(None),
        Some(Count::Fixed(value)) if value > i32::MAX as u64 => {
            return Err(FormatError::Fails(OVERFLOW));
        }
        Some(Count::Fixed(value)) => value as i64,
        Some(Count::Argument(position)) => {
            match supply.take(arguments, position, ArgumentKind::Int)? {
                Argument::Integer(bits) => i64::from(bits as i32),
                _ => return Err(FormatError::WrongType { conversion: b'*' }),
            }
        }
    };
    if value.unsigned_abs() > LARGEST_COUNT {
        return Err(FormatError::TooLarge(value.unsigned_abs()));
    }
    Ok(Some(value))
}

/// One number or string before it is filled up to the width.
struct Field<'a> {
    sign: &'a [u8],
    prefix: &'a [u8],
    body: Vec<u8>,
    /// Fill with zeros between prefix and body instead of spaces before the sign.
    zeros: bool,
}

impl Field<'_> {
    fn text(body: Vec<u8>) -> Self {
        Field {
            sign: b"",
            prefix: b"",
            body,
            zeros: false,
        }
    }

    fn write(self, output: &mut Vec<u8>, width: usize, left: bool) {
        let length = self.sign.len() + self.prefix.len() + self.body.len();
        let fill = width.saturating_sub(length);
        let before = if left || self.zeros { 0 } else { fill };
        let zeros = if self.zeros && !left { fill } else { 0 };
        let after = if left { fill } else { 0 };
        output.extend(std::iter::repeat_n(b' ', before));
        output.extend_from_slice(self.sign);
        output.extend_from_slice(self.prefix);
        output.extend(std::iter::repeat_n(b'0', zeros));
        output.extend(self.body);
        output.extend(std::iter::repeat_n(b' ', after));
    }
}

fn convert<A: FormatArguments>(
    output: &mut Vec<u8>,
    written: u64,
    specification: &Specification,
    arguments: &mut A,
    supply: &mut Supply<A::Pointer>,
) -> Result<(), FormatError<A::Error>> {
    let mut flags = specification.flags;
    let width = resolve(specification.width, arguments, supply)?.unwrap_or(0);
    flags.left |= width < 0;
    let width = width.unsigned_abs() as usize;
    let precision = resolve(specification.precision, arguments, supply)?
        .and_then(|precision| usize::try_from(precision).ok());
    let conversion = specification.conversion;
    let wrong_type = || FormatError::WrongType { conversion };
    let argument = match argument_kind(specification) {
        None => None,
        Some(kind) => Some(supply.take(arguments, specification.position, kind)?),
    };
    let field = match (conversion, argument) {
        (b'%', _) => {
            output.push(b'%');
            return Ok(());
        }
        (b'm', _) => Field::text(cut(arguments.error_text(flags.alternate), precision)),
        (b'n', Some(Argument::Pointer(pointer))) => {
            return arguments
                .store_count(&pointer, specification.length, written)
                .map_err(FormatError::Argument);
        }
        (b'c', Some(Argument::Integer(bits))) if specification.length == Length::Long => {
            Field::text(encode_wide(bits as u32).ok_or(FormatError::Fails(NO_MULTIBYTE_FORM))?)
        }
        (b'c', Some(Argument::Integer(bits))) => Field::text(vec![bits as u8]),
        (b's', Some(Argument::Pointer(pointer))) => {
            let wide = specification.length == Length::Long;
            Field::text(string(arguments, &pointer, precision, wide)?)
        }
        (b'p', Some(Argument::Pointer(pointer))) => {
            match arguments.address(&pointer).map_err(FormatError::Argument)? {
                0 => Field::text(b"(nil)".to_vec()),
                address => {
                    let pointer_flags = Flags {
                        alternate: true,
                        ..flags
                    };
                    integer(
                        address,
                        b'x',
                        pointer_flags,
                        precision,
                        sign_of(false, flags),
                    )
                }
            }
        }
        (b'd' | b'i', Some(Argument::Integer(bits))) => {
            let value = sign_extended(bits, specification.length);
            let sign = sign_of(value < 0, flags);
            integer(value.unsigned_abs(), b'd', flags, precision, sign)
        }
        (b'u' | b'o' | b'x' | b'X', Some(Argument::Integer(bits))) => {
            let shift = 64 - 8 * specification.length.bytes();
            integer(bits << shift >> shift, conversion, flags, precision, b"")
        }
        (_, Some(Argument::Floating(number))) if is_floating(conversion) => {
            let text = floating_text(
                number,
                FloatStyle {
                    conversion: conversion.to_ascii_lowercase(),
                    uppercase: conversion.is_ascii_uppercase(),
                    precision,
                    alternate: flags.alternate,
                },
            );
            Field {
                sign: sign_of(number.negative, flags),
                prefix: text.prefix,
                body: text.body,
                zeros: flags.zero && text.finite,
            }
        }
        _ => return Err(wrong_type()),
    };
    field.write(output, width, flags.left);
    Ok(())
}

fn is_floating(conversion: u8) -> bool {
    matches!(conversion.to_ascii_lowercase(), b'a' | b'e' | b'f' | b'g')
}

fn sign_of(negative: bool, flags: Flags) -> &'static [u8] {
    match (negative, flags.plus, flags.space) {
        (true, _, _) => b"-",
        (false, true, _) => b"+",
        (false, false, true) => b" ",
        (false, false, false) => b"",
    }
}

fn sign_extended(bits: u64, length: Length) -> i64 {
    let shift = 64 - 8 * length.bytes();
    (bits as i64) << shift >> shift
}

fn integer(
    value: u64,
    conversion: u8,
    flags: Flags,
    precision: Option<usize>,
    sign: &'static [u8],
) -> Field<'static> {
    let mut body = match conversion {
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        _ => value.to_string(),
    }
    .into_bytes();
    if value == 0 && precision == Some(0) {
        body.clear();
    }
    let missing = precision.unwrap_or(0).saturating_sub(body.len());
    body.splice(0..0, std::iter::repeat_n(b'0', missing));
    if conversion == b'o' && flags.alternate && body.first() != Some(&b'0') {
        body.insert(0, b'0');
    }
    let prefix: &[u8] = match conversion {
        b'x' if flags.alternate && value != 0 => b"0x",
        b'X' if flags.alternate && value != 0 => b"0X",
        _ => b"",
    };
    Field {
        sign,
        prefix,
        body,
        zeros: flags.zero && precision.is_none(),
    }
}

fn cut(mut text: Vec<u8>, precision: Option<usize>) -> Vec<u8> {
    text.truncate(precision.unwrap_or(usize::MAX));
    text
}

/// `%s` and `%ls`; the null pointer is glibc's `(null)`, whole or not at all.
fn string<A: FormatArguments>(
    arguments: &mut A,
    pointer: &A::Pointer,
    precision: Option<usize>,
    wide: bool,
) -> Result<Vec<u8>, FormatError<A::Error>> {
    const NULL: &[u8] = b"(null)";
    let null = || match precision {
        Some(precision) if precision < NULL.len() => Vec::new(),
        _ => NULL.to_vec(),
    };
    if !wide {
        let text = arguments
            .string(pointer, precision)
            .map_err(FormatError::Argument)?;
        return Ok(text.map_or_else(null, |text| cut(text, precision)));
    }
    let Some(text) = arguments
        .wide_string(pointer, precision)
        .map_err(FormatError::Argument)?
    else {
        return Ok(null());
    };
    let mut bytes = Vec::new();
    for character in text {
        let encoded = encode_wide(character).ok_or(FormatError::Fails(NO_MULTIBYTE_FORM))?;
        if precision.is_some_and(|precision| bytes.len() + encoded.len() > precision) {
            break;
        }
        bytes.extend(encoded);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
