//! The list of compiler flags: which are kept, which take a value, why the others are dropped.
//!
//! Source: the option tables of clang 16 and 19 and the manual of gcc 14. A kept flag is accepted by
//! both clangs (tested), does nothing but read, and changes what the source means. A dropped flag
//! is listed for its reason or because it takes the next argument as its value. The flag's longest
//! listed prefix decides, as in clang's own option parser; what has none is dropped as unknown.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::DropReason::{self, *};

/// How a flag is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `-pthread`
    Alone,
    /// `-std=c99`; the value may be empty
    Joined,
    /// `-isysroot DIR`
    Separate,
    /// `-IDIR` or `-I DIR`
    Either,
}

/// What becomes of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Keep,
    /// Joined to this spelling.
    KeepWord(&'static str),
    /// As the argument after this spelling.
    KeepPath(&'static str),
    /// Joined to this spelling.
    KeepMacro(&'static str),
    Include,
    Sysroot,
    Target,
    Language,
    Optimise,
    /// `-Wp,A,B`
    PreprocessorList,
    /// `-Xpreprocessor A`
    PreprocessorWord,
    /// `-Wa,A,B`
    AssemblerList,
    /// `-Xclang A`
    CompilerInternal,
    Drop(DropReason),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub spelling: &'static str,
    pub form: Form,
    pub fate: Fate,
}

/// The rule of the longest listed spelling that this flag begins with.
pub(super) fn find_rule(flag: &str) -> Option<&'static Rule> {
    let longest = flag.len().min(*LONGEST_SPELLING);
    (2..=longest).rev().find_map(|length| {
        let rule = RULES.get(flag.get(..length)?)?;
        let fits = length == flag.len() || matches!(rule.form, Form::Joined | Form::Either);
        fits.then_some(rule)
    })
}

static LONGEST_SPELLING: LazyLock<usize> = LazyLock::new(|| {
    RULES
        .keys()
        .map(|spelling| spelling.len())
        .max()
        .unwrap_or(0)
});

static RULES: LazyLock<FxHashMap<&'static str, Rule>> = LazyLock::new(|| {
    let kept = KEPT_ALONE
        .iter()
        .map(|&spelling| (spelling, Form::Alone, Fate::Keep));
    let features = KEPT_FEATURES
        .iter()
        .map(|&spelling| (spelling, Form::Alone, Fate::Keep));
    let words = KEPT_WORDS
        .iter()
        .map(|&spelling| (spelling, Form::Joined, Fate::KeepWord(spelling)));
    let dropped = DROPPED.iter().flat_map(|&(reason, form, spellings)| {
        spellings
            .iter()
            .map(move |&spelling| (spelling, form, Fate::Drop(reason)))
    });
    kept.chain(features)
        .chain(words)
        .chain(VALUES.iter().copied())
        .chain(dropped)
        .map(|(spelling, form, fate)| {
            (
                spelling,
                Rule {
                    spelling,
                    form,
                    fate,
                },
            )
        })
        .collect()
});

/// All spellings that are kept as they are, for the test that clang knows them.
#[cfg(test)]
pub(super) fn kept_alone() -> impl Iterator<Item = &'static str> {
    KEPT_ALONE.iter().chain(KEPT_FEATURES).copied()
}

/// All spellings, for the test that none is listed twice.
#[cfg(test)]
pub(super) fn all_spellings() -> impl Iterator<Item = &'static str> {
    kept_alone()
        .chain(KEPT_WORDS.iter().copied())
        .chain(VALUES.iter().map(|value| value.0))
        .chain(DROPPED.iter().flat_map(|group| group.2.iter().copied()))
}

