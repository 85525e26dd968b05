//! **Question.** Which inputs might tell two versions of a function apart?
//!
//! **Rules.** Numbers are small, or near a constant of the code, or at the edge of their width, or
//! random. Memory follows the shapes ([`crate::shapes`]): arrays have few elements, and numbers
//! are drawn near their length; bytes are often text, of characters that the code compares with;
//! pointers are null now and then, or shared. `main` is called as a program is started: with a
//! command line that is one, and with the first values of all variables.
//!
//! **Soundness.** None is needed: what an input shows is decided by running it. An input on which the
//! old version is undefined shows nothing.
//!
//! **Determinism.** The same shapes give the same inputs.

use crate::bridge::{Global, Signature, Value};
use crate::input::{Argument, Input, Object, ObjectId, Pointer};
use crate::shapes::{Field, Shape, ShapeId, Shapes};

/// A small generator of random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// In so many of a hundred cases.
    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// So many objects at most.
const MOST_OBJECTS: usize = 60;
const DEEPEST: usize = 6;
/// Bytes of one object at most.
const LARGEST: u64 = 16 << 10;

/// Who calls the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Other functions, with anything.
    Anyone,
    /// The system, with a command line: it is `main`.
    System,
}

/// Inputs for a function with this signature and these shapes.
pub fn inputs(
    shapes: &Shapes,
    signature: &Signature,
    globals: &[Global],
    caller: Caller,
    count: usize,
) -> Vec<Input> {
    let mut numbers: Vec<u64> = shapes.numbers.iter().copied().collect();
    numbers.extend([0, 1, 2]);
    let mut letters: Vec<u8> = numbers
        .iter()
        .filter(|number| (1..256).contains(*number))
        .map(|number| *number as u8)
        .collect();
    letters.extend(shapes.texts.iter().flatten().copied());
    letters.extend(b"ab1 ");
    letters.sort_unstable();
    letters.dedup();
    let texts: Vec<&[u8]> = shapes.texts.iter().map(Vec::as_slice).collect();
    (0..count)
        .map(|number| {
            let mut maker = Maker {
                shapes,
                numbers: &numbers,
                letters: &letters,
                texts: &texts,
                random: Random(number as u64),
                length: 0,
                plain: false,
                input: Input::default(),
                next: globals.len() as u32,
            };
            maker.input(signature, globals, caller)
        })
        .collect()
}

struct Maker<'a> {
    shapes: &'a Shapes,
    numbers: &'a [u64],
    letters: &'a [u8],
    texts: &'a [&'a [u8]],
    random: Random,
    /// How long arrays mostly are in this input.
    length: u64,
    /// Numbers are small in this input.
    plain: bool,
    input: Input,
    next: u32,
}

