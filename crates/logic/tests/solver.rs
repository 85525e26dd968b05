//! What solvers say becomes an answer only when it is backed: by a second voice, or by a model that
//! holds. Bad solvers here are shell scripts that lie, crash, hang, flood or eat memory.

mod bad_solvers;

use bad_solvers::BadSolvers;
use knockon_logic::smt_lib::Query;
use knockon_logic::solver::{
    Answer, Decision, Limits, SolverError, SolverOptions, SolverProgram, Solvers, installed_solvers,
};
use knockon_logic::terms::evaluation::Value;
use knockon_logic::terms::{Sort, SymbolKind, TermId, Terms};
use knockon_program::TimeLimit;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const ENOUGH: Limits = Limits {
    effort: 20_000_000,
    time: Duration::from_secs(30),
};

fn z3() -> SolverProgram {
    SolverProgram::named("z3").expect("z3 is installed")
}

fn solvers(programs: &[SolverProgram]) -> Solvers<'static> {
    Solvers::new(SolverOptions {
        programs: programs.to_vec(),
        ..SolverOptions::default()
    })
    .unwrap()
}

fn keeping(cache: &Path) -> Solvers<'static> {
    Solvers::new(SolverOptions {
        programs: vec![z3()],
        cache: Some(cache.to_owned()),
        ..SolverOptions::default()
    })
    .unwrap()
}

/// `a·(b + n)` is `a·b + n·a`, denied.
fn unsatisfiable(terms: &mut Terms, number: u128) -> Vec<TermId> {
    let a = terms.symbol("a", Sort::Bits(8));
    let b = terms.symbol("b", Sort::Bits(8));
    let constant = terms.bits(8, number);
    let sum = terms.add(b, constant);
    let left = terms.multiply(a, sum);
    let product = terms.multiply(a, b);
    let scaled = terms.scale(a, number);
    let right = terms.add(product, scaled);
    let equal = terms.equal(left, right);
    vec![terms.not(equal)]
}

/// `a·a = n²` and `a > 1`.
fn satisfiable(terms: &mut Terms, number: u128) -> Vec<TermId> {
    let a = terms.symbol("a", Sort::Bits(32));
    let square = terms.multiply(a, a);
    let constant = terms.bits(32, number * number);
    let one = terms.bits(32, 1);
    vec![terms.equal(square, constant), terms.unsigned_less(one, a)]
}

fn is_unsatisfiable(answer: &Answer) -> bool {
    matches!(answer, Answer::Unsatisfiable)
}

fn is_satisfiable(answer: &Answer) -> bool {
    matches!(answer, Answer::Satisfiable(_))
}

