//! What a function takes and returns, and how a call of it is written.

use crate::padding::{Padding, padding};
use knockon_program::{FunctionId, Opcode, ParameterAttributes, Program, Type, TypeId};

/// What a parameter or a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of this width.
    Integer(u32),
    Float,
    Double,
    Pointer,
}

/// What a function takes and returns, as C sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub parameters: Vec<Value>,
    pub returns: Returned,
    /// Bytes of a number that is returned which are no part of it.
    pub padding: Padding,
    pub passing: Passing,
}

/// How a call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// As the source declares it.
    Declared,
    /// By what is in registers, since the source declares a struct that is passed in them: the
    /// function is called as one of numbers and pointers, and returns this.
    Registers(Option<Value>),
}

impl Signature {
    /// Statements that clear what of a result is padding.
    pub fn clearing(&self, result: &str) -> String {
        (0..8)
            .filter(|byte| self.padding >> byte & 1 == 1)
            .map(|byte| format!("((unsigned char *)&{result})[{byte}] = 0; "))
            .collect()
    }

    /// The function as it is called, with its own parameters in their order.
    pub fn callee(&self, name: &str, parameters: impl Iterator<Item = Value>) -> String {
        let name = callable_name(name);
        let Passing::Registers(result) = self.passing else {
            return name.to_owned();
        };
        let parameters: Vec<&str> = parameters.map(|value| c_type(Some(value))).collect();
        let result = result.map_or("void", |value| c_type(Some(value)));
        format!("(({result} (*)({}))(void *){name})", parameters.join(", "))
    }
}

/// The program's `main` has another name beside the one that runs it.
pub fn callable_name(name: &str) -> &str {
    match name {
        "main" => RENAMED_MAIN,
        name => name,
    }
}

/// What the program's `main` is called.
pub const RENAMED_MAIN: &str = "knockon_main";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    Nothing,
    Pointer,
    /// Compared byte for byte.
    Number,
    /// The same, and told as what it is.
    Floating,
}

/// Why a function cannot be called.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCallable {
    #[error("a parameter or the result is a struct or of another type that is not made here")]
    Type,
    #[error("it takes a variable number of arguments")]
    Variadic,
    #[error("its parameters are not the same in both versions")]
    Parameters,
    #[error("it may call {0}, which is not run here, and for which nothing else can stand in")]
    Calls(String),
}

/// What a function takes and returns.
pub fn signature(program: &Program, function: FunctionId) -> Result<Signature, NotCallable> {
    let row = program.function(function);
    let Type::Function {
        result, variadic, ..
    } = program.type_of(row.type_id)
    else {
        return Err(NotCallable::Type);
    };
    if *variadic {
        return Err(NotCallable::Variadic);
    }
    let mut parameters = Vec::new();
    for parameter in &row.parameters {
        let passed_in_memory = ParameterAttributes::BY_VALUE;
        let returned_in_memory = ParameterAttributes::STRUCT_RETURN;
        if parameter.attributes.has(passed_in_memory)
            || parameter.attributes.has(returned_in_memory)
        {
            return Err(NotCallable::Type);
        }
        parameters.push(value(program, parameter.type_id).ok_or(NotCallable::Type)?);
    }
    let returns = match program.type_of(*result) {
        Type::Void => Returned::Nothing,
        _ => match value(program, *result).ok_or(NotCallable::Type)? {
            Value::Pointer => Returned::Pointer,
            Value::Float | Value::Double => Returned::Floating,
            Value::Integer(_) => Returned::Number,
        },
    };
    let body = row.body.as_deref();
    let returned = body.into_iter().flat_map(|body| {
        let is_return = |id: &_| body.instruction(*id).opcode == Opcode::Return;
        let values = body.instruction_ids().filter(is_return);
        let values = values.filter_map(|id| body.operands(id).first().copied());
        values.map(|value| padding(program, body, value))
    });
    Ok(Signature {
        parameters,
        returns,
        padding: returned.fold(0, |all, one| all | one),
        passing: Passing::Declared,
    })
}

/// The same function, called by what is in registers. `None` where a number would have to be
/// extended with its sign, which C does not do for the type that stands for it here.
pub fn by_registers(
    program: &Program,
    function: FunctionId,
    as_declared: &Signature,
) -> Option<Signature> {
    let row = program.function(function);
    let is_short = |value: &Value| matches!(value, Value::Integer(8 | 16));
    let mut parameters = row.parameters.iter().zip(&as_declared.parameters);
    let is_extended = parameters.any(|(parameter, value)| {
        is_short(value) && parameter.attributes.has(ParameterAttributes::SIGN_EXTENDED)
    });
    let Type::Function { result, .. } = program.type_of(row.type_id) else {
        return None;
    };
    (!is_extended).then(|| Signature {
        passing: Passing::Registers(value(program, *result)),
        ..as_declared.clone()
    })
}

pub(super) fn value(program: &Program, id: TypeId) -> Option<Value> {
    match program.type_of(id) {
        Type::Integer(bits @ (1 | 8 | 16 | 32 | 64)) => Some(Value::Integer(*bits)),
        Type::Float => Some(Value::Float),
        Type::Double => Some(Value::Double),
        Type::Pointer(0) => Some(Value::Pointer),
        _ => None,
    }
}

pub(crate) fn c_type(value: Option<Value>) -> &'static str {
    match value {
        Some(Value::Integer(1)) => "_Bool",
        Some(Value::Integer(8)) => "unsigned char",
        Some(Value::Integer(16)) => "unsigned short",
        Some(Value::Integer(32)) => "int",
        Some(Value::Integer(_)) | None => "long",
        Some(Value::Float) => "float",
        Some(Value::Double) => "double",
        Some(Value::Pointer) => "void *",
    }
}
