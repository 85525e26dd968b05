//! How is a set of locations stored so that joining two costs as much as their length? As a sorted
//! list of 64-bit chunks: locations of one object have neighbouring numbers, so chunks are dense.

/// A set of `u32`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocationSet {
    /// Chunk number and its bits; ascending, no chunk empty.
    chunks: Vec<(u32, u64)>,
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
        match self
            .chunks
            .binary_search_by_key(&(element / 64), |chunk| chunk.0)
        {
            Ok(at) => {
                let new = self.chunks[at].1 & bit == 0;
                self.chunks[at].1 |= bit;
                new
            }
            Err(at) => {
                self.chunks.insert(at, (element / 64, bit));
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

    /// Adds all of `other`; what was new goes into `fresh` as well. Whether anything was.
    pub fn add_all(&mut self, other: &LocationSet, fresh: &mut LocationSet) -> bool {
        let news = other.without(self);
        if news.is_empty() {
            return false;
        }
        self.join(&news);
        fresh.join(&news);
        true
    }

    /// The elements of `self` that are not in `other`.
    pub fn without(&self, other: &LocationSet) -> LocationSet {
        let mut chunks = Vec::new();
        let mut right = other.chunks.as_slice();
        for &(chunk, bits) in &self.chunks {
            // Long sets meet short ones often: skip by doubling.
            let mut step = 1;
            while step < right.len() && right[step].0 < chunk {
                right = &right[step..];
                step *= 2;
            }
            while let Some((first, rest)) = right.split_first() {
                if first.0 >= chunk {
                    break;
                }
                right = rest;
            }
            let kept = match right.first() {
                Some(&(other, known)) if other == chunk => bits & !known,
                _ => bits,
            };
            if kept != 0 {
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
        let mut joined = Vec::with_capacity(self.chunks.len() + other.chunks.len());
        let (mut left, mut right) = (
            self.chunks.iter().peekable(),
            other.chunks.iter().peekable(),
        );
        loop {
            match (left.peek(), right.peek()) {
                (Some(&&(one, bits)), Some(&&(two, more))) => {
                    if one == two {
                        joined.push((one, bits | more));
                        left.next();
                        right.next();
                    } else if one < two {
                        joined.push((one, bits));
                        left.next();
                    } else {
                        joined.push((two, more));
                        right.next();
                    }
                }
                (Some(_), None) => {
                    joined.extend(left);
                    break;
                }
                (None, _) => {
                    joined.extend(right);
                    break;
                }
            }
        }
        self.chunks = joined;
    }
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
