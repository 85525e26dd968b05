//! **Question.** Which symbols do units use that none of them defines?
//!
//! **Rules.** A symbol is used where a unit declares it: clang declares what code mentions, and nothing
//! else. Weak references count too: they are bound to a definition where one is linked.
//!
//! **Cost.** Linear in symbols.

use crate::unseen_code::plain;
use crate::{Linkage, Program};
use std::collections::BTreeSet;

/// The plain names of those functions and variables, without intrinsics.
pub fn undefined_symbols(units: &[Program]) -> BTreeSet<String> {
    let mut defined: BTreeSet<&str> = BTreeSet::new();
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for unit in units {
        for row in &unit.functions {
            let name = plain(unit.name(row.name));
            match &row.body {
                Some(_) if row.linkage.is_local() => {}
                Some(_) if row.linkage != Linkage::AvailableExternally => {
                    defined.insert(name);
                }
                _ => {
                    used.insert(name);
                }
            }
        }
        for row in &unit.globals {
            let name = plain(unit.name(row.name));
            match row.initialiser {
                Some(_) if row.linkage.is_local() => {}
                Some(_) if row.linkage != Linkage::AvailableExternally => {
                    defined.insert(name);
                }
                _ => {
                    used.insert(name);
                }
            }
        }
        for row in &unit.aliases {
            if !row.linkage.is_local() {
                defined.insert(plain(unit.name(row.name)));
            }
        }
    }
    let is_symbol = |name: &&str| !name.starts_with("llvm.") && !defined.contains(name);
    let undefined = used.into_iter().filter(is_symbol);
    undefined.map(str::to_owned).collect()
}

/// The plain names of external functions and variables that units define.
pub fn defined_symbols(units: &[Program]) -> BTreeSet<String> {
    let mut defined = BTreeSet::new();
    for unit in units {
        let functions = unit.functions.iter().filter(|row| row.body.is_some());
        let functions = functions.map(|row| (row.name, row.linkage));
        let globals = unit.globals.iter().filter(|row| row.initialiser.is_some());
        let globals = globals.map(|row| (row.name, row.linkage));
        let aliases = unit.aliases.iter().map(|row| (row.name, row.linkage));
        for (name, linkage) in functions.chain(globals).chain(aliases) {
            if !linkage.is_local() && linkage != Linkage::AvailableExternally {
                defined.insert(plain(unit.name(name)).to_owned());
            }
        }
    }
    defined
}
