//! Our promotion against `opt -passes=mem2reg -S`, read back.
//!
//! Two bodies agree when a one-to-one map between their instructions keeps
//! block, order, opcode, type, flags, place and operands. It is built by
//! position, phis included, since we put phis where `mem2reg` does. A phi's
//! values are compared by incoming block, in any order.
//!
//! Allowed differences: `mem2reg` leaves a store to poison, or an assumption of
//! a non-null value, for loads that carry such metadata, which is not read. In
//! and from code that never runs, undefined is as good as poison.

use super::Agreement;
use knockon_graphs::{ControlFlow, control_flow};
use knockon_program::{
    BlockId, Body, Constant, ConstantId, InstructionId, Intrinsic, Opcode, Operand, Program, Type,
    TypeId,
};
use std::collections::HashMap;

/// `theirs` is the program read from what `opt` printed for the unit that `ours`
/// was read from before it was promoted.
pub fn compare_promotion(ours: &Program, theirs: &Program) -> Agreement {
    let bodies: HashMap<&str, &Body> = theirs
        .defined_functions()
        .map(|(id, _, body)| (theirs.function_name(id), body))
        .collect();
    let mut agreement = Agreement::default();
    let mut programs = Programs {
        ours,
        theirs,
        equal_types: HashMap::new(),
        equal_constants: HashMap::new(),
    };
    for (id, _, body) in ours.defined_functions() {
        let name = ours.function_name(id);
        let Some(their_body) = bodies.get(name) else {
            agreement.disagree(name, "opt printed no such function");
            continue;
        };
        agreement.functions += 1;
        agreement.items += body.instructions.len();
        if let Err(message) = compare_bodies(&mut programs, body, their_body) {
            agreement.disagree(name, message);
        }
    }
    agreement
}

fn compare_bodies(programs: &mut Programs, ours: &Body, theirs: &Body) -> Result<(), String> {
    if ours.blocks.len() != theirs.blocks.len() {
        let (ours, theirs) = (ours.blocks.len(), theirs.blocks.len());
        return Err(format!("we have {ours} blocks, opt has {theirs}"));
    }
    let mut partner = vec![InstructionId(u32::MAX); ours.instructions.len()];
    for block in ours.block_ids() {
        align(programs, ours, theirs, block, &mut partner)?;
    }
    let flow = control_flow(ours);
    for block in ours.block_ids() {
        for our in ours.instructions_of(block) {
            let their = partner[our.index()];
            let mut pair = Pair {
                programs,
                flow: &flow,
                partner: &partner,
            };
            let our_operands = ours.operands(our);
            let their_operands = theirs.operands(their);
            let agree = match ours.instruction(our).opcode {
                Opcode::Phi => pair.phi_values_agree(our_operands, their_operands),
                _ => pair.operands_agree(our_operands, their_operands, block),
            };
            if !agree {
                return Err(format!(
                    "operands of {} differ: ours {our:?} in block {} are {our_operands:?}, \
                     opt's {their:?} are {their_operands:?}",
                    ours.instruction(our).opcode.mnemonic(),
                    block.0,
                ));
            }
        }
    }
    Ok(())
}

/// Pairs the instructions of one block, operands left aside.
fn align(
    programs: &mut Programs,
    ours: &Body,
    theirs: &Body,
    block: BlockId,
    partner: &mut [InstructionId],
) -> Result<(), String> {
    let mut rest = theirs.instructions_of(block).peekable();
    for our in ours.instructions_of(block) {
        loop {
            let Some(their) = rest.next() else {
                return Err(format!("opt's block {} is shorter than ours", block.0));
            };
            if programs.rows_agree(ours, our, theirs, their) {
                partner[our.index()] = their;
                break;
            }
            if programs.is_added_by_metadata(theirs, their, rest.peek().copied()) {
                continue;
            }
            return Err(format!(
                "in block {} we have {our:?} {:?}, opt has {their:?} {:?}",
                block.0,
                ours.instruction(our),
                theirs.instruction(their)
            ));
        }
    }
    match rest.next() {
        Some(their) => Err(format!(
            "opt's block {} is longer than ours, from {their:?} on",
            block.0
        )),
        None => Ok(()),
    }
}

