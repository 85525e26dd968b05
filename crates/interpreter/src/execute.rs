//! The loop that runs decoded functions.
//!
//! One iteration is one instruction. Scalars take the short way here; the rest goes through
//! `general`. On an error the innermost frame remembers the instruction, and frames stay as they
//! are, so that a report can name the place.

use crate::arithmetic::narrow;
use crate::calls::{Called, fitted};
use crate::code::{Action, Code, Slot};
use crate::floating_point;
use crate::general::Flow;
use crate::machine::Machine;
use crate::memory_access::checked_address;
use crate::pointers;
use crate::scalar_sums::{multiply, slow_sum};
use crate::stop::{Outcome, Stop, undefined};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value, mask, sign_extend};
use knockon_program::Opcode;
use std::rc::Rc;

impl Machine<'_> {
    /// Runs until the frame at `floor` returns, and gives its result.
    pub(crate) fn execute(&mut self, floor: usize) -> Outcome<Value> {
        loop {
            let is_watched =
                self.observer.is_some() || self.memory.is_traced() || self.memory.is_recorded();
            let outcome = if is_watched {
                self.run_frames::<true>(floor)
            } else {
                self.run_frames::<false>(floor)
            };
            match outcome {
                Err(reason) => match *reason {
                    Stop::Jump(jump)
                        if self.jump_frame(jump).is_some_and(|frame| frame >= floor) =>
                    {
                        self.land(jump);
                    }
                    _ => return Err(reason),
                },
                done => return done,
            }
        }
    }

    /// Notes where the innermost frame was when something stopped it.
    #[cold]
    fn interrupted(&mut self, next: usize, reason: Box<Stop>) -> Outcome<Value> {
        if let Some(frame) = self.frames.last_mut() {
            frame.next = next;
        }
        Err(reason)
    }

    fn run_frames<const WATCHED: bool>(&mut self, floor: usize) -> Outcome<Value> {
        'frames: loop {
            let Some(frame) = self.frames.last() else {
                return Ok(Value::nothing());
            };
            let code: Rc<Code> = frame.code.clone();
            let mut next = frame.next;
            let bases = self.bases();
            macro_rules! attempt {
                ($outcome:expr) => {
                    match $outcome {
                        Ok(value) => value,
                        Err(reason) => return self.interrupted(next, reason),
                    }
                };
            }
            macro_rules! set {
                ($slot:expr, $value:expr) => {{
                    let value = $value;
                    self.scalars[bases.scalar + $slot.index()] = value;
                }};
            }
            macro_rules! get {
                ($slot:expr) => {
                    self.scalar(&code, bases, $slot)
                };
            }
            loop {
                if self.steps >= self.step_limit {
                    return self.interrupted(next, Box::new(Stop::StepLimit));
                }
                self.steps += 1;
                let action = code.actions[next];
                if WATCHED {
                    let node = (code.function, code.origins[next]);
                    self.memory.trace_step(node);
                    self.memory.record_step(node.1);
                }
                if WATCHED
                    && !matches!(
                        action,
                        Action::Call { .. } | Action::Load { .. } | Action::General
                    )
                {
                    self.observe(&code, bases, code.origins[next]);
                }
                next += 1;
                match action {
                    Action::Add(row) => {
                        let (left, right) = (get!(row.left), get!(row.right));
                        let width = u32::from(row.width);
                        let sum = left.bits.wrapping_add(right.bits) & mask(width);
                        let overflow = (left.bits ^ sum) & (right.bits ^ sum);
                        if left.undefined | right.undefined != 0
                            || row.no_signed_wrap && overflow >> (width - 1) & 1 != 0
                        {
                            set!(row.to, attempt!(slow_sum(Opcode::Add, row, left, right)));
                        } else {
                            set!(row.to, Scalar::new(sum));
                        }
                    }
                    Action::Subtract(row) => {
                        let (left, right) = (get!(row.left), get!(row.right));
                        let width = u32::from(row.width);
                        let difference = left.bits.wrapping_sub(right.bits) & mask(width);
                        let overflow = (left.bits ^ right.bits) & (left.bits ^ difference);
                        if left.undefined | right.undefined != 0
                            || row.no_signed_wrap && overflow >> (width - 1) & 1 != 0
                        {
                            set!(
                                row.to,
                                attempt!(slow_sum(Opcode::Subtract, row, left, right))
                            );
                        } else {
                            set!(row.to, Scalar::new(difference));
                        }
                    }
                    Action::Multiply(row) => {
                        let (left, right) = (get!(row.left), get!(row.right));
                        set!(row.to, attempt!(multiply(row, left, right)));
                    }
                    Action::And(row) => {
                        let (left, right) = (get!(row.left), get!(row.right));
                        let undefined = (left.undefined | right.undefined)
                            & (left.bits | left.undefined)
                            & (right.bits | right.undefined);
                        let bits = left.bits & right.bits;
                        set!(row.to, Scalar { bits, undefined });
                    }
                    Action::Or(row) => {
                        let (left, right) = (get!(row.left), get!(row.right));
                        let bits = left.bits | right.bits;
                        let undefined = (left.undefined | right.undefined) & !bits;
                        set!(row.to, Scalar { bits, undefined });
                    }
                    Action::Xor(row) => {
                        let (left, right) = (get!(row.left), get!(row.right));
                        let undefined = left.undefined | right.undefined;
                        let bits = (left.bits ^ right.bits) & !undefined;
                        set!(row.to, Scalar { bits, undefined });
                    }
                    Action::Integer(opcode, flags, row) => {
                        let (left, right) = (get!(row.left), get!(row.right));
                        let width = u32::from(row.width);
                        let result = narrow::binary(opcode, flags, width, left, right);
                        set!(row.to, attempt!(result));
                    }
                    Action::Compare(predicate, row) => {
                        let (left, right) = (get!(row.left), get!(row.right));
                        let width = u32::from(row.width);
                        set!(row.to, narrow::compare(predicate, width, left, right));
                    }
                    Action::Float(opcode, format, row) => {
                        let (left, right) = (get!(row.left), get!(row.right));
                        set!(
                            row.to,
                            if left.undefined | right.undefined != 0 {
                                Scalar::undefined(u32::from(row.width))
                            } else {
                                Scalar::new(floating_point::host_binary(
                                    opcode, format, left.bits, right.bits,
                                ))
                            }
                        );
                    }
                    Action::FloatCompare(predicate, format, row) => {
                        let (left, right) = (get!(row.left), get!(row.right));
                        set!(
                            row.to,
                            if left.undefined | right.undefined != 0 {
                                Scalar::undefined(1)
                            } else {
                                Scalar::new(u64::from(floating_point::host_compare(
                                    predicate, format, left.bits, right.bits,
                                )))
                            }
                        );
                    }
                    Action::Move { to, from } => set!(to, get!(from)),
                    Action::SignExtend {
                        to,
                        from,
                        from_width,
                        width,
                    } => {
                        let value = get!(from);
                        let (from_width, ones) = (u32::from(from_width), mask(u32::from(width)));
                        let extend = |bits| sign_extend(bits, from_width) as u64 & ones;
                        let undefined = extend(value.undefined);
                        let bits = extend(value.bits) & !undefined;
                        set!(to, Scalar { bits, undefined });
                    }
                    Action::Truncate { to, from, width } => {
                        let value = get!(from);
                        let ones = mask(u32::from(width));
                        set!(
                            to,
                            Scalar {
                                bits: value.bits & ones,
                                undefined: value.undefined & ones
                            }
                        );
                    }
                    Action::ReadBool { to, from } => {
                        let value = get!(from);
                        if value.bits > 1 {
                            attempt!(invalid_bool(value.bits));
                        }
                        set!(
                            to,
                            Scalar {
                                bits: value.bits & 1,
                                undefined: value.undefined & 1
                            }
                        );
                    }
                    Action::Load {
                        to,
                        address,
                        size,
                        width,
                        alignment,
                    } => {
                        let address = get!(address);
                        let address = attempt!(checked_address(address, u64::from(alignment)));
                        let value = attempt!(if WATCHED {
                            self.memory.load(address, u32::from(size))
                        } else {
                            self.memory.fetch(address, u32::from(size))
                        });
                        let ones = mask(u32::from(width));
                        set!(
                            to,
                            Scalar {
                                bits: value.bits & ones,
                                undefined: value.undefined & ones
                            }
                        );
                        if WATCHED {
                            self.observe(&code, bases, code.origins[next - 1]);
                        }
                    }
                    Action::Store {
                        value,
                        address,
                        size,
                        alignment,
                    } => {
                        let (value, address) = (get!(value), get!(address));
                        let address = attempt!(checked_address(address, u64::from(alignment)));
                        attempt!(if WATCHED {
                            self.memory.store(address, u32::from(size), value)
                        } else {
                            self.memory.put(address, u32::from(size), value)
                        });
                    }
                    Action::Offset {
                        to,
                        base,
                        offset,
                        member,
                    } => {
                        let base = get!(base);
                        let result = pointers::advance(base, i64::from(offset), true, member);
                        set!(to, attempt!(result));
                    }
                    Action::Index {
                        to,
                        base,
                        index,
                        scale,
                        width,
                    } => {
                        let (base, index) = (get!(base), get!(index));
                        set!(
                            to,
                            if index.undefined != 0 {
                                Scalar::undefined(64)
                            } else {
                                let distance =
                                    pointers::distance(index, u32::from(width), i64::from(scale));
                                attempt!(pointers::advance(base, attempt!(distance), true, false))
                            }
                        );
                    }
                    Action::Path { to, base, path } => {
                        let result = self.follow(&code, bases, base, path);
                        set!(to, attempt!(result));
                    }
                    Action::Select {
                        to,
                        condition,
                        then,
                        otherwise,
                    } => {
                        let (condition, then, otherwise) =
                            (get!(condition), get!(then), get!(otherwise));
                        set!(
                            to,
                            if condition.undefined != 0 {
                                let undefined = then.undefined
                                    | otherwise.undefined
                                    | (then.bits ^ otherwise.bits);
                                Scalar {
                                    bits: then.bits & !undefined,
                                    undefined,
                                }
                            } else if condition.bits != 0 {
                                then
                            } else {
                                otherwise
                            }
                        );
                    }
                    Action::Alloca { to, size, site } => {
                        let address = attempt!(self.allocate_stack(u64::from(size), site));
                        set!(to, Scalar::new(address));
                    }
                    Action::Jump { edge } => {
                        next = self.take_edge::<WATCHED>(&code, bases, &code.edges[edge as usize]);
                    }
                    Action::Branch {
                        condition,
                        then,
                        otherwise,
                    } => {
                        let condition = get!(condition);
                        if condition.undefined != 0 {
                            attempt!(undefined_condition::<()>());
                        }
                        let edge = if condition.bits != 0 { then } else { otherwise };
                        next = self.take_edge::<WATCHED>(&code, bases, &code.edges[edge as usize]);
                    }
                    Action::Switch { value, table } => {
                        let value = self.read(&code, bases, value);
                        if !value.is_defined() {
                            attempt!(undefined_condition::<()>());
                        }
                        let table = &code.switches[table as usize];
                        let bits = value.to_wide().map_or(0, |wide| wide.bits);
                        let edge = match table.cases.binary_search_by_key(&bits, |case| case.0) {
                            Ok(found) => table.cases[found].1,
                            Err(_) => table.default,
                        };
                        next = self.take_edge::<WATCHED>(&code, bases, &code.edges[edge as usize]);
                    }
                    Action::Return { value } => {
                        let value = if value == Slot::NONE {
                            Value::nothing()
                        } else {
                            self.read(&code, bases, value)
                        };
                        let Some(frame) = self.pop_frame() else {
                            return Ok(value);
                        };
                        let value = match frame.result_type {
                            Some(type_id) => fitted(self.program, value, type_id),
                            None => value,
                        };
                        if WATCHED && let Some(pending) = frame.observation {
                            self.observe_result(&pending, Some(&value));
                        }
                        if self.frames.len() <= floor {
                            return Ok(value);
                        }
                        if WATCHED {
                            self.trace_resuming();
                        }
                        self.write_result(frame.result, value);
                        continue 'frames;
                    }
                    Action::Call { site } => {
                        if let Some(frame) = self.frames.last_mut() {
                            frame.next = next;
                        }
                        let site = &code.calls[site as usize];
                        match self.call(&code, bases, site)? {
                            Called::Entered => continue 'frames,
                            Called::Returned(value) => {
                                if WATCHED {
                                    self.trace_resuming();
                                }
                                self.write_result(site.to, value);
                            }
                        }
                    }
                    Action::Unreachable => {
                        let reached = undefined(
                            UndefinedBehaviour::Unreachable,
                            "control reaches a place that the program promises never to reach",
                        );
                        return match reached {
                            Err(reason) => self.interrupted(next, reason),
                            ok => ok,
                        };
                    }
                    Action::General => {
                        let origin = code.origins[next - 1];
                        match attempt!(self.general(&code, bases, origin)) {
                            Flow::Next => {
                                if WATCHED {
                                    self.observe(&code, bases, origin);
                                }
                            }
                            Flow::Take(edge) => {
                                if WATCHED {
                                    self.observe(&code, bases, origin);
                                }
                                let edge = &code.edges[edge as usize];
                                next = self.take_edge::<WATCHED>(&code, bases, edge);
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cold]
fn undefined_condition<T>() -> Outcome<T> {
    undefined(
        UndefinedBehaviour::Uninitialised,
        "a branch on a value that is not initialised",
    )
}

#[cold]
fn invalid_bool(bits: u64) -> Outcome<()> {
    undefined(
        UndefinedBehaviour::InvalidValue,
        format!("a _Bool holds {bits}"),
    )
}
