//! `llvm.vector.reduce.*`: one value from all elements of a vector, in order.

use super::numeric;
use crate::evaluate::{Operation, evaluate};
use crate::stop::{Outcome, unsupported};
use crate::value::Value;
use knockon_program::{Flags, Numeric, Opcode, Program, Reduction, TypeId};

/// How two elements become one.
enum Step {
    By(Opcode),
    ByIntrinsic(Numeric),
}

fn step(reduction: Reduction) -> Step {
    match reduction {
        Reduction::Add => Step::By(Opcode::Add),
        Reduction::Multiply => Step::By(Opcode::Multiply),
        Reduction::And => Step::By(Opcode::And),
        Reduction::Or => Step::By(Opcode::Or),
        Reduction::Xor => Step::By(Opcode::Xor),
        Reduction::FloatAdd => Step::By(Opcode::FloatAdd),
        Reduction::FloatMultiply => Step::By(Opcode::FloatMultiply),
        Reduction::SignedMaximum => Step::ByIntrinsic(Numeric::SignedMaximum),
        Reduction::SignedMinimum => Step::ByIntrinsic(Numeric::SignedMinimum),
        Reduction::UnsignedMaximum => Step::ByIntrinsic(Numeric::UnsignedMaximum),
        Reduction::UnsignedMinimum => Step::ByIntrinsic(Numeric::UnsignedMinimum),
        Reduction::FloatMaximum => Step::ByIntrinsic(Numeric::MaximumNumber),
        Reduction::FloatMinimum => Step::ByIntrinsic(Numeric::MinimumNumber),
    }
}

/// Reduces the elements of the last argument, starting from those before it.
pub(super) fn reduce(
    program: &Program,
    reduction: Reduction,
    result: TypeId,
    arguments: &[Value],
) -> Outcome<Value> {
    let mut values = arguments.iter().flat_map(|argument| argument.elements());
    let Some(first) = values.next() else {
        return unsupported("a reduction of nothing");
    };
    let types = [result, result];
    let mut total = first.clone();
    for value in values {
        let pair = [total, value.clone()];
        total = match step(reduction) {
            Step::By(opcode) => {
                let operation = Operation {
                    opcode,
                    flags: Flags::NONE,
                    detail: 0,
                    result,
                    operand_types: &types,
                };
                evaluate(program, &operation, &pair)?
            }
            Step::ByIntrinsic(numeric) => {
                numeric::compute(program, numeric, result, &types, &pair)?
            }
        };
    }
    Ok(total)
}
