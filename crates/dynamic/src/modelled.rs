//! **Question.** Which inputs are those that a proof's model describes?
//!
//! **Rules.** A model gives numbers for parameters, addresses for pointers and global variables, and
//! the bytes of one memory. Objects are laid where pointers point: of the shape's
//! ([`crate::shapes`]) size, or of so many elements as are asked for; pointers into one object are
//! pointers into one object of the input.
//!
//! **Soundness.** None is needed: what an input shows is decided by running it.

use crate::bridge::{Global, Signature, Value};
use crate::input::{Argument, Input, Object, ObjectId, Pointer};
use crate::shapes::{Shape, ShapeId, Shapes};
use std::collections::{BTreeMap, BTreeSet};

/// What a model says of the start of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// By parameter of the old version.
    pub parameters: BTreeMap<u32, u64>,
    /// Bytes of memory that differ from the rest, and the rest.
    pub bytes: BTreeMap<u64, u8>,
    pub rest: u8,
    /// Addresses by name.
    pub globals: BTreeMap<String, u64>,
}

const MOST_OBJECTS: usize = 60;
const DEEPEST: usize = 6;
const LARGEST: u64 = 16 << 10;
/// So many elements arrays have, in one input each; the numbers of the model besides.
const LENGTHS: [u64; 5] = [1, 2, 4, 8, 32];

/// Inputs that start as described.
pub fn inputs_of(
    start: &Start,
    shapes: &Shapes,
    signature: &Signature,
    globals: &[Global],
) -> Vec<Input> {
    let mut lengths: BTreeSet<u64> = LENGTHS.into_iter().collect();
    let short = |number: &&u64| (1..=512).contains(*number);
    lengths.extend(start.parameters.values().filter(short));
    if shapes.rows.iter().all(|shape| shape.stride == 0) {
        lengths = BTreeSet::from([1]);
    }
    let of_length = |length: u64| {
        let layer = Layer {
            start,
            shapes,
            length,
            input: Input {
                results: vec![0, 1],
                standard_input: shapes.reads_streams.then(Vec::new),
                ..Input::default()
            },
            ranges: Vec::new(),
            next: globals.len() as u32,
        };
        layer.input(signature, globals)
    };
    lengths.into_iter().map(of_length).collect()
}

struct Layer<'a> {
    start: &'a Start,
    shapes: &'a Shapes,
    length: u64,
    input: Input,
    /// Where objects are: address, size.
    ranges: Vec<(u64, u64, ObjectId)>,
    next: u32,
}

impl Layer<'_> {
    fn input(mut self, signature: &Signature, globals: &[Global]) -> Input {
        let known = |global: &Global| self.start.globals.get(&global.name).copied();
        let set: Vec<(ObjectId, u64, &Global)> = globals
            .iter()
            .enumerate()
            .filter_map(|(number, row)| Some((ObjectId(number as u32), known(row)?, row)))
            .collect();
        for (id, address, global) in &set {
            self.ranges.push((*address, global.size, *id));
        }
        for (id, address, global) in set.into_iter().filter(|row| row.2.is_given) {
            self.lay(id, address, global.size, global.shape, 0);
        }
        let value_of = |number: usize| {
            let value = self.start.parameters.get(&(number as u32));
            value.copied().unwrap_or_default()
        };
        let values: Vec<u64> = (0..signature.parameters.len()).map(value_of).collect();
        // From low addresses on, so that a pointer into an object finds it.
        let is_pointer = |number: &usize| signature.parameters[*number] == Value::Pointer;
        let mut pointers: Vec<usize> = (0..values.len()).filter(is_pointer).collect();
        pointers.sort_by_key(|number| values[*number]);
        let mut arguments: Vec<Argument> = values.iter().copied().map(Argument::Number).collect();
        for number in pointers {
            let shape = self.shapes.parameters.get(number).copied().flatten();
            arguments[number] = Argument::Pointer(self.pointer(values[number], shape, 0));
        }
        self.input.arguments = arguments;
        let first = globals.len() as u32;
        self.input
            .objects
            .sort_by_key(|object| (object.id.0 >= first, object.id));
        self.input
    }

    fn byte(&self, address: u64) -> u8 {
        let known = self.start.bytes.get(&address);
        known.copied().unwrap_or(self.start.rest)
    }

    fn pointer(&mut self, address: u64, shape: Option<ShapeId>, depth: usize) -> Pointer {
        let Some(shape) = shape.filter(|_| address != 0) else {
            return Pointer::Null;
        };
        if let Some(stream) = self.shapes.rows[shape.0 as usize].stream {
            return Pointer::Stream(stream);
        }
        let is_in =
            |row: &&(u64, u64, ObjectId)| address.checked_sub(row.0).is_some_and(|at| at < row.1);
        if let Some((base, _, object)) = self.ranges.iter().find(is_in) {
            return Pointer::Into {
                object: *object,
                offset: (address - base) as u32,
            };
        }
        if depth > DEEPEST || self.input.objects.len() > MOST_OBJECTS {
            return Pointer::Null;
        }
        let row = &self.shapes.rows[shape.0 as usize];
        let size = match row.stride {
            0 => row.size,
            stride => stride.saturating_mul(self.length),
        };
        let next = self.ranges.iter().filter(|row| row.0 > address);
        let room = next.map(|row| row.0 - address).min().unwrap_or(u64::MAX);
        let size = size.min(LARGEST).min(room);
        let id = ObjectId(self.next);
        self.next += 1;
        self.ranges.push((address, size.max(1), id));
        self.lay(id, address, size, shape, depth);
        Pointer::Into {
            object: id,
            offset: 0,
        }
    }

    /// An object with the bytes that memory has there, and what its pointers point to.
    fn lay(&mut self, id: ObjectId, address: u64, size: u64, shape: ShapeId, depth: usize) {
        let bytes = (0..size).map(|at| self.byte(address.wrapping_add(at)));
        let object = Object {
            id,
            shape: Some(shape),
            bytes: bytes.collect(),
            pointers: Vec::new(),
        };
        let place = self.input.objects.len();
        self.input.objects.push(object);
        let row = &self.shapes.rows[shape.0 as usize];
        for (offset, pointee) in pointers_of(row, size) {
            let parts: [u8; 8] =
                std::array::from_fn(|at| self.byte(address.wrapping_add(offset + at as u64)));
            let pointer = self.pointer(u64::from_le_bytes(parts), Some(pointee), depth + 1);
            let row = (offset as u32, pointer);
            self.input.objects[place].pointers.push(row);
        }
    }
}

/// Where an object of a shape has pointers, and to what.
fn pointers_of(shape: &Shape, size: u64) -> Vec<(u64, ShapeId)> {
    let mut found = Vec::new();
    let mut base = 0;
    loop {
        for (offset, field) in &shape.fields {
            let Some(pointee) = field.pointee else {
                continue;
            };
            for number in 0..field.count {
                let at = base + offset + number * field.size;
                if at + 8 <= size {
                    found.push((at, pointee));
                }
            }
        }
        base += shape.stride;
        if shape.stride == 0 || base >= size {
            return found;
        }
    }
}
