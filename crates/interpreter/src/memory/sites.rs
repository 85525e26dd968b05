//! Where does an object come from?
//!
//! Every object knows the place that made it; how pointers are observed is `naming`.

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
    rows: Vec<Site>,
    index: FxHashMap<Site, u32>,
}

impl Sites {
    pub(super) fn intern(&mut self, site: Site) -> SiteId {
        let row = *self.index.entry(site).or_insert_with(|| {
            self.rows.push(site);
            self.rows.len() as u32 - 1
        });
        SiteId(row)
    }

    pub(super) fn get(&self, id: SiteId) -> Site {
        self.rows[id.0 as usize]
    }
}
