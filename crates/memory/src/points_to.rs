//! What may each value point to, and which functions may a call through a pointer enter?
//!
//! Inclusion-based, with byte offsets and collapsed cycles, insensitive to flow and context.
//!
//! - `objects`: objects, locations, and which offsets are told apart.
//! - `location_set`: sets of locations.
//! - `constraints`: what each instruction and each library function says.
//! - `solver`: the least solution.
//!
//! **Assumptions.** Pointer arithmetic stays inside the array it starts in; pointers do not travel
//! through files, through products or through decisions on their bits. Everything else that a
//! program may do with pointers is followed: see the headers of `objects` and `constraints`.

mod arithmetic;
mod busy;
mod constants;
mod constraints;
mod cycles;
mod dump;
mod entering;
mod instructions;
mod library_calls;
mod location_set;
mod memory_copies;
mod objects;
mod solver;
mod waves;
mod words;

pub use dump::dump_points_to;
pub use location_set::LocationSet;
pub use objects::{ANY, LocationId, Object, ObjectId, ObjectKind};

use constraints::{CallbackSite, NOTHING};
use knockon_library::{CallbackTime, Library};
use knockon_program::{
    Constant, FunctionId, InstructionId, Operand, OutOfTime, Program, TimeLimit,
};
use objects::Objects;
use rustc_hash::FxHashMap;
use solver::{NodeId, PointerCall};

/// The solution for one program.
pub struct PointsTo {
    objects: Objects,
    first_value: Vec<u32>,
    value_nodes: Vec<u32>,
    parameter_counts: Vec<u32>,
    roots: Vec<NodeId>,
    sets: Vec<LocationSet>,
    empty: LocationSet,
    /// Objects that code outside of the program can reach.
    escaped: Vec<bool>,
    pub pointer_calls: FxHashMap<(FunctionId, InstructionId), PointerTargets>,
    /// Functions with a body that external functions call back.
    pub callbacks: Vec<FoundCallback>,
    /// Calls of code that is neither here nor described.
    pub unmodelled_calls: Vec<(FunctionId, InstructionId)>,
    /// Functions whose address reached such code, ascending.
    pub escaped_functions: Vec<FunctionId>,
    /// How many objects are part of [`ObjectKind::Mixed`].
    pub mixed_objects: usize,
}

/// What a call through a pointer may enter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointerTargets {
    /// Ascending.
    pub functions: Vec<FunctionId>,
    /// Unknown code may be called as well.
    pub outside: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundCallback {
    pub caller: FunctionId,
    pub instruction: InstructionId,
    pub time: CallbackTime,
    pub function: FunctionId,
}

/// Solves a program that is promoted to SSA, or not.
pub fn points_to(
    program: &Program,
    library: &Library,
    limit: TimeLimit<'_>,
) -> Result<PointsTo, OutOfTime> {
    let mut constraints = constraints::generate(program, library);
    loop {
        constraints.solver.solve(limit)?;
        let found = std::mem::take(&mut constraints.solver.found_externals);
        if found.is_empty() {
            break;
        }
        for (call, callee) in found {
            let (caller, instruction) = constraints.pointer_calls[call as usize];
            let row = &constraints.solver.calls[call as usize];
            let (arguments, result) = (row.arguments.clone(), row.result);
            if let Some(body) = &program.function(caller).body {
                constraints.external(caller, body, instruction, callee, &arguments, result);
            }
        }
    }
    let mut escaped_functions = constraints.solver.escaped_functions.clone();
    escaped_functions.sort_unstable();
    escaped_functions.dedup();
    // A pointer from outside may denote every function that went there.
    let targets = |call: &PointerCall| {
        let mut functions = call.found.clone();
        if call.outside {
            functions.extend(&escaped_functions);
        }
        functions.sort_unstable();
        functions.dedup();
        PointerTargets {
            functions,
            outside: call.outside,
        }
    };
    let sites = constraints.pointer_calls.iter().copied();
    let pointer_calls = sites
        .zip(constraints.solver.calls.iter().map(targets))
        .collect();
    let mut callbacks = Vec::new();
    let found = constraints.solver.callbacks.iter().map(targets);
    for (site, targets) in constraints.callback_sites.iter().zip(found) {
        let CallbackSite {
            caller,
            instruction,
            time,
        } = *site;
        for function in targets.functions {
            if program.function(function).body.is_some() {
                callbacks.push(FoundCallback {
                    caller,
                    instruction,
                    time,
                    function,
                });
            }
        }
    }
    callbacks.sort_unstable();
    callbacks.dedup();
    let mut unmodelled_calls = constraints.unmodelled;
    unmodelled_calls.sort_unstable();
    unmodelled_calls.dedup();
    let objects = (0..constraints.solver.objects.rows.len() as u32).map(ObjectId);
    let escaped = objects
        .map(|object| constraints.solver.has_escaped(object))
        .collect();
    let mixed_objects = constraints.solver.mixed_objects;
    let (objects, roots, sets) = constraints.solver.into_parts();
    Ok(PointsTo {
        objects,
        first_value: constraints.first_value,
        value_nodes: constraints.value_nodes,
        parameter_counts: program
            .functions
            .iter()
            .map(|function| function.parameters.len() as u32)
            .collect(),
        roots,
        sets,
        empty: LocationSet::default(),
        escaped,
        pointer_calls,
        callbacks,
        unmodelled_calls,
        escaped_functions,
        mixed_objects,
    })
}

