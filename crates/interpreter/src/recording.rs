//! The recording side of histories: the instruction in progress, the calls around it, and for each
//! byte of memory who wrote it last.
//!
//! Cost: four bytes for each byte of a live object that was written to.

use crate::history::{
    Activation, ActivationId, Entry, History, Landing, MOST_READS, Occurrence, OccurrenceId,
};
use knockon_program::{FunctionId, InstructionId};
use rustc_hash::FxHashMap;

#[derive(Default)]
pub(crate) struct Recorder {
    history: History,
    /// The occurrence in progress; `None` while the program starts.
    progress: Option<OccurrenceId>,
    /// The calls in progress, outermost first.
    active: Vec<ActivationId>,
    /// By live object, by byte: one more than the number of the occurrence that wrote it, or 0.
    writers: FxHashMap<u32, Box<[u32]>>,
    /// The `longjmp` on its way.
    jump: Option<OccurrenceId>,
    /// Which calls registered the handlers that run when the program ends, in their order.
    registering: Vec<Option<OccurrenceId>>,
    ends: bool,
}

impl Recorder {
    /// An instruction of the innermost call begins.
    pub(crate) fn step(&mut self, instruction: InstructionId) {
        let Some(activation) = self.active.last() else {
            return;
        };
        self.progress = Some(OccurrenceId(self.history.occurrences.len() as u32));
        self.history.occurrences.push(Occurrence {
            activation: *activation,
            instruction,
        });
    }

    pub(crate) fn progress(&self) -> Option<OccurrenceId> {
        self.progress
    }

    /// The occurrence goes on that was interrupted by others.
    pub(crate) fn go_on(&mut self, progress: Option<OccurrenceId>) {
        self.progress = progress;
    }

    /// A function is entered from the occurrence in progress.
    pub(crate) fn enter(&mut self, function: FunctionId) {
        let entry = match self.progress {
            None => Entry::Outside,
            Some(call) if self.ends && self.active.is_empty() => Entry::Registered(call),
            Some(call) => {
                let library = &self.history.library_calls;
                match library.binary_search_by_key(&call, |row| row.0) {
                    Ok(_) => Entry::Callback(call),
                    Err(_) => Entry::Call(call),
                }
            }
        };
        self.active
            .push(ActivationId(self.history.activations.len() as u32));
        self.history
            .activations
            .push(Activation { function, entry });
    }

    /// Only `depth` calls are still in progress.
    pub(crate) fn leave_to(&mut self, depth: usize) {
        self.active.truncate(depth);
    }

    /// The call in progress enters no function of the program by itself.
    pub(crate) fn call_library(&mut self, function: Option<FunctionId>) {
        if let Some(call) = self.progress {
            self.history.library_calls.push((call, function));
        }
    }

    /// After a call there are this many handlers for the end of the program.
    pub(crate) fn registered(&mut self, handlers: usize) {
        self.registering.resize(handlers, self.progress);
    }

    /// The program ends, and the handler of this number runs; `None` for one that no call registered.
    pub(crate) fn run_handler(&mut self, number: Option<usize>) {
        self.ends = true;
        self.progress = number
            .and_then(|number| self.registering.get(number).copied())
            .flatten();
    }

    /// The call in progress is a `longjmp`.
    pub(crate) fn jump(&mut self) {
        self.jump = self.progress;
    }

    /// It has come back to the innermost call, where the `setjmp` returns again.
    pub(crate) fn land(&mut self, target: InstructionId) {
        if let (Some(jump), Some(activation)) = (self.jump.take(), self.active.last()) {
            self.history.landings.push(Landing {
                before: OccurrenceId(self.history.occurrences.len() as u32),
                activation: *activation,
                jump,
                target,
            });
        }
    }

    /// What is written until further notice was passed by the call that made the innermost
    /// activation.
    pub(crate) fn write_as_caller(&mut self) {
        self.progress = match self.active.last().map(|id| self.history.activation(*id)) {
            Some(Activation {
                entry: Entry::Call(call),
                ..
            }) => Some(call),
            _ => None,
        };
    }

    /// The occurrence in progress writes bytes of an object of this size.
    pub(crate) fn write(&mut self, object: u32, size: usize, range: std::ops::Range<usize>) {
        let writer = self.progress.map_or(0, |occurrence| occurrence.0 + 1);
        let writers = self
            .writers
            .entry(object)
            .or_insert_with(|| vec![0; size].into());
        if let Some(bytes) = writers.get_mut(range) {
            bytes.fill(writer);
        }
    }

    /// The occurrence in progress reads bytes of an object.
    pub(crate) fn read(&mut self, object: u32, range: std::ops::Range<usize>) {
        let (Some(reader), Some(writers)) = (self.progress, self.writers.get(&object)) else {
            return;
        };
        let reads = &mut self.history.reads;
        let mut before = 0;
        for writer in writers.get(range).unwrap_or_default() {
            if *writer == before || *writer == 0 || *writer == reader.0 + 1 {
                continue;
            }
            before = *writer;
            if reads.len() >= MOST_READS {
                self.history.lacks_reads = true;
                return;
            }
            reads.push((reader, OccurrenceId(writer - 1)));
        }
    }

    pub(crate) fn released(&mut self, object: u32) {
        self.writers.remove(&object);
    }

    pub(crate) fn into_history(self) -> History {
        let mut history = self.history;
        history.reads.sort_unstable();
        history.reads.dedup();
        history
    }
}