#[rustfmt::skip]
const KEPT_ALONE: &[&str] = &[
    // the preprocessor
    "-undef", "-nostdinc", "-nostdinc++", "-nobuiltininc", "-nostdlibinc", "-trigraphs", "--trigraphs",
    "-pthread", "-fdollars-in-identifiers", "-fno-dollars-in-identifiers",
    // the dialect
    "-ansi", "--ansi", "-fgnu89-inline", "-fno-gnu89-inline", "-fms-extensions", "-fno-ms-extensions",
    "-fms-compatibility", "-fno-ms-compatibility", "-fblocks", "-fno-blocks", "-fasm", "-fno-asm",
    "-fgnu-keywords", "-fno-gnu-keywords", "-foperator-names", "-fno-operator-names", "-fchar8_t",
    "-fno-char8_t", "-fdeclspec", "-fno-declspec", "-faccess-control", "-fno-access-control",
    "-flax-vector-conversions", "-fno-lax-vector-conversions", "-fdelayed-template-parsing",
    "-fno-delayed-template-parsing", "-fopenmp", "-fno-openmp", "-fopenmp-simd", "-fborland-extensions",
    "-ffixed-point", "-fexperimental-library",
    // types and layout
    "-fsigned-char", "-fno-signed-char", "-funsigned-char", "-fno-unsigned-char", "-fshort-enums",
    "-fno-short-enums", "-fshort-wchar", "-fno-short-wchar", "-fpack-struct", "-fno-pack-struct",
    "-fcommon", "-fno-common", "-fstrict-enums", "-fno-strict-enums", "-fsized-deallocation",
    "-fno-sized-deallocation", "-faligned-allocation", "-fno-aligned-allocation", "-faligned-new",
    "-fno-aligned-new",
    // what operations mean
    "-fwrapv", "-fno-wrapv", "-ftrapv", "-fstrict-overflow", "-fno-strict-overflow", "-fstrict-aliasing",
    "-fno-strict-aliasing", "-fdelete-null-pointer-checks", "-fno-delete-null-pointer-checks",
    "-ffinite-loops", "-fno-finite-loops", "-fstrict-return", "-fno-strict-return", "-fcheck-new",
    "-fno-check-new", "-felide-constructors", "-fno-elide-constructors", "-fthreadsafe-statics",
    "-fno-threadsafe-statics", "-fuse-cxa-atexit", "-fno-use-cxa-atexit", "-fc++-static-destructors",
    "-fno-c++-static-destructors", "-fexceptions", "-fno-exceptions", "-fcxx-exceptions",
    "-fno-cxx-exceptions", "-frtti", "-fno-rtti", "-fmerge-all-constants", "-fno-merge-all-constants",
    // the library
    "-fbuiltin", "-fno-builtin", "-ffreestanding", "-fhosted", "-fmath-errno", "-fno-math-errno",
    // floating point
    "-ffast-math", "-fno-fast-math", "-ffinite-math-only", "-fno-finite-math-only", "-fhonor-nans",
    "-fno-honor-nans", "-fhonor-infinities", "-fno-honor-infinities", "-fsigned-zeros",
    "-fno-signed-zeros", "-frounding-math", "-fno-rounding-math", "-ftrapping-math",
    "-fno-trapping-math", "-fassociative-math", "-fno-associative-math", "-freciprocal-math",
    "-fno-reciprocal-math", "-funsafe-math-optimizations", "-fno-unsafe-math-optimizations",
    "-fapprox-func", "-fno-approx-func", "-fprotect-parens", "-fno-protect-parens",
    // symbols: what another unit may replace
    "-fvisibility-inlines-hidden", "-fno-visibility-inlines-hidden", "-fsemantic-interposition",
    "-fno-semantic-interposition", "-fPIC", "-fpic", "-fPIE", "-fpie", "-fno-PIC", "-fno-pic", "-fno-PIE",
    "-fno-pie",
];

/// Flags of the target machine: they define macros, and headers with intrinsics need them.
#[rustfmt::skip]
const KEPT_FEATURES: &[&str] = &[
    "-m16", "-m32", "-m64", "-mx32", "-mmmx", "-msse", "-msse2", "-msse3", "-mssse3", "-msse4", "-msse4.1",
    "-msse4.2", "-msse4a", "-mavx", "-mavx2", "-mfma", "-mfma4", "-mf16c", "-mbmi", "-mbmi2", "-mlzcnt",
    "-mpopcnt", "-mmovbe", "-maes", "-mpclmul", "-mvpclmulqdq", "-mvaes", "-msha", "-mgfni", "-mrdrnd",
    "-mrdseed", "-madx", "-mcx16", "-msahf", "-mxsave", "-mxsaveopt", "-mxsavec", "-mxsaves", "-mfsgsbase",
    "-mprfchw", "-mclflushopt", "-mclwb", "-mrtm", "-mtbm", "-mxop", "-mlwp", "-mavx512f",
    "-mavx512bw", "-mavx512cd", "-mavx512dq", "-mavx512vl", "-mavx512vnni", "-mavx512vbmi",
    "-mavx512vbmi2", "-mavx512bitalg", "-mavx512vpopcntdq", "-mavx512ifma", "-mavx512bf16",
    "-mavx512fp16", "-mavxvnni", "-mcrc32", "-mserialize", "-mwaitpkg", "-mpku", "-mno-mmx", "-mno-sse",
    "-mno-sse2", "-mno-sse3", "-mno-ssse3", "-mno-sse4", "-mno-sse4.1", "-mno-sse4.2", "-mno-avx",
    "-mno-avx2", "-mno-avx512f", "-mno-fma", "-mno-80387", "-msoft-float", "-mno-soft-float",
    "-mlong-double-64", "-mlong-double-80", "-mlong-double-128", "-malign-double", "-mms-bitfields",
    "-mno-ms-bitfields", "-mgeneral-regs-only",
    // other machines than x86
    "-mthumb", "-marm", "-mbig-endian", "-mlittle-endian", "-mhard-float", "-maltivec", "-mvsx", "-mvx",
    "-mzvector",
];

