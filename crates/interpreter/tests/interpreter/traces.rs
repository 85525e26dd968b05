//! What a trace holds: what was entered from where and in which order, which memory was touched by
//! which instruction, during which call, and together with which other instruction.

use super::compiled::{CLANGS, promoted, read};
use knockon_interpreter::{AccessKind, Flow, Origin, RunInput, Touch, Trace, run};
use knockon_program::{FunctionId, Node, Opcode, Program};

struct Traced {
    program: Program,
    trace: Trace,
}

fn traced(source: &str) -> Traced {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("program.c");
    std::fs::write(&path, source).expect("the source is written");
    let program = promoted(read(CLANGS[0], &path));
    let input = RunInput {
        trace: true,
        ..RunInput::default()
    };
    let plain = run(&program, &RunInput::default());
    let run = run(&program, &input);
    assert_eq!(run.exit.code(), Some(0), "{:?}", run.exit);
    assert_eq!(
        (plain.stdout, plain.exit, plain.steps),
        (run.stdout, run.exit, run.steps),
        "a trace changes nothing"
    );
    let trace = run.trace.expect("it was asked for");
    Traced { program, trace }
}

impl Traced {
    fn function(&self, name: &str) -> FunctionId {
        self.program.functions_named(name)[0]
    }

    /// The only instruction of this kind on a line.
    fn node(&self, line: u32, opcode: Opcode) -> Node {
        let mut found = Vec::new();
        for (function, _, body) in self.program.defined_functions() {
            for id in body.instruction_ids() {
                let row = body.instruction(id);
                if row.opcode == opcode && self.program.place(row.place).line == line {
                    found.push((function, id));
                }
            }
        }
        assert_eq!(found.len(), 1, "{opcode:?} on line {line}");
        found[0]
    }

    fn entered(&self, node: Option<Node>) -> Vec<&str> {
        let rows = self.trace.entered.iter().filter(|row| row.0 == node);
        rows.map(|row| self.program.function_name(row.1)).collect()
    }

    fn after(&self, earlier: &str, later: &str) -> bool {
        self.trace
            .executed_after(self.function(earlier), self.function(later))
    }

    fn global(&self, name: &str) -> Origin {
        let index = (self.program.globals.iter())
            .position(|global| self.program.name(global.name) == name)
            .expect("a global of that name");
        Origin::Global(knockon_program::GlobalId::from_index(index))
    }

    fn ranges(&self, node: Node, kind: AccessKind, origin: &Origin) -> Vec<(u32, u32)> {
        (self.trace.accesses.iter())
            .filter(|access| (access.node, access.kind) == (node, kind))
            .filter(|access| self.trace.origin(access.origin) == origin)
            .flat_map(|access| access.ranges.clone())
            .collect()
    }

    fn effects(&self, function: &str, kind: AccessKind) -> Vec<&Origin> {
        let function = self.function(function);
        (self.trace.function_effects.iter())
            .filter(|row| (row.0, row.2) == (function, kind))
            .map(|row| self.trace.origin(row.1))
            .collect()
    }

    fn overlap(&self, one: (Node, AccessKind), other: (Node, AccessKind)) -> bool {
        let touch = |(node, kind): (Node, AccessKind)| Touch {
            instruction: node.1,
            kind,
        };
        assert_eq!(one.0.0, other.0.0, "both in one function");
        let (one, function, other) = (touch(one), one.0.0, touch(other));
        (self.trace.overlaps.iter()).any(|overlap| {
            overlap.function == function
                && (overlap.one, overlap.other) == (one.min(other), one.max(other))
        })
    }
}

const SORT: &str =
    "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
int atexit(void (*)(void));
static int numbers[3] = {3, 1, 2};
static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}
static void leave(void) {}
int main(void) {
    atexit(leave);
    qsort(numbers, 3, sizeof(int), compare);
    return numbers[0] - 1;
}
";

