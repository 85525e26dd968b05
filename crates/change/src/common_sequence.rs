//! Which elements of two sequences are the same, in order?
//!
//! **Source.** Common ends are taken off; elements that occur once in both sequences are anchors,
//! the longest ascending run of them is kept (Cohen's patience diff); what lies between anchors is
//! treated likewise. Where there is no anchor, Myers, *An O(ND) Difference Algorithm* (1986), up
//! to a bounded number of differences; beyond it, each element is matched with the next equal one.
//!
//! **Cost.** Near-linear for sequences that are mostly equal; the bound keeps the rest from
//! becoming quadratic. A worse match is never wrong: what is matched is equal.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// The largest number of differences that is searched between two anchors.
const MOST_DIFFERENCES: usize = 400;

/// Pairs of positions, strictly ascending on both sides.
pub(crate) fn common_sequence(old: &[u64], new: &[u64]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut work = vec![(0..old.len(), 0..new.len())];
    while let Some((mut left, mut right)) = work.pop() {
        while !left.is_empty() && !right.is_empty() && old[left.start] == new[right.start] {
            found.push((left.start as u32, right.start as u32));
            left.start += 1;
            right.start += 1;
        }
        while !left.is_empty() && !right.is_empty() && old[left.end - 1] == new[right.end - 1] {
            left.end -= 1;
            right.end -= 1;
            found.push((left.end as u32, right.end as u32));
        }
        if left.is_empty() || right.is_empty() {
            continue;
        }
        let anchors = anchors(old, new, &left, &right);
        if anchors.is_empty() {
            shortest_edit(old, new, left, right, &mut found);
            continue;
        }
        let (mut from, mut to) = (left.start, right.start);
        for (at, there) in &anchors {
            work.push((from..*at, to..*there));
            found.push((*at as u32, *there as u32));
            (from, to) = (at + 1, there + 1);
        }
        work.push((from..left.end, to..right.end));
    }
    found.sort_unstable();
    found
}

/// The longest run, ascending on both sides, of elements that occur once in both.
fn anchors(
    old: &[u64],
    new: &[u64],
    left: &Range<usize>,
    right: &Range<usize>,
) -> Vec<(usize, usize)> {
    // How often on either side, and where.
    let mut seen: FxHashMap<u64, (u32, u32, usize)> = FxHashMap::default();
    for at in right.clone() {
        let row = seen.entry(new[at]).or_default();
        row.1 += 1;
        row.2 = at;
    }
    for at in left.clone() {
        if let Some(row) = seen.get_mut(&old[at]) {
            row.0 += 1;
        }
    }
    let unique: Vec<(usize, usize)> = left
        .clone()
        .filter_map(|at| match seen.get(&old[at]) {
            Some((1, 1, there)) => Some((at, *there)),
            _ => None,
        })
        .collect();
    longest_ascending(&unique)
}

/// By the second components, for pairs ascending in the first.
fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the pair that ends the best run of it; for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < pair.1);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match length == ends.len() {
            true => ends.push(at),
            false => ends[length] = at,
        }
    }
    let mut run: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |at| before[*at])
            .map(|at| pairs[at])
            .collect();
    run.reverse();
    run
}

/// Myers's greedy search; the furthest points of each round are kept to walk back.
fn shortest_edit(
    old: &[u64],
    new: &[u64],
    left: Range<usize>,
    right: Range<usize>,
    found: &mut Vec<(u32, u32)>,
) {
    let (old, new) = (&old[left.clone()], &new[right.clone()]);
    let most = MOST_DIFFERENCES.min(old.len() + new.len());
    let offset = most as isize + 1;
    let at = |diagonal: isize| (diagonal + offset) as usize;
    let mut furthest = vec![0isize; 2 * most + 3];
    let mut rounds: Vec<Vec<isize>> = Vec::new();
    let follow = |mut x: isize, diagonal: isize| {
        while x < old.len() as isize
            && x - diagonal < new.len() as isize
            && old[x as usize] == new[(x - diagonal) as usize]
        {
            x += 1;
        }
        x
    };
    for differences in 0..=most as isize {
        let first = furthest[at(-differences - 1)..=at(differences + 1)].to_vec();
        rounds.push(first);
        let mut diagonal = -differences;
        while diagonal <= differences {
            let down = diagonal == -differences
                || (diagonal != differences
                    && furthest[at(diagonal - 1)] < furthest[at(diagonal + 1)]);
            let start = match down {
                true => furthest[at(diagonal + 1)],
                false => furthest[at(diagonal - 1)] + 1,
            };
            let x = follow(start, diagonal);
            furthest[at(diagonal)] = x;
            if x >= old.len() as isize && x - diagonal >= new.len() as isize {
                walk_back(&rounds, (old.len(), new.len()), |x, y| {
                    found.push(((left.start + x) as u32, (right.start + y) as u32));
                });
                return;
            }
            diagonal += 2;
        }
    }
    next_equal(old, new, |x, y| {
        found.push(((left.start + x) as u32, (right.start + y) as u32));
    });
}

