//! Which pointers are there before anything runs? Those in initialisers, each at its offset, and
//! those that constants in the code denote.

use super::constraints::{Constraints, clamp};
use super::objects::{ObjectId, ObjectKind};
use super::solver::{NodeId, OUTSIDE, Use};
use knockon_program::{
    Constant, ConstantId, GlobalId, Name, Opcode, Operand, Program, Type, TypeId,
};

impl Constraints<'_> {
    pub(super) fn globals(&mut self) {
        let program = self.program;
        let known_outside = program.known_outside();
        for (index, global) in program.globals.iter().enumerate() {
            let id = GlobalId::from_index(index);
            let name = program.name(global.name);
            let Some(initialiser) = global.initialiser else {
                let object = self.global(id);
                let pointer = self.pointer_to(object, 0);
                match self.library.variable(name) {
                    Some(variable) => {
                        for held in &variable.holds {
                            let held = self.library_object(held);
                            let value = self.pointer_to(held, 0);
                            self.solver.attach(pointer, Use::StoreAll { from: value });
                        }
                    }
                    // Code that is not here knows it.
                    None => self.solver.copy(pointer, OUTSIDE),
                }
                continue;
            };
            let object = self.global(id);
            if known_outside[index] {
                let pointer = self.pointer_to(object, 0);
                self.solver.copy(pointer, OUTSIDE);
            }
            match self.solver.objects.get(object).kind {
                ObjectKind::ConstantData => continue,
                ObjectKind::Library(_) => {}
                _ => self.solver.objects.get_mut(object).is_constant = global.is_constant,
            }
            self.initialise(object, 0, global.value_type, initialiser);
        }
    }

    pub(super) fn global(&mut self, id: GlobalId) -> ObjectId {
        let program = self.program;
        let global = &program.globals[id.index()];
        if global.initialiser.is_none()
            && let Some(variable) = self.library.variable(program.name(global.name))
        {
            // The library's functions know it by this name.
            return self.library_object(variable.name);
        }
        if let Some(known) = self.solver.objects.find(ObjectKind::Global(id)) {
            return known;
        }
        if let Some(variable) = self.library.variable_of(program, global) {
            // The program defines the variable that the library's functions use.
            let object = self.library_object(variable.name);
            let kind = ObjectKind::Global(id);
            self.solver.objects.add_to(kind, object);
            return object;
        }
        if let Some(initialiser) = global.initialiser
            && global.is_constant
            // Of a section by name others may know it, and then it is not like other constants.
            && global.section == Name(0)
            && !holds_pointers(program, initialiser, &mut 10_000)
        {
            // Asked first by another's initialiser or by itself, it is the same object.
            let data = self.solver.objects.add(ObjectKind::ConstantData, None);
            self.solver.objects.add_to(ObjectKind::Global(id), data);
            return data;
        }
        let known = !matches!(program.type_of(global.value_type), Type::Opaque(_));
        let content = (known && global.initialiser.is_some()).then_some(global.value_type);
        self.solver.objects.add(ObjectKind::Global(id), content)
    }

    /// Pointers in an initialiser, each at its offset.
    pub(super) fn initialise(
        &mut self,
        object: ObjectId,
        offset: u64,
        type_id: TypeId,
        constant: ConstantId,
    ) {
        let program = self.program;
        match program.constant(constant) {
            Constant::Aggregate { elements, .. } => {
                let (fields, stride): (_, u64) = match program.type_of(type_id) {
                    Type::Array { element, .. } | Type::Vector { element, .. } => {
                        (None, self.solver.objects.layouts.size_of(*element))
                    }
                    Type::Struct { .. } => (Some(type_id), 0),
                    _ => return,
                };
                for (number, element) in elements.iter().enumerate() {
                    let (at, element_type) = match (fields, program.type_of(type_id)) {
                        (Some(record), Type::Struct { fields, .. }) => {
                            let start = self
                                .solver
                                .objects
                                .layouts
                                .field_offset(record, number)
                                .unwrap_or(0);
                            (start, fields.get(number).copied())
                        }
                        (_, Type::Array { element, .. } | Type::Vector { element, .. }) => {
                            (stride.saturating_mul(number as u64), Some(*element))
                        }
                        _ => (0, None),
                    };
                    if let Some(element_type) = element_type {
                        self.initialise(object, offset.saturating_add(at), element_type, *element);
                    }
                }
            }
            _ => {
                let Some(value) = self.constant(constant) else {
                    return;
                };
                let size = clamp(self.solver.objects.layouts.store_size(type_id));
                let pointer = self.pointer_to(object, clamp(offset));
                self.solver.store(pointer, value, size);
            }
        }
    }

    /// The node of a constant that holds a pointer.
    pub(super) fn constant(&mut self, constant: ConstantId) -> Option<NodeId> {
        if let Some(known) = self.constants.get(&constant) {
            return *known;
        }
        // Cut cycles of invalid input.
        self.constants.insert(constant, None);
        let program = self.program;
        let node = match program.constant(constant) {
            Constant::Global(id) => {
                let object = self.global(*id);
                Some(self.pointer_to(object, 0))
            }
            Constant::Function(id) => {
                let kind = ObjectKind::Function(*id);
                let object = self.solver.objects.add(kind, None);
                Some(self.pointer_to(object, 0))
            }
            Constant::Alias(alias) => {
                let alias = &program.aliases[alias.index()];
                match alias.is_ifunc {
                    true => Some(self.resolved(alias.aliasee)),
                    false => self.constant(alias.aliasee),
                }
            }
            Constant::Aggregate { elements, .. } => self.joined(elements, false),
            Constant::Expression(expression) => match expression.opcode {
                Opcode::GetElementPointer => {
                    let base = self.constant(expression.operands[0]);
                    let indices: Vec<Operand> = expression.operands[1..]
                        .iter()
                        .map(|index| Operand::Constant(*index))
                        .collect();
                    base.map(|base| {
                        let steps = self.address_steps(expression.element_type, &indices);
                        self.moved(base, steps)
                    })
                }
                opcode if opcode.is_cast() => self.joined(&expression.operands, false),
                Opcode::Select => self.joined(&expression.operands[1..], false),
                Opcode::IntegerCompare | Opcode::FloatCompare => None,
                _ => self.joined(&expression.operands, true),
            },
            _ => None,
        };
        self.constants.insert(constant, node);
        node
    }

    /// What the resolver of an `ifunc` returns.
    fn resolved(&self, resolver: ConstantId) -> NodeId {
        let resolver = self.program.called_function(resolver);
        let interface = resolver.and_then(|id| self.solver.interfaces[id.index()].as_ref());
        interface.map_or(OUTSIDE, |interface| interface.result)
    }

    pub(super) fn joined(&mut self, constants: &[ConstantId], any_offset: bool) -> Option<NodeId> {
        let parts: Vec<NodeId> = constants
            .iter()
            .filter_map(|part| self.constant(*part))
            .collect();
        if parts.is_empty() {
            return None;
        }
        let node = self.solver.node();
        for part in parts {
            match any_offset {
                true => self.anywhere(part, node),
                false => self.solver.copy(part, node),
            }
        }
        Some(node)
    }
}

/// Whether an initialiser names an address; it counts as yes when looking takes too long.
fn holds_pointers(program: &Program, constant: ConstantId, patience: &mut u32) -> bool {
    if *patience == 0 {
        return true;
    }
    *patience -= 1;
    match program.constant(constant) {
        Constant::Aggregate { elements, .. } => elements
            .iter()
            .any(|element| holds_pointers(program, *element, patience)),
        Constant::Expression(_)
        | Constant::Global(_)
        | Constant::Function(_)
        | Constant::Alias(_)
        | Constant::BlockAddress { .. } => true,
        _ => false,
    }
}
