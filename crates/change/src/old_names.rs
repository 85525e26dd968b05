//! Texts that only say where they stand: the name of their function, the path of their file.
//!
//! **Question.** Which texts of the new version differ from the old ones only because a function or
//! a file is called otherwise now?
//!
//! **Rules.**
//! - `__func__` and its kin are arrays that the compiler makes, one for each function that names
//!   them. Where those of two paired functions differ, the new array gets the old text.
//! - `__FILE__` is a literal like any other. On a line that was not edited, in a file that moved, a
//!   literal that is the file's new path becomes its old path, if that line of the old text has a
//!   literal which is the old path. A file moved if one version only has each of the two names and
//!   functions are paired across them.
//! - A static variable of a function carries the function's name before its own. It is renamed with
//!   its function; nobody can see that.
//!
//! What somebody wrote by hand is compared as it is: a name that an edited line of the old version
//! spells out (`puts("f")` may have become `puts(__func__)`), a path that any edited file spells out.
//!
//! **Soundness.** The new program is changed before anything looks at it, so pairing, proofs, walks
//! and runs all read one program, and every claim is about that one. It rests on one assumption,
//! that nobody depends on these texts; [`OldNames`] says for which ones. Sizes that the compiler
//! computed (`sizeof __func__`) are numbers in the code and compared as they are.
//!
//! **Cost.** A look at the global variables where no function and no file is called otherwise; else
//! one pairing of functions.

mod moved_paths;

use crate::content_hash::{ContentHash, Mixer};
use crate::edits::{Edits, UneditedLines};
use crate::function_pairing::pairs_beside_names;
use crate::{Side, Sides};
use knockon_program::{
    Constant, FunctionId, GlobalId, GlobalVariable, Linkage, Name, Program, Type, UnitId,
};
use moved_paths::{moved_files, moved_paths, put_path};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// What the compiler calls the array that holds a function's name, before the function's name.
const OWN_NAMES: [&str; 3] = ["__func__.", "__FUNCTION__.", "__PRETTY_FUNCTION__."];

/// What is called otherwise in the new version; equal names for a function whose declaration
/// changed, which `__PRETTY_FUNCTION__` shows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Renaming {
    pub old: String,
    pub new: String,
}

/// Functions and files whose names, as texts of the program, are taken for the old ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OldNames {
    pub functions: BTreeSet<Renaming>,
    pub files: BTreeSet<Renaming>,
}

impl OldNames {
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.files.is_empty()
    }

    pub fn extend(&mut self, other: OldNames) {
        self.functions.extend(other.functions);
        self.files.extend(other.files);
    }
}

/// An array that holds the name of a function.
fn is_own_name(program: &Program, global: &GlobalVariable) -> bool {
    let name = program.name(global.name);
    global.linkage == Linkage::Private
        && global.is_constant
        && OWN_NAMES.iter().any(|kind| name.starts_with(kind))
}

/// What the variable is while functions that are called otherwise are sought: whose name an array
/// holds, and in whose function a variable stands, does not count.
pub(crate) fn beside_its_function(
    program: &Program,
    global: &GlobalVariable,
) -> Option<ContentHash> {
    let name = program.name(global.name);
    if is_own_name(program, global) {
        let kind = name.split('.').next().unwrap_or_default();
        return Some(Mixer::new("own name").text(kind).finish());
    }
    let (_, own) = name.split_once('.')?;
    let mixer = Mixer::new("variable of a function").text(own);
    is_variable_of_function(program, global).then(|| mixer.finish())
}

/// Puts the old names into the new version. `texts` holds both texts of each file that differs,
/// empty where a version has none.
pub fn put_old_names(
    old: &Program,
    new: &mut Program,
    edits: &Edits,
    texts: &Sides<BTreeMap<String, String>>,
) -> OldNames {
    let programs = Sides { old, new: &*new };
    if !may_name_otherwise(programs, texts) {
        return OldNames::default();
    }
    let unedited = Sides {
        old: UneditedLines::new(programs.old, edits, Side::Old),
        new: UneditedLines::new(programs.new, edits, Side::New),
    };
    let pairs = pairs_beside_names(programs, &unedited);
    let is_by_hand = |name: &str| spells(edits, &texts.old, name);
    let functions = renamed_functions(programs, &pairs, is_by_hand);
    let files = moved_files(programs, &pairs, texts);
    let paths = moved_paths(programs, &files, texts);
    let mut found = OldNames::default();
    for row in functions {
        for (variable, name) in row.variables {
            new.globals[variable.index()].name = new.names.intern(&name);
        }
        for (array, bytes) in row.arrays {
            set_text(new, array, &bytes);
            found.functions.insert(row.renaming.clone());
        }
    }
    for (renaming, uses) in paths {
        put_path(new, &renaming, uses);
        found.files.insert(renaming);
    }
    found
}

/// Something that only one version has may be what only the other one has.
fn may_name_otherwise(programs: Sides<&Program>, texts: &Sides<BTreeMap<String, String>>) -> bool {
    let names = |side: Side| -> FxHashSet<(&str, &str, Option<&[u8]>)> {
        let program = *programs.of(side);
        let rows = program.globals.iter().filter(|global| {
            is_own_name(program, global) || is_variable_of_function(program, global)
        });
        rows.map(|global| {
            let unit = program.name(program.units[global.unit.index()].source);
            let text = match is_own_name(program, global) {
                true => bytes_of(program, global),
                false => None,
            };
            (unit, program.name(global.name), text)
        })
        .collect()
    };
    let (old, new) = (names(Side::Old), names(Side::New));
    let has_only = |side: Side| {
        let mut rows = texts.of(side).iter();
        rows.any(|(path, text)| !text.is_empty() && is_without(texts.of(side.other()), path))
    };
    !old.is_subset(&new) && !new.is_subset(&old) || has_only(Side::Old) && has_only(Side::New)
}

