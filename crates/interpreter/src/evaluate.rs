//! What does an instruction without memory or control compute, on values of any shape?
//!
//! One definition for constant expressions, for vectors element by element, and for every scalar
//! that has no faster way of its own.

use crate::arithmetic::{narrow, wide};
use crate::casts::cast;
use crate::floating_point;
use crate::huge;
use crate::shapes::{element_count, element_type, scalar_width, undefined_value};
use crate::stop::{Outcome, unsupported};
use crate::value::{Scalar, Value};
use knockon_program::{Flags, FloatPredicate, IntegerPredicate, Opcode, Program, Type, TypeId};

/// An instruction's row without its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation<'a> {
    pub(crate) opcode: Opcode,
    pub(crate) flags: Flags,
    pub(crate) detail: u8,
    pub(crate) result: TypeId,
    pub(crate) operand_types: &'a [TypeId],
}

impl Operation<'_> {
    fn unknown<T>(&self) -> Outcome<T> {
        unsupported(format!("the instruction {}", self.opcode.mnemonic()))
    }
}

/// The result on operands of the operation's types.
pub(crate) fn evaluate(
    program: &Program,
    operation: &Operation<'_>,
    operands: &[Value],
) -> Outcome<Value> {
    let (Some(first_type), Some(first)) = (operation.operand_types.first(), operands.first())
    else {
        return operation.unknown();
    };
    match operation.opcode {
        Opcode::Select => select(program, operation, operands),
        Opcode::Freeze => Ok(freeze(first)),
        Opcode::ExtractElement => extract_element(program, operation, operands),
        Opcode::InsertElement => insert_element(program, operation, operands),
        Opcode::ShuffleVector => shuffle(program, operation, operands),
        Opcode::BitCast => cast(
            program,
            operation.opcode,
            *first_type,
            operation.result,
            first,
        ),
        _ if matches!(program.type_of(*first_type), Type::Vector { .. }) => {
            element_wise(program, operation, operands)
        }
        opcode if opcode.is_cast() => cast(program, opcode, *first_type, operation.result, first),
        _ => scalar(program, operation, operands),
    }
}

/// The operation on each element of its vector operands.
fn element_wise(
    program: &Program,
    operation: &Operation<'_>,
    operands: &[Value],
) -> Outcome<Value> {
    let (Some(element), Some(first_type)) = (
        element_type(program, operation.result, 0),
        operation.operand_types.first(),
    ) else {
        return operation.unknown();
    };
    let element_types: Vec<TypeId> = operation
        .operand_types
        .iter()
        .map(|type_id| element_type(program, *type_id, 0).unwrap_or(*type_id))
        .collect();
    let inner = Operation {
        result: element,
        operand_types: &element_types,
        ..*operation
    };
    let mut elements = Vec::new();
    for index in 0..element_count(program, *first_type) {
        let row: Option<Vec<Value>> = operands
            .iter()
            .map(|operand| operand.elements().get(index).cloned())
            .collect();
        match row {
            Some(row) => elements.push(evaluate(program, &inner, &row)?),
            None => return operation.unknown(),
        }
    }
    Ok(Value::Aggregate(elements.into()))
}

/// Arithmetic and comparison of scalars.
fn scalar(program: &Program, operation: &Operation<'_>, operands: &[Value]) -> Outcome<Value> {
    let type_id = operation.operand_types[0];
    let type_row = program.type_of(type_id);
    let Some(width) = scalar_width(program, type_id) else {
        return operation.unknown();
    };
    if width > 128 {
        return match (
            operation.opcode,
            IntegerPredicate::from_detail(operation.detail),
        ) {
            (Opcode::IntegerCompare, Some(predicate)) => {
                Ok(huge::compare(predicate, &operands[0], &operands[1])?.into())
            }
            (opcode, _) if opcode.is_binary() => {
                huge::binary(opcode, width, &operands[0], &operands[1])
            }
            _ => operation.unknown(),
        };
    }
    if operation.opcode == Opcode::FloatNegate {
        return match operands[0].to_wide() {
            Some(value) => Ok(Value::from_wide(
                floating_point::negate(value, width),
                width,
            )),
            None => operation.unknown(),
        };
    }
    let (Some(left), Some(right)) = (
        operands[0].to_wide(),
        operands.get(1).and_then(Value::to_wide),
    ) else {
        return operation.unknown();
    };
    match operation.opcode {
        Opcode::IntegerCompare => match IntegerPredicate::from_detail(operation.detail) {
            Some(predicate) => Ok(wide::compare(predicate, width, left, right).into()),
            None => operation.unknown(),
        },
        Opcode::FloatCompare => match FloatPredicate::from_detail(operation.detail) {
            Some(predicate) => {
                Ok(floating_point::compare(predicate, type_row, left, right)?.into())
            }
            None => operation.unknown(),
        },
        opcode if opcode.is_binary() => {
            if type_row.is_floating_point() {
                let result = floating_point::binary(opcode, type_row, left, right)?;
                return Ok(Value::from_wide(result, width));
            }
            match (&operands[0], &operands[1]) {
                (Value::Scalar(left), Value::Scalar(right)) => {
                    Ok(narrow::binary(opcode, operation.flags, width, *left, *right)?.into())
                }
                _ => {
                    let result = wide::binary(opcode, operation.flags, width, left, right)?;
                    Ok(Value::from_wide(result, width))
                }
            }
        }
        _ => operation.unknown(),
    }
}

