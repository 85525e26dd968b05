; ModuleID = 's.cpp'
source_filename = "s.cpp"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%class.anon = type { ptr }
%struct.A = type <{ ptr, i32, [4 x i8] }>

$_ZN1BC2Ev = comdat any

$_ZN1AC2Ev = comdat any

$_Z5twiceIiET_S0_ = comdat any

$_ZN1BD0Ev = comdat any

$_ZN1B1fEv = comdat any

$_ZTV1B = comdat any

$_ZTS1B = comdat any

$_ZTI1B = comdat any

@_ZTV1B = linkonce_odr dso_local unnamed_addr constant { [5 x ptr] } { [5 x ptr] [ptr null, ptr @_ZTI1B, ptr @_ZN1AD2Ev, ptr @_ZN1BD0Ev, ptr @_ZN1B1fEv] }, comdat, align 8
@_ZL6object = internal global { ptr, i32 } { ptr getelementptr inbounds ({ [5 x ptr] }, ptr @_ZTV1B, i32 0, inrange i32 0, i32 2), i32 3 }, align 8, !dbg !0
@__dso_handle = external hidden global i8
@_ZTIi = external constant ptr
@_ZTVN10__cxxabiv120__si_class_type_infoE = external global ptr
@_ZTS1B = linkonce_odr dso_local constant [3 x i8] c"1B\00", comdat, align 1
@_ZTI1A = external constant ptr
@_ZTI1B = linkonce_odr dso_local constant { ptr, ptr, ptr } { ptr getelementptr inbounds (ptr, ptr @_ZTVN10__cxxabiv120__si_class_type_infoE, i64 2), ptr @_ZTS1B, ptr @_ZTI1A }, comdat, align 8
@_ZTV1A = external unnamed_addr constant { [5 x ptr] }, align 8
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_GLOBAL__sub_I_s.cpp, ptr null }]

; Function Attrs: uwtable
define internal void @__cxx_global_var_init() #0 section ".text.startup" !dbg !21 {
entry:
  %0 = call i32 @__cxa_atexit(ptr @_ZN1AD2Ev, ptr @_ZL6object, ptr @__dso_handle) #2, !dbg !26
  ret void, !dbg !26
}

; Function Attrs: nounwind
declare void @_ZN1AD2Ev(ptr noundef nonnull align 8 dereferenceable(12)) unnamed_addr #1

; Function Attrs: nounwind
declare i32 @__cxa_atexit(ptr, ptr, ptr) #2

; Function Attrs: mustprogress uwtable
define dso_local noundef i32 @_Z3runi(i32 noundef %n) #3 personality ptr @__gxx_personality_v0 !dbg !27 {
entry:
  %n.addr = alloca i32, align 4
  %a = alloca ptr, align 8
  %saved-rvalue = alloca ptr, align 8
  %cleanup.cond = alloca i1, align 1
  %saved-rvalue2 = alloca ptr, align 8
  %cleanup.cond3 = alloca i1, align 1
  %r = alloca i32, align 4
  %exn.slot = alloca ptr, align 8
  %ehselector.slot = alloca i32, align 4
  %e = alloca i32, align 4
  %l = alloca %class.anon, align 8
  store i32 %n, ptr %n.addr, align 4, !tbaa !41
  call void @llvm.dbg.declare(metadata ptr %n.addr, metadata !31, metadata !DIExpression()), !dbg !45
  call void @llvm.dbg.declare(metadata ptr %a, metadata !32, metadata !DIExpression()), !dbg !46
  %0 = load i32, ptr %n.addr, align 4, !dbg !47, !tbaa !41
  %tobool = icmp ne i32 %0, 0, !dbg !47
  store i1 false, ptr %cleanup.cond, align 1
  store i1 false, ptr %cleanup.cond3, align 1
  br i1 %tobool, label %cond.true, label %cond.false, !dbg !47

cond.true:                                        ; preds = %entry
  %call = call noalias noundef nonnull ptr @_Znwm(i64 noundef 16) #12, !dbg !48, !heapallocsite !5
  store ptr %call, ptr %saved-rvalue, align 8, !dbg !48
  store i1 true, ptr %cleanup.cond, align 1, !dbg !48
  call void @_ZN1BC2Ev(ptr noundef nonnull align 8 dereferenceable(12) %call) #2, !dbg !49
  br label %cond.end, !dbg !47

