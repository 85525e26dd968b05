//! Random edits: one place in one kind of file, sometimes a second one, sometimes none.

use super::pair::{Kind, Line, Pair};
use super::project::draft::{Draft, Edit};
use super::project::project;
use crate::random::Random;
use std::collections::BTreeSet;

/// The pair of a seed. Nothing is edited in files of the kinds `without`.
pub fn random_pair(seed: u64, without: &[Kind]) -> Pair {
    let mut random = Random::new(seed);
    let draft = project(random.fork());
    let mut pair = Pair {
        prepare: draft.prepare.clone(),
        files: draft
            .files
            .iter()
            .map(|(name, file)| {
                let lines = file.lines.iter();
                let texts = lines.flat_map(|line| line.text.lines().map(Line::same));
                (name.clone(), texts.collect())
            })
            .collect(),
        kinds: BTreeSet::new(),
    };
    let edits = match random.below(100) {
        0..5 => 0,
        5..85 => 1,
        _ => 2,
    };
    for _ in 0..edits {
        edit(&mut random, &draft, without, &mut pair);
    }
    if !pair.is_changed() {
        pair.kinds = [Kind::Nothing].into();
    }
    pair
}

/// Each kind of file is as likely as the others, whatever there is of it.
fn edit(random: &mut Random, draft: &Draft, without: &[Kind], pair: &mut Pair) {
    let has_edits = |name: &&String| {
        draft.files[*name]
            .lines
            .iter()
            .any(|line| !line.edits.is_empty())
    };
    let names: Vec<&String> = draft.files.keys().filter(has_edits).collect();
    let kinds: BTreeSet<Kind> = names
        .iter()
        .map(|name| draft.files[*name].kind)
        .filter(|kind| !without.contains(kind))
        .collect();
    let kinds: Vec<Kind> = kinds.into_iter().collect();
    if kinds.is_empty() {
        return;
    }
    let mut kind = *random.pick(&kinds);
    if kind == Kind::Documentation {
        // One in many.
        kind = *random.pick(&kinds);
    }
    let names: Vec<&String> = names
        .into_iter()
        .filter(|name| draft.files[*name].kind == kind)
        .collect();
    let name = *random.pick(&names);
    let lines = &draft.files[name].lines;
    let places: Vec<usize> = (0..lines.len())
        .filter(|place| !lines[*place].edits.is_empty())
        .collect();
    let chosen = &lines[*random.pick(&places)];
    let Some(file) = pair.files.get_mut(name) else {
        return;
    };
    // A second edit may be where the first one was; then there is one.
    let same = |line: &Line| !line.differs() && line.new.as_ref() == Some(&chosen.text);
    let Some(place) = file.iter().position(same) else {
        return;
    };
    match random.pick(&chosen.edits) {
        Edit::Instead(text) => file[place].new = Some(text.clone()),
        Edit::Gone => file[place].new = None,
        Edit::Then(text) => file.insert(
            place + 1,
            Line {
                old: None,
                new: Some(text.clone()),
            },
        ),
    }
    pair.kinds.insert(kind);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_pair_and_most_pairs_change() {
        assert_eq!(random_pair(4, &[]), random_pair(4, &[]));
        let changed = (0..100).filter(|seed| random_pair(*seed, &[]).is_changed());
        assert!(changed.count() > 80);
    }

    #[test]
    fn nothing_is_edited_in_files_of_kinds_that_are_left_out() {
        for seed in 0..100 {
            let pair = random_pair(seed, &[Kind::Unit, Kind::PrebuiltObject]);
            assert!(!pair.kinds.contains(&Kind::Unit), "{seed}");
            assert!(!pair.kinds.contains(&Kind::PrebuiltObject), "{seed}");
        }
    }
}
