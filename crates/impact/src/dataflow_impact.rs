//! **Question.** Which nodes may observe something else than their partners, on some run?
//!
//! **Source.** DCIA, [sem-dcia] Fig. 2 (dependence) and Fig. 3 (impact), on both versions.
//!
//! **Notation.** Sources are what [`Change`] names: nodes without a partner, pairs that differ in
//! themselves, functions, parameters and initial values of one version only. `Impacted` is what a
//! walk from them reaches.
//!
//! **Rules.** The rules of Fig. 3 are the edges of the dependence graphs: NODE-2-VAR and VAR-2-NODE
//! are operands, memory and returns; CALL and RETURN are what calls give and get. Fig. 2 and 3 as
//! printed leave things out for our meaning of *impacted*, which counts occurrences and results.
//! Added: an impacted branch impacts all nodes that are control dependent on it and the phis whose
//! incoming edges it decides; a call whose occurrences are impacted impacts the callee's pseudo
//! formal `entered`, on which all its nodes depend; the results of a call are impacted through
//! summaries only, not because an argument is; a call that may not return decides as a branch does.
//!
//! A store that is *reordered* is no source: the walk begins with what it leaves in memory.
//!
//! **Departures.** A node that is impacted in one version is impacted in the other, and impact
//! goes on there: then no agreement of the two graphs has to be argued for.
//!
//! **Soundness.** Take a run of both versions and a pair of nodes that observe different things, the
//! earliest such. What they observe comes over dependences, each of which is an edge in its
//! version. If all their ends agreed, so would the nodes, since a pair that is no source combines
//! paired operands, memory and control alike. So one end differs, or has no partner and is a
//! source. The execution oracle holds this to runs.
//!
//! **Cost.** That of [`crate::propagation`].

use crate::dependence::program_graph::ProgramDependence;
use crate::dependence::{FunctionDependence, Vertex};
use crate::propagation::{Place, Propagation, Start};
use knockon_change::{Change, Side};
use knockon_program::{FunctionId, GlobalId, InstructionId, OutOfTime, TimeLimit};

/// Which nodes of a changed function are sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceMap {
    /// Those that have no partner or differ in themselves.
    Fine,
    /// All of them: the baseline of [sem-dcia].
    Coarse,
}

/// The versions' dependence graphs and what a change reaches in them.
pub struct DataflowImpact<'a> {
    pub propagation: Propagation<'a>,
}

pub fn dataflow_impact<'a>(
    old: &'a ProgramDependence<'a>,
    new: &'a ProgramDependence<'a>,
    change: &'a Change,
    map: SourceMap,
    limit: TimeLimit<'a>,
) -> Result<DataflowImpact<'a>, OutOfTime> {
    let propagation = Propagation::in_both(old, new, change, None, limit);
    impact_from(propagation, (old, new), change, map)
}

/// The same over a walk that is prepared.
pub(crate) fn impact_from<'a>(
    mut propagation: Propagation<'a>,
    graphs: (&'a ProgramDependence<'a>, &'a ProgramDependence<'a>),
    change: &'a Change,
    map: SourceMap,
) -> Result<DataflowImpact<'a>, OutOfTime> {
    each_start(graphs, change, map, |_, start| propagation.start(start));
    propagation.run()?;
    Ok(DataflowImpact { propagation })
}

/// Something that a change begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Node(Side, FunctionId, InstructionId),
    /// A function that one version only has, its parameters, or that runs at another time.
    Function(Side, FunctionId),
    /// The value of a variable before the program starts.
    Global(Side, GlobalId),
}

/// Each place where a walk from the change begins, and the source that it belongs to.
pub fn each_start<'a>(
    (old, new): (&'a ProgramDependence<'a>, &'a ProgramDependence<'a>),
    change: &Change,
    map: SourceMap,
    mut begin: impl FnMut(Source, Start<'_>),
) {
    for (side, whole) in [(Side::Old, old), (Side::New, new)] {
        for (function, ..) in whole.program.defined_functions() {
            start_in_function((side, whole, function), change, map, &mut begin);
        }
        for global in &change.globals {
            let Some(own) = global.start(side, whole.program) else {
                continue;
            };
            for vertex in whole.initial_value(own) {
                begin(Source::Global(side, own), Start::Global(side, vertex));
            }
        }
    }
}

fn start_in_function(
    (side, whole, function): (Side, &ProgramDependence<'_>, FunctionId),
    change: &Change,
    map: SourceMap,
    begin: &mut impl FnMut(Source, Start<'_>),
) {
    let Some(body) = whole.program.function(function).body.as_deref() else {
        return;
    };
    let pair = change.pair(side, function);
    let is_unchanged = pair.is_some_and(|pair| pair.is_without_source());
    let parameters = whole.program.function(function).parameters.len() as u32;
    let unpaired =
        |number: &u32| pair.is_some_and(|pair| pair.partner_of_parameter(side, *number).is_none());
    let unpaired: Vec<u32> = (0..parameters).filter(unpaired).collect();
    if is_unchanged && unpaired.is_empty() {
        return;
    }
    let Some(graph) = whole.graph(function) else {
        return;
    };
    let place = |vertex: Vertex| Place {
        side,
        function,
        vertex,
    };
    let of_function = Source::Function(side, function);
    for number in unpaired {
        begin(
            of_function,
            Start::Input(place(graph.layout.parameter(number))),
        );
    }
    let is_entry = change.entries.of(side).binary_search(&function).is_ok();
    if pair.is_none() || is_entry {
        begin(of_function, Start::Input(place(graph.layout.entered())));
    }
    for id in body.instruction_ids() {
        let is_coarse = map == SourceMap::Coarse && !is_unchanged;
        if pair.is_some_and(|pair| pair.is_reordered(side, id)) && !is_coarse {
            let node = place(graph.layout.node(id));
            begin(Source::Node(side, function, id), Start::Written(node));
        }
        if !is_coarse && !change.is_source(side, function, id) {
            continue;
        }
        let source = Source::Node(side, function, id);
        let arguments = pair.and_then(|pair| pair.changed_arguments(side, id));
        match (arguments, graph.call_number(id)) {
            (Some(positions), Some(call)) if !is_coarse => {
                let node = place(graph.layout.node(id));
                begin(source, Start::Source(node));
                begin(source, Start::Arguments(node, call, positions));
            }
            (_, call) => {
                for vertex in source_vertices(graph, call, id) {
                    begin(source, Start::Source(place(vertex)));
                }
            }
        }
    }
}

/// Where a node that is a source begins to matter: what it observes, and for a call all that it
/// gives, and whether it comes back.
fn source_vertices(
    graph: &FunctionDependence,
    call: Option<u32>,
    id: InstructionId,
) -> impl Iterator<Item = Vertex> {
    let of_call = call.map(|call| [graph.layout.occurrence(call), graph.layout.returns(call)]);
    [graph.layout.node(id)]
        .into_iter()
        .chain(of_call.into_iter().flatten())
}

impl DataflowImpact<'_> {
    /// The node, or its partner, may observe something else.
    pub fn is_impacted(&self, side: Side, function: FunctionId, node: InstructionId) -> bool {
        self.propagation.is_node_reached(side, function, node)
    }
}
