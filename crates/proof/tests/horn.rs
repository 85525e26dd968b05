//! Loops that are equivalent by a linear relation between what they carry round, which Horn clauses
//! propose; and, next to each, a twin that must not be called equivalent.

mod function_pairs;

use function_pairs::{Means, Propose, limits, status_with};
use knockon_logic::horn::{Candidates, Clauses, candidates};
use knockon_logic::solver::{SolverProgram, Solvers};
use knockon_logic::terms::{Sort, Terms};

/// What questions may cost where they are to be answered,
const EFFORT: u64 = 1_000_000;
/// and where none of them is to be answered with yes.
const IN_VAIN: u64 = 100_000;

fn is_equivalent<'p>(effort: u64, propose: &'p mut Propose<'p>, old: &str, new: &str) -> bool {
    let means = Means {
        end: None,
        programs: vec![SolverProgram::named("z3").expect("z3 is installed")],
        effort,
        propose,
    };
    status_with(means, old, new).is_equivalent()
}

/// With invariants that the solver proposes.
fn is_shown(effort: u64, old: &str, new: &str) -> bool {
    let mut propose =
        |solvers: &mut Solvers<'static>, clauses: &str| solvers.invariant(clauses, limits(EFFORT));
    is_equivalent(effort, &mut propose, old, new)
}

#[track_caller]
fn same_by_relation(old: &str, new: &str) {
    assert!(is_shown(EFFORT, old, new), "not shown:\n{old}\n{new}");
    let needs_none = is_equivalent(IN_VAIN, &mut |_, _| None, old, new);
    assert!(!needs_none, "no relation is needed:\n{old}\n{new}");
}

#[track_caller]
fn other(old: &str, new: &str) {
    assert!(!is_shown(IN_VAIN, old, new), "wrongly shown:\n{old}\n{new}");
}

const LENGTH: &str = "unsigned f(const unsigned char *t) { unsigned n = 2; \
    while (*t) { if (*t == '\"') n += 2; else if (*t < 32) n += 6; else n++; t++; } return n; }";

fn two_sums(step: &str) -> String {
    format!(
        "unsigned f(const unsigned char *t) {{ unsigned e = 0, c = 0; \
         for (; *t; t++) {{ if (*t == '\"') e++; else if (*t < 32) e += {step}; c++; }} \
         return c + e + 2; }}"
    )
}

#[test]
fn a_sum_is_told_as_two_sums() {
    same_by_relation(LENGTH, &two_sums("5"));
}

#[test]
fn two_sums_of_other_steps_are_another_sum() {
    other(LENGTH, &two_sums("4"));
}

const COUNTED: &str = "unsigned f(const int *a, unsigned n) { unsigned c = 0; \
    for (unsigned i = 0; i < n; i++) if (a[i] > 0) c++; return 2 * c + 5; }";

fn counted_by_two(result: &str) -> String {
    format!(
        "unsigned f(const int *a, unsigned n) {{ unsigned c = 5; \
         for (unsigned i = 0; i < n; i++) if (a[i] > 0) c += 2; return {result}; }}"
    )
}

#[test]
fn a_counter_grows_by_another_step() {
    same_by_relation(COUNTED, &counted_by_two("c"));
}

#[test]
fn a_counter_that_differs_at_one_value_is_another() {
    other(COUNTED, &counted_by_two("c + (c == 1005)"));
}

const PICKED: &str = "int f(const int *a, int n, int *restrict b) { int k = 0; \
    for (int i = 0; i < n; i++) if (a[i] > 0) { b[k] = 1; k++; } return k; }";

fn picked_by_pointer(step: &str) -> String {
    format!(
        "int f(const int *a, int n, int *restrict b) {{ int *p = b; \
         for (int i = 0; i < n; i++) if (a[i] > 0) {{ {step} }} return (int)(p - b); }}"
    )
}

#[test]
fn a_pointer_is_where_its_index_says() {
    same_by_relation(PICKED, &picked_by_pointer("*p = 1; p++;"));
}

#[test]
fn a_pointer_one_further_is_elsewhere() {
    other(PICKED, &picked_by_pointer("p++; *p = 1;"));
}

const STEPPED: &str = "int f(const char *s, int n) { int i = 0, c = 0; \
    while (i < n) { if (s[c] == 'x') i++; else i += 2; c++; } return c; }";

fn counted_down(test: &str) -> String {
    format!(
        "int f(const char *s, int n) {{ int left = n, c = 0; \
         while ({test}) {{ if (s[c] == 'x') left--; else left -= 2; c++; }} return c; }}"
    )
}

#[test]
fn a_rest_is_what_a_count_leaves() {
    same_by_relation(STEPPED, &counted_down("left > 0"));
}

#[test]
fn a_rest_that_ends_elsewhere_is_another_loop() {
    other(STEPPED, &counted_down("left >= 0"));
}

