//! What may every pointer of the program point to?
//!
//! Functions are solved callees first. A call copies the callee's objects into the caller
//! (`calling`), so that each caller has its own; only objects that global variables reach, and
//! those of parameters that reach too much, are the same everywhere: *shared*. The rules of a
//! function are applied again when its own objects, a callee's, or shared objects have changed.
//! Objects only ever join, offsets only ever widen, and copies through recursion are bounded
//! (`origins`), so this ends, and in the end every rule holds, at every call for the whole graph of
//! the callee. By induction over a run, what an activation can reach is in its function's graph.
//!
//! This is the loop and its state; what there is before it is in `starting`, the rules are applied
//! in `applying`, and what callers see is found in `summaries`.

use super::allocations::Allocation;
use super::cells::Cell;
use super::constants::Constants;
use super::objects::{ObjectId, Objects};
use super::origins::Origins;
use super::registering::registered_functions;
use super::rules::BodyRules;
use super::starting::maps_files;
use crate::call_graph::CallGraph;
use crate::points_to::PointsTo;
use knockon_graphs::{Components, Rows, components};
use knockon_library::{Formats, Library};
use knockon_program::{Caveat, FunctionId, InstructionId, OutOfTime, Program, TimeLimit};
use rustc_hash::FxHashMap;

/// Contents that go from one place to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Copying {
    pub(crate) from: Cell,
    pub(crate) to: Cell,
    pub(crate) length: Option<u32>,
    /// The first byte goes to the first byte.
    pub(crate) is_aligned: bool,
}

/// All that can be reached from a cell is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Reaching {
    pub(crate) from: Cell,
    pub(crate) writes: bool,
}

/// What is known of one function.
#[derive(Debug, Default)]
pub(crate) struct FunctionCells {
    pub(crate) rules: BodyRules,
    pub(crate) arguments: Vec<Cell>,
    /// Where the arguments point when a caller hands them over, before the function calls itself.
    pub(crate) starts: Vec<Cell>,
    /// The area of variadic arguments.
    pub(crate) variadics: Option<ObjectId>,
    pub(crate) result: Option<Cell>,
    pub(crate) values: Vec<Cell>,
    /// New objects that library calls make.
    pub(crate) made: FxHashMap<InstructionId, ObjectId>,
    pub(crate) copies: Vec<Copying>,
    pub(crate) reaches: Vec<Reaching>,
    /// The objects that a caller gets copies of: those that the parameters and the result reach
    /// and no global variable does, in the order found.
    pub(crate) summary: Vec<ObjectId>,
    /// Of the copies and reaches those that a caller must know.
    pub(crate) visible_copies: Vec<Copying>,
    pub(crate) visible_reaches: Vec<Reaching>,
    /// What it is given and gives back is the same for all functions.
    pub(crate) is_shared: bool,
    /// How often the rules were applied.
    runs: u32,
    /// Grows when something of the function changes.
    version: u64,
    /// The versions of shared objects and of the callees with which all rules held.
    seen: Option<(u64, u64)>,
}

impl FunctionCells {
    pub(crate) fn new(rules: BodyRules, instructions: usize) -> FunctionCells {
        FunctionCells {
            rules,
            values: vec![Cell::NONE; instructions],
            ..FunctionCells::default()
        }
    }
}

pub(crate) struct Solver<'a> {
    pub(crate) program: &'a Program,
    pub(crate) calls: &'a CallGraph,
    pub(crate) library: &'a Library,
    pub(crate) objects: Objects,
    pub(crate) constants: Constants,
    pub(crate) formats: Formats,
    /// Some memory is the content of a file.
    pub(crate) maps_files: bool,
    pub(crate) functions: Vec<FunctionCells>,
    /// For each site the functions that a library function takes note of, to run them later. They
    /// get their arguments there, so they are bound as if they ran there.
    pub(crate) registered: Rows<FunctionId>,
    /// For each target, then each callback, then each registered function of each site: callee
    /// objects and where they are in the caller.
    pub(crate) bindings: Vec<Vec<(ObjectId, Cell)>>,
    pub(crate) components: Components<FunctionId>,
    /// For each function those it may enter.
    callees: Rows<FunctionId>,
    pub(crate) origins: Origins,
    pub(crate) caveats: Vec<Caveat>,
    /// For each object its place in the summary that is being applied.
    pub(crate) positions: Vec<u32>,
}

/// From this run of a function on, offsets that still change go to infinity.
const WIDENING_RUN: u32 = 3;
pub(crate) fn solve<'a>(
    program: &'a Program,
    calls: &'a CallGraph,
    library: &'a Library,
    points_to: Option<&PointsTo>,
    limit: TimeLimit<'_>,
) -> Result<Solver<'a>, OutOfTime> {
    let mut objects = Objects::new();
    let outside = objects.allocations.one(Allocation::Outside);
    objects.add_allocation(objects.outside, outside);
    let constants = Constants::new(program, library, &mut objects);
    let registered = registered_functions(program, calls, library);
    let binding_count =
        calls.targets.item_count() + calls.callbacks.item_count() + registered.item_count();
    let callees = call_rows(program, calls, &registered);
    let components = components(&callees);
    let mut solver = Solver {
        program,
        calls,
        library,
        objects,
        constants,
        formats: Formats::new(program),
        maps_files: maps_files(program, calls),
        functions: Vec::new(),
        bindings: vec![Vec::new(); binding_count],
        components,
        callees,
        origins: Origins::default(),
        registered,
        caveats: Vec::new(),
        positions: Vec::new(),
    };
    solver.prepare(points_to);
    solver.run(limit)?;
    Ok(solver)
}

