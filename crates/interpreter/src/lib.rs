//! The reference interpreter: what a closed program means, and what each of its nodes observes.
//!
//! [`run`] executes a program, promoted to SSA or not, on one input. It is the oracle of everything
//! else, so it favours exactness: every access is checked against the object it belongs to, every
//! undefined bit is followed, and undefined behaviour ends the run with its class and place
//! ([`UndefinedBehaviour`]). What it does not model ends the run as [`Exit::Unsupported`] with the
//! reason; it never guesses.
//!
//! A promoted program and the same program as read behave alike, with one exception: promotion may
//! replace an uninitialised variable by any value, so that its use is no longer seen.
//!
//! Modelled: little-endian targets with 64-bit pointers (the variadic convention is that of x86-64
//! System V), one thread, no signals. Not seen: use after scope, since the IR carries no lifetime
//! markers.
//!
//! Cost: each function is decoded once; then some ten nanoseconds per instruction, five times that
//! when observations are recorded, and more when a [`Trace`] is. Memory is that of the program's live objects, twice.

mod arithmetic;
mod byte_history;
mod callee;
mod calls;
mod casts;
mod code;
mod constants;
mod decode;
mod entry;
mod evaluate;
mod execute;
mod extended;
mod floating_point;
mod formats;
mod general;
mod hash;
mod history;
mod huge;
mod intrinsics;
mod library;
mod library_call;
mod machine;
mod memory;
mod memory_access;
mod non_local;
mod observations;
mod observing;
mod pointers;
mod recording;
mod registers;
mod rounding;
mod run;
mod scalar_sums;
mod shapes;
mod stop;
mod trace;
mod tracing;
mod undefined_behaviour;
mod value;
mod variadics;

pub use entry::run;
pub use history::{
    Activation, ActivationId, Entry, History, Landing, MOST_OCCURRENCES, MOST_READS, Occurrence,
    OccurrenceId,
};
pub use observations::{NodeObservations, Observations, ObserveRequest};
pub use run::{Exit, Run, RunCaveat, RunInput};
pub use trace::{
    Access, AccessKind, Activity, Flow, LONGEST_PATH, MOST_RANGES, Origin, OriginId, Overlap,
    Touch, Trace,
};
pub use undefined_behaviour::{Sanitizer, UndefinedBehaviour};
