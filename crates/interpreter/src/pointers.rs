//! Where does pointer arithmetic lead, and when is it undefined?
//!
//! A `getelementptr` is a sum: a constant and, for each variable index, the index times a size.
//! Checked as clang's sanitizers check it: an index against the bounds of its array type (except in
//! an array that ends a struct, which may be longer than it says), arithmetic on a null pointer,
//! member access through one, and distances that no object spans. A pointer that leaves its object
//! and comes back is not reported; an access through it while outside is.

use crate::code::Slot;
use crate::shapes::element_type;
use crate::stop::{Outcome, undefined, unsupported};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value, sign_extend};
use knockon_program::{
    Body, Constant, InstructionId, Intrinsic, Opcode, Operand, Program, Type, TypeId,
};

/// Beyond this no two addresses belong to one object.
const FARTHEST: u64 = 1 << 31;

/// The indices of a `getelementptr`, resolved.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) constant: i64,
    pub(crate) terms: Vec<Term>,
    /// The base must not be null.
    pub(crate) member: bool,
    pub(crate) in_bounds: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub(crate) index: Slot,
    pub(crate) width: u8,
    pub(crate) scale: i64,
    pub(crate) bound: Option<Bound>,
}

/// The length of the indexed array type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub(crate) count: u64,
    /// The element is accessed, so one past the end is too far.
    pub(crate) accessed: bool,
}

impl Bound {
    fn holds(self, index: i64) -> bool {
        index >= 0 && (index as u64) < self.count + u64::from(!self.accessed)
    }

    #[inline]
    pub(crate) fn check(self, index: i64) -> Outcome<()> {
        if self.holds(index) {
            Ok(())
        } else {
            undefined(
                UndefinedBehaviour::ArrayIndex,
                format!("index {index} of an array of {} elements", self.count),
            )
        }
    }
}

/// An index operand: its slot, the width of its type, and its value if it is a constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Index {
    pub(crate) slot: Slot,
    pub(crate) width: u32,
    pub(crate) constant: Option<i64>,
}

/// Resolves the indices of a `getelementptr` into `element`; `None` if it is not of scalar shape.
pub(crate) fn resolve(
    program: &Program,
    body: &Body,
    id: InstructionId,
    element: TypeId,
    indices: &[Index],
    in_bounds: bool,
) -> Option<Path> {
    let mut path = Path {
        constant: 0,
        terms: Vec::new(),
        member: false,
        in_bounds,
    };
    let mut current = element;
    let base = body.operands(id).first().copied()?;
    let mut bounded = in_bounds && program.base_is_array(body, base, element);
    for (position, index) in indices.iter().enumerate() {
        if index.width > 64 {
            return None;
        }
        if position == 0 {
            path.add(index, program.size_of(element), None)?;
            continue;
        }
        match program.type_of(current) {
            Type::Struct { fields, .. } => {
                let field = usize::try_from(index.constant?).ok()?;
                let offset = program.field_offset(current, field)?;
                path.constant = path.constant.checked_add(i64::try_from(offset).ok()?)?;
                path.member = true;
                bounded = in_bounds && field + 1 < fields.len();
                current = *fields.get(field)?;
            }
            Type::Array { element, count } => {
                let bound = (bounded && *count > 0).then(|| Bound {
                    count: *count,
                    accessed: position + 1 < indices.len() || is_accessed(program, body, id),
                });
                path.add(index, program.size_of(*element), bound)?;
                bounded = in_bounds;
                current = *element;
            }
            Type::Vector { element, .. } => {
                path.add(index, program.store_size(*element), None)?;
                current = *element;
            }
            _ => return None,
        }
    }
    Some(path)
}

impl Path {
    fn add(&mut self, index: &Index, scale: u64, bound: Option<Bound>) -> Option<()> {
        let scale = i64::try_from(scale).ok()?;
        match index.constant {
            Some(value) if bound.is_none_or(|bound| bound.holds(value)) => {
                let offset = value.checked_mul(scale)?;
                self.constant = self.constant.checked_add(offset)?;
            }
            _ => self.terms.push(Term {
                index: index.slot,
                width: index.width as u8,
                scale,
                bound,
            }),
        }
        Some(())
    }
}

