//! What does this change do to the rest of the program? The analysis behind the `knockon` command, for
//! others to call.

pub mod budget;
pub mod cancellation;
pub mod comparison;
pub mod error;
pub mod events;
pub mod levels;
pub mod options;
pub mod queries;
pub mod read;
pub mod session;
pub mod verdict;
pub mod whole_file;

pub use cancellation::Cancellation;
pub use error::EngineError;
pub use events::{Caller, Event, Events};
pub use knockon_impact::dataflow_impact::SourceMap;
pub use read::export_place::TemporaryExports;
pub use session::{Session, SessionOptions};
