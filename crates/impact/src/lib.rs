//! What a change reaches. One analysis a module; no I/O here.

mod call_structure;
mod execute_after;

pub use call_structure::{CallStructure, Procedure, call_structure};
pub use execute_after::{Direction, Reason, Related, execute_after};
