//! The table of a soak in `docs/results.md`: by kind of file that was edited.

use super::pair::{Kind, Pair};
use super::verdicts::{Counts, Judged};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
struct Row {
    counts: Counts,
    violating: usize,
}

impl Row {
    fn add(&mut self, judged: &Judged) {
        self.counts.add(&judged.counts);
        self.violating += usize::from(!judged.findings.violations.is_empty());
    }

    fn text(&self, name: &str) -> String {
        let Counts {
            pairs,
            differing_pairs,
            refused,
            differing_lines,
            same_lines,
            unaffected_lines,
        } = &self.counts;
        let percent = match same_lines {
            0 => "–".to_owned(),
            _ => format!(
                "{:.0} %",
                100.0 * *unaffected_lines as f64 / *same_lines as f64
            ),
        };
        format!(
            "| {name} | {pairs} | {differing_pairs} | {refused} | {differing_lines} | {} | {same_lines} | {unaffected_lines} | {percent} |\n",
            self.violating
        )
    }
}

#[derive(Clone, Debug, Default)]
pub struct Table {
    rows: BTreeMap<Vec<Kind>, Row>,
    all: Row,
}

impl Table {
    pub fn add(&mut self, pair: &Pair, judged: &Judged) {
        let kinds = pair.kinds.iter().copied().collect();
        self.rows.entry(kinds).or_default().add(judged);
        self.all.add(judged);
    }

    /// The section of the document. Pairs with two kinds of edits are one row.
    pub fn text(&self, pairs: usize, seed: u64, without: &[Kind]) -> String {
        let mut text = format!(
            "`knockon-trials soak unseen --pairs {pairs}` (a part of `make soak`), seed {seed}: random programs that are split over units, archives, assembly, prebuilt objects, shared libraries and plug-ins, edited and run in both versions; what does not build or ends badly is left out. *Wrong* are pairs that break a law of [soundness.md](soundness.md#programs-of-many-parts). The last columns are lines that print the same in both versions.\n\n"
        );
        if !without.is_empty() {
            let names: Vec<&str> = without.iter().map(|kind| kind.name()).collect();
            text += &format!("Not edited: {}.\n\n", names.join(", "));
        }
        text += "| edited | pairs | output differs | nothing said | lines that differ | wrong | lines that do not | `unaffected` | |\n";
        text += "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
        let mut two = Row::default();
        for (kinds, row) in &self.rows {
            match kinds.as_slice() {
                [kind] => text += &row.text(kind.name()),
                _ => {
                    two.counts.add(&row.counts);
                    two.violating += row.violating;
                }
            }
        }
        if two.counts.pairs > 0 {
            text += &two.text("two kinds of files");
        }
        text + &self.all.text("all")
    }
}
