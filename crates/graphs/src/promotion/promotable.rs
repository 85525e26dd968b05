//! Question: which local variables does only a load or a store ever touch?
//!
//! Source: `isAllocaPromotable` of LLVM 16 to 19.
//!
//! Why right: an alloca of the entry block is promotable when each use is a load
//! of its whole type, a store of its whole type into it (not of its address), or
//! a marker; neither may be volatile. An address cast that only markers use does
//! not count as a use.
//!
//! Cost: one pass over all operands, a second one when there are such casts.

use super::{Marker, Promotion, entry_allocas};
use crate::Rows;
use knockon_program::{
    Body, Cast, Constant, Flags, Instruction, InstructionId, Opcode, Operand, Parameter, Program,
    Type, TypeId, View,
};

pub(super) struct Promotable {
    /// In instruction order; the position is the variable's slot.
    pub allocas: Vec<InstructionId>,
    /// For each slot its loads and stores, in instruction order.
    pub accesses: Rows<InstructionId>,
    /// Lifetime markers and casts for them, which go with the variables.
    pub dropped: Vec<InstructionId>,
    /// Another variable's address is stored into one of these, so it may be
    /// promotable when these are gone.
    pub may_free_others: bool,
    /// By instruction number, as far as the entry block goes.
    slots: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Promotable {
    /// The slot of the variable at this address.
    pub fn slot(&self, address: Operand) -> Option<usize> {
        lookup(&self.slots, address)
    }
}

fn lookup(slots: &[u32], address: Operand) -> Option<usize> {
    match address {
        Operand::Instruction(id) => match slots.get(id.index()) {
            Some(&slot) if slot != NONE => Some(slot as usize),
            _ => None,
        },
        _ => None,
    }
}

/// `None` when there is nothing to promote.
pub(super) fn promotable(
    promotion: &Promotion,
    program: &Program,
    parameters: &[Parameter],
    body: &Body,
) -> Option<Promotable> {
    let candidates: Vec<InstructionId> = entry_allocas(body)
        .filter(|id| {
            let row = body.instruction(*id);
            promotion.undefined(TypeId(row.extra)).is_some()
                && promotion.poison(row.type_id).is_some()
        })
        .collect();
    let end = candidates.last()?.index() + 1;
    let mut slots = vec![NONE; end];
    for (slot, id) in candidates.iter().enumerate() {
        slots[id.index()] = slot as u32;
    }
    let mut uses = Uses {
        promotion,
        program,
        parameters,
        body,
        good: vec![true; candidates.len()],
        accesses: Vec::with_capacity(body.instructions.len() / 2),
        dropped: Vec::new(),
        casts: Vec::new(),
        kept: Vec::new(),
    };
    for id in body.instruction_ids() {
        for (position, operand) in body.operands(id).iter().enumerate() {
            if let Some(slot) = lookup(&slots, *operand) {
                uses.visit(id, position, slot, body.instruction(candidates[slot]));
            }
        }
    }
    uses.visit_casts();
    uses.finish(&candidates, slots)
}

struct Uses<'a> {
    promotion: &'a Promotion,
    program: &'a Program,
    parameters: &'a [Parameter],
    body: &'a Body,
    good: Vec<bool>,
    accesses: Vec<(usize, InstructionId)>,
    dropped: Vec<(usize, InstructionId)>,
    casts: Vec<(InstructionId, usize)>,
    /// (variable whose address is stored, address stored to).
    kept: Vec<(usize, Operand)>,
}

