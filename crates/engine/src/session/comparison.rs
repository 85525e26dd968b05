//! What is kept of two versions: what was read, the memory models, and the reports of it.
//!
//! Reports are kept by what was asked, `equiv` reads the versions in another way and keeps that. A
//! cancelled question leaves nothing behind that is not whole.

use super::inputs::{Inputs, Subject};
use super::worker::{Task, for_caller};
use crate::budget::Budget;
use crate::error::{EngineError, Result};
use crate::events::{Caller, Event};
use crate::levels::Level;
use crate::options::VersionsOptions;
use crate::queries::diff::{AnalysedVersions, DiffRequest, compare_as};
use crate::queries::equiv::{EquivRequest, equiv};
use crate::queries::why::{AskedPlace, explain};
use knockon_impact::dataflow_impact::SourceMap;
use knockon_report::{DiffReport, EquivReport, WhyReport};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

pub enum Question {
    Diff(DiffRequest, Sender<Result<Arc<DiffReport>>>),
    Why(AskedPlace, DiffRequest, Sender<Result<WhyReport>>),
    Equiv(EquivRequest, Sender<Result<EquivReport>>),
}

/// What tells reports of the same versions apart.
type ReportKey = (Level, SourceMap, Duration);

/// Reports of the same versions that are kept.
const MAX_REPORTS: usize = 4;

/// What is known as long as the inputs stay as they are.
struct Kept {
    inputs: Inputs,
    analysed: AnalysedVersions,
    reports: Vec<(ReportKey, Arc<DiffReport>)>,
}

/// Answers until nobody can ask any more.
pub fn serve(subject: Subject, tasks: Receiver<Task<Question>>) {
    let Subject::Versions(options) = &subject else {
        return;
    };
    let mut kept: Option<Kept> = None;
    for task in tasks {
        let Task {
            question,
            cancellation,
            words,
        } = task;
        if cancellation.is_cancelled() {
            continue;
        }
        // Who does not wait any more is given no answer.
        let _ = match question {
            Question::Diff(request, answers) => {
                let report = for_caller(&cancellation, &words, |caller| {
                    report(&subject, options, &mut kept, &request, caller)
                });
                answers.send(report).is_ok()
            }
            Question::Why(place, request, answers) => {
                let why = for_caller(&cancellation, &words, |caller| {
                    let report = report(&subject, options, &mut kept, &request, caller)?;
                    explain(&place, &report, caller.events)
                });
                answers.send(why).is_ok()
            }
            Question::Equiv(request, answers) => {
                let answer = for_caller(&cancellation, &words, |caller| equiv(&request, caller));
                answers.send(answer).is_ok()
            }
        };
    }
}

/// The report of versions that are as they were, or else a new one.
fn report(
    subject: &Subject,
    options: &VersionsOptions,
    kept: &mut Option<Kept>,
    request: &DiffRequest,
    caller: Caller<'_>,
) -> Result<Arc<DiffReport>> {
    let budget = Budget::of(request.budget).cancelled_by(caller.cancellation);
    let is_warm = match kept {
        Some(kept) => kept.inputs.are_still()?,
        None => false,
    };
    if !is_warm {
        *kept = None;
    }
    let known = match kept {
        Some(known) => known,
        none => {
            let mut inputs = Inputs::before_reading(subject)?;
            let analysed = AnalysedVersions::read(options, caller)?;
            // What was read of a cancelled question has gaps.
            if caller.cancellation.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            inputs.add(&analysed.versions.touched);
            none.insert(Kept {
                inputs,
                analysed,
                reports: Vec::new(),
            })
        }
    };
    caller.events.send(Event::Inputs {
        digest: known.inputs.digest(),
        is_warm,
    });
    let key = (request.level, request.map, request.budget);
    if let Some((_, report)) = known.reports.iter().find(|row| row.0 == key) {
        return Ok(report.clone());
    }
    let report = compare_as(request, &known.analysed, budget, caller.events)?;
    // What was given up counts for nothing.
    if caller.cancellation.is_cancelled() {
        return Err(EngineError::Cancelled);
    }
    let report = Arc::new(report);
    known.reports.push((key, report.clone()));
    if known.reports.len() > MAX_REPORTS {
        known.reports.remove(0);
    }
    Ok(report)
}
