//! **Question.** May a signal that the program sends itself end it, because it has its default action
//! when it comes? It comes late: where it was blocked, in a call that unblocks it; where a timer
//! sends it, at some time.
//!
//! **Rules.** Sent are the constant numbers that `raise`, `kill` and their kin are given, and those of
//! timers; any other number is unknown. A number is *handled* if each call that may register
//! something for it is one of `signal` that names a function or `SIG_IGN`, and there is one. A call
//! that unblocks signals comes back if all that are sent are handled, or if it only blocks; one that
//! sets a timer, if the timer's signal is handled.
//!
//! **Soundness.** That a handler is there before its signal comes is assumed
//! (`docs/soundness.md`). Code that is not modelled may send and register anything.
//!
//! **Cost.** One walk over the calls.

use crate::call_graph::{CallGraph, CallSiteId};
use crate::regions::constant_integer;
use knockon_library::facts::{Timer, Unblocking};
use knockon_library::library;
use knockon_program::{Body, InstructionId, Operand, Program};

/// Of Linux, on all machines that clang compiles for by default.
const SIGALRM: i64 = 14;
const SIG_BLOCK: i64 = 0;
const SIG_IGN: i64 = 1;
const ITIMER_REAL: i64 = 0;

/// What calls of signal functions of the program do, taken together.
#[derive(Debug, Default)]
pub(crate) struct DefaultActions {
    /// `None` is a number that is not known.
    sent: Vec<Option<i64>>,
    handled: Vec<Option<i64>>,
    /// For these, something else than a function may be registered.
    reset: Vec<Option<i64>>,
}

impl DefaultActions {
    pub(crate) fn new(program: &Program, calls: &CallGraph) -> DefaultActions {
        let mut found = DefaultActions::default();
        for (index, site) in calls.sites.iter().enumerate() {
            if site.enters_unknown_code() {
                found.sent.push(None);
                found.reset.push(None);
            }
            let Some(body) = program.function(site.caller).body.as_deref() else {
                continue;
            };
            let number = |at: usize| argument(program, body, site.instruction, at);
            for external in calls.externals.of(CallSiteId::from(index)) {
                let signals = &library().facts(program.function_name(*external)).signals;
                let signal = |at: u8| number(usize::from(at));
                found.sent.extend(signals.sends.map(signal));
                found.reset.extend(signals.resets_handler.map(signal));
                if let Some(set) = signals.sets_handler {
                    let handler = usize::from(set.handler);
                    let given = body.arguments(site.instruction).get(handler);
                    if names_function(program, given) || number(handler) == Some(SIG_IGN) {
                        found.handled.push(signal(set.signal));
                    } else {
                        found.reset.push(signal(set.signal));
                    }
                }
                if let Some(timer) = signals.timer {
                    found
                        .sent
                        .push(sent_by(timer, program, body, site.instruction));
                }
            }
        }
        found
    }

    /// Whether the call comes back as far as signals decide that come late, though its row says
    /// that it may not. The row says so for nothing else.
    pub(crate) fn let_return(
        &self,
        program: &Program,
        name: &str,
        body: &Body,
        call: InstructionId,
    ) -> bool {
        let signals = &library().facts(name).signals;
        if let Some(timer) = signals.timer {
            return self.is_handled(sent_by(timer, program, body, call));
        }
        let Some(unblocking) = signals.unblocks else {
            return false;
        };
        let only_blocks = match unblocking {
            Unblocking::Always => false,
            Unblocking::UnlessBlocking(how) => {
                argument(program, body, call, usize::from(how)) == Some(SIG_BLOCK)
            }
        };
        only_blocks || self.sent.iter().all(|number| self.is_handled(*number))
    }

    fn is_handled(&self, number: Option<i64>) -> bool {
        let is_reset = |reset: &Option<i64>| reset.is_none() || *reset == number;
        number.is_some() && self.handled.contains(&number) && !self.reset.iter().any(is_reset)
    }
}

/// The signal that a timer sends; `None`: it is not known.
fn sent_by(timer: Timer, program: &Program, body: &Body, call: InstructionId) -> Option<i64> {
    match timer {
        Timer::Alarm => Some(SIGALRM),
        Timer::Kind(kind) => {
            let kind = argument(program, body, call, usize::from(kind));
            (kind == Some(ITIMER_REAL)).then_some(SIGALRM)
        }
        Timer::AnySignal => None,
    }
}

fn argument(program: &Program, body: &Body, call: InstructionId, at: usize) -> Option<i64> {
    let argument = body.arguments(call).get(at)?;
    constant_integer(program, *argument)
}

fn names_function(program: &Program, argument: Option<&Operand>) -> bool {
    match argument {
        Some(Operand::Constant(constant)) => program.called_function(*constant).is_some(),
        Some(_) | None => false,
    }
}
