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

mod conclusions;
mod dataflow;
mod execute_after;
mod proofs;
mod semantic;
pub mod solvers;
mod subject;
mod work;

use crate::budget::{Budget, Stop, budget_caveat};
use crate::comparison::Pairings;
use crate::events::{Event, Events};
use crate::read::versions::ReadVersions;
use crate::verdict::findings::Findings;
use conclusions::{conclusions, joined};
use knockon_impact::dataflow_impact::SourceMap;
use knockon_program::CaveatKind;
use knockon_report::{CutBy, Evidence, LevelRow, ReportedCaveat};
use std::cell::OnceCell;
use std::path::Path;
use work::{BrokenOff, Progress, Work};

/// What a level does to all executables.
type Run = fn(&mut Work<'_, '_>, Level) -> Result<Progress, Stop>;

/// A row of the table.
pub struct LevelDefinition {
    /// What reports call it.
    pub name: &'static str,
    /// What requests call it; a level without such a name is on the way to one that has one.
    pub asked_as: Option<&'static str>,
    /// What it needs, besides the levels before it.
    pub needs: Evidence,
    /// By what it may cut off a line that the levels before it left possible.
    pub cuts: &'static [CutBy],
    run: Run,
}

use CutBy::{
    EqualArguments, EqualSummary, EqualValues, NoDependence, NotExecutedAfter, Unreachable,
};
use Evidence::{Dependence, Order, Proofs};

/// The levels in the order in which they run: each goes on from what those above it left possible.
#[rustfmt::skip]
pub const LEVELS: &[LevelDefinition] = &[
    //  name             asked as               needs       may cut off by                     how
    row("execute-after", Some("execute-after"), Order,      &[NotExecutedAfter, Unreachable],  execute_after::run),
    row("dataflow",      Some("dataflow"),      Dependence, &[NoDependence],                   dataflow::run),
    row("semantic-0",    None,                  Proofs,     &BY_PROOF,                         semantic::run::<0>),
    row("semantic-1",    None,                  Proofs,     &BY_PROOF,                         semantic::run::<1>),
    row("semantic-2",    None,                  Proofs,     &BY_PROOF,                         semantic::run::<2>),
    row("semantic-3",    None,                  Proofs,     &BY_PROOF,                         semantic::run::<3>),
    row("semantic-inf",  Some("semantic"),      Proofs,     &BY_PROOF,                         semantic::run::<{ semantic::ANY_DISTANCE }>),
];

const BY_PROOF: [CutBy; 3] = [EqualArguments, EqualSummary, EqualValues];

const fn row(
    name: &'static str,
    asked_as: Option<&'static str>,
    needs: Evidence,
    cuts: &'static [CutBy],
    run: Run,
) -> LevelDefinition {
    LevelDefinition {
        name,
        asked_as,
        needs,
        cuts,
        run,
    }
}

/// A level, by its place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(usize);

impl Level {
    pub const EXECUTE_AFTER: Level = Level(0);
    pub const DATAFLOW: Level = Level(1);
    /// The last one.
    pub const SEMANTIC: Level = Level(LEVELS.len() - 1);

    pub fn all() -> impl Iterator<Item = Level> {
        (0..LEVELS.len()).map(Level)
    }

    /// The level that a request names, or a report.
    pub fn parse(name: &str) -> Option<Level> {
        let has_name = |level: &Level| {
            let row = level.definition();
            row.asked_as == Some(name) || row.name == name
        };
        Level::all().find(has_name)
    }

    pub fn name(self) -> &'static str {
        self.definition().name
    }

    pub fn definition(self) -> &'static LevelDefinition {
        &LEVELS[self.0]
    }

    fn number(self) -> usize {
        self.0
    }

    /// Proofs are about single statements: where whole functions count as changed, they say nothing.
    fn is_possible(self, map: SourceMap) -> bool {
        self.definition().needs != Proofs || map == SourceMap::Fine
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Limit of instructions, in both versions together, up to which graphs of executables are kept. Those
/// of the first executable are kept in any case. A graph takes about 400 bytes an instruction.
pub const MAX_KEPT_INSTRUCTIONS: usize = 2_000_000;

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct DiffOptions<'a> {
    /// The last level.
    pub level: Level,
    pub map: SourceMap,
    pub budget: Budget<'a>,
    /// Where what solvers said is kept from run to run.
    pub decided_queries: Option<&'a Path>,
    /// Limit of instructions up to which graphs of executables stay in memory.
    pub kept_instructions: usize,
}

