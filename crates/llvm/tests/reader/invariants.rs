//! What holds of every program that the reader returns, whatever the text:
//! every id is in range, bodies are as `knockon_program::Body` says, operands
//! are as the instruction table says.

use knockon_program::{
    AtomicOperation, Body, Constant, FileId, FloatPredicate, Function, IntegerPredicate, Name,
    Opcode, Operand, PlaceId, Program, Type, TypeId,
};

/// Everything that is broken, in words.
pub fn violations(program: &Program) -> Vec<String> {
    let mut check = Check {
        program,
        broken: Vec::new(),
    };
    check.types();
    check.constants();
    check.places();
    check.symbols();
    for function in &program.functions {
        if let Some(body) = &function.body {
            check.body(function, body);
        }
    }
    check.broken
}

/// The bytes that the program's tables hold, near enough.
pub fn size(program: &Program) -> usize {
    let names: usize = (0..program.names.len())
        .map(|row| program.names.text(Name(row as u32)).len() + 4)
        .sum();
    let types: usize = program
        .types
        .rows()
        .iter()
        .map(|row| match row {
            Type::Struct { fields, .. } => 32 + 4 * fields.len(),
            Type::Function { parameters, .. } => 32 + 4 * parameters.len(),
            _ => 32,
        })
        .sum();
    let constants: usize = program
        .constants
        .rows()
        .iter()
        .map(|row| match row {
            Constant::Aggregate { elements, .. } => 48 + 4 * elements.len(),
            Constant::Bytes { bytes, .. } => 48 + bytes.len(),
            Constant::WideInteger { words, .. } => 48 + 8 * words.len(),
            Constant::Expression(expression) => 48 + 4 * expression.operands.len(),
            _ => 48,
        })
        .sum();
    let functions: usize = program
        .functions
        .iter()
        .map(|function| {
            let body = function.body.as_ref().map_or(0, |body| {
                body.blocks.len() * 12
                    + body.instructions.len() * 32
                    + body.operands.len() * 8
                    + body.variables.len() * 12
                    + body.variable_locations.len() * 24
                    + body.by_value_arguments.len() * 16
            });
            128 + function.parameters.len() * 16 + body
        })
        .sum();
    let caveats: usize = program
        .caveats
        .iter()
        .map(|caveat| 48 + caveat.message.len())
        .sum();
    names
        + types
        + constants
        + functions
        + caveats
        + program.places.len() * 16
        + program.globals.len() * 64
        + program.aliases.len() * 24
}

struct Check<'p> {
    program: &'p Program,
    broken: Vec<String>,
}

