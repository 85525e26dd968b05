//! **Question.** What does the memory look like that a function is given through its parameters and
//! through global variables: which fields, where are pointers, what repeats?
//!
//! **Source.** Unification over pointer values (Steensgaard 1996) with fields by offset, over the
//! bodies of both versions and all that they call. Pointers are opaque in LLVM's IR: only accesses
//! tell what is behind them.
//!
//! **Rules.** What a pointer may be is one shape. `getelementptr` with constants moves inside of it; a
//! variable index over a whole object makes it repeat with that stride, one over an array inside of
//! it makes the field an array. A pointer that is loaded or stored is a field with a shape of its
//! own.
//!
//! **Soundness.** None is needed: a shape that is wrong gives useless inputs. What is compared
//! afterwards are the fields, so padding, and bytes that neither version accesses by themselves, are
//! never a difference.
//!
//! **Cost.** Near linear in the instructions; the bodies are walked until nothing changes, three
//! times at most.

mod streams;
mod unification;
mod walk;

use crate::input::Stream;
use crate::padding::Padding;
use knockon_change::{Side, Sides};
use knockon_program::{FunctionId, Program, TypeLayouts};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use unification::{Collector, Key, Spot};
use walk::Walk;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShapeId(pub u32);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The object repeats with this size; 0: it does not.
    pub stride: u64,
    /// Of one element.
    pub size: u64,
    /// By offset.
    pub fields: Vec<(u64, Field)>,
    /// No memory, but an open stream.
    pub stream: Option<Stream>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub size: u64,
    /// One after the other.
    pub count: u64,
    pub pointee: Option<ShapeId>,
}

/// What both versions of a function are given and touch.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    pub rows: Vec<Shape>,
    /// By parameter of the old version; of pointers only.
    pub parameters: Vec<Option<ShapeId>>,
    pub result: Option<ShapeId>,
    /// By name, of variables that both versions touch or one of them.
    pub globals: BTreeMap<String, ShapeId>,
    /// Functions without a body that are called, with the shapes of their arguments.
    pub externals: BTreeMap<String, Vec<Option<ShapeId>>>,
    /// By function without a body and argument: bytes that are no part of the number given.
    pub padding: BTreeMap<(String, usize), Padding>,
    /// Functions with a body that may run.
    pub reached: Sides<Vec<FunctionId>>,
    /// Numbers that occur in the code.
    pub numbers: BTreeSet<u64>,
    /// Strings that occur in the code.
    pub texts: BTreeSet<Vec<u8>>,
    /// A stream is read, which may be standard input.
    pub reads_streams: bool,
    /// A pointer is called: no input has functions.
    pub calls_pointers: bool,
}

/// The shapes of a pair. `new_of_old` gives for each parameter its number in the new version.
pub fn shapes(
    programs: Sides<&Program>,
    functions: Sides<FunctionId>,
    new_of_old: &[Option<u32>],
) -> Shapes {
    let mut collector = Collector::default();
    let count = programs
        .old
        .function(functions.old)
        .parameters
        .len()
        .max(new_of_old.len());
    let parameters: Vec<u32> = (0..count).map(|_| collector.node()).collect();
    let result = collector.node();
    for side in Side::BOTH {
        let program = *programs.of(side);
        let mut walk = Walk {
            collector: &mut collector,
            program,
            layouts: TypeLayouts::new(program),
            side,
            reached: FxHashSet::default(),
            work: vec![*functions.of(side)],
        };
        for (old, node) in parameters.iter().enumerate() {
            let number = match side {
                Side::Old => Some(old as u32),
                Side::New => new_of_old.get(old).copied().flatten(),
            };
            if let Some(number) = number {
                let value = (side, *functions.of(side), Key::Argument(number));
                walk.collector.places.insert(value, Spot::at(*node));
            }
        }
        let value = (side, *functions.of(side), Key::Result);
        walk.collector.places.insert(value, Spot::at(result));
        for _ in 0..3 {
            walk.work = vec![*functions.of(side)];
            walk.reached.clear();
            while let Some(function) = walk.work.pop() {
                if walk.reached.insert(function) {
                    walk.function(function);
                }
            }
        }
        let mut reached: Vec<FunctionId> = walk.reached.into_iter().collect();
        reached.sort_unstable();
        *collector.reached.of_mut(side) = reached;
    }
    collector.finish(programs.old, functions.old, &parameters, result)
}
