//! A place in an object: what a pointer may point to.

use super::extents::Extent;
use super::objects::ObjectId;
use super::offsets::Offsets;
use super::patterns::Pattern;

/// A place that a pointer may point to; or nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cell {
    pub(crate) object: ObjectId,
    pub(crate) offsets: Offsets,
    /// What pointer arithmetic does not leave.
    pub(crate) array: Extent,
}

impl Cell {
    pub(crate) const NONE: Cell = Cell {
        object: ObjectId(u32::MAX),
        offsets: Offsets::ZERO,
        array: Extent::ALL,
    };

    pub(crate) fn at(object: ObjectId, offsets: Offsets) -> Cell {
        Cell {
            object,
            offsets,
            array: Extent::ALL,
        }
    }

    pub(crate) fn start_of(object: ObjectId) -> Cell {
        Cell::at(object, Offsets::ZERO)
    }

    pub(crate) fn is_none(self) -> bool {
        self.object.0 == u32::MAX
    }

    pub(crate) fn is_some(self) -> bool {
        !self.is_none()
    }

    pub(crate) fn plus(self, by: Offsets) -> Cell {
        Cell {
            offsets: self.offsets.plus(by),
            ..self
        }
    }

    /// Where the object begins whose `by` is here.
    pub(crate) fn minus(self, by: Offsets) -> Cell {
        Cell {
            offsets: self.offsets.minus(by),
            ..self
        }
    }

    /// Anywhere in the same object, or the same array in it.
    pub(crate) fn anywhere(self) -> Cell {
        Cell {
            offsets: Offsets::ANY,
            ..self
        }
    }

    pub(crate) fn with_array(self, array: Extent) -> Cell {
        Cell { array, ..self }
    }

    /// The same place seen from the object in which its own begins at this cell.
    pub(crate) fn rebased(self, begins: Cell) -> Cell {
        Cell {
            object: begins.object,
            offsets: self.offsets.plus(begins.offsets),
            array: self.array.shifted(begins.offsets).intersected(begins.array),
        }
    }

    /// On the way into an array that has this extent, from here.
    pub(crate) fn into_array(self, array: Option<Extent>) -> Cell {
        match (array, self.offsets.exact()) {
            (Some(array), Some(_)) => Cell {
                array: array.shifted(self.offsets),
                ..self
            },
            _ => self,
        }
    }

    /// The bytes of an access here. An access at one place is where it is; one that may be at many
    /// stays in the array.
    pub(crate) fn pattern(self, size: u32) -> Pattern {
        let pattern = Pattern::new(self.offsets, size);
        match self.array.pattern() {
            Some(array) => pattern.within(array),
            None => pattern,
        }
    }

    /// All bytes from here on.
    pub(crate) fn onward(self) -> Pattern {
        self.plus(Offsets::steps(1, None)).pattern(1)
    }
}
