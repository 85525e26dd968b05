//! **Question.** Which step made each file that the build links?
//!
//! Goes through the steps in the order in which they started and keeps, for each path, the step
//! that last wrote it. That order is enough: an input of a step was finished before the step
//! started. So an object compiled twice into one path belongs to the link that followed each, and
//! the position-independent and the plain object that libtool compiles from one source are told
//! apart by the path that is linked.
//!
//! The file system is asked as it is after the build: which sources still exist (those of
//! `configure`'s trials do not), what a symbolic link such as `libx.so` stands for, which library
//! `-lx` finds. `finishing.rs` does what needs all steps at once.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::archiver_arguments::{ArchiverArguments, Operation};
use super::compiler_arguments::{CompilerArguments, Goal};
use super::linker_arguments::{LinkItem, LinkerArguments};
use super::place::Places;
use super::probe::is_probe_place;
use super::tool_call::{Action, ToolCall};
use super::transfer_arguments::{TransferArguments, TransferKind};
use crate::recorded_build::{
    BuildCaveat, BuildCaveatKind, CompileStep, Dropped, Language, LinkKind,
};

/// Where a file comes from, by the position of its step in the draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Maker {
    Compile(usize),
    Archive(usize),
    Link(usize),
    /// Made by a step that was dropped, and why.
    Dropped(String),
    Outside,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftInput {
    pub path: PathBuf,
    pub maker: Maker,
}

/// One state of an archive: each command that changes it starts a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftArchive {
    pub path: PathBuf,
    pub members: Vec<DraftInput>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftLink {
    pub output: PathBuf,
    pub kind: LinkKind,
    pub directory: PathBuf,
    pub inputs: Vec<DraftInput>,
    pub libraries: Vec<String>,
}

/// The steps in the order of the build.
#[derive(Default)]
pub struct Draft {
    pub root: PathBuf,
    pub compiles: Vec<CompileStep>,
    pub archives: Vec<DraftArchive>,
    pub links: Vec<DraftLink>,
    pub dropped: Dropped,
    pub caveats: Vec<BuildCaveat>,
    /// The step that last wrote each path.
    pub makers: FxHashMap<PathBuf, Maker>,
    places: Places,
}

/// Follows the calls through the build in `root`.
pub fn reconstruct(root: &Path, calls: &[ToolCall]) -> Draft {
    let mut draft = Draft {
        root: root.to_owned(),
        ..Draft::default()
    };
    for call in calls {
        match &call.action {
            Action::Compile(compiler) => draft.compiler_call(call, compiler),
            Action::Assemble(assembler) => {
                let maker = draft.compile(
                    call,
                    &assembler.source,
                    Language::Assembly,
                    Some(&assembler.output),
                );
                let output = draft.places.resolve(&call.directory, &assembler.output);
                draft.makers.insert(output, maker);
            }
            Action::Link(linker) => {
                let output = linker.output.as_deref().unwrap_or("a.out");
                draft.link(call, linker, output, &[]);
            }
            Action::Archive(archiver) => draft.archiver_call(call, archiver),
            Action::Transfer(transfer) => draft.transfer(call, transfer),
        }
    }
    draft
}

impl Draft {
    fn compiler_call(&mut self, call: &ToolCall, compiler: &CompilerArguments) {
        let mut makers = Vec::with_capacity(compiler.sources.len());
        for source in &compiler.sources {
            let output = compiler.compiled_file(source);
            let maker = self.compile(call, &source.path, source.language, output.as_deref());
            if let Some(output) = output {
                let output = self.places.resolve(&call.directory, &output);
                self.makers.insert(output, maker.clone());
            }
            makers.push(maker);
        }
        if compiler.goal == Goal::Link {
            let output = compiler
                .output
                .as_deref()
                .or(compiler.linker.output.as_deref())
                .unwrap_or("a.out");
            let sources: Vec<DraftInput> = compiler
                .sources
                .iter()
                .zip(makers)
                .map(|(source, maker)| DraftInput {
                    path: self.places.resolve(&call.directory, &source.path),
                    maker,
                })
                .collect();
            self.link(call, &compiler.linker, output, &sources);
        }
    }

