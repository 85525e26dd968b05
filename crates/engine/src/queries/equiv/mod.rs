//! From two versions to a verdict for each function, cheapest first.
//!
//! A pair whose terms are the same is `equivalent`. Another one is shown to a solver for a moment.
//! What is left is run on inputs made for it ([`knockon_dynamic::replay`]), and is `different` only
//! if a run of both versions showed so; and what is left then is the solver's with all effort, and Horn
//! clauses propose what loops keep ([`knockon_logic::horn`]). Where
//! that finds no proof but models of the contrary, both versions are run on what the models describe.
//! Running a function runs code of the program: [`Permission`] says whether that is allowed.

mod asking;
mod example_files;
mod one_executable;
mod reached;
mod request;
mod running;
mod settling;
mod unpaired;

pub use request::{EquivRequest, USUAL_EFFORT, equiv};

use crate::budget::Budget;
use crate::comparison::{Models, programs};
use crate::error::{Context as _, EngineError, Result, refuse};
use crate::read::named_function::find_function;
use crate::read::versions::ReadVersions;
use knockon_build::clang::Clang;
use knockon_change::pair;
use knockon_logic::solver::{Limits, Solvers};
use knockon_proof::function_pairs::FunctionPairs;
use knockon_report::EquivFunction;
use one_executable::OneExecutable;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Why nothing is equivalent where a generated file stands in for another one.
const DOUBTFUL: &str =
    "a generated file stands in for the old version's, which may be another one: see the caveats";

/// Why nothing is equivalent where the link of an executable does something that is not followed.
const DOUBTFUL_LINK: &str = "the link of an executable does something that is not followed, and what it depends on may differ: see the caveats";

/// A program that shows a difference, as C text; it is given the name of its file.
pub type ExampleFiles = Box<dyn Fn(&str) -> Vec<(String, String)>>;

/// A function as the user names it in each version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub old: String,
    pub new: String,
}

impl Asked {
    /// `NAME`, or `OLD=NEW`.
    pub fn parse(text: &str) -> Asked {
        let (old, new) = text.split_once('=').unwrap_or((text, text));
        Asked {
            old: old.to_owned(),
            new: new.to_owned(),
        }
    }
}

/// Whether code of the program may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    Granted,
    Missing,
}

/// Means and limits.
pub struct EquivOptions<'a> {
    pub budget: Budget<'a>,
    pub limits: Limits,
    pub permission: Permission,
    pub clang: &'a Clang,
    /// What is compiled for all functions is kept there.
    pub cache: Option<&'a Path>,
    /// How many inputs are run.
    pub inputs: usize,
}

/// A function with its verdict, and the text of the C file that repeats a difference.
pub struct Judged {
    pub row: EquivFunction,
    /// Given the name that the file gets.
    pub example: Option<ExampleFiles>,
}

/// The verdicts, and what is to be known beside them.
pub struct Judgement {
    pub functions: Vec<Judged>,
    /// One sentence each.
    pub notes: Vec<String>,
}

/// Judges the functions that are asked for, or all that changed or have no partner.
pub fn equivalence<'c>(
    versions: &mut ReadVersions,
    asked: &[Asked],
    solvers: &mut Solvers<'c>,
    options: &EquivOptions<'c>,
) -> Result<Judgement> {
    for one in asked.iter().filter(|one| one.old != one.new) {
        rename(versions, one)?;
    }
    let mut whole = AllExecutables::default();
    for number in 0..versions.executables.len() {
        let programs = programs(versions, number);
        let models = Models::of(programs, options.budget.limit().until_cancelled())?;
        let analysed = models.versions(programs);
        let change = pair(analysed, &versions.edits);
        let mut one = OneExecutable::new(versions, (analysed, &change), solvers, options);
        whole.note_found(one.choose(asked));
        one.by_terms();
        one.by_quick_questions();
        one.by_runs();
        one.by_all_effort();
        let (rows, notes) = one.settle(asked.is_empty());
        whole.add(rows, versions.is_link_in_doubt(number));
        whole.notes.extend(notes);
    }
    whole.judgement(!versions.doubtful_units.is_empty())
}

/// What is known of all executables together.
#[derive(Default)]
struct AllExecutables {
    /// By file and name.
    judged: BTreeMap<(String, String), Judged>,
    notes: BTreeSet<String>,
    found: BTreeSet<usize>,
    missed: Vec<(usize, EngineError)>,
}

impl AllExecutables {
    /// Which of the functions that are asked for an executable has.
    fn note_found(&mut self, found: Vec<Result<()>>) {
        for (at, result) in found.into_iter().enumerate() {
            match result {
                Ok(()) => {
                    self.found.insert(at);
                }
                Err(error) => self.missed.push((at, error)),
            }
        }
    }

    /// A function of several executables is as bad as in the worst of them.
    fn add(&mut self, rows: Vec<Judged>, is_link_in_doubt: bool) {
        for mut one in rows {
            if is_link_in_doubt {
                one.doubt(DOUBTFUL_LINK);
            }
            let key = (one.row.file.clone(), one.row.name.clone());
            let known = self.judged.get(&key);
            if known.is_none_or(|known| known.row.verdict < one.row.verdict) {
                self.judged.insert(key, one);
            }
        }
    }

    /// What no executable has is an error.
    fn judgement(mut self, has_doubtful_units: bool) -> Result<Judgement> {
        let found = &self.found;
        let mut missed = self.missed.into_iter();
        if let Some((_, error)) = missed.find(|row| !found.contains(&row.0)) {
            return Err(error);
        }
        if has_doubtful_units {
            for one in self.judged.values_mut() {
                one.doubt(DOUBTFUL);
            }
        }
        Ok(Judgement {
            functions: self.judged.into_values().collect(),
            notes: self.notes.into_iter().collect(),
        })
    }
}

/// The old function takes the new name: then both are paired whatever their bodies.
fn rename(versions: &mut ReadVersions, asked: &Asked) -> Result<()> {
    let mut problem = None;
    let mut is_done = false;
    for executable in &mut versions.executables {
        let program = &mut executable.old.program;
        match find_function(program, &asked.old) {
            Ok(function) => {
                let new = asked.new.rsplit(':').next().unwrap_or(&asked.new);
                let taken = program.functions_named(new);
                if taken.iter().any(|id| program.function(*id).body.is_some()) {
                    refuse!(
                        "the old version has a function {new}, too: it cannot be what {} became",
                        asked.old
                    );
                }
                let name = program.names.intern(new);
                program.functions[function.index()].name = name;
                is_done = true;
            }
            Err(error) => problem = Some(error),
        }
    }
    match problem {
        Some(error) if !is_done => Err(error).context("in the old version"),
        _ => Ok(()),
    }
}

/// The pair of a function that was asked for.
fn paired(pairs: &FunctionPairs<'_>, asked: &Asked) -> Result<usize> {
    let new =
        find_function(pairs.versions.new.program, &asked.new).context("in the new version")?;
    if let Some(pair) = pairs.change.pair_of.new[new.index()] {
        return Ok(pair.0 as usize);
    }
    find_function(pairs.versions.old.program, &asked.old).context("in the old version")?;
    Err(EngineError::Refused(format!(
        "{} of the old version is not paired with {} of the new one: -f OLD=NEW names a pair",
        asked.old, asked.new
    )))
}
