//! Where do constants point, and what do global variables hold when the program begins?
//!
//! Each global variable is one object, shared by all functions. Long arrays of an initialiser are
//! folded: the pointers in all elements at one member are one entry.

use super::allocations::Allocation;
use super::cells::Cell;
use super::objects::{ObjectId, Objects};
use super::offsets::Offsets;
use super::paths::constant_path_offsets;
use knockon_library::Library;
use knockon_program::{Constant, ConstantId, GlobalId, Opcode, Operand, Program, Type, TypeId};
use rustc_hash::FxHashMap;

/// Arrays with more elements are folded.
const MOST_ELEMENTS_APART: usize = 16;

/// The objects that exist before anything runs.
pub(crate) struct Constants {
    globals: Vec<ObjectId>,
    cells: Vec<Cell>,
    library: FxHashMap<&'static str, ObjectId>,
}

impl Constants {
    pub(crate) fn new(program: &Program, library: &Library, objects: &mut Objects) -> Constants {
        let mut constants = Constants {
            globals: Vec::with_capacity(program.globals.len()),
            cells: vec![Cell::NONE; program.constants.len()],
            library: FxHashMap::default(),
        };
        for object in library.objects() {
            let id = shared(objects, Allocation::Library(object.name));
            objects.touch_elsewhere(Cell::start_of(id));
            constants.library.insert(object.name, id);
        }
        for object in library.objects() {
            let from = Cell::start_of(constants.library[object.name]).anywhere();
            for held in &object.holds {
                let to = Cell::start_of(constants.library[held]);
                objects.write(from, 1, to);
            }
        }
        let known_outside = program.known_outside();
        for (index, global) in program.globals.iter().enumerate() {
            let of_library = library
                .variable_of(program, global)
                .map(|object| constants.library[object.name]);
            let id = match of_library {
                Some(object) if global.initialiser.is_none() => object,
                _ => shared(objects, Allocation::Global(GlobalId::from_index(index))),
            };
            constants.globals.push(id);
            if let Some(object) = of_library
                && object != id
            {
                // The program defines the variable that the library's functions use.
                objects.unify(Cell::start_of(id), Cell::start_of(object));
            }
            // What is defined elsewhere, other code can reach by its name.
            if of_library.is_none() && known_outside[index] {
                let outside = objects.outside_cell();
                objects.unify(Cell::start_of(id), outside);
            }
        }
        // Interned tables hold children before parents.
        for index in 0..program.constants.len() {
            let id = ConstantId::from_index(index);
            constants.cells[index] = constants.evaluate(program, id);
        }
        for (index, global) in program.globals.iter().enumerate() {
            if let Some(initialiser) = global.initialiser {
                let at = Cell::start_of(constants.globals[index]);
                constants.initialise(program, objects, at, initialiser);
            }
        }
        constants
    }

    /// The library's object of this name.
    pub(crate) fn library(&self, name: &str) -> Cell {
        self.library
            .get(name)
            .map_or(Cell::NONE, |object| Cell::start_of(*object))
    }

    /// Where a constant points. The elements of an aggregate are joined when it is used as a whole.
    pub(crate) fn cell(
        &mut self,
        program: &Program,
        objects: &mut Objects,
        constant: ConstantId,
    ) -> Cell {
        let known = self.cells[constant.index()];
        if known.is_some() {
            return known;
        }
        if let Constant::Aggregate { elements, .. } = program.constant(constant) {
            let mut joined = Cell::NONE;
            for element in elements {
                let element = self.cell(program, objects, *element);
                objects.join(&mut joined, element);
            }
            self.cells[constant.index()] = joined;
            return joined;
        }
        Cell::NONE
    }

