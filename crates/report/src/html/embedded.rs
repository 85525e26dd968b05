//! What the page's script works on: the rows of files with hits, their text, and
//! the chains of reasons as one tree. Numbers instead of repeated names; linear.
//!
//! Files without hits are only counted: a reader looks at what the change
//! reaches, and a page must open at once.

use super::reason_tree::{NO_STEP, ReasonTree, TreeStep};
use crate::summary::{by_rank, counted, is_hit};
use crate::{CutBy, DiffReport, LineRow};
use rustc_hash::FxHashMap;
use serde::{Serialize, Serializer};

/// Bytes of source text on a page.
const SOURCE_BYTES: usize = 16 << 20;
/// Bytes of one file's text.
const FILE_BYTES: usize = 12 << 20;

#[derive(Serialize)]
pub(super) struct Embedded<'a> {
    pub files: Vec<EmbeddedFile<'a>>,
    pub functions: Vec<EmbeddedFunction<'a>>,
    pub steps: Vec<EmbeddedStep<'a>>,
    pub cuts: Vec<&'static str>,
    pub hunks: Vec<EmbeddedHunk<'a>>,
    #[serde(skip)]
    pub left_out: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct EmbeddedFile<'a> {
    pub path: &'a str,
    /// By verdict.
    pub counts: [usize; 4],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<EmbeddedLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct EmbeddedFunction<'a> {
    pub name: &'a str,
    pub status: &'static str,
}

#[derive(Serialize)]
pub(super) struct EmbeddedHunk<'a> {
    pub number: u32,
    pub file: &'a str,
    pub line: u32,
}

/// `[line, function, verdict, score, cut, step, hunks, witness]`, the last two where wanted.
pub(super) struct EmbeddedLine<'a> {
    row: &'a LineRow,
    function: usize,
    step: i32,
}

impl Serialize for EmbeddedLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cut = self.row.cut_by.map_or(-1, |cut| cut as i32);
        let score = (self.row.score * 1000.0).round() / 1000.0;
        let head = (
            self.row.line,
            self.function,
            self.row.verdict.index(),
            score,
            cut,
            self.step,
        );
        let (line, function, verdict, score, cut, step) = head;
        match (&self.row.witness, self.row.hunks.as_slice()) {
            (None, []) => head.serialize(serializer),
            (None, hunks) => {
                (line, function, verdict, score, cut, step, hunks).serialize(serializer)
            }
            (Some(witness), hunks) => {
                (line, function, verdict, score, cut, step, hunks, witness).serialize(serializer)
            }
        }
    }
}

/// `[step before, file, line, text, 1 if in the old version]`.
#[derive(Serialize)]
pub(super) struct EmbeddedStep<'a>(i32, &'a str, u32, &'a str, u8);

pub(super) fn embed(report: &DiffReport) -> Embedded<'_> {
    let mut tree = ReasonTree::default();
    let mut functions = Functions::of(report);
    let mut files = files_by_rank(report);
    for (file, lines) in &mut files {
        let has_hits = file.counts[..3].iter().any(|count| *count > 0);
        if has_hits {
            file.lines = lines
                .iter()
                .map(|row| EmbeddedLine {
                    row,
                    function: functions.number(row),
                    step: match row.reasons.as_slice() {
                        [] => NO_STEP,
                        reasons => tree.add(reasons),
                    },
                })
                .collect();
            file.lines.sort_by_key(|line| line.row.line);
        }
    }
    let mut files: Vec<EmbeddedFile> = files.into_iter().map(|(file, _)| file).collect();
    let left_out = add_texts(report, &mut files);
    Embedded {
        files,
        functions: functions.rows,
        steps: tree
            .steps
            .iter()
            .map(|TreeStep { before, step }| {
                EmbeddedStep(
                    *before,
                    &step.file,
                    step.line,
                    &step.text,
                    u8::from(step.old),
                )
            })
            .collect(),
        cuts: CutBy::ALL.iter().map(|cut| cut.sentence()).collect(),
        hunks: report
            .hunks
            .iter()
            .map(|hunk| EmbeddedHunk {
                number: hunk.number,
                file: &hunk.file,
                line: hunk.new_start,
            })
            .collect(),
        left_out,
    }
}