struct Pair<'a, 'p> {
    programs: &'a mut Programs<'p>,
    flow: &'a ControlFlow,
    partner: &'a [InstructionId],
}

impl Pair<'_, '_> {
    fn operands_agree(&mut self, ours: &[Operand], theirs: &[Operand], block: BlockId) -> bool {
        let runs = self.flow.is_reachable(block);
        ours.len() == theirs.len()
            && ours
                .iter()
                .zip(theirs)
                .all(|(our, their)| self.agree(*our, *their, runs))
    }

    fn phi_values_agree(&mut self, ours: &[Operand], theirs: &[Operand]) -> bool {
        let by_block = |operands: &[Operand]| {
            let mut pairs: Vec<(u32, Operand)> = operands
                .chunks(2)
                .map(|pair| match pair {
                    [value, Operand::Block(from)] => (from.0, *value),
                    _ => (u32::MAX, Operand::Index(0)),
                })
                .collect();
            pairs.sort_by_key(|(from, _)| *from);
            pairs
        };
        let (ours, theirs) = (by_block(ours), by_block(theirs));
        ours.len() == theirs.len()
            && ours
                .iter()
                .zip(&theirs)
                .all(|((from, our), (their_from, their))| {
                    from == their_from
                        && self.agree(*our, *their, self.flow.is_reachable(BlockId(*from)))
                })
    }

    fn agree(&mut self, our: Operand, their: Operand, runs: bool) -> bool {
        match (our, their) {
            (Operand::Instruction(our), Operand::Instruction(their)) => {
                self.partner[our.index()] == their
            }
            (Operand::Constant(our), Operand::Constant(their)) => {
                let is_undefined = |constant: &Constant| {
                    matches!(constant, Constant::Undefined(_) | Constant::Poison(_))
                };
                self.programs.constants_agree(our, their)
                    || (!runs
                        && is_undefined(self.programs.ours.constant(our))
                        && is_undefined(self.programs.theirs.constant(their)))
            }
            (our, their) => our == their,
        }
    }
}

/// Two programs with ids of their own; pairs once found equal are remembered.
struct Programs<'p> {
    ours: &'p Program,
    theirs: &'p Program,
    equal_types: HashMap<TypeId, TypeId>,
    equal_constants: HashMap<ConstantId, ConstantId>,
}

