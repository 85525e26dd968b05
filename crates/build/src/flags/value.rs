//! Is this value of a flag safe to hand to clang?
//!
//! A value reaches clang only in a shape that cannot be read as something else: see the module
//! above for why `@` and `-` matter. A NUL byte cannot be passed to a program at all, and a line
//! break in a path cannot be told apart in the list of read files that the cache relies on.

use super::DropReason;

/// A path, rewritten so that it begins with neither `-` nor `@`.
pub(super) fn checked_path(path: &str) -> Result<String, DropReason> {
    if path.is_empty() || path.contains(['\0', '\n', '\r']) {
        return Err(DropReason::BadValue);
    }
    if path.starts_with(['-', '@']) {
        Ok(format!("./{path}"))
    } else {
        Ok(path.to_owned())
    }
}

/// The value of `-std=`, `-march=`, `--target=` and their like.
pub(super) fn checked_word(word: &str) -> Result<&str, DropReason> {
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || b"_.+-:".contains(&byte);
    let first = word
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphanumeric());
    if first && word.bytes().all(harmless) {
        Ok(word)
    } else {
        Err(DropReason::BadValue)
    }
}

/// `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`. `_FORTIFY_SOURCE` is hardening, see above.
pub(super) fn checked_macro(definition: &str) -> Result<&str, DropReason> {
    let name_length = definition.find(['=', '(']).unwrap_or(definition.len());
    let name = &definition[..name_length];
    let named = name
        .starts_with(|first: char| first.is_alphabetic() || first == '_' || first == '$')
        && name
            .chars()
            .all(|next| next.is_alphanumeric() || next == '_' || next == '$');
    if !named || definition.contains('\0') {
        return Err(DropReason::BadValue);
    }
    if name == "_FORTIFY_SOURCE" {
        Err(DropReason::Hardening)
    } else {
        Ok(definition)
    }
}
