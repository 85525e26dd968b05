//! **Question.** How often did a run come to a line, and to which time does an occurrence belong?
//!
//! **Rules.** A new occurrence of a line begins when control comes to it from another line of the
//! same activation, or to one of its instructions again. So a loop in one line occurs once for each
//! turn, and a line occurs once however many functions it calls.
//!
//! **Cost.** Linear in the occurrences of the run; four bytes for each.

use knockon_interpreter::{History, OccurrenceId};
use knockon_program::{InstructionId, PlaceId, Program};
use rustc_hash::FxHashMap;

/// A line with code that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineId(pub u32);

/// One time that control came to a line, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineOccurrence {
    pub line: LineId,
    pub number: u32,
}

#[derive(Debug, Default)]
pub struct LineOccurrences<'p> {
    lines: Vec<(&'p str, u32)>,
    /// How often each line occurred.
    counts: Vec<u32>,
    rows: Vec<LineOccurrence>,
    /// By occurrence the row, or none for code without a place.
    row_of: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// Where an activation is.
struct At {
    row: u32,
    /// The instructions that occurred since the row began; in a line there are few.
    seen: Vec<InstructionId>,
}

pub fn line_occurrences<'p>(program: &'p Program, history: &History) -> LineOccurrences<'p> {
    let mut found = LineOccurrences {
        row_of: Vec::with_capacity(history.occurrences.len()),
        ..LineOccurrences::default()
    };
    let mut line_of_place: FxHashMap<PlaceId, Option<LineId>> = FxHashMap::default();
    let mut line_of_path: FxHashMap<(&str, u32), LineId> = FxHashMap::default();
    let mut active: FxHashMap<u32, At> = FxHashMap::default();
    // Activations end innermost first, so those that are numbered higher are over.
    let mut innermost: Vec<u32> = Vec::new();
    for (index, occurrence) in history.occurrences.iter().enumerate() {
        let (function, instruction) = history.node(OccurrenceId(index as u32));
        let body = program.function(function).body.as_deref();
        let place = body.map_or(PlaceId(0), |body| body.instruction(instruction).place);
        let line = *line_of_place.entry(place).or_insert_with(|| {
            let place = program.place(place);
            place.is_known().then(|| {
                let key = (program.file_path(place.file), place.line);
                *line_of_path.entry(key).or_insert_with(|| {
                    found.lines.push(key);
                    found.counts.push(0);
                    LineId(found.lines.len() as u32 - 1)
                })
            })
        });
        let activation = occurrence.activation.0;
        while let Some(last) = innermost.pop_if(|last| *last > activation) {
            active.remove(&last);
        }
        if innermost.last() != Some(&activation) {
            innermost.push(activation);
        }
        let Some(line) = line else {
            found.row_of.push(NONE);
            continue;
        };
        let at = active.entry(activation).or_insert_with(|| At {
            row: NONE,
            seen: Vec::new(),
        });
        let goes_on = found.rows.get(at.row as usize).map(|row| row.line) == Some(line)
            && !at.seen.contains(&instruction);
        if !goes_on {
            let count = &mut found.counts[line.0 as usize];
            *count += 1;
            at.row = found.rows.len() as u32;
            at.seen.clear();
            found.rows.push(LineOccurrence {
                line,
                number: *count,
            });
        }
        at.seen.push(instruction);
        found.row_of.push(at.row);
    }
    found
}

impl<'p> LineOccurrences<'p> {
    /// `None` for code without a place.
    pub fn of(&self, occurrence: OccurrenceId) -> Option<LineOccurrence> {
        let row = *self.row_of.get(occurrence.index())?;
        self.rows.get(row as usize).copied()
    }

    /// A line that ran, by path and number.
    pub fn find(&self, path: &str, line: u32) -> Option<LineId> {
        let found = self.lines.iter().position(|row| *row == (path, line))?;
        Some(LineId(found as u32))
    }

    /// How often control came to the line.
    pub fn count(&self, line: LineId) -> u32 {
        self.counts[line.0 as usize]
    }

    /// The lines that ran, in the order of their first occurrences.
    pub fn lines(&self) -> impl Iterator<Item = (LineId, &'p str, u32)> + '_ {
        let rows = self.lines.iter().enumerate();
        rows.map(|(index, (path, line))| (LineId(index as u32), *path, *line))
    }

    /// How often any line occurred.
    pub fn total(&self) -> usize {
        self.rows.len()
    }

    /// The occurrences of a line's instructions, all or those of one time.
    pub fn members(&self, line: LineId, number: Option<u32>) -> Vec<OccurrenceId> {
        let is_wanted = |row: LineOccurrence| {
            row.line == line && number.is_none_or(|number| row.number == number)
        };
        let all = (0..self.row_of.len() as u32).map(OccurrenceId);
        all.filter(|id| self.of(*id).is_some_and(is_wanted))
            .collect()
    }
}
