//! **Question.** Which compile, archive and link steps did a build run, and which translation
//! units does each of its executables consist of?
//!
//! This is the plain result of [`crate::capture`], kept as one JSON file (`knockon.build/2`). A
//! record of the first format (`old_record.rs`) is read too; it says nothing about options of links,
//! edits of objects and generators.
//! Everything in it is data: no argument of it is ever executed, and its flags pass the same
//! allow-list as those of a `compile_commands.json`.
//!
//! Each linked input carries the step that made it, decided while the order of the steps was
//! still known. So the lists can be sorted by path: a parallel build gives the same bytes as a
//! sequential one, and [`executables`] needs no file system.
//!
//! An archive counts with all its members although a linker takes only those that define a symbol
//! still missing. Which ones these are depends on symbols, which are known once the units are
//! compiled: linking by symbol is a later stage, and a member too many here costs it nothing,
//! while a member too few would lose code.
//!
//! **Cost.** Linear in the number of steps and inputs.

mod link_option;
mod merging;
mod old_record;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::scratch::scratch_file_in;

pub use link_option::{LinkOption, SymbolEdit};
pub use merging::{NotMerged, merged};

/// The name of the format that [`write`] produces and [`read`] accepts.
pub const SCHEMA: &str = "knockon.build/2";

/// Why it is not known who made a file that was there before the build, or came otherwise.
pub(crate) const NO_STEP_MADE_IT: &str =
    "no recorded step made it; if it was there before, clean and capture again";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ArchiveId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LinkId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EditId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedBuild {
    /// Of a record that was read: the format in which it was written.
    pub schema: String,
    /// The directory in which the build command ran.
    pub root: PathBuf,
    pub command: Vec<String>,
    /// The build command's exit code, or nothing when a signal ended it.
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The build did not succeed; what it ran until then is recorded all the same.
    pub failed: bool,
    pub interception: Interception,
    pub compiles: Vec<CompileStep>,
    pub archives: Vec<ArchiveStep>,
    pub links: Vec<LinkStep>,
    pub edits: Vec<ObjectEditStep>,
    pub generators: Vec<GeneratorStep>,
    /// Nothing if it was not seen which files the build read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_files: Option<ReadFiles>,
    /// Files with the name of a build input that the build itself wrote, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written_inputs: Vec<PathBuf>,
    pub dropped: Dropped,
    pub caveats: Vec<BuildCaveat>,
}

