//! From a function's rows to the form that runs; done once per function, at its first call.
//!
//! Cost: linear in the function's instructions and operands.

mod accesses;
mod call_sites;
mod computations;

use crate::code::{Action, Code, Edge, PhiMove, Slot, SwitchTable};
use crate::general::operand_type;
use crate::machine::Machine;
use crate::shapes::narrow_width;
use crate::stop::{Outcome, unsupported};
use crate::value::Value;
use knockon_program::{
    BlockId, Body, Constant, ConstantId, FunctionId, InstructionId, Opcode, Operand, Program, Type,
    TypeId,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Machine<'_> {
    /// The decoded form of a function with a body.
    pub(crate) fn code(&mut self, function: FunctionId) -> Outcome<Rc<Code>> {
        if let Some(code) = &self.codes[function.index()] {
            return Ok(code.clone());
        }
        let Some(body) = &self.program.function(function).body else {
            return unsupported("a call of a function without a body");
        };
        let code = Rc::new(decode(self, function, body)?);
        self.codes[function.index()] = Some(code.clone());
        Ok(code)
    }
}

struct Decoder<'m, 'p> {
    machine: &'m mut Machine<'p>,
    program: &'p Program,
    body: &'p Body,
    code: Code,
    constants: FxHashMap<ConstantId, Slot>,
}

fn decode<'p>(machine: &mut Machine<'p>, function: FunctionId, body: &'p Body) -> Outcome<Code> {
    let program = machine.program;
    let mut decoder = Decoder {
        machine,
        program,
        body,
        code: Code {
            function,
            actions: Vec::with_capacity(body.instructions.len()),
            origins: Vec::with_capacity(body.instructions.len()),
            operands: Vec::with_capacity(body.operands.len()),
            results: Vec::with_capacity(body.instructions.len()),
            parameters: Vec::new(),
            scalar_constants: Vec::new(),
            other_constants: Vec::new(),
            scalar_count: 0,
            other_count: 0,
            edges: Vec::new(),
            indirect_edges: Vec::new(),
            switches: Vec::new(),
            paths: Vec::new(),
            calls: Vec::new(),
        },
        constants: FxHashMap::default(),
    };
    decoder.assign_slots()?;
    let mut starts = Vec::with_capacity(body.blocks.len());
    for block in body.block_ids() {
        starts.push(decoder.code.actions.len() as u32);
        for id in body.instructions_of(block) {
            if body.instruction(id).opcode != Opcode::Phi {
                decoder.instruction(block, id)?;
            }
        }
    }
    // Until here edges name blocks.
    for edge in &mut decoder.code.edges {
        edge.target = starts[edge.target as usize];
    }
    Ok(decoder.code)
}

impl Decoder<'_, '_> {
    fn new_register(&mut self, type_id: TypeId) -> Slot {
        match self.program.type_of(type_id) {
            Type::Void | Type::Token | Type::Label | Type::Metadata => Slot::NONE,
            _ => {
                let scalar = narrow_width(self.program, type_id).is_some();
                let count = if scalar {
                    &mut self.code.scalar_count
                } else {
                    &mut self.code.other_count
                };
                *count += 1;
                Slot::register(*count - 1, scalar)
            }
        }
    }

    fn assign_slots(&mut self) -> Outcome<()> {
        for parameter in &self.program.function(self.code.function).parameters {
            let slot = self.new_register(parameter.type_id);
            self.code.parameters.push(slot);
        }
        for row in &self.body.instructions {
            let slot = self.new_register(row.type_id);
            self.code.results.push(slot);
        }
        for operand in &self.body.operands {
            let slot = match operand {
                Operand::Instruction(id) => self.code.results[id.index()],
                Operand::Argument(number) => match self.code.parameters.get(*number as usize) {
                    Some(slot) => *slot,
                    None => return unsupported("an argument beyond the parameters"),
                },
                Operand::Constant(constant) => self.constant(*constant)?,
                Operand::Block(_) | Operand::Index(_) => Slot::NONE,
            };
            self.code.operands.push(slot);
        }
        Ok(())
    }

    fn constant(&mut self, id: ConstantId) -> Outcome<Slot> {
        if let Some(slot) = self.constants.get(&id) {
            return Ok(*slot);
        }
        let slot = match self.program.constant(id) {
            Constant::Assembly { .. } | Constant::Metadata(_) => Slot::NONE,
            _ => match self.machine.constant_value(id)? {
                Value::Scalar(scalar) => {
                    self.code.scalar_constants.push(scalar);
                    Slot::constant(self.code.scalar_constants.len() - 1, true)
                }
                other => {
                    self.code.other_constants.push(other);
                    Slot::constant(self.code.other_constants.len() - 1, false)
                }
            },
        };
        self.constants.insert(id, slot);
        Ok(slot)
    }

