//! Where does a program leave the language? One planted piece of undefined behaviour, written so
//! that clang's sanitizers see it: small distances that land in red zones, arrays that are not the
//! last member (a trailing one counts as flexible), results that are used. Some variants depend on
//! values, so a planted program may also be clean on its run; the sanitizers say which.

use super::Generator;
use super::idioms::Idiom;
use super::syntax::Statement;

/// The kinds that can be planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Undefined {
    SignedOverflow,
    DivisionByZero,
    DivisionOverflow,
    ShiftTooFar,
    FloatToInteger,
    NullDereference,
    HeapOutOfBounds,
    StackOutOfBounds,
    GlobalOutOfBounds,
    MemberOutOfBounds,
    LibraryOutOfBounds,
    UseAfterFree,
    UseAfterReturn,
    DoubleFree,
    InvalidFree,
    Misaligned,
    Unreachable,
    InvalidBool,
    OverlappingCopy,
    VariableLength,
    PointerOverflow,
    Uninitialised,
    MissingReturn,
}

impl Undefined {
    pub const ALL: [Undefined; 23] = [
        Undefined::SignedOverflow,
        Undefined::DivisionByZero,
        Undefined::DivisionOverflow,
        Undefined::ShiftTooFar,
        Undefined::FloatToInteger,
        Undefined::NullDereference,
        Undefined::HeapOutOfBounds,
        Undefined::StackOutOfBounds,
        Undefined::GlobalOutOfBounds,
        Undefined::MemberOutOfBounds,
        Undefined::LibraryOutOfBounds,
        Undefined::UseAfterFree,
        Undefined::UseAfterReturn,
        Undefined::DoubleFree,
        Undefined::InvalidFree,
        Undefined::Misaligned,
        Undefined::Unreachable,
        Undefined::InvalidBool,
        Undefined::OverlappingCopy,
        Undefined::VariableLength,
        Undefined::PointerOverflow,
        Undefined::Uninitialised,
        Undefined::MissingReturn,
    ];

    /// Whether only the memory sanitizer sees it.
    pub fn is_uninitialised(self) -> bool {
        matches!(self, Undefined::Uninitialised | Undefined::MissingReturn)
    }

    /// Whether it may touch the stack outside of an object. The address sanitizer cannot judge it
    /// in a program that has jumped: a `longjmp` makes it treat the whole stack as valid.
    pub(super) fn may_leave_a_stack_object(self) -> bool {
        matches!(
            self,
            Undefined::StackOutOfBounds
                | Undefined::MemberOutOfBounds
                | Undefined::LibraryOutOfBounds
                | Undefined::UseAfterReturn
        )
    }

