//! Tables in `docs/results.md` are written by the command that measures them, each
//! between two marks of its own, so that no number is ever edited by hand.

use anyhow::{Context, Result};
use std::path::Path;

/// Replaces the section of this name, or appends it.
pub fn replace_section(path: &Path, name: &str, content: &str) -> Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    std::fs::write(path, with_section(&text, name, content))
        .with_context(|| path.display().to_string())
}

fn with_section(text: &str, name: &str, content: &str) -> String {
    let (begin, end) = (
        format!("<!-- {name}: begin -->\n"),
        format!("<!-- {name}: end -->\n"),
    );
    let section = format!("{begin}{}\n{end}", content.trim_end());
    match (text.find(&begin), text.find(&end)) {
        (Some(from), Some(to)) if from < to => {
            format!("{}{section}{}", &text[..from], &text[to + end.len()..])
        }
        _ => format!("{}\n\n{section}", text.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::with_section;

    #[test]
    fn a_section_is_appended_once_and_then_replaced() {
        let first = with_section("# Results\n", "bench", "old\n");
        assert_eq!(
            first,
            "# Results\n\n<!-- bench: begin -->\nold\n<!-- bench: end -->\n"
        );
        let second = with_section(&format!("{first}tail\n"), "bench", "new\n");
        assert_eq!(
            second,
            "# Results\n\n<!-- bench: begin -->\nnew\n<!-- bench: end -->\ntail\n"
        );
    }
}
