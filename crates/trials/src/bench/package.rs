//! The cost of one package, step by step.

use super::runs::{RunCost, cold_and_warm};
use crate::reading::{ReadingCost, read_afresh, timed};
use anyhow::Result;
use knockon_build::build_plan::plan_of_directory;
use knockon_build::clang::Clang;
use knockon_graphs::{
    ExternalBehaviour, SegmentId, call_edges, control_dependence, control_flow, dominators, loops,
    may_not_return, post_dominators, segmented_flow,
};
use knockon_memory::effects::library;
use knockon_memory::mod_ref::mod_ref;
use knockon_memory::precise_call_graph::precise_call_graph;
use knockon_memory::regions::regions_within;
use knockon_program::{BlockId, Program, TimeLimit, link};
use std::path::Path;
use std::time::Duration;

#[derive(Clone, Default)]
pub struct PackageCost {
    pub name: String,
    pub reading: ReadingCost,
    pub instructions: usize,
    pub link: Duration,
    pub promote: Duration,
    pub graphs: Duration,
    pub memory: MemoryCost,
    pub cold: RunCost,
    pub warm: RunCost,
}

/// The steps of [`knockon_memory::memory_model`].
#[derive(Clone, Copy, Default)]
pub struct MemoryCost {
    /// Points-to sets and the call graph that rests on them.
    pub points_to: Duration,
    /// Regions, and what each function reads and writes of them.
    pub regions: Duration,
    pub region_count: usize,
}

impl PackageCost {
    pub fn ours(&self) -> Duration {
        self.reading.read + self.link + self.promote + self.graphs
    }

    pub fn percent_of_clang(&self, time: Duration) -> f64 {
        100.0 * time.as_secs_f64() / self.reading.clang.as_secs_f64()
    }

    pub fn add(&mut self, other: &PackageCost) {
        self.reading += other.reading;
        self.instructions += other.instructions;
        self.link += other.link;
        self.promote += other.promote;
        self.graphs += other.graphs;
        self.memory.points_to += other.memory.points_to;
        self.memory.regions += other.memory.regions;
        self.memory.region_count += other.memory.region_count;
        self.cold.add(&other.cold);
        self.warm.add(&other.warm);
    }
}

/// One thread throughout, so that CPU times are the cost of the work alone. All units
/// are linked into one program: the cost of linking, not its meaning, is measured.
pub fn measure_package(name: &str, root: &Path, clang: &Clang) -> Result<PackageCost> {
    let plan = plan_of_directory(root, None)?;
    let mut cost = PackageCost {
        name: name.to_owned(),
        ..PackageCost::default()
    };
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut units = Vec::new();
    for unit in &plan.units {
        let unit = read_afresh(unit, clang)?;
        cost.reading += unit.cost;
        units.push(unit.program);
    }
    let (time, mut program) = timed(|| link(units));
    cost.link = time;
    cost.promote = threads.install(|| timed(|| knockon_graphs::promote(&mut program)).0);
    cost.instructions = program.instruction_count();
    cost.graphs = timed(|| all_graphs(&program)).0;
    cost.memory = threads.install(|| memory_cost(&program));
    (cost.cold, cost.warm) = cold_and_warm(root)?;
    Ok(cost)
}

/// Every graph of every function, with calls that may not return as control flow; the
/// sum keeps the work from being optimised away.
fn all_graphs(program: &Program) -> usize {
    let calls = call_edges(program);
    let may_not_return = may_not_return(program, &calls, |_| ExternalBehaviour::Returns);
    let mut size = 0;
    for (_, _, body) in program.defined_functions() {
        let flow = control_flow(body);
        let tree = dominators(&flow.successors, &flow.predecessors, BlockId(0));
        size += loops(&flow, &tree).ids().count();
        size += post_dominators(&flow.successors, &flow.predecessors, &[])
            .children(None)
            .len();
        let segments = segmented_flow(body, &flow, |call| may_not_return.call(program, body, call));
        let dependence = control_dependence(&segments);
        size += dependence.controlling(SegmentId::from(0)).len();
    }
    std::hint::black_box(size)
}

fn memory_cost(program: &Program) -> MemoryCost {
    let (points_to, (calls, pointers)) =
        timed(|| precise_call_graph(program, TimeLimit::NONE).expect("there is no limit"));
    let (regions, region_count) = timed(|| {
        let regions = regions_within(program, &calls, library(), Some(&pointers), TimeLimit::NONE)
            .expect("there is no limit");
        std::hint::black_box(
            mod_ref(program, &calls, library(), &regions, TimeLimit::NONE)
                .expect("there is no limit"),
        );
        regions.region_count()
    });
    MemoryCost {
        points_to,
        regions,
        region_count,
    }
}
