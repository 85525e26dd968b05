//! All that is known of one program's memory, made in the order in which each part needs the one
//! before.

use crate::call_graph::CallGraph;
use crate::meanwhile::{Meanwhile, meanwhile};
use crate::mod_ref::{ModRef, mod_ref};
use crate::points_to::PointsTo;
use crate::precise_call_graph::precise_call_graph;
use crate::processes::{Processes, processes};
use crate::regions::{Regions, regions_within};
use knockon_library::{Replaced, library, replaced_functions};
use knockon_program::{OutOfTime, Program, TimeLimit};

pub struct MemoryModel {
    pub calls: CallGraph,
    pub points_to: PointsTo,
    pub regions: Regions,
    pub mod_ref: ModRef,
    pub meanwhile: Meanwhile,
    pub replaced: Replaced,
    pub processes: Processes,
}

/// The program is promoted.
pub fn memory_model(program: &Program, limit: TimeLimit<'_>) -> Result<MemoryModel, OutOfTime> {
    let (calls, points_to) = precise_call_graph(program, limit)?;
    let regions = regions_within(program, &calls, library(), Some(&points_to), limit)?;
    let mod_ref = mod_ref(program, &calls, library(), &regions, limit)?;
    let meanwhile = meanwhile(&calls, &regions);
    let processes = processes(program, &calls, &regions);
    Ok(MemoryModel {
        calls,
        points_to,
        regions,
        mod_ref,
        meanwhile,
        replaced: replaced_functions(program, library()),
        processes,
    })
}