    /// The ways to write it. The holes are those of `Idiom::body`.
    fn variants(self) -> &'static [Variant] {
        match self {
            Undefined::SignedOverflow => &[
                (
                    "",
                    "int near# = 2147483647 - $2; near# += $3; mix((unsigned long long)near#);",
                ),
                (
                    "",
                    "int low# = -2147483647 - 1; low# -= $2; mix((unsigned long long)low#);",
                ),
                (
                    "",
                    "long long wide# = 9223372036854775807LL; wide# = wide# + (1 + $2); mix((unsigned long long)wide#);",
                ),
                (
                    "",
                    "int factor# = 65536 + $2; mix((unsigned long long)(factor# * (factor# + $3)));",
                ),
                (
                    "",
                    "long negated# = -9223372036854775807L - 1; mix((unsigned long long)(-negated#));",
                ),
                (
                    "",
                    "int count# = 2147483640; for (int i# = 0; i# <= $2; i#++) { count#++; } mix((unsigned long long)count#);",
                ),
                (
                    "",
                    "int value# = -2147483647 - 1; if ($2 > 2) { --value#; } mix((unsigned long long)value#);",
                ),
            ],
            Undefined::DivisionByZero => &[
                (
                    "",
                    "int below# = $2 - $3; mix((unsigned long long)($0 / below#));",
                ),
                (
                    "",
                    "unsigned below# = (unsigned)$2 & 1u; mix((unsigned)$0 % below#);",
                ),
                (
                    "",
                    "long long below# = 0; below# *= $0; mix((unsigned long long)(17LL / below#));",
                ),
            ],
            Undefined::DivisionOverflow => &[
                (
                    "",
                    "int low# = -2147483647 - 1; int minus# = $2 - 1 - $2; mix((unsigned long long)(low# / minus#));",
                ),
                (
                    "",
                    "long long low# = -9223372036854775807LL - 1; mix((unsigned long long)(low# % (($2 & 0) - 1)));",
                ),
            ],
            Undefined::ShiftTooFar => &[
                ("", "int far# = 25 + $2; mix(1u << far#);"),
                (
                    "",
                    "int far# = 32; mix((unsigned long long)($0 >> (far# + $2)));",
                ),
                ("", "int back# = $2 - 4; mix(5uLL << back#);"),
                ("", "mix(5uLL >> (60 + $3));"),
            ],
            Undefined::FloatToInteger => &[
                (
                    "",
                    "double large# = 2147483000.0 + $2 * 100.0; mix((unsigned long long)(int)large#);",
                ),
                ("", "double less# = -1.0 - $2; mix((unsigned)less#);"),
                (
                    "",
                    "float huge# = 1e30f; mix((unsigned long long)(long long)huge#);",
                ),
            ],
            Undefined::NullDereference => &[
                (
                    "",
                    "int *nowhere# = $2 > 3 ? NULL : &(int){5}; mix((unsigned long long)*nowhere#);",
                ),
                ("", "int *nowhere# = NULL; *nowhere# = $0;"),
                (
                    "struct link { long weight; struct link *next; };",
                    "struct link last# = {$0, NULL}; struct link *at# = &last#; for (int i# = 0; i# <= $2; i#++) { at# = at#->next; } mix((unsigned long long)(at# == NULL)); mix((unsigned long long)at#->weight);",
                ),
                (
                    "",
                    "const char *text# = $2 > 20 ? \"text\" : NULL; mix(strlen(text#));",
                ),
            ],
            Undefined::HeapOutOfBounds => &[
                (
                    "",
                    "int *heap# = malloc(4 * sizeof(int)); memset(heap#, 0, 4 * sizeof(int)); mix((unsigned long long)heap#[$2 % 8]); free(heap#);",
                ),
                (
                    "",
                    "char *heap# = malloc(5); heap#[5] = (char)$0; free(heap#);",
                ),
                (
                    "",
                    "short *heap# = calloc(3, sizeof(short)); heap#[-1] = 3; free(heap#);",
                ),
                (
                    "",
                    "long *heap# = malloc(2 * sizeof(long)); for (int i# = 0; i# <= 2; i#++) { heap#[i#] = i#; } free(heap#);",
                ),
                (
                    "",
                    "int *heap# = malloc(8); heap# = realloc(heap#, 4); heap#[0] = 1; heap#[1] = $0; free(heap#);",
                ),
            ],
            Undefined::StackOutOfBounds => &[
                (
                    "",
                    "int cells#[4] = {1, 2, 3, 4}; mix((unsigned long long)cells#[$2]);",
                ),
                (
                    "",
                    "int cells#[5] = {1, 2, 3, 4, 5}; int *walk# = cells#; walk# += 5; mix((unsigned long long)*walk#);",
                ),
                (
                    "",
                    "int cells#[3] = {1, 2, 3}; int *back# = cells#; mix((unsigned long long)back#[-1 - $2 % 2]);",
                ),
                (
                    "",
                    "short grid#[2][3] = {{1, 2, 3}, {4, 5, 6}}; mix((unsigned long long)grid#[1 + $2][0]);",
                ),
                (
                    "",
                    "char letters#[6] = \"hello\"; char *at# = letters#; at#[6] = 'x'; mix((unsigned long long)at#[0]);",
                ),
            ],
            Undefined::GlobalOutOfBounds => &[
                (
                    "static int shelf[4] = {1, 2, 3, 4};",
                    "int *from# = shelf; mix((unsigned long long)from#[4]);",
                ),
                ("static short shelf[6] = {1, 2, 3};", "shelf[$2] = 1;"),
                (
                    "static const char label[] = \"label\";",
                    "const char *at# = label + $2; mix((unsigned long long)*at#);",
                ),
            ],
            Undefined::MemberOutOfBounds => &[
                (
                    "struct inner { int cells[4]; int after; };",
                    "struct inner inner# = {{1, 2, 3, 4}, 5}; mix((unsigned long long)inner#.cells[$2 % 8]);",
                ),
                (
                    "struct inner { char name[3]; long after[2]; };",
                    "struct inner inner# = {\"ab\", {1, 2}}; struct inner *at# = &inner#; at#->name[3 + ($2 & 1)] = 'x'; mix((unsigned long long)at#->after[0]);",
                ),
            ],
            Undefined::LibraryOutOfBounds => &[
                (
                    "",
                    "char small#[4]; strcpy(small#, \"too long\"); mix((unsigned long long)small#[0]);",
                ),
                (
                    "",
                    "char small#[8]; memset(small#, 'x', 8 + $2); mix((unsigned long long)small#[0]);",
                ),
                (
                    "",
                    "char open#[3]; memset(open#, 'x', 3); mix(strlen(open#));",
                ),
                (
                    "",
                    "int four#[4] = {0}; int two#[2] = {1, 2}; memcpy(four#, two#, 4 * sizeof(int)); mix((unsigned long long)four#[3]);",
                ),
                (
                    "",
                    "char *heap# = malloc(6); sprintf(heap#, \"%d\", 100000 + $2); mix((unsigned long long)heap#[0]); free(heap#);",
                ),
            ],
            Undefined::UseAfterFree => &[
                (
                    "",
                    "int *gone# = malloc(sizeof(int)); *gone# = $0; free(gone#); mix((unsigned long long)*gone#);",
                ),
                (
                    "",
                    "int *gone# = malloc(sizeof(int) * 3); gone#[1] = $0; if ($2 != 1) { free(gone#); } gone#[1]++; mix((unsigned long long)gone#[1]);",
                ),
                (
                    "",
                    "char *gone# = malloc(4); strcpy(gone#, \"abc\"); char *kept# = gone# + 1; gone# = realloc(gone#, 4000); mix((unsigned long long)*kept#); free(gone#);",
                ),
                (
                    "struct cell { int value; struct cell *next; };",
                    "struct cell *head# = malloc(sizeof(struct cell)); head#->next = NULL; head#->value = $0; for (struct cell *at# = head#; at#; at# = at#->next) { mix((unsigned long long)at#->value); free(at#); }",
                ),
            ],
            Undefined::UseAfterReturn => &[
                (
                    "static int *leak(int value) { int local = value; int *volatile kept = &local; return kept; }",
                    "int *dead# = leak($0); mix((unsigned long long)*dead#);",
                ),
                (
                    "static int **where; static void stash(int value) { int local = value; *where = &local; mix((unsigned long long)local); }",
                    "int *dead# = NULL; where = &dead#; stash($0); *dead# = 3;",
                ),
            ],
            Undefined::DoubleFree => &[
                ("", "char *twice# = malloc(3); free(twice#); free(twice#);"),
                (
                    "",
                    "int *twice# = calloc(2, sizeof(int)); int *alias# = twice#; if ($2 < 12) { free(alias#); } free(twice#);",
                ),
            ],
            Undefined::InvalidFree => &[
                (
                    "",
                    "int on_stack# = $0; int *wrong# = &on_stack#; free(wrong#);",
                ),
                ("", "char *inside# = malloc(8); free(inside# + 2);"),
                (
                    "static int fixed_store[3];",
                    "int *wrong# = fixed_store; free(wrong#);",
                ),
            ],
            Undefined::Misaligned => &[
                (
                    "",
                    "char room#[16] = {1, 2, 3}; int *odd# = (int *)(room# + 1 + $2 % 2 * 2); int *even# = (int *)(void *)room#; mix((unsigned long long)(odd# != even#)); mix((unsigned long long)*odd#);",
                ),
                (
                    "",
                    "long long pair#[2] = {$0, $1}; short *odd# = (short *)((char *)pair# + 3); *odd# = 9; mix((unsigned long long)pair#[0]);",
                ),
            ],
            Undefined::Unreachable => &[
                ("", "if ($2 < 9) { __builtin_unreachable(); } mix(4);"),
                (
                    "",
                    "switch ($2 & 3) { case 0: mix(1); break; case 1: mix(2); break; default: __builtin_unreachable(); }",
                ),
            ],
            Undefined::InvalidBool => &[(
                "",
                "_Bool truth# = 0; unsigned char pattern# = (unsigned char)(2 + $2); memcpy(&truth#, &pattern#, 1); mix((unsigned long long)truth#);",
            )],
            Undefined::OverlappingCopy => &[(
                "",
                "char tape#[16] = \"0123456789\"; memcpy(tape# + 2, tape#, 4 + (size_t)$2 % 8); mix((unsigned long long)tape#[5]);",
            )],
            Undefined::VariableLength => &[
                (
                    "",
                    "int length# = $2 - $3; int line#[length#]; memset(line#, 0, sizeof(line#)); mix(sizeof(line#));",
                ),
                (
                    "",
                    "int line#[1 + $2]; line#[0] = 1; line#[1 + $3 / 4] = 3; mix((unsigned long long)line#[0]);",
                ),
            ],
            Undefined::PointerOverflow => &[
                (
                    "",
                    "char *nothing# = NULL; char *moved# = nothing# + (1 + $2); mix((unsigned long long)(moved# == NULL));",
                ),
                (
                    "",
                    "int one#[2] = {1, 2}; int *at# = one# + 1; unsigned long far# = 0x7fffffffffffff00uL; at# = at# + (far# / 2 + (unsigned)$2); mix((unsigned long long)(at# == one#));",
                ),
            ],
            Undefined::Uninitialised => &[
                (
                    "",
                    "int unset#; int *hold# = &unset#; if ($2 > 9) { *hold# = 3; } if (*hold# > 4) { mix(5); } else { mix(6); }",
                ),
                (
                    "",
                    "int *heap# = malloc(3 * sizeof(int)); heap#[0] = $0; heap#[1] = 2; if (heap#[$2 % 3] == 77) { mix(1); } free(heap#);",
                ),
                (
                    "",
                    "int part#[4]; part#[0] = 1; part#[2] = $0; unsigned total# = 0; for (int i# = 0; i# < 4; i#++) { total# += (unsigned)part#[i#]; } if (total# & 1u) { mix(3); }",
                ),
                (
                    "struct half { int first; int second; };",
                    "struct half half#; half#.first = $0; struct half copy# = half#; if (copy#.second) { mix(8); }",
                ),
            ],
            Undefined::MissingReturn => &[(
                "static int choose(int value) { if (value > 3) { return value * 2; } mix(1); }",
                "int chosen# = choose($2); if (chosen# > 5) { mix(2); }",
            )],
        }
    }
}

/// Definitions at file scope, and statements.
type Variant = (&'static str, &'static str);

impl Generator<'_> {
    /// Statements with undefined behaviour of this kind.
    pub(super) fn planted(&mut self, kind: Undefined) -> Vec<Statement> {
        let (definitions, body) = *self.random.pick(kind.variants());
        let idiom = Idiom {
            name: "planted",
            includes: &["stdlib.h", "string.h"],
            definitions,
            body,
            work: 50,
        };
        self.plant_kind = Some(kind);
        let statements = self.instance(&idiom);
        self.plant_kind = None;
        if self.random.chance(15) {
            let condition = self.condition(2).expression;
            return vec![Statement::If(condition, statements, Vec::new())];
        }
        vec![Statement::Block(statements)]
    }
}
