//! **Question.** How does a call hand over its arguments and take the result?
//!
//! A term is bits, and the same bits are handed over in different places: in a register for numbers or
//! one for floats, as a copy in memory, widened in one way or another. A callee that is not entered
//! gets something else then, so the way is part of what the call is.
//!
//! **Rules.** Integers and addresses of any width that nothing more is said of are handed over alike,
//! and are not mentioned.

use super::Evaluator;
use super::frame::Frame;
use knockon_program::{
    Body, Function, FunctionAttributes, FunctionId, InstructionId, Operand, ParameterAttributes,
    Program, Type, TypeId,
};
use std::fmt::Write as _;

/// What a caller does with an argument of its own accord.
const OF_CALLERS: u16 = ParameterAttributes::BY_VALUE.0
    | ParameterAttributes::STRUCT_RETURN.0
    | ParameterAttributes::ZERO_EXTENDED.0
    | ParameterAttributes::SIGN_EXTENDED.0
    | ParameterAttributes::BY_REFERENCE.0
    | ParameterAttributes::IN_ALLOCA.0;

/// The convention, and how a result is widened.
const OF_CALLS: u16 = FunctionAttributes::convention(63).0
    | FunctionAttributes::RETURNS_ZERO_EXTENDED.0
    | FunctionAttributes::RETURNS_SIGN_EXTENDED.0;

impl<'a> Evaluator<'a, '_> {
    /// Appended to the name of a call; empty for most.
    pub(super) fn passing(
        &self,
        frame: &Frame<'a>,
        id: InstructionId,
        named: Option<FunctionId>,
    ) -> String {
        let program = self.version().program;
        let body = frame.body;
        let own = program.function(frame.function);
        let mut text = String::new();
        for (number, argument) in body.arguments(id).iter().enumerate() {
            let class = operand_type(program, own, body, *argument)
                .and_then(|type_id| class(program, type_id));
            if let Some(class) = class {
                let _ = write!(text, " {number} as {class}");
            }
        }
        for copied in body.by_value_arguments_of(id) {
            let size = program.size_of(copied.pointee);
            let _ = write!(text, " {} as a copy of {size} bytes", copied.argument);
        }
        if let Some(class) = class(program, body.instruction(id).type_id) {
            let _ = write!(text, " for {class}");
        }
        if let Some(function) = named {
            let function = program.function(function);
            for (number, parameter) in function.parameters.iter().enumerate() {
                let set = parameter.attributes.0 & OF_CALLERS;
                if set != 0 {
                    let _ = write!(text, " {number} so {set:x}");
                }
            }
            let set = function.attributes.0 & OF_CALLS;
            if set != 0 {
                let _ = write!(text, " by {set:x}");
            }
        }
        match text.is_empty() {
            true => text,
            false => format!(" given{text}"),
        }
    }
}

fn operand_type(
    program: &Program,
    function: &Function,
    body: &Body,
    operand: Operand,
) -> Option<TypeId> {
    match operand {
        Operand::Instruction(id) => Some(body.instruction(id).type_id),
        Operand::Argument(number) => Some(function.parameters.get(number as usize)?.type_id),
        Operand::Constant(id) => program.constant(id).type_id(),
        Operand::Block(_) | Operand::Index(_) => None,
    }
}

/// `None` for integers, addresses, and nothing.
fn class(program: &Program, type_id: TypeId) -> Option<String> {
    let one = |id: TypeId| class(program, id).unwrap_or_else(|| "bits".to_owned());
    match program.type_of(type_id) {
        Type::Void | Type::Integer(_) | Type::Pointer(_) => None,
        Type::Array { element, count } => Some(format!("[{count} {}]", one(*element))),
        Type::Vector { element, count, .. } => Some(format!("<{count} {}>", one(*element))),
        Type::Struct { fields, .. } => {
            let fields: Vec<String> = fields.iter().map(|field| one(*field)).collect();
            Some(format!("{{{}}}", fields.join(" ")))
        }
        scalar => Some(format!("{scalar:?}")),
    }
}
