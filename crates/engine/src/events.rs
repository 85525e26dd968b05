//! What happens while a request is answered.
//!
//! Events are for people who wait: an answer is whole without them, but for what is called a notice.

use crate::cancellation::Cancellation;
use crate::failed_unit::FailedUnit;
use knockon_report::LevelRow;
use std::time::{Duration, Instant};

#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The units of one version are about to be read.
    ReadingBegins {
        units: usize,
    },
    /// A unit was read, or failed.
    UnitRead {
        done: usize,
        total: usize,
        file: String,
    },
    ReadingEnds,
    /// Both versions, or the one program, are read, and these units did not compile.
    UnitsFailed(Vec<FailedUnit>),
    /// A level is done.
    Level(LevelRow),
    /// How long a step took.
    Step {
        name: String,
        time: Duration,
    },
    /// Of a session: the state of the inputs that the answer is about, and whether it was known.
    Inputs {
        digest: String,
        is_warm: bool,
    },
    /// The answer is about something else than what was named: a sentence that says so.
    Notice(String),
}

/// Where events go. Units are read on several threads, so it may be called from each.
#[derive(Clone, Copy, Default)]
pub struct Events<'a> {
    listener: Option<&'a (dyn Fn(Event) + Sync)>,
}

impl<'a> Events<'a> {
    pub fn to(listener: &'a (dyn Fn(Event) + Sync)) -> Events<'a> {
        Events {
            listener: Some(listener),
        }
    }

    /// Nobody listens.
    pub fn ignored() -> Events<'static> {
        Events::default()
    }

    pub(crate) fn send(&self, event: Event) {
        if let Some(listener) = self.listener {
            listener(event);
        }
    }
}

/// Who asks: may lose interest, and may listen.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    pub cancellation: &'a Cancellation,
    pub events: Events<'a>,
}

/// Measures the steps of a request.
pub(crate) struct Clock<'e> {
    events: Events<'e>,
    last: Instant,
}

impl<'e> Clock<'e> {
    pub(crate) fn new(events: Events<'e>) -> Clock<'e> {
        Clock {
            events,
            last: Instant::now(),
        }
    }

    pub(crate) fn step(&mut self, name: &str) {
        self.events.send(Event::Step {
            name: name.to_owned(),
            time: self.last.elapsed(),
        });
        self.last = Instant::now();
    }
}
