//! Which hunk reaches which line?
//!
//! Each source belongs to the hunk whose lines it stands on; one on unedited text belongs to the
//! nearest hunk of its file, or to all hunks where its file has none (a header changed). One walk
//! for each 64 hunks then says what each of them reaches. With a single hunk there is nothing to ask;
//! where time was up before, a line keeps the hunk that its chain of reasons begins with.

use crate::budget::{Budget, Stop};
use crate::comparison::Compared;
use knockon_change::{Edits, Side, Sides};
use knockon_impact::dataflow_impact::{Source, SourceMap};
use knockon_impact::dependence::program_graph::ProgramDependence;
use knockon_impact::grouped_walk::{GroupedWalk, Groups, impact_by_group};
use knockon_impact::propagation::Sameness;
use knockon_program::{OutOfTime, Place, PlaceId};
use std::collections::{BTreeMap, BTreeSet};

/// Hunks of one file with their numbers over all files.
struct NumberedHunks<'a> {
    files: BTreeMap<&'a str, Vec<(u32, &'a knockon_change::Hunk)>>,
    count: u32,
}

impl<'a> NumberedHunks<'a> {
    fn of(edits: &'a Edits) -> NumberedHunks<'a> {
        let mut count = 0;
        let mut files = BTreeMap::new();
        for (path, hunks) in &edits.files {
            let numbered = hunks.iter().map(|hunk| {
                count += 1;
                (count, hunk)
            });
            files.insert(path.as_str(), numbered.collect());
        }
        NumberedHunks { files, count }
    }

    /// The hunk that a place belongs to; `None` is all of them.
    fn hunk(&self, side: Side, path: &str, line: u32) -> Option<u32> {
        let hunks = self.files.get(path)?;
        let distance = |hunk: &knockon_change::Hunk| {
            let lines = hunk.lines(side);
            match lines.contains(&line) {
                true => 0,
                false => 1 + lines.start.abs_diff(line).min(lines.end.abs_diff(line)),
            }
        };
        let nearest = hunks.iter().min_by_key(|row| distance(row.1))?;
        Some(nearest.0)
    }
}

/// The hunks that reach each node of the new version, asked by [`HunkReach::of`].
pub struct HunkReach<'a> {
    /// With the number of the first hunk of each.
    walks: Vec<(u32, GroupedWalk<'a>)>,
    count: u32,
    /// In documentation: a source that belongs to all hunks belongs to none of these.
    silent: &'a BTreeSet<u32>,
}

/// `None` where there is nothing to ask.
pub fn hunk_reach<'a>(
    compared: &Compared<'a>,
    graphs: &'a Sides<ProgramDependence<'a>>,
    (map, sameness): (SourceMap, Option<&'a Sameness>),
    (edits, silent): (&Edits, &'a BTreeSet<u32>),
    budget: Budget<'a>,
) -> Result<Option<HunkReach<'a>>, Stop> {
    let hunks = NumberedHunks::of(edits);
    if hunks.count < 2 {
        return Ok(None);
    }
    let owner = |source: Source| -> Option<u32> {
        let (side, place): (Side, PlaceId) = match source {
            Source::Node(side, function, id) => {
                let program = compared.versions.of(side).program;
                let body = program.function(function).body.as_deref()?;
                (side, body.instruction(id).place)
            }
            Source::Function(side, function) => {
                let program = compared.versions.of(side).program;
                (side, program.function(function).place)
            }
            Source::Global(side, global) => {
                let program = compared.versions.of(side).program;
                (side, program.globals[global.index()].place)
            }
        };
        let program = compared.versions.of(side).program;
        let place: Place = program.place(place);
        match place.is_known() {
            true => hunks.hunk(side, program.file_path(place.file), place.line),
            false => None,
        }
    };
    let mut walks = Vec::new();
    for first in (1..=hunks.count).step_by(Groups::MOST) {
        budget.check()?;
        let groups = |source: Source| match owner(source) {
            None => Groups::ALL,
            Some(owner) => match owner.checked_sub(first) {
                Some(number) if (number as usize) < Groups::MOST => Groups::one(number as usize),
                _ => Groups::NONE,
            },
        };
        let (old, new) = (&graphs.old, &graphs.new);
        let limit = budget.limit();
        let walk = impact_by_group(old, new, compared.change, (map, sameness), groups, limit);
        walks.push((first, walk.map_err(|OutOfTime| budget.stop())?));
    }
    Ok(Some(HunkReach {
        walks,
        count: hunks.count,
        silent,
    }))
}

impl HunkReach<'_> {
    /// The hunks that reach a node of the new version, ascending.
    pub fn of(
        &self,
        function: knockon_program::FunctionId,
        node: knockon_program::InstructionId,
    ) -> Vec<u32> {
        let walks = self.walks.iter();
        let found = walks.flat_map(|(first, walk)| {
            let groups = walk.groups(Side::New, function, node);
            let numbers = (0..Groups::MOST).filter(move |number| groups.contains(*number));
            numbers.map(move |number| first + number as u32)
        });
        // Where a source belongs to all hunks, so do numbers that none has.
        found
            .filter(|number| *number <= self.count && !self.silent.contains(number))
            .collect()
    }
}