/// A static variable that stands in a function: `NAME_OF_FUNCTION.NAME`.
fn is_variable_of_function(program: &Program, global: &GlobalVariable) -> bool {
    global.linkage == Linkage::Internal && program.name(global.name).contains('.')
}

fn bytes_of<'a>(program: &'a Program, global: &GlobalVariable) -> Option<&'a [u8]> {
    match program.constant(global.initialiser?) {
        Constant::Bytes { bytes, .. } => Some(bytes),
        _ => None,
    }
}

/// The version has no such file.
fn is_without(texts: &BTreeMap<String, String>, path: &str) -> bool {
    texts.get(path).is_none_or(String::is_empty)
}

/// An edited line of this version has the text in quotes.
fn spells(edits: &Edits, old_texts: &BTreeMap<String, String>, text: &str) -> bool {
    let quoted = format!("\"{text}\"");
    edits.files.iter().any(|(path, hunks)| {
        let lines = old_texts.get(path).map(|text| text.lines());
        let lines: Vec<&str> = lines.into_iter().flatten().collect();
        let edited = |line: u32| lines.get(line as usize - 1).copied().unwrap_or_default();
        let mut numbers = hunks.iter().flat_map(|hunk| hunk.old.clone());
        numbers.any(|line| edited(line).contains(&quoted))
    })
}

/// A pair of functions of which the new one is called or declared otherwise.
struct RenamedFunction {
    renaming: Renaming,
    /// Arrays of the new version, and the texts that they hold in the old one.
    arrays: Vec<(GlobalId, Box<[u8]>)>,
    /// Variables of the new version, and their names in the old one.
    variables: Vec<(GlobalId, String)>,
}

fn renamed_functions(
    programs: Sides<&Program>,
    pairs: &[(FunctionId, FunctionId)],
    is_by_hand: impl Fn(&str) -> bool,
) -> Vec<RenamedFunction> {
    let globals = Sides {
        old: local_globals(programs.old),
        new: local_globals(programs.new),
    };
    let mut found = Vec::new();
    for (old, new) in pairs {
        let name = |side: Side, id: FunctionId| programs.of(side).function_name(id);
        let (before, after) = (name(Side::Old, *old), name(Side::New, *new));
        let unit = |side: Side, id: FunctionId| programs.of(side).function(id).unit;
        let (old_unit, new_unit) = (unit(Side::Old, *old), unit(Side::New, *new));
        let global = |side: Side, unit: UnitId, name: &str| {
            let names = &programs.of(side).names;
            globals.of(side).get(&(unit, names.find(name)?)).copied()
        };
        let mut arrays = Vec::new();
        for kind in OWN_NAMES {
            let here = global(Side::Old, old_unit, &format!("{kind}{before}"));
            let there = global(Side::New, new_unit, &format!("{kind}{after}"));
            let text = |side: Side, id: Option<GlobalId>| {
                let program = *programs.of(side);
                let global = &program.globals[id?.index()];
                bytes_of(program, global).filter(|_| is_own_name(program, global))
            };
            if let (Some(old_text), Some(new_text), Some(array)) =
                (text(Side::Old, here), text(Side::New, there), there)
                && old_text != new_text
                && !is_by_hand(before)
            {
                arrays.push((array, Box::from(old_text)));
            }
        }
        let mut variables = Vec::new();
        if before != after {
            let prefix = format!("{before}.");
            for ((unit, name), id) in &globals.old {
                let row = &programs.old.globals[id.index()];
                if *unit != old_unit || !is_variable_of_function(programs.old, row) {
                    continue;
                }
                let old_name = programs.old.name(*name);
                let Some(rest) = old_name.strip_prefix(&prefix) else {
                    continue;
                };
                let new_name = format!("{after}.{rest}");
                if let Some(renamed) = global(Side::New, new_unit, &new_name)
                    && global(Side::New, new_unit, old_name).is_none()
                    && global(Side::Old, old_unit, &new_name).is_none()
                {
                    variables.push((renamed, old_name.to_owned()));
                }
            }
            variables.sort();
        }
        found.push(RenamedFunction {
            renaming: Renaming {
                old: shown(programs.old, *old),
                new: shown(programs.new, *new),
            },
            arrays,
            variables,
        });
    }
    found
}

/// The function's name in the source.
fn shown(program: &Program, id: FunctionId) -> String {
    match program.name(program.function(id).source_name) {
        "" => program.function_name(id).to_owned(),
        name => name.to_owned(),
    }
}

/// Variables that only their unit sees, by unit and name.
fn local_globals(program: &Program) -> FxHashMap<(UnitId, Name), GlobalId> {
    let rows = program.globals.iter().enumerate();
    rows.filter(|(_, global)| global.linkage.is_local())
        .map(|(at, global)| ((global.unit, global.name), GlobalId::from_index(at)))
        .collect()
}

fn set_text(program: &mut Program, array: GlobalId, bytes: &[u8]) {
    let row = &program.globals[array.index()];
    let Type::Array { element, .. } = *program.type_of(row.value_type) else {
        return;
    };
    let type_id = program.types.intern(Type::Array {
        element,
        count: bytes.len() as u64,
    });
    let initialiser = program.constants.intern(Constant::Bytes {
        type_id,
        bytes: Box::from(bytes),
    });
    let row = &mut program.globals[array.index()];
    row.value_type = type_id;
    row.initialiser = Some(initialiser);
}
