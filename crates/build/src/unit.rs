//! What is compiled, and how: one unit of one tree.
//!
//! Compile commands, recorded builds and bare files all end as [`UnitCommand`]s. A
//! unit belongs to a tree with a `root`, which is mapped to `.` in everything that
//! the compiler writes and in everything that the cache remembers; equal units of
//! two trees are therefore equal byte for byte.

use crate::compile_commands::CompileCommand;
use crate::flags::{DroppedFlag, Language, accept_command};
use crate::recorded_build::{self, CompileStep};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

const SOURCES: [&str; 8] = ["c", "cc", "cp", "cpp", "cxx", "c++", "C", "CPP"];
const PREPROCESSED: [&str; 2] = ["i", "ii"];
const INCLUDE_VARIABLES: [&str; 3] = ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"];

/// The flag that maps paths in `__FILE__` and its kin: `PATH=NAME` follows. What builds say with it
/// is dropped, so that trees can be compared.
pub const MACRO_NAMES: &str = "-fmacro-prefix-map=";

/// Whether clang takes a file of this name for C or C++.
fn is_source(extension: &str) -> bool {
    SOURCES.contains(&extension) || PREPROCESSED.contains(&extension)
}

/// One compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitCommand {
    /// The tree that the unit belongs to. Paths below it are shown relative to it.
    pub root: PathBuf,
    /// Where the compiler runs, absolute; relative paths in the flags start here.
    pub directory: PathBuf,
    /// The source file, absolute or relative to `directory`.
    pub file: PathBuf,
    /// The unit's own flags, `-x LANGUAGE` included; they have passed the allow-list.
    pub flags: Vec<String>,
    /// Flags that clang is not given and that may change the meaning of the program, in the order of
    /// the build, the root replaced by `.`.
    pub unread_flags: Vec<String>,
    /// `None`: the file's name decides.
    pub language: Option<Language>,
    /// Variables that name include directories (`CPATH`, `C_INCLUDE_PATH`, …), as the
    /// build had them.
    pub environment: Vec<(String, String)>,
}

/// How a unit becomes a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    Clang,
    /// The file is LLVM IR as text, which needs no compiler.
    LlvmText,
    /// Assembly, another language, …: why it is not analysed.
    NotAnalysed(String),
}

impl UnitCommand {
    /// A file without a build: clang's defaults. A relative `file` starts at `root`.
    pub fn bare(root: &Path, file: &Path) -> UnitCommand {
        UnitCommand {
            root: root.to_owned(),
            directory: root.to_owned(),
            file: file.to_owned(),
            flags: Vec::new(),
            unread_flags: Vec::new(),
            language: None,
            environment: Vec::new(),
        }
    }

    /// An entry of a compilation database, and its flags that were not accepted.
    pub fn of_compile_command(
        root: &Path,
        command: &CompileCommand,
    ) -> (UnitCommand, Vec<DroppedFlag>) {
        let accepted = accept_command(command);
        let unit = UnitCommand {
            root: root.to_owned(),
            directory: command.directory.clone(),
            file: command.file.clone(),
            flags: accepted.kept,
            unread_flags: unread_flags(root, &accepted.dropped),
            language: accepted.language,
            environment: Vec::new(),
        };
        (unit, accepted.dropped)
    }

