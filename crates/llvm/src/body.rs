//! The body of a function: blocks, the result names of instructions, and the
//! uses that come before their definitions.
//!
//! The draft is reused from function to function; a finished body is copied
//! out of it at its exact size. What holds of every body that leaves here is
//! stated in `knockon_program::Body`: each block ends in its only terminator,
//! phis come first, every operand exists.

use super::cursor::text_of;
use super::fault::{Fault, Read};
use super::locals::Locals;
use super::meaning::Notes;
use super::operands::Pending;
use super::reader::Reader;
use hashbrown::HashMap;
use knockon_program::{
    Block, BlockId, Body, Flags, Instruction, InstructionId, Name, Opcode, Operand, PlaceId,
    TypeId, VariableId,
};
use rustc_hash::FxBuildHasher;

/// The function being read.
#[derive(Default)]
pub(crate) struct Draft<'t> {
    pub(crate) function: Name,
    pub(crate) body: Body,
    pub(crate) locals: Locals<'t>,
    /// Uses before the definition.
    pub(crate) pending: Vec<Pending>,
    pub(crate) variables: HashMap<(u64, PlaceId), VariableId, FxBuildHasher>,
    /// The last block has no terminator yet.
    is_open: bool,
    pub(crate) has_assembly: bool,
    /// What the header and the calls say of the meaning of the code.
    pub(crate) notes: Notes,
}

/// What an instruction's own syntax says of its row.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) opcode: Opcode,
    pub(crate) type_id: TypeId,
    pub(crate) extra: u32,
    pub(crate) detail: u8,
    pub(crate) flags: Flags,
}

impl Shape {
    pub(crate) fn new(opcode: Opcode, type_id: TypeId) -> Shape {
        Shape {
            opcode,
            type_id,
            extra: 0,
            detail: 0,
            flags: Flags::NONE,
        }
    }

    pub(crate) fn with_flags(self, flags: Flags) -> Shape {
        Shape { flags, ..self }
    }
}

impl Draft<'_> {
    pub(crate) fn begin(&mut self, function: Name, text_length: usize) {
        self.function = function;
        self.body.blocks.clear();
        self.body.instructions.clear();
        self.body.operands.clear();
        self.body.variables.clear();
        self.body.variable_locations.clear();
        self.body.by_value_arguments.clear();
        self.body.debug_calls = 0;
        self.locals.reset(text_length);
        self.pending.clear();
        // Clearing costs the capacity, which one large function can make large.
        if self.variables.capacity() > 1024 && self.variables.len() * 16 < self.variables.capacity()
        {
            self.variables = HashMap::default();
        } else {
            self.variables.clear();
        }
        self.is_open = false;
        self.has_assembly = false;
        self.notes.clear();
    }
}

impl<'t> Reader<'t> {
    pub(crate) fn define_argument(
        &mut self,
        raw: Option<&'t [u8]>,
        index: usize,
        at: usize,
    ) -> Read<Name> {
        let operand = Operand::Argument(index as u32);
        let fresh = match raw {
            Some(raw) => self.draft.locals.define(raw, operand),
            None => self.draft.locals.define_next(operand).1,
        };
        if !fresh {
            return Err(Fault::new(at, "two parameters have this name"));
        }
        Ok(match raw {
            Some(raw) if !raw.iter().all(u8::is_ascii_digit) => {
                self.program.names.intern(&text_of(raw))
            }
            _ => Name(0),
        })
    }

    /// The instructions up to the closing brace; the cursor stops at it.
    pub(crate) fn body(&mut self) -> Read<Body> {
        loop {
            self.cursor.skip_space();
            let start = self.cursor;
            match self.cursor.peek() {
                b'}' => break,
                b'%' => {
                    self.cursor.at += 1;
                    let name = self.cursor.name()?;
                    self.cursor.expect(b'=')?;
                    self.cursor.skip_space();
                    let mnemonic = self.cursor.word();
                    self.statement(Some((name, start.at)), mnemonic)?;
                }
                b'#' => self.debug_record()?,
                _ => {
                    let word = self.cursor.name()?;
                    if self.cursor.peek() == b':' {
                        self.cursor.at += 1;
                        self.label_definition(word, start.at)?;
                    } else if start.peek() == b'"' {
                        return Err(start.fault("expected an instruction or a label"));
                    } else if matches!(word, b"uselistorder" | b"uselistorder_bb") {
                        self.cursor.skip_line();
                    } else {
                        self.statement(None, word)?;
                    }
                }
            }
        }
        if self.draft.is_open || self.draft.body.blocks.is_empty() {
            return Err(self.cursor.fault("the last block has no terminator"));
        }
        self.resolve_pending()?;
        let draft = &self.draft.body;
        Ok(Body {
            blocks: draft.blocks.clone(),
            instructions: draft.instructions.clone(),
            operands: draft.operands.clone(),
            variables: draft.variables.clone(),
            variable_locations: draft.variable_locations.clone(),
            by_value_arguments: draft.by_value_arguments.clone(),
            debug_calls: draft.debug_calls,
        })
    }

