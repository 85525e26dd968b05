//! A sign that somebody does not want the answer any more.
//!
//! One value for each request, cloned to all that may raise it: a signal handler, a client's
//! connection. It reaches compilers, walks and solvers; what was found until then may still be
//! reported, with a caveat that says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Clone, Debug, Default)]
pub struct Cancellation {
    flag: Arc<AtomicBool>,
}

impl Cancellation {
    pub fn new() -> Cancellation {
        Cancellation::default()
    }

    /// Asks to stop; whether somebody had asked before.
    pub fn cancel(&self) -> bool {
        self.flag.swap(true, Ordering::Relaxed)
    }

    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// For libraries that look at a flag.
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }
}
