//! How wide is a type's value, and is it a scalar?

use crate::huge::Huge;
use crate::value::{Scalar, Value, Wide, mask, wide_mask};
use knockon_program::{Program, Type, TypeId};
use std::rc::Rc;

/// The bits of a scalar type; `None` for aggregates, vectors and what has no value.
pub(crate) fn scalar_width(program: &Program, type_id: TypeId) -> Option<u32> {
    match program.type_of(type_id) {
        Type::Integer(bits) => Some(*bits),
        Type::Half | Type::BFloat => Some(16),
        Type::Float => Some(32),
        Type::Double | Type::X86Mmx => Some(64),
        Type::X86Fp80 => Some(80),
        Type::Fp128 | Type::PpcFp128 => Some(128),
        Type::Pointer(_) => Some(64),
        _ => None,
    }
}

/// The width of a type whose values are [`Scalar`]s.
pub(crate) fn narrow_width(program: &Program, type_id: TypeId) -> Option<u32> {
    scalar_width(program, type_id).filter(|width| *width <= 64)
}

/// The element types of an aggregate or vector, in order.
pub(crate) fn element_count(program: &Program, type_id: TypeId) -> usize {
    match program.type_of(type_id) {
        Type::Array { count, .. } | Type::Vector { count, .. } => *count as usize,
        Type::Struct { fields, .. } => fields.len(),
        _ => 0,
    }
}

pub(crate) fn element_type(program: &Program, type_id: TypeId, index: usize) -> Option<TypeId> {
    match program.type_of(type_id) {
        Type::Array { element, .. } | Type::Vector { element, .. } => Some(*element),
        Type::Struct { fields, .. } => fields.get(index).copied(),
        _ => None,
    }
}

/// A value of the type all of whose bits are undefined.
pub(crate) fn undefined_value(program: &Program, type_id: TypeId) -> Value {
    uniform(program, type_id, true)
}

/// A value of the type all of whose bits are zero.
pub(crate) fn zero_value(program: &Program, type_id: TypeId) -> Value {
    uniform(program, type_id, false)
}

fn uniform(program: &Program, type_id: TypeId, undefined: bool) -> Value {
    match scalar_width(program, type_id) {
        Some(width) if width <= 64 => Value::Scalar(Scalar {
            bits: 0,
            undefined: if undefined { mask(width) } else { 0 },
        }),
        Some(width) if width > 128 => Value::Huge(Rc::new(if undefined {
            Huge::all_undefined(width)
        } else {
            Huge::zero(width)
        })),
        Some(width) => Value::Wide(Wide {
            bits: 0,
            undefined: if undefined { wide_mask(width) } else { 0 },
        }),
        None => {
            let count = element_count(program, type_id);
            let elements: Rc<[Value]> = match program.type_of(type_id) {
                Type::Struct { fields, .. } => fields
                    .iter()
                    .map(|field| uniform(program, *field, undefined))
                    .collect(),
                _ => match element_type(program, type_id, 0) {
                    Some(element) => vec![uniform(program, element, undefined); count].into(),
                    None => Rc::from([]),
                },
            };
            Value::Aggregate(elements)
        }
    }
}
