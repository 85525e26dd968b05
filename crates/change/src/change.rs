//! What the pairing of two versions says.
//!
//! **Meaning.** A *node* is an instruction. A pair of nodes that is not a source has the same
//! opcode, type and constants, and its operands, the memory it sees and the branches that decide
//! whether it runs are paired, or are themselves sources or depend on some. So whatever observes
//! something else than its partner is reached by a dependence from a source, or from what a
//! reordered store leaves in memory, in one of the versions.

use fixedbitset::FixedBitSet;
use knockon_memory::memory_model::MemoryModel;
use knockon_program::{FunctionId, GlobalId, InstructionId, PlaceId, Program};
use rustc_hash::FxHashMap;

/// One version, read, promoted and analysed.
#[derive(Clone, Copy)]
pub struct Version<'a> {
    pub program: &'a Program,
    pub memory: &'a MemoryModel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    Old,
    New,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::Old, Side::New];

    pub fn other(self) -> Side {
        match self {
            Side::Old => Side::New,
            Side::New => Side::Old,
        }
    }
}

/// One value for each version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides<T> {
    pub old: T,
    pub new: T,
}

impl<T> Sides<T> {
    pub fn of(&self, side: Side) -> &T {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }

    pub fn of_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Old => &mut self.old,
            Side::New => &mut self.new,
        }
    }
}

/// A pair's place in [`Change::pairs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PairId(pub u32);

/// How the two functions of a pair are the same function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairStatus {
    /// No source in it.
    Same,
    Changed,
    /// Another name; its body may have changed too.
    Renamed,
    /// Another file; its body may have changed too.
    Moved,
}

/// Which node of the old function is which of the new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeMap {
    /// Node for node the same, and none is a source.
    Identity,
    Partial {
        /// By old instruction.
        new_of_old: Vec<Option<InstructionId>>,
        /// By new instruction.
        old_of_new: Vec<Option<InstructionId>>,
        /// Nodes without a partner, and pairs that differ in themselves: both are marked.
        sources: Sides<FixedBitSet>,
        /// Pairs of stores that observe the same, and come at another place among other writes:
        /// what is in memory afterwards may differ.
        reordered: Sides<FixedBitSet>,
        /// Of the sources the calls that differ in some arguments only, by old instruction.
        arguments: Vec<ChangedArguments>,
    },
}

/// A pair of calls that happen alike, and enter the same, with other arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedArguments {
    pub old: InstructionId,
    pub new: InstructionId,
    /// By number, ascending.
    pub positions: Vec<u32>,
}

impl ChangedArguments {
    pub fn call(&self, side: Side) -> InstructionId {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }
}

#[derive(Clone, Debug)]
pub struct FunctionPair {
    pub functions: Sides<FunctionId>,
    pub status: PairStatus,
    pub nodes: NodeMap,
    /// By old parameter its number in the new function; parameters without a partner are sources.
    pub parameters: Vec<Option<u32>>,
    /// Type, attributes and parameters are the same. Where they are not, whatever names the
    /// function is a source.
    pub same_interface: bool,
}

/// A global variable whose value before the program starts, or whose size or type, is not the
/// same; or that only one version has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalChange {
    pub old: Option<GlobalId>,
    pub new: Option<GlobalId>,
}

impl GlobalChange {
    pub fn of(&self, side: Side) -> Option<GlobalId> {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }

    /// Where walks begin that follow the variable's first value. What one version only has is seen
    /// by whoever names it, which is a source, but for assembly: nobody names that.
    pub fn start(&self, side: Side, program: &Program) -> Option<GlobalId> {
        let own = self.of(side)?;
        let is_pair = self.old.is_some() && self.new.is_some();
        (is_pair || program.is_unseen_code(own)).then_some(own)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Functions with a body in both versions.
    pub pairs: Vec<FunctionPair>,
    /// By function: its pair. A function with a body and without a pair is removed or added, and
    /// all its nodes are sources.
    pub pair_of: Sides<Vec<Option<PairId>>>,
    /// Sources before every entry.
    pub globals: Vec<GlobalChange>,
    /// Variables that both versions have, whether or not they changed; ascending by old variable.
    pub paired_globals: Vec<(GlobalId, GlobalId)>,
    /// Functions that run before `main` or after it in one version only, or in another order; all
    /// their nodes are sources. Ascending.
    pub entries: Sides<Vec<FunctionId>>,
    /// The numbers of lines that calls pass and that are others in the new text, though the lines
    /// were not edited: by place and number, in either version, the number in the new text.
    pub moved_positions: Sides<FxHashMap<(PlaceId, u128), u32>>,
    /// There was no time to compare all functions that differ: all nodes of the others are sources.
    pub is_cut: bool,
}

impl Change {
    pub fn pair(&self, side: Side, function: FunctionId) -> Option<&FunctionPair> {
        let pair = self.pair_of.of(side)[function.index()]?;
        Some(&self.pairs[pair.0 as usize])
    }

