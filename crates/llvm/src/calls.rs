//! Calls: `call`, `invoke`, `callbr`, and their callees.
//!
//! A call states its function type in full only if it is variadic; otherwise
//! the type follows from the result and the arguments.

use super::attributes::{ParameterNote, Preamble};
use super::body::Shape;
use super::cursor::text_of;
use super::fault::Read;
use super::reader::Reader;
use knockon_program::{
    ByValueArgument, CaveatKind, Constant, Flags, InstructionId, Opcode, Operand,
    ParameterAttributes, PlaceId, Type, TypeId,
};

/// What a call states before its successors or metadata.
struct Call {
    result: TypeId,
    function_type: TypeId,
    flags: Flags,
}

impl<'t> Reader<'t> {
    pub(crate) fn call(&mut self, flags: Flags) -> Read<Option<Shape>> {
        let first_operand = self.draft.body.operands.len();
        let stated = self.callee(flags)?;
        if let Some(name) = stated.debug_call {
            self.draft.body.operands.truncate(first_operand);
            self.debug_call(name)?;
            return Ok(None);
        }
        let call = self.arguments(stated)?;
        Ok(Some(Shape {
            extra: call.function_type.0,
            ..Shape::new(Opcode::Call, call.result).with_flags(call.flags)
        }))
    }

    /// Operands: callee, normal block, unwind block, arguments.
    pub(crate) fn invoke(&mut self) -> Read<Shape> {
        let first_operand = self.draft.body.operands.len();
        let stated = self.callee(Flags::NONE)?;
        let call = self.arguments(stated)?;
        let labels = self.draft.body.operands.len();
        self.cursor.expect_word("to")?;
        self.label()?;
        self.cursor.expect_word("unwind")?;
        self.label()?;
        self.labels_before_arguments(first_operand + 1, labels);
        Ok(Shape {
            extra: call.function_type.0,
            ..Shape::new(Opcode::Invoke, call.result).with_flags(call.flags)
        })
    }

    /// Operands: callee, fallthrough block, indirect blocks, arguments.
    pub(crate) fn call_branch(&mut self) -> Read<Shape> {
        let first_operand = self.draft.body.operands.len();
        let stated = self.callee(Flags::NONE)?;
        let call = self.arguments(stated)?;
        let labels = self.draft.body.operands.len();
        self.cursor.expect_word("to")?;
        self.label()?;
        self.label_list()?;
        self.labels_before_arguments(first_operand + 1, labels);
        Ok(Shape {
            extra: call.function_type.0,
            ..Shape::new(Opcode::CallBr, call.result).with_flags(call.flags)
        })
    }

    /// Everything up to the callee, which becomes the first operand.
    fn callee(&mut self, mut flags: Flags) -> Read<Stated<'t>> {
        self.before_type(&mut Preamble::default(), &mut flags)?;
        let type_id = self.type_id()?;
        self.cursor.skip_space();
        let mut debug_call = None;
        match self.cursor.peek() {
            b'@' => {
                let at = self.cursor.at;
                self.cursor.at += 1;
                let name = self.cursor.name()?;
                let symbol = self.symbol(name, at)?;
                if symbol.is_debug_record {
                    debug_call = Some(name);
                }
                // An intrinsic has no such attribute.
                if name == b"llvm.eh.sjlj.setjmp" {
                    flags = flags.with(Flags::RETURNS_TWICE);
                }
                self.push_operand(Operand::Constant(symbol.constant));
            }
            b'a' if self.cursor.eat_word(b"asm") => self.assembly()?,
            _ => {
                let pointer = self.known.pointer;
                self.value(pointer)?;
            }
        }
        Ok(Stated {
            type_id,
            flags,
            debug_call,
        })
    }

    /// `asm sideeffect "template", "constraints"`.
    fn assembly(&mut self) -> Read<()> {
        self.cursor.skip_space();
        // How the template is read: `inteldialect`, `alignstack`, …
        let mut manner = String::new();
        loop {
            let word = self.cursor.word();
            if word.is_empty() {
                break;
            }
            if word != b"sideeffect" {
                manner = format!("{manner} {}", text_of(word));
            }
            self.cursor.skip_space();
        }
        let template = text_of(self.cursor.quoted()?).into_owned();
        self.cursor.expect(b',')?;
        self.cursor.skip_space();
        let constraints = text_of(self.cursor.quoted()?).into_owned() + &manner;
        let assembly = Constant::Assembly {
            template: self.program.names.intern(&template),
            constraints: self.program.names.intern(&constraints),
        };
        let constant = self.program.constants.intern(assembly);
        self.push_operand(Operand::Constant(constant));
        if !self.draft.has_assembly {
            self.draft.has_assembly = true;
            let name = self.program.name(self.draft.function).to_owned();
            self.caveat(
                CaveatKind::InlineAssembly,
                PlaceId(0),
                format!("inline assembly in `{name}`"),
            );
        }
        Ok(())
    }

    /// Of the call whose row comes next.
    fn by_value_argument(&mut self, argument: usize, note: &ParameterNote) {
        let body = &mut self.draft.body;
        body.by_value_arguments.push(ByValueArgument {
            call: InstructionId::from_index(body.instructions.len()),
            argument: argument as u32,
            pointee: note.pointee,
            alignment: note.alignment,
        });
    }

    fn arguments(&mut self, stated: Stated<'t>) -> Read<Call> {
        self.cursor.expect(b'(')?;
        let mut types = std::mem::take(&mut self.argument_types);
        types.clear();
        if !self.cursor.eat(b')') {
            loop {
                let type_id = self.type_id()?;
                types.push(type_id);
                if type_id == self.known.metadata {
                    let constant = self.metadata_constant()?;
                    self.push_operand(Operand::Constant(constant));
                } else {
                    let note = self.parameter_attributes()?;
                    if note.attributes.has(ParameterAttributes::BY_VALUE) {
                        self.by_value_argument(types.len() - 1, &note);
                    }
                    self.value(type_id)?;
                }
                if !self.cursor.eat(b',') {
                    break;
                }
            }
            self.cursor.expect(b')')?;
        }
        let mut flags = stated.flags.with(self.call_attributes()?);
        if self.cursor.peek() == b'[' {
            self.cursor.skip_balanced()?;
            flags = flags.with(Flags::BUNDLES);
        }
        let (result, function_type) = match self.program.types.get(stated.type_id) {
            Type::Function { result, .. } => (*result, stated.type_id),
            _ => {
                let parameters = types.as_slice().into();
                let function = Type::Function {
                    result: stated.type_id,
                    parameters,
                    variadic: false,
                };
                (stated.type_id, self.composite(function)?)
            }
        };
        self.argument_types = types;
        Ok(Call {
            result,
            function_type,
            flags,
        })
    }
}

/// What stands before a call's arguments.
struct Stated<'t> {
    /// The result, or the whole function type.
    type_id: TypeId,
    flags: Flags,
    debug_call: Option<&'t [u8]>,
}