cond.false:                                       ; preds = %entry
  %call1 = call noalias noundef nonnull ptr @_Znwm(i64 noundef 16) #12, !dbg !50, !heapallocsite !8
  store ptr %call1, ptr %saved-rvalue2, align 8, !dbg !50
  store i1 true, ptr %cleanup.cond3, align 1, !dbg !50
  call void @_ZN1AC2Ev(ptr noundef nonnull align 8 dereferenceable(12) %call1) #2, !dbg !51
  br label %cond.end, !dbg !47

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi ptr [ %call, %cond.true ], [ %call1, %cond.false ], !dbg !47
  store ptr %cond, ptr %a, align 8, !dbg !46, !tbaa !52
  call void @llvm.dbg.declare(metadata ptr %r, metadata !34, metadata !DIExpression()), !dbg !54
  store i32 0, ptr %r, align 4, !dbg !54, !tbaa !41
  %1 = load ptr, ptr %a, align 8, !dbg !55, !tbaa !52
  %vtable = load ptr, ptr %1, align 8, !dbg !57, !tbaa !58
  %vfn = getelementptr inbounds ptr, ptr %vtable, i64 2, !dbg !57
  %2 = load ptr, ptr %vfn, align 8, !dbg !57
  %call4 = invoke noundef i32 %2(ptr noundef nonnull align 8 dereferenceable(12) %1)
          to label %invoke.cont unwind label %lpad, !dbg !57

invoke.cont:                                      ; preds = %cond.end
  %call6 = invoke noundef i32 @_Z3mayi(i32 noundef %call4)
          to label %invoke.cont5 unwind label %lpad, !dbg !60

invoke.cont5:                                     ; preds = %invoke.cont
  %3 = load i32, ptr %n.addr, align 4, !dbg !61, !tbaa !41
  %call8 = invoke noundef i32 @_Z5twiceIiET_S0_(i32 noundef %3)
          to label %invoke.cont7 unwind label %lpad, !dbg !62

invoke.cont7:                                     ; preds = %invoke.cont5
  %add = add nsw i32 %call6, %call8, !dbg !63
  store i32 %add, ptr %r, align 4, !dbg !64, !tbaa !41
  br label %try.cont, !dbg !65

lpad:                                             ; preds = %invoke.cont5, %invoke.cont, %cond.end
  %4 = landingpad { ptr, i32 }
          catch ptr @_ZTIi
          catch ptr null, !dbg !66
  %5 = extractvalue { ptr, i32 } %4, 0, !dbg !66
  store ptr %5, ptr %exn.slot, align 8, !dbg !66
  %6 = extractvalue { ptr, i32 } %4, 1, !dbg !66
  store i32 %6, ptr %ehselector.slot, align 4, !dbg !66
  br label %catch.dispatch, !dbg !66

catch.dispatch:                                   ; preds = %lpad
  %sel = load i32, ptr %ehselector.slot, align 4, !dbg !65
  %7 = call i32 @llvm.eh.typeid.for(ptr @_ZTIi) #2, !dbg !65
  %matches = icmp eq i32 %sel, %7, !dbg !65
  br i1 %matches, label %catch9, label %catch, !dbg !65

catch9:                                           ; preds = %catch.dispatch
  call void @llvm.dbg.declare(metadata ptr %e, metadata !35, metadata !DIExpression()), !dbg !67
  %exn10 = load ptr, ptr %exn.slot, align 8, !dbg !68
  %8 = call ptr @__cxa_begin_catch(ptr %exn10) #2, !dbg !68
  %9 = load i32, ptr %8, align 4, !dbg !68, !tbaa !41
  store i32 %9, ptr %e, align 4, !dbg !68, !tbaa !41
  %10 = load i32, ptr %e, align 4, !dbg !70, !tbaa !41
  store i32 %10, ptr %r, align 4, !dbg !72, !tbaa !41
  call void @__cxa_end_catch() #2, !dbg !73
  br label %try.cont, !dbg !73

