//! Does a hunk of C text change anything but layout and comments?
//!
//! **Rules.** The hunk is applied to the old text by itself, and both texts are read as tokens
//! ([`crate::c_tokens`]). The hunk is layout if the tokens are the same. White space in front of a
//! token counts where it decides what a macro is (`#define f(x)` is not `#define f (x)`), and in all
//! of a text that turns macro arguments into strings.
//!
//! **Soundness.** Equal tokens in the same order are the same program, but for positions
//! (`__LINE__`, debug info). A text that cannot be read (a string or comment that does not end) is
//! never layout.
//!
//! **Cost.** Linear in the text, once, and then in the lines around each hunk: a line start between
//! tokens, outside of comments and directives, is *settled*. What stands before one does not change
//! how the rest is read, so only what is between the settled line starts around the hunk is read
//! again. If the hunk leaves something open there, the rest of the text is read.

use crate::c_tokens::{Kind, Token, is_broken, read, spliced, stringises, unspliced};
use crate::edits::Hunk;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Both texts of a file, made ready for a look at each of its hunks.
pub(crate) struct FileLayout<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    /// The settled line starts of the old text, ascending; the end of the text is one if nothing is
    /// open there.
    settled: Vec<usize>,
    is_broken: bool,
    stringises: bool,
}

impl<'a> FileLayout<'a> {
    pub fn new(old_text: &'a str, new_text: &'a str) -> FileLayout<'a> {
        let old: Vec<&str> = old_text.split_inclusive('\n').collect();
        let text = spliced(&old);
        let reading = read(&text);
        let settled: FxHashSet<usize> = reading.settled.into_iter().collect();
        let mut offset = 0;
        let mut lines = vec![0];
        for (number, line) in old.iter().enumerate() {
            let (content, is_continued) = unspliced(line);
            offset += content.len() + usize::from(!is_continued);
            if !is_continued && settled.contains(&offset) {
                lines.push(number + 1);
            }
        }
        FileLayout {
            is_broken: is_broken(&reading.tokens),
            stringises: stringises(&reading.tokens),
            settled: lines,
            old,
            new: new_text.split_inclusive('\n').collect(),
        }
    }

    /// Only layout and comments differ on the lines of the hunk.
    pub fn is_layout_only(&self, hunk: &Hunk) -> bool {
        if self.is_broken {
            return false;
        }
        let start = (hunk.old.start.max(1) as usize - 1).min(self.old.len());
        let end = (hunk.old.end.max(1) as usize - 1).clamp(start, self.old.len());
        let first = self.settled.partition_point(|line| *line <= start) - 1;
        let from = self.settled[first];
        let until = self.settled.partition_point(|line| *line < end);
        let near = self.settled.get(until).copied();
        near.into_iter()
            .chain([self.old.len()])
            .find_map(|until| self.is_same_between(from..until, start..end, hunk))
            .unwrap_or(false)
    }

    /// Between two settled line starts around the hunk the tokens are the same; `None` if the hunk
    /// leaves something open at the second, and there is more to read.
    fn is_same_between(
        &self,
        around: Range<usize>,
        replaced: Range<usize>,
        hunk: &Hunk,
    ) -> Option<bool> {
        let new_start = (hunk.new.start.max(1) as usize - 1).min(self.new.len());
        let new_end = (hunk.new.end.max(1) as usize - 1).clamp(new_start, self.new.len());
        // The line end in front of them is white space.
        let mut applied = vec!["\n"];
        applied.extend(&self.old[around.start..replaced.start]);
        applied.extend(&self.new[new_start..new_end]);
        applied.extend(&self.old[replaced.end..around.end]);
        let mut old = vec!["\n"];
        old.extend(&self.old[around.clone()]);
        let (old, new) = (spliced(&old), spliced(&applied));
        let (before, after) = (read(&old), read(&new));
        if around.end < self.old.len() && after.settled.last() != Some(&new.len()) {
            return None;
        }
        let (before, after) = (before.tokens, after.tokens);
        let spacing_shows = self.stringises || stringises(&after);
        let is_same = before.len() == after.len()
            && before.iter().zip(&after).all(|(left, right)| {
                left.kind == right.kind
                    && left.text == right.text
                    && (!spacing_shows || left.is_spaced == right.is_spaced)
            })
            && directives_are_spaced_alike(&before, &after);
        Some(is_same && !is_broken(&after))
    }
}

