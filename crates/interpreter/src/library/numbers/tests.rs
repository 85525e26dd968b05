//! Is every text read as the number that the host reads?

use super::*;
use crate::formats::DOUBLE;
use crate::library::host_oracle::{Dice, assert_agreement, hexadecimal};

const RANGE: i32 = 34;

fn real_case(text: &[u8]) -> (String, String) {
    let ours: Vec<String> = [SINGLE, DOUBLE, EXTENDED]
        .into_iter()
        .map(|format| {
            let read = read_floating(text, format);
            let bytes = format.width() as usize / 8;
            let value = hexadecimal(&read.value.to_bits().to_le_bytes()[..bytes]);
            format!(
                "{value} {} {}",
                read.end,
                if read.range_error { RANGE } else { 0 }
            )
        })
        .collect();
    (format!("real {}", hexadecimal(text)), ours.join(" "))
}

/// Texts of numbers, mostly well-formed, near the places where rounding is hard.
pub(crate) fn random_real(dice: &mut Dice) -> Vec<u8> {
    let sign = dice.pick(&["", "", "-", "+", " ", "\t-", "+-"]);
    let digits = |dice: &mut Dice, count: u64| -> String {
        (0..count)
            .map(|_| char::from(b'0' + dice.below(10) as u8))
            .collect()
    };
    let body = match dice.below(10) {
        0 => {
            let value = dice.double();
            format!("{:.*e}", dice.below(25) as usize, value)
        }
        // Halfway between two doubles, exactly.
        1 => {
            let low = f64::from_bits(dice.next() & !(3 << 62));
            let mut middle = Floating::from_double(low).converted(EXTENDED);
            if let Magnitude::Finite { significand, .. } = &mut middle.magnitude {
                *significand |= 1 << 10;
            }
            String::from_utf8_lossy(&exact_text(middle)).into_owned()
                + dice.pick(&["", "0", "1", "0000000000000001"])
        }
        2 => {
            let (whole, part) = (dice.below(20), dice.below(20));
            format!("{}.{}", digits(dice, whole), digits(dice, part))
        }
        3 => {
            let (whole, part) = (dice.below(25), dice.below(25));
            format!(
                "{}.{}e{}",
                digits(dice, whole),
                digits(dice, part),
                dice.below(700) as i64 - 350
            )
        }
        4 => format!(
            "{}e{}",
            dice.below(100_000),
            dice.below(10_400) as i64 - 5_200
        ),
        5 => format!(
            "0x{:x}.{:x}p{}",
            dice.below(1 << 20),
            dice.next(),
            dice.below(2400) as i64 - 1200
        ),
        6 => format!(
            "0x{:x}{:x}p{}",
            dice.next(),
            dice.next(),
            dice.below(33_400) as i64 - 16_700
        ),
        7 => format!(
            "{}e-{}",
            dice.next(),
            dice.pick(&[
                310, 320, 325, 327, 340, 341, 343, 344, 57, 63, 64, 4950, 4968, 4970
            ])
        ),
        8 => dice
            .pick(&[
                "inf",
                "INFINITY",
                "infinit",
                "in",
                "nan",
                "NaN(",
                "nan(12)",
                "nan(0x7)",
                "nan(zz_1)",
                "nan(1-)",
                "0x",
                "0x.",
                "0xg",
                "0x.8",
                "0x1p",
                "0x1p+",
                "0x1p-z",
                ".",
                "e5",
                "1e",
                "1e+",
                "1.e5",
                ".5e-1",
                "",
                "1_000",
                "0e99999999999999999999",
                "1e99999999999999999999",
                "1e-99999999999999999999",
                "0x1p99999999999999999999",
                "0x0p5",
                "1..2",
                "- 1",
                "00012",
                "000",
                "0x00000000000000000000000000000001",
                "nan(99999999999999999999999)",
                "nan()",
            ])
            .to_owned(),
        _ => (0..dice.below(8))
            .map(|_| char::from(dice.pick(b"0123456789.eExXpP+-aAfFnNiI ")))
            .collect(),
    };
    format!("{sign}{body}{}", dice.pick(&["", "", "x", " 7", ".", "e"])).into_bytes()
}

