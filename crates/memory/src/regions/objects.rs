//! Which memory objects does the analysis tell apart, and what do they hold?
//!
//! Source: cells after Steensgaard, *Points-to Analysis in Almost Linear Time* (1996), with byte
//! offsets as in Lattner, Lenharth, Adve, *Making Context-Sensitive Points-to Analysis with Heap
//! Cloning Practical* (2007), and sea-dsa.
//!
//! An object stands for one or more objects of a run. A [`Cell`] is a place in it: an object and a
//! set of offsets. Objects that one pointer may point to are united; the forest keeps for each
//! united object at which offsets it lies in the other, so that a struct reached through a pointer
//! to its member stays one object with members. An offset that is not known makes the *pointer*
//! vague, never the object: exact accesses to other members stay apart.
//!
//! What an object holds is in [`contents`]. Uniting two objects joins it. Work is done from a
//! list, so nothing recurses.

mod contents;

use super::allocations::{AllocationSet, AllocationSets};
use super::cells::Cell;
use super::extents::Extent;
use super::offsets::Offsets;
use super::patterns::Pattern;
pub(crate) use contents::{Entry, Put};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ObjectId(pub(crate) u32);

impl ObjectId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Itself for a root.
    parent: ObjectId,
    /// Where it begins in its parent.
    begins: Offsets,
    /// The array of the parent that it is part of.
    array: Extent,
    /// Reachable from a global variable or from outside: one object for all functions.
    pub(crate) is_shared: bool,
    /// Touched at bytes that no access pattern names.
    pub(crate) is_touched_elsewhere: bool,
    /// May be memory that is not among the allocations: what a caller hands over or was not seen
    /// to be stored.
    pub(crate) is_open: bool,
    /// Some of it was allocated by a call.
    pub(crate) is_heap: bool,
    /// More patterns than are worth telling apart: one region.
    pub(crate) is_one_region: bool,
    pub(crate) entries: Vec<Entry>,
    /// How often an entry became larger.
    grown: u32,
    /// Exact and strided accesses: what tells regions apart.
    pub(crate) accesses: Vec<Pattern>,
    pub(crate) allocations: AllocationSet,
    /// The calls through which it was copied, as a row of `Origins`; 0 for none.
    pub(crate) origin: u32,
}

/// Beyond this, an object is one region.
const MOST_ACCESSES: usize = 1024;

#[derive(Debug)]
pub(crate) struct Objects {
    rows: Vec<Object>,
    /// All that code we do not see can reach.
    pub(crate) outside: ObjectId,
    pub(crate) allocations: AllocationSets,
    /// Some object is not as it was.
    pub(crate) changed: bool,
    /// How often shared objects changed.
    pub(crate) shared_changes: u64,
    /// Joins of offsets must come to an end now.
    pub(crate) widening: bool,
    pending: Vec<Put>,
    to_share: Vec<ObjectId>,
}

