//! Which variables and allocations does an object stand for?
//!
//! Sets grow by union only and are copied into callers, so they are kept as a forest of unions:
//! a set is a number, a union is one new row, and listing a set walks its rows once.

use knockon_program::{FunctionId, GlobalId, InstructionId};

/// Something that makes memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Allocation {
    Global(GlobalId),
    /// An object of the C library, by its name in the effect models.
    Library(&'static str),
    /// An `alloca`: a local variable.
    Local(FunctionId, InstructionId),
    /// A call that returns new memory, of the library or of a function that allocates.
    Heap(FunctionId, InstructionId),
    /// The copy that a by-value parameter is, or the area of variadic arguments.
    Parameter(FunctionId, u32),
    /// All that code we do not see can reach.
    Outside,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AllocationSet(u32);

impl AllocationSet {
    pub(crate) const EMPTY: AllocationSet = AllocationSet(0);

    pub(crate) fn is_empty(self) -> bool {
        self == AllocationSet::EMPTY
    }
}

#[derive(Clone, Copy, Debug)]
enum Row {
    Empty,
    One(Allocation),
    Union(AllocationSet, AllocationSet),
}

#[derive(Clone, Debug)]
pub(crate) struct AllocationSets {
    rows: Vec<Row>,
}

impl AllocationSets {
    pub(crate) fn new() -> AllocationSets {
        AllocationSets {
            rows: vec![Row::Empty],
        }
    }

    pub(crate) fn one(&mut self, allocation: Allocation) -> AllocationSet {
        self.push(Row::One(allocation))
    }

    pub(crate) fn union(&mut self, left: AllocationSet, right: AllocationSet) -> AllocationSet {
        if left.is_empty() || left == right {
            right
        } else if right.is_empty() {
            left
        } else {
            self.push(Row::Union(left, right))
        }
    }

    fn push(&mut self, row: Row) -> AllocationSet {
        self.rows.push(row);
        AllocationSet(self.rows.len() as u32 - 1)
    }

    /// The members, ascending, each once.
    pub(crate) fn members(&self, set: AllocationSet) -> Vec<Allocation> {
        let mut found = Vec::new();
        self.all(set, |allocation| {
            found.push(allocation);
            true
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The member, if there is just one.
    pub(crate) fn only_member(&self, set: AllocationSet) -> Option<Allocation> {
        let mut found = None;
        let is_only = self.all(set, |allocation| {
            *found.get_or_insert(allocation) == allocation
        });
        found.filter(|_| is_only)
    }

    /// Whether it holds for all members; some are asked for more than once, none after one for
    /// which it does not hold.
    pub(crate) fn all(
        &self,
        set: AllocationSet,
        mut holds: impl FnMut(Allocation) -> bool,
    ) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![set];
        while let Some(set) = work.pop() {
            if !seen.insert(set.0) {
                continue;
            }
            match self.rows[set.0 as usize] {
                Row::Empty => {}
                Row::One(allocation) => {
                    if !holds(allocation) {
                        return false;
                    }
                }
                Row::Union(left, right) => work.extend([left, right]),
            }
        }
        true
    }
}
