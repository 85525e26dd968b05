//! Which object does an address point into, and what is there?
//!
//! Every global, function, `alloca` and heap block is an object with a number of its own that is
//! never used again, and an address is `object << 32 | offset`. So a pointer is a plain 64-bit
//! integer (it survives unions, `memcpy` and arithmetic), yet every access is checked exactly: the
//! object must be alive, the bytes inside it, and writable for a write. Stepping below or beyond an
//! object ends at an offset that no object reaches, since none is larger than 2 GiB.
//!
//! Bytes live in one arena with a shadow beside it that has a bit set for each undefined bit. Rows
//! of dead objects are dropped a page at a time, so a long run costs memory for what lives only;
//! stack objects have a page table apart, since they die together.

mod access;
mod arena;
mod naming;
mod objects;
mod recorded;
mod sites;
#[cfg(test)]
mod tests;
mod traced;

pub use objects::ObjectKind;
pub use sites::{Site, SiteId};

use crate::recording::Recorder;
use crate::stop::{Outcome, undefined, unsupported};
use crate::tracing::Tracer;
use crate::undefined_behaviour::UndefinedBehaviour;
use arena::Arena;
use naming::Naming;
use objects::{Object, Objects};
use sites::Sites;
use std::cell::RefCell;

/// The largest object; larger offsets belong to no object.
const LARGEST: u64 = 1 << 31;

pub struct Memory {
    arena: Arena,
    objects: Objects,
    sites: Sites,
    naming: Option<Box<Naming>>,
    /// Reading is an event too, hence the cell.
    tracer: Option<Box<RefCell<Tracer>>>,
    recorder: Option<Box<RefCell<Recorder>>>,
}

/// What to allocate; the bytes start undefined unless `zeroed`.
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    pub size: u64,
    pub kind: ObjectKind,
    pub site: SiteId,
    pub zeroed: bool,
}

/// The object's number in an address.
#[inline(always)]
pub(crate) fn object_of(address: u64) -> u32 {
    (address >> 32) as u32
}

/// Whether the number is one of an object on the stack.
pub(crate) fn is_on_stack(object: u32) -> bool {
    object >= objects::STACK_BASE
}

/// The object's number and the offset from its start; a pointer that stepped below its object has a
/// huge offset in the number before it.
fn object_and_offset(address: u64) -> (u32, i64) {
    let (id, offset) = (object_of(address), i64::from(address as u32));
    if offset as u64 >= LARGEST {
        (id.wrapping_add(1), offset - (1 << 32))
    } else {
        (id, offset)
    }
}

impl Memory {
    /// Empty memory that refuses to hold more than `limit` bytes.
    pub fn new(limit: u64) -> Memory {
        Memory {
            arena: Arena::new(limit),
            objects: Objects::default(),
            sites: Sites::default(),
            naming: None,
            tracer: None,
            recorder: None,
        }
    }

    /// The row of a place in the program that allocates, made at its first use.
    pub fn site(&mut self, site: Site) -> SiteId {
        self.sites.intern(site)
    }

    /// A new object; its address is aligned for everything.
    pub fn allocate(&mut self, allocation: Allocation) -> Outcome<u64> {
        if allocation.size >= LARGEST {
            return unsupported(format!(
                "an object of {} bytes is larger than the interpreter's memory",
                allocation.size
            ));
        }
        let Some(start) = self.arena.allocate(allocation.size as usize) else {
            return unsupported(format!(
                "the program needs more than the {} bytes of memory that a run may have",
                self.arena.limit()
            ));
        };
        let range = start..start + allocation.size as usize;
        if allocation.zeroed {
            self.arena.bytes[range.clone()].fill(0);
            self.arena.undefined[range].fill(0);
        } else {
            self.arena.undefined[range].fill(0xff);
        }
        let object = Object {
            start: start as u32,
            size: allocation.size as u32,
            site: allocation.site,
            kind: allocation.kind,
            alive: true,
            writable: !matches!(
                allocation.kind,
                ObjectKind::Function | ObjectKind::Block | ObjectKind::External
            ),
        };
        let naming = self.naming.as_mut();
        let name = naming.map(|naming| naming.name(self.sites.get(allocation.site)));
        match self.objects.add(object, name) {
            Some(id) => {
                if let Some(tracer) = &mut self.tracer {
                    let site = self.sites.get(allocation.site);
                    tracer.get_mut().allocated(id, allocation.kind, site);
                }
                if let (Some(naming), Some(name)) = (&mut self.naming, name) {
                    naming.set(id, name);
                }
                Ok(u64::from(id) << 32)
            }
            None => unsupported("the program allocates more objects than the interpreter counts"),
        }
    }

