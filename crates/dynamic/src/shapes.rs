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

use knockon_change::{Side, Sides};
use knockon_program::{
    Body, Constant, ConstantId, FunctionId, InstructionId, Opcode, Operand, Program, Type, TypeId,
    TypeLayouts,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

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
    /// Functions with a body that may run.
    pub reached: Sides<Vec<FunctionId>>,
    /// Numbers that occur in the code.
    pub numbers: BTreeSet<u64>,
    /// Strings that occur in the code.
    pub texts: BTreeSet<Vec<u8>>,
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

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Instruction(InstructionId),
    Argument(u32),
    Result,
}

/// Where a pointer points: an offset in a shape, in one of several elements of an array there.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Spot {
    node: u32,
    offset: u64,
    count: u64,
    step: u64,
    /// It is the first element of an array of so many elements, of this size.
    array: Option<(u64, u64)>,
    /// The elements are integers.
    has_integers: bool,
}

impl Spot {
    fn at(node: u32) -> Spot {
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
struct Node {
    parent: Option<u32>,
    stride: u64,
    size: u64,
    fields: BTreeMap<u64, Cell>,
    /// Handed to a function without a body.
    is_given_away: bool,
}

#[derive(Clone, Copy)]
struct Cell {
    size: u64,
    count: u64,
    pointee: Option<u32>,
}

#[derive(Default)]
struct Collector {
    nodes: Vec<Node>,
    places: FxHashMap<(Side, FunctionId, Key), Spot>,
    globals: BTreeMap<String, u32>,
    externals: BTreeMap<String, Vec<Option<u32>>>,
    reached: Sides<Vec<FunctionId>>,
    numbers: BTreeSet<u64>,
    texts: BTreeSet<Vec<u8>>,
    calls_pointers: bool,
}

/// An array has so many fields at most.
const MOST_ELEMENTS: u64 = 4096;

impl Collector {
    fn node(&mut self) -> u32 {
        self.nodes.push(Node::default());
        self.nodes.len() as u32 - 1
    }

    fn root(&mut self, mut node: u32) -> u32 {
        while let Some(parent) = self.nodes[node as usize].parent {
            node = parent;
        }
        node
    }

    /// Two pointers may be the same.
    fn join(&mut self, left: Spot, right: Spot) {
        let mut work = vec![(left, right)];
        while let Some((left, right)) = work.pop() {
            let (one, two) = (self.root(left.node), self.root(right.node));
            if one != two {
                let gone = std::mem::take(&mut self.nodes[two as usize]);
                self.nodes[two as usize].parent = Some(one);
                let kept = &mut self.nodes[one as usize];
                kept.size = kept.size.max(gone.size);
                kept.is_given_away |= gone.is_given_away;
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

    fn repeat_and_join(&mut self, node: u32, stride: u64) {
        let node = self.root(node);
        for (one, two) in self.repeat(node, stride) {
            self.join(one, two);
        }
    }

    /// Something of this size is read or written there; of pointers, the shape behind it.
    fn access(&mut self, spot: Spot, size: u64, is_pointer: bool) -> Option<u32> {
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

    fn finish(
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
            };
            // What only the library looks at is taken for text.
            if shape.fields.is_empty() && row.is_given_away {
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
            shape.size = match shape.stride {
                0 => shape.size.max(end.max().unwrap_or(0)),
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

/// One version's bodies.
struct Walk<'a, 'c> {
    collector: &'c mut Collector,
    program: &'a Program,
    layouts: TypeLayouts,
    side: Side,
    reached: FxHashSet<FunctionId>,
    work: Vec<FunctionId>,
}

impl<'a> Walk<'a, '_> {
    fn function(&mut self, function: FunctionId) {
        let Some(body) = self.program.function(function).body.as_deref() else {
            return;
        };
        for id in body.instruction_ids() {
            self.instruction(function, body, id);
        }
    }

    fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.program.type_of(id), Type::Pointer(_))
    }

    fn instruction(&mut self, function: FunctionId, body: &'a Body, id: InstructionId) {
        let row = *body.instruction(id);
        let operands = body.operands(id);
        for operand in operands {
            if let Operand::Constant(constant) = operand {
                self.note_constant(*constant, 0);
            }
        }
        let own = (self.side, function, Key::Instruction(id));
        match row.opcode {
            Opcode::Load => {
                let Some(spot) = self.spot(function, operands[0]) else {
                    return;
                };
                let size = self.layouts.store_size(row.type_id);
                let is_pointer = self.is_pointer(row.type_id);
                if let Some(pointee) = self.collector.access(spot, size, is_pointer) {
                    self.set(own, Spot::at(pointee));
                }
            }
            Opcode::Store => {
                let Some(spot) = self.spot(function, operands[1]) else {
                    return;
                };
                let type_id = self.type_of(function, body, operands[0]);
                let Some(type_id) = type_id else { return };
                let size = self.layouts.store_size(type_id);
                let is_pointer = self.is_pointer(type_id);
                let pointee = self.collector.access(spot, size, is_pointer);
                if let (Some(pointee), Some(value)) = (pointee, self.spot(function, operands[0])) {
                    self.collector.join(Spot::at(pointee), value);
                }
            }
            Opcode::GetElementPointer => {
                let Some(base) = self.spot(function, operands[0]) else {
                    return;
                };
                let indices: Vec<Option<i64>> = operands[1..]
                    .iter()
                    .map(|operand| self.known_number(*operand))
                    .collect();
                let spot = self.moved(base, TypeId(row.extra), &indices);
                self.set(own, spot);
            }
            Opcode::Phi => {
                for value in operands.iter().step_by(2) {
                    if let Some(spot) = self.spot(function, *value) {
                        self.set(own, spot);
                    }
                }
            }
            Opcode::Select => {
                for value in &operands[1..] {
                    if let Some(spot) = self.spot(function, *value) {
                        self.set(own, spot);
                    }
                }
            }
            Opcode::Freeze | Opcode::BitCast | Opcode::AddressSpaceCast => {
                if let Some(spot) = self.spot(function, operands[0]) {
                    self.set(own, spot);
                }
            }
            Opcode::Alloca if !self.collector.places.contains_key(&own) => {
                let node = self.collector.node();
                self.set(own, Spot::at(node));
            }
            Opcode::IntegerCompare => {
                let spots: Vec<Spot> = operands
                    .iter()
                    .filter_map(|operand| self.spot(function, *operand))
                    .collect();
                if let [one, two] = spots[..]
                    && self.collector.root(one.node) != self.collector.root(two.node)
                {
                    // Compared pointers may be equal; where they are inside is not told.
                    self.collector.join(Spot::at(one.node), Spot::at(two.node));
                }
            }
            Opcode::Return => {
                let value = operands.first().copied();
                if let Some(spot) = value.and_then(|value| self.spot(function, value)) {
                    self.set((self.side, function, Key::Result), spot);
                }
            }
            opcode if opcode.is_call() => self.call(function, body, id),
            _ => {}
        }
    }

    fn call(&mut self, function: FunctionId, body: &'a Body, id: InstructionId) {
        let own = (self.side, function, Key::Instruction(id));
        let arguments = body.arguments(id);
        let spots: Vec<Option<Spot>> = arguments
            .iter()
            .map(|argument| self.spot(function, *argument))
            .collect();
        let callee = match body.callee(id) {
            Some(Operand::Constant(constant)) => match self.program.constant(constant) {
                Constant::Function(callee) => Some(*callee),
                _ => None,
            },
            _ => None,
        };
        let returns_pointer = self.is_pointer(body.instruction(id).type_id);
        let Some(callee) = callee else {
            self.collector.calls_pointers = true;
            return;
        };
        let row = self.program.function(callee);
        if row.body.is_some() {
            self.work.push(callee);
            for (number, spot) in spots.into_iter().enumerate() {
                if let Some(spot) = spot {
                    let key = (self.side, callee, Key::Argument(number as u32));
                    self.set(key, spot);
                }
            }
            if returns_pointer {
                let key = (self.side, callee, Key::Result);
                let result = self.collector.places.get(&key).copied();
                let result = result.unwrap_or_else(|| Spot::at(self.collector.node()));
                self.set(key, result);
                self.set(own, result);
            }
            return;
        }
        let name = self.program.name(row.name).to_owned();
        let moves = name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove");
        for spot in spots.iter().flatten() {
            let root = self.collector.root(spot.node);
            self.collector.nodes[root as usize].is_given_away = true;
        }
        if moves || name.starts_with("llvm.memset") {
            for spot in spots.iter().take(2).flatten() {
                self.access_array(*spot);
            }
        }
        if moves && let (Some(Some(one)), Some(Some(two))) = (spots.first(), spots.get(1)) {
            let (one, two) = (*one, *two);
            if one.offset == two.offset {
                self.collector.join(one, two);
            }
        }
        let mut given: Vec<Option<u32>> = Vec::new();
        for spot in &spots {
            given.push(spot.map(|spot| spot.node));
        }
        let known = self.collector.externals.entry(name.clone()).or_default();
        if known.len() < given.len() {
            *known = given;
        }
        if returns_pointer {
            // What returns a place in its argument.
            let inside = ["strchr", "strrchr", "strstr", "memchr", "strpbrk"];
            let copies = ["memcpy", "memmove", "memset", "strcpy", "strcat", "strncpy"];
            let given = spots.first().copied().flatten();
            let is_given = inside.contains(&name.as_str()) || copies.contains(&name.as_str());
            let spot = match given.filter(|_| is_given) {
                Some(spot) => spot,
                None if self.collector.places.contains_key(&own) => return,
                None => Spot::at(self.collector.node()),
            };
            self.set(own, spot);
        }
    }

    /// Bytes of an array of integers are moved or set: its elements are accessed.
    fn access_array(&mut self, spot: Spot) {
        let (count, step) = match spot.array {
            Some(array) => array,
            None => (spot.count, spot.step),
        };
        if spot.has_integers && count > 1 {
            let whole = Spot {
                count,
                step,
                array: None,
                ..spot
            };
            self.collector.access(whole, step, false);
        }
    }

    /// A value is, or may also be, this pointer.
    fn set(&mut self, value: (Side, FunctionId, Key), spot: Spot) {
        match self.collector.places.get(&value).copied() {
            None => {
                self.collector.places.insert(value, spot);
            }
            Some(known) if known != spot => self.collector.join(known, spot),
            Some(_) => {}
        }
    }

    fn spot(&mut self, function: FunctionId, operand: Operand) -> Option<Spot> {
        match operand {
            Operand::Instruction(id) => {
                let key = (self.side, function, Key::Instruction(id));
                self.collector.places.get(&key).copied()
            }
            Operand::Argument(number) => {
                let row = self
                    .program
                    .function(function)
                    .parameters
                    .get(number as usize)?;
                if !self.is_pointer(row.type_id) {
                    return None;
                }
                let key = (self.side, function, Key::Argument(number));
                if !self.collector.places.contains_key(&key) {
                    let node = self.collector.node();
                    self.collector.places.insert(key, Spot::at(node));
                }
                self.collector.places.get(&key).copied()
            }
            Operand::Constant(id) => self.constant_spot(id),
            Operand::Block(_) | Operand::Index(_) => None,
        }
    }

    fn constant_spot(&mut self, id: ConstantId) -> Option<Spot> {
        match self.program.constant(id) {
            Constant::Global(global) => {
                let row = &self.program.globals[global.index()];
                let name = self.program.name(row.name).to_owned();
                if let Some(node) = self.collector.globals.get(&name) {
                    return Some(Spot::at(*node));
                }
                let node = self.collector.node();
                self.collector.globals.insert(name, node);
                Some(Spot::at(node))
            }
            Constant::Expression(expression) if expression.opcode == Opcode::GetElementPointer => {
                let base = self.constant_spot(*expression.operands.first()?)?;
                let indices: Vec<Option<i64>> = expression.operands[1..]
                    .iter()
                    .map(|operand| self.known_number(Operand::Constant(*operand)))
                    .collect();
                Some(self.moved(base, expression.element_type, &indices))
            }
            _ => None,
        }
    }

    fn known_number(&self, operand: Operand) -> Option<i64> {
        let Operand::Constant(id) = operand else {
            return None;
        };
        match self.program.constant(id) {
            Constant::Integer { type_id, bits } => {
                let width = match self.program.type_of(*type_id) {
                    Type::Integer(width) => (*width).min(64),
                    _ => 64,
                };
                let shift = 64 - width;
                Some(((*bits as u64) << shift) as i64 >> shift)
            }
            _ => None,
        }
    }

    /// The pointer that `getelementptr` makes.
    fn moved(&mut self, base: Spot, element: TypeId, indices: &[Option<i64>]) -> Spot {
        let mut spot = base;
        let array = spot.array.take();
        let mut at = element;
        for (number, index) in indices.iter().enumerate() {
            if number == 0 {
                let size = self.layouts.size_of(at);
                if spot.offset == 0 && spot.count == 1 {
                    let root = self.collector.root(spot.node);
                    let row = &mut self.collector.nodes[root as usize];
                    if row.stride == 0 {
                        row.size = row.size.max(size);
                    }
                }
                match index {
                    Some(0) if indices.len() == 1 => spot.array = array,
                    Some(0) => {}
                    Some(index) => {
                        let moved = spot.offset as i64 + index * size as i64;
                        if moved < 0 || spot.count > 1 {
                            self.collector.repeat_and_join(spot.node, size);
                        } else {
                            spot.offset = moved as u64;
                        }
                    }
                    None => match array {
                        Some((count, step)) if step == size && spot.count == 1 => {
                            spot.count = count;
                            spot.step = step;
                        }
                        _ => self.collector.repeat_and_join(spot.node, size),
                    },
                }
                continue;
            }
            match self.program.type_of(at) {
                Type::Struct { fields, .. } => {
                    spot.has_integers = false;
                    let field = index.unwrap_or(0) as usize;
                    spot.offset += self.layouts.field_offset(at, field).unwrap_or(0);
                    match fields.get(field) {
                        Some(inner) => at = *inner,
                        None => return spot,
                    }
                }
                Type::Array { element, count } => {
                    let size = self.layouts.size_of(*element);
                    let integers = matches!(self.program.type_of(*element), Type::Integer(_));
                    spot.has_integers = integers;
                    match index {
                        Some(index) => {
                            let moved = spot.offset as i64 + index * size as i64;
                            spot.offset = moved.max(0) as u64;
                            if *index == 0 && spot.count == 1 && *count > 1 {
                                spot.array = Some((*count, size));
                            }
                        }
                        None if spot.count == 1 || spot.step == size * count => {
                            spot.count *= count;
                            spot.step = size;
                        }
                        None => {}
                    }
                    at = *element;
                }
                _ => return spot,
            }
        }
        spot
    }

    fn type_of(&self, function: FunctionId, body: &Body, operand: Operand) -> Option<TypeId> {
        match operand {
            Operand::Instruction(id) => Some(body.instruction(id).type_id),
            Operand::Argument(number) => {
                let parameters = &self.program.function(function).parameters;
                Some(parameters.get(number as usize)?.type_id)
            }
            Operand::Constant(id) => match self.program.constant(id) {
                Constant::Integer { type_id, .. }
                | Constant::Float { type_id, .. }
                | Constant::Null(type_id)
                | Constant::Zero(type_id) => Some(*type_id),
                Constant::Global(_) | Constant::Function(_) => {
                    let pointer = Type::Pointer(0);
                    let rows = self.program.types.rows().iter();
                    let at = rows.into_iter().position(|row| *row == pointer)?;
                    Some(TypeId::from_index(at))
                }
                _ => None,
            },
            Operand::Block(_) | Operand::Index(_) => None,
        }
    }

    /// Numbers and strings are remembered: inputs are made of them.
    fn note_constant(&mut self, id: ConstantId, depth: usize) {
        if depth > 3 {
            return;
        }
        match self.program.constant(id) {
            Constant::Integer { .. } => {
                if let Some(number) = self.known_number(Operand::Constant(id)) {
                    self.collector.numbers.insert(number as u64);
                }
            }
            Constant::Bytes { bytes, .. } if bytes.len() < 256 => {
                let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
                self.collector.texts.insert(text.to_vec());
            }
            Constant::Aggregate { elements, .. } => {
                for element in elements.iter().take(64) {
                    self.note_constant(*element, depth + 1);
                }
            }
            Constant::Global(global) => {
                let row = &self.program.globals[global.index()];
                if let Some(initialiser) = row.initialiser.filter(|_| row.is_constant) {
                    self.note_constant(initialiser, depth + 1);
                }
            }
            Constant::Expression(expression) => {
                for operand in &expression.operands {
                    self.note_constant(*operand, depth + 1);
                }
            }
            _ => {}
        }
    }
}
