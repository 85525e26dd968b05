//! Which functions calls through pointers may enter, on small C programs.

mod from_c;

use from_c::compile;
use knockon_memory::call_graph::CallGraph;
use knockon_memory::coarse_call_graph::coarse_call_graph;
use knockon_memory::points_to::ObjectKind;
use knockon_memory::precise_call_graph::precise_call_graph;
use knockon_program::{FunctionId, Program, TimeLimit};

fn names(program: &Program, functions: impl IntoIterator<Item = FunctionId>) -> Vec<String> {
    let mut names: Vec<String> = functions
        .into_iter()
        .map(|function| program.function_name(function).to_string())
        .collect();
    names.sort();
    names
}

fn subset_of_coarse(program: &Program, precise: &CallGraph) {
    let coarse = coarse_call_graph(program);
    for (index, site) in precise.sites.iter().enumerate() {
        assert_eq!(site.instruction, coarse.sites[index].instruction);
        for (fine, all) in [
            (precise.targets.of(index), coarse.targets.of(index)),
            (precise.externals.of(index), coarse.externals.of(index)),
            (precise.callbacks.of(index), coarse.callbacks.of(index)),
        ] {
            assert!(fine.iter().all(|function| all.contains(function)));
        }
    }
}

/// All that the function's calls through pointers enter, promoted and as read.
fn called_through_pointers(source: &str, caller: &str) -> Vec<String> {
    let mut both = Vec::new();
    for promoted in [false, true] {
        let mut program = compile(source, "c");
        if promoted {
            knockon_graphs::promote(&mut program);
        }
        let (graph, points_to) =
            precise_call_graph(&program, TimeLimit::NONE).expect("there is no limit");
        subset_of_coarse(&program, &graph);
        let id = program.functions_named(caller)[0];
        let found = graph
            .sites_of(id)
            .filter(|site| {
                let site = graph.site(*site);
                let place = (site.caller, site.instruction);
                points_to.pointer_calls.contains_key(&place)
            })
            .flat_map(|site| {
                let row = graph.targets.of(site);
                row.iter().chain(graph.externals.of(site)).copied()
            });
        both.push(names(&program, found));
    }
    assert_eq!(both[0], both[1], "promotion does not lose or gain callees");
    both.remove(0)
}

const THREE: &str = "
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static int three(int x) { return x + 3; }
typedef int (*step)(int);
";

#[track_caller]
fn main_calls(rest: &str, expected: &[&str]) {
    let source = format!("#include <stdlib.h>\n#include <string.h>\n{THREE}{rest}");
    assert_eq!(called_through_pointers(&source, "main"), expected, "{rest}");
}

#[test]
fn only_what_was_assigned_is_called() {
    main_calls(
        "step unused = three; int main(int n, char **v) { step s = n > 1 ? one : two; return s(n); }",
        &["one", "two"],
    );
}

#[test]
fn fields_of_a_struct_are_apart() {
    main_calls(
        "struct ops { step first; int pad; step second; };
         static struct ops table = { one, 0, two };
         int main(int n, char **v) { table.first = three; return table.second(n); }",
        &["two"],
    );
}

#[test]
fn a_constant_slot_of_a_table_is_one_function_and_a_variable_one_all() {
    main_calls(
        "static step table[] = { one, two, three };
         int main(int n, char **v) { return table[1](n); }",
        &["two"],
    );
    main_calls(
        "static const struct { const char *name; step run; } table[] = { {\"1\", one}, {\"2\", two} };
         step other = three;
         int main(int n, char **v) { return table[n & 1].run(n); }",
        &["one", "two"],
    );
}

#[test]
fn a_pointer_survives_memcpy_unions_integers_and_bytes() {
    main_calls(
        "struct box { long tag; step run; };
         int main(int n, char **v) { struct box a = { 1, one }, b; memcpy(&b, &a, sizeof a); return b.run(n); }",
        &["one"],
    );
    main_calls(
        "union both { step run; unsigned long number; };
         int main(int n, char **v) { union both u; u.number = (unsigned long)two; return u.run(n); }",
        &["two"],
    );
    main_calls(
        "int main(int n, char **v) {
             step from = three, to; char *p = (char *)&from, *q = (char *)&to;
             for (unsigned i = 0; i < sizeof from; i++) q[i] = p[i];
             return to(n); }",
        &["three"],
    );
    main_calls(
        "int main(int n, char **v) {
             unsigned long low = (unsigned long)one ^ 12345, high = low ^ 12345;
             return ((step)high)(n); }",
        &["one"],
    );
}