#[test]
fn a_callback_is_entered_from_the_call_of_the_library() {
    let traced = traced(SORT);
    assert_eq!(
        traced.entered(Some(traced.node(10, Opcode::Call))),
        ["compare"]
    );
    assert_eq!(traced.entered(None), ["main", "leave"]);
}

#[test]
fn what_a_call_enters_touches_memory_on_its_behalf() {
    let traced = traced(SORT);
    let numbers = traced.global("numbers");
    assert!(
        traced
            .effects("compare", AccessKind::Read)
            .contains(&&numbers)
    );
    assert!(traced.effects("compare", AccessKind::Write).is_empty());
    let sort = traced.node(10, Opcode::Call);
    assert!(!traced.ranges(sort, AccessKind::Write, &numbers).is_empty());
    let load = traced.node(11, Opcode::Load);
    assert_eq!(
        traced.ranges(load, AccessKind::Read, &numbers),
        [(0, 4)],
        "numbers[0] alone"
    );
    assert!(traced.overlap((sort, AccessKind::Write), (load, AccessKind::Read)));
}

#[test]
fn order_is_that_of_entries_and_returns() {
    let traced = traced(
        "void exit(int);
static void first(void) {}
static void last(void) { exit(0); }
static void second(void) { last(); }
int main(void) {
    first();
    second();
    return 1;
}
",
    );
    assert!(traced.after("first", "second"));
    assert!(!traced.after("second", "first"));
    assert!(
        traced.after("first", "main"),
        "first returns into main, which goes on"
    );
    assert!(traced.after("main", "last"));
    assert!(!traced.after("last", "main"), "exit never comes back");
    assert!(!traced.after("second", "second"), "entered once");
}

#[test]
fn a_jump_comes_back_to_the_function_of_setjmp() {
    let traced = traced(
        "#include <setjmp.h>
static jmp_buf buffer;
static void thrower(void) { longjmp(buffer, 1); }
static void between(void) { thrower(); }
int main(void) {
    if (setjmp(buffer) == 0)
        between();
    return 0;
}
",
    );
    assert!(traced.after("thrower", "main"));
    assert!(!traced.after("thrower", "between"));
}

#[test]
fn locals_are_effects_for_callees_only() {
    let traced = traced(
        "static void set(int *p, int depth) {
    int own = depth;
    int *volatile keep = &own;
    if (depth == 0)
        *p = *keep;
    else
        set(p, depth - 1);
}
int main(void) {
    int result = 7;
    set(&result, 2);
    return result;
}
",
    );
    let locals: Vec<_> = traced.effects("set", AccessKind::Write);
    let main = traced.function("main");
    assert_eq!(locals.len(), 1, "{locals:?}");
    assert!(matches!(locals[0], Origin::Local(function, _) if *function == main));
    assert!(traced.effects("main", AccessKind::Write).is_empty());
    let recursive = traced.node(7, Opcode::Call);
    let during: Vec<_> = (traced.trace.call_effects.iter())
        .filter(|row| row.0 == recursive && row.2 == AccessKind::Write)
        .map(|row| traced.trace.origin(row.1))
        .collect();
    assert_eq!(during, locals, "the inner activation's own local is not");
}

#[test]
fn an_outer_activation_s_local_is_an_effect_of_the_inner_one() {
    let traced = traced(
        "static int walk(int *outer, int depth) {
    int own = depth;
    if (depth > 0)
        walk(&own, depth - 1);
    if (outer)
        *outer += 1;
    return own;
}
int main(void) {
    return walk(0, 2) - 3;
}
",
    );
    let walk = traced.function("walk");
    let effects = traced.effects("walk", AccessKind::Write);
    assert!(matches!(effects[..], [Origin::Local(function, _)] if *function == walk));
}

