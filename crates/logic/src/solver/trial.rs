//! **Question.** Does a solver process tell satisfiable from unsatisfiable?
//!
//! Two configurations of one program are no two witnesses if the program is broken or not what it says:
//! one that calls everything unsatisfiable would prove anything. So a process is tried with questions
//! whose answer is known, and whose numbers are others each time.
//!
//! **Rules.** `m · x = n` over bit vectors has a solution if `m` is odd, and none if `m` is even and
//! `n` odd. A process that answers otherwise, or not, is not believed.

use std::hash::{BuildHasher as _, RandomState};

/// Two questions, of which just one is satisfiable, and what is to be said to them.
pub(super) struct Trial {
    pub text: String,
    pub expected: [&'static str; 2],
}

pub(super) fn trial() -> Trial {
    let number = RandomState::new().hash_one("trial");
    let (factor, product) = ((number >> 33) as u32 | 1, number as u32 | 1);
    let question = |factor: u32| {
        format!(
            "(reset)\n(set-logic QF_BV)\n(declare-fun x () (_ BitVec 32))\n\
             (assert (= (bvmul x #x{factor:08x}) #x{product:08x}))\n(check-sat)\n"
        )
    };
    let (has, has_not) = (question(factor), question(factor.wrapping_mul(2)));
    match number >> 63 {
        0 => Trial {
            text: has + &has_not,
            expected: ["sat", "unsat"],
        },
        _ => Trial {
            text: has_not + &has,
            expected: ["unsat", "sat"],
        },
    }
}
