//! Question: which calls may not come back to the instruction after them?
//!
//! Source: control dependence across procedures as in Horwitz, Reps, Binkley,
//! *Interprocedural Slicing Using Dependence Graphs* (1990), leaves such calls
//! out; `exit`, `abort`, `longjmp` and thrown exceptions make real programs wrong
//! without them. The rules are ours.
//!
//! Rules: a call may not return when its site says so, or when a function that
//! it may call may not. A function may not return when
//!
//! - it is declared so, or it is external and its model says so;
//! - it holds a call that may not return;
//! - it can reach a block from which no end can be reached, or leave by
//!   unwinding (`resume`, `cleanupret`).
//!
//! A call through a pointer may call every function whose address is taken, and
//! so may an external function that calls back. A function declared to return
//! (`willreturn`) always does.
//!
//! Why right: the least solution marks a function exactly when some chain of
//! calls leads to one of the reasons. Loops that may or may not end and recursion
//! without end are no reason: equal termination is an assumption of the verdicts.
//! A second return of `setjmp` is not control flow of the body and not covered.
//!
//! Cost: linear in instructions and call edges.

use crate::{CallEdges, Rows, control_flow};
use fixedbitset::FixedBitSet;
use knockon_program::{
    Body, Flags, FunctionAttributes, FunctionId, InstructionId, Operand, Program,
};

/// What is known of a function without a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExternalBehaviour {
    Returns,
    MayNotReturn,
    /// It calls functions that it was given.
    ReturnsIfCallbacksDo,
}

#[derive(Clone, Debug)]
pub struct MayNotReturn {
    functions: FixedBitSet,
    through_pointers: bool,
}

impl MayNotReturn {
    pub fn function(&self, function: FunctionId) -> bool {
        self.functions.contains(function.index())
    }

    /// Whether some function whose address is taken may not return.
    pub fn through_pointers(&self) -> bool {
        self.through_pointers
    }

    /// Whether this call, invoke or callbr may not return; `false` for every
    /// other instruction.
    pub fn call(&self, program: &Program, body: &Body, id: InstructionId) -> bool {
        if body.instruction(id).flags.has(Flags::NO_RETURN) {
            return body.instruction(id).opcode.is_call();
        }
        match body.callee(id) {
            None => false,
            Some(Operand::Constant(constant)) => match program.called_function(constant) {
                Some(function) => self.function(function),
                None => {
                    let constant = program.constant(constant);
                    let assembly = matches!(constant, knockon_program::Constant::Assembly { .. });
                    !assembly && self.through_pointers
                }
            },
            Some(_) => self.through_pointers,
        }
    }
}

/// `external` is asked for functions without a body that neither attribute
/// decides.
pub fn may_not_return(
    program: &Program,
    calls: &CallEdges,
    external: impl Fn(FunctionId) -> ExternalBehaviour,
) -> MayNotReturn {
    let count = program.functions.len();
    // One node more stands for every call through a pointer.
    let pointer = FunctionId::from_index(count);
    let mut marked = FixedBitSet::with_capacity(count + 1);
    let mut certain = FixedBitSet::with_capacity(count + 1);
    let mut work = Vec::new();
    let mut callees = Rows::with_capacity(count + 1, calls.direct.item_count() + count);
    for id in program.function_ids() {
        let function = program.function(id);
        let mut may_call_pointer = !calls.indirect.of(id).is_empty();
        if function.attributes.has(FunctionAttributes::NO_RETURN) {
            work.push(id);
        } else if function.attributes.has(FunctionAttributes::WILL_RETURN) {
            certain.insert(id.index());
        } else if let Some(body) = &function.body {
            if leaves_by_itself(body) {
                work.push(id);
            }
        } else {
            match external(id) {
                ExternalBehaviour::Returns => {}
                ExternalBehaviour::MayNotReturn => work.push(id),
                ExternalBehaviour::ReturnsIfCallbacksDo => may_call_pointer = true,
            }
        }
        let direct = calls.direct.of(id).iter().copied();
        callees.push_row(direct.chain(may_call_pointer.then_some(pointer)));
    }
    callees.push_row(calls.address_taken.iter().copied());
    let callers = callees.reversed();
    while let Some(id) = work.pop() {
        if !certain.contains(id.index()) && !marked.put(id.index()) {
            work.extend(callers.of(id));
        }
    }
    MayNotReturn {
        through_pointers: marked.contains(count),
        functions: marked,
    }
}

