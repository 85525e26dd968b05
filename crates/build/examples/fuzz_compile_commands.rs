//! Fuzzes the reader of compilation databases and the allow-list of flags:
//! `fuzz_compile_commands SECONDS SEED`. A text that breaks them is written to
//! `fuzz_compile_commands-SEED-CASE.json`, and the exit code is 1.

use knockon_build::compile_commands::parse_compile_commands;
use knockon_build::flags::accept_command;
use std::io::Write;
use std::panic::catch_unwind;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const SEEDS: [&str; 3] = [
    r#"[{"directory": "/p", "command": "cc -DA=\"x y\" -I inc -c a.c -o a.o", "file": "a.c"},
        {"directory": "/p", "arguments": ["clang", "-Xclang", "-load", "-fplugin=x.so", "b.c"], "file": "b.c", "output": "b.o"}]"#,
    r#"[{"directory": ".", "command": "gcc @args -MF /etc/x -MD -save-temps -B. -specs=s c.c", "file": "sub/../c.c"}]"#,
    r#"[]"#,
];

/// Pieces that matter to JSON, to shells and to compilers.
const PIECES: [&str; 24] = [
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\\u0000",
    "\\ud800",
    "null",
    "1e999",
    " -I",
    " -Xclang ",
    " @x",
    "'",
    "\\\"",
    "-o",
    "-D",
    "\u{202e}",
    "\n",
    "[[[[[[[[",
    "\"arguments\":",
    "-include",
];

fn main() -> std::io::Result<ExitCode> {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|argument| argument.parse::<u64>().ok());
    let (Some(Some(seconds)), Some(Some(seed))) = (arguments.next(), arguments.next()) else {
        writeln!(
            std::io::stderr(),
            "usage: fuzz_compile_commands SECONDS SEED"
        )?;
        return Ok(ExitCode::from(2));
    };
    let mut random = Random::new(seed);
    let mut seeds: Vec<Vec<u8>> = SEEDS.iter().map(|text| text.as_bytes().to_vec()).collect();
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let (mut cases, mut readable) = (0u64, 0u64);
    while Instant::now() < deadline {
        let text = mutated(&mut random, &seeds);
        let begun = Instant::now();
        let problem = match catch_unwind(|| check(&text)) {
            Err(_) => Some("it panicked".to_owned()),
            Ok(Err(problem)) => Some(problem),
            Ok(Ok(_)) if begun.elapsed() > Duration::from_secs(2) => Some("it hangs".to_owned()),
            Ok(Ok(true)) => {
                readable += 1;
                if seeds.len() < 64 {
                    seeds.push(text.clone());
                } else {
                    let slot = SEEDS.len() + random.below(61);
                    seeds[slot] = text.clone();
                }
                None
            }
            Ok(Ok(false)) => None,
        };
        if let Some(problem) = problem {
            let path = format!("fuzz_compile_commands-{seed}-{cases}.json");
            std::fs::write(&path, &text)?;
            writeln!(std::io::stdout(), "case {cases}: {problem}\ntext in {path}")?;
            return Ok(ExitCode::FAILURE);
        }
        cases += 1;
    }
    writeln!(
        std::io::stdout(),
        "seed {seed}: {cases} databases in {seconds} s, {readable} of them readable"
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Whether it could be read; what comes out is no larger than what went in, and no kept
/// flag runs, loads or writes anything.
fn check(text: &[u8]) -> Result<bool, String> {
    let Ok(commands) = parse_compile_commands(text, Path::new("/p/compile_commands.json")) else {
        return Ok(false);
    };
    let mut size = 0;
    for command in &commands {
        let accepted = accept_command(command);
        size += accepted.kept.iter().map(String::len).sum::<usize>();
        let mut value_follows = false;
        for flag in &accepted.kept {
            let hostile = [
                "-o",
                "-fplugin",
                "-Xclang",
                "-load",
                "@",
                "-MF",
                "-save-temps",
                "-B",
                "-specs",
            ]
            .iter()
            .any(|start| flag.starts_with(start));
            if hostile && !value_follows {
                return Err(format!("the flag {flag:?} was kept"));
            }
            value_follows = [
                "-I",
                "-D",
                "-U",
                "-include",
                "-imacros",
                "-isystem",
                "-iquote",
                "-idirafter",
                "-x",
                "-target",
                "-isysroot",
                "--sysroot",
            ]
            .contains(&flag.as_str());
        }
    }
    if size > 64 * (text.len() + 64) {
        return Err(format!("{} bytes became {size}", text.len()));
    }
    Ok(true)
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }
}

fn mutated(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut text = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(6) {
        let at = random.below(text.len() + 1);
        match random.below(5) {
            0 if at < text.len() => text[at] = random.below(256) as u8,
            1 => text.truncate(at),
            2 => {
                let piece = PIECES[random.below(PIECES.len())];
                text.splice(at..at, piece.bytes());
            }
            3 if at < text.len() => {
                let end = (at + random.below(24)).min(text.len());
                text.drain(at..end);
            }
            _ => {
                let end = (at + random.below(64)).min(text.len());
                let piece = text[at..end].to_vec();
                if text.len() < 1 << 16 {
                    text.splice(at..at, piece);
                }
            }
        }
    }
    text
}
