//! What the program shares with the world around it: arguments, standard input, exit handlers,
//! early exits, assertions. Only `main` uses these.

use super::super::Generator;
use super::Idiom;
use crate::generator::syntax::Statement;

const BEGINNINGS: &[Idiom] = &[
    Idiom {
        name: "arguments",
        includes: &["stdlib.h", "string.h"],
        definitions: "",
        body: r#"
int given# = argc > 1 ? atoi(argv[1]) : $2;
mix((unsigned long long)given#);
for (int i# = 1; i# < argc; i#++) {
    printf("argument %d %s %zu\n", i#, argv[i#], strlen(argv[i#]));
}
mix((unsigned long long)(argv[argc] == NULL));
"#,
        work: 100,
    },
    Idiom {
        name: "numbers_in",
        includes: &[],
        definitions: "",
        body: r#"
int number# = 0;
unsigned read# = 0;
while (read# < 6 && scanf("%d", &number#) == 1) {
    mix((unsigned long long)number#);
    read#++;
}
printf("read %u\n", read#);
"#,
        work: 300,
    },
    Idiom {
        name: "lines_in",
        includes: &["string.h"],
        definitions: "",
        body: r#"
char line#[24];
int lines# = 0;
while (fgets(line#, sizeof(line#), stdin) != NULL && lines# < 5) {
    line#[strcspn(line#, "\n")] = 0;
    printf("line %d [%s]\n", lines#++, line#);
}
"#,
        work: 300,
    },
    Idiom {
        name: "letters_in",
        includes: &[],
        definitions: "",
        body: r#"
int letter# = 0;
int seen# = 0;
while ((letter# = getchar()) != EOF && seen# < 40) {
    mix((unsigned long long)letter#);
    seen#++;
}
printf("seen %d\n", seen#);
"#,
        work: 300,
    },
    Idiom {
        name: "farewell",
        includes: &["stdlib.h"],
        definitions: r#"
static void farewell(void) {
    printf("farewell %llu\n", checksum);
}
static void earlier(void) {
    puts("earlier");
}
"#,
        body: r#"
atexit(farewell);
if ($2 > 3) {
    atexit(earlier);
}
"#,
        work: 50,
    },
    Idiom {
        name: "late_calls",
        includes: &["stdlib.h"],
        definitions: r#"
static void report_late(const int *value) {
    printf("late %d\n", *value);
}
static void report_nothing(const int *value) {
    mix((unsigned long long)*value);
}
static int late_value = 4;
static const int *late_target = &late_value;
static void (*late_report)(const int *) = report_nothing;
static void run_late(void) {
    late_report(late_target);
}
static void run_later(void) {
    late_report = report_late;
    late_value++;
}
"#,
        body: r#"
void (*handler#)(void) = $2 & 1 ? run_late : run_later;
atexit(run_late);
atexit(handler#);
late_value = $0;
"#,
        work: 50,
    },
];

const MIDDLES: &[Idiom] = &[
    Idiom {
        name: "leaving",
        includes: &["stdlib.h"],
        definitions: r#"
static void leave(int code) {
    printf("leaving %llu\n", checksum);
    exit(code);
}
"#,
        body: r#"
if (checksum % 5u == 1u) {
    leave($2);
}
"#,
        work: 20,
    },
    Idiom {
        name: "asserting",
        includes: &[],
        definitions: "",
        body: r#"
assert(checksum % 9u != 4u);
assert($2 >= 0 && "small");
"#,
        work: 20,
    },
    Idiom {
        name: "aborting",
        includes: &["stdlib.h"],
        definitions: "",
        body: r#"
if (checksum % 9u == 2u) {
    fflush(stdout);
    abort();
}
"#,
        work: 20,
    },
];

impl Generator<'_> {
    /// Statements at the start of `main`.
    pub(in crate::generator) fn greet(&mut self, body: &mut Vec<Statement>) {
        for _ in 0..self.random.below(3) {
            let idiom = self.random.pick(BEGINNINGS);
            let statements = self.instance(idiom);
            body.push(Statement::Block(statements));
        }
    }

    /// A way to end before the end of `main`.
    pub(in crate::generator) fn depart(&mut self, body: &mut Vec<Statement>) {
        let idiom = self.random.pick(MIDDLES);
        let statements = self.instance(idiom);
        body.push(Statement::Block(statements));
    }
}
