//! Which inclusion constraints does each instruction give?
//!
//! Every value that may carry a pointer has a node: pointers, integers, floating point values and
//! aggregates alike, so a pointer is followed through integers, unions and copies of any unit.
//! Integers narrower than a pointer carry it through copies, casts, shifts and logic, wide ones
//! through additions too; products, quotients, comparisons and indices carry nothing. A pointer
//! that is rebuilt from such results, or from decisions on them, is beyond this analysis, as it is
//! beyond the provenance rules of LLVM.

use super::arithmetic::Step;
use super::objects::{ANY, ObjectId, ObjectKind};
use super::solver::{Interface, NodeId, OUTSIDE, Solver, Use};
use knockon_library::{CallbackTime, Formats, Library, Replaced, replaced_functions};
use knockon_program::{
    Constant, ConstantId, FunctionId, InstructionId, Opcode, Operand, ParameterAttributes, Program,
    Type, TypeId,
};
use rustc_hash::FxHashMap;

/// No node: the value carries no pointer.
pub const NOTHING: u32 = u32::MAX;

/// A call of an external function back into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallbackSite {
    pub caller: FunctionId,
    pub instruction: InstructionId,
    pub time: CallbackTime,
}

pub struct Constraints<'p> {
    pub solver: Solver<'p>,
    pub(super) program: &'p Program,
    pub(super) library: &'p Library,
    pub(super) formats: Formats,
    pub(super) replaced: Replaced,
    /// For each function the number of its first value; parameters come before instructions.
    pub first_value: Vec<u32>,
    /// The node of each value, or [`NOTHING`].
    pub value_nodes: Vec<u32>,
    pub(super) constants: FxHashMap<ConstantId, Option<NodeId>>,
    /// By the solver's number of the call.
    pub pointer_calls: Vec<(FunctionId, InstructionId)>,
    /// By the solver's number of the callback.
    pub callback_sites: Vec<CallbackSite>,
    /// Calls of functions that have no body and no description, and of unknown code.
    pub unmodelled: Vec<(FunctionId, InstructionId)>,
}

pub fn generate<'p>(program: &'p Program, library: &'p Library) -> Constraints<'p> {
    let mut constraints = Constraints {
        solver: Solver::new(program),
        program,
        library,
        formats: Formats::new(program),
        replaced: replaced_functions(program, library),
        first_value: Vec::with_capacity(program.functions.len() + 1),
        value_nodes: Vec::new(),
        constants: FxHashMap::default(),
        pointer_calls: Vec::new(),
        callback_sites: Vec::new(),
        unmodelled: Vec::new(),
    };
    constraints.interfaces();
    constraints.globals();
    for (id, _, body) in program.defined_functions() {
        constraints.function(id, body);
    }
    constraints.entries();
    constraints
}

