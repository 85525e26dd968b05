//! **Question.** Which outputs of a function depend on which of its inputs, through all that it
//! calls?
//!
//! **Source.** The summary edges of Horwitz, Reps, Binkley (1990), computed per function on demand:
//! global summary edges are what makes slicing slow ([sea] Table 6).
//!
//! **Rules.** An output depends on an input when a way leads from one to the other inside the
//! function, where a call goes from what it gives to what it gets as the callee's summary says.
//! Functions that call each other are repeated until nothing is new: the least solution.
//!
//! **Soundness.** Exactly the ways that enter and leave callees at the same call. Ways over a
//! [`crate::dependence::GlobalVertex`] are none of them: whoever walks the graph follows those.
//!
//! **Cost.** For one function its edges times its inputs divided by 64, times the rounds of its
//! component; only functions that are demanded, and what they call.

use crate::dependence::program_graph::ProgramDependence;
use crate::dependence::{FunctionDependence, Vertex};
use knockon_graphs::{Components, Rows, components};
use knockon_program::{FunctionId, OutOfTime, TimeLimit};
use std::collections::VecDeque;
use std::sync::Arc;

/// For each input the outputs that depend on it, ascending.
pub type Summary = Rows<u32>;

/// The summaries that were demanded so far.
pub struct Summaries {
    callees: Rows<FunctionId>,
    components: Components<FunctionId>,
    is_done: Vec<bool>,
    found: Vec<Option<Arc<Summary>>>,
    scratch: Scratch,
}

/// Arrays that each function uses anew.
#[derive(Default)]
struct Scratch {
    bits: Vec<u64>,
    row: Vec<Vertex>,
}

impl Summaries {
    /// Of functions and hubs with these callers.
    pub(crate) fn new(callers: &Rows<FunctionId>) -> Summaries {
        let callees = callers.reversed();
        let components = components(&callees);
        Summaries {
            is_done: vec![false; components.count()],
            found: (0..callers.row_count()).map(|_| None).collect(),
            callees,
            components,
            scratch: Scratch::default(),
        }
    }

    /// A function's summary; `None` without a body.
    pub(crate) fn of(
        &mut self,
        whole: &ProgramDependence,
        function: FunctionId,
        limit: TimeLimit<'_>,
    ) -> Result<Option<Arc<Summary>>, OutOfTime> {
        self.demand(whole, function, limit)?;
        Ok(self.found[function.index()].clone())
    }

    /// Computes what is missing, callees first. A component that is given up is begun again when it is
    /// demanded next: what is there of it is below its least solution.
    fn demand(
        &mut self,
        whole: &ProgramDependence,
        function: FunctionId,
        limit: TimeLimit<'_>,
    ) -> Result<(), OutOfTime> {
        let wanted = self.components.component_of[function.index()];
        if self.is_done[wanted as usize] {
            return Ok(());
        }
        let mut seen: Vec<u32> = vec![wanted];
        let mut work = vec![wanted];
        let mut is_seen = vec![false; self.components.count()];
        is_seen[wanted as usize] = true;
        while let Some(component) = work.pop() {
            for member in self.components.members.of(component as usize) {
                for callee in self.callees.of(*member) {
                    let next = self.components.component_of[callee.index()];
                    if !self.is_done[next as usize] && !is_seen[next as usize] {
                        is_seen[next as usize] = true;
                        seen.push(next);
                        work.push(next);
                    }
                }
            }
        }
        // Callers have smaller numbers than what they call.
        seen.sort_unstable_by(|left, right| right.cmp(left));
        for component in seen {
            self.solve(whole, component as usize, limit)?;
            self.is_done[component as usize] = true;
        }
        Ok(())
    }

