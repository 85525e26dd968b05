//! The mod/ref sets of one function as text.

use super::{MemoryEffect, ModRef};
use crate::regions::{RegionId, Regions};
use knockon_library::World;
use knockon_program::{FunctionId, Program};
use std::fmt::Write as _;

/// Four lines at most: what is read and written, of memory and of the world, and whether the
/// function may not return.
pub fn dump_mod_ref(
    program: &Program,
    regions: &Regions,
    mod_ref: &ModRef,
    function: FunctionId,
) -> String {
    let MemoryEffect {
        may_read,
        may_write,
        world_reads,
        world_writes,
        may_not_return,
    } = mod_ref.function(regions, function);
    let mut text = String::new();
    let mut line = |verb: &str, list: &[RegionId], world: Vec<World>| {
        let names = list.iter().map(|region| regions.label(program, *region));
        let world = world
            .iter()
            .map(|part| format!("world:{}", world_name(*part)));
        let names: Vec<String> = names.chain(world).collect();
        if !names.is_empty() {
            let _ = writeln!(text, "{verb} {}", names.join(", "));
        }
    };
    line("reads", &may_read, world_reads.iter().collect());
    line("writes", &may_write, world_writes.iter().collect());
    if may_not_return {
        text.push_str("may not return\n");
    }
    text
}

pub(crate) fn world_name(part: World) -> &'static str {
    match part {
        World::Output => "output",
        World::Input => "input",
        World::Files => "files",
        World::Errno => "errno",
        World::Environment => "environment",
        World::Clock => "clock",
        World::Random => "random",
        World::Settings => "settings",
        World::Processes => "processes",
    }
}
