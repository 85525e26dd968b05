//! What one level found in all executables: the verdicts, and where it knows them the reasons, the
//! hunks, and how the change spreads.

use crate::budget::{Budget, Stop};
use crate::comparison::ChangeReach;
use crate::comparison::Compared;
use crate::verdict::cut::proved_step;
use crate::verdict::hunk_reach::HunkReach;
use crate::verdict::lines::{Edited, Verdicts, add_verdicts};
use crate::verdict::reason_text::{Phrases, Sources, reason_steps};
use crate::verdict::spread::{FunctionEdge, spread};
use knockon_change::{Change, Side, Sides, Version};
use knockon_impact::dependence::Vertex;
use knockon_impact::propagation::Place;
use knockon_report::{CutBy, ReasonStep, Verdict};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub struct Findings {
    pub verdicts: Verdicts,
    /// By file and line.
    pub reasons: BTreeMap<(String, u32), Vec<ReasonStep>>,
    /// By file and line the numbers of the hunks that reach it.
    pub hunks: BTreeMap<(String, u32), Vec<u32>>,
    pub spread: BTreeSet<FunctionEdge>,
    /// Functions, by file and name, that were shown to do the same for their callers.
    pub equivalent: BTreeSet<(String, String)>,
    /// Functions, by file and name, for which a proof failed, and why.
    pub undecided: BTreeMap<(String, String), String>,
    /// The output was shown to be the same.
    pub same_output: bool,
    /// Time was up before the walks from each hunk were done.
    pub hunks_cut: Option<Stop>,
    /// Time was up before all lines had their reasons.
    pub reasons_cut: Option<Stop>,
}

impl Findings {
    pub fn add_verdicts(
        &mut self,
        executable: usize,
        versions: Sides<Version<'_>>,
        change: &Change,
        levels: &ChangeReach<'_>,
        edited: &Edited<'_>,
    ) {
        let verdicts = &mut self.verdicts;
        add_verdicts(verdicts, executable, versions, change, levels, edited);
    }

    /// Nothing is unaffected while some of the change may not have been read.
    pub fn doubt_if(&mut self, may_hide_changes: bool) {
        if may_hide_changes {
            self.verdicts.doubt();
        }
    }

    /// For the lines that this executable decided, after its verdicts were added. Where there is one
    /// hunk that a line may be possible for, it is the one.
    pub fn add_reasons(
        &mut self,
        compared: &Compared<'_>,
        edited: &Edited<'_>,
        only_hunk: Option<u32>,
        reach: Option<&HunkReach<'_>>,
        budget: Budget<'_>,
    ) {
        let Some(impact) = compared.levels.finest() else {
            return;
        };
        let sources = Sources {
            change: compared.change,
            edited,
        };
        let mut phrases = Phrases::default();
        let lines = self.verdicts.lines.iter();
        let mut lines: Vec<_> = lines
            .filter(|(_, verdict)| verdict.executable == compared.number)
            .collect();
        // Where time is up, the lines that a reader sees first have their reasons.
        lines.sort_by(|one, two| two.1.score.total_cmp(&one.1.score));
        for ((file, line), verdict) in lines {
            // The reasons of one line are as long as the way to it.
            if let Err(stop) = budget.check() {
                self.reasons_cut = Some(stop);
                break;
            }
            let place = Place {
                side: Side::New,
                function: verdict.function,
                vertex: Vertex(verdict.node.0),
            };
            if verdict.verdict == Verdict::Unaffected {
                if verdict.cut_by.is_some_and(CutBy::is_proof)
                    && let Some(step) =
                        proved_step(compared.levels, compared.versions, place, &mut phrases)
                {
                    self.reasons.insert((file.clone(), *line), vec![step]);
                }
                continue;
            }
            let steps = reason_steps(impact, compared.versions, sources, place, &mut phrases);
            let mut hunks: Vec<u32> = match (reach, only_hunk, steps.first()) {
                (Some(reach), ..) => reach.of(verdict.function, verdict.node),
                (None, Some(only), _) => vec![only],
                (None, None, None) => Vec::new(),
                (None, None, Some(first)) => {
                    let side = match first.old {
                        true => Side::Old,
                        false => Side::New,
                    };
                    let hunk = edited.hunk(side, &first.file, first.line);
                    hunk.into_iter().collect()
                }
            };
            // Edited text belongs to its hunk, also where it is shown to observe the same.
            if let Some(own) = edited.hunk(Side::New, file, *line)
                && let Err(at) = hunks.binary_search(&own)
            {
                hunks.insert(at, own);
            }
            let key = (file.clone(), *line);
            self.hunks.insert(key.clone(), hunks);
            self.reasons.insert(key, steps);
        }
        self.spread.extend(spread(compared));
    }
}
