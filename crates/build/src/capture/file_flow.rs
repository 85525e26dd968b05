//! **Question.** Which files did the build read that it did not make, and how do they come into
//! what it compiles and links?
//!
//! Three ways: a step (a compiler, linker, archiver, `objcopy`) reads the file itself; a step reads
//! what other programs made from it; it decides which steps run, or with what words.
//!
//! **Rules.** A program's knowledge grows by what it reads, by its standard input, and by what
//! those that it starts tell it: on a pipe, or, where they write nothing, by how they end. What it
//! knows goes into each program that it starts from then on, and into each file that it writes.
//! A file that is written anew knows nothing of what it held before. What the steps themselves make
//! is followed elsewhere (`reconstruction.rs`), so a step that reads it is no news; yet a program of
//! the build that generates files is made from all that its steps read.
//!
//! Left out, because they say nothing of a content: lists of headers (`-M`, `.d` files,
//! `makedepend`), `git`, names of symbols (`nm`), what is told to `make` by how its commands end, and
//! what `ninja` shows of their output.
//!
//! **Soundness.** Not seen are statically linked programs (a caveat names those that are not steps),
//! what is known by asking whether a file is there or how old it is, and what is sent through
//! sockets, files outside of the root, or servers.
//!
//! **Cost.** Linear in the records, and again for each generated file that a step reads.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::place::normalised;
use super::probe::is_probe_place;
use super::record_log::{Access, FileRecord, Stream};
use super::static_program::is_static;
use super::tool::{Tool, tool_named};
use super::tool_call::{Program, ToolCalls};
use crate::recorded_build::{BuildCaveat, BuildCaveatKind, MadeFile, ReadFiles};

/// Read no program's end, and show output without reading it.
const RUNNERS: &[&str] = &["make", "gmake", "ninja", "samu", "xargs", "scons"];
/// What these print is not looked at by those who run them for their effect.
const SHOWING_OUTPUT: &[&str] = &["ninja", "samu"];
/// What they write says nothing of the content of what they read.
const NOT_FOLLOWED: &[&str] = &["git", "makedepend", "mkdep", "ctags", "etags", "cscope"];
/// They print names of symbols.
const NAMING_SYMBOLS: &[&str] = &["nm", "gcc-nm", "llvm-nm"];
/// How they end is an answer even where they write something.
const ANSWERING: &[&str] = &[
    "grep", "egrep", "fgrep", "cmp", "diff", "test", "[", "expr", "find",
];
/// They end well, or the build does not.
#[rustfmt::skip]
const NOT_ANSWERING: &[&str] = &[
    "cat", "head", "tail", "tac", "tee", "cp", "mv", "ln", "rm", "mkdir", "touch", "chmod", "ls", "wc", "tr", "cut",
    "sort", "uniq", "sed", "install", "echo", "printf", "dirname", "basename", "date", "uname", "size", "strip",
];
/// Notes of a compiler about headers and the like.
const NOTES: &[&str] = &[
    "d", "Po", "Plo", "Tpo", "TPlo", "dep", "su", "gcno", "gcda", "dwo", "pp", "map",
];

pub struct FileFlow {
    pub files: ReadFiles,
    pub caveats: Vec<BuildCaveat>,
}

/// A point in what is known: of a file as it was written once, or of a program up to some time.
type Node = usize;

#[derive(Clone, Copy)]
struct Version {
    node: Node,
    /// Made by steps, maybe copied.
    is_of_steps: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// By the position of the outermost program of the step.
    Step(usize),
    Transfer,
    NotFollowed,
    Other,
}

struct Known {
    first: Node,
    now: Node,
    /// Something was told from the present node.
    is_told: bool,
    /// The version that it read last.
    last_read: Option<Version>,
}

