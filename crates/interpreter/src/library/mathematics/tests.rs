//! Are results and error numbers the host's, to the last bit?

use super::*;
use crate::library::host_oracle::{Dice, assert_agreement};

const UNARY: &[&str] = &[
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "fabs",
    "floor",
    "ceil",
    "trunc",
    "round",
    "rint",
    "nearbyint",
    "logb",
];
const BINARY: &[&str] = &[
    "pow",
    "atan2",
    "fmod",
    "hypot",
    "fmin",
    "fmax",
    "fdim",
    "copysign",
    "nextafter",
    "remainder",
];

fn shown(name: &str, arguments: &[f64], result: f64) -> String {
    let error = match error_of(name, arguments, result) {
        None => 0,
        Some(MathError::Domain) => 33,
        Some(MathError::Range) => 34,
    };
    if result.is_nan() {
        format!("nan {error}")
    } else {
        format!("{:x} {error}", result.to_bits())
    }
}

fn argument(dice: &mut Dice) -> f64 {
    match dice.below(4) {
        0 => dice.below(4_000_000) as f64 / 1_000_000.0 - 2.0,
        1 => dice.below(1600) as f64 - 800.0,
        _ => dice.double(),
    }
}

#[test]
fn results_and_errors_are_the_hosts() {
    let mut dice = Dice(41);
    let mut cases = Vec::new();
    for _ in 0..1_500 {
        for name in UNARY {
            let value = argument(&mut dice);
            let function = unary(name).expect("the list names functions");
            cases.push((
                format!("mathematics {name} {:x} 0", value.to_bits()),
                shown(name, &[value], function(value)),
            ));
        }
        for name in BINARY {
            let (left, right) = (argument(&mut dice), argument(&mut dice));
            let function = binary(name).expect("the list names functions");
            cases.push((
                format!(
                    "mathematics {name} {:x} {:x}",
                    left.to_bits(),
                    right.to_bits()
                ),
                shown(name, &[left, right], function(left, right)),
            ));
        }
        let (value, power) = (argument(&mut dice), dice.below(4400) as i32 - 2200);
        cases.push((
            format!("mathematics ldexp {:x} {:x}", value.to_bits(), power as u32),
            shown("ldexp", &[value], scale(value, i64::from(power))),
        ));
    }
    assert_agreement(&cases);
}

#[test]
fn splitting_and_scaling_are_inverse() {
    let mut dice = Dice(42);
    for _ in 0..20_000 {
        let value = dice.double();
        let (fraction, power) = fraction_and_exponent(value);
        if value.is_finite() {
            assert_eq!(scale(fraction, i64::from(power)).to_bits(), value.to_bits());
            assert!(value == 0.0 || (0.5..1.0).contains(&fraction.abs()));
            let (part, whole) = fraction_and_whole(value);
            assert_eq!(part + whole, value);
        }
    }
}

const UNARY_SINGLE: &[&str] = &[
    "sinf", "cosf", "tanf", "asinf", "acosf", "atanf", "sinhf", "coshf", "tanhf", "expf", "exp2f",
    "expm1f", "logf", "log2f", "log10f", "log1pf", "sqrtf", "fabsf", "floorf", "ceilf", "truncf",
    "roundf", "rintf",
];
const BINARY_SINGLE: &[&str] = &[
    "powf",
    "atan2f",
    "fmodf",
    "hypotf",
    "fminf",
    "fmaxf",
    "fdimf",
    "copysignf",
];

fn shown_single(result: f32) -> String {
    if result.is_nan() {
        "nan".to_owned()
    } else {
        format!("{:x}", result.to_bits())
    }
}

#[test]
fn results_in_single_precision_are_the_hosts() {
    let mut dice = Dice(43);
    let mut cases = Vec::new();
    for _ in 0..1_500 {
        for name in UNARY_SINGLE {
            let value = argument(&mut dice) as f32;
            let function = unary_single(name).expect("the list names functions");
            cases.push((
                format!("single {name} {:x} 0", value.to_bits()),
                shown_single(function(value)),
            ));
        }
        for name in BINARY_SINGLE {
            let (left, right) = (argument(&mut dice) as f32, argument(&mut dice) as f32);
            let function = binary_single(name).expect("the list names functions");
            cases.push((
                format!("single {name} {:x} {:x}", left.to_bits(), right.to_bits()),
                shown_single(function(left, right)),
            ));
        }
    }
    assert_agreement(&cases);
}
