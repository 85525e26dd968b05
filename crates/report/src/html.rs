//! One self-contained HTML page: no request leaves it.
//!
//! The summary, the picture and the tables are markup written here and can be
//! read without a script. The annotated source, the filters and the explanations
//! are made by the page's script from embedded JSON, only as far as they are
//! looked at. A content security policy forbids every connection, so that not
//! even a mistake in escaping could load or send something.

mod embedded;
mod escape;
mod reason_tree;
mod sections;
mod spread_layout;
mod spread_picture;

use crate::DiffReport;
use crate::summary::Summary;
use escape::{escaped, script_json};

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/style.css");
/// In this order; they share one scope.
const SCRIPTS: [&str; 6] = [
    include_str!("html/elements.js"),
    include_str!("html/filter.js"),
    include_str!("html/source.js"),
    include_str!("html/why.js"),
    include_str!("html/picture.js"),
    include_str!("html/keyboard.js"),
];

pub(crate) fn diff_html(report: &DiffReport) -> Result<String, serde_json::Error> {
    let embedded = embedded::embed(report);
    let json = serde_json::to_string(&embedded)?;
    let summary = Summary::of(report);
    let parts = [
        ("old", escaped(&report.old.name)),
        ("new", escaped(&report.new.name)),
        ("style", STYLE.to_owned()),
        ("summary", sections::summary(report, &summary)),
        ("spread", sections::spread(report)),
        ("verdicts", sections::verdict_filters(&summary)),
        ("hunks", sections::hunk_options(report)),
        ("tables", sections::tables(report, &embedded.left_out)),
        ("data", script_json(&json)),
        ("script", SCRIPTS.concat()),
    ];
    Ok(filled(PAGE, &parts))
}

/// Puts the parts where the template names them (`{{name}}`), in one pass: a part that looks like
/// a name stays as it is.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut pieces = template.split("{{");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or(("", piece));
        if let Some((_, part)) = parts.iter().find(|(part, _)| *part == name) {
            text.push_str(part);
        }
        text.push_str(rest);
    }
    text
}
