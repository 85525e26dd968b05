//! Which values may carry a pointer, and from which other values?
//!
//! Every pointer does, and so does every integer that was made from one or loaded from memory where
//! one may stand: pointers are copied as integers, by bytes or by words, and put together from
//! pieces. An integer is followed only if it is wanted: if it flows to a store, a call, a return or
//! a conversion to a pointer ([`Use`]).
//!
//! Moving, converting, widening and cutting off carry a pointer always. Arithmetic does where it
//! visibly is arithmetic on an address: an operand was converted from a pointer, or the result is
//! converted to one, in the same function. Shifts and `|` do where they put pieces together or take
//! them apart. What is taken to carry no pointer: other sums, differences of two addresses, the low
//! bits of one, products, quotients and remainders, comparisons. Without that, counters in unions
//! with pointers would make every pointer point everywhere.

use super::offsets::Offsets;
use knockon_program::{
    Body, Constant, ConstantId, InstructionId, Opcode, Operand, Program, Type, TypeId,
};
use smallvec::SmallVec;

/// How far a value lies from the one it is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Distance {
    Known(Offsets),
    /// As far as the `getelementptr` says.
    Path,
}

const HERE: Distance = Distance::Known(Offsets::ZERO);
const ANYWHERE: Distance = Distance::Known(Offsets::ANY);

fn exactly(by: i64) -> Distance {
    Distance::Known(Offsets::exactly(by))
}

pub(crate) type Sources = SmallVec<[(Operand, Distance, Use); 4]>;

/// Whether bytes of a pointer fit in.
pub(crate) fn may_carry(program: &Program, type_id: TypeId) -> bool {
    match program.type_of(type_id) {
        Type::Pointer(_) | Type::Double | Type::X86Mmx | Type::X86Amx | Type::Target(_) => true,
        Type::Integer(bits) => *bits >= 8,
        Type::Array { element, .. } | Type::Vector { element, .. } => may_carry(program, *element),
        Type::Struct { fields, .. } => fields.iter().any(|field| may_carry(program, *field)),
        _ => false,
    }
}

/// How a value is used that may carry a pointer; each includes the ones before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Use {
    /// It is stored, passed on or returned.
    Kept = 1,
    /// It is put together with others by `|`, or cut into pieces.
    Piece = 2,
    /// It becomes a pointer.
    Converted = 3,
}

/// The values whose pointer an instruction's result may be, how far it moves them and how it uses
/// them; accesses and calls apart.
pub(crate) fn sources(program: &Program, body: &Body, id: InstructionId, used: Use) -> Sources {
    let row = body.instruction(id);
    let operands = body.operands(id);
    let mut found = Sources::new();
    let mut same = |operand: Option<&Operand>, used: Use| {
        found.extend(operand.map(|operand| (*operand, HERE, used)));
    };
    match row.opcode {
        Opcode::GetElementPointer => {
            found.push((operands[0], Distance::Path, used));
        }
        Opcode::IntegerToPointer => same(operands.first(), Use::Converted),
        Opcode::BitCast
        | Opcode::AddressSpaceCast
        | Opcode::PointerToInteger
        | Opcode::Truncate
        | Opcode::ZeroExtend
        | Opcode::SignExtend
        | Opcode::Freeze
        | Opcode::ExtractValue
        | Opcode::ExtractElement => {
            // What is cut off after a shift is a piece.
            let is_cut = row.opcode == Opcode::Truncate
                && operands
                    .first()
                    .is_some_and(|first| is_shift(program, body, *first));
            same(
                operands.first(),
                if is_cut { used.max(Use::Piece) } else { used },
            );
        }
        Opcode::Phi => {
            let values = operands.iter().step_by(2);
            values.for_each(|value| same(Some(value), used));
        }
        Opcode::Select => {
            let values = operands.iter().skip(1);
            values.for_each(|value| same(Some(value), used));
        }
        Opcode::InsertValue | Opcode::InsertElement | Opcode::ShuffleVector => {
            let values = operands.iter().take(2);
            values.for_each(|value| same(Some(value), used));
        }
        opcode if opcode.is_binary() => found = arithmetic(program, body, id, used),
        _ => {}
    }
    found
}

