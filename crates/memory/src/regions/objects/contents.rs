//! What an object holds: a list of entries that do not overlap. An entry is a pattern of bytes, and
//! the cell that pointers in these bytes point to. Entries that overlap are joined.

use super::{ObjectId, Objects};
use crate::regions::cells::Cell;
use crate::regions::patterns::Pattern;

/// Beyond this, an object's entries become one.
const MOST_ENTRIES: usize = 512;
/// An entry that goes on growing beyond this becomes the whole object.
const MOST_GROWTH: u32 = 200;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) pattern: Pattern,
    pub(crate) target: Cell,
    /// The target when the entry was made, in the same object: what a function finds there is what
    /// its caller has there.
    pub(crate) first: Cell,
    /// Something reads pointers here, so what else may be copied in matters.
    pub(crate) is_read: bool,
}

/// An entry that is to be joined into an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Put {
    pub(crate) cell: Cell,
    pub(crate) size: u32,
    pub(crate) target: Cell,
    pub(crate) first: Cell,
    pub(crate) is_read: bool,
}

impl Put {
    /// The entry at another place.
    pub(crate) fn entry(cell: Cell, size: u32, entry: Entry) -> Put {
        Put {
            cell,
            size,
            target: entry.target,
            first: entry.first,
            is_read: entry.is_read,
        }
    }
}

impl Objects {
    /// What pointers in these bytes point to; an unknown object if nothing is known yet.
    pub(crate) fn read(&mut self, cell: Cell, size: u32) -> Cell {
        if cell.is_none() || size == 0 {
            return Cell::NONE;
        }
        let cell = self.find(cell);
        match self.entry(cell, size) {
            Some(entry) => {
                let row = &mut self.rows[cell.object.index()];
                let was_read = std::mem::replace(&mut row.entries[entry].is_read, true);
                let target = row.entries[entry].target;
                if !was_read {
                    self.note_change(cell.object);
                }
                self.settle();
                self.find(target)
            }
            None => {
                let unknown = Cell::start_of(self.fresh_open());
                self.put(Put {
                    cell,
                    size,
                    target: unknown,
                    first: unknown,
                    is_read: true,
                });
                self.settle();
                self.find(unknown)
            }
        }
    }

    /// What is known to stand in these bytes, if one entry covers them.
    pub(crate) fn held(&mut self, cell: Cell, size: u32) -> Option<Cell> {
        let cell = self.find(cell);
        let pattern = cell.pattern(size);
        let row = &self.rows[cell.object.index()];
        let found = row
            .entries
            .iter()
            .find(|entry| entry.pattern.covers(pattern))?;
        let target = found.target;
        Some(self.find(target))
    }

    /// The bytes may hold a pointer to this cell.
    pub(crate) fn write(&mut self, cell: Cell, size: u32, target: Cell) {
        self.write_entry(Put {
            cell,
            size,
            target,
            first: target,
            is_read: false,
        });
    }

    /// The bytes may hold what the entry says.
    pub(crate) fn write_entry(&mut self, put: Put) {
        if put.cell.is_some() && put.target.is_some() && put.size != 0 {
            self.put(put);
            self.settle();
        }
    }

    /// The entry that covers these bytes, after joining those that overlap with them; `None` if
    /// none does.
    fn entry(&mut self, cell: Cell, size: u32) -> Option<usize> {
        let mut pattern = cell.pattern(size);
        let row = &mut self.rows[cell.object.index()];
        let first = row
            .entries
            .iter()
            .position(|entry| entry.pattern.overlaps(pattern))?;
        if row.entries[first].pattern.covers(pattern)
            && !row.entries[first + 1..]
                .iter()
                .any(|entry| entry.pattern.overlaps(pattern))
        {
            return Some(first);
        }
        self.changed = true;
        self.shared_changes += u64::from(row.is_shared);
        let mut joined = row.entries.swap_remove(first);
        pattern = pattern.joined(joined.pattern);
        row.grown += 1;
        if row.grown > MOST_GROWTH {
            pattern = Pattern::ALL;
        }
        while let Some(next) = row
            .entries
            .iter()
            .position(|entry| entry.pattern.overlaps(pattern))
        {
            let entry = row.entries.swap_remove(next);
            pattern = pattern.joined(entry.pattern);
            joined.is_read |= entry.is_read;
            self.pending.push(Put::entry(cell, size, entry));
        }
        joined.pattern = pattern;
        row.entries.push(joined);
        Some(row.entries.len() - 1)
    }

    fn put(&mut self, put: Put) {
        let cell = self.find(put.cell);
        let object = cell.object;
        let Some(at) = self.entry(cell, put.size) else {
            self.note_change(object);
            let entry = Entry {
                pattern: cell.pattern(put.size),
                target: self.find(put.target),
                first: self.find(put.first),
                is_read: put.is_read,
            };
            let row = &mut self.rows[object.index()];
            row.entries.push(entry);
            let is_shared = row.is_shared;
            if row.entries.len() > MOST_ENTRIES {
                self.join_all_entries(object);
            }
            if is_shared {
                self.share(entry.target.object);
            }
            return;
        };
        let entry = &mut self.rows[object.index()].entries[at];
        let is_news = put.is_read && !entry.is_read;
        entry.is_read |= put.is_read;
        let before = *entry;
        if is_news {
            self.note_change(object);
        }
        let mut target = before.target;
        self.join_only(&mut target, put.target);
        if self.is_root(object) {
            // A target that only was united with another is the same target.
            if self.find(before.target) != self.find(target) {
                self.note_change(object);
            }
            // Uniting takes the entries of the lost object only, so ours stay where they are.
            let row = &mut self.rows[object.index()];
            row.entries[at].target = target;
            if row.is_shared {
                self.share(target.object);
            }
        } else {
            self.pending.push(Put { target, ..put });
        }
    }

    pub(super) fn join_all_entries(&mut self, object: ObjectId) {
        let all = Cell::start_of(object).anywhere();
        let entries = std::mem::take(&mut self.rows[object.index()].entries);
        for entry in entries {
            self.pending.push(Put::entry(all, 1, entry));
        }
    }

    pub(super) fn settle(&mut self) {
        while let Some(put) = self.pending.pop() {
            self.put(put);
        }
    }
}
