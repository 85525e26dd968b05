//! A thread that owns what is kept of one subject, and answers one question after the other.
//!
//! Memory models and graphs borrow from programs, so they never leave the thread that made them:
//! questions go there, answers come back. Who asks waits for the answer and looks at its sign to stop
//! every [`PATIENCE`]: a cancelled question returns at once, while the thread, which sees the same
//! sign, may need a moment to give up.

use super::inputs::Subject;
use crate::cancellation::Cancellation;
use crate::error::{EngineError, Result};
use crate::events::{Caller, Event, Events};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often somebody who waits looks at the sign to stop.
const PATIENCE: Duration = Duration::from_millis(10);
/// Analyses recurse over programs.
const STACK: usize = 256 << 20;

/// A question to what a thread keeps, and its caller.
pub struct Task<Q> {
    pub question: Q,
    pub cancellation: Cancellation,
    pub words: Words,
}

/// The way back to who asks.
pub type Words = Sender<Event>;

/// A thread for questions of one kind.
pub struct Worker<Q> {
    pub subject: Subject,
    tasks: Sender<Task<Q>>,
    thread: Arc<JoinHandle<()>>,
}

// Each clone is a way to the same thread, which ends when the last one is gone.
impl<Q> Clone for Worker<Q> {
    fn clone(&self) -> Worker<Q> {
        Worker {
            subject: self.subject.clone(),
            tasks: self.tasks.clone(),
            thread: self.thread.clone(),
        }
    }
}

impl<Q: Send + 'static> Worker<Q> {
    pub fn start(
        subject: Subject,
        serve: impl FnOnce(Subject, Receiver<Task<Q>>) + Send + 'static,
    ) -> Result<Worker<Q>> {
        let (tasks, waiting) = channel();
        let own = subject.clone();
        let thread = std::thread::Builder::new()
            .name("knockon".to_owned())
            .stack_size(STACK)
            .spawn(move || serve(own, waiting))?;
        Ok(Worker {
            subject,
            tasks,
            thread: Arc::new(thread),
        })
    }

    pub fn is_alive(&self) -> bool {
        !self.thread.is_finished()
    }

    /// Asks and waits. `question` is given the place where the answer goes.
    pub fn ask<T>(
        &self,
        question: impl FnOnce(Sender<Result<T>>) -> Q,
        cancellation: &Cancellation,
        events: &mut dyn FnMut(Event),
    ) -> Result<T> {
        let (answers, answer) = channel();
        let (words, heard) = channel();
        let task = Task {
            question: question(answers),
            cancellation: cancellation.clone(),
            words,
        };
        self.tasks.send(task).map_err(|_| EngineError::Lost)?;
        loop {
            let answered = answer.recv_timeout(PATIENCE);
            heard.try_iter().for_each(&mut *events);
            match answered {
                _ if cancellation.is_cancelled() => return Err(EngineError::Cancelled),
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(EngineError::Lost),
            }
        }
    }
}

/// Lets a question be answered for its caller.
pub fn for_caller<T>(
    cancellation: &Cancellation,
    words: &Words,
    answer: impl FnOnce(Caller<'_>) -> Result<T>,
) -> Result<T> {
    // Who does not wait any more hears nothing.
    let tell = |event| {
        let _ = words.send(event);
    };
    answer(Caller {
        cancellation,
        events: Events::to(&tell),
    })
}
