//! What memory tells the trace of a run; without one, nothing happens here.

use super::{Memory, object_of};
use crate::machine::Machine;
use crate::trace::{AccessKind, Origin, Trace};
use crate::tracing::{Progress, Tracer};
use knockon_program::Node;
use std::cell::RefCell;

impl Memory {
    /// With a trace if one is asked for.
    pub(crate) fn traced(mut self, trace: bool, functions: usize) -> Memory {
        if trace {
            self.tracer = Some(Box::new(RefCell::new(Tracer::new(functions))));
        }
        self
    }

    pub(crate) fn is_traced(&self) -> bool {
        self.tracer.is_some()
    }

    /// The instruction in progress touches bytes of an object.
    #[inline]
    pub(super) fn note(&self, address: u64, length: u64, kind: AccessKind) {
        if let Some(tracer) = &self.tracer {
            tracer.borrow_mut().touch(address, length, kind);
        }
        self.record_access(address, length, kind);
    }

    /// An instruction begins.
    pub(crate) fn trace_step(&mut self, node: Node) {
        if let Some(tracer) = &mut self.tracer {
            tracer.get_mut().step(node);
        }
    }

    /// The instruction in progress.
    pub(crate) fn traced_progress(&self) -> Option<Progress> {
        (self.tracer.as_ref()).and_then(|tracer| tracer.borrow().progress())
    }

    /// That instruction goes on, or none.
    pub(crate) fn trace_on(&mut self, progress: Option<Progress>) {
        if let Some(tracer) = &mut self.tracer {
            tracer.get_mut().go_on(progress);
        }
    }

    /// The object comes from somewhere else than its site says.
    pub(crate) fn name_origin(&mut self, address: u64, origin: impl FnOnce() -> Origin) {
        if let Some(tracer) = &mut self.tracer {
            tracer.get_mut().name(object_of(address), origin());
        }
    }

    /// Only `depth` calls are still in progress.
    pub(crate) fn trace_leaving(&mut self, depth: usize) {
        if let Some(tracer) = &mut self.tracer {
            tracer.get_mut().leave_to(depth);
        }
    }

    pub(crate) fn into_trace(self) -> Option<Trace> {
        self.tracer.map(|tracer| tracer.into_inner().into_trace())
    }
}

impl Machine<'_> {
    /// The innermost frame is new and has its parameters.
    pub(crate) fn trace_entering(&mut self) {
        if let (Some(tracer), Some(frame)) = (&mut self.memory.tracer, self.frames.last()) {
            let (next_on_stack, first_elsewhere) = self.memory.objects.next_numbers();
            let first_own = match self.stack_objects.get(frame.first_stack_object) {
                Some(address) => object_of(*address),
                None => next_on_stack,
            };
            let function = frame.code.function;
            tracer.get_mut().enter(function, first_own, first_elsewhere);
        }
        if let Some(frame) = self.frames.last() {
            self.memory.record_entering(frame.code.function);
        }
    }

    /// A `setjmp` in front of the action returns again.
    pub(crate) fn record_landing(&mut self, next: usize) {
        let call = (self.frames.last())
            .and_then(|frame| frame.code.origins.get(next.checked_sub(1)?).copied());
        if let Some(call) = call {
            self.memory.record_landing(call);
        }
    }

    /// Control is back in the innermost frame.
    pub(crate) fn trace_resuming(&mut self) {
        if let (Some(tracer), Some(frame)) = (&mut self.memory.tracer, self.frames.last()) {
            tracer.get_mut().resume(frame.code.function);
        }
    }
}
