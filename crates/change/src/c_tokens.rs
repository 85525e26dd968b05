//! Does a hunk of C text change anything but layout and comments?
//!
//! **Rules.** The hunk is applied to the old text by itself, and both texts are read whole, as C's
//! translation phases 2 and 3 have it: line splices are removed, a comment is a space, and what is
//! left are tokens; the line ends of preprocessor directives are tokens too, since they end them.
//! The hunk is layout if the tokens are the same. White space in front of a token counts where it
//! decides what a macro is (`#define f(x)` is not `#define f (x)`), and in all of a text that turns
//! macro arguments into strings.
//!
//! **Soundness.** Equal tokens in the same order are the same program, but for positions
//! (`__LINE__`, debug info). A text that cannot be read (a string or comment that does not end) is
//! never layout.
//!
//! **Cost.** Linear in the text, for each hunk.

use crate::content_hash::{ContentHash, Mixer};
use crate::edits::Hunk;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token<'a> {
    kind: Kind,
    text: &'a str,
    /// White space or a comment stands in front of it.
    is_spaced: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    Literal,
    Mark,
    DirectiveStart,
    DirectiveEnd,
    /// The text in which something does not end.
    Broken,
}

/// Only layout and comments differ on the lines of the hunk.
pub fn hunk_is_layout_only(old_text: &str, new_text: &str, hunk: &Hunk) -> bool {
    let lines = |text: &str, first: u32, end: u32| -> String {
        let lines = text.split_inclusive('\n').skip(first as usize - 1);
        lines.take((end.max(first) - first) as usize).collect()
    };
    let mut applied = lines(old_text, 1, hunk.old.start.max(1));
    applied.push_str(&lines(new_text, hunk.new.start.max(1), hunk.new.end));
    applied.push_str(&lines(old_text, hunk.old.end.max(1), u32::MAX));
    let (old, new) = (spliced(old_text), spliced(&applied));
    let (before, after) = (tokens(&old), tokens(&new));
    let both = [&before, &after];
    if both.into_iter().any(|tokens| is_broken(tokens)) {
        return false;
    }
    let spacing_shows = both.into_iter().any(|tokens| stringises(tokens));
    before.len() == after.len()
        && before.iter().zip(&after).all(|(left, right)| {
            left.kind == right.kind
                && left.text == right.text
                && (!spacing_shows || left.is_spaced == right.is_spaced)
        })
        && directives_are_spaced_alike(&before, &after)
}

/// The tokens of one line by itself, whatever stands around it; `None` if it has none.
pub(crate) fn line_content(line: &str) -> Option<ContentHash> {
    let tokens = tokens(line);
    let mixer = tokens.iter().fold(Mixer::new("tokens"), |mixer, token| {
        mixer.word(token.kind as u64).text(token.text)
    });
    (!tokens.is_empty()).then(|| mixer.finish())
}

fn is_broken(tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|token| token.kind == Kind::Broken)
}

/// `#define f(` and `#define f (` are not the same.
fn directives_are_spaced_alike(one: &[Token<'_>], two: &[Token<'_>]) -> bool {
    let mut since_start = None;
    one.iter().zip(two).all(|(left, right)| {
        since_start = match (left.kind, since_start) {
            (Kind::DirectiveStart, _) => Some(0),
            (Kind::DirectiveEnd, _) => None,
            (_, at) => at.map(|at| at + 1),
        };
        since_start != Some(3) || left.text != "(" || left.is_spaced == right.is_spaced
    })
}

/// Some macro turns its arguments into text.
fn stringises(tokens: &[Token<'_>]) -> bool {
    let mut inside = false;
    tokens.iter().any(|token| {
        match token.kind {
            Kind::DirectiveStart => inside = true,
            Kind::DirectiveEnd => inside = false,
            _ => {}
        }
        inside && token.kind == Kind::Mark && token.text == "#"
    })
}

/// The text without line splices.
fn spliced(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        match content.strip_suffix('\\') {
            Some(continued) => result.push_str(continued),
            None => {
                result.push_str(content);
                result.push('\n');
            }
        }
    }
    result
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut found: Vec<Token<'_>> = Vec::new();
    let mut at = 0;
    let mut is_spaced = false;
    let mut begins_line = true;
    let mut inside_directive = false;
    while at < bytes.len() {
        let rest = &text[at..];
        let (kind, length) = match bytes[at] {
            b'\n' => {
                if inside_directive {
                    found.push(Token {
                        kind: Kind::DirectiveEnd,
                        text: "",
                        is_spaced: false,
                    });
                }
                (inside_directive, begins_line, is_spaced) = (false, true, true);
                at += 1;
                continue;
            }
            byte if byte.is_ascii_whitespace() => {
                (at, is_spaced) = (at + 1, true);
                continue;
            }
            b'/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                is_spaced = true;
                continue;
            }
            b'/' if rest.starts_with("/*") => match rest[2..].find("*/") {
                Some(end) => {
                    (at, is_spaced) = (at + 2 + end + 2, true);
                    continue;
                }
                None => (Kind::Broken, rest.len()),
            },
            b'#' if begins_line => {
                inside_directive = true;
                (Kind::DirectiveStart, 1)
            }
            b'<' if names_header(&found) => match rest.find(['>', '\n']) {
                Some(end) => (Kind::Literal, end + 1),
                None => (Kind::Broken, rest.len()),
            },
            quote @ (b'"' | b'\'') => match literal_length(rest.as_bytes(), quote) {
                Some(length) => (Kind::Literal, length),
                // An apostrophe in a directive, as in `#error don't`.
                None if inside_directive => (Kind::Literal, rest.find('\n').unwrap_or(rest.len())),
                None => (Kind::Broken, rest.len()),
            },
            byte if is_word(byte) => (Kind::Word, word_length(rest.as_bytes())),
            _ => (Kind::Mark, mark_length(rest)),
        };
        found.push(Token {
            kind,
            text: &rest[..length],
            is_spaced,
        });
        at += length;
        (begins_line, is_spaced) = (false, false);
    }
    found
}