/// How the steps of the build were seen; `crate::capture` says which way sees what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interception {
    Preload,
    StandIns,
    Both,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompileStep {
    /// Where the compiler ran: relative paths in `arguments` start here.
    pub directory: PathBuf,
    /// The source, absolute.
    pub file: PathBuf,
    /// The file that the step wrote, absolute; nothing when compiling and linking were one command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
    pub language: Language,
    /// The whole command, the compiler first, response files expanded. A command with several
    /// sources gives one step for each, all with the same arguments.
    pub arguments: Vec<String>,
    /// `NAME=VALUE` of the variables that add search directories (`CPATH` and its like).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Language {
    #[serde(rename = "c")]
    C,
    #[serde(rename = "c++")]
    CPlusPlus,
    #[serde(rename = "assembly")]
    Assembly,
    #[serde(rename = "other")]
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArchiveStep {
    pub archive: PathBuf,
    pub members: Vec<Input>,
    /// The commands that made this state of the archive, the archiver first.
    pub commands: Vec<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkStep {
    pub output: PathBuf,
    pub kind: LinkKind,
    pub directory: PathBuf,
    /// In the order of the command line.
    pub inputs: Vec<Input>,
    /// Libraries named with `-l` that the build did not make itself.
    pub libraries: Vec<LibraryInput>,
    /// The whole command, the program first, response files expanded.
    pub arguments: Vec<String>,
    /// Those with a meaning for what the program does.
    pub options: Vec<LinkOption>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryInput {
    /// As behind `-l`.
    pub name: String,
    /// Nothing if it was not found where linkers look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// How many of the link's inputs stand before it.
    pub position: u32,
    #[serde(default, skip_serializing_if = "is_false")]
    pub whole_archive: bool,
}

/// A change of an object's symbols or sections after it was compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectEditStep {
    pub input: Input,
    /// May be the same path.
    pub output: PathBuf,
    pub directory: PathBuf,
    /// The whole command, the tool first.
    pub arguments: Vec<String>,
    pub changes: Vec<SymbolEdit>,
}

/// A command that is no compiler, linker or archiver and names files of the tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorStep {
    pub directory: PathBuf,
    /// The program first.
    pub arguments: Vec<String>,
    /// The files below the root that it names, read or written, and its program if that is one.
    pub files: Vec<PathBuf>,
}

/// The files of the tree that the build read and did not make, by how they come into its steps. A
/// file may be in all three lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadFiles {
    /// A compiler, linker, archiver or editor of objects read it, or looked for it in vain.
    pub by_steps: Vec<PathBuf>,
    /// It may decide which steps run, and with which words.
    pub steering: Vec<PathBuf>,
    /// What other programs made from files of the tree and steps read.
    pub made: Vec<MadeFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MadeFile {
    pub path: PathBuf,
    /// All that its content may depend on: through other files that the build made, too.
    pub from: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    Executable,
    Shared,
    Relocatable,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub path: PathBuf,
    pub origin: Origin,
    /// Of an archive all members are linked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub whole_archive: bool,
    /// Inside `--start-group`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_group: bool,
}

fn is_false(value: &bool) -> bool {
    !*value
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    Compile(StepId),
    Archive(ArchiveId),
    Link(LinkId),
    Edit(EditId),
    /// Bytes that become a section as they are (`-b binary`).
    Data,
    /// A file of the system, or one without code.
    Outside,
    /// Code whose source is not known, and why.
    Unknown(String),
}

/// What was seen and left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dropped {
    /// Compile steps whose source no longer exists: the probes of `configure`, mostly.
    pub vanished_sources: u32,
    /// Compile and link steps with which a build system tried the compiler.
    pub probes: u32,
    /// Compile steps that read their source from standard input.
    pub standard_input: u32,
    /// Steps with a path or argument that is not UTF-8.
    pub not_utf8: u32,
    /// Records that could not be read back.
    pub damaged_records: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildCaveat {
    pub kind: BuildCaveatKind,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BuildCaveatKind {
    /// Only stand-ins on PATH were used: tools named by an absolute path were not seen.
    StandInsOnly,
    NotUtf8,
    DamagedRecord,
    UnreadResponseFile,
    UnreadArchiveScript,
    /// The record was written by an earlier version, which kept no options of links.
    OldRecord,
    /// A program of the build could not be watched: what it read is not known.
    UnseenFiles,
    /// A file with the symbols that an edit of an object changes could not be read.
    UnreadSymbolFile,
    /// The record holds steps of a build that did not finish, and others of an earlier one.
    UnfinishedBuild,
}

/// One program that the build linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    pub link: LinkId,
    pub name: String,
    pub path: PathBuf,
    /// In the order of the step ids, each once.
    pub units: Vec<StepId>,
    /// Linked code without a known source, as `path: reason`.
    pub unresolved: Vec<String>,
}

/// Every executable with its translation units, found through archives, partial links and shared
/// libraries that the same build made. A path that was linked several times counts with the last
/// link.
pub fn executables(build: &RecordedBuild) -> Vec<Executable> {
    linked(build, LinkKind::Executable)
}

/// What the build is about: its executables; of a library its shared objects; where nothing is
/// linked, nothing.
pub fn linked_programs(build: &RecordedBuild) -> Vec<Executable> {
    let executables = executables(build);
    if executables.is_empty() {
        return linked(build, LinkKind::Shared);
    }
    executables
}

/// The shared objects that no executable is linked with, where there are executables: one of them
/// may be loaded while a program runs.
pub fn plug_ins(build: &RecordedBuild) -> Vec<Executable> {
    let executables = executables(build);
    if executables.is_empty() {
        return Vec::new();
    }
    let mut linked_in = BTreeSet::new();
    for executable in &executables {
        linked_in.extend(reachable_units(build, executable.link).links);
    }
    linked(build, LinkKind::Shared)
        .into_iter()
        .filter(|shared| !linked_in.contains(&shared.link))
        .collect()
}

fn linked(build: &RecordedBuild, kind: LinkKind) -> Vec<Executable> {
    let mut found = Vec::new();
    for (index, link) in build.links.iter().enumerate() {
        let linked_again = build
            .links
            .get(index + 1)
            .is_some_and(|next| next.output == link.output);
        if link.kind != kind || linked_again {
            continue;
        }
        let reached = reachable_units(build, LinkId(index as u32));
        if reached.units.is_empty() && reached.unresolved.is_empty() {
            continue;
        }
        found.push(Executable {
            link: LinkId(index as u32),
            name: link
                .output
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            path: link.output.clone(),
            units: reached.units.into_iter().collect(),
            unresolved: reached.unresolved.into_iter().collect(),
        });
    }
    found
}

#[derive(Default)]
struct Reached {
    units: BTreeSet<StepId>,
    unresolved: BTreeSet<String>,
    archives: BTreeSet<ArchiveId>,
    links: BTreeSet<LinkId>,
    edits: BTreeSet<EditId>,
}

fn reachable_units(build: &RecordedBuild, start: LinkId) -> Reached {
    let mut reached = Reached::default();
    reached.links.insert(start);
    let mut waiting: Vec<&[Input]> = vec![link_inputs(build, start)];
    while let Some(inputs) = waiting.pop() {
        for input in inputs {
            match &input.origin {
                Origin::Compile(step) => {
                    reached.units.insert(*step);
                }
                Origin::Archive(archive) => {
                    if reached.archives.insert(*archive) {
                        waiting.push(
                            build
                                .archives
                                .get(archive.0 as usize)
                                .map_or(&[], |step| step.members.as_slice()),
                        );
                    }
                }
                Origin::Link(link) => {
                    if reached.links.insert(*link) {
                        waiting.push(link_inputs(build, *link));
                    }
                }
                Origin::Edit(edit) => {
                    if reached.edits.insert(*edit)
                        && let Some(step) = build.edits.get(edit.0 as usize)
                    {
                        waiting.push(std::slice::from_ref(&step.input));
                    }
                }
                Origin::Outside => {}
                Origin::Data => {
                    reached
                        .unresolved
                        .insert(format!("{}: it is linked as data", input.path.display()));
                }
                Origin::Unknown(reason) => {
                    reached
                        .unresolved
                        .insert(format!("{}: {reason}", input.path.display()));
                }
            }
        }
    }
    reached
}

fn link_inputs(build: &RecordedBuild, link: LinkId) -> &[Input] {
    build
        .links
        .get(link.0 as usize)
        .map_or(&[], |step| step.inputs.as_slice())
}

#[derive(Debug, thiserror::Error)]
pub enum RecordedBuildError {
    #[error("cannot read the recorded build {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("cannot write the recorded build {}: {source}", path.display())]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(
        "{}:{line}:{column}: not a recorded build: {message}; record it again with `knockon capture`",
        path.display()
    )]
    Malformed {
        path: PathBuf,
        line: usize,
        column: usize,
        message: String,
    },
    #[error(
        "{}: the format is `{found}`, this version of knockon reads `{SCHEMA}`; record the build again with `knockon capture`",
        path.display()
    )]
    Schema { path: PathBuf, found: String },
    #[error("{}: {place} refers to {target}, which does not exist; record the build again with `knockon capture`", path.display())]
    Reference {
        path: PathBuf,
        place: String,
        target: String,
    },
}

