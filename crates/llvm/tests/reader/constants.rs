//! Constants, constant expressions and types.

use super::read;
use knockon_program::{Constant, ConstantId, Opcode, Program, Type};

/// The initialiser of the only global of a module `@x = global {text}`, with
/// some symbols around it.
#[track_caller]
fn initialiser(text: &str) -> (Program, ConstantId) {
    let program = read(&format!(
        "%pair = type {{ i32, i64 }}\n@other = external global [4 x i32]\n@x = global {text}\n\
         declare void @f()\ndefine void @blocks() {{\n  br label %target\n\ntarget:\n  ret void\n}}\n"
    ));
    let id = program.globals[1].initialiser.expect("it is initialised");
    (program, id)
}

#[track_caller]
fn constant(text: &str) -> Constant {
    let (program, id) = initialiser(text);
    program.constant(id).clone()
}

#[track_caller]
fn bits(text: &str) -> u128 {
    match constant(text) {
        Constant::Integer { bits, .. } | Constant::Float { bits, .. } => bits,
        other => panic!("{other:?}"),
    }
}

#[test]
fn integers_are_kept_as_low_bits_of_their_width() {
    assert_eq!(bits("i32 42"), 42);
    assert_eq!(bits("i32 -1"), 0xffff_ffff);
    assert_eq!(bits("i1 true"), 1);
    assert_eq!(bits("i8 -128"), 128);
    assert_eq!(bits("i128 -1"), u128::MAX);
    assert_eq!(bits("i64 u0xFF"), 255);
    assert_eq!(bits("i16 s0xFF"), 0xffff);
    assert_eq!(bits("i32 zeroinitializer"), 0);
}

