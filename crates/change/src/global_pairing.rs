//! Which global variable of the old version is which of the new, and which of them differ?
//!
//! **Rules.** By name; variables that only their unit sees by name and unit, then by name alone
//! when only one on each side has it. Private constant data is compared by content wherever it is
//! named, and has no pair. Two variables of a pair are the same when type, initialiser, constness,
//! thread-localness, and whether another definition may take their place are; an array of zeros also
//! if it has become longer ([`crate::grown_arrays`]); what stands for unseen code if that has the same
//! content. A symbol at the bounds of a section is also what
//! is in the section.
//!
//! **Cost.** Linear.

use crate::content_hash::{ContentHash, Mixer};
use crate::contents::{Contents, is_by_content};
use crate::grown_arrays::has_grown;
use crate::{GlobalChange, Side, Sides};
use knockon_program::{
    Constant, ConstantId, GlobalId, GlobalVariable, Program, section_bounded_by,
};
use rustc_hash::FxHashMap;

pub(crate) struct GlobalPairs {
    partner: Sides<Vec<Option<GlobalId>>>,
    /// What lies between the bounds of a section, of each symbol that is one.
    bounded: Sides<FxHashMap<usize, ContentHash>>,
}

impl GlobalPairs {
    /// Ascending by old variable.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (GlobalId, GlobalId)> + '_ {
        let rows = self.partner.old.iter().enumerate();
        rows.filter_map(|(at, new)| Some((GlobalId::from_index(at), (*new)?)))
    }

    pub(crate) fn is_paired(&self, side: Side, at: usize) -> bool {
        self.partner.of(side)[at].is_some()
    }

    pub(crate) fn symbol(&self, side: Side, at: usize, unlike: ContentHash) -> ContentHash {
        let mut mixer = Mixer::new("global");
        if let Some(content) = self.bounded.of(side).get(&at) {
            mixer = mixer.content(*content);
        }
        match (side, self.partner.of(side)[at]) {
            (Side::Old, Some(_)) => mixer.word(at as u64).finish(),
            (Side::New, Some(old)) => mixer.word(old.index() as u64).finish(),
            (_, None) => mixer.content(unlike).word(at as u64).finish(),
        }
    }
}

pub(crate) fn pair_globals(programs: Sides<&Program>) -> GlobalPairs {
    let mut pairs = GlobalPairs {
        partner: Sides {
            old: vec![None; programs.old.globals.len()],
            new: vec![None; programs.new.globals.len()],
        },
        bounded: Sides {
            old: bounded(programs.old),
            new: bounded(programs.new),
        },
    };
    for by_unit in [true, false] {
        let mut places: FxHashMap<ContentHash, [Vec<GlobalId>; 2]> = FxHashMap::default();
        let mut order = Vec::new();
        for side in Side::BOTH {
            let program = *programs.of(side);
            for (at, global) in program.globals.iter().enumerate() {
                if is_by_content(global) || pairs.partner.of(side)[at].is_some() {
                    continue;
                }
                let mut mixer = Mixer::new("name").text(program.name(global.name));
                if by_unit && global.linkage.is_local() {
                    let unit = &program.units[global.unit.index()];
                    mixer = mixer.text(program.name(unit.source));
                }
                let key = mixer.finish();
                order.push(key);
                places.entry(key).or_default()[side as usize].push(GlobalId::from_index(at));
            }
        }
        for key in order {
            let Some([old, new]) = places.remove(&key) else {
                continue;
            };
            if by_unit || (old.len() == 1 && new.len() == 1) {
                for (old, new) in old.into_iter().zip(new) {
                    pairs.partner.old[old.index()] = Some(new);
                    pairs.partner.new[new.index()] = Some(old);
                }
            }
        }
    }
    pairs
}

