//! `qsort` and `bsearch`: which elements are compared, and in which order?
//!
//! A comparison function may print, count or be inconsistent, so the sequence of its calls matters.
//! It is glibc 2.36's: a top-down merge sort, on the elements themselves up to 32 bytes and on
//! pointers to them beyond.

use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::memory::{Allocation, ObjectKind};
use crate::stop::{Outcome, undefined};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value};

/// Larger elements stay in place until the order is known.
const LARGEST_DIRECT: u64 = 32;

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "qsort" | "qsort_r" => sort,
        "bsearch" => search,
        "lfind" => search_linearly,
        _ => return None,
    })
}

/// The comparison of one call.
struct Comparison {
    function: u64,
    /// The third argument of `qsort_r`'s comparison.
    context: Option<u64>,
}

impl Comparison {
    fn compare(&self, machine: &mut Machine<'_>, left: u64, right: u64) -> Outcome<i32> {
        let mut arguments = vec![Value::integer(left), Value::integer(right)];
        arguments.extend(self.context.map(Value::integer));
        match machine.call_function(self.function, &arguments)? {
            Value::Scalar(Scalar { bits, undefined: 0 }) => Ok(bits as u32 as i32),
            _ => undefined(
                UndefinedBehaviour::Uninitialised,
                "a comparison function returns a value that was never set",
            ),
        }
    }
}

fn sort(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (base, count, size) = (call.pointer(0)?, call.integer(1)?, call.integer(2)?);
    let context = if call.name == "qsort_r" {
        Some(call.pointer(4)?)
    } else {
        None
    };
    let comparison = Comparison {
        function: call.pointer(3)?,
        context,
    };
    if count <= 1 || size == 0 {
        return Ok(Value::nothing());
    }
    machine.memory.bytes(base, count.saturating_mul(size))?;
    let scratch = machine.memory.allocate(Allocation {
        size: count * size,
        kind: ObjectKind::Library,
        site: call.site,
        zeroed: false,
    })?;
    let result = if size <= LARGEST_DIRECT {
        merge_elements(machine, &comparison, Run { base, count, size }, scratch)
    } else {
        sort_pointers(machine, &comparison, Run { base, count, size }, scratch)
    };
    machine.memory.end_life(scratch);
    result.map(|()| Value::nothing())
}

/// A stretch of the array.
#[derive(Clone, Copy)]
struct Run {
    base: u64,
    count: u64,
    size: u64,
}

fn merge_elements(
    machine: &mut Machine<'_>,
    comparison: &Comparison,
    run: Run,
    scratch: u64,
) -> Outcome<()> {
    let Run { base, count, size } = run;
    if count <= 1 {
        return Ok(());
    }
    let (mut left_count, mut right_count) = (count / 2, count - count / 2);
    let (mut left, mut right) = (base, base + left_count * size);
    merge_elements(
        machine,
        comparison,
        Run {
            base: left,
            count: left_count,
            size,
        },
        scratch,
    )?;
    merge_elements(
        machine,
        comparison,
        Run {
            base: right,
            count: right_count,
            size,
        },
        scratch,
    )?;
    let mut end = scratch;
    while left_count > 0 && right_count > 0 {
        let source = if comparison.compare(machine, left, right)? <= 0 {
            left_count -= 1;
            left += size;
            left - size
        } else {
            right_count -= 1;
            right += size;
            right - size
        };
        machine.memory.copy(end, source, size)?;
        end += size;
    }
    machine.memory.copy(end, left, left_count * size)?;
    machine
        .memory
        .copy(base, scratch, (count - right_count) * size)
}

fn sort_pointers(
    machine: &mut Machine<'_>,
    comparison: &Comparison,
    run: Run,
    scratch: u64,
) -> Outcome<()> {
    let Run { base, count, size } = run;
    let mut pointers: Vec<u64> = (0..count).map(|index| base + index * size).collect();
    merge_pointers(machine, comparison, &mut pointers)?;
    for (index, pointer) in pointers.iter().enumerate() {
        machine
            .memory
            .copy(scratch + index as u64 * size, *pointer, size)?;
    }
    machine.memory.copy(base, scratch, count * size)
}

fn merge_pointers(
    machine: &mut Machine<'_>,
    comparison: &Comparison,
    pointers: &mut [u64],
) -> Outcome<()> {
    if pointers.len() <= 1 {
        return Ok(());
    }
    let middle = pointers.len() / 2;
    merge_pointers(machine, comparison, &mut pointers[..middle])?;
    merge_pointers(machine, comparison, &mut pointers[middle..])?;
    let (mut left, mut right) = (0, middle);
    let mut merged = Vec::with_capacity(pointers.len());
    while left < middle && right < pointers.len() {
        if comparison.compare(machine, pointers[left], pointers[right])? <= 0 {
            merged.push(pointers[left]);
            left += 1;
        } else {
            merged.push(pointers[right]);
            right += 1;
        }
    }
    merged.extend_from_slice(&pointers[left..middle]);
    merged.extend_from_slice(&pointers[right..]);
    pointers.copy_from_slice(&merged);
    Ok(())
}

fn search(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (key, base, count, size) = (
        call.pointer(0)?,
        call.pointer(1)?,
        call.integer(2)?,
        call.integer(3)?,
    );
    let comparison = Comparison {
        function: call.pointer(4)?,
        context: None,
    };
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high) / 2;
        let element = base + middle * size;
        match comparison.compare(machine, key, element)? {
            0 => return Ok(Value::integer(element)),
            order if order < 0 => high = middle,
            _ => low = middle + 1,
        }
    }
    Ok(Value::integer(0))
}

fn search_linearly(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (key, base, size) = (call.pointer(0)?, call.pointer(1)?, call.integer(3)?);
    let count = machine.memory.load(call.pointer(2)?, 8)?.bits;
    let comparison = Comparison {
        function: call.pointer(4)?,
        context: None,
    };
    for index in 0..count {
        let element = base + index * size;
        if comparison.compare(machine, key, element)? == 0 {
            return Ok(Value::integer(element));
        }
    }
    Ok(Value::integer(0))
}
