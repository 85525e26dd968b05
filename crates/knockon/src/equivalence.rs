//! From two versions to a verdict for each function, cheapest first.
//!
//! A pair whose terms are the same is `equivalent`. Another one is shown to a solver for a moment.
//! What is left is run on inputs made for it ([`knockon_dynamic::replay`]), and is `different` only
//! if a run of both versions showed so; and what is left then is the solver's with all effort, and Horn
//! clauses propose what loops keep ([`knockon_logic::horn`]). Where
//! that finds no proof but models of the contrary, both versions are run on what the models describe.
//! Running a function runs code of the program: [`Permission`] says whether that is allowed.

mod asking;
mod reached;
mod running;
mod unpaired;

use crate::budget::Budget;
use crate::comparison::{Models, programs};
use crate::named_function::find_function;
use crate::versions::ReadVersions;
use anyhow::{Context as _, Result, anyhow, bail};
use asking::{Asking, Found, Pains, latest};
use knockon_build::clang::Clang;
use knockon_change::{Side, pair};
use knockon_logic::solver::{Limits, Solvers};
use knockon_logic::terms::{TermId, Terms};
use knockon_program::{Function, Linkage, Type};
use knockon_proof::fixed_values::{OtherStart, other_starts};
use knockon_proof::function_pairs::{FunctionPairs, Status};
use knockon_proof::product::Compared;
use knockon_report::{EquivFunction, EquivVerdict};
use reached::{Reached, named, reached, repeating};
use running::{run, source_name};
use rustc_hash::FxHashSet;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use unpaired::{unpaired, version_name};