    fn solve(
        &mut self,
        whole: &ProgramDependence,
        component: usize,
        limit: TimeLimit<'_>,
    ) -> Result<(), OutOfTime> {
        let members: Vec<FunctionId> = self.components.members.of(component).to_vec();
        let calls_itself = members.len() > 1
            || members
                .iter()
                .any(|member| self.callees.of(*member).contains(member));
        let mut waiting: VecDeque<FunctionId> = members.iter().copied().collect();
        let mut is_waiting: Vec<bool> = vec![true; members.len()];
        let position = |function: FunctionId| members.binary_search(&function).ok();
        debug_assert!(members.is_sorted());
        while let Some(function) = waiting.pop_front() {
            limit.check()?;
            if let Some(at) = position(function) {
                is_waiting[at] = false;
            }
            let Some(graph) = whole.graph(function) else {
                continue;
            };
            let summary = summarise(graph, &self.found, &mut self.scratch);
            let known = self.found[function.index()].as_deref();
            let is_new = known != Some(&summary);
            self.found[function.index()] = Some(Arc::new(summary));
            if !is_new || !calls_itself {
                continue;
            }
            for caller in whole.callers.of(function) {
                if let Some(at) = position(*caller)
                    && !is_waiting[at]
                {
                    is_waiting[at] = true;
                    waiting.push_back(*caller);
                }
            }
        }
        Ok(())
    }
}

/// For each vertex the set of inputs that lead to it, with callees as known so far: one pass over
/// the components of the graph, each of which has one set.
fn summarise(
    graph: &FunctionDependence,
    known: &[Option<Arc<Summary>>],
    scratch: &mut Scratch,
) -> Summary {
    let layout = graph.layout;
    let inputs = layout.input_count();
    let words = inputs.div_ceil(64);
    let ways = ways(graph, known, &mut scratch.row);
    let components = components(&ways);
    let count = components.count();
    scratch.bits.clear();
    scratch.bits.resize(count * words, 0);
    for input in 0..inputs {
        let vertex = usize::from(layout.input(input as u32));
        let component = components.component_of[vertex] as usize;
        scratch.bits[component * words + input / 64] |= 1 << (input % 64);
    }
    // What leads somewhere has a smaller number than where it leads.
    for component in 0..count {
        let (before, after) = scratch.bits.split_at_mut((component + 1) * words);
        let from = &before[component * words..];
        if from.iter().all(|bits| *bits == 0) {
            continue;
        }
        for vertex in components.members.of(component) {
            for next in ways.of(*vertex) {
                let there = components.component_of[usize::from(*next)] as usize;
                if there == component {
                    continue;
                }
                let to = &mut after[(there - component - 1) * words..][..words];
                for (to, from) in to.iter_mut().zip(from) {
                    *to |= from;
                }
            }
        }
    }
    transposed(graph, &components, &scratch.bits, words)
}

/// The edges, and those from what calls give to what they get.
fn ways(
    graph: &FunctionDependence,
    known: &[Option<Arc<Summary>>],
    row: &mut Vec<Vertex>,
) -> Rows<Vertex> {
    let count = graph.layout.vertex_count();
    let mut ways = Rows::with_capacity(count, graph.edges.item_count() * 2);
    for vertex in 0..count {
        row.clear();
        row.extend(graph.edges.of(vertex));
        let plain = row.len();
        for (entered, input) in graph.gives.of(vertex) {
            let callee = graph.entered[*entered as usize].callee;
            let Some(summary) = &known[callee.index()] else {
                continue;
            };
            for output in summary.of(*input as usize) {
                row.extend(graph.getting(*entered as usize, *output));
            }
        }
        if row.len() > plain {
            row.sort_unstable();
            row.dedup();
        }
        ways.push_row(row.iter().copied());
    }
    ways
}

fn transposed(
    graph: &FunctionDependence,
    components: &Components<Vertex>,
    bits: &[u64],
    words: usize,
) -> Summary {
    let layout = graph.layout;
    let first = usize::from(layout.return_value());
    let mut pairs: Vec<(usize, u32)> = Vec::new();
    for output in 0..layout.output_count() {
        let vertex = Vertex::from(first + output);
        let component = components.component_of[usize::from(vertex)] as usize;
        let row = &bits[component * words..][..words];
        for (word, bits) in row.iter().enumerate() {
            let mut left = *bits;
            while left != 0 {
                let input = word * 64 + left.trailing_zeros() as usize;
                pairs.push((input, output as u32));
                left &= left - 1;
            }
        }
    }
    Rows::from_pairs(layout.input_count(), &pairs)
}
