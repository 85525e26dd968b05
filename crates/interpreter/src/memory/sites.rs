//! Where does an object come from?
//!
//! A pointer is observed as the place that allocated its object, how many objects that place had
//! allocated before, and the offset: none of these depends on what other places allocate.

use knockon_program::{BlockId, FunctionId, GlobalId, InstructionId};
use rustc_hash::FxHashMap;

/// A place that makes objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    Global(GlobalId),
    Function(FunctionId),
    Block(FunctionId, BlockId),
    /// An `alloca`, or a call that allocates.
    Instruction(FunctionId, InstructionId),
    /// Made by the library or for the start of the program, under this name.
    Library(&'static str),
}

/// A row of the site table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteId(pub(crate) u32);

#[derive(Default)]
pub(super) struct Sites {
    rows: Vec<(Site, u32)>,
    index: FxHashMap<Site, u32>,
}

impl Sites {
    pub(super) fn intern(&mut self, site: Site) -> SiteId {
        let row = *self.index.entry(site).or_insert_with(|| {
            self.rows.push((site, 0));
            self.rows.len() as u32 - 1
        });
        SiteId(row)
    }

    pub(super) fn get(&self, id: SiteId) -> Site {
        self.rows[id.0 as usize].0
    }

    pub(super) fn next_occurrence(&mut self, id: SiteId) -> u32 {
        let count = &mut self.rows[id.0 as usize].1;
        *count = count.wrapping_add(1);
        *count - 1
    }
}
