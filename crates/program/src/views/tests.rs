use super::*;
use crate::{ConstantId, Flags, PlaceId};

fn row(opcode: Opcode) -> Instruction {
    Instruction {
        opcode,
        detail: 0,
        flags: Flags::NONE,
        type_id: TypeId(0),
        extra: 7,
        place: PlaceId(0),
        first_operand: 0,
        operand_count: 0,
    }
}

const VALUE: Operand = Operand::Constant(ConstantId(1));
const BLOCK: Operand = Operand::Block(BlockId(2));

#[test]
fn what_does_not_fit_is_opaque() {
    for opcode in Opcode::ALL {
        let operands = [BLOCK; 9];
        let view = View::of(&row(*opcode), &operands[..0]);
        let takes_none = matches!(
            opcode,
            Opcode::Fence
                | Opcode::Phi
                | Opcode::Return
                | Opcode::Unreachable
                | Opcode::LandingPad
                | Opcode::CatchPad
                | Opcode::CleanupPad
                | Opcode::CatchSwitch
                | Opcode::CatchReturn
                | Opcode::CleanupReturn
        );
        assert_eq!(
            matches!(view, View::Opaque { .. }),
            !takes_none,
            "{opcode:?}"
        );
    }
}

#[test]
fn calls_have_callee_targets_and_arguments() {
    for (opcode, targets) in [(Opcode::Call, 0), (Opcode::Invoke, 2), (Opcode::CallBr, 3)] {
        let blocks = [BLOCK, BLOCK, BLOCK];
        let operands = [&[VALUE], &blocks[..targets], &[VALUE, VALUE]].concat();
        let View::Call(call) = View::of(&row(opcode), &operands) else {
            panic!("{opcode:?} is a call");
        };
        assert_eq!((call.targets.len(), call.arguments.len()), (targets, 2));
    }
}

#[test]
fn a_family_has_the_opcodes_of_its_name() {
    for opcode in Opcode::ALL {
        let operands = [VALUE; 2];
        let binary = View::of(&row(*opcode), &operands);
        let binary = match binary {
            View::Binary { operation, .. } => Some(Opcode::from(operation)),
            _ => None,
        };
        assert_eq!(binary, opcode.is_binary().then_some(*opcode));
        let cast = match View::of(&row(*opcode), &operands[..1]) {
            View::Cast { operation, .. } => Some(Opcode::from(operation)),
            _ => None,
        };
        assert_eq!(cast, opcode.is_cast().then_some(*opcode));
    }
}