    /// The function's partner in the other version.
    pub fn partner(&self, side: Side, function: FunctionId) -> Option<FunctionId> {
        let pair = self.pair(side, function)?;
        Some(*pair.functions.of(side.other()))
    }

    /// The node's partner in the other version.
    pub fn partner_of_node(
        &self,
        side: Side,
        function: FunctionId,
        node: InstructionId,
    ) -> Option<InstructionId> {
        self.pair(side, function)?.partner_of_node(side, node)
    }

    pub fn is_source(&self, side: Side, function: FunctionId, node: InstructionId) -> bool {
        match self.pair(side, function) {
            None => true,
            Some(pair) => pair.is_source(side, node),
        }
    }

    /// Nothing differs.
    pub fn is_empty(&self, versions: Sides<Version<'_>>) -> bool {
        let all_paired = Side::BOTH.into_iter().all(|side| {
            let program = versions.of(side).program;
            let mut defined = program.defined_functions();
            defined.all(|(id, ..)| self.pair_of.of(side)[id.index()].is_some())
        });
        all_paired
            && self.globals.is_empty()
            && self.entries.old.is_empty()
            && self.entries.new.is_empty()
            && self.pairs.iter().all(FunctionPair::is_without_source)
    }
}

impl FunctionPair {
    pub fn partner_of_node(&self, side: Side, node: InstructionId) -> Option<InstructionId> {
        match (&self.nodes, side) {
            (NodeMap::Identity, _) => Some(node),
            (NodeMap::Partial { new_of_old, .. }, Side::Old) => new_of_old[node.index()],
            (NodeMap::Partial { old_of_new, .. }, Side::New) => old_of_new[node.index()],
        }
    }

    pub fn is_source(&self, side: Side, node: InstructionId) -> bool {
        match &self.nodes {
            NodeMap::Identity => false,
            NodeMap::Partial { sources, .. } => sources.of(side).contains(node.index()),
        }
    }

    /// The store comes at another place among other writes; see [`NodeMap::Partial`].
    pub fn is_reordered(&self, side: Side, node: InstructionId) -> bool {
        match &self.nodes {
            NodeMap::Identity => false,
            NodeMap::Partial { reordered, .. } => reordered.of(side).contains(node.index()),
        }
    }

    /// If the source is a call that differs in some arguments only: their numbers.
    pub fn changed_arguments(&self, side: Side, node: InstructionId) -> Option<&[u32]> {
        match &self.nodes {
            NodeMap::Identity => None,
            NodeMap::Partial { arguments, .. } => arguments
                .iter()
                .find(|row| row.call(side) == node)
                .map(|row| row.positions.as_slice()),
        }
    }

    /// The parameter's partner in the other version.
    pub fn partner_of_parameter(&self, side: Side, number: u32) -> Option<u32> {
        match side {
            Side::Old => *self.parameters.get(number as usize)?,
            Side::New => {
                let place = |partner: &Option<u32>| *partner == Some(number);
                self.parameters.iter().position(place).map(|at| at as u32)
            }
        }
    }

    /// Nothing of it is where a difference begins.
    pub fn is_without_source(&self) -> bool {
        match &self.nodes {
            NodeMap::Identity => true,
            NodeMap::Partial {
                sources, reordered, ..
            } => {
                let sets = [&sources.old, &sources.new, &reordered.old, &reordered.new];
                sets.into_iter().all(|set| set.is_clear())
            }
        }
    }
}