/// The effort of a question before anything is run,
const QUICK_EFFORT: u64 = 200_000;
/// and so many questions may remain open then.
const MOST_UNANSWERED: usize = 6;

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
    pub budget: Budget,
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
pub fn equivalence(
    versions: &mut ReadVersions,
    asked: &[Asked],
    solvers: &mut Solvers<'static>,
    options: &EquivOptions<'_>,
) -> Result<Judgement> {
    for one in asked.iter().filter(|one| one.old != one.new) {
        rename(versions, one)?;
    }
    let mut judged: BTreeMap<(String, String), Judged> = BTreeMap::new();
    let mut missed: Vec<(usize, anyhow::Error)> = Vec::new();
    let mut found: FxHashSet<usize> = FxHashSet::default();
    let is_complete = versions.account.complete();
    let mut notes: BTreeSet<String> = BTreeSet::new();
    for number in 0..versions.executables.len() {
        let programs = programs(versions, number);
        let models = Models::of(programs, options.budget.limit().until_cancelled())?;
        let analysed = models.versions(programs);
        let change = pair(analysed, &versions.edits);
        let mut pairs = FunctionPairs::new(analysed, &change, Compared::Functions);
        let mut wanted: Vec<usize> = Vec::new();
        for (at, one) in asked.iter().enumerate() {
            match paired(&pairs, one) {
                Ok(pair) => {
                    found.insert(at);
                    wanted.push(pair);
                }
                Err(error) => missed.push((at, error)),
            }
        }
        if asked.is_empty() {
            wanted = pairs.changed();
        }
        let needed = reached(&pairs, &wanted).pairs;
        let budget = options.budget;
        let current = Cell::new(0);
        let is_needed = |pair: usize| {
            current.set(pair);
            needed.contains(&pair) && budget.check().is_ok()
        };
        pairs.limit = budget.limit();
        solvers.set_limit(budget.limit());
        pairs.wants_values = false;
        pairs.infer(is_needed, &mut |_: &Terms, _: &[TermId]| false);
        let is_shown = |pairs: &FunctionPairs<'_>| {
            wanted
                .iter()
                .all(|pair| pairs.statuses[*pair].is_equivalent())
        };
        // What the solver found instead of proofs is given back.
        let mut infer = |pairs: &mut FunctionPairs<'_>, pains: Pains| {
            let mut asking = Asking {
                solvers,
                pains,
                budget,
                pair: &current,
                unanswered: 0,
                found: Found::default(),
            };
            pairs.forget();
            pairs.infer(is_needed, &mut asking);
            asking.found
        };
        if !is_shown(&pairs) {
            let quick = Limits {
                effort: options.limits.effort.min(QUICK_EFFORT),
                ..options.limits
            };
            let pains = Pains {
                limits: quick,
                most_unanswered: MOST_UNANSWERED,
                wants_proposals: false,
            };
            infer(&mut pairs, pains);
        }
        let mut rows: Vec<Judged> = Vec::new();
        for pair in &wanted {
            let mut one = Judged::new(&pairs, *pair);
            if matches!(pairs.statuses[*pair], Status::Unknown(_)) {
                one.example = run(versions, &pairs, *pair, &[], options, &mut one.row);
            }
            rows.push(one);
        }
        let is_open = |row: &Judged, pairs: &FunctionPairs<'_>, pair: usize| {
            row.row.verdict != EquivVerdict::Different && !pairs.statuses[pair].is_equivalent()
        };
        let mut given_up: FxHashSet<usize> = FxHashSet::default();
        let open = wanted.iter().zip(&rows);
        if open.clone().any(|(pair, row)| is_open(row, &pairs, *pair)) {
            let pains = Pains {
                limits: options.limits,
                most_unanswered: usize::MAX,
                wants_proposals: true,
            };
            let found = infer(&mut pairs, pains);
            given_up = found.given_up;
            let starts = latest(found.starts);
            let may_run = options.permission == Permission::Granted && !starts.is_empty();
            for (pair, one) in wanted.iter().zip(&mut rows) {
                if may_run && is_open(one, &pairs, *pair) {
                    one.example = run(versions, &pairs, *pair, &starts, options, &mut one.row);
                }
            }
        }
        let repeating = repeating(analysed);
        let other_starts = other_starts(analysed, &change);
        for (pair, one) in wanted.iter().zip(&mut rows) {
            if one.row.verdict == EquivVerdict::Different {
                continue;
            }
            let reached = reached(&pairs, &[*pair]);
            one.settle(&Settling {
                status: &pairs.statuses[*pair],
                is_called_alike: is_called_alike(&pairs, *pair),
                may_not_end: reached.meets(&repeating),
                is_given_up: reached.pairs.iter().any(|pair| given_up.contains(pair)),
                starts: starts_seen(&reached, &other_starts),
                options,
            });
        }
        if asked.is_empty() {
            let unpaired = unpaired(&pairs, is_complete);
            rows.extend(unpaired.rows);
            for side in Side::BOTH {
                let names = unpaired.internal.of(side).iter();
                let version = version_name(side);
                notes.extend(names.map(|name| {
                    format!("only the {version} version has `{name}`, which is static")
                }));
            }
            let all: Vec<&OtherStart> = other_starts.iter().collect();
            if !all.is_empty() {
                notes.insert(format!(
                    "functions are compared given the same values of variables, and these start with another one: {}",
                    named(&all)
                ));
            }
        }
        let is_link_in_doubt = versions.is_link_in_doubt(number);
        for mut one in rows {
            if is_link_in_doubt {
                one.doubt(DOUBTFUL_LINK);
            }
            let key = (one.row.file.clone(), one.row.name.clone());
            // A function of several executables is as bad as in the worst of them.
            let worse = judged
                .get(&key)
                .is_none_or(|known| known.row.verdict < one.row.verdict);
            if worse {
                judged.insert(key, one);
            }
        }
    }
    if let Some((_, error)) = missed.into_iter().find(|row| !found.contains(&row.0)) {
        return Err(error);
    }
    if !versions.doubtful_units.is_empty() {
        for one in judged.values_mut() {
            one.doubt(DOUBTFUL);
        }
    }
    Ok(Judgement {
        functions: judged.into_values().collect(),
        notes: notes.into_iter().collect(),
    })
}

/// Variables that the functions name and that start with another value.
fn starts_seen<'a>(reached: &Reached, starts: &'a [OtherStart]) -> Vec<&'a OtherStart> {
    let starts = starts.iter();
    starts
        .filter(|start| reached.meets(&start.naming))
        .collect()
}

/// What is known of a function that no run told apart.
struct Settling<'a> {
    status: &'a Status,
    is_called_alike: bool,
    /// There are loops or recursion, of which it is assumed that they end.
    may_not_end: bool,
    /// A solver had no answer to some question.
    is_given_up: bool,
    starts: Vec<&'a OtherStart>,
    options: &'a EquivOptions<'a>,
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
                    bail!(
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
        Some(error) if !is_done => Err(error.context("in the old version")),
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
    Err(anyhow!(
        "{} of the old version is not paired with {} of the new one: -f OLD=NEW names a pair",
        asked.old,
        asked.new
    ))
}