#[test]
fn one_solver_alone_decides() {
    let mut terms = Terms::new();
    let mut solvers = solvers(&[z3()]);
    let query = unsatisfiable(&mut terms, 3);
    let answer = solvers.check(&terms, &query, ENOUGH);
    assert!(is_unsatisfiable(&answer), "{answer:?}");
    // It was asked twice, by two processes.
    assert_eq!(solvers.statistics().questions, 2);
    assert_eq!(solvers.statistics().starts, 2);
    let query = satisfiable(&mut terms, 7);
    match solvers.check(&terms, &query, ENOUGH) {
        Answer::Satisfiable(model) => {
            assert_eq!(model.value_of(&terms, query[0]), Value::Boolean(true));
            assert_eq!(model.symbols().count(), 1);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn all_installed_solvers_together_decide() {
    let mut terms = Terms::new();
    let mut solvers = solvers(&installed_solvers());
    let query = unsatisfiable(&mut terms, 3);
    let answer = solvers.check(&terms, &query, ENOUGH);
    assert!(is_unsatisfiable(&answer), "{answer:?}");
    let query = satisfiable(&mut terms, 7);
    let answer = solvers.check(&terms, &query, ENOUGH);
    assert!(is_satisfiable(&answer), "{answer:?}");
}

/// The factors of a product of two large primes.
fn hard(terms: &mut Terms) -> Vec<TermId> {
    let a = terms.symbol("a", Sort::Bits(64));
    let b = terms.symbol("b", Sort::Bits(64));
    let product = terms.multiply(a, b);
    let prime = terms.bits(64, 0xffff_fffb * 0xffff_ffef);
    let one = terms.bits(64, 1);
    let bound = terms.bits(64, 1 << 32);
    vec![
        terms.equal(product, prime),
        terms.unsigned_less(one, a),
        terms.unsigned_less(one, b),
        terms.unsigned_less(a, b),
        terms.unsigned_less(b, bound),
    ]
}

#[test]
fn effort_that_is_too_small_is_unknown() {
    let mut terms = Terms::new();
    let query = hard(&mut terms);
    let limits = Limits {
        effort: 20_000,
        ..ENOUGH
    };
    let mut solvers = solvers(&[z3()]);
    let answer = solvers.check(&terms, &query, limits);
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
}

#[test]
fn what_takes_all_effort_to_read_is_not_asked() {
    let mut terms = Terms::new();
    let query = unsatisfiable(&mut terms, 3);
    let limits = Limits {
        effort: 100,
        ..ENOUGH
    };
    let mut solvers = solvers(&[z3()]);
    let answer = solvers.check(&terms, &query, limits);
    assert!(
        matches!(&answer, Answer::Unknown(why) if why.contains("too large")),
        "{answer:?}"
    );
    assert_eq!(solvers.statistics().questions, 0);
}

#[test]
fn objects_are_apart_and_not_null() {
    let mut terms = Terms::new();
    let mut solvers = solvers(&[z3()]);
    let mut object =
        |size| terms.symbol_of_kind("object", Sort::Bits(64), SymbolKind::Object { size });
    let (four, eight, unknown) = (object(Some(4)), object(Some(8)), object(None));
    let zero = terms.bits(64, 0);
    let three = terms.bits(64, 3);
    let four_bytes = terms.bits(64, 4);
    let inside = terms.add(four, three);
    let behind = terms.add(four, four_bytes);
    let mut answer_to = |left, right| {
        let equal = terms.equal(left, right);
        solvers.check(&terms, &[equal], ENOUGH)
    };
    for (left, right) in [
        (four, zero),
        (unknown, zero),
        (inside, eight),
        (unknown, inside),
    ] {
        let answer = answer_to(left, right);
        assert!(is_unsatisfiable(&answer), "{answer:?}");
    }
    for (left, right) in [(behind, eight), (behind, unknown)] {
        let answer = answer_to(left, right);
        assert!(is_satisfiable(&answer), "{answer:?}");
    }
}

#[test]
fn bytes_of_memory_overlap() {
    let mut terms = Terms::new();
    let mut solvers = solvers(&[z3()]);
    let memory = terms.symbol("memory", Sort::Memory);
    let p = terms.symbol("p", Sort::Bits(64));
    let q = terms.symbol("q", Sort::Bits(64));
    let x = terms.symbol("x", Sort::Bits(32));
    let y = terms.symbol("y", Sort::Bits(16));
    let first = terms.store(memory, p, x);
    let second = terms.store(first, q, y);
    let loaded = terms.load(second, p, 4);
    let equal = terms.equal(loaded, x);
    let differs = terms.not(equal);
    let distance = terms.subtract(q, p);
    // q ∉ {p − 1, …, p + 3}
    let one = terms.bits(64, 1);
    let five = terms.bits(64, 5);
    let moved = terms.add(distance, one);
    let is_near = terms.unsigned_less(moved, five);
    let is_far = terms.not(is_near);
    let answer = solvers.check(&terms, &[differs, is_far], ENOUGH);
    assert!(is_unsatisfiable(&answer), "{answer:?}");
    for offset in [u128::MAX, 0, 1, 2, 3] {
        let offset = terms.bits(64, offset);
        let is_there = terms.equal(distance, offset);
        let answer = solvers.check(&terms, &[differs, is_there], ENOUGH);
        assert!(is_satisfiable(&answer), "{answer:?}");
    }
}

#[test]
fn equal_arguments_give_equal_results_and_nothing_else_is_known() {
    let mut terms = Terms::new();
    let mut solvers = solvers(&[z3()]);
    let memory = terms.symbol("memory", Sort::Memory);
    let a = terms.symbol("a", Sort::Bits(32));
    let b = terms.symbol("b", Sort::Bits(32));
    let first = terms.apply("callee", &[a, memory], Sort::Memory);
    let second = terms.apply("callee", &[b, memory], Sort::Memory);
    let same = terms.equal(a, b);
    let results = terms.equal(first, second);
    let differ = terms.not(results);
    let answer = solvers.check(&terms, &[same, differ], ENOUGH);
    assert!(is_unsatisfiable(&answer), "{answer:?}");
    let answer = solvers.check(&terms, &[differ], ENOUGH);
    assert!(is_satisfiable(&answer), "{answer:?}");
}

#[test]
fn a_query_depends_on_neither_names_nor_other_terms() {
    let text = |before: u32, name: &str| {
        let mut terms = Terms::new();
        for _ in 0..before {
            let other = terms.symbol("other", Sort::Bits(32));
            terms.apply("g", &[other], Sort::Boolean);
        }
        let a = terms.symbol(name, Sort::Bits(32));
        let applied = terms.apply(name, &[a], Sort::Bits(32));
        let less = terms.unsigned_less(applied, a);
        Query::of(&terms, &[less]).text
    };
    assert_eq!(text(0, "a"), text(5, "|b\n(exit)"));
}

#[test]
fn a_query_grows_with_the_graph_not_with_the_tree() {
    let mut terms = Terms::new();
    let mut value = terms.symbol("a", Sort::Bits(32));
    for _ in 0..1000 {
        let applied = terms.apply("f", &[value], Sort::Bits(32));
        value = terms.multiply(value, applied);
    }
    let zero = terms.bits(32, 0);
    let is_zero = terms.equal(value, zero);
    let text = Query::of(&terms, &[is_zero]).text;
    assert!(text.len() < 1000 * 200, "{} bytes", text.len());
}

#[test]
fn a_dumped_query_is_a_file_for_a_solver() {
    let directory = tempfile::tempdir().unwrap();
    let mut solvers = Solvers::new(SolverOptions {
        programs: vec![z3()],
        dump_queries: Some(directory.path().join("queries")),
        ..SolverOptions::default()
    })
    .unwrap();
    let mut terms = Terms::new();
    let query = unsatisfiable(&mut terms, 5);
    solvers.check(&terms, &query, ENOUGH);
    let files: Vec<_> = std::fs::read_dir(directory.path().join("queries"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1);
    let said = std::process::Command::new(z3().path)
        .arg(&files[0])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), "unsat\n");
}

#[test]
fn what_was_proved_is_not_asked_again_unless_with_less_effort() {
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("proofs");
    let open = || keeping(&cache);
    let mut terms = Terms::new();
    let query = unsatisfiable(&mut terms, 3);
    let known_after = |solvers: &mut Solvers<'static>, limits| {
        let answer = solvers.check(&terms, &query, limits);
        assert!(is_unsatisfiable(&answer), "{answer:?}");
        solvers.statistics().known
    };
    let mut first = open();
    assert_eq!(known_after(&mut first, ENOUGH), 0);
    assert_eq!(known_after(&mut first, ENOUGH), 1);
    assert_eq!(known_after(&mut open(), ENOUGH), 1);
    let less = Limits {
        effort: ENOUGH.effort - 1,
        ..ENOUGH
    };
    assert_eq!(known_after(&mut open(), less), 0);
    // Any damage makes an entry none.
    let only = |directory: &Path| {
        let mut entries = std::fs::read_dir(directory).unwrap();
        entries.next().unwrap().unwrap().path()
    };
    let entry = only(&only(&cache));
    let content = std::fs::read_to_string(&entry).unwrap();
    for damaged in [
        String::new(),
        content[..content.len() / 2].to_owned(),
        content.replace(&less.effort.to_string(), "1"),
    ] {
        assert_ne!(damaged, content);
        std::fs::write(&entry, damaged).unwrap();
        assert_eq!(known_after(&mut open(), ENOUGH), 0);
    }
}

/// Where no model is wanted, what was not proved is not asked again either; where one is, it is.
#[test]
fn what_could_not_be_proved_is_not_asked_again_unless_with_more_effort() {
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("proofs");
    let open = || keeping(&cache);
    let mut terms = Terms::new();
    let easy = satisfiable(&mut terms, 3);
    let hard = hard(&mut terms);
    let short = Limits {
        effort: 20_000,
        ..ENOUGH
    };
    let decisions = [
        (&easy, ENOUGH, Decision::Satisfiable),
        (&hard, short, Decision::GivenUp),
    ];
    for (query, limits, expected) in decisions {
        for known in [0, 1] {
            let mut solvers = open();
            assert_eq!(solvers.decision(&terms, query, limits), expected);
            assert_eq!(solvers.statistics().known, known);
        }
    }
    let mut solvers = open();
    let answer = solvers.check(&terms, &easy, ENOUGH);
    assert!(matches!(answer, Answer::Satisfiable(_)), "{answer:?}");
    let more = Limits {
        effort: short.effort + 1,
        ..short
    };
    assert_eq!(solvers.decision(&terms, &hard, more), Decision::GivenUp);
    assert_eq!(solvers.statistics().known, 0);
}

#[test]
fn a_directory_that_others_can_write_to_keeps_no_proofs() {
    let directory = tempfile::tempdir().unwrap();
    let everybody = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(directory.path(), everybody).unwrap();
    let opened = Solvers::new(SolverOptions {
        programs: vec![z3()],
        cache: Some(directory.path().to_owned()),
        ..SolverOptions::default()
    });
    assert!(matches!(opened, Err(SolverError::SharedDirectory(_))));
}

/// Beside an honest solver no bad one changes an answer into a wrong one, or holds it up.
#[test]
fn bad_solvers_beside_an_honest_one_never_make_a_wrong_answer() {
    let limits = Limits {
        effort: ENOUGH.effort,
        time: Duration::from_millis(200),
    };
    let bad = BadSolvers::new();
    for program in bad.all() {
        for programs in [[program.clone(), z3()], [z3(), program.clone()]] {
            let mut solvers = Solvers::new(SolverOptions {
                programs: programs.to_vec(),
                memory_limit: 512 << 20,
                ..SolverOptions::default()
            })
            .unwrap();
            let mut terms = Terms::new();
            let begin = Instant::now();
            let query = unsatisfiable(&mut terms, 3);
            let answer = solvers.check(&terms, &query, limits);
            assert!(!is_satisfiable(&answer), "{programs:?}: {answer:?}");
            let query = satisfiable(&mut terms, 3);
            let answer = solvers.check(&terms, &query, limits);
            assert!(!is_unsatisfiable(&answer), "{programs:?}: {answer:?}");
            // Two queries, two solvers, a question and its values, each with some grace.
            let spent = begin.elapsed();
            assert!(spent < Duration::from_secs(8), "{programs:?}: {spent:?}");
        }
    }
    bad.assert_all_ended();
}

#[test]
fn random_lies_crashes_and_hangs_never_make_a_wrong_answer() {
    let limits = Limits {
        effort: ENOUGH.effort,
        time: Duration::from_millis(300),
    };
    let bad = BadSolvers::new();
    let mut solvers = solvers(&[bad.random(), z3()]);
    let mut terms = Terms::new();
    let mut decided = 0;
    for number in 0..20 {
        let query = unsatisfiable(&mut terms, number % 11 + 2);
        let answer = solvers.check(&terms, &query, limits);
        assert!(!is_satisfiable(&answer), "{answer:?}");
        let query = satisfiable(&mut terms, number + 2);
        let answer = solvers.check(&terms, &query, limits);
        assert!(!is_unsatisfiable(&answer), "{answer:?}");
        decided += u32::from(is_satisfiable(&answer));
    }
    assert!(decided > 0);
    drop(solvers);
    bad.assert_all_ended();
}

#[test]
fn a_solver_that_denies_everything_is_not_believed_even_alone() {
    let bad = BadSolvers::new();
    let mut solvers = solvers(&[bad.denying()]);
    let mut terms = Terms::new();
    let question = satisfiable(&mut terms, 1);
    for _ in 0..5 {
        let answer = solvers.check(&terms, &question, ENOUGH);
        assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    }
}

#[test]
fn what_one_program_said_is_not_remembered_for_another() {
    let bad = BadSolvers::new();
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("proofs");
    let mut terms = Terms::new();
    let question = unsatisfiable(&mut terms, 1);
    assert!(is_unsatisfiable(
        &keeping(&cache).check(&terms, &question, ENOUGH)
    ));
    let mut others = Solvers::new(SolverOptions {
        programs: vec![bad.hanging()],
        cache: Some(cache),
        ..SolverOptions::default()
    })
    .unwrap();
    let limits = Limits {
        time: Duration::from_millis(100),
        ..ENOUGH
    };
    assert!(!is_unsatisfiable(&others.check(&terms, &question, limits)));
}

#[test]
fn a_second_program_that_is_of_no_use_changes_nothing() {
    let bad = BadSolvers::new();
    let mut terms = Terms::new();
    let question = unsatisfiable(&mut terms, 1);
    for useless in [bad.crashing(), bad.babbling()] {
        let mut solvers = solvers(&[z3(), useless.clone()]);
        let answer = solvers.check(&terms, &question, ENOUGH);
        assert!(is_unsatisfiable(&answer), "{useless:?}: {answer:?}");
    }
}

#[test]
fn one_program_is_not_believed_alone_where_another_gives_up() {
    let bad = BadSolvers::new();
    let mut terms = Terms::new();
    let mut solvers = solvers(&[z3(), bad.claiming()]);
    let few = Limits {
        effort: 20_000,
        ..ENOUGH
    };
    let question = hard(&mut terms);
    let answer = solvers.check(&terms, &question, few);
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    // What both say is believed.
    let question = unsatisfiable(&mut terms, 1);
    assert!(is_unsatisfiable(&solvers.check(&terms, &question, ENOUGH)));
    drop(solvers);
    bad.assert_all_ended();
}

#[test]
fn a_bad_solver_alone_finds_no_model_that_does_not_hold() {
    let limits = Limits {
        effort: 1000,
        time: Duration::from_millis(300),
    };
    let bad = BadSolvers::new();
    let mut terms = Terms::new();
    let query = unsatisfiable(&mut terms, 3);
    for program in bad.all() {
        let mut solvers = solvers(std::slice::from_ref(&program));
        let answer = solvers.check(&terms, &query, limits);
        assert!(!is_satisfiable(&answer), "{program:?}: {answer:?}");
    }
    bad.assert_all_ended();
}

#[test]
fn a_solver_that_died_is_started_again() {
    let bad = BadSolvers::new();
    let mut solvers = solvers(&[bad.honest_once()]);
    let mut terms = Terms::new();
    for number in [3, 5, 7] {
        let query = unsatisfiable(&mut terms, number);
        let answer = solvers.check(&terms, &query, ENOUGH);
        assert!(is_unsatisfiable(&answer), "{answer:?}");
    }
    assert_eq!(solvers.statistics().starts, 6);
    drop(solvers);
    bad.assert_all_ended();
}

#[test]
fn an_interruption_ends_the_wait() {
    let bad = BadSolvers::new();
    let interrupted = AtomicBool::new(false);
    let mut solvers = Solvers::new(SolverOptions {
        programs: vec![bad.hanging()],
        limit: TimeLimit::new(None, &interrupted),
        ..SolverOptions::default()
    })
    .unwrap();
    let mut terms = Terms::new();
    let query = unsatisfiable(&mut terms, 3);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            interrupted.store(true, Ordering::Relaxed);
        });
        let answer = solvers.check(&terms, &query, ENOUGH);
        assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    });
    assert!(begin.elapsed() < Duration::from_secs(10));
    drop(solvers);
    bad.assert_all_ended();
}

#[test]
fn a_solver_that_cannot_be_started_is_unknown() {
    let mut program = z3();
    program.path = "/nonexistent/z3".into();
    let mut solvers = solvers(&[program]);
    let mut terms = Terms::new();
    let query = unsatisfiable(&mut terms, 3);
    let answer = solvers.check(&terms, &query, ENOUGH);
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
}
