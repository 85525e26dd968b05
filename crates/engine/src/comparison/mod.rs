//! One executable in two versions, compared: what the change reaches, level by level.

use crate::read::versions::ReadVersions;
use knockon_change::{Change, Side, Sides, Version};
use knockon_impact::component_graph::component_graph;
use knockon_impact::dataflow_impact::{DataflowImpact, SourceMap, dataflow_impact};
use knockon_impact::dependence::program_graph::ProgramDependence;
use knockon_impact::execute_after::{Direction, execute_after};
use knockon_impact::order_graph::order_graph;
use knockon_impact::{Procedure, call_flow};
use knockon_memory::memory_model::{MemoryModel, memory_model};
use knockon_program::{FunctionId, OutOfTime, Program, TimeLimit};
use rustc_hash::FxHashSet;

/// Both versions of one executable, analysed.
pub struct Models {
    pub memory: Sides<MemoryModel>,
}

impl Models {
    pub fn of(programs: Sides<&Program>, limit: TimeLimit<'_>) -> Result<Models, OutOfTime> {
        let (old, new) = rayon::join(
            || memory_model(programs.old, limit),
            || memory_model(programs.new, limit),
        );
        Ok(Models {
            memory: Sides {
                old: old?,
                new: new?,
            },
        })
    }

    pub fn versions<'a>(&'a self, programs: Sides<&'a Program>) -> Sides<Version<'a>> {
        Sides {
            old: Version {
                program: programs.old,
                memory: &self.memory.old,
            },
            new: Version {
                program: programs.new,
                memory: &self.memory.new,
            },
        }
    }
}

/// The graphs of both versions.
pub fn dependences<'a>(versions: Sides<Version<'a>>) -> Sides<ProgramDependence<'a>> {
    Sides {
        old: ProgramDependence::new(versions.old.program, versions.old.memory),
        new: ProgramDependence::new(versions.new.program, versions.new.memory),
    }
}

/// What the change reaches, by what was found out about it so far.
pub struct ChangeReach<'a> {
    /// By function of the new version: it may execute after the change, in one of the versions.
    pub executes_after: Vec<bool>,
    /// By function of the new version: some entry reaches it, in one of the versions.
    pub is_reachable: Vec<bool>,
    pub dataflow: Option<DataflowImpact<'a>>,
    pub semantic: Option<DataflowImpact<'a>>,
}

impl<'a> ChangeReach<'a> {
    /// No level yet.
    pub fn none() -> ChangeReach<'a> {
        ChangeReach {
            executes_after: Vec::new(),
            is_reachable: Vec::new(),
            dataflow: None,
            semantic: None,
        }
    }

    /// The first level alone.
    pub fn execute_after(versions: Sides<Version<'_>>, change: &Change) -> ChangeReach<'a> {
        let (executes_after, is_reachable) = executing_after(versions, change);
        ChangeReach {
            executes_after,
            is_reachable,
            dataflow: None,
            semantic: None,
        }
    }

    /// What the finest level reaches.
    pub fn finest(&self) -> Option<&DataflowImpact<'a>> {
        self.semantic.as_ref().or(self.dataflow.as_ref())
    }

    /// The first level alone, to go on from.
    pub fn again<'b>(&self) -> ChangeReach<'b> {
        ChangeReach {
            executes_after: self.executes_after.clone(),
            is_reachable: self.is_reachable.clone(),
            dataflow: None,
            semantic: None,
        }
    }

    /// Goes on with the second level.
    pub fn dataflow(
        &mut self,
        graphs: &'a Sides<ProgramDependence<'a>>,
        change: &'a Change,
        map: SourceMap,
        limit: TimeLimit<'a>,
    ) -> Result<(), OutOfTime> {
        let impact = dataflow_impact(&graphs.old, &graphs.new, change, map, limit)?;
        self.dataflow = Some(impact);
        Ok(())
    }
}

/// The functions that a change is in: those with a source, or that one version only has, or that
/// name an initial value that is not the same.
fn changed_functions(
    versions: Sides<Version<'_>>,
    change: &Change,
    side: Side,
) -> FxHashSet<FunctionId> {
    let program = versions.of(side).program;
    let mut changed: FxHashSet<FunctionId> = program
        .defined_functions()
        .map(|(id, ..)| id)
        .filter(|id| {
            change
                .pair(side, *id)
                .is_none_or(|pair| !pair.is_without_source() || !pair.same_interface)
        })
        .collect();
    changed.extend(change.entries.of(side));
    changed
}

/// Which functions of the new version may execute after the change in either version, itself
/// included, and which are reachable at all.
fn executing_after(versions: Sides<Version<'_>>, change: &Change) -> (Vec<bool>, Vec<bool>) {
    let count = versions.new.program.functions.len();
    let mut after = vec![false; count];
    let mut reachable = vec![false; count];
    // An initial value is there before everything.
    let begins = |side: Side| {
        let mut globals = change.globals.iter();
        globals.any(|global| global.start(side, versions.of(side).program).is_some())
    };
    if Side::BOTH.into_iter().any(begins) {
        after.fill(true);
    }
    for side in Side::BOTH {
        let version = versions.of(side);
        let components = component_graph(&call_flow(version.program, &version.memory.calls));
        let order = order_graph(&components);
        let mark = |function: FunctionId, table: &mut Vec<bool>| {
            let there = match side {
                Side::New => Some(function),
                Side::Old => change.partner(Side::Old, function),
            };
            if let Some(there) = there {
                table[there.index()] = true;
            }
        };
        let mut changed: Vec<FunctionId> = changed_functions(versions, change, side)
            .into_iter()
            .collect();
        changed.sort_unstable();
        for function in changed {
            mark(function, &mut after);
            let procedure = Procedure::from(function);
            for member in execute_after(&components, &order, procedure, Direction::After).related {
                if let Some(id) = function_of(version.program, member.function) {
                    mark(id, &mut after);
                }
            }
        }
        // What ran in the old version only runs less often now.
        let root = knockon_impact::root(version.program);
        for member in execute_after(&components, &order, root, Direction::After).related {
            if let Some(id) = function_of(version.program, member.function) {
                mark(id, &mut reachable);
            }
        }
    }
    (after, reachable)
}

fn function_of(program: &Program, procedure: Procedure) -> Option<FunctionId> {
    let index = usize::from(procedure);
    (index < program.functions.len()).then(|| FunctionId::from_index(index))
}

/// The programs of an executable.
pub fn programs(versions: &ReadVersions, number: usize) -> Sides<&Program> {
    let executable = &versions.executables[number];
    Sides {
        old: &executable.old.program,
        new: &executable.new.program,
    }
}

/// One executable, compared.
pub struct Compared<'a> {
    pub number: usize,
    pub versions: Sides<Version<'a>>,
    pub change: &'a Change,
    pub levels: &'a ChangeReach<'a>,
}

/// All executables, paired.
#[derive(Default)]
pub struct Pairings<'a> {
    rows: Vec<(Sides<Version<'a>>, Change)>,
}

impl<'a> Pairings<'a> {
    pub fn push(&mut self, versions: Sides<Version<'a>>, change: Change) {
        self.rows.push((versions, change));
    }

    /// With the numbers of the executables.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Sides<Version<'a>>, &Change)> {
        let rows = self.rows.iter().enumerate();
        rows.map(|(number, (versions, change))| (number, *versions, change))
    }
}
