//! **Question.** Can these terms be true together, and if so, how?
//!
//! **Source.** DESIGN.md §6: solvers are programs of their own, kept running, limited in memory and
//! time, killed at the deadline, started again after a crash.
//!
//! **Rules.** No single solver is believed.
//!
//! - [`Answer::Satisfiable`] carries a model under which the assertions evaluate to true and the
//!   objects are apart; whatever the solver said, that is checked here.
//! - [`Answer::Unsatisfiable`] was said by two programs, and by none the contrary. Where only one
//!   program is of any use, a second process of it had to repeat the answer in another
//!   configuration: other seeds, and z3 by its SAT solver over single bits, or by its plain core, in
//!   place of the tactic for the logic. A program is of use if it passed a trial, or had no time to
//!   say anything to it: that it gives up is then no reason to believe another one alone.
//! - Each process was tried with questions whose answer is known before it is asked ([`trial`]).
//! - Everything else, a crash, a deadline, an error message, an answer that is none, a model that
//!   does not hold, a disagreement, is [`Answer::Unknown`] with the reason.
//!
//! **Determinism.** Effort is counted by the solver (`rlimit`), and a query starts from `(reset)`,
//! so that what was asked before does not show; seconds are only a net below. The exception is
//! cvc5, which does not count the work of its SAT solver: there the net may catch first.
//!
//! **Cost.** An unsatisfiable query is asked twice, any other mostly once. A query that was found
//! unsatisfiable with no more effort before is not asked again, nor is one that nothing was found of
//! where no model is wanted; see [`decisions`]. One that is so large that reading it takes all the
//! effort is not asked at all: a solver counts its effort only between the steps of its preparations,
//! and would take a second or more to give up.

mod decisions;
mod horn;
mod model;
mod process;
mod program;
mod slices;
mod trial;

pub use decisions::Decision;
pub use model::Model;
pub use program::{ProgramError, SolverKind, SolverProgram, installed_solvers};

use crate::smt_lib::Query;
use crate::smt_lib::values::read_values;
use crate::terms::{Sort, TermId, Terms};
use decisions::{Decisions, Key};
use knockon_program::TimeLimit;
use process::{Process, ProcessError};
use program::Configuration;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use trial::{Trial, trial};

/// A process is replaced after so many queries, so that what it leaks stays small.
const QUERIES_PER_PROCESS: u32 = 500;

/// Effort that each byte of a question takes before a solver begins to search. Measured with z3 on
/// what it decided of refactorings and random programs: at least 12 a byte.
const EFFORT_PER_BYTE: u64 = 8;

/// What a solver needs beyond its own time limit to say that it gives up.
const GRACE: Duration = Duration::from_millis(300);

/// What a process may take to start and to answer two trivial questions.
const TRIAL_TIME: Duration = Duration::from_secs(3);

/// After so many that failed their trial, a program is started no more.
const MOST_FAILED_TRIALS: u32 = 3;

/// How solvers are run.
#[derive(Clone, Debug)]
pub struct SolverOptions<'t> {
    /// In the order in which they are asked.
    pub programs: Vec<SolverProgram>,
    /// Bytes of address space of one process.
    pub memory_limit: u64,
    /// Every query is written there, as a file that a solver can be run on.
    pub dump_queries: Option<PathBuf>,
    /// What was said of queries is kept there, if only the user can write to it.
    pub cache: Option<PathBuf>,
    /// When to give up.
    pub limit: TimeLimit<'t>,
}

impl<'t> Default for SolverOptions<'t> {
    fn default() -> SolverOptions<'t> {
        SolverOptions {
            programs: Vec::new(),
            memory_limit: 2 << 30,
            dump_queries: None,
            cache: None,
            limit: TimeLimit::NONE,
        }
    }
}

/// What one question to one solver may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// In the solver's own units; z3 spends from some hundred thousand to some millions in a second.
    pub effort: u64,
    pub time: Duration,
}

#[derive(Clone, Debug)]
pub enum Answer {
    Unsatisfiable,
    Satisfiable(Model),
    /// And why.
    Unknown(String),
}

#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    #[error("no SMT solver was found: install z3, or name one")]
    NoProgram,
    #[error("{}: {error}", directory.display())]
    Directory {
        directory: PathBuf,
        error: std::io::Error,
    },
    #[error("{}: proofs are only kept in a directory that nobody else can write to", .0.display())]
    SharedDirectory(PathBuf),
}

