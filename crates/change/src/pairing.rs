//! The pairing of two versions, from the tables to the nodes.
//!
//! **Question.** What of the old version is what of the new, and what are the sources?
//!
//! **Rules.** DESIGN §5. Functions and globals pair first ([`crate::function_pairing`],
//! [`crate::global_pairing`]); contents of types and constants then mean the same in both versions
//! ([`crate::contents`]). Bodies with equal content are equal node for node; of the others the
//! nodes are matched ([`crate::alignment`]) and the matched ones compared ([`crate::agreement`]).
//! What is decided outside of every function makes whole functions sources: what runs unasked
//! ([`crate::entries`]), what a symbol stands for ([`crate::indirect_functions`]), and how code is to
//! be understood ([`crate::meaning`]). So does what calls of the library enter by name
//! ([`crate::replacements`]).
//!
//! **Cost.** A few passes over both programs; the graphs and the memory of a function are looked at
//! only where its body differs.

use crate::agreement::{BodyPair, sources};
use crate::alignment::align;
use crate::edits::{Edits, UneditedLines};
use crate::entries::mark_entries;
use crate::function_pairing::{Paired, pair_functions};
use crate::global_pairing::global_changes;
use crate::indirect_functions::mark_indirect_functions;
use crate::meaning::mark_meanings;
use crate::parameters::pair_parameters;
use crate::replacements::mark_replacements;
use crate::started_programs::mark_started_programs;
use crate::version_view::VersionView;
use crate::{Change, FunctionPair, NodeMap, PairId, PairStatus, Side, Sides, Version};
use fixedbitset::FixedBitSet;
use knockon_program::{
    Body, Constant, FunctionId, InstructionId, Operand, PlaceId, Program, TimeLimit,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Both programs are promoted.
pub fn pair(versions: Sides<Version<'_>>, edits: &Edits) -> Change {
    pair_within(versions, edits, TimeLimit::NONE)
}

/// As [`pair`], as far as there is time. Of functions that differ and were not compared, nothing is
/// known to be the same: [`Change::is_cut`].
pub fn pair_within(versions: Sides<Version<'_>>, edits: &Edits, limit: TimeLimit<'_>) -> Change {
    let programs = Sides {
        old: versions.old.program,
        new: versions.new.program,
    };
    let unedited = Sides {
        old: UneditedLines::new(programs.old, edits, Side::Old),
        new: UneditedLines::new(programs.new, edits, Side::New),
    };
    let Paired {
        functions,
        globals,
        contents,
    } = pair_functions(programs, &unedited);
    let view = |side: Side| VersionView {
        program: programs.of(side),
        contents: contents.of(side),
        unedited: unedited.of(side),
    };
    let views = Sides {
        old: view(Side::Old),
        new: view(Side::New),
    };
    let mut change = Change {
        pair_of: Sides {
            old: vec![None; programs.old.functions.len()],
            new: vec![None; programs.new.functions.len()],
        },
        globals: global_changes(programs, &globals, &contents),
        paired_globals: globals.pairs().collect(),
        moved_positions: moved_positions(programs, &unedited),
        ..Change::default()
    };
    for (old, new) in functions {
        let id = PairId(change.pairs.len() as u32);
        let functions = Sides { old, new };
        let Some(pair) = function_pair(&versions, &views, functions, limit) else {
            continue;
        };
        let PairWithin { pair, is_cut } = pair;
        change.is_cut |= is_cut;
        change.pairs.push(pair);
        change.pair_of.old[old.index()] = Some(id);
        change.pair_of.new[new.index()] = Some(id);
    }
    mark_entries(programs, &mut change);
    mark_meanings(programs, &mut change);
    mark_indirect_functions(programs, &mut change);
    mark_replacements(versions, &mut change);
    mark_started_programs(versions, &mut change);
    change
}

/// See [`Change::moved_positions`].
fn moved_positions(
    programs: Sides<&Program>,
    unedited: &Sides<UneditedLines<'_>>,
) -> Sides<FxHashMap<(PlaceId, u128), u32>> {
    let mut moved: Sides<FxHashMap<(PlaceId, u128), u32>> = Sides::default();
    let mut numbers: FxHashSet<(&str, u32)> = FxHashSet::default();
    for (id, number) in passed_numbers(programs.old) {
        let place = programs.old.place(id);
        if let Some(line) = unedited.old.position(place, number)
            && u128::from(line) != number
        {
            moved.old.insert((id, number), line);
            numbers.insert((programs.old.file_path(place.file), line));
        }
    }
    for (id, number) in passed_numbers(programs.new) {
        let place = programs.new.place(id);
        if let Some(line) = unedited.new.position(place, number)
            && numbers.contains(&(programs.new.file_path(place.file), line))
        {
            moved.new.insert((id, number), line);
        }
    }
    moved
}

/// The numbers that calls pass, with the places of the calls.
fn passed_numbers(program: &Program) -> impl Iterator<Item = (PlaceId, u128)> + '_ {
    let bodies = program.defined_functions().map(|(_, _, body)| body);
    let calls = bodies.flat_map(|body| {
        let ids = body.instruction_ids();
        let calls = ids.filter(|id| body.instruction(*id).opcode.is_call());
        calls.map(move |id| (body, id))
    });
    calls.flat_map(move |(body, id)| {
        let place = body.instruction(id).place;
        let arguments = body.arguments(id).iter();
        arguments.filter_map(move |argument| match argument {
            Operand::Constant(constant) => match program.constant(*constant) {
                Constant::Integer { bits, .. } => Some((place, *bits)),
                _ => None,
            },
            _ => None,
        })
    })
}

