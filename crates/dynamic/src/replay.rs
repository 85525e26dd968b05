//! **Question.** Is there an input on which two versions of a function do not do the same?
//!
//! **Rules.** Both versions are compiled by clang and called on the same inputs, thousands in one
//! process each, with undefined behaviour compiled to traps. An input that seems to tell them apart
//! is then run by itself, in fresh processes, compiled with the address and the undefined behaviour
//! sanitizer, each version twice: it is a *witness* if the old version ends without a report, both
//! runs of a version say the same, and the new version says something else or has undefined
//! behaviour.
//!
//! **What the old version must not do.** More is looked for in it than in the new version, since no
//! difference follows from a run without a meaning. These builds are not optimised: what an
//! optimiser removed is no longer seen by a sanitizer. The second run of the old version finds other
//! values in what was not initialised. Pointer arithmetic is watched in the old version only, since
//! compilers take some of what the sanitizer reports (nothing added to a null pointer) for defined.
//! `isdigit` and its like read tables whose length no sanitizer knows: they are called as functions,
//! and what is neither an `unsigned char` nor `EOF` is undefined; in the new version only what lies
//! outside of the tables.
//! What `restrict` parameters of the old version lead to is not shared, and a function that assumes
//! something (`__builtin_assume`) is not run.
//!
//! **What is given.** Arguments, what they lead to, and global variables, but for those that nothing
//! writes in the old version: these hold what the program starts with.
//!
//! **What stands in for functions.** Whatever is unknown is free, so one behaviour of an unknown
//! function is as good as another. A function of the C library does what it does: it runs, or the
//! pair is not run at all.
//!
//! **What is seen.** The result, what is printed, calls of functions that are not part of the program
//! with what they are given, how the program ends if it does, and the fields ([`crate::shapes`])
//! of all objects of the input, of global variables and of what can be reached from there. Addresses
//! are no difference.
//!
//! On which line unedited text stands is no difference either, nor how a renamed function or a moved
//! file is called: where such numbers or names may be used, a witness is also one if `__LINE__`,
//! `__func__` and `__FILE__` are the same everywhere.
//!
//! **Soundness.** A witness was seen. What is not seen (padding, memory of a shape that nobody
//! accesses) can only hide a difference.
//!
//! **Cost.** Two compilations and two links; a witness costs three more of each.

mod building;
mod confirming;
mod missing;
mod modes;
mod positions;
mod told;

use crate::bridge::{
    External, Global, NotCallable, Signature, by_registers, not_to_be_replaced, shared_globals,
    signature, undefined_functions,
};
use crate::child::{Finished, run};
use crate::generation::{Caller, inputs};
use crate::input::{Input, encoded};
use crate::modelled::{Start, inputs_of};
use crate::shapes::{Shapes, shapes};
use confirming::Confirming;
use knockon_build::clang::Clang;
use knockon_build::clang::executable::CompileTextError;
use knockon_build::clang::sanitizers::has_address_sanitizer;
use knockon_build::unit::UnitCommand;
use knockon_change::{FunctionPair, Side, Sides};
use knockon_program::{GlobalId, ParameterAttributes, PlaceId, Program};
pub use missing::Missing;
use modes::Mode;
pub use modes::Sanitizers;
use positions::Positions;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use told::seen;

/// Two versions of a function that can be compiled.
pub struct Subject<'a> {
    pub programs: Sides<&'a Program>,
    pub pair: &'a FunctionPair,
    /// The function's name in each source.
    pub names: Sides<String>,
    /// The unit that holds the function, then the other units that it needs.
    pub units: Sides<Vec<UnitCommand>>,
    /// See [`Change::moved_positions`](knockon_change::Change::moved_positions).
    pub moved_positions: &'a Sides<FxHashMap<(PlaceId, u128), u32>>,
    /// Functions or files of the program are called otherwise, and what they say of their names is
    /// no difference ([`OldNames`](knockon_change::OldNames)).
    pub has_old_names: bool,
    /// Variables of the old version whose value is the first one on every run.
    pub unwritten: &'a FxHashSet<GlobalId>,
}

/// How code is compiled and run.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    pub clang: &'a Clang,
    /// Where the compiled runtime is kept, in a directory that only the user can write to.
    pub cache: Option<&'a Path>,
    /// For one compilation.
    pub compile_limit: Duration,
    /// For one process.
    pub run_limit: Duration,
    pub interrupted: &'a AtomicBool,
}

#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("the function cannot be called by itself: {0}")]
    NotCallable(#[from] NotCallable),
    #[error("the {} version cannot be compiled for running: {error}", side_name(*side))]
    Compile { side: Side, error: CompileTextError },
    #[error(
        "the {} version cannot be linked for running: `{name}`, which the function uses, is defined in no unit that is linked",
        side_name(*side)
    )]
    Undefined { side: Side, name: String },
    #[error("the runtime cannot be compiled: {0}")]
    Runtime(CompileTextError),
    #[error(
        "it uses numbers of lines that moved or names that changed, and with one for all of them {0}"
    )]
    Positions(Box<ReplayError>),
    #[error("the functions cannot be run: {0}")]
    Run(#[from] std::io::Error),
    #[error("the {} version does not run: {message}", side_name(*side))]
    Ended { side: Side, message: String },
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
    }
}

