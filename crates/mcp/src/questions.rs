//! From a tool's arguments to the engine's answer.
//!
//! The requests are those of the command line, so the reports are too.

use crate::arguments::{
    AfterArguments, DiffArguments, EquivArguments, Order, OutputArguments, ReadingArguments,
    SliceArguments, SliceDirection, VersionsArguments, WhyArguments, source_map,
};
use crate::refusal::Refusal;
use crate::texts::{after_text, caveat_sentence, diff_text, equiv_text, slice_text, why_text};
use knockon_engine::queries::after::{AfterRequest, Functions};
use knockon_engine::queries::diff::{DiffRequest, USUAL_BUDGET};
use knockon_engine::queries::equiv::{EquivRequest, USUAL_EFFORT};
use knockon_engine::queries::shown_files::show_only;
use knockon_engine::queries::slice::{RunRequest, SliceRequest};
use knockon_engine::queries::why::{AskedPlace, explain};
use knockon_engine::verdict::hunk_accounts::code_not_compiled;
use knockon_engine::{Cancellation, Event, Events, Session, options};
use knockon_report::{DiffReport, Relation, ReportedCaveat};
use serde::Serialize;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

#[derive(Clone, Debug)]
pub enum Question {
    Diff(DiffArguments),
    Why(WhyArguments),
    Slice(SliceArguments),
    Equiv(EquivArguments),
    After(AfterArguments),
}

/// The whole answer, before it is bounded.
#[derive(Debug)]
pub struct Answer {
    /// What limits the answer, the worst first: one sentence each.
    pub limits: Vec<String>,
    pub text: String,
    /// The published struct.
    pub report: Value,
    /// Unaffected rows are only counted.
    pub hides_unaffected: bool,
    /// The state of the inputs that the answer is about.
    pub inputs: String,
}

impl Question {
    pub fn output(&self) -> &OutputArguments {
        match self {
            Question::Diff(arguments) => &arguments.output,
            Question::Why(arguments) => &arguments.output,
            Question::Slice(arguments) => &arguments.output,
            Question::Equiv(arguments) => &arguments.output,
            Question::After(arguments) => &arguments.output,
        }
    }
}

/// Who asks the session.
pub struct Asker<'s> {
    pub session: &'s Session,
    pub allow_run: bool,
    pub cancellation: &'s Cancellation,
}

/// What was said while the answer was made.
#[derive(Default)]
struct Heard {
    inputs: String,
    limits: Vec<String>,
}

impl Heard {
    fn hear(&mut self, event: Event) {
        match event {
            Event::Inputs { digest, .. } => self.inputs = digest,
            Event::Notice(words) => self.limits.push(format!("Note: {words}.")),
            Event::UnitsFailed(units) => {
                for unit in units.iter().take(3) {
                    let words = unit.to_string();
                    let first = words.lines().next().unwrap_or_default();
                    self.limits.push(format!("Did not compile: {first}"));
                }
            }
            Event::ReadingBegins { .. }
            | Event::UnitRead { .. }
            | Event::ReadingEnds
            | Event::Level(_)
            | Event::Step { .. } => {}
        }
    }
}

