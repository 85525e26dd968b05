//! Which regions of a function may be the same memory, in some call of it?
//!
//! Solving bottom-up gives each function regions that are apart unless the function itself or its
//! callees make them meet. A caller may hand over the same object twice, or one that a global
//! variable reaches. So, callers first, what meets in a caller is pushed down: two regions of the
//! callee that are the same region of a caller become one; a region that is also reached from
//! global variables gets those as *aliases*.
//!
//! Why right, by induction from the entries: an access touches, in each activation, only bytes of
//! the regions in its set. If two sets of the callee's regions have nothing in common, then their
//! places in the caller have nothing in common, where accesses that share a byte share a region.
//!
//! Parameters of functions that are called from outside of a program without `main` are taken to
//! be apart from each other and from what global variables reach.

use super::RegionId;
use super::partition::Partition;
use super::solving::Solver;
use fixedbitset::FixedBitSet;
use knockon_graphs::Rows;

pub(crate) struct Contexts {
    /// For each region the one that stands for it.
    representative: Vec<RegionId>,
    /// For representatives: regions of shared objects that it may be, ascending.
    aliases: Vec<Vec<RegionId>>,
    stands_for_others: FixedBitSet,
}

impl Contexts {
    pub(crate) fn representative(&self, region: RegionId) -> RegionId {
        let mut region = region;
        while self.representative[region.index()] != region {
            region = self.representative[region.index()];
        }
        region
    }

    /// The regions, in the view of their function, that the region is or may be.
    pub(crate) fn expand(&self, region: RegionId, into: &mut Vec<RegionId>) {
        let region = self.representative(region);
        into.push(region);
        into.extend(&self.aliases[region.index()]);
    }

    /// In no context is it another region, too.
    pub(crate) fn is_alone(&self, region: RegionId) -> bool {
        self.representative[region.index()] == region
            && self.aliases[region.index()].is_empty()
            && !self.stands_for_others.contains(region.index())
    }

    /// Whether they were two.
    fn unite(&mut self, left: RegionId, right: RegionId) -> bool {
        let (left, right) = (self.representative(left), self.representative(right));
        if left == right {
            return false;
        }
        let (kept, lost) = (left.min(right), left.max(right));
        self.representative[lost.index()] = kept;
        self.stands_for_others.insert(kept.index());
        let aliases = std::mem::take(&mut self.aliases[lost.index()]);
        self.add_aliases(kept, &aliases);
        true
    }

    /// Whether some are new. Those given are ascending.
    fn add_aliases(&mut self, region: RegionId, aliases: &[RegionId]) -> bool {
        let region = self.representative(region);
        let own = &mut self.aliases[region.index()];
        let is_known = |alias: &RegionId| own.binary_search(alias).is_ok();
        if aliases.iter().all(is_known) {
            return false;
        }
        own.extend(aliases);
        own.sort_unstable();
        own.dedup();
        true
    }
}

pub(crate) fn contexts(
    solver: &Solver,
    partition: &Partition,
    bound: &Rows<(RegionId, RegionId)>,
) -> Contexts {
    let count = partition.region_count();
    let contexts = Contexts {
        representative: (0..count as u32).map(RegionId).collect(),
        aliases: vec![Vec::new(); count],
        stands_for_others: FixedBitSet::with_capacity(count),
    };
    let is_shared = |region: usize| {
        let object = partition.object_of[region];
        solver.objects.row(object).is_shared
    };
    let mut pushing = Pushing {
        contexts,
        bound,
        is_shared: (0..count).filter(|region| is_shared(*region)).collect(),
        found_at: vec![(u32::MAX, RegionId(0)); count],
        expanded: Vec::new(),
        shared: Vec::new(),
        pushes: 0,
    };
    let mut is_waiting = vec![true; solver.functions.len()];
    // Callers have smaller numbers than the components that they call.
    for component in 0..solver.components.count() {
        let members = solver.components.members.of(component);
        loop {
            let mut is_done = true;
            for caller in members {
                if !std::mem::take(&mut is_waiting[caller.index()]) {
                    continue;
                }
                is_done = false;
                for site in solver.calls.sites_of(*caller) {
                    for (binding, callee) in solver.bindings_of(site) {
                        if pushing.push(binding) {
                            is_waiting[callee.index()] = true;
                        }
                    }
                }
            }
            if is_done {
                break;
            }
        }
    }
    pushing.contexts
}

struct Pushing<'a> {
    contexts: Contexts,
    bound: &'a Rows<(RegionId, RegionId)>,
    is_shared: FixedBitSet,
    /// For each region of a caller the callee's region that was found to be it, and by which push.
    found_at: Vec<(u32, RegionId)>,
    expanded: Vec<RegionId>,
    shared: Vec<RegionId>,
    pushes: u32,
}

impl Pushing<'_> {
    /// Whether the callee's view changed.
    fn push(&mut self, binding: usize) -> bool {
        let mut changed = false;
        self.pushes += 1;
        let pairs = self.bound.of(binding);
        for group in pairs.chunk_by(|left, right| left.0 == right.0) {
            self.shared.clear();
            let callee = group[0].0;
            for (_, there) in group {
                self.expanded.clear();
                self.contexts.expand(*there, &mut self.expanded);
                for there in &self.expanded {
                    if self.is_shared.contains(there.index()) {
                        self.shared.push(*there);
                        continue;
                    }
                    let (at, other) = self.found_at[there.index()];
                    if at == self.pushes {
                        changed |= self.contexts.unite(callee, other);
                    } else {
                        self.found_at[there.index()] = (self.pushes, callee);
                    }
                }
            }
            self.shared.sort_unstable();
            self.shared.dedup();
            changed |= self.contexts.add_aliases(callee, &self.shared);
        }
        changed
    }
}
