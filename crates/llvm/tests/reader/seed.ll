; ModuleID = 's.c'
source_filename = "s.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.__jmp_buf_tag = type { [8 x i64], i32, %struct.__sigset_t }
%struct.__sigset_t = type { [16 x i64] }
%struct.node = type { ptr, i32, double, [12 x i8] }
%struct.big = type { [8 x i64] }
%struct.__va_list_tag = type { i32, i32, ptr, ptr }

@.str = private unnamed_addr constant [6 x i8] c"alpha\00", align 1, !dbg !0
@.str.1 = private unnamed_addr constant [7 x i8] c"be\22ta\0A\00", align 1, !dbg !7
@names = dso_local global [3 x ptr] [ptr @.str, ptr @.str.1, ptr null], align 16, !dbg !12
@ld = dso_local global x86_fp80 0xK3FFFC000000000000000, align 16, !dbg !22
@counter = dso_local thread_local global i32 0, align 4, !dbg !49
@classify.calls = internal global i32 0, align 4, !dbg !25
@table = internal global [4 x i32] [i32 1, i32 2, i32 3, i32 -4], align 16, !dbg !85
@env = internal global [1 x %struct.__jmp_buf_tag] zeroinitializer, align 16, !dbg !52
@shared = dso_local global i32 0, align 4, !dbg !80
@handler = dso_local global ptr null, align 8, !dbg !47
@pool = internal global [2 x %struct.node] [%struct.node { ptr null, i32 1, double 1.500000e+00, [12 x i8] c"x\00\00\00\00\00\00\00\00\00\00\00" }, %struct.node { ptr @pool, i32 2, double -2.500000e-01, [12 x i8] c"y\00\00\00\00\00\00\00\00\00\00\00" }], align 16, !dbg !90
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @start, ptr null }]

; Function Attrs: nounwind uwtable
define internal void @start() #0 !dbg !107 {
entry:
  %0 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @counter), !dbg !110
  store i32 1, ptr %0, align 4, !dbg !111, !tbaa !112
  ret void, !dbg !116
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull) #1

; Function Attrs: nounwind uwtable
define dso_local void @make(ptr dead_on_unwind noalias writable sret(%struct.big) align 8 %agg.result, ptr noundef byval(%struct.big) align 8 %b, i32 noundef %k) #0 !dbg !117 {
entry:
  %k.addr = alloca i32, align 4
    #dbg_declare(ptr %b, !124, !DIExpression(), !126)
  store i32 %k, ptr %k.addr, align 4, !tbaa !112
    #dbg_declare(ptr %k.addr, !125, !DIExpression(), !127)
  %0 = load i32, ptr %k.addr, align 4, !dbg !128, !tbaa !112
  %conv = sext i32 %0 to i64, !dbg !128
  %a = getelementptr inbounds %struct.big, ptr %b, i32 0, i32 0, !dbg !129
  %1 = load i32, ptr %k.addr, align 4, !dbg !130, !tbaa !112
  %and = and i32 %1, 7, !dbg !131
  %idxprom = sext i32 %and to i64, !dbg !132
  %arrayidx = getelementptr inbounds [8 x i64], ptr %a, i64 0, i64 %idxprom, !dbg !132
  store i64 %conv, ptr %arrayidx, align 8, !dbg !133, !tbaa !134
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %agg.result, ptr align 8 %b, i64 64, i1 false), !dbg !136, !tbaa.struct !137
  ret void, !dbg !139
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #2

; Function Attrs: nounwind uwtable
define dso_local i32 @classify(i32 noundef %c, ptr noundef %p) #0 !dbg !27 {
entry:
  %retval = alloca i32, align 4
  %c.addr = alloca i32, align 4
  %p.addr = alloca ptr, align 8
  store i32 %c, ptr %c.addr, align 4, !tbaa !112
    #dbg_declare(ptr %c.addr, !44, !DIExpression(), !140)
  store ptr %p, ptr %p.addr, align 8, !tbaa !141
    #dbg_declare(ptr %p.addr, !45, !DIExpression(), !143)
  %0 = load i32, ptr @classify.calls, align 4, !dbg !144, !tbaa !112
  %inc = add nsw i32 %0, 1, !dbg !144
  store i32 %inc, ptr @classify.calls, align 4, !dbg !144, !tbaa !112
  %1 = load i32, ptr %c.addr, align 4, !dbg !145, !tbaa !112
  switch i32 %1, label %sw.default [
    i32 97, label %sw.bb
    i32 98, label %sw.bb
    i32 -3, label %sw.bb1
  ], !dbg !146

sw.bb:                                            ; preds = %entry, %entry
  store i32 1, ptr %retval, align 4, !dbg !147
  br label %return, !dbg !147

sw.bb1:                                           ; preds = %entry
  %2 = load ptr, ptr %p.addr, align 8, !dbg !149, !tbaa !141
  %tobool = icmp ne ptr %2, null, !dbg !149
  br i1 %tobool, label %cond.true, label %cond.false, !dbg !149

cond.true:                                        ; preds = %sw.bb1
  %3 = load ptr, ptr %p.addr, align 8, !dbg !150, !tbaa !141
  %value = getelementptr inbounds %struct.node, ptr %3, i32 0, i32 1, !dbg !151
  %4 = load i32, ptr %value, align 8, !dbg !151, !tbaa !152
  br label %cond.end, !dbg !149

cond.false:                                       ; preds = %sw.bb1
  br label %cond.end, !dbg !149

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %4, %cond.true ], [ 0, %cond.false ], !dbg !149
  store i32 %cond, ptr %retval, align 4, !dbg !155
  br label %return, !dbg !155

sw.default:                                       ; preds = %entry
  br label %sw.epilog, !dbg !156

sw.epilog:                                        ; preds = %sw.default
  br label %while.cond, !dbg !157

while.cond:                                       ; preds = %if.end, %sw.epilog
  %5 = load ptr, ptr %p.addr, align 8, !dbg !158, !tbaa !141
  %tobool2 = icmp ne ptr %5, null, !dbg !158
  br i1 %tobool2, label %land.rhs, label %land.end, !dbg !159

land.rhs:                                         ; preds = %while.cond
  %6 = load ptr, ptr %p.addr, align 8, !dbg !160, !tbaa !141
  %next = getelementptr inbounds %struct.node, ptr %6, i32 0, i32 0, !dbg !161
  %7 = load ptr, ptr %next, align 8, !dbg !161, !tbaa !162
  %tobool3 = icmp ne ptr %7, null, !dbg !159
  br label %land.end

land.end:                                         ; preds = %land.rhs, %while.cond
  %8 = phi i1 [ false, %while.cond ], [ %tobool3, %land.rhs ], !dbg !163
  br i1 %8, label %while.body, label %while.end, !dbg !157

