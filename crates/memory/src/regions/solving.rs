//! What may every pointer of the program point to?
//!
//! Functions are solved callees first. A call copies the callee's objects into the caller
//! (`calling`), so that each caller has its own; only objects that global variables reach, and
//! those of parameters that reach too much, are the same everywhere: *shared*. The rules of a
//! function are applied again when its own objects, a callee's, or shared objects have changed.
//! Objects only ever join, offsets only ever widen, and copies through recursion are bounded
//! (`origins`), so this ends, and in the end every rule holds, at every call for the whole graph of
//! the callee. By induction over a run, what an activation can reach is in its function's graph.

use super::allocations::Allocation;
use super::carriers::constant_integer;
use super::constants::{Constants, constant_of};
use super::objects::{Cell, ObjectId, Objects, Put};
use super::offsets::Offsets;
use super::origins::Origins;
use super::patterns::Pattern;
use super::rules::{BodyRules, Rule, body_rules, pointer_type};
use crate::call_graph::CallGraph;
use crate::effects::{Callback, CallbackTime, Formats, Library, Origin, Value};
use crate::points_to::PointsTo;
use knockon_graphs::{Components, Rows, components};
use knockon_program::{
    Body, Caveat, FunctionId, InstructionId, Operand, ParameterAttributes, Program, Type,
};
use rayon::prelude::*;
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
/// A parameter or result that reaches more objects than this shares them with all functions.
const MOST_OBJECTS_BEHIND: usize = 48;
/// The most objects that callers get copies of.
const MOST_OBJECTS_VISIBLE: usize = 128;

/// Some call may map a file so that what is written to the one is in the other.
fn maps_files(program: &Program, calls: &CallGraph) -> bool {
    const FLAGS: usize = 3;
    const SHARED: i64 = 0x01;
    const ANONYMOUS: i64 = 0x20;
    calls.sites.iter().enumerate().any(|(index, site)| {
        let mut externals = calls.externals.of(index).iter();
        let maps =
            |external: &FunctionId| matches!(program.function_name(*external), "mmap" | "mmap64");
        let Some(body) = program.function(site.caller).body.as_deref() else {
            return false;
        };
        let flags = body.arguments(site.instruction).get(FLAGS);
        let flags = flags.and_then(|flags| constant_integer(program, *flags));
        externals.any(maps)
            && flags.is_none_or(|flags| flags & SHARED != 0 && flags & ANONYMOUS == 0)
    })
}

pub(crate) fn solve<'a>(
    program: &'a Program,
    calls: &'a CallGraph,
    library: &'a Library,
    points_to: Option<&PointsTo>,
) -> Solver<'a> {
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
    solver.run();
    solver
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

