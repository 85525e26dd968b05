//! In which order do nodes pass on what they have? Sources first, cycles of copies collapsed to one
//! node, arithmetic on a cycle turned into a step by any multiple. Here is also decided where
//! telling objects apart costs more than it gives.

use super::arithmetic::multiples;
use super::location_set::LocationSet;
use super::objects::{LocationId, ObjectId, ObjectKind};
use super::solver::{NodeId, Solver};
use knockon_graphs::Rows;

/// If a value may point to so many objects that can be written, they are no longer told apart.
const MOST_OBJECTS: usize = 64;

impl Solver<'_> {
    /// Collapses cycles of copies, turns arithmetic on cycles into multiples, and gives the nodes
    /// that have something to pass on in topological order; `None` when there are none.
    pub(super) fn next_wave(&mut self) -> Option<Vec<NodeId>> {
        if self.busy.is_empty() {
            return None;
        }
        for (index, (object, _)) in self.objects.locations.iter().enumerate().skip(1) {
            if self.has_escaped(*object) {
                self.escaped_locations.insert(index as u32);
            }
        }
        self.mix_large_sets();
        self.collapse_cycles();
        Some(self.order_and_fold_arithmetic())
    }

    /// Where a value may point to very many objects, those objects become one.
    pub(super) fn mix_large_sets(&mut self) {
        let mut mixed: Vec<ObjectId> = Vec::new();
        // The locations whose objects can be mixed, and the object of each location.
        let mut mixable = LocationSet::default();
        let mut owners = Vec::with_capacity(self.objects.locations.len());
        for location in 0..self.objects.locations.len() as u32 {
            let (object, _) = self.objects.resolve(LocationId(location));
            owners.push(object);
            if self.objects.can_be_mixed(object) && !self.has_escaped(object) {
                mixable.insert(location);
            }
        }
        // Fewer and fewer objects can be mixed, so only a set that grew is looked at again.
        for node in self.busy.take_grown() {
            let set = &self.nodes[node.0 as usize].set;
            if set.common_count(&mixable) < MOST_OBJECTS {
                continue;
            }
            let both = set.common(&mixable);
            let mut objects: Vec<ObjectId> = both
                .iter()
                .map(|location| owners[location as usize])
                .collect();
            objects.dedup();
            objects.sort_unstable();
            objects.dedup();
            if objects.len() >= MOST_OBJECTS {
                mixed.extend(objects);
            }
        }
        if mixed.is_empty() {
            return;
        }
        mixed.sort_unstable();
        mixed.dedup();
        self.mixed_objects += mixed.len();
        let whole = self.objects.add(ObjectKind::Mixed, None);
        let content = self.word(whole, 0);
        for object in mixed {
            self.collapse(object);
            let word = self.word(object, 0);
            self.unify(content, word);
            self.objects.get_mut(object).part_of = Some(whole);
        }
        // The location of the whole takes the place of those of its parts.
        let place = self.objects.location(whole, 0);
        let mut parts = LocationSet::default();
        for (index, (object, _)) in self.objects.locations.iter().enumerate() {
            if self.objects.get(*object).part_of.is_some() {
                parts.insert(index as u32);
            }
        }
        for (index, node) in self.nodes.iter_mut().enumerate() {
            if !node.set.meets(&parts) {
                continue;
            }
            let rest = node.set.without(&parts);
            let fresh = !node.fresh.is_empty() && node.fresh.without(&parts) != node.fresh;
            node.fresh = node.fresh.without(&parts);
            node.set = rest;
            let is_new = node.set.insert(place.0);
            if fresh || is_new {
                node.fresh.insert(place.0);
                self.busy.push(NodeId(index as u32));
            }
        }
    }

    /// The nodes that stand for themselves, in ascending order, and for every node the place in it
    /// of the one that stands for it.
    fn live_nodes(&mut self) -> (Vec<NodeId>, Vec<u32>) {
        let count = self.nodes.len();
        let mut live = Vec::with_capacity(count);
        let mut place = vec![0; count];
        for (index, parent) in self.parent.iter().enumerate() {
            if parent.0 as usize == index {
                place[index] = live.len() as u32;
                live.push(*parent);
            }
        }
        for index in 0..count {
            let root = self.find(NodeId(index as u32));
            place[index] = place[root.0 as usize];
        }
        (live, place)
    }

    pub(super) fn collapse_cycles(&mut self) {
        let (live, place) = self.live_nodes();
        let mut edges = Rows::with_capacity(live.len(), 2 * live.len());
        let mut last_from = vec![u32::MAX; live.len()];
        for (from, node) in live.iter().enumerate() {
            let from = from as u32;
            let copies = &mut self.copies[node.0 as usize];
            // Nodes that became one leave their edges doubled, or as loops.
            copies.retain_mut(|to| {
                let at = place[to.0 as usize];
                *to = live[at as usize];
                at != from && std::mem::replace(&mut last_from[at as usize], from) != from
            });
            edges.push_row(copies.iter().map(|to| place[to.0 as usize]));
        }
        let (order, component) = super::cycles::components(&edges);
        // Each component is one stretch of the order.
        let mut first: Option<(u32, NodeId)> = None;
        for node in order {
            let id = live[node as usize];
            if self.parent[id.0 as usize] != id {
                continue;
            }
            match first {
                Some((known, first)) if known == component[node as usize] => {
                    self.unify(first, id);
                }
                _ => first = Some((component[node as usize], id)),
            }
        }
    }

    pub(super) fn order_and_fold_arithmetic(&mut self) -> Vec<NodeId> {
        let (live, place) = self.live_nodes();
        let mut edges = Rows::with_capacity(live.len(), 2 * live.len());
        for node in &live {
            let copies = self.copies[node.0 as usize].iter().copied();
            let moves = self.moves[node.0 as usize].iter().map(|(_, to)| *to);
            let all = copies.chain(moves);
            edges.push_row(all.map(|to| place[to.0 as usize]));
        }
        let (order, component) = super::cycles::components(&edges);
        for (node, id) in live.iter().enumerate() {
            for at in 0..self.moves[id.0 as usize].len() {
                let (steps, to) = self.moves[id.0 as usize][at];
                let target = place[to.0 as usize];
                if component[target as usize] != component[node] {
                    continue;
                }
                if let Some(multiple) = multiples(&self.steps[steps as usize]) {
                    let number = self.steps_number(multiple);
                    self.moves[id.0 as usize][at] = (number, to);
                    self.renew(*id);
                }
            }
        }
        // Sinks come first in the order; sources must speak first.
        let order = order.into_iter().rev();
        order.map(|node| live[node as usize]).collect()
    }
}
