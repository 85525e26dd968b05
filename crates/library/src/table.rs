//! Which description does an external function have? A table by name: one hash for a function;
//! an intrinsic, whose name goes on with its types (`llvm.memcpy.p0.p0.i64`), is looked up by
//! shorter and shorter prefixes.

use crate::effect::{CallbackTime, Effect, Memory, Origin, Value};
use crate::facts::{Facts, StreamUse};
use crate::notation;
use fixedbitset::FixedBitSet;
use knockon_program::{GlobalVariable, Program, Runs, Symbols};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// One line of the data file: functions of equal behaviour.
#[derive(Clone, Debug)]
pub struct Row {
    /// The header that declares them, or another heading of the file.
    pub group: &'static str,
    /// Where the row begins.
    pub line: usize,
    /// `llvm.memcpy.*` stands for every name that begins with `llvm.memcpy.`.
    pub names: Vec<&'static str>,
    pub effect: Effect,
    pub facts: Facts,
    /// The replaceable functions that they may call by name: by their numbers.
    pub uses: FixedBitSet,
}

/// An object that belongs to the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryObject {
    pub name: &'static str,
    /// Further names of the same object (`__environ`).
    pub other_names: Vec<&'static str>,
    /// A program can name it: an external variable such as `stdout` or `optind`.
    pub is_variable: bool,
    /// The objects of the library that it points to when the program begins.
    pub holds: Vec<&'static str>,
    /// Where single functions of a program are run, no input sets it.
    pub is_kept: bool,
}

/// The parsed data file.
#[derive(Clone, Debug, Default)]
pub struct Library {
    rows: Vec<Row>,
    objects: Vec<LibraryObject>,
    row_of: FxHashMap<&'static str, u32>,
    /// By the prefix, its dot included.
    row_of_prefix: FxHashMap<&'static str, u32>,
    /// Of functions without an effect.
    unmodelled: FxHashMap<&'static str, Facts>,
    object_of: FxHashMap<&'static str, u32>,
    /// Of each function that a program may define in the library's place, a number.
    replaceable: FxHashMap<&'static str, u32>,
}

/// The descriptions of the C library.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        notation::parse(include_str!("library.effects"))
            .unwrap_or_else(|malformed| panic!("library.effects, {malformed}"))
    })
}

impl Library {
    /// What the external function of this name does; `None`: it is unmodelled.
    pub fn of(&self, name: &str) -> Option<&Effect> {
        self.row(name).map(|row| &row.effect)
    }

    /// What else is known of the external function of this name.
    pub fn facts(&self, name: &str) -> &Facts {
        static NOTHING: OnceLock<Facts> = OnceLock::new();
        let unmodelled = || self.unmodelled.get(without_mark(name));
        let known = self.row(name).map(|row| &row.facts).or_else(unmodelled);
        known.unwrap_or_else(|| NOTHING.get_or_init(Facts::default))
    }

    /// The stream of a function that is given an open one where single functions are run.
    pub fn replayed_stream(&self, name: &str) -> Option<StreamUse> {
        let row = self
            .row(name)
            .filter(|row| row.facts.replayed.takes_stream)?;
        row.effect.stream_use()
    }

    /// The functions for which the runtime of runs of single functions stands in, in the order of
    /// the file.
    pub fn wrapped_functions(&self) -> impl Iterator<Item = &'static str> + '_ {
        let rows = self.rows.iter().filter(|row| row.facts.replayed.is_wrapped);
        rows.flat_map(|row| row.names.iter().copied())
    }

    /// What code that mentions these symbols may have registered itself for.
    pub fn registered_runs(&self, mentions: &Symbols) -> Runs {
        let mut found = Runs::default();
        let described = self.rows.iter();
        let described = described.flat_map(|row| row.names.iter().map(|name| (name, &row.facts)));
        for (name, facts) in described.chain(&self.unmodelled) {
            match facts.lets_run {
                Some(CallbackTime::AtExit) => found.at_end |= mentions.contains(name),
                Some(CallbackTime::Anytime) => found.any_time |= mentions.contains(name),
                Some(CallbackTime::Now) | None => {}
            }
        }
        found
    }

    /// The row of the external function of this name.
    pub fn row(&self, name: &str) -> Option<&Row> {
        let name = without_mark(name);
        let row = self.row_of.get(name).or_else(|| self.by_prefix(name))?;
        Some(&self.rows[*row as usize])
    }

    /// The number of a function that a program may define itself, so that the library calls the
    /// program's: see [`Row::uses`].
    pub fn replaceable(&self, name: &str) -> Option<u32> {
        self.replaceable.get(without_mark(name)).copied()
    }

    /// How many functions are replaceable.
    pub fn replaceable_count(&self) -> usize {
        self.replaceable.len()
    }

    /// The row of the longest prefix of the name that ends in a dot and has one.
    fn by_prefix(&self, name: &str) -> Option<&u32> {
        name.rmatch_indices('.')
            .find_map(|(dot, _)| self.row_of_prefix.get(&name[..=dot]))
    }

    /// The external variable of this name, if it is the library's.
    pub fn variable(&self, name: &str) -> Option<&LibraryObject> {
        self.object(name).filter(|object| object.is_variable)
    }

