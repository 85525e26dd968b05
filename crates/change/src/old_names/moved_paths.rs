//! Which literals are `__FILE__` in a file that moved?

use super::{Renaming, bytes_of, is_without, set_text};
use crate::edits::{Edits, UneditedLines};
use crate::pairing::defining_file;
use crate::text_diff::text_hunks;
use crate::{Side, Sides};
use knockon_program::{
    Body, Constant, FunctionId, GlobalId, Instruction, Linkage, Operand, Program,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Files of one version only that functions were moved between; a file goes with the one that most
/// of its functions went to.
pub(super) fn moved_files(
    programs: Sides<&Program>,
    pairs: &[(FunctionId, FunctionId)],
    texts: &Sides<BTreeMap<String, String>>,
) -> Vec<Renaming> {
    let mut counts: BTreeMap<Renaming, usize> = BTreeMap::new();
    for (old, new) in pairs {
        let (old, new) = (
            defining_file(programs.old, *old),
            defining_file(programs.new, *new),
        );
        let is_move = old != new
            && !is_without(&texts.old, old)
            && is_without(&texts.new, old)
            && !is_without(&texts.new, new)
            && is_without(&texts.old, new);
        if is_move {
            let renaming = Renaming {
                old: old.to_owned(),
                new: new.to_owned(),
            };
            *counts.entry(renaming).or_default() += 1;
        }
    }
    let mut rows: Vec<(Renaming, usize)> = counts.into_iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut found: Vec<Renaming> = Vec::new();
    for (row, _) in rows {
        if !found
            .iter()
            .any(|known| known.old == row.old || known.new == row.new)
        {
            found.push(row);
        }
    }
    found
}

/// Where an instruction names a literal: function, position among the body's operands, literal.
pub(super) type Use = (FunctionId, usize, GlobalId);

/// For each moved file the uses of its path on lines that were not edited.
pub(super) fn moved_paths(
    programs: Sides<&Program>,
    files: &[Renaming],
    texts: &Sides<BTreeMap<String, String>>,
) -> Vec<(Renaming, Vec<Use>)> {
    let mut found = Vec::new();
    for renaming in files {
        let is_spelled = |texts: &BTreeMap<String, String>, path: &str| {
            let quoted = format!("\"{path}\"");
            texts.values().any(|text| text.contains(&quoted))
        };
        if is_spelled(&texts.old, &renaming.old) || is_spelled(&texts.new, &renaming.new) {
            continue;
        }
        let hunks = text_hunks(&texts.old[&renaming.old], &texts.new[&renaming.new]);
        let edits = Edits {
            files: [&renaming.old, &renaming.new]
                .map(|path| (path.clone(), hunks.clone()))
                .into(),
            ..Edits::default()
        };
        let uses = |side: Side, path: &str| -> Vec<(u32, Use)> {
            let program = *programs.of(side);
            let unedited = UneditedLines::new(program, &edits, side);
            let mut uses = Vec::new();
            for (function, _, body) in program.defined_functions() {
                for row in &body.instructions {
                    let place = program.place(row.place);
                    if !place.is_known() || program.file_path(place.file) != path {
                        continue;
                    }
                    let Some(line) = unedited.new_line(place) else {
                        continue;
                    };
                    let literals = literals(program, body, row, path);
                    uses.extend(literals.map(|(at, id)| (line, (function, at, id))));
                }
            }
            uses
        };
        let old = uses(Side::Old, &renaming.old);
        let lines: FxHashSet<u32> = old.into_iter().map(|(line, _)| line).collect();
        let new = uses(Side::New, &renaming.new).into_iter();
        let new: Vec<Use> = new
            .filter(|(line, _)| lines.contains(line))
            .map(|(_, used)| used)
            .collect();
        if !new.is_empty() {
            found.push((renaming.clone(), new));
        }
    }
    found
}

/// The operands of an instruction that are a literal with this text, by position in the body.
fn literals<'a>(
    program: &'a Program,
    body: &'a Body,
    row: &'a Instruction,
    text: &'a str,
) -> impl Iterator<Item = (usize, GlobalId)> + 'a {
    let first = row.first_operand as usize;
    let operands = body.operands[first..first + row.operand_count as usize].iter();
    operands.enumerate().filter_map(move |(at, operand)| {
        let Operand::Constant(constant) = operand else {
            return None;
        };
        let Constant::Global(id) = *program.constant(*constant) else {
            return None;
        };
        let global = &program.globals[id.index()];
        let bytes = bytes_of(program, global)?.strip_suffix(&[0])?;
        let is_literal = global.linkage == Linkage::Private && global.is_constant;
        (is_literal && bytes == text.as_bytes()).then_some((first + at, id))
    })
}

/// The uses get a literal with the old path.
pub(super) fn put_path(program: &mut Program, renaming: &Renaming, uses: Vec<Use>) {
    let mut bytes = renaming.old.clone().into_bytes();
    bytes.push(0);
    let mut literals: FxHashMap<GlobalId, GlobalId> = FxHashMap::default();
    for (function, at, literal) in uses {
        let put = *literals.entry(literal).or_insert_with(|| {
            let id = GlobalId::from_index(program.globals.len());
            program
                .globals
                .push(program.globals[literal.index()].clone());
            set_text(program, id, &bytes);
            id
        });
        let constant = program.constants.intern(Constant::Global(put));
        if let Some(body) = &mut program.functions[function.index()].body {
            body.operands[at] = Operand::Constant(constant);
        }
    }
}