/// An input that was seen to tell the versions apart.
#[derive(Clone, Debug)]
pub struct Witness {
    pub input: Input,
    /// What was seen of each version, one row each.
    pub seen: Sides<Vec<String>>,
}

/// Both versions, compiled.
pub struct Replay<'a> {
    subject: &'a Subject<'a>,
    means: Means<'a>,
    pub shapes: Shapes,
    pub signature: Signature,
    pub globals: Vec<Global>,
    /// Parameters of the old version that are `restrict`.
    unshared_parameters: Vec<usize>,
    directory: tempfile::TempDir,
    plain: Sides<PathBuf>,
    /// What one input is run with, by what is done with texts' own positions.
    sanitized: FxHashMap<Positions, Confirming>,
    /// Numbers of lines, and names of functions and files, may be all that tells the versions apart.
    may_be_positions: bool,
    /// What other functions of the units name and nothing defines.
    pub missing: Sides<Missing>,
    pub sanitizers: Sanitizers,
    /// Limits that the kernel did not grant.
    pub missing_limits: String,
    /// How many of the inputs tried last were run on both versions.
    pub inputs_run: usize,
    /// How many of these say nothing: on them the old version is undefined, does not end in time, or the
    /// function is not entered, as a probe in it says.
    pub inputs_without_meaning: usize,
}