while.body:                                       ; preds = %land.end
  %9 = load ptr, ptr %p.addr, align 8, !dbg !164, !tbaa !141
  %value4 = getelementptr inbounds %struct.node, ptr %9, i32 0, i32 1, !dbg !167
  %10 = load i32, ptr %value4, align 8, !dbg !167, !tbaa !152
  %cmp = icmp sgt i32 %10, 10, !dbg !168
  br i1 %cmp, label %if.then, label %lor.lhs.false, !dbg !169

lor.lhs.false:                                    ; preds = %while.body
  %11 = load ptr, ptr %p.addr, align 8, !dbg !170, !tbaa !141
  %w = getelementptr inbounds %struct.node, ptr %11, i32 0, i32 2, !dbg !171
  %12 = load double, ptr %w, align 8, !dbg !171, !tbaa !172
  %cmp5 = fcmp olt double %12, 5.000000e-01, !dbg !173
  br i1 %cmp5, label %if.then, label %if.end, !dbg !174

if.then:                                          ; preds = %lor.lhs.false, %while.body
  br label %while.end, !dbg !175

if.end:                                           ; preds = %lor.lhs.false
  %13 = load ptr, ptr %p.addr, align 8, !dbg !176, !tbaa !141
  %next6 = getelementptr inbounds %struct.node, ptr %13, i32 0, i32 0, !dbg !177
  %14 = load ptr, ptr %next6, align 8, !dbg !177, !tbaa !162
  store ptr %14, ptr %p.addr, align 8, !dbg !178, !tbaa !141
  br label %while.cond, !dbg !157, !llvm.loop !179

while.end:                                        ; preds = %if.then, %land.end
  %15 = load i32, ptr %c.addr, align 4, !dbg !183, !tbaa !112
  %mul = mul nsw i32 0, %15, !dbg !184
  %idx.ext = sext i32 %mul to i64, !dbg !185
  %add.ptr = getelementptr inbounds i8, ptr blockaddress(@classify, %out), i64 %idx.ext, !dbg !185
  br label %indirectgoto, !dbg !186

out:                                              ; preds = %indirectgoto
    #dbg_label(!46, !187)
  %16 = load i32, ptr %c.addr, align 4, !dbg !188, !tbaa !112
  %and = and i32 %16, 3, !dbg !189
  %idxprom = sext i32 %and to i64, !dbg !190
  %arrayidx = getelementptr inbounds [4 x i32], ptr @table, i64 0, i64 %idxprom, !dbg !190
  %17 = load i32, ptr %arrayidx, align 4, !dbg !190, !tbaa !112
  %18 = load ptr, ptr %p.addr, align 8, !dbg !191, !tbaa !141
  %tobool7 = icmp ne ptr %18, null, !dbg !191
  br i1 %tobool7, label %cond.true8, label %cond.false11, !dbg !191

cond.true8:                                       ; preds = %out
  %19 = load ptr, ptr %p.addr, align 8, !dbg !192, !tbaa !141
  %w9 = getelementptr inbounds %struct.node, ptr %19, i32 0, i32 2, !dbg !193
  %20 = load double, ptr %w9, align 8, !dbg !193, !tbaa !172
  %mul10 = fmul double %20, 2.000000e+00, !dbg !194
  br label %cond.end12, !dbg !191

cond.false11:                                     ; preds = %out
  br label %cond.end12, !dbg !191

cond.end12:                                       ; preds = %cond.false11, %cond.true8
  %cond13 = phi double [ %mul10, %cond.true8 ], [ 0.000000e+00, %cond.false11 ], !dbg !191
  %conv = fptosi double %cond13 to i32, !dbg !195
  %add = add nsw i32 %17, %conv, !dbg !196
  store i32 %add, ptr %retval, align 4, !dbg !197
  br label %return, !dbg !197

return:                                           ; preds = %cond.end12, %cond.end, %sw.bb
  %21 = load i32, ptr %retval, align 4, !dbg !198
  ret i32 %21, !dbg !198

indirectgoto:                                     ; preds = %while.end
  %indirect.goto.dest = phi ptr [ %add.ptr, %while.end ]
  indirectbr ptr %indirect.goto.dest, [label %out]
}

; Function Attrs: nounwind uwtable
define dso_local <4 x float> @scale(<4 x float> noundef %a, float noundef %f) #3 !dbg !199 {
entry:
  %a.addr = alloca <4 x float>, align 16
  %f.addr = alloca float, align 4
  %r = alloca <4 x float>, align 16
  store <4 x float> %a, ptr %a.addr, align 16, !tbaa !138
    #dbg_declare(ptr %a.addr, !206, !DIExpression(), !209)
  store float %f, ptr %f.addr, align 4, !tbaa !210
    #dbg_declare(ptr %f.addr, !207, !DIExpression(), !212)
    #dbg_declare(ptr %r, !208, !DIExpression(), !213)
  %0 = load <4 x float>, ptr %a.addr, align 16, !dbg !214, !tbaa !138
  %1 = load float, ptr %f.addr, align 4, !dbg !215, !tbaa !210
  %splat.splatinsert = insertelement <4 x float> poison, float %1, i64 0, !dbg !215
  %splat.splat = shufflevector <4 x float> %splat.splatinsert, <4 x float> poison, <4 x i32> zeroinitializer, !dbg !215
  %mul = fmul <4 x float> %0, %splat.splat, !dbg !216
  store <4 x float> %mul, ptr %r, align 16, !dbg !213, !tbaa !138
  %2 = load float, ptr %f.addr, align 4, !dbg !217, !tbaa !210
  %3 = load <4 x float>, ptr %r, align 16, !dbg !218
  %vecins = insertelement <4 x float> %3, float %2, i32 1, !dbg !218
  store <4 x float> %vecins, ptr %r, align 16, !dbg !218
  %4 = load <4 x float>, ptr %r, align 16, !dbg !219, !tbaa !138
  ret <4 x float> %4, !dbg !220
}

; Function Attrs: nounwind uwtable
define dso_local i32 @main(i32 noundef %argc, ptr noundef %argv) #0 !dbg !221 {
entry:
  %retval = alloca i32, align 4
  %argc.addr = alloca i32, align 4
  %argv.addr = alloca ptr, align 8
  %b = alloca %struct.big, align 8
  %.atomictmp = alloca i32, align 4
  %atomic-temp = alloca i32, align 4
  %e = alloca i32, align 4
  %.atomictmp1 = alloca i32, align 4
  %cmpxchg.bool = alloca i8, align 1
  %w = alloca i128, align 16
  %saved_stack = alloca ptr, align 8
  %__vla_expr0 = alloca i64, align 8
  %tmp = alloca %struct.big, align 8
  %r = alloca i32, align 4
  store i32 0, ptr %retval, align 4
  store i32 %argc, ptr %argc.addr, align 4, !tbaa !112
    #dbg_declare(ptr %argc.addr, !227, !DIExpression(), !238)
  store ptr %argv, ptr %argv.addr, align 8, !tbaa !141
    #dbg_declare(ptr %argv.addr, !228, !DIExpression(), !239)
    #dbg_declare(ptr %b, !229, !DIExpression(), !240)
  call void @llvm.memset.p0.i64(ptr align 8 %b, i8 0, i64 64, i1 false), !dbg !240
  call void asm sideeffect "nop", "~{memory},~{dirflag},~{fpsr},~{flags}"() #9, !dbg !241, !srcloc !242
  %call = call i32 @_setjmp(ptr noundef @env) #10, !dbg !243
  %tobool = icmp ne i32 %call, 0, !dbg !243
  br i1 %tobool, label %if.then, label %if.end, !dbg !245

