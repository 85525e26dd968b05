//! The coarse call graph is the textbook's, and the precise one is a subset of it.

mod from_c;

use from_c::compile;
use knockon_memory::call_graph::{CallGraph, CallSiteId};
use knockon_memory::coarse_call_graph::coarse_call_graph;
use knockon_memory::precise_call_graph::precise_call_graph;
use knockon_program::{FunctionId, Program, TimeLimit};
use std::path::Path;

fn names(program: &Program, functions: &[FunctionId]) -> Vec<String> {
    let mut names: Vec<String> = functions
        .iter()
        .map(|id| program.function_name(*id).to_owned())
        .collect();
    names.sort();
    names
}

/// The only call of this function that is not an intrinsic's.
fn only_site(program: &Program, graph: &CallGraph, caller: &str) -> CallSiteId {
    let caller = program.functions_named(caller)[0];
    let is_intrinsic = |site: &CallSiteId| {
        let externals = graph.externals.of(*site);
        !externals.is_empty()
            && externals
                .iter()
                .all(|id| program.function_name(*id).starts_with("llvm."))
    };
    let sites: Vec<CallSiteId> = graph
        .sites_of(caller)
        .filter(|site| !is_intrinsic(site))
        .collect();
    assert_eq!(sites.len(), 1);
    sites[0]
}

fn coarse(source: &str) -> (Program, CallGraph) {
    let program = compile(source, "c");
    let graph = coarse_call_graph(&program);
    (program, graph)
}

#[test]
fn a_call_through_a_pointer_enters_every_function_whose_address_is_taken() {
    let (program, graph) = coarse(
        "void stored(void) {}
         void passed(void) {}
         void called(void) {}
         void (*table[1])(void) = {stored};
         void run(void (*f)(void)) { f(); }
         int main(void) { called(); run(passed); return 0; }",
    );
    let site = only_site(&program, &graph, "run");
    assert_eq!(
        names(&program, graph.targets.of(site)),
        ["passed", "stored"]
    );
    assert!(!graph.site(site).calls_unmodelled);
    assert!(graph.entries.anytime.is_empty());
    assert_eq!(names(&program, &graph.entries.mains), ["main"]);
}

#[test]
fn a_library_function_calls_back_what_it_is_given() {
    let (program, graph) = coarse(
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
         int order(const void *a, const void *b) { return 0; }
         int other(const void *a, const void *b) { return 0; }
         int (*kept)(const void *, const void *) = other;
         void given(void *p) { qsort(p, 1, 1, order); }
         void any(void *p) { qsort(p, 1, 1, kept); }
         int main(void) { given(0); any(0); return 0; }",
    );
    let given = only_site(&program, &graph, "given");
    assert_eq!(names(&program, graph.callbacks.of(given)), ["order"]);
    assert!(graph.targets.of(given).is_empty());
    let any = only_site(&program, &graph, "any");
    assert_eq!(names(&program, graph.callbacks.of(any)), ["order", "other"]);
}

#[test]
fn handlers_are_entered_later_and_numbers_are_no_handlers() {
    let (program, graph) = coarse(
        "#include <signal.h>
         int atexit(void (*)(void));
         void bye(void) {}
         void caught(int number) {}
         int main(void) {
             atexit(bye);
             signal(SIGINT, caught);
             signal(SIGTERM, SIG_IGN);
             signal(SIGHUP, SIG_DFL);
             return 0;
         }",
    );
    assert_eq!(names(&program, &graph.entries.exit_handlers), ["bye"]);
    assert_eq!(names(&program, &graph.entries.anytime), ["caught"]);
    assert!((0..graph.sites.len()).all(|site| graph.callbacks.of(site).is_empty()));
}

#[test]
fn unknown_code_calls_back_what_escaped_now_and_at_any_time() {
    let (program, graph) = coarse(
        "void unheard_of(void (*)(void));
         void given(void) {}
         void private(void) {}
         int main(void) { private(); unheard_of(given); return 0; }",
    );
    let site = (0..graph.sites.len())
        .map(CallSiteId::from)
        .find(|site| graph.site(*site).calls_unmodelled)
        .expect("the unmodelled call");
    assert_eq!(names(&program, graph.callbacks.of(site)), ["given"]);
    assert_eq!(names(&program, &graph.entries.anytime), ["given"]);
    assert_eq!(graph.caveats.len(), 1);
}

#[test]
fn exit_runs_the_handlers_and_abort_does_not() {
    let (program, graph) = coarse(
        "void exit(int); void abort(void);
         void leave(void) { exit(1); }
         void crash(void) { abort(); }
         int main(int n, char **v) { if (n) leave(); crash(); return 0; }",
    );
    assert!(graph.site(only_site(&program, &graph, "leave")).exits);
    assert!(!graph.site(only_site(&program, &graph, "crash")).exits);
}

#[test]
fn without_main_every_external_function_is_an_entry_and_pointers_come_from_outside() {
    let (program, graph) = coarse(
        "static void hidden(void) {}
         void one(void (*f)(void)) { f(); }
         void two(void) { hidden(); }",
    );
    assert_eq!(names(&program, &graph.entries.library), ["one", "two"]);
    let site = only_site(&program, &graph, "one");
    assert!(graph.site(site).calls_unmodelled);
    assert_eq!(names(&program, graph.callbacks.of(site)), ["one", "two"]);
}