impl Maker<'_> {
    fn input(&mut self, signature: &Signature, globals: &[Global], caller: Caller) -> Input {
        self.length = match self.random.below(10) {
            0 => 1,
            1 => 2,
            2..5 => 3 + self.random.below(3),
            5..8 => 6 + self.random.below(6),
            8 => 16 + self.random.below(20),
            _ => 64,
        };
        self.plain = self.random.chance(40);
        for (number, global) in globals.iter().enumerate() {
            if caller == Caller::System || !global.is_given || self.random.chance(40) {
                continue;
            }
            let shape = &self.shapes.rows[global.shape.0 as usize];
            let mut object = Object {
                id: ObjectId(number as u32),
                shape: Some(global.shape),
                bytes: vec![0; global.size as usize],
                pointers: Vec::new(),
            };
            self.fill(shape, &mut object, 0);
            self.input.objects.push(object);
        }
        if caller == Caller::System {
            self.command_line(signature);
        }
        let done = self.input.arguments.len();
        for (number, value) in signature.parameters.iter().enumerate().skip(done) {
            let argument = match value {
                Value::Integer(bits) => Argument::Number(self.number(*bits)),
                Value::Float => Argument::Number(u64::from((self.float() as f32).to_bits())),
                Value::Double => Argument::Number(self.float().to_bits()),
                Value::Pointer => {
                    let shape = self.shapes.parameters.get(number).copied().flatten();
                    let before = self.input.arguments.iter().rev().find_map(|row| match row {
                        Argument::Pointer(Pointer::Stream(_)) | Argument::Number(_) => None,
                        Argument::Pointer(pointer) => Some(*pointer),
                    });
                    match before.filter(|_| self.random.chance(4)) {
                        Some(pointer) => Argument::Pointer(pointer),
                        None => Argument::Pointer(self.pointer(shape, 0)),
                    }
                }
            };
            self.input.arguments.push(argument);
        }
        for _ in 0..8 {
            let result = self.number(64);
            self.input.results.push(result);
        }
        if self.shapes.reads_streams {
            self.input.standard_input = Some(self.text());
        }
        let first = globals.len() as u32;
        let mut input = std::mem::take(&mut self.input);
        let (mut globals, mut fresh): (Vec<Object>, Vec<Object>) =
            input.objects.into_iter().partition(|row| row.id.0 < first);
        globals.sort_by_key(|row| row.id);
        fresh.sort_by_key(|row| row.id);
        globals.extend(fresh);
        input.objects = globals;
        input
    }

    /// The count, the words and the environment, as far as the function takes them.
    fn command_line(&mut self, signature: &Signature) {
        let [Value::Integer(_), rest @ ..] = signature.parameters.as_slice() else {
            return;
        };
        let count = 1 + self.random.below(4);
        self.input.arguments.push(Argument::Number(count));
        let lists = rest.iter().take_while(|value| **value == Value::Pointer);
        for (position, _) in lists.take(2).enumerate() {
            let count = match position {
                0 => count,
                _ => self.random.below(3),
            };
            let shape = self.shapes.parameters.get(position + 1).copied().flatten();
            let pointer = self.list_of_words(count, shape);
            self.input.arguments.push(Argument::Pointer(pointer));
        }
    }

    /// Pointers to texts, and a null pointer behind them.
    fn list_of_words(&mut self, count: u64, shape: Option<ShapeId>) -> Pointer {
        const POINTER: u64 = 8;
        let row = shape.map(|shape| &self.shapes.rows[shape.0 as usize]);
        let fields = row.into_iter().flat_map(|row| &row.fields);
        let of_words = fields.filter_map(|(_, field)| field.pointee).next();
        let object = ObjectId(self.next);
        self.next += 1;
        let mut pointers = Vec::new();
        for number in 0..count {
            let mut bytes = self.text();
            bytes.retain(|byte| *byte != 0);
            bytes.push(0);
            let word = ObjectId(self.next);
            self.next += 1;
            self.input.objects.push(Object {
                id: word,
                shape: of_words,
                bytes,
                pointers: Vec::new(),
            });
            let pointer = Pointer::Into {
                object: word,
                offset: 0,
            };
            pointers.push(((number * POINTER) as u32, pointer));
        }
        pointers.push(((count * POINTER) as u32, Pointer::Null));
        self.input.objects.push(Object {
            id: object,
            shape,
            bytes: vec![0; ((count + 1) * POINTER) as usize],
            pointers,
        });
        Pointer::Into { object, offset: 0 }
    }

    fn number(&mut self, bits: u32) -> u64 {
        let mask = match bits {
            64.. => u64::MAX,
            bits => (1 << bits) - 1,
        };
        let chosen = match self.random.below(100) {
            0..25 => self.random.below(self.length + 1),
            25..40 => self.length,
            _ if self.plain => self.random.below(8).wrapping_sub(1),
            40..65 => {
                let number = self.numbers[self.random.below(self.numbers.len() as u64) as usize];
                number.wrapping_add(self.random.below(3)).wrapping_sub(1)
            }
            65..70 => {
                let pick = |maker: &mut Self| {
                    let at = maker.random.below(maker.numbers.len() as u64);
                    maker.numbers[at as usize]
                };
                let (one, two) = (pick(self), pick(self));
                match self.random.below(5) {
                    0 => one.wrapping_mul(two),
                    1 => one | two,
                    2 => one.wrapping_sub(two),
                    3 => !one,
                    _ => one.wrapping_add(two),
                }
            }
            70..85 => {
                let power = 1u64 << self.random.below(u64::from(bits.min(64)));
                let one = power.wrapping_add(self.random.below(3)).wrapping_sub(1);
                match self.random.chance(50) {
                    true => one,
                    false => one.wrapping_neg(),
                }
            }
            85..90 => self.random.below(256),
            _ => self.random.next(),
        };
        chosen & mask
    }

    fn float(&mut self) -> f64 {
        match self.random.below(8) {
            0 => 0.0,
            1 => -0.0,
            2 => f64::INFINITY,
            3 => f64::NAN,
            4 => 0.5,
            _ => self.number(64) as i64 as f64 / 4.0,
        }
    }

    fn letter(&mut self) -> u8 {
        match self.random.chance(90) {
            true => self.letters[self.random.below(self.letters.len() as u64) as usize],
            false => 1 + self.random.below(255) as u8,
        }
    }

    fn text(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        if !self.texts.is_empty() && self.random.chance(30) {
            let at = self.random.below(self.texts.len() as u64) as usize;
            text.extend(self.texts[at]);
            if self.random.chance(60) {
                return text;
            }
        }
        let length = self.random.below(self.length.min(24) + 1);
        for _ in 0..length {
            let letter = self.letter();
            text.push(letter);
        }
        text
    }

    fn pointer(&mut self, shape: Option<ShapeId>, depth: usize) -> Pointer {
        let Some(shape) = shape else {
            return Pointer::Null;
        };
        let row = &self.shapes.rows[shape.0 as usize];
        let ends = row
            .fields
            .iter()
            .any(|field| field.1.pointee == Some(shape));
        let nulls = match (depth, ends) {
            (0, _) => 4,
            (_, true) => 30,
            _ => 12,
        };
        let is_full = depth > DEEPEST || self.input.objects.len() > MOST_OBJECTS;
        if is_full || self.random.chance(nulls) {
            return Pointer::Null;
        }
        if let Some(stream) = row.stream {
            return Pointer::Stream(stream);
        }
        if self.random.chance(8) {
            let same = |object: &&Object| object.shape == Some(shape);
            let known = self.input.objects.iter().filter(same);
            let known: Vec<ObjectId> = known.map(|row| row.id).collect();
            if !known.is_empty() {
                let object = known[self.random.below(known.len() as u64) as usize];
                return Pointer::Into { object, offset: 0 };
            }
        }
        let id = ObjectId(self.next);
        self.next += 1;
        // It is there before what it points to, so that it can point to itself.
        let place = self.input.objects.len();
        let mut object = Object {
            id,
            shape: Some(shape),
            bytes: Vec::new(),
            pointers: Vec::new(),
        };
        self.input.objects.push(object.clone());
        let is_text = row.stride == 1 && row.fields.iter().all(|field| field.1.size == 1);
        if is_text && self.random.chance(75) {
            object.bytes = self.text();
            object.bytes.push(0);
            if self.random.chance(30) {
                let room = self.random.below(16) as usize;
                object.bytes.extend(std::iter::repeat_n(0, room));
            }
        } else {
            let size = match row.stride {
                0 => row.size,
                stride => stride * (self.length + self.random.below(2)),
            };
            object.bytes = vec![0; size.min(LARGEST) as usize];
            self.fill(row, &mut object, depth);
        }
        self.input.objects[place] = object;
        Pointer::Into {
            object: id,
            offset: 0,
        }
    }

    /// Values for all fields.
    fn fill(&mut self, shape: &Shape, object: &mut Object, depth: usize) {
        let size = object.bytes.len() as u64;
        let mut base = 0;
        loop {
            for (offset, field) in &shape.fields {
                self.fill_field(object, base + offset, *field, depth);
            }
            base += shape.stride;
            if shape.stride == 0 || base >= size {
                return;
            }
        }
    }

    fn fill_field(&mut self, object: &mut Object, offset: u64, field: Field, depth: usize) {
        let size = object.bytes.len() as u64;
        // An array of characters in a record is mostly text.
        if field.size == 1 && field.count > 1 && self.random.chance(70) {
            let text = self.text();
            for (number, letter) in text.iter().take(field.count as usize - 1).enumerate() {
                if offset + (number as u64) < size {
                    object.bytes[offset as usize + number] = *letter;
                }
            }
            return;
        }
        for number in 0..field.count {
            let at = offset + number * field.size;
            if at + field.size > size {
                return;
            }
            if field.pointee.is_some() {
                let pointer = self.pointer(field.pointee, depth + 1);
                object.pointers.push((at as u32, pointer));
                continue;
            }
            let value = match field.size {
                1 => u64::from(match self.random.chance(70) {
                    true => self.letter(),
                    false => self.number(8) as u8,
                }),
                size => self.number((size * 8).min(64) as u32),
            };
            for (byte, part) in value.to_le_bytes().iter().enumerate() {
                if (byte as u64) < field.size {
                    object.bytes[at as usize + byte] = *part;
                }
            }
        }
    }
}
