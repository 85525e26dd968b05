//! What does a call mean for the caller's objects?
//!
//! A call copies the callee's objects: the object behind a parameter is the one behind the
//! argument, what it holds is what the caller's object holds there, and only where the caller knows
//! nothing a new object is made. So memory that the callee allocates and returns is a new object at
//! each call. A function that calls itself joins arguments with parameters.

use super::cells::Cell;
use super::objects::{Entry, ObjectId, Put};
use super::solving::{Copying, Reaching, Solver};
use knockon_program::{
    Body, Caveat, CaveatKind, Constant, FunctionId, InstructionId, Operand, ParameterAttributes,
    Type,
};
use smallvec::SmallVec;

/// What is handed over at one position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) cell: Cell,
    /// The callee gets a copy of this many bytes.
    pub(crate) copied: Option<u32>,
}

impl Passed {
    pub(crate) fn pointer(cell: Cell) -> Passed {
        Passed { cell, copied: None }
    }
}

/// The objects of a summary in the caller.
struct Bound {
    cells: Vec<Cell>,
    /// The row of each copy; empty where no two are equal.
    origins: Vec<u32>,
}

impl Bound {
    fn with_origin(&self, origin: u32) -> Option<Cell> {
        let mut rows = self.cells.iter().zip(&self.origins);
        let same = rows.find(|row| row.0.is_some() && *row.1 == origin);
        same.map(|row| *row.0)
    }
}

