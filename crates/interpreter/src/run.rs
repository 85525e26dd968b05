//! What goes into a run and what comes out of it.

use crate::history::History;
use crate::observations::{Observations, ObserveRequest};
use crate::trace::Trace;
use crate::undefined_behaviour::UndefinedBehaviour;
use knockon_program::{FunctionId, InstructionId, PlaceId};

/// One execution to be made.
#[derive(Clone, Debug)]
pub struct RunInput {
    /// `argv`, the program's own name first.
    pub arguments: Vec<Vec<u8>>,
    pub stdin: Vec<u8>,
    /// The files that exist when the program starts: path and content.
    pub files: Vec<(Vec<u8>, Vec<u8>)>,
    /// `NAME=value` rows.
    pub environment: Vec<Vec<u8>>,
    /// Instructions after which the run is given up.
    pub step_limit: u64,
    /// Bytes of memory that the program may hold.
    pub memory_limit: u64,
    /// Bytes of stack: local variables, and a fixed cost for each call.
    pub stack_limit: u64,
    /// Whether and how to record what each node observes.
    pub observe: Option<ObserveRequest>,
    /// Whether to record what is entered and which memory is touched.
    pub trace: bool,
    /// Whether to record every occurrence; this limits the steps, see [`crate::MOST_OCCURRENCES`].
    pub history: bool,
}

impl Default for RunInput {
    fn default() -> Self {
        RunInput {
            arguments: vec![b"program".to_vec()],
            stdin: Vec::new(),
            files: Vec::new(),
            environment: Vec::new(),
            step_limit: 1_000_000_000,
            memory_limit: 1 << 30,
            stack_limit: 8 << 20,
            observe: None,
            trace: false,
            history: false,
        }
    }
}

/// What one execution did.
#[derive(Clone, Debug)]
pub struct Run {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub exit: Exit,
    /// Instructions executed.
    pub steps: u64,
    pub observations: Option<Observations>,
    /// Present when it was asked for.
    pub trace: Option<Trace>,
    /// Present when it was asked for.
    pub history: Option<History>,
    /// What happened that other implementations may do differently, each said once.
    pub caveats: Vec<RunCaveat>,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// `main` returned.
    Returned(i32),
    /// `exit`, `_exit` or their kin were called.
    Exited(i32),
    /// `abort`, or a signal that the program raised.
    Aborted,
    AssertionFailed(String),
    /// `__builtin_trap`.
    Trapped,
    Undefined {
        kind: UndefinedBehaviour,
        /// Where, by source.
        place: PlaceId,
        /// Where, by instruction; `None` before the first one.
        at: Option<(FunctionId, InstructionId)>,
        message: String,
    },
    StepLimit,
    /// The program does something that is not modelled; the text says what.
    Unsupported(String),
}

impl Exit {
    /// The process's exit code, if it ended by its own will.
    pub fn code(&self) -> Option<i32> {
        match self {
            Exit::Returned(code) | Exit::Exited(code) => Some(code & 0xff),
            _ => None,
        }
    }
}

/// A behaviour of the run that the language leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RunCaveat {
    /// A function was called through another function type.
    FunctionType,
    /// The program read the clock, a random number, its process id or an address as a number.
    Environment,
}
