//! **Question.** Which functions may execute after which, for all functions at once?
//!
//! **Source.** [sea] §3.2, Fig. 5 and Lemma 1: the relation between the strongly connected
//! components of the call graph instead of between procedures.
//!
//! **Rules.** In the order graph g executes after f exactly when an edge out of f's entry or ends
//! leads on to g's entry or to one of g's sinks, to which all its components lead. So the relation is the transitive closure of
//! that graph, taken over its strongly connected components in reverse topological order, with
//! bit sets. Functions whose entries and ends lie in the same components share a *row*, functions
//! whose entries and sinks do share a *column*.
//!
//! **Departures.** Fig. 5 forms the Cartesian product of what came before and what is called at
//! each component; the same pairs come out of the closure without writing any pair twice. Lemma 1
//! holds where every call returns; rows and columns are as coarse as it says there and finer where
//! a function of a recursive group cannot return.
//!
//! **Soundness.** The same graph as for one function, and the tests hold both against each other
//! and against runs.
//!
//! **Cost.** Edges times columns, 64 columns an operation; a block of columns at a time, so that
//! beside the result only a bounded table of sets is held.

use crate::Procedure;
use crate::component_graph::ComponentGraph;
use crate::order_graph::OrderGraph;
use knockon_graphs::{Rows, components};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::hash::Hash;
use std::ops::Range;

/// The sets of one block of columns have at most about this many bytes; mostly far fewer, since
/// they are shared.
const BLOCK_BYTES: usize = 1 << 30;

/// A relation between classes of functions.
#[derive(Clone, Debug)]
pub struct CondensedRelation {
    pub rows: Classes,
    pub columns: Classes,
    words: usize,
    bits: Vec<u64>,
}

/// Functions with equal rows, or with equal columns.
#[derive(Clone, Debug)]
pub struct Classes {
    class_of: Vec<u32>,
    pub members: Rows<Procedure>,
}

const NONE: u32 = u32::MAX;

impl Classes {
    fn new<K: Hash + Eq>(
        components: &ComponentGraph,
        key: impl Fn(Procedure) -> K,
    ) -> (Classes, Vec<K>) {
        let mut numbers: FxHashMap<K, u32> = FxHashMap::default();
        let mut class_of = vec![NONE; components.procedure_count()];
        let mut pairs = Vec::new();
        for procedure in components.functions() {
            let next = numbers.len() as u32;
            let class = *numbers.entry(key(procedure)).or_insert(next);
            class_of[procedure.index()] = class;
            pairs.push((class as usize, procedure));
        }
        let members = Rows::from_pairs(numbers.len(), &pairs);
        let mut keys: Vec<(u32, K)> = numbers.into_iter().map(|(key, at)| (at, key)).collect();
        keys.sort_unstable_by_key(|(at, _)| *at);
        let keys = keys.into_iter().map(|(_, key)| key).collect();
        (Classes { class_of, members }, keys)
    }

    pub fn count(&self) -> usize {
        self.members.row_count()
    }

    /// `None` for what is no function with a body.
    pub fn class_of(&self, procedure: Procedure) -> Option<usize> {
        let class = self.class_of[procedure.index()];
        (class != NONE).then_some(class as usize)
    }
}

impl CondensedRelation {
    pub fn contains(&self, earlier: Procedure, later: Procedure) -> bool {
        match (self.rows.class_of(earlier), self.columns.class_of(later)) {
            (Some(row), Some(column)) => self.has(row, column),
            _ => false,
        }
    }

