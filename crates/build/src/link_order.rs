//! **Question.** Which inputs of a link get into the program, and in which order?
//!
//! **Rules.** Those of a static linker: objects are taken as they come; a member of an archive is taken
//! if it defines what is wanted and not there yet, as long as there is such a member; archives of a
//! group are searched until none gives more. A weak reference wants nothing; a common definition is
//! there, yet a member that defines it with a value is taken for it. Shared libraries give what they
//! export, and bring in what they were linked from.
//!
//! **Soundness.** The order decides which of several definitions counts. What is not taken comes last:
//! it is still part of the program that is analysed, which costs precision and loses nothing.
//!
//! **Cost.** For each archive the number of its members times the rounds that it takes.

use crate::link_interface::{LinkedPart, PlannedInput, PlannedLink};
use crate::recorded_build::{LinkKind, LinkOption};
use knockon_program::{UnitSymbols, UnseenCode};
use std::collections::BTreeSet;

/// What one input is for the linker.
pub struct InputSymbols<'a> {
    /// By position among the plan's units; `None` where nothing is known of the unit.
    pub units: &'a [Option<UnitSymbols>],
    /// By position in [`PlannedLink::prebuilt`], the objects of each with their symbols.
    pub prebuilt: &'a [Vec<Member>],
    /// By position in [`PlannedLink::libraries`].
    pub libraries: &'a [Vec<Member>],
}

/// An object in an input that was there before the build.
pub struct Member {
    pub symbols: UnitSymbols,
    pub code: UnseenCode,
    /// In an archive: taken only if it is wanted.
    pub is_archived: bool,
    pub is_shared: bool,
}

/// What is linked, in the order in which it is taken.
#[derive(Default)]
pub struct Order {
    /// Positions among the plan's units: those taken, then the rest.
    pub units: Vec<usize>,
    /// How many of them are taken.
    pub taken: usize,
    /// By input and member: (is a library, position, member).
    pub members: Vec<(bool, usize, usize)>,
}

pub fn link_order(link: &PlannedLink, symbols: &InputSymbols<'_>) -> Order {
    let mut linker = Linker {
        link,
        symbols,
        wanted: BTreeSet::from(["main".to_owned()]),
        defined: BTreeSet::new(),
        common: BTreeSet::new(),
        order: Order::default(),
        parts: BTreeSet::new(),
        left: Vec::new(),
    };
    for option in &link.options {
        if let LinkOption::Undefined(name) | LinkOption::Entry(name) = option {
            linker.wanted.insert(name.clone());
        }
    }
    linker.inputs(&link.inputs);
    linker.order.taken = linker.order.units.len();
    let left = std::mem::take(&mut linker.left);
    for unit in left {
        if !linker.order.units.contains(&unit) {
            linker.order.units.push(unit);
        }
    }
    linker.order
}

struct Linker<'a> {
    link: &'a PlannedLink,
    symbols: &'a InputSymbols<'a>,
    wanted: BTreeSet<String>,
    defined: BTreeSet<String>,
    common: BTreeSet<String>,
    order: Order,
    parts: BTreeSet<usize>,
    /// Units that were met and not taken so far.
    left: Vec<usize>,
}

