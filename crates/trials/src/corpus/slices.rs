//! **Question.** How well do execute-after sets stand in for slices, of procedures of real
//! programs? Are forward and backward slices dual there, and what does each cost?
//!
//! **Source.** [sea] §4.1: recall and precision of SEA and SEB against the procedures of slices;
//! Table 4 (average sizes), Fig. 9 (precision), Fig. 11 (differences); Tables 5 and 6 (sizes and
//! building times of the graphs); §5, Table 7 (duality).
//!
//! **Rules.** The slice of a procedure is the union of the slices from all of its instructions,
//! reduced to the procedures that have an instruction in it; all sets contain the procedure they
//! belong to and only procedures that are reached from the entries. Recall is the share of the
//! slice that is in the execute-after set, precision the share of the set that is in the slice:
//! both are averaged over the procedures. A way of dependence follows a way of control, but for
//! memory that handlers touch at any time and calls that never return, where the dependence graph
//! does not know the order: there recall is below 100 %, and the pairs are counted (the command cuts
//! them off). A procedure is in another's forward slice exactly when that one is in its backward
//! slice: if not, that is an error of an analysis, and fails the run.
//!
//! **Cost.** Two slices a procedure. Of programs with more than [`CRITERIA`] procedures as many
//! are drawn by a fixed seed, and when [`BUDGET`] is spent the rest of them is left out: the table
//! says how many there are.

mod tables;

use super::subject::{Subject, packages, reached, read_subject};
use crate::random::Random;
use crate::reading::timed;
use crate::results_document::replace_section;
use anyhow::{Result, bail};
use fixedbitset::FixedBitSet;
use knockon_change::Side;
use knockon_impact::Procedure;
use knockon_impact::all_pairs::{CondensedRelation, execute_after_all};
use knockon_impact::component_graph::{ComponentGraphSize, component_graph};
use knockon_impact::dependence::program_graph::ProgramDependence;
use knockon_impact::order_graph::order_graph;
use knockon_impact::slicing::{backward_slice, forward_slice};
use knockon_memory::memory_model::memory_model;
use knockon_program::{FunctionId, InstructionId, Program, TimeLimit};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

/// So many procedures of one program are sliced at most.
const CRITERIA: usize = 200;
/// CPU time for the slices of one program; what is begun is finished.
const BUDGET: Duration = Duration::from_secs(120);
const SEED: u64 = 1;

/// One direction: slices beside execute-after sets.
#[derive(Default)]
struct Compared {
    /// Average sizes as shares of the procedures.
    slice: f64,
    related: f64,
    /// Averages over the procedures.
    precision: f64,
    recall: f64,
    /// The largest difference in size of one procedure, as a share of the procedures.
    largest_difference: f64,
    /// The pairs of the slices, and those of them that execute-after lacks.
    pairs: usize,
    missing: Vec<(FunctionId, FunctionId)>,
    slice_time: Duration,
}

/// The dependence graphs of a whole program.
#[derive(Default)]
struct DependenceSize {
    vertices: usize,
    edges: usize,
    summary_edges: usize,
}

struct Measures {
    package: String,
    program: String,
    reached: usize,
    sliced: usize,
    forward: Compared,
    backward: Compared,
    /// Pairs of sliced procedures, and those that one direction joins and the other does not.
    dual_pairs: usize,
    not_dual: Vec<(FunctionId, FunctionId)>,
    dependence: DependenceSize,
    components: ComponentGraphSize,
    clang_time: Duration,
    memory_time: Duration,
    dependence_time: Duration,
    summary_time: Duration,
    components_time: Duration,
}

/// Measures the named packages, or all of both corpora; those of all go into `docs/results.md`.
pub fn run(names: &[String]) -> Result<()> {
    let clang = knockon_build::clang::find_clang(None)?;
    let mut rows = Vec::new();
    let mut violations = 0;
    for root in packages(names)? {
        let subject = read_subject(&root, &clang)?;
        let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        let row = threads.install(|| measure(&subject));
        let said = tables::violations(&subject.program, &row);
        violations += row.violations();
        writeln!(
            std::io::stderr(),
            "{}: {} of {} procedures sliced\n{said}",
            row.package,
            row.sliced,
            row.reached
        )?;
        rows.push(row);
    }
    if rows.is_empty() {
        bail!("no captured package; scripts/capture-packages makes them");
    }
    let text = tables::tables(&rows, &clang.version);
    std::io::stdout().write_all(text.as_bytes())?;
    if names.is_empty() {
        replace_section(Path::new("docs/results.md"), "slices", &text)?;
    }
    if violations > 0 {
        bail!("{violations} pairs of procedures violate duality, listed above");
    }
    Ok(())
}

impl Measures {
    fn violations(&self) -> usize {
        self.not_dual.len()
    }
}

