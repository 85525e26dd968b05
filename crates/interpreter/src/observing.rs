//! The recording side of observations: hashes of values as they pass.

use crate::code::{Code, Slot};
use crate::constants::constant_type;
use crate::hash::Hash;
use crate::machine::Machine;
use crate::observations::{NodeObservations, Observations, ObserveRequest};
use crate::registers::Bases;
use crate::value::Value;
use knockon_program::{
    FunctionId, InstructionId, Node, Operand, Program, Type, TypeId, is_node, observed_memory,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a run records; present only when it was asked for.
pub(crate) struct Observer {
    /// The nodes whose observations are kept one by one.
    traced: FxHashSet<Node>,
    /// Per function, per instruction; empty until the function runs.
    rows: Vec<Vec<NodeObservations>>,
    traces: FxHashMap<Node, Vec<u128>>,
}

/// A call whose result is still to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    node: Node,
    occurrence: u64,
    hash: Hash,
}

impl Observer {
    pub(crate) fn new(program: &Program, request: &ObserveRequest) -> Observer {
        Observer {
            traced: request.trace.clone(),
            rows: vec![Vec::new(); program.functions.len()],
            traces: FxHashMap::default(),
        }
    }

    /// Counts an occurrence of a node: its number.
    fn begin(&mut self, program: &Program, node: Node) -> u64 {
        let rows = &mut self.rows[node.0.index()];
        if rows.is_empty() {
            let length = program
                .function(node.0)
                .body
                .as_ref()
                .map_or(0, |body| body.instructions.len());
            rows.resize(length, NodeObservations::default());
        }
        let row = &mut rows[node.1.index()];
        row.count += 1;
        row.count - 1
    }

    fn record(&mut self, node: Node, occurrence: u64, mut hash: Hash) {
        hash.add(occurrence);
        let row = &mut self.rows[node.0.index()][node.1.index()];
        row.hash = row.hash.wrapping_add(hash.value());
        if self.traced.contains(&node) {
            let trace = self.traces.entry(node).or_default();
            if trace.len() <= occurrence as usize {
                trace.resize(occurrence as usize + 1, 0);
            }
            trace[occurrence as usize] = hash.value();
        }
    }

    pub(crate) fn into_observations(self) -> Observations {
        let mut nodes = FxHashMap::default();
        for (function, rows) in self.rows.iter().enumerate() {
            for (instruction, row) in rows.iter().enumerate() {
                if row.count > 0 {
                    let node = (
                        FunctionId::from_index(function),
                        InstructionId::from_index(instruction),
                    );
                    nodes.insert(node, *row);
                }
            }
        }
        Observations {
            nodes,
            traces: self.traces,
        }
    }
}

