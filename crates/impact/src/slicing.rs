//! **Question.** What may a node affect (forward), and what may affect it (backward)?
//!
//! **Source.** Interprocedural slices as in Horwitz, Reps, Binkley (1990); [sea] §4–§5 on why the
//! two directions must be dual.
//!
//! **Rules.** The forward slice is what [`crate::propagation`] reaches from the node; the backward
//! slice is found by the same rules with every edge turned round, over the same summaries.
//!
//! **Departures.** Jumps need no false dependences through labels and `break`s ([sea] §5): they
//! have no vertices of their own, and control dependence is taken from the graph as it is.
//!
//! **Soundness.** Both walk the ways in which entering and leaving of calls match; one way read
//! backwards is one of the other direction. So `b` is in the forward slice of `a` exactly when `a`
//! is in the backward slice of `b`; the tests hold both to each other.
//!
//! **Cost.** Linear in the edges of the functions that are reached, and their summaries.

use crate::dependence::program_graph::ProgramDependence;
use crate::dependence::{FunctionDependence, GlobalVertex, Vertex};
use crate::propagation::{Place, Propagation, Start, State};
use knockon_change::Side;
use knockon_graphs::Rows;
use knockon_program::{FunctionId, InstructionId, OutOfTime, TimeLimit};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// The vertices by which a node affects others: what it observes is one thing, what it gives
/// another if it is a call.
pub fn giving_vertices(graph: &FunctionDependence, node: InstructionId) -> Vec<Vertex> {
    let mut vertices = vec![graph.layout.node(node)];
    if let Some(call) = graph.call_number(node) {
        vertices.push(graph.layout.occurrence(call));
    }
    vertices
}

/// All that may observe something else when one of the nodes does.
pub fn forward_slice<'a>(
    whole: &'a ProgramDependence<'a>,
    nodes: &[(FunctionId, InstructionId)],
    limit: TimeLimit<'a>,
) -> Result<Propagation<'a>, OutOfTime> {
    let mut propagation = Propagation::in_one(whole, limit);
    for (function, node) in nodes {
        let Some(graph) = whole.graph(*function) else {
            continue;
        };
        for vertex in giving_vertices(graph, *node) {
            propagation.start(Start::Source(Place {
                side: Side::New,
                function: *function,
                vertex,
            }));
        }
    }
    propagation.run()?;
    Ok(propagation)
}

/// A function's graph with every edge turned round.
struct Reversed {
    edges: Rows<Vertex>,
    /// For each vertex the rows of what is entered, and the outputs, that it gets.
    gets: Rows<(u32, u32)>,
    /// For each row of what is entered the inputs and the vertices that give them, by input.
    gives: Rows<(u32, Vertex)>,
}

impl Reversed {
    fn of(graph: &FunctionDependence) -> Reversed {
        let count = graph.layout.vertex_count();
        let mut gets: Vec<(Vertex, (u32, u32))> = Vec::new();
        for row in 0..graph.entered.len() {
            let rows = graph.gets.of(row).iter();
            gets.extend(rows.map(|(output, vertex)| (*vertex, (row as u32, *output))));
        }
        let mut gives: Vec<(usize, (u32, Vertex))> = Vec::new();
        for vertex in 0..count {
            let rows = graph.gives.of(vertex).iter();
            gives.extend(rows.map(|(row, input)| (*row as usize, (*input, Vertex::from(vertex)))));
        }
        gives.sort_unstable();
        Reversed {
            edges: graph.edges.reversed(),
            gets: Rows::from_pairs(count, &gets),
            gives: Rows::from_pairs(graph.entered.len(), &gives),
        }
    }

    fn giving(&self, row: usize, input: u32) -> impl Iterator<Item = Vertex> + '_ {
        let gives = self.gives.of(row);
        let first = gives.partition_point(|give| give.0 < input);
        let found = gives[first..].iter();
        found
            .take_while(move |give| give.0 == input)
            .map(|give| give.1)
    }
}

/// What may affect some nodes.
pub struct BackwardSlice<'a> {
    whole: &'a ProgramDependence<'a>,
    reversed: Vec<Option<Box<Reversed>>>,
    states: Vec<Option<Vec<Option<State>>>>,
    globals: FxHashSet<GlobalVertex>,
    queue: VecDeque<(FunctionId, Vertex, State)>,
    limit: TimeLimit<'a>,
}