fn walk_back(rounds: &[Vec<isize>], end: (usize, usize), mut matched: impl FnMut(usize, usize)) {
    let (mut x, mut y) = (end.0 as isize, end.1 as isize);
    for (differences, furthest) in rounds.iter().enumerate().rev() {
        let differences = differences as isize;
        let value = |diagonal: isize| furthest[(diagonal + differences + 1) as usize];
        let diagonal = x - y;
        let down = diagonal == -differences
            || (diagonal != differences && value(diagonal - 1) < value(diagonal + 1));
        let from_diagonal = if down { diagonal + 1 } else { diagonal - 1 };
        let (from_x, from_y) = match differences {
            0 => (0, 0),
            _ => {
                let from = value(from_diagonal);
                (from, from - from_diagonal)
            }
        };
        let start_x = match (differences, down) {
            (0, _) => 0,
            (_, true) => from_x,
            (_, false) => from_x + 1,
        };
        while x > start_x {
            x -= 1;
            y -= 1;
            matched(x as usize, y as usize);
        }
        (x, y) = (from_x, from_y);
    }
}

fn next_equal(old: &[u64], new: &[u64], mut matched: impl FnMut(usize, usize)) {
    let mut places: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (at, token) in old.iter().enumerate() {
        places.entry(*token).or_default().push(at);
    }
    let mut next = 0;
    for (there, token) in new.iter().enumerate() {
        let Some(places) = places.get(token) else {
            continue;
        };
        if let Some(at) = places.get(places.partition_point(|at| *at < next)) {
            matched(*at, there);
            next = at + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest(old: &[u64], new: &[u64]) -> usize {
        let mut table = vec![vec![0; new.len() + 1]; old.len() + 1];
        for x in 0..old.len() {
            for y in 0..new.len() {
                table[x + 1][y + 1] = match old[x] == new[y] {
                    true => table[x][y] + 1,
                    false => table[x][y + 1].max(table[x + 1][y]),
                };
            }
        }
        table[old.len()][new.len()]
    }

    fn sequence(state: &mut u64, most: u64, letters: u64) -> Vec<u64> {
        let mut below = |bound: u64| {
            *state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (*state >> 33) % bound
        };
        (0..below(most)).map(|_| below(letters)).collect()
    }

    #[test]
    fn matches_are_equal_ascending_and_as_long_as_possible_without_anchors() {
        let mut state = 7;
        for round in 0..2000 {
            // Each letter twice at the start of both, so that none is unique.
            let letters = 2 + round % 4;
            let doubled: Vec<u64> = (0..letters).chain(0..letters).collect();
            let mut old = sequence(&mut state, 12, letters);
            let mut new = sequence(&mut state, 12, letters);
            old.extend(&doubled);
            new.splice(0..0, doubled);
            let mut found = Vec::new();
            shortest_edit(&old, &new, 0..old.len(), 0..new.len(), &mut found);
            found.sort_unstable();
            assert!(
                found
                    .iter()
                    .all(|(x, y)| old[*x as usize] == new[*y as usize])
            );
            assert!(
                found
                    .windows(2)
                    .all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1)
            );
            assert_eq!(found.len(), longest(&old, &new), "{old:?} {new:?}");
        }
    }

    #[test]
    fn matches_with_anchors_are_equal_and_ascending() {
        let mut state = 11;
        for round in 0..2000 {
            let letters = 2 + round % 40;
            let old = sequence(&mut state, 30, letters);
            let new = sequence(&mut state, 30, letters);
            let found = common_sequence(&old, &new);
            assert!(
                found
                    .iter()
                    .all(|(x, y)| old[*x as usize] == new[*y as usize])
            );
            assert!(
                found
                    .windows(2)
                    .all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1)
            );
        }
    }

    #[test]
    fn very_different_sequences_take_bounded_time() {
        let old: Vec<u64> = (0..200_000).map(|at| at % 7 * 3).collect();
        let new: Vec<u64> = (0..200_000).map(|at| at % 11 * 2).collect();
        assert!(!common_sequence(&old, &new).is_empty());
    }
}