struct Flow<'a> {
    programs: &'a [Program],
    roles: Vec<Role>,
    names: Vec<String>,
    /// By node those whose knowledge it has.
    from: Vec<Vec<Node>>,
    known: Vec<Known>,
    versions: FxHashMap<PathBuf, Version>,
    leaves: BTreeMap<PathBuf, Node>,
    /// What a program knows in the end goes into the node.
    at_the_end: Vec<(usize, Node)>,
    read_by_steps: BTreeSet<PathBuf>,
    steering: Vec<Node>,
    made: BTreeMap<PathBuf, Vec<Node>>,
}

/// `files` are positioned among the records that `calls` were made of.
pub fn file_flow(root: &Path, calls: &ToolCalls, files: &[FileRecord]) -> FileFlow {
    let mut flow = Flow::new(&calls.programs);
    let tells_by_its_end = tells_by_its_end(&flow, files, &calls.by_token, root);
    let mut next = 0;
    for file in files {
        while let Some(program) = calls.programs.get(next)
            && program.position < file.position
        {
            flow.start(next, root, tells_by_its_end[next]);
            next += 1;
        }
        if let Some(&program) = calls.by_token.get(&file.token)
            && program < next
        {
            flow.access(program, &file.access, &file.path);
        }
    }
    for program in next..calls.programs.len() {
        flow.start(program, root, tells_by_its_end[program]);
    }
    flow.join_pipes();
    let caveats = unseen_programs(&flow);
    FileFlow {
        files: flow.finish(),
        caveats,
    }
}

/// By program: it writes nothing below the root and into no pipe, and so tells by how it ends.
fn tells_by_its_end(
    flow: &Flow<'_>,
    files: &[FileRecord],
    by_token: &FxHashMap<Vec<u8>, usize>,
    root: &Path,
) -> Vec<bool> {
    let mut writes = vec![false; flow.programs.len()];
    for file in files {
        let is_write = match file.access {
            Access::Write | Access::Append | Access::ReadAndWrite | Access::MoveTo(_) => true,
            Access::Read | Access::Missing => false,
        };
        if let (true, Some(&program)) = (is_write, by_token.get(&file.token)) {
            writes[program] = true;
        }
    }
    for (index, program) in flow.programs.iter().enumerate().rev() {
        let outputs = &program.record.streams[1..];
        writes[index] |= matches!(flow.roles[index], Role::Step(_))
            || outputs.iter().any(|stream| match stream {
                Stream::Pipe(_) => true,
                Stream::File(path) => path.starts_with(root),
                Stream::Other => false,
            });
        // A shell that runs what writes is run for that.
        if let (true, Some(parent)) = (writes[index], program.parent) {
            writes[parent] = true;
        }
    }
    let names = flow.names.iter().map(String::as_str).zip(writes);
    names
        .map(|(name, writes)| {
            ANSWERING.contains(&name) || !writes && !NOT_ANSWERING.contains(&name)
        })
        .collect()
}

fn unseen_programs(flow: &Flow<'_>) -> Vec<BuildCaveat> {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for (index, program) in flow.programs.iter().enumerate() {
        let is_unseen = !program.confirmed && flow.roles[index] == Role::Other;
        if is_unseen && is_static(Path::new(&program.record.program)) {
            names.insert(&flow.names[index]);
        }
    }
    let caveat = |name: &&str| BuildCaveat {
        kind: BuildCaveatKind::UnseenFiles,
        message: format!("{name} is statically linked: which files it read was not seen"),
    };
    names.iter().map(caveat).collect()
}