struct PairWithin {
    pair: FunctionPair,
    /// There was no time to compare its nodes.
    is_cut: bool,
}

/// `None` when one of them has no body.
fn function_pair(
    versions: &Sides<Version<'_>>,
    views: &Sides<VersionView<'_>>,
    functions: Sides<FunctionId>,
    limit: TimeLimit<'_>,
) -> Option<PairWithin> {
    let old = views.old.program.function(functions.old);
    let new = views.new.program.function(functions.new);
    let bodies = Sides {
        old: old.body.as_deref()?,
        new: new.body.as_deref()?,
    };
    let parameters = pair_parameters(views, &Sides { old, new });
    let same_interface = views.old.interface(old) == views.new.interface(new);
    let same = views.old.body(old, bodies.old) == views.new.body(new, bodies.new);
    let is_cut = !same && limit.is_over();
    let nodes = match (same, is_cut) {
        (true, _) => NodeMap::Identity,
        (false, false) => compared_nodes(versions, views, functions, bodies, &parameters),
        (false, true) => unpaired_nodes(bodies),
    };
    let mut pair = FunctionPair {
        functions,
        status: PairStatus::Same,
        nodes,
        parameters,
        same_interface,
    };
    let name = |side: Side| views.of(side).program.function_name(*functions.of(side));
    let file = |side: Side| defining_file(views.of(side).program, *functions.of(side));
    pair.status = if name(Side::Old) != name(Side::New) {
        PairStatus::Renamed
    } else if file(Side::Old) != file(Side::New) {
        PairStatus::Moved
    } else if pair.is_without_source() && same_interface {
        PairStatus::Same
    } else {
        PairStatus::Changed
    };
    Some(PairWithin { pair, is_cut })
}

/// No node has a partner, and all are sources.
fn unpaired_nodes(bodies: Sides<&Body>) -> NodeMap {
    let counts = Sides {
        old: bodies.old.instructions.len(),
        new: bodies.new.instructions.len(),
    };
    let all = |count: usize| {
        let mut nodes = FixedBitSet::with_capacity(count);
        nodes.insert_range(..);
        nodes
    };
    NodeMap::Partial {
        new_of_old: vec![None; counts.old],
        old_of_new: vec![None; counts.new],
        sources: Sides {
            old: all(counts.old),
            new: all(counts.new),
        },
        reordered: Sides {
            old: FixedBitSet::with_capacity(counts.old),
            new: FixedBitSet::with_capacity(counts.new),
        },
        arguments: Vec::new(),
    }
}

