//! Calls, terminators, exception pads, and what the reader does not know.

use super::{body, only, operands, operands_of, read_body, row};
use knockon_program::{
    CaveatKind, Constant, Flags, InstructionId, Opcode, Operand, Program, Type, TypeId,
};

#[test]
fn calls_take_the_callee_and_arguments_and_keep_their_function_type() {
    let text = "  tail call void (...) @callee(i32 noundef signext %a, ptr noundef nonnull align 8 dereferenceable(4) %p, i1 true, ptr null) #3, !dbg !2\n  ret void";
    assert_eq!(
        operands_of(text, Opcode::Call),
        "@callee, arg 0, arg 1, 1, null"
    );
    let program = read_body(
        "  %x = call fastcc noundef nnan range(i32 0, 4) i32 %p(i32 0, double %d)\n  ret void",
    );
    let call = row(&program, Opcode::Call);
    let Type::Function {
        result,
        parameters,
        variadic,
    } = program.type_of(TypeId(call.extra))
    else {
        panic!()
    };
    assert_eq!(
        (
            program.type_of(*result).clone(),
            parameters.len(),
            *variadic
        ),
        (Type::Integer(32), 2, false)
    );
    let program = read_body(
        "  musttail call addrspace(0) void @callee() noreturn nounwind \"x\"=\"y\" [ \"deopt\"(i32 %a, ptr null), \"funclet\"(token none) ]\n  unreachable",
    );
    let flags = row(&program, Opcode::Call).flags;
    assert!(
        flags.has(
            Flags::MUST_TAIL
                .with(Flags::NO_RETURN)
                .with(Flags::NO_UNWIND)
                .with(Flags::BUNDLES)
        )
    );
    let program = read_body("  call void inttoptr (i64 64 to ptr)()\n  ret void");
    assert!(matches!(
        program.constant(callee(&program)),
        Constant::Expression(_)
    ));
}

fn callee(program: &Program) -> knockon_program::ConstantId {
    let body = body(program, "f");
    match body.callee(only(body, Opcode::Call)) {
        Some(Operand::Constant(constant)) => constant,
        other => panic!("{other:?}"),
    }
}

#[test]
fn inline_assembly_is_one_caveat_for_each_function() {
    let program = read_body(
        "  %x = call i32 asm sideeffect inteldialect \"mov $0, $1\\0A\", \"=r,r\"(i32 %a) #1, !srcloc !5\n  call void asm \"nop\", \"\"()\n  ret void",
    );
    assert_eq!(program.caveats.len(), 1);
    assert_eq!(program.caveats[0].kind, CaveatKind::InlineAssembly);
    assert_eq!(program.name(program.caveats[0].function), "f");
    let assembly = program
        .constants
        .rows()
        .iter()
        .find_map(|constant| match constant {
            Constant::Assembly {
                template,
                constraints,
            } => Some((program.name(*template), program.name(*constraints))),
            _ => None,
        });
    // The dialect is part of what the text means.
    assert_eq!(assembly, Some(("mov $0, $1\n", "=r,r inteldialect")));
}

#[test]
fn invoke_and_callbr_store_their_blocks_before_the_arguments() {
    let text = "  %x = invoke i32 (...) @callee(i32 %late, ptr %p)\n          to label %ok unwind label %bad, !dbg !1\n\nok:\n  ret void\n\nbad:\n  %l = landingpad { ptr, i32 }\n          cleanup\n          catch ptr @g\n          filter [1 x ptr] [ptr @g]\n  resume { ptr, i32 } %l\n\ndead:\n  %late = add i32 %a, 1\n  unreachable";
    assert_eq!(
        operands_of(text, Opcode::Invoke),
        "@callee, ^1, ^2, %4, arg 1"
    );
    let program = read_body(text);
    let pad = row(&program, Opcode::LandingPad);
    assert!(pad.flags.has(Flags::CLEANUP));
    assert!(operands_of(text, Opcode::LandingPad).starts_with("#0, @g, #1, "));

    let text = "  %x = callbr i32 asm \"\", \"=r,r,!i,!i\"(i32 %late)\n          to label %next [label %other, label %next], !dbg !1\n\nnext:\n  ret void\n\nother:\n  %late = add i32 %a, 1\n  unreachable";
    let program = read_body(text);
    let body = body(&program, "f");
    let branch = only(body, Opcode::CallBr);
    assert!(operands(&program, body, branch).ends_with("^1, ^2, ^1, %2"));
    assert_eq!(body.arguments(branch).len(), 1);
}

