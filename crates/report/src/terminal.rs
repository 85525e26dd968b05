//! What all terminal views share: colour on request, and text that cannot
//! drive the terminal.

use crate::Verdict;
use std::borrow::Cow;

/// How a terminal view looks. Names from a program are hostile until escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub colour: bool,
    /// Columns.
    pub width: usize,
    /// List the assumptions instead of counting them.
    pub assumptions: bool,
    /// List the caveats instead of counting them.
    pub caveats: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            colour: false,
            width: 80,
            assumptions: false,
            caveats: false,
        }
    }
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

    /// A verdict's own colour; its name stands beside it in every view.
    pub fn verdict(self, verdict: Verdict, text: &str) -> String {
        match verdict {
            Verdict::Changed => self.wrap("1;34", text),
            Verdict::Affected => self.wrap("1;31", text),
            Verdict::Possible => self.wrap("33", text),
            Verdict::Unaffected => self.wrap("32", text),
        }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Control characters, line separators, and marks that change the direction of text.
pub(crate) fn may_deceive(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Replaces control characters, so that a file or function name cannot move the
/// cursor, set the title or hide text.
pub fn escape_control_characters(text: &str) -> Cow<'_, str> {
    if text.chars().any(may_deceive) {
        Cow::Owned(
            text.chars()
                .map(|character| {
                    if may_deceive(character) {
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
