; Constructs that compilers print rarely.
source_filename = "constructs.c"
target datalayout = "e-m:e-p270:32:32-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

module asm ".globl sym"

%pair = type { i32, [4 x i64] }
%"odd name" = type <{ i8, %pair, ptr addrspace(1) }>
%opaque = type opaque
$group = comdat any

@a = weak_odr hidden thread_local(initialexec) unnamed_addr global %pair { i32 1, [4 x i64] [i64 1, i64 -2, i64 undef, i64 poison] }, section "s", comdat($group), align 8, !dbg !0
@b = external global %opaque
@c = private constant [4 x i8] c"a\00\FFb", align 1
@d = global ptr getelementptr inbounds nuw (%pair, ptr @a, i64 0, i32 1, i64 2)
@e = global [2 x ptr] [ptr blockaddress(@f, %loop), ptr no_cfi @g]
@w = global i200 -12345678901234567890123456789012345678901234567890
@x = global { float, x86_fp80, fp128, half, bfloat } { float 0x3FB99999A0000000, x86_fp80 0xK3FFF8000000000000000, fp128 0xL00000000000000003FFF000000000000, half 0xH3C00, bfloat 0xR3F80 }
@v = global <8 x i16> splat (i16 3)
@alias = alias void (), ptr @g
@resolver = ifunc i32 (), ptr @g
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @g, ptr null }]

declare void @g() #0
declare i32 @personality(...)
declare double @llvm.x(double, metadata)

define i32 @f(i32 %n, ptr noundef nonnull align 8 dereferenceable(4) %p, %pair %s, <4 x i32> %v) #1 personality ptr @personality !dbg !2 {
entry:
  %slot = alloca %pair, i32 %n, align 16
    #dbg_declare(ptr %slot, !3, !DIExpression(), !4)
  %old = atomicrmw add ptr %p, i32 1 syncscope("agent") seq_cst, align 4
  %both = cmpxchg weak ptr %p, i32 %n, i32 0 acq_rel monotonic, align 4
  fence acquire
  %first = extractvalue { i32, i1 } %both, 0
  %inner = extractvalue %pair %s, 1, 2
  %again = insertvalue %pair %s, i64 %inner, 1, 3
  %lane = extractelement <4 x i32> %v, i64 1
  %mixed = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 3, i32 0>
  br label %loop

loop:                                             ; preds = %loop, %entry
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
    #dbg_value(!DIArgList(i32 %i, i32 %next), !3, !DIExpression(DW_OP_LLVM_arg, 0), !4)
  %next = add nuw nsw i32 %i, 1, !dbg !4
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %out, !prof !5

out:                                              ; preds = %loop
  switch i32 %next, label %bad [
    i32 0, label %call
    i32 -1, label %jump
  ]

call:                                             ; preds = %out
  invoke void @g() [ "deopt"(i32 %n) ]
          to label %jump unwind label %lpad, !dbg !4

lpad:                                             ; preds = %call
  %l = landingpad { ptr, i32 }
          cleanup
          catch ptr @a
          filter [1 x ptr] [ptr @b]
  resume { ptr, i32 } %l

jump:                                             ; preds = %call, %out
  %r = call nnan double @llvm.x(double 0x7FF8000000000000, metadata !"round.tonearest") #2
  %t = frobnicate i32 %n, ptr @a, !dbg !4
  %u = callbr i32 asm sideeffect "x $0", "=r,!i"(i32 %n)
          to label %more [label %bad]

more:                                             ; preds = %jump
  %z = zext nneg i32 %u to i64
  %q = getelementptr inbounds %"odd name", ptr %p, i64 %z, i32 1
  store volatile i32 %n, ptr %q, align 4, !dbg !4
  indirectbr ptr %q, [label %bad, label %loop2]

loop2:                                            ; preds = %more
  ret i32 %lane

bad:                                              ; preds = %more, %jump, %out
  unreachable
}

define void @pads(ptr %0) personality ptr @personality {
  invoke void @g()
          to label %7 unwind label %2

2:                                                ; preds = %1
  %3 = catchswitch within none [label %4] unwind label %6

4:                                                ; preds = %2
  %5 = catchpad within %3 [ptr null, i32 64, ptr %0]
  catchret from %5 to label %7

6:                                                ; preds = %2
  %clean = cleanuppad within none []
  cleanupret from %clean unwind to caller

7:                                                ; preds = %4, %1
  ret void
}

attributes #0 = { nounwind memory(argmem: read) "k"="v" }
attributes #1 = { noreturn alwaysinline }
attributes #2 = { strictfp }

!llvm.ident = !{!6}
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "a", file: !7, line: 1)
!2 = distinct !DISubprogram(name: "f", file: !7, line: 2)
!3 = !DILocalVariable(name: "slot", arg: 1, scope: !2, file: !7, line: 3)
!4 = !DILocation(line: 4, column: 5, scope: !8, inlinedAt: !9)
!5 = !{!"branch_weights", i32 1, i32 2}
!6 = !{!"by hand"}
!7 = !DIFile(filename: "constructs.c", directory: "/src/./x/..")
!8 = distinct !DILexicalBlock(scope: !2, line: 3, column: 1)
!9 = !DILocation(line: 9, scope: !2)
