//! What does each value point to? Inclusion constraints, solved.
//!
//! **Source.** Andersen's analysis, with byte offsets (Pearce, Kelly, Hankin), cycles collapsed and
//! differences propagated in topological order, wave by wave (Pereira, Berlin). Functions that a
//! call through a pointer may enter are linked as they are found.
//!
//! **Why right.** A node's set only grows, every constraint is applied to every element of the set
//! of the node it hangs on, and a new constraint or edge sees what is there already. Arithmetic
//! that lies on a cycle (`p++` in a loop, across calls too) becomes a step by any multiple, which
//! folds the array, so no chain of locations is endless.
//!
//! **Cost.** Each wave is linear in nodes and edges that have something to say; their number is
//! small since cycles are collapsed. See docs/results.md for times.

use super::arithmetic::Step;
use super::busy::Busy;
use super::location_set::LocationSet;
use super::memory_copies::{Link, MemoryCopy};
use super::objects::{LocationId, ObjectId, ObjectKind, Objects};
use fixedbitset::FixedBitSet;
use knockon_program::{FunctionId, OutOfTime, Program, TimeLimit};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::OnceCell;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// The node whose set is all that escaped; it is also the content of all escaped memory. Elsewhere
/// the location of [`ObjectKind::Outside`] stands for all of it, so that sets stay small: escaped
/// memory is one word, and an escaped function has the outside for its arguments.
pub const OUTSIDE: NodeId = NodeId(0);

/// The location of the outside.
pub(super) const OUTSIDE_LOCATION: LocationId = LocationId(0);

/// What is done with a pointer, once for each location in its node's set.
#[derive(Clone, Copy, Debug)]
pub enum Use {
    /// All words of the object.
    LoadAll {
        to: NodeId,
    },
    StoreAll {
        from: NodeId,
    },
    /// Bytes are copied from here: number of the memory copy.
    CopySource(u32),
    /// Bytes are copied to here.
    CopyTarget(u32),
    /// A call through the pointer: number of the indirect call.
    Call(u32),
    /// An external function calls it back: number of the callback.
    Callback(u32),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) set: LocationSet,
    /// The part of `set` that was not yet passed on.
    pub(super) fresh: LocationSet,
    pub(super) uses: Vec<Use>,
    /// For each size of loads through the pointer the node that gets them all, and likewise for
    /// stores: a pointer to many objects with many accesses costs the sum, not the product.
    pub(super) loads: SmallVec<[(u32, NodeId); 1]>,
    pub(super) stores: SmallVec<[(u32, NodeId); 1]>,
}

/// A call whose callee is a value.
#[derive(Clone, Debug)]
pub struct PointerCall {
    pub arguments: Vec<NodeId>,
    pub result: NodeId,
    /// Functions found so far, in the order in which they were found.
    pub found: Vec<FunctionId>,
    /// May also enter every function that escaped, and unknown code.
    pub outside: bool,
}

impl PointerCall {
    pub fn new(arguments: Vec<NodeId>, result: NodeId) -> PointerCall {
        PointerCall {
            arguments,
            result,
            found: Vec::new(),
            outside: false,
        }
    }
}

/// The nodes of a function's interface.
#[derive(Clone, Debug)]
pub struct Interface {
    pub parameters: Vec<NodeId>,
    pub result: NodeId,
    /// The content of the arguments behind `...`.
    pub variadic: Option<NodeId>,
}

pub struct Solver<'p> {
    pub program: &'p Program,
    pub objects: Objects,
    pub(super) nodes: Vec<Node>,
    /// For each node those that get all it has. Apart from the rest, as the order of a wave is
    /// made of nothing else.
    pub(super) copies: Vec<Vec<NodeId>>,
    /// For each node, by the number of the steps, that of the pointer so moved.
    pub(super) moves: Vec<SmallVec<[(u32, NodeId); 1]>>,
    pub(super) parent: Vec<NodeId>,
    pub(super) steps: Vec<Vec<Step>>,
    pub(super) step_numbers: FxHashMap<Vec<Step>, u32>,
    pub(super) edges: FxHashSet<(NodeId, NodeId)>,
    /// Nodes for stores to, and loads from, any offset.
    pub(super) any: FxHashMap<ObjectId, (NodeId, NodeId)>,
    pub(super) links: FxHashMap<ObjectId, Vec<Link>>,
    pub(super) linked: FxHashSet<(ObjectId, u32, ObjectId, u32)>,
    pub(super) memory_copies: Vec<MemoryCopy>,
    pub calls: Vec<PointerCall>,
    pub callbacks: Vec<PointerCall>,
    /// Of functions with a body.
    pub interfaces: Vec<Option<Interface>>,
    /// Functions without a body that a call through a pointer found: (call, function). The owner
    /// of the solver describes them and goes on.
    pub found_externals: Vec<(u32, FunctionId)>,
    pub escaped_functions: Vec<FunctionId>,
    /// By object; see [`Solver::has_escaped`].
    pub(super) escaped: FixedBitSet,
    /// The locations of escaped objects, the outside's own excepted, as of the last wave.
    pub(super) escaped_locations: LocationSet,
    pub(super) busy: Busy,
    /// How many objects are part of [`ObjectKind::Mixed`].
    pub mixed_objects: usize,
}