    /// From now on a write to the object at `address` is undefined behaviour.
    pub fn make_constant(&mut self, address: u64) {
        if let Some(object) = self.objects.get_mut(object_of(address)) {
            object.writable = false;
        }
    }

    /// Ends the life of a stack object; ids of other objects are ignored.
    pub(crate) fn end_life(&mut self, address: u64) {
        let id = object_of(address);
        if let Some(object) = self.objects.get_mut(id)
            && object.alive
        {
            object.alive = false;
            let (start, size) = (object.start as usize, object.size as usize);
            self.arena.release(start, size);
            self.objects.bury(id);
            if let Some(tracer) = &mut self.tracer {
                tracer.get_mut().released(id);
            }
            self.record_release(id);
        }
    }

    /// `free` of a pointer that is not null.
    pub fn free(&mut self, address: u64) -> Outcome<()> {
        self.heap_block(address, "free")?;
        self.end_life(address);
        Ok(())
    }

    /// The size of a live heap block, given the address that its allocation returned.
    pub fn heap_block(&self, address: u64, user: &str) -> Outcome<u64> {
        let id = object_of(address);
        match self.objects.get(id) {
            Some(object) if object.alive && object.kind == ObjectKind::Heap => {
                if address as u32 == 0 {
                    Ok(u64::from(object.size))
                } else {
                    undefined(
                        UndefinedBehaviour::InvalidFree,
                        format!("{user} of a pointer into the middle of a heap block"),
                    )
                }
            }
            Some(object) if object.alive => undefined(
                UndefinedBehaviour::InvalidFree,
                format!("{user} of {}", object.kind.description()),
            ),
            _ if self.objects.was_heap(id) => undefined(
                UndefinedBehaviour::DoubleFree,
                format!("{user} of a heap block that was freed before"),
            ),
            _ => undefined(
                UndefinedBehaviour::InvalidFree,
                format!("{user} of a pointer that points to no heap block"),
            ),
        }
    }

    /// `realloc` of a live block to a new size: always moves.
    pub fn reallocate(&mut self, address: u64, size: u64, site: SiteId) -> Outcome<u64> {
        let old = self.heap_block(address, "realloc")?;
        let moved = self.allocate(Allocation {
            size,
            kind: ObjectKind::Heap,
            site,
            zeroed: false,
        })?;
        self.copy(moved, address, old.min(size))?;
        self.end_life(address);
        Ok(moved)
    }

    /// The site of a function or block object that `address` is the start of.
    pub(crate) fn code_at(&self, address: u64) -> Option<Site> {
        let object = self.objects.get(object_of(address))?;
        let is_code = matches!(object.kind, ObjectKind::Function | ObjectKind::Block);
        (is_code && address as u32 == 0).then(|| self.sites.get(object.site))
    }

    /// The bytes from `address` to the end of its live object.
    pub fn extent(&self, address: u64) -> Option<u64> {
        let object = self.objects.get(object_of(address))?;
        let offset = u64::from(address as u32);
        (object.alive && offset <= u64::from(object.size)).then(|| u64::from(object.size) - offset)
    }
}
