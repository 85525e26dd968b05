//! Which tokens does C text consist of?

use super::ParseError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    Literal(String),
    Text(Vec<u8>),
    Symbol(&'static str),
    Hole(usize),
    End,
}

/// Longest first, so that a prefix never wins.
const SYMBOLS: [&str; 46] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "&=", "^=", "|=", "(", ")", "[", "]", "{", "}", ".", "&", "*", "+",
    "-", "~", "!", "/", "%", "<", ">", "^", "|", "?", ":", ";", "=", ",",
];

pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ParseError> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        let token = match byte {
            b'\n' => {
                line += 1;
                at += 1;
                continue;
            }
            b' ' | b'\t' => {
                at += 1;
                continue;
            }
            b'/' if bytes[at..].starts_with(b"//") => {
                at += bytes[at..]
                    .iter()
                    .position(|&next| next == b'\n')
                    .unwrap_or(bytes.len() - at);
                continue;
            }
            b'/' if bytes[at..].starts_with(b"/*") => {
                let length = text[at..]
                    .find("*/")
                    .map_or(bytes.len() - at, |found| found + 2);
                line += bytes[at..at + length]
                    .iter()
                    .filter(|&&next| next == b'\n')
                    .count();
                at += length;
                continue;
            }
            b'"' => {
                let (content, length) = string(&bytes[at..]);
                at += length;
                Token::Text(content)
            }
            b'\'' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'\'' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
                Token::Literal(text[start..at].to_string())
            }
            b'0'..=b'9' => {
                at = number_end(bytes, at);
                Token::Literal(text[start..at].to_string())
            }
            b'$' => {
                at += 1;
                while at < bytes.len() && bytes[at].is_ascii_digit() {
                    at += 1;
                }
                Token::Hole(text[start + 1..at].parse().unwrap_or(usize::MAX))
            }
            _ if byte.is_ascii_alphabetic() || byte == b'_' => {
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                    at += 1;
                }
                Token::Word(text[start..at].to_string())
            }
            _ => match SYMBOLS
                .iter()
                .find(|symbol| text[at..].starts_with(**symbol))
            {
                Some(symbol) => {
                    at += symbol.len();
                    Token::Symbol(symbol)
                }
                None => {
                    let found = (byte as char).to_string();
                    return Err(ParseError {
                        line,
                        expected: "a token of C".to_string(),
                        found,
                    });
                }
            },
        };
        tokens.push((line, token));
    }
    tokens.push((line, Token::End));
    Ok(tokens)
}

/// One past the last byte of the number that starts at `start`.
fn number_end(bytes: &[u8], start: usize) -> usize {
    let hexadecimal = bytes[start..].starts_with(b"0x") || bytes[start..].starts_with(b"0X");
    let mut at = start;
    while at < bytes.len() {
        let after_exponent = at > start
            && match bytes[at - 1] {
                b'p' | b'P' => hexadecimal,
                b'e' | b'E' => !hexadecimal,
                _ => false,
            };
        match bytes[at] {
            b'+' | b'-' if after_exponent => at += 1,
            b'.' => at += 1,
            other if other.is_ascii_alphanumeric() => at += 1,
            _ => break,
        }
    }
    at
}

/// The bytes of a string literal and the length of its spelling.
fn string(bytes: &[u8]) -> (Vec<u8>, usize) {
    let mut content = Vec::new();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'"' {
        if bytes[at] != b'\\' || at + 1 >= bytes.len() {
            content.push(bytes[at]);
            at += 1;
            continue;
        }
        at += 1;
        match bytes[at] {
            b'n' => content.push(b'\n'),
            b't' => content.push(b'\t'),
            b'0'..=b'7' => {
                let mut value = 0u32;
                let mut digits = 0;
                while digits < 3 && at < bytes.len() && matches!(bytes[at], b'0'..=b'7') {
                    value = value * 8 + u32::from(bytes[at] - b'0');
                    at += 1;
                    digits += 1;
                }
                content.push(value as u8);
                continue;
            }
            other => content.push(other),
        }
        at += 1;
    }
    (content, (at + 1).min(bytes.len()))
}
