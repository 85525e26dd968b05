//! What is shown to be equivalent, and, next to each, what looks much like it and must not be.

mod calls;
#[path = "../function_pairs/mod.rs"]
mod function_pairs;
mod loops;
mod memory;
mod numbers;
mod others;
mod undefined_in_the_new_version;

use function_pairs::{Means, status_with};
use knockon_logic::solver::installed_solvers;
use knockon_proof::function_pairs::Status;
use std::time::Instant;

const EFFORT: u64 = 3_000_000;

/// Whether the functions `f` of two texts are shown to do the same.
fn is_equivalent(old: &str, new: &str) -> bool {
    let means = Means {
        end: None,
        programs: installed_solvers(),
        effort: EFFORT,
        propose: &mut |_, _| None,
    };
    status_with(means, old, new).is_equivalent()
}

#[track_caller]
fn same(old: &str, new: &str) {
    assert!(is_equivalent(old, new), "not shown:\n{old}\n{new}");
}

#[track_caller]
fn other(old: &str, new: &str) {
    assert!(!is_equivalent(old, new), "wrongly shown:\n{old}\n{new}");
}

#[test]
fn nothing_is_shown_when_the_time_is_up() {
    let means = Means {
        end: Some(Instant::now()),
        programs: installed_solvers(),
        effort: EFFORT,
        propose: &mut |_, _| None,
    };
    let status = status_with(
        means,
        "int f(int a) { return a + a; }",
        "int f(int a) { return 2 * a; }",
    );
    let reason = "the time was up while it was compared".to_owned();
    assert_eq!(status, Status::Unknown(reason));
}