    /// A step of a recorded build, and its flags that were not accepted.
    pub fn of_step(root: &Path, step: &CompileStep) -> (UnitCommand, Vec<DroppedFlag>) {
        let (unit, dropped) = UnitCommand::of_compile_command(
            root,
            &CompileCommand {
                directory: step.directory.clone(),
                file: step.file.clone(),
                arguments: step.arguments.clone(),
                output: step.output.clone(),
            },
        );
        let environment = step
            .environment
            .iter()
            .filter_map(|variable| variable.split_once('='))
            .filter(|(name, _)| INCLUDE_VARIABLES.contains(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let mut unit = UnitCommand {
            environment,
            ..unit
        };
        unit.require_language(step.language);
        (unit, dropped)
    }

    /// One command may compile sources of several languages; its flags say that of the first.
    fn require_language(&mut self, recorded: recorded_build::Language) {
        let is_preprocessed = self
            .file
            .extension()
            .is_some_and(|extension| extension == "i" || extension == "ii");
        let language = match (recorded, &self.language) {
            (recorded_build::Language::C, Some(Language::C | Language::PreprocessedC))
            | (
                recorded_build::Language::CPlusPlus,
                Some(Language::CPlusPlus | Language::PreprocessedCPlusPlus),
            )
            | (
                recorded_build::Language::Assembly | recorded_build::Language::Other,
                Some(Language::Other(_)),
            ) => return,
            (recorded_build::Language::C, _) if is_preprocessed => Language::PreprocessedC,
            (recorded_build::Language::C, _) => Language::C,
            (recorded_build::Language::CPlusPlus, _) if is_preprocessed => {
                Language::PreprocessedCPlusPlus
            }
            (recorded_build::Language::CPlusPlus, _) => Language::CPlusPlus,
            (recorded_build::Language::Assembly, _) => Language::Other("assembly".to_owned()),
            (recorded_build::Language::Other, _) => Language::Other("another language".to_owned()),
        };
        if self.flags.first().is_some_and(|flag| flag == "-x") {
            self.flags.drain(..2.min(self.flags.len()));
        }
        if let Some(name) = language.clang_name() {
            self.flags.splice(0..0, ["-x".to_owned(), name.to_owned()]);
        }
        self.language = Some(language);
    }

    pub fn route(&self) -> Route {
        let extension = self
            .file
            .extension()
            .and_then(|extension| extension.to_str());
        match (&self.language, extension) {
            (None | Some(Language::Other(_)), Some("ll")) => Route::LlvmText,
            (Some(Language::Other(name)), _) => Route::NotAnalysed(name.clone()),
            (Some(_), _) => Route::Clang,
            (None, Some(extension)) if is_source(extension) => Route::Clang,
            (None, extension) => Route::NotAnalysed(
                extension
                    .map_or("unknown", |extension| extension)
                    .to_owned(),
            ),
        }
    }

    pub fn source_path(&self) -> PathBuf {
        self.directory.join(&self.file)
    }

    /// The file as clang is given it. An absolute path below the root becomes
    /// relative to `directory`: clang maps prefixes everywhere but in
    /// `source_filename`, which would differ between two trees. A name that begins with
    /// `-` or `@` gets `./`, since clang would take it for a flag or a file of arguments.
    pub fn file_argument(&self) -> PathBuf {
        let map = RootMap::new(&self.root);
        let file = match (
            self.file.is_absolute(),
            map.inside(&self.file),
            map.inside(&self.directory),
        ) {
            (true, Some(file), Some(directory)) => relative(file, directory),
            _ => self.file.clone(),
        };
        match file.as_os_str().as_encoded_bytes().first() {
            Some(b'-' | b'@') => Path::new(".").join(file),
            _ => file,
        }
    }

    /// The source file for people: relative to the root where it lies below it.
    pub fn display_path(&self) -> PathBuf {
        let path = normalised(&self.source_path());
        match RootMap::new(&self.root).inside(&path) {
            Some(inside) => inside.to_owned(),
            None => path,
        }
    }
}

fn unread_flags(root: &Path, dropped: &[DroppedFlag]) -> Vec<String> {
    let unread = dropped.iter().filter(|flag| flag.reason.needs_caveat());
    let root = root.to_string_lossy();
    unread
        .map(|flag| match root.trim_end_matches('/') {
            "" => flag.flag.clone(),
            root => flag.flag.replace(root, "."),
        })
        .collect()
}

/// The way from `directory` to `file`, both given from the same place.
fn relative(file: &Path, directory: &Path) -> PathBuf {
    let (file, directory) = (normalised(file), normalised(directory));
    let shared = file
        .components()
        .zip(directory.components())
        .take_while(|(left, right)| left == right)
        .count();
    let mut path = PathBuf::new();
    for _ in directory.components().skip(shared) {
        path.push("..");
    }
    path.extend(file.components().skip(shared));
    path
}

/// `a/./b/../c` as `a/c`, by text alone.
pub(crate) fn normalised(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match result.components().next_back() {
                Some(Component::Normal(_)) => {
                    result.pop();
                }
                Some(Component::RootDir) => {}
                _ => result.push(".."),
            },
            other => result.push(other),
        }
    }
    result
}

/// How a tree's root is replaced, in the flags that clang gets and in cache keys.
///
/// clang replaces prefixes of the text, not of the path, and splits at the first `=`:
/// hence the slash at the end, and no mapping at all for a root that contains `=`.
/// Units below such a root are right, they only share nothing with other trees. A root
/// that is reached through a symbolic link counts under both its names.
#[derive(Clone, Debug)]
pub(crate) struct RootMap {
    roots: Vec<PathBuf>,
}

