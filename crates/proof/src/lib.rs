//! Proofs about two versions of a program.

#![forbid(unsafe_code)]

mod accesses_in_place;
pub mod equivalence;
pub mod fixed_values;
pub mod function_pairs;
pub mod given;
pub mod horn;
pub mod integers;
pub mod lifetimes;
pub mod product;
pub mod same_values;
pub mod smt_lib;
pub mod solver;
pub mod symbolic;
pub mod terms;
mod unseen_variables;