if.then:                                          ; preds = %entry
  store i32 2, ptr %retval, align 4, !dbg !246
  br label %return, !dbg !246

if.end:                                           ; preds = %entry
  store i32 1, ptr %.atomictmp, align 4, !dbg !247, !tbaa !112
  %0 = load i32, ptr %.atomictmp, align 4, !dbg !247
  %1 = atomicrmw add ptr @shared, i32 %0 seq_cst, align 4, !dbg !247
  store i32 %1, ptr %atomic-temp, align 4, !dbg !247
  %2 = load i32, ptr %atomic-temp, align 4, !dbg !247, !tbaa !112
    #dbg_declare(ptr %e, !230, !DIExpression(), !248)
  store i32 1, ptr %e, align 4, !dbg !248, !tbaa !112
  store i32 5, ptr %.atomictmp1, align 4, !dbg !249, !tbaa !112
  %3 = load i32, ptr %e, align 4, !dbg !249
  %4 = load i32, ptr %.atomictmp1, align 4, !dbg !249
  %5 = cmpxchg ptr @shared, i32 %3, i32 %4 seq_cst seq_cst, align 4, !dbg !249
  %6 = extractvalue { i32, i1 } %5, 0, !dbg !249
  %7 = extractvalue { i32, i1 } %5, 1, !dbg !249
  br i1 %7, label %cmpxchg.continue, label %cmpxchg.store_expected, !dbg !249

cmpxchg.store_expected:                           ; preds = %if.end
  store i32 %6, ptr %e, align 4, !dbg !249
  br label %cmpxchg.continue, !dbg !249

cmpxchg.continue:                                 ; preds = %cmpxchg.store_expected, %if.end
  %storedv = zext i1 %7 to i8, !dbg !249
  store i8 %storedv, ptr %cmpxchg.bool, align 1, !dbg !249, !tbaa !250
  %8 = load i8, ptr %cmpxchg.bool, align 1, !dbg !249, !tbaa !250, !range !252, !noundef !253
  %loadedv = trunc i8 %8 to i1, !dbg !249
    #dbg_declare(ptr %w, !231, !DIExpression(), !254)
  %9 = load i32, ptr %argc.addr, align 4, !dbg !255, !tbaa !112
  %conv = sext i32 %9 to i128, !dbg !256
  %shl = shl i128 %conv, 70, !dbg !257
  store i128 %shl, ptr %w, align 16, !dbg !254, !tbaa !258
  %10 = load i32, ptr %argc.addr, align 4, !dbg !260, !tbaa !112
  %add = add nsw i32 %10, 1, !dbg !261
  %11 = zext i32 %add to i64, !dbg !262
  %12 = call ptr @llvm.stacksave.p0(), !dbg !262
  store ptr %12, ptr %saved_stack, align 8, !dbg !262
  %vla = alloca i8, i64 %11, align 16, !dbg !262
  store i64 %11, ptr %__vla_expr0, align 8, !dbg !262
    #dbg_declare(ptr %__vla_expr0, !232, !DIExpression(), !263)
    #dbg_declare(ptr %vla, !233, !DIExpression(), !264)
  %13 = load i128, ptr %w, align 16, !dbg !265, !tbaa !258
  %shr = lshr i128 %13, 64, !dbg !266
  %conv2 = trunc i128 %shr to i8, !dbg !267
  %arrayidx = getelementptr inbounds i8, ptr %vla, i64 0, !dbg !268
  store i8 %conv2, ptr %arrayidx, align 16, !dbg !269, !tbaa !138
  %14 = load i32, ptr %argc.addr, align 4, !dbg !270, !tbaa !112
  call void @make(ptr dead_on_unwind writable sret(%struct.big) align 8 %tmp, ptr noundef byval(%struct.big) align 8 %b, i32 noundef %14), !dbg !271
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %b, ptr align 8 %tmp, i64 64, i1 false), !dbg !271, !tbaa.struct !137
  %15 = load i32, ptr %argc.addr, align 4, !dbg !272, !tbaa !112
  %cmp = icmp sgt i32 %15, 1, !dbg !273
  %16 = zext i1 %cmp to i64, !dbg !272
  %cond = select i1 %cmp, ptr null, ptr @sum, !dbg !272
  store ptr %cond, ptr @handler, align 8, !dbg !274, !tbaa !141
    #dbg_declare(ptr %r, !237, !DIExpression(), !275)
  %17 = load ptr, ptr @handler, align 8, !dbg !276, !tbaa !141
  %tobool4 = icmp ne ptr %17, null, !dbg !276
  br i1 %tobool4, label %cond.true, label %cond.false, !dbg !276

cond.true:                                        ; preds = %cmpxchg.continue
  %18 = load ptr, ptr @handler, align 8, !dbg !277, !tbaa !141
  %call5 = call i32 %18(i32 noundef 3), !dbg !277
  br label %cond.end, !dbg !276

cond.false:                                       ; preds = %cmpxchg.continue
  %19 = load i32, ptr %argc.addr, align 4, !dbg !278, !tbaa !112
  %arrayidx6 = getelementptr inbounds i8, ptr %vla, i64 0, !dbg !279
  %20 = load i8, ptr %arrayidx6, align 16, !dbg !279, !tbaa !138
  %conv7 = sext i8 %20 to i32, !dbg !279
  %call8 = call i32 (i32, ...) @sum(i32 noundef 2, i32 noundef %19, i32 noundef %conv7), !dbg !280
  br label %cond.end, !dbg !276

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond9 = phi i32 [ %call5, %cond.true ], [ %call8, %cond.false ], !dbg !276
  store i32 %cond9, ptr %r, align 4, !dbg !275, !tbaa !112
  %21 = load i32, ptr %r, align 4, !dbg !281, !tbaa !112
  %cmp10 = icmp eq i32 %21, 7, !dbg !283
  br i1 %cmp10, label %if.then12, label %if.end13, !dbg !284

if.then12:                                        ; preds = %cond.end
  call void @longjmp(ptr noundef @env, i32 noundef 1) #11, !dbg !285
  unreachable, !dbg !285

