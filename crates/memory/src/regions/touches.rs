//! Which regions does each instruction read and write by itself?
//!
//! Loads, stores, calls of library functions and of unknown code, and the copies of arguments that
//! are passed by value. What a call of a function with a body does is found in its mod/ref sets.

use super::RegionId;
use super::allocations::Allocation;
use super::carriers::constant_integer;
use super::cells::Cell;
use super::library_calling::LibraryCall;
use super::objects::ObjectId;
use super::offsets::Offsets;
use super::partition::Partition;
use super::patterns::Pattern;
use super::rules::Rule;
use super::solving::Solver;
use knockon_graphs::Rows;
use knockon_library::{Channel, Connection, Effect, Memory, Value, World};
use knockon_program::{
    Body, Constant, FunctionAttributes, FunctionId, InstructionId, Operand, ParameterAttributes,
};

/// The regions that instructions of one function touch, before contexts are counted in.
#[derive(Debug, Default)]
pub(crate) struct Touches {
    pub(crate) reads: Rows<RegionId>,
    pub(crate) writes: Rows<RegionId>,
    /// Stores that overwrite all of the only place that a region is, by instruction.
    pub(crate) overwrites: Vec<(InstructionId, RegionId)>,
    /// What the stream or descriptor of a library call is known to be, by instruction.
    pub(crate) connections: Vec<(InstructionId, Connection)>,
}

pub(crate) struct Toucher<'s, 'a> {
    pub(crate) solver: &'s mut Solver<'a>,
    pub(crate) partition: &'s Partition,
    reads: Vec<(InstructionId, RegionId)>,
    writes: Vec<(InstructionId, RegionId)>,
    overwrites: Vec<(InstructionId, RegionId)>,
    connections: Vec<(InstructionId, Connection)>,
}

pub(crate) fn touches(solver: &mut Solver, partition: &Partition) -> Vec<Touches> {
    let program = solver.program;
    let mut toucher = Toucher {
        solver,
        partition,
        reads: Vec::new(),
        writes: Vec::new(),
        overwrites: Vec::new(),
        connections: Vec::new(),
    };
    let functions = program.function_ids();
    functions
        .map(|function| match &program.function(function).body {
            None => Touches::default(),
            Some(body) => toucher.of_function(function, body),
        })
        .collect()
}

impl Toucher<'_, '_> {
    fn of_function(&mut self, function: FunctionId, body: &Body) -> Touches {
        let rules = std::mem::take(&mut self.solver.functions[function.index()].rules);
        for rule in &rules.rules {
            self.of_rule(function, body, *rule);
        }
        // A call has one rule; only reads and writes of aggregates have several.
        self.solver.functions[function.index()].rules = rules;
        let rows = |pairs: &mut Vec<(InstructionId, RegionId)>| {
            pairs.sort_unstable();
            pairs.dedup();
            let rows = Rows::from_pairs(body.instructions.len(), pairs);
            pairs.clear();
            rows
        };
        Touches {
            reads: rows(&mut self.reads),
            writes: rows(&mut self.writes),
            overwrites: std::mem::take(&mut self.overwrites),
            connections: std::mem::take(&mut self.connections),
        }
    }

    fn of_rule(&mut self, function: FunctionId, body: &Body, rule: Rule) {
        match rule {
            Rule::Read {
                instruction,
                address,
                by,
                size,
                ..
            } => {
                let touched = self.at(function, address, by, size);
                self.add(instruction, false, touched);
            }
            Rule::Write {
                instruction,
                address,
                by,
                size,
                ..
            } => {
                let touched = self.at(function, address, by, size);
                let opcode = body.instruction(instruction).opcode;
                if let [only] = touched[..]
                    && opcode.always_writes()
                    && self.is_one_place(function, body, only, size)
                {
                    self.overwrites.push((instruction, only));
                }
                self.add(instruction, true, touched);
            }
            Rule::NextVariadic {
                instruction, list, ..
            } => {
                let list = self.solver.cell(function, list);
                if list.is_some() {
                    let area = self.solver.objects.read(list.anywhere(), 1);
                    self.whole(instruction, true, list);
                    self.whole(instruction, false, list);
                    self.whole(instruction, false, area);
                }
            }
            Rule::Unknown { instruction } => self.unknown(instruction),
            Rule::Call { instruction, .. } => self.of_call(function, body, instruction),
            Rule::Move { .. } | Rule::Allocate { .. } | Rule::Return { .. } => {}
        }
    }

