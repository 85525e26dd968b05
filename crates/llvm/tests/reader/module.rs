//! Module-level entities: symbols, attributes, the unit itself.

use super::{body, function, read};
use knockon_program::{CaveatKind, FunctionAttributes, Linkage, ParameterAttributes, Type};

#[test]
fn the_unit_states_source_target_and_producer() {
    let program = read(
        "; ModuleID = 'a.c'\nsource_filename = \"dir/a\\20b.c\"\ntarget datalayout = \"E-p:32:32-i64:64\"\ntarget triple = \"x86_64-pc-linux-gnu\"\n\nmodule asm \".globl x\"\nmodule asm \"x:\"\n\n!llvm.ident = !{!0}\n!llvm.module.flags = !{!1}\n!0 = !{!\"clang version 19\"}\n!1 = !{i32 1, !\"wchar_size\", i32 4}\n^0 = module: (path: \"\", hash: (0, 0, 0, 0, 0))\n",
    );
    let unit = &program.units[0];
    assert_eq!(program.name(unit.source), "dir/a b.c");
    assert_eq!(program.name(unit.target_triple), "x86_64-pc-linux-gnu");
    assert_eq!(program.name(unit.producer), "clang version 19");
    assert_eq!(program.name(unit.assembly), ".globl x\nx:");
    assert_eq!(program.caveats.len(), 1);
    assert_eq!(program.caveats[0].kind, CaveatKind::InlineAssembly);
    assert!(program.layout.big_endian);
    assert_eq!(program.layout.pointer_size, 4);
}

#[test]
fn globals_keep_linkage_constancy_and_alignment() {
    let program = read(
        "$c = comdat any\n@a = dso_local global i32 7, align 4\n@b = internal unnamed_addr constant [2 x i8] c\"x\\00\", section \".rodata\", align 1\n@c = linkonce_odr hidden thread_local(initialexec) local_unnamed_addr global i64 0, comdat, align 8\n@d = external dllimport externally_initialized global ptr, no_sanitize_address, align 8 #0\n@e = common addrspace(1) global i8 0, partition \"p\", code_model \"large\", comdat($c)\n@0 = private unnamed_addr constant i32 1\n@\"odd \\22name\\FF\" = extern_weak global i32\nattributes #0 = { \"a\" }\n",
    );
    let names: Vec<&str> = program
        .globals
        .iter()
        .map(|global| program.name(global.name))
        .collect();
    assert_eq!(names, ["a", "b", "c", "d", "e", "@0", "odd \"name\\FF"]);
    let linkages: Vec<Linkage> = program
        .globals
        .iter()
        .map(|global| global.linkage)
        .collect();
    use Linkage::*;
    assert_eq!(
        linkages,
        [
            External,
            Internal,
            LinkOnceOdr,
            External,
            Common,
            Private,
            ExternalWeak
        ]
    );
    assert!(program.globals[1].is_constant && !program.globals[0].is_constant);
    assert!(program.globals[2].is_thread_local && !program.globals[1].is_thread_local);
    assert!(program.globals[3].initialiser.is_none() && program.globals[6].initialiser.is_none());
    let alignments: Vec<u32> = program
        .globals
        .iter()
        .map(|global| global.alignment)
        .collect();
    assert_eq!(alignments, [4, 1, 8, 8, 0, 0, 0]);
}

#[test]
fn aliases_and_ifuncs_name_what_they_stand_for() {
    let program = read(
        "@a = weak hidden alias void (), ptr @f\n@i = ifunc i32 (), ptr @f, partition \"x\"\n@p = alias i32, getelementptr inbounds ([2 x i32], ptr @g, i32 0, i32 1)\n@g = global [2 x i32] zeroinitializer\ndefine void @f() {\n  call void @a()\n  ret void\n}\n"
            .replace("i32, getelementptr", "i32, ptr getelementptr")
            .as_str(),
    );
    assert_eq!(program.aliases.len(), 3);
    assert_eq!(program.aliases[0].linkage, Linkage::Weak);
    assert!(program.aliases[1].is_ifunc && !program.aliases[0].is_ifunc);
    assert_eq!(
        program.called_function(program.aliases[0].aliasee),
        Some(program.functions_named("f")[0])
    );
}