impl Uses<'_> {
    fn visit(&mut self, id: InstructionId, position: usize, slot: usize, alloca: &Instruction) {
        let row = self.body.instruction(id);
        let allocated = TypeId(alloca.extra);
        let is_volatile = row.flags.has(Flags::VOLATILE);
        match self.body.view(id) {
            View::Load { .. } => {
                if row.type_id == allocated && !is_volatile {
                    self.accesses.push((slot, id));
                } else {
                    self.good[slot] = false;
                }
            }
            View::Store { value, .. } if position == 1 => {
                if self.is_of_type(value, allocated) && !is_volatile {
                    self.accesses.push((slot, id));
                } else {
                    self.good[slot] = false;
                }
            }
            View::Store { address, .. } => {
                self.good[slot] = false;
                self.kept.push((slot, address));
            }
            View::Call(call) if row.opcode == Opcode::Call && position > 0 => {
                match self.promotion.marker(self.program, Some(call.callee)) {
                    Marker::No => self.good[slot] = false,
                    Marker::Lifetime => self.dropped.push((slot, id)),
                    Marker::Droppable => {}
                }
            }
            View::Cast {
                operation: Cast::BitCast | Cast::AddressSpaceCast,
                ..
            } => self.casts.push((id, slot)),
            View::GetElementPointer { indices, .. }
                if position == 0 && indices.iter().all(|index| self.is_zero(*index)) =>
            {
                self.casts.push((id, slot));
            }
            View::Call(_)
            | View::Cast { .. }
            | View::GetElementPointer { .. }
            | View::Binary { .. }
            | View::FloatNegate { .. }
            | View::Freeze { .. }
            | View::IntegerCompare { .. }
            | View::FloatCompare { .. }
            | View::Select { .. }
            | View::Alloca { .. }
            | View::CompareExchange { .. }
            | View::AtomicReadModifyWrite { .. }
            | View::Fence
            | View::Phi { .. }
            | View::Return { .. }
            | View::Jump { .. }
            | View::Branch { .. }
            | View::Switch { .. }
            | View::IndirectBranch { .. }
            | View::Resume { .. }
            | View::Unreachable
            | View::ExtractValue { .. }
            | View::InsertValue { .. }
            | View::ExtractElement { .. }
            | View::InsertElement { .. }
            | View::ShuffleVector { .. }
            | View::VariadicArgument { .. }
            | View::LandingPad { .. }
            | View::Pad { .. }
            | View::CatchSwitch { .. }
            | View::CatchReturn { .. }
            | View::CleanupReturn { .. }
            | View::Opaque { .. } => self.good[slot] = false,
        }
    }

    /// Casts count only if something else than a marker uses them.
    fn visit_casts(&mut self) {
        if self.casts.is_empty() {
            return;
        }
        for id in self.body.instruction_ids() {
            for operand in self.body.operands(id) {
                let Operand::Instruction(used) = operand else {
                    continue;
                };
                let Ok(at) = self.casts.binary_search_by_key(used, |(cast, _)| *cast) else {
                    continue;
                };
                let slot = self.casts[at].1;
                let opcode = self.body.instruction(id).opcode;
                match self.promotion.marker(self.program, self.body.callee(id)) {
                    Marker::Lifetime if opcode == Opcode::Call => self.dropped.push((slot, id)),
                    Marker::Droppable if opcode == Opcode::Call => {}
                    _ => self.good[slot] = false,
                }
            }
        }
        let casts = self.casts.iter().map(|(cast, slot)| (*slot, *cast));
        self.dropped.extend(casts);
    }

    fn finish(self, candidates: &[InstructionId], mut slots: Vec<u32>) -> Option<Promotable> {
        let mut allocas = Vec::new();
        let mut number = vec![NONE; candidates.len()];
        for (slot, id) in candidates.iter().enumerate() {
            if self.good[slot] {
                number[slot] = allocas.len() as u32;
                allocas.push(*id);
            }
            slots[id.index()] = number[slot];
        }
        if allocas.is_empty() {
            return None;
        }
        let accesses: Vec<(usize, InstructionId)> = self
            .accesses
            .iter()
            .filter(|(slot, _)| self.good[*slot])
            .map(|(slot, id)| (number[*slot] as usize, *id))
            .collect();
        Some(Promotable {
            accesses: Rows::from_pairs(allocas.len(), &accesses),
            allocas,
            dropped: self
                .dropped
                .iter()
                .filter(|(slot, _)| self.good[*slot])
                .map(|(_, id)| *id)
                .collect(),
            may_free_others: self
                .kept
                .iter()
                .any(|(_, address)| lookup(&slots, *address).is_some()),
            slots,
        })
    }

    fn is_zero(&self, operand: Operand) -> bool {
        match operand {
            Operand::Constant(constant) => matches!(
                self.program.constant(constant),
                Constant::Integer { bits: 0, .. } | Constant::Zero(_)
            ),
            _ => false,
        }
    }

    fn is_of_type(&self, operand: Operand, expected: TypeId) -> bool {
        match operand {
            Operand::Instruction(id) => self.body.instruction(id).type_id == expected,
            Operand::Argument(number) => self
                .parameters
                .get(number as usize)
                .is_some_and(|parameter| parameter.type_id == expected),
            Operand::Constant(constant) => {
                let constant = self.program.constant(constant);
                match constant {
                    Constant::Assembly { .. } | Constant::Metadata(_) => false,
                    _ => match constant.type_id() {
                        Some(type_id) => type_id == expected,
                        // The address of a symbol.
                        None => matches!(self.program.type_of(expected), Type::Pointer(_)),
                    },
                }
            }
            Operand::Block(_) | Operand::Index(_) => false,
        }
    }
}
