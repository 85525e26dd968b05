//! Which nodes hold the content of memory? One for each word of an object, made when first touched,
//! and two for accesses at any offset: what is stored there goes to all words, and all words go to
//! what is loaded there.

use super::objects::{ANY, LocationId, ObjectId};
use super::solver::{NodeId, Solver};
use smallvec::{SmallVec, smallvec};

impl Solver<'_> {
    pub(super) fn access(
        &mut self,
        location: LocationId,
        loads: &[(u32, NodeId)],
        stores: &[(u32, NodeId)],
    ) {
        let (object, offset) = self.objects.resolve(location);
        if self.objects.get(object).holds_nothing() {
            return;
        }
        for (size, to) in loads {
            for word in self.touched(object, offset, *size, false) {
                self.copy(word, *to);
            }
        }
        for (size, from) in stores {
            for word in self.touched(object, offset, *size, true) {
                self.copy(*from, word);
            }
        }
    }

    /// The nodes of the words that an access touches.
    pub(super) fn touched(
        &mut self,
        object: ObjectId,
        offset: u32,
        size: u32,
        writes: bool,
    ) -> SmallVec<[NodeId; 2]> {
        if offset == ANY {
            let (input, output) = self.any_offset(object);
            return smallvec![if writes { input } else { output }];
        }
        let row = self.objects.get(object);
        if row.collapsed {
            return smallvec![self.word(object, 0)];
        }
        // An access beyond the end is undefined.
        if row
            .size
            .is_some_and(|end| offset.saturating_add(size) > end)
        {
            return SmallVec::new();
        }
        let mut words: SmallVec<[u32; 4]> = SmallVec::new();
        let mut at = offset;
        let last = offset.saturating_add(size.max(1) - 1);
        while at <= last {
            words.push(row.canonical(at) / 8);
            at = match (at / 8 + 1).checked_mul(8) {
                Some(next) => next,
                None => break,
            };
        }
        words.push(row.canonical(last) / 8);
        words.sort_unstable();
        words.dedup();
        if words.len() > 64 {
            let (input, output) = self.any_offset(object);
            return smallvec![if writes { input } else { output }];
        }
        words
            .into_iter()
            .map(|word| self.word(object, word))
            .collect()
    }

    /// The node of a word, given by its canonical number.
    pub(super) fn word(&mut self, object: ObjectId, word: u32) -> NodeId {
        let words = &self.objects.get(object).words;
        let at = match words.binary_search_by_key(&word, |row| row.0) {
            Ok(at) => return NodeId(words[at].1),
            Err(at) => at,
        };
        let node = self.node();
        self.objects
            .get_mut(object)
            .words
            .insert(at, (word, node.0));
        if self.objects.is_overfull(object) {
            self.collapse(object);
            return self.word(object, 0);
        }
        if let Some((input, output)) = self.any.get(&object).copied() {
            self.copy(input, node);
            self.copy(node, output);
        }
        if let Some(links) = self.links.get(&object).cloned() {
            for link in links {
                self.follow(object, word, node, link);
            }
        }
        node
    }

    /// Nodes that stand for stores to, and loads from, every word.
    pub(super) fn any_offset(&mut self, object: ObjectId) -> (NodeId, NodeId) {
        if self.objects.get(object).collapsed {
            let word = self.word(object, 0);
            return (word, word);
        }
        if let Some(known) = self.any.get(&object) {
            return *known;
        }
        let (input, output) = (self.node(), self.node());
        self.any.insert(object, (input, output));
        self.copy(input, output);
        for (_, word) in self.objects.get(object).words.clone() {
            self.copy(input, NodeId(word));
            self.copy(NodeId(word), output);
        }
        (input, output)
    }

    /// Joins the words that a new fold made equal.
    pub(super) fn refold(&mut self, object: ObjectId) {
        let words = std::mem::take(&mut self.objects.get_mut(object).words);
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for (word, node) in words {
            let canonical = self.objects.get(object).canonical(word * 8) / 8;
            match joined.binary_search_by_key(&canonical, |row| row.0) {
                Ok(at) => {
                    self.unify(NodeId(joined[at].1), NodeId(node));
                }
                Err(at) => joined.insert(at, (canonical, node)),
            }
        }
        self.objects.get_mut(object).words = joined;
        if let Some(links) = self.links.get(&object).cloned() {
            for (word, node) in self.objects.get(object).words.clone() {
                for link in &links {
                    self.follow(object, word, NodeId(node), *link);
                }
            }
        }
    }

    /// Tells the offsets of an object no longer apart.
    pub(super) fn collapse(&mut self, object: ObjectId) {
        if self.objects.get(object).collapsed {
            return;
        }
        let row = self.objects.get_mut(object);
        row.collapsed = true;
        let words = std::mem::take(&mut row.words);
        let all = self.node();
        self.objects.get_mut(object).words = vec![(0, all.0)];
        for (_, word) in words {
            self.unify(all, NodeId(word));
        }
        if let Some((input, output)) = self.any.get(&object).copied() {
            self.unify(all, input);
            self.unify(all, output);
        }
        if let Some(links) = self.links.get(&object).cloned() {
            for link in links {
                self.follow(object, 0, all, link);
            }
        }
    }
}
