//! **Question.** Which code does a recorded link bring into a program besides units with IR, and which
//! definitions of the units count?
//!
//! **Rules.** Prebuilt objects and archives that are not of the system are pieces by their symbol tables
//! ([`crate::object_interface`]). A shared library comes back to the program only by pointers that it was
//! given and by symbols of the program: those that it wants, and those that it defines as well and does
//! not bind to itself. Where the program looks up symbols at run time, code that it loads may mention
//! all that it exports; what the build made for that, plug-ins, is linked into the program.
//!
//! **Soundness.** What cannot be read may mention everything. What the C library does with the
//! program's own functions is said by its descriptions.
//!
//! **Cost.** Each file is read once in a run.

use crate::build_plan::PlannedExecutable;
use crate::link_effects::{Redirections, apply_options, edit_symbols};
use crate::link_interface::{LinkedLibrary, PlannedInput, PlannedLink, PrebuiltReason, Presence};
use crate::link_order::{InputSymbols, Member, link_order};
use crate::loaded_code::loads_only;
use crate::object_interface::{ObjectInterface, ObjectKind, read_objects};
use crate::recorded_build::{LinkKind, LinkOption};
use crate::unseen_units::{
    is_described_library, is_described_member, of_interface, registered_runs,
};
use knockon_library::library;
use knockon_program::{
    Program, Runs, Symbols, UnitSymbols, UnseenCode, code_digest, rename_symbols, unit_symbols,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The units of one executable in the order of its link, and what is linked besides.
#[derive(Default)]
pub struct LinkedUnits {
    pub units: Vec<Program>,
    pub pieces: Vec<UnseenCode>,
    /// Symbols that libraries on the link line define.
    pub provided: BTreeSet<String>,
    /// What is known to be there and cannot be followed.
    pub doubts: Vec<String>,
}

/// Files that were read, by path.
#[derive(Default)]
pub struct ObjectFiles {
    /// What the tree holds that programs may load when they run.
    pub loadable: Vec<u8>,
    read: BTreeMap<PathBuf, Option<Vec<ObjectInterface>>>,
}

/// Where shared libraries are that others ask for.
const LIBRARY_DIRECTORIES: [&str; 6] = [
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib64",
    "/usr/lib",
];

/// What compilers link without being told.
const DEFAULT_LIBRARIES: [&str; 5] = [
    "libc.so.6",
    "libm.so.6",
    "libgcc_s.so.1",
    "libstdc++.so.6",
    "ld-linux-x86-64.so.2",
];

impl ObjectFiles {
    fn interfaces(&mut self, path: &Path) -> Option<Vec<ObjectInterface>> {
        let read = self.read.entry(path.to_owned());
        read.or_insert_with(|| read_objects(path).ok()).clone()
    }

    /// Takes these shared objects, by their names and paths, for what may be loaded.
    pub fn note_loadable(&mut self, files: &[(String, PathBuf)]) {
        for (name, path) in files {
            self.loadable.extend(name.bytes().chain([0]));
            match self.interfaces(path) {
                Some(interfaces) => {
                    for interface in interfaces {
                        self.loadable.extend(of_interface(&interface).content);
                    }
                }
                None => self
                    .loadable
                    .extend(std::fs::read(path).unwrap_or_default()),
            }
        }
    }

    /// What libraries define that every link has.
    pub fn default_exports(&mut self) -> BTreeSet<String> {
        let mut exports = BTreeSet::new();
        for name in DEFAULT_LIBRARIES {
            let found = library_file(name, None);
            for interface in found
                .and_then(|path| self.interfaces(&path))
                .into_iter()
                .flatten()
            {
                exports.extend(interface.defines);
            }
        }
        exports
    }

    /// A library with all that it asks for.
    fn with_needed(&mut self, path: &Path) -> Option<Vec<ObjectInterface>> {
        let mut found = self.interfaces(path)?;
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut at = 0;
        while at < found.len() {
            for name in found[at].needed.clone() {
                if is_described_library(&name) || !seen.insert(name.clone()) {
                    continue;
                }
                let file = library_file(&name, path.parent())?;
                found.extend(self.interfaces(&file)?);
            }
            at += 1;
        }
        Some(found)
    }
}

fn library_file(name: &str, beside: Option<&Path>) -> Option<PathBuf> {
    let directories = beside
        .into_iter()
        .chain(LIBRARY_DIRECTORIES.iter().map(Path::new));
    let mut files = directories.map(|directory| directory.join(name));
    files.find(|file| file.is_file())
}

/// Whether one of the symbols loads code or looks up symbols.
pub fn looks_up(wanted: &BTreeSet<String>) -> bool {
    wanted
        .iter()
        .any(|name| library().facts(name).looks_up_symbols)
}

/// `units` by position in the plan; those without IR stand in `missing`.
pub fn linked_units(
    executable: &PlannedExecutable,
    link: &PlannedLink,
    plug_ins: &[PlannedExecutable],
    mut units: Vec<Option<Program>>,
    missing: &BTreeMap<usize, UnseenCode>,
    files: &mut ObjectFiles,
) -> LinkedUnits {
    let mut found = LinkedUnits::default();
    if link.is_old_record {
        found.doubts.push(
            "the build was recorded by an older version, without what its links do: record it again with `knockon capture`"
                .to_owned(),
        );
    }
    for edit in &link.edits {
        for position in &edit.units {
            match units.get_mut(*position) {
                Some(Some(unit)) => edit_symbols(unit, &edit.changes, &mut found.doubts),
                _ => found.doubts.push(
                    "an object whose code is not in the IR was edited by `objcopy`".to_owned(),
                ),
            }
        }
    }
    let options: Vec<LinkOption> = link.options.clone();
    let redirections = apply_options(&mut units, &options, &mut found.doubts);
    let prebuilt: Vec<Vec<Member>> = link
        .prebuilt
        .iter()
        .map(|input| match input.reason {
            PrebuiltReason::Assembly(unit) | PrebuiltReason::OtherLanguage(unit) => {
                let code = missing.get(&unit).cloned();
                let code = code.map(|code| redirected(code, &redirections));
                code.map(|code| member_of(code, false))
                    .into_iter()
                    .collect()
            }
            PrebuiltReason::NotMade(_) | PrebuiltReason::Outside | PrebuiltReason::Data => {
                if input.presence == Presence::Missing {
                    return Vec::new();
                }
                let path = input.interface.as_ref().unwrap_or(&input.path);
                let is_whole = input.whole_archive;
                let mut members = prebuilt_members(path, is_whole, &redirections, files);
                if let Some(only) = &input.member {
                    members.retain(|member| member.code.name.contains(only.as_str()));
                }
                if input.interface.is_some() {
                    set_content(&mut members, &input.path);
                }
                members
            }
        })
        .collect();
    let libraries: Vec<Vec<Member>> = link
        .libraries
        .iter()
        .map(|library| match &library.path {
            Some(path) => prebuilt_members(path, library.whole_archive, &redirections, files),
            None => vec![member_of(
                UnseenCode::of_unreadable(&library.name, b"not found"),
                true,
            )],
        })
        .collect();
    let symbols: Vec<Option<UnitSymbols>> = units
        .iter()
        .enumerate()
        .map(|(at, unit)| match unit {
            Some(unit) => Some(unit_symbols(unit)),
            None => missing.get(&at).and_then(symbols_of),
        })
        .collect();
    // Only plug-ins are asked for theirs.
    let contents: BTreeMap<usize, u64> = plug_ins
        .iter()
        .flat_map(|plug_in| &plug_in.units)
        .filter_map(|unit| Some((*unit, code_digest(units.get(*unit)?.as_ref()?))))
        .collect();
    let order = link_order(
        link,
        &InputSymbols {
            units: &symbols,
            prebuilt: &prebuilt,
            libraries: &libraries,
        },
    );
    let mut positions = order.units.clone();
    // A unit that the record links in a way that is not planned is still linked.
    positions.extend(
        executable
            .units
            .iter()
            .filter(|unit| !order.units.contains(unit)),
    );
    bind_parts(link, &mut units, &symbols, &mut found.doubts);
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    let mut defined: BTreeSet<String> = BTreeSet::new();
    for position in &positions {
        if let Some(symbols) = symbols.get(*position).and_then(Option::as_ref) {
            wanted.extend(symbols.wanted.iter().chain(&symbols.wanted_weakly).cloned());
            defined.extend(symbols.definitions().cloned());
        }
        match units.get_mut(*position).and_then(Option::take) {
            Some(unit) => found.units.push(unit),
            None => {
                let code = missing.get(position).cloned();
                let code = code.map(|code| redirected(code, &redirections));
                found.pieces.extend(code);
            }
        }
    }
    let exports_all = exports_all(link);
    let mut exported: BTreeSet<String> = BTreeSet::new();
    for (is_library, number, at) in &order.members {
        let inputs = match is_library {
            true => &libraries,
            false => &prebuilt,
        };
        let member = &inputs[*number][*at];
        found.provided.extend(member.symbols.definitions().cloned());
        if member.is_shared {
            let is_of_tree = !*is_library;
            shared_library(member, is_of_tree, &defined, &mut found, &mut exported);
            if exports_all {
                wanted.extend(member.symbols.wanted.iter().cloned());
            }
        } else if *is_library
            && is_of_system(link.libraries[*number].path.as_deref())
            && is_described_member(&member.code.name)
        {
            // What it does is said function by function, as of the shared library.
        } else {
            wanted.extend(member.symbols.wanted.iter().cloned());
            let is_known = found
                .pieces
                .iter()
                .any(|piece| piece.name == member.code.name);
            if !is_known {
                found.pieces.push(member.code.clone());
            }
        }
    }
    if looks_up(&wanted) {
        let content = [b"loaded", &*files.loadable].concat();
        let loaded = (content, &exported);
        load(link, plug_ins, &mut units, missing, loaded, &mut found);
    } else {
        wanted.retain(|name| !defined.contains(name));
        for plug_in in plug_ins {
            let code = preloaded(plug_in, &symbols, &contents, missing, &wanted);
            found.pieces.extend(code);
        }
    }
    found
}

/// A shared library of the build that no program is linked with may be put before all others when the
/// program starts (`LD_PRELOAD`): what it defines of what the program wants from libraries is then its.
fn preloaded(
    plug_in: &PlannedExecutable,
    symbols: &[Option<UnitSymbols>],
    contents: &BTreeMap<usize, u64>,
    missing: &BTreeMap<usize, UnseenCode>,
    wanted: &BTreeSet<String>,
) -> Option<UnseenCode> {
    let mut content = Vec::new();
    let (mut defined, mut mentioned) = (BTreeSet::new(), BTreeSet::new());
    for position in &plug_in.units {
        if let Some(known) = symbols.get(*position).and_then(Option::as_ref) {
            defined.extend(known.definitions().cloned());
            mentioned.extend(known.wanted.iter().chain(&known.wanted_weakly).cloned());
        }
        content.extend(
            contents
                .get(position)
                .map_or(0, |number| *number)
                .to_le_bytes(),
        );
        if let Some(code) = missing.get(position) {
            content.extend_from_slice(&code.content);
        }
    }
    let replaced: BTreeSet<String> = defined.intersection(wanted).cloned().collect();
    if replaced.is_empty() {
        return None;
    }
    mentioned.extend(defined);
    let mentions = Symbols::These(mentioned);
    let start = Runs {
        at_start: true,
        ..Runs::default()
    };
    let code = UnseenCode {
        name: format!("{}, which may be preloaded", plug_in.name),
        content,
        defines: Symbols::These(replaced),
        runs: start,
        mentions,
        is_confined: false,
    };
    Some(code.registered(registered_runs))
}

/// What a piece wants by a name, another symbol may be meant by.
fn redirected(mut code: UnseenCode, redirections: &Redirections) -> UnseenCode {
    if let Symbols::These(names) = &code.mentions {
        let meant: Vec<String> = names
            .iter()
            .filter_map(|name| redirections.meant(name))
            .collect();
        let mut names = names.clone();
        names.extend(meant);
        code.mentions = Symbols::These(names);
    }
    code
}

fn member_of(code: UnseenCode, is_shared: bool) -> Member {
    Member {
        symbols: symbols_of(&code).unwrap_or_default(),
        code,
        is_archived: false,
        is_shared,
    }
}

/// As far as they are known by name.
fn symbols_of(code: &UnseenCode) -> Option<UnitSymbols> {
    match (&code.defines, &code.mentions) {
        (Symbols::These(defines), Symbols::These(mentions)) => Some(UnitSymbols {
            strong: defines.clone(),
            wanted: mentions.difference(defines).cloned().collect(),
            ..UnitSymbols::default()
        }),
        _ => None,
    }
}

fn prebuilt_members(
    path: &Path,
    is_whole: bool,
    redirections: &Redirections,
    files: &mut ObjectFiles,
) -> Vec<Member> {
    let Some(interfaces) = files.with_needed(path) else {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let content = std::fs::read(path).unwrap_or_default();
        return vec![member_of(UnseenCode::of_unreadable(&name, &content), false)];
    };
    let is_archive = interfaces.iter().any(|row| row.name.ends_with(')'));
    interfaces
        .iter()
        .map(|interface| Member {
            symbols: UnitSymbols {
                strong: interface
                    .defines
                    .difference(&interface.weak)
                    .cloned()
                    .collect(),
                weak: interface.weak.clone(),
                common: BTreeSet::new(),
                wanted: meant(&interface.mentions, redirections),
                wanted_weakly: BTreeSet::new(),
            },
            code: redirected(of_interface(interface), redirections),
            is_archived: is_archive && !is_whole,
            is_shared: interface.kind == ObjectKind::Shared,
        })
        .collect()
}

fn meant(names: &BTreeSet<String>, redirections: &Redirections) -> BTreeSet<String> {
    let meant = names
        .iter()
        .map(|name| redirections.meant(name).unwrap_or_else(|| name.clone()));
    meant.collect()
}

/// The symbols are those of an object that the build made; the content is that of its source, whose
/// code may be another one in another version.
fn set_content(members: &mut [Member], source: &Path) {
    let content = std::fs::read(source).unwrap_or_default();
    for member in members {
        member.code.content.clone_from(&content);
        member.code.is_confined = false;
    }
}

/// A shared library of the build binds its own symbols first where its link says so, and keeps to
/// itself what it does not export; otherwise a definition of the program counts for it, too.
fn bind_parts(
    link: &PlannedLink,
    units: &mut [Option<Program>],
    symbols: &[Option<UnitSymbols>],
    doubts: &mut Vec<String>,
) {
    let parts: Vec<&crate::link_interface::LinkedPart> = link
        .parts
        .iter()
        .filter(|part| part.kind == LinkKind::Shared)
        .collect();
    let in_parts: BTreeSet<usize> = parts
        .iter()
        .flat_map(|part| part.units.iter().copied())
        .collect();
    let definitions = |unit: &usize| -> Vec<String> {
        let known = symbols.get(*unit).and_then(Option::as_ref);
        known
            .map(|known| known.definitions().cloned().collect())
            .unwrap_or_default()
    };
    let own = (0..symbols.len()).filter(|unit| !in_parts.contains(unit));
    let mut before: BTreeSet<String> = BTreeSet::new();
    for unit in own.filter(|unit| is_linked(link, *unit)) {
        before.extend(definitions(&unit));
    }
    for part in parts {
        let inner: BTreeSet<String> = part.units.iter().flat_map(definitions).collect();
        let clashing: BTreeSet<String> = inner.intersection(&before).cloned().collect();
        let others = (0..symbols.len()).filter(|unit| !part.units.contains(unit));
        let elsewhere: BTreeSet<String> = others.flat_map(|unit| definitions(&unit)).collect();
        let is_shared = !inner.is_disjoint(&elsewhere);
        before.extend(inner);
        if !is_shared {
            continue;
        }
        let is_symbolic = part.options.contains(&LinkOption::Symbolic);
        let hidden: BTreeSet<String> = part
            .units
            .iter()
            .filter_map(|unit| units.get(*unit)?.as_ref())
            .flat_map(hidden_symbols)
            .collect();
        let functions: BTreeSet<String> =
            match part.options.contains(&LinkOption::SymbolicFunctions) {
                true => part
                    .units
                    .iter()
                    .filter_map(|unit| units.get(*unit)?.as_ref())
                    .flat_map(defined_functions)
                    .collect(),
                false => BTreeSet::new(),
            };
        let has_list = part.options.iter().any(|option| {
            matches!(
                option,
                LinkOption::VersionScript(_) | LinkOption::DynamicList(_)
            )
        });
        let may_bind_itself = part.units.iter().any(|number| {
            let unit = units.get(*number).and_then(Option::as_ref);
            unit.is_some_and(|unit| unit.units.iter().any(|row| row.binds_itself))
                && definitions(number)
                    .iter()
                    .any(|name| clashing.contains(name))
        });
        let file = part
            .path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        // A hidden function is nobody else's, also where another library comes later.
        let is_own = |name: &str| {
            clashing.contains(name) && (is_symbolic || functions.contains(name))
                || hidden.contains(name) && elsewhere.contains(name)
        };
        for unit in &part.units {
            if let Some(Some(unit)) = units.get_mut(*unit) {
                rename_symbols(unit, |name, _| {
                    is_own(name).then(|| format!("{name} ({file})"))
                });
            }
        }
        if (has_list || may_bind_itself) && clashing.iter().any(|name| !is_own(name)) {
            let name = clashing.iter().next().cloned().unwrap_or_default();
            doubts.push(format!(
                "{file} and what it is linked with both define `{name}`; which of them counts there is not followed"
            ));
        }
    }
}

fn defined_functions(unit: &Program) -> Vec<String> {
    let functions = unit.functions.iter().filter(|row| row.body.is_some());
    functions
        .map(|row| unit.name(row.name).to_owned())
        .collect()
}

/// Symbols that a library which the unit is linked into binds to itself.
fn hidden_symbols(unit: &Program) -> Vec<String> {
    let names = unit.units.iter().flat_map(|row| &row.hidden);
    names
        .map(|name| unit.names.text(*name).to_owned())
        .collect()
}

fn is_linked(link: &PlannedLink, unit: usize) -> bool {
    fn has(inputs: &[PlannedInput], unit: usize) -> bool {
        inputs.iter().any(|input| match input {
            PlannedInput::Unit(number) => *number == unit,
            PlannedInput::Archive { members, .. } => has(members, unit),
            PlannedInput::Part(_) | PlannedInput::Prebuilt(_) | PlannedInput::Library(_) => false,
        })
    }
    has(&link.inputs, unit)
}

fn is_of_system(path: Option<&Path>) -> bool {
    let roots = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];
    path.is_some_and(|path| roots.iter().any(|root| path.starts_with(root)))
}

