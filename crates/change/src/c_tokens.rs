//! The tokens of C text.
//!
//! **Rules.** C's translation phases 2 and 3: line splices are removed, a comment is a space, and
//! what is left are tokens; the line ends of preprocessor directives are tokens too, since they end
//! them. Text in which a string or a comment does not end is one [`Kind::Broken`] token to its end.
//!
//! **Cost.** Linear in the text.

use crate::content_hash::{ContentHash, Mixer};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    /// White space or a comment stands in front of it.
    pub is_spaced: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    Literal,
    Mark,
    DirectiveStart,
    DirectiveEnd,
    /// The text in which something does not end.
    Broken,
}

/// The tokens of one line by itself, whatever stands around it; `None` if it has none.
pub(crate) fn line_content(line: &str) -> Option<ContentHash> {
    let tokens = read(line).tokens;
    let mixer = tokens.iter().fold(Mixer::new("tokens"), |mixer, token| {
        mixer.word(token.kind as u64).text(token.text)
    });
    (!tokens.is_empty()).then(|| mixer.finish())
}

pub(crate) fn is_broken(tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|token| token.kind == Kind::Broken)
}

/// Some macro turns its arguments into text.
pub(crate) fn stringises(tokens: &[Token<'_>]) -> bool {
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

/// A line without its end, and whether the next one goes on with it.
pub(crate) fn unspliced(line: &str) -> (&str, bool) {
    let content = line.strip_suffix('\n').unwrap_or(line);
    let content = content.strip_suffix('\r').unwrap_or(content);
    match content.strip_suffix('\\') {
        Some(continued) => (continued, true),
        None => (content, false),
    }
}

/// The text of some lines without line splices.
pub(crate) fn spliced(lines: &[&str]) -> String {
    let mut result = String::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for line in lines {
        let (content, is_continued) = unspliced(line);
        result.push_str(content);
        if !is_continued {
            result.push('\n');
        }
    }
    result
}

pub(crate) struct Reading<'a> {
    pub tokens: Vec<Token<'a>>,
    /// Behind each line end that is between tokens and ends the directive it is in.
    pub settled: Vec<usize>,
}

pub(crate) fn read(text: &str) -> Reading<'_> {
    let bytes = text.as_bytes();
    let mut found: Vec<Token<'_>> = Vec::new();
    let mut settled = Vec::new();
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
                settled.push(at);
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
    Reading {
        tokens: found,
        settled,
    }
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