/// For each site the functions that run later because of it: the named one, or all that may run
/// at the end or at any time.
fn registered_functions(
    program: &Program,
    calls: &CallGraph,
    library: &Library,
) -> Rows<FunctionId> {
    let mut later: Vec<FunctionId> = calls.entries.anytime.clone();
    later.extend(&calls.entries.exit_handlers);
    later.sort_unstable();
    later.dedup();
    let mut rows = Rows::with_capacity(calls.sites.len(), 0);
    for (index, site) in calls.sites.iter().enumerate() {
        let body = program.function(site.caller).body.as_deref();
        let mut found: Vec<FunctionId> = Vec::new();
        for external in calls.externals.of(index) {
            let effect = library.of(program.function_name(*external));
            for callback in effect.into_iter().flat_map(|effect| &effect.callbacks) {
                if callback.time == CallbackTime::Now {
                    continue;
                }
                match body.and_then(|body| named(program, body, site.instruction, callback)) {
                    Some(function) => found.extend(later.contains(&function).then_some(function)),
                    None => found.extend(&later),
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        rows.push_row(found);
    }
    rows
}

/// The function that a callback is, where the call names it.
pub(crate) fn named(
    program: &Program,
    body: &Body,
    call: InstructionId,
    callback: &Callback,
) -> Option<FunctionId> {
    match callback.function {
        Origin::Same(Value::Argument(number)) => body
            .arguments(call)
            .get(number as usize)
            .and_then(|operand| constant_of(*operand))
            .and_then(|constant| program.called_function(constant)),
        _ => None,
    }
}

impl Solver<'_> {
    fn prepare(&mut self, points_to: Option<&PointsTo>) {
        let program = self.program;
        let pointer = pointer_type(program);
        self.functions = program
            .functions
            .par_iter()
            .enumerate()
            .map(|(index, function)| match &function.body {
                None => FunctionCells::default(),
                Some(body) => FunctionCells {
                    rules: body_rules(program, pointer, function, body, |operand| {
                        let function = FunctionId::from_index(index);
                        points_to.is_none_or(|found| !found.of(function, operand).is_empty())
                    }),
                    values: vec![Cell::NONE; body.instructions.len()],
                    ..FunctionCells::default()
                },
            })
            .collect();
        for (id, function, _) in program.defined_functions() {
            let mut arguments = Vec::with_capacity(function.parameters.len());
            for (number, parameter) in function.parameters.iter().enumerate() {
                arguments.push(
                    if self.functions[id.index()].rules.wanted_arguments[number] {
                        let object = self.objects.fresh();
                        if parameter.attributes.has(ParameterAttributes::BY_VALUE) {
                            self.allocate(object, Allocation::Parameter(id, number as u32));
                        }
                        Cell::start_of(object)
                    } else {
                        Cell::NONE
                    },
                );
            }
            let is_variadic = matches!(
                program.type_of(function.type_id),
                Type::Function { variadic: true, .. }
            );
            if is_variadic {
                let object = self.objects.fresh();
                let number = function.parameters.len() as u32;
                self.allocate(object, Allocation::Parameter(id, number));
                self.functions[id.index()].variadics = Some(object);
            }
            self.functions[id.index()].starts = arguments.clone();
            self.functions[id.index()].arguments = arguments;
        }
        self.hand_over_from_outside();
        self.hand_over_to_main();
        self.share_at_pointer_calls();
        for (id, _, _) in program.defined_functions() {
            self.summarise(id);
        }
    }

    /// Functions that run at any time, without a call that takes note of them, are called by code
    /// that is not seen.
    fn hand_over_from_outside(&mut self) {
        let mut noted = vec![false; self.functions.len()];
        for site in 0..self.registered.row_count() {
            for function in self.registered.of(site) {
                noted[function.index()] = true;
            }
        }
        let outside = self.objects.outside_cell();
        for id in &self.calls.entries.anytime {
            if !noted[id.index()] {
                for cell in self.functions[id.index()].arguments.clone() {
                    self.objects.unify(cell, outside);
                }
            }
        }
    }

    /// What `main` is given, variables of the library lead to as well: the environment, and, where
    /// the program names such a variable, the arguments. `optarg` gets them from whoever sets it.
    fn hand_over_to_main(&mut self) {
        let names_arguments = self.program.globals.iter().any(|global| {
            let variable = self.library.variable(self.program.name(global.name));
            variable.is_some_and(|variable| {
                let holds = variable.holds.contains(&"arguments") && variable.name != "optarg";
                holds && global.initialiser.is_none()
            })
        });
        let arguments = names_arguments.then_some((1, "arguments"));
        for main in &self.calls.entries.mains {
            for (number, name) in arguments.into_iter().chain([(2, "environment")]) {
                if let Some(given) = self.functions[main.index()].arguments.get(number).copied() {
                    self.objects.unify(given, self.constants.library(name));
                }
            }
        }
    }

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
    fn run(&mut self) {
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
                        changed |= self.run_function(*function);
                    }
                    if !changed {
                        break;
                    }
                    is_done = false;
                }
            }
            if is_done {
                break;
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

    /// Where an operand points.
    pub(crate) fn cell(&mut self, function: FunctionId, operand: Operand) -> Cell {
        match operand {
            Operand::Instruction(id) => self.functions[function.index()].values[id.index()],
            Operand::Argument(number) => self.functions[function.index()]
                .arguments
                .get(number as usize)
                .copied()
                .unwrap_or(Cell::NONE),
            Operand::Constant(constant) => {
                self.constants
                    .cell(self.program, &mut self.objects, constant)
            }
            Operand::Block(_) | Operand::Index(_) => Cell::NONE,
        }
    }

    /// The value may also point there.
    pub(crate) fn join_value(&mut self, function: FunctionId, value: InstructionId, cell: Cell) {
        let mut holder = self.functions[function.index()].values[value.index()];
        self.objects.join(&mut holder, cell);
        self.functions[function.index()].values[value.index()] = holder;
    }

    fn apply(&mut self, function: FunctionId, body: &Body, rule: Rule) {
        match rule {
            Rule::Move {
                to,
                from,
                by,
                array,
            } => {
                let from = self.cell(function, from);
                if from.is_some() {
                    let from = self.objects.find(from);
                    self.join_value(function, to, from.into_array(array).plus(by));
                }
            }
            Rule::Allocate { to } => {
                if self.functions[function.index()].values[to.index()].is_none() {
                    let object = self.objects.fresh();
                    self.allocate(object, Allocation::Local(function, to));
                    self.join_value(function, to, Cell::start_of(object));
                }
            }
            Rule::Read {
                instruction,
                is_wanted,
                address,
                by,
                size,
            } => {
                let address = self.cell(function, address);
                let address = address.plus(Offsets::exactly(i64::from(by)));
                self.objects.touch(address, size);
                if is_wanted {
                    let read = self.objects.read(address, size);
                    self.join_value(function, instruction, read);
                }
            }
            Rule::Write {
                value,
                address,
                by,
                size,
                ..
            } => {
                let address = self.cell(function, address);
                let address = address.plus(Offsets::exactly(i64::from(by)));
                self.objects.touch(address, size);
                if let Some(value) = value {
                    let value = self.cell(function, value);
                    self.objects.write(address, size, value);
                }
            }
            Rule::NextVariadic {
                instruction,
                is_wanted,
                list,
            } => {
                let list = self.cell(function, list);
                if list.is_some() {
                    self.objects.touch_elsewhere(list);
                    let area = self.objects.read(list.anywhere(), 1);
                    self.objects.touch_elsewhere(area);
                    if is_wanted {
                        let value = self.objects.read(area.anywhere(), 1);
                        self.join_value(function, instruction, value);
                    }
                }
            }
            Rule::Unknown { instruction } => {
                let outside = self.objects.outside_cell();
                for operand in body.operands(instruction) {
                    let cell = self.cell(function, *operand);
                    self.objects.unify(cell, outside);
                }
                self.join_value(function, instruction, outside);
            }
            Rule::Call {
                instruction,
                is_wanted,
            } => self.call(function, body, instruction, is_wanted),
            Rule::Return { value } => {
                let value = self.cell(function, value);
                let mut holder = self.functions[function.index()]
                    .result
                    .unwrap_or(Cell::NONE);
                self.objects.join(&mut holder, value);
                if holder.is_some() {
                    self.functions[function.index()].result = Some(holder);
                }
            }
        }
    }

    /// Contents go from one place to another: what the first holds the second may hold too, and
    /// what is read from the second may come from the first.
    pub(crate) fn copy(&mut self, function: FunctionId, copying: Copying) {
        let from = self.objects.find(copying.from);
        let to = self.objects.find(copying.to);
        if from.is_none() || to.is_none() {
            return;
        }
        self.functions[function.index()].copies.push(copying);
        let mut distance = to.offsets.minus(from.offsets);
        if !copying.is_aligned {
            distance = Offsets::ANY;
        } else if from.object == to.object {
            if distance == Offsets::ZERO {
                return;
            }
            // Copied again and again.
            distance = distance.joined(Offsets::ZERO);
            distance = Offsets::multiples(u64::from(distance.stride()));
        }
        let range = |at: Cell| match copying.length {
            Some(length) => Pattern::new(at.offsets, length),
            None => at.onward(),
        };
        let (read, written) = (range(from), range(to));
        for entry in self.objects.row(from.object).entries.clone() {
            if entry.pattern.overlaps(read) {
                let there = entry.pattern.shifted(distance).within(written);
                let place = Cell::at(to.object, there.offsets);
                self.objects.write_entry(Put {
                    is_read: false,
                    ..Put::entry(place, there.size, entry)
                });
            }
        }
        let to = self.objects.find(to);
        let back = Offsets::ZERO.minus(distance);
        for entry in self.objects.row(to.object).entries.clone() {
            if entry.is_read && entry.pattern.overlaps(written) {
                let here = entry.pattern.shifted(back).within(read);
                let place = Cell::at(from.object, here.offsets);
                self.objects
                    .write_entry(Put::entry(place, here.size, entry));
            }
        }
    }

    /// What a caller of the function must know; whether objects had to be shared for it.
    fn summarise(&mut self, function: FunctionId) -> bool {
        let cells = &self.functions[function.index()];
        let mut roots: Vec<Cell> = cells.arguments.clone();
        roots.extend(cells.variadics.map(Cell::start_of));
        roots.extend(cells.result);
        roots.retain(|cell| cell.is_some());
        if self.functions[function.index()].is_shared {
            roots
                .iter()
                .for_each(|root| self.objects.share(root.object));
        }
        let mut summary = std::mem::take(&mut self.functions[function.index()].summary);
        self.collect_visible(&mut summary, &roots);
        let mut has_shared = false;
        let mut most = MOST_OBJECTS_BEHIND;
        while summary.len() > MOST_OBJECTS_VISIBLE {
            has_shared = true;
            self.share_large(function, &roots, most);
            self.collect_visible(&mut summary, &roots);
            most /= 2;
        }
        self.begin_positions();
        for (position, object) in summary.iter().enumerate() {
            self.positions[object.index()] = position as u32;
        }
        let mut copies = std::mem::take(&mut self.functions[function.index()].copies);
        let mut visible: Vec<Copying> = Vec::new();
        for copying in &mut copies {
            copying.from = self.objects.find(copying.from);
            copying.to = self.objects.find(copying.to);
            let (from, to) = (copying.from.object, copying.to.object);
            let known = |object| self.position(object).is_some();
            let shared = |object| self.objects.row(object).is_shared;
            if (known(from) && (known(to) || shared(to))) || (shared(from) && known(to)) {
                visible.push(*copying);
            }
        }
        let mut reaches = std::mem::take(&mut self.functions[function.index()].reaches);
        for reaching in &mut reaches {
            reaching.from = self.objects.find(reaching.from);
        }
        dedup(&mut copies);
        dedup(&mut visible);
        dedup(&mut reaches);
        let mut visible_reaches: Vec<Reaching> = Vec::new();
        for reaching in &reaches {
            let objects = self.reachable_until(reaching.from, |solver, object| {
                solver.position(object).is_some()
            });
            let known = objects
                .into_iter()
                .filter(|object| self.position(*object).is_some());
            visible_reaches.extend(known.map(|object| Reaching {
                from: Cell::start_of(object),
                ..*reaching
            }));
        }
        dedup(&mut visible_reaches);
        self.end_positions(&summary);
        let cells = &mut self.functions[function.index()];
        cells.copies = copies;
        cells.visible_copies = visible;
        cells.reaches = reaches;
        cells.visible_reaches = visible_reaches;
        cells.summary = summary;
        has_shared
    }

    /// The objects that the roots reach and that are not shared, in the order found.
    fn collect_visible(&mut self, summary: &mut Vec<ObjectId>, roots: &[Cell]) {
        summary.clear();
        self.begin_positions();
        for cell in roots {
            self.add_to_summary(summary, *cell);
        }
        let mut next = 0;
        while let Some(object) = summary.get(next).copied() {
            next += 1;
            for entry in 0..self.objects.row(object).entries.len() {
                let target = self.objects.row(object).entries[entry].target;
                self.add_to_summary(summary, target);
            }
        }
        self.end_positions(summary);
    }

    /// Shares what those roots reach that reach more than so many objects.
    fn share_large(&mut self, function: FunctionId, roots: &[Cell], most: usize) {
        let mut behind = Vec::new();
        for root in roots {
            self.collect_visible(&mut behind, std::slice::from_ref(root));
            if behind.len() > most {
                self.objects.share(root.object);
            }
        }
        self.note_coarse(function);
    }

    fn add_to_summary(&mut self, summary: &mut Vec<ObjectId>, cell: Cell) {
        if cell.is_none() {
            return;
        }
        let object = self.objects.find(cell).object;
        if !self.objects.row(object).is_shared && self.position(object).is_none() {
            self.positions[object.index()] = summary.len() as u32;
            summary.push(object);
        }
    }

    pub(crate) fn begin_positions(&mut self) {
        self.positions.resize(self.objects.len(), u32::MAX);
    }

    pub(crate) fn position(&self, object: ObjectId) -> Option<usize> {
        match self.positions.get(object.index()) {
            Some(&position) if position != u32::MAX => Some(position as usize),
            _ => None,
        }
    }

    pub(crate) fn end_positions(&mut self, summary: &[ObjectId]) {
        for object in summary {
            self.positions[object.index()] = u32::MAX;
        }
    }
}

/// Keeps the first of equal rows.
fn dedup<T: Copy + Eq + std::hash::Hash>(rows: &mut Vec<T>) {
    let mut seen = rustc_hash::FxHashSet::default();
    rows.retain(|row| seen.insert(*row));
}
