//! Source places and variables, from records and from the older calls alike.

use super::{body, function, read};
use knockon_program::{Operand, PlaceId, Program, VariableLocationKind};

const METADATA: &str = r#"
!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "clang", isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "src/../a.c", directory: "/work/./tree", checksumkind: CSK_MD5, checksum: "00")
!2 = distinct !DISubprogram(name: "f", linkageName: "_Z1fi", scope: !1, file: !1, line: 10, type: !3, scopeLine: 10, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !4)
!3 = !DISubroutineType(types: !4)
!4 = !{null}
!5 = !DILocalVariable(name: "a", arg: 1, scope: !2, file: !1, line: 10, type: !9)
!6 = !DILocalVariable(name: "b", scope: !7, file: !1, line: 12, type: !9)
!7 = distinct !DILexicalBlock(scope: !2, line: 11, column: 3)
!8 = !DILocation(line: 13, column: 7, scope: !7)
!9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!10 = !DILocation(line: 20, column: 2, scope: !11, inlinedAt: !8)
!11 = distinct !DISubprogram(name: "g", scope: !12, file: !12, line: 19, unit: !0)
!12 = !DIFile(filename: "/usr/include//g.h", directory: "")
!13 = !DIGlobalVariableExpression(var: !14, expr: !DIExpression())
!14 = distinct !DIGlobalVariable(name: "counter", scope: !2, file: !1, line: 3, type: !9, isLocal: true, isDefinition: true)
!15 = !DILocalVariable(name: "x", arg: 1, scope: !11, file: !12, line: 19, type: !9)
!16 = !DILocation(line: 1, column: 1, scope: !2, inlinedAt: !16)
!17 = !DILabel(scope: !2, name: "again", file: !1, line: 14)
"#;

fn with_metadata(text: &str) -> Program {
    read(&format!("{text}{METADATA}"))
}

fn place(program: &Program, id: PlaceId) -> String {
    let place = program.place(id);
    if !place.is_known() {
        return "?".to_owned();
    }
    let inlined = if place.inlined_at == PlaceId(0) {
        String::new()
    } else {
        format!(" in {}", self::place(program, place.inlined_at))
    };
    format!(
        "{}:{}:{}{inlined}",
        program.file_path(place.file),
        place.line,
        place.column
    )
}

const RECORDS: &str = r#"
@f.counter = internal global i32 0, align 4, !dbg !13
define i32 @_Z1fi(i32 %a) !dbg !2 {
entry:
  %a.addr = alloca i32, align 4
    #dbg_declare(ptr %a.addr, !5, !DIExpression(), !8)
  store i32 %a, ptr %a.addr, align 4, !dbg !8, !tbaa !99
    #dbg_value(i32 %late, !6, !DIExpression(DW_OP_plus_uconst, 1), !8)
    #dbg_value(i32 7, !15, !DIExpression(), !10)
    #dbg_value(!DIArgList(i32 %a, i32 %late), !6, !DIExpression(DW_OP_LLVM_arg, 0), !8)
    #dbg_value(!{}, !6, !DIExpression(), !8)
    #dbg_assign(i32 %a, !6, !DIExpression(), !98, ptr %a.addr, !DIExpression(), !8)
    #dbg_label(!17, !8)
  %late = load i32, ptr %a.addr, align 4, !dbg !10
  ret i32 %late, !dbg !DILocation(line: 14, column: 1, scope: !2)
}
"#;

const CALLS: &str = r#"
@f.counter = internal global i32 0, align 4, !dbg !13
define i32 @_Z1fi(i32 %a) !dbg !2 {
entry:
  %a.addr = alloca i32, align 4
  call void @llvm.dbg.declare(metadata ptr %a.addr, metadata !5, metadata !DIExpression()), !dbg !8
  store i32 %a, ptr %a.addr, align 4, !dbg !8, !tbaa !99
  call void @llvm.dbg.value(metadata i32 %late, metadata !6, metadata !DIExpression(DW_OP_plus_uconst, 1)), !dbg !8
  tail call void @llvm.dbg.value(metadata i32 7, metadata !15, metadata !DIExpression()) #0, !dbg !10
  call void @llvm.dbg.value(metadata !DIArgList(i32 %a, i32 %late), metadata !6, metadata !DIExpression(DW_OP_LLVM_arg, 0)), !dbg !8
  call void @llvm.dbg.value(metadata !{}, metadata !6, metadata !DIExpression()), !dbg !8
  call void @llvm.dbg.assign(metadata i32 %a, metadata !6, metadata !DIExpression(), metadata !98, metadata ptr %a.addr, metadata !DIExpression()), !dbg !8
  call void @llvm.dbg.label(metadata !17), !dbg !8
  %late = load i32, ptr %a.addr, align 4, !dbg !10
  ret i32 %late, !dbg !DILocation(line: 14, column: 1, scope: !2)
}
declare void @llvm.dbg.declare(metadata, metadata, metadata)
declare void @llvm.dbg.value(metadata, metadata, metadata)
declare void @llvm.dbg.assign(metadata, metadata, metadata, metadata, metadata, metadata)
declare void @llvm.dbg.label(metadata)
"#;

