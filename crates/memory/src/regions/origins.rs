//! Through which calls did an object come into a function?
//!
//! Functions that call each other copy each other's objects. To come to an end, an object that
//! went through a call is not told apart from what the same call made of it before: the row of a
//! copy is that of the calls on its way, and where the way would use a call twice it is cut there.
//! Within one call, copies with equal rows are one object.

use super::objects::ObjectId;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Before {
    /// The object of the function that made it.
    Made(ObjectId),
    Copied(u32),
}

#[derive(Debug, Default)]
pub(crate) struct Origins {
    /// Row 0 stands for objects that are no copies.
    rows: Vec<(Before, u32)>,
    index: FxHashMap<(Before, u32), u32>,
}

impl Origins {
    /// The row of what a call makes of an object with this row.
    pub(crate) fn through(&mut self, object: ObjectId, origin: u32, binding: usize) -> u32 {
        let binding = binding as u32;
        let mut at = origin;
        while at != 0 {
            let (before, through) = self.rows[at as usize - 1];
            if through == binding {
                return at;
            }
            at = match before {
                Before::Made(_) => 0,
                Before::Copied(before) => before,
            };
        }
        let before = match origin {
            0 => Before::Made(object),
            _ => Before::Copied(origin),
        };
        let next = self.rows.len() as u32 + 1;
        let row = *self.index.entry((before, binding)).or_insert(next);
        if row == next {
            self.rows.push((before, binding));
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_that_uses_a_call_twice_is_cut_there() {
        let mut origins = Origins::default();
        let made = ObjectId(7);
        let once = origins.through(made, 0, 3);
        let twice = origins.through(ObjectId(8), once, 4);
        assert_ne!(once, twice);
        assert_eq!(origins.through(ObjectId(9), twice, 3), once);
        assert_eq!(origins.through(made, 0, 3), once);
        assert_ne!(origins.through(ObjectId(9), 0, 3), once);
    }
}