/// What all levels found, as far as there was time.
pub struct Levelled {
    /// Of the finest level that is there.
    pub findings: Findings,
    pub rows: Vec<LevelRow>,
    pub caveats: Vec<ReportedCaveat>,
}

/// Runs the levels that are wanted, one after the other.
pub fn run<'a>(
    versions: &'a ReadVersions,
    pairings: &'a Pairings<'a>,
    options: DiffOptions<'a>,
    events: Events<'a>,
) -> Result<Levelled, Stop> {
    let rooms: Vec<OnceCell<_>> = pairings.iter().map(|_| OnceCell::new()).collect();
    let mut work = Work::new(versions, pairings, options, &rooms, events);
    let mut told = Told {
        rows: Vec::new(),
        events,
    };
    let mut first_broken: Option<(Level, BrokenOff)> = None;
    let wanted = Level::all().filter(|level| *level <= options.level);
    for level in wanted.take_while(|level| level.is_possible(options.map)) {
        match (level.definition().run)(&mut work, level)? {
            // It went on after one that was broken off, and is not one that was done.
            Progress::Done { .. } if first_broken.is_some() => {}
            Progress::Done { has_news } => told.level(level, has_news, &work),
            Progress::BrokenOff(broken_off) => {
                let is_end = broken_off.is_end;
                first_broken.get_or_insert((level, broken_off));
                if is_end {
                    break;
                }
            }
        }
    }
    let mut caveats = Vec::new();
    if let Some((level, broken_off)) = first_broken {
        if broken_off.counts {
            told.broken_off(level, &work);
        }
        caveats.push(budget_caveat(&broken_off.caveat));
    }
    caveats.extend(missing_solver(&work));
    Ok(Levelled {
        findings: conclusions(&mut work),
        rows: told.rows,
        caveats,
    })
}

/// The levels as the report lists them.
struct Told<'e> {
    rows: Vec<LevelRow>,
    events: Events<'e>,
}

impl Told<'_> {
    fn level(&mut self, level: Level, has_news: bool, work: &Work<'_, '_>) {
        let possible_lines = match self.rows.last() {
            Some(before) if !has_news => before.possible_lines,
            _ => possible_lines(work),
        };
        let row = LevelRow {
            level: level.name().to_owned(),
            possible_lines,
            evidence: level.definition().needs,
            is_final: level == Level::SEMANTIC,
        };
        self.tell(row);
    }

    fn broken_off(&mut self, level: Level, work: &Work<'_, '_>) {
        self.tell(LevelRow {
            level: format!("{level}, broken off"),
            possible_lines: possible_lines(work),
            evidence: level.definition().needs,
            is_final: false,
        });
    }

    fn tell(&mut self, row: LevelRow) {
        self.events.send(Event::Level(row.clone()));
        self.rows.push(row);
    }
}

fn possible_lines(work: &Work<'_, '_>) -> usize {
    let are_doubted = work.versions.may_hide_changes();
    joined(&work.subjects).possible_lines(are_doubted)
}

/// Without a solver there are fewer proofs.
fn missing_solver(work: &Work<'_, '_>) -> Option<ReportedCaveat> {
    let missing = work.proving.as_ref()?.prover.missing.as_ref()?;
    Some(ReportedCaveat {
        kind: CaveatKind::NoSolver.name().to_owned(),
        message: format!("{missing}; only what is equal without one is proved"),
        ..ReportedCaveat::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_the_names_of_the_table() {
        assert_eq!(Level::parse("execute-after"), Some(Level::EXECUTE_AFTER));
        assert_eq!(Level::parse("dataflow"), Some(Level::DATAFLOW));
        assert_eq!(Level::parse("semantic"), Some(Level::SEMANTIC));
        assert_eq!(Level::parse("semantic-inf"), Some(Level::SEMANTIC));
        assert_eq!(Level::parse("nothing"), None);
        for level in Level::all() {
            assert_eq!(Level::parse(level.name()), Some(level));
        }
    }
}
