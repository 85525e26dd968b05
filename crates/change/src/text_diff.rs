//! Which lines of a text were replaced by which?
//!
//! The lines that both texts have in common, in order ([`crate::common_sequence`]), are unedited;
//! what lies between them are the hunks.
//!
//! **Cost.** Near-linear.

use crate::common_sequence::common_sequence;
use crate::content_hash::Mixer;
use crate::edits::Hunk;

/// Ascending; no two of them touch.
pub fn text_hunks(old: &str, new: &str) -> Vec<Hunk> {
    let tokens = |text: &str| -> Vec<u64> {
        let lines = text.split_inclusive('\n');
        lines
            .map(|line| Mixer::new("line").text(line).finish().token())
            .collect()
    };
    let (here, there) = (tokens(old), tokens(new));
    let end = (here.len() as u32, there.len() as u32);
    let mut hunks = Vec::new();
    let (mut at, mut beyond) = (0, 0);
    for (next, other) in common_sequence(&here, &there).into_iter().chain([end]) {
        if at < next || beyond < other {
            hunks.push(Hunk {
                old: at + 1..next + 1,
                new: beyond + 1..other + 1,
            });
        }
        (at, beyond) = (next + 1, other + 1);
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The new text, made of the old one's unedited lines and the new one's hunks.
    fn patched(old: &str, new: &str) -> String {
        let lines =
            |text: &str| -> Vec<String> { text.split_inclusive('\n').map(str::to_owned).collect() };
        let (here, there) = (lines(old), lines(new));
        let mut text = String::new();
        let mut at = 1;
        for hunk in text_hunks(old, new) {
            text.extend(
                here[at as usize - 1..hunk.old.start as usize - 1]
                    .iter()
                    .cloned(),
            );
            let inserted = hunk.new.start as usize - 1..hunk.new.end as usize - 1;
            text.extend(there[inserted].iter().cloned());
            at = hunk.old.end;
        }
        text.extend(here[at as usize - 1..].iter().cloned());
        text
    }

    #[test]
    fn hunks_turn_the_old_text_into_the_new() {
        let mut state = 3u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 33) % bound
        };
        for _ in 0..1000 {
            let mut text =
                |count: u64| -> String { (0..count).map(|_| format!("{}\n", below(6))).collect() };
            let (old, new) = (text(14), text(12));
            assert_eq!(patched(&old, &new), new);
        }
    }

    #[test]
    fn equal_texts_have_no_hunk_and_an_inserted_line_one() {
        assert_eq!(text_hunks("a\nb\n", "a\nb\n"), []);
        let inserted = Hunk {
            old: 2..2,
            new: 2..3,
        };
        assert_eq!(text_hunks("a\nb\n", "a\nx\nb\n"), [inserted]);
    }
}