    fn evaluate(&self, program: &Program, constant: ConstantId) -> Cell {
        let operand = |number: usize, operands: &[ConstantId]| {
            operands
                .get(number)
                .map_or(Cell::NONE, |operand| self.cells[operand.index()])
        };
        match program.constant(constant) {
            Constant::Global(global) => Cell::start_of(self.globals[global.index()]),
            Constant::Alias(alias) => {
                let alias = &program.aliases[alias.index()];
                self.aliased(program, alias.aliasee)
            }
            Constant::Expression(expression) => {
                let operands = &expression.operands;
                let first = operand(0, operands);
                match expression.opcode {
                    Opcode::GetElementPointer if first.is_some() => {
                        let (by, array) = constant_path_offsets(program, expression);
                        first.into_array(array).plus(by)
                    }
                    Opcode::GetElementPointer => Cell::NONE,
                    Opcode::Subtract if operand(1, operands).is_some() => Cell::NONE,
                    opcode if opcode.is_cast() => first,
                    _ => {
                        let given = if first.is_some() {
                            first
                        } else {
                            operand(1, operands)
                        };
                        if given.is_some() {
                            given.anywhere()
                        } else {
                            given
                        }
                    }
                }
            }
            _ => Cell::NONE,
        }
    }

    /// An alias may be read before what it stands for.
    fn aliased(&self, program: &Program, mut constant: ConstantId) -> Cell {
        let mut offsets = Offsets::ZERO;
        // Aliases cannot be cyclic in valid IR; the bound keeps invalid input finite.
        for _ in 0..64 {
            match program.constant(constant) {
                Constant::Global(global) => {
                    return Cell::start_of(self.globals[global.index()]).plus(offsets);
                }
                Constant::Alias(alias) => constant = program.aliases[alias.index()].aliasee,
                Constant::Expression(expression) => {
                    if expression.opcode == Opcode::GetElementPointer {
                        offsets = offsets.plus(constant_path_offsets(program, expression).0);
                    }
                    match expression.operands.first() {
                        Some(first) => constant = *first,
                        None => return Cell::NONE,
                    }
                }
                _ => return Cell::NONE,
            }
        }
        Cell::NONE
    }

    fn initialise(
        &self,
        program: &Program,
        objects: &mut Objects,
        at: Cell,
        initialiser: ConstantId,
    ) {
        let mut work = vec![(at, initialiser)];
        while let Some((at, constant)) = work.pop() {
            if let Constant::Aggregate { type_id, elements } = program.constant(constant) {
                for (number, element) in elements.iter().enumerate() {
                    if let Some(by) = element_offsets(program, *type_id, number, elements.len()) {
                        work.push((at.plus(by), *element));
                    }
                }
                continue;
            }
            let target = self.cells[constant.index()];
            if target.is_some() {
                let size = match program.constant(constant) {
                    Constant::Expression(expression) => program.store_size(expression.type_id),
                    _ => u64::from(program.layout.pointer_size),
                };
                objects.write(at, size as u32, target);
            }
        }
    }
}

fn element_offsets(
    program: &Program,
    type_id: TypeId,
    number: usize,
    count: usize,
) -> Option<Offsets> {
    match program.type_of(type_id) {
        Type::Struct { .. } => {
            let offset = program.field_offset(type_id, number)?;
            Some(Offsets::exactly(i64::try_from(offset).ok()?))
        }
        Type::Array { element, .. } | Type::Vector { element, .. } => {
            let size = program.size_of(*element);
            if count > MOST_ELEMENTS_APART {
                return Some(Offsets::steps(size, Some(count as u64)));
            }
            Some(Offsets::exactly(
                i64::try_from(size.checked_mul(number as u64)?).ok()?,
            ))
        }
        _ => None,
    }
}

fn shared(objects: &mut Objects, allocation: Allocation) -> ObjectId {
    let id = objects.fresh();
    objects.share(id);
    let set = objects.allocations.one(allocation);
    objects.add_allocation(id, set);
    id
}

/// The constant of an operand, if it is one.
pub(crate) fn constant_of(operand: Operand) -> Option<ConstantId> {
    match operand {
        Operand::Constant(constant) => Some(constant),
        _ => None,
    }
}