#[test]
fn the_resolver_of_an_indirect_function_runs_before_main() {
    let (program, graph) = coarse(
        "static int fast(void) { return 1; }
         static int (*resolve(void))(void) { return fast; }
         int chosen(void) __attribute__((ifunc(\"resolve\")));
         int main(void) { return chosen(); }",
    );
    assert_eq!(names(&program, &graph.entries.constructors), ["resolve"]);
    let site = only_site(&program, &graph, "main");
    assert!(names(&program, graph.targets.of(site)).contains(&"fast".to_owned()));
}

#[test]
fn empty_assembly_does_nothing_and_other_assembly_is_unknown_code() {
    let (program, graph) = coarse(
        "void barrier(void) { __asm__ volatile(\"\" ::: \"memory\"); }
         void nothing(void) { __asm__ volatile(\"nop\"); }
         int main(void) { barrier(); nothing(); return 0; }",
    );
    let unknown = |caller| {
        graph
            .site(only_site(&program, &graph, caller))
            .calls_unmodelled
    };
    assert!(!unknown("barrier"));
    assert!(unknown("nothing"));
}

/// Every target, callback and entry of the precise graph is one of the coarse graph.
fn hold_precise_against_coarse(program: &Program, name: &str) {
    let coarse = coarse_call_graph(program);
    let (precise, _) = precise_call_graph(program, TimeLimit::NONE).expect("there is no limit");
    assert_eq!(precise.sites.len(), coarse.sites.len(), "{name}");
    for site in (0..coarse.sites.len()).map(CallSiteId::from) {
        let rows = [
            (&precise.targets, &coarse.targets),
            (&precise.externals, &coarse.externals),
            (&precise.callbacks, &coarse.callbacks),
        ];
        for (fine, all) in rows {
            for function in fine.of(site) {
                let caller = program.function_name(coarse.site(site).caller);
                let callee = program.function_name(*function);
                assert!(
                    all.of(site).contains(function),
                    "{name}: {caller} calls {callee}"
                );
            }
        }
        assert!(coarse.site(site).calls_unmodelled || !precise.site(site).calls_unmodelled);
        assert!(coarse.site(site).exits || !precise.site(site).exits);
    }
    let entries = [
        (&precise.entries.anytime, &coarse.entries.anytime),
        (
            &precise.entries.exit_handlers,
            &coarse.entries.exit_handlers,
        ),
        (&precise.entries.library, &coarse.entries.library),
    ];
    for (fine, all) in entries {
        assert!(fine.iter().all(|function| all.contains(function)), "{name}");
    }
}

#[test]
fn the_precise_graph_is_a_subset_of_the_coarse_one() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../interpreter/tests/fixtures");
    let mut compared = 0;
    for entry in std::fs::read_dir(fixtures).expect("the fixtures") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "c") {
            let source = std::fs::read_to_string(&path).expect("text");
            if source.contains("#include \"") {
                continue;
            }
            let program = compile(&source, "c");
            hold_precise_against_coarse(&program, &path.to_string_lossy());
            compared += 1;
        }
    }
    assert!(compared > 5);
}

#[test]
fn a_library_call_enters_what_the_program_defines_in_the_librarys_place() {
    let (program, graph) = coarse(
        "typedef unsigned long size_t;
         char *strdup(const char *); size_t strlen(const char *);
         char room[64];
         void *malloc(size_t size) { return room; }
         char *copy(const char *text) { return strdup(text); }
         size_t measure(const char *text) { return strlen(text); }
         int main(void) { copy(\"\"); measure(\"\"); return 0; }",
    );
    let precise = precise_call_graph(&program, TimeLimit::NONE)
        .expect("there is no limit")
        .0;
    for graph in [&graph, &precise] {
        let site = only_site(&program, graph, "copy");
        assert!(graph.site(site).calls_unmodelled);
        assert_eq!(names(&program, graph.callbacks.of(site)), ["malloc"]);
        assert!(!graph.site(site).enters_unknown_code());
        let site = only_site(&program, graph, "measure");
        assert!(!graph.site(site).calls_unmodelled);
    }
    assert!(precise.entries.anytime.is_empty());
}

#[test]
fn an_assignment_of_a_structure_enters_the_programs_own_memcpy() {
    let (program, graph) = coarse(
        "typedef unsigned long size_t;
         struct wide { int fields[64]; } one, other;
         void *memcpy(void *to, const void *from, size_t size) { return to; }
         void assign(void) { one = other; }
         int main(void) { assign(); return 0; }",
    );
    let assign = program.functions_named("assign")[0];
    let site = graph.sites_of(assign).next().expect("the copy");
    assert!(graph.site(site).calls_unmodelled);
    assert_eq!(names(&program, graph.callbacks.of(site)), ["memcpy"]);
}

#[test]
fn a_definition_that_the_library_does_not_look_for_is_entered_by_no_call_of_it() {
    for own in [
        "static void free(void *given) {} void use(void) { free(0); }",
        "int getopt(int n, char *const *v, const char *letters) { return -1; }",
        "void error(int status, int number, const char *text, ...) {}",
    ] {
        let (program, graph) = coarse(&format!(
            "typedef struct file FILE; int fclose(FILE *); {own}
             int close_it(FILE *file) {{ return fclose(file); }}
             int main(void) {{ return close_it(0); }}",
        ));
        let site = only_site(&program, &graph, "close_it");
        assert!(!graph.site(site).calls_unmodelled, "{own}");
        assert!(graph.entries.anytime.is_empty(), "{own}");
    }
}