impl PointsTo {
    pub fn objects(&self) -> &[Object] {
        &self.objects.rows
    }

    pub fn object(&self, object: ObjectId) -> &Object {
        self.objects.get(object)
    }

    pub fn find(&self, kind: ObjectKind) -> Option<ObjectId> {
        self.objects.find(kind)
    }

    /// What is called back from a call of an external function.
    pub fn callbacks_at(
        &self,
        (caller, instruction): (FunctionId, InstructionId),
    ) -> impl Iterator<Item = &FoundCallback> {
        let key = |callback: &FoundCallback| (callback.caller, callback.instruction);
        let first = self
            .callbacks
            .partition_point(|callback| key(callback) < (caller, instruction));
        self.callbacks[first..]
            .iter()
            .take_while(move |callback| key(callback) == (caller, instruction))
    }

    /// The object of a location and the offset in it, [`ANY`] for any.
    pub fn location(&self, location: LocationId) -> (ObjectId, u32) {
        self.objects.resolve(location)
    }

    /// The locations a value of a function may point to. For a constant see
    /// [`PointsTo::constant_object`].
    pub fn of(&self, function: FunctionId, operand: Operand) -> &LocationSet {
        let value = match operand {
            Operand::Argument(number) => number,
            Operand::Instruction(id) => self.parameter_counts[function.index()] + id.0,
            _ => return &self.empty,
        };
        let first = self.first_value[function.index()];
        let end = self.first_value[function.index() + 1];
        match self.value_nodes.get((first + value) as usize) {
            Some(&node) if first + value < end && node != NOTHING => {
                let root = self.roots[node as usize];
                &self.sets[root.0 as usize]
            }
            _ => &self.empty,
        }
    }

    /// The objects a value may point to, ascending; constants included.
    pub fn objects_of(
        &self,
        program: &Program,
        function: FunctionId,
        operand: Operand,
    ) -> Vec<ObjectId> {
        let mut found: Vec<ObjectId> = match operand {
            Operand::Constant(constant) => {
                let mut found = Vec::new();
                self.constant_objects(program, constant, &mut found);
                found
            }
            _ => self
                .of(function, operand)
                .iter()
                .map(|location| self.location(LocationId(location)).0)
                .collect(),
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    fn constant_objects(
        &self,
        program: &Program,
        constant: knockon_program::ConstantId,
        found: &mut Vec<ObjectId>,
    ) {
        let kind = match program.constant(constant) {
            Constant::Global(id) => ObjectKind::Global(*id),
            Constant::Function(id) => ObjectKind::Function(*id),
            Constant::Alias(alias) => {
                let aliasee = program.aliases[alias.index()].aliasee;
                return self.constant_objects(program, aliasee, found);
            }
            Constant::Expression(expression) => {
                for part in &expression.operands {
                    self.constant_objects(program, *part, found);
                }
                return;
            }
            _ => return,
        };
        found.extend(self.find(kind));
    }

    /// Whether a value may point to this offset of this object.
    pub fn may_point_to(
        &self,
        program: &Program,
        function: FunctionId,
        operand: Operand,
        object: ObjectId,
        offset: u32,
    ) -> bool {
        if let Operand::Constant(_) = operand {
            return self
                .objects_of(program, function, operand)
                .contains(&object);
        }
        let set = self.of(function, operand);
        let wanted = self.object(object).canonical(offset);
        set.iter().any(|location| {
            let (known, at) = self.location(LocationId(location));
            known == object && (at == ANY || at == wanted)
                || self.object(known).kind == ObjectKind::Outside && self.has_escaped(object)
        })
    }

    /// Whether code outside of the program can reach the object. A value that may point to
    /// [`ObjectKind::Outside`] may point to all such objects.
    pub fn has_escaped(&self, object: ObjectId) -> bool {
        self.escaped[object.0 as usize]
    }

    /// How large the solution is: values with a set, and the sum of their sizes.
    pub fn size(&self) -> (usize, usize) {
        let mut values = 0;
        let mut locations = 0;
        for &node in &self.value_nodes {
            if node == NOTHING {
                continue;
            }
            let set = &self.sets[self.roots[node as usize].0 as usize];
            if !set.is_empty() {
                values += 1;
                locations += set.len();
            }
        }
        (values, locations)
    }
}
