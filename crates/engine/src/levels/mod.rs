//! The levels: what may execute after the change, what depends on it, and what does so for all that
//! is proved.
//!
//! **Rules.** A level goes over all executables before the next one begins, so that nothing that is
//! done is lost when time is up. Each level only ever takes away from what is possible. Where an
//! executable is not done with a level, its verdicts are those of its level before: they hold by
//! themselves, so the level counts as far as it came, under a name that says so.
//!
//! An executable in which nothing differs is done after the first level. What is the same in several
//! of the others is analysed in each, since it may be called otherwise there; solvers remember what
//! was asked before.
//!
//! **Cost.** Graphs are kept from level to level as long as they are not too many
//! ([`MAX_KEPT_INSTRUCTIONS`]); those of further executables are made again for each level that takes
//! something away.

pub mod semantic;
pub mod solvers;

use crate::budget::{Budget, Stop, budget_caveat};
use crate::comparison::{Compared, Levels, Pairings, dependences};
use crate::events::Clock;
use crate::levels::semantic::{DISTANCES, OUT_OF_TIME, Proofs, Prover};
use crate::options::Level;
use crate::read::versions::ReadVersions;
use crate::verdict::findings::Findings;
use crate::verdict::hunk_reach::hunk_reach;
use crate::verdict::lines::{Edited, Verdicts, add_verdicts};
use knockon_change::{Change, FunctionPair, NodeMap, Sides, Version};
use knockon_impact::dataflow_impact::SourceMap;
use knockon_impact::dependence::program_graph::ProgramDependence;
use knockon_impact::propagation::Sameness;
use knockon_impact::semantic_impact::semantic_impact;
use knockon_program::{CaveatKind, FunctionId, OutOfTime, Program, TimeLimit};
use knockon_report::{LevelRow, ReportedCaveat};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::Path;

/// Graphs of executables with at most so many instructions together, in both versions, are kept, and
/// those of the first one in any case. A graph takes about 400 bytes an instruction.
pub const MAX_KEPT_INSTRUCTIONS: usize = 2_000_000;

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions<'a> {
    pub level: Level,
    pub map: SourceMap,
    pub budget: Budget<'a>,
    /// Where what solvers said is kept from run to run.
    pub decided_queries: Option<&'a Path>,
    /// Graphs of executables with at most so many instructions together stay in memory.
    pub kept_instructions: usize,
}

/// One executable on its way through the levels.
struct Subject<'a> {
    number: usize,
    versions: Sides<Version<'a>>,
    change: &'a Change,
    /// Something differs, so that later levels may say more than the first.
    is_changed: bool,
    /// Its graphs are kept from level to level.
    is_kept: bool,
    first: Levels<'a>,
    /// Of the finest level that it is done with.
    verdicts: Verdicts,
    /// What those rest on, if on proofs: by level of [`DISTANCES`].
    proved: Option<(usize, Sameness)>,
    has_dataflow: bool,
    proofs: Option<Proofs<'a>>,
    /// No later level shows more, or it was broken off.
    is_settled: bool,
}

/// The graphs of one executable, and what walks in them stop at, by level.
struct Graphs<'a> {
    dependence: Sides<ProgramDependence<'a>>,
    sameness: [OnceCell<Sameness>; DISTANCES.len()],
}

impl<'a> Graphs<'a> {
    fn of(versions: Sides<Version<'a>>) -> Graphs<'a> {
        Graphs {
            dependence: dependences(versions),
            sameness: Default::default(),
        }
    }
}

/// What was found in graphs.
struct Walks<'g> {
    graphs: &'g Graphs<'g>,
    levels: Levels<'g>,
}

/// A level that time was not enough for.
struct BrokenOff {
    /// Of [`DISTANCES`].
    level: usize,
    stop: Stop,
    /// What was proved could not be followed any more.
    is_without_walk: bool,
}

/// All levels that are wanted, as far as there is time.
pub struct LevelRun<'a, 'r, 'e> {
    pub versions: &'a ReadVersions,
    pub pairings: &'a Pairings<'a>,
    pub options: DiffOptions<'a>,
    pub(crate) clock: &'r mut Clock<'e>,
    pub reached: &'r mut dyn FnMut(&LevelRow),
    pub levels: Vec<LevelRow>,
    pub caveats: Vec<ReportedCaveat>,
}