/// Who enters whom, now or later.
fn call_rows(
    program: &Program,
    calls: &CallGraph,
    registered: &Rows<FunctionId>,
) -> Rows<FunctionId> {
    let mut rows = Rows::with_capacity(program.functions.len(), calls.targets.item_count());
    for function in program.function_ids() {
        let sites = calls.sites_of(function);
        rows.push_row(sites.flat_map(|site| {
            let later = registered.of(site).iter();
            let callbacks = calls.callbacks.of(site).iter();
            let targets = calls.targets.of(site).iter();
            targets.chain(callbacks).chain(later).copied()
        }));
    }
    rows
}

impl Solver<'_> {
    pub(crate) fn allocate(&mut self, object: ObjectId, allocation: Allocation) {
        let set = self.objects.allocations.one(allocation);
        self.objects.add_allocation(object, set);
    }

    pub(crate) fn allocate_heap(
        &mut self,
        object: ObjectId,
        function: FunctionId,
        call: InstructionId,
    ) {
        self.allocate(object, Allocation::Heap(function, call));
        self.objects.mark_heap(object);
    }

    /// Applies rules until all hold: callees first, and the functions of a component of the call
    /// graph until nothing changes there before any of its callers.
    fn run(&mut self, limit: TimeLimit<'_>) -> Result<(), OutOfTime> {
        let order = self.callees_first();
        loop {
            let mut is_done = true;
            let same = |left: &FunctionId, right: &FunctionId| {
                self.components.component_of[left.index()]
                    == self.components.component_of[right.index()]
            };
            let groups: Vec<&[FunctionId]> = order.chunk_by(same).collect();
            for members in groups {
                loop {
                    let mut changed = false;
                    for function in members {
                        limit.check()?;
                        changed |= self.run_function(*function);
                    }
                    if !changed {
                        break;
                    }
                    is_done = false;
                }
            }
            if is_done {
                return Ok(());
            }
        }
    }

    pub(crate) fn is_same_component(&self, left: FunctionId, right: FunctionId) -> bool {
        let component = |function: FunctionId| self.components.component_of[function.index()];
        component(left) == component(right)
    }

    /// All functions with a body by component, callees first, also within a component as far as
    /// that is possible.
    fn callees_first(&self) -> Vec<FunctionId> {
        let mut postorder = vec![u32::MAX; self.callees.row_count()];
        let mut count = 0;
        for start in self.program.function_ids() {
            if postorder[start.index()] != u32::MAX {
                continue;
            }
            postorder[start.index()] = 0;
            let mut walk = vec![(start, 0usize)];
            while let Some((function, next)) = walk.last_mut() {
                match self.callees.of(*function).get(*next) {
                    Some(callee) => {
                        *next += 1;
                        if postorder[callee.index()] == u32::MAX {
                            postorder[callee.index()] = 0;
                            walk.push((*callee, 0));
                        }
                    }
                    None => {
                        postorder[function.index()] = count;
                        count += 1;
                        walk.pop();
                    }
                }
            }
        }
        let defined = self.program.defined_functions();
        let mut order: Vec<FunctionId> = defined.map(|row| row.0).collect();
        order.sort_by_key(|function| {
            let component = self.components.component_of[function.index()];
            (std::cmp::Reverse(component), postorder[function.index()])
        });
        order
    }

    /// Applies the rules of a function if something that they depend on has changed; whether they
    /// changed something.
    fn run_function(&mut self, function: FunctionId) -> bool {
        let before = (self.objects.shared_changes, self.callee_versions(function));
        let cells = &mut self.functions[function.index()];
        if cells.seen == Some(before) {
            return false;
        }
        cells.runs += 1;
        self.objects.widening = cells.runs > WIDENING_RUN;
        self.objects.changed = false;
        self.apply_rules(function);
        let changed = self.summarise(function) || self.objects.changed;
        let after = (self.objects.shared_changes, self.callee_versions(function));
        let cells = &mut self.functions[function.index()];
        cells.version += u64::from(changed);
        // If nothing changed, nothing would change the next time.
        cells.seen = (!changed).then_some(after);
        changed
    }

    /// Grows when the summary of a callee may have changed.
    fn callee_versions(&self, function: FunctionId) -> u64 {
        let callees = self.callees.of(function).iter();
        callees
            .map(|callee| self.functions[callee.index()].version)
            .sum()
    }

    fn apply_rules(&mut self, function: FunctionId) {
        let Some(body) = &self.program.function(function).body else {
            return;
        };
        let rules = std::mem::take(&mut self.functions[function.index()].rules);
        self.functions[function.index()].copies.clear();
        self.functions[function.index()].reaches.clear();
        for rule in &rules.rules {
            self.apply(function, body, *rule);
        }
        self.functions[function.index()].rules = rules;
    }
}
