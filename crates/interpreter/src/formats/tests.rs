//! No number is lost between its bits and its parts, and conversions are the host's.

use super::*;

pub(crate) fn interesting() -> Vec<f64> {
    let mut values = vec![
        0.0,
        1.0,
        1.5,
        3.0,
        0.1,
        1e300,
        1e-300,
        5e-324,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NAN,
        123456789.125,
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..300 {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        values.push(f64::from_bits(state));
        values.push((state >> 40) as f64);
    }
    values.extend(values.clone().iter().map(|value| -value));
    values
}

pub(crate) fn widen(value: f64) -> u128 {
    DOUBLE.convert(u128::from(value.to_bits()), EXTENDED)
}

pub(crate) fn narrow(bits: u128) -> f64 {
    f64::from_bits(EXTENDED.convert(bits, DOUBLE) as u64)
}

pub(crate) fn same(left: f64, right: f64) -> bool {
    left.to_bits() == right.to_bits() || left.is_nan() && right.is_nan()
}

#[test]
fn doubles_survive_the_way_through_the_wider_format() {
    for value in interesting() {
        assert!(same(narrow(widen(value)), value), "{value:e}");
    }
}

#[test]
fn rounding_to_single_and_from_it_agrees_with_the_host() {
    for value in interesting() {
        let bits = DOUBLE.convert(u128::from(value.to_bits()), SINGLE) as u32;
        let host = value as f32;
        assert!(bits == host.to_bits() || host.is_nan(), "{value:e}");
        let back = f64::from_bits(SINGLE.convert(u128::from(bits), DOUBLE) as u64);
        assert!(same(back, f64::from(host)), "{value:e}");
    }
}

fn random_bits() -> impl Iterator<Item = u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    (0..20_000).map(move |_| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        state ^ state >> 29
    })
}

#[test]
fn every_pattern_of_a_double_survives_being_taken_apart() {
    for bits in random_bits() {
        let again = DOUBLE.unpack(u128::from(bits)).to_bits() as u64;
        let quiet = u64::from(f64::from_bits(bits).is_nan()) << 51;
        assert_eq!(again, bits | quiet);
    }
}

#[test]
fn every_small_pattern_survives_being_taken_apart() {
    for (format, quiet_bit) in [(HALF, 1 << 9), (BFLOAT, 1 << 6)] {
        for bits in 0..1 << 16 {
            let number = format.unpack(bits);
            let quiet = match number.magnitude {
                Magnitude::NotANumber { .. } => quiet_bit,
                _ => 0,
            };
            assert_eq!(number.to_bits(), bits | quiet);
        }
    }
}

#[test]
fn an_extended_number_survives_being_taken_apart() {
    for bits in random_bits() {
        let wide = u128::from(bits) | 1 << 63 | u128::from(bits.rotate_left(17) & 0xffff) << 64;
        let number = EXTENDED.unpack(wide);
        assert_eq!(EXTENDED.unpack(number.to_bits()), number);
    }
}

#[test]
fn an_extended_pattern_without_its_integer_bit_is_no_number() {
    for field in [1u128, 0x3fff, 0x7fff] {
        let number = EXTENDED.unpack(field << 64 | 5);
        assert_eq!(number.magnitude, Magnitude::NotANumber { payload: 5 });
    }
}
