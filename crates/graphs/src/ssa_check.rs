//! Question: is a body well formed: contiguous blocks, one terminator each, phis
//! first, one phi value for each incoming edge, and each use of a value
//! dominated by its definition?
//!
//! Source: the invariants of [`knockon_program::Body`] and the LLVM language
//! reference.
//!
//! Why right: each rule is checked as stated. A value used by a phi must be
//! defined at the end of the block that the edge comes from. Code that the entry
//! does not reach may use anything.
//!
//! Cost: linear in operands, given the dominator tree.

use crate::{DominatorTree, control_flow, dominators};
use knockon_program::{BlockId, Body, InstructionId, Opcode, Operand};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SsaViolation {
    /// The block's range does not follow the one before, or is empty.
    BlockRange(BlockId),
    /// A terminator that is not last, or a last instruction that is none.
    Terminator(InstructionId),
    /// A phi after another instruction.
    MisplacedPhi(InstructionId),
    /// The incoming blocks are not the sources of the incoming edges.
    PhiEdges(InstructionId),
    /// An operand names an instruction or block that does not exist.
    DanglingOperand(InstructionId),
    /// A use that its definition does not dominate.
    NotDominated {
        user: InstructionId,
        definition: InstructionId,
    },
    /// A variable location out of order or out of range.
    Location(usize),
}

pub fn verify_ssa(body: &Body) -> Vec<SsaViolation> {
    let mut violations = shape(body);
    // The rest would index outside a malformed body.
    if violations.is_empty() && !body.blocks.is_empty() {
        dominance(body, &mut violations);
    }
    violations
}

fn shape(body: &Body) -> Vec<SsaViolation> {
    let mut violations = Vec::new();
    let mut next = InstructionId(0);
    for id in body.block_ids() {
        let block = body.block(id);
        if block.first != next || block.end <= block.first {
            violations.push(SsaViolation::BlockRange(id));
        }
        next = block.end;
        let mut phis_over = false;
        for instruction in body.instructions_of(id) {
            let Some(row) = body.instructions.get(instruction.index()) else {
                violations.push(SsaViolation::BlockRange(id));
                break;
            };
            if row.opcode.is_terminator() != (instruction.0 + 1 == block.end.0) {
                violations.push(SsaViolation::Terminator(instruction));
            }
            if row.opcode != Opcode::Phi {
                phis_over = true;
            } else if phis_over {
                violations.push(SsaViolation::MisplacedPhi(instruction));
            }
        }
    }
    if next.index() != body.instructions.len() {
        violations.push(SsaViolation::BlockRange(BlockId::from_index(
            body.blocks.len(),
        )));
    }
    for id in body.instruction_ids() {
        let exists = |operand: &Operand| match operand {
            Operand::Instruction(used) => used.index() < body.instructions.len(),
            Operand::Block(block) => block.index() < body.blocks.len(),
            _ => true,
        };
        if !body.operands(id).iter().all(exists) {
            violations.push(SsaViolation::DanglingOperand(id));
        }
    }
    let mut last = InstructionId(0);
    for (at, location) in body.variable_locations.iter().enumerate() {
        let before = location.before;
        if before < last || before.index() >= body.instructions.len() {
            violations.push(SsaViolation::Location(at));
        }
        last = before;
    }
    violations
}

fn dominance(body: &Body, violations: &mut Vec<SsaViolation>) {
    let flow = control_flow(body);
    let tree = dominators(&flow.successors, &flow.predecessors, BlockId(0));
    let block_of = body.block_of_each_instruction();
    let definitions = Definitions {
        body,
        tree: &tree,
        block_of: &block_of,
    };
    for block in flow.reverse_postorder.iter().copied() {
        let mut expected: Vec<BlockId> = flow
            .predecessors
            .of(block)
            .iter()
            .flat_map(|from| {
                body.successors(*from)
                    .filter(|to| *to == block)
                    .map(|_| *from)
            })
            .collect();
        expected.sort_unstable();
        for user in body.instructions_of(block) {
            let operands = body.operands(user);
            if body.instruction(user).opcode != Opcode::Phi {
                for operand in operands {
                    if let Operand::Instruction(definition) = *operand
                        && !definitions.reaches(definition, user)
                    {
                        violations.push(SsaViolation::NotDominated { user, definition });
                    }
                }
                continue;
            }
            let mut incoming = Vec::new();
            for pair in operands.chunks(2) {
                let &[value, Operand::Block(from)] = pair else {
                    violations.push(SsaViolation::PhiEdges(user));
                    continue;
                };
                incoming.push(from);
                if let Operand::Instruction(definition) = value
                    && flow.is_reachable(from)
                    && !definitions.reaches_end(definition, from)
                {
                    violations.push(SsaViolation::NotDominated { user, definition });
                }
            }
            incoming.sort_unstable();
            if incoming != expected {
                violations.push(SsaViolation::PhiEdges(user));
            }
        }
    }
}

struct Definitions<'a> {
    body: &'a Body,
    tree: &'a DominatorTree<BlockId>,
    block_of: &'a [BlockId],
}

impl Definitions<'_> {
    fn reaches(&self, definition: InstructionId, user: InstructionId) -> bool {
        let (from, to) = (
            self.block_of[definition.index()],
            self.block_of[user.index()],
        );
        match self.normal_block(definition) {
            Some(block) => self.tree.dominates(block, to),
            None if from == to => definition < user,
            None => self.tree.dominates(from, to),
        }
    }

    fn reaches_end(&self, definition: InstructionId, block: BlockId) -> bool {
        let from = self.block_of[definition.index()];
        match self.normal_block(definition) {
            // The edge that carries the value may be the phi's own.
            Some(normal) => from == block || self.tree.dominates(normal, block),
            None => self.tree.dominates(from, block),
        }
    }

    /// The value of an invoke or callbr exists after its normal edge only.
    fn normal_block(&self, definition: InstructionId) -> Option<BlockId> {
        if !matches!(
            self.body.instruction(definition).opcode,
            Opcode::Invoke | Opcode::CallBr
        ) {
            return None;
        }
        match self.body.operands(definition).get(1) {
            Some(Operand::Block(block)) => Some(*block),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_bodies::{ProgramBuilder, random_program};

    #[test]
    fn random_programs_are_well_formed() {
        for seed in 0..200 {
            let builder = random_program(seed);
            for (_, _, body) in builder.program.defined_functions() {
                assert_eq!(verify_ssa(body), [], "seed {seed}");
            }
        }
    }

    #[test]
    fn a_use_on_a_path_around_the_definition_is_found() {
        let mut builder = ProgramBuilder::new();
        let observe = builder.declare("observe");
        let id = builder.define("subject", |body| {
            let variable = body.alloca(body.integer);
            body.branch(Operand::Argument(0), BlockId(1), BlockId(2));
            body.block();
            let value = body.load(body.integer, variable);
            body.jump(BlockId(2));
            body.block();
            body.call(observe, [value]);
            body.end();
        });
        let body = builder
            .program
            .function(id)
            .body
            .as_deref()
            .expect("a body");
        assert_eq!(
            verify_ssa(body),
            [SsaViolation::NotDominated {
                user: InstructionId(4),
                definition: InstructionId(2)
            }]
        );
    }

    #[test]
    fn a_block_without_terminator_is_found() {
        let mut builder = ProgramBuilder::new();
        let id = builder.define("subject", |body| {
            body.alloca(body.integer);
        });
        let body = builder
            .program
            .function(id)
            .body
            .as_deref()
            .expect("a body");
        assert_eq!(
            verify_ssa(body),
            [SsaViolation::Terminator(InstructionId(0))]
        );
    }
}