if.end13:                                         ; preds = %cond.end
  %22 = load ptr, ptr %argv.addr, align 8, !dbg !286, !tbaa !141
  %arrayidx14 = getelementptr inbounds ptr, ptr %22, i64 0, !dbg !286
  %23 = load ptr, ptr %arrayidx14, align 8, !dbg !286, !tbaa !141
  %arrayidx15 = getelementptr inbounds i8, ptr %23, i64 0, !dbg !286
  %24 = load i8, ptr %arrayidx15, align 1, !dbg !286, !tbaa !138
  %conv16 = sext i8 %24 to i32, !dbg !286
  %call17 = call i32 @classify(i32 noundef %conv16, ptr noundef getelementptr inbounds ([2 x %struct.node], ptr @pool, i64 0, i64 1)), !dbg !287
  %a = getelementptr inbounds %struct.big, ptr %b, i32 0, i32 0, !dbg !288
  %arrayidx18 = getelementptr inbounds [8 x i64], ptr %a, i64 0, i64 1, !dbg !289
  %25 = load i64, ptr %arrayidx18, align 8, !dbg !289, !tbaa !134
  %conv19 = trunc i64 %25 to i32, !dbg !290
  %add20 = add nsw i32 %call17, %conv19, !dbg !291
  %26 = load ptr, ptr @names, align 16, !dbg !292, !tbaa !141
  %cmp21 = icmp ne ptr %26, null, !dbg !293
  %conv22 = zext i1 %cmp21 to i32, !dbg !293
  %add23 = add nsw i32 %add20, %conv22, !dbg !294
  store i32 %add23, ptr %retval, align 4, !dbg !295
  %27 = load ptr, ptr %saved_stack, align 8, !dbg !296
  call void @llvm.stackrestore.p0(ptr %27), !dbg !296
  br label %return

return:                                           ; preds = %if.end13, %if.then
  %28 = load i32, ptr %retval, align 4, !dbg !296
  ret i32 %28, !dbg !296
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #4

; Function Attrs: nounwind returns_twice
declare !dbg !297 i32 @_setjmp(ptr noundef) #5

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare ptr @llvm.stacksave.p0() #6

; Function Attrs: noinline nounwind uwtable
define internal i32 @sum(i32 noundef %n, ...) #7 !dbg !301 {
entry:
  %n.addr = alloca i32, align 4
  %ap = alloca [1 x %struct.__va_list_tag], align 16
  %s = alloca i32, align 4
  %i = alloca i32, align 4
  store i32 %n, ptr %n.addr, align 4, !tbaa !112
    #dbg_declare(ptr %n.addr, !305, !DIExpression(), !321)
    #dbg_declare(ptr %ap, !306, !DIExpression(), !322)
    #dbg_declare(ptr %s, !318, !DIExpression(), !323)
  store i32 0, ptr %s, align 4, !dbg !323, !tbaa !112
  %arraydecay = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %ap, i64 0, i64 0, !dbg !324
  call void @llvm.va_start.p0(ptr %arraydecay), !dbg !324
    #dbg_declare(ptr %i, !319, !DIExpression(), !325)
  store i32 0, ptr %i, align 4, !dbg !325, !tbaa !112
  br label %for.cond, !dbg !326

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, ptr %i, align 4, !dbg !327, !tbaa !112
  %1 = load i32, ptr %n.addr, align 4, !dbg !329, !tbaa !112
  %cmp = icmp slt i32 %0, %1, !dbg !330
  br i1 %cmp, label %for.body, label %for.end, !dbg !331

for.body:                                         ; preds = %for.cond
  %arraydecay1 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %ap, i64 0, i64 0, !dbg !332
  %gp_offset_p = getelementptr inbounds %struct.__va_list_tag, ptr %arraydecay1, i32 0, i32 0, !dbg !332
  %gp_offset = load i32, ptr %gp_offset_p, align 16, !dbg !332
  %fits_in_gp = icmp ule i32 %gp_offset, 40, !dbg !332
  br i1 %fits_in_gp, label %vaarg.in_reg, label %vaarg.in_mem, !dbg !332

vaarg.in_reg:                                     ; preds = %for.body
  %2 = getelementptr inbounds %struct.__va_list_tag, ptr %arraydecay1, i32 0, i32 3, !dbg !332
  %reg_save_area = load ptr, ptr %2, align 16, !dbg !332
  %3 = getelementptr i8, ptr %reg_save_area, i32 %gp_offset, !dbg !332
  %4 = add i32 %gp_offset, 8, !dbg !332
  store i32 %4, ptr %gp_offset_p, align 16, !dbg !332
  br label %vaarg.end, !dbg !332

vaarg.in_mem:                                     ; preds = %for.body
  %overflow_arg_area_p = getelementptr inbounds %struct.__va_list_tag, ptr %arraydecay1, i32 0, i32 2, !dbg !332
  %overflow_arg_area = load ptr, ptr %overflow_arg_area_p, align 8, !dbg !332
  %overflow_arg_area.next = getelementptr i8, ptr %overflow_arg_area, i32 8, !dbg !332
  store ptr %overflow_arg_area.next, ptr %overflow_arg_area_p, align 8, !dbg !332
  br label %vaarg.end, !dbg !332

vaarg.end:                                        ; preds = %vaarg.in_mem, %vaarg.in_reg
  %vaarg.addr = phi ptr [ %3, %vaarg.in_reg ], [ %overflow_arg_area, %vaarg.in_mem ], !dbg !332
  %5 = load i32, ptr %vaarg.addr, align 4, !dbg !332, !tbaa !112
  %6 = load i32, ptr %s, align 4, !dbg !333, !tbaa !112
  %add = add nsw i32 %6, %5, !dbg !333
  store i32 %add, ptr %s, align 4, !dbg !333, !tbaa !112
  br label %for.inc, !dbg !334

for.inc:                                          ; preds = %vaarg.end
  %7 = load i32, ptr %i, align 4, !dbg !335, !tbaa !112
  %inc = add nsw i32 %7, 1, !dbg !335
  store i32 %inc, ptr %i, align 4, !dbg !335, !tbaa !112
  br label %for.cond, !dbg !336, !llvm.loop !337

for.end:                                          ; preds = %for.cond
  %arraydecay2 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %ap, i64 0, i64 0, !dbg !339
  call void @llvm.va_end.p0(ptr %arraydecay2), !dbg !339
  %8 = load i32, ptr %s, align 4, !dbg !340, !tbaa !112
  ret i32 %8, !dbg !341
}

; Function Attrs: noreturn nounwind
declare !dbg !342 void @longjmp(ptr noundef, i32 noundef) #8

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.stackrestore.p0(ptr) #6

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.va_start.p0(ptr) #6

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.va_end.p0(ptr) #6