#[derive(Deserialize)]
struct SchemaOnly {
    schema: String,
}

/// Reads a recorded build, and checks that every reference in it has a target.
pub fn read(path: &Path) -> Result<RecordedBuild, RecordedBuildError> {
    let text = fs::read(path).map_err(|source| RecordedBuildError::Read {
        path: path.to_owned(),
        source,
    })?;
    let malformed = |error: serde_json::Error| RecordedBuildError::Malformed {
        path: path.to_owned(),
        line: error.line(),
        column: error.column(),
        message: error.to_string(),
    };
    let SchemaOnly { schema } = serde_json::from_slice(&text).map_err(malformed)?;
    if schema == old_record::SCHEMA {
        let build = old_record::read(&text).map_err(malformed)?;
        check_references(path, &build)?;
        return Ok(build);
    }
    if schema != SCHEMA {
        return Err(RecordedBuildError::Schema {
            path: path.to_owned(),
            found: schema,
        });
    }
    let build: RecordedBuild = serde_json::from_slice(&text).map_err(malformed)?;
    check_references(path, &build)?;
    Ok(build)
}

fn check_references(path: &Path, build: &RecordedBuild) -> Result<(), RecordedBuildError> {
    let archives = build
        .archives
        .iter()
        .map(|step| (&step.archive, &step.members));
    let archives = archives.map(|(place, members)| (place, members.as_slice()));
    let links = build
        .links
        .iter()
        .map(|step| (&step.output, step.inputs.as_slice()));
    let edits = build
        .edits
        .iter()
        .map(|step| (&step.output, std::slice::from_ref(&step.input)));
    for (place, inputs) in archives.chain(links).chain(edits) {
        for input in inputs {
            let (target, id, count) = match &input.origin {
                Origin::Compile(id) => ("compile step", id.0, build.compiles.len()),
                Origin::Archive(id) => ("archive", id.0, build.archives.len()),
                Origin::Link(id) => ("link", id.0, build.links.len()),
                Origin::Edit(id) => ("edit", id.0, build.edits.len()),
                Origin::Outside | Origin::Data | Origin::Unknown(_) => continue,
            };
            if id as usize >= count {
                return Err(RecordedBuildError::Reference {
                    path: path.to_owned(),
                    place: format!("{}, made from {}", place.display(), input.path.display()),
                    target: format!("{target} {id}"),
                });
            }
        }
    }
    Ok(())
}

