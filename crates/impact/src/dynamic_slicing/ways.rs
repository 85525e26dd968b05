//! **Question.** By which statements did a dependence of a run go, at which of their occurrences,
//! and why does each depend on the one before?
//!
//! **Rules.** As for static ways ([`crate::reasons`]): what lies between two nodes says what kind of
//! dependence it is; occurrences of one line at one time are one stop.
//!
//! **Cost.** Linear in the length of the way.

use super::{DynamicSlice, DynamicVertexKind, LineOccurrence, LineOccurrences};
use crate::reasons::{Stop, Why, variable_name};
use knockon_change::Side;
use knockon_interpreter::{Entry, History, OccurrenceId};
use knockon_program::{Body, InstructionId, Opcode, Operand, Program};

/// One statement on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DynamicStop {
    pub stop: Stop,
    pub occurrence: LineOccurrence,
    /// Steps before it that are not listed.
    pub omitted: usize,
}

/// Of a longer way, as many steps are listed at each end: a loop may hand a value on a million times.
const LISTED_AT_EACH_END: usize = 24;

/// From the criterion to the occurrence, or backward from the occurrence to the criterion; empty if
/// it is not in the slice.
pub fn reasons(
    slice: &DynamicSlice<'_>,
    program: &Program,
    history: &History,
    lines: &LineOccurrences<'_>,
    occurrence: OccurrenceId,
) -> Vec<DynamicStop> {
    let run = Run { program, history };
    let mut stops: Vec<DynamicStop> = Vec::new();
    let mut between: Vec<DynamicVertexKind> = Vec::new();
    let mut last: Option<OccurrenceId> = None;
    let way = slice.way(occurrence);
    let omitted = way.len().saturating_sub(2 * LISTED_AT_EACH_END);
    let mut to_say = 0;
    for (number, vertex) in way.into_iter().enumerate() {
        if omitted > 0 && (LISTED_AT_EACH_END..LISTED_AT_EACH_END + omitted).contains(&number) {
            to_say = omitted;
            continue;
        }
        let here = match slice.graph().kind(vertex) {
            DynamicVertexKind::Node(here) => here,
            // The way may begin with the call itself.
            DynamicVertexKind::Happens(call) if last.is_none() => call,
            passed => {
                between.push(passed);
                continue;
            }
        };
        let why = match last {
            None => Why::Changed,
            Some(last) => run.why(&between, last, here),
        };
        between.clear();
        last = Some(here);
        let (Some(at), Some((body, instruction))) = (lines.of(here), run.code(here)) else {
            continue;
        };
        if stops.last().is_some_and(|stop| stop.occurrence == at) {
            continue;
        }
        stops.push(DynamicStop {
            stop: Stop {
                side: Side::New,
                function: history.node(here).0,
                place: body.instruction(instruction).place,
                why,
            },
            occurrence: at,
            omitted: std::mem::take(&mut to_say),
        });
    }
    stops
}

#[derive(Clone, Copy)]
struct Run<'a> {
    program: &'a Program,
    history: &'a History,
}

impl<'a> Run<'a> {
    fn code(self, occurrence: OccurrenceId) -> Option<(&'a Body, InstructionId)> {
        let (function, instruction) = self.history.node(occurrence);
        let body = self.program.function(function).body.as_deref()?;
        Some((body, instruction))
    }

    fn why(self, between: &[DynamicVertexKind], last: OccurrenceId, here: OccurrenceId) -> Why {
        let find = |wanted: fn(&DynamicVertexKind) -> Option<OccurrenceId>| {
            between.iter().find_map(wanted)
        };
        let returning = find(|kind| match kind {
            DynamicVertexKind::Returns(call) => Some(*call),
            _ => None,
        });
        if let Some(call) = returning {
            return Why::MayNotBeReached(self.callee_name(call));
        }
        let doing = find(|kind| match kind {
            DynamicVertexKind::Does(call) | DynamicVertexKind::World(call) => Some(*call),
            _ => None,
        });
        match doing {
            Some(call) if call == here => return Why::ReadsWritten,
            Some(call) if call == last => {
                return match self.uses(here, call) {
                    true => Why::UsesResult(self.callee_name(call)),
                    false => Why::ReadsWritten,
                };
            }
            Some(call) => return Why::ThroughLibrary(self.callee_name(call)),
            None if !between.is_empty() => return Why::CalledFrom,
            None => {}
        }
        self.direct(last, here)
    }