/// The functions that lines belong to, numbered as they come.
struct Functions<'a> {
    status: FxHashMap<(&'a str, &'a str), &'static str>,
    numbers: FxHashMap<(&'a str, &'a str), usize>,
    rows: Vec<EmbeddedFunction<'a>>,
}

impl<'a> Functions<'a> {
    fn of(report: &'a DiffReport) -> Functions<'a> {
        Functions {
            status: report
                .functions
                .iter()
                .map(|row| ((&*row.file, &*row.name), row.status.name()))
                .collect(),
            numbers: FxHashMap::default(),
            rows: Vec::new(),
        }
    }

    fn number(&mut self, line: &'a LineRow) -> usize {
        let key = (&*line.file, &*line.function);
        *self.numbers.entry(key).or_insert_with(|| {
            self.rows.push(EmbeddedFunction {
                name: &line.function,
                status: self.status.get(&key).copied().unwrap_or("same"),
            });
            self.rows.len() - 1
        })
    }
}

/// Files with their lines: those with the best lines first, those without hits by name.
fn files_by_rank(report: &DiffReport) -> Vec<(EmbeddedFile<'_>, Vec<&LineRow>)> {
    let mut files: Vec<(EmbeddedFile, Vec<&LineRow>)> = Vec::new();
    let mut index: FxHashMap<&str, usize> = FxHashMap::default();
    let mut best: Vec<&LineRow> = Vec::new();
    for line in report.places() {
        let file = *index.entry(&line.file).or_insert_with(|| {
            let file = EmbeddedFile {
                path: &line.file,
                counts: [0; 4],
                lines: Vec::new(),
                text: None,
            };
            files.push((file, Vec::new()));
            best.push(line);
            files.len() - 1
        });
        files[file].0.counts[line.verdict.index()] += 1;
        files[file].1.push(line);
        if by_rank(line, best[file]).is_lt() {
            best[file] = line;
        }
    }
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by(|left, right| {
        let (left, right) = (best[*left], best[*right]);
        (is_hit(right).cmp(&is_hit(left))).then_with(|| by_rank(left, right))
    });
    let mut slots: Vec<Option<_>> = files.into_iter().map(Some).collect();
    order
        .into_iter()
        .filter_map(|index| slots[index].take())
        .collect()
}

/// Puts texts into the files with hits while there is room; says what was left out.
fn add_texts<'a>(report: &'a DiffReport, files: &mut [EmbeddedFile<'a>]) -> Vec<String> {
    let texts: FxHashMap<&str, &str> = report
        .sources
        .iter()
        .map(|source| (&*source.path, source.text.as_str()))
        .collect();
    let (mut room, mut too_large, mut unreached, mut unreached_lines) = (SOURCE_BYTES, 0, 0, 0);
    for file in files {
        if file.lines.is_empty() {
            unreached += 1;
            unreached_lines += file.counts[3];
            continue;
        }
        match texts.get(file.path) {
            Some(text) if text.len() <= FILE_BYTES.min(room) => {
                room -= text.len();
                file.text = Some(text);
            }
            Some(_) => too_large += 1,
            None => {}
        }
    }
    let mut left_out = Vec::new();
    if unreached > 0 {
        left_out.push(format!(
            "the text of {} that the change does not reach ({})",
            counted(unreached, "file"),
            counted(unreached_lines, "unaffected line")
        ));
    }
    if too_large > 0 {
        left_out.push(format!(
            "the text of {} for size; their lines are listed with numbers and verdicts",
            counted(too_large, "file")
        ));
    }
    left_out
}
