//! The table of objects: numbers that are never used again, rows only for what may still be asked.
//!
//! Two number ranges, one for the stack and one for everything else, each in pages; a page all of
//! whose objects are dead gives its rows back. A number says by its range alone whether it was on
//! the stack, which is all that a report about a dead object needs.
//!
//! Numbers follow the order of creation, except where two versions are compared. There they come
//! from the objects' names, so that paired objects have the same address in both: a program may
//! copy addresses byte by byte, shift them or add them up, and all that it sees on the way is the
//! same.

use super::SiteId;
use crate::hash::Hash;
use rustc_hash::FxHashMap;

const PAGE: usize = 1024;
/// The first number of an object that is not on the stack. Far from zero, so that small integers
/// are never mistaken for addresses.
pub(super) const STATIC_BASE: u32 = 0x1000_0000;
pub(super) const STACK_BASE: u32 = 0x4000_0000;
/// Numbers that come from names stay below.
const NAMED_END: u32 = 0x8000_0000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    Global,
    /// A function's code: it has an address and no bytes.
    Function,
    /// A block's address.
    Block,
    Stack,
    /// From `malloc` and its kin: the only kind that `free` accepts.
    Heap,
    /// The arguments behind `...`.
    Variadic,
    /// Memory of the library or of the start of the program (`argv`, `errno`, streams).
    Library,
    /// A global that is defined nowhere.
    External,
}

impl ObjectKind {
    pub(super) fn description(self) -> &'static str {
        match self {
            ObjectKind::Global => "a global",
            ObjectKind::Function => "a function",
            ObjectKind::Block => "a label",
            ObjectKind::Stack => "a local variable",
            ObjectKind::Heap => "a heap block",
            ObjectKind::Variadic => "the variable arguments",
            ObjectKind::Library => "memory of the library",
            ObjectKind::External => "an external variable",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    pub(super) start: u32,
    pub(super) size: u32,
    pub(super) site: SiteId,
    pub(super) kind: ObjectKind,
    pub(super) alive: bool,
    pub(super) writable: bool,
}

#[derive(Default)]
struct Page {
    /// Empty once every object of a full page is dead.
    rows: Vec<Object>,
    live: u32,
}

#[derive(Default)]
struct Space {
    pages: Vec<Page>,
    next: u32,
    /// The rows of a page that was dropped, for the next one.
    spare: Vec<Object>,
}

#[derive(Default)]
pub(super) struct Objects {
    statics: Space,
    stack: Space,
    named: Option<NamedNumbers>,
}

/// Numbers that come from names, and the numbers by creation that they stand for.
#[derive(Default)]
struct NamedNumbers(FxHashMap<u32, u32>);

impl NamedNumbers {
    /// Where two names ask for one number, the later one is asked for another.
    fn give(&mut self, row: u32, mut name: u64) -> u32 {
        let (base, end) = match row >= STACK_BASE {
            true => (STACK_BASE, NAMED_END),
            false => (STATIC_BASE, STACK_BASE),
        };
        loop {
            // Even ones only: a step over either end of an object leads to no other.
            let number = base + 2 * (name % u64::from((end - base) / 2)) as u32;
            if let std::collections::hash_map::Entry::Vacant(entry) = self.0.entry(number) {
                entry.insert(row);
                return number;
            }
            name = Hash::of_words([name]);
        }
    }
}

impl Space {
    fn add(&mut self, object: Object) -> u32 {
        let number = self.next;
        self.next += 1;
        if (number as usize).is_multiple_of(PAGE) {
            let mut rows = std::mem::take(&mut self.spare);
            rows.clear();
            rows.reserve(PAGE);
            self.pages.push(Page { rows, live: 0 });
        }
        let page = &mut self.pages[number as usize / PAGE];
        page.rows.push(object);
        page.live += 1;
        number
    }

    #[inline(always)]
    fn get(&self, number: u32) -> Option<&Object> {
        self.pages
            .get(number as usize / PAGE)?
            .rows
            .get(number as usize % PAGE)
    }

    fn get_mut(&mut self, number: u32) -> Option<&mut Object> {
        self.pages
            .get_mut(number as usize / PAGE)?
            .rows
            .get_mut(number as usize % PAGE)
    }

