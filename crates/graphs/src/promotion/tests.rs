//! The law of promotion: on every path the function shows the same values, and
//! fewer of them come from memory. An undefined value may become any.

use super::promote;
use crate::random_bodies::{BodyBuilder, ProgramBuilder, random_program};
use crate::random_graphs::Random;
use crate::verify_ssa;
use knockon_program::{
    BlockId, Body, ByValueArgument, Constant, Flags, FunctionId, InstructionId, Name, Opcode,
    Operand, PlaceId, Program, Variable, VariableId, VariableLocation, VariableLocationKind,
};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Undefined,
    Integer(u128),
    Address(InstructionId),
}

fn value_of(program: &Program, values: &HashMap<InstructionId, Value>, operand: Operand) -> Value {
    match operand {
        Operand::Instruction(id) => values[&id],
        Operand::Argument(_) => Value::Integer(77),
        Operand::Constant(constant) => match program.constant(constant) {
            Constant::Integer { bits, .. } => Value::Integer(*bits),
            _ => Value::Undefined,
        },
        Operand::Block(_) | Operand::Index(_) => Value::Undefined,
    }
}

/// Follows one path, chosen by the seed, and lists what calls are given.
fn observations(program: &Program, body: &Body, seed: u64) -> Vec<Value> {
    let mut random = Random::new(seed);
    let mut values: HashMap<InstructionId, Value> = HashMap::new();
    let mut memory: HashMap<InstructionId, Value> = HashMap::new();
    let mut seen = Vec::new();
    let mut from = BlockId(0);
    let mut block = BlockId(0);
    for _ in 0..60 {
        let mut joined = Vec::new();
        for id in body.instructions_of(block) {
            let operands = body.operands(id);
            let value = |operand: Operand| value_of(program, &values, operand);
            match body.instruction(id).opcode {
                Opcode::Phi => {
                    let chosen = operands
                        .chunks(2)
                        .find(|pair| pair[1] == Operand::Block(from));
                    joined.push((id, value(chosen.expect("an incoming value")[0])));
                    continue;
                }
                _ => values.extend(joined.drain(..)),
            }
            let value = |operand: Operand| value_of(program, &values, operand);
            match body.instruction(id).opcode {
                Opcode::Alloca => {
                    values.insert(id, Value::Address(id));
                }
                Opcode::Store => {
                    if let (value, Value::Address(at)) = (value(operands[0]), value(operands[1])) {
                        memory.insert(at, value);
                    }
                }
                Opcode::Load => {
                    let loaded = match value(operands[0]) {
                        Value::Address(at) => memory.get(&at).copied(),
                        _ => None,
                    };
                    values.insert(id, loaded.unwrap_or(Value::Undefined));
                }
                Opcode::Call => seen.extend(operands[1..].iter().map(|operand| value(*operand))),
                Opcode::Return => return seen,
                _ => {
                    let targets: Vec<BlockId> = body.successors(block).collect();
                    from = block;
                    block = targets[random.below(targets.len())];
                    break;
                }
            }
        }
    }
    seen
}

fn body_named<'a>(program: &'a Program, name: &str) -> &'a Body {
    let id = program.functions_named(name)[0];
    program.function(id).body.as_deref().expect("a body")
}

fn count(body: &Body, opcode: Opcode) -> usize {
    let rows = body.instructions.iter();
    rows.filter(|row| row.opcode == opcode).count()
}

