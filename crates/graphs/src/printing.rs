//! Question: how does an instruction read to a person?
//!
//! Source: LLVM's own syntax, with `%12` for the value of instruction 12,
//! parameters by name, and long aggregates cut short. It is for people; it need
//! not be read back.
//!
//! Why right: every field of a row that has a meaning for its opcode is shown.
//! Types and constants are cut at a fixed depth, so hostile nesting stays short.
//!
//! Cost: linear in what is printed.

use knockon_program::{
    AtomicOperation, BlockId, Body, Constant, ConstantId, Flags, FloatPredicate, Function,
    InstructionId, IntegerPredicate, Name, Opcode, Operand, PlaceId, Program, Type, TypeId,
};
use std::fmt::Write;

const DEEPEST: usize = 6;
const MOST_ELEMENTS: usize = 8;

/// One function of one program, as the context of names.
#[derive(Clone, Copy)]
pub(crate) struct Printer<'a> {
    pub program: &'a Program,
    pub function: &'a Function,
    pub body: &'a Body,
}

impl<'a> Printer<'a> {
    pub fn block_name(&self, block: BlockId) -> String {
        match self.program.name(self.body.block(block).name) {
            "" => format!("block{}", block.0),
            name => name.to_string(),
        }
    }

    /// `file.c:3:5`, or nothing for code without a place.
    pub fn place(&self, place: PlaceId) -> Option<String> {
        let place = self.program.place(place);
        place.is_known().then(|| {
            let path = self.program.file_path(place.file);
            let file = path.rsplit('/').next().unwrap_or(path);
            format!("{file}:{}:{}", place.line, place.column)
        })
    }

    pub fn type_name(&self, id: TypeId) -> String {
        self.type_at(id, 0)
    }

    fn type_at(&self, id: TypeId, depth: usize) -> String {
        if depth > DEEPEST {
            return "…".to_string();
        }
        let nested = |id: TypeId| self.type_at(id, depth + 1);
        let list = |ids: &[TypeId]| {
            let names: Vec<String> = ids.iter().map(|id| nested(*id)).collect();
            names.join(", ")
        };
        match self.program.type_of(id) {
            Type::Void => "void".to_string(),
            Type::Integer(width) => format!("i{width}"),
            Type::Half => "half".to_string(),
            Type::BFloat => "bfloat".to_string(),
            Type::Float => "float".to_string(),
            Type::Double => "double".to_string(),
            Type::X86Fp80 => "x86_fp80".to_string(),
            Type::Fp128 => "fp128".to_string(),
            Type::PpcFp128 => "ppc_fp128".to_string(),
            Type::Pointer(0) => "ptr".to_string(),
            Type::Pointer(space) => format!("ptr addrspace({space})"),
            Type::Label => "label".to_string(),
            Type::Token => "token".to_string(),
            Type::Metadata => "metadata".to_string(),
            Type::X86Mmx => "x86_mmx".to_string(),
            Type::X86Amx => "x86_amx".to_string(),
            Type::Array { element, count } => format!("[{count} x {}]", nested(*element)),
            Type::Vector {
                element,
                count,
                scalable,
            } => {
                let scale = if *scalable { "vscale x " } else { "" };
                format!("<{scale}{count} x {}>", nested(*element))
            }
            Type::Struct {
                name: Name(0),
                fields,
                packed,
            } => match packed {
                true => format!("<{{ {} }}>", list(fields)),
                false => format!("{{ {} }}", list(fields)),
            },
            Type::Struct { name, .. } | Type::Opaque(name) => {
                format!("%{}", self.program.name(*name))
            }
            Type::Function {
                result,
                parameters,
                variadic,
            } => {
                let dots = match (variadic, parameters.is_empty()) {
                    (false, _) => "",
                    (true, true) => "...",
                    (true, false) => ", ...",
                };
                format!("{} ({}{dots})", nested(*result), list(parameters))
            }
            Type::Target(text) => self.program.name(*text).to_string(),
        }
    }

