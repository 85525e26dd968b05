//! Where in the text is what: the offsets of all module-level entities.
//!
//! Symbols, types, attribute groups and metadata may be used before they are
//! defined, so one fast scan by lines comes first. LLVM prints each entity at
//! the start of a line and closes a function with `}` at the start of a line;
//! bodies are skipped by a substring search. Metadata is only indexed here
//! (it is half the text) and decoded when something refers to it.
//!
//! A line that no entity begins is an error: silence would lose a function. So is a text that ends
//! before what it refers to, or within an entity: it was cut off.

use super::cursor::Cursor;
use super::fault::{Fault, Read};
use hashbrown::HashMap;
use memchr::memmem;
use rustc_hash::FxBuildHasher;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Global,
    Alias,
    Function,
}

/// A symbol of the module, in text order.
pub(crate) struct Item<'t> {
    pub(crate) kind: ItemKind,
    pub(crate) name: &'t [u8],
    /// Behind `define` or `declare`, or behind the `=`.
    pub(crate) at: u32,
    /// From behind the `{` to the `}`; empty for a declaration and for data.
    pub(crate) body: (u32, u32),
}

/// A definition `%name = type …` and whether it was read already.
#[derive(Clone, Copy)]
pub(crate) struct NamedType {
    pub(crate) at: u32,
    pub(crate) state: TypeState,
}

#[derive(Clone, Copy)]
pub(crate) enum TypeState {
    Unread,
    InProgress,
    Read(knockon_program::TypeId),
}

/// Offsets by node number: a table where the numbers are dense, as printed;
/// a map for numbers that no text of this length needs.
#[derive(Default)]
pub(crate) struct NodeIndex {
    dense: Vec<u32>,
    sparse: HashMap<u64, u32, FxBuildHasher>,
}

const ABSENT: u32 = u32::MAX;

impl NodeIndex {
    fn insert(&mut self, node: u64, at: u32, limit: usize) {
        match usize::try_from(node) {
            Ok(node) if node < limit => {
                if node >= self.dense.len() {
                    self.dense.resize(node + 1, ABSENT);
                }
                self.dense[node] = at;
            }
            _ => {
                self.sparse.insert(node, at);
            }
        }
    }

    /// The offset behind `!N =`.
    #[inline]
    pub(crate) fn get(&self, node: u64) -> Option<u32> {
        let dense = usize::try_from(node)
            .ok()
            .and_then(|node| self.dense.get(node));
        match dense {
            Some(&ABSENT) => None,
            Some(&at) => Some(at),
            None => self.sparse.get(&node).copied(),
        }
    }

    pub(crate) fn dense_len(&self) -> usize {
        self.dense.len()
    }
}

#[derive(Default)]
pub(crate) struct Outline<'t> {
    pub(crate) items: Vec<Item<'t>>,
    pub(crate) types: HashMap<&'t [u8], NamedType, FxBuildHasher>,
    pub(crate) nodes: NodeIndex,
    /// `attributes #N = {`: the offset behind the `=`.
    pub(crate) attributes: HashMap<u64, u32, FxBuildHasher>,
    pub(crate) source: Option<&'t [u8]>,
    pub(crate) layout: Option<&'t [u8]>,
    pub(crate) triple: Option<&'t [u8]>,
    pub(crate) identification: Option<u32>,
    pub(crate) compile_units: Option<u32>,
    /// Behind the `=` of the first metadata.
    first_metadata: Option<u32>,
    /// The lines of `module asm`.
    pub(crate) assembly: Vec<&'t [u8]>,
}

