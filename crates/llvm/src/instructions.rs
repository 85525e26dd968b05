//! Instructions: which syntax each mnemonic has. Arithmetic, casts,
//! comparisons, vectors and aggregates are read here; memory, calls,
//! terminators and exception pads have their own modules.
//!
//! Operands go straight into the pool in the order that the table in
//! `knockon_program`'s instruction module states.

use super::attributes::fast_math;
use super::body::Shape;
use super::fault::Read;
use super::reader::Reader;
use knockon_program::{Flags, FloatPredicate, IntegerPredicate, Opcode, Operand, Type};

impl<'t> Reader<'t> {
    /// Reads an instruction behind its mnemonic, without its metadata. `None`
    /// is a debug call, which is no instruction of the program.
    pub(crate) fn instruction(&mut self, mnemonic: &'t [u8]) -> Read<Option<Shape>> {
        // The most frequent ones first: the general lookup compares strings.
        match mnemonic {
            b"load" => return self.load().map(Some),
            b"getelementptr" => return self.element_pointer().map(Some),
            b"store" => return self.store().map(Some),
            b"br" => return self.branch().map(Some),
            b"call" => return self.call(Flags::NONE),
            b"tail" | b"notail" | b"musttail" => {
                self.cursor.expect_word("call")?;
                let flags = if mnemonic == b"musttail" {
                    Flags::MUST_TAIL
                } else {
                    Flags::NONE
                };
                return self.call(flags);
            }
            // Like `ptrtoint`, without exposing the address for later casts.
            b"ptrtoaddr" => return self.cast(Opcode::PointerToInteger).map(Some),
            _ => {}
        }
        let Some(opcode) = Opcode::from_mnemonic(mnemonic) else {
            return self.unknown_instruction(mnemonic).map(Some);
        };
        match opcode {
            opcode if opcode.is_binary() => self.binary(opcode),
            opcode if opcode.is_cast() => self.cast(opcode),
            Opcode::IntegerCompare | Opcode::FloatCompare => self.compare(opcode),
            Opcode::Alloca => self.alloca(),
            Opcode::Load => self.load(),
            Opcode::Store => self.store(),
            Opcode::GetElementPointer => self.element_pointer(),
            Opcode::Fence => self.fence(),
            Opcode::CompareExchange => self.compare_exchange(),
            Opcode::AtomicReadModifyWrite => self.read_modify_write(),
            Opcode::VariadicArgument => self.variadic_argument(),
            Opcode::Return => self.return_instruction(),
            Opcode::Branch => self.branch(),
            Opcode::Switch => self.switch(),
            Opcode::IndirectBranch => self.indirect_branch(),
            Opcode::Unreachable => Ok(Shape::new(opcode, self.known.void)),
            Opcode::Resume => {
                self.typed_value()?;
                Ok(Shape::new(opcode, self.known.void))
            }
            Opcode::Call => return self.call(Flags::NONE),
            Opcode::Invoke => self.invoke(),
            Opcode::CallBr => self.call_branch(),
            Opcode::LandingPad => self.landing_pad(),
            Opcode::CatchPad | Opcode::CleanupPad => self.pad(opcode),
            Opcode::CatchSwitch => self.catch_switch(),
            Opcode::CatchReturn => self.catch_return(),
            Opcode::CleanupReturn => self.cleanup_return(),
            Opcode::Phi => self.phi(),
            Opcode::Select => self.select(),
            Opcode::Freeze | Opcode::FloatNegate => {
                let flags = self.flags()?;
                let type_id = self.typed_value()?;
                Ok(Shape::new(opcode, type_id).with_flags(flags))
            }
            Opcode::ExtractElement | Opcode::InsertElement | Opcode::ShuffleVector => {
                self.vector(opcode)
            }
            Opcode::ExtractValue => self.extract_value(),
            Opcode::InsertValue => self.insert_value(),
            _ => self.unknown_instruction(mnemonic),
        }
        .map(Some)
    }

    /// The flag words in front of an instruction's first type.
    #[inline]
    pub(crate) fn flags(&mut self) -> Read<Flags> {
        let mut flags = Flags::NONE;
        loop {
            self.cursor.skip_blanks();
            // Flags begin with these letters; the frequent types do not.
            if !matches!(
                self.cursor.peek(),
                b'a' | b'c' | b'd' | b'e' | b'f' | b'i' | b'n' | b'r' | b's'
            ) {
                return Ok(flags);
            }
            let mut ahead = self.cursor;
            let flag = match ahead.word() {
                b"nuw" => Flags::NO_UNSIGNED_WRAP,
                b"nsw" => Flags::NO_SIGNED_WRAP,
                b"exact" => Flags::EXACT,
                b"disjoint" => Flags::DISJOINT,
                b"nneg" => Flags::NON_NEGATIVE,
                b"samesign" => Flags::SAME_SIGN,
                b"inbounds" => Flags::IN_BOUNDS,
                // Of `getelementptr`: no wrap of the unsigned base with the
                // signed offset.
                b"nusw" => Flags::NO_SIGNED_WRAP,
                word => match fast_math(word) {
                    Some(flag) => flag,
                    None => return Ok(flags),
                },
            };
            flags = flags.with(flag);
            self.cursor = ahead;
        }
    }

