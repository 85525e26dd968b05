//! What can be said in logic, and who decides it: terms that are shared, their text as SMT-LIB, solvers
//! as child processes, Horn clauses, and bit vectors read as integers.
//!
//! Knows no program but its sizes and limits of time, and no versions. Proofs about programs are made
//! of this in `knockon-proof`.

#![forbid(unsafe_code)]

pub mod horn;
pub mod integers;
pub mod smt_lib;
pub mod solver;
pub mod terms;