pub(crate) fn outline(text: &[u8]) -> Read<Outline<'_>> {
    if u32::try_from(text.len()).is_err() {
        return Err(Fault::new(0, "the text is larger than 4 GiB"));
    }
    let mut outline = Outline::default();
    let mut cursor = Cursor::new(text, 0);
    if text.starts_with(b"BC\xc0\xde") {
        return Err(cursor.fault("this is bitcode: turn it into text with `llvm-dis`"));
    }
    let body_end = memmem::Finder::new(b"\n}");
    // The last entity, as far as a line after it may continue it.
    let mut open = Brackets { at: 0, depth: 0 };
    while cursor.at < text.len() {
        let line = cursor.at;
        let indented = matches!(text[line], b' ' | b'\t');
        if indented {
            cursor.skip_blanks();
        }
        let begins_entity = match cursor.peek() {
            b'\n' | b'\r' | b';' => {
                cursor.skip_line();
                cursor.at += 1;
                continue;
            }
            b'!' => outline.metadata(&mut cursor)?,
            b'@' => outline.data(&mut cursor)?,
            b'd' if cursor.eat_word(b"define") => {
                outline.function(&mut cursor, (!indented).then_some(&body_end), true)?
            }
            b'd' if cursor.eat_word(b"declare") => outline.function(&mut cursor, None, false)?,
            b'%' => outline.named_type(&mut cursor)?,
            b'a' if cursor.eat_word(b"attributes") => outline.attribute_group(&mut cursor)?,
            b'$' | b'^' => true,
            _ => outline.directive(&mut cursor)?,
        };
        if begins_entity {
            open = Brackets { at: line, depth: 0 };
        } else if !open.continues_to(text, line) {
            return Err(Fault::new(line, "this line begins no module-level entity"));
        }
        cursor.skip_line();
        cursor.at += 1;
    }
    if open.continues_to(text, text.len()) {
        return Err(Fault::new(
            text.len(),
            "the text ends too early: within an entity",
        ));
    }
    outline.check_metadata(text)?;
    Ok(outline)
}

/// How many brackets are open between the start of an entity and here.
struct Brackets {
    at: usize,
    depth: usize,
}

impl Brackets {
    /// Whether the entity is still open at the start of this line.
    fn continues_to(&mut self, text: &[u8], line: usize) -> bool {
        let mut cursor = Cursor::new(&text[..line], self.at);
        while cursor.at < line {
            match cursor.peek() {
                b'(' | b'[' | b'{' => self.depth += 1,
                b')' | b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                b'"' if cursor.quoted().is_ok() => continue,
                b';' => {
                    cursor.skip_line();
                    continue;
                }
                _ => {}
            }
            cursor.at += 1;
        }
        self.at = line;
        self.depth > 0
    }
}

/// Whether `=` follows the name at the cursor's sigil, as it does where the
/// name is defined; if so, the name, the cursor behind the `=`.
fn defined_name<'t>(cursor: &mut Cursor<'t>) -> Read<Option<&'t [u8]>> {
    let mut ahead = *cursor;
    ahead.at += 1;
    let name = ahead.name()?;
    ahead.skip_blanks();
    if ahead.peek() != b'=' {
        return Ok(None);
    }
    ahead.at += 1;
    *cursor = ahead;
    Ok(Some(name))
}

impl<'t> Outline<'t> {
    /// Every node that metadata names is there, and so is the end of the last one: metadata is the
    /// end of the text, and only read where something refers to it.
    fn check_metadata(&self, text: &[u8]) -> Read<()> {
        let Some(first) = self.first_metadata else {
            return Ok(());
        };
        let mut cursor = Cursor::new(text, first as usize);
        while let Some(distance) = memchr::memchr3(b'!', b'"', b';', cursor.rest()) {
            cursor.at += distance;
            match cursor.peek() {
                b'"' => {
                    cursor.quoted()?;
                }
                b';' => cursor.skip_line(),
                _ => {
                    let at = cursor.at;
                    cursor.at += 1;
                    if let Some(node) = cursor.digits()
                        && self.nodes.get(node).is_none()
                    {
                        let message = format!("there is no `!{node}`: the text ends too early");
                        return Err(Fault::new(at, message));
                    }
                }
            }
        }
        let end = text.trim_ascii_end().len();
        let last = memchr::memrchr(b'\n', &text[..end]).map_or(0, |newline| newline + 1);
        let is_whole = matches!(text[end - 1], b')' | b'}' | b']' | b'"');
        match text[last] == b'!' && !is_whole {
            true => Err(Fault::new(end, "the text ends too early: within metadata")),
            false => Ok(()),
        }
    }

    fn metadata(&mut self, cursor: &mut Cursor<'t>) -> Read<bool> {
        cursor.at += 1;
        let node = cursor.digits();
        let name = cursor.word();
        cursor.skip_blanks();
        if cursor.peek() != b'=' {
            return Ok(false);
        }
        cursor.at += 1;
        let at = cursor.at as u32;
        self.first_metadata.get_or_insert(at);
        match node {
            Some(node) => self.nodes.insert(node, at, cursor.text.len() / 4),
            None if name == b"llvm.ident" => self.identification = Some(at),
            None if name == b"llvm.dbg.cu" => self.compile_units = Some(at),
            None => {}
        }
        Ok(true)
    }

