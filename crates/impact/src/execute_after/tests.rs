use super::*;
use crate::call_structure;
use knockon_program::{
    Body, Constant, Flags, Function, FunctionAttributes, InstructionRow, Linkage, Opcode, Operand,
    PlaceId, Program, Type, TypeId, UnitId,
};

/// A function as blocks of calls and successors: `(calls, successors)`.
type Shape = Vec<(Vec<usize>, Vec<u32>)>;

/// A program whose function `i` is named `f<i>`; function 0 is `main`.
fn program(shapes: &[Shape]) -> Program {
    let mut program = Program::new();
    let void = program.types.intern(Type::Void);
    let bit = program.types.intern(Type::Integer(1));
    let type_id = program.types.intern(Type::Function {
        result: void,
        parameters: Box::new([]),
        variadic: false,
    });
    let unknown = program.constants.intern(Constant::Undefined(bit));
    for (index, shape) in shapes.iter().enumerate() {
        let mut body = Body::default();
        let row = |opcode, extra: TypeId| InstructionRow {
            opcode,
            detail: 0,
            flags: Flags::NONE,
            type_id: void,
            extra: extra.0,
            place: PlaceId(0),
        };
        for (calls, successors) in shape {
            let name = program.names.intern("block");
            body.begin_block(name);
            for callee in calls {
                let callee = program
                    .constants
                    .intern(Constant::Function(FunctionId::from_index(*callee)));
                body.push(row(Opcode::Call, type_id), [Operand::Constant(callee)]);
            }
            let blocks = successors
                .iter()
                .map(|block| Operand::Block(BlockId(*block)));
            match successors.len() {
                0 => body.push(row(Opcode::Return, TypeId(0)), []),
                1 => body.push(row(Opcode::Branch, TypeId(0)), blocks),
                _ => body.push(
                    row(Opcode::Branch, TypeId(0)),
                    std::iter::once(Operand::Constant(unknown)).chain(blocks),
                ),
            };
        }
        let name = match index {
            0 => "main".to_owned(),
            index => format!("f{index}"),
        };
        let name = program.names.intern(&name);
        program.functions.push(Function {
            name,
            source_name: name,
            unit: UnitId(0),
            linkage: Linkage::External,
            type_id,
            parameters: Box::new([]),
            attributes: FunctionAttributes::default(),
            place: PlaceId(0),
            body: Some(Box::new(body)),
        });
    }
    program
}

fn straight(calls: &[usize]) -> Shape {
    vec![(calls.to_vec(), vec![])]
}

fn after(shapes: &[Shape], function: usize) -> Vec<usize> {
    let program = program(shapes);
    execute_after(
        &call_structure(&program),
        FunctionId::from_index(function),
        Direction::After,
    )
    .iter()
    .map(|related| related.function.index())
    .collect()
}

#[test]
fn a_later_sibling_executes_after_and_an_earlier_one_does_not() {
    let shapes = [straight(&[1, 2]), straight(&[]), straight(&[])];
    assert_eq!(after(&shapes, 1), [0, 2]);
    assert_eq!(after(&shapes, 2), [0]);
}

#[test]
fn calls_in_one_loop_component_follow_each_other_and_themselves() {
    let shapes = [
        vec![
            (vec![], vec![1, 2]),
            (vec![1, 2], vec![0]),
            (vec![], vec![]),
        ],
        straight(&[]),
        straight(&[]),
    ];
    assert_eq!(after(&shapes, 1), [0, 1, 2]);
    assert_eq!(after(&shapes, 2), [0, 1, 2]);
}

#[test]
fn the_other_branch_does_not_execute_after() {
    let shapes = [
        vec![
            (vec![], vec![1, 2]),
            (vec![1], vec![3]),
            (vec![2], vec![3]),
            (vec![3], vec![]),
        ],
        straight(&[]),
        straight(&[]),
        straight(&[]),
    ];
    assert_eq!(after(&shapes, 1), [0, 3]);
}

