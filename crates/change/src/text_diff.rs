//! Which lines of a text were replaced by which?
//!
//! The lines that both texts have in common, in order ([`crate::common_sequence`]), are unedited;
//! what lies between them are the hunks. Lines of hunks that have the same tokens are found in the
//! same way.
//!
//! **Cost.** Near-linear.

use crate::Side;
use crate::c_tokens::line_content;
use crate::common_sequence::common_sequence;
use crate::content_hash::Mixer;
use crate::edits::Hunk;

/// Ascending; no two of them touch.
pub fn text_hunks(old: &str, new: &str) -> Vec<Hunk> {
    let lines = |text| -> Vec<&str> { str::split_inclusive(text, '\n').collect() };
    let content = |lines: &[&str]| -> Vec<u64> {
        let lines = lines.iter();
        lines
            .map(|line| Mixer::new("line").text(line).finish().token())
            .collect()
    };
    let (old, new) = (lines(old), lines(new));
    let (here, there) = (content(&old), content(&new));
    let end = (here.len() as u32, there.len() as u32);
    let mut hunks = Vec::new();
    let (mut at, mut beyond) = (0, 0);
    for (next, other) in common_sequence(&here, &there).into_iter().chain([end]) {
        if at < next || beyond < other {
            hunks.push(Hunk {
                old: at + 1..next + 1,
                new: beyond + 1..other + 1,
                same_tokens: Vec::new(),
            });
        }
        (at, beyond) = (next + 1, other + 1);
    }
    let same = same_tokens(&hunks, &old, &new);
    for hunk in &mut hunks {
        let below =
            |line: u32, of: fn(&(u32, u32)) -> u32| same.partition_point(|pair| of(pair) < line);
        let old = below(hunk.old.start, |pair| pair.0)..below(hunk.old.end, |pair| pair.0);
        let new = below(hunk.new.start, |pair| pair.1)..below(hunk.new.end, |pair| pair.1);
        let mut own = [&same[old], &same[new]].concat();
        own.sort_unstable();
        own.dedup();
        hunk.same_tokens = own;
    }
    hunks
}

/// Among the lines of all hunks: a line and its copy in other layout may be in two of them, where
/// blank lines between are taken for unedited.
fn same_tokens(hunks: &[Hunk], old: &[&str], new: &[&str]) -> Vec<(u32, u32)> {
    let contents = |side: Side, text: &[&str]| -> (Vec<u32>, Vec<u64>) {
        let lines = hunks.iter().flat_map(|hunk| hunk.lines(side).clone());
        let with_tokens = lines.filter_map(|line| {
            let content = line_content(text[line as usize - 1])?;
            Some((line, content.token()))
        });
        with_tokens.unzip()
    };
    let (old, here) = contents(Side::Old, old);
    let (new, there) = contents(Side::New, new);
    let same = common_sequence(&here, &there).into_iter();
    same.map(|(one, two)| (old[one as usize], new[two as usize]))
        .collect()
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
            same_tokens: Vec::new(),
        };
        assert_eq!(text_hunks("a\nb\n", "a\nx\nb\n"), [inserted]);
    }

    #[test]
    fn a_line_in_other_layout_is_found_over_a_blank_line() {
        let old = "a();\n\nassert(x);\n\nb();\n";
        let new = "a();\n/* y */\n  assert(x);\n\n// z\nb();\n";
        let hunks = text_hunks(old, new);
        assert!(hunks.len() > 1);
        let with_the_line = hunks.iter().filter(|hunk| hunk.same_tokens == [(3, 3)]);
        assert!(with_the_line.count() >= 1);
    }

    #[test]
    fn lines_of_a_hunk_with_the_same_tokens_are_found() {
        let old = "a();\nassert(x);\n\nb(1);\n";
        let new = "a();\nif (c)\n    assert(x); // holds\n/* b */\n\n  b(2);\n";
        let same: Vec<_> = text_hunks(old, new)
            .into_iter()
            .flat_map(|hunk| hunk.same_tokens)
            .collect();
        assert_eq!(same, [(2, 3)]);
    }
}