    fn label_definition(&mut self, name: &'t [u8], at: usize) -> Read<()> {
        if self.draft.is_open {
            return Err(Fault::new(
                at,
                "the block before this label has no terminator",
            ));
        }
        let block = BlockId::from_index(self.draft.body.blocks.len());
        if !self.draft.locals.define(name, Operand::Block(block)) {
            return Err(Fault::new(
                at,
                format!("%{} is defined twice", text_of(name)),
            ));
        }
        let name = self.program.names.intern(&text_of(name));
        self.open_block(name);
        Ok(())
    }

    fn open_block(&mut self, name: Name) {
        let at = InstructionId::from_index(self.draft.body.instructions.len());
        self.draft.body.blocks.push(Block {
            name,
            first: at,
            end: at,
        });
        self.draft.is_open = true;
    }

    /// Opens an unnamed block if none is open: at the start of a body, or after
    /// a terminator without a label.
    pub(crate) fn ensure_block(&mut self) -> Read<()> {
        if self.draft.is_open {
            return Ok(());
        }
        let block = BlockId::from_index(self.draft.body.blocks.len());
        let (number, fresh) = self.draft.locals.define_next(Operand::Block(block));
        if !fresh {
            return Err(self.cursor.fault(format!("%{number} is defined twice")));
        }
        let name = self.program.names.intern(&number.to_string());
        self.open_block(name);
        Ok(())
    }

    /// One instruction, the cursor behind its mnemonic.
    fn statement(&mut self, result: Option<(&'t [u8], usize)>, mnemonic: &'t [u8]) -> Read<()> {
        self.ensure_block()?;
        let first_operand = self.draft.body.operands.len();
        let caveats = self.program.caveats.len();
        let Some(mut shape) = self.instruction(mnemonic)? else {
            // A debug call: it defines nothing.
            self.draft.body.operands.truncate(first_operand);
            return Ok(());
        };
        if shape.opcode == Opcode::Opaque {
            shape.type_id = match result {
                None => self.known.void,
                Some(_) if shape.type_id == self.known.void => self.known.token,
                Some(_) => shape.type_id,
            };
        }
        let place = self.attachments()?;
        for caveat in &mut self.program.caveats[caveats..] {
            caveat.place = place;
        }
        self.push_row(shape, first_operand, place);
        let id = InstructionId::from_index(self.draft.body.instructions.len() - 1);
        let is_void = shape.type_id == self.known.void;
        match result {
            Some((_, at)) if is_void => {
                return Err(Fault::new(at, "this instruction has no result to name"));
            }
            Some((name, at)) => {
                if !self.draft.locals.define(name, Operand::Instruction(id)) {
                    return Err(Fault::new(
                        at,
                        format!("%{} is defined twice", text_of(name)),
                    ));
                }
            }
            None if is_void => {}
            None => {
                let (number, fresh) = self.draft.locals.define_next(Operand::Instruction(id));
                if !fresh {
                    return Err(self.cursor.fault(format!("%{number} is defined twice")));
                }
            }
        }
        if shape.opcode == Opcode::Opaque {
            self.close_after_opaque(mnemonic, first_operand, place)?;
        }
        Ok(())
    }

    /// Appends the row for the operands pushed since `first_operand`.
    pub(crate) fn push_row(&mut self, shape: Shape, first_operand: usize, place: PlaceId) {
        let body = &mut self.draft.body;
        body.instructions.push(Instruction {
            opcode: shape.opcode,
            detail: shape.detail,
            flags: shape.flags,
            type_id: shape.type_id,
            extra: shape.extra,
            place,
            first_operand: first_operand as u32,
            operand_count: (body.operands.len() - first_operand) as u32,
        });
        if let Some(block) = body.blocks.last_mut() {
            block.end = InstructionId::from_index(body.instructions.len());
        }
        if shape.opcode.is_terminator() {
            self.draft.is_open = false;
        }
    }

    /// Whether a phi may come next: only phis precede it in its block.
    pub(crate) fn is_phi_position(&self) -> bool {
        let body = &self.draft.body;
        let is_empty = body
            .blocks
            .last()
            .is_none_or(|block| block.end == block.first);
        is_empty
            || body
                .instructions
                .last()
                .is_none_or(|last| last.opcode == Opcode::Phi)
    }
}