const READ: &str = "unsigned f(const int *a, const unsigned *b, int n, unsigned k) { \
    unsigned long i = 0; unsigned s = 0; \
    for (int t = 0; t < n; t++) if (a[t] > 0) { s += b[2 * i + k]; i++; } return s; }";

fn read_along(start: &str) -> String {
    format!(
        "unsigned f(const int *a, const unsigned *b, int n, unsigned k) {{ \
         unsigned long j = {start}; unsigned s = 0; \
         for (int t = 0; t < n; t++) if (a[t] > 0) {{ s += b[j]; j += 2; }} return s; }}"
    )
}

#[test]
fn an_index_is_twice_another_and_some_more() {
    same_by_relation(READ, &read_along("k"));
}

#[test]
fn an_index_that_starts_elsewhere_reads_something_else() {
    other(READ, &read_along("k + 1"));
}

/// Invariants of the loops of `COUNTED` that are none, of the parameters that there are.
const LIES: [&str; 4] = [
    "((define-fun invariant ((a Int) (b Int) (c Int)) Bool (and (= a b) (<= b c) (= c 5))))",
    "((define-fun invariant ((a Int) (b Int) (c Int) (d Int)) Bool (and (= a b) (= b c) (< d 0))))",
    "((define-fun invariant ((a Int) (b Int) (c Int) (d Int)) Bool (= (+ a 5) (* 3 b))))",
    "((define-fun invariant ((a Int) (b Int) (c Int)) Bool (or (= c b) (not (< a c)))))",
];

#[test]
fn a_solver_that_lies_about_invariants_changes_no_verdict() {
    for new in [counted_by_two("c + (c == 1005)"), counted_by_two("c")] {
        let mut lies = LIES.iter().cycle();
        let mut asked = 0;
        let mut propose = |_: &mut Solvers<'static>, _: &str| {
            asked += 1;
            lies.next().map(|lie| (*lie).to_owned())
        };
        let is_shown = is_equivalent(IN_VAIN, &mut propose, COUNTED, &new);
        assert!(!is_shown, "{new}");
        assert!(asked > 0);
    }
}

/// Three parameters: two numbers, and a Boolean.
fn proposed(answer: &str) -> (Terms, Candidates) {
    let mut terms = Terms::new();
    let parameters = vec![
        (terms.symbol("narrow", Sort::Bits(32)), true),
        (terms.symbol("wide", Sort::Bits(64)), false),
        (terms.symbol("truth", Sort::Boolean), true),
    ];
    let clauses = Clauses {
        text: String::new(),
        parameters,
    };
    let found = candidates(&mut terms, &clauses, answer);
    (terms, found)
}

fn defined_as(body: &str) -> (Terms, Candidates) {
    let head = "(define-fun invariant ((x!0 Int) (x!1 Int) (x!2 Bool)) Bool";
    proposed(&format!("({head} {body}))"))
}

#[test]
fn what_is_no_definition_of_the_predicate_proposes_nothing() {
    for answer in [
        "",
        "(",
        "sat",
        "(error \"no\")",
        "((define-fun other ((x Int) (y Int) (z Bool)) Bool (= x 0)))",
        "((define-fun invariant ((x Int)) Bool (= x 0)))",
        "((define-fun invariant (x y z) Bool (= x 0)))",
    ] {
        assert_eq!(proposed(answer).1, Candidates::default(), "{answer}");
    }
    let doubled: String = (0..200)
        .map(|at| format!("(let ((a{} (and a{at} a{at}))) ", at + 1))
        .collect();
    let body = format!("(let ((a0 x!2)) {doubled} a200 {}", ")".repeat(201));
    for body in [
        "true",
        "false",
        "(exists ((z Int)) (= z x!0))",
        "(not (and (= x!0 0) (= (mod x!1 2) 0)))",
        "(= x!0 999999999999999999999999999999999999999999)",
        "(= (* x!0 x!1) 4)",
        "(= x!0 x!2)",
        &body,
    ] {
        assert_eq!(defined_as(body).1, Candidates::default(), "{body}");
    }
}

#[test]
fn parts_that_can_be_read_survive_parts_that_cannot() {
    let (terms, found) = defined_as("(and (= (mod x!1 2) 0) x!2 (<= x!0 7))");
    assert_eq!(found.others.len(), 2);
    assert!(
        found
            .others
            .iter()
            .all(|id| terms.sort(*id) == Sort::Boolean)
    );
}

#[test]
fn two_inequalities_are_an_equality_in_both_widths() {
    let difference = "(+ x!1 (* (- 2) x!0))";
    let body = format!("(and (not (>= {difference} 4)) (not (<= {difference} 2)))");
    let (terms, found) = defined_as(&body);
    assert_eq!(found.equalities.len(), 2);
    assert_ne!(found.equalities[0].holds, found.equalities[1].holds);
    // Solved for the wide one, where it is whole.
    assert_eq!(found.equalities[0].solved, None);
    let (symbol, value) = found.equalities[1].solved.expect("it can be solved");
    assert_eq!((terms.width(symbol), terms.width(value)), (64, 64));
}
