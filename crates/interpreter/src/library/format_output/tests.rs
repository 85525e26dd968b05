//! Does every `printf` conversion write what the host writes?

use super::*;
use crate::formats::EXTENDED;
use crate::library::host_oracle::{Dice, assert_agreement, hexadecimal};

/// Arguments as the oracle's call passes them: each class is numbered apart.
struct Listed {
    integers: Vec<Value>,
    doubles: Vec<f64>,
    extended: Vec<u128>,
    stored: Vec<u64>,
}

#[derive(Clone, Debug)]
enum Value {
    Number(u64),
    Text(Vec<u8>),
}

impl FormatArguments for Listed {
    type Pointer = Value;
    type Error = &'static str;

    fn next(&mut self, kind: ArgumentKind) -> Result<Argument<Value>, &'static str> {
        fn first<T>(list: &mut Vec<T>) -> Result<T, &'static str> {
            if list.is_empty() {
                Err("too few arguments")
            } else {
                Ok(list.remove(0))
            }
        }
        Ok(match kind {
            ArgumentKind::Int | ArgumentKind::Long => match first(&mut self.integers)? {
                Value::Number(number) => Argument::Integer(number),
                Value::Text(_) => return Err("a string where an integer is expected"),
            },
            ArgumentKind::Double => {
                Argument::Floating(Floating::from_double(first(&mut self.doubles)?))
            }
            ArgumentKind::LongDouble => {
                Argument::Floating(EXTENDED.unpack(first(&mut self.extended)?))
            }
            ArgumentKind::Pointer => Argument::Pointer(first(&mut self.integers)?),
        })
    }

    fn string(
        &mut self,
        pointer: &Value,
        limit: Option<usize>,
    ) -> Result<Option<Vec<u8>>, &'static str> {
        Ok(match pointer {
            Value::Text(text) => Some(text[..text.len().min(limit.unwrap_or(usize::MAX))].to_vec()),
            Value::Number(_) => None,
        })
    }

    fn wide_string(
        &mut self,
        pointer: &Value,
        limit: Option<usize>,
    ) -> Result<Option<Vec<u32>>, &'static str> {
        Ok(self
            .string(pointer, limit)?
            .map(|text| text.into_iter().map(u32::from).collect()))
    }

    fn address(&mut self, pointer: &Value) -> Result<u64, &'static str> {
        match pointer {
            Value::Number(number) => Ok(*number),
            Value::Text(_) => Err("the oracle's addresses are unknown"),
        }
    }

    fn store_count(&mut self, _: &Value, length: Length, count: u64) -> Result<(), &'static str> {
        self.stored
            .push(count & (u64::MAX >> (64 - 8 * length.bytes())));
        Ok(())
    }

    fn error_text(&mut self, name: bool) -> Vec<u8> {
        if name {
            b"ENOENT".to_vec()
        } else {
            b"No such file or directory".to_vec()
        }
    }
}

fn formatted(format_text: &[u8], arguments: &mut Listed) -> String {
    let mut output = Vec::new();
    match format(&mut output, format_text, arguments) {
        Ok(()) => format!("{} {}", output.len(), hexadecimal(&output)),
        Err(FormatError::Fails(_)) => "-1 -".to_owned(),
        Err(other) => format!("{other}"),
    }
}

fn random_format(dice: &mut Dice, conversion: u8, length: &str) -> Vec<u8> {
    let mut text = b"<%".to_vec();
    for flag in *b"-+ #0'" {
        if dice.below(4) == 0 {
            text.push(flag);
        }
    }
    if dice.below(2) == 0 {
        text.extend(dice.below(40).to_string().bytes());
    }
    if dice.below(2) == 0 {
        text.push(b'.');
        match dice.below(8) {
            0 => {}
            1 => text.extend(dice.below(420).to_string().bytes()),
            _ => text.extend(dice.below(22).to_string().bytes()),
        }
    }
    text.extend(length.bytes());
    text.push(conversion);
    text.push(b'>');
    text
}

fn case(
    format_text: &[u8],
    integers: [Value; 3],
    doubles: [f64; 3],
    extended: [u128; 2],
) -> (String, String) {
    let mut request = format!("printf {}", hexadecimal(format_text));
    for integer in &integers {
        match integer {
            Value::Number(number) => request += &format!(" {number:x}"),
            Value::Text(text) => request += &format!(" s{}", hexadecimal(text)),
        }
    }
    for double in doubles {
        request += &format!(" {:x}", double.to_bits());
    }
    for number in extended {
        request += &format!(" {}", hexadecimal(&number.to_le_bytes()));
    }
    let mut arguments = Listed {
        integers: integers.to_vec(),
        doubles: doubles.to_vec(),
        extended: extended.to_vec(),
        stored: Vec::new(),
    };
    let ours = formatted(format_text, &mut arguments);
    (request, ours)
}

