//! Programs drawn from a seed: functions over random graphs that read and write global variables,
//! local variables and what pointers lead to, and call each other.

use knockon_program::{
    BlockId, Body, Constant, Flags, Function, FunctionAttributes, FunctionId, GlobalVariable,
    InstructionRow, Linkage, Meaning, Name, Opcode, Operand, Parameter, ParameterAttributes,
    PlaceId, Program, Type, TypeId, UnitId,
};

/// A splitmix64 generator: equal seeds give equal programs on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

struct Types {
    integer: TypeId,
    pointer: TypeId,
    void: TypeId,
    record: TypeId,
    signature: TypeId,
}

const FUNCTIONS: usize = 4;

pub fn random_program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut program = Program::new();
    let integer = program.types.intern(Type::Integer(32));
    let pointer = program.types.intern(Type::Pointer(0));
    let void = program.types.intern(Type::Void);
    let record = program.types.intern(Type::Struct {
        name: Name(0),
        fields: Box::new([integer, integer, pointer]),
        packed: false,
    });
    let signature = program.types.intern(Type::Function {
        result: pointer,
        parameters: Box::new([pointer, pointer]),
        variadic: false,
    });
    let types = Types {
        integer,
        pointer,
        void,
        record,
        signature,
    };
    let zero = program.constants.intern(Constant::Zero(record));
    for number in 0..3 {
        let name = program.names.intern(&format!("g{number}"));
        program.globals.push(GlobalVariable {
            name,
            source_name: Name(0),
            unit: UnitId(0),
            linkage: Linkage::Internal,
            value_type: record,
            initialiser: Some(zero),
            is_constant: false,
            is_thread_local: false,
            alignment: 8,
            section: Name(0),
            place: PlaceId(0),
        });
    }
    for name in ["f0", "f1", "f2", "f3", "puts", "unknown"] {
        let name = program.names.intern(name);
        let parameter = Parameter {
            name: Name(0),
            type_id: pointer,
            attributes: ParameterAttributes::default(),
            pointee: integer,
        };
        program.functions.push(Function {
            name,
            source_name: Name(0),
            unit: UnitId(0),
            linkage: Linkage::External,
            type_id: signature,
            parameters: Box::new([parameter, parameter]),
            attributes: FunctionAttributes::default(),
            meaning: Meaning::default(),
            place: PlaceId(0),
            body: None,
        });
    }
    for number in 0..FUNCTIONS {
        let body = random_body(&mut program, &types, &mut random);
        program.functions[number].body = Some(Box::new(body));
    }
    program
}

struct Writer<'a> {
    program: &'a mut Program,
    types: &'a Types,
    body: Body,
}

impl Writer<'_> {
    fn push(
        &mut self,
        opcode: Opcode,
        type_id: TypeId,
        extra: u32,
        operands: &[Operand],
    ) -> Operand {
        let row = InstructionRow {
            opcode,
            detail: 0,
            flags: Flags::NONE,
            type_id,
            extra,
            place: PlaceId(0),
        };
        Operand::Instruction(self.body.push(row, operands.iter().copied()))
    }

    fn number(&mut self, value: usize) -> Operand {
        Operand::Constant(self.program.constants.intern(Constant::Integer {
            type_id: self.types.integer,
            bits: value as u128,
        }))
    }

    fn member(&mut self, base: Operand, number: usize) -> Operand {
        let (zero, number) = (self.number(0), self.number(number));
        let record = self.types.record.0;
        let pointer = self.types.pointer;
        self.push(
            Opcode::GetElementPointer,
            pointer,
            record,
            &[base, zero, number],
        )
    }
}

fn random_body(program: &mut Program, types: &Types, random: &mut Random) -> Body {
    let mut writer = Writer {
        program,
        types,
        body: Body::default(),
    };
    let count = 1 + random.below(8);
    let (integer, pointer, void) = (types.integer, types.pointer, types.void);
    let mut pointers = vec![Operand::Argument(0), Operand::Argument(1)];
    for block in 0..count {
        let name = writer.program.names.intern(&format!("b{block}"));
        writer.body.begin_block(name);
        if block == 0 {
            for _ in 0..1 + random.below(2) {
                let one = writer.number(1);
                pointers.push(writer.push(Opcode::Alloca, pointer, types.record.0, &[one]));
            }
            for number in 0..3 {
                let global = knockon_program::GlobalId(number);
                let global = writer.program.constants.intern(Constant::Global(global));
                pointers.push(Operand::Constant(global));
            }
        }
        // Values are used in their own block only.
        let mut here = pointers.clone();
        for _ in 0..random.below(7) {
            let base = here[random.below(here.len())];
            match random.below(8) {
                0..=2 => {
                    let number = random.below(2);
                    let address = writer.member(base, number);
                    let value = writer.number(random.below(9));
                    writer.push(Opcode::Store, void, 0, &[value, address]);
                }
                3 | 4 => {
                    let address = writer.member(base, random.below(2));
                    writer.push(Opcode::Load, integer, 0, &[address]);
                }
                5 => {
                    let address = writer.member(base, 2);
                    let value = here[random.below(here.len())];
                    writer.push(Opcode::Store, void, 0, &[value, address]);
                }
                6 => {
                    let address = writer.member(base, 2);
                    here.push(writer.push(Opcode::Load, pointer, 0, &[address]));
                }
                _ => {
                    // The unknown function is rare: it makes one region of much.
                    let callee = match random.below(24) {
                        0 => FUNCTIONS + 1,
                        1..=4 => FUNCTIONS,
                        other => other % FUNCTIONS,
                    };
                    let callee = Constant::Function(FunctionId::from_index(callee));
                    let callee = Operand::Constant(writer.program.constants.intern(callee));
                    let other = here[random.below(here.len())];
                    let call = [callee, base, other];
                    here.push(writer.push(Opcode::Call, pointer, types.signature.0, &call));
                }
            }
        }
        let targets: Vec<Operand> = match count {
            1 => Vec::new(),
            _ => (0..random.below(3))
                .map(|_| Operand::Block(BlockId::from_index(1 + random.below(count - 1))))
                .collect(),
        };
        match targets[..] {
            [only] => writer.push(Opcode::Branch, void, 0, &[only]),
            [then, otherwise] => {
                let condition = writer.number(1);
                writer.push(Opcode::Branch, void, 0, &[condition, then, otherwise])
            }
            _ => {
                let value = here[random.below(here.len())];
                writer.push(Opcode::Return, void, 0, &[value])
            }
        };
    }
    writer.body
}
