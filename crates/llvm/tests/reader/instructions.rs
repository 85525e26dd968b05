//! Each instruction, with the operands, details and flags that the table in
//! `knockon_program` states.

use super::{body, only, operands, operands_of, read, read_body, row};
use knockon_program::{
    AtomicOperation, CaveatKind, Flags, FloatPredicate, IntegerPredicate, Opcode, Type, TypeId,
};

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
            Flags::NO_NANS.with(Flags::NO_SIGNED_ZEROS),
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
    let flags = row(&program, Opcode::Load).flags;
    assert!(flags.has(Flags::ATOMIC) && !flags.has(Flags::VOLATILE));
    let program =
        read_body("  store atomic volatile i32 %a, ptr %p release, align 4, !dbg !4\n  ret void");
    let flags = row(&program, Opcode::Store).flags;
    assert!(flags.has(Flags::ATOMIC.with(Flags::VOLATILE)));
    assert_eq!(
        operands_of("  store i32 %a, ptr %p\n  ret void", Opcode::Store),
        "arg 0, arg 1"
    );
    let program = read_body("  fence syncscope(\"singlethread\") seq_cst\n  ret void");
    assert!(row(&program, Opcode::Fence).flags.has(Flags::ATOMIC));
}

/// Another order of the same access is another access.
#[test]
fn the_order_of_an_atomic_access_is_kept() {
    let flags = |order: &str| {
        let text = format!("  %x = load atomic i64, ptr %p {order}, align 8\n  ret void");
        row(&read_body(&text), Opcode::Load).flags
    };
    assert_ne!(flags("acquire"), flags("monotonic"));
    assert_eq!(flags("seq_cst"), flags("seq_cst"));
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
    assert!(exchange.flags.has(Flags::ATOMIC.with(Flags::VOLATILE)));
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
fn variadic_arguments_have_the_type_they_fetch() {
    let program = read_body("  %x = va_arg ptr %p, double\n  ret void");
    assert_eq!(
        *program.type_of(row(&program, Opcode::VariadicArgument).type_id),
        Type::Double
    );
}
