//! What is the smallest pair that still breaks the law? Runs of lines are dropped from both versions,
//! then files; a candidate is kept if `fails` still holds.

use super::pair::Pair;

/// Without what is returned, a function of C gives anything.
const KEPT: [&str; 2] = ["    return", "    unsigned x"];

pub fn reduce(pair: &Pair, tries: usize, fails: &mut dyn FnMut(&Pair) -> bool) -> Pair {
    let mut search = Search {
        best: pair.clone(),
        tries,
        fails,
    };
    loop {
        let before = search.best.clone();
        search.drop_files();
        search.drop_functions();
        search.drop_lines();
        if search.best == before || search.tries == 0 {
            return search.best;
        }
    }
}

struct Search<'a> {
    best: Pair,
    tries: usize,
    fails: &'a mut dyn FnMut(&Pair) -> bool,
}

impl Search<'_> {
    fn attempt(&mut self, candidate: Pair) -> bool {
        if self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        let fails = (self.fails)(&candidate);
        if fails {
            self.best = candidate;
        }
        fails
    }

    /// A file goes with the commands that name it, and its outputs.
    fn drop_files(&mut self) {
        let names: Vec<String> = self.best.files.keys().cloned().collect();
        for name in names {
            let mut candidate = self.best.clone();
            candidate.files.remove(&name);
            let stem = name.split('.').next().unwrap_or(&name).to_owned();
            let outputs = [
                format!("{stem}.o"),
                format!("lib{stem}.a"),
                format!("-l{stem}"),
                format!("{stem}.so"),
                name.clone(),
            ];
            candidate.prepare.retain(|command| !command.contains(&name));
            if let Some(makefile) = candidate.files.get_mut("Makefile") {
                makefile.retain(|line| {
                    let text = line.new.as_deref().unwrap_or_default();
                    text.contains("-o prog") || !text.contains(&format!(" {name}"))
                });
                for line in makefile {
                    let text = line.new.clone().unwrap_or_default();
                    let words = text
                        .split(' ')
                        .filter(|word| !outputs.iter().any(|one| one == word));
                    let text = words.collect::<Vec<_>>().join(" ");
                    (line.old, line.new) = (Some(text.clone()), Some(text));
                }
            }
            self.attempt(candidate);
        }
    }

    /// From a line that opens a body to the one that closes it.
    fn drop_functions(&mut self) {
        let names: Vec<String> = self.best.files.keys().cloned().collect();
        for name in names {
            let mut end = self.best.files.get(&name).map_or(0, Vec::len);
            while end > 0 {
                end -= 1;
                let Some(lines) = self.best.files.get(&name) else {
                    break;
                };
                let text = |place: usize| lines[place].new.as_deref().unwrap_or_default();
                if text(end) != "}" {
                    continue;
                }
                let Some(start) = (0..end)
                    .rev()
                    .find(|place| !text(*place).starts_with(' ') && text(*place).ends_with('{'))
                else {
                    continue;
                };
                let mut candidate = self.best.clone();
                if let Some(lines) = candidate.files.get_mut(&name) {
                    lines.drain(start..=end);
                }
                self.attempt(candidate);
                end = start;
            }
        }
    }

    fn drop_lines(&mut self) {
        let names: Vec<String> = self.best.files.keys().cloned().collect();
        for run in [4, 1] {
            for name in &names {
                let mut end = self.best.files.get(name).map_or(0, Vec::len);
                while end > 0 {
                    let start = end.saturating_sub(run);
                    let mut candidate = self.best.clone();
                    let Some(lines) = candidate.files.get_mut(name) else {
                        break;
                    };
                    let is_kept = lines[start..end].iter().any(|line| {
                        let text = line.new.as_deref().unwrap_or_default();
                        line.differs() || KEPT.iter().any(|kept| text.starts_with(kept))
                    });
                    if !is_kept {
                        lines.drain(start..end);
                        self.attempt(candidate);
                    }
                    end = start;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unseen::pair::Line;

    #[test]
    fn only_what_matters_is_left() {
        let lines = ["a", "b", "c", "d", "e", "f"].map(Line::same).to_vec();
        let files = [
            ("main.c".to_owned(), lines),
            ("u1.c".to_owned(), Vec::new()),
        ];
        let pair = Pair {
            prepare: Vec::new(),
            files: files.into(),
            kinds: Default::default(),
        };
        let mut fails = |pair: &Pair| {
            let lines = pair.files.get("main.c");
            lines.is_some_and(|lines| lines.contains(&Line::same("c")))
        };
        let small = reduce(&pair, 100, &mut fails);
        let wanted = [("main.c".to_owned(), vec![Line::same("c")])];
        assert_eq!(small.files, wanted.into());
    }
}
