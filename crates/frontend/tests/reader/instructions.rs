//! Each instruction, with the operands, details and flags that the table in
//! `knockon_program` states.

use super::{body, only, operands, read, read_body};
use knockon_program::{
    AtomicOperation, CaveatKind, Constant, Flags, FloatPredicate, IntegerPredicate, Opcode,
    Operand, Program, Type, TypeId,
};

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

#[test]
fn binary_operations_have_two_operands_and_their_wrap_flags() {
    for (mnemonic, opcode) in [
        ("add", Opcode::Add),
        ("sub", Opcode::Subtract),
        ("mul", Opcode::Multiply),
        ("shl", Opcode::ShiftLeft),
    ] {
        let program = read_body(&format!("  %x = {mnemonic} nuw nsw i32 %a, -7\n  ret void"));
        let row = row(&program, opcode);
        assert!(
            row.flags
                .has(Flags::NO_SIGNED_WRAP.with(Flags::NO_UNSIGNED_WRAP))
        );
        assert_eq!(
            operands(
                &program,
                body(&program, "f"),
                knockon_program::InstructionId(0)
            ),
            "arg 0, 4294967289"
        );
    }
    for (text, opcode, flags) in [
        ("udiv exact i32 %a, 2", Opcode::UnsignedDivide, Flags::EXACT),
        ("sdiv i32 %a, 2", Opcode::SignedDivide, Flags::NONE),
        ("urem i32 %a, 2", Opcode::UnsignedRemainder, Flags::NONE),
        ("srem i32 %a, 2", Opcode::SignedRemainder, Flags::NONE),
        (
            "lshr exact i32 %a, 2",
            Opcode::LogicalShiftRight,
            Flags::EXACT,
        ),
        ("ashr i32 %a, 2", Opcode::ArithmeticShiftRight, Flags::NONE),
        ("and i32 %a, 2", Opcode::And, Flags::NONE),
        ("or disjoint i32 %a, 2", Opcode::Or, Flags::DISJOINT),
        ("xor i32 %a, 2", Opcode::Xor, Flags::NONE),
        (
            "fadd fast double %d, 2.0",
            Opcode::FloatAdd,
            Flags::FAST_MATH,
        ),
        (
            "fsub nnan nsz double %d, 2.0",
            Opcode::FloatSubtract,
            Flags::FAST_MATH,
        ),
        ("fmul double %d, 2.0", Opcode::FloatMultiply, Flags::NONE),
        ("fdiv double %d, 2.0", Opcode::FloatDivide, Flags::NONE),
        ("frem double %d, 2.0", Opcode::FloatRemainder, Flags::NONE),
        ("add <4 x i32> %v, splat (i32 1)", Opcode::Add, Flags::NONE),
    ] {
        let program = read_body(&format!("  %x = {text}\n  ret void"));
        assert_eq!(row(&program, opcode).flags, flags, "{text}");
    }
}

#[test]
fn unary_operations_and_freeze() {
    assert_eq!(
        operands_of(
            "  %x = fneg fast double %d\n  ret void",
            Opcode::FloatNegate
        ),
        "arg 3"
    );
    assert_eq!(
        operands_of("  %x = freeze i32 %a\n  ret void", Opcode::Freeze),
        "arg 0"
    );
}

#[test]
fn casts_have_the_type_they_cast_to() {
    for (text, opcode, result) in [
        (
            "trunc nuw nsw i32 %a to i8",
            Opcode::Truncate,
            Type::Integer(8),
        ),
        (
            "zext nneg i32 %a to i64",
            Opcode::ZeroExtend,
            Type::Integer(64),
        ),
        ("sext i32 %a to i64", Opcode::SignExtend, Type::Integer(64)),
        (
            "fptrunc double %d to float",
            Opcode::FloatTruncate,
            Type::Float,
        ),
        (
            "fpext double %d to x86_fp80",
            Opcode::FloatExtend,
            Type::X86Fp80,
        ),
        (
            "fptoui double %d to i32",
            Opcode::FloatToUnsigned,
            Type::Integer(32),
        ),
        (
            "fptosi double %d to i32",
            Opcode::FloatToSigned,
            Type::Integer(32),
        ),
        (
            "uitofp nneg i32 %a to half",
            Opcode::UnsignedToFloat,
            Type::Half,
        ),
        (
            "sitofp i32 %a to bfloat",
            Opcode::SignedToFloat,
            Type::BFloat,
        ),
        (
            "ptrtoint ptr %p to i64",
            Opcode::PointerToInteger,
            Type::Integer(64),
        ),
        (
            "ptrtoaddr ptr %p to i64",
            Opcode::PointerToInteger,
            Type::Integer(64),
        ),
        (
            "inttoptr i32 %a to ptr",
            Opcode::IntegerToPointer,
            Type::Pointer(0),
        ),
        (
            "bitcast double %d to i64",
            Opcode::BitCast,
            Type::Integer(64),
        ),
        (
            "addrspacecast ptr %p to ptr addrspace(3)",
            Opcode::AddressSpaceCast,
            Type::Pointer(3),
        ),
    ] {
        let program = read_body(&format!("  %x = {text}\n  ret void"));
        assert_eq!(
            *program.type_of(row(&program, opcode).type_id),
            result,
            "{text}"
        );
    }
}