fn leaves_by_itself(body: &Body) -> bool {
    if body
        .instructions
        .iter()
        .any(|row| row.opcode.is_call() && row.flags.has(Flags::NO_RETURN))
    {
        return true;
    }
    let flow = control_flow(body);
    let mut reaches_end = FixedBitSet::with_capacity(body.blocks.len());
    let mut stack = Vec::new();
    for block in body.block_ids() {
        if flow.successors.of(block).is_empty() {
            let opcode = body.instruction(body.terminator(block)).opcode;
            if opcode.may_unwind_to_caller() && flow.is_reachable(block) {
                return true;
            }
            stack.push(block);
        }
    }
    while let Some(block) = stack.pop() {
        if !reaches_end.put(block.index()) {
            stack.extend(flow.predecessors.of(block));
        }
    }
    flow.reverse_postorder
        .iter()
        .any(|block| !reaches_end.contains(block.index()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call_edges;
    use crate::random_bodies::ProgramBuilder;
    use knockon_program::{BlockId, Constant};

    fn solve(builder: &ProgramBuilder) -> MayNotReturn {
        let program = &builder.program;
        may_not_return(program, &call_edges(program), |id| {
            match program.function_name(id) {
                "exit" => ExternalBehaviour::MayNotReturn,
                "qsort" => ExternalBehaviour::ReturnsIfCallbacksDo,
                _ => ExternalBehaviour::Returns,
            }
        })
    }

    #[test]
    fn a_caller_of_a_caller_of_exit_may_not_return() {
        let mut builder = ProgramBuilder::new();
        let exit = builder.declare("exit");
        let puts = builder.declare("puts");
        let fatal = builder.define("fatal", |body| {
            body.call(exit, []);
            body.end();
        });
        let harmless = builder.define("harmless", |body| {
            body.call(puts, []);
            body.end();
        });
        let main = builder.define("main", |body| {
            body.call(harmless, []);
            body.call(fatal, []);
            body.end();
        });
        let result = solve(&builder);
        assert!(result.function(fatal) && result.function(main));
        assert!(!result.function(harmless) && !result.function(puts));
        let body = builder
            .program
            .function(main)
            .body
            .as_deref()
            .expect("a body");
        let calls: Vec<bool> = body
            .instruction_ids()
            .map(|id| result.call(&builder.program, body, id))
            .collect();
        assert_eq!(calls, [false, true, false]);
    }

    #[test]
    fn an_endless_loop_may_not_return_and_an_ordinary_one_does() {
        let mut builder = ProgramBuilder::new();
        let endless = builder.define("endless", |body| {
            body.jump(BlockId(1));
            body.block();
            body.jump(BlockId(1));
        });
        let ordinary = builder.define("ordinary", |body| {
            body.jump(BlockId(1));
            body.block();
            body.branch(Operand::Argument(0), BlockId(1), BlockId(2));
            body.block();
            body.end();
        });
        let result = solve(&builder);
        assert!(result.function(endless));
        assert!(!result.function(ordinary));
    }

    #[test]
    fn a_pointer_call_may_not_return_when_an_address_taken_function_may_not() {
        let mut builder = ProgramBuilder::new();
        let exit = builder.declare("exit");
        let qsort = builder.declare("qsort");
        let through_pointer = builder.define("through_pointer", |body| {
            body.call_value(Operand::Argument(0), []);
            body.end();
        });
        let sorts = builder.define("sorts", |body| {
            body.call(qsort, []);
            body.end();
        });
        assert!(!solve(&builder).function(through_pointer));
        let compare = builder.define("compare", |body| {
            body.call(exit, []);
            body.end();
        });
        builder.global_holding(compare);
        let result = solve(&builder);
        assert!(result.function(through_pointer) && result.function(sorts));
        assert!(result.through_pointers());
    }

    /// The rules applied until nothing changes, over random call graphs.
    #[test]
    fn the_worklist_finds_the_least_solution() {
        use crate::random_graphs::Random;
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let mut builder = ProgramBuilder::new();
            builder.declare("exit");
            builder.declare("qsort");
            let count = 3 + random.below(8);
            for number in 0..count {
                builder.declare(&format!("f{number}"));
            }
            let mut edges = Vec::new();
            for caller in 2..2 + count {
                let targets: Vec<usize> = (0..random.below(3))
                    .map(|_| random.below(2 + count))
                    .collect();
                let indirect = random.chance(15);
                let pointer = Operand::Argument(0);
                builder.fill(FunctionId::from_index(caller), |body| {
                    for target in &targets {
                        body.call(FunctionId::from_index(*target), []);
                    }
                    if indirect {
                        body.call_value(pointer, []);
                    }
                    body.end();
                });
                edges.push((caller, targets, indirect));
            }
            let taken = 2 + random.below(count);
            let constant = Constant::Function(FunctionId::from_index(taken));
            let constant = builder.program.constants.intern(constant);
            builder.global_initialised(constant);
            let mut expected = vec![false; 2 + count];
            expected[0] = true;
            loop {
                let before = expected.clone();
                expected[1] |= expected[taken];
                for (caller, targets, indirect) in &edges {
                    expected[*caller] |= targets.iter().any(|target| expected[*target])
                        || (*indirect && expected[taken]);
                }
                if before == expected {
                    break;
                }
            }
            let result = solve(&builder);
            for id in builder.program.function_ids() {
                assert_eq!(result.function(id), expected[id.index()], "seed {seed}");
            }
        }
    }
}
