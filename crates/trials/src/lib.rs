//! Random programs, corpora and measurements that hold Knockon to its promises.

pub mod against_clang;
pub mod agreement;
pub mod bench;
pub mod corpus;
pub mod differencing;
pub mod edits;
pub mod equivalence;
pub mod generator;
pub mod layouts;
pub mod progress_line;
pub mod random;
pub mod reading;
pub mod reducer;
pub mod results_document;
pub mod soak;
pub mod soundness;
pub mod synthetic_graph;
pub mod unseen;
