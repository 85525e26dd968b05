//! **Question.** Given the same inputs, which values of two versions of a function are the same?
//!
//! **Source.** Both versions are evaluated ([`crate::symbolic`]) with shared symbols for what they
//! are given; equal terms are equal values. For loops, [sem-dcia] §4 asks for relational invariants:
//! here the loops of both versions run in lock step, what their headers carry round is
//! partitioned optimistically into equal values, and the partition is refined until it is kept by an
//! iteration (Alpern, Wegman, Zadeck 1988, across two programs; candidates pruned as Houdini does).
//!
//! **Rules.** A pair of loops is in lock step if it is entered under the same condition, and each
//! iteration is followed by another in both versions or in none. Two items of the headers are equal
//! if they are so before the loop and after an iteration in which they were, by their terms or as a
//! solver shows. An item that grows by a constant is a function of the count of iterations. Loops
//! inside others are paired only if those are.
//!
//! **Soundness.** By induction over time, all pairs and partitions at once: the last round assumed
//! nothing that it did not show. What is assumed besides ([`knowledge`] says of which time): the old
//! version has no undefined behaviour, the new one had none so far, and loops end.
//!
//! **Cost.** A round evaluates both functions; each round but the last splits a class or a pair.

pub mod alignments;
mod knowledge;
mod loop_pairs;
mod relations;

use crate::lifetimes::Lifetimes;
use crate::symbolic::{
    CalleeView, LoopPlans, Others, Outcome, Setting, Shapes, SharedNames, Undecided, evaluate,
};
use knockon_change::{Side, Sides, Version};
use knockon_logic::terms::{TermId, Terms};
use knockon_program::{FunctionId, InstructionId, OutOfTime, PlaceId, TimeLimit, TypeLayouts};
use loop_pairs::{Patience, paired_loops, plans};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is compared, and how callees appear.
pub struct Subject<'a, 'w> {
    pub versions: Sides<Version<'a>>,
    pub layouts: Sides<&'a TypeLayouts>,
    pub others: Sides<&'w Others>,
    pub moved_positions: &'w Sides<FxHashMap<(PlaceId, u128), u32>>,
    /// When to give up.
    pub limit: TimeLimit<'w>,
    pub functions: Sides<FunctionId>,
    pub view: &'w dyn Fn(Side, FunctionId, usize) -> CalleeView,
    pub function_name: &'w dyn Fn(Side, FunctionId) -> Option<String>,
    pub shared_nodes: &'w dyn Fn(Side, FunctionId, InstructionId) -> Option<InstructionId>,
    pub compared: Compared,
    pub lifetimes: Sides<&'a Lifetimes>,
    /// By parameter: its name; partners have the same.
    pub parameters: Sides<Vec<String>>,
    /// Internal variables that no pointer points to in either version.
    pub unseen_variables: &'w FxHashSet<String>,
}

/// What is compared, which decides what is known and which objects are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Functions as a whole: both versions get the same, and objects are the same that are made
    /// alike, wherever.
    Functions,
    /// Their lines, too: objects are the same that partners make, called by partners; that is how
    /// [`knockon_change`] pairs them. See [`knowledge`] for what is known.
    Lines,
}

/// Whoever answers questions about both versions, mostly a solver.
pub trait Questions {
    /// Whether assertions cannot be true together; the first is the one that matters.
    fn refutes(&mut self, terms: &Terms, assertions: &[TermId]) -> bool;

    /// Nothing is answered any more, so that it is of no use to put questions together.
    fn is_over(&self) -> bool {
        false
    }

    /// Whether the questions from here on are whether an output of the functions is the same; others
    /// are about what helps to show that.
    fn is_about_output(&mut self, _is_so: bool) {}

    /// Whether it is of any use to write Horn clauses, which takes time by itself.
    fn proposes(&self) -> bool {
        false
    }

