//! What is the smallest pair that still fails? Both texts are aligned line by line and shrink in
//! step: blocks, runs of lines and the braces around a block are removed from both at once, as long
//! as the given test holds. Texts without a tree (csmith's) shrink the same way.
//!
//! Cost: the alignment is quadratic in the lines that differ; then at most `tries` tests.

/// A line of the old and of the new text; one of them may be missing.
type Row = (Option<String>, Option<String>);

/// Shrinks a pair while `fails` holds, asking it at most `tries` times.
pub fn reduce_pair(
    old: &str,
    new: &str,
    tries: usize,
    fails: &mut dyn FnMut(&str, &str) -> bool,
) -> (String, String) {
    let mut search = Search {
        rows: align(old, new),
        tries,
        fails,
    };
    loop {
        let before = search.rows.len();
        search.drop_blocks();
        search.drop_runs();
        search.drop_braces();
        if search.rows.len() == before || search.tries == 0 {
            return texts(&search.rows);
        }
    }
}

struct Search<'a> {
    rows: Vec<Row>,
    tries: usize,
    fails: &'a mut dyn FnMut(&str, &str) -> bool,
}

impl Search<'_> {
    fn try_without(&mut self, removed: impl Fn(usize) -> bool) -> bool {
        let kept = self.rows.iter().enumerate();
        let kept = kept.filter(|(place, _)| !removed(*place));
        let kept: Vec<Row> = kept.map(|(_, row)| row.clone()).collect();
        let (old, new) = texts(&kept);
        if self.tries == 0 || !is_balanced(&old) || !is_balanced(&new) {
            return false;
        }
        self.tries -= 1;
        let fails = (self.fails)(&old, &new);
        if fails {
            self.rows = kept;
        }
        fails
    }

    /// The row that closes the block which this row opens, in whichever text has it.
    fn end_of_block(&self, start: usize) -> Option<usize> {
        let opens = |line: &Option<String>| line.as_ref().is_some_and(|line| line.ends_with('{'));
        let side = |row: &Row| -> Option<String> {
            if opens(&self.rows[start].1) {
                row.1.clone()
            } else {
                row.0.clone()
            }
        };
        if !opens(&self.rows[start].0) && !opens(&self.rows[start].1) {
            return None;
        }
        let mut depth = 0;
        for (place, row) in self.rows.iter().enumerate().skip(start) {
            let line = side(row).unwrap_or_default();
            depth += depth_change(&line);
            if depth <= 0 && place > start {
                return Some(place);
            }
        }
        None
    }

    /// Outer blocks first: a function that is not needed goes at once.
    fn drop_blocks(&mut self) {
        let mut start = 0;
        while start < self.rows.len() {
            match self.end_of_block(start) {
                Some(end) if self.try_without(|place| (start..=end).contains(&place)) => {}
                _ => start += 1,
            }
        }
    }

    fn drop_runs(&mut self) {
        let mut run = self.rows.len() / 2;
        while run > 0 {
            let mut end = self.rows.len();
            while end > 0 {
                let start = end.saturating_sub(run);
                self.try_without(|place| (start..end).contains(&place));
                end = start.min(self.rows.len());
            }
            run /= 2;
        }
    }

    fn drop_braces(&mut self) {
        let mut start = self.rows.len();
        while start > 0 {
            start = (start - 1).min(self.rows.len().saturating_sub(1));
            if let Some(end) = self.end_of_block(start) {
                self.try_without(|place| place == start || place == end);
            }
        }
    }
}

fn depth_change(line: &str) -> i64 {
    let count = |brace: char| line.matches(brace).count() as i64;
    count('{') - count('}')
}

fn is_balanced(text: &str) -> bool {
    let mut depth = 0;
    for line in text.lines() {
        depth += depth_change(line);
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

fn texts(rows: &[Row]) -> (String, String) {
    let (mut old, mut new) = (String::new(), String::new());
    for (before, after) in rows {
        for (line, text) in [(before, &mut old), (after, &mut new)] {
            if let Some(line) = line {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    (old, new)
}

/// The lines of both texts, equal ones side by side: a longest common subsequence.
fn align(old: &str, new: &str) -> Vec<Row> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let both = |line: &str| (Some(line.to_string()), Some(line.to_string()));
    let same = |one: &&&str, other: &&&str| one == other;
    let front = old
        .iter()
        .zip(&new)
        .take_while(|(one, other)| same(one, other))
        .count();
    let back = old[front..]
        .iter()
        .rev()
        .zip(new[front..].iter().rev())
        .take_while(|(one, other)| same(one, other))
        .count();
    let mut rows: Vec<Row> = old[..front].iter().map(|line| both(line)).collect();
    let (left, right) = (&old[front..old.len() - back], &new[front..new.len() - back]);
    let width = right.len() + 1;
    let mut longest = vec![0u32; (left.len() + 1) * width];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            longest[i * width + j] = if left[i] == right[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        if i < left.len() && j < right.len() && left[i] == right[j] {
            rows.push(both(left[i]));
            (i, j) = (i + 1, j + 1);
        } else if j >= right.len()
            || i < left.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1]
        {
            rows.push((Some(left[i].to_string()), None));
            i += 1;
        } else {
            rows.push((None, Some(right[j].to_string())));
            j += 1;
        }
    }
    rows.extend(old[old.len() - back..].iter().map(|line| both(line)));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::own_pair;

    #[test]
    fn aligned_rows_are_both_texts() {
        for index in 0..30 {
            let pair = own_pair(9, index).1;
            assert_eq!(texts(&align(&pair.old, &pair.new)), (pair.old, pair.new));
        }
    }

    #[test]
    fn a_pair_shrinks_to_what_the_test_demands() {
        let pair = (0..100)
            .map(|index| own_pair(2, index).1)
            .find(|pair| pair.old != pair.new && pair.old.contains("mix("))
            .unwrap();
        let (old, new) = reduce_pair(&pair.old, &pair.new, 5000, &mut |old, new| {
            old != new && old.contains("mix(") && new.contains("mix(")
        });
        assert!(old.lines().count() <= 6, "{old}");
        assert!(new.lines().count() <= 6, "{new}");
    }
}
