//! How is a set of locations stored so that joining two costs as much as their length? As a sorted
//! list of 64-bit chunks: locations of one object have neighbouring numbers, so chunks are dense.

use smallvec::SmallVec;

/// A set of `u32`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocationSet {
    /// Chunk number and its bits; ascending, no chunk empty.
    chunks: SmallVec<[(u32, u64); 1]>,
}

impl LocationSet {
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    pub fn len(&self) -> usize {
        let ones = |(_, bits): &(u32, u64)| bits.count_ones() as usize;
        self.chunks.iter().map(ones).sum()
    }

    /// Whether it has more than so many chunks.
    pub fn is_longer_than(&self, chunks: usize) -> bool {
        self.chunks.len() > chunks
    }

    pub fn contains(&self, element: u32) -> bool {
        self.chunks
            .binary_search_by_key(&(element / 64), |chunk| chunk.0)
            .is_ok_and(|at| self.chunks[at].1 & (1 << (element % 64)) != 0)
    }

    /// Whether it was new.
    pub fn insert(&mut self, element: u32) -> bool {
        let bit = 1u64 << (element % 64);
        let number = element / 64;
        // Most sets are made in ascending order.
        let found = match self.chunks.last() {
            Some(last) if last.0 == number => Ok(self.chunks.len() - 1),
            Some(last) if last.0 > number => {
                self.chunks.binary_search_by_key(&number, |chunk| chunk.0)
            }
            _ => Err(self.chunks.len()),
        };
        match found {
            Ok(at) => {
                let new = self.chunks[at].1 & bit == 0;
                self.chunks[at].1 |= bit;
                new
            }
            Err(at) => {
                self.chunks.insert(at, (number, bit));
                true
            }
        }
    }

    /// Ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.chunks.iter().flat_map(|&(chunk, bits)| {
            std::iter::successors((bits != 0).then_some(bits), |bits| {
                let rest = bits & (bits - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |bits| chunk * 64 + bits.trailing_zeros())
        })
    }

    /// The elements of both.
    pub fn common(&self, other: &LocationSet) -> LocationSet {
        let chunks = self.common_chunks(other).filter(|row| row.1 != 0);
        LocationSet {
            chunks: chunks.collect(),
        }
    }

    /// How many elements are in both.
    pub fn common_count(&self, other: &LocationSet) -> usize {
        let both = self.common_chunks(other);
        both.map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    /// Whether an element is in both.
    pub fn meets(&self, other: &LocationSet) -> bool {
        self.common_chunks(other).any(|(_, bits)| bits != 0)
    }

    fn common_chunks<'a>(
        &'a self,
        other: &'a LocationSet,
    ) -> impl Iterator<Item = (u32, u64)> + 'a {
        let mut right = other.chunks.as_slice();
        self.chunks.iter().filter_map(move |&(chunk, bits)| {
            right = from_chunk(right, chunk);
            match right.first() {
                Some(&(number, others)) if number == chunk => Some((chunk, bits & others)),
                _ => None,
            }
        })
    }

    /// Adds all of `other`; what was new goes into `fresh` as well. Whether anything was.
    pub fn add_all(&mut self, other: &LocationSet, fresh: &mut LocationSet) -> bool {
        let news = other.without(self);
        if news.is_empty() {
            return false;
        }
        self.join(&news);
        match fresh.is_empty() {
            true => *fresh = news,
            false => fresh.join(&news),
        }
        true
    }

    /// The elements of `self` that are not in `other`.
    pub fn without(&self, other: &LocationSet) -> LocationSet {
        let mut chunks = SmallVec::new();
        let mut right = other.chunks.as_slice();
        for (at, &(chunk, bits)) in self.chunks.iter().enumerate() {
            right = from_chunk(right, chunk);
            let kept = match right.first() {
                Some(&(number, known)) if number == chunk => bits & !known,
                _ => bits,
            };
            if kept != 0 {
                if chunks.len() == 1 {
                    chunks.reserve_exact(self.chunks.len() - at);
                }
                chunks.push((chunk, kept));
            }
        }
        LocationSet { chunks }
    }

    /// Adds all of `other`.
    pub fn join(&mut self, other: &LocationSet) {
        if self.chunks.is_empty() {
            self.chunks.clone_from(&other.chunks);
            return;
        }
        if let [(chunk, bits)] = other.chunks[..]
            && let Ok(at) = self.chunks.binary_search_by_key(&chunk, |chunk| chunk.0)
        {
            self.chunks[at].1 |= bits;
            return;
        }
        // From the end, so that each chunk moves once and those before the first new one never.
        let known = |chunk: u32| self.chunks.binary_search_by_key(&chunk, |row| row.0);
        let mut left = self.chunks.len();
        let news = other.chunks.iter().filter(|row| known(row.0).is_err());
        let mut end = left + news.count();
        self.chunks.resize(end, (0, 0));
        for &(chunk, bits) in other.chunks.iter().rev() {
            while left > 0 && self.chunks[left - 1].0 > chunk {
                left -= 1;
                end -= 1;
                self.chunks[end] = self.chunks[left];
            }
            let mut joined = bits;
            if left > 0 && self.chunks[left - 1].0 == chunk {
                left -= 1;
                joined |= self.chunks[left].1;
            }
            end -= 1;
            self.chunks[end] = (chunk, joined);
        }
    }
}

/// What is left of sorted chunks without those below `chunk`. Long sets meet short ones often:
/// skips by doubling.
fn from_chunk(chunks: &[(u32, u64)], chunk: u32) -> &[(u32, u64)] {
    let mut chunks = chunks;
    let mut step = 1;
    while step < chunks.len() && chunks[step].0 < chunk {
        chunks = &chunks[step..];
        step *= 2;
    }
    while let Some((first, rest)) = chunks.split_first() {
        if first.0 >= chunk {
            break;
        }
        chunks = rest;
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn behaves_like_a_plain_set() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(99);
            (state >> 33) % below
        };
        for _ in 0..300 {
            let (mut sets, mut plain) = (
                [LocationSet::default(), LocationSet::default()],
                [BTreeSet::new(), BTreeSet::new()],
            );
            for side in 0..2 {
                for _ in 0..random(60) {
                    let element = random(2000) as u32;
                    assert_eq!(sets[side].insert(element), plain[side].insert(element));
                }
            }
            let difference: Vec<u32> = sets[0].without(&sets[1]).iter().collect();
            let expected: Vec<u32> = plain[0].difference(&plain[1]).copied().collect();
            assert_eq!(difference, expected);
            let common = plain[0].intersection(&plain[1]).count();
            assert_eq!(sets[0].common_count(&sets[1]), common);
            assert_eq!(sets[0].common(&sets[1]).len(), common);
            assert_eq!(sets[0].meets(&sets[1]), common > 0);
            let [mut one, two] = sets;
            let mut fresh = LocationSet::default();
            let grew = one.add_all(&two, &mut fresh);
            assert_eq!(grew, !fresh.is_empty());
            let union: BTreeSet<u32> = plain[0].union(&plain[1]).copied().collect();
            assert_eq!(one.iter().collect::<BTreeSet<_>>(), union);
            assert_eq!(one.len(), union.len());
            assert!(union.iter().all(|element| one.contains(*element)));
            let news: Vec<u32> = plain[1].difference(&plain[0]).copied().collect();
            assert_eq!(fresh.iter().collect::<Vec<_>>(), news);
        }
    }
}
