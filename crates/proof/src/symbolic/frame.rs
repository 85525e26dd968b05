//! A function that is being evaluated.

use super::{Ending, State, Value};
use knockon_change::Version;
use knockon_graphs::{ControlFlow, LoopForest, control_flow, dominators, loops};
use knockon_logic::terms::TermId;
use knockon_program::{
    BlockId, Body, Cast, Constant, FunctionId, InstructionId, Intrinsic, Opcode, Operand, Program,
    View,
};
use rustc_hash::FxHashMap;

/// Which variable a pointer points into, as far as the function shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// Not looked at yet.
    Unseen,
    Variable(InstructionId),
    Other,
}

pub(super) struct Frame<'a> {
    pub function: FunctionId,
    pub body: &'a Body,
    pub flow: ControlFlow,
    pub forest: LoopForest,
    pub arguments: Vec<Value>,
    pub values: Vec<Option<Value>>,
    /// The exact value, in 64 bits, of additions that do not overflow.
    pub wide: FxHashMap<InstructionId, TermId>,
    /// The calls that lead here, from the function compared on.
    pub path: String,
    /// The number of the first memory that is this function's own.
    pub first_class: usize,
    /// Variables whose address is known nowhere else, ascending; each has its memory.
    pub own: Vec<InstructionId>,
    bases: Vec<Base>,
    pub endings: Vec<Ending>,
    /// Calls of the function itself that go back to its entry,
    pub tail_calls: Vec<InstructionId>,
    /// and with which states and arguments they do.
    pub rounds: Vec<(State, Vec<Value>)>,
}

impl<'a> Frame<'a> {
    pub fn new(
        version: Version<'a>,
        function: FunctionId,
        arguments: Vec<Value>,
        path: String,
        first_class: usize,
    ) -> Option<Frame<'a>> {
        let body = version.program.function(function).body.as_deref()?;
        let flow = control_flow(body);
        let tree = dominators(&flow.successors, &flow.predecessors, BlockId(0));
        let forest = loops(&flow, &tree);
        let bases = bases(body);
        let own = own_variables(version, body, &bases);
        Some(Frame {
            function,
            body,
            flow,
            forest,
            arguments,
            values: vec![None; body.instructions.len()],
            wide: FxHashMap::default(),
            path,
            first_class,
            own,
            bases,
            endings: Vec::new(),
            tail_calls: Vec::new(),
            rounds: Vec::new(),
        })
    }

    /// The number of the memory that an address points into.
    pub fn class_of(&self, address: Operand) -> usize {
        let Operand::Instruction(id) = address else {
            return 0;
        };
        match self.bases[id.index()] {
            Base::Variable(variable) => match self.own.binary_search(&variable) {
                Ok(at) => self.first_class + at,
                Err(_) => 0,
            },
            _ => 0,
        }
    }
}

/// What each instruction's value points into, by the instructions that compute addresses.
fn bases(body: &Body) -> Vec<Base> {
    let mut bases = vec![Base::Unseen; body.instructions.len()];
    loop {
        let mut is_new = false;
        for id in body.instruction_ids() {
            let base_of = |operand: Operand| match operand {
                Operand::Instruction(id) => bases[id.index()],
                _ => Base::Other,
            };
            let join = |operands: &mut dyn Iterator<Item = Operand>| {
                operands.fold(Base::Unseen, |found, operand| {
                    match (found, base_of(operand)) {
                        (Base::Unseen, other) | (other, Base::Unseen) => other,
                        (left, right) if left == right => left,
                        _ => Base::Other,
                    }
                })
            };
            let base = match body.view(id) {
                View::Alloca { .. } => Base::Variable(id),
                View::GetElementPointer { base: from, .. }
                | View::Cast {
                    operation: Cast::BitCast,
                    value: from,
                }
                | View::Freeze { value: from } => base_of(from),
                View::Phi { incoming } => join(&mut incoming.values()),
                View::Select {
                    then, otherwise, ..
                } => join(&mut [then, otherwise].into_iter()),
                View::Load { .. }
                | View::Store { .. }
                | View::Binary { .. }
                | View::Cast { .. }
                | View::FloatNegate { .. }
                | View::IntegerCompare { .. }
                | View::FloatCompare { .. }
                | View::CompareExchange { .. }
                | View::AtomicReadModifyWrite { .. }
                | View::Fence
                | View::Call(_)
                | View::Return { .. }
                | View::Jump { .. }
                | View::Branch { .. }
                | View::Switch { .. }
                | View::IndirectBranch { .. }
                | View::Resume { .. }
                | View::Unreachable
                | View::ExtractValue { .. }
                | View::InsertValue { .. }
                | View::ExtractElement { .. }
                | View::InsertElement { .. }
                | View::ShuffleVector { .. }
                | View::VariadicArgument { .. }
                | View::LandingPad { .. }
                | View::Pad { .. }
                | View::CatchSwitch { .. }
                | View::CatchReturn { .. }
                | View::CleanupReturn { .. }
                | View::Opaque { .. } => Base::Other,
            };
            if base != bases[id.index()] {
                bases[id.index()] = base;
                is_new = true;
            }
        }
        if !is_new {
            return bases;
        }
    }
}

