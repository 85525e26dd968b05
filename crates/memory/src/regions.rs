//! Which memory may two instructions share?
//!
//! **Question.** Into which *regions* does memory fall, such that accesses to different regions of
//! a function never touch the same byte, in whatever context the function runs?
//!
//! **Source.** Unification-based points-to analysis with one copy of a callee's objects for each
//! call, as in data structure analysis (Lattner, Lenharth, Adve 2007) and sea-dsa (Gurfinkel,
//! Navas 2017): bottom-up over the components of the call graph, then top-down. `sem-dcia` §2.2
//! treats regions and global variables as further formals.
//!
//! **Rules.** `rules` reads a body, `solving` applies the rules, `calling` and `library_calling`
//! are the rules of calls; `partition` makes regions of objects, `bindings` says which regions of
//! the caller the callee's are, `contexts` pushes down what callers make the same.
//!
//! **Departures.** Offsets that are not known make an access touch several regions, and do not
//! make one region of all; copies of contents (`memcpy`) go from one object to the other, and do
//! not make one object of both. What global variables reach is the same in all functions.
//!
//! **Soundness.** Every value that may carry a pointer is followed, integers too (`carriers` says
//! which are not). Code that is not seen may read and write all that it was ever given. Parameters
//! of functions that only the outside calls are taken to be apart from each other.
//!
//! **Cost.** Near-linear in instructions and in the copies; where these grow beyond a bound, they
//! are shared between callers with the caveat `coarse-memory`.

mod allocations;
mod applying;
mod bindings;
mod calling;
mod carriers;
mod cells;
mod constants;
mod contexts;
mod dump;
mod extents;
mod library_calling;
mod naming;
mod objects;
mod offsets;
mod origins;
mod partition;
mod paths;
mod patterns;
mod pointer_calls;
mod registering;
mod rules;
mod solving;
mod starting;
mod summaries;
mod touches;
mod wanted_values;

pub use allocations::Allocation;
pub(crate) use carriers::constant_integer;
pub use dump::dump_regions;

use crate::call_graph::{CallGraph, CallSiteId};
use crate::points_to::PointsTo;
use cells::Cell;
use contexts::Contexts;
use fixedbitset::FixedBitSet;
use knockon_graphs::Rows;
use knockon_library::{Connection, Library};
use knockon_program::{Caveat, FunctionId, InstructionId, OutOfTime, Program, TimeLimit};
use naming::Way;
use partition::Partition;
use solving::Solver;
use touches::Touches;

/// A region. Regions of global variables and of what they reach are the same in all functions; all
/// others belong to one function, or to functions that call each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegionId(pub u32);

impl RegionId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<RegionId> for usize {
    fn from(region: RegionId) -> usize {
        region.index()
    }
}

impl From<usize> for RegionId {
    fn from(index: usize) -> RegionId {
        RegionId(index as u32)
    }
}

/// A function that a call enters, at that call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BindingId(pub u32);

impl From<BindingId> for usize {
    fn from(binding: BindingId) -> usize {
        binding.0 as usize
    }
}

/// The regions of a program.
pub struct Regions {
    /// Before contexts: what each function touches, seen from itself.
    touches: Vec<Touches>,
    functions: Vec<FunctionRegions>,
    /// For each binding, by callee region; before contexts.
    bound: Rows<(RegionId, RegionId)>,
    /// For each binding: what of the caller the callee reaches through library functions, and
    /// whether that is written; before contexts.
    reached: Rows<(RegionId, bool)>,
    partition: Partition,
    contexts: Contexts,
    is_shared: FixedBitSet,
    ways: Vec<Way>,
    object_allocations: Rows<Allocation>,
    /// For each site the functions that it causes to run later.
    registered: Rows<FunctionId>,
    visible: Vec<Vec<RegionId>>,
    pub caveats: Vec<Caveat>,
}

/// The regions that the instructions of one function touch.
#[derive(Debug, Default)]
pub struct FunctionRegions {
    reads: Rows<RegionId>,
    writes: Rows<RegionId>,
}