impl Machine<'_> {
    /// A value as an observation: an address counts as the object it points into. Integers are
    /// taken as they are, since paired objects have one address.
    fn hash_value(&self, hash: &mut Hash, value: &Value, type_id: TypeId) {
        match value {
            Value::Scalar(scalar) => {
                let may_be_address = scalar.undefined == 0
                    && matches!(self.program.type_of(type_id), Type::Pointer(_));
                let identity = if may_be_address {
                    self.memory.identity(scalar.bits)
                } else {
                    None
                };
                match identity {
                    Some((name, offset)) => {
                        hash.add(name);
                        hash.add(offset as u64);
                    }
                    None => hash.add(scalar.bits & !scalar.undefined),
                }
                hash.add(scalar.undefined);
            }
            Value::Wide(wide) => {
                let bits = wide.bits & !wide.undefined;
                for word in [bits, wide.undefined] {
                    hash.add(word as u64);
                    hash.add((word >> 64) as u64);
                }
            }
            Value::Huge(huge) => {
                for (bits, undefined) in huge.bits.iter().zip(huge.undefined.iter()) {
                    hash.add(bits & !undefined);
                    hash.add(*undefined);
                }
            }
            Value::Aggregate(elements) => {
                for element in elements.iter() {
                    self.hash_value(hash, element, type_id);
                }
            }
        }
    }

    fn node_is_observed(&self, code: &Code, id: InstructionId) -> bool {
        if self.observer.is_none() {
            return false;
        }
        match &self.program.function(code.function).body {
            Some(body) => is_node(self.program, body, id),
            None => false,
        }
    }

    /// Hashes the values among an instruction's operands.
    fn hash_operands(&self, code: &Code, bases: Bases, id: InstructionId, hash: &mut Hash) {
        let program = self.program;
        let Some(body) = &program.function(code.function).body else {
            return;
        };
        let first = body.instruction(id).first_operand as usize;
        for (index, operand) in body.operands(id).iter().enumerate() {
            let slot = code.operands[first + index];
            if slot == Slot::NONE {
                continue;
            }
            let type_id = match operand {
                Operand::Instruction(id) => body.instruction(*id).type_id,
                Operand::Argument(number) => program
                    .function(code.function)
                    .parameters
                    .get(*number as usize)
                    .map_or(self.pointer_type, |parameter| parameter.type_id),
                Operand::Constant(id) => constant_type(program, *id, self.pointer_type),
                _ => continue,
            };
            let value = self.read(code, bases, slot);
            self.hash_value(hash, &value, type_id);
        }
    }

    /// Hashes what a copy of memory copies, and what arguments hold that are passed as copies.
    fn hash_copied(&self, code: &Code, bases: Bases, id: InstructionId, hash: &mut Hash) {
        let program = self.program;
        let Some(body) = &program.function(code.function).body else {
            return;
        };
        let others = body.operands(id).len() - body.arguments(id).len();
        let first = body.instruction(id).first_operand as usize + others;
        let number = |at: usize| match self.read(code, bases, code.operands[first + at]) {
            Value::Scalar(scalar) if scalar.undefined == 0 => Some(scalar.bits),
            _ => None,
        };
        let observed = observed_memory(program, body, id);
        if let Some(copied) = observed.copied
            && let (Some(from), Some(length)) = (number(copied.from), number(copied.length))
        {
            self.hash_memory(hash, from, length);
        }
        for row in observed.by_value {
            if let Some(from) = number(row.argument as usize) {
                self.hash_memory(hash, from, program.size_of(row.pointee));
            }
        }
    }

    /// Numbers as they are, as of integers. What cannot be read ends the run in the call itself.
    fn hash_memory(&self, hash: &mut Hash, from: u64, length: u64) {
        for offset in 0..length {
            let Ok(byte) = self.memory.fetch(from.wrapping_add(offset), 1) else {
                return;
            };
            hash.add(byte.bits);
            hash.add(byte.undefined);
        }
    }

    /// Records an occurrence of an instruction that is neither a phi nor a call.
    pub(crate) fn observe(&mut self, code: &Code, bases: Bases, id: InstructionId) {
        if !self.node_is_observed(code, id) {
            return;
        }
        let mut hash = Hash::START;
        self.hash_operands(code, bases, id, &mut hash);
        let result = code.results[id.index()];
        let program = self.program;
        if let Some(body) = &program.function(code.function).body
            && body.instruction(id).opcode.observes_result()
            && result != Slot::NONE
        {
            let value = self.read(code, bases, result);
            self.hash_value(&mut hash, &value, body.instruction(id).type_id);
        }
        self.finish_observation((code.function, id), hash);
    }

    /// Records a phi, whose operand is the value of the edge taken.
    pub(crate) fn observe_phi(&mut self, code: &Code, bases: Bases, id: InstructionId, from: Slot) {
        if !self.node_is_observed(code, id) {
            return;
        }
        let mut hash = Hash::START;
        let value = self.read(code, bases, from);
        let type_id = match &self.program.function(code.function).body {
            Some(body) => body.instruction(id).type_id,
            None => self.pointer_type,
        };
        self.hash_value(&mut hash, &value, type_id);
        self.finish_observation((code.function, id), hash);
    }

    fn finish_observation(&mut self, node: Node, hash: Hash) {
        let program = self.program;
        if let Some(observer) = &mut self.observer {
            let occurrence = observer.begin(program, node);
            observer.record(node, occurrence, hash);
        }
    }

    /// Records the start of a call: callee and arguments.
    pub(crate) fn observe_call(
        &mut self,
        code: &Code,
        bases: Bases,
        id: InstructionId,
    ) -> Option<Box<Pending>> {
        self.observer.as_ref()?;
        if !self.node_is_observed(code, id) {
            return None;
        }
        let mut hash = Hash::START;
        self.hash_operands(code, bases, id, &mut hash);
        self.hash_copied(code, bases, id, &mut hash);
        let node = (code.function, id);
        let program = self.program;
        let occurrence = self.observer.as_mut()?.begin(program, node);
        Some(Box::new(Pending {
            node,
            occurrence,
            hash,
        }))
    }

    /// Records the end of a call; `None` if it did not return.
    pub(crate) fn observe_result(&mut self, pending: &Pending, result: Option<&Value>) {
        let mut hash = pending.hash;
        match result {
            Some(value) => {
                let program = self.program;
                let type_id = match &program.function(pending.node.0).body {
                    Some(body) => body.instruction(pending.node.1).type_id,
                    None => self.pointer_type,
                };
                self.hash_value(&mut hash, value, type_id);
            }
            None => hash.add(u64::MAX),
        }
        if let Some(observer) = &mut self.observer {
            observer.record(pending.node, pending.occurrence, hash);
        }
    }
}
