//! Sums and products of scalars that the loop cannot finish by itself.

use crate::arithmetic::{narrow, signed_overflow};
use crate::code::Integer;
use crate::stop::Outcome;
use crate::value::{Scalar, mask, sign_extend};
use knockon_program::{Flags, Opcode};

/// With undefined bits, or with an overflow to report.
#[cold]
pub(crate) fn slow_sum(
    opcode: Opcode,
    row: Integer,
    left: Scalar,
    right: Scalar,
) -> Outcome<Scalar> {
    let flags = if row.no_signed_wrap {
        Flags::NO_SIGNED_WRAP
    } else {
        Flags::NONE
    };
    narrow::binary(opcode, flags, u32::from(row.width), left, right)
}

#[inline(always)]
pub(crate) fn multiply(row: Integer, left: Scalar, right: Scalar) -> Outcome<Scalar> {
    if left.undefined | right.undefined != 0 {
        return slow_sum(Opcode::Multiply, row, left, right);
    }
    let width = u32::from(row.width);
    if row.no_signed_wrap {
        let (l, r) = (
            sign_extend(left.bits, width),
            sign_extend(right.bits, width),
        );
        let product = l.wrapping_mul(r);
        if l.checked_mul(r).is_none() || sign_extend(product as u64, width) != product {
            return signed_overflow(i128::from(l), "*", i128::from(r), width);
        }
        return Ok(Scalar::new(product as u64 & mask(width)));
    }
    Ok(Scalar::new(
        left.bits.wrapping_mul(right.bits) & mask(width),
    ))
}
