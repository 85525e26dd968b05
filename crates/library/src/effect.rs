//! What may a description say of a function? Reading and writing concern whole objects, unless an
//! extent is said.

/// A value that a library function gets or has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// The argument with this number, from 0.
    Argument(u8),
    /// Every argument from this number on (the `...` of `printf`).
    ArgumentsFrom(u8),
    /// The address of the new object that the call makes: what [`Origin::Fresh`] is. All that one
    /// call makes is one object.
    Fresh,
    /// The address of an object of the library's own: what [`Origin::Library`] of that name is.
    Library(&'static str),
}

/// The memory a description speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Memory {
    /// The object that the value points to, all of it.
    Behind(Value),
    /// The objects that the pointers in the object behind the value point to (the line behind the
    /// first argument of `getline`, the strings of an argument vector).
    BehindLoaded(Value),
    /// All that can be reached from the value through any number of pointers, at any moment of
    /// the call (the pointers a `va_list` leads to, a linked structure of the library). What
    /// the other two name is part of it.
    ReachableFrom(Value),
}

impl Memory {
    /// Where the memory is reached from.
    pub fn value(self) -> Value {
        match self {
            Memory::Behind(value) | Memory::BehindLoaded(value) | Memory::ReachableFrom(value) => {
                value
            }
        }
    }
}

/// Parts of the state outside of the program's own memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum World {
    /// Bytes that leave in order: `stdout` and `stderr`; nothing in the program reads them.
    Output,
    /// `stdin` and what is consumed with it.
    Input,
    /// Files, their positions, directories, descriptors, pipes, sockets, terminals.
    Files,
    /// Listed beside the memory that holds it, the object `errno` behind `__errno_location`.
    Errno,
    /// Listed beside the memory that holds it, the object `environment` behind `environ`.
    Environment,
    Clock,
    /// The hidden seed of `rand` and its kin.
    Random,
    /// The locale. (The time zone is memory, the object `time-zone`.)
    Settings,
    /// Signals, processes, threads and locks.
    Processes,
}

impl World {
    pub const PARTS: [World; 9] = [
        World::Output,
        World::Input,
        World::Files,
        World::Errno,
        World::Environment,
        World::Clock,
        World::Random,
        World::Settings,
        World::Processes,
    ];
}

/// What a pointer that appears out of the library points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// The very value (`memcpy` returns its first argument).
    Same(Value),
    /// A pointer somewhere into the object that the value points to (`strchr`).
    Into(Value),
    /// A new object for each call.
    Fresh,
    /// One object of the library's own, shared by all functions that name it (`FILE`, the result
    /// of `localtime`, the tables of `ctype`).
    Library(&'static str),
    /// A pointer that was loaded from this memory, or one elsewhere into what that points to.
    LoadedFrom(Memory),
    /// The area that holds the variadic arguments of the function that makes the call
    /// (`llvm.va_start`).
    Variadics,
}

/// When a callback runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CallbackTime {
    /// During the call, any number of times.
    Now,
    /// When the program ends (`atexit`).
    AtExit,
    /// At any later time (`signal`, `pthread_create`).
    Anytime,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callback {
    /// The function pointer: mostly `Same(argument)`; `sigaction` finds it in a structure.
    pub function: Origin,
    /// What its arguments may be, by position; `None` is no pointer.
    pub arguments: Vec<Option<Origin>>,
    pub time: CallbackTime,
    /// Where the library puts what it returns, if that may be a pointer.
    pub result_to: Vec<Memory>,
}

/// Whether control comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Return {
    Always,
    /// `longjmp`, `exit`, `abort`, …
    Never,
    /// Comes back or does not: `execve`, `raise`, `error`, and what may throw.
    Maybe,
    /// More than once (`setjmp`, `vfork`).
    Twice,
}

/// How far the memory effects reach from where the pointers point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Extent {
    /// As many bytes as the argument says, each of them.
    Exactly(u8),
    /// No more bytes than the argument says.
    AtMost(u8),
}

/// What the call works through. Whoever knows which one it is can drop parts of the world: see
/// [`Effect::world_reads_through`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channel {
    /// A `FILE *`.
    Stream(Value),
    /// A file descriptor.
    Descriptor(Value),
}

/// What a channel is known to be connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Connection {
    /// `stdin`, descriptor 0.
    StandardInput,
    /// `stdout` or `stderr`, descriptors 1 and 2.
    StandardOutput,
    Unknown,
}

