//! Into which regions does each object fall?
//!
//! Accesses at one place tell regions apart: two that overlap are in one region, and a region is
//! what is connected by overlaps. Next come accesses at regular steps: a region of theirs is what
//! they touch and no region of the first kind has. What is left of the object is one more region,
//! for accesses that may be anywhere and for copies of whole ranges. So bytes of different regions
//! are different bytes, and an access touches the set of regions that it may overlap.
//!
//! Cost: quadratic in the access patterns of one object, which are bounded.

use super::RegionId;
use super::objects::{ObjectId, Objects};
use super::patterns::Pattern;
use knockon_graphs::Rows;
use smallvec::SmallVec;

/// What makes a region, in the order in which bytes are given to them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum RegionKind {
    Place,
    Steps,
    Rest,
}

pub(crate) type RegionSet = SmallVec<[RegionId; 2]>;

#[derive(Debug)]
pub(crate) struct Partition {
    /// For each object its first region; one more at the end.
    first: Vec<u32>,
    /// For each region its object.
    pub(crate) object_of: Vec<ObjectId>,
    /// For each region its patterns; none for the bytes that no other region names.
    pub(crate) patterns: Rows<Pattern>,
}

pub(crate) fn partition(objects: &Objects) -> Partition {
    let mut partition = Partition {
        first: Vec::with_capacity(objects.len() + 1),
        object_of: Vec::new(),
        patterns: Rows::default(),
    };
    for index in 0..objects.len() {
        partition.first.push(partition.object_of.len() as u32);
        let object = ObjectId(index as u32);
        if !objects.is_root(object) {
            continue;
        }
        let row = objects.row(object);
        let (steps, places): (Vec<Pattern>, Vec<Pattern>) =
            row.accesses.iter().partition(is_at_steps);
        for group in connected(&places).into_iter().chain(connected(&steps)) {
            partition.object_of.push(object);
            partition.patterns.push_row(group);
        }
        if row.is_touched_elsewhere {
            partition.object_of.push(object);
            partition.patterns.push_row([]);
        }
    }
    partition.first.push(partition.object_of.len() as u32);
    partition
}

fn is_at_steps(pattern: &&Pattern) -> bool {
    !pattern.offsets.is_exact()
}

/// Groups of patterns, connected by overlaps, in ascending order.
fn connected(patterns: &[Pattern]) -> Vec<Vec<Pattern>> {
    let mut sorted = patterns.to_vec();
    sorted.sort_unstable();
    let mut groups: Vec<Vec<Pattern>> = Vec::new();
    for pattern in sorted {
        let mut joined = vec![pattern];
        groups.retain_mut(|group| {
            let meets = group.iter().any(|other| other.overlaps(pattern));
            if meets {
                joined.append(group);
            }
            !meets
        });
        groups.push(joined);
    }
    for group in &mut groups {
        group.sort_unstable();
    }
    groups.sort_unstable();
    groups
}

impl Partition {
    pub(crate) fn region_count(&self) -> usize {
        self.object_of.len()
    }

    /// The regions of a root.
    pub(crate) fn of_object(&self, object: ObjectId) -> impl Iterator<Item = RegionId> + use<> {
        (self.first[object.index()]..self.first[object.index() + 1]).map(RegionId)
    }

    /// The regions of a root that a pattern may overlap.
    pub(crate) fn overlapping(&self, object: ObjectId, pattern: Pattern) -> RegionSet {
        let mut found = RegionSet::new();
        let mut covered_by = None;
        for region in self.of_object(object) {
            let kind = self.kind(region);
            // What a region of one kind covers is in none of the next.
            if covered_by.is_some_and(|covering| covering < kind) {
                break;
            }
            let patterns = self.patterns.of(region);
            if patterns.is_empty() {
                found.push(region);
            } else if patterns.iter().any(|own| own.overlaps(pattern)) {
                found.push(region);
                if patterns.iter().any(|own| own.covers(pattern)) {
                    covered_by = Some(kind);
                }
            }
        }
        found
    }

    pub(crate) fn kind(&self, region: RegionId) -> RegionKind {
        match self.patterns.of(region).first() {
            Some(first) if first.offsets.is_exact() => RegionKind::Place,
            Some(_) => RegionKind::Steps,
            None => RegionKind::Rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::offsets::Offsets;
    use super::*;

    fn exact(at: i64, size: u32) -> Pattern {
        Pattern::new(Offsets::exactly(at), size)
    }

    #[test]
    fn overlaps_connect_and_gaps_separate() {
        let groups = connected(&[exact(0, 4), exact(8, 8), exact(4, 4), exact(12, 8)]);
        assert_eq!(
            groups,
            [
                vec![exact(0, 4)],
                vec![exact(4, 4)],
                vec![exact(8, 8), exact(12, 8)]
            ]
        );
    }

    #[test]
    fn members_of_an_array_of_records_are_apart() {
        let member = |at: i64| Pattern::new(Offsets::multiples(16).shifted(at), 8);
        assert_eq!(connected(&[member(0), member(8), member(32)]).len(), 2);
    }
}
