//! Which functions that a program may replace does a row use? Groups of them have names; a row says
//! `uses GROUP NAME…`, else the heading of its section does, else it uses all of them.

use super::Parsed;
use crate::table::Library;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

/// What is written.
#[derive(Clone, Debug)]
pub(super) enum Uses {
    Everything,
    Nothing,
    /// Names of groups and of functions.
    Words(Vec<&'static str>),
}

impl Uses {
    pub(super) fn of_words(words: Vec<&'static str>) -> Parsed<Uses> {
        match words[..] {
            [] => Err("`uses` says nothing".into()),
            ["everything"] => Ok(Uses::Everything),
            ["nothing"] => Ok(Uses::Nothing),
            _ => Ok(Uses::Words(words)),
        }
    }
}

/// What stands behind a heading: nothing, or `uses GROUP NAME…`.
pub(super) fn behind_heading(text: &'static str) -> Parsed<Uses> {
    let mut words = text.split_whitespace();
    match words.next() {
        None => Ok(Uses::Everything),
        Some("uses") => Uses::of_words(words.collect()),
        Some(other) => Err(format!("a section `uses` functions, it does not `{other}`")),
    }
}

/// A member of a group.
#[derive(Clone, Copy, Debug)]
enum Member {
    Function(&'static str),
    /// Each function that has a row there.
    Section(&'static str),
}

/// The groups of replaceable functions, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Groups {
    members: Vec<(&'static str, Vec<Member>)>,
    numbers: FxHashMap<&'static str, FixedBitSet>,
}

impl Groups {
    /// `memory: malloc free`, after the keyword.
    pub(super) fn add(&mut self, first: &'static str, rest: &[&'static str]) -> Parsed<()> {
        let (name, first) = first
            .split_once(':')
            .ok_or("a group is `replaceable NAME: FUNCTIONS`")?;
        if self.members.iter().any(|group| group.0 == name) {
            return Err(format!("the group `{name}` is there already"));
        }
        let mut members = Vec::new();
        for text in [first].iter().chain(rest) {
            members_in(text, &mut members)?;
        }
        self.members.push((name, members));
        Ok(())
    }

    /// Gives each member a number. All rows are read.
    pub(super) fn number(&mut self, library: &mut Library) {
        for (group, members) in &self.members {
            let mut names: Vec<&'static str> = Vec::new();
            for member in members {
                match member {
                    Member::Function(name) => names.push(name),
                    Member::Section(heading) => names.extend(library.names_under(heading)),
                }
            }
            let numbers = names.into_iter().map(|name| library.add_replaceable(name));
            let numbers: FixedBitSet = numbers.map(|number| number as usize).collect();
            self.numbers.insert(group, numbers);
        }
    }

    pub(super) fn numbers_of(&self, uses: &Uses, library: &Library) -> Parsed<FixedBitSet> {
        let mut found = FixedBitSet::with_capacity(library.replaceable_count());
        match uses {
            Uses::Everything => found.insert_range(..),
            Uses::Nothing => {}
            Uses::Words(words) => {
                for word in words {
                    match (self.numbers.get(word), library.replaceable(word)) {
                        (Some(group), _) => found.union_with(group),
                        (None, Some(number)) => found.insert(number as usize),
                        (None, None) => {
                            return Err(format!("`{word}` is no replaceable function"));
                        }
                    }
                }
            }
        }
        Ok(found)
    }
}

/// `malloc free [math.h]`.
fn members_in(mut text: &'static str, members: &mut Vec<Member>) -> Parsed<()> {
    loop {
        text = text.trim_start();
        if let Some(rest) = text.strip_prefix('[') {
            let (heading, rest) = rest
                .split_once(']')
                .ok_or_else(|| format!("`{text}` lacks its `]`"))?;
            members.push(Member::Section(heading));
            text = rest;
        } else if text.is_empty() {
            return Ok(());
        } else {
            let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
            members.push(Member::Function(name));
            text = rest;
        }
    }
}
