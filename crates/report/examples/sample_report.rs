//! Writes a sample report to standard output:
//! `sample_report [parking|hostile|empty|huge] [terminal|json|sarif|html|github|markdown|dot]`.

#[path = "../tests/sample/mod.rs"]
mod sample;

use knockon_report::{DiffReport, Extent, Format, Style};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let report = match arguments.first().map(String::as_str) {
        None | Some("parking") => sample::parking(),
        Some("hostile") => sample::hostile(),
        Some("empty") => DiffReport::default(),
        Some("huge") => sample::huge(200_000),
        Some(other) => return Err(format!("there is no sample {other}").into()),
    };
    let format = match arguments.get(1).map(String::as_str) {
        None | Some("terminal") => Format::Terminal,
        Some("json") => Format::Json,
        Some("sarif") => Format::Sarif,
        Some("html") => Format::Html,
        Some("github") => Format::Github,
        Some("markdown") => Format::Markdown,
        Some("dot") => Format::Dot,
        Some(other) => return Err(format!("there is no format {other}").into()),
    };
    let start = std::time::Instant::now();
    let text = report.render(format, Style::default(), Extent::Folded)?;
    let mut errors = std::io::stderr();
    writeln!(errors, "{} bytes in {:?}", text.len(), start.elapsed())?;
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