fn arithmetic(program: &Program, body: &Body, id: InstructionId, used: Use) -> Sources {
    let mut found = Sources::new();
    let [left, right] = *body.operands(id) else {
        return found;
    };
    let opcode = body.instruction(id).opcode;
    let of_address = |operand| is_address(program, body, operand, 4);
    let constant = |operand| constant_integer(program, operand);
    match opcode {
        Opcode::Subtract if of_address(left) && of_address(right) => {}
        // The negative of an address.
        Opcode::Subtract
            if constant(left).is_some() && (used == Use::Converted || of_address(right)) =>
        {
            found.push((right, ANYWHERE, used));
        }
        Opcode::Subtract if used == Use::Converted || of_address(left) => {
            let by = constant(right).map_or(ANYWHERE, |by| exactly(by.wrapping_neg()));
            found.push((left, by, used));
        }
        Opcode::Add => {
            for (operand, other) in [(left, right), (right, left)] {
                let is_base = of_address(operand) || used == Use::Converted && !of_address(other);
                if is_base && constant(operand).is_none() {
                    found.push((operand, constant(other).map_or(ANYWHERE, exactly), used));
                }
            }
        }
        Opcode::And | Opcode::Or | Opcode::Xor => {
            let shifted = |operand| is_shift(program, body, operand);
            // A byte or more after a shift is a piece; what is less is no part of an address. A
            // negative mask keeps the upper bytes.
            let masks = |operand| constant(operand).is_some_and(|mask| !(0..0xff).contains(&mask));
            let is_put_together = match opcode {
                Opcode::Or => shifted(left) || shifted(right),
                Opcode::And => shifted(left) && masks(right) || shifted(right) && masks(left),
                _ => false,
            };
            // A mask that keeps less than a page keeps no address.
            let keeps_low = [left, right]
                .into_iter()
                .any(|operand| constant(operand).is_some_and(|bits| (0..4096).contains(&bits)));
            for operand in [left, right] {
                if is_put_together {
                    found.push((operand, ANYWHERE, used.max(Use::Piece)));
                } else if (used == Use::Converted || of_address(operand))
                    && !(opcode == Opcode::And && keeps_low)
                {
                    found.push((operand, ANYWHERE, used));
                }
            }
        }
        Opcode::ShiftLeft | Opcode::LogicalShiftRight | Opcode::ArithmeticShiftRight
            if used >= Use::Piece =>
        {
            found.push((left, ANYWHERE, used));
        }
        _ => {}
    }
    found
}

/// A variable is shifted.
fn is_shift(program: &Program, body: &Body, operand: Operand) -> bool {
    match operand {
        Operand::Instruction(id) => {
            let is_constant = |left: &Operand| constant_integer(program, *left).is_some();
            let opcode = body.instruction(id).opcode;
            matches!(opcode, Opcode::ShiftLeft | Opcode::LogicalShiftRight)
                && !body.operands(id).first().is_some_and(is_constant)
        }
        _ => false,
    }
}

/// Certainly made from a pointer by a conversion.
fn is_address(program: &Program, body: &Body, operand: Operand, depth: u32) -> bool {
    let of = |operand: Operand| depth > 0 && is_address(program, body, operand, depth - 1);
    match operand {
        Operand::Instruction(id) => match (body.instruction(id).opcode, body.operands(id)) {
            (Opcode::PointerToInteger, _) => true,
            (Opcode::Add | Opcode::Subtract | Opcode::And | Opcode::Or, [left, right]) => {
                constant_integer(program, *right).is_some() && of(*left)
                    || constant_integer(program, *left).is_some() && of(*right)
            }
            _ => false,
        },
        Operand::Constant(constant) => matches!(
            program.constant(constant),
            Constant::Expression(expression) if expression.opcode == Opcode::PointerToInteger
        ),
        _ => false,
    }
}

pub(crate) fn constant_integer(program: &Program, operand: Operand) -> Option<i64> {
    match operand {
        Operand::Constant(constant) => integer_value(program, constant),
        _ => None,
    }
}