#[rustfmt::skip]
const KEPT_WORDS: &[&str] = &[
    "-std=", "-stdlib=", "-march=", "-mcpu=", "-mfpu=", "-mfloat-abi=", "-mabi=", "-mfpmath=", "-mregparm=",
    "-fpack-struct=", "-fno-builtin-", "-fvisibility=", "-ftemplate-depth=", "-ftemplate-depth-",
    "-fconstexpr-depth=", "-fconstexpr-steps=", "-fbracket-depth=", "-flax-vector-conversions=",
    "-ffp-contract=", "-ffp-model=", "-ffp-exception-behavior=", "-ffp-eval-method=", "-fdenormal-fp-math=",
    "-fexcess-precision=", "-fopenmp=", "-fstrict-flex-arrays=", "-ftrivial-auto-var-init=",
    "-fnew-alignment=", "-fclang-abi-compat=", "-ftls-model=",
];

#[rustfmt::skip]
const VALUES: &[(&str, Form, Fate)] = &[
    ("-D", Form::Either, Fate::KeepMacro("-D")),
    ("-U", Form::Either, Fate::KeepMacro("-U")),
    ("-I", Form::Either, Fate::KeepPath("-I")),
    ("-isystem", Form::Either, Fate::KeepPath("-isystem")),
    ("-isystem-after", Form::Either, Fate::KeepPath("-isystem-after")),
    ("-iquote", Form::Either, Fate::KeepPath("-iquote")),
    ("-idirafter", Form::Either, Fate::KeepPath("-idirafter")),
    ("-cxx-isystem", Form::Either, Fate::KeepPath("-cxx-isystem")),
    ("-stdlib++-isystem", Form::Either, Fate::KeepPath("-stdlib++-isystem")),
    ("-iprefix", Form::Either, Fate::KeepPath("-iprefix")),
    ("-iwithprefix", Form::Either, Fate::KeepPath("-iwithprefix")),
    ("-iwithprefixbefore", Form::Either, Fate::KeepPath("-iwithprefixbefore")),
    ("-include", Form::Either, Fate::Include),
    ("-imacros", Form::Either, Fate::KeepPath("-imacros")),
    ("-isysroot", Form::Either, Fate::KeepPath("-isysroot")),
    ("--sysroot", Form::Separate, Fate::Sysroot),
    ("--sysroot=", Form::Joined, Fate::Sysroot),
    ("-target", Form::Separate, Fate::Target),
    ("--target=", Form::Joined, Fate::Target),
    ("-x", Form::Either, Fate::Language),
    ("-O", Form::Joined, Fate::Optimise),
    ("-Wp,", Form::Joined, Fate::PreprocessorList),
    ("-Wa,", Form::Joined, Fate::AssemblerList),
    ("-Xpreprocessor", Form::Separate, Fate::PreprocessorWord),
    ("-Xclang", Form::Separate, Fate::CompilerInternal),
    // the long spellings
    ("--define-macro", Form::Separate, Fate::KeepMacro("-D")),
    ("--define-macro=", Form::Joined, Fate::KeepMacro("-D")),
    ("--undefine-macro", Form::Separate, Fate::KeepMacro("-U")),
    ("--undefine-macro=", Form::Joined, Fate::KeepMacro("-U")),
    ("--include-directory", Form::Separate, Fate::KeepPath("-I")),
    ("--include-directory=", Form::Joined, Fate::KeepPath("-I")),
    ("--include", Form::Separate, Fate::Include),
    ("--include=", Form::Joined, Fate::Include),
    ("--imacros", Form::Separate, Fate::KeepPath("-imacros")),
    ("--imacros=", Form::Joined, Fate::KeepPath("-imacros")),
    ("--std", Form::Separate, Fate::KeepWord("-std=")),
    ("--std=", Form::Joined, Fate::KeepWord("-std=")),
    ("--language", Form::Separate, Fate::Language),
    ("--language=", Form::Joined, Fate::Language),
];

