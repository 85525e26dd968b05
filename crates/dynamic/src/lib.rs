//! Runs functions of two versions on the same inputs: the only crate that runs code of the program.
//!
//! [`shapes`] says what the memory looks like that a function is given, [`generation`] makes inputs
//! of it and [`modelled`] from a proof's model, [`bridge`] is the C text that calls the function,
//! [`replay`] compiles both versions, looks for an input on which they do not do the same, and
//! repeats it under sanitizers; [`child`] is the process that does so, and [`counterexample`] the C
//! file that a person can compile.

#![forbid(unsafe_code)]

pub mod bridge;
pub mod child;
pub mod counterexample;
pub mod generation;
pub mod input;
pub mod modelled;
mod padding;
pub mod replay;
pub mod shapes;
