//! What is known of a function beside its effect? Each field is one column of `library.effects`,
//! whose head explains them; a function that has none of them has [`Facts::default`].

use crate::effect::{CallbackTime, Channel, Effect, Value, World};

/// The columns beside the effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Goes on behind an earlier call that returned twice (`longjmp`).
    pub jumps: bool,
    /// Makes a process that goes on in this program.
    pub forks: bool,
    pub starts_program: Option<ProgramStart>,
    /// What it calls back at any time is a thread, and no handler.
    pub starts_thread: bool,
    /// No other process of the program decides whether it succeeds, and it gives nothing that one
    /// left.
    pub needs_no_other_process: bool,
    /// Returns a descriptor that was free, or a negative number.
    pub opens_descriptor: bool,
    pub shares_memory: Option<Sharing>,
    pub signals: SignalFacts,
    /// Code that cannot be seen and mentions the function may have registered itself to run then.
    pub lets_run: Option<CallbackTime>,
    /// Loads the code in a file.
    pub loads_code: bool,
    /// Loads code, or finds symbols by name at run time.
    pub looks_up_symbols: bool,
    /// Does nothing if its only argument is null.
    pub ignores_null: bool,
    /// It is this function of the product of its two arguments, and zeroes what it gives.
    pub zeroes_as: Option<&'static str>,
    pub replayed: ReplayFacts,
}

/// How a function that starts a program is told which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramStart {
    /// An argument is the path; from the second after it on come those of the program.
    Path {
        argument: u8,
        /// They are texts, up to the null pointer.
        all_are_texts: bool,
    },
    /// The argument is a line for the shell.
    Line(u8),
    Otherwise,
}

/// Whether other processes may see the memory that a function maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    Always,
    /// If the flags of `mmap` in this argument say so.
    ByFlags(u8),
}

/// What a function has to do with signals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignalFacts {
    /// The argument with the number of the signal that it sends.
    pub sends: Option<u8>,
    pub sets_handler: Option<HandlerArguments>,
    /// The argument with the signal that may get its default action, or any handler.
    pub resets_handler: Option<u8>,
    pub unblocks: Option<Unblocking>,
    pub timer: Option<Timer>,
}

/// Where the signal and its handler stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandlerArguments {
    pub signal: u8,
    pub handler: u8,
}

/// When a function may take signals out of the mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unblocking {
    Always,
    /// Unless this argument is `SIG_BLOCK`.
    UnlessBlocking(u8),
}

/// What a timer sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// `SIGALRM`.
    Alarm,
    /// `SIGALRM` if this argument is `ITIMER_REAL`.
    Kind(u8),
    AnySignal,
}

/// What counts where single functions of a program are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplayFacts {
    /// It works on memory, text and the standard streams alone.
    pub runs: bool,
    /// The runtime stands in for it.
    pub is_wrapped: bool,
    /// Its stream is given to it open.
    pub takes_stream: bool,
    /// Its result points into what its first argument points to.
    pub returns_into_first: bool,
}

/// Which way bytes go through a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamDirection {
    Input,
    Output,
}

/// The stream of a function that moves bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamUse {
    /// `None`: it is a standard stream (`getchar`).
    pub argument: Option<u8>,
    pub direction: StreamDirection,
}

impl Effect {
    /// The stream that the function reads from or prints to.
    pub(crate) fn stream_use(&self) -> Option<StreamUse> {
        let Some(Channel::Stream(stream)) = self.channel else {
            return None;
        };
        Some(StreamUse {
            argument: match stream {
                Value::Argument(number) => Some(number),
                Value::ArgumentsFrom(_) | Value::Fresh | Value::Library(_) => None,
            },
            direction: match self.world_writes.contains(&World::Output) {
                true => StreamDirection::Output,
                false => StreamDirection::Input,
            },
        })
    }
}