#[test]
fn a_pointer_passes_through_calls_heap_and_variadic_arguments() {
    main_calls(
        "static step pick(step *from) { return *from; }
         int main(int n, char **v) { step *p = malloc(sizeof *p); *p = two; return pick(p)(n); }",
        &["two"],
    );
    let source = format!(
        "#include <stdarg.h>\n{THREE}
         static int run(int n, ...) {{ va_list l; va_start(l, n); step s = va_arg(l, step); va_end(l); return s(n); }}
         int main(int n, char **v) {{ return run(n, two) + run(n, three); }}"
    );
    assert_eq!(called_through_pointers(&source, "run"), ["three", "two"]);
}

#[test]
fn a_list_walked_in_a_loop_gives_all_its_functions() {
    main_calls(
        "struct node { struct node *next; step run; };
         static struct node *push(struct node *list, step run) {
             struct node *node = malloc(sizeof *node); node->next = list; node->run = run; return node; }
         int main(int n, char **v) {
             struct node *list = push(push(0, one), two); int sum = 0;
             for (; list; list = list->next) sum += list->run(n);
             return sum; }",
        &["one", "two"],
    );
}

#[test]
fn a_pointer_that_walks_over_an_array_meets_every_element() {
    main_calls(
        "static step table[3]; step other = three;
         int main(int n, char **v) {
             table[0] = one; table[2] = two; int sum = 0;
             for (step *p = table; p < table + 3; p++) if (*p) sum += (*p)(n);
             return sum; }",
        &["one", "two"],
    );
    main_calls(
        "static struct { step low[2]; step high[2]; } tables; step other = three;
         int main(int n, char **v) {
             tables.low[1] = one; tables.high[0] = two; int sum = 0;
             for (step *p = tables.low + 2; p > tables.low; ) { --p; if (*p) sum += (*p)(n); }
             return sum; }",
        &["one", "two"],
    );
}

#[test]
fn a_struct_by_value_carries_its_pointers() {
    main_calls(
        "struct large { long a, b, c; step run; };
         static step take(struct large it) { return it.run; }
         int main(int n, char **v) { struct large it = { 1, 2, 3, three }; return take(it)(n); }",
        &["three"],
    );
}

#[test]
fn the_library_calls_back_what_it_is_given() {
    let source = "#include <stdlib.h>\n#include <signal.h>
        static int by_value(const void *a, const void *b) { return *(int *)a - *(int *)b; }
        static int unrelated(const void *a, const void *b) { return 0; }
        int (*keep)(const void *, const void *) = unrelated;
        static void farewell(void) {}
        static void on_signal(int s) {}
        int main(void) { int a[3] = {3, 1, 2}; qsort(a, 3, sizeof *a, by_value); atexit(farewell); signal(2, on_signal); return a[0]; }";
    let program = compile(source, "c");
    let (graph, _) = precise_call_graph(&program, TimeLimit::NONE).expect("there is no limit");
    subset_of_coarse(&program, &graph);
    let back: Vec<FunctionId> = (0..graph.sites.len())
        .flat_map(|site| graph.callbacks.of(site).to_vec())
        .collect();
    assert_eq!(names(&program, back), ["by_value"]);
    assert_eq!(
        names(&program, graph.entries.exit_handlers.clone()),
        ["farewell"]
    );
    assert_eq!(
        names(&program, graph.entries.anytime.clone()),
        ["on_signal"]
    );
}

