//! What the levels found, put together: verdicts, what was proved, reasons and hunks.

use super::DiffOptions;
use super::proofs::OUT_OF_TIME;
use super::subject::{Graphs, Subject, Walks};
use super::work::Work;
use crate::budget::Budget;
use crate::comparison::Compared;
use crate::events::Clock;
use crate::read::versions::ReadVersions;
use crate::verdict::findings::Findings;
use crate::verdict::hunk_reach::hunk_reach;
use crate::verdict::lines::{Edited, Verdicts};
use knockon_program::{FunctionId, OutOfTime, Program};
use std::collections::BTreeSet;

/// Of the finest level that each executable is done with.
pub(super) fn conclusions(work: &mut Work<'_, '_>) -> Findings {
    let mut findings = Findings::default();
    let may_hide_changes = work.versions.may_hide_changes();
    if work.proving.is_some() {
        add_proofs(&mut findings, &work.subjects);
        findings.same_output &= !may_hide_changes && work.versions.unpaired.is_empty();
    }
    findings.verdicts = joined(&work.subjects);
    explain(work, &mut findings);
    findings.doubt_if(may_hide_changes);
    findings
}

/// The strongest verdicts of all executables.
pub(super) fn joined(subjects: &[Subject<'_>]) -> Verdicts {
    let mut all = Verdicts::default();
    for subject in subjects {
        all.add(&subject.verdicts);
    }
    all
}

/// Reasons and hunks. When the time is up, there is a moment more for reasons, which begin with a
/// hunk.
fn explain(work: &mut Work<'_, '_>, findings: &mut Findings) {
    let budget = work.options.budget.a_moment_more();
    let silent = work.versions.documentation_hunks();
    let explaining = Explaining {
        versions: work.versions,
        options: work.options,
        edited: &work.edited,
        silent: &silent,
        budget,
    };
    let clock = &mut work.clock;
    for subject in work.subjects.iter().filter(|subject| subject.has_dataflow) {
        if let Err(stop) = budget.check() {
            findings.reasons_cut = Some(stop);
            break;
        }
        if let Some(walks) = &work.kept[subject.number] {
            explaining.add_reasons(subject, walks, findings, clock);
            continue;
        }
        let graphs = Graphs::of(subject.versions);
        match subject.walks(&graphs, work.options.map, budget.limit()) {
            Ok(walks) => explaining.add_reasons(subject, &walks, findings, clock),
            Err(OutOfTime) => findings.reasons_cut = Some(budget.stop()),
        }
    }
}

/// What the reasons of all executables share.
struct Explaining<'x, 'a> {
    versions: &'a ReadVersions,
    options: DiffOptions<'a>,
    edited: &'x Edited<'a>,
    /// Hunks in texts for people.
    silent: &'x BTreeSet<u32>,
    budget: Budget<'a>,
}

impl Explaining<'_, '_> {
    fn add_reasons(
        &self,
        subject: &Subject<'_>,
        walks: &Walks<'_>,
        findings: &mut Findings,
        clock: &mut Clock<'_>,
    ) {
        let edits = &self.versions.edits;
        let hunk_count: usize = edits.files.values().map(Vec::len).sum();
        let only_hunk = (hunk_count == 1 && self.silent.is_empty()).then_some(1);
        let compared = Compared {
            number: subject.number,
            versions: subject.versions,
            change: subject.change,
            levels: &walks.levels,
        };
        let sameness = subject.proved.as_ref().map(|proved| &proved.1);
        let reach = hunk_reach(
            &compared,
            &walks.graphs.dependence,
            (self.options.map, sameness),
            (edits, self.silent),
            self.options.budget,
        );
        clock.step("hunks");
        let reach = reach.unwrap_or_else(|stop| {
            findings.hunks_cut = Some(stop);
            None
        });
        findings.add_reasons(
            &compared,
            self.edited,
            only_hunk,
            reach.as_ref(),
            self.budget,
        );
        clock.step("reasons");
    }
}

/// Which functions do the same for their callers, in all executables, and whether their output is
/// the same.
fn add_proofs(findings: &mut Findings, subjects: &[Subject<'_>]) {
    let mut equivalent = BTreeSet::new();
    findings.same_output = true;
    for subject in subjects {
        let program = subject.versions.new.program;
        let pairs = subject.change.pairs.iter();
        let keys = pairs.map(|pair| function_key(program, pair.functions.new));
        let Some(proofs) = &subject.proofs else {
            match subject.is_changed {
                true => {
                    findings.same_output = false;
                    let reasons = keys.map(|key| (key, OUT_OF_TIME.to_owned()));
                    findings.undecided.extend(reasons);
                }
                // Equal code over equal functions, all of it.
                false => equivalent.extend(keys),
            }
            continue;
        };
        findings.same_output &= proofs.is_output_same();
        equivalent.extend(proofs.equivalent().map(|id| function_key(program, id)));
        for (id, reason) in proofs.undecided() {
            let key = function_key(program, id);
            findings.undecided.entry(key).or_insert(reason);
        }
    }
    // What holds in one executable is not known of another, which may have other callees.
    let is_shown = |key: &(String, String)| !findings.undecided.contains_key(key);
    findings.equivalent = equivalent.into_iter().filter(is_shown).collect();
}

/// How the report names a function: its file and its name.
fn function_key(program: &Program, function: FunctionId) -> (String, String) {
    let place = program.place(program.function(function).place);
    let file = match place.is_known() {
        true => program.file_path(place.file).to_owned(),
        false => String::new(),
    };
    (file, program.function_name(function).to_owned())
}