/// A constant's value, sign extended.
pub(crate) fn integer_value(program: &Program, constant: ConstantId) -> Option<i64> {
    match program.constant(constant) {
        Constant::Integer { type_id, bits } => match program.type_of(*type_id) {
            Type::Integer(width) if *width < 64 => {
                let unused = 64 - *width;
                Some(((*bits as u64) << unused) as i64 >> unused)
            }
            Type::Integer(64) => Some(*bits as u64 as i64),
            _ => i64::try_from(*bits).ok(),
        },
        Constant::Zero(_) | Constant::Null(_) => Some(0),
        _ => None,
    }
}

/// How instructions and arguments are used that may carry a pointer.
pub(crate) struct Wanted {
    instructions: Vec<Option<Use>>,
    arguments: fixedbitset::FixedBitSet,
}

impl Wanted {
    pub(crate) fn instruction(&self, id: InstructionId) -> Option<Use> {
        self.instructions[id.index()]
    }

    pub(crate) fn argument(&self, number: usize) -> bool {
        self.arguments.contains(number)
    }
}

/// `is_carrier` is asked for integers.
pub(crate) fn wanted(
    program: &Program,
    parameters: &[TypeId],
    body: &Body,
    is_carrier: impl Fn(Operand) -> bool,
) -> Wanted {
    let mut search = Search {
        program,
        parameters,
        body,
        wanted: Wanted {
            instructions: vec![None; body.instructions.len()],
            arguments: fixedbitset::FixedBitSet::with_capacity(parameters.len()),
        },
        work: Vec::new(),
    };
    let is_pointer = |type_id: TypeId| matches!(program.type_of(type_id), Type::Pointer(_));
    for id in body.instruction_ids() {
        let row = body.instruction(id);
        if is_pointer(row.type_id) {
            search.want(Operand::Instruction(id), Use::Kept);
        }
        let kept = match row.opcode {
            Opcode::Store
            | Opcode::Load
            | Opcode::CompareExchange
            | Opcode::AtomicReadModifyWrite
            | Opcode::Return
            | Opcode::Resume
            | Opcode::VariadicArgument
            | Opcode::Opaque
            | Opcode::CatchPad
            | Opcode::CleanupPad => body.operands(id),
            opcode if opcode.is_call() => body.arguments(id),
            _ => &[],
        };
        for operand in kept {
            search.want(*operand, Use::Kept);
        }
    }
    for (number, type_id) in parameters.iter().enumerate() {
        if is_pointer(*type_id) {
            search.want(Operand::Argument(number as u32), Use::Kept);
        }
    }
    while let Some(id) = search.work.pop() {
        if let Some(used) = search.wanted.instructions[id.index()] {
            for (operand, _, used) in sources(program, body, id, used) {
                search.want(operand, used);
            }
        }
    }
    let mut wanted = search.wanted;
    for id in body.instruction_ids() {
        let type_id = body.instruction(id).type_id;
        if !is_pointer(type_id) && !is_carrier(Operand::Instruction(id)) {
            wanted.instructions[id.index()] = None;
        }
    }
    for (number, type_id) in parameters.iter().enumerate() {
        if !is_pointer(*type_id) && !is_carrier(Operand::Argument(number as u32)) {
            wanted.arguments.set(number, false);
        }
    }
    wanted
}

struct Search<'a> {
    program: &'a Program,
    parameters: &'a [TypeId],
    body: &'a Body,
    wanted: Wanted,
    work: Vec<InstructionId>,
}

impl Search<'_> {
    fn want(&mut self, operand: Operand, used: Use) {
        match operand {
            Operand::Instruction(id) => {
                let known = &mut self.wanted.instructions[id.index()];
                let type_id = self.body.instruction(id).type_id;
                if *known < Some(used) && may_carry(self.program, type_id) {
                    *known = Some(used);
                    self.work.push(id);
                }
            }
            Operand::Argument(number) => {
                let type_id = self.parameters.get(number as usize);
                if type_id.is_some_and(|type_id| may_carry(self.program, *type_id)) {
                    self.wanted.arguments.insert(number as usize);
                }
            }
            _ => {}
        }
    }
}