impl Programs<'_> {
    fn rows_agree(
        &mut self,
        ours: &Body,
        our: InstructionId,
        theirs: &Body,
        their: InstructionId,
    ) -> bool {
        let (our, their) = (ours.instruction(our), theirs.instruction(their));
        let extra_is_type = matches!(
            our.opcode,
            Opcode::Alloca
                | Opcode::GetElementPointer
                | Opcode::Call
                | Opcode::Invoke
                | Opcode::CallBr
        );
        our.opcode == their.opcode
            && our.flags == their.flags
            && our.detail == their.detail
            && self.types_agree(our.type_id, their.type_id)
            && (!extra_is_type || self.types_agree(TypeId(our.extra), TypeId(their.extra)))
            // LLVM 19 gives a new phi the place that its stores share.
            && (our.opcode == Opcode::Phi || {
                let (ours, theirs) = (self.ours.place(our.place), self.theirs.place(their.place));
                ours.is_known() == theirs.is_known()
                    && (!ours.is_known()
                        || ((ours.line, ours.column) == (theirs.line, theirs.column)
                            && self.ours.file_path(ours.file)
                                == self.theirs.file_path(theirs.file)))
            })
    }

    /// What `mem2reg` adds for a load that may not be undefined or null.
    fn is_added_by_metadata(
        &self,
        theirs: &Body,
        id: InstructionId,
        next: Option<InstructionId>,
    ) -> bool {
        let is_assumption = |id: InstructionId| {
            Intrinsic::called(self.theirs, theirs, id) == Some(Intrinsic::Assume)
        };
        match theirs.instruction(id).opcode {
            Opcode::Store => matches!(
                theirs.operands(id).get(1),
                Some(Operand::Constant(address))
                    if matches!(self.theirs.constant(*address), Constant::Poison(_))
            ),
            Opcode::IntegerCompare => next.is_some_and(is_assumption),
            Opcode::Call => is_assumption(id),
            _ => false,
        }
    }

    fn types_agree(&mut self, our: TypeId, their: TypeId) -> bool {
        if let Some(known) = self.equal_types.get(&our) {
            return *known == their;
        }
        let agree = match (self.ours.type_of(our), self.theirs.type_of(their)) {
            (
                Type::Array { element, count },
                Type::Array {
                    element: their_element,
                    count: their_count,
                },
            ) => count == their_count && self.types_agree(*element, *their_element),
            (
                Type::Vector {
                    element,
                    count,
                    scalable,
                },
                Type::Vector {
                    element: their_element,
                    count: their_count,
                    scalable: their_scalable,
                },
            ) => {
                (count, scalable) == (their_count, their_scalable)
                    && self.types_agree(*element, *their_element)
            }
            (
                Type::Struct {
                    name,
                    fields,
                    packed,
                },
                Type::Struct {
                    name: their_name,
                    fields: their_fields,
                    packed: their_packed,
                },
            ) => {
                packed == their_packed
                    && self.ours.name(*name) == self.theirs.name(*their_name)
                    && self.all_types_agree(fields, their_fields)
            }
            (Type::Opaque(our), Type::Opaque(their)) | (Type::Target(our), Type::Target(their)) => {
                self.ours.name(*our) == self.theirs.name(*their)
            }
            (
                Type::Function {
                    result,
                    parameters,
                    variadic,
                },
                Type::Function {
                    result: their_result,
                    parameters: their_parameters,
                    variadic: their_variadic,
                },
            ) => {
                variadic == their_variadic
                    && self.types_agree(*result, *their_result)
                    && self.all_types_agree(parameters, their_parameters)
            }
            (our, their) => our == their,
        };
        if agree {
            self.equal_types.insert(our, their);
        }
        agree
    }

    fn all_types_agree(&mut self, ours: &[TypeId], theirs: &[TypeId]) -> bool {
        ours.len() == theirs.len()
            && ours
                .iter()
                .zip(theirs)
                .all(|(our, their)| self.types_agree(*our, *their))
    }

    fn constants_agree(&mut self, our: ConstantId, their: ConstantId) -> bool {
        if let Some(known) = self.equal_constants.get(&our) {
            return *known == their;
        }
        let (ours, theirs) = (self.ours, self.theirs);
        let agree = match (ours.constant(our), theirs.constant(their)) {
            (
                Constant::Integer { type_id, bits },
                Constant::Integer {
                    type_id: their_type,
                    bits: their_bits,
                },
            )
            | (
                Constant::Float { type_id, bits },
                Constant::Float {
                    type_id: their_type,
                    bits: their_bits,
                },
            ) => bits == their_bits && self.types_agree(*type_id, *their_type),
            (
                Constant::WideInteger { type_id, words },
                Constant::WideInteger {
                    type_id: their_type,
                    words: their_words,
                },
            ) => words == their_words && self.types_agree(*type_id, *their_type),
            (Constant::Null(our), Constant::Null(their))
            | (Constant::Zero(our), Constant::Zero(their))
            | (Constant::Undefined(our), Constant::Undefined(their))
            | (Constant::Poison(our), Constant::Poison(their)) => self.types_agree(*our, *their),
            (
                Constant::Aggregate { type_id, elements },
                Constant::Aggregate {
                    type_id: their_type,
                    elements: their_elements,
                },
            ) => {
                self.types_agree(*type_id, *their_type)
                    && self.all_constants_agree(elements, their_elements)
            }
            (
                Constant::Bytes { type_id, bytes },
                Constant::Bytes {
                    type_id: their_type,
                    bytes: their_bytes,
                },
            ) => bytes == their_bytes && self.types_agree(*type_id, *their_type),
            (Constant::Global(our), Constant::Global(their)) => {
                ours.name(ours.globals[our.index()].name)
                    == theirs.name(theirs.globals[their.index()].name)
            }
            (Constant::Function(our), Constant::Function(their)) => {
                ours.function_name(*our) == theirs.function_name(*their)
            }
            (Constant::Alias(our), Constant::Alias(their)) => {
                ours.name(ours.aliases[our.index()].name)
                    == theirs.name(theirs.aliases[their.index()].name)
            }
            (
                Constant::BlockAddress { function, block },
                Constant::BlockAddress {
                    function: their_function,
                    block: their_block,
                },
            ) => {
                block == their_block
                    && ours.function_name(*function) == theirs.function_name(*their_function)
            }
            (Constant::Expression(our), Constant::Expression(their)) => {
                (our.opcode, our.detail) == (their.opcode, their.detail)
                    && self.types_agree(our.type_id, their.type_id)
                    && self.types_agree(our.element_type, their.element_type)
                    && self.all_constants_agree(&our.operands, &their.operands)
            }
            (
                Constant::Assembly {
                    template,
                    constraints,
                },
                Constant::Assembly {
                    template: their_template,
                    constraints: their_constraints,
                },
            ) => {
                ours.name(*template) == theirs.name(*their_template)
                    && ours.name(*constraints) == theirs.name(*their_constraints)
            }
            // Its text holds numbers that each printing chooses anew.
            (Constant::Metadata(_), Constant::Metadata(_)) => true,
            _ => false,
        };
        if agree {
            self.equal_constants.insert(our, their);
        }
        agree
    }

    fn all_constants_agree(&mut self, ours: &[ConstantId], theirs: &[ConstantId]) -> bool {
        ours.len() == theirs.len()
            && ours
                .iter()
                .zip(theirs)
                .all(|(our, their)| self.constants_agree(*our, *their))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "\
define i32 @f(i1 %c, i32 %a) {
entry:
  %x = alloca i32
  store i32 1, ptr %x
  br i1 %c, label %then, label %done
then:
  store i32 %a, ptr %x
  br label %done
done:
  %v = load i32, ptr %x
  ret i32 %v
}
";

    fn agreement(after: &str) -> Agreement {
        let read = |text: &str| knockon_llvm::read_unit(text.as_bytes(), "f.ll").expect("a unit");
        let mut ours = read(BEFORE);
        knockon_graphs::promote_as_mem2reg(&mut ours);
        compare_promotion(&ours, &read(after))
    }

    fn after(phi: &str) -> String {
        format!(
            "define i32 @f(i1 %c, i32 %a) {{
entry:
  br i1 %c, label %then, label %done
then:
  br label %done
done:
  {phi}
  ret i32 %x.0
}}
"
        )
    }

    #[test]
    fn the_order_of_incoming_values_does_not_matter() {
        for phi in [
            "%x.0 = phi i32 [ %a, %then ], [ 1, %entry ]",
            "%x.0 = phi i32 [ 1, %entry ], [ %a, %then ]",
        ] {
            let agreement = agreement(&after(phi));
            assert_eq!((agreement.functions, agreement.items), (1, 4));
            assert_eq!(agreement.disagreements, []);
        }
    }

    #[test]
    fn swapped_values_another_constant_or_an_unpromoted_body_disagree() {
        for text in [
            after("%x.0 = phi i32 [ %a, %entry ], [ 1, %then ]"),
            after("%x.0 = phi i32 [ %a, %then ], [ 2, %entry ]"),
            BEFORE.to_string(),
        ] {
            assert_eq!(agreement(&text).disagreements.len(), 1, "{text}");
        }
    }
}