#[test]
fn what_escapes_to_unknown_code_may_be_called_by_it() {
    let source = format!(
        "{THREE}void unknown(step *); step keep = three; step given = one;
         int main(int n, char **v) {{ unknown(&given); return given(n); }}"
    );
    let program = compile(&source, "c");
    let (graph, points_to) =
        precise_call_graph(&program, TimeLimit::NONE).expect("there is no limit");
    assert_eq!(names(&program, graph.entries.anytime.clone()), ["one"]);
    assert_eq!(
        names(&program, points_to.escaped_functions.clone()),
        ["one"]
    );
    assert!(
        graph
            .caveats
            .iter()
            .any(|caveat| caveat.kind.name() == "indirect-call")
    );
}

#[test]
fn virtual_calls_go_through_the_tables_of_the_classes() {
    let source = "
        struct shape { virtual int area() { return 0; } virtual int edges() { return 1; } };
        struct square : shape { int area() override { return 4; } int edges() override { return 4; } };
        struct round : shape { int area() override { return 3; } };
        int main(int n, char **) { square s; shape *p = &s; return p->area(); }";
    let program = compile(source, "c++");
    let (graph, points_to) =
        precise_call_graph(&program, TimeLimit::NONE).expect("there is no limit");
    let main = program.functions_named("main")[0];
    let found: Vec<FunctionId> = graph
        .sites_of(main)
        .filter(|site| {
            let site = graph.site(*site);
            points_to
                .pointer_calls
                .contains_key(&(site.caller, site.instruction))
        })
        .flat_map(|site| graph.targets.of(site).to_vec())
        .collect();
    let found = names(&program, found);
    assert!(
        found.contains(&"_ZN6square4areaEv".to_string()),
        "{found:?}"
    );
    assert!(
        !found
            .iter()
            .any(|name| name.contains("edges") || name.contains("round")),
        "{found:?}"
    );
}

#[test]
fn a_constant_is_one_object_even_if_another_initialiser_names_it_first() {
    let mut program = compile(
        "static const int limit; static const int *where = &limit; static const int limit = 7;
         int main(void) { return *where == limit; }",
        "c",
    );
    knockon_graphs::promote(&mut program);
    let (_, points_to) = precise_call_graph(&program, TimeLimit::NONE).expect("there is no limit");
    let main = program.functions_named("main")[0];
    let body = program.function(main).body.as_ref().unwrap();
    let loaded = body.instruction_ids().find(|id| {
        let row = body.instruction(*id);
        row.opcode == knockon_program::Opcode::Load
            && matches!(
                program.type_of(row.type_id),
                knockon_program::Type::Pointer { .. }
            )
    });
    let limit = program
        .globals
        .iter()
        .position(|global| program.name(global.name) == "limit")
        .map(knockon_program::GlobalId::from_index)
        .unwrap();
    let objects = points_to.objects_of(
        &program,
        main,
        knockon_program::Operand::Instruction(loaded.unwrap()),
    );
    let known = points_to.find(ObjectKind::Global(limit));
    assert_eq!(objects, [known.unwrap()]);
}

/// What the text that `main` scans and prints may be.
fn scanned_objects(format: &str) -> Vec<ObjectKind> {
    let mut program = compile(
        &format!(
            "#include <stdio.h>
             static char line[8];
             int main(int n, char **v) {{ char *text = line; sscanf(v[1], \"{format}\", &text); return puts(text); }}"
        ),
        "c",
    );
    knockon_graphs::promote(&mut program);
    let (_, points_to) = precise_call_graph(&program, TimeLimit::NONE).expect("there is no limit");
    let main = program.functions_named("main")[0];
    let body = program.function(main).body.as_ref().unwrap();
    let mut calls = body
        .instruction_ids()
        .filter(|id| body.instruction(*id).opcode.is_call());
    let printing = calls.next_back().unwrap();
    let text = body.arguments(printing)[0];
    let objects = points_to.objects_of(&program, main, text);
    objects
        .into_iter()
        .map(|object| points_to.object(object).kind)
        .collect()
}

#[test]
fn allocating_input_stores_a_new_object_behind_its_argument() {
    let is_made = |kind: &ObjectKind| matches!(kind, ObjectKind::Heap(..));
    assert!(scanned_objects("%ms").iter().any(is_made));
    assert!(scanned_objects("%5m[a-z]").iter().any(is_made));
    assert!(!scanned_objects("%p").iter().any(is_made));
}
