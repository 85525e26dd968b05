//! The laws of memory: a load or store touches a place that its address may point to; a library
//! function touches objects that its description allows.
//!
//! The library's own memory is one thing here: the interpreter and the descriptions name its parts
//! differently. What a description says of all that can be reached from a value, and unmodelled
//! functions, allow everything.

use super::{Analyses, Findings, Law, place_of};
use knockon_interpreter::{Access, AccessKind, Origin, Trace};
use knockon_library::{Effect, Memory, Value, library};
use knockon_memory::points_to::{ANY, LocationId, ObjectId, ObjectKind, PointsTo};
use knockon_program::{
    Body, Constant, ConstantId, FunctionId, GlobalId, InstructionId, Node, Opcode, Operand,
    ParameterAttributes, Program,
};

pub fn check(program: &Program, analyses: &Analyses, trace: &Trace, findings: &mut Findings) {
    let law = MemoryLaw {
        program,
        analyses,
        trace,
    };
    for access in &trace.accesses {
        if let Some(body) = &program.function(access.node.0).body {
            law.check(body, access, findings);
        }
    }
}

struct MemoryLaw<'a> {
    program: &'a Program,
    analyses: &'a Analyses,
    trace: &'a Trace,
}

/// What a call may touch.
enum Allowed {
    /// The objects behind these values.
    Behind(Vec<Operand>),
    Everything,
}