impl RootMap {
    pub(crate) fn new(root: &Path) -> RootMap {
        let usable = |root: &PathBuf| {
            root.is_absolute()
                && root.parent().is_some()
                && !root.as_os_str().as_encoded_bytes().contains(&b'=')
        };
        let given: PathBuf = root.components().collect();
        let real = root.canonicalize().ok().filter(|real| *real != given);
        RootMap {
            roots: [Some(given), real]
                .into_iter()
                .flatten()
                .filter(usable)
                .collect(),
        }
    }

    /// `-ffile-prefix-map=…`, which covers debug info and `__FILE__`.
    pub(crate) fn clang_arguments(&self) -> impl Iterator<Item = OsString> {
        self.roots.iter().map(|root| {
            let mut argument = OsString::from("-ffile-prefix-map=");
            argument.push(root);
            argument.push("/=./");
            argument
        })
    }

    /// A path below the root, relative to it.
    pub(crate) fn inside<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        self.roots
            .iter()
            .find_map(|root| path.strip_prefix(root).ok())
    }
}

/// Every C and C++ file below `directory`, each with clang's defaults, in the order
/// of their paths. Hidden directories are skipped and symbolic links not followed.
pub fn units_of_directory(directory: &Path) -> std::io::Result<Vec<UnitCommand>> {
    let mut files = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(current) = pending.pop() {
        for entry in std::fs::read_dir(&current)? {
            let entry = entry?;
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            let kind = entry.file_type()?;
            if kind.is_dir() && !hidden {
                pending.push(entry.path());
            } else if kind.is_file()
                && entry.path().extension().is_some_and(|extension| {
                    extension.to_str().is_some_and(|extension| {
                        is_source(extension) && !PREPROCESSED.contains(&extension)
                    })
                })
            {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files
        .iter()
        .map(|file| UnitCommand::bare(directory, file))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_never_taken_for_a_flag_or_a_file_of_arguments() {
        for name in ["-o.c", "@a.c"] {
            let root = Path::new("/tree");
            let guarded = Path::new(".").join(name);
            assert_eq!(
                UnitCommand::bare(root, Path::new(name)).file_argument(),
                guarded
            );
            let absolute = UnitCommand::bare(root, &root.join(name));
            assert_eq!(absolute.file_argument(), guarded);
        }
    }

    #[test]
    fn absolute_file_below_the_root_becomes_relative_to_the_directory() {
        let unit = UnitCommand {
            directory: "/tree/build/sub".into(),
            ..UnitCommand::bare(Path::new("/tree"), Path::new("/tree/src/./a.c"))
        };
        assert_eq!(unit.file_argument(), Path::new("../../src/a.c"));
        assert_eq!(unit.display_path(), Path::new("src/a.c"));
    }

    #[test]
    fn file_outside_the_root_keeps_its_path() {
        let unit = UnitCommand::bare(Path::new("/tree"), Path::new("/treehouse/a.c"));
        assert_eq!(unit.file_argument(), Path::new("/treehouse/a.c"));
        assert_eq!(unit.display_path(), Path::new("/treehouse/a.c"));
    }

    #[test]
    fn name_and_language_decide_the_route() {
        let route = |file: &str, language| {
            UnitCommand {
                language,
                ..UnitCommand::bare(Path::new("/tree"), Path::new(file))
            }
            .route()
        };
        assert_eq!(route("a.c", None), Route::Clang);
        assert_eq!(route("a.inc", Some(Language::C)), Route::Clang);
        assert_eq!(route("a.ll", None), Route::LlvmText);
        assert_eq!(route("a.S", None), Route::NotAnalysed("S".into()));
        let assembly = Some(Language::Other("assembly".into()));
        assert_eq!(
            route("a.s", assembly),
            Route::NotAnalysed("assembly".into())
        );
    }

    #[test]
    fn root_that_clang_cannot_map_is_not_mapped() {
        let arguments = |root: &str| {
            RootMap::new(Path::new(root))
                .clang_arguments()
                .collect::<Vec<_>>()
        };
        assert!(arguments("/a=b").is_empty());
        assert!(arguments("/").is_empty());
        assert_eq!(arguments("/a/"), ["-ffile-prefix-map=/a/=./"]);
    }

    #[test]
    fn root_behind_a_link_has_two_names() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap().join("real");
        let link = place.path().join("link");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let unit = UnitCommand {
            directory: real.join("build"),
            ..UnitCommand::bare(&link, &link.join("src/a.c"))
        };
        assert_eq!(unit.file_argument(), Path::new("../src/a.c"));
        assert_eq!(unit.display_path(), Path::new("src/a.c"));
    }
}
