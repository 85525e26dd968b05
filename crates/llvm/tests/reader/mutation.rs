//! Texts near real ones: every construct of the seeds, then bytes flipped,
//! ranges cut, moved and repeated, numbers made huge, words swapped between
//! texts. One 64-bit seed decides everything.

use super::invariants::{size, violations};
use knockon_llvm::read_unit;
use std::time::{Duration, Instant};

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    vec![
        include_bytes!("seed.ll").to_vec(),
        include_bytes!("seed_older.ll").to_vec(),
        include_bytes!("seed_constructs.ll").to_vec(),
    ]
}

const WORDS: &[&str] = &[
    "i32",
    "ptr",
    "i8388608",
    "[99999999999 x i8]",
    "<4 x i32>",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    ",",
    "=",
    "!",
    "#",
    "%",
    "@",
    "\"",
    ";",
    "\n",
    "label",
    "void",
    "metadata",
    "token",
    "%0",
    "%1",
    "@f",
    "null",
    "undef",
    "poison",
    "zeroinitializer",
    "splat (i32 1)",
    "splat (",
    "true",
    "-1",
    "0x",
    "0xK",
    "18446744073709551616",
    "99999999999999999999999999999999999999999",
    "define void @x() {\n",
    "}\n",
    "declare void @y()\n",
    "!0 = ",
    "!dbg !0",
    ", !dbg !DILocation(line: 1, scope: !0)",
    "blockaddress(@f, %entry)",
    "getelementptr (",
    "phi i32",
    "invoke void @f() to label %a unwind label %b",
    "frobnicate",
    "\n  hyperjump label %entry\n",
    "%x = type { %x }\n",
    "#dbg_value(",
    "DIArgList(",
    "x",
    "c\"\\00\"",
    "asm \"\", \"\"",
    "align 8",
    "align 3",
    "addrspace(1)",
    "...",
    "switch i32 0, label %x [ i32 0, label %y ]",
    "entry:\n",
    "\0",
    "\u{e9}",
    "ret void",
    "callbr",
    "landingpad",
];

pub fn mutated(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut text = seeds[random.below(seeds.len())].clone();
    for _ in 0..1 + random.below(6) {
        let length = text.len().max(1);
        let at = random.below(length).min(text.len());
        let range = |random: &mut Random, limit: usize| {
            let start = random.below(length).min(text.len());
            start..(start + 1 + random.below(limit)).min(text.len())
        };
        match random.below(10) {
            0 if at < text.len() => text[at] ^= 1 << random.below(8),
            1 if at < text.len() => text[at] = random.next() as u8,
            2 => {
                let range = range(random, 80);
                text.drain(range);
            }
            3 => {
                let copy = text[range(random, 200)].to_vec();
                text.splice(at..at, copy);
            }
            4 => {
                let other = &seeds[random.below(seeds.len())];
                let start = random.below(other.len());
                let end = (start + random.below(300)).min(other.len());
                text.splice(at..at, other[start..end].iter().copied());
            }
            5 | 6 => {
                let word = WORDS[random.below(WORDS.len())].as_bytes();
                let end = if random.below(2) == 0 {
                    at
                } else {
                    (at + word.len()).min(text.len())
                };
                text.splice(at..end, word.iter().copied());
            }
            7 => {
                // One line goes somewhere else.
                let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
                let line = lines[random.below(lines.len())].to_vec();
                let mut lines: Vec<Vec<u8>> = lines.into_iter().map(<[u8]>::to_vec).collect();
                let target = random.below(lines.len());
                if random.below(2) == 0 {
                    lines.insert(target, line);
                } else {
                    lines[target] = line;
                }
                text = lines.concat();
            }
            8 => {
                if let Some(digit) = text[at..].iter().position(u8::is_ascii_digit) {
                    let number =
                        ["9", "99999999", "4294967296", "18446744073709551615"][random.below(4)];
                    text.splice(at + digit..at + digit + 1, number.bytes());
                }
            }
            _ => {
                let open = ["{ ", "[1 x ", "(", "<", "ptr getelementptr (i8, "][random.below(5)];
                let many = open.repeat(1 + random.below(400));
                text.splice(at..at, many.bytes());
            }
        }
        if text.len() > 1 << 17 {
            text.truncate(1 << 17);
        }
    }
    text
}

/// What a text breaks, if it breaks the reader.
pub fn check(text: &[u8]) -> Result<(), String> {
    let start = Instant::now();
    let result = read_unit(text, "mutated.ll");
    let elapsed = start.elapsed();
    if elapsed > Duration::from_secs(10) {
        return Err(format!("took {elapsed:?} for {} bytes", text.len()));
    }
    match result {
        Err(error) => {
            let lines = text.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1;
            if error.line == 0 || error.line > lines || error.message.is_empty() {
                return Err(format!("the error has no place: {error:?}"));
            }
        }
        Ok(program) => {
            let broken = violations(&program);
            if !broken.is_empty() {
                return Err(broken.join("\n"));
            }
            let bound = (2 << 20) + 64 * text.len();
            if size(&program) > bound {
                return Err(format!(
                    "{} bytes of text became {} in memory",
                    text.len(),
                    size(&program)
                ));
            }
        }
    }
    Ok(())
}
