//! Terminators other than calls, and the instructions of exception handling.

use super::body::Shape;
use super::fault::Read;
use super::reader::Reader;
use knockon_program::{Flags, Opcode, Operand};

impl Reader<'_> {
    pub(crate) fn return_instruction(&mut self) -> Read<Shape> {
        let type_id = self.type_id()?;
        if type_id != self.known.void {
            self.value(type_id)?;
        }
        Ok(Shape::new(Opcode::Return, self.known.void))
    }

    pub(crate) fn branch(&mut self) -> Read<Shape> {
        let shape = Shape::new(Opcode::Branch, self.known.void);
        self.cursor.skip_space();
        if self.cursor.peek() == b'l' {
            self.label()?;
            return Ok(shape);
        }
        self.typed_value()?;
        self.cursor.expect(b',')?;
        self.label()?;
        self.cursor.expect(b',')?;
        self.label()?;
        Ok(shape)
    }

    pub(crate) fn switch(&mut self) -> Read<Shape> {
        self.typed_value()?;
        self.cursor.expect(b',')?;
        self.label()?;
        self.cursor.expect(b'[')?;
        while !self.cursor.eat(b']') {
            let (_, case) = self.typed_constant()?;
            self.push_operand(Operand::Constant(case));
            self.cursor.expect(b',')?;
            self.label()?;
        }
        Ok(Shape::new(Opcode::Switch, self.known.void))
    }

    pub(crate) fn indirect_branch(&mut self) -> Read<Shape> {
        self.typed_value()?;
        self.cursor.expect(b',')?;
        self.label_list()?;
        Ok(Shape::new(Opcode::IndirectBranch, self.known.void))
    }

    /// `[label %a, label %b]`.
    pub(crate) fn label_list(&mut self) -> Read<()> {
        self.cursor.expect(b'[')?;
        if self.cursor.eat(b']') {
            return Ok(());
        }
        loop {
            self.label()?;
            if !self.cursor.eat(b',') {
                break;
            }
        }
        self.cursor.expect(b']')
    }

    pub(crate) fn landing_pad(&mut self) -> Read<Shape> {
        let type_id = self.type_id()?;
        let mut flags = Flags::NONE;
        loop {
            let before = self.cursor;
            self.cursor.skip_space();
            let word = self.cursor.word();
            let is_label = self.cursor.peek() == b':';
            let kind = match word {
                b"cleanup" if !is_label => {
                    flags = flags.with(Flags::CLEANUP);
                    continue;
                }
                b"catch" if !is_label => 0,
                b"filter" if !is_label => 1,
                _ => {
                    self.cursor = before;
                    break;
                }
            };
            self.push_operand(Operand::Index(kind));
            self.typed_value()?;
        }
        Ok(Shape::new(Opcode::LandingPad, type_id).with_flags(flags))
    }

    /// A pad, or `none`.
    fn parent_pad(&mut self) -> Read<()> {
        let token = self.known.token;
        self.value(token)
    }

    pub(crate) fn pad(&mut self, opcode: Opcode) -> Read<Shape> {
        self.cursor.expect_word("within")?;
        self.parent_pad()?;
        self.cursor.expect(b'[')?;
        if !self.cursor.eat(b']') {
            loop {
                self.typed_value()?;
                if !self.cursor.eat(b',') {
                    break;
                }
            }
            self.cursor.expect(b']')?;
        }
        Ok(Shape::new(opcode, self.known.token))
    }

    /// `unwind to caller` or `unwind label %x`.
    fn unwind_target(&mut self) -> Read<()> {
        self.cursor.expect_word("unwind")?;
        if self.cursor.eat_word(b"to") {
            return self.cursor.expect_word("caller");
        }
        self.label()
    }

    pub(crate) fn catch_switch(&mut self) -> Read<Shape> {
        self.cursor.expect_word("within")?;
        self.parent_pad()?;
        self.label_list()?;
        self.unwind_target()?;
        Ok(Shape::new(Opcode::CatchSwitch, self.known.token))
    }

    pub(crate) fn catch_return(&mut self) -> Read<Shape> {
        self.cursor.expect_word("from")?;
        self.parent_pad()?;
        self.cursor.expect_word("to")?;
        self.label()?;
        Ok(Shape::new(Opcode::CatchReturn, self.known.void))
    }

    pub(crate) fn cleanup_return(&mut self) -> Read<Shape> {
        self.cursor.expect_word("from")?;
        self.parent_pad()?;
        self.unwind_target()?;
        Ok(Shape::new(Opcode::CleanupReturn, self.known.void))
    }
}
