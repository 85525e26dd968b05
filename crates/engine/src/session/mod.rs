//! A directory about which many questions are asked.
//!
//! **What is kept.** Of each comparison what was read of both versions, their memory models and the
//! reports; of each program its memory model and its graph. Each has a thread of its own
//! ([`worker`]), and only the last few are kept.
//!
//! **Why an answer is right.** Every question first looks at all inputs, and whatever is not as it was
//! is read anew ([`inputs`]). The answer is that of the functions in [`crate::queries`] on the same
//! request; it says in an event which state of the inputs it is about.
//!
//! **Cancelling.** A cancelled question returns within a few hundredths of a second with
//! [`EngineError::Cancelled`]. Nothing of it is kept, and the session can be asked again.

mod comparison;
mod file_state;
mod git_state;
mod inputs;
mod program;
mod worker;

use crate::cancellation::Cancellation;
use crate::error::{EngineError, Result};
use crate::events::Event;
use crate::export_place::TemporaryExports;
use crate::options::{ProgramOptions, ReadOptions, VersionsOptions};
use crate::queries::after::AfterRequest;
use crate::queries::diff::DiffRequest;
use crate::queries::equiv::EquivRequest;
use crate::queries::slice::SliceRequest;
use crate::queries::why::{AskedPlace, WhyRequest};
use inputs::Subject;
use knockon_report::{AfterReport, DiffReport, EquivReport, SliceReport, WhyReport};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use worker::Worker;

#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// An absolute path: where requests are seen from that name no directory of their own.
    pub directory: PathBuf,
    /// Comparisons and programs that are kept, of each.
    pub max_kept: usize,
}

impl SessionOptions {
    pub fn of(directory: impl Into<PathBuf>) -> SessionOptions {
        SessionOptions {
            directory: directory.into(),
            max_kept: 4,
        }
    }
}

/// Who listens while an answer is made.
pub type Listener<'a> = &'a mut dyn FnMut(Event);

/// May be asked from several threads; questions about the same subject are answered in turns.
pub struct Session {
    options: SessionOptions,
    exports: TemporaryExports,
    comparisons: Mutex<Vec<Worker<comparison::Question>>>,
    programs: Mutex<Vec<Worker<program::Question>>>,
}

impl Session {
    pub fn new(options: SessionOptions) -> Session {
        Session {
            options,
            exports: TemporaryExports::default(),
            comparisons: Mutex::default(),
            programs: Mutex::default(),
        }
    }

    /// What the change does to the rest of the program.
    pub fn diff(
        &self,
        request: &DiffRequest,
        cancellation: &Cancellation,
        events: Listener<'_>,
    ) -> Result<Arc<DiffReport>> {
        let request = self.diff_request(request);
        let worker = self.comparison(&request.versions)?;
        let question = |answers| comparison::Question::Diff(request, answers);
        worker.ask(question, cancellation, events)
    }

    /// How the change comes to one line, or what keeps it away.
    pub fn why(
        &self,
        request: &WhyRequest,
        cancellation: &Cancellation,
        events: Listener<'_>,
    ) -> Result<WhyReport> {
        let place = AskedPlace::parse(&request.place)?;
        let request = self.diff_request(&request.diff);
        let worker = self.comparison(&request.versions)?;
        let question = |answers| comparison::Question::Why(place, request, answers);
        worker.ask(question, cancellation, events)
    }

    /// Whether functions do the same in both versions.
    pub fn equiv(
        &self,
        request: &EquivRequest,
        cancellation: &Cancellation,
        events: Listener<'_>,
    ) -> Result<EquivReport> {
        let mut request = request.clone();
        request.versions = self.versions(&request.versions);
        let directory = &request.versions.reading.directory;
        for path in [&mut request.dump_queries, &mut request.counterexample] {
            *path = path.as_ref().map(|path| directory.join(path));
        }
        let worker = self.comparison(&request.versions)?;
        let question = |answers| comparison::Question::Equiv(request, answers);
        worker.ask(question, cancellation, events)
    }

