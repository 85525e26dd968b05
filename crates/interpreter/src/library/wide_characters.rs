//! Which bytes does a wide character have in the C locale?
//!
//! In glibc's C locale the multibyte characters are the 7-bit ones, each one byte. A program that
//! calls `setlocale` for another locale gets the C locale all the same in this library, and the
//! binding of `setlocale` says so.

/// The multibyte form of a wide character, if it has one.
pub(crate) fn encode_wide(character: u32) -> Option<Vec<u8>> {
    u8::try_from(character)
        .ok()
        .filter(u8::is_ascii)
        .map(|byte| vec![byte])
}