fn measure(subject: &Subject) -> Measures {
    let program = &subject.program;
    let (memory_time, memory) =
        timed(|| memory_model(program, TimeLimit::NONE).expect("there is no limit"));
    let (components_time, (components, after)) = timed(|| {
        let components = component_graph(&knockon_impact::call_flow(program, &memory.calls));
        let after = execute_after_all(&components, &order_graph(&components));
        (components, after)
    });
    let reached = reached(&components);
    let procedures: Vec<FunctionId> = (program.defined_functions())
        .map(|row| row.0)
        .filter(|function| reached.contains(function.index()))
        .collect();
    let whole = ProgramDependence::new(program, &memory);
    let (dependence_time, mut dependence) = timed(|| dependence_size(&whole));
    let (summary_time, summary_edges) = timed(|| {
        let functions = (0..whole.hubs.node_count()).map(FunctionId::from_index);
        let summaries = functions.filter_map(|function| {
            whole
                .summary(function, TimeLimit::NONE)
                .expect("there is no limit")
        });
        summaries.map(|summary| summary.item_count()).sum()
    });
    dependence.summary_edges = summary_edges;

    let slices = slices(&whole, &procedures);
    let before = after.inverse();
    let criteria: Vec<FunctionId> = slices.iter().map(|row| row.function).collect();
    let direction = |relation, set: fn(&Slices) -> (&FixedBitSet, Duration)| {
        let sets = slices.iter().map(|row| (row.function, set(row)));
        compare(relation, &procedures, sets)
    };
    Measures {
        package: subject.package.clone(),
        program: subject.name.clone(),
        reached: procedures.len(),
        sliced: slices.len(),
        forward: direction(&after, |row| (&row.forward, row.forward_time)),
        backward: direction(&before, |row| (&row.backward, row.backward_time)),
        dual_pairs: criteria.len() * criteria.len(),
        not_dual: not_dual(&slices),
        dependence,
        components: components.size(),
        clang_time: subject.clang_time,
        memory_time,
        dependence_time,
        summary_time,
        components_time,
    }
}

/// Builds all graphs.
fn dependence_size(whole: &ProgramDependence) -> DependenceSize {
    let mut size = DependenceSize::default();
    for function in (0..whole.hubs.node_count()).map(FunctionId::from_index) {
        if let Some(graph) = whole.graph(function) {
            size.vertices += graph.layout.vertex_count();
            size.edges += graph.edges.item_count()
                + graph.gives.item_count()
                + graph.gets.item_count()
                + graph.to_global.len()
                + graph.from_global.len();
        }
    }
    size
}

/// The procedures of the slices from one procedure.
struct Slices {
    function: FunctionId,
    forward: FixedBitSet,
    backward: FixedBitSet,
    forward_time: Duration,
    backward_time: Duration,
}

/// The slices of some procedures, or of all, in a random order as long as the budget lasts.
fn slices(whole: &ProgramDependence, procedures: &[FunctionId]) -> Vec<Slices> {
    let mut left = procedures.to_vec();
    let mut random = Random::new(SEED);
    let mut spent = Duration::ZERO;
    let mut found: Vec<Slices> = Vec::new();
    while !left.is_empty() && found.len() < CRITERIA && spent < BUDGET {
        let function = left.swap_remove(random.below(left.len()));
        let criterion: Vec<(FunctionId, InstructionId)> = nodes(whole.program, function)
            .map(|node| (function, node))
            .collect();
        // With a node in the slice; the procedure itself has one in any case.
        let set = |holds: &dyn Fn(FunctionId, InstructionId) -> bool| {
            let mut set = FixedBitSet::with_capacity(whole.program.functions.len());
            set.insert(function.index());
            for other in procedures {
                if nodes(whole.program, *other).any(|node| holds(*other, node)) {
                    set.insert(other.index());
                }
            }
            set
        };
        let (forward_time, forward) =
            timed(|| forward_slice(whole, &criterion, TimeLimit::NONE).expect("there is no limit"));
        let forward = set(&|other, node| forward.is_node_reached(Side::New, other, node));
        let (backward_time, backward) = timed(|| {
            backward_slice(whole, &criterion, TimeLimit::NONE).expect("there is no limit")
        });
        let backward = set(&|other, node| backward.contains(other, node));
        spent += forward_time + backward_time;
        found.push(Slices {
            function,
            forward,
            backward,
            forward_time,
            backward_time,
        });
    }
    found
}

fn nodes(program: &Program, function: FunctionId) -> impl Iterator<Item = InstructionId> + '_ {
    let body = program.function(function).body.iter();
    body.flat_map(|body| body.instruction_ids())
}

/// The sets of some procedures beside what the relation says.
fn compare<'a>(
    relation: &CondensedRelation,
    procedures: &[FunctionId],
    sets: impl ExactSizeIterator<Item = (FunctionId, (&'a FixedBitSet, Duration))>,
) -> Compared {
    let all = procedures.len().max(1) as f64;
    let count = sets.len().max(1) as f64;
    let mut compared = Compared::default();
    for (function, (slice, time)) in sets {
        let mut related = FixedBitSet::with_capacity(slice.len());
        let found = relation.related(Procedure::from(function));
        related.extend(found.iter().map(|other| other.index()).filter(|other| {
            (procedures.binary_search_by_key(other, |function| function.index())).is_ok()
        }));
        related.insert(function.index());
        let both = slice.intersection_count(&related) as f64;
        let (slice_size, related_size) =
            (slice.count_ones(..) as f64, related.count_ones(..) as f64);
        compared.slice += slice_size / all / count;
        compared.related += related_size / all / count;
        compared.precision += both / related_size / count;
        compared.recall += both / slice_size / count;
        let difference = (related_size - slice_size) / all;
        compared.largest_difference = compared.largest_difference.max(difference);
        compared.pairs += slice.count_ones(..);
        let missing = slice.difference(&related);
        let missing = missing.map(|other| (function, FunctionId::from_index(other)));
        compared.missing.extend(missing);
        compared.slice_time += time;
    }
    compared
}

/// The pairs of sliced procedures that one direction joins and the other does not.
fn not_dual(slices: &[Slices]) -> Vec<(FunctionId, FunctionId)> {
    let mut found = Vec::new();
    for from in slices {
        for to in slices {
            let there = from.forward.contains(to.function.index());
            let back = to.backward.contains(from.function.index());
            if there != back {
                found.push((from.function, to.function));
            }
        }
    }
    found
}