impl Solver<'_> {
    pub(crate) fn call(
        &mut self,
        function: FunctionId,
        body: &Body,
        id: InstructionId,
        is_wanted: bool,
    ) {
        let Some(site) = self.calls.site_of(function, id) else {
            return self.call_unmodelled(function, body, id, is_wanted);
        };
        let calls = self.calls;
        let first = calls.targets.range(site).start;
        for (number, target) in calls.targets.of(site).iter().enumerate() {
            let passed = self.passed(function, body, id, *target);
            let result = self.enter(function, id, first + number, *target, &passed);
            if is_wanted {
                self.join_value(function, id, result);
            }
        }
        for external in calls.externals.of(site) {
            let name = self.program.function_name(*external);
            match self.library.of(name) {
                Some(effect) => {
                    self.library_call(function, body, id, site, effect, is_wanted);
                }
                None => self.call_external(function, body, id, *external, is_wanted),
            }
        }
        if calls.site(site).calls_unmodelled || is_assembly(self, body, id) {
            self.call_unmodelled(function, body, id, is_wanted);
        }
    }

    fn passed(
        &mut self,
        function: FunctionId,
        body: &Body,
        id: InstructionId,
        target: FunctionId,
    ) -> SmallVec<[Passed; 8]> {
        let mut passed: SmallVec<[Passed; 8]> = SmallVec::new();
        for (number, argument) in body.arguments(id).iter().enumerate() {
            let cell = self.cell(function, *argument);
            let parameter = self.program.function(target).parameters.get(number);
            let pointee = parameter
                .filter(|row| row.attributes.has(ParameterAttributes::BY_VALUE))
                .map(|row| row.pointee);
            let copied = pointee.map(|pointee| self.program.size_of(pointee) as u32);
            passed.push(Passed { cell, copied });
        }
        for by_value in body.by_value_arguments_of(id) {
            if let Some(row) = passed.get_mut(by_value.argument as usize) {
                row.copied = Some(self.program.size_of(by_value.pointee) as u32);
            }
        }
        passed
    }

    /// A call of an external function without a model.
    fn call_external(
        &mut self,
        function: FunctionId,
        body: &Body,
        id: InstructionId,
        external: FunctionId,
        is_wanted: bool,
    ) {
        use knockon_program::FunctionAttributes;
        let attributes = self.program.function(external).attributes;
        if !attributes.has(FunctionAttributes::READ_NONE) {
            return self.call_unmodelled(function, body, id, is_wanted);
        }
        // It touches no memory, so its result is made of the arguments.
        if is_wanted {
            for argument in body.arguments(id) {
                let cell = self.cell(function, *argument);
                self.join_value(function, id, cell.anywhere());
            }
        }
    }

    /// Unknown code gets the arguments and may keep them, call back, and return anything it ever
    /// got.
    fn call_unmodelled(
        &mut self,
        function: FunctionId,
        body: &Body,
        id: InstructionId,
        is_wanted: bool,
    ) {
        let outside = self.objects.outside_cell();
        for argument in body.arguments(id) {
            if !self.is_narrow(function, body, *argument) {
                let cell = self.cell(function, *argument);
                self.objects.unify(cell, outside);
            }
        }
        if is_wanted && !self.is_narrow(function, body, Operand::Instruction(id)) {
            self.join_value(function, id, outside);
        }
        let Some(site) = self.calls.site_of(function, id) else {
            return;
        };
        let calls = self.calls;
        let first = calls.targets.item_count() + calls.callbacks.range(site).start;
        for (number, target) in calls.callbacks.of(site).iter().enumerate() {
            let count = self.program.function(*target).parameters.len();
            let passed: SmallVec<[Passed; 8]> =
                SmallVec::from_elem(Passed::pointer(outside), count);
            let result = self.enter(function, id, first + number, *target, &passed);
            self.objects.unify(result, outside);
        }
    }

    /// An integer that is smaller than a pointer: what is not seen makes no pointers of pieces.
    fn is_narrow(&self, function: FunctionId, body: &Body, operand: Operand) -> bool {
        let type_id = match operand {
            Operand::Instruction(id) => body.instruction(id).type_id,
            Operand::Argument(number) => {
                match self
                    .program
                    .function(function)
                    .parameters
                    .get(number as usize)
                {
                    Some(parameter) => parameter.type_id,
                    None => return false,
                }
            }
            _ => return false,
        };
        match self.program.type_of(type_id) {
            Type::Integer(bits) => *bits < 8 * self.program.layout.pointer_size,
            _ => false,
        }
    }

    /// Hands the arguments to a function with a body; what it returns.
    pub(crate) fn enter(
        &mut self,
        caller: FunctionId,
        call: InstructionId,
        binding: usize,
        target: FunctionId,
        passed: &[Passed],
    ) -> Cell {
        if caller == target || self.functions[target.index()].summary.is_empty() {
            for (object, cell) in std::mem::take(&mut self.bindings[binding]) {
                self.objects.unify(Cell::start_of(object), cell);
            }
            return self.join_parameters(caller, target, passed);
        }
        self.copy_callee(caller, call, binding, target, passed)
    }

    /// Says that the function's callers share what it reaches.
    pub(crate) fn note_coarse(&mut self, function: FunctionId) {
        let row = self.program.function(function);
        let is_said = |caveat: &Caveat| caveat.function == row.name && caveat.place == row.place;
        if self.caveats.iter().any(is_said) {
            return;
        }
        let name = self.program.function_name(function);
        self.caveats.push(Caveat {
            kind: CaveatKind::CoarseMemory,
            function: row.name,
            place: row.place,
            message: format!(
                "the memory that `{name}` reaches is not told apart between its callers"
            ),
        });
    }

    /// The callee's objects are the caller's too.
    fn join_parameters(
        &mut self,
        caller: FunctionId,
        target: FunctionId,
        passed: &[Passed],
    ) -> Cell {
        let parameter_count = self.functions[target.index()].arguments.len();
        for (number, row) in passed.iter().enumerate() {
            let parameter = match self.functions[target.index()].arguments.get(number) {
                Some(parameter) => *parameter,
                None => break,
            };
            if parameter.is_none() {
                continue;
            }
            if let Some(length) = row.copied {
                self.copy_argument(caller, row.cell, parameter, length);
                continue;
            }
            let mut holder = parameter;
            self.join_shared(&mut holder, row.cell);
            self.functions[target.index()].arguments[number] = holder;
        }
        if let Some(area) = self.functions[target.index()].variadics {
            let area = Cell::start_of(area);
            self.pass_variadics(caller, area, passed.get(parameter_count..).unwrap_or(&[]));
        }
        let result = self.functions[target.index()].result;
        result.map_or(Cell::NONE, |result| self.objects.find(result))
    }

    /// Joins into a parameter of another function, whose rules depend on it.
    fn join_shared(&mut self, parameter: &mut Cell, cell: Cell) {
        let before = *parameter;
        self.objects.join(parameter, cell);
        if self.objects.find(before) != self.objects.find(*parameter) {
            self.objects.shared_changes += 1;
        }
    }

    fn copy_argument(&mut self, caller: FunctionId, from: Cell, to: Cell, length: u32) {
        self.objects.touch_elsewhere(from);
        let copying = Copying {
            from,
            to,
            length: Some(length),
            is_aligned: true,
        };
        self.copy(caller, copying);
    }

    fn pass_variadics(&mut self, caller: FunctionId, area: Cell, passed: &[Passed]) {
        self.objects.touch_elsewhere(area);
        for row in passed {
            match row.copied {
                None => self.objects.write(area.anywhere(), 1, row.cell),
                Some(length) => {
                    self.objects.touch_elsewhere(row.cell);
                    let copying = Copying {
                        from: row.cell,
                        to: area,
                        length: Some(length),
                        is_aligned: false,
                    };
                    self.copy(caller, copying);
                }
            }
        }
    }

    fn copy_callee(
        &mut self,
        caller: FunctionId,
        call: InstructionId,
        binding: usize,
        target: FunctionId,
        passed: &[Passed],
    ) -> Cell {
        let summary = std::mem::take(&mut self.functions[target.index()].summary);
        self.begin_positions();
        for (position, object) in summary.iter().enumerate() {
            self.positions[object.index()] = position as u32;
        }
        let mut bound = Bound {
            cells: vec![Cell::NONE; summary.len()],
            origins: self.copied_origins(caller, target, binding, &summary),
        };
        for (object, cell) in std::mem::take(&mut self.bindings[binding]) {
            self.bind(&mut bound, Cell::start_of(object), cell);
        }
        let known = bound.cells.clone();
        let mut parameters = std::mem::take(&mut self.functions[target.index()].arguments);
        let mut copied: SmallVec<[(Cell, Cell, u32); 2]> = SmallVec::new();
        let starts = std::mem::take(&mut self.functions[target.index()].starts);
        for ((parameter, start), row) in parameters.iter_mut().zip(&starts).zip(passed) {
            match row.copied {
                _ if parameter.is_none() => {}
                Some(length) => copied.push((row.cell, *start, length)),
                None if self.is_shared(*parameter) => self.join_shared(parameter, row.cell),
                None => self.bind(&mut bound, *start, row.cell),
            }
        }
        self.functions[target.index()].starts = starts;
        let parameter_count = parameters.len();
        self.functions[target.index()].arguments = parameters;
        if let Some(area) = self.functions[target.index()].variadics
            && let Some(area) = self.bound(&mut bound, Cell::start_of(area))
        {
            let rest = passed.get(parameter_count..).unwrap_or(&[]);
            self.pass_variadics(caller, area, rest);
        }
        for (from, parameter, length) in copied {
            if let Some(to) = self.bound(&mut bound, parameter) {
                self.copy_argument(caller, from, to, length);
            }
        }
        for (position, object) in summary.iter().enumerate() {
            let is_new = known[position].is_none();
            self.ensure_bound(&mut bound, position, *object);
            self.copy_object(&mut bound, position, *object);
            if is_new && self.objects.row(*object).is_heap {
                let here = self.objects.find(bound.cells[position]).object;
                self.allocate_heap(here, caller, call);
            }
        }
        for copying in self.functions[target.index()].visible_copies.clone() {
            let from = self.bound(&mut bound, copying.from);
            let to = self.bound(&mut bound, copying.to);
            if let (Some(from), Some(to)) = (from, to) {
                self.copy(
                    caller,
                    Copying {
                        from,
                        to,
                        ..copying
                    },
                );
            }
        }
        for reaching in self.functions[target.index()].visible_reaches.clone() {
            if let Some(from) = self.bound(&mut bound, reaching.from) {
                let reaching = Reaching { from, ..reaching };
                self.functions[caller.index()].reaches.push(reaching);
            }
        }
        let result = self.functions[target.index()].result;
        let result = result.and_then(|result| self.bound(&mut bound, result));
        self.end_positions(&summary);
        self.bindings[binding] = summary.iter().copied().zip(bound.cells).collect();
        self.functions[target.index()].summary = summary;
        result.unwrap_or(Cell::NONE)
    }

    /// For each object of the summary the row of its copy; none where caller and callee do not
    /// call each other, since no two would be equal.
    fn copied_origins(
        &mut self,
        caller: FunctionId,
        target: FunctionId,
        binding: usize,
        summary: &[ObjectId],
    ) -> Vec<u32> {
        if !self.is_same_component(caller, target) {
            return Vec::new();
        }
        let (objects, origins) = (&self.objects, &mut self.origins);
        let through = |object: &ObjectId| {
            let origin = objects.row(*object).origin;
            origins.through(*object, origin, binding)
        };
        summary.iter().map(through).collect()
    }

    /// Gives a place in the caller to an object of the callee that has none.
    fn ensure_bound(&mut self, bound: &mut Bound, position: usize, object: ObjectId) {
        if bound.cells[position].is_some() {
            return;
        }
        self.objects.changed = true;
        let origin = bound.origins.get(position).copied().unwrap_or(0);
        bound.cells[position] = bound.with_origin(origin).unwrap_or_else(|| {
            let is_open = self.objects.row(object).is_open;
            Cell::start_of(self.objects.fresh_copy(is_open, origin))
        });
    }

    fn is_shared(&mut self, cell: Cell) -> bool {
        let object = self.objects.find(cell).object;
        self.objects.row(object).is_shared
    }

    /// The callee's place may be the caller's.
    fn bind(&mut self, bound: &mut Bound, place: Cell, cell: Cell) {
        if cell.is_none() {
            return;
        }
        let place = self.objects.find(place);
        match self.position(place.object) {
            Some(position) => {
                let cell = self.objects.find(cell).minus(place.offsets);
                if bound.cells[position].is_none() {
                    bound.cells[position] = cell;
                } else {
                    self.objects.join(&mut bound.cells[position], cell);
                }
            }
            None => self.objects.unify(place, cell),
        }
    }

    /// Where the callee's place is in the caller.
    fn bound(&mut self, bound: &mut Bound, place: Cell) -> Option<Cell> {
        let place = self.objects.find(place);
        let Some(position) = self.position(place.object) else {
            return self.objects.row(place.object).is_shared.then_some(place);
        };
        self.ensure_bound(bound, position, place.object);
        let cell = self.objects.find(bound.cells[position]);
        Some(place.rebased(cell))
    }

    /// What the callee's object holds and how it is accessed, in the caller's.
    fn copy_object(&mut self, bound: &mut Bound, position: usize, object: ObjectId) {
        let entries: SmallVec<[Entry; 8]> = SmallVec::from_slice(&self.objects.row(object).entries);
        for entry in entries {
            let here = self.objects.find(bound.cells[position]);
            let place = here.plus(entry.pattern.offsets);
            let size = entry.pattern.size;
            let target = self.objects.find(entry.target);
            let first = self.objects.find(entry.first);
            let Some(at) = self.position(target.object) else {
                self.objects.write_entry(Put::entry(place, size, entry));
                continue;
            };
            // What the callee never reads need not be what the caller has there. Where it is vague
            // about what it finds, the objects are united below.
            if entry.is_read
                && first.offsets.is_exact()
                && let Some(held) = self.objects.held(place, size)
            {
                let begins = held.minus(first.offsets);
                if bound.cells[at].is_none() {
                    bound.cells[at] = begins;
                } else {
                    let there = self.objects.find(bound.cells[at]);
                    let expected = target.rebased(there);
                    let is_expected = expected.object == held.object
                        && expected.offsets.joined(held.offsets) == expected.offsets;
                    if !is_expected {
                        self.objects.join(&mut bound.cells[at], begins);
                    }
                }
            }
            self.ensure_bound(bound, at, target.object);
            let there = self.objects.find(bound.cells[at]);
            self.objects.write_entry(Put {
                cell: place,
                size,
                target: target.rebased(there),
                first: first.rebased(there),
                is_read: entry.is_read,
            });
        }
        let here = self.objects.find(bound.cells[position]);
        let row = self.objects.row(object);
        let elsewhere = row.is_touched_elsewhere;
        for access in SmallVec::<[_; 16]>::from_slice(&row.accesses) {
            self.objects.touch(here.plus(access.offsets), access.size);
        }
        if elsewhere {
            self.objects.touch_elsewhere(here);
        }
    }
}

fn is_assembly(solver: &Solver, body: &Body, id: InstructionId) -> bool {
    match body.callee(id) {
        Some(Operand::Constant(callee)) => {
            matches!(solver.program.constant(callee), Constant::Assembly { .. })
        }
        _ => false,
    }
}
