//! What each node observes: occurrences, operands, values read, results of calls; addresses by where
//! their objects come from.

use super::compiled::{CLANGS, promoted, read};
use knockon_interpreter::{Exit, Observations, ObserveRequest, Run, RunInput, run};
use knockon_program::{Node, ObjectNames, Opcode, Program};

/// Reads a C program and promotes it, as every analysis sees it.
fn program(source: &str) -> Program {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("program.c");
    std::fs::write(&path, source).expect("the source is written");
    promoted(read(CLANGS[0], &path))
}

fn observed(program: &Program, request: ObserveRequest) -> Run {
    run(
        program,
        &RunInput {
            observe: Some(request),
            ..RunInput::default()
        },
    )
}

fn observations(program: &Program) -> Observations {
    let run = observed(program, ObserveRequest::default());
    assert_eq!(
        run.exit,
        Exit::Returned(0),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    run.observations.expect("they were asked for")
}

/// The only instruction of this kind on a line.
fn node(program: &Program, line: u32, opcode: Opcode) -> Node {
    let mut found = Vec::new();
    for (function, _, body) in program.defined_functions() {
        for id in body.instruction_ids() {
            let row = body.instruction(id);
            if row.opcode == opcode && program.place(row.place).line == line {
                found.push((function, id));
            }
        }
    }
    assert_eq!(found.len(), 1, "{opcode:?} on line {line}");
    found[0]
}

const LOOP: &str = "int printf(const char *, ...);
int scale(int x) {
    return x * 2;
}
int main(void) {
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += scale(i);
    printf(\"%d\\n\", sum);
    return 0;
}
";

#[test]
fn a_node_is_counted_once_per_occurrence() {
    let program = program(LOOP);
    let seen = observations(&program);
    assert_eq!(seen.nodes[&node(&program, 3, Opcode::Multiply)].count, 5);
    assert_eq!(seen.nodes[&node(&program, 8, Opcode::Call)].count, 5);
    assert_eq!(seen.nodes[&node(&program, 9, Opcode::Call)].count, 1);
}

#[test]
fn two_runs_of_one_program_observe_the_same() {
    let program = program(LOOP);
    assert_eq!(observations(&program), observations(&program));
}

#[test]
fn observing_changes_neither_output_nor_steps() {
    let program = program(LOOP);
    let plain = run(&program, &RunInput::default());
    let seen = observed(&program, ObserveRequest::default());
    assert_eq!(
        (plain.stdout, plain.exit, plain.steps),
        (seen.stdout, seen.exit, seen.steps)
    );
}

#[test]
fn a_changed_factor_differs_where_its_value_goes_and_nowhere_else() {
    let (old, new) = (program(LOOP), program(&LOOP.replace("x * 2", "x * 3")));
    let (before, after) = (observations(&old), observations(&new));
    let differs = |line: u32, opcode: Opcode| {
        before.nodes[&node(&old, line, opcode)] != after.nodes[&node(&new, line, opcode)]
    };
    assert!(
        differs(3, Opcode::Multiply),
        "its operand is the changed constant"
    );
    assert!(differs(8, Opcode::Call), "its result differs");
    assert!(differs(9, Opcode::Call), "it prints the sum");
    assert!(
        !differs(7, Opcode::IntegerCompare),
        "the loop runs as before"
    );
}

/// Names for all calls and `alloca`s by line and kind: what a pairing of two versions does, whose
/// lines are those of `source` before its `EXTRA`s are filled in.
fn named_by_line(program: &Program, salt: u64) -> Observations {
    let mut request = ObserveRequest {
        names: ObjectNames {
            salt,
            ..ObjectNames::default()
        },
        ..ObserveRequest::default()
    };
    for (function, _, body) in program.defined_functions() {
        for id in body.instruction_ids() {
            let row = body.instruction(id);
            let line = u64::from(program.place(row.place).line);
            if row.opcode.is_call() {
                request.names.sites.insert((function, id), line);
            }
        }
    }
    let run = observed(program, request);
    assert_eq!(run.exit, Exit::Returned(0));
    run.observations.expect("they were asked for")
}

/// Whether the only load on a line observes the same in both texts.
fn same_load(old: &str, new: &str, line: u32) -> bool {
    let (old, new) = (program(old), program(new));
    let (before, after) = (named_by_line(&old, 1), named_by_line(&new, 2));
    before.nodes[&node(&old, line, Opcode::Load)] == after.nodes[&node(&new, line, Opcode::Load)]
}

const WRAPPED: &str = "void *malloc(unsigned long);
static void *xmalloc(unsigned long size) {
    return malloc(size);
}
static int use(int *p) {
    return p[1];
}
static int *extra;
int main(void) {
    EXTRA
    int *p = xmalloc(8);
    p[1] = 7;
    return use(p) - 7;
}
";

#[test]
fn an_object_is_named_by_its_call_path_and_not_by_its_number() {
    let (old, new) = (
        WRAPPED.replace("EXTRA", ""),
        WRAPPED.replace("EXTRA", "extra = xmalloc(100);"),
    );
    assert!(same_load(&old, &new, 6), "another path allocates before");
}

#[test]
fn objects_of_one_path_are_told_apart_by_their_order() {
    let (old, new) = (
        WRAPPED.replace("EXTRA", "for (int i = 0; i < 1; i++)"),
        WRAPPED.replace("EXTRA", "for (int i = 0; i < 2; i++)"),
    );
    let declared = |text: &str| text.replace("int *p = xmalloc", "extra = xmalloc");
    let through = |text: &str| {
        declared(text)
            .replace("p[1] = 7", "extra[1] = 7")
            .replace("use(p)", "use(extra)")
    };
    assert!(!same_load(&through(&old), &through(&new), 6));
}

#[test]
fn unnamed_places_of_two_versions_are_never_the_same() {
    let text = program(&WRAPPED.replace("EXTRA", ""));
    let seen = |salt: u64| {
        let request = ObserveRequest {
            names: ObjectNames {
                salt,
                ..ObjectNames::default()
            },
            ..ObserveRequest::default()
        };
        let run = observed(&text, request).observations;
        run.expect("they were asked for").nodes[&node(&text, 6, Opcode::Load)]
    };
    assert_eq!(seen(1), seen(1));
    assert_ne!(seen(1), seen(2));
}

#[test]
fn what_the_library_calls_back_is_on_the_path_of_the_call() {
    let source =
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
static int seen(int *p) { return
    *p; }
static int order(const void *a, const void *b) {
    int copy = *(const int *)a;
    return seen(&copy) - *(const int *)b;
}
static int extra[2] = {2, 1}, sorted[2] = {2, 1};
int main(void) {
    EXTRA
    qsort(sorted, 2, sizeof(int), order);
    return 0;
}
";
    let (old, new) = (
        source.replace("EXTRA", "order(extra, extra);"),
        source.replace("EXTRA", "order(extra, extra + 1);"),
    );
    assert!(
        !same_load(&old, &old.replace("sorted, 2", "sorted, 1"), 3),
        "fewer calls"
    );
    let (old, new) = (program(&old), program(&new));
    let seen = |program: &Program| {
        let mut request = ObserveRequest::default();
        for (function, _, body) in program.defined_functions() {
            for id in body.instruction_ids() {
                request.names.sites.insert((function, id), u64::from(id.0));
            }
        }
        observed(program, request)
            .observations
            .expect("they were asked for")
            .nodes[&node(program, 3, Opcode::Load)]
    };
    assert_eq!(
        seen(&old),
        seen(&new),
        "copies are named by path: direct call, then qsort's"
    );
}

#[test]
fn a_string_is_named_by_its_content() {
    let source = "int puts(const char *);
int main(void) {
    EXTRA
    puts(\"hello\");
    return 0;
}
";
    let (old, new) = (
        program(&source.replace("EXTRA", "")),
        program(&source.replace("EXTRA", "puts(\"before\");")),
    );
    let call = |program: &Program, seen: &Observations| seen.nodes[&node(program, 4, Opcode::Call)];
    let (before, after) = (observations(&old), observations(&new));
    assert_eq!(call(&old, &before), call(&new, &after));
    let other = program(&source.replace("EXTRA", "").replace("hello", "Hello"));
    assert_ne!(call(&old, &before), call(&other, &observations(&other)));
}

#[test]
fn recursive_calls_are_observed_in_the_order_of_their_starts() {
    let source = "int down(int n) {
    return n == 0 ? 0 : 1 + down(n - 1);
}
int main(void) {
    return down(4) - 4;
}
";
    let program = program(source);
    let call = node(&program, 2, Opcode::Call);
    let mut request = ObserveRequest::default();
    request.trace.insert(call);
    let seen = observed(&program, request)
        .observations
        .expect("they were asked for");
    assert_eq!(seen.nodes[&call].count, 4);
    let trace = &seen.traces[&call];
    assert_eq!(trace.len(), 4);
    let sum = trace
        .iter()
        .fold(0u128, |sum, hash| sum.wrapping_add(*hash));
    assert_eq!(
        sum, seen.nodes[&call].hash,
        "the hash is the sum over the occurrences"
    );
}

#[test]
fn a_call_that_never_returns_is_observed_with_its_arguments() {
    let source = "void exit(int);
static void leave(int code) {
    exit(code);
}
int main(void) {
    leave(CODE);
    return 1;
}
";
    let (old, new) = (
        program(&source.replace("CODE", "3")),
        program(&source.replace("CODE", "4")),
    );
    let seen = |program: &Program| {
        let run = observed(program, ObserveRequest::default());
        run.observations.expect("they were asked for").nodes[&node(program, 6, Opcode::Call)]
    };
    assert_eq!(seen(&old).count, 1);
    assert_ne!(seen(&old), seen(&new));
}

#[test]
fn a_run_that_does_not_end_stops_at_its_limit() {
    let program = program("int main(void) { for (volatile int i = 0;; i = i ? 0 : 1) ; }");
    let input = RunInput {
        step_limit: 10_000,
        ..RunInput::default()
    };
    let run = run(&program, &input);
    assert_eq!(run.exit, Exit::StepLimit);
    assert_eq!(run.steps, 10_000);
}

#[test]
fn memory_beyond_the_limit_is_said_to_be_unsupported() {
    let source = "void *malloc(unsigned long);
int main(void) {
    for (int i = 0; i < 1000; i++) *(char *)malloc(1 << 20) = 1;
    return 0;
}
";
    let input = RunInput {
        memory_limit: 100 << 20,
        ..RunInput::default()
    };
    let exit = run(&program(source), &input).exit;
    assert!(matches!(exit, Exit::Unsupported(_)), "{exit:?}");
}

#[test]
fn what_is_not_modelled_is_named() {
    let source = "int mystery(int);
int main(void) {
    return mystery(1);
}
";
    let exit = run(&program(source), &RunInput::default()).exit;
    assert!(
        matches!(&exit, Exit::Unsupported(reason) if reason.contains("mystery")),
        "{exit:?}"
    );
}
