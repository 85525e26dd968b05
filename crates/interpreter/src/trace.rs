//! What did a run enter, in which order, and which memory did it touch?
//!
//! A trace is what static analyses are held to: whatever stands in it, a sound analysis must have
//! allowed. It holds sets, not a log, so its size is bounded by the program and not by the length
//! of the run; where a set is cut, [`Trace::omitted`] counts what it does not hold, and what it
//! does hold is true all the same.

use knockon_program::Node;
use knockon_program::{FunctionId, GlobalId, InstructionId};

/// What a run did.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Functions with a body, with the call instruction they were entered from: for a callback
    /// that of the library function; `None` from outside of the program. Ascending.
    pub entered: Vec<(Option<Node>, FunctionId)>,
    /// By function: when it was active.
    pub activities: Vec<Activity>,
    /// Where touched objects come from.
    pub origins: Vec<Origin>,
    /// By instruction, origin and kind, ascending.
    pub accesses: Vec<Access>,
    /// What functions touched, and what they called, of memory that they did not create on their
    /// own stack. Ascending.
    pub function_effects: Vec<(FunctionId, OriginId, AccessKind)>,
    /// What functions that a call entered touched before it returned, in the same sense. Ascending.
    pub call_effects: Vec<(Node, OriginId, AccessKind)>,
    /// Instructions of one function that touched the same byte in one activation. Ascending.
    pub overlaps: Vec<Overlap>,
    /// Which instruction of a function wrote what an instruction of it read, in one activation.
    /// Ascending.
    pub flows: Vec<Flow>,
    /// Accesses, bytes and pairs that were not kept.
    pub omitted: u64,
}

/// When a function was active, in a time that counts entries and returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    pub entries: u64,
    pub first_entry: u64,
    /// The last time that control entered it or came back to it.
    pub last_event: u64,
}

/// A row of [`Trace::origins`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OriginId(pub u32);

impl OriginId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where an object comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    Global(GlobalId),
    Function(FunctionId),
    /// An `alloca`.
    Local(FunctionId, InstructionId),
    /// The copy that a parameter passed in memory (`byval`) gets; `None` for one behind `...`.
    Passed {
        callee: FunctionId,
        parameter: Option<u32>,
    },
    /// The areas that `va_start` fills in this function.
    Variadic(FunctionId),
    /// The call of the library that allocated it, and the calls in progress then, innermost first,
    /// at most [`LONGEST_PATH`] of them.
    Heap {
        allocation: Node,
        path: Vec<Node>,
    },
    /// Memory of the library or of the start of the program, by name (`errno`, `argv`).
    Library(&'static str),
    /// Memory that the library takes for the time of one call.
    Temporary,
}

/// How many calls around an allocation are kept.
pub const LONGEST_PATH: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessKind {
    Read,
    Write,
}

/// What one instruction did to objects of one origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    pub node: Node,
    pub origin: OriginId,
    pub kind: AccessKind,
    /// Offsets and lengths, ascending; the first [`MOST_RANGES`] different ones.
    pub ranges: Vec<(u32, u32)>,
}

/// How many places an [`Access`] keeps.
pub const MOST_RANGES: usize = 64;

/// A touch of memory by an instruction of a function; a call stands for all that it entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Touch {
    pub instruction: InstructionId,
    pub kind: AccessKind,
}

/// Two touches of the same byte in one activation; `one` is not greater than `other`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Overlap {
    pub function: FunctionId,
    pub one: Touch,
    pub other: Touch,
}

/// A byte went from one instruction to another inside one activation. A call stands for all that it
/// entered: it reads what was read there before it was written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flow {
    pub function: FunctionId,
    /// `None`: before the function was entered.
    pub written: Option<InstructionId>,
    pub read: InstructionId,
}

impl Trace {
    pub fn origin(&self, id: OriginId) -> &Origin {
        &self.origins[id.index()]
    }

    /// Functions that were entered.
    pub fn active(&self) -> impl Iterator<Item = FunctionId> {
        let active = |(_, activity): &(usize, &Activity)| activity.entries > 0;
        let rows = self.activities.iter().enumerate().filter(active);
        rows.map(|(index, _)| FunctionId::from_index(index))
    }

    /// Some part of `later` was executed after `earlier` had been entered. A function is executed
    /// after itself when it was entered twice.
    pub fn executed_after(&self, earlier: FunctionId, later: FunctionId) -> bool {
        let (first, last) = (
            self.activities[earlier.index()],
            self.activities[later.index()],
        );
        if earlier == later {
            return first.entries > 1;
        }
        first.entries > 0 && last.entries > 0 && first.first_entry < last.last_event
    }
}