/// Where a set of so many chunks is copied to a node that then has the same set, both nodes become
/// one. That may cost precision later and never soundness; without it, memory that all of a
/// program shares makes every value that comes out of it a set of its own.
pub(super) const LARGE: usize = 8;

/// How many nodes have their turn between two looks at the clock.
const TURNS_BETWEEN_LOOKS: usize = 64;

impl<'p> Solver<'p> {
    pub fn new(program: &'p Program) -> Solver<'p> {
        let mut solver = Solver {
            program,
            objects: Objects::new(program),
            nodes: Vec::new(),
            copies: Vec::new(),
            moves: Vec::new(),
            parent: Vec::new(),
            steps: Vec::new(),
            step_numbers: FxHashMap::default(),
            edges: FxHashSet::default(),
            any: FxHashMap::default(),
            links: FxHashMap::default(),
            linked: FxHashSet::default(),
            memory_copies: Vec::new(),
            calls: Vec::new(),
            callbacks: Vec::new(),
            interfaces: vec![None; program.functions.len()],
            found_externals: Vec::new(),
            escaped_functions: Vec::new(),
            escaped: FixedBitSet::new(),
            escaped_locations: LocationSet::default(),
            busy: Busy::default(),
            mixed_objects: 0,
        };
        let outside = solver.node();
        let object = solver.objects.add(ObjectKind::Outside, None);
        solver.objects.get_mut(object).words.push((0, outside.0));
        solver.note_escape(object);
        solver.any.insert(object, (outside, outside));
        let location = solver.objects.location(object, 0);
        debug_assert_eq!(location, OUTSIDE_LOCATION);
        solver.insert(outside, location);
        solver
    }

    pub fn node(&mut self) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node::default());
        self.copies.push(Vec::new());
        self.moves.push(SmallVec::new());
        self.busy.add_node();
        self.parent.push(id);
        id
    }

    pub fn find(&mut self, mut node: NodeId) -> NodeId {
        while self.parent[node.0 as usize] != node {
            let up = self.parent[node.0 as usize];
            self.parent[node.0 as usize] = self.parent[up.0 as usize];
            node = up;
        }
        node
    }

    /// Whether code outside of the program can reach the object.
    pub fn has_escaped(&self, object: ObjectId) -> bool {
        self.escaped.contains(object.0 as usize)
    }

    /// Whether that is new.
    pub(super) fn note_escape(&mut self, object: ObjectId) -> bool {
        self.escaped.grow(self.objects.rows.len());
        !self.escaped.put(object.0 as usize)
    }

    /// The set of a node.
    pub fn set(&mut self, node: NodeId) -> &LocationSet {
        let node = self.find(node);
        &self.nodes[node.0 as usize].set
    }

    pub fn insert(&mut self, node: NodeId, location: LocationId) {
        let node = self.find(node);
        let row = &mut self.nodes[node.0 as usize];
        if row.set.insert(location.0) {
            row.fresh.insert(location.0);
            self.busy.push(node);
        }
    }

    pub fn copy(&mut self, from: NodeId, to: NodeId) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.copies[from.0 as usize].push(to);
        // What is fresh at `from` comes with the next wave.
        let row = &mut self.nodes[from.0 as usize];
        if row.set.is_empty() {
            return;
        }
        if from == OUTSIDE {
            return self.insert(to, OUTSIDE_LOCATION);
        }
        if row.fresh.is_empty() {
            let known = std::mem::take(&mut row.set);
            self.add_all(to, &known);
            self.nodes[from.0 as usize].set = known;
        } else {
            let known = row.set.without(&row.fresh);
            self.add_all(to, &known);
        }
    }

    pub(super) fn add_all(&mut self, node: NodeId, locations: &LocationSet) {
        self.add_most(node, locations, &OnceCell::new());
    }

    /// Adds the locations to a node that is its own representative. `unescaped` keeps those that
    /// did not escape for the next node that gets the same ones.
    fn add_most(
        &mut self,
        node: NodeId,
        locations: &LocationSet,
        unescaped: &OnceCell<LocationSet>,
    ) {
        let row = &mut self.nodes[node.0 as usize];
        // What escaped is meant by the location of the outside already.
        let grew = match node != OUTSIDE && row.set.contains(OUTSIDE_LOCATION.0) {
            true => {
                let others = || locations.without(&self.escaped_locations);
                row.set
                    .add_all(unescaped.get_or_init(others), &mut row.fresh)
            }
            false => row.set.add_all(locations, &mut row.fresh),
        };
        if grew {
            self.busy.push(node);
        }
    }

    pub fn attach(&mut self, node: NodeId, new: Use) {
        let node = self.find(node);
        let row = &mut self.nodes[node.0 as usize];
        row.uses.push(new);
        // All uses see the whole set again; that is rare once solving has begun.
        self.renew(node);
    }

    /// Everything that hangs on the node sees its whole set again.
    pub(super) fn renew(&mut self, node: NodeId) {
        let row = &mut self.nodes[node.0 as usize];
        if !row.set.is_empty() {
            row.fresh = row.set.clone();
            self.busy.push(node);
        }
    }

    /// What a load of this size through the pointer gives.
    pub fn loaded(&mut self, pointer: NodeId, size: u32) -> NodeId {
        let pointer = self.find(pointer);
        let known = self.nodes[pointer.0 as usize].loads.iter();
        if let Some((_, node)) = known.clone().find(|row| row.0 == size) {
            return *node;
        }
        let node = self.node();
        let row = &mut self.nodes[pointer.0 as usize];
        row.loads.push((size, node));
        self.renew(pointer);
        node
    }

    /// The value is stored through the pointer.
    pub fn store(&mut self, pointer: NodeId, from: NodeId, size: u32) {
        let pointer = self.find(pointer);
        let known = self.nodes[pointer.0 as usize].stores.iter();
        let stored = match known.clone().find(|row| row.0 == size) {
            Some((_, node)) => *node,
            None => {
                let node = self.node();
                let row = &mut self.nodes[pointer.0 as usize];
                row.stores.push((size, node));
                self.renew(pointer);
                node
            }
        };
        self.copy(from, stored);
    }

    /// Makes two nodes one.
    pub fn unify(&mut self, one: NodeId, two: NodeId) -> NodeId {
        // Loads of equal size through one pointer are equal, so joining nodes may join others.
        let mut work = vec![(one, two)];
        while let Some((one, two)) = work.pop() {
            self.unify_one(one, two, &mut work);
        }
        self.find(one)
    }

    pub(super) fn unify_one(&mut self, one: NodeId, two: NodeId, work: &mut Vec<(NodeId, NodeId)>) {
        let (one, two) = (self.find(one), self.find(two));
        if one == two {
            return;
        }
        let weight = |node: NodeId| {
            let node = node.0 as usize;
            self.nodes[node].uses.len() + self.copies[node].len()
        };
        let bigger = weight(one) >= weight(two);
        let (kept, gone) = match bigger || one == OUTSIDE {
            true => (one, two),
            false => (two, one),
        };
        let (kept, gone) = match gone == OUTSIDE {
            true => (gone, kept),
            false => (kept, gone),
        };
        self.parent[gone.0 as usize] = kept;
        let gone_copies = std::mem::take(&mut self.copies[gone.0 as usize]);
        let gone_moves = std::mem::take(&mut self.moves[gone.0 as usize]);
        let gone = std::mem::take(&mut self.nodes[gone.0 as usize]);
        let row = &mut self.nodes[kept.0 as usize];
        // Each side's constraints have not seen what only the other side had.
        let news = gone.set.without(&row.set);
        let olds = row.set.without(&gone.set);
        row.fresh.join(&gone.fresh);
        row.fresh.join(&news);
        let idle = gone.uses.is_empty()
            && gone.loads.is_empty()
            && gone.stores.is_empty()
            && gone_moves.is_empty()
            && gone_copies.is_empty();
        if !idle {
            row.fresh.join(&olds);
        }
        row.set.join(&news);
        if !row.fresh.is_empty() {
            self.busy.push(kept);
        }
        self.copies[kept.0 as usize].extend(gone_copies);
        row.uses.extend(gone.uses);
        for (mine, other) in [
            (&mut row.loads, gone.loads),
            (&mut row.stores, gone.stores),
            (&mut self.moves[kept.0 as usize], gone_moves),
        ] {
            for (size, node) in other {
                match mine.iter().find(|known| known.0 == size) {
                    Some((_, known)) => work.push((*known, node)),
                    None => mine.push((size, node)),
                }
            }
        }
    }

    /// Solves all constraints; afterwards [`Solver::found_externals`] may ask for more.
    pub fn solve(&mut self, limit: TimeLimit<'_>) -> Result<(), OutOfTime> {
        while let Some(order) = self.next_wave() {
            self.busy.take_list();
            for (number, node) in order.into_iter().enumerate() {
                if number.is_multiple_of(TURNS_BETWEEN_LOOKS) {
                    limit.check()?;
                }
                self.take_turn(node);
            }
            self.trickle();
        }
        Ok(())
    }

    /// While few nodes have something to say, looking for cycles costs more than it saves.
    pub(super) fn trickle(&mut self) {
        let mut patience = self.nodes.len() / 16;
        while self.busy.len() < self.nodes.len() / 64 && patience > 0 {
            let busy = self.busy.take_list();
            if busy.is_empty() {
                return;
            }
            patience = patience.saturating_sub(busy.len());
            for node in busy {
                self.take_turn(node);
            }
        }
    }

    pub(super) fn take_turn(&mut self, node: NodeId) {
        if !self.busy.unmark(node) {
            return;
        }
        let fresh = std::mem::take(&mut self.nodes[node.0 as usize].fresh);
        if !fresh.is_empty() {
            self.pass_on(node, &fresh);
        }
    }

    pub(super) fn pass_on(&mut self, node: NodeId, fresh: &LocationSet) {
        let mut only_outside = LocationSet::default();
        only_outside.insert(OUTSIDE_LOCATION.0);
        let mut fresh = fresh;
        if node == OUTSIDE {
            for location in fresh.iter() {
                self.escape(LocationId(location));
            }
            fresh = &only_outside;
        }
        let (loads, stores) = (
            self.nodes[node.0 as usize].loads.clone(),
            self.nodes[node.0 as usize].stores.clone(),
        );
        if !loads.is_empty() || !stores.is_empty() {
            for location in fresh.iter() {
                self.access(LocationId(location), &loads, &stores);
            }
        }
        for (steps, to) in self.moves[node.0 as usize].clone() {
            self.arithmetic(fresh, steps, to);
        }
        let uses = std::mem::take(&mut self.nodes[node.0 as usize].uses);
        for used in &uses {
            self.apply(*used, fresh);
        }
        let now = self.find(node);
        let added = std::mem::replace(&mut self.nodes[now.0 as usize].uses, uses);
        let row = &mut self.nodes[now.0 as usize];
        row.uses.extend(added);
        if now != node {
            self.renew(now);
        }
        let from = self.find(node);
        let is_large = self.nodes[from.0 as usize].set.is_longer_than(LARGE);
        let copies = std::mem::take(&mut self.copies[from.0 as usize]);
        let unescaped = OnceCell::new();
        let mut alike: Vec<NodeId> = Vec::new();
        for to in &copies {
            let to = self.find(*to);
            if to == from {
                continue;
            }
            self.add_most(to, fresh, &unescaped);
            if is_large && self.nodes[from.0 as usize].set == self.nodes[to.0 as usize].set {
                alike.push(to);
            }
        }
        self.copies[from.0 as usize] = copies;
        for to in alike {
            self.unify(node, to);
        }
    }

    pub(super) fn apply(&mut self, used: Use, fresh: &LocationSet) {
        match used {
            Use::CopySource(number) => return self.pass_memory(number, fresh, true),
            Use::CopyTarget(number) => return self.pass_memory(number, fresh, false),
            _ => {}
        }
        for location in fresh.iter() {
            let (object, _) = self.objects.resolve(LocationId(location));
            let memory = matches!(used, Use::LoadAll { .. } | Use::StoreAll { .. });
            if memory && self.objects.get(object).holds_nothing() {
                continue;
            }
            match used {
                Use::LoadAll { to } => {
                    let (_, all) = self.any_offset(object);
                    self.copy(all, to);
                }
                Use::StoreAll { from } => {
                    let (all, _) = self.any_offset(object);
                    self.copy(from, all);
                }
                Use::Call(call) => self.enter(call, object, false),
                Use::Callback(call) => self.enter(call, object, true),
                Use::CopySource(_) | Use::CopyTarget(_) => {}
            }
        }
    }

    /// The sets and the representative of each node, when all is solved.
    pub fn into_parts(mut self) -> (Objects, Vec<NodeId>, Vec<LocationSet>) {
        let roots: Vec<NodeId> = (0..self.nodes.len() as u32)
            .map(|node| self.find(NodeId(node)))
            .collect();
        let sets = self.nodes.into_iter().map(|node| node.set).collect();
        (self.objects, roots, sets)
    }
}