    /// Why a node depends on another directly.
    fn direct(self, last: OccurrenceId, here: OccurrenceId) -> Why {
        let (Some((body, instruction)), Some((here_body, here_instruction))) =
            (self.code(last), self.code(here))
        else {
            return Why::UsesValue(None);
        };
        let opcode = body.instruction(instruction).opcode;
        let is_phi = here_body.instruction(here_instruction).opcode == Opcode::Phi;
        let same_activation =
            self.history.occurrence(last).activation == self.history.occurrence(here).activation;
        match opcode {
            Opcode::Return => {
                let function = self.history.node(last).0;
                Why::UsesResult(Some(self.program.function_name(function).to_owned()))
            }
            _ if opcode.is_call() && !same_activation => Why::CalledFrom,
            _ if opcode.is_call() => Why::Jump,
            _ if opcode.is_terminator() && is_phi => Why::ComesFrom,
            _ if opcode.is_terminator() => Why::RunsOnlyIf,
            Opcode::Store => Why::ReadsWritten,
            Opcode::CompareExchange | Opcode::AtomicReadModifyWrite if !self.uses(here, last) => {
                Why::ReadsWritten
            }
            _ if !same_activation => Why::CalledWith(self.parameter_name(last, here)),
            _ => Why::UsesValue(variable_name(self.program, body, instruction)),
        }
    }

    /// An operand names the other's instruction, in the same activation.
    fn uses(self, here: OccurrenceId, other: OccurrenceId) -> bool {
        let (one, two) = (
            self.history.occurrence(here),
            self.history.occurrence(other),
        );
        let wanted = Operand::Instruction(two.instruction);
        one.activation == two.activation
            && self
                .code(here)
                .is_some_and(|(body, id)| body.operands(id).contains(&wanted))
    }

    /// The parameter by which a value came to where it is used: the one that was given by the
    /// value's instruction, else the first that is used.
    fn parameter_name(self, given: OccurrenceId, here: OccurrenceId) -> Option<String> {
        let (body, id) = self.code(here)?;
        let used = || {
            body.operands(id)
                .iter()
                .filter_map(|operand| match operand {
                    Operand::Argument(number) => Some(*number as usize),
                    _ => None,
                })
        };
        let activation = self
            .history
            .activation(self.history.occurrence(here).activation);
        let direct = match activation.entry {
            Entry::Call(call) => self.code(call).and_then(|(caller, call)| {
                let wanted = Operand::Instruction(self.history.occurrence(given).instruction);
                let arguments = caller.arguments(call);
                used().find(|number| arguments.get(*number) == Some(&wanted))
            }),
            _ => None,
        };
        let number = direct.or_else(|| used().next())?;
        let parameters = &self.program.function(activation.function).parameters;
        let name = self.program.name(parameters.get(number)?.name);
        (!name.is_empty()).then(|| name.to_owned())
    }

    fn callee_name(self, call: OccurrenceId) -> Option<String> {
        let rows = &self.history.library_calls;
        let external = rows
            .binary_search_by_key(&call, |row| row.0)
            .ok()
            .and_then(|row| rows[row].1);
        let named = || {
            let (body, id) = self.code(call)?;
            match body.callee(id)? {
                Operand::Constant(constant) => self.program.called_function(constant),
                _ => None,
            }
        };
        let function = external.or_else(named)?;
        Some(self.program.function_name(function).to_owned())
    }
}