impl<'a> Replay<'a> {
    /// Compiles both versions.
    pub fn new(subject: &'a Subject<'a>, means: Means<'a>) -> Result<Replay<'a>, ReplayError> {
        let functions = subject.pair.functions;
        let signatures = Sides {
            old: signature(subject.programs.old, functions.old)?,
            new: signature(subject.programs.new, functions.new)?,
        };
        let count = signatures.old.parameters.len();
        let is_same = signatures.new.parameters.len() == count
            && signatures.old.returns == signatures.new.returns
            && (0..count).all(|number| {
                let partner = subject.pair.partner_of_parameter(Side::Old, number as u32);
                partner.is_some_and(|partner| {
                    let there = signatures.new.parameters.get(partner as usize);
                    there == Some(&signatures.old.parameters[number])
                })
            });
        if !is_same {
            return Err(NotCallable::Parameters.into());
        }
        let shapes = shapes(subject.programs, functions, &subject.pair.parameters);
        for program in [subject.programs.old, subject.programs.new] {
            if let Some(name) = not_to_be_replaced(program, &shapes) {
                return Err(NotCallable::Calls(name).into());
            }
        }
        let Sides { old, new } = subject.programs;
        let globals = shared_globals(old, new, &shapes, subject.unwritten);
        let parameters = &subject.programs.old.function(functions.old).parameters;
        let unshared_parameters = parameters.iter().enumerate();
        let unshared_parameters = unshared_parameters
            .filter(|(_, row)| row.attributes.has(ParameterAttributes::NO_ALIAS))
            .map(|(number, _)| number)
            .collect();
        let reached = shapes.reached.clone();
        let mut replay = Replay {
            subject,
            means,
            shapes,
            signature: Signature {
                padding: signatures.old.padding | signatures.new.padding,
                ..signatures.old.clone()
            },
            globals,
            unshared_parameters,
            directory: tempfile::Builder::new().prefix("knockon-").tempdir()?,
            plain: Sides::default(),
            sanitized: FxHashMap::default(),
            may_be_positions: positions::may_differ(subject, &reached),
            missing: Sides::default(),
            sanitizers: match has_address_sanitizer(means.clang) {
                true => Sanitizers::Reporting,
                false => Sanitizers::Trapping,
            },
            missing_limits: String::new(),
            inputs_run: 0,
            inputs_without_meaning: 0,
        };
        let positions = replay.positions();
        let as_declared = replay.build(Mode::Trapping, positions);
        if let Err(ReplayError::Compile { .. }) = as_declared {
            // The source may declare a struct where numbers and pointers are passed.
            let old = by_registers(subject.programs.old, functions.old, &replay.signature);
            let new = by_registers(subject.programs.new, functions.new, &signatures.new);
            if let (Some(old), Some(_)) = (old, new) {
                replay.signature = old;
                if let Ok(plain) = replay.build(Mode::Trapping, positions) {
                    replay.plain = plain;
                    return Ok(replay);
                }
            }
        }
        replay.plain = as_declared.map_err(|error| match positions {
            Positions::Told => error,
            Positions::Hidden => ReplayError::Positions(Box::new(error)),
        })?;
        Ok(replay)
    }

    /// Where it may be only a number of a line that differs, inputs are looked for that do so
    /// without.
    fn positions(&self) -> Positions {
        match self.may_be_positions {
            true => Positions::Hidden,
            false => Positions::Told,
        }
    }

    /// Runs so many inputs that are made for the function.
    pub fn search(&mut self, count: usize) -> Result<Option<Witness>, ReplayError> {
        let inputs = self.inputs(count);
        self.try_inputs(&inputs)
    }

    /// Runs what models describe, and so many inputs that are made with their numbers.
    pub fn search_modelled(
        &mut self,
        starts: &[Start],
        count: usize,
    ) -> Result<Option<Witness>, ReplayError> {
        let described =
            |start: &Start| inputs_of(start, &self.shapes, &self.signature, &self.globals);
        // What a model says of a command line need not be one.
        let mut tried: Vec<Input> = match self.caller() {
            Caller::Anyone => starts.iter().flat_map(described).collect(),
            Caller::System => Vec::new(),
        };
        for start in starts {
            self.shapes.numbers.extend(start.parameters.values());
        }
        tried.extend(self.inputs(count));
        self.try_inputs(&tried)
    }

    fn inputs(&self, count: usize) -> Vec<Input> {
        inputs(
            &self.shapes,
            &self.signature,
            &self.globals,
            self.caller(),
            count,
        )
    }

    fn caller(&self) -> Caller {
        match self.subject.names.new.as_str() {
            "main" => Caller::System,
            _ => Caller::Anyone,
        }
    }

    /// The first of the inputs that is a witness.
    pub fn try_inputs(&mut self, inputs: &[Input]) -> Result<Option<Witness>, ReplayError> {
        let globals = self.globals.len() as u32;
        let is_meant = |input: &&Input| input.keeps_apart(&self.unshared_parameters, globals);
        let inputs: Vec<&Input> = inputs.iter().filter(is_meant).collect();
        let cases = self.directory.path().join("cases");
        std::fs::write(&cases, encoded(&inputs))?;
        let old = self.run(&self.plain.old, "digest")?;
        let new = self.run(&self.plain.new, "digest")?;
        let texts = Sides {
            old: String::from_utf8_lossy(&old.output).into_owned(),
            new: String::from_utf8_lossy(&new.output).into_owned(),
        };
        for (side, text, done) in [(Side::Old, &texts.old, &old), (Side::New, &texts.new, &new)] {
            let is_over = done.status.is_some_and(|status| status.success());
            match text
                .lines()
                .next()
                .and_then(|row| row.strip_prefix("limits "))
            {
                Some(missing) if is_over || text.lines().count() > 1 => {
                    self.missing_limits = missing.to_owned();
                }
                _ => {
                    let message = match done.status {
                        Some(status) => status.to_string(),
                        None => "it does not end".to_owned(),
                    };
                    return Err(ReplayError::Ended { side, message });
                }
            }
        }
        let mut suspects: Vec<usize> = Vec::new();
        (self.inputs_run, self.inputs_without_meaning) = (0, 0);
        for (number, (old, new)) in seen(&texts.old).zip(seen(&texts.new)).enumerate() {
            self.inputs_run += 1;
            if !matches!(old.ending, 'r' | 'x' | 'a') {
                self.inputs_without_meaning += 1;
            } else if !matches!(new.ending, 't' | 'n' | 'e') && old != new {
                suspects.push(number);
            }
        }
        // The smallest are the best to read; some may turn out to be nothing.
        let mut suspects: Vec<&Input> = suspects.iter().map(|number| inputs[*number]).collect();
        suspects.sort_by_key(|input| size(input));
        for input in suspects.into_iter().take(MOST_SUSPECTS) {
            let Some(witness) = self.confirm(input, Positions::Told)? else {
                continue;
            };
            if !self.may_be_positions || self.confirm(input, Positions::Hidden)?.is_some() {
                return Ok(Some(witness));
            }
        }
        Ok(None)
    }

    fn run(&self, program: &Path, what: &str) -> Result<Finished, ReplayError> {
        let scratch = self.directory.path().join("scratch");
        std::fs::create_dir_all(&scratch)?;
        let cases = self.directory.path().join("cases");
        let cases = cases.to_string_lossy();
        let means = self.means;
        let limit = means.run_limit;
        Ok(run(
            program,
            &[&cases, what],
            &scratch,
            limit,
            means.interrupted,
        )?)
    }

    /// Functions that are called and that no one defines, in either version.
    pub fn external_functions(&self) -> Vec<External> {
        let mut all: BTreeMap<String, External> = BTreeMap::new();
        for program in [self.subject.programs.new, self.subject.programs.old] {
            for (name, function) in undefined_functions(program, &self.shapes) {
                all.insert(name.clone(), External::of(program, name, function));
            }
        }
        all.into_values().collect()
    }
}

/// So many inputs that seem to tell the versions apart are looked at.
const MOST_SUSPECTS: usize = 6;

/// How much there is to read.
fn size(input: &Input) -> usize {
    let objects = input.objects.iter();
    let objects = objects.map(|object| 8 + object.bytes.len());
    objects.sum::<usize>() + input.standard_input.as_ref().map_or(0, Vec::len)
}
