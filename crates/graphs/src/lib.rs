//! Graphs over one program: control flow, promotion to SSA, dominance, control
//! dependence, loops, components.
//!
//! Every module answers one question with plain functions over plain data.
//! Nodes are `u32` newtypes, edges are compressed rows ([`Rows`]), and nothing
//! recurses, so a function with a hundred thousand blocks is no special case.
//! This crate does no I/O and knows one version of a program only.

mod call_edges;
mod components;
mod control_dependence;
mod control_flow;
mod dominance_frontiers;
mod dominators;
mod dump;
mod dump_dot;
mod loops;
mod may_not_return;
mod node_set;
mod post_dominators;
mod printing;
mod promotion;
mod rows;
mod segmented_flow;
mod ssa_check;

#[cfg(test)]
mod random_bodies;
#[cfg(test)]
mod random_graphs;

pub use call_edges::{CallEdges, CallSite, call_edges};
pub use components::{Components, components};
pub use control_dependence::{ControlDependence, ControllingEdge, control_dependence};
pub use control_flow::{ControlFlow, control_flow, reverse_postorder};
pub use dominance_frontiers::{dominance_frontiers, iterated_frontier};
pub use dominators::{DominatorTree, dominators};
pub use dump::{dump_control_flow, dump_dominators, dump_loops, dump_ssa};
pub use dump_dot::{dump_control_flow_dot, dump_dominators_dot, dump_loops_dot, dump_ssa_dot};
pub use loops::{IrreducibleRegion, Loop, LoopForest, LoopId, loops};
pub use may_not_return::{ExternalBehaviour, MayNotReturn, may_not_return};
pub use node_set::NodeSet;
pub use post_dominators::{PostDominators, post_dominators};
pub use promotion::{Promotion, UndefinedReads, promote, promote_as_mem2reg, promote_with};
pub use rows::{NodeId, Rows};
pub use segmented_flow::{Segment, SegmentId, SegmentedFlow, segmented_flow};
pub use ssa_check::{SsaViolation, verify_ssa};