#[test]
fn integers_wider_than_128_bits_are_words() {
    let words = |text: &str| match constant(text) {
        Constant::WideInteger { words, .. } => words.to_vec(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        words("i129 340282366920938463463374607431768211456"),
        [0, 0, 1]
    );
    assert_eq!(words("i192 -1"), [u64::MAX; 3]);
    assert_eq!(words("i130 -1"), [u64::MAX, u64::MAX, 3]);
    assert_eq!(words("i256 18446744073709551616"), [0, 1, 0, 0]);
}

#[test]
fn floating_point_is_kept_as_its_own_bits() {
    assert_eq!(bits("double 1.500000e+00"), u128::from(1.5f64.to_bits()));
    assert_eq!(bits("float 1.500000e+00"), u128::from(1.5f32.to_bits()));
    assert_eq!(bits("double 0x7FF8000000000000"), 0x7ff8_0000_0000_0000);
    assert_eq!(bits("half 0xH3C00"), 0x3c00);
    assert_eq!(bits("bfloat 0xR3F80"), 0x3f80);
    assert_eq!(
        bits("x86_fp80 0xK3FFF8000000000000000"),
        0x3fff_8000_0000_0000_0000
    );
    assert_eq!(
        bits("fp128 0xL00000000000000003FFF000000000000"),
        0x3fff_0000_0000_0000 << 64
    );
    assert_eq!(bits("double -0.0"), 1 << 63);
}

#[test]
fn aggregates_strings_and_splats_list_their_elements() {
    let count = |text: &str| match constant(text) {
        Constant::Aggregate { elements, .. } => elements.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(count("%pair { i32 1, i64 2 }"), 2);
    assert_eq!(count("<{ i8, i32 }> <{ i8 1, i32 2 }>"), 2);
    assert_eq!(
        count("[2 x [1 x i32]] [[1 x i32] [i32 1], [1 x i32] zeroinitializer]"),
        2
    );
    assert_eq!(count("<4 x i32> <i32 1, i32 2, i32 undef, i32 poison>"), 4);
    assert_eq!(count("<8 x i16> splat (i16 3)"), 8);
    assert_eq!(count("{} {}"), 0);
    assert!(
        matches!(constant("[3 x i8] c\"a\\00\\\\\""), Constant::Bytes { bytes, .. } if &*bytes == b"a\0\\")
    );
    assert!(matches!(
        constant("%pair zeroinitializer"),
        Constant::Zero(_)
    ));
    assert!(matches!(constant("<vscale x 4 x i32> splat (i32 1)"),
        Constant::Expression(expression) if expression.opcode == Opcode::ShuffleVector));
}

#[test]
fn pointers_to_symbols_look_through_stand_ins() {
    assert!(matches!(constant("ptr null"), Constant::Null(_)));
    assert!(matches!(constant("ptr @other"), Constant::Global(_)));
    assert!(matches!(constant("ptr @f"), Constant::Function(_)));
    assert!(matches!(
        constant("ptr dso_local_equivalent @f"),
        Constant::Function(_)
    ));
    assert!(matches!(constant("ptr no_cfi @f"), Constant::Function(_)));
    assert!(matches!(
        constant("ptr ptrauth (ptr @f, i32 2, i64 1234, ptr @other)"),
        Constant::Function(_)
    ));
    let (program, id) = initialiser("ptr blockaddress(@blocks, %target)");
    let Constant::BlockAddress { block, .. } = program.constant(id) else {
        panic!()
    };
    assert_eq!(block.0, 1);
}

#[test]
fn expressions_keep_opcode_type_and_operands() {
    let expression = |text: &str| {
        let (program, id) = initialiser(text);
        match program.constant(id).clone() {
            Constant::Expression(expression) => (program, expression),
            other => panic!("{other:?}"),
        }
    };
    for text in [
        "ptr getelementptr inbounds ([4 x i32], ptr @other, i64 0, i64 2)",
        "ptr getelementptr nuw ([4 x i32], ptr @other, i64 0, i64 2)",
        "ptr getelementptr inbounds inrange(-8, 16) ([4 x i32], ptr @other, i64 0, i64 2)",
        "ptr getelementptr inbounds ([4 x i32], ptr @other, i64 0, inrange i64 2)",
    ] {
        let (program, gep) = expression(text);
        assert_eq!(
            (gep.opcode, gep.operands.len()),
            (Opcode::GetElementPointer, 3)
        );
        assert!(matches!(
            program.type_of(gep.element_type),
            Type::Array { count: 4, .. }
        ));
    }
    for (text, opcode, count) in [
        (
            "i64 ptrtoint (ptr @other to i64)",
            Opcode::PointerToInteger,
            1,
        ),
        (
            "i64 ptrtoaddr (ptr @other to i64)",
            Opcode::PointerToInteger,
            1,
        ),
        (
            "ptr inttoptr (i64 4096 to ptr)",
            Opcode::IntegerToPointer,
            1,
        ),
        (
            "ptr addrspace(1) addrspacecast (ptr @other to ptr addrspace(1))",
            Opcode::AddressSpaceCast,
            1,
        ),
        (
            "i32 trunc (i64 ptrtoint (ptr @other to i64) to i32)",
            Opcode::Truncate,
            1,
        ),
        (
            "i64 sub nuw nsw (i64 ptrtoint (ptr @other to i64), i64 3)",
            Opcode::Subtract,
            2,
        ),
        (
            "i1 icmp ne (ptr @other, ptr null)",
            Opcode::IntegerCompare,
            2,
        ),
        (
            "i32 select (i1 icmp eq (ptr @other, ptr null), i32 1, i32 2)",
            Opcode::Select,
            3,
        ),
        (
            "i32 extractelement (<2 x i32> <i32 1, i32 2>, i32 0)",
            Opcode::ExtractElement,
            2,
        ),
        (
            "<2 x i32> insertelement (<2 x i32> poison, i32 1, i32 0)",
            Opcode::InsertElement,
            3,
        ),
        (
            "<2 x i32> shufflevector (<2 x i32> poison, <2 x i32> poison, <2 x i32> zeroinitializer)",
            Opcode::ShuffleVector,
            3,
        ),
        (
            "i32 extractvalue ({ i32 } { i32 1 }, 0)",
            Opcode::ExtractValue,
            2,
        ),
    ] {
        let (_, read) = expression(text);
        assert_eq!(
            (read.opcode, read.operands.len()),
            (opcode, count),
            "{text}"
        );
    }
}

#[test]
fn an_unknown_constant_is_opaque_with_a_caveat() {
    let (program, id) = initialiser("ptr frobnicated (ptr @other, i32 (3))");
    assert!(
        matches!(program.constant(id), Constant::Expression(expression) if expression.opcode == Opcode::Opaque)
    );
    assert_eq!(program.caveats.len(), 1);
}

#[test]
fn every_form_of_type_is_read() {
    let program = read(
        "%0 = type <{ i8, ptr addrspace(3) }>\n%\"quoted name\" = type { %0, %opaque*fix }\n%opaque = type opaque\n".replace("*fix", "").as_str(),
    );
    assert!(program.globals.is_empty());
    let program = read(
        "%0 = type <{ i8, ptr addrspace(3) }>\n%\"quoted name\" = type { %0, [2 x %2], <vscale x 4 x float> }\n%2 = type { x86_fp80, fp128, ppc_fp128, bfloat, half }\n%opaque = type opaque\n\
         @a = external global %\"quoted name\"\n@b = external global %opaque\n@c = external global target(\"spirv.Image\", void, 1, 0)\n@d = external global [99999999999999 x i8]\n@e = external global i8388608\n\
         declare void (i32, ...) @higher(x86_amx, metadata, token, i7)\n".replace("void (i32, ...) @higher", "void @higher").as_str(),
    );
    let of = |index: usize| program.type_of(program.globals[index].value_type).clone();
    let Type::Struct {
        name,
        fields,
        packed,
    } = of(0)
    else {
        panic!()
    };
    assert_eq!(
        (program.name(name), fields.len(), packed),
        ("quoted name", 3, false)
    );
    assert!(matches!(
        program.type_of(fields[0]),
        Type::Struct { packed: true, .. }
    ));
    assert!(matches!(
        program.type_of(fields[2]),
        Type::Vector {
            scalable: true,
            count: 4,
            ..
        }
    ));
    assert!(matches!(of(1), Type::Opaque(_)));
    assert!(
        matches!(of(2), Type::Target(name) if program.name(name).starts_with("target(\"spirv.Image\""))
    );
    assert!(matches!(
        of(3),
        Type::Array {
            count: 99_999_999_999_999,
            ..
        }
    ));
    assert_eq!(of(4), Type::Integer(8_388_608));
}