impl<'a> Flow<'a> {
    fn new(programs: &'a [Program]) -> Flow<'a> {
        let names: Vec<String> = programs.iter().map(name_of).collect();
        let mut flow = Flow {
            programs,
            roles: Vec::with_capacity(programs.len()),
            names,
            from: Vec::new(),
            known: Vec::with_capacity(programs.len()),
            versions: FxHashMap::default(),
            leaves: BTreeMap::new(),
            at_the_end: Vec::new(),
            read_by_steps: BTreeSet::new(),
            steering: Vec::new(),
            made: BTreeMap::new(),
        };
        for index in 0..programs.len() {
            let role = flow.role(index);
            flow.roles.push(role);
        }
        flow
    }

    fn role(&self, index: usize) -> Role {
        let program = &self.programs[index];
        let above = program.parent.map(|parent| self.roles[parent]);
        let tool = tool_named(&self.names[index]);
        let is_step = program.call.is_some() || matches!(tool, Some(Tool::Editor { .. }));
        match above {
            Some(Role::Step(first)) if is_step => Role::Step(first),
            // A compiler's own programs; git may run anything.
            Some(Role::NotFollowed)
                if program.parent.is_some_and(|above| self.is_compiler(above)) =>
            {
                Role::NotFollowed
            }
            Some(_) | None if is_step => Role::Step(index),
            Some(_) | None => {
                let lists_headers = matches!(tool, Some(Tool::Compiler { .. }))
                    && lists_headers(&program.record.arguments);
                match tool {
                    Some(Tool::Transfer(_)) => Role::Transfer,
                    // It writes the archive again, with an index.
                    _ if self.names[index].ends_with("ranlib") => Role::Transfer,
                    _ if lists_headers || NOT_FOLLOWED.contains(&self.names[index].as_str()) => {
                        Role::NotFollowed
                    }
                    _ => Role::Other,
                }
            }
        }
    }

    fn is_compiler(&self, program: usize) -> bool {
        matches!(
            tool_named(&self.names[program]),
            Some(Tool::Compiler { .. })
        )
    }

    fn node(&mut self, from: Vec<Node>) -> Node {
        self.from.push(from);
        self.from.len() - 1
    }

    /// All programs of a step are one.
    fn knowing(&self, program: usize) -> usize {
        match self.roles[program] {
            Role::Step(first) => first,
            Role::Transfer | Role::NotFollowed | Role::Other => program,
        }
    }

    fn learn(&mut self, program: usize, source: Node) {
        let program = self.knowing(program);
        let Known { now, is_told, .. } = self.known[program];
        if is_told {
            let node = self.node(vec![now, source]);
            self.known[program].now = node;
            self.known[program].is_told = false;
        } else {
            self.from[now].push(source);
        }
    }

    fn start(&mut self, index: usize, root: &Path, tells_by_its_end: bool) {
        let program = &self.programs[index];
        let mut from = Vec::new();
        if let Some(parent) = program.parent {
            let parent = self.knowing(parent);
            self.known[parent].is_told = true;
            from.push(self.known[parent].now);
            let is_outermost = self.roles[index] == Role::Step(index);
            if is_outermost || self.roles[index] == Role::Transfer {
                self.steering.push(self.known[parent].now);
            }
        }
        let first = self.node(from);
        self.known.push(Known {
            first,
            now: first,
            is_told: false,
            last_read: None,
        });
        let directory = Path::new(&program.record.directory);
        let file = normalised(&directory.join(&program.record.program));
        if file.starts_with(root) {
            self.access(index, &Access::Read, &file);
        }
        let [input, output, errors] = &program.record.streams;
        let is_of_root = |path: &&PathBuf| path.starts_with(root);
        if let Stream::File(path) = input
            && is_of_root(&path)
        {
            self.access(index, &Access::Read, path);
        }
        for stream in [output, errors] {
            if let Stream::File(path) = stream
                && is_of_root(&path)
            {
                self.access(index, &Access::Append, path);
            }
        }
        match self.roles[index] {
            Role::Step(_) | Role::NotFollowed => return,
            Role::Transfer | Role::Other => {}
        }
        let mut listening: BTreeSet<usize> = [output, errors]
            .into_iter()
            .flat_map(|stream| match stream {
                Stream::Pipe(number) => self.readers_above(index, *number),
                Stream::File(_) | Stream::Other => Vec::new(),
            })
            .collect();
        if tells_by_its_end
            && let Some(parent) = program.parent
            && !RUNNERS.contains(&self.names[parent].as_str())
        {
            listening.insert(parent);
        }
        for listener in listening {
            let told = self.node(Vec::new());
            self.at_the_end.push((index, told));
            self.learn(listener, told);
        }
    }

    /// The next program above that does not itself write into the pipe: it made it. Of one that has
    /// not reported its start it is not known.
    fn readers_above(&self, program: usize, pipe: u64) -> Vec<usize> {
        let mut readers = Vec::new();
        let mut above = self.programs[program].parent;
        while let Some(index) = above {
            let outputs = &self.programs[index].record.streams[1..];
            if !outputs.contains(&Stream::Pipe(pipe)) {
                if !SHOWING_OUTPUT.contains(&self.names[index].as_str()) {
                    readers.push(index);
                }
                if self.programs[index].confirmed {
                    return readers;
                }
            }
            above = self.programs[index].parent;
        }
        // The pipe leads out of the build.
        Vec::new()
    }

    fn access(&mut self, program: usize, access: &Access, path: &Path) {
        if let Some(source) = source_of_python(path) {
            if *access == Access::Read {
                self.read(program, &source);
            }
            return;
        }
        match access {
            Access::Read | Access::Missing => self.read(program, path),
            Access::Write => self.write(program, path, None),
            Access::Append => {
                let before = self.versions.get(path).copied();
                self.write(program, path, before);
            }
            Access::ReadAndWrite => {
                self.read(program, path);
                let before = self.versions.get(path).copied();
                self.write(program, path, before);
            }
            Access::MoveTo(target) => {
                let moved = match self.versions.get(path) {
                    Some(version) => Some(*version),
                    None => self.leaves.get(path).map(|leaf| Version {
                        node: *leaf,
                        is_of_steps: false,
                    }),
                };
                match moved {
                    Some(version) => {
                        self.versions.insert(target.clone(), version);
                    }
                    // It was there before, or is made outside of the root.
                    None if path.exists() => {
                        let version = self.version(path);
                        self.versions.insert(target.clone(), version);
                    }
                    None => self.write(program, target, None),
                }
            }
        }
    }

    /// The file as it is by now.
    fn version(&mut self, path: &Path) -> Version {
        if let Some(version) = self.versions.get(path) {
            return *version;
        }
        let node = match self.leaves.get(path) {
            Some(node) => *node,
            None => {
                let node = self.node(Vec::new());
                self.leaves.insert(path.to_owned(), node);
                node
            }
        };
        Version {
            node,
            is_of_steps: false,
        }
    }

    fn read(&mut self, program: usize, path: &Path) {
        if self.roles[program] == Role::NotFollowed {
            return;
        }
        let is_made = self.versions.contains_key(path);
        let version = self.version(path);
        if let Role::Step(_) = self.roles[program] {
            if !is_made {
                self.read_by_steps.insert(path.to_owned());
            } else if !version.is_of_steps && !is_probe_place(path) {
                let made = self.made.entry(path.to_owned()).or_default();
                if !made.contains(&version.node) {
                    made.push(version.node);
                }
            }
        }
        let names_symbols = NAMING_SYMBOLS.contains(&self.names[program].as_str());
        if !(names_symbols && version.is_of_steps) {
            self.learn(program, version.node);
        }
        let knowing = self.knowing(program);
        self.known[knowing].last_read = Some(version);
    }

    fn write(&mut self, program: usize, path: &Path, before: Option<Version>) {
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        let of_before: Vec<Node> = before.iter().map(|version| version.node).collect();
        let version = match self.roles[program] {
            Role::Step(_) if NOTES.contains(&extension) => Version {
                node: self.node(Vec::new()),
                is_of_steps: true,
            },
            Role::Step(first) => {
                let node = self.node(of_before);
                self.at_the_end.push((first, node));
                Version {
                    node,
                    is_of_steps: true,
                }
            }
            // A symbolic link is told when it is opened.
            Role::Transfer => match self.known[program].last_read {
                Some(version) => version,
                None => Version {
                    node: self.node(of_before),
                    is_of_steps: true,
                },
            },
            Role::NotFollowed => Version {
                node: self.node(of_before),
                is_of_steps: false,
            },
            Role::Other => {
                let node = self.node(of_before);
                self.at_the_end.push((program, node));
                Version {
                    node,
                    is_of_steps: false,
                }
            }
        };
        self.versions.insert(path.to_owned(), version);
    }

    /// What is written into a pipe is read by those whose standard input it is.
    fn join_pipes(&mut self) {
        let mut readers: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (index, program) in self.programs.iter().enumerate() {
            if let Stream::Pipe(number) = program.record.streams[0] {
                readers.entry(number).or_default().push(index);
            }
        }
        for (writer, program) in self.programs.iter().enumerate() {
            let pipes: BTreeSet<u64> = program.record.streams[1..]
                .iter()
                .filter_map(|stream| match stream {
                    Stream::Pipe(number) => Some(*number),
                    Stream::File(_) | Stream::Other => None,
                })
                .collect();
            if self.roles[writer] == Role::NotFollowed {
                continue;
            }
            for reader in pipes.iter().filter_map(|pipe| readers.get(pipe)).flatten() {
                let (from, to) = (self.knowing(writer), self.knowing(*reader));
                if from == to {
                    continue;
                }
                let first = self.known[to].first;
                self.at_the_end.push((from, first));
                let is_of_step = matches!(self.roles[writer], Role::Step(_));
                if let (Role::Step(_), false) = (self.roles[*reader], is_of_step) {
                    self.steering.push(first);
                }
            }
        }
    }

    fn finish(mut self) -> ReadFiles {
        for (program, node) in std::mem::take(&mut self.at_the_end) {
            let program = self.knowing(program);
            let now = self.known[program].now;
            self.from[node].push(now);
        }
        let mut leaf_of: FxHashMap<Node, &Path> = FxHashMap::default();
        for (path, node) in &self.leaves {
            leaf_of.insert(*node, path);
        }
        let mut seen = vec![0u32; self.from.len()];
        let mut round = 0;
        let mut leaves_of = |start: &[Node]| -> Vec<PathBuf> {
            round += 1;
            let mut waiting = start.to_vec();
            let mut found = BTreeSet::new();
            while let Some(node) = waiting.pop() {
                if std::mem::replace(&mut seen[node], round) == round {
                    continue;
                }
                found.extend(leaf_of.get(&node).map(|path| path.to_path_buf()));
                waiting.extend(&self.from[node]);
            }
            found.into_iter().collect()
        };
        let steering = leaves_of(&self.steering);
        let made = self.made.iter().map(|(path, nodes)| MadeFile {
            path: path.clone(),
            from: leaves_of(nodes),
        });
        let made = made.collect();
        ReadFiles {
            by_steps: self.read_by_steps.iter().cloned().collect(),
            steering,
            made,
        }
    }
}

/// The name by which the program was called; of a script that of the script.
fn name_of(program: &Program) -> String {
    let called = program.record.arguments.first();
    let called = called.unwrap_or(&program.record.program);
    let name = Path::new(called).file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// `-M` and `-MM` instead of compiling.
fn lists_headers(arguments: &[std::ffi::OsString]) -> bool {
    arguments.iter().any(|word| word == "-M" || word == "-MM")
}

fn is_kept_by_python(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pyc")
}

/// `__pycache__/x.cpython-311.pyc` is made of `x.py`.
fn source_of_python(path: &Path) -> Option<PathBuf> {
    if !is_kept_by_python(path) {
        return None;
    }
    let name = path.file_name()?.to_str()?;
    let stem = name.split('.').next()?;
    let directory = path.parent()?;
    let directory = match directory.ends_with("__pycache__") {
        true => directory.parent()?,
        false => directory,
    };
    Some(directory.join(format!("{stem}.py")))
}

#[cfg(test)]
mod tests;