#[test]
fn promotion_keeps_what_every_path_shows() {
    let mut promoted_loads = 0;
    for seed in 0..2500 {
        let mut builder = random_program(seed);
        let before = body_named(&builder.program, "subject").clone();
        promote(&mut builder.program);
        let after = body_named(&builder.program, "subject");
        assert_eq!(verify_ssa(after), [], "seed {seed}");
        promoted_loads += count(&before, Opcode::Load) - count(after, Opcode::Load);
        for path in 0..8 {
            let expected = observations(&builder.program, &before, path);
            let ours = observations(&builder.program, after, path);
            assert_eq!(expected.len(), ours.len(), "seed {seed} path {path}");
            for (expected, ours) in expected.into_iter().zip(ours) {
                let address = matches!(expected, Value::Address(_));
                assert!(
                    expected == Value::Undefined || expected == ours || address,
                    "seed {seed} path {path}: {expected:?} became {ours:?}"
                );
            }
        }
    }
    assert!(promoted_loads > 5000);
}

#[test]
fn promoting_twice_changes_nothing() {
    for seed in 0..300 {
        let mut builder = random_program(seed);
        promote(&mut builder.program);
        let once = format!("{:?}", body_named(&builder.program, "subject"));
        promote(&mut builder.program);
        assert_eq!(
            once,
            format!("{:?}", body_named(&builder.program, "subject")),
            "seed {seed}"
        );
    }
}

fn promoted(write: impl FnOnce(&mut BodyBuilder, FunctionId)) -> (Program, Body) {
    let mut builder = ProgramBuilder::new();
    let observe = builder.declare("observe");
    builder.define("subject", |body| write(body, observe));
    promote(&mut builder.program);
    let body = body_named(&builder.program, "subject").clone();
    assert_eq!(verify_ssa(&body), []);
    (builder.program, body)
}

#[test]
fn two_stores_that_meet_make_one_phi() {
    let (_, body) = promoted(|body, observe| {
        let variable = body.alloca(body.integer);
        let (one, two) = (body.number(1), body.number(2));
        body.store(one, variable);
        body.branch(Operand::Argument(0), BlockId(1), BlockId(2));
        body.block();
        body.store(two, variable);
        body.jump(BlockId(2));
        body.block();
        let value = body.load(body.integer, variable);
        body.call(observe, [value]);
        body.end();
    });
    assert_eq!(count(&body, Opcode::Phi), 1);
    assert_eq!(count(&body, Opcode::Alloca), 0);
    assert_eq!(body.instructions.len(), 5);
}

#[test]
fn a_dead_variable_gets_no_phi() {
    let (_, body) = promoted(|body, _| {
        let variable = body.alloca(body.integer);
        let (one, two) = (body.number(1), body.number(2));
        body.store(one, variable);
        body.branch(Operand::Argument(0), BlockId(1), BlockId(2));
        body.block();
        body.store(two, variable);
        body.jump(BlockId(2));
        body.block();
        body.end();
    });
    assert_eq!(count(&body, Opcode::Phi), 0);
}

#[test]
fn a_volatile_access_an_escape_or_another_type_keeps_the_variable_in_memory() {
    let (_, body) = promoted(|body, observe| {
        let escapes = body.alloca(body.integer);
        body.call(observe, [escapes]);
        let other_type = body.alloca(body.pointer);
        body.load(body.integer, other_type);
        let volatile = body.alloca(body.integer);
        body.load(body.integer, volatile);
        if let Some(load) = body.body.instructions.last_mut() {
            load.flags = Flags::VOLATILE;
        }
        body.end();
    });
    assert_eq!(count(&body, Opcode::Alloca), 3);
}

#[test]
fn a_variable_whose_address_only_a_promoted_variable_held_is_promoted_next() {
    let (_, body) = promoted(|body, observe| {
        let variable = body.alloca(body.integer);
        let pointer = body.alloca(body.pointer);
        let one = body.number(1);
        body.store(one, variable);
        body.store(variable, pointer);
        let address = body.load(body.pointer, pointer);
        let value = body.load(body.integer, address);
        body.call(observe, [value]);
        body.end();
    });
    assert_eq!(body.instructions.len(), 2);
}