#[test]
fn records_and_calls_say_the_same() {
    let records = with_metadata(RECORDS);
    let calls = with_metadata(CALLS);
    let (one, other) = (body(&records, "_Z1fi"), body(&calls, "_Z1fi"));
    assert_eq!(one.variable_locations.len(), 6);
    let shown = |program: &Program| {
        let body = body(program, "_Z1fi");
        body.variable_locations
            .iter()
            .map(|location| {
                let variable = body.variables[location.variable.index()];
                let value = super::shown(program, location.value);
                format!(
                    "{:?} {} = {value} before {} {}",
                    location.kind,
                    program.name(variable.name),
                    location.before.0,
                    location.whole
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(shown(&records), shown(&calls));
    assert_eq!(one.instructions.len(), other.instructions.len());
    assert_eq!((one.debug_calls, other.debug_calls), (0, 7));
}

#[test]
fn locations_keep_variable_value_and_wholeness() {
    let program = with_metadata(RECORDS);
    let body = body(&program, "_Z1fi");
    let first = body.variable_locations[0];
    assert_eq!(
        (first.kind, first.whole),
        (VariableLocationKind::Declared, true)
    );
    assert_eq!(
        first.value,
        Operand::Instruction(knockon_program::InstructionId(0))
    );
    assert_eq!(first.before.0, 1);
    let a = body.variables[first.variable.index()];
    assert_eq!((program.name(a.name), a.parameter), ("a", 1));
    assert_eq!(place(&program, a.place), "/work/tree/a.c:10:0");
    let second = body.variable_locations[1];
    assert_eq!(
        (second.kind, second.whole),
        (VariableLocationKind::Value, false)
    );
    assert_eq!(
        second.value,
        Operand::Instruction(knockon_program::InstructionId(2)),
        "defined after its use"
    );
    assert_eq!(second.before.0, 2);
    let inlined = body.variables[body.variable_locations[2].variable.index()];
    assert_eq!(
        (program.name(inlined.name), inlined.parameter),
        ("x", 0),
        "another function's parameter is a local here"
    );
    assert!(
        !body.variable_locations[3].whole
            && !body.variable_locations[4].whole
            && body.variable_locations[5].whole
    );
}

#[test]
fn places_have_file_line_column_and_the_call_they_were_inlined_into() {
    let program = with_metadata(RECORDS);
    let body = body(&program, "_Z1fi");
    let places: Vec<String> = body
        .instructions
        .iter()
        .map(|row| place(&program, row.place))
        .collect();
    assert_eq!(
        places,
        [
            "?",
            "/work/tree/a.c:13:7",
            "/usr/include/g.h:20:2 in /work/tree/a.c:13:7",
            "/work/tree/a.c:14:1"
        ],
    );
    let f = function(&program, "_Z1fi");
    assert_eq!(program.name(f.source_name), "f");
    assert_eq!(place(&program, f.place), "/work/tree/a.c:10:0");
    let counter = &program.globals[0];
    assert_eq!(program.name(counter.source_name), "counter");
    assert_eq!(place(&program, counter.place), "/work/tree/a.c:3:0");
}

#[test]
fn a_caveat_has_the_place_of_its_instruction() {
    let program = with_metadata(
        "define void @h() !dbg !2 {\n  call void asm sideeffect \"nop\", \"\"(), !dbg !8\n  frobnicate ptr null, !dbg !10\n  ret void\n}\n",
    );
    let lines: Vec<u32> = program
        .caveats
        .iter()
        .map(|caveat| program.place(caveat.place).line)
        .collect();
    assert_eq!(lines, [13, 20]);
}

#[test]
fn metadata_that_is_missing_cyclic_or_malformed_gives_unknown_places() {
    let program = read(
        "define void @f() !dbg !99 {\n  call void @g(), !dbg !0\n  call void @g(), !dbg !1\n  call void @g(), !dbg !2\n  call void @g(), !dbg !77\n  call void @g(), !dbg !18446744073709551615\n  ret void, !dbg !3\n}\ndeclare void @g()\n!0 = !DILocation(line: 1, scope: !0, inlinedAt: !1)\n!1 = !DILocation(line: 1, scope: !4, inlinedAt: !0)\n!2 = !{}\n!3 = !DILocation(line: \n!4 = !DILexicalBlock(scope: !4)\n",
    );
    assert_eq!(body(&program, "f").instructions.len(), 6);
}

#[test]
fn metadata_operands_of_ordinary_calls_are_kept_as_text() {
    let program = read(
        "define double @f(double %a) {\n  %r = call double @llvm.x(double %a, metadata !\"round.dynamic\", metadata !{i32 1}, metadata double %a, metadata !7) #0\n  ret double %r\n}\ndeclare double @llvm.x(double, metadata, metadata, metadata, metadata)\n",
    );
    let body = body(&program, "f");
    assert_eq!(
        super::operands(&program, body, knockon_program::InstructionId(0)),
        "@llvm.x, arg 0, !\"round.dynamic\", !{i32 1}, double %a, !7"
    );
}

#[test]
fn a_rust_unit_is_named_by_its_source() {
    let program = read(
        "source_filename = \"r.4dd8-cgu.0\"\n!llvm.dbg.cu = !{!0}\n!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1)\n!1 = !DIFile(filename: \"src/r.rs/@/r.4dd8-cgu.0\", directory: \"/x\")\n",
    );
    assert_eq!(program.name(program.units[0].source), "src/r.rs");
}