attributes #0 = { nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { nounwind uwtable "min-legal-vector-width"="128" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #5 = { nounwind returns_twice "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { nocallback nofree nosync nounwind willreturn }
attributes #7 = { noinline nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #8 = { noreturn nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #9 = { nounwind }
attributes #10 = { nounwind returns_twice }
attributes #11 = { noreturn nounwind }

!llvm.dbg.cu = !{!14}
!llvm.module.flags = !{!100, !101, !102, !103, !104, !105}
!llvm.ident = !{!106}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(scope: null, file: !2, line: 7, type: !3, isLocal: true, isDefinition: true)
!2 = !DIFile(filename: "s.c", directory: "/src", checksumkind: CSK_MD5, checksum: "0441582c387598fc6e5cf79e53d6143e")
!3 = !DICompositeType(tag: DW_TAG_array_type, baseType: !4, size: 48, elements: !5)
!4 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!5 = !{!6}
!6 = !DISubrange(count: 6)
!7 = !DIGlobalVariableExpression(var: !8, expr: !DIExpression())
!8 = distinct !DIGlobalVariable(scope: null, file: !2, line: 7, type: !9, isLocal: true, isDefinition: true)
!9 = !DICompositeType(tag: DW_TAG_array_type, baseType: !4, size: 56, elements: !10)
!10 = !{!11}
!11 = !DISubrange(count: 7)
!12 = !DIGlobalVariableExpression(var: !13, expr: !DIExpression())
!13 = distinct !DIGlobalVariable(name: "names", scope: !14, file: !2, line: 7, type: !95, isLocal: false, isDefinition: true)
!14 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, producer: "clang version 19", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !15, globals: !21, splitDebugInlining: false, nameTableKind: None)
!15 = !{!16, !17, !4, !18}
!16 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!17 = !DIBasicType(name: "unsigned __int128", size: 128, encoding: DW_ATE_unsigned)
!18 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !19, size: 64)
!19 = !DISubroutineType(types: !20)
!20 = !{!16, !16}
!21 = !{!0, !7, !12, !22, !25, !47, !49, !52, !80, !85, !90}
!22 = !DIGlobalVariableExpression(var: !23, expr: !DIExpression())
!23 = distinct !DIGlobalVariable(name: "ld", scope: !14, file: !2, line: 13, type: !24, isLocal: false, isDefinition: true)
!24 = !DIBasicType(name: "long double", size: 128, encoding: DW_ATE_float)
!25 = !DIGlobalVariableExpression(var: !26, expr: !DIExpression())
!26 = distinct !DIGlobalVariable(name: "calls", scope: !27, file: !2, line: 22, type: !16, isLocal: true, isDefinition: true)
!27 = distinct !DISubprogram(name: "classify", scope: !2, file: !2, line: 21, type: !28, scopeLine: 21, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !14, retainedNodes: !43)
!28 = !DISubroutineType(types: !29)
!29 = !{!16, !16, !30}
!30 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !31, size: 64)
!31 = !DIDerivedType(tag: DW_TAG_typedef, name: "node", file: !2, line: 4, baseType: !32)
!32 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "node", file: !2, line: 4, size: 320, elements: !33)
!33 = !{!34, !36, !37, !39}
!34 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !32, file: !2, line: 4, baseType: !35, size: 64)
!35 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !32, size: 64)
!36 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !32, file: !2, line: 4, baseType: !16, size: 32, offset: 64)
!37 = !DIDerivedType(tag: DW_TAG_member, name: "w", scope: !32, file: !2, line: 4, baseType: !38, size: 64, offset: 128)
!38 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!39 = !DIDerivedType(tag: DW_TAG_member, name: "name", scope: !32, file: !2, line: 4, baseType: !40, size: 96, offset: 192)
!40 = !DICompositeType(tag: DW_TAG_array_type, baseType: !4, size: 96, elements: !41)
!41 = !{!42}
!42 = !DISubrange(count: 12)
!43 = !{!44, !45, !46}
!44 = !DILocalVariable(name: "c", arg: 1, scope: !27, file: !2, line: 21, type: !16)
!45 = !DILocalVariable(name: "p", arg: 2, scope: !27, file: !2, line: 21, type: !30)
!46 = !DILabel(scope: !27, name: "out", file: !2, line: 26)
!47 = !DIGlobalVariableExpression(var: !48, expr: !DIExpression())
!48 = distinct !DIGlobalVariable(name: "handler", scope: !14, file: !2, line: 9, type: !18, isLocal: false, isDefinition: true)
!49 = !DIGlobalVariableExpression(var: !50, expr: !DIExpression())
!50 = distinct !DIGlobalVariable(name: "counter", scope: !14, file: !2, line: 10, type: !51, isLocal: false, isDefinition: true)
!51 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!52 = !DIGlobalVariableExpression(var: !53, expr: !DIExpression())
!53 = distinct !DIGlobalVariable(name: "env", scope: !14, file: !2, line: 11, type: !54, isLocal: true, isDefinition: true)
!54 = !DIDerivedType(tag: DW_TAG_typedef, name: "jmp_buf", file: !55, line: 32, baseType: !56)
!55 = !DIFile(filename: "/usr/include/setjmp.h", directory: "", checksumkind: CSK_MD5, checksum: "cd7862ae7ed31595227c999638ae74e7")
!56 = !DICompositeType(tag: DW_TAG_array_type, baseType: !57, size: 1600, elements: !78)
!57 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "__jmp_buf_tag", file: !58, line: 26, size: 1600, elements: !59)
!58 = !DIFile(filename: "/usr/include/x86_64-linux-gnu/bits/types/struct___jmp_buf_tag.h", directory: "", checksumkind: CSK_MD5, checksum: "56a90a97e853c2bec1d9e290be5e92e4")
!59 = !{!60, !67, !68}
!60 = !DIDerivedType(tag: DW_TAG_member, name: "__jmpbuf", scope: !57, file: !58, line: 32, baseType: !61, size: 512)
!61 = !DIDerivedType(tag: DW_TAG_typedef, name: "__jmp_buf", file: !62, line: 31, baseType: !63)
!62 = !DIFile(filename: "/usr/include/x86_64-linux-gnu/bits/setjmp.h", directory: "", checksumkind: CSK_MD5, checksum: "80e7796efafaf357b5e64731e4f6ac30")
!63 = !DICompositeType(tag: DW_TAG_array_type, baseType: !64, size: 512, elements: !65)
!64 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!65 = !{!66}
!66 = !DISubrange(count: 8)
!67 = !DIDerivedType(tag: DW_TAG_member, name: "__mask_was_saved", scope: !57, file: !58, line: 33, baseType: !16, size: 32, offset: 512)
!68 = !DIDerivedType(tag: DW_TAG_member, name: "__saved_mask", scope: !57, file: !58, line: 34, baseType: !69, size: 1024, offset: 576)
!69 = !DIDerivedType(tag: DW_TAG_typedef, name: "__sigset_t", file: !70, line: 8, baseType: !71)
!70 = !DIFile(filename: "/usr/include/x86_64-linux-gnu/bits/types/__sigset_t.h", directory: "", checksumkind: CSK_MD5, checksum: "acc6b14c0967857fec362a8d433e1cf2")
!71 = distinct !DICompositeType(tag: DW_TAG_structure_type, file: !70, line: 5, size: 1024, elements: !72)
!72 = !{!73}
!73 = !DIDerivedType(tag: DW_TAG_member, name: "__val", scope: !71, file: !70, line: 7, baseType: !74, size: 1024)
!74 = !DICompositeType(tag: DW_TAG_array_type, baseType: !75, size: 1024, elements: !76)
!75 = !DIBasicType(name: "unsigned long", size: 64, encoding: DW_ATE_unsigned)
!76 = !{!77}
!77 = !DISubrange(count: 16)
!78 = !{!79}
!79 = !DISubrange(count: 1)
!80 = !DIGlobalVariableExpression(var: !81, expr: !DIExpression())
!81 = distinct !DIGlobalVariable(name: "shared", scope: !14, file: !2, line: 12, type: !82, isLocal: false, isDefinition: true)
!82 = !DIDerivedType(tag: DW_TAG_typedef, name: "atomic_int", file: !83, line: 104, baseType: !84)
!83 = !DIFile(filename: "/usr/lib/llvm-19/lib/clang/19/include/stdatomic.h", directory: "", checksumkind: CSK_MD5, checksum: "f17199a988fe91afffaf0f943ef87096")
!84 = !DIDerivedType(tag: DW_TAG_atomic_type, baseType: !16)
!85 = !DIGlobalVariableExpression(var: !86, expr: !DIExpression())
!86 = distinct !DIGlobalVariable(name: "table", scope: !14, file: !2, line: 6, type: !87, isLocal: true, isDefinition: true)
!87 = !DICompositeType(tag: DW_TAG_array_type, baseType: !16, size: 128, elements: !88)
!88 = !{!89}
!89 = !DISubrange(count: 4)
!90 = !DIGlobalVariableExpression(var: !91, expr: !DIExpression())
!91 = distinct !DIGlobalVariable(name: "pool", scope: !14, file: !2, line: 8, type: !92, isLocal: true, isDefinition: true)
!92 = !DICompositeType(tag: DW_TAG_array_type, baseType: !31, size: 640, elements: !93)
!93 = !{!94}
!94 = !DISubrange(count: 2)
!95 = !DICompositeType(tag: DW_TAG_array_type, baseType: !96, size: 192, elements: !98)
!96 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !97, size: 64)
!97 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !4)
!98 = !{!99}
!99 = !DISubrange(count: 3)
!100 = !{i32 7, !"Dwarf Version", i32 5}
!101 = !{i32 2, !"Debug Info Version", i32 3}
!102 = !{i32 1, !"wchar_size", i32 4}
!103 = !{i32 8, !"PIC Level", i32 2}
!104 = !{i32 7, !"PIE Level", i32 2}
!105 = !{i32 7, !"uwtable", i32 2}
!106 = !{!"clang version 19"}
!107 = distinct !DISubprogram(name: "start", scope: !2, file: !2, line: 14, type: !108, scopeLine: 14, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !14)
!108 = !DISubroutineType(types: !109)
!109 = !{null}
!110 = !DILocation(line: 14, column: 56, scope: !107)
!111 = !DILocation(line: 14, column: 64, scope: !107)
!112 = !{!113, !113, i64 0}
!113 = !{!"int", !114, i64 0}
!114 = !{!"omnipotent char", !115, i64 0}
!115 = !{!"Simple C/C++ TBAA"}
!116 = !DILocation(line: 14, column: 69, scope: !107)
!117 = distinct !DISubprogram(name: "make", scope: !2, file: !2, line: 20, type: !118, scopeLine: 20, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !14, retainedNodes: !123)
!118 = !DISubroutineType(types: !119)
!119 = !{!120, !120, !16}
!120 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "big", file: !2, line: 5, size: 512, elements: !121)
!121 = !{!122}
!122 = !DIDerivedType(tag: DW_TAG_member, name: "a", scope: !120, file: !2, line: 5, baseType: !63, size: 512)
!123 = !{!124, !125}
!124 = !DILocalVariable(name: "b", arg: 1, scope: !117, file: !2, line: 20, type: !120)
!125 = !DILocalVariable(name: "k", arg: 2, scope: !117, file: !2, line: 20, type: !16)
!126 = !DILocation(line: 20, column: 28, scope: !117)
!127 = !DILocation(line: 20, column: 35, scope: !117)
!128 = !DILocation(line: 20, column: 53, scope: !117)
!129 = !DILocation(line: 20, column: 42, scope: !117)
!130 = !DILocation(line: 20, column: 44, scope: !117)
!131 = !DILocation(line: 20, column: 46, scope: !117)
!132 = !DILocation(line: 20, column: 40, scope: !117)
!133 = !DILocation(line: 20, column: 51, scope: !117)
!134 = !{!135, !135, i64 0}
!135 = !{!"long", !114, i64 0}
!136 = !DILocation(line: 20, column: 63, scope: !117)
!137 = !{i64 0, i64 64, !138}
!138 = !{!114, !114, i64 0}
!139 = !DILocation(line: 20, column: 56, scope: !117)
!140 = !DILocation(line: 21, column: 18, scope: !27)
!141 = !{!142, !142, i64 0}
!142 = !{!"any pointer", !114, i64 0}
!143 = !DILocation(line: 21, column: 27, scope: !27)
!144 = !DILocation(line: 22, column: 26, scope: !27)
!145 = !DILocation(line: 23, column: 11, scope: !27)
!146 = !DILocation(line: 23, column: 3, scope: !27)
!147 = !DILocation(line: 23, column: 36, scope: !148)
!148 = distinct !DILexicalBlock(scope: !27, file: !2, line: 23, column: 14)
!149 = !DILocation(line: 23, column: 62, scope: !148)
!150 = !DILocation(line: 23, column: 66, scope: !148)
!151 = !DILocation(line: 23, column: 69, scope: !148)
!152 = !{!153, !113, i64 8}
!153 = !{!"node", !142, i64 0, !113, i64 8, !154, i64 16, !114, i64 24}
!154 = !{!"double", !114, i64 0}
!155 = !DILocation(line: 23, column: 55, scope: !148)
!156 = !DILocation(line: 23, column: 89, scope: !148)
!157 = !DILocation(line: 24, column: 3, scope: !27)
!158 = !DILocation(line: 24, column: 10, scope: !27)
!159 = !DILocation(line: 24, column: 12, scope: !27)
!160 = !DILocation(line: 24, column: 15, scope: !27)
!161 = !DILocation(line: 24, column: 18, scope: !27)
!162 = !{!153, !142, i64 0}
!163 = !DILocation(line: 0, scope: !27)
!164 = !DILocation(line: 24, column: 30, scope: !165)
!165 = distinct !DILexicalBlock(scope: !166, file: !2, line: 24, column: 30)
!166 = distinct !DILexicalBlock(scope: !27, file: !2, line: 24, column: 24)
!167 = !DILocation(line: 24, column: 33, scope: !165)
!168 = !DILocation(line: 24, column: 39, scope: !165)
!169 = !DILocation(line: 24, column: 44, scope: !165)
!170 = !DILocation(line: 24, column: 47, scope: !165)
!171 = !DILocation(line: 24, column: 50, scope: !165)
!172 = !{!153, !154, i64 16}
!173 = !DILocation(line: 24, column: 52, scope: !165)
!174 = !DILocation(line: 24, column: 30, scope: !166)
!175 = !DILocation(line: 24, column: 59, scope: !165)
!176 = !DILocation(line: 24, column: 70, scope: !166)
!177 = !DILocation(line: 24, column: 73, scope: !166)
!178 = !DILocation(line: 24, column: 68, scope: !166)
!179 = distinct !{!179, !157, !180, !181, !182}
!180 = !DILocation(line: 24, column: 79, scope: !27)
!181 = !{!"llvm.loop.mustprogress"}
!182 = !{!"llvm.loop.unroll.disable"}
!183 = !DILocation(line: 25, column: 22, scope: !27)
!184 = !DILocation(line: 25, column: 20, scope: !27)
!185 = !DILocation(line: 25, column: 16, scope: !27)
!186 = !DILocation(line: 25, column: 3, scope: !27)
!187 = !DILocation(line: 26, column: 1, scope: !27)
!188 = !DILocation(line: 27, column: 16, scope: !27)
!189 = !DILocation(line: 27, column: 18, scope: !27)
!190 = !DILocation(line: 27, column: 10, scope: !27)
!191 = !DILocation(line: 27, column: 31, scope: !27)
!192 = !DILocation(line: 27, column: 35, scope: !27)
!193 = !DILocation(line: 27, column: 38, scope: !27)
!194 = !DILocation(line: 27, column: 40, scope: !27)
!195 = !DILocation(line: 27, column: 25, scope: !27)
!196 = !DILocation(line: 27, column: 23, scope: !27)
!197 = !DILocation(line: 27, column: 3, scope: !27)
!198 = !DILocation(line: 28, column: 1, scope: !27)
!199 = distinct !DISubprogram(name: "scale", scope: !2, file: !2, line: 30, type: !200, scopeLine: 30, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !14, retainedNodes: !205)
!200 = !DISubroutineType(types: !201)
!201 = !{!202, !202, !204}
!202 = !DIDerivedType(tag: DW_TAG_typedef, name: "v4", file: !2, line: 29, baseType: !203)
!203 = !DICompositeType(tag: DW_TAG_array_type, baseType: !204, size: 128, flags: DIFlagVector, elements: !88)
!204 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!205 = !{!206, !207, !208}
!206 = !DILocalVariable(name: "a", arg: 1, scope: !199, file: !2, line: 30, type: !202)
!207 = !DILocalVariable(name: "f", arg: 2, scope: !199, file: !2, line: 30, type: !204)
!208 = !DILocalVariable(name: "r", scope: !199, file: !2, line: 30, type: !202)
!209 = !DILocation(line: 30, column: 13, scope: !199)
!210 = !{!211, !211, i64 0}
!211 = !{!"float", !114, i64 0}
!212 = !DILocation(line: 30, column: 22, scope: !199)
!213 = !DILocation(line: 30, column: 30, scope: !199)
!214 = !DILocation(line: 30, column: 34, scope: !199)
!215 = !DILocation(line: 30, column: 38, scope: !199)
!216 = !DILocation(line: 30, column: 36, scope: !199)
!217 = !DILocation(line: 30, column: 48, scope: !199)
!218 = !DILocation(line: 30, column: 46, scope: !199)
!219 = !DILocation(line: 30, column: 58, scope: !199)
!220 = !DILocation(line: 30, column: 51, scope: !199)
!221 = distinct !DISubprogram(name: "main", scope: !2, file: !2, line: 31, type: !222, scopeLine: 31, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !14, retainedNodes: !226)
!222 = !DISubroutineType(types: !223)
!223 = !{!16, !16, !224}
!224 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !225, size: 64)
!225 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !4, size: 64)
!226 = !{!227, !228, !229, !230, !231, !232, !233, !237}
!227 = !DILocalVariable(name: "argc", arg: 1, scope: !221, file: !2, line: 31, type: !16)
!228 = !DILocalVariable(name: "argv", arg: 2, scope: !221, file: !2, line: 31, type: !224)
!229 = !DILocalVariable(name: "b", scope: !221, file: !2, line: 32, type: !120)
!230 = !DILocalVariable(name: "e", scope: !221, file: !2, line: 34, type: !16)
!231 = !DILocalVariable(name: "w", scope: !221, file: !2, line: 35, type: !17)
!232 = !DILocalVariable(name: "__vla_expr0", scope: !221, type: !75, flags: DIFlagArtificial)
!233 = !DILocalVariable(name: "vla", scope: !221, file: !2, line: 35, type: !234)
!234 = !DICompositeType(tag: DW_TAG_array_type, baseType: !4, elements: !235)
!235 = !{!236}
!236 = !DISubrange(count: !232)
!237 = !DILocalVariable(name: "r", scope: !221, file: !2, line: 37, type: !16)
!238 = !DILocation(line: 31, column: 14, scope: !221)
!239 = !DILocation(line: 31, column: 27, scope: !221)
!240 = !DILocation(line: 32, column: 14, scope: !221)
!241 = !DILocation(line: 32, column: 25, scope: !221)
!242 = !{i64 1268}
!243 = !DILocation(line: 33, column: 7, scope: !244)
!244 = distinct !DILexicalBlock(scope: !221, file: !2, line: 33, column: 7)
!245 = !DILocation(line: 33, column: 7, scope: !221)
!246 = !DILocation(line: 33, column: 20, scope: !244)
!247 = !DILocation(line: 34, column: 3, scope: !221)
!248 = !DILocation(line: 34, column: 37, scope: !221)
!249 = !DILocation(line: 34, column: 44, scope: !221)
!250 = !{!251, !251, i64 0}
!251 = !{!"_Bool", !114, i64 0}
!252 = !{i8 0, i8 2}
!253 = !{}
!254 = !DILocation(line: 35, column: 21, scope: !221)
!255 = !DILocation(line: 35, column: 44, scope: !221)
!256 = !DILocation(line: 35, column: 25, scope: !221)
!257 = !DILocation(line: 35, column: 49, scope: !221)
!258 = !{!259, !259, i64 0}
!259 = !{!"__int128", !114, i64 0}
!260 = !DILocation(line: 35, column: 65, scope: !221)
!261 = !DILocation(line: 35, column: 70, scope: !221)
!262 = !DILocation(line: 35, column: 56, scope: !221)
!263 = !DILocation(line: 0, scope: !221)
!264 = !DILocation(line: 35, column: 61, scope: !221)
!265 = !DILocation(line: 35, column: 92, scope: !221)
!266 = !DILocation(line: 35, column: 94, scope: !221)
!267 = !DILocation(line: 35, column: 85, scope: !221)
!268 = !DILocation(line: 35, column: 76, scope: !221)
!269 = !DILocation(line: 35, column: 83, scope: !221)
!270 = !DILocation(line: 36, column: 15, scope: !221)
!271 = !DILocation(line: 36, column: 7, scope: !221)
!272 = !DILocation(line: 36, column: 32, scope: !221)
!273 = !DILocation(line: 36, column: 37, scope: !221)
!274 = !DILocation(line: 36, column: 30, scope: !221)
!275 = !DILocation(line: 37, column: 7, scope: !221)
!276 = !DILocation(line: 37, column: 11, scope: !221)
!277 = !DILocation(line: 37, column: 21, scope: !221)
!278 = !DILocation(line: 37, column: 41, scope: !221)
!279 = !DILocation(line: 37, column: 47, scope: !221)
!280 = !DILocation(line: 37, column: 34, scope: !221)
!281 = !DILocation(line: 38, column: 7, scope: !282)
!282 = distinct !DILexicalBlock(scope: !221, file: !2, line: 38, column: 7)
!283 = !DILocation(line: 38, column: 9, scope: !282)
!284 = !DILocation(line: 38, column: 7, scope: !221)
!285 = !DILocation(line: 38, column: 15, scope: !282)
!286 = !DILocation(line: 39, column: 19, scope: !221)
!287 = !DILocation(line: 39, column: 10, scope: !221)
!288 = !DILocation(line: 39, column: 50, scope: !221)
!289 = !DILocation(line: 39, column: 48, scope: !221)
!290 = !DILocation(line: 39, column: 43, scope: !221)
!291 = !DILocation(line: 39, column: 41, scope: !221)
!292 = !DILocation(line: 39, column: 58, scope: !221)
!293 = !DILocation(line: 39, column: 67, scope: !221)
!294 = !DILocation(line: 39, column: 55, scope: !221)
!295 = !DILocation(line: 39, column: 3, scope: !221)
!296 = !DILocation(line: 40, column: 1, scope: !221)
!297 = !DISubprogram(name: "_setjmp", scope: !55, file: !55, line: 45, type: !298, flags: DIFlagPrototyped, spFlags: DISPFlagOptimized)
!298 = !DISubroutineType(types: !299)
!299 = !{!16, !300}
!300 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !57, size: 64)
!301 = distinct !DISubprogram(name: "sum", scope: !2, file: !2, line: 15, type: !302, scopeLine: 15, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !14, retainedNodes: !304)
!302 = !DISubroutineType(types: !303)
!303 = !{!16, !16, null}
!304 = !{!305, !306, !318, !319}
!305 = !DILocalVariable(name: "n", arg: 1, scope: !301, file: !2, line: 15, type: !16)
!306 = !DILocalVariable(name: "ap", scope: !301, file: !2, line: 16, type: !307)
!307 = !DIDerivedType(tag: DW_TAG_typedef, name: "va_list", file: !308, line: 12, baseType: !309)
!308 = !DIFile(filename: "/usr/lib/llvm-19/lib/clang/19/include/__stdarg_va_list.h", directory: "", checksumkind: CSK_MD5, checksum: "7bd78a282b99fcfe41a9e3c566d14f7d")
!309 = !DIDerivedType(tag: DW_TAG_typedef, name: "__builtin_va_list", file: !2, baseType: !310)
!310 = !DICompositeType(tag: DW_TAG_array_type, baseType: !311, size: 192, elements: !78)
!311 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "__va_list_tag", size: 192, elements: !312)
!312 = !{!313, !314, !315, !317}
!313 = !DIDerivedType(tag: DW_TAG_member, name: "gp_offset", scope: !311, file: !2, line: 16, baseType: !51, size: 32)
!314 = !DIDerivedType(tag: DW_TAG_member, name: "fp_offset", scope: !311, file: !2, line: 16, baseType: !51, size: 32, offset: 32)
!315 = !DIDerivedType(tag: DW_TAG_member, name: "overflow_arg_area", scope: !311, file: !2, line: 16, baseType: !316, size: 64, offset: 64)
!316 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!317 = !DIDerivedType(tag: DW_TAG_member, name: "reg_save_area", scope: !311, file: !2, line: 16, baseType: !316, size: 64, offset: 128)
!318 = !DILocalVariable(name: "s", scope: !301, file: !2, line: 16, type: !16)
!319 = !DILocalVariable(name: "i", scope: !320, file: !2, line: 17, type: !16)
!320 = distinct !DILexicalBlock(scope: !301, file: !2, line: 17, column: 3)
!321 = !DILocation(line: 15, column: 46, scope: !301)
!322 = !DILocation(line: 16, column: 11, scope: !301)
!323 = !DILocation(line: 16, column: 19, scope: !301)
!324 = !DILocation(line: 16, column: 26, scope: !301)
!325 = !DILocation(line: 17, column: 12, scope: !320)
!326 = !DILocation(line: 17, column: 8, scope: !320)
!327 = !DILocation(line: 17, column: 19, scope: !328)
!328 = distinct !DILexicalBlock(scope: !320, file: !2, line: 17, column: 3)
!329 = !DILocation(line: 17, column: 23, scope: !328)
!330 = !DILocation(line: 17, column: 21, scope: !328)
!331 = !DILocation(line: 17, column: 3, scope: !320)
!332 = !DILocation(line: 17, column: 36, scope: !328)
!333 = !DILocation(line: 17, column: 33, scope: !328)
!334 = !DILocation(line: 17, column: 31, scope: !328)
!335 = !DILocation(line: 17, column: 27, scope: !328)
!336 = !DILocation(line: 17, column: 3, scope: !328)
!337 = distinct !{!337, !331, !338, !181, !182}
!338 = !DILocation(line: 17, column: 36, scope: !320)
!339 = !DILocation(line: 18, column: 3, scope: !301)
!340 = !DILocation(line: 18, column: 22, scope: !301)
!341 = !DILocation(line: 18, column: 15, scope: !301)
!342 = !DISubprogram(name: "longjmp", scope: !55, file: !55, line: 54, type: !343, flags: DIFlagPrototyped | DIFlagNoReturn, spFlags: DISPFlagOptimized)
!343 = !DISubroutineType(types: !344)
!344 = !{null, !300, !16}
