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
//! **Soundness.** A witness was seen. What is not seen (padding, memory of a shape that nobody
//! accesses) can only hide a difference.
//!
//! **Cost.** Two compilations and two links; a witness costs three more of each.

use crate::bridge::{
    Bridge, Global, NotCallable, Passing, Signature, by_registers, not_to_be_replaced,
    shared_globals, signature, undefined_functions,
};
use crate::child::{Finished, run};
use crate::generation::inputs;
use crate::input::{Input, encoded};
use crate::modelled::{Start, inputs_of};
use crate::shapes::{Shapes, shapes};
use knockon_change::{FunctionPair, Side, Sides};
use knockon_frontend::clang::Clang;
use knockon_frontend::clang::executable::{CompileTextError, compile_object, link_program};
use knockon_frontend::unit::UnitCommand;
use knockon_program::Program;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Two versions of a function that can be compiled.
pub struct Subject<'a> {
    pub programs: Sides<&'a Program>,
    pub pair: &'a FunctionPair,
    /// The function's name in each source.
    pub names: Sides<String>,
    /// The unit that holds the function, then the other units that it needs.
    pub units: Sides<Vec<UnitCommand>>,
    /// What a function of this name does is known, as of those of the C library.
    pub is_described: fn(&str) -> bool,
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
    #[error("the runtime cannot be compiled: {0}")]
    Runtime(CompileTextError),
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
    directory: tempfile::TempDir,
    plain: Sides<PathBuf>,
    sanitized: Option<Confirming>,
    /// Limits that the kernel did not grant.
    pub missing_limits: String,
}

/// What one input is run with.
#[derive(Clone)]
struct Confirming {
    programs: Sides<PathBuf>,
    /// The old version with other values in what is not initialised.
    filled: PathBuf,
}

/// How a build is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Trapping,
    Sanitized,
    /// Sanitized, and variables that are not initialised have a value of their own.
    Filled,
}

const WRAPPED: [&str; 8] = [
    "-Wl,--wrap=malloc",
    "-Wl,--wrap=calloc",
    "-Wl,--wrap=realloc",
    "-Wl,--wrap=free",
    "-Wl,--wrap=strdup",
    "-Wl,--wrap=exit",
    "-Wl,--wrap=_exit",
    "-lm",
];

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Mode::Trapping => "plain",
            Mode::Sanitized => "sanitized",
            Mode::Filled => "filled",
        }
    }

    fn flags(self, side: Side, passing: Passing) -> Vec<&'static str> {
        let mut flags = match self {
            Mode::Trapping => vec![
                "-O1",
                "-g0",
                "-fsanitize=undefined,float-cast-overflow",
                "-fsanitize-trap=undefined,float-cast-overflow",
            ],
            // `__OPTIMIZE__` is defined wherever the unit is read.
            Mode::Sanitized | Mode::Filled => vec![
                "-O0",
                "-D__OPTIMIZE__=1",
                "-g0",
                "-fsanitize=address,undefined,float-cast-overflow",
                "-fno-sanitize-recover=all",
            ],
        };
        flags.push(match (self, side, passing) {
            (Mode::Trapping, ..) | (_, Side::New, _) => "-fno-sanitize=pointer-overflow,function",
            // Called as a function of another type.
            (_, Side::Old, Passing::Registers(_)) => "-fno-sanitize=function",
            (_, Side::Old, Passing::Declared) => "-fsanitize=pointer-overflow",
        });
        if self == Mode::Filled {
            flags.push("-ftrivial-auto-var-init=pattern");
        }
        flags
    }

    fn runtime_flags(self) -> &'static [&'static str] {
        match self {
            Mode::Trapping => &["-O1", "-fno-builtin", "-DKNOCKON_CASE_MICROSECONDS=20000"],
            Mode::Sanitized => &[
                "-O1",
                "-fno-builtin",
                "-DKNOCKON_SANITIZED",
                "-DKNOCKON_CASE_MICROSECONDS=5000000",
            ],
            Mode::Filled => &[
                "-O1",
                "-fno-builtin",
                "-DKNOCKON_SANITIZED",
                "-DKNOCKON_FILL=0x3c",
                "-DKNOCKON_CASE_MICROSECONDS=5000000",
            ],
        }
    }

    fn link_flags(self) -> Vec<&'static str> {
        let mut flags = WRAPPED.to_vec();
        if self != Mode::Trapping {
            flags.push("-fsanitize=address,undefined");
        }
        flags
    }
}

