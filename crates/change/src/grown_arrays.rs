//! Is an array the same that has only become longer?
//!
//! **Rules.** A local array, or a global one that is all zero at the start, is the same variable if its
//! elements are of the same type and the new version has at least as many. Accesses to it that promise
//! another alignment for that reason are the same.
//!
//! **Soundness.** The old version accesses elements below the old length only, or its behaviour is
//! undefined; those lie at the same offsets in the new one. What was in an element before is nothing in
//! both versions, or zero. Who asks for the length (`sizeof`) has another constant, and differs by
//! that; where a program asks by address (`__builtin_object_size`), no array counts as the same. An
//! array that has become shorter is not the same: what the old version may do is undefined in the new
//! one.
//!
//! **Cost.** The steps of an address from its variable.

use crate::Side;
use crate::agreement::BodyPair;
use crate::contents::Contents;
use knockon_program::{
    Constant, ConstantId, GlobalId, Instruction, InstructionId, Intrinsic, Opcode, Operand,
    Program, Type, TypeId,
};

/// The element and the length of an array.
fn array(program: &Program, type_id: TypeId) -> Option<(TypeId, u64)> {
    match program.type_of(type_id) {
        Type::Array { element, count } => Some((*element, *count)),
        _ => None,
    }
}

/// The program asks the compiler how large an object is that a pointer leads to.
fn asks_for_sizes(program: &Program) -> bool {
    let mut ids = program.function_ids();
    ids.any(|id| Intrinsic::of_function(program, id) == Some(Intrinsic::ObjectSize))
}

/// A type of one version.
pub(crate) type TypeOf<'a> = (&'a Program, &'a Contents, TypeId);

/// Two arrays of the same elements, of which the new one is the longer.
pub(crate) fn has_grown(old: TypeOf<'_>, new: TypeOf<'_>) -> bool {
    let element = |(program, contents, type_id): TypeOf<'_>| {
        array(program, type_id).map(|row| (contents.type_of(row.0), row.1))
    };
    let is_longer = match (element(old), element(new)) {
        (Some((one, before)), Some((two, after))) => one == two && before < after,
        _ => false,
    };
    is_longer && !asks_for_sizes(old.0) && !asks_for_sizes(new.0)
}

impl BodyPair<'_> {
    /// The rows differ, and in nothing but the length of an array and what follows from it.
    pub(crate) fn differ_by_growth(&self, old: InstructionId, new: InstructionId) -> bool {
        let one = self.bodies.old.instruction(old);
        let two = self.bodies.new.instruction(new);
        if one.opcode != two.opcode {
            return false;
        }
        let has_grown = match one.opcode {
            Opcode::Alloca => self.has_grown(TypeId(one.extra), TypeId(two.extra)),
            Opcode::Load | Opcode::Store => {
                let address = |side: Side, id| self.bodies.of(side).operands(id).last().copied();
                match (address(Side::Old, old), address(Side::New, new)) {
                    (Some(old), Some(new)) => self.lead_to_grown(old, new),
                    _ => false,
                }
            }
            _ => false,
        };
        let rest = |side: Side, row: &Instruction| {
            let extra = match row.opcode {
                Opcode::Alloca => {
                    let element = array(self.views.of(side).program, TypeId(row.extra));
                    element.map_or(row.extra, |row| row.0.0)
                }
                _ => row.extra,
            };
            let row = Instruction {
                detail: 0,
                extra,
                ..*row
            };
            self.views.of(side).unplaced_row(&row)
        };
        has_grown && rest(Side::Old, one) == rest(Side::New, two)
    }

    fn has_grown(&self, old: TypeId, new: TypeId) -> bool {
        let (here, there) = (&self.views.old, &self.views.new);
        has_grown(
            (here.program, here.contents, old),
            (there.program, there.contents, new),
        )
    }

    /// Two addresses inside of one variable that has grown.
    fn lead_to_grown(&self, old: Operand, new: Operand) -> bool {
        match (self.variable(Side::Old, old), self.variable(Side::New, new)) {
            (Some(Variable::Local(old)), Some(Variable::Local(new))) => {
                self.matching.partner(Side::Old, old) == Some(new)
                    && self.differ_by_growth(old, new)
            }
            (Some(Variable::Global(old)), Some(Variable::Global(new))) => {
                let (before, after) = (self.views.old.program, self.views.new.program);
                let (one, two) = (&before.globals[old.index()], &after.globals[new.index()]);
                before.name(one.name) == after.name(two.name)
                    && self.has_grown(one.value_type, two.value_type)
            }
            _ => false,
        }
    }

    /// The variable in which an address visibly lies.
    fn variable(&self, side: Side, mut operand: Operand) -> Option<Variable> {
        let body = *self.bodies.of(side);
        loop {
            match operand {
                Operand::Instruction(id) => match body.instruction(id).opcode {
                    Opcode::Alloca => return Some(Variable::Local(id)),
                    Opcode::GetElementPointer => operand = *body.operands(id).first()?,
                    _ => return None,
                },
                Operand::Constant(id) => return global_of(self.views.of(side).program, id),
                _ => return None,
            }
        }
    }
}

enum Variable {
    Local(InstructionId),
    Global(GlobalId),
}

fn global_of(program: &Program, mut constant: ConstantId) -> Option<Variable> {
    loop {
        match program.constant(constant) {
            Constant::Global(global) => return Some(Variable::Global(*global)),
            Constant::Expression(expression) if expression.opcode == Opcode::GetElementPointer => {
                constant = *expression.operands.first()?;
            }
            _ => return None,
        }
    }
}
