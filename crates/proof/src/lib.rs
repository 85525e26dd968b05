//! Proofs about two versions of a program.

#![forbid(unsafe_code)]

mod accesses_in_place;
pub mod equivalence;
pub mod fixed_values;
pub mod function_pairs;
pub mod given;
pub mod lifetimes;
pub mod product;
pub mod same_values;
pub mod symbolic;
mod unseen_variables;