impl Check<'_> {
    fn require(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.broken.push(what());
        }
    }

    fn has_type(&self, id: TypeId) -> bool {
        id.index() < self.program.types.len()
    }

    fn has_name(&self, name: Name) -> bool {
        name.index() < self.program.names.len()
    }

    fn has_place(&self, place: PlaceId) -> bool {
        place.index() < self.program.places.len()
    }

    fn types(&mut self) {
        let program = self.program;
        for (row, kind) in program.types.rows().iter().enumerate() {
            // Parts come before the whole, so types cannot be cyclic.
            let parts_first = match kind {
                Type::Array { element, .. } | Type::Vector { element, .. } => element.index() < row,
                Type::Struct { name, fields, .. } => {
                    self.has_name(*name) && fields.iter().all(|field| field.index() < row)
                }
                Type::Function {
                    result, parameters, ..
                } => result.index() < row && parameters.iter().all(|field| field.index() < row),
                Type::Opaque(name) | Type::Target(name) => self.has_name(*name),
                _ => true,
            };
            self.require(parts_first, || format!("type {row}: {kind:?}"));
        }
    }

    fn constants(&mut self) {
        let program = self.program;
        for (row, constant) in program.constants.rows().iter().enumerate() {
            let holds = match constant {
                Constant::Integer { type_id, bits } => {
                    self.has_type(*type_id)
                        && match program.type_of(*type_id) {
                            Type::Integer(width) => *width >= 128 || bits >> width == 0,
                            _ => *bits <= 1,
                        }
                }
                Constant::WideInteger { type_id, .. } | Constant::Float { type_id, .. } => {
                    self.has_type(*type_id)
                }
                Constant::Null(type_id)
                | Constant::Zero(type_id)
                | Constant::Undefined(type_id) => self.has_type(*type_id),
                Constant::Poison(type_id) | Constant::Bytes { type_id, .. } => {
                    self.has_type(*type_id)
                }
                Constant::Aggregate { type_id, elements } => {
                    self.has_type(*type_id) && elements.iter().all(|element| element.index() < row)
                }
                Constant::Global(id) => id.index() < program.globals.len(),
                Constant::Function(id) => id.index() < program.functions.len(),
                Constant::Alias(id) => id.index() < program.aliases.len(),
                Constant::BlockAddress { function, block } => program
                    .functions
                    .get(function.index())
                    .and_then(|function| function.body.as_ref())
                    .is_some_and(|body| block.index() < body.blocks.len()),
                Constant::Expression(expression) => {
                    self.has_type(expression.type_id)
                        && self.has_type(expression.element_type)
                        && expression
                            .operands
                            .iter()
                            .all(|operand| operand.index() < row)
                }
                Constant::Assembly {
                    template,
                    constraints,
                } => self.has_name(*template) && self.has_name(*constraints),
                Constant::Metadata(name) => self.has_name(*name),
            };
            self.require(holds, || format!("constant {row}: {constant:?}"));
        }
    }

    fn places(&mut self) {
        let program = self.program;
        for (row, place) in program.places.rows().iter().enumerate() {
            let has_file =
                place.file == FileId(u32::MAX) || place.file.index() < program.files.len();
            let outer_first = place.inlined_at.index() < row.max(1);
            self.require(has_file && outer_first, || {
                format!("place {row}: {place:?}")
            });
        }
        for file in &program.files {
            self.require(self.has_name(file.path), || format!("{file:?}"));
        }
    }

    fn symbols(&mut self) {
        let program = self.program;
        for global in &program.globals {
            let initialised = global
                .initialiser
                .is_none_or(|id| id.index() < program.constants.len());
            let holds =
                initialised && self.has_type(global.value_type) && self.has_place(global.place);
            self.require(holds && self.has_name(global.name), || {
                format!("{global:?}")
            });
        }
        for alias in &program.aliases {
            let holds =
                alias.aliasee.index() < program.constants.len() && self.has_type(alias.value_type);
            self.require(holds && self.has_name(alias.name), || format!("{alias:?}"));
        }
        for function in &program.functions {
            let holds = self.has_type(function.type_id)
                && match program.type_of(function.type_id) {
                    Type::Function { parameters, .. } => {
                        parameters.len() == function.parameters.len()
                    }
                    _ => false,
                };
            self.require(holds && self.has_place(function.place), || {
                format!("function type: {function:?}")
            });
            for parameter in &function.parameters {
                let holds = self.has_type(parameter.type_id) && self.has_type(parameter.pointee);
                self.require(holds && self.has_name(parameter.name), || {
                    format!("{parameter:?}")
                });
            }
        }
        for entry in program.constructors.iter().chain(&program.destructors) {
            self.require(entry.function.index() < program.functions.len(), || {
                format!("{entry:?}")
            });
        }
        for caveat in &program.caveats {
            let holds = self.has_name(caveat.function) && self.has_place(caveat.place);
            self.require(holds, || format!("{caveat:?}"));
        }
    }

    fn body(&mut self, function: &Function, body: &Body) {
        let name = self.program.name(function.name).to_owned();
        let mut next = 0;
        for (row, block) in body.blocks.iter().enumerate() {
            let contiguous = block.first.index() == next && block.end > block.first;
            self.require(contiguous && self.has_name(block.name), || {
                format!("{name}: block {row}: {block:?}")
            });
            next = block.end.index();
            let mut phis_ended = false;
            for index in block.first.0..block.end.0 {
                let Some(row) = body.instructions.get(index as usize) else {
                    break;
                };
                let is_last = index + 1 == block.end.0;
                self.require(row.opcode.is_terminator() == is_last, || {
                    format!(
                        "{name}: instruction {index} ({:?}): terminator not last",
                        row.opcode
                    )
                });
                self.require(row.opcode != Opcode::Phi || !phis_ended, || {
                    format!("{name}: phi {index} not first")
                });
                phis_ended |= row.opcode != Opcode::Phi;
            }
        }
        self.require(next == body.instructions.len() && next > 0, || {
            format!("{name}: blocks do not cover")
        });
        let mut first_operand = 0;
        for id in body.instruction_ids() {
            let row = body.instruction(id);
            let in_pool = row.first_operand as usize == first_operand
                && first_operand + row.operand_count as usize <= body.operands.len();
            self.require(in_pool, || format!("{name}: operand range of {row:?}"));
            if !in_pool {
                return;
            }
            first_operand += row.operand_count as usize;
            let operands = body.operands(id);
            let exist = operands
                .iter()
                .all(|operand| self.exists(function, body, *operand));
            self.require(exist, || {
                format!("{name}: operands of {row:?}: {operands:?}")
            });
            self.require(
                self.has_type(row.type_id) && self.has_place(row.place),
                || format!("{name}: {row:?}"),
            );
            let shaped = self.is_shaped(row.opcode, row.detail, row.extra, operands);
            self.require(shaped, || format!("{name}: shape of {row:?}: {operands:?}"));
        }
        self.require(first_operand == body.operands.len(), || {
            format!("{name}: operands left over")
        });
        let mut last = 0;
        for location in &body.variable_locations {
            let holds = location.variable.index() < body.variables.len()
                && location.before.index() < body.instructions.len()
                && location.before.0 >= last
                && !matches!(location.value, Operand::Block(_) | Operand::Index(_))
                && self.exists(function, body, location.value);
            last = location.before.0;
            self.require(holds, || format!("{name}: {location:?}"));
        }
        let mut last = None;
        for argument in &body.by_value_arguments {
            let position = Some((argument.call, argument.argument));
            let holds = argument.call.index() < body.instructions.len()
                && (argument.argument as usize) < body.arguments(argument.call).len()
                && self.has_type(argument.pointee)
                && position > last;
            last = position;
            self.require(holds, || format!("{name}: {argument:?}"));
        }
        for variable in &body.variables {
            let holds = self.has_name(variable.name) && self.has_place(variable.place);
            self.require(holds, || format!("{name}: {variable:?}"));
        }
    }

    fn exists(&self, function: &Function, body: &Body, operand: Operand) -> bool {
        match operand {
            Operand::Instruction(id) => body
                .instructions
                .get(id.index())
                .is_some_and(|row| *self.program.type_of(row.type_id) != Type::Void),
            Operand::Argument(number) => (number as usize) < function.parameters.len(),
            Operand::Constant(constant) => constant.index() < self.program.constants.len(),
            Operand::Block(block) => block.index() < body.blocks.len(),
            Operand::Index(_) => true,
        }
    }

    fn is_shaped(&self, opcode: Opcode, detail: u8, extra: u32, operands: &[Operand]) -> bool {
        let is_block = |operand: &Operand| matches!(operand, Operand::Block(_));
        let is_index = |operand: &Operand| matches!(operand, Operand::Index(_));
        let is_value = |operand: &Operand| !is_block(operand) && !is_index(operand);
        let values = |count: usize| operands.len() == count && operands.iter().all(is_value);
        let pairs = |from: usize| {
            let rest = operands.get(from..).unwrap_or(&[]);
            rest.len() % 2 == 0
                && rest
                    .chunks(2)
                    .all(|pair| is_value(&pair[0]) && is_block(&pair[1]))
        };
        match opcode {
            opcode if opcode.is_binary() => values(2),
            opcode if opcode.is_cast() => values(1),
            Opcode::IntegerCompare => values(2) && IntegerPredicate::from_detail(detail).is_some(),
            Opcode::FloatCompare => values(2) && FloatPredicate::from_detail(detail).is_some(),
            Opcode::FloatNegate
            | Opcode::Freeze
            | Opcode::Load
            | Opcode::VariadicArgument
            | Opcode::Resume => values(1),
            Opcode::Alloca => values(1) && self.has_type(TypeId(extra)),
            Opcode::Store | Opcode::ExtractElement => values(2),
            Opcode::AtomicReadModifyWrite => {
                values(2) && AtomicOperation::from_detail(detail).is_some()
            }
            Opcode::CompareExchange
            | Opcode::Select
            | Opcode::InsertElement
            | Opcode::ShuffleVector => values(3),
            Opcode::GetElementPointer => {
                !operands.is_empty()
                    && operands.iter().all(is_value)
                    && self.has_type(TypeId(extra))
            }
            Opcode::Fence | Opcode::Unreachable => operands.is_empty(),
            Opcode::Phi => !operands.is_empty() && pairs(0),
            Opcode::Call => {
                !operands.is_empty() && operands.iter().all(is_value) && self.is_function(extra)
            }
            Opcode::Invoke => {
                operands.len() >= 3
                    && is_value(&operands[0])
                    && is_block(&operands[1])
                    && is_block(&operands[2])
                    && operands[3..].iter().all(is_value)
                    && self.is_function(extra)
            }
            Opcode::CallBr => {
                let blocks = operands
                    .iter()
                    .skip(1)
                    .take_while(|operand| is_block(operand))
                    .count();
                blocks >= 1
                    && is_value(&operands[0])
                    && operands[1 + blocks..].iter().all(is_value)
                    && self.is_function(extra)
            }
            Opcode::Return => values(operands.len()) && operands.len() <= 1,
            Opcode::Branch => match operands {
                [only] => is_block(only),
                [condition, one, other] => is_value(condition) && is_block(one) && is_block(other),
                _ => false,
            },
            Opcode::Switch => operands.len() >= 2 && pairs(0),
            Opcode::IndirectBranch => {
                !operands.is_empty() && is_value(&operands[0]) && operands[1..].iter().all(is_block)
            }
            Opcode::ExtractValue => {
                operands.len() >= 2 && is_value(&operands[0]) && operands[1..].iter().all(is_index)
            }
            Opcode::InsertValue => {
                operands.len() >= 3
                    && operands[..2].iter().all(is_value)
                    && operands[2..].iter().all(is_index)
            }
            Opcode::LandingPad => {
                operands.len().is_multiple_of(2)
                    && operands
                        .chunks(2)
                        .all(|pair| is_index(&pair[0]) && is_value(&pair[1]))
            }
            Opcode::CatchPad
            | Opcode::CleanupPad
            | Opcode::CatchReturn
            | Opcode::CleanupReturn
            | Opcode::CatchSwitch => operands.first().is_some_and(is_value),
            Opcode::Opaque => self.has_name(Name(extra)),
            _ => true,
        }
    }

    fn is_function(&self, extra: u32) -> bool {
        self.has_type(TypeId(extra))
            && matches!(self.program.type_of(TypeId(extra)), Type::Function { .. })
    }
}
