//! Small programs for the laws: written with a builder, or drawn from a seed.

use crate::Rows;
use crate::random_graphs::{Random, random_graph};
use knockon_program::{
    BlockId, Body, Constant, ConstantId, Flags, Function, FunctionAttributes, FunctionId,
    GlobalVariable, InstructionId, InstructionRow, Linkage, Meaning, Name, Opcode, Operand,
    Parameter, ParameterAttributes, PlaceId, Program, Type, TypeId, UnitId,
};

pub struct ProgramBuilder {
    pub program: Program,
    pub integer: TypeId,
    pub pointer: TypeId,
    pub void: TypeId,
    signature: TypeId,
}

impl ProgramBuilder {
    pub fn new() -> ProgramBuilder {
        let mut program = Program::new();
        let void = program.types.intern(Type::Void);
        let integer = program.types.intern(Type::Integer(32));
        let pointer = program.types.intern(Type::Pointer(0));
        let signature = program.types.intern(Type::Function {
            result: void,
            parameters: Box::new([integer]),
            variadic: false,
        });
        ProgramBuilder {
            program,
            integer,
            pointer,
            void,
            signature,
        }
    }

    pub fn number(&mut self, value: u32) -> Operand {
        Operand::Constant(self.program.constants.intern(Constant::Integer {
            type_id: self.integer,
            bits: u128::from(value),
        }))
    }

    pub fn declare(&mut self, name: &str) -> FunctionId {
        let name = self.program.names.intern(name);
        let id = FunctionId::from_index(self.program.functions.len());
        self.program.functions.push(Function {
            name,
            source_name: Name(0),
            unit: UnitId(0),
            linkage: Linkage::External,
            type_id: self.signature,
            parameters: Box::new([Parameter {
                name: Name(0),
                type_id: self.integer,
                attributes: ParameterAttributes::default(),
                pointee: self.integer,
            }]),
            attributes: FunctionAttributes::default(),
            meaning: Meaning::default(),
            place: PlaceId(0),
            body: None,
        });
        id
    }

    pub fn define(&mut self, name: &str, write: impl FnOnce(&mut BodyBuilder)) -> FunctionId {
        let id = self.declare(name);
        self.fill(id, write);
        id
    }

    pub fn fill(&mut self, id: FunctionId, write: impl FnOnce(&mut BodyBuilder)) {
        let mut builder = BodyBuilder {
            body: Body::default(),
            program: &mut self.program,
            integer: self.integer,
            pointer: self.pointer,
            void: self.void,
            signature: self.signature,
        };
        builder.block();
        write(&mut builder);
        let body = builder.body;
        self.program.functions[id.index()].body = Some(Box::new(body));
    }

    pub fn global_holding(&mut self, function: FunctionId) {
        let constant = self.program.constants.intern(Constant::Function(function));
        self.global_initialised(constant);
    }

    pub fn global_initialised(&mut self, initialiser: ConstantId) {
        self.program.globals.push(GlobalVariable {
            name: Name(0),
            source_name: Name(0),
            unit: UnitId(0),
            linkage: Linkage::External,
            value_type: self.pointer,
            initialiser: Some(initialiser),
            is_constant: false,
            is_thread_local: false,
            alignment: 0,
            section: Name(0),
            place: PlaceId(0),
        });
    }
}

pub struct BodyBuilder<'a> {
    pub body: Body,
    pub program: &'a mut Program,
    pub integer: TypeId,
    pub pointer: TypeId,
    void: TypeId,
    signature: TypeId,
}

