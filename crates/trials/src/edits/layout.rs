//! Edits that mean nothing: comments, blank lines, indentation.

use crate::random::Random;

pub(super) const DESCRIPTION: &str = "layout and comments";

/// The same program, laid out and commented otherwise. No line of it ends within a token, so lines
/// may be added anywhere and widened at their ends.
pub(super) fn disturb(text: &str, random: &mut Random) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for line in text.lines() {
        match random.below(16) {
            0 => out.push('\n'),
            1 => out.push_str("// A remark.\n"),
            2 => out.push_str("/* A longer\n   remark. */\n"),
            _ => {}
        }
        if random.chance(5) && !line.starts_with('#') {
            out.push_str("    ");
        }
        out.push_str(line);
        if random.chance(5) && !line.starts_with('#') {
            out.push_str(" /* noted */");
        }
        out.push('\n');
    }
    out
}
