//! Shapes while they are found: nodes that are joined where two pointers may be the same, with fields
//! by offset.

use super::streams::reads_a_stream;
use super::{Field, Shape, ShapeId, Shapes};
use crate::input::Stream;
use crate::padding::Padding;
use knockon_change::{Side, Sides};
use knockon_program::{FunctionId, InstructionId, Program, Type};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Instruction(InstructionId),
    Argument(u32),
    Result,
}

/// Where a pointer points: an offset in a shape, in one of several elements of an array there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) node: u32,
    pub(super) offset: u64,
    pub(super) count: u64,
    pub(super) step: u64,
    /// It is the first element of an array of so many elements, of this size.
    pub(super) array: Option<(u64, u64)>,
    /// The elements are integers.
    pub(super) has_integers: bool,
}

impl Spot {
    pub(super) fn at(node: u32) -> Spot {
        Spot {
            node,
            offset: 0,
            count: 1,
            step: 0,
            array: None,
            has_integers: false,
        }
    }
}

#[derive(Default)]
pub(super) struct Node {
    parent: Option<u32>,
    pub(super) stride: u64,
    pub(super) size: u64,
    /// The logarithm of what its address is a multiple of.
    alignment: u8,
    fields: BTreeMap<u64, Cell>,
    /// Handed to a function without a body.
    pub(super) is_given_away: bool,
    /// Handed to the library as a stream; to be written, if both.
    pub(super) stream: Option<Stream>,
}

#[derive(Clone, Copy)]
pub(super) struct Cell {
    size: u64,
    count: u64,
    pointee: Option<u32>,
}

#[derive(Default)]
pub(super) struct Collector {
    pub(super) nodes: Vec<Node>,
    pub(super) places: FxHashMap<(Side, FunctionId, Key), Spot>,
    pub(super) globals: BTreeMap<String, u32>,
    pub(super) externals: BTreeMap<String, Vec<Option<u32>>>,
    pub(super) padding: BTreeMap<(String, usize), Padding>,
    pub(super) reached: Sides<Vec<FunctionId>>,
    pub(super) numbers: BTreeSet<u64>,
    pub(super) texts: BTreeSet<Vec<u8>>,
    pub(super) calls_pointers: bool,
}

/// As `malloc` does it: 16 bytes.
const MOST_ALIGNED: u8 = 4;

/// An array has so many fields at most.
const MOST_ELEMENTS: u64 = 4096;

impl Collector {
    pub(super) fn node(&mut self) -> u32 {
        self.nodes.push(Node::default());
        self.nodes.len() as u32 - 1
    }

    pub(super) fn root(&mut self, mut node: u32) -> u32 {
        while let Some(parent) = self.nodes[node as usize].parent {
            node = parent;
        }
        node
    }

    /// Two pointers may be the same.
    pub(super) fn join(&mut self, left: Spot, right: Spot) {
        let mut work = vec![(left, right)];
        while let Some((left, right)) = work.pop() {
            let (one, two) = (self.root(left.node), self.root(right.node));
            if one != two {
                let gone = std::mem::take(&mut self.nodes[two as usize]);
                self.nodes[two as usize].parent = Some(one);
                let kept = &mut self.nodes[one as usize];
                kept.size = kept.size.max(gone.size);
                kept.alignment = kept.alignment.max(gone.alignment);
                kept.is_given_away |= gone.is_given_away;
                kept.stream = kept.stream.max(gone.stream);
                let stride = gone.stride;
                for (offset, cell) in gone.fields {
                    work.extend(self.add_field(one, offset, cell));
                }
                if stride > 0 {
                    work.extend(self.repeat(one, stride));
                }
            }
            if left.offset != right.offset {
                work.extend(self.repeat(one, left.offset.abs_diff(right.offset)));
            }
        }
    }

    /// A field is there. What follows for pointers is returned.
    fn add_field(&mut self, node: u32, offset: u64, cell: Cell) -> Option<(Spot, Spot)> {
        let row = &mut self.nodes[node as usize];
        let offset = match row.stride {
            0 => offset,
            stride => offset % stride,
        };
        let known = row.fields.entry(offset).or_insert(cell);
        known.count = known.count.max(cell.count);
        // The smaller of two readings of the same bytes.
        if cell.size < known.size && cell.pointee.is_none() && known.pointee.is_none() {
            known.size = cell.size;
        }
        if cell.pointee.is_some() && known.pointee.is_none() {
            *known = cell;
        }
        match (known.pointee, cell.pointee) {
            (Some(one), Some(two)) if one != two => Some((Spot::at(one), Spot::at(two))),
            _ => None,
        }
    }

    /// The whole object repeats.
    fn repeat(&mut self, node: u32, stride: u64) -> Vec<(Spot, Spot)> {
        let row = &mut self.nodes[node as usize];
        let stride = greatest_common_divisor(row.stride, stride);
        if stride == row.stride || stride == 0 {
            return Vec::new();
        }
        row.stride = stride;
        row.size = row.size.min(stride);
        let fields = std::mem::take(&mut row.fields);
        let mut follows = Vec::new();
        for (offset, mut cell) in fields {
            cell.count = 1;
            follows.extend(self.add_field(node, offset, cell));
        }
        follows
    }

