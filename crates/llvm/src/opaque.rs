//! Instructions that the reader does not know.
//!
//! A newer LLVM may print a mnemonic that is not in the model. The instruction
//! is kept as opaque with every operand that can be recognised by its sigil:
//! it reads them all and may write all that it can reach. If it stands where a
//! terminator must be, control may go to every label that it names.

use super::body::Shape;
use super::cursor::text_of;
use super::fault::Read;
use super::reader::Reader;
use super::types::is_type_word;
use knockon_program::{CaveatKind, Constant, Opcode, Operand, PlaceId};

impl<'t> Reader<'t> {
    /// Scans the instruction up to its metadata: to the end of its line, of an
    /// open bracket, and of the further lines that LLVM indents deeply.
    pub(crate) fn unknown_instruction(&mut self, mnemonic: &'t [u8]) -> Read<Shape> {
        let start = self.cursor;
        let line = memchr::memrchr(b'\n', &start.text[..start.at]).map_or(0, |newline| newline + 1);
        let before = &start.text[line..start.at - mnemonic.len()];
        // What LLVM prints begins an indented line; anything else is damage.
        let is_first = before.trim_ascii().is_empty() || before.trim_ascii_end().ends_with(b"=");
        let is_indented = matches!(before.first(), Some(b' ' | b'\t'));
        if mnemonic.is_empty() || !is_first || !is_indented {
            return Err(start.fault("expected an instruction"));
        }
        let mut type_id = self.known.void;
        let mut depth = 0u32;
        let mut expects_label = false;
        loop {
            self.cursor.skip_blanks();
            match self.cursor.peek() {
                0 => return Err(self.cursor.fault("expected the end of the instruction")),
                b';' => self.cursor.skip_line(),
                b'\n' | b'\r' if depth == 0 && !self.continues() => break,
                b'(' | b'[' | b'{' | b'<' => {
                    depth += 1;
                    self.cursor.at += 1;
                }
                b')' | b']' | b'}' | b'>' => {
                    depth = depth.saturating_sub(1);
                    self.cursor.at += 1;
                }
                b'"' => {
                    self.cursor.quoted()?;
                }
                b'!' if depth > 0 => self.cursor.at += 1,
                b'!' => {
                    // Attachments follow the comma just passed.
                    while self.cursor.at > start.at && self.cursor.peek() != b',' {
                        self.cursor.at -= 1;
                    }
                    if self.cursor.peek() != b',' {
                        return Err(self.cursor.fault("expected a comma before metadata"));
                    }
                    break;
                }
                b'%' => {
                    self.unknown_local(expects_label)?;
                    expects_label = false;
                }
                b'@' => {
                    let at = self.cursor.at;
                    self.cursor.at += 1;
                    let name = self.cursor.name()?;
                    let constant = self.symbol(name, at)?.constant;
                    self.push_operand(Operand::Constant(constant));
                }
                _ => {
                    let word = self.cursor.word();
                    expects_label = word == b"label";
                    if word.is_empty() {
                        self.cursor.at += 1;
                    } else if type_id == self.known.void && !expects_label && is_type_word(word) {
                        self.cursor.at -= word.len();
                        type_id = self.type_id()?;
                    }
                }
            }
        }
        let name = self.program.names.intern(&text_of(mnemonic));
        Ok(Shape {
            extra: name.0,
            ..Shape::new(Opcode::Opaque, type_id)
        })
    }

    /// Whether the next line is a continuation.
    fn continues(&mut self) -> bool {
        let mut ahead = self.cursor;
        while matches!(ahead.peek(), b'\n' | b'\r') {
            ahead.at += 1;
        }
        let line = ahead.at;
        ahead.skip_blanks();
        let continues = ahead.at - line >= 8 && !matches!(ahead.peek(), b';' | b'\n' | b'\r');
        if continues {
            self.cursor = ahead;
        }
        continues
    }

    /// `%name`: a type of that name, unless a local is known by it.
    fn unknown_local(&mut self, is_label: bool) -> Read<()> {
        let mut ahead = self.cursor;
        ahead.at += 1;
        let name = ahead.name()?;
        if !is_label && self.outline.types.contains_key(name) && !self.draft.locals.is_defined(name)
        {
            self.cursor = ahead;
            return Ok(());
        }
        self.local(is_label)
    }

    /// Notes the caveat for an opaque row just pushed, and closes the block if
    /// the row stood where a terminator must be.
    pub(crate) fn close_after_opaque(
        &mut self,
        mnemonic: &'t [u8],
        first_operand: usize,
        place: PlaceId,
    ) -> Read<()> {
        let name = text_of(mnemonic).into_owned();
        self.caveat(
            CaveatKind::UnknownInstruction,
            place,
            format!("unknown instruction `{name}`"),
        );
        let mut ahead = self.cursor;
        ahead.skip_space();
        let ends_block = ahead.peek() == b'}' || {
            let is_name = ahead.name().is_ok();
            is_name && ahead.peek() == b':'
        };
        if !ends_block {
            return Ok(());
        }
        let from = self.draft.body.operands.len();
        let poison = self
            .program
            .constants
            .intern(Constant::Poison(self.known.pointer));
        self.push_operand(Operand::Constant(poison));
        self.repeat_labels(first_operand, from);
        let opcode = if self.draft.body.operands.len() > from + 1 {
            Opcode::IndirectBranch
        } else {
            self.draft.body.operands.truncate(from);
            Opcode::Unreachable
        };
        let shape = Shape::new(opcode, self.known.void);
        self.push_row(shape, from, place);
        Ok(())
    }
}
