//! Which function of the old version is which of the new?
//!
//! **Rules**, each among what the ones before left over: the same name, for functions that only
//! their unit sees in the same unit; the same name alone, when only one function on each side has
//! it (moved, or with another linkage); the same body, when only one on each side has it (renamed);
//! bodies that are similar ([`crate::similarity`]).
//!
//! **Soundness.** Any pairing that is one to one is sound: a callee is compared by its pair, and
//! what differs in the bodies of a pair is a source.
//!
//! **Cost.** Linear, but for the similarity of what is left over, which is bounded.

use crate::content_hash::{ContentHash, Mixer};
use crate::contents::{Contents, Symbols, contents, is_by_content};
use crate::edits::UneditedLines;
use crate::global_pairing::{GlobalPairs, pair_globals};
use crate::old_names::beside_its_function;
use crate::similarity::pair_similar;
use crate::version_view::VersionView;
use crate::{Side, Sides};
use knockon_program::{FunctionId, Linkage, Program};
use rustc_hash::FxHashMap;

pub(crate) struct Paired {
    /// By old function.
    pub(crate) functions: Vec<(FunctionId, FunctionId)>,
    pub(crate) globals: GlobalPairs,
    pub(crate) contents: Sides<Contents>,
}

pub(crate) fn pair_functions(
    programs: Sides<&Program>,
    unedited: &Sides<UneditedLines<'_>>,
) -> Paired {
    paired(programs, unedited, OwnNames::Compared)
}

/// The functions that are paired where bodies that differ only in their function's name count as
/// equal.
pub(crate) fn pairs_beside_names(
    programs: Sides<&Program>,
    unedited: &Sides<UneditedLines<'_>>,
) -> Vec<(FunctionId, FunctionId)> {
    paired(programs, unedited, OwnNames::Alike).functions
}

/// What `__func__` and its kin hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OwnNames {
    Compared,
    /// The same in all functions.
    Alike,
}

fn paired(
    programs: Sides<&Program>,
    unedited: &Sides<UneditedLines<'_>>,
    own_names: OwnNames,
) -> Paired {
    let globals = pair_globals(programs);
    let mut matching = Matching {
        own_names,
        programs,
        partner: Sides {
            old: vec![None; programs.old.functions.len()],
            new: vec![None; programs.new.functions.len()],
        },
    };
    matching.by_name();
    let mut contents = matching.contents(&globals, matching.has_unpaired());
    if matching.has_unpaired() {
        for by_similarity in [false, true] {
            let view = |side: Side| VersionView {
                program: programs.of(side),
                contents: contents.of(side),
                unedited: unedited.of(side),
            };
            let views = Sides {
                old: view(Side::Old),
                new: view(Side::New),
            };
            match by_similarity {
                false => matching.by_body(&views),
                true => {
                    let left = Sides {
                        old: matching.unpaired(Side::Old),
                        new: matching.unpaired(Side::New),
                    };
                    for (old, new) in pair_similar(&views, &left) {
                        matching.join(old, new);
                    }
                }
            }
            contents = matching.contents(&globals, !by_similarity);
        }
    }
    let functions = programs.old.function_ids();
    Paired {
        functions: functions
            .filter_map(|old| Some((old, matching.partner.old[old.index()]?)))
            .collect(),
        globals,
        contents,
    }
}

struct Matching<'a> {
    own_names: OwnNames,
    programs: Sides<&'a Program>,
    partner: Sides<Vec<Option<FunctionId>>>,
}

