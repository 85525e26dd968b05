//! Metadata nodes: stepping over them, and the fields of the few that are
//! decoded.
//!
//! A node is `!Kind(key: value, …)` or `!{…}`. Metadata never decides what a
//! program does, so a malformed node is no error: what it would have said is
//! unknown.

use super::cursor::{Cursor, text_of};
use super::fault::Read;
use super::outline::Outline;
use super::reader::Reader;

/// One field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field<'t> {
    Node(u64),
    Number(u32),
    Text(&'t [u8]),
    Other,
}

/// The fields of a specialised node, in the order written.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'t> {
    cursor: Cursor<'t>,
}

impl<'t> Fields<'t> {
    /// The kind and the fields of the node at the cursor (`[distinct] !Kind(`).
    #[inline]
    pub(crate) fn open(mut cursor: Cursor<'t>) -> Option<(&'t [u8], Fields<'t>)> {
        cursor.skip_blanks();
        if cursor.peek() == b'd' {
            cursor.eat_word(b"distinct");
            cursor.skip_blanks();
        }
        if cursor.peek() != b'!' {
            return None;
        }
        cursor.at += 1;
        let kind = cursor.word();
        if cursor.peek() != b'(' {
            return None;
        }
        cursor.at += 1;
        Some((kind, Fields { cursor }))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.cursor.peek() == b')'
    }
}

impl<'t> Iterator for Fields<'t> {
    type Item = (&'t [u8], Field<'t>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let cursor = &mut self.cursor;
        cursor.skip_blanks();
        if cursor.peek() == b',' {
            cursor.at += 1;
            cursor.skip_blanks();
        }
        let key = cursor.word();
        if key.is_empty() || cursor.peek() != b':' {
            return None;
        }
        cursor.at += 1;
        cursor.skip_blanks();
        let value = match cursor.peek() {
            b'!' => {
                cursor.at += 1;
                match cursor.digits() {
                    Some(node) => Field::Node(node),
                    None if cursor.peek() == b'"' => Field::Text(cursor.quoted().ok()?),
                    None => {
                        cursor.word();
                        cursor.skip_balanced().ok()?;
                        Field::Other
                    }
                }
            }
            b'"' => Field::Text(cursor.quoted().ok()?),
            b'0'..=b'9' => {
                let number = cursor.digits()?;
                Field::Number(u32::try_from(number).unwrap_or(u32::MAX))
            }
            _ => {
                // A word, or several joined by `|`.
                while !matches!(cursor.peek(), b',' | b')' | b'\n' | 0) {
                    if cursor.peek() == b'(' {
                        cursor.skip_balanced().ok()?;
                    } else {
                        cursor.at += 1;
                    }
                }
                Field::Other
            }
        };
        Some((key, value))
    }
}

/// The specialised node with this number.
#[inline]
pub(crate) fn node<'t>(
    text: &'t [u8],
    outline: &Outline<'t>,
    node: u64,
) -> Option<(&'t [u8], Fields<'t>)> {
    let at = outline.nodes.get(node)?;
    Fields::open(Cursor::new(text, at as usize))
}

/// A tuple that names no other node, as it is printed: `!{!"rsp"}`.
pub(crate) fn plain_tuple<'t>(
    text: &'t [u8],
    outline: &Outline<'t>,
    node: u64,
) -> Option<&'t [u8]> {
    let mut cursor = Cursor::new(text, outline.nodes.get(node)? as usize);
    cursor.skip_space();
    let start = cursor.at;
    if !cursor.eat(b'!') || cursor.peek() != b'{' {
        return None;
    }
    cursor.skip_balanced().ok()?;
    let tuple = &text[start..cursor.at];
    let mut pairs = tuple.windows(2);
    let names_none = !pairs.any(|pair| pair[0] == b'!' && pair[1].is_ascii_digit());
    names_none.then_some(tuple)
}

/// The first element of the tuple at this offset: `!{!5, …}`.
fn first_element<'t>(text: &'t [u8], at: u32) -> Option<Field<'t>> {
    let mut cursor = Cursor::new(text, at as usize);
    cursor.eat_word(b"distinct");
    if !cursor.eat(b'!') || !cursor.eat(b'{') || !cursor.eat(b'!') {
        return None;
    }
    match cursor.digits() {
        Some(node) => Some(Field::Node(node)),
        None => cursor.quoted().ok().map(Field::Text),
    }
}

/// The compiler that printed the module: `!llvm.ident`.
pub(crate) fn producer(text: &[u8], outline: &Outline<'_>) -> Option<String> {
    let Field::Node(identification) = first_element(text, outline.identification?)? else {
        return None;
    };
    match first_element(text, outline.nodes.get(identification)?)? {
        Field::Text(raw) => Some(text_of(raw).into_owned()),
        _ => None,
    }
}

/// rustc names a module by its code generation unit; the source stands in the
/// compile unit as `source.rs/@/unit`.
pub(crate) fn rust_source(text: &[u8], outline: &Outline<'_>) -> Option<String> {
    let Field::Node(unit) = first_element(text, outline.compile_units?)? else {
        return None;
    };
    let (_, fields) = node(text, outline, unit)?;
    let file = fields.into_iter().find_map(|field| match field {
        (b"file", Field::Node(file)) => Some(file),
        _ => None,
    })?;
    let (_, mut fields) = node(text, outline, file)?;
    let name = fields.find_map(|field| match field {
        (b"filename", Field::Text(raw)) => Some(text_of(raw).into_owned()),
        _ => None,
    })?;
    name.split_once("/@/").map(|(source, _)| source.to_owned())
}

impl Reader<'_> {
    /// Over the metadata at the cursor's `!`.
    #[inline]
    pub(crate) fn skip_metadata(&mut self) -> Read<()> {
        if self.cursor.peek() != b'!' {
            return Err(self.cursor.fault("expected metadata"));
        }
        self.cursor.at += 1;
        if self.cursor.peek().is_ascii_digit() {
            while self.cursor.peek().is_ascii_digit() {
                self.cursor.at += 1;
            }
            return Ok(());
        }
        match self.cursor.peek() {
            b'"' => self.cursor.quoted().map(|_| ()),
            b'{' => self.cursor.skip_balanced(),
            _ => {
                self.cursor.word();
                if self.cursor.peek() == b'(' {
                    self.cursor.skip_balanced()
                } else {
                    Ok(())
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_in_the_order_written_whatever_their_kind() {
        let text = b" distinct !DISubprogram(name: \"f\", scope: !1, line: 7, flags: A | B, spFlags: X, e: !DIExpression(), unit: !2)";
        let (kind, fields) = Fields::open(Cursor::new(text, 0)).unwrap();
        assert_eq!(kind, b"DISubprogram");
        let read: Vec<_> = fields.collect();
        assert_eq!(read[0], (&b"name"[..], Field::Text(b"f")));
        assert_eq!(read[1], (&b"scope"[..], Field::Node(1)));
        assert_eq!(read[2], (&b"line"[..], Field::Number(7)));
        assert_eq!(read[3], (&b"flags"[..], Field::Other));
        assert_eq!(read.last(), Some(&(&b"unit"[..], Field::Node(2))));
        assert_eq!(read.len(), 7);
    }
}