/// Only what the program defines can come back. One that lies in the tree may be another one in the
/// other version, and with it all that it defines.
fn shared_library(
    member: &Member,
    is_of_tree: bool,
    defined: &BTreeSet<String>,
    found: &mut LinkedUnits,
    exported: &mut BTreeSet<String>,
) {
    let code = &member.code;
    let mentioned: BTreeSet<String> = match &code.mentions {
        Symbols::All => {
            found.pieces.push(code.clone());
            return;
        }
        Symbols::These(names) => names.intersection(defined).cloned().collect(),
    };
    exported.extend(mentioned.iter().cloned());
    if is_of_tree || !mentioned.is_empty() {
        found.pieces.push(UnseenCode {
            mentions: Symbols::These(mentioned),
            defines: match is_of_tree {
                true => code.defines.clone(),
                false => Symbols::none(),
            },
            ..code.clone()
        });
    }
}

/// Code that is loaded sees more than what libraries on the link line mention.
fn exports_all(link: &PlannedLink) -> bool {
    link.options.iter().any(|option| {
        matches!(
            option,
            LinkOption::ExportDynamic
                | LinkOption::ExportDynamicSymbol(_)
                | LinkOption::DynamicList(_)
                | LinkOption::Unknown(_)
        )
    })
}

/// Code that is loaded at run time: the plug-ins of this build, and what nobody knows.
fn load(
    link: &PlannedLink,
    plug_ins: &[PlannedExecutable],
    units: &mut [Option<Program>],
    missing: &BTreeMap<usize, UnseenCode>,
    (content, exported): (Vec<u8>, &BTreeSet<String>),
    found: &mut LinkedUnits,
) {
    let exports_all = exports_all(link);
    let mut runs_at_end = loads_others(plug_ins, &found.units);
    let own: BTreeSet<String> = found
        .units
        .iter()
        .flat_map(|unit| {
            unit_symbols(unit)
                .definitions()
                .cloned()
                .collect::<Vec<_>>()
        })
        .collect();
    let mut known = own;
    let mut entered: BTreeSet<String> = BTreeSet::new();
    for plug_in in plug_ins {
        for position in &plug_in.units {
            if let Some(code) = missing.get(position)
                && !found.pieces.contains(code)
            {
                found.pieces.push(code.clone());
            }
        }
        let mut loaded: Vec<Program> = plug_in
            .units
            .iter()
            .filter_map(|position| units.get_mut(*position)?.take())
            .collect();
        let inner: BTreeSet<String> = loaded
            .iter()
            .flat_map(|unit| {
                unit_symbols(unit)
                    .definitions()
                    .cloned()
                    .collect::<Vec<_>>()
            })
            .collect();
        // What is loaded finds the program's symbols where those are exported; others are its own.
        let clashing: BTreeSet<String> = inner
            .iter()
            .filter(|name| known.contains(*name))
            .filter(|name| !exports_all && !exported.contains(*name) || entered.contains(*name))
            .cloned()
            .collect();
        let suffix = format!(" ({})", plug_in.name);
        for unit in &mut loaded {
            rename_symbols(unit, |name, _| {
                clashing.contains(name).then(|| format!("{name}{suffix}"))
            });
        }
        for name in &inner {
            let name = match clashing.contains(name) {
                true => format!("{name}{suffix}"),
                false => name.clone(),
            };
            entered.insert(name);
        }
        for unit in &mut loaded {
            runs_at_end |= !unit.destructors.is_empty();
            enter_constructors(unit, &mut entered);
        }
        known.extend(inner);
        found.units.append(&mut loaded);
        for input in plug_in.link.iter().flat_map(|link| &link.prebuilt) {
            if matches!(
                input.reason,
                PrebuiltReason::NotMade(_) | PrebuiltReason::Outside
            ) {
                let name = input.path.file_name().unwrap_or_default().to_string_lossy();
                let content = std::fs::read(&input.path).unwrap_or_default();
                found
                    .pieces
                    .push(UnseenCode::of_unreadable(&name, &content));
            }
        }
    }
    let mentions = match exports_all {
        true => Symbols::All,
        false => {
            entered.extend(exported.iter().cloned());
            Symbols::These(entered)
        }
    };
    found.pieces.push(UnseenCode {
        name: "code that is loaded at run time".to_owned(),
        content,
        runs: Runs {
            at_end: runs_at_end,
            ..Runs::default()
        },
        mentions,
        defines: Symbols::none(),
        is_confined: false,
    });
}