impl FunctionRegions {
    /// What the instruction itself may read, ascending. A call reads what its callees read, too.
    pub fn may_read(&self, instruction: InstructionId) -> &[RegionId] {
        self.reads.of(instruction)
    }

    /// What the instruction itself may write, ascending. A call writes what its callees write, too.
    pub fn may_write(&self, instruction: InstructionId) -> &[RegionId] {
        self.writes.of(instruction)
    }
}

/// The program is promoted, the call graph is its own.
pub fn regions(
    program: &Program,
    calls: &CallGraph,
    library: &Library,
    limit: TimeLimit<'_>,
) -> Result<Regions, OutOfTime> {
    regions_within(program, calls, library, None, limit)
}

/// As [`regions`]; where points-to sets are given, integers with an empty one carry no pointer.
pub fn regions_within(
    program: &Program,
    calls: &CallGraph,
    library: &Library,
    points_to: Option<&PointsTo>,
    limit: TimeLimit<'_>,
) -> Result<Regions, OutOfTime> {
    let mut solver = solving::solve(program, calls, library, points_to, limit)?;
    solver.touch_reached();
    let partition = partition::partition(&solver.objects);
    let touches = touches::touches(&mut solver, &partition);
    let bound = bindings::bound_regions(&solver, &partition);
    let reached = bindings::reached_regions(&mut solver, &partition);
    let contexts = contexts::contexts(&solver, &partition, &bound);
    let functions = touches
        .iter()
        .map(|touches| FunctionRegions {
            reads: expanded(&contexts, &touches.reads),
            writes: expanded(&contexts, &touches.writes),
        })
        .collect();
    let visible = visible_regions(&solver, &partition, &contexts);
    let mut is_shared = FixedBitSet::with_capacity(partition.region_count());
    for (region, object) in partition.object_of.iter().enumerate() {
        is_shared.set(region, solver.objects.row(*object).is_shared);
    }
    Ok(Regions {
        functions,
        bound,
        reached,
        is_shared,
        ways: naming::ways(&solver),
        object_allocations: naming::allocations(&solver, &partition),
        visible,
        registered: solver.registered,
        caveats: solver.caveats,
        touches,
        partition,
        contexts,
    })
}