    fn bury(&mut self, number: u32) {
        if let Some(page) = self.pages.get_mut(number as usize / PAGE) {
            page.live -= 1;
            if page.live == 0 && page.rows.len() == PAGE {
                self.spare = std::mem::take(&mut page.rows);
            }
        }
    }
}

impl Objects {
    /// From now on numbers come from names.
    pub(super) fn number_by_name(&mut self) {
        self.named = Some(NamedNumbers::default());
    }

    /// A new object; `None` where there are too many.
    pub(super) fn add(&mut self, object: Object, name: Option<u64>) -> Option<u32> {
        let (space, base, end) = match object.kind {
            ObjectKind::Stack | ObjectKind::Variadic => (&mut self.stack, STACK_BASE, u32::MAX),
            _ => (&mut self.statics, STATIC_BASE, STACK_BASE),
        };
        if space.next >= end - base - 1 {
            return None;
        }
        let row = base + space.add(object);
        Some(match (&mut self.named, name) {
            (Some(named), Some(name)) => named.give(row, name),
            _ => row,
        })
    }

    /// The number of an object that has got another name; nobody may know its old one.
    pub(super) fn rename(&mut self, id: u32, name: u64) -> u32 {
        match &mut self.named {
            Some(named) => match named.0.remove(&id) {
                Some(row) => named.give(row, name),
                None => id,
            },
            None => id,
        }
    }

    /// The number by creation.
    #[inline(always)]
    fn row(&self, id: u32) -> Option<u32> {
        match &self.named {
            None => Some(id),
            Some(named) => named.0.get(&id).copied(),
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, id: u32) -> Option<&Object> {
        let id = self.row(id)?;
        if id >= STACK_BASE {
            self.stack.get(id - STACK_BASE)
        } else {
            self.statics.get(id.checked_sub(STATIC_BASE)?)
        }
    }

    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut Object> {
        let id = self.row(id)?;
        if id >= STACK_BASE {
            self.stack.get_mut(id - STACK_BASE)
        } else {
            self.statics.get_mut(id.checked_sub(STATIC_BASE)?)
        }
    }

    /// The object died: its page may be dropped.
    pub(super) fn bury(&mut self, id: u32) {
        match self.row(id) {
            Some(id) if id >= STACK_BASE => self.stack.bury(id - STACK_BASE),
            Some(id) if id >= STATIC_BASE => self.statics.bury(id - STATIC_BASE),
            _ => {}
        }
    }

    /// The number was given to an object outside the stack.
    pub(super) fn was_heap(&self, id: u32) -> bool {
        let number = self.row(id).and_then(|id| id.checked_sub(STATIC_BASE));
        id < STACK_BASE && number.is_some_and(|number| number < self.statics.next)
    }

    /// The numbers that the next object on the stack and the next one elsewhere get, by creation.
    pub(super) fn next_numbers(&self) -> (u32, u32) {
        (
            STACK_BASE + self.stack.next,
            STATIC_BASE + self.statics.next,
        )
    }

    pub(super) fn was_stack(&self, id: u32) -> bool {
        let number = self.row(id).and_then(|id| id.checked_sub(STACK_BASE));
        number.is_some_and(|number| number < self.stack.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gives_the_same_number_whatever_was_made_before() {
        let (mut one, mut two) = (NamedNumbers::default(), NamedNumbers::default());
        let first = one.give(STATIC_BASE, 7);
        two.give(STATIC_BASE, 99);
        assert_eq!(two.give(STATIC_BASE + 1, 7), first);
        assert_eq!(one.0[&first], STATIC_BASE);
        assert_eq!(two.0[&first], STATIC_BASE + 1);
    }

    #[test]
    fn objects_of_one_name_have_numbers_of_their_own_and_no_neighbours() {
        let mut numbers = NamedNumbers::default();
        let stack: Vec<u32> = (0..100)
            .map(|row| numbers.give(STACK_BASE + row, 3))
            .collect();
        let mut apart = stack.clone();
        apart.sort_unstable();
        apart.dedup();
        assert_eq!(apart.len(), 100);
        assert!(stack.iter().all(|number| number % 2 == 0));
        assert!(
            stack
                .iter()
                .all(|number| (STACK_BASE..NAMED_END).contains(number))
        );
    }
}
