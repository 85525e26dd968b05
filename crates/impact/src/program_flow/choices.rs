//! Sets of targets that several calls share, as pseudo procedures that call one of the set: with
//! a thousand calls through pointers and a thousand functions for each, two thousand edges stand
//! for a million.

use crate::Procedure;
use crate::call_flow::{CallFlowBuilder, NodeRow, Way};
use knockon_memory::call_graph::{CallGraph, CallSiteId};
use knockon_program::FunctionId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Sharing a smaller set saves nothing.
const SMALLEST: usize = 3;

pub struct Choices<'a> {
    first: usize,
    sets: Vec<&'a [FunctionId]>,
    number_of: FxHashMap<&'a [FunctionId], u32>,
}

impl<'a> Choices<'a> {
    /// `first` is the number of the first such procedure.
    pub fn new(calls: &'a CallGraph, first: usize) -> Choices<'a> {
        let mut seen: FxHashSet<&[FunctionId]> = FxHashSet::default();
        let mut choices = Choices {
            first,
            sets: Vec::new(),
            number_of: FxHashMap::default(),
        };
        for site in (0..calls.sites.len()).map(CallSiteId::from) {
            for set in [calls.targets.of(site), calls.callbacks.of(site)] {
                if set.len() < SMALLEST {
                    continue;
                }
                let again = !seen.insert(set);
                if again && !choices.number_of.contains_key(set) {
                    choices.number_of.insert(set, choices.sets.len() as u32);
                    choices.sets.push(set);
                }
            }
        }
        choices
    }

    /// The procedures that a call with these targets enters.
    pub fn entered(&self, targets: &[FunctionId]) -> Vec<Procedure> {
        match self.number_of.get(targets) {
            Some(number) => vec![Procedure::from(self.first + *number as usize)],
            None => targets.iter().map(|id| Procedure::from(*id)).collect(),
        }
    }

    pub fn add_to(&self, builder: &mut CallFlowBuilder) {
        for set in &self.sets {
            builder.begin_procedure();
            let row = NodeRow {
                unwinds: true,
                ..NodeRow::call(None)
            };
            let targets: Vec<Procedure> = set.iter().map(|id| Procedure::from(*id)).collect();
            let call = builder.call(row, &targets);
            let end = builder.node(NodeRow::end(Way::Return));
            builder.edge(call, end);
        }
    }
}