/// With an undefined condition, what both choices share is still defined.
pub(crate) fn either(left: &Value, right: &Value) -> Value {
    match (left, right) {
        (Value::Scalar(left), Value::Scalar(right)) => {
            let undefined = left.undefined | right.undefined | (left.bits ^ right.bits);
            Value::Scalar(Scalar {
                bits: left.bits & !undefined,
                undefined,
            })
        }
        (Value::Wide(left), Value::Wide(right)) => {
            let undefined = left.undefined | right.undefined | (left.bits ^ right.bits);
            Value::Wide(crate::value::Wide {
                bits: left.bits & !undefined,
                undefined,
            })
        }
        (Value::Huge(left), Value::Huge(_)) => {
            Value::Huge(std::rc::Rc::new(huge::Huge::all_undefined(left.width)))
        }
        (left, right) => Value::Aggregate(
            left.elements()
                .iter()
                .zip(right.elements())
                .map(|(left, right)| either(left, right))
                .collect(),
        ),
    }
}

fn choose(condition: Scalar, then: &Value, otherwise: &Value) -> Value {
    if !condition.is_defined() {
        either(then, otherwise)
    } else if condition.bits != 0 {
        then.clone()
    } else {
        otherwise.clone()
    }
}

fn select(_program: &Program, operation: &Operation<'_>, operands: &[Value]) -> Outcome<Value> {
    let [condition, then, otherwise] = operands else {
        return operation.unknown();
    };
    match condition {
        Value::Scalar(condition) => Ok(choose(*condition, then, otherwise)),
        Value::Aggregate(conditions) => {
            let mut elements = Vec::with_capacity(conditions.len());
            for (index, condition) in conditions.iter().enumerate() {
                match (
                    condition,
                    then.elements().get(index),
                    otherwise.elements().get(index),
                ) {
                    (Value::Scalar(condition), Some(then), Some(otherwise)) => {
                        elements.push(choose(*condition, then, otherwise));
                    }
                    _ => return operation.unknown(),
                }
            }
            Ok(Value::Aggregate(elements.into()))
        }
        Value::Wide(_) | Value::Huge(_) => operation.unknown(),
    }
}

/// An arbitrary but fixed value for undefined bits: zero.
pub(crate) fn freeze(value: &Value) -> Value {
    match value {
        Value::Scalar(scalar) => Value::Scalar(Scalar::new(scalar.bits)),
        Value::Wide(row) => Value::Wide(crate::value::Wide::new(row.bits)),
        Value::Huge(huge) => Value::Huge(std::rc::Rc::new(huge::Huge::from_words(
            &huge.bits, huge.width,
        ))),
        Value::Aggregate(elements) => Value::Aggregate(elements.iter().map(freeze).collect()),
    }
}

/// The element that a defined index within bounds names.
fn index_of(value: &Value, count: usize) -> Option<usize> {
    match value {
        Value::Scalar(Scalar { bits, undefined: 0 }) => {
            usize::try_from(*bits).ok().filter(|index| *index < count)
        }
        _ => None,
    }
}

fn extract_element(
    program: &Program,
    operation: &Operation<'_>,
    operands: &[Value],
) -> Outcome<Value> {
    let [vector, index] = operands else {
        return operation.unknown();
    };
    let elements = vector.elements();
    Ok(match index_of(index, elements.len()) {
        Some(index) => elements[index].clone(),
        None => undefined_value(program, operation.result),
    })
}

fn insert_element(
    program: &Program,
    operation: &Operation<'_>,
    operands: &[Value],
) -> Outcome<Value> {
    let [vector, value, index] = operands else {
        return operation.unknown();
    };
    let mut elements = vector.elements().to_vec();
    match index_of(index, elements.len()) {
        Some(index) => elements[index] = value.clone(),
        None => return Ok(undefined_value(program, operation.result)),
    }
    Ok(Value::Aggregate(elements.into()))
}

fn shuffle(program: &Program, operation: &Operation<'_>, operands: &[Value]) -> Outcome<Value> {
    let [left, right, mask] = operands else {
        return operation.unknown();
    };
    let Some(element) = element_type(program, operation.result, 0) else {
        return operation.unknown();
    };
    let (left, right) = (left.elements(), right.elements());
    let pick = |index: &Value| match index_of(index, left.len() + right.len()) {
        Some(index) if index < left.len() => left[index].clone(),
        Some(index) => right[index - left.len()].clone(),
        None => undefined_value(program, element),
    };
    Ok(Value::Aggregate(mask.elements().iter().map(pick).collect()))
}