    pub(super) fn repeat_and_join(&mut self, node: u32, stride: u64) {
        let node = self.root(node);
        for (one, two) in self.repeat(node, stride) {
            self.join(one, two);
        }
    }

    /// An access takes it for granted that the place is aligned; so is the object, then.
    pub(super) fn align(&mut self, spot: Spot, alignment: u8) {
        let node = self.root(spot.node) as usize;
        if spot.offset.trailing_zeros() >= u32::from(alignment) {
            let known = &mut self.nodes[node].alignment;
            *known = alignment.min(MOST_ALIGNED).max(*known);
        }
    }

    /// Something of this size is read or written there; of pointers, the shape behind it.
    pub(super) fn access(&mut self, spot: Spot, size: u64, is_pointer: bool) -> Option<u32> {
        let node = self.root(spot.node);
        let mut pointee = None;
        if is_pointer {
            let offset = match self.nodes[node as usize].stride {
                0 => spot.offset,
                stride => spot.offset % stride,
            };
            let known = self.nodes[node as usize].fields.get(&offset);
            pointee = known.and_then(|cell| cell.pointee);
            pointee = pointee.or_else(|| Some(self.node()));
        }
        let (count, steps) = match spot.step == size {
            true => (spot.count, 1),
            false => (1, spot.count),
        };
        for number in 0..steps.clamp(1, MOST_ELEMENTS) {
            let cell = Cell {
                size,
                count: count.clamp(1, MOST_ELEMENTS),
                pointee,
            };
            let node = self.root(node);
            let offset = spot.offset + number * spot.step;
            if let Some((one, two)) = self.add_field(node, offset, cell) {
                self.join(one, two);
            }
        }
        pointee
    }

    pub(super) fn finish(
        mut self,
        old: &Program,
        function: FunctionId,
        parameters: &[u32],
        result: u32,
    ) -> Shapes {
        let mut numbers: FxHashMap<u32, ShapeId> = FxHashMap::default();
        let mut roots: Vec<u32> = Vec::new();
        for node in 0..self.nodes.len() as u32 {
            if self.root(node) == node {
                numbers.insert(node, ShapeId(roots.len() as u32));
                roots.push(node);
            }
        }
        let mut rows = Vec::new();
        for root in &roots {
            let mut fields = Vec::new();
            for (offset, cell) in self.nodes[*root as usize].fields.clone() {
                let pointee = cell.pointee.map(|node| numbers[&self.root(node)]);
                let field = Field {
                    size: cell.size,
                    count: cell.count,
                    pointee,
                };
                fields.push((offset, field));
            }
            let row = &self.nodes[*root as usize];
            let mut shape = Shape {
                stride: row.stride,
                size: row.size,
                fields,
                stream: None,
            };
            // What only the library looks at is a stream, or taken for text.
            if shape.fields.is_empty() && row.stream.is_some() {
                shape.stream = row.stream;
            } else if shape.fields.is_empty() && row.is_given_away {
                shape.stride = 1;
                let field = Field {
                    size: 1,
                    count: 1,
                    pointee: None,
                };
                shape.fields.push((0, field));
            }
            let end = shape.fields.iter();
            let end = end.map(|(offset, field)| offset + field.size * field.count);
            // An object's size is a multiple of its alignment: bits of a field are read from a part
            // of their unit.
            let end = end.max().unwrap_or(0);
            shape.size = match shape.stride {
                0 => shape.size.max(end).next_multiple_of(1 << row.alignment),
                stride => stride,
            };
            rows.push(shape);
        }
        let is_pointer = |number: usize| {
            let parameters = &old.function(function).parameters;
            parameters
                .get(number)
                .is_some_and(|row| matches!(old.type_of(row.type_id), Type::Pointer(_)))
        };
        let reads_streams = self.externals.keys().any(|name| reads_a_stream(name));
        let shape_of = |collector: &mut Collector, node: u32| numbers[&collector.root(node)];
        Shapes {
            parameters: (0..parameters.len())
                .map(|number| is_pointer(number).then(|| shape_of(&mut self, parameters[number])))
                .collect(),
            result: Some(shape_of(&mut self, result)),
            globals: std::mem::take(&mut self.globals)
                .into_iter()
                .map(|(name, node)| (name, shape_of(&mut self, node)))
                .collect(),
            externals: std::mem::take(&mut self.externals)
                .into_iter()
                .map(|(name, nodes)| {
                    let nodes = nodes.into_iter();
                    let shapes = nodes.map(|node| node.map(|node| shape_of(&mut self, node)));
                    (name, shapes.collect())
                })
                .collect(),
            rows,
            reads_streams,
            padding: self.padding,
            reached: self.reached,
            numbers: self.numbers,
            texts: self.texts,
            calls_pointers: self.calls_pointers,
        }
    }
}

fn greatest_common_divisor(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}
