//! `knockon-trials`: prints random programs, holds the interpreter to clang's word on them and the
//! analyses to the interpreter's.

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand, ValueEnum};
use knockon_trials::against_clang::agreement::Agreement;
use knockon_trials::against_clang::interpreted::Interpreter;
use knockon_trials::against_clang::{HarnessError, Input};
use knockon_trials::differencing::claims::KNOCKON;
use knockon_trials::differencing::soak as differencing;
use knockon_trials::differencing::subject as pair_subject;
use knockon_trials::edits::PairProgram;
use knockon_trials::equivalence::bad_solver::{BadSolver, misbehave};
use knockon_trials::equivalence::soak as equivalence;
use knockon_trials::equivalence::subject::pair_of;
use knockon_trials::generator::{Shape, Undefined, generate};
use knockon_trials::layouts::soak as layouts;
use knockon_trials::progress_line::ProgressLine;
use knockon_trials::random::Random;
use knockon_trials::results_document::replace_section;
use knockon_trials::soak::generator_check::check_generator;
use knockon_trials::soak::laws::{self, Outcome};
use knockon_trials::soak::{Bench, Request, Summary, soak};
use knockon_trials::soundness::soak as soundness;
use knockon_trials::soundness::subject::examine;
use knockon_trials::unseen::pair::Kind;
use knockon_trials::unseen::soak as unseen;
use knockon_trials::unseen::trees::Knockon;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

#[derive(Parser)]
#[command(about = "Random programs that hold Knockon to its promises", version)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Print the program of a seed.
    Generate {
        seed: u64,
        #[arg(long, value_enum, default_value = "medium")]
        size: Size,
        /// Plant undefined behaviour of this kind, such as `UseAfterFree`.
        #[arg(long)]
        undefined: Option<String>,
    },
    /// Compare the interpreter with clang on one C file.
    Compare {
        file: PathBuf,
        arguments: Vec<String>,
        #[arg(long)]
        stdin: Option<PathBuf>,
        /// Flags for every compilation, such as `-I` directories.
        #[arg(long)]
        flag: Vec<String>,
    },
    /// Hold the analyses to a run of one C file.
    Laws {
        file: PathBuf,
        arguments: Vec<String>,
        #[arg(long)]
        stdin: Option<PathBuf>,
        /// Flags for the compilation, such as `-I` directories.
        #[arg(long)]
        flag: Vec<String>,
    },
    /// Hold the claims about two versions of one C file to runs of both.
    Pair {
        old: PathBuf,
        new: PathBuf,
        arguments: Vec<String>,
        #[arg(long)]
        stdin: Option<PathBuf>,
        /// Flags for the compilation, such as `-I` directories.
        #[arg(long)]
        flag: Vec<String>,
    },
    /// Print both versions of a pair of functions of `soak equivalence`.
    Functions { seed: u64, index: usize },
    /// Speak SMT-LIB and not keep to it.
    #[command(hide = true)]
    Misbehave,
    /// The command that `soak unseen` and `soak layouts` hold to their laws.
    #[command(hide = true)]
    Knockon {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Run many fresh programs.
    Soak {
        #[command(subcommand)]
        subject: Subject,
    },
}

#[derive(Subcommand)]
enum Subject {
    /// The interpreter against clang's builds, plain and sanitized; half of our own programs have
    /// planted undefined behaviour. Without counts 5000 programs and 500 of csmith.
    Interpreter(SoakArguments),
    /// The analyses against runs: call graph, execute-after, points-to. Without counts 5000
    /// programs and 500 of csmith.
    Soundness(SoakArguments),
    /// What is said of two versions against runs of both. Without counts 10000 pairs and 200
    /// programs of csmith.
    Diff(SoakArguments),
    /// Verdicts of `knockon equiv` on pairs of functions against runs of both. Without counts 2000
    /// pairs.
    Equivalence {
        #[command(flatten)]
        soak: SoakArguments,
        /// Put a solver beside the others that lies, crashes, hangs or eats memory at random.
        #[arg(long)]
        bad_solver: bool,
    },
    /// Programs that are split over units, archives, assembly, prebuilt objects and plug-ins: what is
    /// said of two versions against what they print. Without counts 1000 pairs. With 1000 or more
    /// also writes docs/results.md.
    Unseen {
        #[command(flatten)]
        soak: SoakArguments,
        /// Edit no files of this kind.
        #[arg(long, value_enum)]
        without: Vec<Kind>,
    },
    /// Programs in random directories, built by random scripts: nothing is reported of equal trees, and
    /// an edit is seen. Without counts 500 programs.
    Layouts(SoakArguments),
    /// The generator's own promises: no undefined behaviour, one output for every compiler.
    Generator {
        #[arg(long, default_value_t = 300)]
        programs: usize,
        #[arg(long)]
        seed: Option<u64>,
        #[arg(long, default_value_t = 2)]
        threads: usize,
    },
}

