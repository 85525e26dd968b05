//! Constant expressions: `opcode flags (operands)`.
//!
//! Which of them a given LLVM still prints varies (most were removed over
//! time), so all that ever took this form are read.

use super::fault::{Fault, Read};
use super::reader::Reader;
use knockon_program::{
    Constant, ConstantId, Expression, FloatPredicate, IntegerPredicate, Opcode, Type, TypeId,
};

impl<'t> Reader<'t> {
    /// The expression that begins with this word.
    pub(crate) fn constant_expression(
        &mut self,
        word: &'t [u8],
        at: usize,
        type_id: TypeId,
    ) -> Read<ConstantId> {
        let opcode = match word {
            b"ptrtoaddr" => Some(Opcode::PointerToInteger),
            _ => Opcode::from_mnemonic(word),
        };
        let mut detail = 0;
        match opcode {
            Some(Opcode::GetElementPointer) => return self.element_pointer_expression(),
            Some(Opcode::IntegerCompare | Opcode::FloatCompare) => {
                self.cursor.skip_space();
                let predicate = self.cursor.word();
                let found = if opcode == Some(Opcode::IntegerCompare) {
                    IntegerPredicate::from_mnemonic(predicate).map(|predicate| predicate as u8)
                } else {
                    FloatPredicate::from_mnemonic(predicate).map(|predicate| predicate as u8)
                };
                detail = found.ok_or_else(|| self.cursor.fault("expected a predicate"))?;
            }
            _ => {}
        }
        // Flags such as `nuw`, `exact`, `nneg`.
        loop {
            self.cursor.skip_blanks();
            if self.cursor.word().is_empty() {
                break;
            }
        }
        if self.cursor.peek() != b'(' {
            return Err(Fault::new(at, "expected a value"));
        }
        let Some(opcode) = opcode.filter(|opcode| is_expression(*opcode)) else {
            return self.unknown_constant(word, type_id);
        };
        self.cursor.at += 1;
        self.enter()?;
        let (mut operands, mut types) = (Vec::new(), Vec::new());
        loop {
            self.cursor.skip_space();
            if self.cursor.peek().is_ascii_digit() {
                // The bare indices of the older `extractvalue` and `insertvalue`.
                let i32_type = self.known.i32;
                operands.push(self.constant(i32_type)?);
                types.push(i32_type);
            } else {
                let (operand_type, operand) = self.typed_constant()?;
                operands.push(operand);
                types.push(operand_type);
            }
            if !self.cursor.eat(b',') {
                break;
            }
        }
        let type_id = if opcode.is_cast() {
            self.cursor.expect_word("to")?;
            self.type_id()?
        } else {
            self.expression_type(opcode, &types, type_id)?
        };
        self.leave();
        self.cursor.expect(b')')?;
        Ok(self
            .program
            .constants
            .intern(Constant::Expression(Expression {
                opcode,
                type_id,
                element_type: type_id,
                detail,
                operands: operands.into_boxed_slice(),
            })))
    }

    fn expression_type(
        &mut self,
        opcode: Opcode,
        types: &[TypeId],
        stated: TypeId,
    ) -> Read<TypeId> {
        let wanted = match opcode {
            Opcode::FloatNegate => 1,
            Opcode::ExtractElement => 2,
            Opcode::Select | Opcode::InsertElement | Opcode::ShuffleVector => 3,
            Opcode::ExtractValue => return Ok(stated),
            _ => 2,
        };
        if types.len() < wanted {
            return Err(self.cursor.fault("this expression needs more operands"));
        }
        match opcode {
            Opcode::IntegerCompare | Opcode::FloatCompare => {
                let i1 = self.known.i1;
                self.shaped_like(i1, types[0])
            }
            Opcode::Select => Ok(types[1]),
            Opcode::ExtractElement => self.element_of(types[0]),
            Opcode::ShuffleVector => {
                let element = self.element_of(types[0])?;
                self.shaped_like(element, types[2])
            }
            _ => Ok(types[0]),
        }
    }

    /// `getelementptr inbounds (T, ptr base, indices…)`.
    fn element_pointer_expression(&mut self) -> Read<ConstantId> {
        loop {
            self.cursor.skip_blanks();
            match self.cursor.word() {
                b"" => break,
                b"inrange" => {
                    self.cursor.skip_blanks();
                    self.cursor.skip_balanced()?;
                }
                _ => {}
            }
        }
        self.cursor.expect(b'(')?;
        self.enter()?;
        let element_type = self.type_id()?;
        self.cursor.expect(b',')?;
        let (base_type, base) = self.typed_constant()?;
        let mut type_id = base_type;
        let mut operands = vec![base];
        while self.cursor.eat(b',') {
            self.cursor.eat_word(b"inrange");
            let (index_type, index) = self.typed_constant()?;
            if !matches!(self.program.types.get(type_id), Type::Vector { .. }) {
                type_id = self.shaped_like(type_id, index_type)?;
            }
            operands.push(index);
        }
        self.leave();
        self.cursor.expect(b')')?;
        Ok(self
            .program
            .constants
            .intern(Constant::Expression(Expression {
                opcode: Opcode::GetElementPointer,
                type_id,
                element_type,
                detail: 0,
                operands: operands.into_boxed_slice(),
            })))
    }
}

fn is_expression(opcode: Opcode) -> bool {
    opcode.is_binary()
        || opcode.is_cast()
        || matches!(
            opcode,
            Opcode::FloatNegate
                | Opcode::IntegerCompare
                | Opcode::FloatCompare
                | Opcode::Select
                | Opcode::ExtractElement
                | Opcode::InsertElement
                | Opcode::ShuffleVector
                | Opcode::ExtractValue
                | Opcode::InsertValue
        )
}