    fn has(&self, row: usize, column: usize) -> bool {
        self.bits[row * self.words + column / 64] & (1 << (column % 64)) != 0
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..][..self.words]
    }

    /// The functions related with one, ascending.
    pub fn related(&self, function: Procedure) -> Vec<Procedure> {
        let mut related = Vec::new();
        if let Some(row) = self.rows.class_of(function) {
            for column in ones(self.row(row)) {
                related.extend(self.columns.members.of(column));
            }
        }
        related.sort_unstable();
        related
    }

    /// How many pairs of functions the relation has.
    pub fn pair_count(&self) -> u64 {
        let weight = |column: usize| self.columns.members.of(column).len() as u64;
        let several: Vec<usize> = (0..self.columns.count())
            .filter(|column| weight(*column) > 1)
            .collect();
        (0..self.rows.count())
            .map(|row| {
                let ones: u64 = self
                    .row(row)
                    .iter()
                    .map(|word| u64::from(word.count_ones()))
                    .sum();
                let more: u64 = several
                    .iter()
                    .filter(|column| self.has(row, **column))
                    .map(|column| weight(*column) - 1)
                    .sum();
                (ones + more) * self.rows.members.of(row).len() as u64
            })
            .sum()
    }

    /// SEB for SEA.
    pub fn inverse(&self) -> CondensedRelation {
        let words = self.rows.count().div_ceil(64);
        let mut bits = vec![0u64; self.columns.count() * words];
        for row in 0..self.rows.count() {
            for column in ones(self.row(row)) {
                bits[column * words + row / 64] |= 1 << (row % 64);
            }
        }
        CondensedRelation {
            rows: self.columns.clone(),
            columns: self.rows.clone(),
            words,
            bits,
        }
    }

    /// The bytes of the condensed form.
    pub fn byte_count(&self) -> usize {
        self.bits.len() * size_of::<u64>()
    }
}

/// SEA for all functions, without the identity.
pub fn execute_after_all(components: &ComponentGraph, order: &OrderGraph) -> CondensedRelation {
    execute_after_all_in_blocks(components, order, BLOCK_BYTES)
}

fn execute_after_all_in_blocks(
    graph: &ComponentGraph,
    order: &OrderGraph,
    block_bytes: usize,
) -> CondensedRelation {
    let found = components(&order.edges);
    let condensed = narrowed(found.condensation(&order.edges));
    let number = |node: crate::order_graph::OrderNode| found.component_of[node.index()];
    let (columns, seen_at) = Classes::new(graph, |procedure| {
        let sinks = graph.sinks_of(procedure);
        let mut seen_at: SmallVec<[u32; 2]> =
            sinks.map(|sink| number(order.node_of(sink))).collect();
        seen_at.push(number(order.entry(procedure)));
        seen_at.sort_unstable();
        seen_at.dedup();
        seen_at
    });
    let (rows, starts) = Classes::new(graph, |procedure| {
        let mut starts = [NONE; 4];
        starts[0] = number(order.entry(procedure));
        for (end, way) in graph.ends_of(procedure) {
            starts[1 + way.index()] = number(order.node_of(end));
        }
        starts
    });
    let mut after: Rows<u32> = Rows::with_capacity(rows.count(), rows.count());
    for starts in &starts {
        let starts = starts.iter().filter(|start| **start != NONE);
        after.push_row(starts.flat_map(|start| {
            match found.is_cyclic(*start, &order.edges) {
                true => std::slice::from_ref(start),
                false => condensed.of(*start as usize),
            }
            .iter()
            .copied()
        }));
    }
    let labels: Vec<(usize, u32)> = seen_at
        .iter()
        .enumerate()
        .flat_map(|(column, nodes)| {
            nodes
                .iter()
                .map(move |node| (*node as usize, column as u32))
        })
        .collect();
    let labels = Rows::from_pairs(found.count(), &labels);

    let words = columns.count().div_ceil(64);
    let mut bits = vec![0u64; rows.count() * words];
    let width = (block_bytes / 8 / found.count().max(1)).clamp(1, words.max(1));
    let mut sets = BlockSets::new(found.count());
    for first in (0..words).step_by(width) {
        sets.close(first..words.min(first + width), &condensed, &labels);
        for row in 0..rows.count() {
            let into = &mut bits[row * words + first..][..sets.width];
            for component in after.of(row) {
                unite(into, sets.of(*component as usize));
            }
        }
    }
    let mut relation = CondensedRelation {
        rows,
        columns,
        words,
        bits,
    };
    relation.interleave(graph);
    relation
}

