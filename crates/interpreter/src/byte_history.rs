//! Which instructions of a function meet at a byte during one activation, and which of them wrote
//! what another one read?
//!
//! Each activation remembers, for the bytes touched since it was entered, who touched them and who
//! wrote them last. When it ends, its caller takes over what it can see, under the call
//! instruction. What a call reads that it has written itself is its own affair. Only what is known counts: bytes in the middle of long accesses are not remembered
//! one by one, and after a long write nobody knows who wrote them.
//!
//! Cost: a few hash operations per byte touched, and per byte still known at each return, up to a
//! budget for the whole run.

use crate::memory::{is_on_stack, object_of};
use crate::trace::{AccessKind, Flow, Overlap, Touch};
use knockon_program::{FunctionId, InstructionId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Bytes that an activation remembers.
const MOST_BYTES: usize = 1 << 13;
/// The longest access whose bytes are all remembered; of longer ones the two ends are.
const LONGEST: u64 = 64;
const LONGEST_END: u64 = 16;
/// Touches that are remembered of one byte.
const MOST_TOUCHES: usize = 6;
/// Long writes that an activation remembers.
const MOST_LONG_WRITES: usize = 32;
/// Steps that a run may spend here.
const BUDGET: u64 = 100_000_000;

/// What was found in all activations.
#[derive(Default)]
pub(crate) struct Meetings {
    pub(crate) overlaps: FxHashSet<Overlap>,
    pub(crate) flows: FxHashSet<Flow>,
    pub(crate) omitted: u64,
    spent: u64,
}

pub(crate) struct ByteHistory {
    function: FunctionId,
    /// Objects from these numbers on, on the stack and elsewhere, are younger than the activation.
    first_own: u32,
    first_elsewhere: u32,
    bytes: FxHashMap<u64, Touches>,
    /// Long writes, whose bytes are not all in `bytes`.
    long_writes: Vec<Range<u64>>,
    /// There were more.
    too_many: bool,
}

/// Who wrote a byte last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writer {
    /// Nobody since the activation began.
    Before,
    /// The instruction, and which execution of it.
    Instruction(InstructionId, u64),
    Unknown,
}

/// Who touched a byte.
#[derive(Clone, Copy)]
struct Touches {
    rows: [Touch; MOST_TOUCHES],
    count: u8,
    writer: Writer,
    /// It was read before it was written.
    is_exposed: bool,
}

impl Touches {
    const NONE: Touches = Touches {
        rows: [Touch {
            instruction: InstructionId(0),
            kind: AccessKind::Read,
        }; MOST_TOUCHES],
        count: 0,
        writer: Writer::Before,
        is_exposed: false,
    };

    fn rows(&self) -> &[Touch] {
        &self.rows[..usize::from(self.count)]
    }
}

impl ByteHistory {
    pub(crate) fn new(function: FunctionId, first_own: u32, first_elsewhere: u32) -> ByteHistory {
        ByteHistory {
            function,
            first_own,
            first_elsewhere,
            bytes: FxHashMap::default(),
            long_writes: Vec::new(),
            too_many: false,
        }
    }

    /// An instruction of the function touches bytes in its execution number `occurrence`.
    pub(crate) fn touch(
        &mut self,
        address: u64,
        length: u64,
        touch: Touch,
        occurrence: u64,
        meetings: &mut Meetings,
    ) {
        let end = address.saturating_add(length);
        if length <= LONGEST {
            for byte in address..end {
                self.touch_byte(byte, touch, Some(occurrence), meetings);
            }
            return;
        }
        meetings.omitted += length - 2 * LONGEST_END;
        if touch.kind == AccessKind::Write {
            self.write_long(address..end, meetings);
        }
        for byte in (address..address + LONGEST_END).chain(end - LONGEST_END..end) {
            self.touch_byte(byte, touch, Some(occurrence), meetings);
        }
    }

    fn write_long(&mut self, range: Range<u64>, meetings: &mut Meetings) {
        if self.long_writes.len() < MOST_LONG_WRITES {
            self.long_writes.push(range.clone());
        } else {
            self.too_many = true;
        }
        let length = range.end - range.start;
        if length < self.bytes.len() as u64 {
            meetings.spent += length;
            for byte in range {
                if let Some(touches) = self.bytes.get_mut(&byte) {
                    touches.writer = Writer::Unknown;
                }
            }
        } else {
            meetings.spent += self.bytes.len() as u64;
            for (byte, touches) in &mut self.bytes {
                if range.contains(byte) {
                    touches.writer = Writer::Unknown;
                }
            }
        }
    }

