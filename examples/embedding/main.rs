//! Asks the engine what a change does, as an editor would: a session on a directory, one comparison,
//! and for the first line that may behave differently the reason.
//!
//!     cargo run -p knockon-engine --example embedding -- PROJECT [OLD [NEW]]

use knockon_engine::options::VersionsOptions;
use knockon_engine::queries::{diff::DiffRequest, why::WhyRequest};
use knockon_engine::{Cancellation, EngineError, Event, Session, SessionOptions};
use knockon_report::Verdict;
use std::io::Write as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let project = arguments.next().unwrap_or_else(|| ".".to_owned());
    let versions = VersionsOptions {
        old: arguments.next(),
        new: arguments.next(),
        ..VersionsOptions::default()
    };
    let session = Session::new(SessionOptions::of(std::path::absolute(project)?));
    // Another thread may call `cancel` on a clone of it.
    let cancellation = Cancellation::new();
    let mut out = std::io::stdout();
    let mut listen = |event| {
        if let Event::Level(row) = event {
            let _ = writeln!(out, "{}: {} possible", row.level, row.possible_lines);
        }
    };
    let request = DiffRequest::of(versions.clone());
    let report = session.diff(&request, &cancellation, &mut listen);
    let report = report.map_err(|error: EngineError| error.text())?;
    for row in report
        .lines
        .iter()
        .filter(|row| row.verdict != Verdict::Unaffected)
    {
        writeln!(out, "{}:{} {}", row.file, row.line, row.verdict.name())?;
    }
    let mut rows = report.lines.iter();
    if let Some(row) = rows.find(|row| row.verdict == Verdict::Possible) {
        let place = format!("{}:{}", row.file, row.line);
        // The session knows the answer already.
        let why = session.why(
            &WhyRequest::of(&place, versions),
            &cancellation,
            &mut |_| {},
        )?;
        for step in &why.reasons {
            writeln!(out, "  {}: {}", step.place(), step.text)?;
        }
    }
    Ok(())
}