impl<'a> LevelRun<'a, '_, '_> {
    /// The findings of the finest level that is there.
    pub fn run(&mut self) -> Result<Findings, Stop> {
        let edited = Edited::new(&self.versions.edits);
        let mut subjects = self.execute_after(&edited)?;
        let wants_dataflow = self.options.level >= Level::Dataflow;
        let is_semantic =
            self.options.level >= Level::Semantic && self.options.map == SourceMap::Fine;
        let rooms: Vec<OnceCell<Graphs<'a>>> = subjects.iter().map(|_| OnceCell::new()).collect();
        let mut kept: Vec<Option<Walks<'_>>> = subjects.iter().map(|_| None).collect();
        let mut findings = Findings::default();
        if wants_dataflow && self.dataflow(&mut subjects, &rooms, &mut kept, &edited) && is_semantic
        {
            let mut prover = Prover::new(self.options.decided_queries);
            self.semantic(&mut subjects, &mut kept, &mut prover, &edited);
            self.tell_missing(&prover);
            add_proofs(&mut findings, &subjects);
            findings.same_output &=
                !self.versions.may_hide_changes() && self.versions.unpaired.is_empty();
        }
        findings.verdicts = joined(&subjects);
        if wants_dataflow {
            self.explain(&mut subjects, &kept, &edited, &mut findings);
        }
        findings.doubt_if(self.versions.may_hide_changes());
        Ok(findings)
    }

