//! One version as the pairing looks at it: the program with the contents of its tables and the
//! lines of its text that were not edited.

use crate::content_hash::{ContentHash, Mixer};
use crate::contents::{Contents, stepped};
use crate::edits::UneditedLines;
use knockon_program::{
    Body, ByValueArgument, Constant, ConstantId, Extra, Function, Instruction, InstructionId,
    Opcode, Operand, ParameterAttributes, Program, TypeId,
};

pub(crate) struct VersionView<'a> {
    pub(crate) program: &'a Program,
    pub(crate) contents: &'a Contents,
    pub(crate) unedited: &'a UneditedLines<'a>,
}

/// Attributes with which the parameter is memory of the type `pointee`.
const IN_MEMORY: [ParameterAttributes; 4] = [
    ParameterAttributes::BY_VALUE,
    ParameterAttributes::STRUCT_RETURN,
    ParameterAttributes::BY_REFERENCE,
    ParameterAttributes::IN_ALLOCA,
];

impl VersionView<'_> {
    /// What a caller must know of a function: its type, attributes and parameters.
    pub(crate) fn interface(&self, function: &Function) -> ContentHash {
        let mixer = Mixer::new("interface").content(self.contents.type_of(function.type_id));
        let mixer = mixer.word(u64::from(function.attributes.0));
        let mut mixer = mixer.word(u64::from(function.linkage.gives_way()));
        for parameter in &function.parameters {
            mixer = mixer.content(self.contents.type_of(parameter.type_id));
            mixer = mixer.word(u64::from(parameter.attributes.0));
            if IN_MEMORY.iter().any(|one| parameter.attributes.has(*one)) {
                mixer = mixer.content(self.contents.type_of(parameter.pointee));
            }
        }
        mixer.finish()
    }

    /// All that a body does, places and names left out. Bodies with equal hashes are equal node for
    /// node, under the same numbers.
    pub(crate) fn body(&self, function: &Function, body: &Body) -> ContentHash {
        let mut mixer = Mixer::new("body").content(self.interface(function));
        for block in &body.blocks {
            mixer = mixer.word(u64::from(block.end.0));
        }
        for id in body.instruction_ids() {
            let row = body.instruction(id);
            mixer = self.row(mixer, body, id);
            for operand in body.operands(id) {
                mixer = match *operand {
                    Operand::Instruction(id) => mixer.word(0).word(u64::from(id.0)),
                    Operand::Argument(number) => mixer.word(1).word(u64::from(number)),
                    Operand::Constant(constant) => mixer.content(self.constant_at(row, constant)),
                    Operand::Block(block) => mixer.word(2).word(u64::from(block.0)),
                    Operand::Index(index) => mixer.word(3).word(u64::from(index)),
                };
            }
        }
        for argument in &body.by_value_arguments {
            mixer = self.by_value(mixer.word(u64::from(argument.call.0)), argument);
        }
        mixer.finish()
    }

    /// The instruction without its operands.
    pub(crate) fn row(&self, mixer: Mixer, body: &Body, id: InstructionId) -> Mixer {
        let row = body.instruction(id);
        match (row.opcode, body.operands(id)) {
            (Opcode::GetElementPointer, [_, Operand::Constant(first), ..]) => {
                let extra = stepped(self.program, TypeId(row.extra), *first).0;
                let mixer = mixer.word(u64::from(extra != row.extra));
                self.of_row(mixer, &Instruction { extra, ..*row })
            }
            _ => self.of_row(mixer, row),
        }
    }

    /// The row by itself.
    pub(crate) fn unplaced_row(&self, row: &Instruction) -> ContentHash {
        self.of_row(Mixer::new("row"), row).finish()
    }

    fn of_row(&self, mixer: Mixer, row: &Instruction) -> Mixer {
        let word = row.opcode as u64 | u64::from(row.detail) << 8 | u64::from(row.flags.0) << 32;
        let mixer = mixer.word(word).word(u64::from(row.operand_count));
        let mixer = mixer.content(self.contents.type_of(row.type_id));
        match row.opcode.extra() {
            Extra::Type => mixer.content(self.contents.type_of(TypeId(row.extra))),
            Extra::Mnemonic => mixer.text(self.program.name(knockon_program::Name(row.extra))),
            Extra::Nothing => mixer.word(u64::from(row.extra)),
        }
    }

    pub(crate) fn by_value(&self, mixer: Mixer, argument: &ByValueArgument) -> Mixer {
        let mixer = mixer.word(u64::from(argument.argument));
        let mixer = mixer.word(u64::from(argument.alignment));
        mixer.content(self.contents.type_of(argument.pointee))
    }

    /// The arguments of a call that are passed as copies.
    pub(crate) fn by_value_arguments(&self, body: &Body, id: InstructionId) -> ContentHash {
        let arguments = body.by_value_arguments_of(id).iter();
        arguments
            .fold(Mixer::new("by value"), |mixer, argument| {
                self.by_value(mixer, argument)
            })
            .finish()
    }

    /// A constant's content where an instruction uses it: a position constant is its line in the
    /// new text.
    pub(crate) fn constant_at(&self, row: &Instruction, constant: ConstantId) -> ContentHash {
        self.position(row, constant)
            .unwrap_or_else(|| self.contents.constant(constant))
    }

    /// The constant is the number of the line on which it stands, and that line was not edited. What
    /// is passed to a call may be the line on which the call ends.
    pub(crate) fn position(&self, row: &Instruction, constant: ConstantId) -> Option<ContentHash> {
        let Constant::Integer { type_id, bits } = self.program.constant(constant) else {
            return None;
        };
        let place = self.program.place(row.place);
        if *bits != u128::from(place.line) && !row.opcode.is_call() {
            return None;
        }
        let line = self.unedited.position(place, *bits)?;
        let mixer = Mixer::new("position").content(self.contents.type_of(*type_id));
        let mixer = mixer.text(self.program.file_path(place.file));
        Some(mixer.word(u64::from(line)).finish())
    }
}