/// The nodes of two bodies that need not be equal.
fn compared_nodes(
    versions: &Sides<Version<'_>>,
    views: &Sides<VersionView<'_>>,
    functions: Sides<FunctionId>,
    bodies: Sides<&Body>,
    parameters: &[Option<u32>],
) -> NodeMap {
    let matching = align(views, &bodies, parameters);
    let (found, arguments) = sources(&BodyPair {
        views,
        memory: Sides {
            old: versions.old.memory,
            new: versions.new.memory,
        },
        functions,
        bodies,
        parameters,
        matching: &matching,
    });
    let mut map = matching.new_of_old.iter().enumerate();
    let is_clear = |sets: &Sides<FixedBitSet>| sets.old.is_clear() && sets.new.is_clear();
    let is_identity = matching.new_of_old.len() == matching.old_of_new.len()
        && is_clear(&found.nodes)
        && is_clear(&found.reordered)
        && map.all(|(at, new)| *new == Some(InstructionId::from_index(at)));
    match is_identity {
        true => NodeMap::Identity,
        false => NodeMap::Partial {
            new_of_old: matching.new_of_old,
            old_of_new: matching.old_of_new,
            sources: found.nodes,
            reordered: found.reordered,
            arguments,
        },
    }
}

/// The file that the function stands in, or its unit's.
pub(crate) fn defining_file(program: &Program, function: FunctionId) -> &str {
    let function = program.function(function);
    let place = program.place(function.place);
    match place.is_known() {
        true => program.file_path(place.file),
        false => program.name(program.units[function.unit.index()].source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knockon_memory::memory_model::memory_model;
    use std::path::Path;
    use std::process::Command;

    /// Held to what is done for bodies that differ, every body agrees with itself, node for node.
    #[test]
    fn a_program_is_the_same_as_itself() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../interpreter/tests/fixtures");
        let entries = std::fs::read_dir(fixtures).expect("the fixtures are there");
        let mut compared = 0;
        for entry in entries {
            let path = entry.expect("a readable entry").path();
            if path.extension().is_none_or(|extension| extension != "c") {
                continue;
            }
            let output = Command::new("clang-19")
                .args(["-w", "-S", "-emit-llvm", "-g", "-O1", "-Xclang"])
                .args(["-disable-llvm-passes", "-o", "-"])
                .arg(&path)
                .output()
                .expect("clang-19 is installed");
            let read = knockon_llvm::read_unit(&output.stdout, "test.c");
            let mut program = read.expect("the IR is read");
            knockon_graphs::promote(&mut program);
            compared += compare_with_itself(&program, &path);
        }
        assert!(compared > 100);
    }

    fn compare_with_itself(program: &Program, path: &Path) -> usize {
        let memory = memory_model(program, TimeLimit::NONE).expect("there is no limit");
        let version = Version {
            program,
            memory: &memory,
        };
        let versions = Sides {
            old: version,
            new: version,
        };
        assert!(pair(versions, &Edits::default()).is_empty(versions));
        let programs = Sides {
            old: program,
            new: program,
        };
        let mut compared = 0;
        for others_are_unedited in [false, true] {
            let edits = Edits {
                others_are_unedited,
                ..Edits::default()
            };
            let unedited = Sides {
                old: UneditedLines::new(program, &edits, Side::Old),
                new: UneditedLines::new(program, &edits, Side::New),
            };
            let paired = pair_functions(programs, &unedited);
            let view = |side: Side| VersionView {
                program,
                contents: paired.contents.of(side),
                unedited: unedited.of(side),
            };
            let views = Sides {
                old: view(Side::Old),
                new: view(Side::New),
            };
            for (id, function, body) in program.defined_functions() {
                let functions = Sides { old: id, new: id };
                let bodies = Sides {
                    old: body,
                    new: body,
                };
                let parameters: Vec<_> = (0..function.parameters.len() as u32).map(Some).collect();
                let nodes = compared_nodes(&versions, &views, functions, bodies, &parameters);
                let name = program.function_name(id);
                assert_eq!(nodes, NodeMap::Identity, "{name} in {}", path.display());
                compared += 1;
            }
        }
        compared
    }
}
