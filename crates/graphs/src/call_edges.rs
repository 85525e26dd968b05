//! Question: which functions does each function call by name, where does it call
//! through a pointer, and which functions can such a pointer hold?
//!
//! Source: the call instructions and every constant of the program.
//!
//! Why right: a function's address can only come from a constant that names it.
//! Each such use counts unless it is the callee of a call; uses in other
//! constants and in initialisers of globals count too, as does an alias that is
//! used otherwise than called. Two uses take no address: the personality that
//! unwinding needs is not an operand, and the tables of constructors are no
//! globals here.
//!
//! Cost: linear in operands and constants.

use crate::Rows;
use fixedbitset::FixedBitSet;
use knockon_program::{Constant, ConstantId, FunctionId, InstructionId, Operand, Program};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CallSite {
    pub caller: FunctionId,
    pub instruction: InstructionId,
}

#[derive(Clone, Debug)]
pub struct CallEdges {
    /// For each function those it calls by name, each once, in the order of the
    /// first call.
    pub direct: Rows<FunctionId>,
    /// For each function its calls whose callee is computed at run time; inline
    /// assembly is not among them.
    pub indirect: Rows<InstructionId>,
    /// Ascending.
    pub address_taken: Vec<FunctionId>,
}

impl CallEdges {
    pub fn indirect_sites(&self) -> impl Iterator<Item = CallSite> + '_ {
        (0..self.indirect.row_count()).flat_map(|caller| {
            self.indirect
                .of(caller)
                .iter()
                .map(move |instruction| CallSite {
                    caller: FunctionId::from_index(caller),
                    instruction: *instruction,
                })
        })
    }
}

pub fn call_edges(program: &Program) -> CallEdges {
    let count = program.functions.len();
    let mut used = UsedConstants {
        program,
        seen: FixedBitSet::with_capacity(program.constants.len()),
        functions: FixedBitSet::with_capacity(count),
    };
    let mut direct = Rows::with_capacity(count, count);
    let mut indirect = Rows::with_capacity(count, 0);
    let mut last_caller = vec![u32::MAX; count];
    let mut callees = Vec::new();
    let mut computed = Vec::new();
    for (caller, function) in program.functions.iter().enumerate() {
        let Some(body) = &function.body else {
            direct.push_row([]);
            indirect.push_row([]);
            continue;
        };
        for id in body.instruction_ids() {
            let mut operands = body.operands(id);
            if body.instruction(id).opcode.is_call()
                && let Some((callee, rest)) = operands.split_first()
            {
                match resolve(program, *callee) {
                    Callee::Function(function) => {
                        operands = rest;
                        if last_caller[function.index()] != caller as u32 {
                            last_caller[function.index()] = caller as u32;
                            callees.push(function);
                        }
                    }
                    Callee::Assembly => operands = rest,
                    Callee::Computed => computed.push(id),
                }
            }
            for operand in operands {
                if let Operand::Constant(constant) = operand {
                    used.visit(*constant);
                }
            }
        }
        direct.push_row(callees.drain(..));
        indirect.push_row(computed.drain(..));
    }
    for global in &program.globals {
        if let Some(initialiser) = global.initialiser {
            used.visit(initialiser);
        }
    }
    for alias in &program.aliases {
        if alias.is_ifunc {
            used.visit(alias.aliasee);
        }
    }
    CallEdges {
        direct,
        indirect,
        address_taken: used.functions.ones().map(FunctionId::from_index).collect(),
    }
}

enum Callee {
    Function(FunctionId),
    Assembly,
    Computed,
}

fn resolve(program: &Program, callee: Operand) -> Callee {
    let Operand::Constant(constant) = callee else {
        return Callee::Computed;
    };
    match program.called_function(constant) {
        Some(function) => Callee::Function(function),
        None => match program.constant(constant) {
            Constant::Assembly { .. } => Callee::Assembly,
            _ => Callee::Computed,
        },
    }
}

struct UsedConstants<'a> {
    program: &'a Program,
    seen: FixedBitSet,
    functions: FixedBitSet,
}

impl UsedConstants<'_> {
    fn visit(&mut self, constant: ConstantId) {
        let mut work = vec![constant];
        while let Some(constant) = work.pop() {
            if self.seen.put(constant.index()) {
                continue;
            }
            match self.program.constant(constant) {
                Constant::Function(function) => self.functions.insert(function.index()),
                Constant::Alias(alias) => work.push(self.program.aliases[alias.index()].aliasee),
                Constant::Aggregate { elements, .. } => work.extend(elements.iter()),
                Constant::Expression(expression) => work.extend(expression.operands.iter()),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_bodies::ProgramBuilder;
    use knockon_program::{Expression, Opcode};

    #[test]
    fn a_function_that_is_only_called_has_no_address_taken() {
        let mut builder = ProgramBuilder::new();
        let callee = builder.declare("callee");
        let caller = builder.define("caller", |body| {
            body.call(callee, []);
            body.call(callee, []);
            body.end();
        });
        let edges = call_edges(&builder.program);
        assert_eq!(edges.direct.of(caller), [callee]);
        assert!(edges.address_taken.is_empty());
    }

    #[test]
    fn an_argument_an_initialiser_and_an_expression_take_the_address() {
        let mut builder = ProgramBuilder::new();
        let [by_argument, by_global, by_expression, other] =
            ["a", "g", "e", "other"].map(|name| builder.declare(name));
        builder.global_holding(by_global);
        let inner = builder
            .program
            .constants
            .intern(Constant::Function(by_expression));
        let outer = builder
            .program
            .constants
            .intern(Constant::Expression(Expression {
                opcode: Opcode::PointerToInteger,
                type_id: builder.integer,
                element_type: builder.integer,
                detail: 0,
                operands: Box::new([inner]),
            }));
        let argument = builder
            .program
            .constants
            .intern(Constant::Function(by_argument));
        builder.define("caller", |body| {
            body.call(
                other,
                [Operand::Constant(argument), Operand::Constant(outer)],
            );
            body.end();
        });
        let edges = call_edges(&builder.program);
        assert_eq!(edges.address_taken, [by_argument, by_global, by_expression]);
    }

    #[test]
    fn a_call_through_an_argument_is_indirect() {
        let mut builder = ProgramBuilder::new();
        let caller = builder.define("caller", |body| {
            body.call_value(Operand::Argument(0), []);
            body.end();
        });
        let edges = call_edges(&builder.program);
        assert_eq!(edges.direct.of(caller), []);
        let sites: Vec<CallSite> = edges.indirect_sites().collect();
        assert_eq!(
            sites,
            [CallSite {
                caller,
                instruction: InstructionId(0)
            }]
        );
    }
}
