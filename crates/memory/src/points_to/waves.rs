//! In which order do nodes pass on what they have? Sources first, cycles of copies collapsed to one
//! node, arithmetic on a cycle turned into a step by any multiple. Here is also decided where
//! telling objects apart costs more than it gives.

use super::arithmetic::multiples;
use super::location_set::LocationSet;
use super::objects::{LocationId, ObjectId, ObjectKind};
use super::solver::{NodeId, Solver};

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
            if self.escaped.contains(object) {
                self.escaped_locations.insert(index as u32);
            }
        }
        self.mix_large_sets();
        self.forget_doubled_copies();
        self.collapse_cycles();
        Some(self.order_and_fold_arithmetic())
    }

    /// Where a value may point to very many objects, those objects become one.
    pub(super) fn mix_large_sets(&mut self) {
        let mut mixed: Vec<ObjectId> = Vec::new();
        for node in &mut self.nodes {
            // Sets only grow, and fewer and fewer of their objects can be mixed.
            let size = node.set.len();
            if size < MOST_OBJECTS || size == node.unmixed_size {
                continue;
            }
            node.unmixed_size = size;
            let mut objects: Vec<ObjectId> = node
                .set
                .iter()
                .map(|location| self.objects.resolve(LocationId(location)).0)
                .filter(|object| self.objects.can_be_mixed(*object))
                .filter(|object| !self.escaped.contains(object))
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
            let rest = node.set.without(&parts);
            if rest == node.set {
                continue;
            }
            let fresh = !node.fresh.is_empty() && node.fresh.without(&parts) != node.fresh;
            node.fresh = node.fresh.without(&parts);
            node.set = rest;
            node.unmixed_size = 0;
            let is_new = node.set.insert(place.0);
            if fresh || is_new {
                node.fresh.insert(place.0);
                self.busy.push(NodeId(index as u32));
            }
        }
    }

    /// Nodes that became one leave their edges doubled, or as loops.
    fn forget_doubled_copies(&mut self) {
        let mut last_from = vec![u32::MAX; self.nodes.len()];
        for (from, node) in self.nodes.iter_mut().enumerate() {
            node.copies.retain_mut(|to| {
                *to = NodeId(root(&self.parent, *to));
                let from = from as u32;
                to.0 != from && std::mem::replace(&mut last_from[to.0 as usize], from) != from
            });
        }
    }

    pub(super) fn collapse_cycles(&mut self) {
        let (order, component) = super::cycles::components(self.nodes.len(), |node, visit| {
            for to in &self.nodes[node].copies {
                visit(root(&self.parent, *to));
            }
        });
        // Each component is one stretch of the order.
        let mut first: Option<(u32, NodeId)> = None;
        for node in order {
            let id = NodeId(node);
            if self.parent[node as usize] != id {
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
        let (order, component) = super::cycles::components(self.nodes.len(), |node, visit| {
            let row = &self.nodes[node];
            for to in &row.copies {
                visit(root(&self.parent, *to));
            }
            for (_, to) in &row.moves {
                visit(root(&self.parent, *to));
            }
        });
        for node in 0..self.nodes.len() {
            for at in 0..self.nodes[node].moves.len() {
                let (steps, to) = self.nodes[node].moves[at];
                let target = root(&self.parent, to);
                if component[target as usize] != component[node] {
                    continue;
                }
                if let Some(multiple) = multiples(&self.steps[steps as usize]) {
                    let number = self.steps_number(multiple);
                    self.nodes[node].moves[at] = (number, to);
                    self.renew(NodeId(node as u32));
                }
            }
        }
        // Sinks come first in the order; sources must speak first.
        order.into_iter().rev().map(NodeId).collect()
    }
}

fn root(parent: &[NodeId], node: NodeId) -> u32 {
    let mut node = node;
    while parent[node.0 as usize] != node {
        node = parent[node.0 as usize];
    }
    node.0
}