/// `#define f(` and `#define f (` are not the same.
fn directives_are_spaced_alike(one: &[Token<'_>], two: &[Token<'_>]) -> bool {
    let mut since_start = None;
    one.iter().zip(two).all(|(left, right)| {
        since_start = match (left.kind, since_start) {
            (Kind::DirectiveStart, _) => Some(0),
            (Kind::DirectiveEnd, _) => None,
            (_, at) => at.map(|at| at + 1),
        };
        since_start != Some(3) || left.text != "(" || left.is_spaced == right.is_spaced
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_diff::text_hunks;

    fn all_layout(old: &str, new: &str) -> bool {
        let hunks = text_hunks(old, new);
        assert!(!hunks.is_empty());
        let layout = FileLayout::new(old, new);
        hunks.iter().all(|hunk| layout.is_layout_only(hunk))
    }

    /// The definition: the hunk applied by itself, and both texts read whole.
    fn is_layout_by_definition(old: &str, new: &str, hunk: &Hunk) -> bool {
        let lines =
            |text: &str| -> Vec<String> { text.split_inclusive('\n').map(str::to_owned).collect() };
        let (old, new) = (lines(old), lines(new));
        let at = |line: u32| line.max(1) as usize - 1;
        let mut applied = old[..at(hunk.old.start)].to_vec();
        applied.extend_from_slice(&new[at(hunk.new.start)..at(hunk.new.end)]);
        applied.extend_from_slice(&old[at(hunk.old.end)..]);
        let text = |lines: &[String]| {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            format!("\n{}", spliced(&lines))
        };
        let (old, applied) = (text(&old), text(&applied));
        let (before, after) = (read(&old).tokens, read(&applied).tokens);
        let spacing_shows = stringises(&before) || stringises(&after);
        let same = |left: &Token<'_>, right: &Token<'_>| {
            left.kind == right.kind
                && left.text == right.text
                && (!spacing_shows || left.is_spaced == right.is_spaced)
        };
        !is_broken(&before)
            && !is_broken(&after)
            && before.len() == after.len()
            && before
                .iter()
                .zip(&after)
                .all(|(left, right)| same(left, right))
            && directives_are_spaced_alike(&before, &after)
    }

    #[test]
    fn what_is_read_around_a_hunk_says_what_the_whole_texts_say() {
        const LINES: [&str; 16] = [
            "int a;",
            "int  a ;",
            "/* x",
            "*/",
            "/* y */ b();",
            "// z",
            "// z \\",
            "#define A 1",
            "#define A 1 \\",
            "#define f(x) x",
            "#define f (x) x",
            "#define s(x) #x",
            "\"t\";",
            "#include <h>",
            "c(); /*",
            "it's",
        ];
        let mut seed = 0x2545_f491_4f6c_dd1d_u64;
        let mut below = |bound: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % bound as u64) as usize
        };
        let mut answers = [0, 0];
        for _ in 0..20_000 {
            // Text that does not end is rare, or nothing is layout.
            let line = |below: &mut dyn FnMut(usize) -> usize| {
                let kinds = if below(8) == 0 { 16 } else { 14 };
                LINES[below(kinds)]
            };
            let old: Vec<&str> = (0..9).map(|_| line(&mut below)).collect();
            let mut new = old.clone();
            for _ in 0..2 {
                new[below(9)] = line(&mut below);
            }
            if below(3) == 0 {
                new.remove(below(9));
            }
            let (old, new) = (old.join("\n"), new.join("\n") + "\n");
            let layout = FileLayout::new(&old, &new);
            for hunk in text_hunks(&old, &new) {
                let expected = is_layout_by_definition(&old, &new, &hunk);
                assert_eq!(
                    layout.is_layout_only(&hunk),
                    expected,
                    "{hunk:?}\n{old}\n---\n{new}"
                );
                answers[usize::from(expected)] += 1;
            }
        }
        assert!(answers.iter().all(|count| *count > 1000), "{answers:?}");
    }

    #[test]
    fn comments_blanks_and_line_breaks_are_layout() {
        assert!(all_layout("int a;\n", "int  a ; // here\n"));
        assert!(all_layout("int a;\nint b;\n", "int a; int b;\n"));
        assert!(all_layout("int a;\n", "/* one\n two */\nint a;\n"));
        assert!(all_layout("int a = 1;\n", "int a \\\n = 1;\n"));
        assert!(all_layout("#define A 1\n", "#define   A  1 /* x */\n"));
    }

    #[test]
    fn other_tokens_are_not_layout() {
        assert!(!all_layout("int a = 1;\n", "int a = 2;\n"));
        assert!(!all_layout("x = a - - b;\n", "x = a -- b;\n"));
        assert!(!all_layout("f(\"a b\");\n", "f(\"a  b\");\n"));
        assert!(!all_layout("#define f(x) x\n", "#define f (x) x\n"));
        assert!(!all_layout("#define A 1\n+ 2;\n", "#define A 1 + 2;\n"));
        assert!(!all_layout("int ab;\n", "int a b;\n"));
    }

    #[test]
    fn a_hunk_that_opens_or_closes_a_comment_is_not_layout() {
        let old = "a();\n/* x */\nb();\n/* y */\nc();\n";
        let new = "a();\n/* x\nb();\n/* y */\nc();\n";
        assert!(!all_layout(old, new));
        assert!(!all_layout("a();\nb();\n", "a(); /*\nb();\n"));
    }

    #[test]
    fn a_splice_that_takes_in_the_next_line_is_not_layout() {
        assert!(!all_layout("// x\na();\n", "// x \\\na();\n"));
        assert!(!all_layout(
            "#define A 1\nint b;\n",
            "#define A 1 \\\nint b;\n"
        ));
    }

    #[test]
    fn a_hunk_inside_a_long_comment_is_layout() {
        assert!(all_layout(
            "/*\n it's old\n*/\na();\n",
            "/*\n it's new\n*/\na();\n"
        ));
    }
}