fn exact_text(number: Floating) -> Vec<u8> {
    use crate::library::floating_output::{FloatStyle, floating_text};
    let style = FloatStyle {
        conversion: b'e',
        uppercase: false,
        precision: Some(800),
        alternate: false,
    };
    let text = floating_text(number, style).body;
    let mantissa_end = text
        .iter()
        .position(|byte| *byte == b'e')
        .unwrap_or(text.len());
    let mut mantissa = text[..mantissa_end].to_vec();
    while mantissa.last() == Some(&b'0') {
        mantissa.pop();
    }
    [mantissa, text[mantissa_end..].to_vec()].concat()
}

#[test]
fn floating_text_is_read_as_the_host_reads_it() {
    let mut dice = Dice(11);
    let cases: Vec<_> = (0..40_000)
        .map(|_| real_case(&random_real(&mut dice)))
        .collect();
    assert_agreement(&cases);
}

#[test]
fn exact_division_agrees_with_the_machine_parser() {
    let mut dice = Dice(12);
    for _ in 0..20_000 {
        let length = dice.below(30) + 1;
        let digits: Vec<u8> = (0..length).map(|_| b'1' + dice.below(9) as u8).collect();
        let power = dice.below(600) as i64 - 300;
        for format in [SINGLE, DOUBLE] {
            if let Some(fast) = machine_decimal(&digits, power, format, false) {
                assert_eq!(
                    exact_decimal(digits.clone(), power, format, false),
                    (fast, false)
                );
            }
        }
    }
}

#[test]
fn integer_text_is_read_as_the_host_reads_it() {
    let mut dice = Dice(13);
    let cases: Vec<_> = (0..40_000)
        .map(|_| {
            let base = dice.pick(&[0, 0, 10, 10, 16, 8, 2, 36, 3, 37, 1, -1]);
            let text: Vec<u8> = match dice.below(4) {
                0 => (0..dice.below(25))
                    .map(|_| dice.pick(b"0123456789"))
                    .collect(),
                1 => format!(
                    "{}0x{:x}",
                    dice.pick(&["", "-", "+", " \n-"]),
                    dice.next() >> dice.below(64)
                )
                .into_bytes(),
                2 => dice
                    .pick(&[
                        "9223372036854775807",
                        "9223372036854775808",
                        "-9223372036854775808",
                        "-9223372036854775809",
                        "18446744073709551615",
                        "18446744073709551616",
                        "-18446744073709551615",
                        "0x",
                        "0xg",
                        "-0x",
                        "0b101",
                        "",
                        "-",
                        "  ",
                        "0",
                        "08",
                        "z",
                        "Zz",
                    ])
                    .as_bytes()
                    .to_vec(),
                _ => (0..dice.below(10))
                    .map(|_| dice.pick(b" \t-+0123xXabfzZ.789"))
                    .collect(),
            };
            let ours = match read_integer(&text, base, false) {
                // glibc leaves the end pointer alone then; the oracle's still has the last answer.
                None => return ("integer 10 31".to_owned(), "1 1 0 1 1 0".to_owned()),
                Some(read) => {
                    let (signed, signed_error) = read.signed();
                    let (unsigned, unsigned_error) = read.unsigned();
                    let error = |error| if error { RANGE } else { 0 };
                    format!(
                        "{signed:x} {} {} {unsigned:x} {} {}",
                        read.end,
                        error(signed_error),
                        read.end,
                        error(unsigned_error)
                    )
                }
            };
            (format!("integer {base} {}", hexadecimal(&text)), ours)
        })
        .collect();
    assert_agreement(&cases);
}

#[test]
fn a_number_cut_off_by_the_end_of_its_object_is_noticed() {
    let read = |text: &[u8]| read_integer(text, 10, false).map(|read| (read.end, read.examined));
    assert_eq!(read(b"123"), Some((3, 4)));
    assert_eq!(read(b"123x"), Some((3, 4)));
    assert_eq!(read_floating(b"1.5e", DOUBLE).examined, 5);
    assert_eq!(read_floating(b"1.5,", DOUBLE).examined, 4);
}
