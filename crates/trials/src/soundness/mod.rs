//! Do the analyses allow everything that programs really do? A run of the interpreter leaves a
//! [`Trace`]: what was entered from where and in which order, which instruction touched which
//! memory, which instructions met at the same byte. Each *law* holds one analysis to it; a law is a
//! function that gives its violations, so that an empty list is the proof for that run. Runs with
//! undefined behaviour are no evidence and are not asked.

pub mod accesses;
pub mod callees;
pub mod order;
pub mod regions;
pub mod soak;
pub mod subject;

use knockon_impact::all_pairs::{CondensedRelation, execute_after_all};
use knockon_impact::component_graph::{ComponentGraph, component_graph};
use knockon_impact::order_graph::{OrderGraph, order_graph};
use knockon_interpreter::Trace;
use knockon_library::library;
use knockon_memory::call_graph::CallGraph;
use knockon_memory::coarse_call_graph::coarse_call_graph;
use knockon_memory::mod_ref::{ModRef, mod_ref};
use knockon_memory::points_to::PointsTo;
use knockon_memory::precise_call_graph::precise_call_graph;
use knockon_memory::regions::{Regions, regions_within};
use knockon_program::{FunctionId, Node, Program, TimeLimit};
use std::fmt;

/// What the laws hold to the run.
pub struct Analyses {
    pub calls: CallGraph,
    pub components: ComponentGraph,
    pub order: OrderGraph,
    pub after: CondensedRelation,
    pub points_to: PointsTo,
    pub regions: Regions,
    pub mod_ref: ModRef,
    /// From the addresses that are taken alone.
    pub coarse_calls: CallGraph,
}

impl Analyses {
    pub fn of(program: &Program) -> Analyses {
        let (calls, points_to) =
            precise_call_graph(program, TimeLimit::NONE).expect("there is no limit");
        let regions = regions_within(
            program,
            &calls,
            library(),
            Some(&points_to),
            TimeLimit::NONE,
        )
        .expect("there is no limit");
        let mod_ref = mod_ref(program, &calls, library(), &regions, TimeLimit::NONE)
            .expect("there is no limit");
        let flow = knockon_impact::call_flow(program, &calls);
        let components = component_graph(&flow);
        let order = order_graph(&components);
        let after = execute_after_all(&components, &order);
        Analyses {
            calls,
            components,
            order,
            after,
            points_to,
            regions,
            mod_ref,
            coarse_calls: coarse_call_graph(program),
        }
    }
}

/// What must hold of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// What a call enters is among its targets or callbacks, what the outside enters is an entry.
    Callees,
    /// What executes after a function is in its SEA set.
    ExecuteAfter,
    /// Both algorithms give the same sets, and SEB is the inverse of SEA.
    Algorithms,
    /// A load or store touches what its address may point to.
    PointsTo,
    /// A library function touches what its description says.
    LibraryEffects,
    /// Instructions of a function that touch the same byte may touch a common region.
    Regions,
    /// The same where one of them is a call that enters functions.
    ModRef,
    /// A read may see the write whose byte it reads.
    MemorySsa,
}

impl fmt::Display for Law {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Law::Callees => "callees",
            Law::ExecuteAfter => "execute-after",
            Law::Algorithms => "both algorithms",
            Law::PointsTo => "points-to",
            Law::LibraryEffects => "library effects",
            Law::Regions => "regions",
            Law::ModRef => "mod/ref",
            Law::MemorySsa => "memory SSA",
        })
    }
}

/// What a run was held to.
pub type Findings = crate::soak::laws::Findings<Law>;

/// All laws on one run.
pub fn check(program: &Program, analyses: &Analyses, trace: &Trace) -> Findings {
    let mut findings = Findings::default();
    callees::check(program, &analyses.calls, trace, &mut findings);
    callees::check(program, &analyses.coarse_calls, trace, &mut findings);
    order::check(program, analyses, trace, &mut findings);
    accesses::check(program, analyses, trace, &mut findings);
    regions::check(program, analyses, trace, &mut findings);
    findings
}

/// Where a function is defined.
fn place_of_function(program: &Program, function: FunctionId) -> String {
    let place = program.place(program.function(function).place);
    if !place.is_known() {
        return program.function_name(function).to_string();
    }
    format!("{}:{}", program.file_path(place.file), place.line)
}

/// Where an instruction stands.
fn place_of(program: &Program, (function, instruction): Node) -> String {
    if let Some(body) = &program.function(function).body {
        let place = program.place(body.instruction(instruction).place);
        if place.is_known() {
            return format!("{}:{}", program.file_path(place.file), place.line);
        }
    }
    place_of_function(program, function)
}
