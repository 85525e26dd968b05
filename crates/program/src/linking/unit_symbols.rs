//! **Question.** Which symbols does a unit define for others, and which does it want of them?
//!
//! **Rules.** A symbol is wanted where the unit declares it: clang declares what code mentions, and
//! nothing else. A weak reference does not want: it is bound where something is linked. Module-level
//! assembly defines the labels that it makes global.
//!
//! **Cost.** Linear in symbols.

use crate::unseen_code::{plain, published_labels};
use crate::{Linkage, Name, Program, UNSEEN_CODE, is_compiler_name};
use std::collections::BTreeSet;

/// The symbols of one unit that a linker sees, by their plain names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitSymbols {
    /// Definitions of which a program may have one.
    pub strong: BTreeSet<String>,
    /// Definitions that give way to others: weak ones, and copies that each unit may bring.
    pub weak: BTreeSet<String>,
    pub common: BTreeSet<String>,
    pub wanted: BTreeSet<String>,
    pub wanted_weakly: BTreeSet<String>,
}

impl UnitSymbols {
    pub fn defines(&self, name: &str) -> bool {
        self.strong.contains(name) || self.weak.contains(name) || self.common.contains(name)
    }

    pub fn definitions(&self) -> impl Iterator<Item = &String> {
        self.strong.iter().chain(&self.weak).chain(&self.common)
    }
}

pub fn unit_symbols(unit: &Program) -> UnitSymbols {
    let mut found = UnitSymbols::default();
    let mut note = |name: Name, linkage: Linkage, is_defined: bool| {
        let name = plain(unit.name(name));
        if is_compiler_name(name) || name.starts_with(UNSEEN_CODE) {
            return;
        }
        let is_defined = is_defined && linkage != Linkage::AvailableExternally;
        let set = match linkage {
            Linkage::Internal | Linkage::Private | Linkage::Appending => return,
            Linkage::ExternalWeak => &mut found.wanted_weakly,
            _ if !is_defined => &mut found.wanted,
            Linkage::Common => &mut found.common,
            Linkage::LinkOnce | Linkage::LinkOnceOdr | Linkage::Weak | Linkage::WeakOdr => {
                &mut found.weak
            }
            Linkage::External | Linkage::AvailableExternally => &mut found.strong,
        };
        set.insert(name.to_owned());
    };
    for row in &unit.functions {
        note(row.name, row.linkage, row.body.is_some());
    }
    for row in &unit.globals {
        note(row.name, row.linkage, row.initialiser.is_some());
    }
    for row in &unit.aliases {
        note(row.name, row.linkage, true);
    }
    for row in unit.units.iter().filter(|row| row.has_assembly()) {
        let labels = published_labels(unit.name(row.assembly));
        found.strong.extend(labels.into_iter().map(str::to_owned));
    }
    // After renaming, and by assembly, a unit may both declare and define a symbol.
    let defined: BTreeSet<String> = found.definitions().cloned().collect();
    found.wanted.retain(|name| !defined.contains(name));
    found.wanted_weakly.retain(|name| !defined.contains(name));
    found
}

/// What units want, weakly too, and none of them defines.
pub fn undefined_symbols<'a>(units: impl IntoIterator<Item = &'a UnitSymbols>) -> BTreeSet<String> {
    let units: Vec<&UnitSymbols> = units.into_iter().collect();
    let wanted = units
        .iter()
        .flat_map(|unit| unit.wanted.iter().chain(&unit.wanted_weakly));
    let defined: BTreeSet<&String> = units.iter().flat_map(|unit| unit.definitions()).collect();
    wanted
        .filter(|name| !defined.contains(name))
        .cloned()
        .collect()
}

/// Gives symbols of a unit other names. `rename` is told the plain name, and whether the unit
/// defines it.
pub fn rename_symbols(unit: &mut Program, rename: impl Fn(&str, bool) -> Option<String>) {
    let Program {
        names,
        functions,
        globals,
        aliases,
        ..
    } = unit;
    let mut renamed = |name: &mut Name, linkage: Linkage, is_defined: bool| {
        let is_defined = is_defined && linkage != Linkage::AvailableExternally;
        if !linkage.is_local()
            && linkage != Linkage::Appending
            && let Some(new) = rename(plain(names.text(*name)), is_defined)
        {
            *name = names.intern(&new);
        }
    };
    for row in functions {
        renamed(&mut row.name, row.linkage, row.body.is_some());
    }
    for row in globals {
        renamed(&mut row.name, row.linkage, row.initialiser.is_some());
    }
    for row in aliases {
        renamed(&mut row.name, row.linkage, true);
    }
}

/// Gives definitions of a unit another linkage.
pub fn relink_symbols(unit: &mut Program, relink: impl Fn(&str, Linkage) -> Linkage) {
    let Program {
        names,
        functions,
        globals,
        aliases,
        ..
    } = unit;
    for row in functions.iter_mut().filter(|row| row.body.is_some()) {
        row.linkage = relink(plain(names.text(row.name)), row.linkage);
    }
    for row in globals.iter_mut().filter(|row| row.initialiser.is_some()) {
        row.linkage = relink(plain(names.text(row.name)), row.linkage);
    }
    for row in aliases {
        row.linkage = relink(plain(names.text(row.name)), row.linkage);
    }
}
