//! Which functions may a call enter, and which memory may an instruction touch?
//!
//! - [`call_graph`]: who calls whom, through pointers and callbacks too, and what runs first.
//! - [`points_to`]: what each value may point to, inclusion-based; [`precise_call_graph`] rests on
//!   it, [`coarse_call_graph`] is its oracle.
//! - [`regions`]: which accesses may touch common memory, unification-based and by context;
//!   [`mod_ref`] and [`memory_ssa`] rest on it.
//! - [`meanwhile`]: what runs while something else does.
//!
//! This crate does no I/O and knows one version of a program only.

pub mod call_graph;
pub mod coarse_call_graph;
mod default_actions;
pub mod dump_call_graph;
pub mod meanwhile;
pub mod memory_model;
pub mod memory_ssa;
pub mod mod_ref;
pub mod points_to;
pub mod precise_call_graph;
pub mod processes;
mod redirection;
pub mod regions;
