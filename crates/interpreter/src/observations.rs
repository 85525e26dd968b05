//! What does each node observe while the program runs?
//!
//! An observation (of a node at one occurrence) is its operands, for a load also the value read,
//! for a copy of memory what is copied, for a call the callee, the arguments, what those hold that are
//! passed as copies, and the result. Pointers count as the name of their
//! object (its call path, node and occurrence) and the offset, never as a number; bits that are not
//! initialised count as such, whatever they are. Per node the run keeps how often it was reached and one
//! 128-bit sum over its occurrences, each hashed together with its number; two runs agree on a node
//! when both are equal. The sum makes the order of recording irrelevant, so a call can be recorded
//! when it returns and still count at the occurrence at which it started.

use knockon_program::{Node, ObjectNames};
use rustc_hash::{FxHashMap, FxHashSet};

/// What to record.
#[derive(Clone, Debug, Default)]
pub struct ObserveRequest {
    pub names: ObjectNames,
    /// The nodes whose observations are kept one by one.
    pub trace: FxHashSet<Node>,
}

/// What was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observations {
    pub nodes: FxHashMap<Node, NodeObservations>,
    /// For traced nodes, the hash of each occurrence in the order of their starts.
    pub traces: FxHashMap<Node, Vec<u128>>,
}

/// All observations of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeObservations {
    pub count: u64,
    pub hash: u128,
}