    /// Remembers a touch and whom it meets. Without an occurrence it is a read by a call that had
    /// written the byte before, and does not see who wrote it.
    fn touch_byte(
        &mut self,
        byte: u64,
        touch: Touch,
        occurrence: Option<u64>,
        meetings: &mut Meetings,
    ) {
        meetings.spent += 1;
        let unknown = !self.bytes.contains_key(&byte);
        if meetings.spent > BUDGET || unknown && self.bytes.len() >= MOST_BYTES {
            // What is not remembered here must not be believed unwritten later.
            self.too_many |= touch.kind == AccessKind::Write;
            self.bytes.remove(&byte);
            meetings.omitted += 1;
            return;
        }
        let begins = match unknown {
            true if self.too_many => Writer::Unknown,
            true if self.long_writes.iter().any(|range| range.contains(&byte)) => Writer::Unknown,
            _ => Writer::Before,
        };
        let touches = self.bytes.entry(byte).or_insert(Touches {
            writer: begins,
            ..Touches::NONE
        });
        match (touch.kind, occurrence) {
            (AccessKind::Write, occurrence) => {
                let occurrence = occurrence.unwrap_or_default();
                touches.writer = Writer::Instruction(touch.instruction, occurrence);
            }
            (AccessKind::Read, Some(occurrence)) => {
                touches.is_exposed |= touches.writer == Writer::Before;
                let object = object_of(byte);
                let first_younger = match is_on_stack(object) {
                    true => self.first_own,
                    false => self.first_elsewhere,
                };
                let is_older = object < first_younger;
                let written = match touches.writer {
                    Writer::Before if is_older => Some(None),
                    Writer::Instruction(writer, at) if at != occurrence => Some(Some(writer)),
                    _ => None,
                };
                if let Some(written) = written {
                    meetings.flows.insert(Flow {
                        function: self.function,
                        written,
                        read: touch.instruction,
                    });
                }
            }
            (AccessKind::Read, None) => {}
        }
        if touches.rows().contains(&touch) {
            return;
        }
        for other in touches.rows() {
            meetings.overlaps.insert(Overlap {
                function: self.function,
                one: touch.min(*other),
                other: touch.max(*other),
            });
        }
        match touches.rows.get_mut(usize::from(touches.count)) {
            Some(row) => {
                *row = touch;
                touches.count += 1;
            }
            None => meetings.omitted += 1,
        }
    }

    /// A call is over: what it touched counts as touched by its instruction, apart from what has
    /// lived on its own stack.
    pub(crate) fn take_over(
        &mut self,
        callee: ByteHistory,
        call: InstructionId,
        occurrence: u64,
        meetings: &mut Meetings,
    ) {
        if callee.too_many {
            // It may have written anything.
            self.too_many = true;
            meetings.spent += self.bytes.len() as u64;
            for touches in self.bytes.values_mut() {
                touches.writer = Writer::Unknown;
            }
        }
        for range in callee.long_writes {
            if object_of(range.start) < callee.first_own {
                self.write_long(range, meetings);
            }
        }
        for (&byte, touches) in &callee.bytes {
            if object_of(byte) >= callee.first_own {
                continue;
            }
            let touched = |kind| touches.rows().iter().any(|touch| touch.kind == kind);
            let by_call = |kind| Touch {
                instruction: call,
                kind,
            };
            if touched(AccessKind::Read) || touches.is_exposed {
                let read = by_call(AccessKind::Read);
                let seen = touches.is_exposed.then_some(occurrence);
                self.touch_byte(byte, read, seen, meetings);
            }
            if touched(AccessKind::Write) || matches!(touches.writer, Writer::Instruction(..)) {
                let write = by_call(AccessKind::Write);
                self.touch_byte(byte, write, Some(occurrence), meetings);
            }
            if touches.writer == Writer::Unknown
                && let Some(known) = self.bytes.get_mut(&byte)
            {
                known.writer = Writer::Unknown;
            }
        }
    }
}