    /// The library's variable that a global variable of the program is, declared or defined: also
    /// one that the program defines itself is the one that the library's functions use.
    pub fn variable_of(
        &self,
        program: &Program,
        global: &GlobalVariable,
    ) -> Option<&LibraryObject> {
        match global.linkage.is_local() {
            true => None,
            false => self.variable(without_mark(program.name(global.name))),
        }
    }

    /// The object of the library's own that [`Origin::Library`] names.
    pub fn object(&self, name: &str) -> Option<&LibraryObject> {
        self.object_of
            .get(name)
            .map(|index| &self.objects[*index as usize])
    }

    /// All rows, in the order of the file.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// All objects, in the order of the file: the variables too.
    pub fn objects(&self) -> &[LibraryObject] {
        &self.objects
    }

    pub(crate) fn add_row(&mut self, row: Row) -> Result<(), String> {
        let index = self.rows.len() as u32;
        for name in &row.names {
            let previous = match name.strip_suffix('*') {
                Some(prefix) if prefix.ends_with('.') => self.row_of_prefix.insert(prefix, index),
                Some(_) => return Err(format!("`{name}`: a prefix ends in `.*`")),
                None => self.row_of.insert(name, index),
            };
            if let Some(previous) = previous {
                let line = self
                    .rows
                    .get(previous as usize)
                    .map_or(row.line, |row| row.line);
                return Err(format!("`{name}` is described in line {line} already"));
            }
        }
        self.rows.push(row);
        Ok(())
    }

    pub(crate) fn add_unmodelled(
        &mut self,
        names: &[&'static str],
        facts: Facts,
    ) -> Result<(), String> {
        for name in names {
            let is_described = self.row_of.contains_key(name);
            if is_described || self.unmodelled.insert(name, facts.clone()).is_some() {
                return Err(format!("`{name}` has a row already"));
            }
        }
        Ok(())
    }

    /// All names that have a row, of functions without an effect too, in no order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        let described = self.rows.iter().flat_map(|row| row.names.iter().copied());
        described.chain(self.unmodelled.keys().copied())
    }

    pub(crate) fn add_object(&mut self, object: LibraryObject) -> Result<(), String> {
        let index = self.objects.len() as u32;
        for name in [object.name].iter().chain(&object.other_names) {
            if self.object_of.insert(name, index).is_some() {
                return Err(format!("the object `{name}` is there already"));
            }
        }
        self.objects.push(object);
        Ok(())
    }

    pub(crate) fn add_replaceable(&mut self, name: &'static str) -> u32 {
        let next = self.replaceable.len() as u32;
        *self.replaceable.entry(name).or_insert(next)
    }

    /// The names that have a row under a heading, or under one that begins with this word.
    pub(crate) fn names_under(&self, heading: &str) -> Vec<&'static str> {
        let is_meant =
            |row: &&Row| row.group == heading || row.group.split(' ').next() == Some(heading);
        let rows = self.rows.iter().filter(is_meant);
        rows.flat_map(|row| row.names.iter().copied()).collect()
    }

    pub(crate) fn set_uses(&mut self, row: usize, uses: FixedBitSet) {
        self.rows[row].uses = uses;
    }

    /// Every object that something names is there, and every object is named by something or is
    /// a variable.
    pub(crate) fn check_objects(&self) -> Result<(), String> {
        let mut named: Vec<&'static str> = Vec::new();
        for row in &self.rows {
            named.extend(objects_named(&row.effect));
        }
        for object in &self.objects {
            named.extend(&object.holds);
        }
        for name in &named {
            if self.object(name).is_none() {
                return Err(format!("there is no object `{name}`"));
            }
        }
        match self
            .objects
            .iter()
            .find(|object| !object.is_variable && !named.contains(&object.name))
        {
            Some(object) => Err(format!("nothing names the object `{}`", object.name)),
            None => Ok(()),
        }
    }
}

/// Without clang's mark of a symbol that must not be prefixed by the target.
fn without_mark(name: &str) -> &str {
    name.strip_prefix('\u{1}').unwrap_or(name)
}

/// The objects of the library that a description names.
fn objects_named(effect: &Effect) -> Vec<&'static str> {
    let mut memories: Vec<Memory> = [&effect.reads[..], &effect.writes].concat();
    let mut origins: Vec<Origin> = effect.returns.clone();
    for (from, to) in &effect.copies {
        memories.extend([from, to]);
    }
    for (from, to) in &effect.stores {
        origins.push(*from);
        memories.push(*to);
    }
    for callback in &effect.callbacks {
        origins.push(callback.function);
        origins.extend(callback.arguments.iter().flatten());
        memories.extend(&callback.result_to);
    }
    let mut named = Vec::new();
    for origin in origins {
        match origin {
            Origin::Library(name) => named.push(name),
            Origin::LoadedFrom(from) => memories.push(from),
            Origin::Same(_) | Origin::Into(_) | Origin::Fresh | Origin::Variadics => {}
        }
    }
    named.extend(memories.iter().filter_map(|memory| match memory.value() {
        Value::Library(name) => Some(name),
        _ => None,
    }));
    named
}

#[cfg(test)]
mod tests;
