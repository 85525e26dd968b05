//! Does this library agree with the host's, byte for byte?
//!
//! Test-only. `host_oracle.c` is compiled with the host's compiler for each test and answers thousands of
//! generated requests in one run; the answers are compared with this library's.

use crate::formats::{EXTENDED, Floating};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A deterministic source of test cases (SplitMix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// A double from one of the families where printing and reading are hard.
    pub(crate) fn double(&mut self) -> f64 {
        match self.below(8) {
            0 => f64::from_bits(self.next()),
            1 => f64::from_bits(self.next() & 0x800f_ffff_ffff_ffff),
            2 => self.below(2_000_001) as f64 / 1000.0 - 1000.0,
            3 => (self.below(1 << 20) as f64 + 0.5) / 2f64.powi(self.below(20) as i32),
            4 => self.next() as i64 as f64,
            5 => 10f64.powi(self.below(617) as i32 - 308),
            6 => self.pick(&[
                0.0,
                -0.0,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                9.5,
                0.5,
                2.5,
                999999.5,
                0.0001,
                99999.95,
            ]),
            _ => self.below(10_000) as f64 / 16.0,
        }
    }

    /// The bits of an 80-bit number.
    pub(crate) fn extended(&mut self) -> u128 {
        if self.below(2) == 0 {
            let value = self.double();
            return Floating::from_double(value).converted(EXTENDED).to_bits();
        }
        let field = self.next() & 0xffff;
        let integer_bit = u64::from(field & 0x7fff != 0) << 63;
        u128::from(self.next() >> 1 | integer_bit) | u128::from(field) << 64
    }
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "-".to_owned();
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compiles the oracle into the directory.
fn compiled(directory: &Path) -> PathBuf {
    let source = directory.join("host_oracle.c");
    std::fs::write(&source, include_str!("host_oracle.c")).expect("the oracle can be written");
    let program = directory.join("host_oracle");
    let compiled = ["cc", "clang", "clang-19", "clang-16"]
        .iter()
        .any(|compiler| {
            Command::new(compiler)
                .args(["-w", "-O1", "-fno-builtin", "-std=gnu11", "-o"])
                .arg(&program)
                .arg(&source)
                .arg("-lm")
                .status()
                .is_ok_and(|status| status.success())
        });
    assert!(
        compiled,
        "no C compiler (cc, clang, clang-19, clang-16) compiled the oracle"
    );
    program
}

/// The host's answer to each request, in order.
pub(crate) fn host_answers(requests: &[String]) -> Vec<String> {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let mut child = Command::new(compiled(directory.path()))
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the oracle starts");
    let mut input = child.stdin.take().expect("the oracle has an input");
    let text = requests
        .iter()
        .map(|request| format!("{request}\n"))
        .collect::<String>();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("the oracle ends");
    writer
        .join()
        .expect("the writer ends")
        .expect("the oracle reads all requests");
    assert!(
        output.status.success(),
        "the oracle failed: {}",
        output.status
    );
    let answers: Vec<String> = String::from_utf8(output.stdout)
        .expect("the oracle answers in ASCII")
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    assert_eq!(answers.len(), requests.len());
    answers
}

/// Compares this library's answers with the host's; the first few differences fail the test.
pub(crate) fn assert_agreement(cases: &[(String, String)]) {
    let requests: Vec<String> = cases.iter().map(|case| case.0.clone()).collect();
    let answers = host_answers(&requests);
    let different: Vec<String> = cases
        .iter()
        .zip(&answers)
        .filter(|((_, ours), host)| ours != *host)
        .map(|((request, ours), host)| format!("{request}\n  ours {ours}\n  host {host}"))
        .collect();
    assert!(
        different.is_empty(),
        "{} of {} differ, the first:\n{}",
        different.len(),
        cases.len(),
        different[..different.len().min(8)].join("\n")
    );
}
