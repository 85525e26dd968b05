//! The verdict on a function that no run told apart: what the proof says, and what that rests on.

use super::reached::{Reached, named};
use super::running::source_name;
use super::{EquivOptions, Judged};
use knockon_change::Side;
use knockon_program::{Function, Linkage, Type};
use knockon_proof::fixed_values::OtherStart;
use knockon_proof::function_pairs::{FunctionPairs, Status};
use knockon_report::{EquivFunction, EquivVerdict};

/// What is known of a function that no run told apart.
pub(super) struct Knowledge<'a, 'c> {
    pub(super) status: &'a Status,
    pub(super) is_called_alike: bool,
    /// There are loops or recursion, of which it is assumed that they end.
    pub(super) may_not_end: bool,
    /// A solver had no answer to some question.
    pub(super) is_given_up: bool,
    pub(super) starts: Vec<&'a OtherStart>,
    pub(super) options: &'a EquivOptions<'c>,
}

/// Variables that the functions name and that start with another value.
pub(super) fn starts_seen<'a>(reached: &Reached, starts: &'a [OtherStart]) -> Vec<&'a OtherStart> {
    let starts = starts.iter();
    starts
        .filter(|start| reached.meets(&start.naming))
        .collect()
}

/// Who calls the one can call the other: all that a caller must know is the same; or, of a function
/// whose callers are all here, how it returns its result.
pub(super) fn is_called_alike(pairs: &FunctionPairs<'_>, number: usize) -> bool {
    let pair = &pairs.change.pairs[number];
    let of = |side: Side| {
        let program = pairs.versions.of(side).program;
        let function = program.function(*pair.functions.of(side));
        let result = match program.type_of(function.type_id) {
            Type::Function { result, .. } => Some(program.type_of(*result)),
            _ => None,
        };
        (function, result)
    };
    let ((old, old_result), (new, new_result)) = (of(Side::Old), of(Side::New));
    let is_internal =
        |function: &Function| matches!(function.linkage, Linkage::Internal | Linkage::Private);
    // Types that name others have another number in each program.
    let is_plain = matches!(
        old_result,
        Some(Type::Void | Type::Integer(_) | Type::Pointer(_))
    ) || old_result.is_some_and(Type::is_floating_point);
    pair.same_interface
        || is_internal(old)
            && is_internal(new)
            && is_plain
            && old_result == new_result
            && old.attributes == new.attributes
}

impl Judged {
    /// Nothing is known yet.
    pub(super) fn new(pairs: &FunctionPairs<'_>, number: usize) -> Judged {
        let pair = &pairs.change.pairs[number];
        let (old, new) = (pairs.versions.old.program, pairs.versions.new.program);
        let name = source_name(new, pair.functions.new);
        let old_name = source_name(old, pair.functions.old);
        let place = new.place(new.function(pair.functions.new).place);
        let mut row = EquivFunction {
            old_name: (old_name != name).then_some(old_name),
            name,
            verdict: EquivVerdict::Unknown,
            ..EquivFunction::default()
        };
        if place.is_known() {
            row.file = new.file_path(place.file).to_owned();
            row.line = place.line;
        }
        Judged { row, example: None }
    }

    /// What the proof rests on may be otherwise.
    pub(super) fn doubt(&mut self, reason: &str) {
        if self.row.verdict == EquivVerdict::Equivalent {
            self.row.verdict = EquivVerdict::Unknown;
            self.row.reasons.push(reason.to_owned());
        }
    }

    /// What the proof says of a function that no run told apart.
    pub(super) fn settle(&mut self, known: &Knowledge<'_, '_>) {
        let row = &mut self.row;
        match known.status {
            Status::Same | Status::Equivalent if !known.is_called_alike => {
                let reason = "given the same values it does the same, but callers pass its parameters or get its result in another way";
                row.reasons.insert(0, reason.to_owned());
            }
            Status::Same => {
                row.verdict = EquivVerdict::Equivalent;
                let reason = "the same code over functions that do the same";
                row.reasons = vec![reason.to_owned()];
            }
            Status::Equivalent => {
                row.verdict = EquivVerdict::Equivalent;
                let reason = match known.may_not_end {
                    false => {
                        "proved: what it returns, writes and does to the world, whether it returns, and that its behaviour is defined where that of the old version is"
                    }
                    true => {
                        "proved: what it returns, writes and does to the world, and that its behaviour is defined where that of the old version is; that its loops and recursion end in one version if they do in the other is assumed"
                    }
                };
                row.reasons = vec![reason.to_owned()];
            }
            Status::Unknown(reason) => row.reasons.insert(0, reason.clone()),
            Status::NotCompared => row.reasons.insert(0, "not compared".to_owned()),
        }
        if row.verdict == EquivVerdict::Equivalent && !known.starts.is_empty() {
            row.reasons.push(format!(
                "given the same values of variables, and these start with another one: {}",
                named(&known.starts)
            ));
        }
        if row.verdict == EquivVerdict::Unknown {
            match known.options.budget.check() {
                Err(stop) => row.reasons.push(stop.to_string()),
                Ok(()) if known.is_given_up => row.reasons.push(format!(
                    "the solver gave up on a question, with an effort of {}: a larger --effort may decide it",
                    known.options.limits.effort
                )),
                Ok(()) => {}
            }
        }
    }
}
