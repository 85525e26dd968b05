//! **Question.** Which units does a tree consist of, with which flags, and which
//! of them are linked into which executable?
//!
//! **Source.** The first that applies: a given `compile_commands.json`; the record
//! that `knockon capture` left in `.knockon/build.json`; a
//! `compile_commands.json` in the tree or in its `build` directory; without any
//! build system, every C file with the compiler's defaults. A tree with a build
//! system and no record of it is an error that says what to run: guessing flags
//! would silently analyse another program.

use crate::build_system::{self, BuildSystem};
use crate::compile_commands::{CompileCommandsError, read_compile_commands};
use crate::flags::DroppedFlag;
use crate::link_interface::{PlannedLink, planned_link};
use crate::recorded_build::{self, ReadFiles, RecordedBuild, RecordedBuildError, StepId};
use crate::stand_ins::StandIns;
use crate::unit::{UnitCommand, units_of_directory};
use knockon_program::{Caveat, CaveatKind, Name, PlaceId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where `knockon capture` leaves its record, below the directory of the build.
pub const RECORD: &str = ".knockon/build.json";
pub const COMPILE_COMMANDS: &str = "compile_commands.json";

/// The units of one tree and how they belong together.
#[derive(Clone, Debug, Default)]
pub struct BuildPlan {
    pub units: Vec<UnitCommand>,
    /// Empty when the build does not say: then every `main` is a program.
    pub executables: Vec<PlannedExecutable>,
    /// Shared objects that the build made and that no executable is linked with: one of them may
    /// be loaded while a program runs.
    pub plug_ins: Vec<PlannedExecutable>,
    /// By command of the build that is no compiler and no linker the files that it names.
    pub generators: Vec<Vec<PathBuf>>,
    /// What the recorded build read; nothing if that is not known.
    pub read_files: Option<ReadFiles>,
    /// Files with the name of a build input that the recorded build itself wrote.
    pub written_inputs: BTreeSet<PathBuf>,
    /// The sources of all that the recorded build compiled, linked or not.
    pub compiled: BTreeSet<PathBuf>,
    /// One line for people: what the verdicts hold for.
    pub configuration: String,
    pub caveats: Vec<Caveat>,
    /// Of a revision that is built with the working tree's commands.
    pub stand_ins: Option<StandIns>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedExecutable {
    pub name: String,
    /// Positions among the plan's units.
    pub units: Vec<usize>,
    /// `None` if no link was recorded.
    pub link: Option<PlannedLink>,
}

#[derive(Debug, thiserror::Error)]
pub enum BuildPlanError {
    #[error(transparent)]
    CompileCommands(#[from] CompileCommandsError),
    #[error(transparent)]
    RecordedBuild(#[from] RecordedBuildError),
    #[error("{}: {source}", path.display())]
    Directory {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(
        "{} was recorded in {}, not here: run `knockon capture -- {command}` here, after a clean",
        record.display(),
        recorded.display()
    )]
    RecordOfAnotherTree {
        record: PathBuf,
        recorded: PathBuf,
        command: String,
    },
    #[error("{} contains no C or C++ files", path.display())]
    NoSources { path: PathBuf },
    #[error(
        "{} is built with {system}, and its flags are not known yet; run `knockon capture -- {command}` there",
        path.display()
    )]
    NotCaptured {
        path: PathBuf,
        system: String,
        command: &'static str,
    },
}

/// The plan of one file: a C or C++ source, or LLVM IR as text.
pub fn plan_of_file(file: &Path) -> BuildPlan {
    let root = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let name = file.file_name().map_or(file, Path::new);
    BuildPlan {
        units: vec![UnitCommand::bare(root, name)],
        executables: Vec::new(),
        plug_ins: Vec::new(),
        configuration: format!("{} with the compiler's defaults", file.display()),
        ..BuildPlan::default()
    }
}

/// The plan of a directory. `build` is where `compile_commands.json` lies, if
/// the user said so.
pub fn plan_of_directory(root: &Path, build: Option<&Path>) -> Result<BuildPlan, BuildPlanError> {
    if let Some(build) = build {
        let record = build.join(RECORD);
        return match build.join(COMPILE_COMMANDS) {
            database if database.is_file() || !record.is_file() => {
                plan_of_compile_commands(root, &database)
            }
            _ => plan_of_record(root, &recorded_build::read(&record)?),
        };
    }
    let record = root.join(RECORD);
    if record.is_file() {
        let build = recorded_build::read(&record)?;
        require_same_place(root, &record, &build)?;
        return plan_of_record(root, &build);
    }
    if let Some(database) = build_system::find_compile_commands(root) {
        return plan_of_compile_commands(root, &root.join(database));
    }
    plan_of_bare_directory(root)
}

/// A record names its files by their whole paths: in a copy of the tree it would speak of the
/// original.
fn require_same_place(
    root: &Path,
    record: &Path,
    build: &RecordedBuild,
) -> Result<(), BuildPlanError> {
    let real = |path: &Path| path.canonicalize().ok();
    match real(root) == real(&build.root) {
        true => Ok(()),
        false => Err(BuildPlanError::RecordOfAnotherTree {
            record: record.to_owned(),
            recorded: build.root.clone(),
            command: shell_command(&build.command),
        }),
    }
}

/// The words as one types them into a shell.
fn shell_command(words: &[String]) -> String {
    let is_plain = |word: &String| {
        let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./=:+,@%".contains(&byte);
        !word.is_empty() && word.bytes().all(is_safe)
    };
    let typed = words.iter().map(|word| match is_plain(word) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    });
    typed.collect::<Vec<String>>().join(" ")
}

/// Every entry of a compilation database is a unit.
pub fn plan_of_compile_commands(root: &Path, database: &Path) -> Result<BuildPlan, BuildPlanError> {
    let mut plan = BuildPlan {
        configuration: format!("{}", database.display()),
        ..BuildPlan::default()
    };
    let mut dropped = DroppedFlags::default();
    for command in read_compile_commands(database)? {
        let (unit, flags) = UnitCommand::of_compile_command(root, &command);
        dropped.note(&unit, flags);
        plan.units.push(unit);
    }
    plan.caveats = dropped.caveats();
    if plan.units.is_empty() {
        return Err(BuildPlanError::NoSources {
            path: database.to_owned(),
        });
    }
    Ok(plan)
}

/// A recorded build knows which objects each executable is linked from. What
/// is linked nowhere is left out when something is linked, as a build often
/// compiles the same file twice, with and without position-independent code.
pub fn plan_of_record(root: &Path, build: &RecordedBuild) -> Result<BuildPlan, BuildPlanError> {
    let mut plan = BuildPlan {
        configuration: format!("the captured build `{}`", shell_command(&build.command)),
        generators: (build.generators.iter())
            .map(|generator| generator.files.clone())
            .collect(),
        read_files: build.read_files.clone(),
        written_inputs: build.written_inputs.iter().cloned().collect(),
        compiled: build
            .compiles
            .iter()
            .map(|step| step.file.clone())
            .collect(),
        ..BuildPlan::default()
    };
    let mut dropped = DroppedFlags::default();
    let mut position: FxHashMap<StepId, usize> = FxHashMap::default();
    let mut add = |plan: &mut BuildPlan, step: StepId| -> Option<usize> {
        if let Some(known) = position.get(&step) {
            return Some(*known);
        }
        let (unit, flags) = UnitCommand::of_step(root, build.compiles.get(step.0 as usize)?);
        dropped.note(&unit, flags);
        plan.units.push(unit);
        position.insert(step, plan.units.len() - 1);
        Some(plan.units.len() - 1)
    };
    let programs = recorded_build::linked_programs(build);
    let plug_ins = recorded_build::plug_ins(build);
    let mut planned = Vec::new();
    // Two programs of one name are told apart by their directories.
    let name = |program: &recorded_build::Executable| {
        let all = programs.iter().chain(&plug_ins);
        let count = all.filter(|other| other.name == program.name).count();
        let below = program.path.strip_prefix(&build.root);
        match count {
            1 => program.name.clone(),
            _ => below.unwrap_or(&program.path).display().to_string(),
        }
    };
    for program in programs.iter().chain(&plug_ins) {
        let units: Vec<usize> = program
            .units
            .iter()
            .filter_map(|step| add(&mut plan, *step))
            .collect();
        for unresolved in &program.unresolved {
            plan.caveats.push(caveat(
                CaveatKind::UnresolvedLinkInput,
                format!("{}: {unresolved}", program.name),
            ));
        }
        planned.push(PlannedExecutable {
            name: name(program),
            units,
            link: None,
        });
    }
    if planned.is_empty() {
        let mut seen: Vec<&Path> = Vec::new();
        for (index, step) in build.compiles.iter().enumerate() {
            if !seen.contains(&step.file.as_path()) {
                seen.push(&step.file);
                add(&mut plan, StepId(index as u32));
            }
        }
    }
    for (program, planned) in programs.iter().chain(&plug_ins).zip(&mut planned) {
        planned.link = Some(planned_link(build, program.link, &plan.units, &position));
    }
    plan.plug_ins = planned.split_off(programs.len());
    plan.executables = planned;
    if plan.units.is_empty() {
        return Err(BuildPlanError::NoSources {
            path: root.to_owned(),
        });
    }
    if build.failed {
        plan.caveats.push(caveat(
            CaveatKind::IncompleteCapture,
            "the captured build failed; only what it had compiled until then is analysed"
                .to_owned(),
        ));
    }
    plan.caveats.extend(
        build
            .caveats
            .iter()
            .map(|one| caveat(CaveatKind::IncompleteCapture, one.message.clone())),
    );
    plan.caveats.extend(dropped.caveats());
    Ok(plan)
}

fn plan_of_bare_directory(root: &Path) -> Result<BuildPlan, BuildPlanError> {
    let system = build_system::detect(root)
        .into_iter()
        .find(|system| !matches!(system, BuildSystem::CompileCommands { .. }));
    if let Some(system) = system {
        return Err(BuildPlanError::NotCaptured {
            path: root.to_owned(),
            system: system.name(),
            command: system.capture_command(),
        });
    }
    let units = units_of_directory(root).map_err(|source| BuildPlanError::Directory {
        path: root.to_owned(),
        source,
    })?;
    if units.is_empty() {
        return Err(BuildPlanError::NoSources {
            path: root.to_owned(),
        });
    }
    Ok(BuildPlan {
        units,
        executables: Vec::new(),
        plug_ins: Vec::new(),
        configuration: format!(
            "every C and C++ file of {} with the compiler's defaults",
            root.display()
        ),
        ..BuildPlan::default()
    })
}

/// Flags that were not passed on and might matter: each once, with a count.
#[derive(Default)]
struct DroppedFlags {
    counts: Vec<(String, String, usize)>,
}

impl DroppedFlags {
    fn note(&mut self, unit: &UnitCommand, flags: Vec<DroppedFlag>) {
        for dropped in flags {
            if !dropped.reason.needs_caveat() {
                continue;
            }
            match self.counts.iter_mut().find(|row| row.0 == dropped.flag) {
                Some(row) => row.2 += 1,
                None => {
                    let message = format!(
                        "{}: {} was not passed on: {}",
                        unit.display_path().display(),
                        dropped.flag,
                        dropped.reason
                    );
                    self.counts.push((dropped.flag, message, 1));
                }
            }
        }
    }

    fn caveats(self) -> Vec<Caveat> {
        self.counts
            .into_iter()
            .map(|(_, message, count)| {
                let others = match count {
                    1 => String::new(),
                    count => format!(" (and in {} other units)", count - 1),
                };
                caveat(CaveatKind::DroppedFlag, message + &others)
            })
            .collect()
    }
}

fn caveat(kind: CaveatKind, message: String) -> Caveat {
    Caveat {
        kind,
        function: Name(0),
        place: PlaceId(0),
        message,
    }
}

#[cfg(test)]
mod tests {
    use super::shell_command;

    #[test]
    fn a_command_is_shown_as_one_types_it() {
        let words = ["sh", "-c", "cd 'a b' && make", ""].map(str::to_owned);
        assert_eq!(shell_command(&words), r"sh -c 'cd '\''a b'\'' && make' ''");
    }
}