impl MemoryLaw<'_> {
    fn check(&self, body: &Body, access: &Access, findings: &mut Findings) {
        let (function, id) = access.node;
        let row = body.instruction(id);
        let address = match row.opcode {
            Opcode::Load | Opcode::CompareExchange | Opcode::AtomicReadModifyWrite => 0,
            Opcode::Store => 1,
            _ => return self.check_call(body, access, findings),
        };
        let operand = body.operands(id)[address];
        let size = self.size(body, id);
        for (offset, _) in &access.ranges {
            findings.count(Law::PointsTo, 1);
            if !self.may_touch(function, operand, access, *offset, size) {
                let message = format!(
                    "{}{} at offset {offset}, which its address cannot point to; it may point to {}",
                    verb(access.kind),
                    self.origin_name(access),
                    self.set_name(function, operand)
                );
                findings.violated(Law::PointsTo, place_of(self.program, access.node), message);
            }
        }
    }

    /// The bytes that a load or store touches: parts of an aggregate are traced one by one.
    fn size(&self, body: &Body, id: InstructionId) -> u32 {
        let row = body.instruction(id);
        let type_id = match (row.opcode, body.operands(id).first()) {
            (Opcode::Load, _) => row.type_id,
            (_, Some(Operand::Instruction(value))) => body.instruction(*value).type_id,
            // Aggregates that are arguments or constants are rare: the bound is generous.
            _ => return 64,
        };
        u32::try_from(self.program.store_size(type_id)).unwrap_or(u32::MAX)
    }

    fn may_touch(
        &self,
        function: FunctionId,
        operand: Operand,
        access: &Access,
        offset: u32,
        size: u32,
    ) -> bool {
        let points_to = &self.analyses.points_to;
        if let Operand::Constant(constant) = operand {
            // A constant is what it names: there is nothing to find out.
            return match self.trace.origin(access.origin) {
                Origin::Global(global) => self.names(constant, *global),
                _ => false,
            };
        }
        match self.objects(access) {
            Objects::These(objects) => objects.iter().any(|object| {
                let row = points_to.object(*object);
                let wanted: Vec<u32> = (offset.saturating_sub(size.max(1) - 1)..=offset)
                    .map(|start| row.canonical(start))
                    .collect();
                let set = points_to.of(function, operand);
                set.iter().any(|location| {
                    let (known, at) = points_to.location(LocationId(location));
                    known == *object && (at == ANY || wanted.contains(&at))
                })
            }),
            Objects::OfTheLibrary => (points_to.objects_of(self.program, function, operand).iter())
                .any(|object| is_of_the_library(points_to, *object)),
        }
    }

    /// The constant is the address of the global, or of a part of it.
    fn names(&self, constant: ConstantId, global: GlobalId) -> bool {
        match self.program.constant(constant) {
            Constant::Global(named) => *named == global,
            Constant::Alias(alias) => {
                self.names(self.program.aliases[alias.index()].aliasee, global)
            }
            Constant::Expression(expression) => {
                (expression.operands.iter()).any(|operand| self.names(*operand, global))
            }
            _ => false,
        }
    }

    fn check_call(&self, body: &Body, access: &Access, findings: &mut Findings) {
        let (function, id) = access.node;
        let origin = self.trace.origin(access.origin);
        let internal = match origin {
            Origin::Library(_) | Origin::Temporary | Origin::Passed { .. } => true,
            // What the call itself has just made.
            Origin::Heap { allocation, .. } => *allocation == access.node,
            _ => false,
        };
        if internal {
            return;
        }
        findings.count(Law::LibraryEffects, 1);
        let values = match self.allowed(body, access.node, access.kind) {
            Allowed::Everything => return,
            Allowed::Behind(values) => values,
        };
        let points_to = &self.analyses.points_to;
        let touches = |value: &Operand| {
            let behind = points_to.objects_of(self.program, function, *value);
            match self.objects(access) {
                Objects::These(objects) => objects.iter().any(|object| behind.contains(object)),
                Objects::OfTheLibrary => behind
                    .iter()
                    .any(|object| is_of_the_library(points_to, *object)),
            }
        };
        if values.iter().any(touches) {
            return;
        }
        let sets: Vec<String> = values
            .iter()
            .map(|value| self.set_name(function, *value))
            .collect();
        let message = format!(
            "{} {}{}, and only {} may be",
            self.callee_name(body, id),
            verb(access.kind),
            self.origin_name(access),
            sets.join(" or ")
        );
        findings.violated(
            Law::LibraryEffects,
            place_of(self.program, access.node),
            message,
        );
    }

    /// What a call may read or write by itself: what its external callees do, and copies of
    /// arguments that are passed in memory.
    fn allowed(&self, body: &Body, (function, id): Node, kind: AccessKind) -> Allowed {
        let calls = &self.analyses.calls;
        let Some(site) = calls.site_of(function, id) else {
            return Allowed::Behind(Vec::new());
        };
        if calls.site(site).calls_unmodelled {
            return Allowed::Everything;
        }
        let arguments = body.arguments(id);
        let mut values = Vec::new();
        if kind == AccessKind::Read {
            let stated = body.by_value_arguments_of(id).iter();
            values.extend(stated.filter_map(|row| arguments.get(row.argument as usize)));
            for target in calls.targets.of(site) {
                let parameters = &self.program.function(*target).parameters;
                for (parameter, argument) in parameters.iter().zip(arguments) {
                    if parameter.attributes.has(ParameterAttributes::BY_VALUE) {
                        values.push(argument);
                    }
                }
            }
        }
        let mut values: Vec<Operand> = values.into_iter().copied().collect();
        for external in calls.externals.of(site) {
            let Some(effect) = library().of(self.program.function_name(*external)) else {
                return Allowed::Everything;
            };
            for memory in touched(effect, kind) {
                let Memory::Behind(value) = memory else {
                    return Allowed::Everything;
                };
                match value {
                    Value::Argument(number) => {
                        values.extend(arguments.get(usize::from(number)));
                    }
                    Value::ArgumentsFrom(number) => {
                        values.extend(arguments.iter().skip(usize::from(number)));
                    }
                    // Neither is looked at: see `check_call`.
                    Value::Fresh | Value::Library(_) => {}
                }
            }
        }
        Allowed::Behind(values)
    }

    /// The analysis's objects that an origin may be.
    fn objects(&self, access: &Access) -> Objects {
        let kind = match self.trace.origin(access.origin) {
            Origin::Global(global) => ObjectKind::Global(*global),
            Origin::Function(function) => ObjectKind::Function(*function),
            Origin::Local(function, instruction) => ObjectKind::Local(*function, *instruction),
            Origin::Heap { allocation, .. } => ObjectKind::Heap(allocation.0, allocation.1),
            Origin::Passed {
                callee,
                parameter: Some(parameter),
            } => ObjectKind::ByValue(*callee, *parameter),
            Origin::Passed {
                callee,
                parameter: None,
            }
            | Origin::Variadic(callee) => ObjectKind::Variadic(*callee),
            Origin::Library(_) | Origin::Temporary => return Objects::OfTheLibrary,
        };
        match (self.analyses.points_to.find(kind), kind) {
            (Some(object), _) => Objects::These(vec![object]),
            // A variable that the library defines.
            (None, ObjectKind::Global(_)) => Objects::OfTheLibrary,
            (None, _) => Objects::These(Vec::new()),
        }
    }

    fn origin_name(&self, access: &Access) -> String {
        match self.trace.origin(access.origin) {
            Origin::Global(global) => {
                let global = &self.program.globals[global.index()];
                format!("the global {}", self.program.name(global.name))
            }
            Origin::Function(function) => {
                format!("the function {}", self.program.function_name(*function))
            }
            Origin::Local(function, instruction) => format!(
                "the local of {}",
                place_of(self.program, (*function, *instruction))
            ),
            Origin::Heap { allocation, .. } => {
                format!("what {} allocated", place_of(self.program, *allocation))
            }
            Origin::Passed { callee, .. } => {
                format!("an argument of {}", self.program.function_name(*callee))
            }
            Origin::Variadic(callee) => format!(
                "a variable argument of {}",
                self.program.function_name(*callee)
            ),
            Origin::Library(name) => format!("the library's {name}"),
            Origin::Temporary => "the library's own memory".to_string(),
        }
    }

    fn set_name(&self, function: FunctionId, operand: Operand) -> String {
        let points_to = &self.analyses.points_to;
        let set = points_to.of(function, operand);
        let mut names: Vec<String> = (set.iter().take(8))
            .map(|location| {
                let (object, offset) = points_to.location(LocationId(location));
                let name = match points_to.object(object).kind {
                    ObjectKind::Global(global) => {
                        let name = self.program.globals[global.index()].name;
                        self.program.name(name).to_string()
                    }
                    kind => format!("{kind:?}"),
                };
                match offset {
                    ANY => format!("{name}, anywhere"),
                    offset => format!("{name} + {offset}"),
                }
            })
            .collect();
        if set.len() > names.len() {
            names.push(format!("{} more", set.len() - names.len()));
        }
        format!("{{{}}}", names.join(", "))
    }

    fn callee_name(&self, body: &Body, id: InstructionId) -> String {
        match body.callee(id) {
            Some(Operand::Constant(constant)) => match self.program.called_function(constant) {
                Some(function) => self.program.function_name(function).to_string(),
                None => "a call".to_string(),
            },
            _ => "a call through a pointer".to_string(),
        }
    }
}

enum Objects {
    These(Vec<ObjectId>),
    OfTheLibrary,
}

fn is_of_the_library(points_to: &PointsTo, object: ObjectId) -> bool {
    matches!(
        points_to.object(object).kind,
        ObjectKind::Library(_)
            | ObjectKind::Outside
            | ObjectKind::ArgumentVector
            | ObjectKind::ArgumentString
    )
}

/// The memory that a description allows to be read, or written.
fn touched(effect: &Effect, kind: AccessKind) -> Vec<Memory> {
    match kind {
        AccessKind::Read => {
            let copied = effect.copies.iter().map(|(from, _)| *from);
            effect.reads.iter().copied().chain(copied).collect()
        }
        AccessKind::Write => {
            let copied = effect.copies.iter().map(|(_, to)| *to);
            let stored = effect.stores.iter().map(|(_, memory)| *memory);
            let written = effect.writes.iter().copied();
            written.chain(copied).chain(stored).collect()
        }
    }
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "read ",
        AccessKind::Write => "wrote ",
    }
}