#[test]
fn heap_memory_is_known_by_its_call_path() {
    let traced = traced(
        "void *malloc(unsigned long);
static void *wrapper(unsigned long size) {
    return malloc(size);
}
int main(void) {
    int *one = wrapper(4);
    int *two = wrapper(4);
    *one = 0;
    *two = 1;
    return *one;
}
",
    );
    let allocation = traced.node(3, Opcode::Call);
    for (store, call) in [(8, 6), (9, 7)] {
        let origin = Origin::Heap {
            allocation,
            path: vec![traced.node(call, Opcode::Call)],
        };
        let store = traced.node(store, Opcode::Store);
        assert_eq!(
            traced.ranges(store, AccessKind::Write, &origin),
            [(0, 4)],
            "{:?}",
            traced.trace.origins
        );
    }
}

#[test]
fn an_argument_in_memory_is_read_by_the_call_and_belongs_to_the_callee() {
    let traced = traced(
        "struct big { long rows[8]; };
static struct big given = {{5}};
static long take(struct big big, int at) {
    return big.rows[at];
}
int main(void) {
    return (int)take(given, 1);
}
",
    );
    let call = traced.node(7, Opcode::Call);
    let given = traced.global("given");
    assert_eq!(traced.ranges(call, AccessKind::Read, &given), [(0, 64)]);
    let copy = Origin::Passed {
        callee: traced.function("take"),
        parameter: Some(0),
    };
    let load = traced.node(4, Opcode::Load);
    assert_eq!(traced.ranges(load, AccessKind::Read, &copy), [(8, 8)]);
}

#[test]
fn variables_of_the_library_are_the_program_s_globals() {
    let traced = traced(
        "#include <stdio.h>
int main(void) {
    fputs(\"\", stdout);
    return 0;
}
",
    );
    let load = traced.node(3, Opcode::Load);
    let stdout = traced.global("stdout");
    assert_eq!(traced.ranges(load, AccessKind::Read, &stdout), [(0, 8)]);
}

#[test]
fn a_read_is_traced_to_the_last_write_of_its_bytes() {
    let traced = traced(
        "static int cell, other;
static int *volatile where;
static void set(void) { *where = 5; }
static int swap(int value) {
    int old = cell;
    cell = value;
    return old;
}
int main(void) {
    where = &cell;
    cell = 1;
    set();
    int first = swap(3);
    int second = cell;
    return first + second + other - 8;
}
",
    );
    let main = traced.function("main");
    let flow = |written: Option<Node>, read: Node| {
        traced.trace.flows.contains(&Flow {
            function: main,
            written: written.map(|node| node.1),
            read: read.1,
        })
    };
    let store = traced.node(11, Opcode::Store);
    let set = traced.node(12, Opcode::Call);
    let swap = traced.node(13, Opcode::Call);
    let second = traced.node(14, Opcode::Load);
    assert!(flow(Some(set), swap), "swap reads what set wrote");
    assert!(!flow(Some(store), swap), "set has overwritten it");
    assert!(flow(Some(swap), second));
    assert!(!flow(Some(set), second));
    assert!(flow(None, traced.node(15, Opcode::Load)), "of other");
    let own = |written: Option<Node>, read: Node| {
        traced.trace.flows.contains(&Flow {
            function: traced.function("swap"),
            written: written.map(|node| node.1),
            read: read.1,
        })
    };
    assert!(own(None, traced.node(5, Opcode::Load)));
}

#[test]
fn after_a_long_write_nobody_is_said_to_have_written() {
    let traced = traced(
        "#include <string.h>
static char buffer[4096];
int main(void) {
    buffer[2000] = 1;
    memset(buffer, 0, sizeof buffer);
    return buffer[2000] + buffer[4095];
}
",
    );
    let fill = traced.node(5, Opcode::Call).1;
    let store = traced.node(4, Opcode::Store).1;
    let written: Vec<_> = traced.trace.flows.iter().map(|flow| flow.written).collect();
    assert!(!written.contains(&Some(store)), "{written:?}");
    assert!(!written.contains(&None), "{written:?}");
    assert!(written.contains(&Some(fill)), "the last byte is known");
}