/// Writes a recorded build: into a temporary file beside `path` first, so that a reader never
/// sees half of one.
pub fn write(path: &Path, build: &RecordedBuild) -> Result<(), RecordedBuildError> {
    let failed = |source: std::io::Error| RecordedBuildError::Write {
        path: path.to_owned(),
        source,
    };
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut text = serde_json::to_vec_pretty(build).map_err(|error| failed(error.into()))?;
    text.push(b'\n');
    let mut file = scratch_file_in(directory).map_err(failed)?;
    file.write_all(&text).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(file: &str) -> CompileStep {
        CompileStep {
            directory: "/p".into(),
            file: format!("/p/{file}.c").into(),
            output: Some(format!("/p/{file}.o").into()),
            language: Language::C,
            arguments: vec!["cc".into(), "-c".into(), format!("{file}.c")],
            environment: Vec::new(),
        }
    }

    fn input(path: &str, origin: Origin) -> Input {
        Input {
            path: path.into(),
            origin,
            whole_archive: false,
            in_group: false,
        }
    }

    fn linked(output: &str, kind: LinkKind, inputs: Vec<Input>) -> LinkStep {
        LinkStep {
            output: output.into(),
            kind,
            directory: "/p".into(),
            inputs,
            libraries: vec![LibraryInput {
                name: "m".into(),
                path: None,
                position: 1,
                whole_archive: false,
            }],
            arguments: vec!["cc".into(), "-o".into(), output.into()],
            options: vec![LinkOption::Wrap("f".into())],
        }
    }

    fn build() -> RecordedBuild {
        RecordedBuild {
            schema: SCHEMA.into(),
            root: "/p".into(),
            command: vec!["make".into()],
            exit_code: Some(0),
            signal: None,
            failed: false,
            interception: Interception::Preload,
            compiles: vec![compiled("a"), compiled("b"), compiled("c"), compiled("d")],
            archives: vec![ArchiveStep {
                archive: "/p/lib.a".into(),
                members: vec![
                    input("/p/b.o", Origin::Compile(StepId(1))),
                    input("/p/x.o", Origin::Unknown("no step made it".into())),
                ],
                commands: vec![vec!["ar".into(), "rc".into(), "lib.a".into()]],
            }],
            links: vec![
                linked(
                    "/p/lib.so",
                    LinkKind::Shared,
                    vec![
                        input("/p/c.o", Origin::Compile(StepId(2))),
                        input("/p/lib.so", Origin::Link(LinkId(0))),
                    ],
                ),
                linked(
                    "/p/prog",
                    LinkKind::Executable,
                    vec![input("/p/d.o", Origin::Compile(StepId(3)))],
                ),
                linked(
                    "/p/prog",
                    LinkKind::Executable,
                    vec![
                        input("/p/a.o", Origin::Compile(StepId(0))),
                        input("/p/lib.a", Origin::Archive(ArchiveId(0))),
                        input("/p/lib.so", Origin::Link(LinkId(0))),
                        input("/usr/lib/crt1.o", Origin::Outside),
                    ],
                ),
            ],
            edits: Vec::new(),
            generators: Vec::new(),
            read_files: Some(ReadFiles {
                by_steps: vec!["/p/a.c".into()],
                steering: vec!["/p/Makefile".into()],
                made: vec![MadeFile {
                    path: "/p/a.h".into(),
                    from: vec!["/p/a.in".into()],
                }],
            }),
            written_inputs: vec!["/p/po/Makefile".into()],
            dropped: Dropped::default(),
            caveats: Vec::new(),
        }
    }

    #[test]
    fn units_are_found_through_archives_and_shared_libraries() {
        let found = executables(&build());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "prog");
        assert_eq!(found[0].units, [StepId(0), StepId(1), StepId(2)]);
        assert_eq!(found[0].unresolved, ["/p/x.o: no step made it"]);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("build.json");
        write(&path, &build()).unwrap();
        assert_eq!(read(&path).unwrap(), build());
    }

    #[test]
    fn errors_name_file_and_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("build.json");
        fs::write(&path, "{\n\"schema\": 1}").unwrap();
        assert!(
            read(&path)
                .unwrap_err()
                .to_string()
                .contains("build.json:2:")
        );
        fs::write(&path, "{\"schema\": \"knockon.build/9\"}").unwrap();
        assert!(
            read(&path)
                .unwrap_err()
                .to_string()
                .contains("knockon.build/9")
        );
        let mut wrong = build();
        wrong.links[0].inputs[0].origin = Origin::Compile(StepId(99));
        write(&path, &wrong).unwrap();
        assert!(
            read(&path)
                .unwrap_err()
                .to_string()
                .contains("compile step 99")
        );
    }
}