impl Objects {
    pub(crate) fn new() -> Objects {
        let mut objects = Objects {
            rows: Vec::new(),
            outside: ObjectId(0),
            allocations: AllocationSets::new(),
            changed: false,
            shared_changes: 0,
            widening: false,
            pending: Vec::new(),
            to_share: Vec::new(),
        };
        let outside = objects.fresh();
        let row = &mut objects.rows[outside.index()];
        row.is_shared = true;
        row.is_open = true;
        row.is_touched_elsewhere = true;
        row.is_one_region = true;
        row.entries.push(Entry {
            pattern: Pattern::ALL,
            target: Cell::start_of(outside).anywhere(),
            first: Cell::start_of(outside).anywhere(),
            is_read: true,
        });
        objects
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn fresh(&mut self) -> ObjectId {
        let id = ObjectId(self.rows.len() as u32);
        self.rows.push(Object {
            parent: id,
            begins: Offsets::ZERO,
            array: Extent::ALL,
            is_shared: false,
            is_touched_elsewhere: false,
            is_open: false,
            is_heap: false,
            is_one_region: false,
            entries: Vec::new(),
            grown: 0,
            accesses: Vec::new(),
            allocations: AllocationSet::EMPTY,
            origin: 0,
        });
        id
    }

    /// An object for one of another function.
    pub(crate) fn fresh_copy(&mut self, is_open: bool, origin: u32) -> ObjectId {
        let id = self.fresh();
        let row = &mut self.rows[id.index()];
        row.is_open = is_open;
        row.origin = origin;
        id
    }

    /// An object of which nothing is known.
    pub(crate) fn fresh_open(&mut self) -> ObjectId {
        let id = self.fresh();
        self.rows[id.index()].is_open = true;
        id
    }

    /// The row of a root.
    pub(crate) fn row(&self, root: ObjectId) -> &Object {
        &self.rows[root.index()]
    }

    pub(crate) fn outside_cell(&self) -> Cell {
        Cell::start_of(self.outside).anywhere()
    }

    pub(crate) fn is_root(&self, object: ObjectId) -> bool {
        self.rows[object.index()].parent == object
    }

    fn note_change(&mut self, root: ObjectId) {
        self.changed = true;
        self.shared_changes += u64::from(self.rows[root.index()].is_shared);
    }

    /// The same place, in its root.
    pub(crate) fn find(&mut self, cell: Cell) -> Cell {
        if cell.is_none() || self.is_root(cell.object) {
            return cell;
        }
        // Shorten the way: each object on it gets a direct edge to the root, last first.
        let mut way: smallvec::SmallVec<[ObjectId; 8]> = smallvec::SmallVec::new();
        let mut at = cell.object;
        while !self.is_root(at) {
            way.push(at);
            at = self.rows[at.index()].parent;
        }
        let mut begins = Cell::start_of(at);
        for object in way.into_iter().rev() {
            let row = &mut self.rows[object.index()];
            begins = Cell::at(object, row.begins)
                .with_array(row.array)
                .rebased(begins);
            row.parent = at;
            row.begins = begins.offsets;
            row.array = begins.array;
        }
        cell.rebased(begins)
    }

    /// As [`Objects::find`], for when all is settled.
    pub(crate) fn resolve(&self, cell: Cell) -> Cell {
        let mut cell = cell;
        while cell.is_some() && !self.is_root(cell.object) {
            let row = &self.rows[cell.object.index()];
            cell = cell.rebased(Cell::at(row.parent, row.begins).with_array(row.array));
        }
        cell
    }

    /// The pointer that stands in `holder` may also be `cell`.
    pub(crate) fn join(&mut self, holder: &mut Cell, cell: Cell) {
        self.join_only(holder, cell);
        self.settle();
    }

    fn join_only(&mut self, holder: &mut Cell, cell: Cell) {
        if cell.is_none() {
            return;
        }
        if holder.is_none() {
            *holder = self.find(cell);
            self.changed = true;
            return;
        }
        let (mut ours, mut theirs) = (self.find(*holder), self.find(cell));
        if ours.object != theirs.object {
            self.unite(ours, theirs);
            (ours, theirs) = (self.find(ours), self.find(theirs));
        }
        if ours.object == self.outside {
            ours = self.outside_cell();
        }
        let joined = Cell {
            object: ours.object,
            offsets: match self.widening {
                true => ours.offsets.widened(theirs.offsets),
                false => ours.offsets.joined(theirs.offsets),
            },
            array: ours.array.joined(theirs.array),
        };
        self.changed |= joined != ours;
        *holder = joined;
    }

    /// Makes one object of two roots, such that the two cells may be the same place.
    fn unite(&mut self, left: Cell, right: Cell) {
        self.note_change(left.object);
        self.note_change(right.object);
        // The lost object becomes as vague as the pointers to it are, so the one with more detail
        // is kept.
        let weight = |object: ObjectId| {
            let row = &self.rows[object.index()];
            row.entries.len() + row.accesses.len()
        };
        let is_part = |cell: Cell| cell.array != Extent::ALL;
        let keep_left = if left.object == self.outside {
            true
        } else if right.object == self.outside {
            false
        } else if is_part(left) != is_part(right) {
            // The object with the array in it is the larger one.
            is_part(left)
        } else {
            (weight(left.object), right.object) >= (weight(right.object), left.object)
        };
        let (kept, lost) = if keep_left {
            (left, right)
        } else {
            (right, left)
        };
        let mut begins = kept.minus(lost.offsets);
        if kept.object == self.outside {
            begins = self.outside_cell();
        } else if is_part(lost) || !self.rows[lost.object.index()].allocations.is_empty() {
            // It is not only what is seen through this pointer.
            begins.array = Extent::ALL;
        }
        let row = &mut self.rows[lost.object.index()];
        row.parent = kept.object;
        row.begins = begins.offsets;
        row.array = begins.array;
        let entries = std::mem::take(&mut row.entries);
        let accesses = std::mem::take(&mut row.accesses);
        let (shared, open, heap) = (row.is_shared, row.is_open, row.is_heap);
        let (elsewhere, one) = (row.is_touched_elsewhere, row.is_one_region);
        let allocations = row.allocations;
        for entry in entries {
            let at = begins.plus(entry.pattern.offsets);
            self.pending.push(Put::entry(at, entry.pattern.size, entry));
        }
        let root = &mut self.rows[kept.object.index()];
        root.is_touched_elsewhere |= elsewhere;
        root.is_one_region |= one;
        root.is_open |= open;
        root.is_heap |= heap;
        root.allocations = self.allocations.union(root.allocations, allocations);
        if root.is_one_region {
            root.accesses.clear();
            root.is_touched_elsewhere = true;
        }
        for access in accesses {
            let there = begins.plus(access.offsets).pattern(access.size);
            self.touch_pattern(kept.object, there);
        }
        if shared || self.rows[kept.object.index()].is_shared {
            self.share(kept.object);
        }
    }

    /// The two cells may be the same place, whose offsets no one holds.
    pub(crate) fn unify(&mut self, left: Cell, right: Cell) {
        if left.is_none() || right.is_none() {
            return;
        }
        let (left, right) = (self.find(left), self.find(right));
        if left.object != right.object {
            self.unite(left, right);
            self.settle();
        }
    }

    /// The object and all that can be reached from it belongs to all functions.
    pub(crate) fn share(&mut self, object: ObjectId) {
        self.to_share.push(object);
        while let Some(object) = self.to_share.pop() {
            let root = self.find(Cell::start_of(object)).object;
            let row = &mut self.rows[root.index()];
            if !row.is_shared {
                row.is_shared = true;
                self.changed = true;
                self.shared_changes += 1;
                self.to_share
                    .extend(row.entries.iter().map(|entry| entry.target.object));
            }
        }
    }

    /// Notes an access to bytes of the object.
    pub(crate) fn touch(&mut self, cell: Cell, size: u32) {
        if cell.is_none() || size == 0 {
            return;
        }
        let cell = self.find(cell);
        self.touch_pattern(cell.object, cell.pattern(size));
    }

    fn touch_pattern(&mut self, root: ObjectId, pattern: Pattern) {
        let row = &mut self.rows[root.index()];
        if row.is_one_region || pattern.is_endless() {
            self.changed |= !row.is_touched_elsewhere;
            row.is_touched_elsewhere = true;
            return;
        }
        if row.accesses.contains(&pattern) {
            return;
        }
        // No rule asks for the accesses of a shared object, so only others count as changed.
        self.changed = true;
        row.accesses.push(pattern);
        if row.accesses.len() > MOST_ACCESSES {
            row.accesses = Vec::new();
            row.is_one_region = true;
            row.is_touched_elsewhere = true;
        }
    }

    /// Notes an access that tells no regions apart (`memcpy`, `memset`).
    pub(crate) fn touch_elsewhere(&mut self, cell: Cell) {
        if cell.is_some() {
            let root = self.find(cell).object;
            self.changed |= !self.rows[root.index()].is_touched_elsewhere;
            self.rows[root.index()].is_touched_elsewhere = true;
        }
    }

    pub(crate) fn add_allocation(&mut self, object: ObjectId, set: AllocationSet) {
        let root = self.find(Cell::start_of(object)).object;
        let row = &mut self.rows[root.index()];
        row.allocations = self.allocations.union(row.allocations, set);
    }

    pub(crate) fn mark_heap(&mut self, object: ObjectId) {
        let root = self.find(Cell::start_of(object)).object;
        self.rows[root.index()].is_heap = true;
    }
}
