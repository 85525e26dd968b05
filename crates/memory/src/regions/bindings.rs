//! Which regions of the caller are the callee's regions at a call?
//!
//! The callee's objects have places in the caller, so each access pattern of a region has one too,
//! and overlaps regions there; but not those that are wholly covered by patterns of the callee's
//! regions of an earlier kind, which have these bytes.
//!
//! Regions of shared objects are themselves everywhere and not listed.

use super::RegionId;
use super::cells::Cell;
use super::objects::ObjectId;
use super::partition::{Partition, RegionKind, RegionSet};
use super::patterns::Pattern;
use super::solving::Solver;
use crate::call_graph::CallSiteId;
use knockon_graphs::Rows;
use knockon_program::FunctionId;

/// For each binding the pairs of callee region and caller region, by callee region.
pub(crate) fn bound_regions(solver: &Solver, partition: &Partition) -> Rows<(RegionId, RegionId)> {
    let mut rows = Rows::with_capacity(solver.bindings.len(), solver.bindings.len());
    let mut pairs: Vec<(RegionId, RegionId)> = Vec::new();
    for binding in &solver.bindings {
        for (object, cell) in binding {
            let callee = solver.objects.resolve(Cell::start_of(*object));
            if solver.objects.row(callee.object).is_shared {
                continue;
            }
            let begins = solver.objects.resolve(*cell).minus(callee.offsets);
            add_pairs(partition, callee.object, begins, &mut pairs);
        }
        pairs.sort_unstable();
        pairs.dedup();
        rows.push_row(pairs.drain(..));
    }
    rows
}

impl Solver<'_> {
    /// The bindings of a site and the functions they bind: its targets, its callbacks, the
    /// functions it registers.
    pub(crate) fn bindings_of(
        &self,
        site: CallSiteId,
    ) -> impl Iterator<Item = (usize, FunctionId)> + '_ {
        let callbacks = self.calls.targets.item_count();
        let registered = callbacks + self.calls.callbacks.item_count();
        let rows = |table: &'_ Rows<FunctionId>, first: usize| {
            let row = table.of(site).to_vec();
            (first + table.range(site).start..).zip(row)
        };
        rows(&self.calls.targets, 0)
            .chain(rows(&self.calls.callbacks, callbacks))
            .chain(rows(&self.registered, registered))
    }

    /// For each binding the function that is entered.
    fn bound_functions(&self) -> Vec<FunctionId> {
        let tables = [&self.calls.targets, &self.calls.callbacks, &self.registered];
        let rows = tables.into_iter();
        rows.flat_map(|table| (0..table.row_count()).flat_map(|site| table.of(site)))
            .copied()
            .collect()
    }
}

fn add_pairs(
    partition: &Partition,
    callee: ObjectId,
    begins: Cell,
    pairs: &mut Vec<(RegionId, RegionId)>,
) {
    let there = |pattern: &Pattern| begins.plus(pattern.offsets).pattern(pattern.size);
    // What regions of the kinds before cover, these regions do not have.
    let mut named: Vec<Pattern> = Vec::new();
    let mut next: Vec<Pattern> = Vec::new();
    let mut kind = RegionKind::Place;
    for region in partition.of_object(callee) {
        if partition.kind(region) != kind {
            kind = partition.kind(region);
            named.append(&mut next);
        }
        let patterns = partition.patterns.of(region);
        let mut found = RegionSet::new();
        if patterns.is_empty() {
            let all = begins.anywhere().pattern(1);
            found = partition.overlapping(begins.object, all);
        }
        for pattern in patterns.iter().map(there) {
            found.extend(partition.overlapping(begins.object, pattern));
            if begins.offsets.is_exact() {
                next.push(pattern);
            }
        }
        let is_named = |region: &RegionId| {
            let patterns = partition.patterns.of(*region);
            let covered = |own: &Pattern| named.iter().any(|named| named.covers(*own));
            !patterns.is_empty() && patterns.iter().all(covered)
        };
        let found = found.into_iter().filter(|region| !is_named(region));
        pairs.extend(found.map(|found| (region, found)));
    }
}

/// For each binding what of the caller the callee reaches through library functions.
pub(crate) fn reached_regions(
    solver: &mut Solver,
    partition: &Partition,
) -> Rows<(RegionId, bool)> {
    let mut rows = Rows::with_capacity(solver.bindings.len(), 0);
    for (binding, target) in solver.bound_functions().into_iter().enumerate() {
        let mut found: Vec<(RegionId, bool)> = Vec::new();
        for reaching in solver.functions[target.index()].visible_reaches.clone() {
            let from = solver.objects.resolve(reaching.from).object;
            let place = solver.bindings[binding]
                .iter()
                .find(|(object, _)| solver.objects.resolve(Cell::start_of(*object)).object == from);
            if let Some((_, cell)) = place {
                for object in solver.reachable(*cell) {
                    let regions = partition.of_object(object);
                    found.extend(regions.map(|region| (region, reaching.writes)));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        rows.push_row(found);
    }
    rows
}
