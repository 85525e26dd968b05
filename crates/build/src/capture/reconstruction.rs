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
use super::edit_arguments::{EditArguments, EditedFile};
use super::libraries::{implicit_libraries, is_for_this_machine, standard_directories};
use super::linker_arguments::{LinkItem, LinkerArguments};
use super::place::Places;
use super::probe::is_probe_place;
use super::tool_call::{Action, ToolCall};
use super::transfer_arguments::{TransferArguments, TransferKind};
use crate::object_interface::linker_script;
use crate::recorded_build::{
    BuildCaveat, BuildCaveatKind, CompileStep, Dropped, Language, LibraryInput, LinkKind,
    LinkOption, SymbolEdit,
};

/// Where a file comes from, by the position of its step in the draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Maker {
    Compile(usize),
    Archive(usize),
    Link(usize),
    Edit(usize),
    /// Bytes that are linked as they are.
    Data,
    /// Made by a step that was dropped, and why.
    Dropped(String),
    Outside,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftInput {
    pub path: PathBuf,
    pub maker: Maker,
    pub whole_archive: bool,
    pub in_group: bool,
}

impl DraftInput {
    pub fn new(path: PathBuf, maker: Maker) -> DraftInput {
        DraftInput {
            path,
            maker,
            whole_archive: false,
            in_group: false,
        }
    }
}