    /// What a line may affect, or what may affect it.
    pub fn slice(
        &self,
        request: &SliceRequest,
        cancellation: &Cancellation,
        events: Listener<'_>,
    ) -> Result<SliceReport> {
        let mut request = request.clone();
        request.program = self.program_options(&request.program);
        let directory = &request.program.reading.directory;
        if let Some(run) = &mut request.run {
            run.tests = run.tests.as_ref().map(|path| directory.join(path));
        }
        let worker = self.program(&request.program)?;
        let question = |answers| program::Question::Slice(request, answers);
        worker.ask(question, cancellation, events)
    }

    /// Which functions may execute after the given ones, or before.
    pub fn after(
        &self,
        request: &AfterRequest,
        cancellation: &Cancellation,
        events: Listener<'_>,
    ) -> Result<AfterReport> {
        let mut request = request.clone();
        request.program = self.program_options(&request.program);
        let worker = self.program(&request.program)?;
        let question = |answers| program::Question::After(request, answers);
        worker.ask(question, cancellation, events)
    }

    fn comparison(&self, versions: &VersionsOptions) -> Result<Worker<comparison::Question>> {
        let subject = Subject::Versions(versions.clone());
        let start = |subject| Worker::start(subject, comparison::serve);
        found(&self.comparisons, subject, self.options.max_kept, start)
    }

    fn program(&self, options: &ProgramOptions) -> Result<Worker<program::Question>> {
        let subject = Subject::Program(options.clone());
        let start = |subject| Worker::start(subject, program::serve);
        found(&self.programs, subject, self.options.max_kept, start)
    }

    fn diff_request(&self, request: &DiffRequest) -> DiffRequest {
        DiffRequest {
            versions: self.versions(&request.versions),
            ..request.clone()
        }
    }

    fn versions(&self, options: &VersionsOptions) -> VersionsOptions {
        VersionsOptions {
            reading: self.reading(&options.reading),
            ..options.clone()
        }
    }

    fn program_options(&self, options: &ProgramOptions) -> ProgramOptions {
        ProgramOptions {
            reading: self.reading(&options.reading),
            program: match options.program.as_str() {
                "" => ".".to_owned(),
                program => program.to_owned(),
            },
        }
    }

    /// As seen from the session's directory.
    fn reading(&self, options: &ReadOptions) -> ReadOptions {
        let own = &self.options.directory;
        let directory = match options.directory.as_os_str().is_empty() {
            true => own.clone(),
            false => own.join(&options.directory),
        };
        ReadOptions {
            build: options.build.as_ref().map(|path| directory.join(path)),
            directory,
            exports: self.exports.clone(),
            ..options.clone()
        }
    }
}

/// The thread for a subject; the one that was not asked for longest makes room for a new one.
fn found<Q: Send + 'static>(
    workers: &Mutex<Vec<Worker<Q>>>,
    subject: Subject,
    max_kept: usize,
    start: impl FnOnce(Subject) -> Result<Worker<Q>>,
) -> Result<Worker<Q>> {
    let mut workers = workers.lock().unwrap_or_else(PoisonError::into_inner);
    let at = workers.iter().position(|worker| worker.subject == subject);
    let worker = match at.map(|at| workers.remove(at)) {
        Some(known) if known.is_alive() => known,
        _ => start(subject)?,
    };
    workers.push(worker.clone());
    if workers.len() > max_kept.max(1) {
        workers.remove(0);
    }
    Ok(worker)
}

impl Drop for Session {
    /// A thread that is still at work may read an export: it finds none, and nobody hears of it.
    fn drop(&mut self) {
        self.exports.remove();
    }
}

impl EngineError {
    /// Asking again may help: nothing is wrong with the request.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, EngineError::Cancelled | EngineError::Interrupted)
    }
}
