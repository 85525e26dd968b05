//! The pairing of two versions, from the tables to the nodes.
//!
//! **Question.** What of the old version is what of the new, and what are the sources?
//!
//! **Rules.** DESIGN §5. Functions and globals pair first ([`crate::function_pairing`],
//! [`crate::global_pairing`]); contents of types and constants then mean the same in both versions
//! ([`crate::contents`]). Bodies with equal content are equal node for node; of the others the
//! nodes are matched ([`crate::alignment`]) and the matched ones compared ([`crate::agreement`]).
//!
//! **Cost.** A few passes over both programs; the graphs and the memory of a function are looked at
//! only where its body differs.

use crate::agreement::{BodyPair, sources};
use crate::alignment::align;
use crate::edits::{Edits, UneditedLines};
use crate::function_pairing::{Paired, pair_functions};
use crate::global_pairing::global_changes;
use crate::parameters::pair_parameters;
use crate::version_view::VersionView;
use crate::{
    Change, FunctionPair, GlobalChange, NodeMap, PairId, PairStatus, Side, Sides, Version,
};
use knockon_program::{
    Alias, Body, Constant, ConstantId, FunctionId, GlobalId, InstructionId, Operand, PlaceId,
    Program,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Both programs are promoted.
pub fn pair(versions: Sides<Version<'_>>, edits: &Edits) -> Change {
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
        moved_positions: moved_positions(programs, &unedited),
        ..Change::default()
    };
    for (old, new) in functions {
        let id = PairId(change.pairs.len() as u32);
        let functions = Sides { old, new };
        let Some(pair) = function_pair(&versions, &views, functions) else {
            continue;
        };
        change.pairs.push(pair);
        change.pair_of.old[old.index()] = Some(id);
        change.pair_of.new[new.index()] = Some(id);
    }
    mark_entries(programs, &mut change);
    mark_indirect_functions(programs, &mut change);
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

/// `None` when one of them has no body.
fn function_pair(
    versions: &Sides<Version<'_>>,
    views: &Sides<VersionView<'_>>,
    functions: Sides<FunctionId>,
) -> Option<FunctionPair> {
    let old = views.old.program.function(functions.old);
    let new = views.new.program.function(functions.new);
    let bodies = Sides {
        old: old.body.as_deref()?,
        new: new.body.as_deref()?,
    };
    let parameters = pair_parameters(views, &Sides { old, new });
    let same_interface = views.old.interface(old) == views.new.interface(new);
    let same = views.old.body(old, bodies.old) == views.new.body(new, bodies.new);
    let nodes = match same {
        true => NodeMap::Identity,
        false => compared_nodes(versions, views, functions, bodies, &parameters),
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
    Some(pair)
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
    let is_clear =
        |sets: &Sides<fixedbitset::FixedBitSet>| sets.old.is_clear() && sets.new.is_clear();
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

/// The functions that run before `main` or after it in one version only, or in another order, and
/// those that assembly names whose text is another one, which may call them more or less often. All
/// their nodes become sources.
fn mark_entries(programs: Sides<&Program>, change: &mut Change) {
    let mut found: Sides<Vec<FunctionId>> = Sides::default();
    let lists = |program: &Program| [program.constructors.clone(), program.destructors.clone()];
    for (old, new) in lists(programs.old).iter().zip(&lists(programs.new)) {
        let here = old.iter().map(|entry| {
            let partner = change.partner(Side::Old, entry.function);
            (entry.priority, partner)
        });
        let there = new
            .iter()
            .map(|entry| (entry.priority, Some(entry.function)));
        if !here.eq(there) {
            found.old.extend(old.iter().map(|entry| entry.function));
            found.new.extend(new.iter().map(|entry| entry.function));
        }
    }
    for side in Side::BOTH {
        let program = *programs.of(side);
        for row in &change.globals {
            if let Some(id) = row.of(side)
                && program.is_module_assembly(id)
            {
                found.of_mut(side).extend(named_functions(program, id));
            }
        }
        for function in found.of(side) {
            make_source(programs, change, side, *function);
        }
        let list = found.of_mut(side);
        list.sort_unstable();
        list.dedup();
    }
    change.entries = found;
}

/// The functions with a body whose addresses a variable holds.
fn named_functions(program: &Program, global: GlobalId) -> Vec<FunctionId> {
    let initialiser = program.globals[global.index()].initialiser;
    let Some(Constant::Aggregate { elements, .. }) = initialiser.map(|id| program.constant(id))
    else {
        return Vec::new();
    };
    let named = elements
        .iter()
        .filter_map(|id| program.called_function(*id));
    named
        .filter(|id| program.function(*id).body.is_some())
        .collect()
}

fn make_source(programs: Sides<&Program>, change: &mut Change, side: Side, function: FunctionId) {
    if let Some(id) = change.pair_of.of(side)[function.index()] {
        let pair = &mut change.pairs[id.0 as usize];
        pair.nodes = all_sources(programs, pair);
        if pair.status == PairStatus::Same {
            pair.status = PairStatus::Changed;
        }
    }
}

/// Which function an `ifunc` is, its resolver says when the program is loaded. Where anything that the
/// resolver may lead to changed, or an initial value, whoever names the symbol is a source: all of
/// its nodes, since the choice is made outside of every function.
fn mark_indirect_functions(programs: Sides<&Program>, change: &mut Change) {
    let mut found: Vec<(Side, FunctionId)> = Vec::new();
    for side in Side::BOTH {
        let program = *programs.of(side);
        let is_changed = |alias: &Alias| {
            let resolver = program.called_function(alias.aliasee);
            resolver.is_none_or(|resolver| leads_to_change(program, change, side, resolver))
        };
        let aliases = program.aliases.iter().enumerate();
        let changed: FxHashSet<usize> = aliases
            .filter(|(_, alias)| alias.is_ifunc && is_changed(alias))
            .map(|(at, _)| at)
            .collect();
        if changed.is_empty() {
            continue;
        }
        for (id, _, body) in program.defined_functions() {
            let names = |operand: &Operand| match operand {
                Operand::Constant(constant) => names_alias(program, *constant, &changed),
                _ => false,
            };
            if body.operands.iter().any(names) {
                found.push((side, id));
            }
        }
        for (at, global) in program.globals.iter().enumerate() {
            let own = GlobalId::from_index(at);
            let names = |id: ConstantId| names_alias(program, id, &changed);
            let is_known = change.globals.iter().any(|row| row.of(side) == Some(own));
            if side == Side::New && !is_known && global.initialiser.is_some_and(names) {
                let mut there = programs.old.globals.iter();
                let name = program.name(global.name);
                let old = there.position(|row| programs.old.name(row.name) == name);
                change.globals.push(GlobalChange {
                    old: old.map(GlobalId::from_index),
                    new: Some(own),
                });
            }
        }
    }
    for (side, function) in found {
        make_source(programs, change, side, function);
    }
}

/// Something that a function calls, or calls itself through a pointer, or an initial value may be
/// another one.
fn leads_to_change(program: &Program, change: &Change, side: Side, function: FunctionId) -> bool {
    if !change.globals.is_empty() {
        return true;
    }
    let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
    let mut work = vec![function];
    while let Some(function) = work.pop() {
        let Some(body) = &program.function(function).body else {
            continue;
        };
        if !seen.insert(function) {
            continue;
        }
        let is_same = |pair: &FunctionPair| pair.is_without_source() && pair.same_interface;
        if !change.pair(side, function).is_some_and(is_same) {
            return true;
        }
        for id in body.instruction_ids() {
            match body.callee(id) {
                None => {}
                Some(Operand::Constant(constant)) => {
                    work.extend(program.called_function(constant));
                }
                // It may call whatever is there.
                Some(_) => return !change.pairs.iter().all(is_same),
            }
        }
    }
    false
}

fn names_alias(program: &Program, constant: ConstantId, aliases: &FxHashSet<usize>) -> bool {
    match program.constant(constant) {
        Constant::Alias(alias) => {
            let is_named = aliases.contains(&alias.index());
            is_named || names_alias(program, program.aliases[alias.index()].aliasee, aliases)
        }
        Constant::Aggregate { elements, .. } => {
            let mut elements = elements.iter();
            elements.any(|element| names_alias(program, *element, aliases))
        }
        Constant::Expression(expression) => {
            let mut operands = expression.operands.iter();
            operands.any(|operand| names_alias(program, *operand, aliases))
        }
        _ => false,
    }
}

/// The same map, all of whose nodes are sources.
fn all_sources(programs: Sides<&Program>, pair: &FunctionPair) -> NodeMap {
    let nodes = |side: Side| {
        let function = programs.of(side).function(*pair.functions.of(side));
        let count = function
            .body
            .as_ref()
            .map_or(0, |body| body.instructions.len());
        (0..count).map(InstructionId::from_index)
    };
    let partners = |side: Side| {
        nodes(side)
            .map(|id| pair.partner_of_node(side, id))
            .collect()
    };
    let all = |side: Side| nodes(side).map(InstructionId::index).collect();
    NodeMap::Partial {
        new_of_old: partners(Side::Old),
        old_of_new: partners(Side::New),
        sources: Sides {
            old: all(Side::Old),
            new: all(Side::New),
        },
        reordered: Sides::default(),
        arguments: Vec::new(),
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
            let read = knockon_frontend::llvm::read_unit(&output.stdout, "test.c");
            let mut program = read.expect("the IR is read");
            knockon_graphs::promote(&mut program);
            compared += compare_with_itself(&program, &path);
        }
        assert!(compared > 100);
    }

    fn compare_with_itself(program: &Program, path: &Path) -> usize {
        let memory = memory_model(program);
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