/// Whether code may be loaded that is not of this build: then nothing is known of its end.
fn loads_others(plug_ins: &[PlannedExecutable], units: &[Program]) -> bool {
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let is_described = |library: &LinkedLibrary| {
        let path = library.path.as_deref();
        path.map(name)
            .is_some_and(|name| is_described_library(&name) || is_described_member(&name))
    };
    let has_other_code = |plug_in: &PlannedExecutable| {
        plug_in.link.as_ref().is_none_or(|link| {
            !link.prebuilt.is_empty() || !link.libraries.iter().all(is_described)
        })
    };
    let names: Vec<String> = plug_ins
        .iter()
        .map(|row| name(Path::new(&row.name)))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    plug_ins.iter().any(has_other_code) || !units.iter().all(|unit| loads_only(unit, &names))
}

/// Constructors of what is loaded run when that happens: at any call of code that is not here.
fn enter_constructors(unit: &mut Program, entered: &mut BTreeSet<String>) {
    let run: Vec<_> = unit
        .constructors
        .iter()
        .chain(&unit.destructors)
        .map(|entry| entry.function)
        .collect();
    for function in run {
        let name = unit.function_name(function).to_owned();
        let row = &mut unit.functions[function.index()];
        if row.linkage.is_local() {
            // It needs a name that others can mention.
            let source = unit.units.first().map(|row| row.source);
            let source = source.map(|name| unit.names.text(name).to_owned());
            let public = format!("{name} ({})", source.unwrap_or_default());
            let row = &mut unit.functions[function.index()];
            row.name = unit.names.intern(&public);
            row.linkage = knockon_program::Linkage::External;
            entered.insert(public);
        } else {
            entered.insert(name);
        }
    }
}