/// Solver processes, started when first asked. One per thread.
pub struct Solvers<'t> {
    options: SolverOptions<'t>,
    /// By program.
    running: Vec<Processes>,
    /// The process that is asked about Horn clauses.
    horn: Option<Running>,
    decisions: Decisions,
    /// Something else than effort ended a question of the present query: time, a crash, a
    /// disagreement. It might go otherwise another time.
    is_disturbed: bool,
    statistics: Statistics,
}

/// Of one program: one process for each way of deciding.
#[derive(Default)]
struct Processes {
    first: Option<Running>,
    second: Option<Running>,
    /// Processes that were started and did not pass their trial.
    failed_trials: u32,
    is_of_use: bool,
}

impl Processes {
    fn of(&mut self, configuration: Configuration) -> &mut Option<Running> {
        match configuration {
            Configuration::First => &mut self.first,
            Configuration::Second | Configuration::Third => &mut self.second,
        }
    }
}

struct Running {
    process: Process,
    queries: u32,
}

/// What was asked so far.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Statistics {
    pub queries: u64,
    /// Queries that were decided before.
    pub known: u64,
    /// Questions to processes.
    pub questions: u64,
    pub starts: u64,
}

/// What one solver says.
enum Voice {
    Unsatisfiable,
    /// With the text of the values, unread.
    Satisfiable(String),
    Nothing(String),
}