impl Linker<'_> {
    fn inputs(&mut self, inputs: &[PlannedInput]) {
        let mut at = 0;
        while at < inputs.len() {
            let is_grouped = |input: &PlannedInput| {
                matches!(input, PlannedInput::Archive { in_group: true, .. })
            };
            let length = inputs[at..]
                .iter()
                .take_while(|input| is_grouped(input))
                .count();
            let group = &inputs[at..at + length.max(1)];
            // A group gives until it gives no more; a single archive searches itself as long.
            while group.iter().any(|input| self.input(input)) && length > 1 {}
            at += group.len();
        }
    }

    /// Whether something was taken out of an archive.
    fn input(&mut self, input: &PlannedInput) -> bool {
        match input {
            PlannedInput::Unit(unit) => {
                self.take_unit(*unit);
                false
            }
            PlannedInput::Part(part) => {
                if self.parts.insert(*part)
                    && let Some(part) = self.link.parts.get(*part)
                {
                    self.part(part);
                }
                false
            }
            PlannedInput::Archive {
                members,
                whole_archive,
                ..
            } => self.archive(members, *whole_archive),
            PlannedInput::Prebuilt(number) => self.prebuilt(false, *number),
            PlannedInput::Library(number) => self.prebuilt(true, *number),
        }
    }

    /// A shared library was linked by itself; what it wants of archives it has.
    fn part(&mut self, part: &LinkedPart) {
        match part.kind {
            LinkKind::Relocatable => self.inputs(&part.inputs),
            LinkKind::Shared | LinkKind::Executable => {
                let outer = std::mem::take(&mut self.wanted);
                self.inputs(&part.inputs);
                let inner = std::mem::replace(&mut self.wanted, outer);
                // What the library wants of others it may find in the program.
                self.wanted.extend(inner);
            }
        }
        let defined = &self.defined;
        self.wanted.retain(|name| !defined.contains(name));
    }

    fn archive(&mut self, members: &[PlannedInput], is_whole: bool) -> bool {
        let mut any = false;
        loop {
            let mut again = false;
            for member in members {
                match member {
                    PlannedInput::Unit(unit) => {
                        if self.order.units.contains(unit) {
                            continue;
                        }
                        let known = self.symbols.units.get(*unit).and_then(Option::as_ref);
                        if is_whole || known.is_none_or(|symbols| self.wants(symbols)) {
                            self.take_unit(*unit);
                            again = true;
                        } else {
                            self.left.push(*unit);
                        }
                    }
                    other => again |= self.input(other),
                }
            }
            any |= again;
            if !again {
                return any;
            }
        }
    }

    fn prebuilt(&mut self, is_library: bool, number: usize) -> bool {
        let inputs = match is_library {
            true => self.symbols.libraries,
            false => self.symbols.prebuilt,
        };
        let Some(members) = inputs.get(number) else {
            return false;
        };
        let mut any = false;
        loop {
            let mut again = false;
            for (at, member) in members.iter().enumerate() {
                let key = (is_library, number, at);
                if self.order.members.contains(&key)
                    || member.is_archived && !self.wants(&member.symbols)
                {
                    continue;
                }
                self.order.members.push(key);
                self.take(&member.symbols);
                again |= member.is_archived;
                any = true;
            }
            if !again {
                return any;
            }
        }
    }

    fn wants(&self, symbols: &UnitSymbols) -> bool {
        let is_wanted = |name: &String| self.wanted.contains(name);
        symbols.definitions().any(is_wanted)
            || symbols.strong.iter().any(|name| self.common.contains(name))
    }

    fn take_unit(&mut self, unit: usize) {
        if self.order.units.contains(&unit) {
            return;
        }
        self.order.units.push(unit);
        if let Some(symbols) = self.symbols.units.get(unit).and_then(Option::as_ref) {
            self.take(symbols);
        }
    }

    fn take(&mut self, symbols: &UnitSymbols) {
        for name in symbols.definitions() {
            self.wanted.remove(name);
            self.defined.insert(name.clone());
        }
        for name in &symbols.strong {
            self.common.remove(name);
        }
        self.common.extend(symbols.common.iter().cloned());
        let defined = &self.defined;
        let missing = symbols
            .wanted
            .iter()
            .filter(|name| !defined.contains(*name));
        self.wanted.extend(missing.cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(strong: &[&str], wanted: &[&str]) -> Option<UnitSymbols> {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Some(UnitSymbols {
            strong: set(strong),
            wanted: set(wanted),
            ..UnitSymbols::default()
        })
    }

    fn archive(members: &[usize], in_group: bool) -> PlannedInput {
        PlannedInput::Archive {
            path: "lib.a".into(),
            members: members
                .iter()
                .map(|unit| PlannedInput::Unit(*unit))
                .collect(),
            whole_archive: false,
            in_group,
        }
    }

    fn order(inputs: Vec<PlannedInput>, units: &[Option<UnitSymbols>]) -> Order {
        let link = PlannedLink {
            inputs,
            ..PlannedLink::default()
        };
        let symbols = InputSymbols {
            units,
            prebuilt: &[],
            libraries: &[],
        };
        link_order(&link, &symbols)
    }

    #[test]
    fn the_first_archive_that_defines_a_symbol_gives_it() {
        let units = [
            unit(&["main"], &["f"]),
            unit(&["f"], &[]),
            unit(&["f"], &[]),
        ];
        let inputs = vec![
            PlannedInput::Unit(0),
            archive(&[2], false),
            archive(&[1], false),
        ];
        let found = order(inputs, &units);
        assert_eq!((found.units, found.taken), (vec![0, 2, 1], 2));
    }

    #[test]
    fn a_member_that_a_later_member_wants_is_taken_too() {
        let units = [
            unit(&["main"], &["f"]),
            unit(&["g"], &[]),
            unit(&["f"], &["g"]),
            unit(&["h"], &[]),
        ];
        let found = order(
            vec![PlannedInput::Unit(0), archive(&[1, 2, 3], false)],
            &units,
        );
        assert_eq!((found.units, found.taken), (vec![0, 2, 1, 3], 3));
    }

    #[test]
    fn an_archive_is_searched_once_unless_it_is_in_a_group() {
        let units = [
            unit(&["main"], &["f"]),
            unit(&["g"], &[]),
            unit(&["f"], &["g"]),
        ];
        let inputs = |in_group| {
            let archives = [archive(&[1], in_group), archive(&[2], in_group)];
            [vec![PlannedInput::Unit(0)], archives.to_vec()].concat()
        };
        assert_eq!(order(inputs(false), &units).taken, 2);
        assert_eq!(order(inputs(true), &units).taken, 3);
    }
}
