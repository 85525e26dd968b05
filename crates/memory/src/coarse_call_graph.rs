//! **Question.** Which functions may each call enter, when nothing is known of pointers?
//!
//! **Source.** The textbook bound: a call through a pointer may enter every function whose address
//! is taken. Kept beside the graph from points-to sets as its oracle: whatever that one says must
//! be a subset of this.
//!
//! **Rules.** What an external function does comes from [`knockon_library`]: a function pointer that
//! is a constant at the call is called back as that function, any other pointer as every function
//! whose address is taken. An unmodelled external function, and assembly that is not empty, is
//! unknown code: whatever escaped (all functions whose address is taken, and in a library all
//! external ones) may be called back then and at any later time. Where there is unknown code, or
//! no `main`, a pointer may lead into unknown code too. A library function that may enter what the
//! program replaces is unknown code besides, which knows the program's function.
//!
//! **Soundness.** A function's address can only come from a constant that names it
//! ([`knockon_graphs::call_edges`]). Unknown code finds functions by their address, not by name, but
//! for those that the library calls by name ([`knockon_library::replaced_functions`]).
//!
//! **Cost.** Linear in instructions, and calls through pointers times functions whose address is
//! taken.

use crate::call_graph::{CallGraph, CallSite, Entries};
use fixedbitset::FixedBitSet;
use knockon_graphs::{CallEdges, call_edges};
use knockon_library::{CallbackTime, Effect, Origin, Replaced, Value, library, replaced_functions};
use knockon_program::{
    Body, Caveat, CaveatKind, Constant, ConstantId, FunctionId, InstructionId, Linkage, Name,
    Operand, PlaceId, Program, is_compiler_name,
};
use std::collections::BTreeMap;

/// How the caveat of an unmodelled function ends.
pub(crate) const MAY_CALL_EVERY: &str = "may call back every function whose address is taken";

pub fn coarse_call_graph(program: &Program) -> CallGraph {
    let edges = call_edges(program);
    let mut graph = CallGraph {
        entries: entries(program),
        ..CallGraph::default()
    };
    let known = Known::new(program, &edges, &graph.entries);
    // What unseen code names, and functions in variables of sections, others may call at any time.
    let mut later = Later {
        escapes: program.has_unseen_code()
            || program.globals.iter().any(|row| row.section != Name(0)),
        ..Later::default()
    };
    let mut unmodelled: BTreeMap<FunctionId, u32> = BTreeMap::new();
    for id in program.function_ids() {
        graph.first_site.push(graph.sites.len() as u32);
        let Some(body) = &program.function(id).body else {
            continue;
        };
        for block in body.block_ids() {
            for instruction in body.instructions_of(block) {
                let Some(callee) = body.callee(instruction) else {
                    continue;
                };
                let mut call = Call::default();
                match resolve(program, callee) {
                    Callee::Function(callee) if program.function(callee).body.is_some() => {
                        call.targets.push(callee);
                    }
                    Callee::Function(callee) => {
                        known.external(program, callee, Some((body, instruction)), &mut call);
                        call.externals.push(callee);
                        if call.unknown_code && known.effect(callee).is_none()
                            || call.enters_replacements
                        {
                            *unmodelled.entry(callee).or_default() += 1;
                        }
                    }
                    Callee::EmptyAssembly => {}
                    Callee::Assembly => call.unknown_code = true,
                    Callee::Computed => {
                        graph
                            .caveats
                            .push(indirect_call(program, id, body, instruction, &known));
                        known.computed(program, &mut call);
                    }
                }
                later.add(&call);
                graph.sites.push(CallSite {
                    caller: id,
                    block,
                    instruction,
                    calls_unmodelled: call.unknown_code || call.enters_replacements,
                    only_replacements: call.enters_replacements && !call.unknown_code,
                    exits: call.exits,
                });
                known.push_rows(call, &mut graph);
            }
        }
    }
    graph.first_site.push(graph.sites.len() as u32);
    let unseen = program.unseen_entries.iter();
    let anytime = unseen.clone().filter(|row| row.runs.any_time);
    later.anytime.extend(anytime.map(|row| row.function));
    let at_end = unseen.filter(|row| row.runs.at_end);
    later.at_exit.extend(at_end.map(|row| row.function));
    later.finish(&known, &mut graph.entries);
    graph
        .caveats
        .extend(unmodelled.into_iter().map(|(id, calls)| {
            let name = program.function(id).name;
            let does = match known.effect(id) {
                None => MAY_CALL_EVERY,
                Some(_) => "may call what the program defines in the library's place",
            };
            Caveat {
                kind: CaveatKind::UnmodelledExternal,
                function: name,
                place: PlaceId(0),
                message: format!("{} ({calls} calls) {does}", program.name(name)),
            }
        }));
    graph
}

