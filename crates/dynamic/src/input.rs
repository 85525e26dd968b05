//! What a function is given: arguments, memory behind them, values of global variables, results of
//! functions that are not part of the program, and what stands on standard input.

use crate::shapes::ShapeId;
use std::collections::BTreeSet;

/// An object of the input, by number: global variables first, in the order of the bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// A stream of the C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stream {
    /// Standard input.
    Input,
    /// Standard output.
    Output,
}

/// Where a pointer points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    Null,
    Into { object: ObjectId, offset: u32 },
    Stream(Stream),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Of a global variable: its number.
    pub id: ObjectId,
    pub shape: Option<ShapeId>,
    pub bytes: Vec<u8>,
    /// By offset.
    pub pointers: Vec<(u32, Pointer)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The value's bits.
    Number(u64),
    Pointer(Pointer),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// By parameter of the old version.
    pub arguments: Vec<Argument>,
    /// Global variables that are set, ascending, then the other objects in the order of their
    /// numbers.
    pub objects: Vec<Object>,
    /// What external functions return, one after the other, again from the start.
    pub results: Vec<u64>,
    /// Nothing if neither version reads it.
    pub standard_input: Option<Vec<u8>>,
}

impl Input {
    /// What each of these parameters leads to, no other argument and no global variable does.
    pub fn keeps_apart(&self, parameters: &[usize], globals: u32) -> bool {
        parameters.iter().all(|own| {
            let arguments = self.arguments.iter().enumerate();
            let (mut here, mut elsewhere) = (Vec::new(), (0..globals).map(ObjectId).collect());
            for (number, argument) in arguments {
                if let Argument::Pointer(Pointer::Into { object, .. }) = argument {
                    let list: &mut Vec<ObjectId> = match number == *own {
                        true => &mut here,
                        false => &mut elsewhere,
                    };
                    list.push(*object);
                }
            }
            let (here, elsewhere) = (self.reached(here), self.reached(elsewhere));
            here.is_disjoint(&elsewhere)
        })
    }

    fn reached(&self, mut work: Vec<ObjectId>) -> BTreeSet<ObjectId> {
        let mut found = BTreeSet::new();
        while let Some(id) = work.pop() {
            if !found.insert(id) {
                continue;
            }
            let object = self.objects.iter().find(|object| object.id == id);
            for (_, pointer) in object.into_iter().flat_map(|object| &object.pointers) {
                if let Pointer::Into { object, .. } = pointer {
                    work.push(*object);
                }
            }
        }
        found
    }
}

impl Pointer {
    fn encoded(self) -> u64 {
        match self {
            Pointer::Null => u64::from(u32::MAX) << 32,
            Pointer::Into { object, offset } => u64::from(object.0) << 32 | u64::from(offset),
            Pointer::Stream(Stream::Input) => u64::from(u32::MAX - 1) << 32,
            Pointer::Stream(Stream::Output) => u64::from(u32::MAX - 2) << 32,
        }
    }
}

/// The file that the runtime reads: how many, where each begins, and the inputs.
pub fn encoded(inputs: &[&Input]) -> Vec<u8> {
    let mut bytes = Vec::new();
    word(&mut bytes, inputs.len() as u32);
    bytes.resize(4 + 4 * inputs.len(), 0);
    for (number, input) in inputs.iter().enumerate() {
        // Results are read where they lie.
        let fixed = prefix(input);
        while !(bytes.len() + fixed.len()).is_multiple_of(8) {
            bytes.push(0);
        }
        let start = (bytes.len() as u32).to_le_bytes();
        bytes[4 + 4 * number..][..4].copy_from_slice(&start);
        bytes.extend(fixed);
        for result in &input.results {
            bytes.extend(result.to_le_bytes());
        }
    }
    bytes
}

/// Standard input, objects, arguments, and how many results follow.
fn prefix(input: &Input) -> Vec<u8> {
    let mut bytes = Vec::new();
    let standard_input = input.standard_input.as_deref().unwrap_or_default();
    word(&mut bytes, standard_input.len() as u32);
    bytes.extend(standard_input);
    // A stream of nothing is made of something.
    bytes.push(0);
    word(&mut bytes, input.objects.len() as u32);
    for object in &input.objects {
        word(&mut bytes, object.id.0);
        word(&mut bytes, object.shape.map_or(u32::MAX, |shape| shape.0));
        word(&mut bytes, object.bytes.len() as u32);
        word(&mut bytes, object.pointers.len() as u32);
        bytes.extend(&object.bytes);
        for (offset, pointer) in &object.pointers {
            word(&mut bytes, *offset);
            bytes.extend(pointer.encoded().to_le_bytes());
        }
    }
    word(&mut bytes, input.arguments.len() as u32);
    for argument in &input.arguments {
        match argument {
            Argument::Number(number) => {
                word(&mut bytes, 0);
                bytes.extend(number.to_le_bytes());
            }
            Argument::Pointer(pointer) => {
                word(&mut bytes, 1);
                bytes.extend(pointer.encoded().to_le_bytes());
            }
        }
    }
    word(&mut bytes, input.results.len() as u32);
    bytes
}

fn word(bytes: &mut Vec<u8>, number: u32) {
    bytes.extend(number.to_le_bytes());
}
