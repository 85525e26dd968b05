//! What functions read and write, through all they call.

use super::compiled::{Compiled, compile};
use knockon_library::{World, library};
use knockon_memory::mod_ref::{MemoryEffect, ModRef, mod_ref};
use knockon_program::TimeLimit;
use std::collections::BTreeSet;

fn effects(program: &Compiled) -> ModRef {
    mod_ref(
        &program.program,
        &program.calls,
        library(),
        &program.regions,
        TimeLimit::NONE,
    )
    .expect("there is no limit")
}

fn names(program: &Compiled, list: &[knockon_memory::regions::RegionId]) -> BTreeSet<String> {
    let name = |region: &_| program.regions.name(&program.program, *region);
    list.iter().map(name).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_function_does_what_its_callees_do_to_what_it_hands_them() {
    let program = compile(
        r#"
static int total, limit;
static void add(int *where, int by) { *where += by; }
int count(int by) { add(&total, by); return total < limit; }
int pass(int *mine) { add(mine, 1); return *mine; }
int keep(void) { int local = 0; add(&local, 2); return local; }
"#,
    );
    let found = effects(&program);
    let of =
        |name: &str| -> MemoryEffect { found.function(&program.regions, program.function(name)) };
    assert_eq!(names(&program, &of("count").may_write), set(&["total"]));
    assert_eq!(
        names(&program, &of("count").may_read),
        set(&["total", "limit"])
    );
    assert_eq!(names(&program, &of("pass").may_write), set(&["*mine"]));
    let keep = program.function("keep");
    let writes = of("keep").may_write;
    assert!(
        writes
            .iter()
            .all(|region| !program.regions.is_visible(keep, *region))
    );
}

#[test]
fn functions_that_call_each_other_have_one_effect() {
    let program = compile(
        r#"
static int even_calls, odd_calls;
static int odd(int n);
static int even(int n) { even_calls++; return n ? odd(n - 1) : 1; }
static int odd(int n) { odd_calls++; return n ? even(n - 1) : 0; }
int run(int n) { return even(n); }
"#,
    );
    let found = effects(&program);
    for name in ["even", "odd", "run"] {
        let effect = found.function(&program.regions, program.function(name));
        assert_eq!(
            names(&program, &effect.may_write),
            set(&["even_calls", "odd_calls"])
        );
    }
}

#[test]
fn printing_appends_and_files_are_state() {
    let program = compile(
        r#"
#include <stdio.h>
void say(void) { puts("x"); }
void write_file(FILE *file) { fputs("x", file); }
int pure(int x) { return x * 2; }
"#,
    );
    let found = effects(&program);
    let of = |name: &str| found.function(&program.regions, program.function(name));
    assert!(of("say").world_writes.contains(World::Output));
    assert!(!of("say").world_reads.contains(World::Output));
    assert!(!of("say").world_writes.contains(World::Files));
    assert!(of("write_file").world_writes.contains(World::Files));
    assert_eq!(of("pure"), MemoryEffect::default());
}

#[test]
fn standard_streams_are_files_where_one_may_be_redirected() {
    let prints_to_file = |shut: &str| {
        let program = compile(&format!(
            r#"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int *kept;
static int other(int file) {{ return file < 0 ? dup(3) : file; }}
static int opened(int again) {{ int file = open("a", 0); return again ? other(file) : file; }}
int say(void) {{ return puts("x"); }}
int main(int argc, char **argv) {{ {shut}; return say(); }}
"#
        ));
        let effect = effects(&program).function(&program.regions, program.function("say"));
        effect.world_writes.contains(World::Files)
    };
    assert!(!prints_to_file("close(opened(argc))"));
    assert!(!prints_to_file("close(7)"));
    assert!(!prints_to_file("dup2(1, 5)"));
    assert!(prints_to_file("close(1)"));
    assert!(prints_to_file("close(*kept)"));
    assert!(prints_to_file("close(argc)"));
    assert!(prints_to_file("dup2(opened(0), 0)"));
    assert!(prints_to_file("freopen(\"a\", \"w\", stdout)"));
}

#[test]
fn what_never_comes_back_does_so_through_calls() {
    let program = compile(
        r#"
#include <stdlib.h>
static void fail(void) { exit(1); }
int check(int x) { if (x) fail(); return x; }
int fine(int x) { return x; }
int stay(int x) { for (;;) if (x == 3) exit(2); }
"#,
    );
    let found = effects(&program);
    let of = |name: &str| {
        found
            .function(&program.regions, program.function(name))
            .may_not_return
    };
    assert!(of("fail") && of("check") && of("stay"));
    assert!(!of("fine"));
}

#[test]
fn what_a_variadic_list_reaches_is_read_by_the_caller_of_the_wrapper() {
    let program = compile(
        r#"
#include <stdarg.h>
#include <stdio.h>
static void say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}
static char name[8];
static int other;
void greet(void) { say("%s\n", name); name[0]++; other++; }
"#,
    );
    let found = effects(&program);
    let greet = program.function("greet");
    let site = program.calls.sites_of(greet).next().expect("a call");
    let effect = found.call(&program.calls, &program.regions, site);
    let read = names(&program, &effect.may_read);
    assert!(read.contains("name") || read.contains("name+0"), "{read:?}");
    assert!(!read.contains("other"), "{read:?}");
}
