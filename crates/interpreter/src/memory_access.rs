//! How is a value of any type laid out in memory?
//!
//! Little-endian; aggregates field by field at their offsets, so padding is neither read nor
//! written; vectors packed by bits.

use crate::huge::Huge;
use crate::machine::Machine;
use crate::shapes::{element_type, scalar_width};
use crate::stop::{Outcome, undefined, unsupported};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value, Wide, mask};
use knockon_program::{Type, TypeId};
use std::rc::Rc;

/// The bits of an address that an alignment, given as its logarithm, wants to be zero.
pub(crate) fn alignment_mask(log2: u8) -> u32 {
    (1u32 << log2.min(31)) - 1
}

/// An address operand must be defined and aligned.
#[inline(always)]
pub(crate) fn checked_address(address: Scalar, alignment_mask: u64) -> Outcome<u64> {
    if address.undefined != 0 {
        return undefined_address();
    }
    if address.bits & alignment_mask != 0 && address.bits >> 32 != 0 {
        return misaligned(address.bits, alignment_mask);
    }
    Ok(address.bits)
}

#[cold]
fn undefined_address<T>() -> Outcome<T> {
    undefined(
        UndefinedBehaviour::Uninitialised,
        "an access through a pointer that is not initialised",
    )
}

#[cold]
fn misaligned<T>(address: u64, alignment_mask: u64) -> Outcome<T> {
    undefined(
        UndefinedBehaviour::MisalignedAccess,
        format!(
            "an access that needs alignment {} at offset {} of its object",
            alignment_mask + 1,
            address as u32
        ),
    )
}

impl Machine<'_> {
    /// Reads a value of a type.
    pub(crate) fn load_value(&self, address: u64, type_id: TypeId) -> Outcome<Value> {
        let program = self.program;
        let size = program.store_size(type_id);
        match scalar_width(program, type_id) {
            Some(width) if width <= 64 => {
                let scalar = self.memory.load(address, size as u32)?;
                return Ok(Value::Scalar(Scalar {
                    bits: scalar.bits & mask(width),
                    undefined: scalar.undefined & mask(width),
                }));
            }
            Some(width) if width <= 128 => {
                let low = self.memory.load(address, 8)?;
                let high = self.memory.load(address.wrapping_add(8), size as u32 - 8)?;
                let wide = Wide {
                    bits: u128::from(high.bits) << 64 | u128::from(low.bits),
                    undefined: u128::from(high.undefined) << 64 | u128::from(low.undefined),
                };
                return Ok(Value::from_wide(wide, width));
            }
            Some(width) => return self.load_huge(address, size, width),
            None => {}
        }
        match program.type_of(type_id) {
            Type::Struct { fields, .. } => {
                let mut values = Vec::with_capacity(fields.len());
                for (index, field) in fields.iter().enumerate() {
                    let offset = program.field_offset(type_id, index).unwrap_or(0);
                    values.push(self.load_value(address.wrapping_add(offset), *field)?);
                }
                Ok(Value::Aggregate(values.into()))
            }
            Type::Array { element, count } => {
                let stride = program.size_of(*element);
                let values: Outcome<Vec<Value>> = (0..*count)
                    .map(|index| self.load_value(address.wrapping_add(index * stride), *element))
                    .collect();
                Ok(Value::Aggregate(values?.into()))
            }
            Type::Vector { element, count, .. } => match scalar_width(program, *element) {
                Some(width) if width % 8 == 0 => {
                    let stride = u64::from(width / 8);
                    let values: Outcome<Vec<Value>> = (0..*count)
                        .map(|index| {
                            self.load_value(address.wrapping_add(index * stride), *element)
                        })
                        .collect();
                    Ok(Value::Aggregate(values?.into()))
                }
                Some(width) if u64::from(width) * count <= 64 => {
                    let all = self.memory.load(address, size as u32)?;
                    let part = |index: u64| {
                        let shift = index as u32 * width;
                        Value::Scalar(Scalar {
                            bits: all.bits >> shift & mask(width),
                            undefined: all.undefined >> shift & mask(width),
                        })
                    };
                    Ok(Value::Aggregate((0..*count).map(part).collect()))
                }
                _ => unsupported("a vector of elements of odd width"),
            },
            _ => unsupported("a load of a type without a size"),
        }
    }

    fn load_huge(&self, address: u64, size: u64, width: u32) -> Outcome<Value> {
        let mut huge = Huge::zero(width);
        for (index, offset) in (0..size).step_by(8).enumerate() {
            let part = self
                .memory
                .load(address.wrapping_add(offset), (size - offset).min(8) as u32)?;
            let ones = mask((width - index as u32 * 64).min(64));
            huge.bits[index] = part.bits & ones;
            huge.undefined[index] = part.undefined & ones;
        }
        Ok(Value::Huge(Rc::new(huge)))
    }

    /// Writes a value of a type.
    pub(crate) fn store_value(
        &mut self,
        address: u64,
        type_id: TypeId,
        value: &Value,
    ) -> Outcome<()> {
        let program = self.program;
        let size = program.store_size(type_id);
        match value {
            Value::Scalar(scalar) => self.memory.store(address, size as u32, *scalar),
            Value::Wide(wide) => {
                let part = |shift: u32| Scalar {
                    bits: (wide.bits >> shift) as u64,
                    undefined: (wide.undefined >> shift) as u64,
                };
                self.memory.store(address, 8, part(0))?;
                self.memory
                    .store(address.wrapping_add(8), size as u32 - 8, part(64))
            }
            Value::Huge(huge) => {
                for (index, offset) in (0..size).step_by(8).enumerate() {
                    let part = Scalar {
                        bits: huge.bits[index],
                        undefined: huge.undefined[index],
                    };
                    let length = (size - offset).min(8) as u32;
                    self.memory
                        .store(address.wrapping_add(offset), length, part)?;
                }
                Ok(())
            }
            Value::Aggregate(elements) => {
                let is_vector = matches!(program.type_of(type_id), Type::Vector { .. });
                if is_vector
                    && let Some(element) = element_type(program, type_id, 0)
                    && let Some(width) = scalar_width(program, element)
                    && width % 8 != 0
                {
                    return self.store_packed(address, size, width, elements);
                }
                for (index, element) in elements.iter().enumerate() {
                    let Some(element_type) = element_type(program, type_id, index) else {
                        return unsupported("a store of a value of another type");
                    };
                    let offset = match program.type_of(type_id) {
                        Type::Struct { .. } => program.field_offset(type_id, index).unwrap_or(0),
                        Type::Vector { .. } => index as u64 * program.store_size(element_type),
                        _ => index as u64 * program.size_of(element_type),
                    };
                    self.store_value(address.wrapping_add(offset), element_type, element)?;
                }
                Ok(())
            }
        }
    }

    /// A vector whose elements are not whole bytes.
    fn store_packed(
        &mut self,
        address: u64,
        size: u64,
        width: u32,
        elements: &[Value],
    ) -> Outcome<()> {
        if size > 8 {
            return unsupported("a vector of elements of odd width");
        }
        let mut all = Scalar::default();
        for (index, element) in elements.iter().enumerate() {
            if let Value::Scalar(element) = element {
                all.bits |= element.bits << (index as u32 * width);
                all.undefined |= element.undefined << (index as u32 * width);
            }
        }
        self.memory.store(address, size as u32, all)
    }
}