#[derive(Args)]
struct SoakArguments {
    /// Programs, or pairs of versions, of our own generator.
    #[arg(long, visible_alias = "pairs")]
    programs: Option<usize>,
    /// Programs of csmith; where versions are compared, edited as text.
    #[arg(long)]
    csmith: Option<usize>,
    /// A new one is taken, and printed, if none is given.
    #[arg(long)]
    seed: Option<u64>,
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Where failing ones are written.
    #[arg(long, visible_alias = "keep", default_value = "trial-failures")]
    failures: PathBuf,
    /// How many failing ones are made smaller.
    #[arg(long, default_value_t = 5)]
    reductions: usize,
    /// Candidates tried when a failing one is made smaller.
    #[arg(long, default_value_t = 400)]
    reduction_tries: usize,
}

impl SoakArguments {
    /// The request, with these counts where none are given.
    fn request(self, programs: usize, csmith: usize) -> Request {
        Request {
            programs: self.programs.unwrap_or(programs),
            csmith: self.csmith.unwrap_or(csmith),
            seed: self.seed.unwrap_or_else(fresh_seed),
            threads: self.threads,
            failures: self.failures,
            reductions: self.reductions,
            reduction_tries: self.reduction_tries,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Size {
    Small,
    Medium,
    Large,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let mut out = std::io::stdout();
    match arguments.command {
        Task::Generate {
            seed,
            size,
            undefined,
        } => {
            let shape = match size {
                Size::Small => Shape::small(),
                Size::Medium => Shape::medium(),
                Size::Large => Shape::large(),
            };
            let kind = undefined.map(|name| kind_named(&name)).transpose()?;
            let trial = generate(seed, &shape.with_undefined(kind));
            out.write_all(trial.source().as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        Task::Compare {
            file,
            arguments: given,
            stdin,
            flag,
        } => {
            let stdin = content(stdin)?;
            let scratch = tempfile::tempdir()?;
            let copy = scratch.path().join("program.c");
            std::fs::copy(&file, &copy).with_context(|| file.display().to_string())?;
            let input = Input {
                arguments: given,
                stdin,
            };
            let examined = Bench::find()?.examine_file(&copy, &input, &flag, true)?;
            writeln!(out, "clang: {:?}", examined.native.plain.ending)?;
            writeln!(out, "sanitized: {:?}", examined.native.sanitized.undefined)?;
            let memory = examined.native.memory.map(|memory| memory.undefined);
            writeln!(out, "memory sanitizer: {memory:?}")?;
            writeln!(out, "interpreter: {:?}", examined.interpreted.meaning)?;
            writeln!(out, "{:?}", examined.agreement)?;
            let different = matches!(examined.agreement, Agreement::Different(_));
            Ok(ExitCode::from(u8::from(different)))
        }
        Task::Laws {
            file,
            arguments: given,
            stdin,
            flag,
        } => {
            let input = Input {
                arguments: given,
                stdin: content(stdin)?,
            };
            let file = (file.canonicalize()).with_context(|| file.display().to_string())?;
            let interpreter = patient(&Bench::find()?, soundness::STEP_LIMIT);
            tell(examine(&interpreter, &file, &input, &flag)?)
        }
        Task::Soak {
            subject:
                Subject::Generator {
                    programs,
                    seed,
                    threads,
                },
        } => {
            let seed = seed.unwrap_or_else(fresh_seed);
            writeln!(out, "seed {seed}")?;
            let start = Instant::now();
            let breaches = check_generator(&Bench::find()?.toolchain, seed, programs, threads)?;
            for (seed, how) in &breaches {
                writeln!(out, "program {seed}: {how}")?;
            }
            let seconds = start.elapsed().as_secs_f64();
            writeln!(
                out,
                "{programs} programs, {} breaches, {seconds:.1} s",
                breaches.len()
            )?;
            Ok(ExitCode::from(u8::from(!breaches.is_empty())))
        }
        Task::Pair {
            old,
            new,
            arguments,
            stdin,
            flag,
        } => {
            let text = |path: &PathBuf| {
                std::fs::read_to_string(path).with_context(|| path.display().to_string())
            };
            let pair = PairProgram {
                old: text(&old)?,
                new: text(&new)?,
                inputs: vec![Input {
                    arguments,
                    stdin: content(stdin)?,
                }],
                edits: vec!["given".to_string()],
            };
            let interpreter = patient(&Bench::find()?, differencing::STEP_LIMIT);
            let scratch = tempfile::tempdir()?;
            let outcome =
                pair_subject::examine(&interpreter, KNOCKON, &pair, &flag, scratch.path())?;
            tell(outcome)
        }
        Task::Functions { seed, index } => {
            let pair = pair_of(seed, index);
            writeln!(
                out,
                "{}\n// {:?}\n\n{}",
                pair.old.text, pair.change, pair.new.text
            )?;
            Ok(ExitCode::SUCCESS)
        }
        Task::Misbehave => {
            misbehave()?;
            Ok(ExitCode::SUCCESS)
        }
        Task::Soak {
            subject: Subject::Equivalence { soak, bad_solver },
        } => {
            let bad = match bad_solver {
                true => Some(BadSolver::new(&std::env::current_exe()?)?),
                false => None,
            };
            hold_to_laws(&soak.request(2000, 0), |request, interrupted, progress| {
                equivalence::soak(request, bad.as_ref(), interrupted, progress)
            })
        }
        Task::Soak {
            subject: Subject::Interpreter(soak),
        } => soak_interpreter(&Bench::find()?, &soak.request(5000, 500)),
        Task::Soak {
            subject: Subject::Soundness(soak),
        } => {
            let interpreter = patient(&Bench::find()?, soundness::STEP_LIMIT);
            hold_to_laws(
                &soak.request(5000, 500),
                |request, interrupted, progress| {
                    soundness::soak(&interpreter, request, interrupted, progress)
                },
            )
        }
        Task::Knockon { arguments } => {
            let name = "knockon".to_owned();
            let arguments = std::iter::once(name).chain(arguments);
            let arguments = knockon::arguments::Arguments::try_parse_from(arguments)?;
            let outcome = knockon::commands::run(arguments)?;
            out.write_all(outcome.text.as_bytes())?;
            Ok(ExitCode::from(outcome.code))
        }
        Task::Soak {
            subject: Subject::Unseen { soak, without },
        } => soak_unseen(&soak.request(1000, 0), &without),
        Task::Soak {
            subject: Subject::Layouts(soak),
        } => {
            let knockon = own_command()?;
            hold_to_laws(&soak.request(500, 0), |request, interrupted, progress| {
                layouts::soak(&knockon, request, interrupted, progress)
            })
        }
        Task::Soak {
            subject: Subject::Diff(soak),
        } => {
            let interpreter = patient(&Bench::find()?, differencing::STEP_LIMIT);
            hold_to_laws(
                &soak.request(10_000, 200),
                |request, interrupted, progress| {
                    differencing::soak(&interpreter, KNOCKON, request, interrupted, progress)
                },
            )
        }
    }
}

/// What one subject breaks.
fn tell<L: Copy + Ord + Display>(outcome: Outcome<L>) -> Result<ExitCode> {
    let mut out = std::io::stdout();
    let mut summary = laws::Summary::default();
    summary.add(outcome);
    for violation in &summary.findings.violations {
        writeln!(out, "{violation}")?;
    }
    write!(out, "{summary}")?;
    Ok(ExitCode::from(u8::from(summary.failing > 0)))
}

fn soak_interpreter(bench: &Bench, request: &Request) -> Result<ExitCode> {
    writeln!(std::io::stdout(), "seed {}", request.seed)?;
    let interrupted = interruption()?;
    let line = ProgressLine::begin();
    let total = request.programs + request.csmith;
    let progress = |summary: &Summary| {
        line.show(|| {
            let (done, different) = (summary.programs(), summary.different());
            format!("{done} of {total} programs, {different} different")
        });
    };
    let summary = soak(bench, request, &interrupted, &progress)?;
    let failing = summary.different();
    conclude(&line, &summary, failing, request.seed, &request.failures)
}

/// A soak that holds subjects to laws, with its progress and its end.
fn hold_to_laws<L: Copy + Ord + Display>(
    request: &Request,
    soak: impl FnOnce(
        &Request,
        &AtomicBool,
        &(dyn Fn(&laws::Summary<L>) + Sync),
    ) -> Result<laws::Summary<L>, HarnessError>,
) -> Result<ExitCode> {
    writeln!(std::io::stdout(), "seed {}", request.seed)?;
    let interrupted = interruption()?;
    let line = ProgressLine::begin();
    let total = request.programs + request.csmith;
    let progress = |summary: &laws::Summary<L>| {
        line.show(|| {
            let (done, failing) = (summary.subjects, summary.failing);
            format!("{done} of {total}, {failing} break a law")
        });
    };
    let summary = soak(request, &interrupted, &progress)?;
    let failing = summary.failing;
    conclude(&line, &summary, failing, request.seed, &request.failures)
}

/// Fewer pairs are a try, and make no table.
const PAIRS_OF_A_TABLE: usize = 1000;

/// This program, as the command that is asked.
fn own_command() -> Result<Knockon> {
    Ok(Knockon {
        program: std::env::current_exe()?,
        arguments: vec!["knockon".to_owned()],
    })
}

fn soak_unseen(request: &Request, without: &[Kind]) -> Result<ExitCode> {
    let knockon = own_command()?;
    let mut table = None;
    let code = hold_to_laws(request, |request, interrupted, progress| {
        let soaked = unseen::soak(&knockon, without, request, interrupted, progress)?;
        table = Some(soaked.table);
        Ok(soaked.summary)
    })?;
    if let Some(table) = table {
        let text = table.text(request.programs, request.seed, without);
        std::io::stdout().write_all(text.as_bytes())?;
        if request.programs >= PAIRS_OF_A_TABLE {
            replace_section(Path::new("docs/results.md"), "unseen", &text)?;
        }
    }
    Ok(code)
}

/// Set by Ctrl-C: a soak then ends with what it has.
fn interruption() -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))?;
    Ok(interrupted)
}

/// Prints what a soak found.
fn conclude(
    line: &ProgressLine,
    summary: &impl std::fmt::Display,
    failing: usize,
    seed: u64,
    failures: &Path,
) -> Result<ExitCode> {
    line.end();
    let mut out = std::io::stdout();
    write!(out, "{summary}")?;
    writeln!(out, "\n{:.1} s in all, seed {seed}", line.seconds())?;
    if failing > 0 {
        writeln!(out, "failing programs are in {}", failures.display())?;
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// The interpreter with the patience that watched runs ask for.
fn patient(bench: &Bench, step_limit: u64) -> Interpreter {
    Interpreter {
        step_limit,
        ..bench.interpreter.clone()
    }
}

/// What a program reads from its standard input.
fn content(file: Option<PathBuf>) -> Result<Vec<u8>> {
    match file {
        Some(path) => std::fs::read(&path).with_context(|| path.display().to_string()),
        None => Ok(Vec::new()),
    }
}

fn kind_named(name: &str) -> Result<Undefined> {
    let named = |kind: &Undefined| format!("{kind:?}").eq_ignore_ascii_case(name);
    Undefined::ALL
        .into_iter()
        .find(named)
        .with_context(|| format!("no such kind `{name}`; there are {:?}", Undefined::ALL))
}

/// A seed that no earlier soak had.
fn fresh_seed() -> u64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Random::new(now.as_nanos() as u64 ^ u64::from(std::process::id())).bits() >> 16
}
