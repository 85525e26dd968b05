//! What all terminal views share: colour on request, and text that cannot
//! drive the terminal.

use std::borrow::Cow;

/// Whether to colour. Names from a program are hostile until escaped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub colour: bool,
}

impl Style {
    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub fn warning(self, text: &str) -> String {
        self.wrap("33", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Replaces control characters, so that a file or function name cannot move the
/// cursor, set the title or hide text.
pub fn escape_control_characters(text: &str) -> Cow<'_, str> {
    let unsafe_character =
        |character: char| character.is_control() || ('\u{202a}'..='\u{202e}').contains(&character);
    if text.chars().any(unsafe_character) {
        Cow::Owned(
            text.chars()
                .map(|character| {
                    if unsafe_character(character) {
                        character.escape_default().to_string()
                    } else {
                        character.to_string()
                    }
                })
                .collect(),
        )
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_bidirectional_overrides_are_escaped() {
        assert_eq!(
            escape_control_characters("a\u{1b}[2Jb\u{202e}c\n"),
            "a\\u{1b}[2Jb\\u{202e}c\\n"
        );
        assert_eq!(escape_control_characters("größe::x"), "größe::x");
    }
}