impl BodyBuilder<'_> {
    pub fn block(&mut self) -> BlockId {
        let name = format!("b{}", self.body.blocks.len());
        let name = self.program.names.intern(&name);
        self.body.begin_block(name)
    }

    pub fn push(
        &mut self,
        opcode: Opcode,
        type_id: TypeId,
        extra: u32,
        operands: impl IntoIterator<Item = Operand>,
    ) -> InstructionId {
        let row = InstructionRow {
            opcode,
            detail: 0,
            flags: Flags::NONE,
            type_id,
            extra,
            place: PlaceId(0),
        };
        self.body.push(row, operands)
    }

    pub fn call(&mut self, callee: FunctionId, arguments: impl IntoIterator<Item = Operand>) {
        let callee = self.program.constants.intern(Constant::Function(callee));
        self.call_value(Operand::Constant(callee), arguments);
    }

    pub fn call_value(&mut self, callee: Operand, arguments: impl IntoIterator<Item = Operand>) {
        let operands: Vec<Operand> = std::iter::once(callee).chain(arguments).collect();
        self.push(Opcode::Call, self.void, self.signature.0, operands);
    }

    pub fn end(&mut self) {
        self.push(Opcode::Return, self.void, 0, []);
    }

    pub fn jump(&mut self, to: BlockId) {
        self.push(Opcode::Branch, self.void, 0, [Operand::Block(to)]);
    }

    pub fn branch(&mut self, condition: Operand, then: BlockId, otherwise: BlockId) {
        let operands = [condition, Operand::Block(then), Operand::Block(otherwise)];
        self.push(Opcode::Branch, self.void, 0, operands);
    }

    pub fn alloca(&mut self, allocated: TypeId) -> Operand {
        let one = self.number(1);
        Operand::Instruction(self.push(Opcode::Alloca, self.pointer, allocated.0, [one]))
    }

    pub fn load(&mut self, type_id: TypeId, address: Operand) -> Operand {
        Operand::Instruction(self.push(Opcode::Load, type_id, 0, [address]))
    }

    pub fn store(&mut self, value: Operand, address: Operand) {
        self.push(Opcode::Store, self.void, 0, [value, address]);
    }

    pub fn number(&mut self, value: u32) -> Operand {
        Operand::Constant(self.program.constants.intern(Constant::Integer {
            type_id: self.integer,
            bits: u128::from(value),
        }))
    }
}

/// One block: calls of a function, then `ret`.
pub fn straight_line_with_calls(calls: usize) -> Body {
    let mut builder = ProgramBuilder::new();
    let callee = builder.declare("callee");
    let id = builder.define("caller", |body| {
        for _ in 0..calls {
            body.call(callee, []);
        }
        body.end();
    });
    *builder.program.functions[id.index()]
        .body
        .take()
        .expect("a body")
}

/// A function `subject` over a random graph, with integer variables in memory,
/// sometimes one whose address is kept in another variable, whose loads are
/// shown to `observe`. Valid SSA: values are used in their own block only.
pub fn random_program(seed: u64) -> ProgramBuilder {
    let graph: Rows<BlockId> = random_graph(seed);
    let mut random = Random::new(seed ^ 0xabcd);
    let mut builder = ProgramBuilder::new();
    let observe = builder.declare("observe");
    let escape = builder.declare("escape");
    builder.define("subject", |body| {
        let mut variables = Vec::new();
        for _ in 0..1 + random.below(5) {
            variables.push(body.alloca(body.integer));
        }
        let keeper = random.chance(40).then(|| body.alloca(body.pointer));
        if let Some(keeper) = keeper {
            let kept = variables[random.below(variables.len())];
            body.store(kept, keeper);
        }
        if random.chance(15) {
            body.call(escape, [variables[0]]);
        }
        for block in graph.node_ids() {
            if block != BlockId(0) {
                body.block();
            }
            let mut values = vec![Operand::Argument(0)];
            for _ in 0..random.below(6) {
                let variable = variables[random.below(variables.len())];
                match random.below(6) {
                    0 | 1 => {
                        let value = match random.below(3) {
                            0 => body.number(random.below(4) as u32),
                            _ => values[random.below(values.len())],
                        };
                        body.store(value, variable);
                    }
                    2..=4 => {
                        let value = body.load(body.integer, variable);
                        values.push(value);
                        if random.chance(70) {
                            body.call(observe, [value]);
                        }
                    }
                    _ => {
                        if let Some(keeper) = keeper {
                            let address = body.load(body.pointer, keeper);
                            let value = body.load(body.integer, address);
                            values.push(value);
                            body.call(observe, [value]);
                        }
                    }
                }
            }
            terminate(body, graph.of(block), values[random.below(values.len())]);
        }
    });
    builder
}

fn terminate(body: &mut BodyBuilder, targets: &[BlockId], condition: Operand) {
    match targets {
        [] => body.end(),
        [only] => body.jump(*only),
        [then, otherwise] => body.branch(condition, *then, *otherwise),
        [default, cases @ ..] => {
            let mut operands = vec![condition, Operand::Block(*default)];
            for (number, case) in cases.iter().enumerate() {
                operands.push(body.number(number as u32));
                operands.push(Operand::Block(*case));
            }
            body.push(Opcode::Switch, body.void, 0, operands);
        }
    }
}