    fn at(&mut self, function: FunctionId, address: Operand, by: u32, size: u32) -> Vec<RegionId> {
        let address = self.solver.cell(function, address);
        if address.is_none() || size == 0 {
            return Vec::new();
        }
        let address = self.solver.objects.find(address);
        let address = address.plus(Offsets::exactly(i64::from(by)));
        let pattern = address.pattern(size);
        self.partition.overlapping(address.object, pattern).to_vec()
    }

    fn add(
        &mut self,
        instruction: InstructionId,
        writes: bool,
        regions: impl IntoIterator<Item = RegionId>,
    ) {
        let list = if writes {
            &mut self.writes
        } else {
            &mut self.reads
        };
        list.extend(regions.into_iter().map(|region| (instruction, region)));
    }

    /// The region is one place of this size in memory, for each activation of the function.
    fn is_one_place(&self, function: FunctionId, body: &Body, region: RegionId, size: u32) -> bool {
        let [pattern] = self.partition.patterns.of(region) else {
            return false;
        };
        let object = self.partition.object_of[region.index()];
        let row = self.solver.objects.row(object);
        if row.is_open || !pattern.offsets.is_exact() || pattern.size != size {
            return false;
        }
        match self.solver.objects.allocations.only_member(row.allocations) {
            Some(Allocation::Global(_)) => true,
            Some(Allocation::Local(owner, id)) => {
                let in_entry = body.blocks.first().is_some_and(|entry| id < entry.end);
                owner == function && in_entry && !self.solver.is_recursive(function)
            }
            _ => false,
        }
    }

    /// All of the object, or of the array in it that the cell is in.
    fn whole(&mut self, instruction: InstructionId, writes: bool, cell: Cell) {
        if cell.is_some() {
            let cell = self.solver.objects.find(cell).anywhere();
            let touched = self.partition.overlapping(cell.object, cell.pattern(1));
            self.add(instruction, writes, touched);
        }
    }

    fn unknown(&mut self, instruction: InstructionId) {
        let outside = self.solver.objects.outside_cell();
        self.whole(instruction, false, outside);
        self.whole(instruction, true, outside);
    }

    fn of_call(&mut self, function: FunctionId, body: &Body, id: InstructionId) {
        let calls = self.solver.calls;
        let program = self.solver.program;
        let Some(site) = calls.site_of(function, id) else {
            return self.unknown(id);
        };
        for (number, argument) in body.arguments(id).iter().enumerate() {
            let is_copied = |target: &FunctionId| {
                let parameter = program.function(*target).parameters.get(number);
                parameter.is_some_and(|row| row.attributes.has(ParameterAttributes::BY_VALUE))
            };
            let stated = body.by_value_arguments_of(id);
            if stated.iter().any(|row| row.argument as usize == number)
                || calls.targets.of(site).iter().any(is_copied)
            {
                let cell = self.solver.cell(function, *argument);
                self.whole(id, false, cell);
            }
        }
        for external in calls.externals.of(site) {
            match self.solver.library.of(program.function_name(*external)) {
                Some(effect) => self.of_library(LibraryCall { function, body, id }, effect),
                None => {
                    let attributes = program.function(*external).attributes;
                    if !attributes.has(FunctionAttributes::READ_NONE) {
                        self.unknown(id);
                    }
                }
            }
        }
        let is_assembly = matches!(body.callee(id), Some(Operand::Constant(callee))
            if matches!(program.constant(callee), Constant::Assembly { .. }));
        if calls.site(site).calls_unmodelled || is_assembly {
            self.unknown(id);
        }
    }

    fn of_library(&mut self, call: LibraryCall, effect: &Effect) {
        if let Some(channel) = effect.channel {
            let connection = self.connection(call, channel);
            self.connections.push((call.id, connection));
            if self.solver.maps_files && !effect.redirects {
                self.of_mapped_files(call, effect, connection);
            }
        }
        let length = self.solver.length(call.body, call.id, effect);
        for memory in &effect.reads {
            self.of_memory(call, *memory, length, false);
        }
        for memory in &effect.writes {
            self.of_memory(call, *memory, length, true);
        }
        for (from, to) in &effect.copies {
            self.of_memory(call, *from, length, false);
            self.of_memory(call, *to, length, true);
        }
        for (_, to) in &effect.stores {
            self.of_memory(call, *to, None, true);
        }
        if let Some(format) = self.solver.format_beyond(call, effect) {
            self.of_memory(call, format.arguments, None, true);
            let errno = Memory::Behind(Value::Library("errno"));
            self.of_memory(call, errno, None, false);
        }
    }