/// One state of an archive: each command that changes it starts a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftArchive {
    pub path: PathBuf,
    pub members: Vec<DraftInput>,
    pub commands: Vec<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftLink {
    pub output: PathBuf,
    pub kind: LinkKind,
    pub directory: PathBuf,
    pub inputs: Vec<DraftInput>,
    pub libraries: Vec<LibraryInput>,
    pub arguments: Vec<String>,
    pub options: Vec<LinkOption>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftEdit {
    pub input: DraftInput,
    pub output: PathBuf,
    pub directory: PathBuf,
    pub arguments: Vec<String>,
    pub changes: Vec<SymbolEdit>,
}

/// The steps in the order of the build.
#[derive(Default)]
pub struct Draft {
    pub root: PathBuf,
    pub compiles: Vec<CompileStep>,
    pub archives: Vec<DraftArchive>,
    pub links: Vec<DraftLink>,
    pub edits: Vec<DraftEdit>,
    pub dropped: Dropped,
    pub caveats: Vec<BuildCaveat>,
    /// The step that last wrote each path.
    pub makers: FxHashMap<PathBuf, Maker>,
    places: Places,
    standard_directories: Vec<PathBuf>,
}

/// Follows the calls through the build in `root`.
pub fn reconstruct(root: &Path, calls: &[ToolCall]) -> Draft {
    let mut draft = Draft {
        root: root.to_owned(),
        standard_directories: standard_directories(),
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
            Action::Edit(edit) => draft.editor_call(call, edit),
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
                .map(|(source, maker)| {
                    let path = self.places.resolve(&call.directory, &source.path);
                    DraftInput::new(path, maker)
                })
                .collect();
            self.link(call, &compiler.linker, output, &sources);
            self.add_implicit_libraries(call, compiler);
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
        let mut inputs: Vec<DraftInput> = Vec::new();
        let mut libraries = Vec::new();
        let mut options = self.resolved_options(call, linker);
        for placed in &linker.items {
            let known = inputs.len();
            match &placed.item {
                LinkItem::Source(number) => inputs.extend(sources.get(*number).cloned()),
                LinkItem::File(path) => {
                    let input = self.file_input(&call.directory, path);
                    let is_text = input.maker == Maker::Outside && !has_code(&input.path);
                    match is_text
                        .then(|| self.script_inputs(&input.path, &[]))
                        .flatten()
                    {
                        Some(named) if input.path.starts_with(&self.root) => inputs.extend(named),
                        Some(_) | None => {
                            if is_text && !is_called_library(&input.path) {
                                options.push(LinkOption::LinkerScript(input.path.clone()));
                            }
                            inputs.push(input);
                        }
                    }
                }
                LinkItem::Data(path) => {
                    let path = self.places.resolve(&call.directory, path);
                    inputs.push(DraftInput::new(path, Maker::Data));
                }
                LinkItem::Library {
                    name,
                    archives_only,
                } => match self.library_input(call, linker, name, *archives_only) {
                    Library::Made(found) => inputs.extend(found),
                    Library::Outside(path) => libraries.push(LibraryInput {
                        name: name.clone(),
                        path,
                        position: known as u32,
                        whole_archive: placed.whole_archive,
                    }),
                },
            }
            for input in &mut inputs[known..] {
                input.whole_archive = placed.whole_archive;
                input.in_group = placed.in_group;
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
            arguments: call.arguments.clone(),
            options,
        });
    }

    /// The options with their paths resolved: as the linker finds a file, in the directory of the
    /// command or in those of `-L`.
    fn resolved_options(&mut self, call: &ToolCall, linker: &LinkerArguments) -> Vec<LinkOption> {
        let mut options = Vec::new();
        for option in &linker.options {
            let mut option = option.clone();
            if let LinkOption::VersionScript(path)
            | LinkOption::DynamicList(path)
            | LinkOption::LinkerScript(path) = &mut option
            {
                let text = path.to_string_lossy().into_owned();
                let first = self.places.resolve(&call.directory, &text);
                let further = linker
                    .directories
                    .iter()
                    .map(|directory| call.directory.join(directory).join(&text))
                    .find(|path| path.exists());
                *path = match further {
                    Some(further) if !first.exists() => further,
                    Some(_) | None => first,
                };
            }
            if !options.contains(&option) {
                options.push(option);
            }
        }
        options
    }

    /// What the compiler driver adds behind everything else.
    fn add_implicit_libraries(&mut self, call: &ToolCall, compiler: &CompilerArguments) {
        let Some(program) = call.arguments.first() else {
            return;
        };
        for name in implicit_libraries(program, &call.arguments, compiler.is_cplusplus) {
            let linker = &compiler.linker;
            let found = self.library_input(call, linker, name, linker.ends_with_archives_only());
            let Some(link) = self.links.last_mut() else {
                return;
            };
            match found {
                Library::Made(inputs) => link.inputs.extend(inputs),
                // What was not asked for and is not found says nothing: it is the compiler's own.
                Library::Outside(None) => {}
                Library::Outside(Some(path)) => {
                    if !link.libraries.iter().any(|library| library.name == name) {
                        link.libraries.push(LibraryInput {
                            name: name.to_owned(),
                            path: Some(path),
                            position: link.inputs.len() as u32,
                            whole_archive: false,
                        });
                    }
                }
            }
        }
    }

    fn file_input(&mut self, directory: &Path, path: &str) -> DraftInput {
        let path = self.places.resolve(directory, path);
        let maker = match self.maker_of(&path) {
            Some(maker) => maker,
            None if !path.exists() => Maker::Unknown,
            None if !path.starts_with(&self.root) || !has_code(&path) => Maker::Outside,
            None => Maker::Unknown,
        };
        DraftInput::new(path, maker)
    }

    /// The step that wrote the file, or the file that a symbolic link stands for.
    fn maker_of(&self, path: &Path) -> Option<Maker> {
        if let Some(maker) = self.makers.get(path) {
            return Some(maker.clone());
        }
        let target = path.canonicalize().ok()?;
        self.makers.get(&target).cloned()
    }

    /// Finds `-lNAME` as a linker does: in each directory the shared library, then the archive. A
    /// linker script in its place stands for the files that it names.
    fn library_input(
        &mut self,
        call: &ToolCall,
        linker: &LinkerArguments,
        name: &str,
        archives_only: bool,
    ) -> Library {
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
        let mut directories: Vec<PathBuf> = linker
            .directories
            .iter()
            .map(String::as_str)
            .chain(from_environment)
            .map(|directory| call.directory.join(directory))
            .collect();
        if is_for_this_machine(&call.arguments) {
            directories.extend(self.standard_directories.iter().cloned());
        }
        for directory in &directories {
            for file_name in &file_names {
                let path = self.places.resolve(directory, file_name);
                if let Some(maker) = self.maker_of(&path) {
                    return Library::Made(vec![DraftInput::new(path, maker)]);
                }
                if !path.exists() {
                    continue;
                }
                if !path.starts_with(&self.root) {
                    return Library::Outside(Some(path));
                }
                if has_code(&path) {
                    return Library::Made(vec![DraftInput::new(path, Maker::Unknown)]);
                }
                return match self.script_inputs(&path, &directories) {
                    Some(inputs) if !inputs.is_empty() => Library::Made(inputs),
                    Some(_) | None => Library::Made(vec![DraftInput::new(path, Maker::Unknown)]),
                };
            }
        }
        Library::Outside(None)
    }

    /// The files that a linker script of the build names.
    fn script_inputs(&mut self, script: &Path, further: &[PathBuf]) -> Option<Vec<DraftInput>> {
        let text = std::fs::read_to_string(script).ok()?;
        let mut inputs = Vec::new();
        for name in linker_script::inputs(&text).ok()? {
            let names = linker_script::file_names(&name);
            let beside = script.parent().into_iter().map(Path::to_owned);
            let directories: Vec<PathBuf> = beside.chain(further.iter().cloned()).collect();
            let candidates = directories
                .iter()
                .flat_map(|directory| names.iter().map(move |name| (directory, name)));
            let mut found = None;
            for (directory, name) in candidates {
                let path = self.places.resolve(directory, name);
                if path.exists() || self.makers.contains_key(&path) {
                    let maker = match self.maker_of(&path) {
                        Some(maker) => maker,
                        None if path.starts_with(&self.root) => Maker::Unknown,
                        None => Maker::Outside,
                    };
                    found = Some(DraftInput::new(path, maker));
                    break;
                }
            }
            inputs.push(found?);
        }
        Some(inputs)
    }

    /// An edit makes a new object; one that changes nothing of meaning is a copy.
    fn editor_call(&mut self, call: &ToolCall, edit: &EditArguments) {
        for unread in &edit.unread {
            self.caveats.push(BuildCaveat {
                kind: BuildCaveatKind::UnreadSymbolFile,
                message: format!(
                    "the symbols in {unread} of `{}` in {} could not be read",
                    call.arguments.join(" "),
                    call.directory.display()
                ),
            });
        }
        if edit.only_debug {
            return;
        }
        for EditedFile { input, output } in &edit.files {
            let written = output.as_ref().unwrap_or(input);
            let written = self.places.resolve(&call.directory, written);
            let input = match edit.from_data {
                true => {
                    let path = self.places.resolve(&call.directory, input);
                    DraftInput::new(path, Maker::Data)
                }
                false => self.file_input(&call.directory, input),
            };
            if edit.changes.is_empty() && !edit.from_data {
                let is_made = !matches!(input.maker, Maker::Outside | Maker::Unknown);
                if is_made {
                    self.makers.insert(written, input.maker);
                }
                continue;
            }
            self.makers
                .insert(written.clone(), Maker::Edit(self.edits.len()));
            self.edits.push(DraftEdit {
                input,
                output: written,
                directory: call.directory.clone(),
                arguments: call.arguments.clone(),
                changes: edit.changes.clone(),
            });
        }
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
            Maker::Edit(index) => self.edits[*index].output = target.to_owned(),
            Maker::Dropped(_) | Maker::Data | Maker::Outside | Maker::Unknown => {}
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
        let (mut members, mut commands) = match self.makers.get(&path) {
            Some(Maker::Archive(state)) => {
                let archive = &self.archives[*state];
                (archive.members.clone(), archive.commands.clone())
            }
            // Members that are there already are found by comparison with the file.
            Some(
                Maker::Compile(_)
                | Maker::Link(_)
                | Maker::Edit(_)
                | Maker::Data
                | Maker::Dropped(_)
                | Maker::Outside
                | Maker::Unknown,
            )
            | None => (Vec::new(), Vec::new()),
        };
        commands.push(call.arguments.clone());
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
        self.archives.push(DraftArchive {
            path,
            members,
            commands,
        });
    }
}

/// Where `-l` leads.
enum Library {
    /// To files of the build or below its root.
    Made(Vec<DraftInput>),
    /// To the system's, if it was found.
    Outside(Option<PathBuf>),
}

/// Whoever reads a library follows the script in its place.
fn is_called_library(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains(".so") || name.ends_with(".a")
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