    /// Records the compilation of one source, unless it is a trial or a later stage of a source
    /// already recorded.
    fn compile(
        &mut self,
        call: &ToolCall,
        source: &str,
        language: Language,
        output: Option<&str>,
    ) -> Maker {
        if source == "-" {
            self.dropped.standard_input += 1;
            return Maker::Dropped("it was compiled from standard input".to_owned());
        }
        let file = self.places.resolve(&call.directory, source);
        // Assembly that an earlier step wrote: the unit is what that step compiled.
        if let Some(maker @ Maker::Compile(_)) = self.makers.get(&file) {
            return maker.clone();
        }
        if !file.exists() {
            self.dropped.vanished_sources += 1;
            return Maker::Dropped(format!("its source {} no longer exists", file.display()));
        }
        if is_probe_place(&file) {
            self.dropped.probes += 1;
            return Maker::Dropped(format!("{} is a trial of the compiler", file.display()));
        }
        let output = output.map(|output| self.places.resolve(&call.directory, output));
        self.compiles.push(CompileStep {
            directory: call.directory.clone(),
            file,
            output,
            language,
            arguments: call.arguments.clone(),
            environment: call.environment.clone(),
        });
        Maker::Compile(self.compiles.len() - 1)
    }

    fn link(
        &mut self,
        call: &ToolCall,
        linker: &LinkerArguments,
        output: &str,
        sources: &[DraftInput],
    ) {
        let mut inputs = Vec::new();
        let mut libraries = Vec::new();
        for item in &linker.items {
            match item {
                LinkItem::Source(number) => inputs.extend(sources.get(*number).cloned()),
                LinkItem::File(path) => inputs.push(self.file_input(&call.directory, path)),
                LinkItem::Library {
                    name,
                    archives_only,
                } => match self.library_input(call, linker, name, *archives_only) {
                    Some(input) => inputs.push(input),
                    None => libraries.push(name.clone()),
                },
            }
        }
        let output = self.places.resolve(&call.directory, output);
        self.makers
            .insert(output.clone(), Maker::Link(self.links.len()));
        self.links.push(DraftLink {
            output,
            kind: linker.kind,
            directory: call.directory.clone(),
            inputs,
            libraries,
        });
    }

    fn file_input(&mut self, directory: &Path, path: &str) -> DraftInput {
        let path = self.places.resolve(directory, path);
        let maker = match self.maker_of(&path) {
            Some(maker) => maker,
            None if !path.exists() => Maker::Unknown,
            None if !path.starts_with(&self.root) || !has_code(&path) => Maker::Outside,
            None => Maker::Unknown,
        };
        DraftInput { path, maker }
    }

    /// The step that wrote the file, or the file that a symbolic link stands for.
    fn maker_of(&self, path: &Path) -> Option<Maker> {
        if let Some(maker) = self.makers.get(path) {
            return Some(maker.clone());
        }
        let target = path.canonicalize().ok()?;
        self.makers.get(&target).cloned()
    }

    /// Finds `-lNAME` as a linker does: in each directory the shared library, then the archive.
    /// Nothing if the library is not of this build.
    fn library_input(
        &mut self,
        call: &ToolCall,
        linker: &LinkerArguments,
        name: &str,
        archives_only: bool,
    ) -> Option<DraftInput> {
        let file_names = match name.strip_prefix(':') {
            Some(exact) => vec![exact.to_owned()],
            None if archives_only => vec![format!("lib{name}.a")],
            None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
        };
        let from_environment = call
            .environment
            .iter()
            .filter_map(|variable| variable.strip_prefix("LIBRARY_PATH="))
            .flat_map(|value| value.split(':'));
        let directories: Vec<&str> = linker
            .directories
            .iter()
            .map(String::as_str)
            .chain(from_environment)
            .collect();
        for directory in directories {
            for file_name in &file_names {
                let path = self
                    .places
                    .resolve(&call.directory.join(directory), file_name);
                if let Some(maker) = self.maker_of(&path) {
                    return Some(DraftInput { path, maker });
                }
                if path.exists() {
                    let of_this_build = path.starts_with(&self.root) && has_code(&path);
                    return of_this_build.then_some(DraftInput {
                        path,
                        maker: Maker::Unknown,
                    });
                }
            }
        }
        None
    }

