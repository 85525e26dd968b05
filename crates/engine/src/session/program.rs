//! What is kept of one program: the program, its memory model and its dependence graph.

use super::inputs::{Inputs, Subject};
use super::worker::{Task, for_caller};
use crate::error::{EngineError, Result};
use crate::events::{Caller, Event};
use crate::queries::after::{AfterRequest, after_in};
use crate::queries::programs::ReadProgram;
use crate::queries::slice::{SliceGraphs, SliceRequest, slice_in};
use knockon_report::{AfterReport, SliceReport};
use std::cell::OnceCell;
use std::sync::mpsc::{Receiver, Sender};

pub enum Question {
    Slice(SliceRequest, Sender<Result<SliceReport>>),
    After(AfterRequest, Sender<Result<AfterReport>>),
}

impl Question {
    /// There is no answer, for this reason.
    fn fail(self, reason: EngineError) {
        let _ = match self {
            Question::Slice(_, answers) => answers.send(Err(reason)).is_ok(),
            Question::After(_, answers) => answers.send(Err(reason)).is_ok(),
        };
    }
}

/// Answers until nobody can ask any more: in turns, each about the program as it is then.
pub fn serve(subject: Subject, tasks: Receiver<Task<Question>>) {
    let mut next = tasks.recv().ok();
    while let Some(task) = next.take() {
        let read = for_caller(&task.cancellation, &task.words, |caller| {
            read(&subject, caller)
        });
        match read {
            Ok((inputs, program)) => next = answer_all(&program, inputs, task, &tasks),
            Err(error) => {
                task.question.fail(error);
                next = tasks.recv().ok();
            }
        }
    }
}

fn read(subject: &Subject, caller: Caller<'_>) -> Result<(Inputs, ReadProgram)> {
    let Subject::Program(options) = subject else {
        return Err(EngineError::Lost);
    };
    let mut inputs = Inputs::before_reading(subject)?;
    let program = ReadProgram::of(options, caller)?;
    // What was read of a cancelled question has gaps.
    if caller.cancellation.is_cancelled() {
        return Err(EngineError::Cancelled);
    }
    inputs.add(&program.touched);
    Ok((inputs, program))
}

/// Answers as long as the program stays as it is; the question that finds it changed is given back.
fn answer_all(
    program: &ReadProgram,
    mut inputs: Inputs,
    first: Task<Question>,
    tasks: &Receiver<Task<Question>>,
) -> Option<Task<Question>> {
    let model = OnceCell::new();
    let graphs = SliceGraphs::over(&model);
    let mut task = first;
    let mut is_warm = false;
    loop {
        let Task {
            question,
            cancellation,
            words,
        } = task;
        let _ = words.send(Event::Inputs {
            digest: inputs.digest(),
            is_warm,
        });
        let _ = match question {
            Question::Slice(request, answers) => {
                let answer = for_caller(&cancellation, &words, |caller| {
                    slice_in(program, &graphs, &request, caller)
                });
                answers.send(answer).is_ok()
            }
            Question::After(request, answers) => {
                let answer = for_caller(&cancellation, &words, |caller| {
                    after_in(program, &request, caller)
                });
                answers.send(answer).is_ok()
            }
        };
        task = tasks.recv().ok()?;
        if !inputs.are_still().unwrap_or(false) {
            return Some(task);
        }
        is_warm = true;
    }
}
