//! What does a change do to the rest of the program? From two versions to a report, level by level.
//!
//! The first level is always done, whatever it takes; each later one only takes away from what is
//! possible, as far as there is time ([`crate::levels`]).

use super::diff_report::diff_report;
use crate::budget::{Budget, budget_caveat};
use crate::comparison::{Models, Pairings, programs};
use crate::error::{EngineError, Result};
use crate::events::{Caller, Clock, Events};
use crate::levels::solvers::decided_queries;
use crate::levels::{self, DiffOptions, Level, Levelled, MAX_KEPT_INSTRUCTIONS};
use crate::options::VersionsOptions;
use crate::read::account::reported;
use crate::read::versions::{ReadVersions, read_versions};
use knockon_change::pair_within;
use knockon_graphs::UndefinedReads;
use knockon_impact::dataflow_impact::SourceMap;
use knockon_program::{OutOfTime, Program};
use knockon_report::DiffReport;
use std::cell::OnceCell;
use std::time::Duration;

/// What a comparison may take if nobody says otherwise.
pub const USUAL_BUDGET: Duration = Duration::from_secs(60);

/// What the comparison of functions line by line may take in any case: nothing can be said without.
const PAIRING_TIME: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub struct DiffRequest {
    pub versions: VersionsOptions,
    /// The last level.
    pub level: Level,
    /// What counts as a source of the change.
    pub map: SourceMap,
    /// From the beginning of reading; what cannot be left out is done whatever it takes.
    pub budget: Duration,
}

impl DiffRequest {
    /// All levels, in a minute.
    pub fn of(versions: VersionsOptions) -> DiffRequest {
        DiffRequest {
            versions,
            level: Level::SEMANTIC,
            map: SourceMap::Fine,
            budget: USUAL_BUDGET,
        }
    }
}

/// Reads both versions and compares them.
pub fn diff(request: &DiffRequest, caller: Caller<'_>) -> Result<DiffReport> {
    let budget = Budget::of(request.budget).cancelled_by(caller.cancellation);
    let analysed = AnalysedVersions::read(&request.versions, caller)?;
    compare_as(request, &analysed, budget, caller.events)
}

/// Both versions, read, and by executable their memory models.
pub struct AnalysedVersions {
    pub versions: ReadVersions,
    models: OnceCell<Vec<Models>>,
}

impl AnalysedVersions {
    pub fn read(options: &VersionsOptions, caller: Caller<'_>) -> Result<AnalysedVersions> {
        Ok(AnalysedVersions {
            versions: read_versions(options, UndefinedReads::Absent, caller)?,
            models: OnceCell::new(),
        })
    }

    /// Made when they are first needed.
    fn models(&self, budget: Budget<'_>, events: Events<'_>) -> Result<&[Models]> {
        if let Some(known) = self.models.get() {
            return Ok(known);
        }
        let made = models(&self.versions, budget, events)?;
        Ok(self.models.get_or_init(|| made))
    }
}

fn models(versions: &ReadVersions, budget: Budget<'_>, events: Events<'_>) -> Result<Vec<Models>> {
    let mut clock = Clock::new(events);
    let until_stopped = budget.limit().until_cancelled();
    let numbers = 0..versions.executables.len();
    let made = numbers.map(|number| Models::of(programs(versions, number), until_stopped));
    let models = made.collect::<std::result::Result<_, OutOfTime>>();
    clock.step("points-to, regions, mod/ref");
    models.map_err(|OutOfTime| EngineError::Interrupted)
}

/// Compares versions that are read.
pub fn compare_as(
    request: &DiffRequest,
    analysed: &AnalysedVersions,
    budget: Budget<'_>,
    events: Events<'_>,
) -> Result<DiffReport> {
    let decided = decided_queries(request.versions.reading.no_cache);
    let options = DiffOptions {
        level: request.level,
        map: request.map,
        budget,
        decided_queries: decided.as_deref(),
        kept_instructions: MAX_KEPT_INSTRUCTIONS,
    };
    let models = analysed.models(budget, events)?;
    compare_models(&analysed.versions, models, options, events)
}

/// Compares all executables and joins what they say of each line.
pub fn compare(
    versions: &ReadVersions,
    options: DiffOptions<'_>,
    events: Events<'_>,
) -> Result<DiffReport> {
    let models = models(versions, options.budget, events)?;
    compare_models(versions, &models, options, events)
}

fn compare_models(
    versions: &ReadVersions,
    models: &[Models],
    options: DiffOptions<'_>,
    events: Events<'_>,
) -> Result<DiffReport> {
    let mut clock = Clock::new(events);
    let mut pairings = Pairings::default();
    let pairing = options.budget.at_least(PAIRING_TIME);
    let mut is_cut = false;
    for (number, models) in models.iter().enumerate() {
        let analysed = models.versions(programs(versions, number));
        let change = pair_within(analysed, &versions.edits, pairing.limit());
        let stopped = pairing.check_interruption();
        stopped.map_err(|_| EngineError::Interrupted)?;
        is_cut |= change.is_cut;
        pairings.push(analysed, change);
    }
    clock.step("pair");
    let levelled = levels::run(versions, &pairings, options, events);
    let Levelled {
        findings,
        rows,
        mut caveats,
    } = levelled.map_err(|_| EngineError::Interrupted)?;
    let mut clock = Clock::new(events);
    if is_cut {
        caveats.push(budget_caveat(&format!(
            "{} before all functions that differ were compared line by line: of the others, all lines count as differing",
            pairing.stop()
        )));
    }
    if let Some(stop) = findings.hunks_cut {
        caveats.push(budget_caveat(&format!(
            "{stop} before it was known which hunk reaches which line: each has the one that its reasons begin with"
        )));
    }
    if let Some(stop) = findings.reasons_cut {
        caveats.push(budget_caveat(&format!(
            "{stop} before every line had its reasons: some have none, and the hunks that reach them are not known"
        )));
    }
    let mut report = diff_report(versions, &pairings, findings, rows);
    // What is to say about the input comes first, then what there was no time for.
    let none = Program::new();
    let of_input = versions.account.caveats.iter();
    let of_input = of_input.map(|caveat| reported(caveat, &none));
    report.caveats.splice(0..0, of_input.chain(caveats));
    clock.step("report");
    Ok(report)
}