#[test]
fn comparisons_keep_their_predicate_and_compare_vectors_lane_by_lane() {
    for predicate in IntegerPredicate::ALL {
        let program = read_body(&format!(
            "  %x = icmp {} i32 %a, 0\n  ret void",
            predicate.mnemonic()
        ));
        assert_eq!(
            row(&program, Opcode::IntegerCompare).detail,
            *predicate as u8
        );
    }
    for predicate in FloatPredicate::ALL {
        let program = read_body(&format!(
            "  %x = fcmp nnan {} double %d, 0.0\n  ret void",
            predicate.mnemonic()
        ));
        assert_eq!(row(&program, Opcode::FloatCompare).detail, *predicate as u8);
    }
    let program = read_body("  %x = icmp samesign ult <4 x i32> %v, zeroinitializer\n  ret void");
    let row = row(&program, Opcode::IntegerCompare);
    assert!(row.flags.has(Flags::SAME_SIGN));
    assert!(matches!(
        program.type_of(row.type_id),
        Type::Vector { count: 4, .. }
    ));
}

#[test]
fn select_takes_condition_then_and_else() {
    let text = "  %c = icmp eq i32 %a, 1\n  %x = select i1 %c, i32 %a, i32 5\n  ret void";
    assert_eq!(operands_of(text, Opcode::Select), "%0, arg 0, 5");
}

#[test]
fn allocation_states_type_count_and_alignment() {
    let program = read_body("  %x = alloca %pair, align 16\n  ret void");
    let allocation = row(&program, Opcode::Alloca);
    assert_eq!(allocation.detail, 4);
    assert!(matches!(
        program.type_of(TypeId(allocation.extra)),
        Type::Struct { .. }
    ));
    assert_eq!(
        operands_of("  %x = alloca i8, align 1\n  ret void", Opcode::Alloca),
        "1"
    );
    let text = "  %x = alloca inalloca i8, i32 %a, align 8, addrspace(5), !dbg !7\n  ret void";
    let program = read_body(text);
    assert_eq!(
        operands(
            &program,
            body(&program, "f"),
            knockon_program::InstructionId(0)
        ),
        "arg 0"
    );
    assert_eq!(
        *program.type_of(row(&program, Opcode::Alloca).type_id),
        Type::Pointer(5)
    );
}

#[test]
fn loads_and_stores_keep_volatility_atomicity_and_alignment() {
    let program = read_body("  %x = load volatile i64, ptr %p, align 8, !tbaa !1\n  ret void");
    assert_eq!(
        (
            row(&program, Opcode::Load).detail,
            row(&program, Opcode::Load).flags
        ),
        (3, Flags::VOLATILE)
    );
    let program = read_body(
        "  %x = load atomic i64, ptr %p syncscope(\"agent\") acquire, align 8\n  ret void",
    );
    assert_eq!(row(&program, Opcode::Load).flags, Flags::ATOMIC);
    let program =
        read_body("  store atomic volatile i32 %a, ptr %p release, align 4, !dbg !4\n  ret void");
    assert_eq!(
        row(&program, Opcode::Store).flags,
        Flags::ATOMIC.with(Flags::VOLATILE)
    );
    assert_eq!(
        operands_of("  store i32 %a, ptr %p\n  ret void", Opcode::Store),
        "arg 0, arg 1"
    );
    let program = read_body("  fence syncscope(\"singlethread\") seq_cst\n  ret void");
    assert_eq!(row(&program, Opcode::Fence).flags, Flags::ATOMIC);
}

#[test]
fn element_pointers_keep_their_element_type_and_flags() {
    let program = read_body(
        "  %x = getelementptr inbounds nuw %pair, ptr %p, i64 0, i32 1, i64 2, !dbg !3\n  ret void",
    );
    let pointer = row(&program, Opcode::GetElementPointer);
    assert!(
        pointer
            .flags
            .has(Flags::IN_BOUNDS.with(Flags::NO_UNSIGNED_WRAP))
    );
    assert!(matches!(
        program.type_of(TypeId(pointer.extra)),
        Type::Struct { .. }
    ));
    let text = "  %x = getelementptr nusw i32, ptr %p, <4 x i32> %v\n  ret void";
    let program = read_body(text);
    let pointer = row(&program, Opcode::GetElementPointer);
    assert!(matches!(
        program.type_of(pointer.type_id),
        Type::Vector { count: 4, .. }
    ));
}