/// For each function the regions of the objects that its callers get copies of.
fn visible_regions(
    solver: &Solver,
    partition: &Partition,
    contexts: &Contexts,
) -> Vec<Vec<RegionId>> {
    let of_function = |cells: &solving::FunctionCells| {
        let mut found: Vec<RegionId> = cells
            .summary
            .iter()
            .map(|object| solver.objects.resolve(Cell::start_of(*object)).object)
            .flat_map(|object| partition.of_object(object))
            .map(|region| contexts.representative(region))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    solver.functions.iter().map(of_function).collect()
}

fn expanded(contexts: &Contexts, rows: &Rows<RegionId>) -> Rows<RegionId> {
    let mut all = Rows::with_capacity(rows.row_count(), rows.item_count());
    let mut row = Vec::new();
    for index in 0..rows.row_count() {
        row.clear();
        for region in rows.of(index) {
            contexts.expand(*region, &mut row);
        }
        row.sort_unstable();
        row.dedup();
        all.push_row(row.iter().copied());
    }
    all
}

impl Regions {
    pub fn function(&self, function: FunctionId) -> &FunctionRegions {
        &self.functions[function.index()]
    }

    /// One more than the largest id.
    pub fn region_count(&self) -> usize {
        self.partition.region_count()
    }

    /// The region is the same in all functions: of a global variable, or of what one reaches.
    pub fn is_shared(&self, region: RegionId) -> bool {
        self.is_shared.contains(region.index())
    }

    /// Code outside of the function may see the region: it is shared, or reachable from the
    /// parameters or the result. Such regions act as further parameters and results.
    pub fn is_visible(&self, function: FunctionId, region: RegionId) -> bool {
        self.is_shared(region)
            || self.visible[function.index()]
                .binary_search(&region)
                .is_ok()
    }

    /// The regions that are reachable from the parameters and the result and are not shared,
    /// ascending.
    pub fn visible(&self, function: FunctionId) -> &[RegionId] {
        &self.visible[function.index()]
    }

    /// What memory the region may be, ascending; memory that the caller hands over is not listed.
    pub fn allocations(&self, region: RegionId) -> &[Allocation] {
        let object = self.partition.object_of[region.index()];
        self.object_allocations.of(object.index())
    }

    /// The store overwrites this region whole, and nothing of the old value stays.
    pub fn overwritten(&self, function: FunctionId, store: InstructionId) -> Option<RegionId> {
        let overwrites = &self.touches[function.index()].overwrites;
        let found = overwrites.binary_search_by_key(&store, |row| row.0).ok()?;
        let region = overwrites[found].1;
        // In some context it is one of several.
        let is_alone = self.contexts.is_alone(region);
        is_alone.then_some(region)
    }

    /// The functions with a body that run because of a call: its targets, then its callbacks, then
    /// the functions that a library function takes note of to run them later; each with the row of
    /// its binding.
    pub fn entered(
        &self,
        calls: &CallGraph,
        site: CallSiteId,
    ) -> impl Iterator<Item = (FunctionId, BindingId)> {
        let callbacks = calls.targets.item_count();
        let registered = callbacks + calls.callbacks.item_count();
        fn rows(
            table: &Rows<FunctionId>,
            first: usize,
            site: CallSiteId,
        ) -> impl Iterator<Item = (FunctionId, usize)> + '_ {
            let first = first + table.range(site).start;
            table.of(site).iter().copied().zip(first..)
        }
        rows(&calls.targets, 0, site)
            .chain(rows(&calls.callbacks, callbacks, site))
            .chain(rows(&self.registered, registered, site))
            .map(|(function, binding)| (function, BindingId(binding as u32)))
    }

    /// The functions that a call causes to run later, ascending.
    pub fn registered(&self, site: CallSiteId) -> &[FunctionId] {
        self.registered.of(site)
    }

    /// Pairs of a region of the entered function and one of the caller that it is or may be, by the
    /// former. Shared regions are themselves and not listed, nor are those of functions that call
    /// each other.
    pub fn bound_regions(&self, binding: BindingId) -> Vec<(RegionId, RegionId)> {
        let mut found = Vec::new();
        let mut there = Vec::new();
        for (callee, caller) in self.bound.of(binding) {
            there.clear();
            self.contexts.expand(*caller, &mut there);
            let callee = self.contexts.representative(*callee);
            found.extend(there.iter().map(|caller| (callee, *caller)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What the callee's region is in the caller, before contexts.
    pub(crate) fn seen_from_caller(
        &self,
        binding: BindingId,
        region: RegionId,
    ) -> impl Iterator<Item = RegionId> + '_ {
        let pairs = self.bound.of(binding);
        let first = pairs.partition_point(|pair| pair.0 < region);
        let own = self.is_shared(region).then_some(region);
        let bound = pairs[first..].iter();
        let bound = bound.take_while(move |pair| pair.0 == region);
        own.into_iter().chain(bound.map(|pair| pair.1))
    }

    pub(crate) fn reached_at(&self, binding: BindingId) -> &[(RegionId, bool)] {
        self.reached.of(binding)
    }

    /// What the instruction itself touches, before contexts: reads, then writes.
    pub(crate) fn touched_by(
        &self,
        function: FunctionId,
        instruction: InstructionId,
    ) -> [(&[RegionId], bool); 2] {
        let touches = &self.touches[function.index()];
        [
            (touches.reads.of(instruction), false),
            (touches.writes.of(instruction), true),
        ]
    }

    /// The regions as their function sees them, ascending.
    pub(crate) fn in_view(&self, regions: &[RegionId]) -> Vec<RegionId> {
        let mut found = Vec::with_capacity(regions.len());
        for region in regions {
            self.contexts.expand(*region, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    pub(crate) fn connection(&self, function: FunctionId, call: InstructionId) -> Connection {
        let connections = &self.touches[function.index()].connections;
        match connections.binary_search_by_key(&call, |row| row.0) {
            Ok(found) => connections[found].1,
            Err(_) => Connection::Unknown,
        }
    }
}