/// What is called from outside, as far as no call says it.
fn entries(program: &Program) -> Entries {
    let defined = |id: &FunctionId| program.function(*id).body.is_some();
    let resolvers = program
        .aliases
        .iter()
        .filter(|alias| alias.is_ifunc)
        .filter_map(|alias| program.called_function(alias.aliasee));
    let constructors = program.constructors.iter().map(|entry| entry.function);
    let destructors = program.destructors.iter().map(|entry| entry.function);
    let mains: Vec<FunctionId> = program
        .functions_named("main")
        .into_iter()
        .filter(defined)
        .collect();
    let library = program
        .defined_functions()
        .filter(|_| mains.is_empty())
        .filter(|(_, function, _)| !function.linkage.is_local())
        .filter(|(_, function, _)| function.linkage != Linkage::AvailableExternally)
        .map(|(id, _, _)| id)
        .collect();
    Entries {
        constructors: resolvers.chain(constructors).filter(defined).collect(),
        library,
        destructors: destructors.filter(defined).collect(),
        mains,
        ..Entries::default()
    }
}

enum Callee {
    Function(FunctionId),
    EmptyAssembly,
    Assembly,
    Computed,
}

fn resolve(program: &Program, callee: Operand) -> Callee {
    let Operand::Constant(constant) = callee else {
        return Callee::Computed;
    };
    match (
        program.called_function(constant),
        program.constant(constant),
    ) {
        (Some(function), _) => Callee::Function(function),
        (None, Constant::Assembly { template, .. }) if program.name(*template).is_empty() => {
            Callee::EmptyAssembly
        }
        (None, Constant::Assembly { .. }) => Callee::Assembly,
        (None, _) => Callee::Computed,
    }
}

/// What one call may do.
#[derive(Default)]
struct Call {
    targets: Vec<FunctionId>,
    /// Every function whose address is taken is a target.
    any_target: bool,
    externals: Vec<FunctionId>,
    callbacks: Vec<FunctionId>,
    /// Every function whose address is taken may be called back.
    any_callback: bool,
    at_exit: Vec<FunctionId>,
    any_at_exit: bool,
    anytime: Vec<FunctionId>,
    any_anytime: bool,
    exits: bool,
    unknown_code: bool,
    /// The library may call what the program defines in its place.
    enters_replacements: bool,
}

/// What function pointers may hold.
struct Known<'a> {
    /// With a body, ascending.
    taken: Vec<FunctionId>,
    taken_externals: Vec<FunctionId>,
    /// What unknown code may call, ascending.
    escaped: Vec<FunctionId>,
    /// A pointer may lead into code that is not the program's.
    pointers_from_outside: bool,
    effects: Vec<Option<&'a Effect>>,
    is_intrinsic: FixedBitSet,
    replaced: Replaced,
}

impl<'a> Known<'a> {
    fn new(program: &Program, edges: &CallEdges, entries: &Entries) -> Known<'a> {
        let (taken, taken_externals): (Vec<FunctionId>, Vec<FunctionId>) = edges
            .address_taken
            .iter()
            .partition(|id| program.function(**id).body.is_some());
        let replaced = replaced_functions(program, library());
        let known_outside = taken.iter().chain(&entries.library);
        let mut escaped: Vec<FunctionId> =
            known_outside.chain(&replaced.functions).copied().collect();
        escaped.sort_unstable();
        escaped.dedup();
        let mut is_intrinsic = FixedBitSet::with_capacity(program.functions.len());
        let mut effects = Vec::with_capacity(program.functions.len());
        for (number, function) in program.functions.iter().enumerate() {
            let name = program.name(function.name);
            is_intrinsic.set(number, is_compiler_name(name));
            effects.push(match function.body {
                None => library().of(name),
                Some(_) => None,
            });
        }
        let mut known = Known {
            taken,
            taken_externals,
            escaped,
            pointers_from_outside: false,
            effects,
            is_intrinsic,
            replaced,
        };
        let called = (0..program.functions.len()).flat_map(|id| edges.direct.of(id));
        known.pointers_from_outside = entries.mains.is_empty()
            || program.has_unseen_code()
            || known.replaced.may_be_entered()
            || called
                .chain(&known.taken_externals)
                .any(|id| known.is_unmodelled(program, *id))
            || program.constants.rows().iter().any(|constant| {
                matches!(constant, Constant::Assembly { template, .. }
                    if !program.name(*template).is_empty())
            });
        known
    }

    fn effect(&self, function: FunctionId) -> Option<&'a Effect> {
        self.effects[function.index()]
    }

    fn is_unmodelled(&self, program: &Program, function: FunctionId) -> bool {
        program.function(function).body.is_none()
            && self.effect(function).is_none()
            && !self.is_intrinsic.contains(function.index())
    }

    /// A call through a pointer of which nothing is known.
    fn computed(&self, program: &Program, call: &mut Call) {
        call.any_target = true;
        call.externals.extend(&self.taken_externals);
        call.unknown_code |= self.pointers_from_outside;
        for external in &self.taken_externals {
            self.external(program, *external, None, call);
        }
    }

    /// A call of a function without a body; `at` is the call if it names the function.
    fn external(
        &self,
        program: &Program,
        function: FunctionId,
        at: Option<(&Body, InstructionId)>,
        call: &mut Call,
    ) {
        let Some(effect) = self.effect(function) else {
            call.unknown_code |= self.is_unmodelled(program, function);
            return;
        };
        call.exits |= effect.runs_exit_handlers;
        call.enters_replacements |= self.replaced.may_be_entered_by(function);
        call.unknown_code |= self.replaced.is_unseen_code_entered_by(function);
        for callback in &effect.callbacks {
            let pointer = match (callback.function, at) {
                (Origin::Same(Value::Argument(number)), Some((body, instruction))) => {
                    let argument = body.arguments(instruction).get(usize::from(number));
                    pointer(program, argument)
                }
                _ => Pointer::Unknown,
            };
            let (some, any) = match callback.time {
                CallbackTime::Now => (&mut call.callbacks, &mut call.any_callback),
                CallbackTime::AtExit => (&mut call.at_exit, &mut call.any_at_exit),
                CallbackTime::Anytime => (&mut call.anytime, &mut call.any_anytime),
            };
            match pointer {
                Pointer::NoFunction => {}
                Pointer::Function(id) if program.function(id).body.is_some() => some.push(id),
                Pointer::Function(id) => call.unknown_code |= self.is_unmodelled(program, id),
                Pointer::Unknown => {
                    *any = true;
                    call.unknown_code |= self.pointers_from_outside;
                }
            }
        }
    }

    fn push_rows(&self, mut call: Call, graph: &mut CallGraph) {
        let targets = match call.any_target {
            true => &self.taken,
            false => &call.targets,
        };
        graph.targets.push_row(targets.iter().copied());
        let ascending = |list: &mut Vec<FunctionId>| {
            list.sort_unstable();
            list.dedup();
        };
        ascending(&mut call.externals);
        graph.externals.push_row(call.externals);
        match (call.unknown_code, call.any_callback) {
            (true, _) => call.callbacks.clone_from(&self.escaped),
            (false, true) => call.callbacks.clone_from(&self.taken),
            (false, false) => {}
        }
        if call.enters_replacements {
            call.callbacks.extend(&self.replaced.functions);
        }
        ascending(&mut call.callbacks);
        graph.callbacks.push_row(call.callbacks);
    }
}

