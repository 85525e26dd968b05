//! What must a caller know of a function?
//!
//! The objects that the parameters and the result reach and that are not shared, and what the
//! function does to their contents. What reaches too much is shared, so that a summary has a bounded
//! size, and applying it a bounded cost.

use super::cells::Cell;
use super::objects::ObjectId;
use super::solving::{Copying, Reaching, Solver};
use knockon_program::FunctionId;

/// A parameter or result that reaches more objects than this shares them with all functions.
const MOST_OBJECTS_BEHIND: usize = 48;
/// The most objects that callers get copies of.
const MOST_OBJECTS_VISIBLE: usize = 128;

impl Solver<'_> {
    /// What a caller of the function must know; whether objects had to be shared for it.
    pub(crate) fn summarise(&mut self, function: FunctionId) -> bool {
        let cells = &self.functions[function.index()];
        let mut roots: Vec<Cell> = cells.arguments.clone();
        roots.extend(cells.variadics.map(Cell::start_of));
        roots.extend(cells.result);
        roots.retain(|cell| cell.is_some());
        if self.functions[function.index()].is_shared {
            roots
                .iter()
                .for_each(|root| self.objects.share(root.object));
        }
        let mut summary = std::mem::take(&mut self.functions[function.index()].summary);
        self.collect_visible(&mut summary, &roots);
        let mut has_shared = false;
        let mut most = MOST_OBJECTS_BEHIND;
        while summary.len() > MOST_OBJECTS_VISIBLE {
            has_shared = true;
            self.share_large(function, &roots, most);
            self.collect_visible(&mut summary, &roots);
            most /= 2;
        }
        self.begin_positions();
        for (position, object) in summary.iter().enumerate() {
            self.positions[object.index()] = position as u32;
        }
        let mut copies = std::mem::take(&mut self.functions[function.index()].copies);
        let mut visible: Vec<Copying> = Vec::new();
        for copying in &mut copies {
            copying.from = self.objects.find(copying.from);
            copying.to = self.objects.find(copying.to);
            let (from, to) = (copying.from.object, copying.to.object);
            let known = |object| self.position(object).is_some();
            let shared = |object| self.objects.row(object).is_shared;
            if (known(from) && (known(to) || shared(to))) || (shared(from) && known(to)) {
                visible.push(*copying);
            }
        }
        let mut reaches = std::mem::take(&mut self.functions[function.index()].reaches);
        for reaching in &mut reaches {
            reaching.from = self.objects.find(reaching.from);
        }
        dedup(&mut copies);
        dedup(&mut visible);
        dedup(&mut reaches);
        let mut visible_reaches: Vec<Reaching> = Vec::new();
        for reaching in &reaches {
            let objects = self.reachable_until(reaching.from, |solver, object| {
                solver.position(object).is_some()
            });
            let known = objects
                .into_iter()
                .filter(|object| self.position(*object).is_some());
            visible_reaches.extend(known.map(|object| Reaching {
                from: Cell::start_of(object),
                ..*reaching
            }));
        }
        dedup(&mut visible_reaches);
        self.end_positions(&summary);
        let cells = &mut self.functions[function.index()];
        cells.copies = copies;
        cells.visible_copies = visible;
        cells.reaches = reaches;
        cells.visible_reaches = visible_reaches;
        cells.summary = summary;
        has_shared
    }

    /// The objects that the roots reach and that are not shared, in the order found.
    fn collect_visible(&mut self, summary: &mut Vec<ObjectId>, roots: &[Cell]) {
        summary.clear();
        self.begin_positions();
        for cell in roots {
            self.add_to_summary(summary, *cell);
        }
        let mut next = 0;
        while let Some(object) = summary.get(next).copied() {
            next += 1;
            for entry in 0..self.objects.row(object).entries.len() {
                let target = self.objects.row(object).entries[entry].target;
                self.add_to_summary(summary, target);
            }
        }
        self.end_positions(summary);
    }

    /// Shares what those roots reach that reach more than so many objects.
    fn share_large(&mut self, function: FunctionId, roots: &[Cell], most: usize) {
        let mut behind = Vec::new();
        for root in roots {
            self.collect_visible(&mut behind, std::slice::from_ref(root));
            if behind.len() > most {
                self.objects.share(root.object);
            }
        }
        self.note_coarse(function);
    }

    fn add_to_summary(&mut self, summary: &mut Vec<ObjectId>, cell: Cell) {
        if cell.is_none() {
            return;
        }
        let object = self.objects.find(cell).object;
        if !self.objects.row(object).is_shared && self.position(object).is_none() {
            self.positions[object.index()] = summary.len() as u32;
            summary.push(object);
        }
    }

    pub(crate) fn begin_positions(&mut self) {
        self.positions.resize(self.objects.len(), u32::MAX);
    }

    pub(crate) fn position(&self, object: ObjectId) -> Option<usize> {
        match self.positions.get(object.index()) {
            Some(&position) if position != u32::MAX => Some(position as usize),
            _ => None,
        }
    }

    pub(crate) fn end_positions(&mut self, summary: &[ObjectId]) {
        for object in summary {
            self.positions[object.index()] = u32::MAX;
        }
    }
}

/// Keeps the first of equal rows.
fn dedup<T: Copy + Eq + std::hash::Hash>(rows: &mut Vec<T>) {
    let mut seen = rustc_hash::FxHashSet::default();
    rows.retain(|row| seen.insert(*row));
}