    pub fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Instruction(InstructionId(number)) => format!("%{number}"),
            Operand::Argument(number) => self.argument(number as usize),
            Operand::Constant(constant) => self.constant(constant, 0),
            Operand::Block(block) => format!("label %{}", self.block_name(block)),
            Operand::Index(index) => index.to_string(),
        }
    }

    pub fn argument(&self, number: usize) -> String {
        let parameter = self.function.parameters.get(number);
        match parameter.map(|parameter| self.program.name(parameter.name)) {
            None | Some("") => format!("%argument{number}"),
            // A bare number would read as an instruction's.
            Some(name) if name.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("%argument{number}")
            }
            Some(name) => format!("%{name}"),
        }
    }

    fn constant(&self, id: ConstantId, depth: usize) -> String {
        if depth > DEEPEST {
            return "…".to_string();
        }
        let name = |name: Name| self.program.name(name);
        match self.program.constant(id) {
            Constant::Integer { type_id, bits } => self.integer(*type_id, *bits),
            Constant::WideInteger { words, .. } => {
                let digits = words.iter().rev().map(|word| format!("{word:016x}"));
                format!("0x{}", digits.collect::<String>())
            }
            Constant::Float { type_id, bits } => match self.program.type_of(*type_id) {
                Type::Float => format!("{:?}", f32::from_bits(*bits as u32)),
                Type::Double => format!("{:?}", f64::from_bits(*bits as u64)),
                _ => format!("0x{bits:x}"),
            },
            Constant::Null(_) => "null".to_string(),
            Constant::Zero(_) => "zeroinitializer".to_string(),
            Constant::Undefined(_) => "undef".to_string(),
            Constant::Poison(_) => "poison".to_string(),
            Constant::Aggregate { elements, .. } => {
                format!("{{ {} }}", self.constants(elements, depth))
            }
            Constant::Bytes { bytes, .. } => format!("c\"{}\"", bytes.escape_ascii()),
            Constant::Global(id) => {
                format!("@{}", name(self.program.globals[id.index()].name))
            }
            Constant::Function(id) => format!("@{}", self.program.function_name(*id)),
            Constant::Alias(id) => format!("@{}", name(self.program.aliases[id.index()].name)),
            Constant::BlockAddress { function, block } => format!(
                "blockaddress(@{}, {})",
                self.program.function_name(*function),
                block.0
            ),
            Constant::Expression(expression) => format!(
                "{}({})",
                expression.opcode.mnemonic(),
                self.constants(&expression.operands, depth)
            ),
            Constant::Assembly {
                template,
                constraints,
            } => format!("asm {:?}, {:?}", name(*template), name(*constraints)),
            Constant::Metadata(text) => name(*text).to_string(),
        }
    }

    fn constants(&self, ids: &[ConstantId], depth: usize) -> String {
        let shown = ids.iter().take(MOST_ELEMENTS);
        let mut texts: Vec<String> = shown.map(|id| self.constant(*id, depth + 1)).collect();
        if ids.len() > MOST_ELEMENTS {
            texts.push("…".to_string());
        }
        texts.join(", ")
    }

    fn integer(&self, type_id: TypeId, bits: u128) -> String {
        match self.program.type_of(type_id) {
            Type::Integer(1) => (bits & 1 == 1).to_string(),
            Type::Integer(width) if (2..128).contains(width) => {
                let unused = 128 - width;
                ((bits << unused) as i128 >> unused).to_string()
            }
            _ => (bits as i128).to_string(),
        }
    }

    /// The instruction without its place.
    pub fn instruction(&self, id: InstructionId) -> String {
        let row = self.body.instruction(id);
        let mut text = String::new();
        if *self.program.type_of(row.type_id) != Type::Void {
            let _ = write!(text, "%{} = ", id.0);
        }
        match row.opcode {
            Opcode::Opaque => text.push_str(self.program.name(Name(row.extra))),
            opcode => text.push_str(opcode.mnemonic()),
        }
        for (flag, word) in FLAG_WORDS {
            if row.flags.has(*flag) {
                text.push(' ');
                text.push_str(word);
            }
        }
        text.push_str(&self.rest(id));
        text
    }

    fn rest(&self, id: InstructionId) -> String {
        let row = self.body.instruction(id);
        let operands = self.body.operands(id);
        let list = |operands: &[Operand]| {
            let texts: Vec<String> = operands.iter().map(|one| self.operand(*one)).collect();
            texts.join(", ")
        };
        let result = self.type_name(row.type_id);
        match row.opcode {
            Opcode::Alloca => format!(
                " {}, count {}",
                self.type_name(TypeId(row.extra)),
                list(operands)
            ),
            Opcode::GetElementPointer => {
                format!(" {}, {}", self.type_name(TypeId(row.extra)), list(operands))
            }
            Opcode::IntegerCompare => {
                let predicate = IntegerPredicate::from_detail(row.detail);
                format!(
                    " {} {}",
                    predicate.map_or("?", |one| one.mnemonic()),
                    list(operands)
                )
            }
            Opcode::FloatCompare => {
                let predicate = FloatPredicate::from_detail(row.detail);
                format!(
                    " {} {}",
                    predicate.map_or("?", |one| one.mnemonic()),
                    list(operands)
                )
            }
            Opcode::AtomicReadModifyWrite => {
                let operation = AtomicOperation::from_detail(row.detail);
                format!(
                    " {} {}",
                    operation.map_or("?", |one| one.mnemonic()),
                    list(operands)
                )
            }
            Opcode::Phi => {
                let pairs: Vec<String> = operands
                    .chunks(2)
                    .map(|pair| format!("[ {} ]", list(pair).replace("label ", "")))
                    .collect();
                format!(" {result} {}", pairs.join(", "))
            }
            Opcode::Call => match operands.split_first() {
                Some((callee, arguments)) => {
                    format!(" {result} {}({})", self.operand(*callee), list(arguments))
                }
                None => String::new(),
            },
            Opcode::Store | Opcode::Return | Opcode::Branch | Opcode::Switch | Opcode::Fence
                if operands.is_empty() =>
            {
                String::new()
            }
            Opcode::Store | Opcode::Return | Opcode::Branch | Opcode::Switch => {
                format!(" {}", list(operands))
            }
            _ if row.opcode.is_cast() => format!(" {} to {result}", list(operands)),
            _ if operands.is_empty() => String::new(),
            _ => format!(" {result} {}", list(operands)),
        }
    }
}

const FLAG_WORDS: &[(Flags, &str)] = &[
    (Flags::NO_UNSIGNED_WRAP, "nuw"),
    (Flags::NO_SIGNED_WRAP, "nsw"),
    (Flags::EXACT, "exact"),
    (Flags::IN_BOUNDS, "inbounds"),
    (Flags::VOLATILE, "volatile"),
    (Flags::ATOMIC, "atomic"),
    (Flags::NO_RETURN, "noreturn"),
    (Flags::MUST_TAIL, "musttail"),
    (Flags::NO_NANS, "nnan"),
    (Flags::NO_INFINITIES, "ninf"),
    (Flags::NO_SIGNED_ZEROS, "nsz"),
    (Flags::RECIPROCAL, "arcp"),
    (Flags::CONTRACT, "contract"),
    (Flags::APPROXIMATE, "afn"),
    (Flags::REASSOCIATE, "reassoc"),
    (Flags::DISJOINT, "disjoint"),
    (Flags::NON_NEGATIVE, "nneg"),
    (Flags::RETURNS_TWICE, "returns_twice"),
    (Flags::SAME_SIGN, "samesign"),
    (Flags::CLEANUP, "cleanup"),
];