enum Pointer {
    NoFunction,
    Function(FunctionId),
    Unknown,
}

/// What an argument that is called may be.
fn pointer(program: &Program, argument: Option<&Operand>) -> Pointer {
    let Some(Operand::Constant(constant)) = argument else {
        return match argument {
            // A call with too few arguments passes nothing that could be called.
            None => Pointer::NoFunction,
            Some(_) => Pointer::Unknown,
        };
    };
    match program.called_function(*constant) {
        Some(function) => Pointer::Function(function),
        None if is_number(program, *constant) => Pointer::NoFunction,
        None => Pointer::Unknown,
    }
}

/// `NULL`, `SIG_IGN` and their kind: a number, cast a few times at most.
fn is_number(program: &Program, mut constant: ConstantId) -> bool {
    for _ in 0..8 {
        match program.constant(constant) {
            Constant::Integer { .. } | Constant::Null(_) | Constant::Zero(_) => return true,
            Constant::Undefined(_) | Constant::Poison(_) => return true,
            Constant::Expression(expression) => match expression.operands[..] {
                [only] => constant = only,
                _ => return false,
            },
            _ => return false,
        }
    }
    false
}

/// What the calls left for later times.
#[derive(Default)]
struct Later {
    at_exit: Vec<FunctionId>,
    any_at_exit: bool,
    anytime: Vec<FunctionId>,
    any_anytime: bool,
    escapes: bool,
}

impl Later {
    fn add(&mut self, call: &Call) {
        self.at_exit.extend(&call.at_exit);
        self.any_at_exit |= call.any_at_exit;
        self.anytime.extend(&call.anytime);
        self.any_anytime |= call.any_anytime;
        self.escapes |= call.unknown_code;
    }

    fn finish(mut self, known: &Known, entries: &mut Entries) {
        if self.any_at_exit {
            self.at_exit.extend(&known.taken);
        }
        if self.any_anytime || self.escapes || !entries.library.is_empty() {
            self.anytime.extend(&known.taken);
        }
        self.anytime.extend(&known.replaced.functions);
        for list in [&mut self.at_exit, &mut self.anytime] {
            list.sort_unstable();
            list.dedup();
        }
        entries.exit_handlers = self.at_exit;
        entries.interrupting.clone_from(&self.anytime);
        entries.anytime = self.anytime;
    }
}

fn indirect_call(
    program: &Program,
    caller: FunctionId,
    body: &Body,
    call: InstructionId,
    known: &Known,
) -> Caveat {
    let function = program.function(caller).name;
    Caveat {
        kind: CaveatKind::IndirectCall,
        function,
        place: body.instruction(call).place,
        message: format!(
            "{} calls through a pointer; each of the {} functions whose address is taken is assumed",
            program.name(function),
            known.taken.len()
        ),
    }
}
