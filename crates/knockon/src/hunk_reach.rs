//! Which hunk reaches which line?
//!
//! Each source belongs to the hunk whose lines it stands on; one on unedited text belongs to the
//! nearest hunk of its file, or to all hunks where its file has none (a header changed). One walk
//! for each hunk then says what that hunk alone reaches. With a single hunk there is nothing to ask;
//! with very many, or in a very large program, a line keeps the hunk that its chain of reasons
//! begins with.

use crate::budget::{Budget, Stop};
use crate::diff::Compared;
use knockon_change::{Edits, Side, Sides};
use knockon_impact::dataflow_impact::{DataflowImpact, Source, SourceMap, impact_of_sources};
use knockon_impact::dependence::program_graph::ProgramDependence;
use knockon_program::{Place, PlaceId};
use std::collections::BTreeMap;

/// Walks times instructions that are worth it.
pub const MOST_WORK: usize = 4_000_000;

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
    walks: Vec<(u32, DataflowImpact<'a>)>,
}

/// `None` where it is not worth the walks.
pub fn hunk_reach<'a>(
    compared: &Compared<'a>,
    graphs: &'a Sides<ProgramDependence<'a>>,
    map: SourceMap,
    edits: &Edits,
    budget: Budget,
) -> Result<Option<HunkReach<'a>>, Stop> {
    let hunks = NumberedHunks::of(edits);
    let size = compared.versions.new.program.instruction_count();
    if hunks.count < 2 || size * hunks.count as usize > MOST_WORK {
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
    let mut walks = Vec::with_capacity(hunks.count as usize);
    for number in 1..=hunks.count {
        budget.check()?;
        let is_own = |source: Source| owner(source).is_none_or(|owner| owner == number);
        let walk = impact_of_sources(&graphs.old, &graphs.new, compared.change, map, is_own);
        walks.push((number, walk));
    }
    Ok(Some(HunkReach { walks }))
}

impl HunkReach<'_> {
    /// The hunks that reach a node of the new version, ascending.
    pub fn of(
        &self,
        function: knockon_program::FunctionId,
        node: knockon_program::InstructionId,
    ) -> Vec<u32> {
        let walks = self.walks.iter();
        walks
            .filter(|(_, walk)| walk.is_impacted(Side::New, function, node))
            .map(|row| row.0)
            .collect()
    }
}
