//! Memory that a loop writes only at fixed addresses.
//!
//! **Rules.** If each iteration stores at addresses that are the same in all of them and surely apart,
//! and nowhere else, then the memory at the header is the memory before the loop with other
//! values in these *cells*. The cells are carried round like variables, so that a loop which keeps a
//! sum in memory and one that keeps it in a register look alike.
//!
//! **Soundness.** Which cells there are is guessed from an iteration over an unknown memory. With the
//! cells in place, [`Evaluator::only_cells_differ`] shows that an iteration leaves all other bytes:
//! taking a store to a cell away changes no byte outside of it.
//!
//! **Cost.** Loops that write memory are evaluated twice, loops inside them four times.

use super::frame::Frame;
use super::headers::{Carried, Naming};
use super::regions::Edges;
use super::{Evaluator, Item, State, Undecided};
use knockon_graphs::LoopId;
use knockon_logic::terms::mentions::Mentions;
use knockon_logic::terms::{Operator, Sort, TermId};
use knockon_program::BlockId;
use rustc_hash::{FxHashMap, FxHashSet};

/// So many cells at most.
const MOST_CELLS: usize = 8;

/// An address, and so many bytes.
type Cell = (TermId, u32);

impl<'a> Evaluator<'a, '_> {
    /// The cells that a loop may be writing, if it seems to write nothing else; values at the header
    /// are in place.
    pub(super) fn written_cells(
        &mut self,
        frame: &mut Frame<'a>,
        id: LoopId,
        naming: &Naming,
        state: &State,
        varying: usize,
    ) -> Result<Option<Vec<Cell>>, Undecided> {
        let header = frame.forest.get(id).header;
        let blocks = frame.forest.blocks.of(id).to_vec();
        let name = format!("{} any memory", naming.own);
        let unknown = self.names.symbol(self.terms, &name, Sort::Memory);
        self.varying.push(unknown);
        let mut start = state.clone();
        start.memories[0] = unknown;
        let noted = self.mark();
        let mut edges: Edges = FxHashMap::default();
        edges.insert(header, vec![(BlockId(u32::MAX), start)]);
        let outgoing = self.region(frame, Some(id), &blocks, edges, true)?;
        let states: Vec<State> = outgoing.again.into_iter().map(|row| row.1).collect();
        let after = self.joined(&states).map(|state| state.memories[0]);
        self.reset(noted);
        let Some(after) = after else {
            return Ok(None);
        };
        let mut cells: Vec<Cell> = Vec::new();
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut work = vec![after];
        while let Some(memory) = work.pop() {
            if memory == unknown || !seen.insert(memory) {
                continue;
            }
            let row = self.terms.get(memory).clone();
            match row.operator {
                Operator::Store => {
                    let cell = (row.arguments[1], self.terms.width(row.arguments[2]) / 8);
                    if !cells.contains(&cell) {
                        cells.push(cell);
                    }
                    work.push(row.arguments[0]);
                }
                Operator::IfThenElse => work.extend(&row.arguments[1..]),
                _ => return Ok(None),
            }
        }
        let mut varies = Mentions::of(&self.varying[varying..]);
        let is_fixed = cells.iter().all(|cell| !varies.is_in(self.terms, cell.0));
        let are_apart = cells.iter().enumerate().all(|(number, cell)| {
            let others = cells[..number].iter();
            others
                .copied()
                .all(|other| self.terms.surely_apart(*cell, other))
        });
        let is_found = !cells.is_empty() && cells.len() <= MOST_CELLS && is_fixed && are_apart;
        cells.reverse();
        Ok(is_found.then_some(cells))
    }

    /// The memory at the header: that before the loop, with other values in the cells.
    pub(super) fn cell_memory(
        &mut self,
        naming: &Naming,
        before: TermId,
        cells: &[Cell],
        carried: &mut Carried,
    ) -> TermId {
        let mut memory = before;
        for (number, (at, bytes)) in cells.iter().enumerate() {
            let value = self.terms.load(before, *at, *bytes);
            let item = Item::Cell(number as u32);
            let here = self.header_symbol(naming, item, value, carried);
            memory = self.terms.store(memory, *at, here);
        }
        memory
    }

    /// Outside of the cells, both memories have the same bytes.
    pub(super) fn only_cells_differ(
        &mut self,
        left: TermId,
        right: TermId,
        cells: &[Cell],
    ) -> bool {
        let mut known = FxHashMap::default();
        self.without_cells(left, cells, &mut known) == self.without_cells(right, cells, &mut known)
    }

    fn without_cells(
        &mut self,
        memory: TermId,
        cells: &[Cell],
        known: &mut FxHashMap<TermId, TermId>,
    ) -> TermId {
        if let Some(found) = known.get(&memory) {
            return *found;
        }
        let row = self.terms.get(memory).clone();
        let found = match row.operator {
            Operator::Store => {
                let cell = (row.arguments[1], self.terms.width(row.arguments[2]) / 8);
                let before = self.without_cells(row.arguments[0], cells, known);
                match cells.contains(&cell) {
                    true => before,
                    false => self.terms.store(before, row.arguments[1], row.arguments[2]),
                }
            }
            Operator::IfThenElse => {
                let left = self.without_cells(row.arguments[1], cells, known);
                let right = self.without_cells(row.arguments[2], cells, known);
                self.terms.if_then_else(row.arguments[0], left, right)
            }
            _ => memory,
        };
        known.insert(memory, found);
        found
    }
}
