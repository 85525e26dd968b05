//! What a loop carries round, and what is assumed of it.

use super::State;
use knockon_graphs::LoopId;
use knockon_logic::terms::TermId;
use knockon_program::InstructionId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Something that has another value in each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    /// A phi of the header; of an aggregate the number of its element.
    Phi(InstructionId, u32),
    /// What stands at an address that is the same in each iteration: one of those that the loop
    /// writes, in the order of their first writing.
    Cell(u32),
    /// An argument of a function that calls itself at its end; of an aggregate the number of its
    /// element.
    Argument(u32, u32),
    /// A memory of the state.
    Memory(u32),
    World(u32),
}

/// How a loop's header is named.
#[derive(Clone, Debug, Default)]
pub struct LoopPlan {
    /// The name of the count of iterations.
    pub counter: String,
    /// The names of header symbols; what has none has a name of its own.
    pub names: FxHashMap<Item, String>,
    /// What grows by a constant in each iteration; `true` if exactly so as signed numbers.
    pub strides: FxHashMap<Item, (u128, bool)>,
}

/// Which loop: the calls that lead to it, its number, and which of several descriptions of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopKey {
    pub path: String,
    pub id: LoopId,
    pub copy: u32,
}

impl LoopKey {
    /// The loop that a function is which calls itself at its end.
    pub const TAIL_CALLS: LoopId = LoopId(u32::MAX);
}

pub type LoopPlans = FxHashMap<LoopKey, LoopPlan>;

/// How a loop is read. Each reading describes the same runs; they differ in which runs of two
/// versions look alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The tests at the start of an iteration belong to the end of the one before it.
    pub is_rotated: bool,
    /// So many iterations come before the loop.
    pub peeled: u32,
    /// At most so many iterations are made, which is to be shown; 0 if any number may be.
    pub at_most: u32,
    /// The loop is described twice.
    pub is_doubled: bool,
    /// So many iterations are one; 0 and 1 say the same.
    pub times: u32,
    /// What does not go round so many times comes behind, as a loop of its own.
    pub has_rest: bool,
}

/// How the loops of a version are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shapes {
    /// By path of calls and loop; plain where there is none.
    pub of: FxHashMap<(String, LoopId), Shape>,
    /// A function that calls itself at its end is a loop, even where the call could be a function
    /// symbol.
    pub tail_calls_are_loops: bool,
}

/// How much of a version is known at some time of its run: so many of what may be undefined is not,
/// so many facts hold, so many loops were entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub undefined: usize,
    pub facts: usize,
    pub loops: usize,
}

impl Known {
    pub const ALL: Known = Known {
        undefined: usize::MAX,
        facts: usize::MAX,
        loops: usize::MAX,
    };
}

/// What holds after some loops are over, and whenever else control is in none of them.
#[derive(Clone, Debug)]
pub struct Fact {
    pub over: SmallVec<[usize; 2]>,
    pub holds: TermId,
}

/// What is to be shown of a version for its evaluation to mean anything.
#[derive(Clone, Copy, Debug)]
pub struct Obligation {
    pub claim: TermId,
    /// The number of the innermost loop around it.
    pub within: Option<usize>,
    pub known: Known,
}

/// A loop as it was evaluated.
#[derive(Clone, Debug)]
pub struct LoopRecord {
    pub key: LoopKey,
    /// The number of the loop around it.
    pub within: Option<usize>,
    /// The count of iterations.
    pub counter: TermId,
    /// Whether control comes to the loop, seen from the header of the loop around it.
    pub entry: State,
    /// What is carried round: before the loop, at the header, after one iteration.
    pub items: Vec<(Item, TermId, TermId, TermId)>,
    /// Whether another iteration follows.
    pub again: TermId,
    /// Whether the loop is over, where the program may end inside of it.
    pub over: Option<TermId>,
    /// What increments phis has no overflow, where it says so.
    pub exact: Vec<Item>,
    /// What holds at the header in each iteration.
    pub invariants: Vec<TermId>,
    /// What is known before the loop.
    pub at_entry: Known,
    /// What is known at the end of an iteration.
    pub at_end: Known,
}