#[test]
fn accesses_in_unreachable_code_stay_with_a_poison_address() {
    let (program, body) = promoted(|body, observe| {
        let variable = body.alloca(body.integer);
        let (one, two) = (body.number(1), body.number(2));
        body.store(one, variable);
        body.jump(BlockId(2));
        body.block();
        body.store(two, variable);
        body.jump(BlockId(2));
        body.block();
        let value = body.load(body.integer, variable);
        body.call(observe, [value]);
        body.end();
    });
    assert_eq!(count(&body, Opcode::Phi), 0);
    let store = body
        .instruction_ids()
        .find(|id| body.instruction(*id).opcode == Opcode::Store)
        .expect("the unreachable store");
    let Operand::Constant(address) = body.operands(store)[1] else {
        panic!("not a constant address");
    };
    assert!(matches!(program.constant(address), Constant::Poison(_)));
}

#[test]
fn a_declared_variable_has_values_at_former_stores_and_phis() {
    let mut builder = ProgramBuilder::new();
    let observe = builder.declare("observe");
    let id = builder.define("subject", |body| {
        let variable = body.alloca(body.integer);
        let (one, two) = (body.number(1), body.number(2));
        body.store(one, variable);
        body.branch(Operand::Argument(0), BlockId(1), BlockId(2));
        body.block();
        body.store(two, variable);
        body.jump(BlockId(2));
        body.block();
        let value = body.load(body.integer, variable);
        body.call(observe, [value]);
        body.end();
        body.body.variables.push(Variable {
            name: Name(0),
            parameter: 0,
            place: PlaceId(0),
        });
        body.body.variable_locations.push(VariableLocation {
            kind: VariableLocationKind::Declared,
            variable: VariableId(0),
            value: variable,
            before: InstructionId(1),
            whole: true,
        });
    });
    let (one, two) = (builder.number(1), builder.number(2));
    promote(&mut builder.program);
    let body = builder
        .program
        .function(id)
        .body
        .as_deref()
        .expect("a body");
    let found: Vec<(Operand, u32)> = body
        .variable_locations
        .iter()
        .inspect(|location| assert_eq!(location.kind, VariableLocationKind::Value))
        .map(|location| (location.value, location.before.0))
        .collect();
    // br; br; phi, call, ret
    let phi = Operand::Instruction(InstructionId(2));
    assert_eq!(found, [(one, 0), (two, 1), (phi, 3)]);
}

#[test]
fn an_argument_passed_in_memory_stays_with_its_call() {
    let (_, body) = promoted(|body, observe| {
        let kept = body.alloca(body.integer);
        let variable = body.alloca(body.integer);
        let one = body.number(1);
        body.store(one, variable);
        for alignment in [3, 4] {
            let value = body.load(body.integer, variable);
            body.call(observe, [value, kept]);
            let call = InstructionId::from_index(body.body.instructions.len() - 1);
            body.body.by_value_arguments.push(ByValueArgument {
                call,
                argument: 1,
                pointee: body.integer,
                alignment,
            });
        }
        body.end();
    });
    // alloca; call; call; ret
    let calls: Vec<(u32, u32, u8)> = body
        .by_value_arguments
        .iter()
        .map(|row| (row.call.0, row.argument, row.alignment))
        .collect();
    assert_eq!(calls, [(1, 1, 3), (2, 1, 4)]);
}

#[test]
fn a_deep_chain_of_blocks_needs_no_stack() {
    let blocks = 100_000;
    let (_, body) = promoted(|body, observe| {
        let variable = body.alloca(body.integer);
        let one = body.number(1);
        body.store(one, variable);
        for number in 0..blocks {
            let next = BlockId(2 * number + 1);
            let join = BlockId(2 * number + 2);
            body.branch(Operand::Argument(0), next, join);
            body.block();
            body.store(Operand::Argument(0), variable);
            body.jump(join);
            body.block();
        }
        let value = body.load(body.integer, variable);
        body.call(observe, [value]);
        body.end();
    });
    assert_eq!(count(&body, Opcode::Phi), blocks as usize);
}