try.cont:                                         ; preds = %catch9, %catch, %invoke.cont7
  call void @llvm.dbg.declare(metadata ptr %l, metadata !36, metadata !DIExpression()), !dbg !74
  %11 = getelementptr inbounds %class.anon, ptr %l, i32 0, i32 0, !dbg !75
  store ptr %r, ptr %11, align 8, !dbg !75, !tbaa !52
  %12 = load ptr, ptr %a, align 8, !dbg !76, !tbaa !52
  %isnull = icmp eq ptr %12, null, !dbg !77
  br i1 %isnull, label %delete.end, label %delete.notnull, !dbg !77

delete.notnull:                                   ; preds = %try.cont
  %vtable11 = load ptr, ptr %12, align 8, !dbg !77, !tbaa !58
  %vfn12 = getelementptr inbounds ptr, ptr %vtable11, i64 1, !dbg !77
  %13 = load ptr, ptr %vfn12, align 8, !dbg !77
  call void %13(ptr noundef nonnull align 8 dereferenceable(12) %12) #2, !dbg !77
  br label %delete.end, !dbg !77

delete.end:                                       ; preds = %delete.notnull, %try.cont
  %call13 = call noundef i32 @"_ZZ3runiENK3$_0clEi"(ptr noundef nonnull align 8 dereferenceable(8) %l, i32 noundef 2), !dbg !78
  ret i32 %call13, !dbg !79

catch:                                            ; preds = %catch.dispatch
  %exn = load ptr, ptr %exn.slot, align 8, !dbg !65
  %14 = call ptr @__cxa_begin_catch(ptr %exn) #2, !dbg !65
  store i32 -1, ptr %r, align 4, !dbg !80, !tbaa !41
  call void @__cxa_end_catch(), !dbg !68
  br label %try.cont, !dbg !68
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare void @llvm.dbg.declare(metadata, metadata, metadata) #4

; Function Attrs: nobuiltin allocsize(0)
declare noundef nonnull ptr @_Znwm(i64 noundef) #5

; Function Attrs: inlinehint nounwind uwtable
define linkonce_odr dso_local void @_ZN1BC2Ev(ptr noundef nonnull align 8 dereferenceable(12) %this) unnamed_addr #6 comdat align 2 !dbg !81 {
entry:
  %this.addr = alloca ptr, align 8
  store ptr %this, ptr %this.addr, align 8, !tbaa !52
  call void @llvm.dbg.declare(metadata ptr %this.addr, metadata !86, metadata !DIExpression()), !dbg !88
  %this1 = load ptr, ptr %this.addr, align 8
  call void @_ZN1AC2Ev(ptr noundef nonnull align 8 dereferenceable(12) %this1) #2, !dbg !89
  store ptr getelementptr inbounds ({ [5 x ptr] }, ptr @_ZTV1B, i32 0, inrange i32 0, i32 2), ptr %this1, align 8, !dbg !89, !tbaa !58
  ret void, !dbg !89
}

; Function Attrs: inlinehint nounwind uwtable
define linkonce_odr dso_local void @_ZN1AC2Ev(ptr noundef nonnull align 8 dereferenceable(12) %this) unnamed_addr #6 comdat align 2 !dbg !90 {
entry:
  %this.addr = alloca ptr, align 8
  store ptr %this, ptr %this.addr, align 8, !tbaa !52
  call void @llvm.dbg.declare(metadata ptr %this.addr, metadata !96, metadata !DIExpression()), !dbg !97
  %this1 = load ptr, ptr %this.addr, align 8
  store ptr getelementptr inbounds ({ [5 x ptr] }, ptr @_ZTV1A, i32 0, inrange i32 0, i32 2), ptr %this1, align 8, !dbg !98, !tbaa !58
  %x = getelementptr inbounds %struct.A, ptr %this1, i32 0, i32 1, !dbg !99
  store i32 3, ptr %x, align 8, !dbg !99, !tbaa !100
  ret void, !dbg !98
}

declare !dbg !102 noundef i32 @_Z3mayi(i32 noundef) #7

declare i32 @__gxx_personality_v0(...)

