//! Reads LLVM text and says how fast, in processor time:
//! `read_speed FILE.ll…`; `read_speed --census FILE.ll DUMP` also compares
//! with what `llvm-bcanalyzer --dump` printed.

use knockon_llvm::{census, read_unit};
use std::io::Write;

/// Seconds that this process has been running on a processor.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let first = text
        .split_whitespace()
        .next()
        .and_then(|word| word.parse::<f64>().ok());
    first.unwrap_or(0.0) / 1e9
}

fn main() -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, path, dump] = arguments.as_slice()
        && flag == "--census"
    {
        match read_unit(&std::fs::read(path)?, path) {
            Ok(program) => {
                let expected = census::census_of_bitcode_dump(&std::fs::read(dump)?);
                let differences = census::differences(&census::census(&program), &expected);
                writeln!(
                    output,
                    "{path}: {} functions, {} differences",
                    expected.len(),
                    differences.len()
                )?;
                for line in differences.iter().take(20) {
                    writeln!(output, "  {line}")?;
                }
            }
            Err(error) => writeln!(output, "{error}")?,
        }
        return Ok(());
    }
    for path in arguments {
        let text = std::fs::read(&path)?;
        let mut best = f64::INFINITY;
        let mut said = String::new();
        for _ in 0..5 {
            let start = processor_seconds();
            let result = read_unit(&text, &path);
            best = best.min(processor_seconds() - start);
            said = match result {
                Ok(program) => format!(
                    "{} functions, {} instructions, {} caveats",
                    program.functions.len(),
                    program.instruction_count(),
                    program.caveats.len()
                ),
                Err(error) => error.to_string(),
            };
        }
        let megabytes = text.len() as f64 / 1e6;
        writeln!(
            output,
            "{path}: {megabytes:.1} MB, {:.1} MB/s, {said}",
            megabytes / best
        )?;
    }
    Ok(())
}
