//! `llvm.vector.reduce.*`: one value from all elements of a vector, in order.

use super::numeric::{self, Numeric};
use crate::evaluate::{Operation, evaluate};
use crate::stop::{Outcome, unsupported};
use crate::value::Value;
use knockon_program::{Flags, Opcode, Program, TypeId};

/// How two elements become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    By(Opcode),
    ByIntrinsic(Numeric),
}

impl Reduction {
    /// The reduction of this name, without `vector.reduce.` and with its type suffix.
    pub(super) fn named(name: &str) -> Option<Reduction> {
        Some(match name.split('.').next()? {
            "add" => Reduction::By(Opcode::Add),
            "mul" => Reduction::By(Opcode::Multiply),
            "and" => Reduction::By(Opcode::And),
            "or" => Reduction::By(Opcode::Or),
            "xor" => Reduction::By(Opcode::Xor),
            "fadd" => Reduction::By(Opcode::FloatAdd),
            "fmul" => Reduction::By(Opcode::FloatMultiply),
            "smax" => Reduction::ByIntrinsic(Numeric::SignedMaximum),
            "smin" => Reduction::ByIntrinsic(Numeric::SignedMinimum),
            "umax" => Reduction::ByIntrinsic(Numeric::UnsignedMaximum),
            "umin" => Reduction::ByIntrinsic(Numeric::UnsignedMinimum),
            "fmax" => Reduction::ByIntrinsic(Numeric::MaximumNumber),
            "fmin" => Reduction::ByIntrinsic(Numeric::MinimumNumber),
            _ => return None,
        })
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
        total = match reduction {
            Reduction::By(opcode) => {
                let operation = Operation {
                    opcode,
                    flags: Flags::NONE,
                    detail: 0,
                    result,
                    operand_types: &types,
                };
                evaluate(program, &operation, &pair)?
            }
            Reduction::ByIntrinsic(numeric) => {
                numeric::compute(program, numeric, result, &types, &pair)?
            }
        };
    }
    Ok(total)
}
