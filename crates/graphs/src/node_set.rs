//! Question: how does a walk that starts thousands of times keep its visited
//! set without clearing an array each time?
//!
//! Source: epoch marks. A node is in the set when its mark equals the current
//! epoch; emptying the set is adding one to the epoch.
//!
//! Why right: marks of earlier epochs are smaller than the current one, and the
//! array is cleared when the epoch would wrap.
//!
//! Cost: constant for each operation.

use crate::NodeId;

#[derive(Clone, Debug)]
pub struct NodeSet {
    marks: Vec<u32>,
    epoch: u32,
}

impl NodeSet {
    pub fn new(node_count: usize) -> NodeSet {
        NodeSet {
            marks: vec![0; node_count],
            epoch: 1,
        }
    }

    pub fn clear(&mut self) {
        if self.epoch == u32::MAX {
            self.marks.fill(0);
            self.epoch = 0;
        }
        self.epoch += 1;
    }

    /// Whether the node was new.
    pub fn insert(&mut self, node: impl NodeId) -> bool {
        let mark = &mut self.marks[node.into()];
        let new = *mark != self.epoch;
        *mark = self.epoch;
        new
    }

    pub fn contains(&self, node: impl NodeId) -> bool {
        self.marks[node.into()] == self.epoch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearing_empties_also_when_the_epoch_wraps() {
        let mut set = NodeSet::new(2);
        set.epoch = u32::MAX - 1;
        assert!(set.insert(1));
        assert!(!set.insert(1));
        set.clear();
        assert!(!set.contains(1));
        assert!(set.insert(0));
        set.clear();
        assert!(!set.contains(0) && !set.contains(1));
    }
}
