//! Which words does a copy of bytes (`memcpy`, `*a = *b`) join? A link between two locations passes
//! each word on to the word at the same distance; words that come later follow the link too. A
//! folded word stands for many, so where it goes is not told apart.

use super::location_set::LocationSet;
use super::objects::{ANY, LocationId, ObjectId};
use super::solver::{NodeId, Solver, Use};

/// A copy of bytes from where one pointer points to where another does.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryCopy {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) length: u32,
    /// All goes through this node, offsets not told apart: there are too many pairs.
    pub(super) through: Option<NodeId>,
}

/// A part of one object whose words go to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) from: u32,
    pub(super) to_object: ObjectId,
    pub(super) to: u32,
    pub(super) length: u32,
}

/// A memory copy between more pairs of locations than this goes through one node.
const MOST_PAIRS: usize = 4096;

impl Solver<'_> {
    /// Copies `length` bytes from where `from` points to where `to` points.
    pub fn copy_memory(&mut self, from: NodeId, to: NodeId, length: u32) {
        let number = self.memory_copies.len() as u32;
        self.memory_copies.push(MemoryCopy {
            from,
            to,
            length,
            through: None,
        });
        self.attach(from, Use::CopySource(number));
        self.attach(to, Use::CopyTarget(number));
    }

    /// New locations at one end of a memory copy.
    pub(super) fn pass_memory(&mut self, number: u32, fresh: &LocationSet, at_source: bool) {
        let row = self.memory_copies[number as usize];
        if let Some(through) = row.through {
            return self.pass_through(through, fresh, at_source);
        }
        let others = match at_source {
            true => self.set(row.to).clone(),
            false => self.set(row.from).clone(),
        };
        if fresh.len().saturating_mul(others.len()) > MOST_PAIRS {
            let through = self.node();
            self.memory_copies[number as usize].through = Some(through);
            self.pass_through(through, fresh, at_source);
            return self.pass_through(through, &others, !at_source);
        }
        for one in fresh.iter() {
            for two in others.iter() {
                let (mut from, mut to) = (
                    self.objects.resolve(LocationId(one)),
                    self.objects.resolve(LocationId(two)),
                );
                if !at_source {
                    std::mem::swap(&mut from, &mut to);
                }
                self.link(from, to, row.length);
            }
        }
    }

    pub(super) fn pass_through(&mut self, through: NodeId, locations: &LocationSet, reads: bool) {
        for location in locations.iter() {
            let (object, _) = self.objects.resolve(LocationId(location));
            if self.objects.get(object).holds_nothing() {
                continue;
            }
            let (input, output) = self.any_offset(object);
            match reads {
                true => self.copy(output, through),
                false => self.copy(through, input),
            }
        }
    }

    pub(super) fn link(&mut self, from: (ObjectId, u32), to: (ObjectId, u32), length: u32) {
        let nothing = |object| self.objects.get(object).holds_nothing();
        if from == to || nothing(from.0) || nothing(to.0) {
            return;
        }
        if !self.linked.insert((from.0, from.1, to.0, to.1)) {
            return;
        }
        if self.objects.get(from.0).collapsed || from.1 == ANY || to.1 == ANY {
            let (_, output) = self.any_offset(from.0);
            let (input, _) = self.any_offset(to.0);
            return self.copy(output, input);
        }
        let link = Link {
            from: from.1,
            to_object: to.0,
            to: to.1,
            length,
        };
        self.links.entry(from.0).or_default().push(link);
        // What was stored at any offset arrives at any offset.
        let (input, _) = self.any_offset(from.0);
        let (target, _) = self.any_offset(to.0);
        self.copy(input, target);
        for (word, node) in self.objects.get(from.0).words.clone() {
            self.follow(from.0, word, NodeId(node), link);
        }
    }

    /// Passes one word of an object on along a link.
    pub(super) fn follow(&mut self, object: ObjectId, word: u32, node: NodeId, link: Link) {
        // A folded word stands for many: where those go is not told apart.
        let row = self.objects.get(object);
        let folded = row.collapsed
            || row
                .folds
                .iter()
                .any(|fold| fold.start < word * 8 + 8 && word * 8 < fold.end);
        if folded || link.from == ANY || link.to == ANY {
            let (input, _) = self.any_offset(link.to_object);
            self.copy(node, input);
            return;
        }
        let begin = word * 8;
        if begin + 8 <= link.from || begin >= link.from.saturating_add(link.length) {
            return;
        }
        let distance = i64::from(begin) - i64::from(link.from);
        let Some(to) = self.objects.move_by(link.to_object, link.to, distance) else {
            return;
        };
        for target in self.touched(link.to_object, to, 8, true) {
            self.copy(node, target);
        }
    }
}
