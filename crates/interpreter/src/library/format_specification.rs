//! What does one conversion of a `printf` format ask for?
//!
//! Grammar of C11 7.21.6.1 with glibc's additions: positions (`%2$d`), `'` and `I` flags, `q` and `Z`
//! lengths, `%m`, `%C` and `%S`. Parsing is one pass over the bytes of the format.

use thiserror::Error;

/// One piece of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Text(&'a [u8]),
    Conversion(Specification),
}

/// A width or a precision as the format writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    Fixed(u64),
    /// `*`: an `int` argument, the next one or the one at the (1-based) position.
    Argument(Option<usize>),
}

/// Flags of a conversion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) left: bool,
    pub(crate) plus: bool,
    pub(crate) space: bool,
    pub(crate) alternate: bool,
    pub(crate) zero: bool,
}

/// Length modifier of a conversion: the C type of an integer argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Char,
    Short,
    Int,
    /// `l`, and on x86-64 also `ll`, `q`, `j`, `z`, `t`: 64 bits.
    Long,
    /// `L`: `long double`; for integers the same as `Long`.
    LongDouble,
}

impl Length {
    /// Bytes of an integer of this length.
    pub fn bytes(self) -> usize {
        match self {
            Length::Char => 1,
            Length::Short => 2,
            Length::Int => 4,
            Length::Long | Length::LongDouble => 8,
        }
    }
}

/// One `%…` of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Specification {
    /// The (1-based) position of the argument, where the format gives one.
    pub(crate) position: Option<usize>,
    pub(crate) flags: Flags,
    pub(crate) width: Option<Count>,
    pub(crate) precision: Option<Count>,
    pub(crate) length: Length,
    pub(crate) conversion: u8,
}

/// The behaviour of the call is undefined because of its format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadFormat {
    #[error("the format ends inside the conversion that starts at byte {0}")]
    Incomplete(usize),
    #[error("`{}` is no conversion (at byte {at} of the format)", char::from(*conversion))]
    UnknownConversion { conversion: u8, at: usize },
    #[error("the format mixes conversions with and without positions")]
    MixedPositions,
    #[error("argument {0} of the format is used as two different types or not at all")]
    BadPosition(usize),
}

/// Splits a format into its pieces.
pub(crate) fn pieces(format: &[u8]) -> Result<Vec<Piece<'_>>, BadFormat> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < format.len() {
        let text_end = format[at..]
            .iter()
            .position(|byte| *byte == b'%')
            .map_or(format.len(), |offset| at + offset);
        if text_end > at {
            found.push(Piece::Text(&format[at..text_end]));
        }
        if text_end == format.len() {
            break;
        }
        let mut parser = Parser {
            format,
            start: text_end,
            at: text_end + 1,
        };
        found.push(Piece::Conversion(parser.specification()?));
        at = parser.at;
    }
    Ok(found)
}

struct Parser<'a> {
    format: &'a [u8],
    start: usize,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.format.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Decimal digits as a number that saturates; `None` where there is no digit.
    fn number(&mut self) -> Option<u64> {
        let mut value = None;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let so_far: u64 = value.unwrap_or(0);
            value = Some(
                so_far
                    .saturating_mul(10)
                    .saturating_add(u64::from(digit - b'0')),
            );
            self.at += 1;
        }
        value
    }

    /// `3$`, or nothing.
    fn position(&mut self) -> Option<usize> {
        let start = self.at;
        if let Some(number @ 1..=4096) = self.number()
            && self.eat(b'$')
        {
            return Some(number as usize);
        }
        self.at = start;
        None
    }

    fn count(&mut self) -> Option<Count> {
        if self.eat(b'*') {
            return Some(Count::Argument(self.position()));
        }
        self.number().map(Count::Fixed)
    }

    fn flags(&mut self) -> Flags {
        let mut flags = Flags::default();
        loop {
            match self.peek() {
                Some(b'-') => flags.left = true,
                Some(b'+') => flags.plus = true,
                Some(b' ') => flags.space = true,
                Some(b'#') => flags.alternate = true,
                Some(b'0') => flags.zero = true,
                // Grouping and alternative digits are empty in the C locale.
                Some(b'\'' | b'I') => {}
                _ => return flags,
            }
            self.at += 1;
        }
    }

    fn length(&mut self) -> Length {
        if self.eat(b'h') {
            return if self.eat(b'h') {
                Length::Char
            } else {
                Length::Short
            };
        }
        if self.eat(b'l') {
            return if self.eat(b'l') {
                Length::LongDouble
            } else {
                Length::Long
            };
        }
        if self.eat(b'L') || self.eat(b'q') {
            return Length::LongDouble;
        }
        if [b'j', b'z', b'Z', b't']
            .into_iter()
            .any(|byte| self.eat(byte))
        {
            return Length::Long;
        }
        Length::Int
    }

    fn specification(&mut self) -> Result<Specification, BadFormat> {
        let position = self.position();
        let flags = self.flags();
        let width = self.count();
        let precision = if self.eat(b'.') {
            // A lone point is precision 0, and so is a negative number that follows it literally.
            Some(self.count().unwrap_or(Count::Fixed(0)))
        } else {
            None
        };
        let mut length = self.length();
        let at = self.at;
        let mut conversion = self.peek().ok_or(BadFormat::Incomplete(self.start))?;
        self.at += 1;
        match conversion {
            b'C' => (conversion, length) = (b'c', Length::Long),
            b'S' => (conversion, length) = (b's', Length::Long),
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'c' | b's' | b'p' | b'n' | b'm' | b'%' => {}
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {}
            _ => return Err(BadFormat::UnknownConversion { conversion, at }),
        }
        Ok(Specification {
            position,
            flags,
            width,
            precision,
            length,
            conversion,
        })
    }
}