    fn data(&mut self, cursor: &mut Cursor<'t>) -> Read<bool> {
        let Some(name) = defined_name(cursor)? else {
            return Ok(false);
        };
        let at = cursor.at as u32;
        let kind = loop {
            cursor.skip_space();
            match cursor.word() {
                b"global" | b"constant" => break ItemKind::Global,
                b"alias" | b"ifunc" => break ItemKind::Alias,
                b"" if cursor.peek() == b'(' => cursor.skip_balanced()?,
                b"" => {
                    return Err(cursor.fault("expected `global`, `constant`, `alias` or `ifunc`"));
                }
                _ => {}
            }
        };
        self.items.push(Item {
            kind,
            name,
            at,
            body: (0, 0),
        });
        Ok(true)
    }

    /// With `body_end`, a body that follows the printed layout ends there.
    fn function(
        &mut self,
        cursor: &mut Cursor<'t>,
        body_end: Option<&memmem::Finder>,
        has_body: bool,
    ) -> Read<bool> {
        let at = cursor.at as u32;
        loop {
            let Some(distance) = memchr::memchr2(b'@', b'"', cursor.rest()) else {
                return Err(cursor.fault("expected the function's name"));
            };
            cursor.at += distance;
            if cursor.peek() == b'@' {
                break;
            }
            cursor.quoted()?;
        }
        cursor.at += 1;
        let name = cursor.name()?;
        let body = if has_body {
            function_body(cursor, body_end)?
        } else {
            (0, 0)
        };
        self.items.push(Item {
            kind: ItemKind::Function,
            name,
            at,
            body,
        });
        Ok(true)
    }

    fn named_type(&mut self, cursor: &mut Cursor<'t>) -> Read<bool> {
        let start = cursor.at;
        let Some(name) = defined_name(cursor)? else {
            return Ok(false);
        };
        cursor.expect_word("type")?;
        let named = NamedType {
            at: cursor.at as u32,
            state: TypeState::Unread,
        };
        if self.types.insert(name, named).is_some() {
            return Err(Fault::new(start, "this type is defined twice"));
        }
        Ok(true)
    }

    fn attribute_group(&mut self, cursor: &mut Cursor<'t>) -> Read<bool> {
        cursor.expect(b'#')?;
        let group = cursor.number()?;
        cursor.expect(b'=')?;
        self.attributes.insert(group, cursor.at as u32);
        Ok(true)
    }

    fn directive(&mut self, cursor: &mut Cursor<'t>) -> Read<bool> {
        match cursor.word() {
            b"source_filename" => {
                cursor.expect(b'=')?;
                cursor.skip_space();
                self.source = Some(cursor.quoted()?);
            }
            b"target" => {
                let which = cursor.peek_word();
                cursor.word();
                cursor.expect(b'=')?;
                cursor.skip_space();
                let value = cursor.quoted()?;
                match which {
                    b"datalayout" => self.layout = Some(value),
                    b"triple" => self.triple = Some(value),
                    _ => {}
                }
            }
            b"module" => {
                cursor.expect_word("asm")?;
                cursor.skip_space();
                self.assembly.push(cursor.quoted()?);
            }
            b"uselistorder" | b"uselistorder_bb" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The range of a body; the cursor, behind the function's name, moves to its `}`.
fn function_body(cursor: &mut Cursor<'_>, body_end: Option<&memmem::Finder>) -> Read<(u32, u32)> {
    let header = *cursor;
    cursor.skip_line();
    let line = header.text[header.at..cursor.at].trim_ascii_end();
    if let Some(body_end) = body_end
        && line.ends_with(b"{")
    {
        let start = header.at + line.len();
        let end = body_end
            .find(cursor.rest())
            .map_or(cursor.text.len(), |distance| cursor.at + distance + 1);
        cursor.at = end;
        return Ok((start as u32, end as u32));
    }
    // Written by hand: the header or the body do not follow the printed layout.
    *cursor = header;
    cursor.skip_space();
    cursor.skip_balanced()?;
    while cursor.peek() != b'{' {
        match cursor.peek() {
            b'"' => {
                cursor.quoted()?;
            }
            b'(' => cursor.skip_balanced()?,
            b';' => cursor.skip_line(),
            0 => return Err(cursor.fault("expected the function's body")),
            _ => cursor.at += 1,
        }
    }
    let start = cursor.at + 1;
    cursor.skip_balanced()?;
    cursor.at -= 1;
    Ok((start as u32, cursor.at as u32))
}