impl Constraints<'_> {
    /// Nodes of parameters, results and instructions, before any constraint names them.
    pub(super) fn interfaces(&mut self) {
        let program = self.program;
        for (index, function) in program.functions.iter().enumerate() {
            self.first_value.push(self.value_nodes.len() as u32);
            let Some(body) = &function.body else {
                continue;
            };
            let id = FunctionId::from_index(index);
            let mut parameters = Vec::with_capacity(function.parameters.len());
            for (number, parameter) in function.parameters.iter().enumerate() {
                let node = self.solver.node();
                self.value_nodes.push(node.0);
                let by_value = parameter.attributes.has(ParameterAttributes::BY_VALUE);
                parameters.push(match by_value {
                    false => node,
                    // The callee sees a copy of what the caller's pointer points to.
                    true => {
                        let given = self.solver.node();
                        let kind = ObjectKind::ByValue(id, number as u32);
                        let pointee = Some(parameter.pointee);
                        let copy = self.solver.objects.add(kind, pointee);
                        let location = self.solver.objects.location(copy, 0);
                        self.solver.insert(node, location);
                        let length = clamp(self.solver.objects.layouts.size_of(parameter.pointee));
                        self.solver.copy_memory(given, node, length);
                        given
                    }
                });
            }
            let is_variadic = matches!(
                program.type_of(function.type_id),
                Type::Function { variadic: true, .. }
            );
            let variadic = is_variadic.then(|| {
                let kind = ObjectKind::Variadic(id);
                let object = self.solver.objects.add(kind, None);
                self.content(object)
            });
            let result = self.solver.node();
            self.solver.interfaces[index] = Some(Interface {
                parameters,
                result,
                variadic,
            });
            for instruction in body.instruction_ids() {
                let row = body.instruction(instruction);
                let node = match self.carries(row.opcode, row.type_id) {
                    true => self.solver.node().0,
                    false => NOTHING,
                };
                self.value_nodes.push(node);
            }
        }
        self.first_value.push(self.value_nodes.len() as u32);
    }

    /// The node of a collapsed object's only word.
    pub(super) fn content(&mut self, object: ObjectId) -> NodeId {
        let pointer = self.pointer_to(object, 0);
        let node = self.solver.node();
        self.solver.store(pointer, node, 1);
        node
    }

    pub(super) fn pointer_to(&mut self, object: ObjectId, offset: u32) -> NodeId {
        let node = self.solver.node();
        let location = self.solver.objects.location(object, offset);
        self.solver.insert(node, location);
        node
    }

    pub(super) fn carries(&self, opcode: Opcode, type_id: TypeId) -> bool {
        let can = match self.program.type_of(type_id) {
            Type::Void | Type::Label | Type::Token | Type::Metadata | Type::Integer(1) => false,
            Type::Function { .. } => false,
            Type::Integer(bits) if *bits < self.program.layout.pointer_size * 8 => {
                !matches!(opcode, Opcode::Add | Opcode::Subtract)
            }
            _ => true,
        };
        can && opcode.may_carry_address()
    }

    pub(super) fn moved(&mut self, base: NodeId, steps: Vec<Step>) -> NodeId {
        match steps.is_empty() {
            true => base,
            false => self.solver.moved(base, steps),
        }
    }

    /// `to` gets what `from` points to, at any offset.
    pub(super) fn anywhere(&mut self, from: NodeId, to: NodeId) {
        let moved = self.solver.moved(from, vec![Step::Anywhere]);
        self.solver.copy(moved, to);
    }

    pub(super) fn value(&mut self, function: FunctionId, operand: Operand) -> Option<NodeId> {
        match operand {
            Operand::Constant(constant) => self.constant(constant),
            Operand::Argument(number) => {
                let parameters = self.program.function(function).parameters.len() as u32;
                (number < parameters).then(|| self.node_at(function, number as usize))?
            }
            Operand::Instruction(id) => {
                let parameters = self.program.function(function).parameters.len();
                self.node_at(function, parameters + id.index())
            }
            Operand::Block(_) | Operand::Index(_) => None,
        }
    }

    pub(super) fn node_at(&self, function: FunctionId, value: usize) -> Option<NodeId> {
        let node = self.value_nodes[self.first_value[function.index()] as usize + value];
        (node != NOTHING).then_some(NodeId(node))
    }

    /// What is called from outside, and what it is given.
    pub(super) fn entries(&mut self) {
        let program = self.program;
        for function in self.replaced.functions.clone() {
            let kind = ObjectKind::Function(function);
            let object = self.solver.objects.add(kind, None);
            let pointer = self.pointer_to(object, 0);
            self.solver.copy(pointer, OUTSIDE);
        }
        let mut has_main = false;
        let argument_string = self.argument(ObjectKind::ArgumentString);
        let argument_vector = self.argument(ObjectKind::ArgumentVector);
        for from in [argument_string, argument_vector] {
            self.solver.attach(argument_vector, Use::StoreAll { from });
        }
        for (id, function, _) in program.defined_functions() {
            if program.name(function.name) == "main" {
                has_main = true;
                let parameters = self.solver.interfaces[id.index()]
                    .as_ref()
                    .map(|interface| interface.parameters.clone());
                for parameter in parameters.unwrap_or_default() {
                    self.solver.copy(argument_vector, parameter);
                }
            }
        }
        if has_main {
            return;
        }
        for (id, function, _) in program.defined_functions() {
            if !function.linkage.is_local() {
                let kind = ObjectKind::Function(id);
                let object = self.solver.objects.add(kind, None);
                let pointer = self.pointer_to(object, 0);
                self.solver.copy(pointer, OUTSIDE);
            }
        }
        for (index, global) in program.globals.iter().enumerate() {
            if !global.linkage.is_local() {
                let object = self.global(knockon_program::GlobalId::from_index(index));
                let pointer = self.pointer_to(object, 0);
                self.solver.copy(pointer, OUTSIDE);
            }
        }
    }

    pub(super) fn argument(&mut self, kind: ObjectKind) -> NodeId {
        let object = self.solver.objects.add(kind, None);
        self.pointer_to(object, 0)
    }
}

/// A constant integer, sign-extended.
pub(super) fn integer(program: &Program, constant: ConstantId) -> Option<i64> {
    let Constant::Integer { type_id, bits } = program.constant(constant) else {
        return None;
    };
    let width = match program.type_of(*type_id) {
        Type::Integer(width) => *width,
        _ => 64,
    };
    match width {
        0 => Some(0),
        1..=63 => {
            let shift = 64 - width;
            Some(((*bits as u64) << shift) as i64 >> shift)
        }
        _ => Some(*bits as u64 as i64),
    }
}

pub(super) fn clamp(size: u64) -> u32 {
    u32::try_from(size).unwrap_or(ANY - 1).min(ANY - 1)
}
