//! What is a value while a program runs?
//!
//! An integer, pointer or floating-point number of at most 64 bits is a [`Scalar`]: its bits, and
//! which of them are undefined (read from memory that was never written, or poison). The mask is
//! exact for copies and for bit operations, so a bit-field store into fresh memory (load the whole
//! unit, mask, store) leaves exactly the other fields undefined; anything else widens it. Wider
//! scalars (up to `i128` and the 80- and 128-bit floating-point formats) are [`Wide`]; vectors,
//! arrays and structs are lists of values.
//!
//! Invariant: undefined bits and bits beyond the type's width are zero in `bits`, so that equal
//! values are equal rows and a run never depends on what memory happened to hold.

use crate::huge::Huge;
use std::rc::Rc;

/// A value of at most 64 bits: integers zero-extended, pointers as addresses, floats as their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Scalar {
    pub bits: u64,
    /// The bits that have no value.
    pub undefined: u64,
}

/// A value of 65 to 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Wide {
    pub bits: u128,
    pub undefined: u128,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Scalar(Scalar),
    Wide(Wide),
    /// An integer of more than 128 bits.
    Huge(Rc<Huge>),
    /// The elements of a vector or array, or the fields of a struct.
    Aggregate(Rc<[Value]>),
}

/// All ones in the low `width` bits.
#[inline(always)]
pub(crate) fn mask(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

/// All ones in the low `width` bits.
pub(crate) fn wide_mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

/// The two's complement reading of the low `width` bits.
#[inline(always)]
pub(crate) fn sign_extend(bits: u64, width: u32) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    ((bits << unused) as i64) >> unused
}

impl Scalar {
    #[inline(always)]
    pub const fn new(bits: u64) -> Scalar {
        Scalar { bits, undefined: 0 }
    }

    /// A value none of whose `width` bits is defined.
    #[inline]
    pub fn undefined(width: u32) -> Scalar {
        Scalar {
            bits: 0,
            undefined: mask(width),
        }
    }

    #[inline(always)]
    pub fn is_defined(self) -> bool {
        self.undefined == 0
    }
}

impl Wide {
    pub const fn new(bits: u128) -> Wide {
        Wide { bits, undefined: 0 }
    }
}

impl Value {
    /// A defined value of at most 64 bits.
    pub const fn integer(bits: u64) -> Value {
        Value::Scalar(Scalar::new(bits))
    }

    /// The low 32 bits of an `int` result.
    pub const fn int(value: i32) -> Value {
        Value::Scalar(Scalar::new(value as u32 as u64))
    }

    pub fn double(value: f64) -> Value {
        Value::integer(value.to_bits())
    }

    pub fn single(value: f32) -> Value {
        Value::integer(u64::from(value.to_bits()))
    }

    /// What a function without a result returns.
    pub fn nothing() -> Value {
        Value::Scalar(Scalar::new(0))
    }

    pub fn pair(first: Value, second: Value) -> Value {
        Value::Aggregate(Rc::from([first, second]))
    }

    /// The scalar's bits and undefined bits, extended to 128 bits; `None` for anything larger.
    pub fn to_wide(&self) -> Option<Wide> {
        match self {
            Value::Scalar(scalar) => Some(Wide {
                bits: u128::from(scalar.bits),
                undefined: u128::from(scalar.undefined),
            }),
            Value::Wide(wide) => Some(*wide),
            Value::Huge(_) | Value::Aggregate(_) => None,
        }
    }

    /// Every bit of it has a value.
    pub fn is_defined(&self) -> bool {
        match self {
            Value::Scalar(scalar) => scalar.undefined == 0,
            Value::Wide(wide) => wide.undefined == 0,
            Value::Huge(huge) => huge.undefined.iter().all(|word| *word == 0),
            Value::Aggregate(elements) => elements.iter().all(Value::is_defined),
        }
    }

    /// The elements of an aggregate; a scalar is its own only element.
    pub fn elements(&self) -> &[Value] {
        match self {
            Value::Aggregate(elements) => elements,
            scalar => std::slice::from_ref(scalar),
        }
    }

    /// A scalar of `width` bits from its 128-bit form, in the row that the width asks for.
    pub fn from_wide(wide: Wide, width: u32) -> Value {
        let undefined = wide.undefined & wide_mask(width);
        let bits = wide.bits & wide_mask(width) & !undefined;
        if width <= 64 {
            Value::Scalar(Scalar {
                bits: bits as u64,
                undefined: undefined as u64,
            })
        } else {
            Value::Wide(Wide { bits, undefined })
        }
    }
}

impl From<Scalar> for Value {
    fn from(scalar: Scalar) -> Value {
        Value::Scalar(scalar)
    }
}
