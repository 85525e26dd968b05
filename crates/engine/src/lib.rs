//! What does this change do to the rest of the program? The analysis behind the `knockon` command, for
//! others to call: editors, servers, agents.
//!
//! Requests are plain data ([`queries`]), answers are the structs of `knockon-report`, complete with
//! their caveats. The engine knows no command line, prints nothing, has no state of its own, and does
//! not look at the current directory: what it needs of the world is in the options of a request. It
//! drives `clang`, `git` and solvers as programs, and reads and writes a cache.
//!
//! ```no_run
//! use knockon_engine::queries::diff::DiffRequest;
//! use knockon_engine::options::VersionsOptions;
//! use knockon_engine::{Cancellation, Session, SessionOptions};
//!
//! # fn main() -> Result<(), knockon_engine::EngineError> {
//! let session = Session::new(SessionOptions::of("/home/me/project"));
//! let request = DiffRequest::of(VersionsOptions::default());
//! let report = session.diff(&request, &Cancellation::new(), &mut |_event| {})?;
//! # Ok(())
//! # }
//! ```
//!
//! A [`Session`] keeps what it has read and looks before each answer whether that is still what is
//! there. Who asks once calls the function of a query instead, as the command does: on Ctrl-C that
//! gives the results so far, where a session gives none.
//!
//! **Order.** The way of the data is the order of the modules, and each uses only those before it (a
//! test holds them to that):
//!
//! | module | from | to |
//! |---|---|---|
//! | [`cancellation`], [`error`], [`events`], [`options`], [`whole_file`] | | |
//! | [`budget`] | a time and a sign to stop | whether to go on |
//! | [`read`] | paths and revisions | two versions of linked programs, and how their texts differ |
//! | [`comparison`] | two programs | memory models, pairs of functions and nodes, what a walk reaches |
//! | [`verdict`] | what is reached | verdicts of lines, reasons, hunks |
//! | [`levels`] | a budget | as many levels as there is time for: a table |
//! | [`queries`] | a request | a report |
//! | [`session`] | many requests | the same reports, sooner |

pub mod budget;
pub mod cancellation;
pub mod comparison;
pub mod error;
pub mod events;
mod export_place;
mod failed_unit;
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
pub use export_place::TemporaryExports;
pub use failed_unit::FailedUnit;
pub use knockon_impact::dataflow_impact::SourceMap;
pub use session::{Session, SessionOptions};