/// All that may affect what one of the nodes observes.
pub fn backward_slice<'a>(
    whole: &'a ProgramDependence<'a>,
    nodes: &[(FunctionId, InstructionId)],
    limit: TimeLimit<'a>,
) -> Result<BackwardSlice<'a>, OutOfTime> {
    let none = || 0..whole.hubs.node_count();
    let mut slice = BackwardSlice {
        whole,
        reversed: none().map(|_| None).collect(),
        states: none().map(|_| None).collect(),
        globals: FxHashSet::default(),
        queue: VecDeque::new(),
        limit,
    };
    for (function, node) in nodes {
        slice.reach(*function, Vertex(node.0), State::Free);
    }
    while let Some((function, vertex, state)) = slice.queue.pop_front() {
        slice.step(function, vertex, state)?;
    }
    Ok(slice)
}

impl BackwardSlice<'_> {
    /// What the node observes or gives may affect the criterion.
    pub fn contains(&self, function: FunctionId, node: InstructionId) -> bool {
        let Some(states) = &self.states[function.index()] else {
            return false;
        };
        let Some(graph) = self.whole.graph(function) else {
            return false;
        };
        giving_vertices(graph, node)
            .into_iter()
            .any(|vertex| states[usize::from(vertex)].is_some())
    }

    pub fn is_function_reached(&self, function: FunctionId) -> bool {
        self.states[function.index()].is_some()
    }

    fn reach(&mut self, function: FunctionId, vertex: Vertex, state: State) {
        let Some(graph) = self.whole.graph(function) else {
            return;
        };
        let states = self.states[function.index()]
            .get_or_insert_with(|| vec![None; graph.layout.vertex_count()]);
        let known = &mut states[usize::from(vertex)];
        if *known < Some(state) {
            *known = Some(state);
            self.queue.push_back((function, vertex, state));
        }
    }

    fn step(
        &mut self,
        function: FunctionId,
        vertex: Vertex,
        state: State,
    ) -> Result<(), OutOfTime> {
        let whole = self.whole;
        let Some(graph) = whole.graph(function) else {
            return Ok(());
        };
        self.limit.check()?;
        let reversed = self.reversed[function.index()]
            .take()
            .unwrap_or_else(|| Box::new(Reversed::of(graph)));
        for before in reversed.edges.of(vertex) {
            self.reach(function, *before, state);
        }
        for (row, output) in reversed.gets.of(vertex) {
            let callee = graph.entered[*row as usize].callee;
            let Some(inside) = whole.graph(callee) else {
                continue;
            };
            let summary = whole.summary(callee, self.limit)?;
            for (input, before) in reversed.gives.of(*row as usize) {
                let leads = summary.as_ref().is_some_and(|summary| {
                    let outputs = summary.of(*input as usize);
                    outputs.binary_search(output).is_ok()
                });
                if leads {
                    self.reach(function, *before, state);
                }
            }
            let there = Vertex(inside.layout.return_value().0 + output);
            self.reach(callee, there, State::Inside);
        }
        self.reversed[function.index()] = Some(reversed);
        if state == State::Free
            && let Some(input) = graph.layout.as_input(vertex)
        {
            for caller in whole.callers.of(function) {
                self.leave(*caller, function, input);
            }
        }
        let globals: Vec<GlobalVertex> = graph
            .from_global
            .iter()
            .filter(|row| row.1 == vertex)
            .map(|row| row.0)
            .collect();
        for global in globals {
            if self.globals.insert(global) {
                for other in whole.functions_leading_to(global) {
                    let Some(graph) = whole.graph(other) else {
                        continue;
                    };
                    for (from, to) in &graph.to_global {
                        if *to == global {
                            self.reach(other, *from, State::Free);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// To what the calls of a function in one of its callers give.
    fn leave(&mut self, caller: FunctionId, callee: FunctionId, input: u32) {
        let Some(outside) = self.whole.graph(caller) else {
            return;
        };
        let reversed = self.reversed[caller.index()]
            .take()
            .unwrap_or_else(|| Box::new(Reversed::of(outside)));
        for row in outside.rows_of_callee(callee) {
            for before in reversed.giving(row, input) {
                self.reach(caller, before, State::Free);
            }
        }
        self.reversed[caller.index()] = Some(reversed);
    }
}
