//! Comparisons of floating-point numbers.
//!
//! **Rules.** Two numbers are less, greater, equal, or unordered, and each predicate says which of the
//! four it is. Whether one is less than the other is a function symbol; greater is the same with both
//! exchanged; unordered are those of which one is no number; equal is what is left. So predicates that
//! say the same in other words are the same term, or a solver sees it.
//!
//! **Soundness.** Read with the real order, the symbol is true for at most one of the two orders, and
//! never for what is no number: what is said here about the four is then what they are.

use knockon_logic::terms::{Sort, TermId, Terms};
use knockon_program::FloatPredicate;

pub(super) fn compare_floats(
    terms: &mut Terms,
    predicate: FloatPredicate,
    left: TermId,
    right: TermId,
) -> TermId {
    use FloatPredicate::*;
    let below = terms.apply("float less", &[left, right], Sort::Boolean);
    let above = terms.apply("float less", &[right, left], Sort::Boolean);
    let no_numbers = [is_no_number(terms, left), is_no_number(terms, right)];
    let unordered = terms.or(no_numbers);
    let ordered = terms.not(unordered);
    let not_below = terms.not(below);
    let not_above = terms.not(above);
    let less = terms.and([ordered, below, not_above]);
    let greater = terms.and([ordered, above, not_below]);
    let unequal = terms.or([less, greater]);
    let not_unequal = terms.not(unequal);
    let equal = terms.and([ordered, not_unequal]);
    match predicate {
        False => terms.boolean(false),
        True => terms.boolean(true),
        Ordered => ordered,
        Unordered => unordered,
        OrderedEqual => equal,
        OrderedNotEqual => unequal,
        OrderedLess => less,
        OrderedGreater => greater,
        OrderedLessOrEqual => terms.or([less, equal]),
        OrderedGreaterOrEqual => terms.or([greater, equal]),
        UnorderedEqual => not_unequal,
        UnorderedNotEqual => terms.not(equal),
        UnorderedLess => terms.or([unordered, less]),
        UnorderedGreater => terms.or([unordered, greater]),
        UnorderedLessOrEqual => terms.not(greater),
        UnorderedGreaterOrEqual => terms.not(less),
    }
}

/// All bits of the exponent are set, and one of the fraction's; of formats that are not looked into, a
/// function symbol.
fn is_no_number(terms: &mut Terms, value: TermId) -> TermId {
    let width = terms.width(value);
    let infinity: u128 = match width {
        32 => 0x7f80_0000,
        64 => 0x7ff0_0000_0000_0000,
        _ => return terms.apply("no number", &[value], Sort::Boolean),
    };
    let infinity = terms.bits(width, infinity);
    let all_but_sign = terms.bits(width, (1 << (width - 1)) - 1);
    let magnitude = terms.bit_and(value, all_but_sign);
    terms.unsigned_less(infinity, magnitude)
}
