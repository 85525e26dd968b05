//! Does every `scanf` read, store and leave what the host does?

use super::*;
use crate::library::host_oracle::{Dice, assert_agreement, hexadecimal};

/// Four destinations of 64 bytes, as the oracle has them.
struct Listed {
    input: Vec<u8>,
    at: usize,
    targets: [[u8; 64]; 4],
    next: usize,
}

impl ScanTarget for Listed {
    type Error = &'static str;

    fn read(&mut self) -> Result<Option<u8>, &'static str> {
        let byte = self.input.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        Ok(byte)
    }

    fn unread(&mut self, _: u8) -> Result<(), &'static str> {
        self.at -= 1;
        Ok(())
    }

    fn store(&mut self, position: Option<usize>, value: Scanned) -> Result<(), &'static str> {
        let index = position.map_or(self.next, |position| position - 1);
        self.next += 1;
        let bytes = match value {
            Scanned::Integer { bits, length } => bits.to_le_bytes()[..length.bytes()].to_vec(),
            Scanned::Address(address) => address.to_le_bytes().to_vec(),
            Scanned::Floating(number) => {
                let size = number.format.width() as usize / 8;
                number.to_bits().to_le_bytes()[..size].to_vec()
            }
            Scanned::Text(text) => text,
            Scanned::WideText(_) | Scanned::AllocatedText(_) => return Err("not comparable"),
        };
        let target = self.targets.get_mut(index).ok_or("too few destinations")?;
        target
            .get_mut(..bytes.len())
            .ok_or("too long")?
            .copy_from_slice(&bytes);
        Ok(())
    }

    fn range_error(&mut self) {}
}

fn case(input: &[u8], format: &[u8]) -> (String, String) {
    let mut target = Listed {
        input: input.to_vec(),
        at: 0,
        targets: [[0xaa; 64]; 4],
        next: 0,
    };
    let ours = match scan(format, &mut target) {
        Ok(count) => {
            format!(
                "{count} {} {}",
                input.len() - target.at,
                hexadecimal(&target.targets.concat())
            )
        }
        Err(error) => error.to_string(),
    };
    (
        format!("scanf {} {}", hexadecimal(input), hexadecimal(format)),
        ours,
    )
}

fn random_input(dice: &mut Dice) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..dice.below(5) {
        match dice.below(6) {
            0 => text.extend((dice.next() >> dice.below(64)).to_string().bytes()),
            1 => text.extend(
                format!(
                    "{:.*}",
                    dice.below(8) as usize,
                    dice.below(100_000) as f64 / 64.0
                )
                .bytes(),
            ),
            2 => text.extend(
                dice.pick(&[
                    "abc", "hello", "0x1F", "-0x", "0x", "077", "+5", "-", "inf", "nan",
                    "infinity", "infx", "nanx", "na", "(nil)", "(ni",
                ])
                .bytes(),
            ),
            3 => text.extend(
                dice.pick(&[
                    "1e5", "1e", "1e+", "1e+2", ".5", ".", "0x1.8p3", "0x.p1", "1.2.3", "--1",
                    "0x1p", "1e5e5", "0xg",
                ])
                .bytes(),
            ),
            4 => text.extend((0..dice.below(6)).map(|_| dice.pick(b"0123456789abcxXeEpP+-.% ,:"))),
            _ => text.extend((0..dice.below(4)).map(|_| dice.pick(b"az,:%"))),
        }
        text.extend(dice.pick(&["", " ", "\n", "\t ", ",", ":"]).bytes());
    }
    text.truncate(60);
    text
}

fn random_format(dice: &mut Dice) -> Vec<u8> {
    let mut text = Vec::new();
    let mut stores = 0;
    for _ in 0..dice.below(6) {
        match dice.below(10) {
            0 => text.push(b' '),
            1 => text.push(dice.pick(b",:a%")),
            _ if stores == 4 => text.push(b'\n'),
            _ => {
                let suppress = dice.below(6) == 0;
                stores += usize::from(!suppress);
                text.push(b'%');
                if suppress {
                    text.push(b'*');
                }
                if dice.below(3) == 0 {
                    text.extend(dice.below(12).to_string().bytes());
                }
                let conversion = dice.pick(&[
                    "d", "i", "u", "o", "x", "X", "hhd", "hd", "ld", "lld", "zu", "jd", "p", "n",
                    "hn", "c", "s", "[a-z]", "[^,]", "[]0-9]", "[-a]", "[0-9-]", "f", "lf", "Lf",
                    "e", "g", "a", "le",
                ]);
                text.extend(conversion.bytes());
                continue;
            }
        }
        if text.last() == Some(&b'%') {
            text.push(b'%');
        }
    }
    text
}

#[test]
fn input_is_scanned_as_the_host_scans_it() {
    let mut dice = Dice(21);
    let cases: Vec<_> = (0..40_000)
        .map(|_| case(&random_input(&mut dice), &random_format(&mut dice)))
        .collect();
    assert_agreement(&cases);
}

#[test]
fn an_unfinished_set_is_undefined() {
    let mut target = Listed {
        input: b"a".to_vec(),
        at: 0,
        targets: [[0; 64]; 4],
        next: 0,
    };
    assert!(matches!(
        scan(b"%[a-", &mut target),
        Err(ScanError::Undefined(_))
    ));
}