#[test]
fn functions_keep_what_the_model_has_of_their_attributes() {
    let program = read(
        "%s = type { i32 }\ndeclare noundef zeroext i1 @pure(ptr noundef nonnull %x) #0\n\
         declare void @stop() noreturn nounwind\n\
         declare i32 @printf(ptr nocapture readonly, ...) local_unnamed_addr #1\n\
         define internal fastcc void @make(ptr dead_on_unwind noalias writable sret(%s) align 4 initializes((0, 4)) %out, ptr byval(%s) align 8 %in, i16 signext %n, i1 zeroext captures(none) %\"a b\") unnamed_addr #2 section \"text.x\" partition \"q\" comdat align 16 gc \"statepoint\" prefix i32 123 prologue i8 1 personality ptr @printf !dbg !4 !prof !5 {\n  ret void\n}\n\
         attributes #0 = { nounwind willreturn memory(argmem: read) \"a\"=\"}\" alignstack=8 }\n\
         attributes #1 = { returns_twice readnone vscale_range(1,16) allocsize(0) }\n\
         attributes #2 = { alwaysinline naked \"x\" }\n",
    );
    let attributes = |name: &str| function(&program, name).attributes;
    let expected = FunctionAttributes::NO_UNWIND
        .with(FunctionAttributes::WILL_RETURN)
        .with(FunctionAttributes::READ_ONLY)
        .with(FunctionAttributes::RETURNS_ZERO_EXTENDED);
    assert_eq!(attributes("pure"), expected);
    assert_eq!(
        attributes("stop"),
        FunctionAttributes::NO_RETURN.with(FunctionAttributes::NO_UNWIND)
    );
    assert_eq!(
        attributes("printf"),
        FunctionAttributes::RETURNS_TWICE.with(FunctionAttributes::READ_NONE)
    );
    assert_eq!(
        attributes("make"),
        FunctionAttributes::ALWAYS_INLINE
            .with(FunctionAttributes::NAKED)
            .with(FunctionAttributes::convention(63))
    );
    assert!(matches!(
        program.type_of(function(&program, "printf").type_id),
        Type::Function { variadic: true, .. }
    ));

    let make = function(&program, "make");
    assert_eq!(make.linkage, Linkage::Internal);
    assert_eq!(
        make.parameters[0].attributes,
        ParameterAttributes::STRUCT_RETURN.with(ParameterAttributes::NO_ALIAS)
    );
    assert!(matches!(
        program.type_of(make.parameters[0].pointee),
        Type::Struct { .. }
    ));
    assert_eq!(make.parameters[1].attributes, ParameterAttributes::BY_VALUE);
    assert_eq!(
        make.parameters[2].attributes,
        ParameterAttributes::SIGN_EXTENDED
    );
    assert_eq!(
        make.parameters[3].attributes,
        ParameterAttributes::ZERO_EXTENDED
    );
    assert_eq!(program.name(make.parameters[3].name), "a b");
    let pure = function(&program, "pure");
    assert_eq!(
        pure.parameters[0].attributes,
        ParameterAttributes::NO_UNDEF.with(ParameterAttributes::NON_NULL)
    );
}

#[test]
fn constructors_run_by_rising_and_destructors_by_falling_priority() {
    let program = read(
        "@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @late, ptr null }, { i32, ptr, ptr } { i32 101, ptr @early, ptr null }]\n@llvm.global_dtors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 101, ptr @early, ptr null }, { i32, ptr, ptr } { i32 65535, ptr @late, ptr null }]\ndeclare void @early()\ndeclare void @late()\n",
    );
    let names = |entries: &[knockon_program::InitialiserEntry]| -> Vec<String> {
        entries
            .iter()
            .map(|entry| program.function_name(entry.function).to_owned())
            .collect()
    };
    assert_eq!(names(&program.constructors), ["early", "late"]);
    assert_eq!(names(&program.destructors), ["late", "early"]);
}

#[test]
fn unnamed_values_and_blocks_are_numbered_together() {
    let program = read(
        "define i32 @f(i32 %0, i32) {\n  %3 = add i32 %0, %1\n  br label %4\n\n4:                                                ; preds = %2\n  %5 = mul i32 %3, 2\n  ret i32 %5\n}\n",
    );
    let body = body(&program, "f");
    assert_eq!(body.blocks.len(), 2);
    assert_eq!(program.name(body.blocks[0].name), "2");
    assert_eq!(program.name(body.blocks[1].name), "4");
}

#[test]
fn a_quoted_number_is_not_the_numbered_value() {
    let program = read("define i32 @f(i32 %\"0\") {\n  %1 = add i32 %\"0\", 1\n  ret i32 %1\n}\n");
    assert_eq!(body(&program, "f").instructions.len(), 2);
}

#[test]
fn bodies_written_by_hand_on_one_line_are_read() {
    let program = read(
        "define {i32, i32} @f() { ret {i32, i32} zeroinitializer }\ndefine void @g(ptr %p)\n{\n  ret void\n}\ndefine void @h() personality ptr @g { ; comment }\n  ret void }\n",
    );
    assert_eq!(program.defined_functions().count(), 3);
}

#[test]
fn entities_may_be_indented_and_span_lines_while_a_bracket_is_open() {
    let program = read(
        "  @x = global [2 x i32] [\n  i32 1,\ni32 2\n]\n %t = type {\n  i32\n}\n @y = global ptr @x\n declare void @g(\n  i32)\n define void @f() {\n   ret void\n }\n !0 = !{\n  !0\n}\nattributes #0 = {\n  nounwind\n}\n",
    );
    assert_eq!((program.globals.len(), program.functions.len()), (2, 2));
    assert_eq!(program.defined_functions().count(), 1);
}

#[test]
fn a_block_address_finds_its_block_before_the_function_is_read() {
    let program = read(
        "@t = global [2 x ptr] [ptr blockaddress(@f, %second), ptr blockaddress(@f, %\"a b\")]\ndefine void @f(ptr %p) {\nfirst:\n  indirectbr ptr %p, [label %second, label %\"a b\"]\n\nsecond:\n  unreachable\n\n\"a b\":\n  ret void\n}\n",
    );
    assert_eq!(program.name(body(&program, "f").blocks[2].name), "a b");
}

#[test]
fn use_list_orders_are_skipped() {
    let program = read(
        "@g = global i32 0\ndefine i32 @f(i32 %a) {\n  %b = add i32 %a, %a\n  ret i32 %b\n\n  uselistorder i32 %a, { 1, 0 }\n}\nuselistorder ptr @g, { 1, 0 }\n",
    );
    assert_eq!(body(&program, "f").instructions.len(), 2);
}