fn numbers(dice: &mut Dice) -> [Value; 3] {
    std::array::from_fn(|_| {
        Value::Number(match dice.below(4) {
            0 => 0,
            1 => dice.below(100),
            2 => dice.below(100).wrapping_neg(),
            _ => dice.next() >> dice.below(64),
        })
    })
}

#[test]
fn doubles_print_as_the_host_prints_them() {
    let mut dice = Dice(1);
    let cases: Vec<_> = (0..30_000)
        .map(|_| {
            let conversion = dice.pick(b"aAeEfFgG");
            let format_text = random_format(&mut dice, conversion, "");
            let doubles = std::array::from_fn(|_| dice.double());
            case(&format_text, numbers(&mut dice), doubles, [0; 2])
        })
        .collect();
    assert_agreement(&cases);
}

#[test]
fn long_doubles_print_as_the_host_prints_them() {
    let mut dice = Dice(2);
    let cases: Vec<_> = (0..4_000)
        .map(|_| {
            let conversion = dice.pick(b"aAeEfFgG");
            let format_text = random_format(&mut dice, conversion, "L");
            let extended = [dice.extended(), dice.extended()];
            case(&format_text, numbers(&mut dice), [0.0; 3], extended)
        })
        .collect();
    assert_agreement(&cases);
}

#[test]
fn integers_characters_and_addresses_print_as_the_host_prints_them() {
    let mut dice = Dice(3);
    let lengths = ["", "hh", "h", "l", "ll", "j", "z", "t", "q", "L"];
    let cases: Vec<_> = (0..30_000)
        .map(|_| {
            let conversion = dice.pick(b"diuoxXcp%m");
            let length = if b"cp%m".contains(&conversion) {
                ""
            } else {
                dice.pick(&lengths)
            };
            let format_text = random_format(&mut dice, conversion, length);
            case(&format_text, numbers(&mut dice), [0.0; 3], [0; 2])
        })
        .collect();
    assert_agreement(&cases);
}

#[test]
fn strings_print_as_the_host_prints_them() {
    let mut dice = Dice(4);
    let cases: Vec<_> = (0..5_000)
        .map(|_| {
            let format_text = random_format(&mut dice, b's', "");
            let text = match dice.below(5) {
                0 => Value::Number(0),
                _ => Value::Text(
                    (0..dice.below(30))
                        .map(|_| dice.below(255) as u8 + 1)
                        .collect(),
                ),
            };
            let zero = Value::Number(0);
            case(&format_text, [text, zero.clone(), zero], [0.0; 3], [0; 2])
        })
        .collect();
    assert_agreement(&cases);
}

#[test]
fn several_conversions_take_their_arguments_in_order() {
    let mut dice = Dice(5);
    let formats: [&[u8]; 12] = [
        b"%*d|%e",
        b"%-*.*f|%d",
        b"%.*e %g",
        b"%2$d %1$d %3$x",
        b"%1$d %1$d",
        b"%2$*1$d|",
        b"%3$.*1$d|%2$u",
        b"%d%%%u %f %x %a",
        b"%f %f %Lf %Lg %f",
        b"%hhd %hd %ld",
        b"plain",
        b"",
    ];
    let cases: Vec<_> = (0..3_000)
        .map(|_| {
            let small = |dice: &mut Dice| Value::Number(dice.below(60).wrapping_sub(30));
            let integers = [small(&mut dice), small(&mut dice), small(&mut dice)];
            let doubles = std::array::from_fn(|_| dice.double());
            let extended = [dice.extended(), dice.extended()];
            case(dice.pick(&formats), integers, doubles, extended)
        })
        .collect();
    assert_agreement(&cases);
}

#[test]
fn a_count_conversion_stores_the_bytes_so_far() {
    let mut arguments = Listed {
        integers: vec![Value::Number(5), Value::Number(0), Value::Number(0)],
        doubles: Vec::new(),
        extended: Vec::new(),
        stored: Vec::new(),
    };
    assert_eq!(
        formatted(b"%d abc%n def%hhn", &mut arguments),
        format!("9 {}", hexadecimal(b"5 abc def"))
    );
    assert_eq!(arguments.stored, [5, 9]);
}

#[test]
fn a_format_without_meaning_is_undefined() {
    for format_text in [&b"%"[..], b"%5", b"%y", b"%1$d %d", b"%2$d"] {
        let mut output = Vec::new();
        let mut arguments = Listed {
            integers: vec![Value::Number(1), Value::Number(2)],
            doubles: Vec::new(),
            extended: Vec::new(),
            stored: Vec::new(),
        };
        let result = format(&mut output, format_text, &mut arguments);
        assert!(
            matches!(result, Err(FormatError::Undefined(_))),
            "{result:?}"
        );
    }
}
