//! Text that can not become markup.

use crate::escape_control_characters;
use crate::terminal::may_deceive;
use std::fmt::Write;

/// For element content and quoted attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in escape_control_characters(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// JSON for a `<script>` element: `<` stands only inside strings, where `\u003c` means the same,
/// and without it no tag and no comment can begin or end. Marks that change the direction of text
/// are written the same way, for whoever reads the page's source.
pub(super) fn script_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len() + json.len() / 8);
    for character in json.chars() {
        if character == '<' || may_deceive(character) {
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped
}
