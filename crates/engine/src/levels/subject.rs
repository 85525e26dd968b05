//! One executable on its way through the levels: what is known of it, its graphs, and the walks in
//! them.

use super::proofs::Proofs;
use super::{LEVELS, Level};
use crate::comparison::{ChangeReach, dependences};
use crate::verdict::lines::{Edited, Verdicts, add_verdicts};
use knockon_change::{Change, Sides, Version};
use knockon_impact::dataflow_impact::SourceMap;
use knockon_impact::dependence::program_graph::ProgramDependence;
use knockon_impact::propagation::Sameness;
use knockon_impact::semantic_impact::semantic_impact;
use knockon_program::{OutOfTime, TimeLimit};
use std::cell::OnceCell;

/// One executable on its way through the levels.
pub(super) struct Subject<'a> {
    pub(super) number: usize,
    pub(super) versions: Sides<Version<'a>>,
    pub(super) change: &'a Change,
    /// Something differs, so that later levels may say more than the first.
    pub(super) is_changed: bool,
    /// Its graphs are kept from level to level.
    pub(super) is_kept: bool,
    pub(super) first: ChangeReach<'a>,
    /// Of the finest level that it is done with.
    pub(super) verdicts: Verdicts,
    /// What those rest on, if on proofs: and which level proved it.
    pub(super) proved: Option<(Level, Sameness)>,
    pub(super) has_dataflow: bool,
    pub(super) proofs: Option<Proofs<'a>>,
    /// No later level shows more, or it was broken off.
    pub(super) is_settled: bool,
}

/// The graphs of one executable, and what walks in them stop at, by level.
pub(super) struct Graphs<'a> {
    pub(super) dependence: Sides<ProgramDependence<'a>>,
    sameness: Vec<OnceCell<Sameness>>,
}

impl<'a> Graphs<'a> {
    pub(super) fn of(versions: Sides<Version<'a>>) -> Graphs<'a> {
        Graphs {
            dependence: dependences(versions),
            sameness: LEVELS.iter().map(|_| OnceCell::new()).collect(),
        }
    }
}

/// What was found in graphs.
pub(super) struct Walks<'g> {
    pub(super) graphs: &'g Graphs<'g>,
    pub(super) levels: ChangeReach<'g>,
}

impl<'a> Subject<'a> {
    /// Nothing is known of it yet.
    pub(super) fn new(
        number: usize,
        versions: Sides<Version<'a>>,
        change: &'a Change,
    ) -> Subject<'a> {
        Subject {
            number,
            versions,
            change,
            is_changed: false,
            is_kept: false,
            first: ChangeReach::none(),
            verdicts: Verdicts::default(),
            proved: None,
            has_dataflow: false,
            proofs: None,
            is_settled: false,
        }
    }

    /// The walks that its verdicts rest on, made anew; by dataflow if it has none yet.
    pub(super) fn walks<'g>(
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
    pub(super) fn follow<'g>(
        &mut self,
        walks: &mut Walks<'g>,
        level: Level,
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

    pub(super) fn add_verdicts(&mut self, levels: &ChangeReach<'_>, edited: &Edited<'_>) {
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
        level: Level,
        sameness: &Sameness,
        limit: TimeLimit<'g>,
    ) -> Result<(), OutOfTime> {
        let Sides { old, new } = &self.graphs.dependence;
        let sameness = self.graphs.sameness[level.number()].get_or_init(|| sameness.clone());
        self.levels.semantic = Some(semantic_impact(old, new, change, sameness, limit)?);
        Ok(())
    }
}
