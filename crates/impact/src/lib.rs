//! What a change reaches. One analysis a module; no I/O here.
//!
//! Execute-after goes from [`call_flow`] (the calls of each procedure and the control flow between
//! them) over [`component_graph`] (the same with loops condensed) to [`order_graph`], in which
//! [`execute_after`] walks for one function and [`all_pairs`] finds the relation of all.

pub mod all_pairs;
pub mod call_flow;
pub mod component_graph;
pub mod dataflow_impact;
pub mod dependence;
pub mod dynamic_slicing;
pub mod example_path;
pub mod execute_after;
pub mod grouped_walk;
pub mod leaving;
pub mod order_graph;
mod procedure;
mod program_flow;
pub mod propagation;
pub mod reasons;
pub mod semantic_impact;
pub mod slicing;
mod steps;
pub mod summaries;
mod walk;

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod small_flows;

pub use procedure::Procedure;
pub use program_flow::{call_flow, exit, root};