#[test]
fn atomic_updates_state_their_operation() {
    for operation in AtomicOperation::ALL {
        let (kind, value) = if operation.mnemonic().starts_with('f') {
            ("double", "%d")
        } else {
            ("i32", "%a")
        };
        let text = format!(
            "  %x = atomicrmw volatile {} ptr %p, {kind} {value} monotonic, align 8\n  ret void",
            operation.mnemonic()
        );
        let program = read_body(&text);
        assert_eq!(
            row(&program, Opcode::AtomicReadModifyWrite).detail,
            *operation as u8
        );
    }
    let text = "  %x = cmpxchg weak volatile ptr %p, i32 %a, i32 7 syncscope(\"x\") acq_rel monotonic, align 4\n  ret void";
    let program = read_body(text);
    let exchange = row(&program, Opcode::CompareExchange);
    assert_eq!(exchange.flags, Flags::ATOMIC.with(Flags::VOLATILE));
    assert_eq!(exchange.detail, 2);
    assert!(
        matches!(program.type_of(exchange.type_id), Type::Struct { fields, .. } if fields.len() == 2)
    );
    assert_eq!(
        operands_of(text, Opcode::CompareExchange),
        "arg 1, arg 0, 7"
    );
}

#[test]
fn an_atomic_operation_that_the_model_lacks_is_opaque_with_a_caveat() {
    let program =
        read_body("  %x = atomicrmw fmaximum ptr %p, double %d seq_cst, align 8\n  ret void");
    let opaque = row(&program, Opcode::Opaque);
    assert_eq!(*program.type_of(opaque.type_id), Type::Double);
    assert_eq!(program.caveats[0].kind, CaveatKind::UnknownInstruction);
}

#[test]
fn phis_take_value_and_block_in_turn_also_before_the_value_is_defined() {
    let program = read(
        "define i32 @f(i32 %n) {\nentry:\n  br label %loop\n\nloop:  ; preds = %loop, %entry\n  %i = phi i32 [ 0, %entry ], [ %next, %loop ], !dbg !0\n  %next = add i32 %i, 1\n  %c = icmp slt i32 %next, %n\n  br i1 %c, label %loop, label %done\n\ndone:\n  ret i32 %next\n}\n",
    );
    let body = body(&program, "f");
    assert_eq!(
        operands(&program, body, only(body, Opcode::Phi)),
        "0, ^0, %2, ^1"
    );
    assert_eq!(body.blocks.len(), 3);
}

#[test]
fn vector_and_aggregate_instructions() {
    assert_eq!(
        operands_of(
            "  %x = extractelement <4 x i32> %v, i64 2\n  ret void",
            Opcode::ExtractElement
        ),
        "arg 2, 2"
    );
    assert_eq!(
        operands_of(
            "  %x = insertelement <4 x i32> %v, i32 %a, i64 2\n  ret void",
            Opcode::InsertElement
        ),
        "arg 2, arg 0, 2"
    );
    let program = read_body(
        "  %x = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 3, i32 poison>\n  ret void",
    );
    assert!(matches!(
        program.type_of(row(&program, Opcode::ShuffleVector).type_id),
        Type::Vector { count: 2, .. }
    ));
    let program = read_body("  %x = extractvalue %pair %s, 1, 2, !dbg !1\n  ret void");
    assert_eq!(
        *program.type_of(row(&program, Opcode::ExtractValue).type_id),
        Type::Integer(64)
    );
    assert_eq!(
        operands_of(
            "  %x = extractvalue %pair %s, 1, 2\n  ret void",
            Opcode::ExtractValue
        ),
        "arg 4, #1, #2"
    );
    assert_eq!(
        operands_of(
            "  %x = insertvalue %pair %s, i32 %a, 0\n  ret void",
            Opcode::InsertValue
        ),
        "arg 4, arg 0, #0"
    );
}

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
    assert_eq!(assembly, Some(("mov $0, $1\n", "=r,r")));
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
fn variadic_arguments_have_the_type_they_fetch() {
    let program = read_body("  %x = va_arg ptr %p, double\n  ret void");
    assert_eq!(
        *program.type_of(row(&program, Opcode::VariadicArgument).type_id),
        Type::Double
    );
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
