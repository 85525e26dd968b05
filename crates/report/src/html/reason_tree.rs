//! Chains of reasons as one tree.
//!
//! Chains to neighbouring lines mostly agree up to their last hop. Kept as a tree
//! of steps, each with the one before it, they take the room of their
//! differences. Linear in the steps that are added.

use crate::ReasonStep;
use rustc_hash::FxHashMap;

/// A step and the one before it, [`NO_STEP`] at a source of the change.
pub(super) struct TreeStep<'a> {
    pub before: i32,
    pub step: &'a ReasonStep,
}

pub(super) const NO_STEP: i32 = -1;

#[derive(Default)]
pub(super) struct ReasonTree<'a> {
    pub steps: Vec<TreeStep<'a>>,
    index: FxHashMap<(i32, &'a ReasonStep), i32>,
}

impl<'a> ReasonTree<'a> {
    /// The step that ends the chain.
    pub fn add(&mut self, chain: &'a [ReasonStep]) -> i32 {
        let mut before = NO_STEP;
        for step in chain {
            let next = i32::try_from(self.steps.len()).unwrap_or(NO_STEP);
            before = *self.index.entry((before, step)).or_insert_with(|| {
                self.steps.push(TreeStep { before, step });
                next
            });
        }
        before
    }
}