; Function Attrs: mustprogress nounwind uwtable
define linkonce_odr dso_local noundef i32 @_Z5twiceIiET_S0_(i32 noundef %t) #8 comdat !dbg !103 {
entry:
  %t.addr = alloca i32, align 4
  store i32 %t, ptr %t.addr, align 4, !tbaa !41
  call void @llvm.dbg.declare(metadata ptr %t.addr, metadata !105, metadata !DIExpression()), !dbg !108
  %0 = load i32, ptr %t.addr, align 4, !dbg !109, !tbaa !41
  %1 = load i32, ptr %t.addr, align 4, !dbg !110, !tbaa !41
  %add = add nsw i32 %0, %1, !dbg !111
  ret i32 %add, !dbg !112
}

; Function Attrs: nounwind memory(none)
declare i32 @llvm.eh.typeid.for(ptr) #9

declare ptr @__cxa_begin_catch(ptr)

declare void @__cxa_end_catch()

; Function Attrs: inlinehint mustprogress nounwind uwtable
define internal noundef i32 @"_ZZ3runiENK3$_0clEi"(ptr noundef nonnull align 8 dereferenceable(8) %this, i32 noundef %k) #10 align 2 !dbg !113 {
entry:
  %this.addr = alloca ptr, align 8
  %k.addr = alloca i32, align 4
  store ptr %this, ptr %this.addr, align 8, !tbaa !52
  call void @llvm.dbg.declare(metadata ptr %this.addr, metadata !120, metadata !DIExpression()), !dbg !123
  store i32 %k, ptr %k.addr, align 4, !tbaa !41
  call void @llvm.dbg.declare(metadata ptr %k.addr, metadata !122, metadata !DIExpression()), !dbg !124
  %this1 = load ptr, ptr %this.addr, align 8
  %0 = load i32, ptr %k.addr, align 4, !dbg !125, !tbaa !41
  %1 = getelementptr inbounds %class.anon, ptr %this1, i32 0, i32 0, !dbg !126
  %2 = load ptr, ptr %1, align 8, !dbg !126, !tbaa !127
  %3 = load i32, ptr %2, align 4, !dbg !126, !tbaa !41
  %add = add nsw i32 %0, %3, !dbg !129
  ret i32 %add, !dbg !130
}

; Function Attrs: inlinehint nounwind uwtable
define linkonce_odr dso_local void @_ZN1BD0Ev(ptr noundef nonnull align 8 dereferenceable(12) %this) unnamed_addr #6 comdat align 2 !dbg !131 {
entry:
  %this.addr = alloca ptr, align 8
  store ptr %this, ptr %this.addr, align 8, !tbaa !52
  call void @llvm.dbg.declare(metadata ptr %this.addr, metadata !134, metadata !DIExpression()), !dbg !135
  %this1 = load ptr, ptr %this.addr, align 8
  call void @_ZN1AD2Ev(ptr noundef nonnull align 8 dereferenceable(12) %this1) #2, !dbg !136
  call void @_ZdlPv(ptr noundef %this1) #13, !dbg !136
  ret void, !dbg !136
}

; Function Attrs: mustprogress nounwind uwtable
define linkonce_odr dso_local noundef i32 @_ZN1B1fEv(ptr noundef nonnull align 8 dereferenceable(12) %this) unnamed_addr #8 comdat align 2 !dbg !137 {
entry:
  %this.addr = alloca ptr, align 8
  store ptr %this, ptr %this.addr, align 8, !tbaa !52
  call void @llvm.dbg.declare(metadata ptr %this.addr, metadata !139, metadata !DIExpression()), !dbg !140
  %this1 = load ptr, ptr %this.addr, align 8
  %x = getelementptr inbounds %struct.A, ptr %this1, i32 0, i32 1, !dbg !141
  %0 = load i32, ptr %x, align 8, !dbg !141, !tbaa !100
  ret i32 %0, !dbg !142
}

; Function Attrs: nobuiltin nounwind
declare void @_ZdlPv(ptr noundef) #11

; Function Attrs: uwtable
define internal void @_GLOBAL__sub_I_s.cpp() #0 section ".text.startup" !dbg !143 {
entry:
  call void @__cxx_global_var_init(), !dbg !145
  ret void
}