impl Matching<'_> {
    fn join(&mut self, old: FunctionId, new: FunctionId) {
        self.partner.old[old.index()] = Some(new);
        self.partner.new[new.index()] = Some(old);
    }

    fn unpaired(&self, side: Side) -> Vec<FunctionId> {
        let defined = self.programs.of(side).defined_functions();
        defined
            .map(|(id, ..)| id)
            .filter(|id| self.partner.of(side)[id.index()].is_none())
            .collect()
    }

    fn has_unpaired(&self) -> bool {
        Side::BOTH
            .into_iter()
            .all(|side| !self.unpaired(side).is_empty())
    }

    fn by_name(&mut self) {
        let key = |program: &Program, id: FunctionId| {
            let function = program.function(id);
            let mixer = Mixer::new("function").text(program.name(function.name));
            match function.linkage.is_local() {
                false => mixer.finish(),
                true => {
                    let unit = &program.units[function.unit.index()];
                    mixer.text(program.name(unit.source)).finish()
                }
            }
        };
        // Several units of one source file: in their order.
        self.join_equal(key, false);
        let name = |program: &Program, id: FunctionId| {
            let name = program.function(id).name;
            Mixer::new("name").text(program.name(name)).finish()
        };
        self.join_equal(name, true);
    }

    fn by_body(&mut self, views: &Sides<VersionView<'_>>) {
        let hashes = |side: Side| -> FxHashMap<FunctionId, ContentHash> {
            let view = views.of(side);
            let rows = self.unpaired(side).into_iter();
            rows.filter_map(|id| {
                let function = view.program.function(id);
                let body = function.body.as_deref()?;
                Some((id, view.body(function, body)))
            })
            .collect()
        };
        let of_body = Sides {
            old: hashes(Side::Old),
            new: hashes(Side::New),
        };
        let mut places: FxHashMap<ContentHash, [Vec<FunctionId>; 2]> = FxHashMap::default();
        for side in Side::BOTH {
            for (id, hash) in of_body.of(side) {
                places.entry(*hash).or_default()[side as usize].push(*id);
            }
        }
        for [old, new] in places.into_values() {
            if let ([old], [new]) = (&old[..], &new[..]) {
                self.join(*old, *new);
            }
        }
    }

    /// Joins unpaired functions with equal keys, in their order, or only where one has the key.
    fn join_equal(&mut self, key: impl Fn(&Program, FunctionId) -> ContentHash, only_unique: bool) {
        let mut places: FxHashMap<ContentHash, Vec<FunctionId>> = FxHashMap::default();
        for id in self.unpaired(Side::Old) {
            places
                .entry(key(self.programs.old, id))
                .or_default()
                .push(id);
        }
        let mut there: FxHashMap<ContentHash, Vec<FunctionId>> = FxHashMap::default();
        for id in self.unpaired(Side::New) {
            there
                .entry(key(self.programs.new, id))
                .or_default()
                .push(id);
        }
        for (key, new) in there {
            let Some(old) = places.get(&key) else {
                continue;
            };
            if only_unique && (old.len() > 1 || new.len() > 1) {
                continue;
            }
            for (old, new) in old.iter().zip(new) {
                self.join(*old, new);
            }
        }
    }

    fn contents(&self, globals: &GlobalPairs, seeking: bool) -> Sides<Contents> {
        let of = |side: Side| {
            let program = *self.programs.of(side);
            let plain = self.symbols(side, globals, seeking, None);
            let first = contents(program, &plain);
            // Now that types have contents, interfaces have them too.
            contents(program, &self.symbols(side, globals, seeking, Some(&first)))
        };
        Sides {
            old: of(Side::Old),
            new: of(Side::New),
        }
    }

    /// A paired function is its old number and its interface; one without a body its name and what
    /// is declared of it; one without a partner is unlike all of the other version, but while pairs
    /// are sought all of these are alike.
    fn symbols(
        &self,
        side: Side,
        globals: &GlobalPairs,
        seeking: bool,
        contents: Option<&Contents>,
    ) -> Symbols {
        let program = *self.programs.of(side);
        let unlike = Mixer::new("version").word(side as u64).finish();
        let nothing = crate::Edits::default();
        let unedited = UneditedLines::new(program, &nothing, side);
        let of_function = |id: FunctionId| {
            let function = program.function(id);
            let mixer = match (&function.body, self.partner.of(side)[id.index()]) {
                (None, _) => Mixer::new("declared").text(program.name(function.name)),
                (Some(_), Some(partner)) => {
                    let old = if side == Side::Old { id } else { partner };
                    Mixer::new("pair").word(u64::from(old.0))
                }
                (Some(_), None) if seeking => Mixer::new("unpaired"),
                (Some(_), None) => Mixer::new("unpaired").content(unlike).word(u64::from(id.0)),
            };
            match contents {
                None => mixer.finish(),
                Some(contents) => {
                    let view = VersionView {
                        program,
                        contents,
                        unedited: &unedited,
                    };
                    mixer.content(view.interface(function)).finish()
                }
            }
        };
        let of_global = |(at, global): (usize, &knockon_program::GlobalVariable)| {
            if self.own_names == OwnNames::Alike
                && !globals.is_paired(side, at)
                && let Some(content) = beside_its_function(program, global)
            {
                return Some(content);
            }
            if is_by_content(global) {
                return None;
            }
            let symbol = globals.symbol(side, at, unlike);
            Some(match global.linkage {
                // Its address may be 0.
                Linkage::ExternalWeak => Mixer::new("if defined").content(symbol).finish(),
                _ => symbol,
            })
        };
        Symbols {
            functions: program.function_ids().map(of_function).collect(),
            globals: program.globals.iter().enumerate().map(of_global).collect(),
            unlike,
        }
    }
}
