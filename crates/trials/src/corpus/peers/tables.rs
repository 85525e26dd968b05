//! Both answers as tables.

use super::{Compared, Line};
use std::fmt::Write as _;

pub fn tables(rows: &[Compared], clang: &str, frama_c: &str) -> String {
    let mut text = format!(
        "`make peers`, with {clang} and Frama-C {frama_c}, Eva at precision 1. What may a changed line affect: `knockon slice` beside Frama-C's impact plug-in, on closed programs that both can read. Lines are those for which clang makes instructions, without lines of braces alone; *elsewhere* counts the others that Frama-C reports (such as plain copies of local variables). *diff* is what `knockon diff` calls changed or possible for an edit of that line. CPU seconds of one run with children, on an empty cache; clang's own are part of Knockon's, once in a slice and twice in a diff.\n\n\
         | program | criterion | lines | Knockon: functions | lines | Frama-C: functions | lines | elsewhere | both | only Knockon | only Frama-C | diff | clang, s | slice, s | diff, s | Frama-C, s |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    for row in rows {
        let both = row.knockon.intersection(&row.frama_c).count();
        let _ = writeln!(
            text,
            "| {} | {}:{} | {} | {} | {} | {} | {} | {} | {both} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} |",
            row.name,
            row.criterion.0,
            row.criterion.1,
            row.lines.len(),
            row.functions(&row.knockon),
            row.knockon.len(),
            row.functions(&row.frama_c),
            row.frama_c.len(),
            row.elsewhere,
            row.knockon.len() - both,
            row.frama_c.len() - both,
            row.diff_lines,
            row.clang.as_secs_f64(),
            row.slice_seconds,
            row.diff_seconds,
            row.frama_c_seconds
        );
    }
    text.push_str(
        "\nEach difference:\n\n| program | reported only by | lines | why |\n|---|---|---|---|\n",
    );
    for row in rows {
        for (reporter, lines, why) in &row.differences {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {why} |",
                row.name,
                reporter.name(),
                listed(lines)
            );
        }
    }
    text
}

/// `a.c:3, 7, 8; b.c:1`. The lines are sorted.
fn listed(lines: &[Line]) -> String {
    let mut text = String::new();
    let mut last = "";
    for (file, line) in lines {
        let _ = match last {
            "" => write!(text, "{file}:{line}"),
            before if before == file => write!(text, ", {line}"),
            _ => write!(text, "; {file}:{line}"),
        };
        last = file;
    }
    text
}
