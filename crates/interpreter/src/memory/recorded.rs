//! What memory tells the history of a run; without one, nothing happens here.

use super::{Memory, object_of};
use crate::history::{History, OccurrenceId};
use crate::recording::Recorder;
use crate::trace::AccessKind;
use knockon_program::{FunctionId, InstructionId};
use std::cell::RefCell;

impl Memory {
    /// With a history if one is asked for.
    pub(crate) fn recorded(mut self, record: bool) -> Memory {
        if record {
            self.recorder = Some(Box::new(RefCell::new(Recorder::default())));
        }
        self
    }

    pub(crate) fn is_recorded(&self) -> bool {
        self.recorder.is_some()
    }

    fn record(&mut self, event: impl FnOnce(&mut Recorder)) {
        if let Some(recorder) = &mut self.recorder {
            event(recorder.get_mut());
        }
    }

    /// The instruction in progress touches bytes; what lies outside of a live object ends the run.
    pub(super) fn record_access(&self, address: u64, length: u64, kind: AccessKind) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        let object = object_of(address);
        let Some(row) = self.objects.get(object) else {
            return;
        };
        let (first, size) = (u64::from(address as u32), u64::from(row.size));
        if !row.alive || first.saturating_add(length) > size {
            return;
        }
        let range = first as usize..(first + length) as usize;
        match kind {
            AccessKind::Read => recorder.borrow_mut().read(object, range),
            AccessKind::Write => recorder.borrow_mut().write(object, size as usize, range),
        }
    }

    pub(crate) fn record_step(&mut self, instruction: InstructionId) {
        self.record(|recorder| recorder.step(instruction));
    }

    /// The occurrence in progress.
    pub(crate) fn recorded_progress(&self) -> Option<OccurrenceId> {
        (self.recorder.as_ref()).and_then(|recorder| recorder.borrow().progress())
    }

    /// That occurrence goes on, or none.
    pub(crate) fn record_on(&mut self, progress: Option<OccurrenceId>) {
        self.record(|recorder| recorder.go_on(progress));
    }

    pub(crate) fn record_as_caller(&mut self) {
        self.record(Recorder::write_as_caller);
    }

    pub(crate) fn record_entering(&mut self, function: FunctionId) {
        self.record(|recorder| recorder.enter(function));
    }

    pub(crate) fn record_leaving(&mut self, depth: usize) {
        self.record(|recorder| recorder.leave_to(depth));
    }

    pub(crate) fn record_library_call(&mut self, function: Option<FunctionId>) {
        self.record(|recorder| recorder.call_library(function));
    }

    pub(crate) fn record_registered(&mut self, handlers: usize) {
        self.record(|recorder| recorder.registered(handlers));
    }

    pub(crate) fn record_handler(&mut self, number: Option<usize>) {
        self.record(|recorder| recorder.run_handler(number));
    }

    pub(crate) fn record_jump(&mut self) {
        self.record(Recorder::jump);
    }

    pub(crate) fn record_landing(&mut self, target: InstructionId) {
        self.record(|recorder| recorder.land(target));
    }

    pub(super) fn record_release(&mut self, object: u32) {
        self.record(|recorder| recorder.released(object));
    }

    pub(crate) fn take_history(&mut self) -> Option<History> {
        (self.recorder.take()).map(|recorder| recorder.into_inner().into_history())
    }
}
