//! The LLVM text reader: what it says of each construct, that nothing is lost
//! against LLVM's own account, and that no input breaks it.

mod reader {
    mod constants;
    mod control;
    mod debug_info;
    mod errors;
    mod instructions;
    mod invariants;
    mod module;
    mod mutation;
    mod nothing_lost;
    mod robustness;

    use knockon_llvm::read_unit;
    use knockon_program::{Body, Constant, Function, InstructionId, Opcode, Operand, Program};

    /// Reads a text that must be readable, and checks every invariant.
    fn read(text: &str) -> Program {
        match read_unit(text.as_bytes(), "test.ll") {
            Ok(program) => {
                let broken = invariants::violations(&program);
                assert!(broken.is_empty(), "{broken:#?}\n{text}");
                program
            }
            Err(error) => panic!("{error}\n{text}"),
        }
    }

    /// Reads a function body around which nothing else is needed.
    fn read_body(instructions: &str) -> Program {
        read(&format!(
            "%pair = type {{ i32, [4 x i64] }}\n\
             @g = global i32 0\n\
             declare void @callee(...)\n\
             declare i32 @__gxx_personality_v0(...)\n\
             define void @f(i32 %a, ptr %p, <4 x i32> %v, double %d, %pair %s) personality ptr @__gxx_personality_v0 {{\n\
             entry:\n{instructions}\n}}\n"
        ))
    }

    fn function<'p>(program: &'p Program, name: &str) -> &'p Function {
        program.function(program.functions_named(name)[0])
    }

    fn body<'p>(program: &'p Program, name: &str) -> &'p Body {
        function(program, name)
            .body
            .as_deref()
            .expect("the function has a body")
    }

    /// The only instruction with this opcode.
    fn only(body: &Body, opcode: Opcode) -> InstructionId {
        let mut found = body
            .instruction_ids()
            .filter(|id| body.instruction(*id).opcode == opcode);
        let id = found.next().expect("the instruction is there");
        assert!(found.next().is_none(), "{opcode:?} occurs twice");
        id
    }

    /// An operand as LLVM would write it: `%3` an instruction, `arg 0`, `^1` a
    /// block, `#2` an index, constants by content.
    fn shown(program: &Program, operand: Operand) -> String {
        match operand {
            Operand::Instruction(id) => format!("%{}", id.0),
            Operand::Argument(number) => format!("arg {number}"),
            Operand::Block(block) => format!("^{}", block.0),
            Operand::Index(index) => format!("#{index}"),
            Operand::Constant(constant) => match program.constant(constant) {
                Constant::Integer { bits, .. } => bits.to_string(),
                Constant::Null(_) => "null".to_owned(),
                Constant::Zero(_) => "zero".to_owned(),
                Constant::Poison(_) => "poison".to_owned(),
                Constant::Undefined(_) => "undef".to_owned(),
                Constant::Function(function) => format!("@{}", program.function_name(*function)),
                Constant::Global(global) => {
                    format!("@{}", program.name(program.globals[global.index()].name))
                }
                Constant::Metadata(name) => program.name(*name).to_owned(),
                other => format!("{other:?}"),
            },
        }
    }

    fn operands(program: &Program, body: &Body, id: InstructionId) -> String {
        let shown: Vec<String> = body
            .operands(id)
            .iter()
            .map(|operand| shown(program, *operand))
            .collect();
        shown.join(", ")
    }

    /// Operands of the only instruction with this opcode, in a body of its own.
    #[track_caller]
    fn operands_of(instructions: &str, opcode: Opcode) -> String {
        let program = read_body(instructions);
        let body = body(&program, "f");
        operands(&program, body, only(body, opcode))
    }

    fn row(program: &Program, opcode: Opcode) -> knockon_program::Instruction {
        let body = body(program, "f");
        *body.instruction(only(body, opcode))
    }
}
