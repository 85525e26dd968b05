//! Which nodes have something to pass on? The list says how much there is to do; the marks answer
//! for one node without touching its row, which a wave asks of every node.

use super::solver::NodeId;

#[derive(Default)]
pub(super) struct Busy {
    /// Nodes whose set got something fresh, once for each time; some have passed it on since.
    list: Vec<NodeId>,
    /// By node; every node with something fresh is marked, and perhaps others.
    marks: Vec<bool>,
    /// By node; every node whose set grew since that was last asked is marked, and perhaps others.
    grown: Vec<bool>,
}

impl Busy {
    pub(super) fn add_node(&mut self) {
        self.marks.push(false);
        self.grown.push(false);
    }

    pub(super) fn push(&mut self, node: NodeId) {
        self.list.push(node);
        self.marks[node.0 as usize] = true;
        self.grown[node.0 as usize] = true;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Empties the list; marks stay.
    pub(super) fn take_list(&mut self) -> Vec<NodeId> {
        std::mem::take(&mut self.list)
    }

    /// The nodes whose sets may have grown since this was last asked, ascending.
    pub(super) fn take_grown(&mut self) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        for (index, grown) in self.grown.iter_mut().enumerate() {
            if std::mem::take(grown) {
                nodes.push(NodeId(index as u32));
            }
        }
        nodes
    }

    /// Whether the node was marked; it no longer is.
    pub(super) fn unmark(&mut self, node: NodeId) -> bool {
        std::mem::take(&mut self.marks[node.0 as usize])
    }
}