/// The directive so far is `#include` or one of its kin.
fn names_header(tokens: &[Token<'_>]) -> bool {
    match tokens {
        [.., start, word] => {
            start.kind == Kind::DirectiveStart
                && matches!(word.text, "include" | "include_next" | "import")
        }
        _ => false,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// A name or a number, whose dots and signed exponents belong to it.
fn word_length(bytes: &[u8]) -> usize {
    let is_number = bytes[0].is_ascii_digit();
    let mut length = 1;
    while let Some(byte) = bytes.get(length) {
        let exponent = matches!(bytes[length - 1], b'e' | b'E' | b'p' | b'P');
        let belongs = is_word(*byte)
            || is_number && (*byte == b'.' || exponent && matches!(byte, b'+' | b'-'));
        if !belongs {
            break;
        }
        length += 1;
    }
    length
}

fn literal_length(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    loop {
        match *bytes.get(at)? {
            b'\n' => return None,
            b'\\' => at += 2,
            byte if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

const LONG_MARKS: [&str; 23] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=",
    "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##",
];

fn mark_length(rest: &str) -> usize {
    let long = LONG_MARKS.iter().find(|mark| rest.starts_with(**mark));
    long.map_or(1, |mark| mark.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_diff::text_hunks;

    fn all_layout(old: &str, new: &str) -> bool {
        let hunks = text_hunks(old, new);
        assert!(!hunks.is_empty());
        hunks.iter().all(|hunk| hunk_is_layout_only(old, new, hunk))
    }

    #[test]
    fn comments_blanks_and_line_breaks_are_layout() {
        assert!(all_layout("int a;\n", "int  a ; // here\n"));
        assert!(all_layout("int a;\nint b;\n", "int a; int b;\n"));
        assert!(all_layout("int a;\n", "/* one\n two */\nint a;\n"));
        assert!(all_layout("int a = 1;\n", "int a \\\n = 1;\n"));
        assert!(all_layout("#define A 1\n", "#define   A  1 /* x */\n"));
    }

    #[test]
    fn other_tokens_are_not_layout() {
        assert!(!all_layout("int a = 1;\n", "int a = 2;\n"));
        assert!(!all_layout("x = a - - b;\n", "x = a -- b;\n"));
        assert!(!all_layout("f(\"a b\");\n", "f(\"a  b\");\n"));
        assert!(!all_layout("#define f(x) x\n", "#define f (x) x\n"));
        assert!(!all_layout("#define A 1\n+ 2;\n", "#define A 1 + 2;\n"));
        assert!(!all_layout("int ab;\n", "int a b;\n"));
    }

    #[test]
    fn a_hunk_that_opens_or_closes_a_comment_is_not_layout() {
        let old = "a();\n/* x */\nb();\n/* y */\nc();\n";
        let new = "a();\n/* x\nb();\n/* y */\nc();\n";
        assert!(!all_layout(old, new));
        assert!(!all_layout("a();\nb();\n", "a(); /*\nb();\n"));
    }

    #[test]
    fn a_splice_that_takes_in_the_next_line_is_not_layout() {
        assert!(!all_layout("// x\na();\n", "// x \\\na();\n"));
        assert!(!all_layout(
            "#define A 1\nint b;\n",
            "#define A 1 \\\nint b;\n"
        ));
    }

    #[test]
    fn a_hunk_inside_a_long_comment_is_layout() {
        assert!(all_layout(
            "/*\n it's old\n*/\na();\n",
            "/*\n it's new\n*/\na();\n"
        ));
    }
}