#[test]
fn the_example_path_leads_from_the_function_over_the_turning_point() {
    let shapes = [
        straight(&[1, 3]),
        straight(&[2]),
        straight(&[]),
        straight(&[4]),
        straight(&[]),
    ];
    let program = program(&shapes);
    let related = execute_after(&call_structure(&program), FunctionId(2), Direction::After);
    let of = |function: u32| {
        related
            .iter()
            .find(|related| related.function == FunctionId(function))
            .unwrap()
    };
    assert_eq!(of(1).reason, Reason::ReturnsInto);
    assert_eq!(of(4).reason, Reason::Follows);
    assert_eq!(of(4).path, [2, 1, 0, 3, 4].map(FunctionId));
}

/// The definition, naively: transitive calls by saturation; SEQ from all pairs
/// of call sites of one procedure with a path between them.
fn oracle(shapes: &[Shape]) -> Vec<Vec<bool>> {
    let count = shapes.len();
    let mut calls = vec![vec![false; count]; count];
    for (caller, shape) in shapes.iter().enumerate() {
        for callee in shape.iter().flat_map(|(calls, _)| calls) {
            calls[caller][*callee] = true;
        }
    }
    for middle in 0..count {
        for from in 0..count {
            for to in 0..count {
                calls[from][to] |= calls[from][middle] && calls[middle][to];
            }
        }
    }
    let mut relation = vec![vec![false; count]; count];
    for from in 0..count {
        for to in 0..count {
            relation[from][to] |= calls[from][to] || calls[to][from];
        }
    }
    for shape in shapes {
        let blocks = shape.len();
        let mut reach = vec![vec![false; blocks]; blocks];
        for (block, (_, successors)) in shape.iter().enumerate() {
            for next in successors {
                reach[block][*next as usize] = true;
            }
        }
        for middle in 0..blocks {
            for from in 0..blocks {
                for to in 0..blocks {
                    reach[from][to] |= reach[from][middle] && reach[middle][to];
                }
            }
        }
        for (first_block, (first_calls, _)) in shape.iter().enumerate() {
            for (first_at, first) in first_calls.iter().enumerate() {
                for (second_block, (second_calls, _)) in shape.iter().enumerate() {
                    for (second_at, second) in second_calls.iter().enumerate() {
                        let follows = reach[first_block][second_block]
                            || (first_block == second_block && first_at < second_at);
                        if !follows {
                            continue;
                        }
                        for from in 0..count {
                            for to in 0..count {
                                relation[from][to] |= (from == *first || calls[*first][from])
                                    && (to == *second || calls[*second][to]);
                            }
                        }
                    }
                }
            }
        }
    }
    relation
}

/// SplitMix64: enough randomness for graphs, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

fn random_shapes(seed: u64) -> Vec<Shape> {
    let mut random = Random(seed);
    let functions = 2 + random.below(6);
    (0..functions)
        .map(|_| {
            let blocks = 1 + random.below(4);
            (0..blocks)
                .map(|block| {
                    let calls = (0..random.below(3))
                        .map(|_| random.below(functions))
                        .collect();
                    let successors = match random.below(4) {
                        0 => vec![],
                        1 | 2 if block + 1 < blocks => vec![block as u32 + 1],
                        _ => (0..2).map(|_| random.below(blocks) as u32).collect(),
                    };
                    (calls, successors)
                })
                .collect()
        })
        .collect()
}

#[test]
fn it_agrees_with_the_definition_and_before_is_its_inverse_on_random_programs() {
    for seed in 0..2000 {
        let shapes = random_shapes(seed);
        let program = program(&shapes);
        let calls = call_structure(&program);
        let expected = oracle(&shapes);
        for from in 0..shapes.len() {
            let set = |direction| -> Vec<bool> {
                let related = execute_after(&calls, FunctionId::from_index(from), direction);
                let mut row = vec![false; shapes.len()];
                for one in related {
                    row[one.function.index()] = true;
                }
                row
            };
            assert_eq!(
                set(Direction::After),
                expected[from],
                "seed {seed}, after {from}"
            );
            let before: Vec<bool> = (0..shapes.len()).map(|to| expected[to][from]).collect();
            assert_eq!(set(Direction::Before), before, "seed {seed}, before {from}");
        }
    }
}