    /// What may define the predicate of some Horn clauses, as a solver writes it. It is a proposal,
    /// and may be anything.
    fn invariant(&mut self, _clauses: &str) -> Option<String> {
        None
    }
}

impl<F: FnMut(&Terms, &[TermId]) -> bool> Questions for F {
    fn refutes(&mut self, terms: &Terms, assertions: &[TermId]) -> bool {
        self(terms, assertions)
    }
}

pub type Ask<'s> = dyn Questions + 's;

/// Both versions, evaluated alike.
pub struct Product {
    pub terms: Terms,
    pub names: SharedNames,
    pub outcomes: Sides<Outcome>,
    pub compared: Compared,
    /// Loops in lock step, by their number in each outcome.
    pub loop_pairs: Vec<Sides<usize>>,
}

const MOST_ROUNDS: usize = 40;
/// So many values are asked about that turn out not to be shown equal.
const PATIENCE: usize = 8;

/// Evaluates both versions, their loops read in some way, until nothing is assumed that is not shown.
pub fn product(
    subject: &Subject<'_, '_>,
    shapes: &Sides<Shapes>,
    ask: &mut Ask<'_>,
) -> Result<Product, Undecided> {
    let mut made = evaluated(subject, shapes, &Sides::default())?;
    let mut pairs = paired_loops(&made);
    if pairs.is_empty() {
        return finished(made, ask);
    }
    let mut patience = Patience { left: PATIENCE };
    for _ in 0..MOST_ROUNDS {
        subject
            .limit
            .check()
            .map_err(|OutOfTime| Undecided::OutOfTime)?;
        made = evaluated(subject, shapes, &plans(&pairs))?;
        let mut is_stable = true;
        for pair in &mut pairs {
            is_stable &= !pair.refine(&mut made, &mut patience, ask);
        }
        if !is_stable {
            continue;
        }
        let found = pairs
            .iter()
            .position(|pair| !pair.is_in_lock_step(&mut made, ask));
        let Some(number) = found else {
            return finished(made, ask);
        };
        pairs.remove(number);
        loop_pairs::drop_orphans(&mut pairs, &made);
    }
    Err(Undecided::TooLarge)
}

/// What the evaluation took for granted is shown.
fn finished(mut made: Product, ask: &mut Ask<'_>) -> Result<Product, Undecided> {
    for side in Side::BOTH {
        for obligation in made.outcomes.of(side).obligations.clone() {
            let place = match side {
                Side::Old => made.place_of_old(obligation.within, obligation.known),
                Side::New => made.place_of_new(obligation.within, obligation.known),
            };
            if !made.follows_at(obligation.claim, &place, ask) {
                return Err(Undecided::TooLarge);
            }
        }
    }
    Ok(made)
}

fn evaluated(
    subject: &Subject<'_, '_>,
    shapes: &Sides<Shapes>,
    plans: &Sides<LoopPlans>,
) -> Result<Product, Undecided> {
    let mut terms = Terms::new();
    let mut names = SharedNames::default();
    let mut of = |side: Side| {
        let setting = Setting {
            versions: subject.versions,
            side,
            layouts: subject.layouts.of(side),
            others: subject.others.of(side),
            moved_positions: subject.moved_positions.of(side),
            limit: subject.limit,
            plans: plans.of(side),
            shapes: shapes.of(side),
            view: subject.view,
            function_name: subject.function_name,
            shared_nodes: subject.shared_nodes,
            compared: subject.compared,
            lifetimes: subject.lifetimes.of(side),
            parameter_names: subject.parameters.of(side).clone(),
            unseen_variables: subject.unseen_variables,
        };
        evaluate(&mut terms, &mut names, setting, *subject.functions.of(side))
    };
    let outcomes = Sides {
        old: of(Side::Old)?,
        new: of(Side::New)?,
    };
    Ok(Product {
        terms,
        names,
        outcomes,
        compared: subject.compared,
        loop_pairs: Vec::new(),
    })
}
