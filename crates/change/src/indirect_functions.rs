//! Symbols whose function is chosen when the program is loaded (`ifunc`).
//!
//! **Question.** Who may call another function than before because a resolver chooses otherwise?
//!
//! **Rule.** Which function an `ifunc` is, its resolver says when the program is loaded. Where
//! anything that the resolver may lead to changed, or an initial value, whoever names the symbol is
//! a source: all of its nodes, since the choice is made outside of every function.
//!
//! **Cost.** Nothing without an `ifunc`; else a walk over the calls below the resolvers, and one
//! over all operands where one of them changed.

use crate::entries::make_all_sources;
use crate::{Change, FunctionPair, GlobalChange, Side, Sides};
use knockon_program::{Alias, Constant, ConstantId, FunctionId, GlobalId, Operand, Program};
use rustc_hash::FxHashSet;

pub(crate) fn mark_indirect_functions(programs: Sides<&Program>, change: &mut Change) {
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
        make_all_sources(programs, change, side, function);
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
