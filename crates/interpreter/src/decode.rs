//! From a function's rows to the form that runs; done once per function, at its first call.
//!
//! Cost: linear in the function's instructions and operands.

use crate::calls::{self, CallSite, Callee};
use crate::code::{Action, Code, Edge, HostFloat, Integer, PhiMove, Slot, SwitchTable};
use crate::general::operand_type;
use crate::machine::Machine;
use crate::memory::Site;
use crate::pointers::{self, Index};
use crate::shapes::narrow_width;
use crate::stop::{Outcome, unsupported};
use crate::value::{Value, sign_extend};
use knockon_program::{
    BlockId, Body, Constant, ConstantId, Flags, FloatPredicate, FunctionId, InstructionId,
    IntegerPredicate, Opcode, Operand, Program, Type, TypeId,
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

    /// Arithmetic, comparisons, casts and `select`, if they are of scalars.
    fn computation(&self, id: InstructionId) -> Action {
        let row = self.body.instruction(id);
        let to = self.code.results[id.index()];
        let (left, right) = (self.operand(id, 0), self.operand(id, 1));
        let Some(first_type) = self.type_of_operand(id, 0) else {
            return Action::General;
        };
        if row.opcode == Opcode::Select {
            let otherwise = self.operand(id, 2);
            let scalar = [to, left, right, otherwise]
                .iter()
                .all(|slot| *slot != Slot::NONE && slot.is_scalar());
            return if scalar {
                Action::Select {
                    to,
                    condition: left,
                    then: right,
                    otherwise,
                }
            } else {
                Action::General
            };
        }
        let (Some(width), true) = (
            narrow_width(self.program, first_type),
            to != Slot::NONE && to.is_scalar(),
        ) else {
            return Action::General;
        };
        let type_row = self.program.type_of(first_type);
        let operands = Integer {
            to,
            left,
            right,
            width: width as u8,
            no_signed_wrap: row.flags.has(Flags::NO_SIGNED_WRAP),
        };
        let host_float = match type_row {
            Type::Float => Some(HostFloat::Single),
            Type::Double => Some(HostFloat::Double),
            _ => None,
        };
        let plain = !row.flags.has(Flags::NO_UNSIGNED_WRAP);
        match row.opcode {
            Opcode::Add if plain => Action::Add(operands),
            Opcode::Subtract if plain => Action::Subtract(operands),
            Opcode::Multiply if plain => Action::Multiply(operands),
            Opcode::And => Action::And(operands),
            Opcode::Or => Action::Or(operands),
            Opcode::Xor => Action::Xor(operands),
            Opcode::IntegerCompare => match IntegerPredicate::from_detail(row.detail) {
                Some(predicate) => Action::Compare(predicate, operands),
                None => Action::General,
            },
            Opcode::FloatCompare => match (FloatPredicate::from_detail(row.detail), host_float) {
                (Some(predicate), Some(format)) => {
                    Action::FloatCompare(predicate, format, operands)
                }
                _ => Action::General,
            },
            opcode if opcode.is_binary() => match (type_row, host_float) {
                (_, Some(format)) => Action::Float(opcode, format, operands),
                (Type::Integer(_), None) => Action::Integer(opcode, row.flags.0, operands),
                _ => Action::General,
            },
            opcode => self.cast(opcode, row.type_id, to, left, width),
        }
    }

    fn cast(
        &self,
        opcode: Opcode,
        result: TypeId,
        to: Slot,
        from: Slot,
        from_width: u32,
    ) -> Action {
        let Some(width) = narrow_width(self.program, result) else {
            return Action::General;
        };
        let keeps_bits = match opcode {
            Opcode::ZeroExtend | Opcode::BitCast | Opcode::AddressSpaceCast => true,
            Opcode::PointerToInteger | Opcode::IntegerToPointer => width >= from_width,
            _ => false,
        };
        match opcode {
            _ if keeps_bits => Action::Move { to, from },
            Opcode::Truncate if width == 1 && from_width == 8 => Action::ReadBool { to, from },
            Opcode::Truncate | Opcode::PointerToInteger | Opcode::IntegerToPointer => {
                Action::Truncate {
                    to,
                    from,
                    width: width as u8,
                }
            }
            Opcode::SignExtend => Action::SignExtend {
                to,
                from,
                from_width: from_width as u8,
                width: width as u8,
            },
            _ => Action::General,
        }
    }

    fn load(&self, id: InstructionId) -> Action {
        let row = self.body.instruction(id);
        match narrow_width(self.program, row.type_id) {
            Some(width) => Action::Load {
                to: self.code.results[id.index()],
                address: self.operand(id, 0),
                size: self.program.store_size(row.type_id) as u8,
                width: width as u8,
                alignment: alignment_mask(row.detail),
            },
            None => Action::General,
        }
    }

    fn store(&self, id: InstructionId) -> Action {
        let row = self.body.instruction(id);
        let Some(type_id) = self.type_of_operand(id, 0) else {
            return Action::General;
        };
        match narrow_width(self.program, type_id) {
            Some(_) => Action::Store {
                value: self.operand(id, 0),
                address: self.operand(id, 1),
                size: self.program.store_size(type_id) as u8,
                alignment: alignment_mask(row.detail),
            },
            None => Action::General,
        }
    }

    fn alloca(&mut self, id: InstructionId) -> Action {
        let row = *self.body.instruction(id);
        let count = match self.body.operands(id).first() {
            Some(Operand::Constant(constant)) => match self.program.constant(*constant) {
                Constant::Integer { bits, .. } => u64::try_from(*bits).ok(),
                _ => None,
            },
            None => Some(1),
            _ => None,
        };
        let size = count
            .and_then(|count| count.checked_mul(self.program.size_of(TypeId(row.extra))))
            .and_then(|size| u32::try_from(size).ok());
        match size {
            Some(size) => Action::Alloca {
                to: self.code.results[id.index()],
                size,
                site: self
                    .machine
                    .memory
                    .site(Site::Instruction(self.code.function, id)),
            },
            None => Action::General,
        }
    }

    fn pointer(&mut self, id: InstructionId) -> Action {
        let row = *self.body.instruction(id);
        let to = self.code.results[id.index()];
        let base = self.operand(id, 0);
        if !to.is_scalar() || !base.is_scalar() {
            return Action::General;
        }
        let mut indices = Vec::new();
        for index in 1..row.operand_count as usize {
            let Some(width) = self
                .type_of_operand(id, index)
                .and_then(|type_id| narrow_width(self.program, type_id))
            else {
                return Action::General;
            };
            let slot = self.operand(id, index);
            let constant = match self.body.operands(id)[index] {
                Operand::Constant(constant) => match self.program.constant(constant) {
                    Constant::Integer { bits, .. } => Some(sign_extend(*bits as u64, width)),
                    _ => None,
                },
                _ => None,
            };
            indices.push(Index {
                slot,
                width,
                constant,
            });
        }
        let in_bounds = row.flags.has(Flags::IN_BOUNDS);
        let element = TypeId(row.extra);
        let resolved = pointers::resolve(self.program, self.body, id, element, &indices, in_bounds);
        let Some(path) = resolved else {
            return Action::General;
        };
        match (path.terms.as_slice(), i32::try_from(path.constant)) {
            // An array named as a pointer: the base itself, whatever it is.
            ([], Ok(0)) if !path.member => Action::Move { to, from: base },
            ([], Ok(offset)) if path.in_bounds => Action::Offset {
                to,
                base,
                offset,
                member: path.member,
            },
            ([term], Ok(0))
                if path.in_bounds
                    && term.bound.is_none()
                    && !path.member
                    && i32::try_from(term.scale).is_ok() =>
            {
                Action::Index {
                    to,
                    base,
                    index: term.index,
                    scale: term.scale as i32,
                    width: term.width,
                }
            }
            _ => {
                self.code.paths.push(path);
                Action::Path {
                    to,
                    base,
                    path: self.code.paths.len() as u32 - 1,
                }
            }
        }
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

    fn call(&mut self, id: InstructionId) -> Outcome<Action> {
        let row = *self.body.instruction(id);
        let arguments = self.body.arguments(id).len();
        let skipped = row.operand_count as usize - arguments;
        let callee = match self.body.operands(id).first() {
            Some(Operand::Constant(constant)) => match self.program.constant(*constant) {
                Constant::Assembly { template, .. } => {
                    if self.program.name(*template).trim().is_empty() {
                        Callee::EmptyAssembly
                    } else {
                        Callee::Assembly
                    }
                }
                _ => match self.program.called_function(*constant) {
                    Some(function) => calls::resolve(self.program, function),
                    None => Callee::Indirect(self.operand(id, 0)),
                },
            },
            _ => Callee::Indirect(self.operand(id, 0)),
        };
        let mut types = Vec::with_capacity(arguments);
        for index in skipped..row.operand_count as usize {
            match self.type_of_operand(id, index) {
                Some(type_id) => types.push(type_id),
                None => return unsupported("a call with an argument that is no value"),
            }
        }
        let site = self
            .machine
            .memory
            .site(Site::Instruction(self.code.function, id));
        self.code.calls.push(CallSite {
            instruction: id,
            callee,
            first: row.first_operand as usize + skipped,
            count: arguments,
            types: types.into(),
            in_memory: Box::from([]),
            function_type: TypeId(row.extra),
            result_type: row.type_id,
            to: self.code.results[id.index()],
            site,
        });
        Ok(Action::Call {
            site: self.code.calls.len() as u32 - 1,
        })
    }
}

fn alignment_mask(log2: u8) -> u32 {
    (1u32 << log2.min(31)) - 1
}
