//! The table of objects: numbers that are never used again, rows only for what may still be asked.
//!
//! Two number ranges, one for the stack and one for everything else, each in pages; a page all of
//! whose objects are dead gives its rows back. A number says by its range alone whether it was on
//! the stack, which is all that a report about a dead object needs.

use super::SiteId;

const PAGE: usize = 1024;
/// The first number of an object that is not on the stack. Far from zero, so that small integers
/// are never mistaken for addresses.
pub(super) const STATIC_BASE: u32 = 0x1000_0000;
pub(super) const STACK_BASE: u32 = 0x4000_0000;

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
    pub(super) fn add(&mut self, object: Object) -> Option<u32> {
        let (space, base, end) = match object.kind {
            ObjectKind::Stack | ObjectKind::Variadic => (&mut self.stack, STACK_BASE, u32::MAX),
            _ => (&mut self.statics, STATIC_BASE, STACK_BASE),
        };
        if space.next >= end - base - 1 {
            return None;
        }
        Some(base + space.add(object))
    }

    #[inline(always)]
    pub(super) fn get(&self, id: u32) -> Option<&Object> {
        if id >= STACK_BASE {
            self.stack.get(id - STACK_BASE)
        } else {
            self.statics.get(id.checked_sub(STATIC_BASE)?)
        }
    }

    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut Object> {
        if id >= STACK_BASE {
            self.stack.get_mut(id - STACK_BASE)
        } else {
            self.statics.get_mut(id.checked_sub(STATIC_BASE)?)
        }
    }

    /// The object died: its page may be dropped.
    pub(super) fn bury(&mut self, id: u32) {
        if id >= STACK_BASE {
            self.stack.bury(id - STACK_BASE);
        } else if id >= STATIC_BASE {
            self.statics.bury(id - STATIC_BASE);
        }
    }

    /// The number was given to an object outside the stack.
    pub(super) fn was_heap(&self, id: u32) -> bool {
        id < STACK_BASE
            && id
                .checked_sub(STATIC_BASE)
                .is_some_and(|number| number < self.statics.next)
    }

    /// The numbers that the next object on the stack and the next one elsewhere get.
    pub(super) fn next_numbers(&self) -> (u32, u32) {
        (
            STACK_BASE + self.stack.next,
            STATIC_BASE + self.statics.next,
        )
    }

    pub(super) fn was_stack(&self, id: u32) -> bool {
        id.checked_sub(STACK_BASE)
            .is_some_and(|number| number < self.stack.next)
    }
}