    fn binary(&mut self, opcode: Opcode) -> Read<Shape> {
        let flags = self.flags()?;
        let type_id = self.typed_value()?;
        self.cursor.expect(b',')?;
        self.value(type_id)?;
        Ok(Shape::new(opcode, type_id).with_flags(flags))
    }

    fn cast(&mut self, opcode: Opcode) -> Read<Shape> {
        let flags = self.flags()?;
        self.typed_value()?;
        self.cursor.expect_word("to")?;
        let type_id = self.type_id()?;
        Ok(Shape::new(opcode, type_id).with_flags(flags))
    }

    fn compare(&mut self, opcode: Opcode) -> Read<Shape> {
        let flags = self.flags()?;
        self.cursor.skip_space();
        let predicate = self.cursor.word();
        let detail = if opcode == Opcode::IntegerCompare {
            IntegerPredicate::from_mnemonic(predicate).map(|predicate| predicate as u8)
        } else {
            FloatPredicate::from_mnemonic(predicate).map(|predicate| predicate as u8)
        };
        let Some(detail) = detail else {
            return Err(self.cursor.fault("expected a predicate"));
        };
        let operand_type = self.typed_value()?;
        self.cursor.expect(b',')?;
        self.value(operand_type)?;
        let i1 = self.known.i1;
        let type_id = self.shaped_like(i1, operand_type)?;
        Ok(Shape {
            detail,
            ..Shape::new(opcode, type_id).with_flags(flags)
        })
    }

    fn select(&mut self) -> Read<Shape> {
        let flags = self.flags()?;
        self.typed_value()?;
        self.cursor.expect(b',')?;
        let type_id = self.typed_value()?;
        self.cursor.expect(b',')?;
        self.typed_value()?;
        Ok(Shape::new(Opcode::Select, type_id).with_flags(flags))
    }

    fn phi(&mut self) -> Read<Shape> {
        if !self.is_phi_position() {
            return Err(self
                .cursor
                .fault("a phi must come before all other instructions of its block"));
        }
        let flags = self.flags()?;
        let type_id = self.type_id()?;
        loop {
            self.cursor.expect(b'[')?;
            self.value(type_id)?;
            self.cursor.expect(b',')?;
            self.bare_label()?;
            self.cursor.expect(b']')?;
            let before = self.cursor;
            if !self.cursor.eat(b',') {
                break;
            }
            self.cursor.skip_space();
            if self.cursor.peek() == b'!' {
                self.cursor = before;
                break;
            }
        }
        Ok(Shape::new(Opcode::Phi, type_id).with_flags(flags))
    }

    fn vector(&mut self, opcode: Opcode) -> Read<Shape> {
        let vector = self.typed_value()?;
        self.cursor.expect(b',')?;
        self.typed_value()?;
        let type_id = match opcode {
            Opcode::ExtractElement => self.element_of(vector)?,
            Opcode::InsertElement => {
                self.cursor.expect(b',')?;
                self.typed_value()?;
                vector
            }
            _ => {
                self.cursor.expect(b',')?;
                let mask = self.typed_value()?;
                let element = self.element_of(vector)?;
                self.shaped_like(element, mask)?
            }
        };
        Ok(Shape::new(opcode, type_id))
    }

    fn extract_value(&mut self) -> Read<Shape> {
        let mut type_id = self.typed_value()?;
        let operands = self.draft.body.operands.len();
        while let Some(index) = self.literal_index()? {
            type_id = self.part_of(type_id, u64::from(index))?;
        }
        self.require_indices(operands)?;
        Ok(Shape::new(Opcode::ExtractValue, type_id))
    }

    fn insert_value(&mut self) -> Read<Shape> {
        let type_id = self.typed_value()?;
        self.cursor.expect(b',')?;
        self.typed_value()?;
        let mut part = type_id;
        let operands = self.draft.body.operands.len();
        while let Some(index) = self.literal_index()? {
            part = self.part_of(part, u64::from(index))?;
        }
        self.require_indices(operands)?;
        Ok(Shape::new(Opcode::InsertValue, type_id))
    }

    fn require_indices(&self, operands_before: usize) -> Read<()> {
        if self.draft.body.operands.len() == operands_before {
            return Err(self.cursor.fault("expected an index"));
        }
        Ok(())
    }

    /// `, N`, pushed as an operand; `None` when metadata or the end follows.
    fn literal_index(&mut self) -> Read<Option<u32>> {
        let before = self.cursor;
        if self.cursor.eat(b',') {
            self.cursor.skip_space();
            if self.cursor.peek() != b'!' {
                let index = self.cursor.small_number()?;
                self.push_operand(Operand::Index(index));
                return Ok(Some(index));
            }
        }
        self.cursor = before;
        Ok(None)
    }

    /// A vector of pointers if base or an index is a vector.
    pub(crate) fn is_vector(&self, type_id: knockon_program::TypeId) -> bool {
        matches!(self.program.types.get(type_id), Type::Vector { .. })
    }
}
