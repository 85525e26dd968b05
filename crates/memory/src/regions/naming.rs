//! How is a region called in output?
//!
//! By the variables and allocations that it is: `counter`, `heap@alloc.c:12`. Memory that only a
//! pointer leads to is called by a way to it: `*buffer`, `*(*list+8)`. Behind it stands the offset,
//! where the region is not the whole object.

use super::allocations::Allocation;
use super::cells::Cell;
use super::objects::ObjectId;
use super::partition::Partition;
use super::patterns::Pattern;
use super::solving::Solver;
use super::{RegionId, Regions};
use knockon_program::{
    Body, FunctionId, GlobalId, InstructionId, Operand, Place, Program, VariableLocationKind,
};

/// A way to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Unknown,
    Parameter(FunctionId, u32),
    Result(FunctionId),
    /// What a pointer at this offset of the other object points to.
    Held(ObjectId, i64),
}

/// The first way found to each object, parameters first.
pub(crate) fn ways(solver: &Solver) -> Vec<Way> {
    let mut ways = vec![Way::Unknown; solver.objects.len()];
    let mut queue: Vec<ObjectId> = Vec::new();
    let reach = |cell: Cell, way: Way, ways: &mut Vec<Way>, queue: &mut Vec<ObjectId>| {
        if cell.is_some() {
            let object = solver.objects.resolve(cell).object;
            if ways[object.index()] == Way::Unknown {
                ways[object.index()] = way;
                queue.push(object);
            }
        }
    };
    for (index, cells) in solver.functions.iter().enumerate() {
        let function = FunctionId::from_index(index);
        for (number, cell) in cells.arguments.iter().enumerate() {
            let way = Way::Parameter(function, number as u32);
            reach(*cell, way, &mut ways, &mut queue);
        }
        if let Some(cell) = cells.result {
            reach(cell, Way::Result(function), &mut ways, &mut queue);
        }
    }
    let named = (0..solver.objects.len() as u32).map(ObjectId);
    let named = named.filter(|object| {
        solver.objects.is_root(*object) && !solver.objects.row(*object).allocations.is_empty()
    });
    queue.extend(named);
    let mut next = 0;
    while let Some(object) = queue.get(next).copied() {
        next += 1;
        for entry in &solver.objects.row(object).entries {
            let way = Way::Held(object, entry.pattern.offsets.base());
            reach(entry.target, way, &mut ways, &mut queue);
        }
    }
    ways
}

/// For each object with regions its allocations.
pub(crate) fn allocations(
    solver: &Solver,
    partition: &Partition,
) -> knockon_graphs::Rows<Allocation> {
    let mut rows = knockon_graphs::Rows::with_capacity(solver.objects.len(), 0);
    for index in 0..solver.objects.len() {
        let object = ObjectId(index as u32);
        let has_regions = partition.of_object(object).next().is_some();
        let members = match has_regions {
            true => {
                let set = solver.objects.row(object).allocations;
                solver.objects.allocations.members(set)
            }
            false => Vec::new(),
        };
        rows.push_row(members);
    }
    rows
}

impl Regions {
    /// A name for people: not unique, and not to be parsed.
    pub fn name(&self, program: &Program, region: RegionId) -> String {
        let object = self.partition.object_of[region.index()];
        let mut name = self.object_name(program, object, 4);
        let siblings = self.partition.of_object(object).count();
        if siblings > 1 {
            name.push_str(&suffix(self.partition.patterns.of(region)));
        }
        name
    }

    fn object_name(&self, program: &Program, object: ObjectId, depth: u32) -> String {
        let members = self.object_allocations.of(object.index());
        match (members.first(), self.ways[object.index()]) {
            (Some(first), _) => {
                let more = if members.len() > 1 { "…" } else { "" };
                format!("{}{more}", allocation_name(program, *first))
            }
            (None, _) if depth == 0 => "…".to_owned(),
            (None, Way::Parameter(function, number)) => {
                format!("*{}", parameter_name(program, function, number))
            }
            (None, Way::Result(function)) => format!("*{}()", program.function_name(function)),
            (None, Way::Held(holder, 0)) => {
                format!("*{}", self.object_name(program, holder, depth - 1))
            }
            (None, Way::Held(holder, offset)) => {
                format!(
                    "*({}{offset:+})",
                    self.object_name(program, holder, depth - 1)
                )
            }
            (None, Way::Unknown) => "memory".to_owned(),
        }
    }
}

fn suffix(patterns: &[Pattern]) -> String {
    match patterns.first() {
        None => "[…]".to_owned(),
        Some(first) => match first.offsets.stride() {
            0 => format!("{:+}", first.offsets.base()),
            stride => format!("[{stride}]{:+}", first.offsets.base()),
        },
    }
}

fn parameter_name(program: &Program, function: FunctionId, number: u32) -> String {
    let row = program.function(function);
    if let Some(body) = &row.body
        && let Some(variable) = body
            .variables
            .iter()
            .find(|variable| variable.parameter == number + 1)
    {
        return program.name(variable.name).to_owned();
    }
    match row.parameters.get(number as usize) {
        Some(parameter) if !program.name(parameter.name).is_empty() => {
            program.name(parameter.name).to_owned()
        }
        Some(_) => format!("{number}"),
        None => "...".to_owned(),
    }
}

fn allocation_name(program: &Program, allocation: Allocation) -> String {
    match allocation {
        Allocation::Global(global) => global_name(program, global),
        Allocation::Library(name) => format!("<{name}>"),
        Allocation::Outside => "<outside>".to_owned(),
        Allocation::Parameter(function, number) => parameter_name(program, function, number),
        Allocation::Heap(function, call) => format!("heap@{}", place(program, function, call)),
        Allocation::Local(function, id) => {
            let body = program.function(function).body.as_deref();
            body.and_then(|body| variable_name(program, body, id))
                .unwrap_or_else(|| format!("local@{}", place(program, function, id)))
        }
    }
}

fn global_name(program: &Program, global: GlobalId) -> String {
    let row = &program.globals[global.index()];
    match program.name(row.source_name) {
        "" => program.name(row.name).to_owned(),
        name => name.to_owned(),
    }
}

/// The source variable that lives at this `alloca`.
fn variable_name(program: &Program, body: &Body, id: InstructionId) -> Option<String> {
    let location = body.variable_locations.iter().find(|location| {
        location.kind == VariableLocationKind::Declared
            && location.value == Operand::Instruction(id)
    })?;
    let variable = body.variables.get(location.variable.index())?;
    Some(program.name(variable.name).to_owned())
}

fn place(program: &Program, function: FunctionId, id: InstructionId) -> String {
    let row = program.function(function);
    let place = match &row.body {
        Some(body) => program.place(body.instruction(id).place),
        None => Place::UNKNOWN,
    };
    if !place.is_known() {
        return program.function_name(function).to_owned();
    }
    let path = program.file_path(place.file);
    let file = path.rsplit('/').next().unwrap_or(path);
    format!("{file}:{}", place.line)
}
