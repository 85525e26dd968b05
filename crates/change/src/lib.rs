//! Two versions of a program side by side: which function, global, parameter and node of the one
//! is which of the other, and which of them are sources of the change.
//!
//! - [`pair`] finds them; [`Change`] says what they mean.
//! - [`put_old_names`] comes before: it takes out what only says how functions and files are called.
//! - [`text_hunks`] compares texts; `hunk_layout` tells layout from code.
//! - [`edited_definitions`] names the macros and enumerators behind a difference.
//! - [`account`] says of each hunk where it went, [`function_statuses`] what became of functions.
//!
//! This crate does no I/O; it is the first that says `old` and `new`.

mod agreement;
mod alignment;
mod c_tokens;
mod change;
mod common_sequence;
mod content_hash;
mod contents;
mod control_agreement;
mod definitions;
mod edits;
mod entries;
mod function_pairing;
mod function_status;
mod global_pairing;
mod grown_arrays;
mod hunk_layout;
mod hunks;
mod indirect_functions;
mod meaning;
mod memory_agreement;
mod object_names;
mod old_names;
mod old_positions;
mod ordered_calls;
mod pairing;
mod parameters;
mod replacements;
mod similarity;
mod started_programs;
mod text_diff;
mod version_view;

pub use change::{
    Change, ChangedArguments, FunctionPair, GlobalChange, NodeMap, PairId, PairStatus, Side, Sides,
    Version,
};
pub use definitions::{Definition, Definitions, EditedDefinition, edited_definitions};
pub use edits::{Edits, Hunk};
pub use function_status::{FunctionStatus, function_statuses};
pub use hunks::{HunkAccount, HunkFate, NotCompiled, SourceFiles, account};
pub use meaning::mean_the_same;
pub use object_names::{object_names, paired_nodes};
pub use old_names::{OldNames, Renaming, put_old_names};
pub use old_positions::with_old_positions;
pub use pairing::{pair, pair_within};
pub use text_diff::text_hunks;