/// Which of the two languages of formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FormatKind {
    Print,
    Scan,
}

/// The call reads a format. Two rare conversions do more than `reads` and `writes` say: `%n` when
/// printing writes behind its argument, `%m` when scanning stores a fresh object there. See
/// [`format_string`](crate::format_string).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Format {
    pub kind: FormatKind,
    /// The text.
    pub text: Value,
    /// What the conversions read and write: the variadic arguments, or what a `va_list` reaches.
    pub arguments: Memory,
}

/// The description of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    pub reads: Vec<Memory>,
    pub writes: Vec<Memory>,
    /// Contents, pointers included, that go from one memory to another (`memcpy`). The first is
    /// read and the second is written, without being listed there.
    pub copies: Vec<(Memory, Memory)>,
    /// Pointers written into memory (`strtol` writes one into its second argument's object). The
    /// memory is written without being listed there.
    pub stores: Vec<(Origin, Memory)>,
    /// What the result may point to; empty: the result is no pointer.
    pub returns: Vec<Origin>,
    /// Releases the object.
    pub frees: Option<Value>,
    pub world_reads: Vec<World>,
    pub world_writes: Vec<World>,
    pub callbacks: Vec<Callback>,
    /// Runs the handlers registered with `atexit` (`exit`, and what calls it: `errx`, …).
    pub runs_exit_handlers: bool,
    /// Decides whether, when or with what functions run that were registered for any time
    /// (`raise`, `alarm`, `sigprocmask`; `swapcontext` and `pthread_exit`).
    pub runs_handlers: bool,
    pub return_: Return,
    /// Holds for every memory behind an argument that the description names.
    pub extent: Option<Extent>,
    pub channel: Option<Channel>,
    /// May connect the channel to something else (`freopen`, `dup2`, `close`): in a program that
    /// does so with a standard stream, `stdout` can be a file that is read back.
    pub redirects: bool,
    pub format: Option<Format>,
}

impl Default for Effect {
    /// A function of its arguments' values alone (`abs`).
    fn default() -> Effect {
        Effect {
            reads: Vec::new(),
            writes: Vec::new(),
            copies: Vec::new(),
            stores: Vec::new(),
            returns: Vec::new(),
            frees: None,
            world_reads: Vec::new(),
            world_writes: Vec::new(),
            callbacks: Vec::new(),
            runs_exit_handlers: false,
            runs_handlers: false,
            return_: Return::Always,
            extent: None,
            channel: None,
            redirects: false,
            format: None,
        }
    }
}

impl Effect {
    /// Whether the call has no effect and its result depends on the arguments' values alone.
    pub fn is_pure(&self) -> bool {
        let from_arguments = |origin: &Origin| {
            matches!(
                origin,
                Origin::Same(Value::Argument(_)) | Origin::Into(Value::Argument(_))
            )
        };
        self.returns.iter().all(from_arguments)
            && Effect {
                returns: Vec::new(),
                ..self.clone()
            } == Effect::default()
    }

    /// Whether all that the call does to the world is to append to the output (and to set
    /// `errno`), when its channel is connected like that: such calls do not affect each other.
    pub fn only_appends(&self, connection: Connection) -> bool {
        let appended = |part| matches!(part, World::Output | World::Errno);
        self.world_writes_through(connection).all(appended)
            && !self.world_reads_through(connection).any(appended)
    }

    /// The parts of the world that the call reads when its channel is connected like that.
    pub fn world_reads_through(&self, connection: Connection) -> impl Iterator<Item = World> + '_ {
        self.through(&self.world_reads, connection)
    }

    /// The parts of the world that the call writes when its channel is connected like that.
    pub fn world_writes_through(&self, connection: Connection) -> impl Iterator<Item = World> + '_ {
        self.through(&self.world_writes, connection)
    }

    fn through<'a>(
        &'a self,
        parts: &'a [World],
        connection: Connection,
    ) -> impl Iterator<Item = World> + 'a {
        let connection = match self.channel {
            Some(_) if !self.redirects => connection,
            _ => Connection::Unknown,
        };
        parts
            .iter()
            .copied()
            .filter(move |part| connection.keeps(*part))
    }
}

impl Connection {
    /// Whether an operation on the connected channel can concern this part of the world.
    fn keeps(self, part: World) -> bool {
        match self {
            Connection::StandardInput => !matches!(part, World::Files | World::Output),
            Connection::StandardOutput => !matches!(part, World::Files | World::Input),
            Connection::Unknown => true,
        }
    }
}
