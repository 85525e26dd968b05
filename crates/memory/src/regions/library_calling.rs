//! What does a call of a library function mean for the caller's objects?
//!
//! The effect models say which memory is read, written and copied, which pointers are stored and
//! returned, and which functions are called back. A model speaks of whole objects: a pointer that
//! is stored in one may be anywhere from the given place on. Copies of a stated length begin at the
//! given places; other copies may shift what they copy.

use super::calling::Passed;
use super::cells::Cell;
use super::objects::ObjectId;
use super::offsets::Offsets;
use super::registering::named;
use super::solving::{Copying, Reaching, Solver};
use crate::call_graph::CallSiteId;
use knockon_library::{
    Callback, CallbackTime, Effect, Extent, Format, FormatKind, Memory, Origin, Value,
};
use knockon_program::{Body, FunctionId, InstructionId};
use smallvec::SmallVec;

type Cells = SmallVec<[Cell; 4]>;

/// One call of a library function.
#[derive(Clone, Copy)]
pub(crate) struct LibraryCall<'a> {
    pub(crate) function: FunctionId,
    pub(crate) body: &'a Body,
    pub(crate) id: InstructionId,
}

impl Solver<'_> {
    pub(crate) fn library_call(
        &mut self,
        function: FunctionId,
        body: &Body,
        id: InstructionId,
        site: CallSiteId,
        effect: &Effect,
        is_wanted: bool,
    ) {
        let call = LibraryCall { function, body, id };
        for origin in &effect.returns {
            if is_wanted {
                for cell in self.origin(call, *origin) {
                    self.join_value(function, id, cell);
                }
            }
        }
        for (memories, writes) in [(&effect.reads, false), (&effect.writes, true)] {
            for memory in memories {
                self.touch_memory(call, *memory, writes);
            }
        }
        for (from, to) in &effect.copies {
            self.touch_memory(call, *from, false);
            self.touch_memory(call, *to, true);
            for from in self.joined_memory(call, *from) {
                for to in self.joined_memory(call, *to) {
                    let copying = Copying {
                        from,
                        to,
                        length: self.length(body, id, effect),
                        is_aligned: effect.extent.is_some(),
                    };
                    self.copy(function, copying);
                }
            }
        }
        for (origin, memory) in &effect.stores {
            self.touch_memory(call, *memory, true);
            self.store_origin(call, *origin, *memory);
        }
        for callback in &effect.callbacks {
            self.call_back(call, site, callback);
        }
        if let Some(format) = self.format_beyond(call, effect) {
            self.touch_memory(call, format.arguments, true);
            if format.kind == FormatKind::Scan {
                self.store_origin(call, Origin::Fresh, format.arguments);
            }
        }
    }

    /// The format, if it may do more than the model says.
    pub(crate) fn format_beyond(&self, call: LibraryCall, effect: &Effect) -> Option<Format> {
        self.formats
            .beyond_row(self.program, call.body, call.id, effect)
    }

    /// The stated number of bytes, if it is a constant.
    pub(crate) fn length(&self, body: &Body, id: InstructionId, effect: &Effect) -> Option<u32> {
        let (Extent::Exactly(number) | Extent::AtMost(number)) = effect.extent?;
        let length = *body.arguments(id).get(number as usize)?;
        let length = super::carriers::constant_integer(self.program, length)?;
        u32::try_from(length)
            .ok()
            .filter(|length| *length < 1 << 30)
    }

    fn store_origin(&mut self, call: LibraryCall, origin: Origin, memory: Memory) {
        for target in self.origin(call, origin) {
            for place in self.joined_memory(call, memory) {
                let place = place.plus(Offsets::steps(1, None));
                self.objects.write(place, 1, target);
            }
        }
    }

    fn touch_memory(&mut self, call: LibraryCall, memory: Memory, writes: bool) {
        for cell in self.memory(call, memory) {
            self.objects.touch_elsewhere(cell);
            if let Memory::ReachableFrom(_) = memory {
                let reaching = Reaching { from: cell, writes };
                self.functions[call.function.index()].reaches.push(reaching);
            }
        }
    }

    /// Where the memory begins, for a use that moves pointers: all that is reachable becomes one
    /// object then.
    fn joined_memory(&mut self, call: LibraryCall, memory: Memory) -> Cells {
        let cells = self.memory(call, memory);
        if let Memory::ReachableFrom(_) = memory {
            for cell in &cells {
                self.objects.write(cell.anywhere(), 1, cell.anywhere());
            }
        }
        cells
    }

    /// Where the memory begins. What is reachable beyond the first object is not among it.
    pub(crate) fn memory(&mut self, call: LibraryCall, memory: Memory) -> Cells {
        match memory {
            Memory::Behind(value) | Memory::ReachableFrom(value) => self.value(call, value),
            Memory::BehindLoaded(value) => self.loaded(call, value),
        }
    }

    fn value(&mut self, call: LibraryCall, value: Value) -> Cells {
        let LibraryCall { function, body, id } = call;
        let arguments = body.arguments(id);
        let mut found = Cells::new();
        match value {
            Value::Argument(number) => {
                if let Some(argument) = arguments.get(number as usize) {
                    found.push(self.cell(function, *argument));
                }
            }
            Value::ArgumentsFrom(number) => {
                for argument in arguments.iter().skip(number as usize) {
                    found.push(self.cell(function, *argument));
                }
            }
            Value::Fresh => found.push(Cell::start_of(self.made(call))),
            Value::Library(name) => found.push(self.constants.library(name)),
        }
        found.retain(|cell| cell.is_some());
        found
            .iter_mut()
            .for_each(|cell| *cell = self.objects.find(*cell));
        found
    }

    /// The pointers that stand in the object behind a value.
    fn loaded(&mut self, call: LibraryCall, value: Value) -> Cells {
        let cells = self.value(call, value);
        cells
            .into_iter()
            .map(|cell| self.read_onward(cell))
            .collect()
    }

    /// What pointers from the place on point to.
    fn read_onward(&mut self, cell: Cell) -> Cell {
        let cell = cell.plus(Offsets::steps(1, None));
        self.objects.read(cell, 1).anywhere()
    }

    fn origin(&mut self, call: LibraryCall, origin: Origin) -> Cells {
        match origin {
            Origin::Same(value) => self.value(call, value),
            Origin::Into(value) => {
                let mut cells = self.value(call, value);
                cells.iter_mut().for_each(|cell| *cell = cell.anywhere());
                cells
            }
            Origin::Fresh => SmallVec::from_elem(Cell::start_of(self.made(call)), 1),
            Origin::Library(name) => self.value(call, Value::Library(name)),
            Origin::LoadedFrom(memory) => self
                .joined_memory(call, memory)
                .into_iter()
                .map(|cell| self.read_onward(cell))
                .collect(),
            Origin::Variadics => self.functions[call.function.index()]
                .variadics
                .map(|area| Cell::start_of(area).anywhere())
                .into_iter()
                .collect(),
        }
    }

    /// The new object of this call.
    fn made(&mut self, call: LibraryCall) -> ObjectId {
        let LibraryCall { function, id, .. } = call;
        if let Some(object) = self.functions[function.index()].made.get(&id) {
            return *object;
        }
        let object = self.objects.fresh();
        self.allocate_heap(object, function, id);
        self.functions[function.index()].made.insert(id, object);
        object
    }

    fn call_back(&mut self, call: LibraryCall, site: CallSiteId, callback: &Callback) {
        let LibraryCall { function, body, id } = call;
        let mut passed: SmallVec<[Passed; 8]> = SmallVec::new();
        for argument in &callback.arguments {
            let mut joined = Cell::NONE;
            if let Some(origin) = argument {
                for cell in self.origin(call, *origin) {
                    if joined.is_none() {
                        joined = cell;
                    } else {
                        self.objects.join(&mut joined, cell);
                    }
                }
            }
            passed.push(Passed::pointer(joined));
        }
        let named = named(self.program, body, id, callback);
        let calls = self.calls;
        let (targets, first) = match callback.time {
            CallbackTime::Now => (
                calls.callbacks.of(site).to_vec(),
                calls.targets.item_count() + calls.callbacks.range(site).start,
            ),
            CallbackTime::AtExit | CallbackTime::Anytime => (
                self.registered.of(site).to_vec(),
                calls.targets.item_count()
                    + calls.callbacks.item_count()
                    + self.registered.range(site).start,
            ),
        };
        for (number, target) in targets.iter().enumerate() {
            if named.is_some_and(|named| named != *target) {
                continue;
            }
            let result = self.enter(function, id, first + number, *target, &passed);
            for memory in &callback.result_to {
                for place in self.joined_memory(call, *memory) {
                    self.objects
                        .write(place.plus(Offsets::steps(1, None)), 1, result);
                }
            }
        }
    }
}
