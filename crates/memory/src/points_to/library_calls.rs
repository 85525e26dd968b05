//! Which constraints does a call of a function without a body give? What its description says; an
//! unmodelled one gets all that its arguments reach, and so does one that may enter a function which
//! the program defines in the library's place.

use super::constraints::{CallbackSite, Constraints, clamp, integer};
use super::objects::{ObjectId, ObjectKind};
use super::solver::{NodeId, OUTSIDE, PointerCall, Use};
use knockon_library::{Effect, Extent, FormatKind, Memory, Origin, Value};
use knockon_program::{Body, FunctionId, InstructionId, Operand, Program};

pub(super) struct ExternalCall<'a> {
    caller: FunctionId,
    id: InstructionId,
    arguments: &'a [NodeId],
}

impl Constraints<'_> {
    pub(super) fn unknown_code(
        &mut self,
        function: FunctionId,
        id: InstructionId,
        arguments: &[NodeId],
        result: NodeId,
    ) {
        self.unmodelled.push((function, id));
        for argument in arguments {
            self.solver.copy(*argument, OUTSIDE);
        }
        self.solver.copy(OUTSIDE, result);
    }

    /// A call of a function without a body.
    pub fn external(
        &mut self,
        caller: FunctionId,
        body: &Body,
        id: InstructionId,
        callee: FunctionId,
        arguments: &[NodeId],
        result: NodeId,
    ) {
        let library = self.library;
        let Some(effect) = library.of(self.program.function_name(callee)) else {
            return self.unknown_code(caller, id, arguments, result);
        };
        if self.replaced.may_be_entered_by(callee) {
            self.unknown_code(caller, id, arguments, result);
        }
        let site = ExternalCall {
            caller,
            id,
            arguments,
        };
        for (from, to) in &effect.copies {
            let length = match (from, to) {
                (Memory::Behind(_), Memory::Behind(_)) => {
                    copied_bytes(self.program, effect, body.arguments(id))
                }
                _ => u32::MAX,
            };
            for from in self.memory(&site, *from) {
                for to in self.memory(&site, *to) {
                    self.solver.copy_memory(from, to, length);
                }
            }
        }
        for (origin, memory) in &effect.stores {
            let value = self.origin(&site, *origin);
            for to in self.memory(&site, *memory) {
                self.solver.attach(to, Use::StoreAll { from: value });
            }
        }
        let format = self.formats.beyond_row(self.program, body, id, effect);
        if let Some(format) = format.filter(|format| format.kind == FormatKind::Scan) {
            let made = self.fresh(&site);
            for to in self.memory(&site, format.arguments) {
                self.solver.attach(to, Use::StoreAll { from: made });
            }
        }
        for origin in &effect.returns {
            let value = self.origin(&site, *origin);
            self.solver.copy(value, result);
        }
        for described in &effect.callbacks {
            let pointer = self.origin(&site, described.function);
            let given: Vec<NodeId> = described
                .arguments
                .iter()
                .map(|argument| match argument {
                    Some(origin) => self.origin(&site, *origin),
                    None => self.solver.node(),
                })
                .collect();
            let returned = self.solver.node();
            for memory in &described.result_to {
                for to in self.memory(&site, *memory) {
                    self.solver.attach(to, Use::StoreAll { from: returned });
                }
            }
            let number = self.solver.callbacks.len() as u32;
            let callback = PointerCall::new(given, returned);
            self.solver.callbacks.push(callback);
            self.callback_sites.push(CallbackSite {
                caller,
                instruction: id,
                time: described.time,
            });
            self.solver.attach(pointer, Use::Callback(number));
        }
    }

    pub(super) fn values(&mut self, site: &ExternalCall, value: Value) -> Vec<NodeId> {
        match value {
            Value::Argument(number) => {
                let argument = site.arguments.get(usize::from(number));
                argument.copied().into_iter().collect()
            }
            Value::ArgumentsFrom(number) => {
                let rest = site.arguments.get(usize::from(number)..);
                rest.unwrap_or(&[]).to_vec()
            }
            Value::Fresh => vec![self.fresh(site)],
            Value::Library(name) => {
                let object = self.library_object(name);
                vec![self.pointer_to(object, 0)]
            }
        }
    }

    pub(super) fn fresh(&mut self, site: &ExternalCall) -> NodeId {
        let kind = ObjectKind::Heap(site.caller, site.id);
        let object = self.solver.objects.add(kind, None);
        self.pointer_to(object, 0)
    }

    /// Pointers to the memory.
    pub(super) fn memory(&mut self, site: &ExternalCall, memory: Memory) -> Vec<NodeId> {
        let values = self.values(site, memory.value());
        match memory {
            Memory::Behind(_) => values,
            Memory::BehindLoaded(_) => values
                .into_iter()
                .map(|value| {
                    let loaded = self.solver.node();
                    self.solver.attach(value, Use::LoadAll { to: loaded });
                    loaded
                })
                .collect(),
            Memory::ReachableFrom(_) => values
                .into_iter()
                .map(|value| self.reachable(value))
                .collect(),
        }
    }

    pub(super) fn origin(&mut self, site: &ExternalCall, origin: Origin) -> NodeId {
        let node = self.solver.node();
        match origin {
            Origin::Same(value) => {
                for value in self.values(site, value) {
                    self.solver.copy(value, node);
                }
            }
            Origin::Into(value) => {
                for value in self.values(site, value) {
                    self.solver.copy(value, node);
                    self.anywhere(value, node);
                }
            }
            Origin::Fresh => return self.fresh(site),
            Origin::Library(name) => {
                let object = self.library_object(name);
                return self.pointer_to(object, 0);
            }
            Origin::LoadedFrom(memory) => {
                for pointer in self.memory(site, memory) {
                    let loaded = self.solver.node();
                    self.solver.attach(pointer, Use::LoadAll { to: loaded });
                    self.solver.copy(loaded, node);
                    self.anywhere(loaded, node);
                }
            }
            Origin::Variadics => {
                let kind = ObjectKind::Variadic(site.caller);
                let object = self.solver.objects.add(kind, None);
                return self.pointer_to(object, 0);
            }
        }
        node
    }

    /// An object of the library, with what it holds.
    pub(super) fn library_object(&mut self, name: &'static str) -> ObjectId {
        let kind = ObjectKind::Library(name);
        if let Some(known) = self.solver.objects.find(kind) {
            return known;
        }
        let object = self.solver.objects.add(kind, None);
        if let Some(description) = self.library.object(name) {
            let pointer = self.pointer_to(object, 0);
            for held in &description.holds {
                let held = self.library_object(held);
                let value = self.pointer_to(held, 0);
                self.solver.attach(pointer, Use::StoreAll { from: value });
            }
        }
        object
    }

    /// All that can be reached from a pointer.
    pub(super) fn reachable(&mut self, from: NodeId) -> NodeId {
        let reached = self.solver.node();
        self.solver.copy(from, reached);
        self.solver.attach(reached, Use::LoadAll { to: reached });
        reached
    }
}

/// How many bytes a copying function copies at most.
fn copied_bytes(program: &Program, effect: &Effect, arguments: &[Operand]) -> u32 {
    let (Some(Extent::Exactly(number)) | Some(Extent::AtMost(number))) = effect.extent else {
        return u32::MAX;
    };
    match arguments.get(usize::from(number)) {
        Some(Operand::Constant(constant)) => {
            integer(program, *constant).map_or(u32::MAX, |length| clamp(length.max(0) as u64))
        }
        _ => u32::MAX,
    }
}
