//! The recording side of observations: hashes of values as they pass.

use crate::code::{Code, Slot};
use crate::constants::constant_type;
use crate::machine::Machine;
use crate::memory::Site;
use crate::observations::{Node, NodeObservations, Observations, ObserveRequest};
use crate::registers::Bases;
use crate::value::Value;
use knockon_program::{FunctionId, InstructionId, Opcode, Operand, Program, Type, TypeId};
use rustc_hash::FxHashMap;

/// What a run records; present only when it was asked for.
pub(crate) struct Observer {
    request: ObserveRequest,
    /// Per function, per instruction; empty until the function runs.
    rows: Vec<Vec<NodeObservations>>,
    traces: FxHashMap<Node, Vec<u128>>,
    site_names: FxHashMap<Site, u64>,
}

/// A call whose result is still to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    node: Node,
    occurrence: u64,
    hash: Hash,
}

/// A running hash of 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hash(u128);

impl Hash {
    const START: Hash = Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);

    fn add(&mut self, word: u64) {
        const FACTOR: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;
        let mixed = (self.0 ^ u128::from(word)).wrapping_mul(FACTOR);
        self.0 = mixed ^ mixed >> 67;
    }

    fn of_text(text: &str) -> u64 {
        let mut hash = Hash::START;
        for byte in text.bytes() {
            hash.add(u64::from(byte));
        }
        hash.0 as u64
    }
}

impl Observer {
    pub(crate) fn new(program: &Program, request: &ObserveRequest) -> Observer {
        Observer {
            request: request.clone(),
            rows: vec![Vec::new(); program.functions.len()],
            traces: FxHashMap::default(),
            site_names: FxHashMap::default(),
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
        row.hash = row.hash.wrapping_add(hash.0);
        if self.request.trace.contains(&node) {
            let trace = self.traces.entry(node).or_default();
            if trace.len() <= occurrence as usize {
                trace.resize(occurrence as usize + 1, 0);
            }
            trace[occurrence as usize] = hash.0;
        }
    }

    fn site_name(&mut self, program: &Program, site: Site) -> u64 {
        let request = &self.request;
        *self.site_names.entry(site).or_insert_with(|| match site {
            Site::Global(global) => {
                Hash::of_text(program.name(program.globals[global.index()].name))
            }
            Site::Function(function) => Hash::of_text(program.function_name(function)),
            Site::Block(function, block) => {
                Hash::of_text(program.function_name(function)).wrapping_add(u64::from(block.0) + 1)
            }
            Site::Library(name) => Hash::of_text(name),
            Site::Instruction(function, instruction) => request
                .site_names
                .get(&(function, instruction))
                .copied()
                .unwrap_or_else(|| ordinal_name(program, function, instruction)),
        })
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

/// A place's name from its function and its number among the function's allocating instructions.
fn ordinal_name(program: &Program, function: FunctionId, instruction: InstructionId) -> u64 {
    let name = Hash::of_text(program.function_name(function));
    let before = program.function(function).body.as_ref().map_or(0, |body| {
        body.instructions[..instruction.index()]
            .iter()
            .filter(|row| row.opcode == Opcode::Alloca || row.opcode.is_call())
            .count()
    });
    name.wrapping_mul(31).wrapping_add(before as u64)
}

impl Machine<'_> {
    /// A value as an observation: an address counts as the object it points into.
    fn hash_value(&mut self, hash: &mut Hash, value: &Value, type_id: TypeId) {
        match value {
            Value::Scalar(scalar) => {
                let may_be_address = scalar.bits >> 32 != 0
                    && !matches!(self.program.type_of(type_id), Type::Double);
                if may_be_address
                    && let Some(identity) = self.memory.identity(scalar.bits)
                    && let Some(observer) = &mut self.observer
                {
                    if let Some((site, occurrence)) = identity.origin {
                        hash.add(observer.site_name(self.program, site));
                        hash.add(u64::from(occurrence));
                    }
                    hash.add(identity.offset as u64);
                } else {
                    hash.add(scalar.bits);
                }
                hash.add(scalar.undefined);
            }
            Value::Wide(wide) => {
                hash.add(wide.bits as u64);
                hash.add((wide.bits >> 64) as u64);
                hash.add(u64::from(wide.undefined != 0));
            }
            Value::Huge(huge) => {
                for word in huge.bits.iter().chain(&huge.undefined) {
                    hash.add(*word);
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
            Some(body) => self.program.place(body.instruction(id).place).is_known(),
            None => false,
        }
    }

    /// Hashes the values among an instruction's operands.
    fn hash_operands(&mut self, code: &Code, bases: Bases, id: InstructionId, hash: &mut Hash) {
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
            && body.instruction(id).opcode == Opcode::Load
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
