//! **Question.** A call through a pointer may enter hundreds of functions, and many calls the same
//! ones. How are they connected without calls times functions connections?
//!
//! **Rules.** A *hub* stands for a set of functions that some calls may enter: a pseudo function
//! that hands what it is given to each of them, and gives back what each of them does. Its memory
//! is theirs.
//!
//! **Soundness.** A way through a call, the hub and a function is a way through the call and the
//! function. The hub has a summary as any function has, so calls stay apart.
//!
//! **Cost.** One connection for each function of each set, instead of each call.

use super::function_memory::FunctionMemory;
use super::memory_classes::memory_classes;
use super::program_graph::ProgramDependence;
use super::{EnteredRow, FunctionDependence, Layout, Vertex};
use knockon_graphs::Rows;
use knockon_memory::call_graph::{CallGraph, CallSiteId};
use knockon_memory::memory_ssa::{
    Definition, DefinitionKind, GroupedAccesses, MemorySsa, Variable, VariableIndex,
};
use knockon_program::{FunctionId, Program};
use rustc_hash::FxHashMap;

/// Up to so many functions, a call is connected with each.
const MOST_TARGETS: usize = 4;

/// The sets of functions that calls may enter. Hubs have the numbers after the functions.
pub struct Hubs {
    function_count: usize,
    targets: Rows<FunctionId>,
    of_site: FxHashMap<CallSiteId, FunctionId>,
}

impl Hubs {
    pub(super) fn of(program: &Program, calls: &CallGraph) -> Hubs {
        let function_count = program.functions.len();
        let mut known: FxHashMap<&[FunctionId], FunctionId> = FxHashMap::default();
        let mut targets = Rows::default();
        let mut of_site = FxHashMap::default();
        for site in (0..calls.sites.len()).map(CallSiteId::from) {
            let set = calls.targets.of(site);
            if set.len() <= MOST_TARGETS {
                continue;
            }
            let next = FunctionId::from_index(function_count + known.len());
            let hub = *known.entry(set).or_insert(next);
            if hub == next {
                targets.push_row(set.iter().copied());
            }
            of_site.insert(site, hub);
        }
        Hubs {
            function_count,
            targets,
            of_site,
        }
    }

    /// Functions and hubs.
    pub fn node_count(&self) -> usize {
        self.function_count + self.targets.row_count()
    }

    pub fn of_site(&self, site: CallSiteId) -> Option<FunctionId> {
        self.of_site.get(&site).copied()
    }

    /// The functions of a hub; empty for a function.
    pub fn targets(&self, hub: FunctionId) -> &[FunctionId] {
        match hub.index().checked_sub(self.function_count) {
            Some(number) => self.targets.of(number),
            None => &[],
        }
    }

    pub fn is_hub(&self, function: FunctionId) -> bool {
        function.index() >= self.function_count
    }

    /// The inputs of a hub for parameters; the last is for all further arguments.
    pub(super) fn parameter_count(&self, program: &Program, hub: FunctionId) -> u32 {
        let targets = self.targets(hub).iter();
        let counts = targets.map(|target| program.function(*target).parameters.len() as u32);
        1 + counts.max().unwrap_or(0)
    }
}

/// The classes of what the functions touch: two variables are one when each function has both in
/// one class, or none.
pub(super) fn hub_memory(whole: &ProgramDependence, hub: FunctionId) -> FunctionMemory {
    let targets = whole.hubs.targets(hub);
    let mut rows: Vec<(Variable, u32, u32)> = Vec::new();
    for (number, target) in targets.iter().enumerate() {
        if let Some(memory) = whole.memory_of(*target) {
            let classes = memory.class_of.iter();
            rows.extend(classes.map(|row| (row.0, number as u32, row.1)));
        }
    }
    // Each function brings an ascending run.
    rows.sort();
    let mut variables: Vec<Variable> = rows.iter().map(|row| row.0).collect();
    variables.dedup();
    let mut tags: Vec<u64> = vec![0; variables.len()];
    let of_variables = rows.chunk_by(|left, right| left.0 == right.0);
    for (tag, rows) in tags.iter_mut().zip(of_variables) {
        for (_, number, class) in rows {
            let mixed = (u64::from(*number) << 32) | (u64::from(*class) + 1);
            *tag = (*tag ^ mixed)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29);
        }
    }
    let none = GroupedAccesses {
        variables: variables.clone(),
        ..GroupedAccesses::default()
    };
    let classes = memory_classes(&none, |variable| {
        tags[variables.partition_point(|other| *other < variable)]
    });
    let count = classes.members.row_count();
    let mut class_of: Vec<(Variable, u32)> = Vec::with_capacity(variables.len());
    for class in 0..count {
        let members = classes.members.of(class).iter();
        class_of.extend(members.map(|variable| (*variable, class as u32)));
    }
    class_of.sort_unstable();
    let entry = |class| Definition {
        variable: VariableIndex(class as u32),
        kind: DefinitionKind::Entry,
    };
    FunctionMemory {
        class_of,
        ssa: MemorySsa {
            variables: classes.accesses.variables,
            definitions: (0..count).map(entry).collect(),
            incoming: Rows::default(),
            uses: Rows::default(),
            defines: Rows::default(),
        },
        sees_entry: vec![true; count],
        members: classes.members,
    }
}

pub(super) fn hub_graph(whole: &ProgramDependence, hub: FunctionId) -> Option<FunctionDependence> {
    let memory = whole.memory_of(hub)?;
    let classes = memory.members.row_count() as u32;
    let layout = Layout {
        instructions: 0,
        calls: 0,
        definitions: classes,
        segments: 0,
        blocks: 0,
        parameters: whole.hubs.parameter_count(whole.program, hub),
        classes,
    };
    let mut entered: Vec<EnteredRow> = Vec::new();
    let mut gives: Vec<(Vertex, (u32, u32))> = Vec::new();
    let mut gets: Vec<(usize, (u32, Vertex))> = Vec::new();
    for target in whole.hubs.targets(hub) {
        let Some(there) = whole.memory_of(*target) else {
            continue;
        };
        let number = entered.len() as u32;
        entered.push(EnteredRow {
            callee: *target,
            call: 0,
            through_library: false,
            is_registered: false,
        });
        let parameters = whole.program.function(*target).parameters.len() as u32 + 1;
        gives.push((layout.entered(), (number, 0)));
        for parameter in 0..layout.parameters {
            let input = 1 + parameter.min(parameters - 1);
            gives.push((layout.parameter(parameter), (number, input)));
        }
        gets.push((number as usize, (0, layout.return_value())));
        gets.push((number as usize, (1, layout.leaves())));
        gets.push((number as usize, (2, layout.jumps())));
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (variable, class) in &there.class_of {
            pairs.extend(memory.class(*variable).map(|here| (here, *class)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        for (here, class) in pairs {
            gives.push((layout.entry(here), (number, 1 + parameters + class)));
            let output = Layout::output_of_class(class);
            gets.push((number as usize, (output, layout.output(here))));
        }
    }
    gives.sort_unstable();
    gives.dedup();
    gets.sort_unstable();
    gets.dedup();
    Some(FunctionDependence {
        function: hub,
        layout,
        edges: Rows::from_pairs::<Vertex>(layout.vertex_count(), &[]),
        gives: Rows::from_pairs(layout.vertex_count(), &gives),
        gets: Rows::from_pairs(entered.len(), &gets),
        entered,
        to_global: Vec::new(),
        from_global: Vec::new(),
        call_instructions: Vec::new(),
    })
}