/// The same rows in half the memory.
fn narrowed(graph: Rows<usize>) -> Rows<u32> {
    let mut narrow = Rows::with_capacity(graph.row_count(), graph.item_count());
    for row in 0..graph.row_count() {
        narrow.push_row(graph.of(row).iter().map(|node| *node as u32));
    }
    narrow
}

/// For each component of the order graph the columns of one block that it reaches, itself
/// included. Most components reach what their only or largest successor reaches: such share a
/// set.
struct BlockSets {
    width: usize,
    set_of: Vec<u32>,
    words: Vec<u64>,
}

impl BlockSets {
    fn new(components: usize) -> BlockSets {
        BlockSets {
            width: 0,
            set_of: vec![0; components],
            words: Vec::new(),
        }
    }

    fn of(&self, component: usize) -> &[u64] {
        self.set(self.set_of[component])
    }

    fn set(&self, set: u32) -> &[u64] {
        &self.words[set as usize * self.width..][..self.width]
    }

    fn close(&mut self, block: Range<usize>, condensed: &Rows<u32>, labels: &Rows<u32>) {
        self.width = block.len();
        // Set 0 is empty.
        self.words.clear();
        self.words.resize(self.width, 0);
        let mut reached: Vec<u32> = Vec::new();
        for component in (0..condensed.row_count()).rev() {
            reached.clear();
            for next in condensed.of(component) {
                let set = self.set_of[*next as usize];
                if set != 0 && !reached.contains(&set) {
                    reached.push(set);
                }
            }
            let own = labels
                .of(component)
                .iter()
                .filter(|column| block.contains(&(**column as usize / 64)));
            self.set_of[component] = match reached.as_slice() {
                [] if own.clone().next().is_none() => 0,
                [only] if own.clone().next().is_none() => *only,
                _ => {
                    let own = own.map(|column| *column as usize - 64 * block.start);
                    self.union(&reached, own)
                }
            };
        }
    }

    /// A set with these sets and columns in it: one of them if that is it.
    fn union(&mut self, sets: &[u32], columns: impl Iterator<Item = usize>) -> u32 {
        let first = self.words.len();
        self.words.resize(first + self.width, 0);
        let (known, union) = self.words.split_at_mut(first);
        for column in columns {
            union[column / 64] |= 1 << (column % 64);
        }
        let known = |set: u32| &known[set as usize * self.width..][..self.width];
        for set in sets {
            unite(union, known(*set));
        }
        match sets.iter().find(|set| known(**set) == union) {
            Some(same) => {
                self.words.truncate(first);
                *same
            }
            None => (first / self.width) as u32,
        }
    }
}

fn unite(into: &mut [u64], from: &[u64]) {
    for (into, from) in into.iter_mut().zip(from) {
        *into |= from;
    }
}

/// The numbers of the bits that are set.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(at, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(at * 64 + bit)
        })
    })
}

impl CondensedRelation {
    /// What may run at any time is related with everything. Functions of one class call each
    /// other or are alone, so all or none of them do.
    fn interleave(&mut self, graph: &ComponentGraph) {
        if graph.anytime.is_clear() {
            return;
        }
        let at_any_time = |classes: &Classes, class: usize| {
            let members = classes.members.of(class);
            members
                .first()
                .is_some_and(|member| graph.anytime.contains(member.index()))
        };
        let mut mask = vec![0u64; self.words];
        let mut all = vec![0u64; self.words];
        for column in 0..self.columns.count() {
            all[column / 64] |= 1 << (column % 64);
            if at_any_time(&self.columns, column) {
                mask[column / 64] |= 1 << (column % 64);
            }
        }
        for row in 0..self.rows.count() {
            let with = match at_any_time(&self.rows, row) {
                true => &all,
                false => &mask,
            };
            unite(&mut self.bits[row * self.words..][..self.words], with);
        }
    }
}

#[cfg(test)]
mod tests;