/// The symbols that the linker puts at the bounds of sections, and what is in those: which variables,
/// in which order.
fn bounded(program: &Program) -> FxHashMap<usize, ContentHash> {
    let mut found = FxHashMap::default();
    for (at, global) in program.globals.iter().enumerate() {
        let section = section_bounded_by(program.name(global.name));
        let Some(section) = section.filter(|_| global.initialiser.is_none()) else {
            continue;
        };
        let mut mixer = Mixer::new("section");
        for member in &program.globals {
            if program.name(member.section) == section {
                mixer = mixer.text(program.name(member.name));
                mixer = mixer.word(program.size_of(member.value_type));
                mixer = mixer.word(u64::from(member.alignment));
            }
        }
        found.insert(at, mixer.finish());
    }
    found
}

/// An array that is all zero at the start, and has become longer in the new version.
fn is_grown(
    programs: Sides<&Program>,
    pairs: &GlobalPairs,
    contents: &Sides<Contents>,
    old: GlobalId,
    new: GlobalId,
) -> bool {
    let (before, after) = (programs.old, programs.new);
    let (one, two) = (&before.globals[old.index()], &after.globals[new.index()]);
    let is_zero = |program: &Program, global: &GlobalVariable| {
        let initialiser = global.initialiser.map(|id| program.constant(id));
        matches!(initialiser, Some(Constant::Zero(_)))
    };
    let is_section = |side: Side, id: GlobalId| pairs.bounded.of(side).contains_key(&id.index());
    let is_in_section = !before.name(one.section).is_empty() || !after.name(two.section).is_empty();
    is_zero(before, one)
        && is_zero(after, two)
        && !is_section(Side::Old, old)
        && !is_section(Side::New, new)
        && !is_in_section
        && one.is_constant == two.is_constant
        && one.is_thread_local == two.is_thread_local
        && one.linkage.gives_way() == two.linkage.gives_way()
        && !two.linkage.gives_way()
        && has_grown(
            (before, &contents.old, one.value_type),
            (after, &contents.new, two.value_type),
        )
}

/// Of what stands for unseen code the part that is its own. The rest are addresses of what it
/// mentions, which the rest of the program decides.
fn own_content(program: &Program, id: GlobalId) -> Option<ConstantId> {
    if !program.is_unseen_code(id) {
        return None;
    }
    match program.constant(program.globals[id.index()].initialiser?) {
        Constant::Aggregate { elements, .. } => elements.first().copied(),
        _ => None,
    }
}

/// Ascending by old variable, those that only the new version has at the end.
pub(crate) fn global_changes(
    programs: Sides<&Program>,
    pairs: &GlobalPairs,
    contents: &Sides<Contents>,
) -> Vec<GlobalChange> {
    let content = |side: Side, id: GlobalId| {
        let program = programs.of(side);
        let global = &program.globals[id.index()];
        let contents = contents.of(side);
        if let Some(own) = own_content(program, id) {
            return contents.constant(own);
        }
        let mixer = Mixer::new("variable").content(contents.type_of(global.value_type));
        let mixer = mixer.word(u64::from(global.is_constant));
        let mixer = mixer.word(u64::from(global.is_thread_local));
        let mixer = mixer.word(u64::from(global.linkage.gives_way()));
        match global.initialiser {
            None => mixer.word(0).finish(),
            Some(initialiser) => mixer.content(contents.constant(initialiser)).finish(),
        }
    };
    let mut changes = Vec::new();
    for (at, global) in programs.old.globals.iter().enumerate() {
        let old = GlobalId::from_index(at);
        match pairs.partner.old[at] {
            Some(new) if content(Side::Old, old) == content(Side::New, new) => {}
            Some(new) if is_grown(programs, pairs, contents, old, new) => {}
            None if is_by_content(global) => {}
            new => changes.push(GlobalChange {
                old: Some(old),
                new,
            }),
        }
    }
    for (at, global) in programs.new.globals.iter().enumerate() {
        if pairs.partner.new[at].is_none() && !is_by_content(global) {
            changes.push(GlobalChange {
                old: None,
                new: Some(GlobalId::from_index(at)),
            });
        }
    }
    changes
}