attributes #0 = { uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nounwind }
attributes #3 = { mustprogress uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nobuiltin allocsize(0) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { inlinehint nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #7 = { "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #8 = { mustprogress nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #9 = { nounwind memory(none) }
attributes #10 = { inlinehint mustprogress nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #11 = { nobuiltin nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #12 = { builtin allocsize(0) }
attributes #13 = { builtin nounwind }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!14, !15, !16, !17, !18, !19}
!llvm.ident = !{!20}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "object", linkageName: "_ZL6object", scope: !2, file: !3, line: 5, type: !5, isLocal: true, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !3, producer: "clang version 16", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, globals: !4, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "s.cpp", directory: "/src", checksumkind: CSK_MD5, checksum: "a34655b6bf95c43e43b1f307fd3e852d")
!4 = !{!0}
!5 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "B", file: !3, line: 2, size: 128, flags: DIFlagTypePassByReference | DIFlagNonTrivial, elements: !6, vtableHolder: !8, identifier: "_ZTS1B")
!6 = !{!7, !9}
!7 = !DIDerivedType(tag: DW_TAG_inheritance, scope: !5, baseType: !8, extraData: i32 0)
!8 = !DICompositeType(tag: DW_TAG_structure_type, name: "A", file: !3, line: 1, size: 128, flags: DIFlagFwdDecl | DIFlagNonTrivial, identifier: "_ZTS1A")
!9 = !DISubprogram(name: "f", linkageName: "_ZN1B1fEv", scope: !5, file: !3, line: 2, type: !10, scopeLine: 2, containingType: !5, virtualIndex: 2, flags: DIFlagPrototyped, spFlags: DISPFlagVirtual | DISPFlagOptimized)
!10 = !DISubroutineType(types: !11)
!11 = !{!12, !13}
!12 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!13 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !5, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!14 = !{i32 7, !"Dwarf Version", i32 5}
!15 = !{i32 2, !"Debug Info Version", i32 3}
!16 = !{i32 1, !"wchar_size", i32 4}
!17 = !{i32 8, !"PIC Level", i32 2}
!18 = !{i32 7, !"PIE Level", i32 2}
!19 = !{i32 7, !"uwtable", i32 2}
!20 = !{!"clang version 16"}
!21 = distinct !DISubprogram(name: "__cxx_global_var_init", scope: !22, file: !22, type: !23, flags: DIFlagArtificial | DIFlagAllCallsDescribed, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !25)
!22 = !DIFile(filename: "s.cpp", directory: "/src")
!23 = !DISubroutineType(types: !24)
!24 = !{null}
!25 = !{}
!26 = !DILocation(line: 0, scope: !21)
!27 = distinct !DISubprogram(name: "run", linkageName: "_Z3runi", scope: !3, file: !3, line: 6, type: !28, scopeLine: 6, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !30)
!28 = !DISubroutineType(types: !29)
!29 = !{!12, !12}
!30 = !{!31, !32, !34, !35, !36}
!31 = !DILocalVariable(name: "n", arg: 1, scope: !27, file: !3, line: 6, type: !12)
!32 = !DILocalVariable(name: "a", scope: !27, file: !3, line: 7, type: !33)
!33 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !8, size: 64)
!34 = !DILocalVariable(name: "r", scope: !27, file: !3, line: 7, type: !12)
!35 = !DILocalVariable(name: "e", scope: !27, file: !3, line: 8, type: !12)
!36 = !DILocalVariable(name: "l", scope: !27, file: !3, line: 9, type: !37)
!37 = distinct !DICompositeType(tag: DW_TAG_class_type, scope: !27, file: !3, line: 9, size: 64, flags: DIFlagTypePassByValue | DIFlagNonTrivial, elements: !38)
!38 = !{!39}
!39 = !DIDerivedType(tag: DW_TAG_member, name: "r", scope: !37, file: !3, line: 9, baseType: !40, size: 64)
!40 = !DIDerivedType(tag: DW_TAG_reference_type, baseType: !12, size: 64)
!41 = !{!42, !42, i64 0}
!42 = !{!"int", !43, i64 0}
!43 = !{!"omnipotent char", !44, i64 0}
!44 = !{!"Simple C++ TBAA"}
!45 = !DILocation(line: 6, column: 13, scope: !27)
!46 = !DILocation(line: 7, column: 6, scope: !27)
!47 = !DILocation(line: 7, column: 10, scope: !27)
!48 = !DILocation(line: 7, column: 14, scope: !27)
!49 = !DILocation(line: 7, column: 18, scope: !27)
!50 = !DILocation(line: 7, column: 22, scope: !27)
!51 = !DILocation(line: 7, column: 26, scope: !27)
!52 = !{!53, !53, i64 0}
!53 = !{!"any pointer", !43, i64 0}
!54 = !DILocation(line: 7, column: 33, scope: !27)
!55 = !DILocation(line: 8, column: 17, scope: !56)
!56 = distinct !DILexicalBlock(scope: !27, file: !3, line: 8, column: 7)
!57 = !DILocation(line: 8, column: 20, scope: !56)
!58 = !{!59, !59, i64 0}
!59 = !{!"vtable pointer", !44, i64 0}
!60 = !DILocation(line: 8, column: 13, scope: !56)
!61 = !DILocation(line: 8, column: 33, scope: !56)
!62 = !DILocation(line: 8, column: 27, scope: !56)
!63 = !DILocation(line: 8, column: 25, scope: !56)
!64 = !DILocation(line: 8, column: 11, scope: !56)
!65 = !DILocation(line: 8, column: 37, scope: !56)
!66 = !DILocation(line: 11, column: 1, scope: !56)
!67 = !DILocation(line: 8, column: 50, scope: !27)
!68 = !DILocation(line: 8, column: 86, scope: !69)
!69 = distinct !DILexicalBlock(scope: !27, file: !3, line: 8, column: 76)
!70 = !DILocation(line: 8, column: 59, scope: !71)
!71 = distinct !DILexicalBlock(scope: !27, file: !3, line: 8, column: 53)
!72 = !DILocation(line: 8, column: 57, scope: !71)
!73 = !DILocation(line: 8, column: 62, scope: !71)
!74 = !DILocation(line: 9, column: 8, scope: !27)
!75 = !DILocation(line: 9, column: 12, scope: !27)
!76 = !DILocation(line: 10, column: 10, scope: !27)
!77 = !DILocation(line: 10, column: 3, scope: !27)
!78 = !DILocation(line: 10, column: 20, scope: !27)
!79 = !DILocation(line: 10, column: 13, scope: !27)
!80 = !DILocation(line: 8, column: 80, scope: !69)
!81 = distinct !DISubprogram(name: "B", linkageName: "_ZN1BC2Ev", scope: !5, file: !3, line: 2, type: !82, scopeLine: 2, flags: DIFlagArtificial | DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, declaration: !84, retainedNodes: !85)
!82 = !DISubroutineType(types: !83)
!83 = !{null, !13}
!84 = !DISubprogram(name: "B", scope: !5, type: !82, flags: DIFlagArtificial | DIFlagPrototyped, spFlags: DISPFlagOptimized)
!85 = !{!86}
!86 = !DILocalVariable(name: "this", arg: 1, scope: !81, type: !87, flags: DIFlagArtificial | DIFlagObjectPointer)
!87 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !5, size: 64)
!88 = !DILocation(line: 0, scope: !81)
!89 = !DILocation(line: 2, column: 8, scope: !81)
!90 = distinct !DISubprogram(name: "A", linkageName: "_ZN1AC2Ev", scope: !8, file: !3, line: 1, type: !91, scopeLine: 1, flags: DIFlagArtificial | DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, declaration: !94, retainedNodes: !95)
!91 = !DISubroutineType(types: !92)
!92 = !{null, !93}
!93 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !8, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!94 = !DISubprogram(name: "A", scope: !8, type: !91, flags: DIFlagArtificial | DIFlagPrototyped, spFlags: DISPFlagOptimized)
!95 = !{!96}
!96 = !DILocalVariable(name: "this", arg: 1, scope: !90, type: !33, flags: DIFlagArtificial | DIFlagObjectPointer)
!97 = !DILocation(line: 0, scope: !90)
!98 = !DILocation(line: 1, column: 8, scope: !90)
!99 = !DILocation(line: 1, column: 60, scope: !90)
!100 = !{!101, !42, i64 8}
!101 = !{!"_ZTS1A", !42, i64 8}
!102 = !DISubprogram(name: "may", linkageName: "_Z3mayi", scope: !3, file: !3, line: 3, type: !28, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized, retainedNodes: !25)
!103 = distinct !DISubprogram(name: "twice<int>", linkageName: "_Z5twiceIiET_S0_", scope: !3, file: !3, line: 4, type: !28, scopeLine: 4, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, templateParams: !106, retainedNodes: !104)
!104 = !{!105}
!105 = !DILocalVariable(name: "t", arg: 1, scope: !103, file: !3, line: 4, type: !12)
!106 = !{!107}
!107 = !DITemplateTypeParameter(name: "T", type: !12)
!108 = !DILocation(line: 4, column: 30, scope: !103)
!109 = !DILocation(line: 4, column: 42, scope: !103)
!110 = !DILocation(line: 4, column: 46, scope: !103)
!111 = !DILocation(line: 4, column: 44, scope: !103)
!112 = !DILocation(line: 4, column: 35, scope: !103)
!113 = distinct !DISubprogram(name: "operator()", linkageName: "_ZZ3runiENK3$_0clEi", scope: !37, file: !3, line: 9, type: !114, scopeLine: 9, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !2, declaration: !118, retainedNodes: !119)
!114 = !DISubroutineType(types: !115)
!115 = !{!12, !116, !12}
!116 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !117, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!117 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !37)
!118 = !DISubprogram(name: "operator()", scope: !37, file: !3, line: 9, type: !114, scopeLine: 9, flags: DIFlagPublic | DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagOptimized)
!119 = !{!120, !122}
!120 = !DILocalVariable(name: "this", arg: 1, scope: !113, type: !121, flags: DIFlagArtificial | DIFlagObjectPointer)
!121 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !117, size: 64)
!122 = !DILocalVariable(name: "k", arg: 2, scope: !113, file: !3, line: 9, type: !12)
!123 = !DILocation(line: 0, scope: !113)
!124 = !DILocation(line: 9, column: 20, scope: !113)
!125 = !DILocation(line: 9, column: 32, scope: !113)
!126 = !DILocation(line: 9, column: 36, scope: !113)
!127 = !{!128, !53, i64 0}
!128 = !{!"_ZTSZ3runiE3$_0", !53, i64 0}
!129 = !DILocation(line: 9, column: 34, scope: !113)
!130 = !DILocation(line: 9, column: 25, scope: !113)
!131 = distinct !DISubprogram(name: "~B", linkageName: "_ZN1BD0Ev", scope: !5, file: !3, line: 2, type: !82, scopeLine: 2, flags: DIFlagArtificial | DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, declaration: !132, retainedNodes: !133)
!132 = !DISubprogram(name: "~B", scope: !5, type: !82, containingType: !5, virtualIndex: 0, flags: DIFlagArtificial | DIFlagPrototyped, spFlags: DISPFlagVirtual | DISPFlagOptimized)
!133 = !{!134}
!134 = !DILocalVariable(name: "this", arg: 1, scope: !131, type: !87, flags: DIFlagArtificial | DIFlagObjectPointer)
!135 = !DILocation(line: 0, scope: !131)
!136 = !DILocation(line: 2, column: 8, scope: !131)
!137 = distinct !DISubprogram(name: "f", linkageName: "_ZN1B1fEv", scope: !5, file: !3, line: 2, type: !10, scopeLine: 2, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, declaration: !9, retainedNodes: !138)
!138 = !{!139}
!139 = !DILocalVariable(name: "this", arg: 1, scope: !137, type: !87, flags: DIFlagArtificial | DIFlagObjectPointer)
!140 = !DILocation(line: 0, scope: !137)
!141 = !DILocation(line: 2, column: 42, scope: !137)
!142 = !DILocation(line: 2, column: 35, scope: !137)
!143 = distinct !DISubprogram(linkageName: "_GLOBAL__sub_I_s.cpp", scope: !22, file: !22, type: !144, flags: DIFlagArtificial | DIFlagAllCallsDescribed, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !25)
!144 = !DISubroutineType(types: !25)
!145 = !DILocation(line: 0, scope: !143)