const RUNTIME: &str = include_str!("runtime/runtime.c");

/// One line of a run over many inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Seen<'t> {
    ending: char,
    digest: &'t str,
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
            if let Some(name) = not_to_be_replaced(program, &shapes, subject.is_described) {
                return Err(NotCallable::Calls(name).into());
            }
        }
        let globals = shared_globals(subject.programs.old, subject.programs.new, &shapes);
        let mut replay = Replay {
            subject,
            means,
            shapes,
            signature: signatures.old.clone(),
            globals,
            directory: tempfile::Builder::new().prefix("knockon-").tempdir()?,
            plain: Sides::default(),
            sanitized: None,
            missing_limits: String::new(),
        };
        let as_declared = replay.build(Mode::Trapping);
        if let Err(ReplayError::Compile { .. }) = as_declared {
            // The source may declare a struct where numbers and pointers are passed.
            let old = by_registers(subject.programs.old, functions.old, &replay.signature);
            let new = by_registers(subject.programs.new, functions.new, &signatures.new);
            if let (Some(old), Some(_)) = (old, new) {
                replay.signature = old;
                if let Ok(plain) = replay.build(Mode::Trapping) {
                    replay.plain = plain;
                    return Ok(replay);
                }
            }
        }
        replay.plain = as_declared?;
        Ok(replay)
    }

    /// Runs so many inputs that are made for the function.
    pub fn search(&mut self, count: usize) -> Result<Option<Witness>, ReplayError> {
        let inputs = inputs(&self.shapes, &self.signature, &self.globals, count);
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
        let mut tried: Vec<Input> = starts.iter().flat_map(described).collect();
        for start in starts {
            self.shapes.numbers.extend(start.parameters.values());
        }
        tried.extend(inputs(&self.shapes, &self.signature, &self.globals, count));
        self.try_inputs(&tried)
    }

    /// The first of the inputs that is a witness.
    pub fn try_inputs(&mut self, inputs: &[Input]) -> Result<Option<Witness>, ReplayError> {
        let cases = self.directory.path().join("cases");
        std::fs::write(&cases, encoded(inputs))?;
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
        let suspects = seen(&texts.old)
            .zip(seen(&texts.new))
            .enumerate()
            .filter(|(_, (old, new))| {
                matches!(old.ending, 'r' | 'x' | 'a') && new.ending != 't' && old != new
            })
            .map(|(number, _)| number);
        let suspects: Vec<usize> = suspects.collect();
        // The smallest are the best to read; some may turn out to be nothing.
        let mut suspects: Vec<&Input> = suspects.iter().map(|number| &inputs[*number]).collect();
        suspects.sort_by_key(|input| size(input));
        for input in suspects.into_iter().take(MOST_SUSPECTS) {
            if let Some(witness) = self.confirm(input)? {
                return Ok(Some(witness));
            }
        }
        Ok(None)
    }

    /// Runs one input under the sanitizers.
    fn confirm(&mut self, input: &Input) -> Result<Option<Witness>, ReplayError> {
        let Confirming { programs, filled } = match &self.sanitized {
            Some(made) => made.clone(),
            None => {
                let runtime = self.runtime(Mode::Filled)?;
                let made = Confirming {
                    programs: self.build(Mode::Sanitized)?,
                    filled: self.build_side(Side::Old, Mode::Filled, &runtime)?,
                };
                self.sanitized = Some(made.clone());
                made
            }
        };
        let cases = self.directory.path().join("cases");
        std::fs::write(&cases, encoded(std::slice::from_ref(input)))?;
        let mut told: Vec<Told> = Vec::new();
        for program in [&programs.old, &filled, &programs.new, &programs.new] {
            told.push(told_by(&self.run(program, "show")?));
            // The rest matters only if the old version is defined.
            if !matches!(told[0], Told::Rows(_)) {
                return Ok(None);
            }
        }
        if told[0] != told[1] || told[2] != told[3] || told[0] == told[2] {
            return Ok(None);
        }
        let new = told.swap_remove(2);
        let Told::Rows(old) = told.swap_remove(0) else {
            return Ok(None);
        };
        let new = match new {
            Told::Rows(rows) => rows,
            Told::Report(report) => vec![format!("has undefined behaviour: {report}")],
            Told::Nothing => return Ok(None),
        };
        Ok(Some(Witness {
            input: input.clone(),
            seen: Sides { old, new },
        }))
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

    fn build(&self, mode: Mode) -> Result<Sides<PathBuf>, ReplayError> {
        let runtime = self.runtime(mode)?;
        Ok(Sides {
            old: self.build_side(Side::Old, mode, &runtime)?,
            new: self.build_side(Side::New, mode, &runtime)?,
        })
    }

    /// The compiled runtime, from the cache where it is there.
    fn runtime(&self, mode: Mode) -> Result<PathBuf, ReplayError> {
        let directory = self.directory.path();
        let source = directory.join("runtime.c");
        let made = directory.join(format!("runtime-{}.o", mode.name()));
        let flags = mode.runtime_flags();
        let kept = self.means.cache.map(|cache| {
            let mut key = blake3::Hasher::new();
            let clang = self.means.clang;
            let compiler = clang.path.to_string_lossy();
            for part in [RUNTIME, &clang.version, &compiler, &flags.join(" ")] {
                key.update(part.as_bytes()).update(&[0]);
            }
            cache.join(format!("runtime-{}.o", &key.finalize().to_hex()[..32]))
        });
        if let Some(kept) = kept.as_ref().filter(|kept| kept.is_file()) {
            return Ok(kept.clone());
        }
        std::fs::write(&source, RUNTIME)?;
        self.compile(None, &source, flags, &made)
            .map_err(ReplayError::Runtime)?;
        // What cannot be kept is made again.
        if let (Some(cache), Some(kept)) = (self.means.cache, kept)
            && std::fs::create_dir_all(cache).is_ok()
            && let Ok(file) = tempfile::NamedTempFile::new_in(cache)
            && std::fs::copy(&made, file.path()).is_ok()
        {
            file.persist(kept).ok();
        }
        Ok(made)
    }

    fn build_side(&self, side: Side, mode: Mode, runtime: &Path) -> Result<PathBuf, ReplayError> {
        let failed = |error: CompileTextError| ReplayError::Compile { side, error };
        let directory = self.directory.path();
        let name = format!("{}-{}", side_name(side), mode.name());
        let units = self.subject.units.of(side);
        let mut objects = vec![runtime.to_owned()];
        for (number, unit) in units.iter().enumerate() {
            let source = match number {
                0 => {
                    let bridge = directory.join(format!("{name}.c"));
                    std::fs::write(&bridge, self.bridge_text(side, unit))?;
                    bridge
                }
                _ => unit.source_path(),
            };
            let mut flags = mode.flags(side, self.signature.passing);
            // Where a tree lies is no difference.
            let relative = format!("-fmacro-prefix-map={}/=", unit.root.display());
            flags.push(&relative);
            if number > 0 {
                flags.push("-Dmain=knockon_other_main");
            }
            let object = directory.join(format!("{name}-{number}.o"));
            self.compile(Some(unit), &source, &flags, &object)
                .map_err(failed)?;
            objects.push(object);
        }
        let program = directory.join(&name);
        link_program(
            self.means.clang,
            &objects,
            &mode.link_flags(),
            &program,
            self.means.compile_limit,
            self.means.interrupted,
        )
        .map_err(failed)?;
        Ok(program)
    }

    fn compile(
        &self,
        unit: Option<&UnitCommand>,
        source: &Path,
        flags: &[&str],
        output: &Path,
    ) -> Result<(), CompileTextError> {
        compile_object(
            self.means.clang,
            unit,
            source,
            flags,
            output,
            self.means.compile_limit,
            self.means.interrupted,
        )
    }

    fn bridge_text(&self, side: Side, unit: &UnitCommand) -> String {
        let pair = self.subject.pair;
        let count = self.signature.parameters.len() as u32;
        let arguments: Vec<u32> = (0..count)
            .map(|own| match side {
                Side::Old => own,
                Side::New => pair.partner_of_parameter(Side::New, own).unwrap_or(own),
            })
            .collect();
        // A parameter has the type of its partner.
        let parameters = arguments
            .iter()
            .map(|old| self.signature.parameters[*old as usize]);
        let signature = Signature {
            parameters: parameters.collect(),
            ..self.signature.clone()
        };
        Bridge {
            program: self.subject.programs.of(side),
            name: self.subject.names.of(side),
            source: &unit.source_path(),
            shapes: &self.shapes,
            signature: &signature,
            globals: &self.globals,
            arguments: &arguments,
        }
        .text()
    }

    /// Functions that are called and that no one defines, in either version.
    pub fn external_functions(&self) -> Vec<String> {
        let of = |program: &Program| -> Vec<String> {
            let found = undefined_functions(program, &self.shapes).into_iter();
            found.map(|row| row.0).collect()
        };
        let mut all = of(self.subject.programs.old);
        all.extend(of(self.subject.programs.new));
        all.sort();
        all.dedup();
        all
    }
}

