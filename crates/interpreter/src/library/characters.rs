//! Which class is a character in, and what is its other case?
//!
//! The C locale of glibc: only the 7-bit characters have classes. Compiled code reads the classes from
//! tables that `__ctype_b_loc` and its relatives point to; [`class_table`] and [`case_table`] are the
//! bytes of these tables, for characters −128 to 255 (the negative ones serve programs that pass a
//! plain `char`).

/// The first character of the tables.
pub const FIRST_CHARACTER: i32 = -128;

/// The class bits of glibc's `<ctype.h>` on a little-endian machine.
mod class {
    pub(super) const UPPER: u16 = 0x0100;
    pub(super) const LOWER: u16 = 0x0200;
    pub(super) const ALPHA: u16 = 0x0400;
    pub(super) const DIGIT: u16 = 0x0800;
    pub(super) const HEXADECIMAL: u16 = 0x1000;
    pub(super) const SPACE: u16 = 0x2000;
    pub(super) const PRINT: u16 = 0x4000;
    pub(super) const GRAPH: u16 = 0x8000;
    pub(super) const BLANK: u16 = 0x0001;
    pub(super) const CONTROL: u16 = 0x0002;
    pub(super) const PUNCTUATION: u16 = 0x0004;
    pub(super) const ALPHANUMERIC: u16 = 0x0008;
}

fn classes(character: u8) -> u16 {
    let bits = [
        (class::UPPER, character.is_ascii_uppercase()),
        (class::LOWER, character.is_ascii_lowercase()),
        (class::ALPHA, character.is_ascii_alphabetic()),
        (class::DIGIT, character.is_ascii_digit()),
        (class::HEXADECIMAL, character.is_ascii_hexdigit()),
        (class::SPACE, super::numbers::is_space(character)),
        (class::PRINT, matches!(character, b' '..=b'~')),
        (class::GRAPH, character.is_ascii_graphic()),
        (class::BLANK, matches!(character, b' ' | b'\t')),
        (class::CONTROL, character.is_ascii_control()),
        (class::PUNCTUATION, character.is_ascii_punctuation()),
        (class::ALPHANUMERIC, character.is_ascii_alphanumeric()),
    ];
    bits.iter()
        .filter(|(_, member)| *member)
        .fold(0, |sum, (bit, _)| sum | bit)
}

/// The bytes that `*__ctype_b_loc()` points into, 128 entries after their start.
pub fn class_table() -> Vec<u8> {
    (FIRST_CHARACTER..256)
        .flat_map(|character| u8::try_from(character).map_or(0, classes).to_le_bytes())
        .collect()
}

/// The bytes that `*__ctype_tolower_loc()` or `*__ctype_toupper_loc()` points into likewise.
pub fn case_table(upper: bool) -> Vec<u8> {
    (FIRST_CHARACTER..256)
        .flat_map(|character| {
            let entry = match character {
                -1 => -1,
                _ => {
                    let byte = character as u8;
                    i32::from(if upper {
                        byte.to_ascii_uppercase()
                    } else {
                        byte.to_ascii_lowercase()
                    })
                }
            };
            entry.to_le_bytes()
        })
        .collect()
}

/// The result of `isalpha` and its relatives, with glibc's non-zero values; `None` when the argument
/// is neither `EOF` nor in the tables, which is undefined.
pub fn is_in_class(function: &str, character: i32) -> Option<Option<i32>> {
    let bit = match function {
        "isupper" => class::UPPER,
        "islower" => class::LOWER,
        "isalpha" => class::ALPHA,
        "isdigit" => class::DIGIT,
        "isxdigit" => class::HEXADECIMAL,
        "isspace" => class::SPACE,
        "isprint" => class::PRINT,
        "isgraph" => class::GRAPH,
        "isblank" => class::BLANK,
        "iscntrl" => class::CONTROL,
        "ispunct" => class::PUNCTUATION,
        "isalnum" => class::ALPHANUMERIC,
        _ => return None,
    };
    if !(FIRST_CHARACTER..256).contains(&character) {
        return Some(None);
    }
    let bits = u8::try_from(character).map_or(0, classes);
    Some(Some(i32::from(bits & bit)))
}

#[cfg(test)]
mod tests {
    use super::super::host_oracle::{assert_agreement, hexadecimal};
    use super::*;

    #[test]
    fn the_tables_are_the_hosts() {
        let ours =
            [class_table(), case_table(false), case_table(true)].map(|table| hexadecimal(&table));
        assert_agreement(&[("characters".to_owned(), ours.join(" "))]);
    }
}