    /// The slot of an instruction's operand.
    fn operand(&self, id: InstructionId, index: usize) -> Slot {
        let first = self.body.instruction(id).first_operand as usize;
        self.code
            .operands
            .get(first + index)
            .copied()
            .unwrap_or(Slot::NONE)
    }

    fn type_of_operand(&self, id: InstructionId, index: usize) -> Option<TypeId> {
        let operand = *self.body.operands(id).get(index)?;
        operand_type(
            self.program,
            self.code.function,
            self.body,
            operand,
            self.machine.pointer_type,
        )
    }

    fn emit(&mut self, id: InstructionId, action: Action) {
        self.code.actions.push(action);
        self.code.origins.push(id);
    }

    fn instruction(&mut self, block: BlockId, id: InstructionId) -> Outcome<()> {
        let row = *self.body.instruction(id);
        let action = match row.opcode {
            Opcode::Branch | Opcode::Switch | Opcode::IndirectBranch => {
                self.jump(block, id, row.opcode)?
            }
            Opcode::Return => Action::Return {
                value: if row.operand_count == 0 {
                    Slot::NONE
                } else {
                    self.operand(id, 0)
                },
            },
            Opcode::Unreachable => Action::Unreachable,
            Opcode::Call | Opcode::Invoke | Opcode::CallBr => {
                let call = self.call(id)?;
                self.emit(id, call);
                if row.opcode == Opcode::Call {
                    return Ok(());
                }
                let normal = self
                    .body
                    .operands(id)
                    .iter()
                    .find_map(|operand| match operand {
                        Operand::Block(block) => Some(*block),
                        _ => None,
                    });
                match normal {
                    Some(target) => Action::Jump {
                        edge: self.edge(block, target)?,
                    },
                    None => return unsupported("an invoke without a block"),
                }
            }
            Opcode::GetElementPointer => self.pointer(id),
            Opcode::Alloca => self.alloca(id),
            Opcode::Load => self.load(id),
            Opcode::Store => self.store(id),
            _ => self.computation(id),
        };
        self.emit(id, action);
        Ok(())
    }

    fn jump(&mut self, block: BlockId, id: InstructionId, opcode: Opcode) -> Outcome<Action> {
        let targets: Vec<BlockId> = self
            .body
            .operands(id)
            .iter()
            .filter_map(|operand| match operand {
                Operand::Block(block) => Some(*block),
                _ => None,
            })
            .collect();
        let mut edges = Vec::with_capacity(targets.len());
        for target in &targets {
            edges.push(self.edge(block, *target)?);
        }
        Ok(match (opcode, edges.as_slice()) {
            (Opcode::Branch, [edge]) => Action::Jump { edge: *edge },
            (Opcode::Branch, [then, otherwise]) => Action::Branch {
                condition: self.operand(id, 0),
                then: *then,
                otherwise: *otherwise,
            },
            (Opcode::Switch, [default, cases @ ..]) => {
                let values = self.body.operands(id).iter().skip(2).step_by(2);
                let mut rows = Vec::with_capacity(cases.len());
                for (value, edge) in values.zip(cases) {
                    let bits = match value {
                        Operand::Constant(constant) => match self.program.constant(*constant) {
                            Constant::Integer { bits, .. } => *bits,
                            _ => return unsupported("a switch over something else than integers"),
                        },
                        _ => return unsupported("a switch with a case that is not a constant"),
                    };
                    rows.push((bits, *edge));
                }
                rows.sort_unstable_by_key(|row| row.0);
                self.code.switches.push(SwitchTable {
                    cases: rows.into(),
                    default: *default,
                });
                Action::Switch {
                    value: self.operand(id, 0),
                    table: self.code.switches.len() as u32 - 1,
                }
            }
            (Opcode::IndirectBranch, edges) => {
                for (target, edge) in targets.iter().zip(edges) {
                    self.code.indirect_edges.push((id, target.0, *edge));
                }
                Action::General
            }
            _ => return unsupported("a branch without a target"),
        })
    }

    /// The edge between two blocks with the moves of the target's phi instructions.
    fn edge(&mut self, from: BlockId, to: BlockId) -> Outcome<u32> {
        let mut moves = Vec::new();
        for id in self.body.instructions_of(to) {
            if self.body.instruction(id).opcode != Opcode::Phi {
                break;
            }
            let source = self
                .body
                .operands(id)
                .chunks_exact(2)
                .position(|pair| pair[1] == Operand::Block(from));
            let Some(source) = source else {
                return unsupported("a phi without a value for an edge");
            };
            moves.push(PhiMove {
                to: self.code.results[id.index()],
                from: self.operand(id, source * 2),
                phi: id,
            });
        }
        let parallel = moves
            .iter()
            .enumerate()
            .any(|(index, row)| moves[..index].iter().any(|earlier| earlier.to == row.from));
        self.code.edges.push(Edge {
            target: to.0,
            moves: moves.into(),
            parallel,
        });
        Ok(self.code.edges.len() as u32 - 1)
    }
}