    /// What goes through a channel may be what a mapping shows.
    fn of_mapped_files(&mut self, call: LibraryCall, effect: &Effect, connection: Connection) {
        let mapping = Memory::Behind(Value::Library("mapping"));
        if effect.world_reads_through(connection).any(is_files) {
            self.of_memory(call, mapping, None, false);
        }
        if effect.world_writes_through(connection).any(is_files) {
            self.of_memory(call, mapping, None, true);
        }
    }

    fn connection(&mut self, call: LibraryCall, channel: Channel) -> Connection {
        match channel {
            Channel::Descriptor(Value::Argument(number)) => {
                let operand = call.body.arguments(call.id).get(number as usize);
                let value =
                    operand.and_then(|operand| constant_integer(self.solver.program, *operand));
                match value {
                    Some(0) => Connection::StandardInput,
                    Some(1 | 2) => Connection::StandardOutput,
                    _ => Connection::Unknown,
                }
            }
            Channel::Descriptor(_) => Connection::Unknown,
            Channel::Stream(Value::Library("standard-input")) => Connection::StandardInput,
            Channel::Stream(Value::Library("standard-output" | "standard-error")) => {
                Connection::StandardOutput
            }
            Channel::Stream(stream) => {
                let cells = self.solver.memory(call, Memory::Behind(stream));
                let [cell] = cells[..] else {
                    return Connection::Unknown;
                };
                let row = self.solver.objects.row(cell.object);
                let allocations = &self.solver.objects.allocations;
                let all = |names: &[&str]| {
                    !row.is_open
                        && !row.allocations.is_empty()
                        && allocations.all(row.allocations, |member| {
                            matches!(member, Allocation::Library(name) if names.contains(&name))
                        })
                };
                if all(&["standard-input"]) {
                    Connection::StandardInput
                } else if all(&["standard-output", "standard-error"]) {
                    Connection::StandardOutput
                } else {
                    Connection::Unknown
                }
            }
        }
    }

    fn of_memory(&mut self, call: LibraryCall, memory: Memory, length: Option<u32>, writes: bool) {
        for cell in self.solver.memory(call, memory) {
            match (memory, length) {
                (Memory::Behind(Value::Argument(_) | Value::ArgumentsFrom(_)), Some(length)) => {
                    let cell = self.solver.objects.find(cell);
                    let pattern = Pattern::new(cell.offsets, length);
                    let touched = self.partition.overlapping(cell.object, pattern);
                    self.add(call.id, writes, touched);
                }
                (Memory::ReachableFrom(_), _) => {
                    for object in self.solver.reachable(cell) {
                        self.add(call.id, writes, self.partition.of_object(object));
                    }
                }
                _ => self.whole(call.id, writes, cell),
            }
        }
    }
}

fn is_files(part: World) -> bool {
    part == World::Files
}

impl Solver<'_> {
    fn is_recursive(&self, function: FunctionId) -> bool {
        let component = self.components.component_of[function.index()];
        self.components.members.of(component as usize).len() > 1
            || self.calls.sites_of(function).any(|site| {
                self.calls.targets.of(site).contains(&function)
                    || self.calls.callbacks.of(site).contains(&function)
            })
    }

    /// All objects that can be reached from a cell, its own included.
    pub(crate) fn reachable(&mut self, cell: Cell) -> Vec<ObjectId> {
        self.reachable_until(cell, |_, _| false)
    }

    /// As [`Solver::reachable`], but not beyond objects where the search is to end.
    pub(crate) fn reachable_until(
        &mut self,
        cell: Cell,
        ends: impl Fn(&Solver, ObjectId) -> bool,
    ) -> Vec<ObjectId> {
        let mut found = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![cell];
        while let Some(cell) = work.pop() {
            if cell.is_none() {
                continue;
            }
            let object = self.objects.find(cell).object;
            if seen.insert(object) {
                found.push(object);
                if ends(self, object) {
                    continue;
                }
                let entries = &self.objects.row(object).entries;
                work.extend(entries.iter().map(|entry| entry.target));
            }
        }
        found
    }

    /// Memory that library functions reach is touched even where the program itself never does.
    pub(crate) fn touch_reached(&mut self) {
        for index in 0..self.functions.len() {
            for reaching in self.functions[index].reaches.clone() {
                for object in self.reachable(reaching.from) {
                    self.objects.touch_elsewhere(Cell::start_of(object));
                }
            }
        }
    }
}