/// Some instruction reads or writes the element that this address names.
fn is_accessed(program: &Program, body: &Body, id: InstructionId) -> bool {
    let named = Operand::Instruction(id);
    body.instruction_ids().any(|user| {
        let operands = body.operands(user);
        match body.instruction(user).opcode {
            Opcode::Load => operands.first() == Some(&named),
            Opcode::Store => operands.get(1) == Some(&named),
            Opcode::GetElementPointer => {
                // All indices zero may be the array itself, named as a pointer.
                operands.first() == Some(&named)
                    && operands.len() > 2
                    && (!decays(program, &operands[1..]) || is_accessed(program, body, user))
            }
            Opcode::Call => {
                operands[1..].contains(&named)
                    && matches!(operands[0], Operand::Constant(callee)
                    if program.called_function(callee).is_some_and(|callee| {
                        Intrinsic::of_function(program, callee) == Some(Intrinsic::CopyMemory)
                    }))
            }
            _ => false,
        }
    })
}

/// All indices are zero: an array named as a pointer, not an element accessed.
fn decays(program: &Program, indices: &[Operand]) -> bool {
    indices.iter().all(|index| match index {
        Operand::Constant(constant) => {
            matches!(
                program.constant(*constant),
                Constant::Integer { bits: 0, .. }
            )
        }
        _ => false,
    })
}

/// `base + offset`, checked if the instruction promises to stay in bounds.
#[inline(always)]
pub(crate) fn advance(base: Scalar, offset: i64, in_bounds: bool, member: bool) -> Outcome<Scalar> {
    if base.undefined != 0 {
        return Ok(Scalar::undefined(64));
    }
    if in_bounds && (base.bits >> 32 == 0 || offset.unsigned_abs() >= FARTHEST) {
        return advance_far(base, offset, member);
    }
    Ok(Scalar::new(base.bits.wrapping_add(offset as u64)))
}

#[cold]
fn advance_far(base: Scalar, offset: i64, member: bool) -> Outcome<Scalar> {
    if base.bits == 0 && member {
        return undefined(
            UndefinedBehaviour::NullAccess,
            "a member of what a null pointer points to",
        );
    }
    if base.bits == 0 {
        return undefined(
            UndefinedBehaviour::PointerOverflow,
            format!("offset {offset} applied to a null pointer"),
        );
    }
    if base.bits >> 32 != 0 {
        return undefined(
            UndefinedBehaviour::PointerOverflow,
            format!("a pointer moved by {offset} bytes"),
        );
    }
    // Small integers used as pointers: only what the host's address space would notice.
    match base.bits.checked_add_signed(offset) {
        Some(0) | None => undefined(
            UndefinedBehaviour::PointerOverflow,
            format!("a pointer of value {} moved by {offset} bytes", base.bits),
        ),
        Some(bits) => Ok(Scalar::new(bits)),
    }
}

/// The distance that one index adds.
#[inline(always)]
pub(crate) fn distance(index: Scalar, width: u32, scale: i64) -> Outcome<i64> {
    match sign_extend(index.bits, width).checked_mul(scale) {
        Some(distance) => Ok(distance),
        None => undefined(
            UndefinedBehaviour::PointerOverflow,
            "an index times its element's size overflows",
        ),
    }
}

/// A `getelementptr` of constants; nothing is checked, since the compiler evaluated it.
pub(crate) fn constant_address(
    program: &Program,
    element: TypeId,
    values: &[Value],
    types: &[TypeId],
) -> Outcome<Value> {
    let (Some(Value::Scalar(base)), indices) = (values.first(), values.get(1..).unwrap_or(&[]))
    else {
        return unsupported("a vector of constant addresses");
    };
    let mut address = base.bits;
    let mut current = element;
    for (position, value) in indices.iter().enumerate() {
        let (Value::Scalar(index), Type::Integer(width)) =
            (value, program.type_of(types[position + 1]))
        else {
            return unsupported("a constant address with an index that is not an integer");
        };
        let index = sign_extend(index.bits, *width);
        let offset = if position == 0 {
            (program.size_of(element) as i64).wrapping_mul(index)
        } else {
            let Some(inner) = element_type(program, current, index as usize) else {
                return unsupported("a constant address into a type without elements");
            };
            let offset = match program.field_offset(current, index as usize) {
                Some(offset) => offset as i64,
                None => (program.size_of(inner) as i64).wrapping_mul(index),
            };
            current = inner;
            offset
        };
        address = address.wrapping_add(offset as u64);
    }
    Ok(Value::integer(address))
}
