//! Small graphs for the laws: written as text, or drawn from a seed.

use crate::Rows;
use knockon_program::{
    BlockId, Body, ConstantId, Flags, InstructionRow, Name, Opcode, Operand, PlaceId, TypeId,
};

/// A splitmix64 generator: equal seeds give equal graphs on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// `"0: 1 2; 1: 0; 2:"`.
pub fn graph(text: &str) -> Rows<BlockId> {
    let mut rows = Rows::default();
    for (number, row) in text.split(';').enumerate() {
        let (name, targets) = row.split_once(':').expect("node: targets");
        assert_eq!(name.trim().parse::<usize>(), Ok(number));
        let targets = targets.split_whitespace();
        rows.push_row(targets.map(|target| BlockId(target.parse().expect("a number"))));
    }
    rows
}

/// 1 to 14 nodes, node 0 without predecessors like an LLVM entry; about a
/// quarter of the graphs have no exit at all.
pub fn random_graph(seed: u64) -> Rows<BlockId> {
    let mut random = Random::new(seed);
    let count = 1 + random.below(14);
    let exits = if random.chance(25) { 0 } else { 20 };
    let mut rows = Rows::default();
    for _ in 0..count {
        let degree = match count {
            1 => 0,
            _ if random.chance(exits) => 0,
            _ => 1 + random.below(3),
        };
        let targets: Vec<BlockId> = (0..degree)
            .map(|_| BlockId::from_index(1 + random.below(count - 1)))
            .collect();
        rows.push_row(targets);
    }
    rows
}

/// The definition of dominance needs nothing else: which nodes does the root
/// reach when one node is taken away?
pub fn reachable_without(
    graph: &Rows<BlockId>,
    root: BlockId,
    without: Option<BlockId>,
) -> Vec<bool> {
    let mut reached = vec![false; graph.row_count()];
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        if Some(node) != without && !reached[node.index()] {
            reached[node.index()] = true;
            stack.extend(graph.of(node));
        }
    }
    reached
}

/// Blocks that hold nothing but a terminator with these successors.
pub fn body_of(graph: &Rows<BlockId>) -> Body {
    let mut body = Body::default();
    for block in graph.node_ids() {
        body.begin_block(Name(0));
        let targets = graph.of(block);
        let condition = Operand::Constant(ConstantId(0));
        let opcode = match targets.len() {
            0 => Opcode::Return,
            1 | 2 => Opcode::Branch,
            _ => Opcode::Switch,
        };
        let mut operands = Vec::new();
        if targets.len() > 1 {
            operands.push(condition);
        }
        for (at, target) in targets.iter().enumerate() {
            if opcode == Opcode::Switch && at > 0 {
                operands.push(condition);
            }
            operands.push(Operand::Block(*target));
        }
        body.push(
            InstructionRow {
                opcode,
                detail: 0,
                flags: Flags::NONE,
                type_id: TypeId(0),
                extra: 0,
                place: PlaceId(0),
            },
            operands,
        );
    }
    body
}