#[rustfmt::skip]
const DROPPED: &[(DropReason, Form, &[&str])] = &[
    (RunsCode, Form::Joined, &[
        "-fplugin", "-fpass-plugin", "-specs=", "--specs=", "-fno-integrated", "-fintegrated",
        "-fopenmp-targets", "-foffload", "--offload", "-fuse-ld=", "-fbuild-session",
    ]),
    (RunsCode, Form::Either, &["-B"]),
    (RunsCode, Form::Separate, &["-load", "-plugin", "-add-plugin", "-wrapper", "-specs", "--specs", "-ccc-gcc-name"]),
    (CompilerInternal, Form::Joined, &["-ccc-", "-Xarch_", "-cc1", "-mllvm="]),
    (CompilerInternal, Form::Separate, &[
        "-mllvm", "-Xassembler", "-Xanalyzer", "-Xopenmp-target", "-Xcuda-fatbinary", "-Xcuda-ptxas", "--param",
    ]),
    (CompilerSetup, Form::Joined, &[
        "--config=", "-resource-dir=", "-working-directory=", "--driver-mode=",
        "--gcc-toolchain=", "--gcc-install-dir=", "--gcc-triple=", "-no-canonical-prefixes", "--ld-path=",
    ]),
    (CompilerSetup, Form::Separate, &[
        "-resource-dir", "-working-directory", "--config", "-arch", "-gcc-toolchain",
    ]),
    (CompilerSetup, Form::Either, &["-ivfsoverlay", "-vfsoverlay"]),
    (Output, Form::Alone, &[
        "-c", "-S", "-E", "-P", "-C", "-CC", "-M", "-MM", "-MD", "-MMD", "-MP", "-MG", "-MV", "-H", "-v", "-###",
        "-Q", "-pipe", "-emit-llvm", "-emit-ast", "-fsyntax-only", "--verbose", "--compile", "--assemble",
        "--preprocess", "-fno-dwarf-directory-asm", "-fpch-preprocess", "-fdirectives-only",
    ]),
    (Output, Form::Either, &["-o", "-MF", "-MT", "-MQ", "-MJ"]),
    (Output, Form::Joined, &[
        "-d", "-save-temps", "--save-temps", "-save-stats", "-fdump", "-ftime-report", "-ftime-trace",
        "-fstack-usage", "-fcallgraph-info", "-fopt-info", "-fsave-optimization-record",
        "-foptimization-record", "-fcrash-diagnostics", "-gen-reproducer", "-fproc-stat-report",
        "-fdiagnostics-add-output", "-fdiagnostics-set-output", "--output=", "-fmem-report", "-fverbose-asm",
        "-Rpass", "-fdeps-", "-fdebug-dump",
    ]),
    (Output, Form::Separate, &[
        "--output", "-dumpdir", "-dumpbase", "-dumpbase-ext", "-aux-info", "-serialize-diagnostics",
        "--serialize-diagnostics", "-index-store-path", "-index-unit-output-path", "-dependency-file", "-main-file-name",
    ]),
    (Warning, Form::Joined, &[
        "-W", "-w", "-pedantic", "--pedantic", "-fdiagnostics-", "-fno-diagnostics-", "-fcolor-diagnostics",
        "-fno-color-diagnostics", "-fansi-escape-codes", "-fmessage-length", "-fshow-", "-fno-show-",
        "-ferror-limit", "-fmax-errors", "-fcaret-diagnostics", "-fno-caret-diagnostics", "-Qunused-arguments",
        "-fpermissive", "-Qn", "-Qy", "-ftemplate-backtrace-limit", "-fmacro-backtrace-limit", "-ftabstop",
        "-ftrack-macro-expansion", "-fconcepts-diagnostics", "-fanalyzer", "-Rno-", "-fno-working-directory",
    ]),
    (DebugInformation, Form::Joined, &[
        "-g", "-fdebug-types", "-fno-debug-types", "-fvar-tracking", "-fno-var-tracking", "-fstandalone-debug",
        "-fno-standalone-debug", "-flimit-debug-info", "-fno-limit-debug-info", "-feliminate-unused-debug",
        "-fno-eliminate-unused-debug", "-fdebug-macro", "-fdwarf2-cfi-asm", "-fno-dwarf2-cfi-asm",
        "-fdebug-info-for-profiling", "-frecord-gcc-switches", "-fno-record-gcc-switches",
        "-frecord-command-line", "-grecord",
    ]),
    (CodeGeneration, Form::Joined, &[
        "-mtune=", "-falign-", "-fno-align-", "-ftree-", "-fno-tree-", "-funroll", "-fno-unroll", "-finline",
        "-fno-inline", "-fearly-inlining", "-fno-early-inlining", "-fomit-frame-pointer",
        "-fno-omit-frame-pointer", "-fno-plt", "-fplt", "-ffunction-sections", "-fno-function-sections",
        "-fdata-sections", "-fno-data-sections", "-fasynchronous-unwind-tables",
        "-fno-asynchronous-unwind-tables", "-funwind-tables", "-fno-unwind-tables", "-fident", "-fno-ident",
        "-fmerge-constants", "-fno-merge-constants", "-fvectorize", "-fno-vectorize", "-fslp-vectorize",
        "-fno-slp-vectorize", "-fgcse", "-fno-gcse", "-fira-", "-fno-ira-", "-fipa-", "-fno-ipa-", "-fschedule-",
        "-fno-schedule-", "-foptimize-", "-fno-optimize-", "-freorder-", "-fno-reorder-", "-fjump-tables",
        "-fno-jump-tables", "-fcrossjumping", "-fno-crossjumping", "-fprefetch-", "-fno-prefetch-", "-fgraphite",
        "-fno-graphite", "-floop-", "-fno-loop-", "-fweb", "-fno-web", "-frename-registers",
        "-fno-rename-registers", "-fcaller-saves", "-fno-caller-saves", "-fcse-", "-fno-cse-", "-fthread-jumps",
        "-fno-thread-jumps", "-fmodulo-sched", "-ftoplevel-reorder", "-fno-toplevel-reorder", "-funit-at-a-time",
        "-fno-unit-at-a-time", "-fzero-initialized-in-bss", "-fno-zero-initialized-in-bss", "-flto", "-fno-lto",
        "-ffat-lto-objects", "-fno-fat-lto-objects", "-fwhole-program", "-fuse-linker-plugin",
        "-fno-use-linker-plugin", "-fpeephole", "-fno-peephole", "-fsplit-", "-fno-split-", "-fdevirtualize",
        "-fno-devirtualize", "-fpartial-inlining", "-fno-partial-inlining", "-fivopts", "-fno-ivopts",
        "-fguess-branch-probability", "-fno-guess-branch-probability", "-fexpensive-optimizations",
        "-fno-expensive-optimizations", "-fcode-hoisting", "-fno-code-hoisting", "-fstore-merging",
        "-fno-store-merging", "-fcprop-registers", "-fno-cprop-registers", "-fshrink-wrap", "-fno-shrink-wrap",
        "-fgnu-unique", "-fno-gnu-unique", "-fkeep-", "-fno-keep-", "-fgnu-tm", "-fallow-store-data-races",
        "-fno-allow-store-data-races", "-mpreferred-stack-boundary", "-mstack-alignment", "-mstackrealign",
        "-mno-stackrealign", "-mincoming-stack-boundary", "-mred-zone", "-mno-red-zone", "-mcmodel=",
        "-momit-leaf-frame-pointer", "-mno-omit-leaf-frame-pointer", "-maccumulate-outgoing-args",
        "-mno-accumulate-outgoing-args", "-mpush-args", "-mno-push-args", "-minline-", "-mno-inline-",
        "-mskip-rax-setup", "-mno-fp-ret-in-387", "-mtls-dialect=", "-mvzeroupper", "-mno-vzeroupper",
        "-mprefer-vector-width=", "-mno-avx256-split", "-mbranch-cost=", "-mstrict-align", "-munaligned-access",
        "-mno-unaligned-access", "-msecure-plt", "-mieee-fp", "-mno-ieee-fp", "-mrecord-mcount", "-mrelax",
        "-mno-relax", "-mfentry", "-mnop-mcount", "-frelaxed-template-template-args", "-fcoroutines", "-ffor-scope",
        "-fabi-version", "-fstrict-vtable-pointers", "-fconserve-stack",
    ]),
    (Linking, Form::Alone, &[
        "-s", "-static", "-shared", "-rdynamic", "-r", "-pie", "-no-pie", "-nopie", "-nostdlib", "-nostdlib++",
        "-nodefaultlibs", "-nostartfiles", "-nolibc", "-static-pie", "-static-libgcc", "-static-libstdc++",
        "-static-libasan", "-shared-libgcc", "-dynamic", "-bundle", "-dynamiclib", "-symbolic",
    ]),
    (Linking, Form::Joined, &["-Wl,", "-rtlib=", "--rtlib=", "-unwindlib=", "--unwindlib="]),
    (Linking, Form::Either, &["-l", "-L", "-T", "-u", "-z", "-e"]),
    (Linking, Form::Separate, &[
        "-Xlinker", "-rpath", "-framework", "-install_name", "-current_version", "-compatibility_version",
        "-soname", "-dynamic-linker", "-undefined", "-weak_framework", "-exported_symbols_list",
    ]),
    (Hardening, Form::Joined, &[
        "-fstack-protector", "-fno-stack-protector", "-fstack-clash-protection", "-fno-stack-clash-protection",
        "-fcf-protection", "-fhardened", "-fharden-", "-mbranch-protection", "-mshstk", "-mno-shstk",
        "-mindirect-branch", "-mfunction-return", "-mretpoline", "-mno-retpoline", "-mharden-sls",
        "-fzero-call-used-regs", "-mspeculative-load-hardening", "-fcfi-", "-mmanual-endbr", "-fstack-check",
        "-fstack-limit",
    ]),
    (Instrumentation, Form::Joined, &[
        "-fsanitize", "-fno-sanitize", "-fprofile", "-fno-profile", "--coverage", "-coverage", "-fcoverage",
        "-ftest-coverage", "-finstrument", "-pg", "-p", "-fxray", "-fauto-profile", "-fbranch-probabilities",
        "-fmemory-profile", "-fcs-profile", "-fvtable-verify", "-shared-libasan", "-shared-libsan",
        "-fcondition-coverage", "-fpath-coverage",
    ]),
    (PathMapping, Form::Joined, &[
        "-fdebug-prefix-map=", "-ffile-prefix-map=", "-fmacro-prefix-map=", "-fcoverage-prefix-map=",
        "-fprofile-prefix-map=", "-fdebug-compilation-dir", "-ffile-compilation-dir", "-fcanon-prefix-map",
    ]),
    (Precompiled, Form::Joined, &[
        "-fmodule", "-fno-module", "-fimplicit-module", "-fno-implicit-module", "-fprebuilt-", "-fpch-",
        "-fno-pch-", "-fbuiltin-module-map", "-fcxx-modules", "-fsystem-module", "--precompile",
    ]),
    (Precompiled, Form::Separate, &["-include-pch", "-emit-pch", "-emit-module"]),
    (MeaningMayDiffer, Form::Joined, &[
        "-fplan9-extensions", "-fexec-charset=", "-fwide-exec-charset=", "-finput-charset=",
        "-fsingle-precision-constant", "-fsso-struct=", "-funsigned-bitfields", "-fno-signed-bitfields",
        "-traditional", "-fpcc-struct-return", "-freg-struct-return", "-ffloat-store", "-fcond-mismatch",
        "-fno-for-scope", "-fgimple", "-fnon-call-exceptions", "-fcx-limited-range", "-fcx-fortran-rules",
        "-mrtd", "-fpreprocessed", "-remap", "-fleading-underscore", "-fno-leading-underscore",
        "-fconcepts", "-fcontracts", "-fmax-include-depth", "-mdaz-ftz", "-fno-trapv", "-fenforce-eh-specs",
        "-fno-enforce-eh-specs", "-fstrict-volatile-bitfields", "-fno-strict-volatile-bitfields", "-I-",
    ]),
    (MeaningMayDiffer, Form::Either, &["-A"]),
    (MeaningMayDiffer, Form::Separate, &["-imultilib", "-imultiarch"]),
];
