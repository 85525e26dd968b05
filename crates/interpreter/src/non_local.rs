//! Where does `longjmp` go?
//!
//! `setjmp` writes a number into the caller's buffer and remembers under it the frame and the place
//! behind the call; since the number is all there is, a copied buffer works. `longjmp` is an error
//! that travels outwards to the loop that runs the frame. Frames carry serial numbers, so a jump to
//! a frame that returned is told from one to a new frame in its place.

use crate::code::Slot;
use crate::machine::Machine;
use crate::stop::{Jump, Outcome, Stop, stop, undefined};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value};

/// A place that `setjmp` remembered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JumpPoint {
    number: u64,
    pub(crate) frame: usize,
    serial: u64,
    next: usize,
    result: Slot,
}

impl Machine<'_> {
    /// `setjmp`: the innermost frame's next action is the place behind the call.
    pub(crate) fn set_jump(&mut self, buffer: u64, result: Slot) -> Outcome<Value> {
        while let Some(point) = self.jump_points.last() {
            let same_place = |next: usize| {
                point.frame + 1 == self.frames.len()
                    && point.next == next
                    && self.memory.fetch(buffer, 8).ok() == Some(Scalar::new(point.number))
            };
            match self.frames.get(point.frame) {
                Some(frame) if frame.serial == point.serial && !same_place(frame.next) => break,
                _ => self.jump_points.pop(),
            };
        }
        let Some(frame) = self.frames.last() else {
            return undefined(UndefinedBehaviour::InvalidJump, "setjmp outside a call");
        };
        let point = JumpPoint {
            number: self.next_serial,
            frame: self.frames.len() - 1,
            serial: frame.serial,
            next: frame.next,
            result,
        };
        self.next_serial += 1;
        self.jump_points.push(point);
        self.memory.store(buffer, 8, Scalar::new(point.number))?;
        Ok(Value::int(0))
    }

    /// `longjmp`: always an error, either the jump or that it is not allowed.
    pub(crate) fn long_jump(&mut self, buffer: u64, value: i32) -> Outcome<Value> {
        self.memory.record_jump();
        let number = self.memory.load(buffer, 8)?;
        let point = self
            .jump_points
            .iter()
            .rposition(|point| number == Scalar::new(point.number));
        let alive = point.filter(|row| {
            let point = self.jump_points[*row];
            self.frames
                .get(point.frame)
                .is_some_and(|frame| frame.serial == point.serial)
        });
        match alive {
            Some(point) => stop(Stop::Jump(Jump {
                point,
                value: if value == 0 { 1 } else { value },
            })),
            None => undefined(
                UndefinedBehaviour::InvalidJump,
                "longjmp to a function that returned, or with a buffer that setjmp did not fill",
            ),
        }
    }

    /// The frame that a jump goes to.
    pub(crate) fn jump_frame(&self, jump: Jump) -> Option<usize> {
        self.jump_points.get(jump.point).map(|point| point.frame)
    }

    /// Leaves all frames inside the target and lets `setjmp` return there again.
    pub(crate) fn land(&mut self, jump: Jump) {
        let Some(point) = self.jump_points.get(jump.point).copied() else {
            return;
        };
        while self.frames.len() > point.frame + 1 {
            if let Some(frame) = self.pop_frame()
                && let Some(pending) = frame.observation
            {
                self.observe_result(&pending, None);
            }
        }
        self.jump_points.truncate(jump.point + 1);
        if let Some(frame) = self.frames.last_mut() {
            frame.next = point.next;
        }
        self.trace_resuming();
        self.record_landing(point.next);
        self.write_result(point.result, Value::int(jump.value));
    }
}