#[test]
fn an_argument_passed_in_memory_has_the_type_and_alignment_that_the_call_states() {
    let program = read_body(
        "  call void (...) @callee(ptr %p)
  call void (...) @callee(i32 %a, ptr noundef byval(%pair) align 16 %p, ptr align 8 %p, ptr byval(i64) %p)
  invoke void (...) @callee(ptr byval([3 x i8]) align(4) %late) to label %next unwind label %pad
next:
  ret void
pad:
  %caught = landingpad { ptr, i32 } cleanup
  unreachable
before:
  %late = alloca i8
  unreachable",
    );
    let body = body(&program, "f");
    let found = |call: u32| -> Vec<(u32, u64, u8)> {
        let rows = body.by_value_arguments_of(InstructionId(call)).iter();
        rows.map(|row| (row.argument, program.size_of(row.pointee), row.alignment))
            .collect()
    };
    assert_eq!(found(0), []);
    assert_eq!(found(1), [(1, 40, 4), (3, 8, 0)]);
    assert_eq!(found(2), [(0, 3, 2)]);
    assert_eq!(body.by_value_arguments.len(), 3);
}

#[test]
fn terminators_name_their_successors() {
    assert_eq!(
        operands_of("  br label %x\nx:\n  ret void", Opcode::Branch),
        "^1"
    );
    let text = "  %c = icmp eq i32 %a, 0\n  br i1 %c, label %x, label %y, !dbg !1, !prof !2\nx:\n  ret void\ny:\n  unreachable";
    assert_eq!(operands_of(text, Opcode::Branch), "%0, ^1, ^2");
    let text = "  switch i32 %a, label %x [\n    i32 1, label %x\n    i32 -1, label %y\n  ], !dbg !1\nx:\n  ret void\ny:\n  unreachable";
    assert_eq!(
        operands_of(text, Opcode::Switch),
        "arg 0, ^1, 1, ^1, 4294967295, ^2"
    );
    let text = "  indirectbr ptr %p, [label %x, label %y]\nx:\n  ret void\ny:\n  unreachable";
    assert_eq!(operands_of(text, Opcode::IndirectBranch), "arg 1, ^1, ^2");
    assert_eq!(
        operands_of("  indirectbr ptr %p, []", Opcode::IndirectBranch),
        "arg 1"
    );
}

#[test]
fn funclet_pads_name_their_parent_and_blocks() {
    let text = "  invoke void @callee() to label %end unwind label %dispatch\n\ndispatch:\n  %cs = catchswitch within none [label %handler] unwind label %clean\n\nhandler:\n  %cp = catchpad within %cs [ptr null, i32 64, ptr %p]\n  catchret from %cp to label %end\n\nclean:\n  %cl = cleanuppad within none []\n  cleanupret from %cl unwind to caller\n\nend:\n  ret void";
    assert_eq!(operands_of(text, Opcode::CatchSwitch), "zero, ^2, ^3");
    assert_eq!(operands_of(text, Opcode::CatchPad), "%1, null, 64, arg 1");
    assert_eq!(operands_of(text, Opcode::CatchReturn), "%2, ^4");
    assert_eq!(operands_of(text, Opcode::CleanupPad), "zero");
    assert_eq!(operands_of(text, Opcode::CleanupReturn), "%4");
}

#[test]
fn an_unknown_instruction_is_opaque_with_all_operands_and_a_caveat() {
    let program = read_body(
        "  %x = frobnicate twice i32 %a, ptr @g, { i32, i32 } zeroinitializer, label %next, !dbg !3\n  %y = add i32 %x, 1\n  br label %next\nnext:\n  ret void",
    );
    let body = body(&program, "f");
    let opaque = only(body, Opcode::Opaque);
    assert_eq!(operands(&program, body, opaque), "arg 0, @g, ^1");
    assert_eq!(
        program.name(knockon_program::Name(body.instruction(opaque).extra)),
        "frobnicate"
    );
    assert_eq!(program.caveats[0].kind, CaveatKind::UnknownInstruction);
    assert_eq!(
        program.caveats[0].message,
        "unknown instruction `frobnicate`"
    );
}

#[test]
fn an_unknown_terminator_may_go_to_every_label_it_names() {
    let program = read_body(
        "  %x = hyperjump i32 %a, ptr %p\n          to label %one [label %two]\n\none:\n  ret void\n\ntwo:\n  warp ptr %p\n}\ndefine void @other() {\n  ret void",
    );
    let body = body(&program, "f");
    assert_eq!(body.successors(knockon_program::BlockId(0)).count(), 2);
    assert_eq!(
        body.instruction(body.terminator(knockon_program::BlockId(2)))
            .opcode,
        Opcode::Unreachable
    );
    assert_eq!(program.caveats.len(), 2);
}
