//! Fuzzes the LLVM text reader: `fuzz_reader SECONDS SEED`. A text that breaks
//! it is written to `fuzz_reader-SEED-CASE.ll`, and the exit code is 1.

#[path = "../tests/reader/invariants.rs"]
mod invariants;
#[path = "../tests/reader/mutation.rs"]
mod mutation;

use std::io::Write;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The most memory that the process ever held, as the system tells it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |value| value.trim().to_owned())
}

fn main() -> std::io::Result<ExitCode> {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|argument| argument.parse::<u64>().ok());
    let (Some(Some(seconds)), Some(Some(seed))) = (arguments.next(), arguments.next()) else {
        writeln!(std::io::stderr(), "usage: fuzz_reader SECONDS SEED")?;
        return Ok(ExitCode::from(2));
    };
    let mut random = mutation::Random::new(seed);
    let mut seeds = mutation::seeds();
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let (mut cases, mut readable) = (0u64, 0u64);
    while Instant::now() < deadline {
        let text = mutation::mutated(&mut random, &seeds);
        let outcome = catch_unwind(|| mutation::check(&text));
        let broken = match outcome {
            Ok(Ok(())) => None,
            Ok(Err(broken)) => Some(broken),
            Err(_) => Some("the reader panicked".to_owned()),
        };
        if let Some(broken) = broken {
            let path = format!("fuzz_reader-{seed}-{cases}.ll");
            std::fs::write(&path, &text)?;
            writeln!(std::io::stdout(), "case {cases}: {broken}\ntext in {path}")?;
            return Ok(ExitCode::FAILURE);
        }
        // Texts that still read are seeds for more: damage adds up.
        if cases % 16 == 0 && knockon_llvm::read_unit(&text, "seed").is_ok() {
            readable += 1;
            let slot = 3 + random.below(61);
            if slot < seeds.len() {
                seeds[slot] = text;
            } else {
                seeds.push(text);
            }
        }
        cases += 1;
    }
    writeln!(
        std::io::stdout(),
        "seed {seed}: {cases} texts in {seconds} s, {readable} kept as seeds, peak memory {}",
        peak_memory()
    )?;
    Ok(ExitCode::SUCCESS)
}
