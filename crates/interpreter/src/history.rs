//! Which instructions did a run execute, one after the other, and who had written what each read?
//!
//! A history is what a dynamic slice is made from. It says what only the run knows: the order, the
//! calls, the last writer of each byte that was read. What follows from the program's text, such as
//! which occurrence an operand comes from, is left to who reads the history.
//!
//! Cost: eight bytes for each occurrence and each pair of a read and a write, so a run has at most
//! [`MOST_OCCURRENCES`] of them: it ends as [`crate::Exit::StepLimit`] there.

use knockon_program::{FunctionId, InstructionId};

/// The occurrences that a history holds at most.
pub const MOST_OCCURRENCES: u64 = 1 << 24;
/// The pairs of a read and a write that a history holds at most.
pub const MOST_READS: usize = 1 << 25;

/// One execution of one instruction; they are numbered in the order of their beginnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OccurrenceId(pub u32);

impl OccurrenceId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One call in progress; they are numbered in the order of their beginnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActivationId(pub u32);

impl ActivationId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    pub activation: ActivationId,
    pub instruction: InstructionId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation {
    pub function: FunctionId,
    pub entry: Entry,
}

/// Why a function was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The program starts, or ends.
    Outside,
    Call(OccurrenceId),
    /// The library function that is called here calls back.
    Callback(OccurrenceId),
    /// The program ends, and the library function that was called here had it registered.
    Registered(OccurrenceId),
}

/// A `longjmp` came back to an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landing {
    /// The first occurrence after it.
    pub before: OccurrenceId,
    pub activation: ActivationId,
    /// The call of `longjmp`, and of the `setjmp` that returned again.
    pub jump: OccurrenceId,
    pub target: InstructionId,
}

/// All that one run executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// By [`OccurrenceId`]. The phis of a block come first, as if one after the other.
    pub occurrences: Vec<Occurrence>,
    /// By [`ActivationId`].
    pub activations: Vec<Activation>,
    /// An occurrence read a byte that the other had written last; ascending. Memory that a function
    /// finds in place of arguments (copies, and those behind `...`) is written by its call.
    pub reads: Vec<(OccurrenceId, OccurrenceId)>,
    /// The calls that entered no function of the program by themselves, and the library function
    /// if it is one. Ascending.
    pub library_calls: Vec<(OccurrenceId, Option<FunctionId>)>,
    /// In their order.
    pub landings: Vec<Landing>,
    /// There were more than [`MOST_READS`] reads, and [`History::reads`] lacks some.
    pub lacks_reads: bool,
}

impl History {
    pub fn occurrence(&self, id: OccurrenceId) -> Occurrence {
        self.occurrences[id.index()]
    }

    pub fn activation(&self, id: ActivationId) -> Activation {
        self.activations[id.index()]
    }

    /// The node that the occurrence is one of.
    pub fn node(&self, id: OccurrenceId) -> knockon_program::Node {
        let occurrence = self.occurrence(id);
        let function = self.activation(occurrence.activation).function;
        (function, occurrence.instruction)
    }
}