    /// What may execute after the change.
    fn execute_after(&mut self, edited: &Edited<'_>) -> Result<Vec<Subject<'a>>, Stop> {
        let mut subjects: Vec<Subject<'a>> = Vec::new();
        let mut kept_instructions = 0;
        for (number, versions, change) in self.pairings.iter() {
            self.options.budget.check_interruption()?;
            let first = Levels::execute_after(versions, change);
            let mut verdicts = Verdicts::default();
            add_verdicts(&mut verdicts, number, versions, change, &first, edited);
            let is_changed = is_changed(versions, change, &first);
            let is_first = is_changed && kept_instructions == 0;
            if is_changed {
                kept_instructions += instructions(versions);
            }
            subjects.push(Subject {
                number,
                versions,
                change,
                is_changed,
                is_kept: is_first || kept_instructions <= self.options.kept_instructions,
                first,
                verdicts,
                proved: None,
                has_dataflow: false,
                proofs: None,
                is_settled: false,
            });
        }
        self.level_is_done(Level::ExecuteAfter.name(), &subjects);
        self.clock.step("execute-after");
        Ok(subjects)
    }

    /// What depends on the change; whether that was done in all executables.
    fn dataflow<'g>(
        &mut self,
        subjects: &mut [Subject<'a>],
        rooms: &'g [OnceCell<Graphs<'a>>],
        kept: &mut [Option<Walks<'g>>],
        edited: &Edited<'_>,
    ) -> bool
    where
        'a: 'g,
    {
        let budget = self.options.budget;
        let map = self.options.map;
        let changed = subjects.iter_mut().filter(|subject| subject.is_changed);
        for (count, subject) in changed.enumerate() {
            let number = subject.number;
            let found = budget.check().and_then(|()| {
                let walked = match subject.is_kept {
                    true => {
                        let graphs = rooms[number].get_or_init(|| Graphs::of(subject.versions));
                        let walks = subject.walks(graphs, map, budget.limit());
                        walks.map(|walks| {
                            subject.add_verdicts(&walks.levels, edited);
                            kept[number] = Some(walks);
                        })
                    }
                    false => {
                        let graphs = Graphs::of(subject.versions);
                        let walks = subject.walks(&graphs, map, budget.limit());
                        walks.map(|walks| subject.add_verdicts(&walks.levels, edited))
                    }
                };
                walked.map_err(|OutOfTime| budget.stop())
            });
            self.clock.step("dataflow");
            if let Err(stop) = found {
                self.dataflow_is_broken_off(subjects, count, stop);
                return false;
            }
            subject.has_dataflow = true;
        }
        self.level_is_done(Level::Dataflow.name(), subjects);
        true
    }

    fn dataflow_is_broken_off(&mut self, subjects: &[Subject<'_>], count: usize, stop: Stop) {
        let name = Level::Dataflow.name();
        let before = Level::ExecuteAfter.name();
        let message = match count {
            0 => {
                format!(
                    "{stop} before the level `{name}` was done: verdicts are those of `{before}`"
                )
            }
            _ => {
                self.level_is_done(&format!("{name}, broken off"), subjects);
                let all = subjects.iter().filter(|subject| subject.is_changed).count();
                format!(
                    "{stop} before the level `{name}` was done: verdicts of {} of {all} executables are those of `{before}`",
                    all - count
                )
            }
        };
        self.caveats.push(budget_caveat(&message));
    }

    /// Each level goes on from what those before it proved.
    fn semantic<'g>(
        &mut self,
        subjects: &mut [Subject<'a>],
        kept: &mut [Option<Walks<'g>>],
        prover: &mut Prover<'a>,
        edited: &Edited<'_>,
    ) where
        'a: 'g,
    {
        let proof_time = self.options.budget.for_proofs();
        let mut broken_off: Option<BrokenOff> = None;
        for (level, (name, distance)) in DISTANCES.into_iter().enumerate() {
            let open = |subject: &&mut Subject<'_>| subject.is_changed && !subject.is_settled;
            let mut waiting = subjects.iter_mut().filter(open).count();
            let mut has_news = false;
            for subject in subjects.iter_mut().filter(open) {
                let budget = proof_time.part(waiting);
                waiting -= 1;
                let stopped = self.prove(subject, (distance, name), prover, budget);
                let walks = kept[subject.number].as_mut();
                let walked = self.follow(subject, walks, level, edited);
                self.clock.step("semantic");
                let is_without_walk = walked.is_err();
                has_news |= walked == Ok(true);
                if let Err(stop) = stopped.and(walked) {
                    subject.is_settled = true;
                    broken_off.get_or_insert(BrokenOff {
                        level,
                        stop,
                        is_without_walk,
                    });
                }
            }
            match (broken_off.is_some(), self.levels.last()) {
                (true, _) => {}
                (false, Some(before)) if !has_news => self.tell(name, before.possible_lines),
                (false, _) => self.level_is_done(name, subjects),
            }
        }
        if let Some(broken_off) = broken_off {
            self.semantic_is_broken_off(&broken_off, subjects);
        }
    }

    /// Compares what is so many calls away from a change.
    fn prove(
        &mut self,
        subject: &mut Subject<'a>,
        (distance, name): (usize, &str),
        prover: &mut Prover<'a>,
        budget: Budget<'a>,
    ) -> Result<(), Stop> {
        let proofs = match &mut subject.proofs {
            Some(proofs) => proofs,
            none => {
                budget.check()?;
                none.insert(Proofs::new(subject.versions, subject.change))
            }
        };
        let stopped = proofs.extend(distance, prover, budget);
        subject.is_settled = proofs.is_complete(distance);
        self.clock.step(&format!("proofs of {name}"));
        stopped
    }

    /// What the change reaches, knowing what was proved; whether that was more than before. For what
    /// was proved when the time was up, there is a moment more.
    fn follow<'g>(
        &mut self,
        subject: &mut Subject<'a>,
        kept: Option<&mut Walks<'g>>,
        level: usize,
        edited: &Edited<'_>,
    ) -> Result<bool, Stop>
    where
        'a: 'g,
    {
        if !subject.proofs.as_mut().is_some_and(Proofs::shows_more) {
            return Ok(false);
        }
        let map = self.options.map;
        let limit = self.options.budget.a_moment_more().limit();
        let walked = match kept {
            Some(walks) => subject.follow(walks, level, edited, limit),
            None => {
                let graphs = Graphs::of(subject.versions);
                let walks = subject.walks(&graphs, map, limit);
                walks.and_then(|mut walks| subject.follow(&mut walks, level, edited, limit))
            }
        };
        walked.map_err(|OutOfTime| self.options.budget.stop())
    }

    fn semantic_is_broken_off(&mut self, broken_off: &BrokenOff, subjects: &[Subject<'_>]) {
        let (name, stop) = (DISTANCES[broken_off.level].0, broken_off.stop);
        // What is shown is shown, but the level is not one that was done.
        self.level_is_done(&format!("{name}, broken off"), subjects);
        let counts = match broken_off.is_without_walk {
            false => "what was proved until then counts",
            true => "what was proved last could not be followed any more, and does not count",
        };
        self.caveats.push(budget_caveat(&format!(
            "{stop} before all functions were compared: `{name}` was broken off, and {counts}"
        )));
    }

    fn tell_missing(&mut self, prover: &Prover) {
        if let Some(missing) = &prover.missing {
            self.caveats.push(ReportedCaveat {
                kind: CaveatKind::NoSolver.name().to_owned(),
                message: format!("{missing}; only what is equal without one is proved"),
                ..ReportedCaveat::default()
            });
        }
    }

    /// Reasons and hunks, for the finest level of each executable. When the time is up, there is a
    /// moment more for reasons, which begin with a hunk.
    fn explain(
        &mut self,
        subjects: &mut [Subject<'a>],
        kept: &[Option<Walks<'_>>],
        edited: &Edited<'_>,
        findings: &mut Findings,
    ) {
        let budget = self.options.budget.a_moment_more();
        let map = self.options.map;
        for subject in subjects.iter_mut().filter(|subject| subject.has_dataflow) {
            if let Err(stop) = budget.check() {
                findings.reasons_cut = Some(stop);
                break;
            }
            match &kept[subject.number] {
                Some(walks) => self.add_reasons(subject, walks, edited, findings, budget),
                None => {
                    let graphs = Graphs::of(subject.versions);
                    match subject.walks(&graphs, map, budget.limit()) {
                        Ok(walks) => self.add_reasons(subject, &walks, edited, findings, budget),
                        Err(OutOfTime) => findings.reasons_cut = Some(budget.stop()),
                    }
                }
            }
        }
    }

    fn add_reasons<'g>(
        &mut self,
        subject: &Subject<'g>,
        walks: &Walks<'g>,
        edited: &Edited<'_>,
        findings: &mut Findings,
        budget: Budget<'_>,
    ) {
        let silent = self.versions.documentation_hunks();
        let hunk_count: usize = self.versions.edits.files.values().map(Vec::len).sum();
        let only_hunk = (hunk_count == 1 && silent.is_empty()).then_some(1);
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
            (&self.versions.edits, &silent),
            self.options.budget,
        );
        self.clock.step("hunks");
        let reach = reach.unwrap_or_else(|stop| {
            findings.hunks_cut = Some(stop);
            None
        });
        findings.add_reasons(&compared, edited, only_hunk, reach.as_ref(), budget);
        self.clock.step("reasons");
    }

    fn level_is_done(&mut self, level: &str, subjects: &[Subject<'_>]) {
        let is_doubted = self.versions.may_hide_changes();
        self.tell(level, joined(subjects).possible_lines(is_doubted));
    }

    fn tell(&mut self, level: &str, possible_lines: usize) {
        let row = LevelRow {
            level: level.to_owned(),
            possible_lines,
        };
        (self.reached)(&row);
        self.levels.push(row);
    }
}

impl<'a> Subject<'a> {
    /// The walks that its verdicts rest on, made anew; by dataflow if it has none yet.
    fn walks<'g>(
        &self,
        graphs: &'g Graphs<'g>,
        map: SourceMap,
        limit: TimeLimit<'g>,
    ) -> Result<Walks<'g>, OutOfTime>
    where
        'a: 'g,
    {
        let mut levels = self.first.again();
        levels.dataflow(&graphs.dependence, self.change, map, limit)?;
        let mut walks = Walks { graphs, levels };
        if let Some((level, sameness)) = &self.proved {
            walks.semantic(self.change, *level, sameness, limit)?;
        }
        Ok(walks)
    }

    /// The verdicts that what is proved by now leaves; whether that is more than before.
    fn follow<'g>(
        &mut self,
        walks: &mut Walks<'g>,
        level: usize,
        edited: &Edited<'_>,
        limit: TimeLimit<'g>,
    ) -> Result<bool, OutOfTime>
    where
        'a: 'g,
    {
        let Some(proofs) = &self.proofs else {
            return Ok(false);
        };
        let sameness = proofs.sameness(&walks.graphs.dependence);
        let known = self.proved.as_ref();
        if known.is_some_and(|proved| proved.1 == sameness) {
            return Ok(false);
        }
        walks.semantic(self.change, level, &sameness, limit)?;
        self.proved = Some((level, sameness));
        self.add_verdicts(&walks.levels, edited);
        Ok(true)
    }

    fn add_verdicts(&mut self, levels: &Levels<'_>, edited: &Edited<'_>) {
        let mut verdicts = Verdicts::default();
        add_verdicts(
            &mut verdicts,
            self.number,
            self.versions,
            self.change,
            levels,
            edited,
        );
        self.verdicts = verdicts;
    }
}

impl<'g> Walks<'g> {
    fn semantic(
        &mut self,
        change: &'g Change,
        level: usize,
        sameness: &Sameness,
        limit: TimeLimit<'g>,
    ) -> Result<(), OutOfTime> {
        let Sides { old, new } = &self.graphs.dependence;
        let sameness = self.graphs.sameness[level].get_or_init(|| sameness.clone());
        self.levels.semantic = Some(semantic_impact(old, new, change, sameness, limit)?);
        Ok(())
    }
}

/// Of all executables the strongest verdicts.
fn joined(subjects: &[Subject<'_>]) -> Verdicts {
    let mut all = Verdicts::default();
    for subject in subjects {
        all.add(&subject.verdicts);
    }
    all
}

/// Later levels may say more than the first. Else all functions are the same, node for node, over the
/// same variables.
fn is_changed(versions: Sides<Version<'_>>, change: &Change, first: &Levels<'_>) -> bool {
    let is_identity = |pair: &FunctionPair| matches!(pair.nodes, NodeMap::Identity);
    !change.is_empty(versions)
        || first.executes_after.contains(&true)
        || !change.pairs.iter().all(is_identity)
}

fn instructions(versions: Sides<Version<'_>>) -> usize {
    [versions.old.program, versions.new.program]
        .into_iter()
        .flat_map(Program::defined_functions)
        .map(|(_, _, body)| body.instructions.len())
        .sum()
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
