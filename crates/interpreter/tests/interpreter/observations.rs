//! What each node observes: occurrences, operands, values read, results of calls; addresses by where
//! their objects come from.

use super::compiled::{CLANGS, promoted, read};
use knockon_interpreter::{Exit, Node, Observations, ObserveRequest, Run, RunInput, run};
use knockon_program::{Opcode, Program};

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

#[test]
fn an_address_is_observed_by_its_object_and_not_by_its_number() {
    let source = "void *malloc(unsigned long);
static int *extra;
static int use(int *p) {
    return p[1];
}
int main(void) {
    EXTRA
    int *p = malloc(8);
    p[1] = 7;
    return use(p) - 7;
}
";
    let old = program(&source.replace("EXTRA", ""));
    let new = program(&source.replace("EXTRA", "extra = malloc(100);"));
    let (before, after) = (observations(&old), observations(&new));
    // Named alike in both versions, as the pairing of two versions names them.
    let load = |program: &Program, seen: &Observations| seen.nodes[&node(program, 4, Opcode::Load)];
    assert_ne!(
        load(&old, &before),
        load(&new, &after),
        "the second malloc of main, not the first"
    );
    let name = |program: &Program| {
        let mut request = ObserveRequest::default();
        request.site_names.insert(node(program, 8, Opcode::Call), 1);
        observed(program, request)
            .observations
            .expect("they were asked for")
    };
    assert_eq!(load(&old, &name(&old)), load(&new, &name(&new)));
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