/// Who calls the one can call the other: all that a caller must know is the same; or, of a function
/// whose callers are all here, how it returns its result.
fn is_called_alike(pairs: &FunctionPairs<'_>, number: usize) -> bool {
    let pair = &pairs.change.pairs[number];
    let of = |side: Side| {
        let program = pairs.versions.of(side).program;
        let function = program.function(*pair.functions.of(side));
        let result = match program.type_of(function.type_id) {
            Type::Function { result, .. } => Some(program.type_of(*result)),
            _ => None,
        };
        (function, result)
    };
    let ((old, old_result), (new, new_result)) = (of(Side::Old), of(Side::New));
    let is_internal =
        |function: &Function| matches!(function.linkage, Linkage::Internal | Linkage::Private);
    // Types that name others have another number in each program.
    let is_plain = matches!(
        old_result,
        Some(Type::Void | Type::Integer(_) | Type::Pointer(_))
    ) || old_result.is_some_and(Type::is_floating_point);
    pair.same_interface
        || is_internal(old)
            && is_internal(new)
            && is_plain
            && old_result == new_result
            && old.attributes == new.attributes
}

impl Judged {
    /// Nothing is known yet.
    fn new(pairs: &FunctionPairs<'_>, number: usize) -> Judged {
        let pair = &pairs.change.pairs[number];
        let (old, new) = (pairs.versions.old.program, pairs.versions.new.program);
        let name = source_name(new, pair.functions.new);
        let old_name = source_name(old, pair.functions.old);
        let place = new.place(new.function(pair.functions.new).place);
        let mut row = EquivFunction {
            old_name: (old_name != name).then_some(old_name),
            name,
            verdict: EquivVerdict::Unknown,
            ..EquivFunction::default()
        };
        if place.is_known() {
            row.file = new.file_path(place.file).to_owned();
            row.line = place.line;
        }
        Judged { row, example: None }
    }

    /// What the proof rests on may be otherwise.
    fn doubt(&mut self, reason: &str) {
        if self.row.verdict == EquivVerdict::Equivalent {
            self.row.verdict = EquivVerdict::Unknown;
            self.row.reasons.push(reason.to_owned());
        }
    }

    /// What the proof says of a function that no run told apart.
    fn settle(&mut self, known: &Settling<'_>) {
        let row = &mut self.row;
        match known.status {
            Status::Same | Status::Equivalent if !known.is_called_alike => {
                let reason = "given the same values it does the same, but callers pass its parameters or get its result in another way";
                row.reasons.insert(0, reason.to_owned());
            }
            Status::Same => {
                row.verdict = EquivVerdict::Equivalent;
                let reason = "the same code over functions that do the same";
                row.reasons = vec![reason.to_owned()];
            }
            Status::Equivalent => {
                row.verdict = EquivVerdict::Equivalent;
                let reason = match known.may_not_end {
                    false => {
                        "proved: what it returns, writes and does to the world, whether it returns, and that its behaviour is defined where that of the old version is"
                    }
                    true => {
                        "proved: what it returns, writes and does to the world, and that its behaviour is defined where that of the old version is; that its loops and recursion end in one version if they do in the other is assumed"
                    }
                };
                row.reasons = vec![reason.to_owned()];
            }
            Status::Unknown(reason) => row.reasons.insert(0, reason.clone()),
            Status::NotCompared => row.reasons.insert(0, "not compared".to_owned()),
        }
        if row.verdict == EquivVerdict::Equivalent && !known.starts.is_empty() {
            row.reasons.push(format!(
                "given the same values of variables, and these start with another one: {}",
                named(&known.starts)
            ));
        }
        if row.verdict == EquivVerdict::Unknown {
            match known.options.budget.check() {
                Err(stop) => row.reasons.push(stop.to_string()),
                Ok(()) if known.is_given_up => row.reasons.push(format!(
                    "the solver gave up on a question, with an effort of {}: a larger --effort may decide it",
                    known.options.limits.effort
                )),
                Ok(()) => {}
            }
        }
    }
}