/// So many inputs that seem to tell the versions apart are looked at.
const MOST_SUSPECTS: usize = 6;

/// How much there is to read.
fn size(input: &Input) -> usize {
    let objects = input.objects.iter();
    objects.map(|object| 8 + object.bytes.len()).sum()
}

fn seen(text: &str) -> impl Iterator<Item = Seen<'_>> {
    text.lines().skip(1).filter_map(|row| {
        let (ending, digest) = row.split_once(' ')?;
        Some(Seen {
            ending: ending.chars().next()?,
            digest,
        })
    })
}

/// What a run under the sanitizers says.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    Rows(Vec<String>),
    /// Undefined behaviour.
    Report(String),
    Nothing,
}

fn told_by(done: &Finished) -> Told {
    let output = String::from_utf8_lossy(&done.output);
    let mut rows = output.lines().skip(1);
    let ending = rows.next().unwrap_or_default();
    let is_over = done.status.is_some_and(|status| status.success());
    if is_over && matches!(ending, "r" | "x" | "a") {
        return Told::Rows(rows.map(str::to_owned).collect());
    }
    let messages = String::from_utf8_lossy(&done.messages);
    let report = messages.lines().find_map(|row| {
        let at = row
            .find("runtime error: ")
            .map(|at| &row[at + "runtime error: ".len()..]);
        let at = at.or_else(|| {
            let at = row.find("AddressSanitizer: ")?;
            // Without the address.
            let rest = &row[at + "AddressSanitizer: ".len()..];
            Some(rest.split(" on ").next().unwrap_or(rest))
        });
        at.or_else(|| row.starts_with("free of what").then_some(row))
    });
    // What a run may use up is no matter of its meaning.
    let is_exhausted = |report: &str| EXHAUSTED.iter().any(|kind| report.contains(kind));
    match report.filter(|report| !done.is_late && !is_exhausted(report)) {
        Some(report) => Told::Report(without_addresses(report)),
        None => Told::Nothing,
    }
}

/// Reports of the address sanitizer about what is used up.
const EXHAUSTED: [&str; 4] = [
    "stack-overflow",
    "out-of-memory",
    "allocation-size-too-big",
    "out of memory",
];

/// Two runs have other addresses.
fn without_addresses(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.strip_prefix("0x") {
        Some(digits) if digits.len() >= 10 => "…",
        _ => word,
    });
    words.collect::<Vec<&str>>().join(" ")
}