impl<'t> Solvers<'t> {
    pub fn new(options: SolverOptions<'t>) -> Result<Solvers<'t>, SolverError> {
        if options.programs.is_empty() {
            return Err(SolverError::NoProgram);
        }
        if let Some(directory) = &options.dump_queries {
            std::fs::create_dir_all(directory).map_err(|error| SolverError::Directory {
                directory: directory.clone(),
                error,
            })?;
        }
        Ok(Solvers {
            running: options
                .programs
                .iter()
                .map(|_| Processes::default())
                .collect(),
            horn: None,
            decisions: Decisions::open(options.cache.clone(), &options.programs)?,
            is_disturbed: false,
            statistics: Statistics::default(),
            options,
        })
    }

    /// From here on, questions are given up then.
    pub fn set_limit(&mut self, limit: TimeLimit<'t>) {
        self.options.limit = limit;
    }

    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Whether all assertions can be true together.
    pub fn check(&mut self, terms: &Terms, assertions: &[TermId], limits: Limits) -> Answer {
        let Some((query, key)) = self.query(terms, assertions) else {
            return Answer::Unsatisfiable;
        };
        if let Err(error) = self.dump(terms, &query, &key) {
            return Answer::Unknown(format!("the query could not be written out: {error}"));
        }
        if self.decisions.proved(&key, limits.effort) {
            self.statistics.known += 1;
            return Answer::Unsatisfiable;
        }
        self.check_anew(terms, &query, &key, limits)
    }

    /// The same where no model is wanted, and no query written out.
    pub fn decision(&mut self, terms: &Terms, assertions: &[TermId], limits: Limits) -> Decision {
        let Some((query, key)) = self.query(terms, assertions) else {
            return Decision::Unsatisfiable;
        };
        if let Some(decision) = self.decisions.any(&key, limits.effort) {
            self.statistics.known += 1;
            return decision;
        }
        match self.check_anew(terms, &query, &key, limits) {
            Answer::Unsatisfiable => Decision::Unsatisfiable,
            Answer::Satisfiable(_) => Decision::Satisfiable,
            Answer::Unknown(_) => Decision::GivenUp,
        }
    }

    /// What is to be asked; `None` if an assertion is false.
    fn query(&mut self, terms: &Terms, assertions: &[TermId]) -> Option<(Query, Key)> {
        self.statistics.queries += 1;
        let is_false = |id: &TermId| terms.as_boolean(*id) == Some(false);
        if assertions.iter().any(is_false) {
            return None;
        }
        let query = Query::of(terms, assertions);
        let key = self.decisions.key(&query);
        Some((query, key))
    }

    fn check_anew(&mut self, terms: &Terms, query: &Query, key: &Key, limits: Limits) -> Answer {
        if query.text.len() as u64 * EFFORT_PER_BYTE > limits.effort {
            return Answer::Unknown("the question is too large for the effort allowed".to_owned());
        }
        self.is_disturbed = false;
        let answer = match self.vote_anywhere(terms, query, limits) {
            Answer::Unknown(_) => self.vote(terms, query, limits),
            answer => answer,
        };
        let decision = match &answer {
            Answer::Unsatisfiable => Some(Decision::Unsatisfiable),
            Answer::Satisfiable(_) => Some(Decision::Satisfiable),
            Answer::Unknown(_) => (!self.is_disturbed).then_some(Decision::GivenUp),
        };
        if let Some(decision) = decision {
            self.decisions.add(key, decision, limits.effort);
        }
        answer
    }

    /// With objects anywhere, where there are many. A model counts if they are where objects can be,
    /// which is looked at as for every model.
    fn vote_anywhere(&mut self, terms: &Terms, query: &Query, limits: Limits) -> Answer {
        let less = Limits {
            effort: limits.effort / 4,
            ..limits
        };
        match query.anywhere() {
            Some(query) => self.vote(terms, &query, less),
            None => Answer::Unknown("few objects".to_owned()),
        }
    }

    fn vote(&mut self, terms: &Terms, query: &Query, limits: Limits) -> Answer {
        let mut unsatisfiable: Vec<usize> = Vec::new();
        let mut contrary = None;
        let mut reasons: Vec<String> = Vec::new();
        for program in 0..self.options.programs.len() {
            let name = self.options.programs[program].name();
            match self.ask(program, Configuration::First, query, limits) {
                Voice::Unsatisfiable => unsatisfiable.push(program),
                Voice::Satisfiable(values) => {
                    contrary = Some(name.clone());
                    match checked_model(terms, query, &values) {
                        Ok(model) if unsatisfiable.is_empty() => return Answer::Satisfiable(model),
                        Ok(_) => {}
                        Err(why) => reasons.push(format!("{name}: {why}")),
                    }
                }
                Voice::Nothing(why) => reasons.push(format!("{name}: {why}")),
            }
            if let (Some(contrary), Some(first)) = (&contrary, unsatisfiable.first()) {
                self.is_disturbed = true;
                let first = self.options.programs[*first].name();
                return Answer::Unknown(format!(
                    "solvers disagree: unsatisfiable says {first}, satisfiable {contrary}"
                ));
            }
            if unsatisfiable.len() == 2 {
                return Answer::Unsatisfiable;
            }
        }
        let is_of_use = |other: usize| self.running[other].is_of_use;
        match unsatisfiable[..] {
            [only] if !(0..self.running.len()).any(|other| other != only && is_of_use(other)) => {
                self.confirm(only, query, limits)
            }
            _ => Answer::Unknown(reasons.join("; ")),
        }
    }

    /// The same answer from another process that works in another way.
    fn confirm(&mut self, program: usize, query: &Query, limits: Limits) -> Answer {
        let name = self.options.programs[program].name();
        let voice = match self.ask(program, Configuration::Second, query, limits) {
            Voice::Nothing(_) => self.ask(program, Configuration::Third, query, limits),
            voice => voice,
        };
        match voice {
            Voice::Unsatisfiable => Answer::Unsatisfiable,
            Voice::Satisfiable(_) => {
                self.is_disturbed = true;
                Answer::Unknown(format!("solvers disagree: {name} says one and the other"))
            }
            Voice::Nothing(why) => {
                Answer::Unknown(format!("{name} did not repeat unsatisfiable: {why}"))
            }
        }
    }

    /// Asks the running process. One that dies is asked once more after a fresh start, if it had
    /// answered before: it may have died of what it had done until then.
    fn ask(
        &mut self,
        program: usize,
        configuration: Configuration,
        query: &Query,
        limits: Limits,
    ) -> Voice {
        loop {
            let mut running = match self.running[program].of(configuration).take() {
                Some(running) => running,
                None => match self.start(program) {
                    Ok(process) => Running {
                        process,
                        queries: 0,
                    },
                    Err(error) => {
                        self.is_disturbed = true;
                        return Voice::Nothing(error.to_string());
                    }
                },
            };
            let is_fresh = running.queries == 0;
            running.queries += 1;
            let process = &mut running.process;
            let voice = match self.question(process, program, configuration, query, limits) {
                Ok(Voice::Satisfiable(_)) => self.values(process, query, limits),
                other => other,
            };
            match voice {
                Ok(voice) => {
                    let is_spent = running.queries >= QUERIES_PER_PROCESS;
                    *self.running[program].of(configuration) = (!is_spent).then_some(running);
                    return voice;
                }
                Err(ProcessError::Ended(_)) if !is_fresh => {}
                Err(error) => {
                    self.is_disturbed = true;
                    return Voice::Nothing(error.to_string());
                }
            }
        }
    }

    fn start(&mut self, program: usize) -> Result<Process, ProcessError> {
        if self.running[program].failed_trials == MOST_FAILED_TRIALS {
            return Err(ProcessError::Unusable);
        }
        self.statistics.starts += 1;
        let file = &self.options.programs[program];
        let mut process = Process::start(file, self.options.memory_limit)?;
        let Trial { text, expected } = trial();
        let limit = self.options.limit;
        let deadline = Instant::now() + TRIAL_TIME;
        let error = match process.converse(&text, deadline, limit) {
            Ok(said) if said.split_whitespace().eq(expected) => {
                self.running[program].is_of_use = true;
                return Ok(process);
            }
            Ok(said) => ProcessError::Untrue(beginning(said.trim())),
            // That says nothing about the program.
            Err(ProcessError::Interrupted) => return Err(ProcessError::Interrupted),
            Err(error) => error,
        };
        self.running[program].is_of_use |= matches!(error, ProcessError::Late);
        self.running[program].failed_trials += 1;
        Err(error)
    }

    fn question(
        &mut self,
        process: &mut Process,
        program: usize,
        configuration: Configuration,
        query: &Query,
        limits: Limits,
    ) -> Result<Voice, ProcessError> {
        self.statistics.questions += 1;
        let kind = self.options.programs[program].kind;
        let limits = limits.within(self.options.limit);
        let text = kind.question(configuration, query, limits);
        let began = Instant::now();
        let deadline = began + limits.time + GRACE;
        let said = process.converse(&text, deadline, self.options.limit)?;
        Ok(match said.trim() {
            "unsat" => Voice::Unsatisfiable,
            "sat" => Voice::Satisfiable(String::new()),
            "unknown" => {
                // Solvers do not say which limit it was; near the time's it may have been that.
                self.is_disturbed |= began.elapsed() > limits.time.mul_f32(0.8);
                Voice::Nothing("gave up".to_owned())
            }
            other => {
                self.is_disturbed = true;
                Voice::Nothing(format!("no answer: {}", beginning(other)))
            }
        })
    }

    fn values(
        &mut self,
        process: &mut Process,
        query: &Query,
        limits: Limits,
    ) -> Result<Voice, ProcessError> {
        if query.unknowns.is_empty() {
            return Ok(Voice::Satisfiable("()".to_owned()));
        }
        let names: Vec<&str> = query.unknowns.iter().map(|row| row.name.as_str()).collect();
        let text = format!("(get-value ({}))\n", names.join(" "));
        let deadline = Instant::now() + limits.time + GRACE;
        let said = process.converse(&text, deadline, self.options.limit)?;
        Ok(Voice::Satisfiable(said))
    }

    fn dump(&self, terms: &Terms, query: &Query, key: &Key) -> std::io::Result<()> {
        let Some(directory) = &self.options.dump_queries else {
            return Ok(());
        };
        let text = format!(
            "{}(set-logic {})\n{}(check-sat)\n",
            query.legend(terms),
            query.logic,
            query.text
        );
        let name = format!("{}.smt2", &key.query.to_hex()[..16]);
        std::fs::write(directory.join(name), text)
    }
}

/// What the values say, if the assertions hold under it.
fn checked_model(terms: &Terms, query: &Query, values: &str) -> Result<Model, String> {
    let sorts: Vec<Sort> = query
        .unknowns
        .iter()
        .map(|row| terms.sort(row.term))
        .collect();
    let Some(values) = read_values(values, &sorts) else {
        return Err(format!("no readable model: {}", beginning(values)));
    };
    Model::of(terms, query, values).ok_or_else(|| "its model does not hold".to_owned())
}

/// Enough of a text to recognise it.
fn beginning(text: &str) -> String {
    let mut short: String = text.chars().take(200).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