    /// Follows files of steps to their new names; other files do not matter.
    fn transfer(&mut self, call: &ToolCall, transfer: &TransferArguments) {
        let made: Vec<(PathBuf, Maker)> = transfer
            .sources
            .iter()
            .filter_map(|source| {
                let path = self.places.resolve(&call.directory, source);
                let maker = self.makers.get(&path)?.clone();
                Some((path, maker))
            })
            .collect();
        let destination = self.places.resolve(&call.directory, &transfer.destination);
        let into_directory = transfer.into_directory
            || made.len() > 1
            || transfer.destination.ends_with('/')
            || destination.is_dir();
        for (source, maker) in made {
            if transfer.kind != TransferKind::Copy {
                self.makers.remove(&source);
            }
            if transfer.kind == TransferKind::Delete {
                continue;
            }
            let target = match source.file_name() {
                Some(name) if into_directory => destination.join(name),
                _ => destination.clone(),
            };
            if transfer.kind == TransferKind::Move {
                self.rename_result(&maker, &target);
            }
            self.makers.insert(target, maker);
        }
    }

    /// A moved file is what its step made, under the name that it has in the end.
    fn rename_result(&mut self, maker: &Maker, target: &Path) {
        match maker {
            Maker::Compile(index) => {
                let output = &mut self.compiles[*index].output;
                if output.is_some() {
                    *output = Some(target.to_owned());
                }
            }
            Maker::Archive(index) => self.archives[*index].path = target.to_owned(),
            Maker::Link(index) => self.links[*index].output = target.to_owned(),
            Maker::Dropped(_) | Maker::Outside | Maker::Unknown => {}
        }
    }

    fn archiver_call(&mut self, call: &ToolCall, archiver: &ArchiverArguments) {
        if archiver.operation == Operation::Script {
            self.caveats.push(BuildCaveat {
                kind: BuildCaveatKind::UnreadArchiveScript,
                message: format!(
                    "`{}` in {} read its commands from standard input; what it archived is not known",
                    call.arguments.join(" "),
                    call.directory.display()
                ),
            });
            return;
        }
        let path = self.places.resolve(&call.directory, &archiver.archive);
        let mut members = match self.makers.get(&path) {
            Some(Maker::Archive(state)) => self.archives[*state].members.clone(),
            _ => Vec::new(),
        };
        let named = |input: &DraftInput| {
            archiver
                .members
                .iter()
                .any(|member| Path::new(member).file_name() == input.path.file_name())
        };
        match archiver.operation {
            Operation::Extract => {
                for member in members {
                    let file_name = member.path.file_name().and_then(|name| name.to_str());
                    if let Some(file_name) = file_name
                        && (archiver.members.is_empty() || named(&member))
                    {
                        let extracted = self.places.resolve(&call.directory, file_name);
                        self.makers.insert(extracted, member.maker);
                    }
                }
                return;
            }
            Operation::Delete | Operation::Replace => members.retain(|member| !named(member)),
            Operation::Append | Operation::Script => {}
        }
        if archiver.operation != Operation::Delete {
            for member in &archiver.members {
                members.push(self.file_input(&call.directory, member));
            }
        }
        self.makers
            .insert(path.clone(), Maker::Archive(self.archives.len()));
        self.archives.push(DraftArchive { path, members });
    }
}

/// Whether the file is an object, a library or bitcode, and not, say, a linker script.
fn has_code(path: &Path) -> bool {
    use std::io::Read as _;
    let mut start = [0; 8];
    let Ok(mut file) = std::fs::File::open(path) else {
        return true;
    };
    let Ok(length) = file.read(&mut start) else {
        return true;
    };
    let start = &start[..length];
    [&b"\x7fELF"[..], b"!<arch>\n", b"!<thin>\n", b"BC\xc0\xde"]
        .iter()
        .any(|magic| start.starts_with(magic))
}