/// Variables whose address is only used to load, to store and to compute such addresses.
fn own_variables(version: Version<'_>, body: &Body, bases: &[Base]) -> Vec<InstructionId> {
    let mut own: Vec<InstructionId> = body
        .instruction_ids()
        .filter(|id| body.instruction(*id).opcode == Opcode::Alloca)
        .collect();
    let mut is_known = |operand: Operand| {
        if let Operand::Instruction(id) = operand
            && let Base::Variable(variable) = bases[id.index()]
        {
            own.retain(|other| *other != variable);
        }
    };
    for id in body.instruction_ids() {
        let operands = body.operands(id);
        match body.view(id) {
            View::Load { address: _ } => {}
            View::Store { value, address: _ } => is_known(value),
            View::GetElementPointer { indices, .. } => {
                indices.iter().for_each(|row| is_known(*row));
            }
            View::Phi { .. }
            | View::Select { .. }
            | View::Cast {
                operation: Cast::BitCast,
                ..
            }
            | View::Freeze { .. } => {
                // Joined with something else, it is known by another name.
                if bases[id.index()] == Base::Other {
                    operands.iter().for_each(|row| is_known(*row));
                }
            }
            View::Call(_) if moves_memory(version, body, id) => {}
            View::Alloca { .. }
            | View::Binary { .. }
            | View::Cast { .. }
            | View::FloatNegate { .. }
            | View::IntegerCompare { .. }
            | View::FloatCompare { .. }
            | View::CompareExchange { .. }
            | View::AtomicReadModifyWrite { .. }
            | View::Fence
            | View::Call(_)
            | View::Return { .. }
            | View::Jump { .. }
            | View::Branch { .. }
            | View::Switch { .. }
            | View::IndirectBranch { .. }
            | View::Resume { .. }
            | View::Unreachable
            | View::ExtractValue { .. }
            | View::InsertValue { .. }
            | View::ExtractElement { .. }
            | View::InsertElement { .. }
            | View::ShuffleVector { .. }
            | View::VariadicArgument { .. }
            | View::LandingPad { .. }
            | View::Pad { .. }
            | View::CatchSwitch { .. }
            | View::CatchReturn { .. }
            | View::CleanupReturn { .. }
            | View::Opaque { .. } => operands.iter().for_each(|row| is_known(*row)),
        }
    }
    own
}

/// An intrinsic of LLVM that is called and means what LLVM says: where the program defines the
/// function that the compiler may make of it, it is a call like others.
pub(super) fn fixed_intrinsic(
    version: Version<'_>,
    body: &Body,
    call: InstructionId,
) -> Option<Intrinsic> {
    let Some(Operand::Constant(constant)) = body.callee(call) else {
        return None;
    };
    let callee = version.program.called_function(constant)?;
    let is_fixed = !version.memory.replaced.may_be_entered_by(callee);
    Intrinsic::of_function(version.program, callee).filter(|_| is_fixed)
}

/// A call of the intrinsic `memcpy` and its kin.
pub(super) fn moves_memory(version: Version<'_>, body: &Body, call: InstructionId) -> bool {
    fixed_intrinsic(version, body, call).is_some_and(Intrinsic::moves_memory)
}

/// The alias by which a function is called, if another definition may take its place.
pub(super) fn replaceable_alias<'a>(
    program: &'a Program,
    body: &Body,
    call: InstructionId,
) -> Option<&'a str> {
    let Operand::Constant(callee) = body.callee(call)? else {
        return None;
    };
    match program.constant(callee) {
        Constant::Alias(id) => {
            let alias = &program.aliases[id.index()];
            let gives_way = alias.linkage.gives_way();
            gives_way.then(|| program.name(alias.name))
        }
        _ => None,
    }
}

/// The name of the function that a call names.
pub(super) fn callee_name<'a>(
    program: &'a Program,
    body: &Body,
    call: InstructionId,
) -> Option<&'a str> {
    match body.callee(call)? {
        Operand::Constant(constant) => {
            let function = program.called_function(constant)?;
            Some(program.function_name(function))
        }
        _ => None,
    }
}