impl Asker<'_> {
    pub fn ask(&self, question: &Question) -> Result<Answer, Refusal> {
        match question {
            Question::Diff(arguments) => self.diff(arguments),
            Question::Why(arguments) => self.why(arguments),
            Question::Slice(arguments) => self.slice(arguments),
            Question::Equiv(arguments) => self.equiv(arguments),
            Question::After(arguments) => self.after(arguments),
        }
    }

    fn diff(&self, arguments: &DiffArguments) -> Result<Answer, Refusal> {
        let request = DiffRequest {
            versions: self.versions(&arguments.versions, &arguments.reading),
            level: arguments.level.into(),
            map: source_map(arguments.coarse),
            budget: budget(arguments.budget_seconds),
        };
        let mut heard = Heard::default();
        let listen = &mut |event| heard.hear(event);
        let report = self.session.diff(&request, self.cancellation, listen)?;
        let mut report = DiffReport::clone(&report);
        let limits = limits_of_diff(&report, heard.limits);
        show_only(&mut report, &arguments.only)?;
        Ok(Answer {
            limits,
            text: diff_text(&report),
            report: value(&report)?,
            hides_unaffected: !arguments.include_unaffected,
            inputs: heard.inputs,
        })
    }

    fn why(&self, arguments: &WhyArguments) -> Result<Answer, Refusal> {
        let asked = AskedPlace::parse(&arguments.place)?;
        let request = DiffRequest {
            versions: self.versions(&arguments.versions, &arguments.reading),
            level: arguments.level.into(),
            map: source_map(arguments.coarse),
            budget: budget(arguments.budget_seconds),
        };
        let heard = Mutex::new(Heard::default());
        let hear = |event| {
            heard
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .hear(event)
        };
        let listen = &mut |event| hear(event);
        let report = self.session.diff(&request, self.cancellation, listen)?;
        let why = explain(&asked, &report, Events::to(&hear))?;
        let heard = heard.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Answer {
            limits: limits_of_diff(&report, heard.limits),
            text: why_text(&why).map_err(internal)?,
            report: value(&why)?,
            hides_unaffected: false,
            inputs: heard.inputs,
        })
    }

    fn slice(&self, arguments: &SliceArguments) -> Result<Answer, Refusal> {
        if arguments.test.is_none() && (arguments.tests.is_some() || arguments.occurrence.is_some())
        {
            return Err(Refusal::invalid("`tests` and `occurrence` need `test`"));
        }
        if arguments.occurrence == Some(0) {
            return Err(Refusal::invalid("`occurrence` counts from 1"));
        }
        let request = SliceRequest {
            program: (arguments.reading).program(&arguments.program, self.allow_run),
            place: arguments.place.clone(),
            direction: match arguments.direction {
                SliceDirection::Forward => knockon_report::SliceDirection::Forward,
                SliceDirection::Backward => knockon_report::SliceDirection::Backward,
            },
            run: arguments.test.as_ref().map(|test| RunRequest {
                test: test.clone(),
                tests: arguments.tests.clone(),
                occurrence: arguments.occurrence,
            }),
        };
        let mut heard = Heard::default();
        let listen = &mut |event| heard.hear(event);
        let report = self.session.slice(&request, self.cancellation, listen)?;
        Ok(Answer {
            limits: limits(report.complete, heard.limits, &report.caveats),
            text: slice_text(&report).map_err(internal)?,
            report: value(&report)?,
            hides_unaffected: false,
            inputs: heard.inputs,
        })
    }

    fn equiv(&self, arguments: &EquivArguments) -> Result<Answer, Refusal> {
        let versions = self.versions(&arguments.versions, &arguments.reading);
        let request = EquivRequest {
            budget: budget(arguments.budget_seconds),
            effort: arguments.effort.unwrap_or(USUAL_EFFORT),
            ..EquivRequest::of(versions, arguments.functions.clone())
        };
        let mut heard = Heard::default();
        let listen = &mut |event| heard.hear(event);
        let report = self.session.equiv(&request, self.cancellation, listen)?;
        Ok(Answer {
            limits: limits(report.complete, heard.limits, &report.caveats),
            text: equiv_text(&report).map_err(internal)?,
            report: value(&report)?,
            hides_unaffected: false,
            inputs: heard.inputs,
        })
    }

    fn after(&self, arguments: &AfterArguments) -> Result<Answer, Refusal> {
        let functions = match (arguments.all, arguments.functions.is_empty()) {
            (true, true) => Functions::All,
            (false, false) => Functions::Named(arguments.functions.clone()),
            _ => return Err(Refusal::invalid("give either `functions` or `all`")),
        };
        let request = AfterRequest {
            program: (arguments.reading).program(&arguments.program, self.allow_run),
            functions,
            relation: match arguments.direction {
                Order::After => Relation::After,
                Order::Before => Relation::Before,
            },
            why: arguments.why,
            identity: arguments.identity,
        };
        let mut heard = Heard::default();
        let listen = &mut |event| heard.hear(event);
        let report = self.session.after(&request, self.cancellation, listen)?;
        Ok(Answer {
            limits: limits(report.complete, heard.limits, &report.caveats),
            text: after_text(&report).map_err(internal)?,
            report: value(&report)?,
            hides_unaffected: false,
            inputs: heard.inputs,
        })
    }

    fn versions(
        &self,
        versions: &VersionsArguments,
        reading: &ReadingArguments,
    ) -> options::VersionsOptions {
        versions.options(reading, self.allow_run)
    }
}

fn budget(seconds: Option<u32>) -> Duration {
    seconds.map_or(USUAL_BUDGET, |seconds| Duration::from_secs(seconds.into()))
}

fn internal(error: impl std::fmt::Display) -> Refusal {
    Refusal::new("failed", error.to_string())
}

fn value<T: Serialize>(report: &T) -> Result<Value, Refusal> {
    serde_json::to_value(report).map_err(internal)
}

fn limits_of_diff(report: &DiffReport, heard: Vec<String>) -> Vec<String> {
    let mut limits = limits(report.complete, heard, &report.caveats);
    let not_compiled = code_not_compiled(report);
    if let Some(first) = not_compiled.first() {
        let at = usize::from(!report.complete);
        limits.insert(
            at,
            format!(
                "INCOMPLETE: no verdict covers {} changed hunks of code that are not compiled (first {}:{}: {}).",
                not_compiled.len(),
                first.file,
                first.new_start,
                first.message
            ),
        );
    }
    limits
}

fn limits(complete: bool, heard: Vec<String>, caveats: &[ReportedCaveat]) -> Vec<String> {
    let mut limits = Vec::new();
    if !complete {
        limits.push(
            "INCOMPLETE: a part of the program could not be read, and nothing is known of it."
                .to_owned(),
        );
    }
    let cut_short = caveats.iter().filter(|caveat| caveat.kind == "budget");
    limits.extend(cut_short.map(|caveat| format!("INCOMPLETE: {}.", caveat.message)));
    limits.extend(heard);
    limits.extend(caveat_sentence(caveats));
    limits
}
